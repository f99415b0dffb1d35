"""What bayesbridge offers itself, through the same hooks as any plugin."""

from __future__ import annotations

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.textbook import TextbookBidder
from bayesbridge.estimators.bid import BidEstimator
from bayesbridge.estimators.capture import CaptureEstimator
from bayesbridge.estimators.card_wins import CardWinsEstimator
from bayesbridge.estimators.hookspecs import hookimpl
from bayesbridge.estimators.play_out import PlayOutEstimator
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.tricks import TricksEstimator
from bayesbridge.evidence import BidderModel


@hookimpl
def bayesbridge_estimators() -> list[Estimator]:
    """The paper's two algorithms, the next card, a whole play, and tricks by a network."""
    return [
        CaptureEstimator(),
        BidEstimator(),
        CardWinsEstimator(),
        PlayOutEstimator(),
        TricksEstimator(),
    ]


@hookimpl
def bayesbridge_bidders() -> dict[str, BidderModel]:
    """The paper's bidder, the same with suits, a sober player with a style, points and lengths, and experts."""
    return {
        "iterative": IterativeBidder(),
        "iterative-suits": IterativeBidder(suits=True),
        "style": StyleBidder(),
        "textbook": TextbookBidder(),
        "learned": LearnedBidder(),
    }
