"""How fast calls are weighed: log-likelihoods of one call for a million hands.

    python benchmarks/speed/bench_bidders.py [--json | --write]

One core; seconds are of processor time, so other work on the machine disturbs them
little. Nothing is asserted.
"""

from __future__ import annotations

from page import Cell, Table, run
from questions import SOUTH
from timing import seconds

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.layouts import Hands

HANDS = 1_000_000
MODELS: dict[str, BidderModel] = {
    "`iterative`": IterativeBidder(),
    "`iterative-suits`": IterativeBidder(suits=True),
    "`style`": StyleBidder(),
}
AUCTIONS = ("S:Pass", "S:1S 2C", "S:1H 1NT Pass 2D")


EXPERTS_SHARE = 50
"""The experts of the four-player game see one in so many of the hands."""


def bidders() -> Table:
    """Seconds for the last call of three auctions."""
    # The three hidden hands of a player who sees his own, one after the other.
    layouts = LayoutIndex.of(SOUTH.constraints).draw(-(-HANDS // 3), 1)
    hands = layouts[:, [0, 1, 3]].ravel()[:HANDS]
    rows: list[tuple[Cell, ...]] = []
    for name, model in MODELS.items():
        auctions = [Auction.of(text, dummy="N") for text in AUCTIONS]
        rows.append((name, *(weigh(model, hands, auction) for auction in auctions)))
    experts = LearnedBidder()
    cells = []
    for text in AUCTIONS:
        auction = Auction.of(text, dummy=None)
        few_hands = hands[: HANDS // EXPERTS_SHARE]
        cells.append(EXPERTS_SHARE * weigh(experts, few_hands, auction))
    rows.append(("`learned`, four players", *cells))
    return Table(
        "bidders",
        "P(last call | hand) for a million hands, one core, seconds of processor time",
        ("model", *(f"`{text}`" for text in AUCTIONS)),
        rows,
    )


def weigh(model: BidderModel, hands: Hands, auction: Auction) -> float:
    """Seconds for the last call of an auction; a few hands warm up."""
    last = len(auction.calls) - 1
    model.log_likelihood(hands[:3000], auction, last)
    return seconds(lambda: model.log_likelihood(hands, auction, last))


if __name__ == "__main__":
    run(__doc__, bidders)
