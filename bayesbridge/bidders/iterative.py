"""The paper's bidder: Algorithm 1, with slips; in no trumps as the paper has it, or in
every strain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction


@dataclass(frozen=True, slots=True)
class IterativeBidder:
    """Bids as high as Algorithm 1 goes as soon as that outranks the last bid, and
    passes otherwise.

    In no trumps only, as in the paper; with ``suits`` the highest of the bids in all
    strains, by the extension that ``bayesbridge.capture.strains`` defines. With
    probability ``slip`` they make any legal call instead.

    >>> from bayesbridge.game.cards import Hand
    >>> hands = np.array([Hand.of("AKQ2.AKJ.AK4.A32").mask, Hand.of("J54.Q72.9876.865").mask], dtype=np.uint64)
    >>> np.exp(IterativeBidder().log_likelihood(hands, Auction.of("W:3NT", dummy="N"), 0)).round(4).tolist()
    [0.9806, 0.0006]
    """

    #: ε, the share of calls made at random; at 0 what the model cannot explain is
    #: impossible.
    slip: float = 0.02
    #: Whether suits are bid; without, a suit bid is a slip and says nothing of the
    #: hand.
    suits: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(
                f"slip {self.slip!r}: it is a probability, from 0 to 1", slip=self.slip
            )

    def log_likelihood(
        self, hands: NDArray[np.uint64], auction: Auction, index: int
    ) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand) for (n,) masks."""
        with np.errstate(divide="ignore"):
            return np.log(self.bid_likelihood(auction, index))[self.highest_bids(hands)]

    def bid_likelihood(self, auction: Auction, index: int) -> NDArray[np.float64]:
        """(38,) P(call number ``index`` ∣ highest bid of the hand): all that the model
        looks at.
        """
        turn = Turn.of(auction, index)
        return self._by_bid(turn.before)[:, turn.call.index]

    def probabilities(
        self, hands: NDArray[np.uint64], auction: Auction
    ) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is
        illegal.
        """
        seat_to_call(auction)
        return self._by_bid(auction)[self.highest_bids(hands)]

    def highest_bids(self, hands: NDArray[np.uint64]) -> NDArray[np.int8]:
        """(n,) index of the highest bid of each hand, 0 (Pass) where it has none; a bid
        nX is call 5n − 2 + X.
        """
        if self.suits:
            from bayesbridge.capture.strains import strain_levels

            levels = strain_levels(hands)
            return np.where(
                levels > 0, 5 * levels + np.arange(-2, 3, dtype=np.int8), np.int8(0)
            ).max(axis=1)
        from bayesbridge.capture.kernels import bids

        level = bids(np.ascontiguousarray(hands)).level
        return np.where(level > 0, 5 * level + np.int8(2), np.int8(0))

    def _by_bid(self, before: Auction) -> NDArray[np.float64]:
        """(38, 38) P(call ∣ highest bid of the hand); the index of a bid nX is 5n − 2 +
        X.
        """
        legal = np.zeros(38, dtype=np.bool_)
        legal[list(legal_indices(before))] = True
        chances = np.tile(self.slip / legal.sum() * legal, (38, 1))
        bids = np.arange(38)
        chances[bids, np.where(legal, bids, 0)] += 1.0 - self.slip
        return chances
