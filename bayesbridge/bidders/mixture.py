"""A bidder whose style is not known for certain: several models, each with its probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.simulate import call_probabilities
from bayesbridge.bidders.turn import Turn, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MixtureBidder:
    """One of several models calls, the same one throughout an auction; all are equally likely at first.

    Each call of a player tells something of which model they follow, so the likelihood of the next call weighs the
    models by how well they explain the calls so far. Multiplied over an auction this is exactly P(calls ∣ hand) with
    the model summed out: with draws from a posterior of styles as the models, a posterior over layouts is the joint
    posterior of style and layout, seen from the side of the layout.
    """

    bidders: tuple[BidderModel, ...]

    def __post_init__(self) -> None:
        if not self.bidders:
            raise BayesBridgeError("a mixture of no bidders: give at least one", bidders=())

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        Turn.of(auction, index)
        before = self._log_weights(hands, auction, index)
        chance = np.array([bidder.log_likelihood(hands, auction, index) for bidder in self.bidders])
        total: Floats = np.logaddexp.reduce(before + chance, axis=0)
        return total

    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is illegal."""
        seat_to_call(auction)
        weights = np.exp(self._log_weights(hands, auction, len(auction.calls)))
        total = np.zeros((len(hands), 38))
        for bidder, weight in zip(self.bidders, weights, strict=True):
            total += weight[:, None] * call_probabilities(bidder, hands, auction)
        return total

    def _log_weights(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> Floats:
        """(models, n) log P(model ∣ hand, the caller's calls before number ``index``)."""
        weights = np.full((len(self.bidders), len(hands)), -np.log(len(self.bidders)))
        for earlier in range(index % len(auction.bidders), index, len(auction.bidders)):
            weights += np.array([bidder.log_likelihood(hands, auction, earlier) for bidder in self.bidders])
        weights -= np.logaddexp.reduce(weights, axis=0)
        return weights
