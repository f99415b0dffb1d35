"""Calls as soft evidence on deals: a draw is kept with the probability that these hands bid so.

The deals that remain have the posterior distribution given the auction, exactly as the bidder model sees it, and are
independent. A call is asked only of the hands that the calls before it have kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.dealing.drawing import Test
from bayesbridge.engines.soft import Term, call_term
from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.models import BidderModel
from bayesbridge.layouts import Masks


def auction_of(calls: Sequence[Called]) -> Auction | None:
    """The auction of the four-player game that calls make, seats left out between two having passed."""
    auction: Auction | None = None
    for piece in calls:
        auction, _ = (auction or Auction(piece.seat)).fill(piece.seat, piece.call)
    return auction


def calls_test(auction: Auction, bidder: BidderModel) -> Test:
    """Keeps each layout with the probability of the auction given its hands."""
    terms = [call_term(seat, (), bidder, auction, index) for index, (seat, _) in enumerate(auction)]

    def test(masks: Masks, rng: np.random.Generator) -> NDArray[np.bool_]:
        kept = np.arange(len(masks))
        for term in terms:
            kept = kept[_accepted(term, masks[kept], rng)]
        passed = np.zeros(len(masks), dtype=np.bool_)
        passed[kept] = True
        return passed

    return test


def _accepted(term: Term, masks: Masks, rng: np.random.Generator) -> NDArray[np.bool_]:
    if not len(masks):
        return np.zeros(0, dtype=np.bool_)
    hands = np.ascontiguousarray(masks[:, term.seat])
    return np.asarray(np.log(1.0 - rng.random(len(hands))) <= term.likelihood(hands), dtype=np.bool_)
