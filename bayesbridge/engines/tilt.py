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
        uniform = np.random.default_rng(rng).random(len(self.layouts))
        thinned, _ = self._rejection_controlled(n, uniform)
        return thinned

    def _rejection_controlled(
        self, n: int, uniform: Floats
    ) -> tuple[Tilted, NDArray[np.intp]]:
        """About ``n`` of the draws by rejection control, and the places of these.

        A draw of weight w stays with probability min(1, w / c) and then weighs max(w,
        c), so that means keep their expectation; c is such that ``n`` are expected to
        stay (J. S. Liu, R. Chen and W. H. Wong, "Rejection control and sequential
        importance sampling", 1998). ``uniform``: a uniform number for each draw, which
        decides whether it stays. With the same numbers a larger ``n`` keeps the same
        draws and more.
        """
        all_draws = np.arange(len(self.layouts))
        if n >= len(all_draws):
            return self, all_draws
        relative_weights = self.weights.W / self.weights.W.max()
        limit = _rejection_limit(relative_weights, n)  # c
        stay = np.flatnonzero(uniform * limit < relative_weights)
        if not len(stay):
            return self, all_draws
        new_weights = np.maximum(relative_weights[stay], limit)
        thinned = replace(
            self,
            layouts=self.layouts[stay],
            weights=Weights(np.log(new_weights)),
            log_likelihood=self.log_likelihood[stay],
        )
        return thinned, stay

    def weighted(
        self, likelihood: Callable[[Masks], Floats], n: int, rng: Seed
    ) -> Tilted:
        """About ``n`` of the draws, weighted by another, slow log likelihood.

        It is evaluated on a thinned sample only, which has nearly equal weights. The
        sample grows, to three times ``n`` at most, until the effective sample size
        (ESS) under the slow likelihood is 0.6 ``n``. Each sample contains the one
        before, so that no draw is evaluated twice.
        """
        uniform = np.random.default_rng(rng).random(len(self.layouts))
        log_likelihood = np.full(len(self.layouts), np.nan)  # where it was evaluated
        most = min(MOST_EVALUATED * n, len(self.layouts))
        size = n
        while True:
            sample, places = self._rejection_controlled(size, uniform)
            unknown = places[np.isnan(log_likelihood[places])]
            log_likelihood[unknown] = likelihood(self.layouts[unknown])
            reweighted = sample.reweighted(log_likelihood[places])
            if reweighted.ess >= ENOUGH_ESS * n or size >= most:
                return reweighted
            # The ESS grows about as the size does.
            promising = 1 + int(PROMISING_ESS * n * size / reweighted.ess)
            size = min(MOST_EVALUATED * n, promising)

    def reweighted(self, log_likelihood: Floats) -> Tilted:
        """The same draws weighted by another (n,) log likelihood.

        Such as that of the two hands of a pair. The weights gain the ratio of the two
        likelihoods, whose mean is by how much P(evidence) changes; the error of the
        mean is that of a weighted mean, √(Σ W² (ratio / mean − 1)²).
        """
        log_ratio = log_likelihood - self.log_likelihood
        old_weights = self.weights.W  # they sum to one
        mean_ratio = float(old_weights @ np.exp(log_ratio))
        deviations = np.exp(log_ratio) / mean_ratio - 1.0
        error = float(np.sqrt((old_weights**2) @ deviations**2))
        return replace(
            self,
            weights=Weights(np.log(old_weights) + log_ratio),
            log_likelihood=log_likelihood,
            log_marginal=self.log_marginal + math.log(mean_ratio),
            log_marginal_error=math.hypot(self.log_marginal_error, error),
        )


HALVINGS: Final = 50  # after them floats are settled


def _rejection_limit(relative_weights: Floats, n: int) -> float:
    """The limit c of rejection control at which ``n`` draws are expected to stay.

    A draw of weight w stays with probability min(1, w / c): the larger c, the fewer. It
    is found by bisection. ``relative_weights``: (m,), the largest is 1.
    """
    low = 0.0
    high = max(1.0, float(relative_weights.sum()) / n)
    for _ in range(HALVINGS):
        limit = (low + high) / 2
        expected_to_stay = np.minimum(1.0, relative_weights / limit).sum()
        if expected_to_stay > n:
            low = limit
        else:
            high = limit
    return high


PILOT_ROUNDS: Final = 5  # at most, in which the proposal is fitted
UNIFORM_DRAWS: Final = 1200  # of a pilot round: uniform draws are cheap
FITTED_DRAWS: Final = 250  # for each round so far: a poor fit needs more
GOOD: Final = 0.3  # ESS / draws of a round that ends the pilot
HARDLY_BETTER: Final = 1.15  # a share less than so many times that of before
SEARCH_GROWTH: Final = (
    4  # how many times more draws look for a hand that explains a call
)
FULL_STEP: Final = 1.0  # of a refit; a smaller one tempers the target more
MOST_EXTENSIONS: Final = 4  # times ``most``, the largest last round
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
        """Rounds of importance sampling in which the proposal is fitted.

        Each round's draws show where the likelihood is high, and the next proposal is
        fitted to the best round so far. Where that is not the latest one the last step
        was too long, and the next is halved. ``search``: how many draws the first round
        may have where the calls of a seat have the same likelihood for all hands so
        far, as none that explains them was drawn.
        """
        rounds: list[Round] = []
        step_size = FULL_STEP
        while self.seats and len(rounds) < PILOT_ROUNDS:
            if rounds:
                latest = self.run(proposal, self._pilot_draws(proposal, len(rounds)))
            else:
                latest = self._first_round(proposal, search)
            rounds.append(latest)
            best = _best_round(rounds)
            if _settled(rounds):
                break
            step_size = FULL_STEP if best is latest else step_size / 2
            further = [round_ for round_ in rounds if round_ is not best]
            proposal = refit(best, further, self.seats, step_size)
        return rounds

    def _pilot_draws(self, proposal: Proposal, rounds_before: int) -> int:
        """How many draws a pilot round has."""
        if proposal.uniform:
            return UNIFORM_DRAWS
        return FITTED_DRAWS * (1 + rounds_before)

    def _first_round(self, proposal: Proposal, search: int) -> Round:
        """A round of more and more draws while no hand explains what some seat did."""
        first_round = self.run(proposal, self._pilot_draws(proposal, 0))
        while first_round.unexplained(self.seats) and first_round.drawn < search:
            first_round = self.run(
                proposal, min(SEARCH_GROWTH * first_round.drawn, search)
            )
        return first_round

    def last(self, rounds: list[Round], proposal: Proposal, draws: int) -> Round:
        """The round that is reported."""
        if rounds:
            proposal = _best_round(rounds).proposal
        return self.run(proposal, draws)

    def improved(
        self, last_round: Round, rounds: list[Round], requested: int, most: int
    ) -> Round:
        """The last round, or a better one while its effective sample size is small.

        First new rounds, of ``most`` draws each, from a proposal refitted to the round
        before, which joins ``rounds``; then more draws of the same proposal, up to four
        times ``most``. ``requested``: draws asked for, of which the ESS should be a
        fair share.
        """
        better = last_round
        while better.share * better.drawn < POOR * requested:
            if len(rounds) >= PILOT_ROUNDS + 2:
                break
            proposal = refit(better, rounds, self.seats, FULL_STEP)
            rounds.append(better)
            better = self.run(proposal, most)
        most_drawn = MOST_EXTENSIONS * most
        while better.share * better.drawn < FAIR * requested:
            if better.drawn >= most_drawn:
                break
            added = min(2 * better.drawn, most_drawn - better.drawn)
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
    log_certain = 0.0  # of the hands that are known
    for seat in seats:
        if seat not in hidden:
            log_certain += _log_likelihood_of_hand(likelihood, seat, normal.must[seat])
    proposal = _first_proposal(normal, sampler, start)
    rounds = sampling.pilot(proposal, search)
    last_draws = draws
    if rounds:
        # As many as give the ESS wanted, if its share stays that of the best round.
        expected_share = max(_best_round(rounds).share, LEAST_SHARE)
        for_wanted_ess = int(LAST_ESS * draws / expected_share)
        last_draws = max(draws, min(most, for_wanted_ess))
    last_round = sampling.last(rounds, proposal, last_draws)
    if hidden and most:
        last_round = sampling.improved(last_round, rounds, draws, most)
    return _reported([*rounds, last_round], hidden, log_certain)


def _log_likelihood_of_hand(likelihood: SeatLikelihood, seat: int, hand: int) -> float:
    """The log likelihood of a seat's hand that is known, a mask."""
    hands = np.array([hand], dtype=np.uint64)
    return float(likelihood(seat, hands)[0])


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
    """The round nearest to the target: its weights need the least tempering.

    Of rounds that need none it is that of the largest effective sample size by draws.
    """
    return max(rounds, key=lambda round_: (round_.degree, round_.share))


def _reported(
    rounds: Sequence[Round], seats: Sequence[int], log_certain: float
) -> Tilted:
    """The weighted draws of the last round, with diagnostics of all rounds.

    ``seats`` are those whose hidden hands were weighed; ``log_certain`` is the log
    likelihood of the hands that are known. P(soft evidence ∣ hard evidence) is the mean
    of likelihood / (layouts · q) over all draws, dead ones included as 0.
    """
    last_round = rounds[-1]
    weights = Weights(last_round.log_weights)
    unexplained = set(seats)
    for round_ in rounds:
        unexplained &= set(round_.unexplained(seats))
    log_share_live = math.log(len(weights) / last_round.drawn)
    log_layouts = math.log(last_round.proposal.sampler.total)
    log_mean_ratio = weights.log_mean + log_share_live - log_layouts
    return Tilted(
        layouts=last_round.layouts,
        weights=weights,
        log_likelihood=last_round.log_likelihood + log_certain,
        log_marginal=log_mean_ratio + log_certain,
        log_marginal_error=weights.log_mean_error(last_round.drawn),
        drawn=last_round.drawn,
        proposal=last_round.proposal,
        evaluations=sum(len(round_.layouts) for round_ in rounds),
        degrees=tuple(round_.degree for round_ in rounds),
        unexplained=tuple(seat for seat in seats if seat in unexplained),
    )


def _settled(rounds: Sequence[Round]) -> bool:
    """Whether another pilot round would gain little.

    The last one needs no tempering (``degree`` 1), and its effective sample size is a
    good share of its draws, or a fair one that is hardly better than before.
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
    """Weighted layouts from a proposal that follows the soft evidence.

    For bidders by levels the proposal is an exact table of the levels of the calls. For
    others it is fitted to lengths, honours and points of hands, which would predict
    levels badly. ``why`` says why this engine answers; ``start`` is the proposal of an
    earlier question, to fit from.
    """
    level_proposal = LevelProposal.of(target)
    if level_proposal is None:
        weighted = _by_shapes(target, draws, rng, start)
    else:
        weighted = _by_levels(target, level_proposal, draws, rng)
    return replace(weighted, reasons=(why, *weighted.reasons))


MOST_LEVEL_DRAWS: Final = 500_000  # by tables of levels
LEVEL_BATCH: Final = 100_000  # so many at a time after the first
ENOUGH_OF_LEVELS: Final = 0.1  # ESS / draws asked for


def _by_levels(
    target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator
) -> Draws:
    """Weighted draws from exact tables of the levels that hidden hands bid.

    ``target.log_share`` makes the mean over the layouts of the tables one over those
    that fit all hard evidence.
    """
    masks, likelihood, log_weights = _level_draws(target, proposal, draws, rng)
    if not ess_of(log_weights):
        raise target.unexplained(len(masks))
    weights = Weights(log_weights)
    how_drawn = (
        f"{len(masks)} draws by exact tables of levels, "
        f"effective sample size {weights.ess:.0f}"
    )
    how_to_check = (
        "levels reads the same tables: likelihood-weighting, with many draws, "
        "is the check that does not"
    )
    log_mean = proposal.tables.log_mean + weights.log_mean
    return Draws(
        target=target,
        method="importance",
        reasons=(how_drawn, how_to_check),
        source=masks,
        importance=weights,
        likelihood=likelihood,
        log_marginal=log_mean + target.log_share(target.support_size),
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


def _with_margin(draws: int, *, share: float, few_share: float, few: int) -> int:
    """``share`` times so many draws, or ``few_share`` times while that is few."""
    return max(int(share * draws), min(few, int(few_share * draws)))


SEARCH_PART: Final = 10  # a search may take a tenth of the layouts that a walk may


def _by_shapes(
    target: Target, draws: int, rng: np.random.Generator, start: Proposal | None
) -> Draws:
    """Weighted draws from a proposal fitted to lengths, honours and points of hands.

    It is fitted to what the evidence says of one hand each. More layouts than asked for
    are drawn and thinned; more still where the evidence is about two hands together,
    which weighs the draws afterwards. ``start``: a proposal to fit from.
    """
    constraints = target.constraints
    if constraints.conditions:
        constraints = tightened(constraints, target.plan.exact)
    requested = draws
    if not target.soft.separable:
        requested = _with_margin(draws, share=1.5, few_share=2.5, few=2500)
    # Draws are cheap, up to some thousands.
    most = _with_margin(draws, share=2, few_share=5, few=5000)
    try:
        drawn = tilted(
            constraints,
            target.uniform,
            target.guide_likelihood,
            target.soft.seats,
            draws=requested,
            most=most,
            rng=rng,
            search=min(SEARCH, target.cost.most_layouts // SEARCH_PART),
            start=start,
        )
    except Contradiction as error:
        raise target.unexplained(error.data["draws"]) from None
    thinned = _thinned(target, drawn, draws, rng)
    how_drawn = (
        f"{drawn.drawn} draws from a fitted proposal, thinned to "
        f"{len(thinned.layouts)}, effective sample size {thinned.ess:.0f}"
    )
    return Draws(
        target=target,
        method="importance",
        reasons=(how_drawn,),
        source=thinned.layouts,
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
