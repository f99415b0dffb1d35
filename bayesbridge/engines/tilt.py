"""The engine ``importance``: sampling from a proposal fitted to soft evidence.

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


# A slow likelihood is evaluated on more and more draws; all as shares of those asked for.
ENOUGH_ESS: Final = 0.6  # the effective sample size that ends it
PROMISING_ESS: Final = 0.7  # what the next size should have
MOST_EVALUATED: Final = 3  # the largest size


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
        """Kish's effective sample size.

        It is 1 where some seat is unexplained, as equal weights then mean nothing.
        """
        return 1.0 if self.unexplained else self.weights.ess

    @property
    def warning(self) -> str:
        """What to do about a seat that no hand explains; empty where all are explained."""
        if not self.unexplained:
            return ""
        return (
            f"{self.evaluations} hands were tried and none explains "
            f"what seat {self.unexplained[0]} did: "
            "the weights say nothing; take more draws, or check the call"
        )

    def subsample(self, n: int, rng: Seed) -> Tilted:
        """About ``n`` of the draws, of nearly equal weight and still independent."""
        chance = np.random.default_rng(rng).random(len(self.layouts))
        thinned, _ = self._controlled(n, chance)
        return thinned

    def _controlled(self, n: int, chance: Floats) -> tuple[Tilted, NDArray[np.intp]]:
        """About ``n`` of the draws, and which these are.

        For a larger ``n`` with the same uniform numbers ``chance``, one for each draw,
        they are the same and more. A draw of weight w stays with probability min(1, w /
        c) and then weighs max(w, c): means keep their expectation (J. S. Liu, R. Chen
        and W. H. Wong, "Rejection control and sequential importance sampling", 1998).
        """
        all_draws = np.arange(len(self.layouts))
        if n >= len(all_draws):
            return self, all_draws
        relative = self.weights.W / self.weights.W.max()
        limit = _control_limit(relative, n)
        kept = np.flatnonzero(chance * limit < relative)
        if not len(kept):
            return self, all_draws
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
        """The same draws under another, slow log likelihood.

        More and more of them are evaluated, up to three times ``n``, until their ESS is
        0.6 ``n``.
        """
        chance = np.random.default_rng(rng).random(len(self.layouts))
        log_likelihood = np.full(len(self.layouts), np.nan)
        size = n
        while True:
            thinned, kept = self._controlled(size, chance)
            unknown = kept[np.isnan(log_likelihood[kept])]
            log_likelihood[unknown] = likelihood(self.layouts[unknown])
            reweighted = thinned.reweighted(log_likelihood[kept])
            enough = reweighted.ess >= ENOUGH_ESS * n
            if enough or size >= min(MOST_EVALUATED * n, len(self.layouts)):
                return reweighted
            promising = 1 + int(PROMISING_ESS * n * size / reweighted.ess)
            size = min(MOST_EVALUATED * n, promising)

    def reweighted(self, log_likelihood: Floats) -> Tilted:
        """The same draws under another (n,) log likelihood.

        Such as that of the two hands of a pair.
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


HALVINGS: Final = 50  # after them floats are settled


def _control_limit(relative: Floats, n: int) -> float:
    """The c at which about ``n`` draws stay, by bisection.

    ``relative``: (m,) weights of which the largest is 1.
    """
    low = 0.0
    high = max(1.0, float(relative.sum()) / n)
    for _ in range(HALVINGS):
        limit = (low + high) / 2
        if np.minimum(1.0, relative / limit).sum() > n:
            low = limit
        else:
            high = limit
    return high


PILOT_ROUNDS: Final = 5  # at most, in which the proposal is fitted
UNIFORM_DRAWS: Final = 1200  # of a pilot round: uniform draws are cheap
FITTED_DRAWS: Final = 250  # for each round so far: a poor fit needs more
GOOD: Final = 0.3  # ESS / draws of a round that ends the pilot
HARDLY_BETTER: Final = 1.15  # a share less than so many times that of before
POOR: Final = 0.05  # ESS / draws of a last round that becomes one more pilot round
LAST_ESS: Final = 0.8  # of the draws asked for, that the last round should have
LEAST_SHARE: Final = 1e-3  # ESS / draws that is expected of the last round at least


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
        """Rounds in which the proposal is fitted.

        The first is repeated with up to ``search`` draws while a seat is unexplained.
        """
        rounds: list[Round] = []
        caution = 1.0
        while self.seats and len(rounds) < PILOT_ROUNDS:
            n = FITTED_DRAWS * (1 + len(rounds))
            if proposal.uniform:
                n = UNIFORM_DRAWS
            latest = self.run(proposal, n)
            while not rounds and latest.unexplained(self.seats):
                if latest.drawn >= search:
                    break
                latest = self.run(proposal, min(4 * latest.drawn, search))
            rounds.append(latest)
            best = _best_round(rounds)
            if _settled(rounds):
                break
            caution /= 2
            if best is latest:
                caution = 1.0
            further = [round_ for round_ in rounds if round_ is not best]
            proposal = refit(best, further, self.seats, caution)
        return rounds

    def last(self, rounds: list[Round], proposal: Proposal, draws: int) -> Round:
        """The round that is reported."""
        if rounds:
            proposal = _best_round(rounds).proposal
        return self.run(proposal, draws)

    def improved(
        self, last: Round, rounds: list[Round], requested: int, most: int
    ) -> Round:
        """The last round, or a better one while its ESS is small.

        That is a round of a proposal refitted to it, or more draws of the same. A round
        that is replaced joins ``rounds``.
        """
        better = last
        while better.share * better.drawn < POOR * requested:
            if len(rounds) >= PILOT_ROUNDS + 2:
                break
            proposal = refit(better, rounds, self.seats, 1.0)
            rounds.append(better)
            better = self.run(proposal, most)
        while better.share * better.drawn < FAIR * requested:
            if better.drawn >= 4 * most:
                break
            added = min(2 * better.drawn, 4 * most - better.drawn)
            better = better.continued(self.run(better.proposal, added))
        return better


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
    """Weighted layouts for soft evidence, from a proposal fitted to it.

    Parameters
    ----------
    constraints
        The hard evidence.
    sampler
        Uniform draws under the hard evidence.
    likelihood
        The log likelihoods of (n,) hands of one seat.
    seats
        Those that the soft evidence speaks of.
    draws
        How many layouts to draw in the last round, dead ones included.
    rng
        A seed, or anything ``numpy.random.default_rng`` takes.
    start
        The proposal of an earlier question, with less evidence say.
    search
        Layouts drawn at most in the first round.
    most
        Layouts drawn at most where ``draws`` would have an ESS of less than 0.8
        ``draws``, judged by the rounds before.
    """
    normal = constraints.normalised()
    hidden = tuple(seat for seat in normal.hidden if seat in seats)
    sampling = Sampling(likelihood, hidden, np.random.default_rng(rng))
    log_certain = 0.0
    for seat in seats:
        if seat not in hidden:
            hand = np.array([normal.must[seat]], dtype=np.uint64)
            log_certain += float(likelihood(seat, hand)[0])
    proposal = _first_proposal(normal, sampler, start)
    rounds = sampling.pilot(proposal, search)
    last_draws = draws
    if rounds:
        share = max(_best_round(rounds).share, LEAST_SHARE)
        last_draws = max(draws, min(most, int(LAST_ESS * draws / share)))
    last_round = sampling.last(rounds, proposal, last_draws)
    if hidden and most:
        last_round = sampling.improved(last_round, rounds, draws, most)
    return _tilted([*rounds, last_round], hidden, log_certain)


def _first_proposal(
    constraints: Constraints, sampler: Uniform, start: Proposal | None
) -> Proposal:
    """The uniform proposal, or that of an earlier question made to fit the constraints."""
    hidden = set(constraints.hidden)
    if start is not None and set(start.order) == hidden and not start.uniform:
        return replace(start, known=constraints, sampler=sampler)
    no_tilts = (Tilt.none(),) * 4
    return Proposal(constraints, sampler, constraints.hidden, no_tilts, spread=1.0)


def _best_round(rounds: Sequence[Round]) -> Round:
    return max(rounds, key=lambda round_: (round_.degree, round_.share))


def _tilted(
    rounds: Sequence[Round], seats: Sequence[int], log_certain: float
) -> Tilted:
    """What the last of the rounds says.

    ``log_certain``: the log likelihood of the hands that are known.
    """
    reported = rounds[-1]
    weights = Weights(reported.log_weights)
    unexplained = set(seats)
    for round_ in rounds:
        unexplained &= set(round_.unexplained(seats))
    log_marginal = (
        weights.log_mean
        + math.log(len(weights) / reported.drawn)
        - math.log(reported.proposal.sampler.total)
        + log_certain
    )
    return Tilted(
        reported.layouts,
        weights,
        reported.log_likelihood + log_certain,
        log_marginal,
        weights.log_mean_error(reported.drawn),
        reported.drawn,
        reported.proposal,
        sum(len(round_.layouts) for round_ in rounds),
        tuple(round_.degree for round_ in rounds),
        tuple(seat for seat in seats if seat in unexplained),
    )


def _settled(rounds: Sequence[Round]) -> bool:
    """Whether another round would gain little.

    The last one is good, or fair and hardly better than before.
    """
    latest = rounds[-1]
    if latest.degree < 1.0:
        return False
    if latest.share >= GOOD:
        return True
    shares_before = [round_.share for round_ in rounds[:-1] if round_.degree == 1.0]
    best_before = max(shares_before, default=0.0)
    fair = max(latest.share, best_before) >= FAIR
    return len(rounds) > 2 and fair and latest.share < HARDLY_BETTER * best_before


def tilted_draws(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    start: Proposal | None = None,
) -> Draws:
    """Run the engine: by levels where a caller has them, else by shapes.

    Shapes and points predict levels badly.
    """
    proposal = LevelProposal.of(target)
    if proposal is None:
        weighted = _by_shapes(target, draws, rng, start)
    else:
        weighted = _by_levels(target, proposal, draws, rng)
    return replace(weighted, reasons=(why, *weighted.reasons))


MOST_LEVEL_DRAWS: Final = 500_000  # by tables of levels
LEVEL_BATCH: Final = 100_000  # so many at a time after the first
ENOUGH_OF_LEVELS: Final = 0.1  # ESS / draws asked for


def _by_levels(
    target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator
) -> Draws:
    """Draws by exact tables of the callers' levels."""
    masks, likelihood, log_weights = _level_draws(target, proposal, draws, rng)
    if not ess_of(log_weights):
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


def _level_draws(
    target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator
) -> tuple[Masks, Floats, Floats]:
    """At least ``draws`` layouts, up to half a million while their ESS is small.

    Returns (n, 4) layouts, (n,) log likelihoods and (n,) log weights.
    """
    masks = np.empty((0, 4), dtype=np.uint64)
    likelihood = np.empty(0)
    log_weights = np.empty(0)
    batch = draws
    while True:
        batch_masks = proposal.tables.draw(batch, rng)
        batch_likelihood = target.log_likelihood(batch_masks)
        batch_log_weights = batch_likelihood - proposal.log_weights(batch_masks)
        masks = np.concatenate([masks, batch_masks])
        likelihood = np.concatenate([likelihood, batch_likelihood])
        log_weights = np.concatenate([log_weights, batch_log_weights])
        enough = ess_of(log_weights) >= ENOUGH_OF_LEVELS * draws
        if enough or len(masks) >= max(draws, MOST_LEVEL_DRAWS):
            return masks, likelihood, log_weights
        batch = LEVEL_BATCH


def _by_shapes(
    target: Target, draws: int, rng: np.random.Generator, start: Proposal | None
) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    constraints = target.constraints
    if constraints.conditions:
        constraints = tightened(constraints, target.plan.exact)
    requested = draws
    if not target.soft.separable:
        requested = max(3 * draws // 2, min(2500, 5 * draws // 2))
    try:
        drawn = tilted(
            constraints,
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
    """About so many of the draws, weighted by all soft evidence.

    Proposals are fitted seat by seat, and by a quicker model where there is one.
    """
    if target.soft.separable:
        return drawn.subsample(draws, rng)
    guided = drawn.reweighted(target.soft.of_layouts(drawn.layouts, guide=True))
    return guided.weighted(target.soft.of_layouts, draws, rng)
