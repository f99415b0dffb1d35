"""The engine ``importance``: importance sampling from a proposal that is fitted to the
soft evidence.

For bidders by levels the proposal is an exact table of these
(:mod:`~bayesbridge.engines.levels`). For any other model it is a product of tilts, one
for each seat (:mod:`~bayesbridge.engines.proposal`), found by adaptive importance
sampling: draw from the proposal so far (at first the uniform one), evaluate the model,
fit the tilts to its log likelihoods (:mod:`~bayesbridge.engines.tilt_fit`), draw again
(:mod:`~bayesbridge.engines.rounds`). Only the last round is reported, with weights L /
q. No choice depended on its draws, so the mean weight is an unbiased estimate of
P(evidence). (With ``most``, a last round of small effective sample size (ESS) becomes
one more pilot round or is continued: these choices do depend on its draws.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.conditions import tightened
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.levels import LevelProposal
from bayesbridge.engines.proposal import Proposal, Tilt, Uniform
from bayesbridge.engines.rounds import Round, SeatLikelihood, ess_of, refit, run_round
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.runtime.random64 import Seed

FAIR: Final = 0.2
"""ESS / draws of a round that is enough if the round before had about as much."""

SEARCH: Final = 100_000
"""Layouts drawn at most in the first round, as long as a seat's likelihood does not
change from hand to hand.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Tilted:
    """Weighted independent draws, without dead ones."""

    layouts: Masks
    weights: Weights
    log_likelihood: Floats
    log_marginal: float  #: log P(soft evidence ∣ hard evidence).
    log_marginal_error: float  #: One standard error of it.
    drawn: int  #: Draws of the last round, dead ones included.
    proposal: Proposal
    evaluations: int  #: Layouts whose likelihood was evaluated, in all rounds.
    degrees: tuple[float, ...]
    """The tempering exponents φ of all rounds; the last is 1 if all went well."""
    unexplained: tuple[int, ...]
    """Seats whose likelihood was the same small number for every hand: none that
    explains it was found.
    """

    @property
    def ess(self) -> float:
        """Kish's effective sample size; 1 where some seat is unexplained, as equal
        weights then mean nothing.
        """
        return 1.0 if self.unexplained else self.weights.ess

    @property
    def warning(self) -> str:
        if not self.unexplained:
            return ""
        return (
            f"{self.evaluations} hands were tried and none explains what seat {self.unexplained[0]} did: "
            "the weights say nothing; take more draws, or check the call"
        )

    def subsample(self, n: int, rng: Seed) -> Tilted:
        """About ``n`` of the draws, of nearly equal weight and still independent."""
        chance = np.random.default_rng(rng).random(len(self.layouts))
        thinned, _ = self._controlled(n, chance)
        return thinned

    def _controlled(self, n: int, chance: Floats) -> tuple[Tilted, NDArray[np.intp]]:
        """About ``n`` of the draws, and which these are; for a larger ``n`` with the
        same (n,) uniform numbers the same and more.

        A draw of weight w stays with probability min(1, w / c) and then weighs max(w,
        c): means keep their expectation (J. S. Liu, R. Chen and W. H. Wong, "Rejection
        control and sequential importance sampling", 1998).
        """
        everything = np.arange(len(self.layouts))
        if n >= len(everything):
            return self, everything
        relative = self.weights.W / self.weights.W.max()
        limit = _control_limit(relative, n)
        kept = np.flatnonzero(chance * limit < relative)
        if not len(kept):
            return self, everything
        thinned = replace(
            self,
            layouts=self.layouts[kept],
            weights=Weights(np.log(np.maximum(relative[kept], limit))),
            log_likelihood=self.log_likelihood[kept],
        )
        return thinned, kept

    def weighted(
        self, likelihood: Callable[[Masks], Floats], n: int, rng: Seed
    ) -> Tilted:
        """The same draws under another, slow log likelihood: up to three times ``n``,
        until their ESS is 0.6 ``n``.
        """
        chance = np.random.default_rng(rng).random(len(self.layouts))
        log_likelihood = np.full(len(self.layouts), np.nan)
        size = n
        while True:
            thinned, kept = self._controlled(size, chance)
            unknown = kept[np.isnan(log_likelihood[kept])]
            log_likelihood[unknown] = likelihood(self.layouts[unknown])
            reweighted = thinned.reweighted(log_likelihood[kept])
            enough = reweighted.ess >= 0.6 * n
            if enough or size >= min(3 * n, len(self.layouts)):
                return reweighted
            size = min(3 * n, 1 + int(0.7 * n * size / reweighted.ess))

    def reweighted(self, log_likelihood: Floats) -> Tilted:
        """The same draws under another log likelihood (n,), such as that of the two
        hands of a pair.
        """
        log_ratio = log_likelihood - self.log_likelihood
        before = self.weights.W
        weights = Weights(np.log(before) + log_ratio)
        mean = float(before @ np.exp(log_ratio))
        error = float(np.sqrt((before**2) @ (np.exp(log_ratio) / mean - 1.0) ** 2))
        return replace(
            self,
            weights=weights,
            log_likelihood=log_likelihood,
            log_marginal=self.log_marginal + math.log(mean),
            log_marginal_error=math.hypot(self.log_marginal_error, error),
        )


def _control_limit(relative: Floats, n: int) -> float:
    """The c at which about ``n`` draws stay, by bisection; ``relative``: (m,) weights
    of which the largest is 1.
    """
    low = 0.0
    high = max(1.0, float(relative.sum()) / n)
    for _ in range(50):
        limit = (low + high) / 2
        if np.minimum(1.0, relative / limit).sum() > n:
            low = limit
        else:
            high = limit
    return high


PILOT_ROUNDS: Final = 5
UNIFORM_DRAWS: Final = 1200  # of a pilot round: uniform draws are cheap
FITTED_DRAWS: Final = 250  # for each round so far: a poor fit needs more
GOOD: Final = 0.3  # ESS / draws of a round that ends the pilot
POOR: Final = 0.05  # ESS / draws of a last round that becomes one more pilot round
LAST_ESS: Final = 0.8  # of the draws asked for, that the last round should have


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """Adaptive importance sampling for soft evidence about the hidden ``seats``."""

    likelihood: SeatLikelihood
    seats: tuple[int, ...]
    generator: np.random.Generator

    def run(self, proposal: Proposal, n: int) -> Round:
        """A round of ``n`` draws."""
        return run_round(proposal, self.likelihood, self.seats, n, self.generator)

    def pilot(self, proposal: Proposal, search: int) -> list[Round]:
        """Rounds in which the proposal is fitted; the first is repeated with up to
        ``search`` draws while a seat is unexplained.
        """
        rounds: list[Round] = []
        caution = 1.0
        while self.seats and len(rounds) < PILOT_ROUNDS:
            fitted_draws = FITTED_DRAWS * (1 + len(rounds))
            n = UNIFORM_DRAWS if proposal.uniform else fitted_draws
            latest = self.run(proposal, n)
            while not rounds and latest.unexplained(self.seats):
                if latest.drawn >= search:
                    break
                latest = self.run(proposal, min(4 * latest.drawn, search))
            rounds.append(latest)
            best = _best_round(rounds)
            if _settled(rounds):
                break
            caution = 1.0 if best is latest else caution / 2
            others = [other for other in rounds if other is not best]
            proposal = refit(best, others, self.seats, caution)
        return rounds

    def last(self, rounds: list[Round], proposal: Proposal, draws: int) -> Round:
        """The round that is reported."""
        if rounds:
            proposal = _best_round(rounds).proposal
        return self.run(proposal, draws)

    def improved(
        self, last: Round, rounds: list[Round], requested: int, most: int
    ) -> Round:
        """The last round, or, while its ESS is small, one of a proposal refitted to it,
        or more draws of the same; a round that is replaced joins ``rounds``.
        """
        while last.share * last.drawn < POOR * requested:
            if len(rounds) >= PILOT_ROUNDS + 2:
                break
            proposal = refit(last, rounds, self.seats, 1.0)
            rounds.append(last)
            last = self.run(proposal, most)
        while last.share * last.drawn < FAIR * requested and last.drawn < 4 * most:
            added = min(2 * last.drawn, 4 * most - last.drawn)
            last = last.continued(self.run(last.proposal, added))
        return last


def tilted(
    constraints: Constraints,
    sampler: Uniform,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    *,
    draws: int,
    rng: Seed,
    start: Proposal | None = None,
    search: int = SEARCH,
    most: int = 0,
) -> Tilted:
    """``draws`` weighted layouts for soft evidence about ``seats``, from a proposal
    fitted to it.

    Up to ``most`` where that is more: as many as should have an ESS of 0.8 ``draws``,
    judged by the rounds before. ``start`` is the proposal of an earlier question, with
    less evidence say.
    """
    known = constraints.normalised()
    hidden = tuple(seat for seat in known.hidden if seat in seats)
    sampling = Sampling(likelihood, hidden, np.random.default_rng(rng))
    certain = 0.0
    for seat in seats:
        if seat not in hidden:
            hand = np.array([known.must[seat]], dtype=np.uint64)
            certain += float(likelihood(seat, hand)[0])
    proposal = _first_proposal(known, sampler, start)
    rounds = sampling.pilot(proposal, search)
    last_draws = draws
    if rounds:
        share = max(_best_round(rounds).share, 1e-3)
        last_draws = max(draws, min(most, int(LAST_ESS * draws / share)))
    last = sampling.last(rounds, proposal, last_draws)
    if hidden and most:
        last = sampling.improved(last, rounds, draws, most)
    return _tilted([*rounds, last], hidden, certain)


def _first_proposal(
    known: Constraints, sampler: Uniform, start: Proposal | None
) -> Proposal:
    """The uniform proposal, or that of an earlier question made to fit the hard
    evidence of today.
    """
    hidden = set(known.hidden)
    if start is not None and set(start.order) == hidden and not start.uniform:
        return replace(start, known=known, sampler=sampler)
    return Proposal(known, sampler, known.hidden, (Tilt.none(),) * 4, spread=1.0)


def _best_round(rounds: Sequence[Round]) -> Round:
    return max(rounds, key=lambda each: (each.degree, each.share))


def _tilted(rounds: Sequence[Round], seats: Sequence[int], certain: float) -> Tilted:
    """What the last of the rounds says; ``certain``: the log likelihood of the hands
    that are known.
    """
    last = rounds[-1]
    weights = Weights(last.log_weights)
    unexplained = [
        seat
        for seat in seats
        if all(seat in each.unexplained(seats) for each in rounds)
    ]
    log_marginal = (
        weights.log_mean
        + math.log(len(weights) / last.drawn)
        - math.log(last.proposal.sampler.total)
        + certain
    )
    return Tilted(
        last.layouts,
        weights,
        last.log_likelihood + certain,
        log_marginal,
        weights.log_mean_error(last.drawn),
        last.drawn,
        last.proposal,
        sum(len(each.layouts) for each in rounds),
        tuple(each.degree for each in rounds),
        tuple(unexplained),
    )


def _settled(rounds: Sequence[Round]) -> bool:
    """Whether another round would gain little: the last one is good, or fair and hardly
    better than before.
    """
    last = rounds[-1]
    if last.degree < 1.0:
        return False
    if last.share >= GOOD:
        return True
    earlier = [each.share for each in rounds[:-1] if each.degree == 1.0]
    before = max(earlier, default=0.0)
    fair = max(last.share, before) >= FAIR
    return len(rounds) > 2 and fair and last.share < 1.15 * before


def tilted_draws(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    start: Proposal | None = None,
) -> Draws:
    """Run the engine: by levels where a caller has them, since shapes and points
    predict levels badly.
    """
    proposal = LevelProposal.of(target)
    if proposal is None:
        weighted = _by_shapes(target, draws, rng, start)
    else:
        weighted = _by_levels(target, proposal, draws, rng)
    return replace(weighted, reasons=(why, *weighted.reasons))


MOST_LEVEL_DRAWS: Final = 500_000
LEVEL_BATCH: Final = 100_000


def _by_levels(
    target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator
) -> Draws:
    """Draws by exact tables of the callers' levels, up to half a million while their
    ESS is small.
    """
    masks = np.empty((0, 4), dtype=np.uint64)
    likelihood = np.empty(0)
    log_weights = np.empty(0)
    batch = draws
    while True:
        added = proposal.tables.draw(batch, rng)
        added_likelihood = target.log_likelihood(added)
        added_weights = added_likelihood - proposal.log_weights(added)
        masks = np.concatenate([masks, added])
        likelihood = np.concatenate([likelihood, added_likelihood])
        log_weights = np.concatenate([log_weights, added_weights])
        ess = ess_of(log_weights)
        if ess >= 0.1 * draws or len(masks) >= max(draws, MOST_LEVEL_DRAWS):
            break
        batch = LEVEL_BATCH
    if not ess:
        raise target.unexplained(len(masks))
    weights = Weights(log_weights)
    log_marginal = proposal.tables.log_mean + weights.log_mean
    return Draws(
        target,
        "importance",
        (
            f"{len(masks)} draws by exact tables of levels, "
            f"effective sample size {weights.ess:.0f}",
            "levels reads the same tables: likelihood-weighting, with many draws, "
            "is the check that does not",
        ),
        masks,
        importance=weights,
        likelihood=likelihood,
        log_marginal=log_marginal + target.log_share(target.support_size),
        log_marginal_error=weights.log_mean_error(),
        ess=weights.ess,
    )


def _by_shapes(
    target: Target, draws: int, rng: np.random.Generator, start: Proposal | None
) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    known = target.constraints
    if known.conditions:
        known = tightened(known, target.plan.exact)
    requested = draws
    if not target.soft.separable:
        requested = max(3 * draws // 2, min(2500, 5 * draws // 2))
    try:
        drawn = tilted(
            known,
            target.uniform,
            target.guide_likelihood,
            target.soft.seats,
            draws=requested,
            most=max(2 * draws, min(5000, 5 * draws)),  # cheap, up to some thousands
            rng=rng,
            search=min(SEARCH, target.cost.most_layouts // 10),
            start=start,
        )
    except Contradiction as error:
        raise target.unexplained(error.data["draws"]) from None
    thinned = _thinned(target, drawn, draws, rng)
    how_thinned = (
        f"thinned to {len(thinned.layouts)}, effective sample size {thinned.ess:.0f}"
    )
    return Draws(
        target,
        "importance",
        (f"{drawn.drawn} draws from a fitted proposal, {how_thinned}",),
        thinned.layouts,
        importance=thinned.weights,
        proposed=drawn.weights,
        likelihood=thinned.log_likelihood,
        log_marginal=thinned.log_marginal + target.log_share(target.uniform.total),
        log_marginal_error=thinned.log_marginal_error,
        ess=thinned.ess,
        caveat=thinned.warning,
        proposal=thinned.proposal,
    )


def _thinned(
    target: Target, drawn: Tilted, draws: int, rng: np.random.Generator
) -> Tilted:
    """About so many of the draws, weighted by all soft evidence: proposals are fitted
    seat by seat, and by a quicker model where there is one.
    """
    if target.soft.separable:
        return drawn.subsample(draws, rng)
    guided = drawn.reweighted(target.soft.of_layouts(drawn.layouts, guide=True))
    return guided.weighted(target.soft.of_layouts, draws, rng)
