"""Deals under an auction: draws are accepted by the probability of the calls.

Calls are soft evidence. A draw weighs L / g, where L is the probability that the four
hands bid so under a model of bidders, and g the density of the draw. It is accepted with
probability weight / limit, where no weight is above the limit; accepted deals are
independent and have the posterior distribution given the auction. There are two ways:

* *rejection*: g is uniform and counts as 1, and so does the limit. Exact; a deal costs
  as many draws as the auction is rare.
* *tilted*: g is fitted to the model (:mod:`bayesbridge.engines.tilt`). No limit is known,
  so it comes from a pilot, and a draw whose weight is above it is accepted once instead
  of weight / limit times. The share of probability that is *cut off* so is the total
  variation distance to the exact distribution; it is small, and measured.
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

LIMITS_TRIED: Final = 3
"""How often a limit is chosen before it is taken as it is."""

MOST_TIMES_CUT: Final = 2.0
"""How many times the wanted cut fresh draws may lose before a limit is chosen anew."""

PART_OF_MOST_LAYOUTS: Final = 10
"""A pilot and a fit ask a model at most about this part of its ``most_layouts``."""

LEAST_ESS: Final = 100.0
"""Effective size of the draws that a limit is chosen from, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class CallDraws:
    """How deals under an auction are drawn, with estimates of a pilot.

    The *weight* of a draw is P(the calls ∣ deal) over the density of the draw. A draw
    is accepted with the chance weight / limit, at most 1.
    """

    auction: Auction
    #: P(the calls ∣ deal) by the model of the bidders, and by its quick *guide*.
    evidence: SoftEvidence
    #: Uniform draws that meet what tables can do of the request.
    uniform: DealTable
    #: Draws where the calls point; ``None`` for uniform draws, whose density counts
    #: as 1 and whose limit is 1.
    proposal: Proposal | None = None
    #: Log of the limit of the weights.
    log_limit: float = 0.0
    #: Log of the limit by which the guide refuses draws before the model is asked;
    #: infinite where no draw goes through the guide.
    log_guide_limit: float = np.inf
    #: P(auction) among the deals that the tables hold.
    chance: float = 0.0
    #: One standard error of it.
    error: float = 0.0
    #: The share of draws that is accepted.
    kept: float = 0.0
    #: The share of probability above the limit, which is lost; 0 for uniform draws.
    cut: float = 0.0

    def propose(self, n: int, rng: np.random.Generator) -> Proposed:
        """Draw n deals, and return those that may be accepted, with their log densities.

        Uniform draws all stay, with a log density of 0. Draws of the proposal are
        dropped where they break what the deals must meet (density 0), and where the
        guide refuses them.
        """
        if self.proposal is None:
            return Proposed(self.uniform.draw(n, rng), np.zeros(n))
        masks, log_density = self.proposal.draw(n, rng)
        is_possible = log_density > -np.inf
        proposed = Proposed(masks[is_possible], log_density[is_possible])
        if self.log_guide_limit == np.inf:
            return proposed
        return self._pass_guide(proposed, rng)

    def _pass_guide(self, proposed: Proposed, rng: np.random.Generator) -> Proposed:
        """Keep each draw with the chance guide / (guide limit · density), at most 1.

        The guide is a quick approximation of P(the calls ∣ deal). The density of what
        is kept is the smaller one of the old density and guide / guide limit.
        """
        masks, log_density = proposed
        log_guide = self.evidence.of_layouts(masks, guide=True)
        log_density_kept = np.minimum(log_density, log_guide - self.log_guide_limit)
        log_chance_to_pass = log_density_kept - log_density
        passes = log_chance_to_pass >= log_uniform(len(masks), rng)
        return Proposed(masks[passes], log_density_kept[passes])

    def log_weights(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n deals, and return the log weights of those whose weight is not 0."""
        masks, log_density = self.propose(n, rng)
        log_weights = self.evidence.of_layouts(masks) - log_density
        return log_weights[log_weights > -np.inf]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Masks, float]:
        """Draw n deals, and return those that are accepted, and their excess.

        A draw whose weight is above the limit is accepted once, though it should be
        weight / limit times. The excess is the sum of what is lost so, weight / limit
        - 1 of each; uniform draws have none.
        """
        masks, log_density = self.propose(n, rng)
        log_weights = self.evidence.of_layouts(masks) - log_density
        log_ratio_to_limit = log_weights - self.log_limit
        accepted = log_ratio_to_limit >= log_uniform(len(masks), rng)
        if self.exact:
            return masks[accepted], 0.0
        log_ratio_above_limit = np.maximum(log_ratio_to_limit[accepted], 0.0)
        excess = np.expm1(log_ratio_above_limit).sum()
        return masks[accepted], float(excess)

    @property
    def exact(self) -> bool:
        """Whether deals come by rejection, so that nothing is cut off."""
        return self.proposal is None

    def lines(self) -> list[str]:
        """How deals are drawn, for people: the way, P(auction), and what is lost."""
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


def mean_weight(log_weights: Floats, drawn: int) -> Estimate[float]:
    """Return the mean weight of ``drawn`` draws, with its standard error.

    ``log_weights`` are those of the draws whose weight is not 0. The error also counts
    that one more draw might have had weight 1 and was missed.

    >>> mean_weight(np.zeros(5), 10).mean
    0.5
    """
    weights = np.exp(log_weights)
    mean = float(weights.sum()) / drawn
    mean_square = float(np.square(weights).sum()) / drawn
    variance_of_mean = max(mean_square - mean**2, 0.0) / drawn
    error_by_missed_draw = 1.0 / drawn
    error = math.hypot(math.sqrt(variance_of_mean), error_by_missed_draw)
    return Estimate(mean, error)


def limit_of(log_weights: Floats, cut: float) -> float:
    """Return the log of the limit by which weights lose a share ``cut`` of their sum.

    They lose it since each weight above the limit counts as the limit. It is the
    smallest such limit.

    >>> round(math.exp(limit_of(np.log([1.0, 1.0, 1.0, 5.0]), 0.25)), 6)
    3.0
    """
    if not len(log_weights):
        raise Contradiction("no draw explains the calls", evidence=())
    largest = float(log_weights.max())
    falling = np.sort(np.exp(log_weights - largest))[::-1]
    ranks = np.arange(1, len(falling) + 1)
    # What is lost with the limit at each of the weights.
    loss_at_weight = np.cumsum(falling) - falling * ranks
    allowed_loss = cut * float(falling.sum())
    weights_above = int(np.searchsorted(loss_at_weight, allowed_loss, side="right"))
    sum_above = float(falling[:weights_above].sum())
    return largest + math.log((sum_above - allowed_loss) / weights_above)


def call_draws(
    plan: ConditionTables, auction: Auction, bidder: BidderModel
) -> CallDraws:
    """Choose how to draw deals under an auction, by a pilot of some draws.

    Uniform draws that are kept with P(the calls ∣ deal) serve where the auction is
    common. For a rare one draws are tried that are made where the calls point; they
    are taken unless they cost more or lose too much.
    """
    evidence = SoftEvidence(tuple(calls_evidence(bidder, auction)))
    most_draws = cost_of(bidder).most_layouts // PART_OF_MOST_LAYOUTS
    pilot_draws = min(PILOT_DRAWS, max(most_draws, FEWEST_PILOT_DRAWS))
    with one_thread():
        by_rejection = _draws_by_rejection(plan, auction, evidence, pilot_draws)
        common = COMMON_AUCTION
        if not evidence.separable:  # a call depends on partner's hand too
            common = COMMON_PAIR_AUCTION
        if by_rejection.chance >= common:
            return by_rejection
        try:
            by_proposal = _draws_by_proposal(
                plan,
                by_rejection,
                pilot_draws=pilot_draws,
                most_fit_draws=min(SEARCH, most_draws),
            )
        except Contradiction:  # too few of the draws explain the calls
            return by_rejection
    if by_proposal.cut > MOST_CUT:
        return by_rejection
    # Without a guide a draw costs COST_OF_TILTS uniform ones, and must be kept as much
    # more often. With one the model is not asked about most draws: they cost little.
    must_pay = COST_OF_TILTS * by_rejection.kept
    if evidence.separable and by_proposal.kept < must_pay:
        return by_rejection
    return by_proposal


def _draws_by_rejection(
    plan: ConditionTables, auction: Auction, evidence: SoftEvidence, pilot_draws: int
) -> CallDraws:
    """Uniform draws, of which each is kept with P(the calls ∣ deal)."""
    draws = CallDraws(auction, evidence, uniform=plan.table)
    log_weights = draws.log_weights(pilot_draws, np.random.default_rng(SEED))
    chance, error = mean_weight(log_weights, pilot_draws)
    return replace(draws, chance=chance, error=error, kept=chance)


def _draws_by_proposal(
    plan: ConditionTables,
    by_rejection: CallDraws,
    *,
    pilot_draws: int,
    most_fit_draws: int,
) -> CallDraws:
    """Draws of a density that is fitted to the calls, with a limit chosen by a pilot.

    Raises ``Contradiction`` where too few of them explain the calls.
    """
    evidence = by_rejection.evidence
    random = np.random.default_rng(SEED)
    proposal = _fitted_proposal(plan, evidence, most_fit_draws)
    draws = replace(by_rejection, proposal=proposal)
    wanted_cut = CUT
    if not evidence.separable:  # the model reads two hands at a time, and is slow
        draws = _with_guide_limit(draws, pilot_draws, random)
        share_passed = draws.kept
        pilot_draws = int(
            min(pilot_draws, GUIDED_PILOT) / max(share_passed, LEAST_PASSED)
        )
        wanted_cut = PAIR_CUT
    limit = _choose_limit(draws, pilot_draws, wanted_cut, random)
    return _with_limit(draws, limit)


def _with_limit(draws: CallDraws, limit: _Limit) -> CallDraws:
    """The same draws with a limit of their weights.

    The draws that it was tried on also tell P(auction) and the share that is kept.
    """
    # P(auction) is the mean weight over the number of deals, since a uniform draw has
    # the density 1 / deals. The weights are scaled to a largest one of 1: the error
    # counts a missed draw of weight 1.
    largest = float(limit.log_weights.max())
    mean, error = mean_weight(limit.log_weights - largest, limit.drawn)
    scale = math.exp(largest - math.log(draws.uniform.total))
    log_acceptance = np.minimum(limit.log_weights - limit.log_limit, 0.0)
    return replace(
        draws,
        log_limit=limit.log_limit,
        chance=mean * scale,
        error=error * scale,
        kept=mean_weight(log_acceptance, limit.drawn).mean,
        cut=limit.cut,
    )


def _fitted_proposal(
    plan: ConditionTables, evidence: SoftEvidence, most_fit_draws: int
) -> Proposal:
    """A density of deals that is fitted to the guide of the bidders' model.

    Its draws keep the known cards and the conditions that tables do exactly. At most
    ``most_fit_draws`` are made in the first step of the fit.
    """
    known = replace(plan.known, conditions=plan.exact)
    # What the conditions say plainly of lengths and points, so that the fit begins there.
    constraints = tightened(known, plan.exact)
    target = Target(constraints, evidence)
    fit = tilted(
        target.constraints,
        plan.table,
        target.guide_likelihood,
        evidence.seats,
        draws=FIT_DRAWS,
        rng=SEED,
        search=most_fit_draws,
    )
    return fit.proposal


def _with_guide_limit(
    draws: CallDraws, n: int, random: np.random.Generator
) -> CallDraws:
    """The same draws, of which a quick guide refuses most before the model is asked.

    Its limit is chosen on n draws; ``kept`` is the share of them that passes.
    """
    masks, log_density = draws.propose(n, random)
    log_weights = draws.evidence.of_layouts(masks, guide=True) - log_density
    log_guide_limit = limit_of(log_weights[log_weights > -np.inf], PAIR_CUT)
    chance_to_pass = np.exp(np.minimum(log_weights - log_guide_limit, 0.0))
    share_passed = float(chance_to_pass.sum()) / n
    return replace(draws, log_guide_limit=log_guide_limit, kept=share_passed)


class _Limit(NamedTuple):
    """A limit of the weights, and the draws that it was chosen and tried on."""

    log_limit: float
    cut: float
    """The share of the weights above it, by the draws that it was tried on."""
    log_weights: Floats
    """Log weights of all the draws, without those of weight 0."""
    drawn: int
    """How many were drawn, those of weight 0 among them."""


def _choose_limit(
    draws: CallDraws, n: int, wanted_cut: float, random: np.random.Generator
) -> _Limit:
    """Choose the limit of the weights on n draws, and try it on n fresh ones.

    It shall cut off a share ``wanted_cut`` of the weights. Where the fresh draws lose
    much more, the limit is chosen again on all draws so far and tried on as many anew.
    """
    log_weights = draws.log_weights(n, random)
    drawn = n
    log_limit = 0.0
    cut = 1.0
    for _ in range(LIMITS_TRIED):
        log_limit = limit_of(log_weights, wanted_cut)
        if Weights(log_weights).ess < LEAST_ESS:
            raise Contradiction("too few draws explain the calls", evidence=())
        fresh_draws = drawn
        fresh_log_weights = draws.log_weights(fresh_draws, random)
        cut = max(wanted_cut, _share_above(fresh_log_weights, log_limit))
        log_weights = np.concatenate([log_weights, fresh_log_weights])
        drawn += fresh_draws
        if cut <= MOST_TIMES_CUT * wanted_cut:
            break
    return _Limit(log_limit, cut, log_weights, drawn)


def _share_above(log_weights: Floats, log_limit: float) -> float:
    """The share of the weights that lies above a limit; all of it without weights."""
    if not len(log_weights):
        return 1.0
    largest = float(log_weights.max(initial=log_limit))
    weights = np.exp(log_weights - largest)
    limit = math.exp(log_limit - largest)
    return float(np.maximum(weights - limit, 0.0).sum() / weights.sum())
