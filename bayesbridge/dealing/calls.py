"""Calls as soft evidence on deals: a draw is kept with a probability that makes kept deals follow the auction.

Let L be the probability that the four hands bid so, as a model of bidders sees it, and g what draws are made from.
A draw is kept with probability L / (c g), c a constant with L ≤ c g. What is kept is independent and has the posterior
distribution given the auction. There are three ways, the plainest first:

* *rejection*: g is uniform and c g = 1. Exact; a deal costs as many draws as the auction is rare.
* *levels*: g comes from exact tables of levels (:mod:`bayesbridge.engines.level_proposal`), whose weights bound L.
  Exact; for bidders by Algorithm 1, three hands hidden or fewer.
* *tilted*: g is fitted to what the model says (:mod:`bayesbridge.engines.tilt`). No bound is known, so c comes from a
  pilot, and where L > c g a deal is kept once instead of L / (c g) times. The share of probability that is *cut off*
  so is the distance to the exact distribution (total variation); it is small, and measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.dealing.planning import chance_text
from bayesbridge.engines.soft import SoftEvidence, call_term
from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.models import BidderModel
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float64]
type Way = Literal["rejection", "levels", "tilted"]

TITLES: Final[dict[Way, str]] = {
    "rejection": "exact, each draw is kept with the probability that these hands bid so",
    "levels": "exact, drawn by tables of the callers' levels and kept with the probability that is left",
    "tilted": "independent deals, drawn where the calls point and kept by their weight",
}


class Guide(Protocol):
    """What draws are made from."""

    def propose(self, n: int, rng: np.random.Generator) -> tuple[Masks, Floats]:
        """At most ``n`` deals that meet the exact part of the plan, of ``n`` draws, and log c g of each."""
        ...


class Batch(NamedTuple):
    """What is kept of some draws; ``over`` adds up L / (c g) - 1 of those for which it is positive."""

    masks: Masks
    over: float


@dataclass(frozen=True, slots=True, eq=False)
class CallDraws:
    """Deals under an auction.

    chance: P(auction) among the deals that the tables hold, estimated from a pilot
    error:  one standard error of it
    kept:   the share of draws that is kept, by the same pilot
    cut:    the share of probability that is cut off, by the same pilot; 0 where the way is exact
    """

    auction: Auction
    soft: SoftEvidence
    guide: Guide
    way: Way
    chance: float
    error: float
    kept: float
    cut: float = 0.0

    def draw(self, n: int, rng: np.random.Generator) -> Batch:
        """What is kept of ``n`` draws; a call is asked only of hands that the calls before it leave a chance."""
        masks, log_limit = self.guide.propose(n, rng)
        left = np.log1p(-rng.random(len(masks))) + log_limit  # keep while log L ≥ left
        log_likelihood = np.zeros(len(masks))
        for term in self.soft.terms:
            if not len(masks):
                break
            log_likelihood += term.likelihood(np.ascontiguousarray(masks[:, term.seat]))
            alive = log_likelihood >= left
            masks, left, log_limit = masks[alive], left[alive], log_limit[alive]
            log_likelihood = log_likelihood[alive]
        over = np.expm1(np.maximum(log_likelihood - log_limit, 0.0)).sum()
        return Batch(masks, 0.0 if self.exact else float(over))

    @property
    def exact(self) -> bool:
        """Whether nothing is cut off."""
        return self.way != "tilted"

    def lines(self) -> list[str]:
        """How it is done and how rare it is, for people."""
        found = [f"Calls {self.auction}: {TITLES[self.way]}"]
        if self.chance > 0.0:
            found.append(f"  about {chance_text(self.chance)} of these deals are bid so, ± {100 * self.error:.2g} %")
        if self.way != "rejection":
            found.append(f"  about {chance_text(self.kept)} of the draws are kept")
        if not self.exact:
            found.append(f"  within about {100 * self.cut:.1g} % of the exact distribution, by a pilot")
        return found

    def document(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "auction": str(self.auction),
            "way": self.way,
            "exact": self.exact,
            "probability": self.chance,
            "error": self.error,
            "kept": self.kept,
            "cut": self.cut,
        }


class Pilot(NamedTuple):
    """The mean of some weights, its standard error, and how many independent draws they are worth."""

    mean: float
    error: float
    worth: float

    @classmethod
    def of(cls, log_weights: Floats, drawn: int, most: float = 0.0) -> Pilot:
        """From the log weights of ``drawn`` draws; draws that are left out have no weight.

        The error counts one more draw of log weight ``most``, which may have been missed.

        >>> Pilot.of(np.zeros(5), 10).mean
        0.5
        """
        weights = np.exp(log_weights)
        total, squares = float(weights.sum()), float(np.square(weights).sum())
        mean = total / drawn
        spread = math.sqrt(max(squares / drawn - mean**2, 0.0) / drawn)
        error = math.hypot(spread, math.exp(most) / drawn)
        return cls(mean, error, total**2 / squares if squares else 0.0)


def limit_of(log_weights: Floats, cut: float) -> float:
    """The smallest log c for which the weights lose a share ``cut`` of their sum if all above c count as c.

    >>> round(math.exp(limit_of(np.log([1.0, 1.0, 1.0, 5.0]), 0.25)), 6)
    3.0
    """
    top = float(log_weights.max())
    weights = np.sort(np.exp(log_weights - top))[::-1]
    above = np.cumsum(weights) - weights * np.arange(1, len(weights) + 1)  # lost if c is the weight at each place
    place = int(np.searchsorted(above, cut * weights.sum(), side="right"))
    return top + math.log((float(weights[:place].sum()) - cut * float(weights.sum())) / place)


def lost(log_weights: Floats, log_limit: float) -> float:
    """The share of their sum that weights lose if all above c count as c; all of it if there is none.

    >>> round(lost(np.log([1.0, 1.0, 1.0, 5.0]), math.log(3.0)), 6)
    0.25
    """
    if not len(log_weights):
        return 1.0
    relative = np.exp(log_weights - log_weights.max())
    limit = math.exp(min(log_limit - float(log_weights.max()), 0.0))
    return float(np.maximum(relative - limit, 0.0).sum() / relative.sum())


def auction_of(calls: Sequence[Called]) -> Auction | None:
    """The auction of the four-player game that calls make, seats left out between two having passed."""
    auction: Auction | None = None
    for piece in calls:
        auction, _ = (auction or Auction(piece.seat)).fill(piece.seat, piece.call)
    return auction


def soft_evidence(auction: Auction, bidder: BidderModel) -> SoftEvidence:
    """Every call of the auction as a term."""
    return SoftEvidence(tuple(call_term(seat, (), bidder, auction, index) for index, (seat, _) in enumerate(auction)))
