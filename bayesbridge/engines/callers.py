"""What the calls of a seat say about its level by Algorithm 1, for bidders that look at nothing else.

In no trumps a hand has one level, and P(calls ∣ level) says it all. A bidder who bids suits makes the highest of five
bids: who bids nX has level n in strain X, so a weight for that level, and the largest of all other weights for every
other level, bounds P(calls ∣ hand) from above. Draws by such weights are a proposal that contains the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.strains import strain_levels
from bayesbridge.engines.levels import SuitWalks
from bayesbridge.engines.soft import SoftEvidence
from bayesbridge.evidence.models import LevelModel

type Floats = NDArray[np.float64]

NO_TRUMP: Final = 4
NO_TRUMP_BIDS: Final = (0, *range(7, 38, 5))
"""Pass and 1NT … 7NT among the 38 bids: the bids of levels 0 … 7."""


@dataclass(frozen=True, slots=True, eq=False)
class Caller:
    """A seat whose calls depend on levels alone."""

    seat: int
    strain: int
    """Whose level is meant: C D H S NT = 0 … 4."""
    weights: Floats
    """(8,) by level: P(all calls of the seat ∣ level), or an upper bound of it."""
    exact: bool
    """Whether the weights are P(calls ∣ level) itself."""

    @property
    def passes(self) -> bool:
        """Whether the calls are best explained by a hand that does not bid."""
        return int(self.weights.argmax()) == 0

    @property
    def walks(self) -> dict[int, SuitWalks]:
        """What the tables must know of the strain."""
        return {} if self.strain == NO_TRUMP else {self.seat: SuitWalks.trumps(self.strain)}

    def levels(self, hands: NDArray[np.uint64]) -> NDArray[np.int8]:
        """(n,) levels of (n,) hands of the seat."""
        if self.strain == NO_TRUMP:
            return bids(np.ascontiguousarray(hands)).level
        return strain_levels(hands)[:, self.strain]

    def log_weights(self, hands: NDArray[np.uint64]) -> Floats:
        """(n,) log weight of (n,) hands of the seat."""
        with np.errstate(divide="ignore"):
            found: Floats = np.log(self.weights)[self.levels(hands)]
        return found


def callers_of(soft: SoftEvidence) -> tuple[Caller, ...]:
    """The seats whose soft evidence is calls that depend on levels alone."""
    by_bid: dict[int, Floats] = {}
    suits: dict[int, bool] = {}
    other: set[int] = set()
    for term in soft.terms:
        if term.call is None or not isinstance(model := term.call[0], LevelModel):
            other.add(term.seat)
            continue
        found = np.asarray(model.bid_likelihood(term.call[1], term.call[2]), dtype=np.float64)
        by_bid[term.seat] = by_bid.get(term.seat, np.ones(38)) * found
        suits[term.seat] = suits.get(term.seat, False) or model.suits
    return tuple(_caller(seat, weights, suits[seat]) for seat, weights in by_bid.items() if seat not in other)


def _caller(seat: int, by_bid: Floats, suits: bool) -> Caller:
    if not suits:
        return Caller(seat, NO_TRUMP, by_bid[list(NO_TRUMP_BIDS)], exact=True)
    best = int(by_bid.argmax())
    level, strain = ((best + 2) // 5, (best + 2) % 5) if best else (0, NO_TRUMP)
    weights = np.full(8, np.delete(by_bid, best).max())
    weights[level] = by_bid[best]
    return Caller(seat, strain, weights, exact=False)
