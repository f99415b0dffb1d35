"""Deals under an auction: draws are accepted by the probability of the calls.

Calls are soft evidence. Let L be the probability that the four hands bid so under a
model of bidders, and g the density of the proposal. A draw is accepted with probability
L / (c g), c a constant with L ≤ c g; accepted deals are independent and have the
posterior distribution given the auction. There are two ways:

* *rejection*: g is uniform and c g = 1. Exact; a deal costs as many draws as the auction
  is rare.
* *tilted*: g is fitted to the model (:mod:`bayesbridge.engines.tilt`). No bound is known,
  so c comes from a pilot, and where L > c g a deal is accepted once instead of L / (c g)
  times. The share of probability that is *cut off* so is the total variation distance to
  the exact distribution; it is small, and measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.engines.conditions import ConditionTables, chance_text, tightened
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.engines.proposal import Proposal, Proposed
from bayesbridge.engines.target import SoftEvidence, Target, calls_evidence
from bayesbridge.engines.tilt import SEARCH, tilted
from bayesbridge.engines.weights import Estimate, Weights
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.models import BidderModel, cost_of
from bayesbridge.game.auction import Auction
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.runtime.jit import one_thread

CUT: Final = 0.001
"""The share of probability that a pilot may lose.

To notice it takes about a million deals.
"""

PAIR_CUT: Final = 0.01
"""The same where the hands of a pair are weighted together: tails are longer then."""

MOST_CUT: Final = 0.05
"""The share of probability from which on tilted draws are not used."""

SEED: Final = 1
"""The seed of fits and pilots, whatever that of the deals: a plan is what it says."""

PILOT_DRAWS: Final = 4000
FEWEST_PILOT_DRAWS: Final = 100

COMMON_AUCTION: Final = 0.002
"""P(auction) from which rejection is quick enough."""

COMMON_PAIR_AUCTION: Final = 0.02
"""The same where the hands of a pair are weighted together, which takes longer."""

COST_OF_TILTS: Final = 10.0
"""What a tilted draw costs, in draws by rejection."""

FIT_DRAWS: Final = 500
"""Draws of each step by which tilts are fitted."""

GUIDED_PILOT: Final = 1000
"""Draws of a pilot that are to pass the guides."""

LEAST_PASSED: Final = 0.02
"""Share of draws that is taken to pass the guides, at least."""

BOUNDS_TRIED: Final = 3

LEAST_ESS: Final = 100.0
"""Effective size of the draws that a bound is chosen from."""


@dataclass(frozen=True, slots=True, eq=False)
class CallDraws:
    """How deals under an auction are drawn, with estimates of a pilot."""

    auction: Auction
    soft: SoftEvidence
    #: Uniform draws that meet the exact part of the plan.
    tables: DealTable
    #: Draws where the calls point; ``None`` for uniform draws, kept with the chance of
    #: the calls.
    proposal: Proposal | None = None
    #: log c
    log_limit: float = 0.0
    #: The same for the guides, which refuse most draws before the model is asked.
    log_guide_limit: float = np.inf
    #: P(auction) among the deals that the tables hold.
    chance: float = 0.0
    #: One standard error of it.
    error: float = 0.0
    #: The share of draws that is kept.
    kept: float = 0.0
    #: The share of probability that is cut off; 0 where the way is exact.
    cut: float = 0.0

    def propose(self, n: int, rng: np.random.Generator) -> Proposed:
        """Draw n deals, and return those that may be accepted, with log g of each.

        They meet the exact part of the plan and pass the guides. The guides leave a
        density of min(g, L' / c'), where L' is their likelihood.
        """
        if self.proposal is None:
            return Proposed(self.tables.draw(n, rng), np.zeros(n))
        masks, log_g = self.proposal.draw(n, rng)
        is_possible = log_g > -np.inf
        masks = masks[is_possible]
        log_g = log_g[is_possible]
        if self.log_guide_limit == np.inf:
            return Proposed(masks, log_g)
        log_guide = self.soft.of_layouts(masks, guide=True)
        log_g_passed = np.minimum(log_g, log_guide - self.log_guide_limit)
        passes = log_g_passed - log_g >= log_uniform(len(masks), rng)
        return Proposed(masks[passes], log_g_passed[passes])

    def log_weights(self, n: int, rng: np.random.Generator) -> Floats:
        """Return log L / g of what is proposed, where L is not 0."""
        masks, log_g = self.propose(n, rng)
        log_weights = self.soft.of_layouts(masks) - log_g
        return log_weights[log_weights > -np.inf]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Masks, float]:
        """Draw n deals, and return those that are accepted, with what they exceed.

        That is the sum of L / (c g) - 1 over those for which it is positive.
        """
        masks, log_g = self.propose(n, rng)
        log_acceptance = self.soft.of_layouts(masks) - log_g - self.log_limit
        accepted = log_acceptance >= log_uniform(len(masks), rng)
        if self.exact:
            return masks[accepted], 0.0
        excess = np.expm1(np.maximum(log_acceptance[accepted], 0.0)).sum()
        return masks[accepted], float(excess)

    @property
    def exact(self) -> bool:
        """Whether deals come by rejection, so that nothing is cut off."""
        return self.proposal is None

    def lines(self) -> list[str]:
        """How deals are drawn, for people."""
        way = "independent deals, drawn where the calls point and kept by their weight"
        if self.exact:
            way = (
                "exact, each draw is kept with the probability that these hands bid so"
            )
        lines = [f"Calls {self.auction}: {way}"]
        if self.chance > 0.0:
            lines.append(
                f"  about {chance_text(self.chance)} of these deals are bid so, "
                f"± {100 * self.error:.2g} %"
            )
        if not self.exact:
            lines += [
                f"  about {chance_text(self.kept)} of the draws are kept",
                f"  within about {100 * self.cut:.1g} % of the exact distribution, "
                "by a pilot",
            ]
        return lines

    def document(self) -> dict[str, Any]:
        """How deals are drawn, as plain data."""
        return {
            "auction": str(self.auction),
            "way": "rejection" if self.exact else "tilted",
            "exact": self.exact,
            "probability": self.chance,
            "error": self.error,
            "kept": self.kept,
            "cut": self.cut,
        }


def log_uniform(n: int, rng: np.random.Generator) -> Floats:
    """Return (n,) logarithms of numbers that are uniform above 0 and up to 1."""
    return np.asarray(np.log1p(-rng.random(n)))


def pilot(log_weights: Floats, drawn: int) -> Estimate[float]:
    """Return the mean of the weights of ``drawn`` draws, with its standard error.

    Draws without a weight count 0; the error counts a missed draw of weight 1.

    >>> pilot(np.zeros(5), 10).mean
    0.5
    """
    weights = np.exp(log_weights)
    mean = float(weights.sum()) / drawn
    variance = max(float(np.square(weights).sum()) / drawn - mean**2, 0.0) / drawn
    return Estimate(mean, math.hypot(math.sqrt(variance), 1.0 / drawn))


def limit_of(log_weights: Floats, cut: float) -> float:
    """Return log c for which the weights lose a share ``cut`` of their sum.

    They lose it since each weight above c counts as c. It is the smallest such c.

    >>> round(math.exp(limit_of(np.log([1.0, 1.0, 1.0, 5.0]), 0.25)), 6)
    3.0
    """
    if not len(log_weights):
        raise Contradiction("no draw explains the calls", evidence=())
    largest = float(log_weights.max())
    falling = np.sort(np.exp(log_weights - largest))[::-1]
    ranks = np.arange(1, len(falling) + 1)
    loss_at_weight = np.cumsum(falling) - falling * ranks
    allowed_loss = cut * float(falling.sum())
    above = int(np.searchsorted(loss_at_weight, allowed_loss, side="right"))
    sum_above = float(falling[:above].sum())
    return largest + math.log((sum_above - allowed_loss) / above)


def call_draws(
    plan: ConditionTables, auction: Auction, bidder: BidderModel
) -> CallDraws:
    """Say how to draw deals under an auction.

    They come by rejection, or by tilts where the auction is rare and they fit.
    """
    soft = SoftEvidence(tuple(calls_evidence(bidder, auction)))
    most_draws = cost_of(bidder).most_layouts // 10
    n = min(PILOT_DRAWS, max(most_draws, FEWEST_PILOT_DRAWS))
    rejection = CallDraws(auction, soft, plan.table)
    with one_thread():
        log_weights = rejection.log_weights(n, np.random.default_rng(SEED))
        chance, error = pilot(log_weights, n)
        rejection = replace(rejection, chance=chance, error=error, kept=chance)
        common = COMMON_AUCTION if soft.separable else COMMON_PAIR_AUCTION
        if chance >= common:
            return rejection
        try:
            tilts = _by_tilts(plan, rejection, n, min(SEARCH, most_draws))
        except Contradiction:
            return rejection
    # Where guides refuse most of the tilted draws, these cost little.
    costs_more = soft.separable and tilts.kept < COST_OF_TILTS * chance
    if costs_more or tilts.cut > MOST_CUT:
        return rejection
    return tilts


def _by_tilts(
    plan: ConditionTables, rejection: CallDraws, n: int, search: int
) -> CallDraws:
    """Draws where the calls point; raises ``Contradiction`` where tilts do not fit."""
    soft = rejection.soft
    random = np.random.default_rng(SEED)
    draws = replace(rejection, proposal=_fitted_proposal(plan, soft, search))
    wanted_cut = CUT
    if not soft.separable:
        draws, n = _with_guides(draws, n, random)
        wanted_cut = PAIR_CUT
    bound = _chosen_bound(draws, n, wanted_cut, random)
    largest = float(bound.log_weights.max())
    mean, error = pilot(bound.log_weights - largest, bound.drawn)
    scale = math.exp(largest - math.log(plan.table.total))
    log_kept = np.minimum(bound.log_weights - bound.log_limit, 0.0)
    return replace(
        draws,
        log_limit=bound.log_limit,
        chance=mean * scale,
        error=error * scale,
        kept=pilot(log_kept, bound.drawn).mean,
        cut=bound.cut,
    )


def _fitted_proposal(
    plan: ConditionTables, soft: SoftEvidence, search: int
) -> Proposal:
    """A density of deals that is fitted to the guides of the model."""
    constraints = replace(plan.known, conditions=plan.exact)
    target = Target(tightened(constraints, plan.exact), soft)
    tilts = tilted(
        target.constraints,
        plan.table,
        target.guide_likelihood,
        soft.seats,
        draws=FIT_DRAWS,
        rng=SEED,
        search=search,
    )
    return tilts.proposal


def _with_guides(
    draws: CallDraws, n: int, random: np.random.Generator
) -> tuple[CallDraws, int]:
    """The same with guides that refuse most draws before the model is asked.

    Also returns how many to draw: one that the guides refuse is cheap.
    """
    masks, log_g = draws.propose(n, random)
    log_weights = draws.soft.of_layouts(masks, guide=True) - log_g
    log_limit = limit_of(log_weights[log_weights > -np.inf], PAIR_CUT)
    share_passed = float(np.exp(np.minimum(log_weights - log_limit, 0.0)).sum()) / n
    n_guided = int(min(n, GUIDED_PILOT) / max(share_passed, LEAST_PASSED))
    return replace(draws, log_guide_limit=log_limit), n_guided


class _Bound(NamedTuple):
    """A bound on the weights, what it cuts off, and the draws that it was chosen by."""

    log_limit: float
    cut: float
    log_weights: Floats
    drawn: int


def _chosen_bound(
    draws: CallDraws, n: int, wanted_cut: float, random: np.random.Generator
) -> _Bound:
    """Choose a bound and try it on as many fresh draws.

    It is chosen again from both if it loses too much of the fresh ones.
    """
    log_weights = draws.log_weights(n, random)
    drawn = n
    log_limit = 0.0
    cut = 1.0
    for _ in range(BOUNDS_TRIED):
        log_limit = limit_of(log_weights, wanted_cut)
        if Weights(log_weights).ess < LEAST_ESS:
            raise Contradiction("too few draws explain the calls", evidence=())
        fresh = draws.log_weights(drawn, random)
        cut = max(wanted_cut, _share_above(fresh, log_limit))
        log_weights = np.concatenate([log_weights, fresh])
        drawn *= 2
        if cut <= 2 * wanted_cut:
            break
    return _Bound(log_limit, cut, log_weights, drawn)


def _share_above(log_weights: Floats, log_limit: float) -> float:
    """The share of the weights that lies above a limit; all of it without weights."""
    if not len(log_weights):
        return 1.0
    largest = float(log_weights.max(initial=log_limit))
    weights = np.exp(log_weights - largest)
    limit = math.exp(log_limit - largest)
    return float(np.maximum(weights - limit, 0.0).sum() / weights.sum())
