"""The paper's bidder: Algorithm 1, with slips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction, Call
from bayesbridge.cards import Strain
from bayesbridge.errors import BayesBridgeError


@dataclass(frozen=True, slots=True)
class IterativeBidder:
    """Bids Algorithm 1's level in no trumps as soon as that outranks the last bid, and passes otherwise.

    With probability ``slip`` he makes any legal call instead, all equally likely, so no call is ever impossible.
    """

    slip: float = 0.02
    """ε, the share of calls made at random; 0 makes the model sharp, and a call that it cannot explain impossible."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(f"slip {self.slip}: it is a probability, from 0 to 1", slip=self.slip)

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand) for (n,) masks."""
        from bayesbridge.capture.kernels import bids

        before = Auction(auction.first, auction.calls[:index], auction.dummy)
        call = auction.calls[index]
        level = bids(np.ascontiguousarray(hands)).level
        slips = self.slip / len(before.legal_calls())
        meant = [slips + (1.0 - self.slip) * (_intended(before, n) == call) for n in range(8)]
        with np.errstate(divide="ignore"):
            return np.log(meant)[level]


def _intended(before: Auction, level: int) -> Call:
    """What a hand of this level calls: its level in no trumps if that is legal, else pass."""
    if level and before.can(bid := Call.bid(level, Strain.NT)):
        return bid
    return Call.of("pass")
