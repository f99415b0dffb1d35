"""The engine ``importance``: importance sampling from a proposal that is fitted to the
soft evidence.

For bidders by levels the proposal is an exact table of these
(:mod:`~bayesbridge.engines.levels`). For any other model it is a product of tilts, one
for each seat (:mod:`~bayesbridge.engines.proposal`), found by adaptive importance
sampling: draw from the proposal so far (at first the uniform one), evaluate the model,
fit the tilts to its log likelihoods, draw again. Only the last round is reported, with
weights L / q. No choice depended on its draws, so the mean weight is an unbiased
estimate of P(evidence). (With ``most``, a last round of small effective sample size
(ESS) becomes one more pilot round or is continued: these choices do depend on its
draws.)

**Fit.** The logarithm of a tilt is linear in features: lengths as separate values and
as parabolas; honours, and honours times length; points. Given hands with log
likelihoods y and importance weights ω, the coefficients β maximise ``Σ ω (exp(y) f -
exp(f)) / exp(y)`` with f = feature · β, less a penalty Σ λ β². In this Poisson
regression exp(f) approaches the *mean* likelihood of the hands that share their
features, which minimises the variance of the weights. The penalty is less for
parabolas, so that lengths not drawn follow the trend of their neighbours.

**Tempering.** While the ESS of a round is small, the next proposal is fitted to the
tempered target ``q^(1 - φ) · L^φ``, with φ the largest exponent that keeps the ESS
above ``MIN_ESS``.

**Slips.** A bidder that slips gives every hand at least a small likelihood c. After a
rare call no tilt fits both the hands that slipped and the others. So with soft evidence
about one seat, the uniform component of the proposal gets the weight c / P(evidence),
and the tilt is fitted to ``L - c``. A seat whose likelihood never changed is
*unexplained*.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.conditions import tightened
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.levels import LevelProposal
from bayesbridge.engines.proposal import COUNT, SPREAD, Proposal, Tilt, Uniform
from bayesbridge.engines.splits import HONOUR_POINTS, split
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Weights, tempering
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Floats, Hands, Ints, Masks
from bayesbridge.runtime.random64 import Seed

_LENGTHS: Final = 9  # lengths 0 … 7, and 8 or more
_SUIT: Final = _LENGTHS + 10
_MOST_POINTS: Final = 24
_POINTS: Final = 1 + 4 * _SUIT
FEATURES: Final = _POINTS + _MOST_POINTS + 3

_BY_SUIT: Final = np.repeat([20.0, 0.6, 6.0, 15.0], [_LENGTHS, 2, 4, 4])
PENALTY: Final = np.concatenate(
    [[1e-6], np.tile(_BY_SUIT, 4), np.repeat([15.0, 0.6], [_MOST_POINTS + 1, 2])]
)
"""(features,) λ, for weights ω that sum to some hundreds."""


def fit_tilt(hands: Hands, values: Floats, weights: Floats, before: Tilt) -> Tilt:
    """The tilt of one seat for (n,) hands with finite log likelihoods ``values``, near
    to the tilt before if any.
    """
    x = _features(hands)
    centre = np.zeros(FEATURES) if before.coefficients is None else before.coefficients
    coefficients = centre
    if (
        before.coefficients is None
    ):  # a fit with weights that do not vanish where the likelihood is low comes first
        coefficients = _solve(x, 0.7 * weights + 0.3 * weights.mean(), values, centre)
    for _ in range(3):
        predicted = x @ coefficients
        top = float((predicted - values).max())
        predicted -= top + float(
            np.log((weights @ np.exp(predicted - values - top)) / weights.sum())
        )
        pull = np.clip(
            predicted - values, -1.0, 8.0
        )  # a larger one would make the Newton step too long
        coefficients = _solve(
            x, weights * np.exp(pull), predicted + np.expm1(-pull), centre
        )
    length, honours = np.indices((14, 16))
    holding = (
        coefficients[1:_POINTS].reshape(4, _SUIT)
        @ _suit_features(length, honours).reshape(-1, _SUIT).T
    )
    points = _point_features(np.arange(41)) @ coefficients[_POINTS:]
    # Each table is bounded below, so that exp cannot underflow.
    holding, points = (
        np.maximum(table - table.max(), -25.0)
        for table in (holding.reshape(4, 14, 16), points)
    )
    return Tilt(holding, points, coefficients)


def _solve(x: Floats, weights: Floats, response: Floats, centre: Floats) -> Floats:
    scaled = np.sqrt(weights)[:, None] * x
    matrix = scaled.T @ scaled
    matrix[np.diag_indices(FEATURES)] += PENALTY
    return np.asarray(
        np.linalg.solve(matrix, x.T @ (weights * response) + PENALTY * centre)
    )


def _features(hands: Hands) -> Floats:
    """(n, features) of (n,) hands: a constant, those of each suit, and of the points."""
    fields = (hands[:, None] >> np.arange(0, 52, 13, dtype=np.uint64)).astype(
        np.int64
    ) & SUIT_MASK
    suits = _suit_features(COUNT[fields], fields >> 9).reshape(len(hands), -1)
    return np.hstack(
        [
            np.ones((len(hands), 1)),
            suits,
            _point_features(HONOUR_POINTS[fields >> 9].sum(axis=1)),
        ]
    )


def _suit_features(length: Ints, honours: Ints) -> Floats:
    """(…, 19) of suits by length and honours: length, the same as a parabola; which of
    J Q K A, and times length.
    """
    x = (length[..., None] - 3.25) / 2.0
    held = honours[..., None] >> np.arange(4) & 1
    return np.concatenate(
        [_one_of(length, _LENGTHS), x, x * x, held, held * x], axis=-1
    )


def _point_features(points: Ints) -> Floats:
    """(…, 27) of points: their number, and the same as a parabola."""
    x = (points[..., None] - 10.0) / 5.0
    return np.concatenate([_one_of(points, _MOST_POINTS + 1), x, x * x], axis=-1)


def _one_of(value: Ints, size: int) -> NDArray[np.bool_]:
    return np.asarray(np.minimum(value, size - 1)[..., None] == np.arange(size))


type SeatLikelihood = Callable[[int, Hands], Floats]
"""log P(soft evidence about a seat ∣ its hand)."""

MIN_ESS: Final = 120.0  # effective sample size that tempering must leave of a round
LOWEST: Final = -30.0  # fits clip log likelihoods at so much below the largest


@dataclass(frozen=True, eq=False)
class Round:
    """Draws of one proposal, without the dead ones."""

    proposal: Proposal
    layouts: Masks
    log_q: Floats
    terms: Floats  #: (n, 4) log likelihoods of the hands.
    drawn: int

    @cached_property
    def log_weights(self) -> Floats:
        return np.asarray(self.terms.sum(axis=1) - self.log_q)

    @cached_property
    def degree(self) -> float:
        """The largest exponent φ of the weights that leaves an ESS of ``MIN_ESS``, or
        of half the draws.
        """
        return _degree(self.log_weights)

    @cached_property
    def share(self) -> float:
        """ESS / draws."""
        return _ess(self.log_weights) / self.drawn

    def unexplained(self, seats: Sequence[int]) -> tuple[int, ...]:
        """The seats whose log likelihood is the same for all hands, and low."""
        if not len(self.terms):
            return tuple(seats)
        low, high = self.terms.min(axis=0), self.terms.max(axis=0)
        return tuple(
            seat
            for seat in seats
            if high[seat] < -0.7 and high[seat] <= low[seat] + 1e-9
        )


def run_round(
    proposal: Proposal,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    n: int,
    generator: np.random.Generator,
) -> Round:
    """Draw ``n`` layouts and evaluate the likelihood of the hands of some seats."""
    layouts, log_q = proposal.draw(n, generator)
    live = log_q > -np.inf
    layouts, log_q = layouts[live], log_q[live]
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, np.ascontiguousarray(layouts[:, seat]))
    return Round(proposal, layouts, log_q, terms, n)


def _ess(log_weights: Floats) -> float:
    """0 where no draw has weight."""
    return (
        Weights(log_weights).ess if log_weights.max(initial=-np.inf) > -np.inf else 0.0
    )


def _degree(log_weights: Floats) -> float:
    finite = log_weights[log_weights > -np.inf]
    return (
        tempering(finite, min(MIN_ESS, 0.5 * len(finite)), halvings=10)
        if len(finite)
        else 0.0
    )


def refit(
    base: Round, others: Sequence[Round], seats: Sequence[int], caution: float
) -> Proposal:
    """The proposal fitted to the target, or to a tempered one; ``caution`` ≤ 1 shortens
    the step.
    """
    proposal = base.proposal
    first = proposal.uniform
    if base.degree == 0.0 or len(proposal.order) < 2:
        return proposal
    # Uniform draws are far from any target: a rough fit with a larger exponent beats a short step.
    power = min(1.0, (2.0 if first else 1.0) * caution * base.degree)
    # Rounds that need no tempering are pooled, if the base needs none.
    rounds = [
        one
        for one in others[-2:]
        if one.degree == 1.0 == power and not one.proposal.uniform
    ]
    rounds.append(base)
    layouts = np.concatenate([one.layouts for one in rounds])
    terms = np.concatenate([one.terms for one in rounds])
    spread, floor = _floor([*others, base]) if len(seats) == 1 else (SPREAD, -np.inf)
    terms[:, seats[0]] = _without(terms[:, seats[0]], floor)
    terms = np.maximum(terms, terms.max(axis=0) + LOWEST)
    weight = np.concatenate(
        [
            _tempered(
                _without(one.terms.sum(axis=1), floor) - one.log_q,
                min(one.degree, power),
            )
            for one in rounds
        ]
    )
    order = proposal.order
    if first:  # the seat whose likelihood varies most goes first
        varies = {seat: float(np.std(terms[:, seat])) for seat in seats}
        order = tuple(sorted(order, key=lambda seat: -varies.get(seat, 0.0)))
    tilts = list(proposal.tilts)
    powers, weights = dict.fromkeys(order, power), dict.fromkeys(order, weight)
    if (
        first and len(seats) > 1
    ):  # few hands explain the calls of all seats, many those of one: fit each by itself
        for seat in seats:
            own_power = powers[seat] = caution * _degree(terms[:, seat])
            weights[seat] = _tempered(terms[:, seat], own_power)
    goals = {
        seat: powers[seat] * terms[:, seat]
        + (1.0 - powers[seat]) * proposal.tilts[seat].log(layouts[:, seat])
        for seat in order
    }
    found = replace(proposal, order=order, spread=spread)
    for seat in order[-2:]:
        if seat in seats:
            tilts[seat] = fit_tilt(
                layouts[:, seat], goals[seat], weights[seat], tilts[seat]
            )
    # A seat that takes its cards earlier answers for what its hand leaves to the others, too. That takes a split for
    # each draw, so only the base is used, and of the base those draws that count.
    own = slice(len(layouts) - len(base.layouts), None)
    for step in range(len(order) - 3, -1, -1):
        seat = order[step]
        found = replace(found, tilts=tuple(tilts))
        rows, weight = _chosen(weights[seat][own])
        some = base.layouts[rows]
        log_sum = _log_sums(found, some, step + 1)
        if power < 1.0 and not first:
            log_sum = log_sum - (1.0 - power) * _log_sums(proposal, some, step + 1)
        tilts[seat] = fit_tilt(
            some[:, seat], goals[seat][own][rows] + log_sum, weight, tilts[seat]
        )
    return replace(found, tilts=tuple(tilts))


def _chosen(weights: Floats) -> tuple[NDArray[np.intp], Floats]:
    """At most 400 rows by systematic sampling, by weight and some evenly: a fit must
    know low likelihoods too.
    """
    most = 400  # each costs a split
    if len(weights) <= most:
        return np.arange(len(weights)), weights
    chance = np.minimum(
        1.0, most * (0.7 * weights / weights.sum() + 0.3 / len(weights))
    )
    rows = np.flatnonzero(np.diff(np.floor(np.cumsum(chance) + 0.5), prepend=0.0))
    return rows, weights[rows] / chance[rows]


def _floor(rounds: Sequence[Round]) -> tuple[float, float]:
    """The share of the uniform distribution in the next proposal, and the log
    likelihood that it accounts for.
    """
    last = rounds[-1]
    lowest = min(float(one.terms.sum(axis=1).min(initial=0.0)) for one in rounds)
    layouts = last.proposal.sampler.total * last.drawn / len(last.layouts)
    evidence = Weights(last.log_weights).log_mean - math.log(layouts)
    share = math.exp(min(lowest - evidence, 0.0))
    if share <= SPREAD:
        return SPREAD, -np.inf
    spread = min(share, 0.9)  # the tilt keeps a tenth
    return spread, evidence + math.log(spread)


def _without(values: Floats, floor: float) -> Floats:
    """log(exp(values) - exp(floor)), clipped where almost nothing is left."""
    if floor == -np.inf:
        return values
    left: Floats = np.maximum(
        -np.expm1(np.minimum(floor - values, 0.0)), math.exp(LOWEST)
    )
    return values + np.log(left)


def _tempered(log_weights: Floats, power: float) -> Floats:
    """(n,) weights to a power; their sum grows with their effective sample size."""
    powered = Weights(
        power * np.maximum(log_weights, log_weights.max() + 10.0 * LOWEST)
    )
    return np.asarray(powered.W * power * np.sqrt(len(powered) * powered.ess))


def _log_sums(proposal: Proposal, layouts: Masks, step: int) -> Floats:
    log_sum = split(
        *proposal.splits[step], proposal.left_over(layouts, step), None
    ).log_sums
    return np.asarray(np.maximum(log_sum, log_sum.max() + LOWEST))


FAIR: Final = (
    0.2  # ESS / draws of a round that is enough if the round before had about as much
)

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
    log_marginal: (
        float  #: log P(soft evidence ∣ hard evidence), and one standard error of it.
    )
    log_marginal_error: float
    drawn: int  #: Draws of the last round, dead ones included.
    proposal: Proposal
    evaluations: int  #: Layouts whose likelihood was evaluated, in all rounds.
    degrees: tuple[
        float, ...
    ]  #: The tempering exponents φ of all rounds; the last is 1 if all went well.
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
        return self._controlled(
            n, np.random.default_rng(rng).random(len(self.layouts))
        )[0]

    def _controlled(self, n: int, chance: Floats) -> tuple[Tilted, NDArray[np.intp]]:
        """The same, and which draws these are; for a larger ``n`` with the same (n,)
        uniform numbers the same and more.

        A draw of weight w stays with probability min(1, w / c) and then weighs max(w,
        c): means keep their expectation (J. S. Liu, R. Chen and W. H. Wong, "Rejection
        control and sequential importance sampling", 1998).
        """
        kept = np.arange(len(self.layouts))
        relative = self.weights.W / self.weights.W.max()
        low, high = 0.0, max(1.0, float(relative.sum()) / n)
        for _ in range(50 if n < len(kept) else 0):
            limit = (low + high) / 2
            low, high = (
                (limit, high)
                if np.minimum(1.0, relative / limit).sum() > n
                else (low, limit)
            )
        if n >= len(kept) or not len(some := np.flatnonzero(chance * high < relative)):
            return self, kept
        weights = Weights(np.log(np.maximum(relative[some], high)))
        log_likelihood = self.log_likelihood[some]
        return replace(
            self,
            layouts=self.layouts[some],
            weights=weights,
            log_likelihood=log_likelihood,
        ), some

    def weighted(
        self, likelihood: Callable[[Masks], Floats], n: int, rng: Seed
    ) -> Tilted:
        """The same draws under another, slow log likelihood: up to three times ``n``,
        until their ESS is 0.6 ``n``.
        """
        chance = np.random.default_rng(rng).random(len(self.layouts))
        found = np.full(len(self.layouts), np.nan)
        size = n
        while True:
            some, which = self._controlled(size, chance)
            new = which[np.isnan(found[which])]
            found[new] = likelihood(self.layouts[new])
            done = some.reweighted(found[which])
            if done.ess >= 0.6 * n or size >= min(3 * n, len(self.layouts)):
                return done
            size = min(3 * n, 1 + int(0.7 * n * size / done.ess))

    def reweighted(self, log_likelihood: Floats) -> Tilted:
        """The same draws under another log likelihood (n,), such as that of the two
        hands of a pair.
        """
        log_ratio = log_likelihood - self.log_likelihood
        weights, before = Weights(np.log(self.weights.W) + log_ratio), self.weights.W
        mean = float(before @ np.exp(log_ratio))
        error = float(np.sqrt((before**2) @ (np.exp(log_ratio) / mean - 1.0) ** 2))
        return replace(
            self,
            weights=weights,
            log_likelihood=log_likelihood,
            log_marginal=self.log_marginal + math.log(mean),
            log_marginal_error=math.hypot(self.log_marginal_error, error),
        )


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
    generator, requested, rounds = np.random.default_rng(rng), draws, 5
    known = constraints.normalised()
    proposal = Proposal(known, sampler, known.hidden, (Tilt.none(),) * 4, spread=1.0)
    if (
        start is not None
        and set(start.order) == set(known.hidden)
        and not start.uniform
    ):
        proposal = replace(
            start, known=known, sampler=sampler
        )  # made to fit the hard evidence of today
    hidden = [seat for seat in known.hidden if seat in seats]
    certain = [seat for seat in seats if seat not in hidden]
    constant = sum(
        float(likelihood(seat, np.array([known.must[seat]], dtype=np.uint64))[0])
        for seat in certain
    )
    done: list[Round] = []
    caution = 1.0
    while hidden and len(done) < rounds:
        n = (
            1200 if proposal.uniform else 250 * (1 + len(done))
        )  # uniform draws are cheap; a poor fit needs more
        done.append(run_round(proposal, likelihood, hidden, n, generator))
        while len(done) == 1 and done[0].unexplained(hidden) and done[0].drawn < search:
            done[0] = run_round(
                proposal, likelihood, hidden, min(4 * done[0].drawn, search), generator
            )
        best = max(done, key=lambda one: (one.degree, one.share))
        if _settled(done):
            break
        caution = 1.0 if best is done[-1] else caution / 2
        proposal = refit(
            best, [one for one in done if one is not best], hidden, caution
        )
    if done:
        best = max(done, key=lambda one: (one.degree, one.share))
        proposal = best.proposal
        draws = max(draws, min(most, int(0.8 * draws / max(best.share, 1e-3))))
    last = run_round(proposal, likelihood, hidden, draws, generator)
    while (
        hidden
        and most
        and last.share * last.drawn < 0.05 * requested
        and len(done) < rounds + 2
    ):
        proposal = refit(last, done, hidden, 1.0)
        done.append(last)
        last = run_round(proposal, likelihood, hidden, most, generator)
    while (
        hidden
        and most
        and last.share * last.drawn < FAIR * requested
        and last.drawn < 4 * most
    ):
        more = run_round(
            proposal,
            likelihood,
            hidden,
            min(2 * last.drawn, 4 * most - last.drawn),
            generator,
        )
        layouts = np.concatenate([last.layouts, more.layouts])
        log_q, terms = (
            np.concatenate([last.log_q, more.log_q]),
            np.concatenate([last.terms, more.terms]),
        )
        last = Round(proposal, layouts, log_q, terms, last.drawn + more.drawn)
    every, weights = [*done, last], Weights(last.log_weights)
    return Tilted(
        last.layouts,
        weights,
        last.terms.sum(axis=1) + constant,
        weights.log_mean
        + math.log(len(weights) / last.drawn)
        - math.log(sampler.total)
        + constant,
        weights.log_mean_error(last.drawn),
        last.drawn,
        proposal,
        sum(len(one.layouts) for one in every),
        tuple(one.degree for one in every),
        tuple(
            seat
            for seat in hidden
            if all(seat in one.unexplained(hidden) for one in every)
        ),
    )


def _settled(done: Sequence[Round]) -> bool:
    """Whether another round would gain little: the last one is good, or fair and hardly
    better than before.
    """
    last = done[-1]
    if last.degree < 1.0:
        return False
    before = max((one.share for one in done[:-1] if one.degree == 1.0), default=0.0)
    return last.share >= 0.3 or (
        len(done) > 2 and max(last.share, before) >= FAIR and last.share < 1.15 * before
    )


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
    found = (
        _by_shapes(target, draws, rng, start)
        if proposal is None
        else _by_levels(target, proposal, draws, rng)
    )
    return replace(found, reasons=(why, *found.reasons))


def _by_levels(
    target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator
) -> Draws:
    """Draws by exact tables of the callers' levels, up to half a million while their
    ESS is small.
    """
    parts: list[tuple[Masks, Floats, Floats]] = []
    while True:
        masks = proposal.tables.draw(draws if not parts else 100_000, rng)
        likelihood = target.log_likelihood(masks)
        parts.append((masks, likelihood, likelihood - proposal.log_weights(masks)))
        masks, likelihood, log_weights = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        ess = _ess(log_weights)
        if ess >= 0.1 * draws or len(masks) >= max(draws, 500_000):
            break
    if not ess:
        raise target.unexplained(len(masks))
    weights = Weights(log_weights)
    return Draws(
        target,
        "importance",
        (
            f"{len(masks)} draws by exact tables of levels, effective sample size {weights.ess:.0f}",
            "levels reads the same tables: likelihood-weighting, with many draws, is the check that does not",
        ),
        masks,
        importance=weights,
        likelihood=likelihood,
        log_marginal=proposal.tables.log_mean
        + weights.log_mean
        + target.log_share(target.support_size),
        log_marginal_error=weights.log_mean_error(),
        ess=weights.ess,
    )


def _by_shapes(
    target: Target, draws: int, rng: np.random.Generator, start: Proposal | None
) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    search, known = min(SEARCH, target.cost.most_layouts // 10), target.constraints
    if known.conditions:
        known = tightened(known, target.plan.exact)
    try:
        drawn = tilted(
            known,
            target.uniform,
            target.guide_likelihood,
            target.soft.seats,
            draws=draws
            if target.soft.separable
            else max(3 * draws // 2, min(2500, 5 * draws // 2)),
            most=max(
                2 * draws, min(5000, 5 * draws)
            ),  # draws are cheap, up to some thousands
            rng=rng,
            search=search,
            start=start,
        )
    except Contradiction as error:
        raise target.unexplained(error.data["draws"]) from None
    if target.soft.separable:
        found = drawn.subsample(draws, rng)
    else:  # proposals are fitted seat by seat, and by a quicker model where there is one
        guided = drawn.reweighted(target.soft.of_layouts(drawn.layouts, guide=True))
        found = guided.weighted(target.soft.of_layouts, draws, rng)
    thinned = f"thinned to {len(found.layouts)}, effective sample size {found.ess:.0f}"
    return Draws(
        target,
        "importance",
        (f"{drawn.drawn} draws from a fitted proposal, {thinned}",),
        found.layouts,
        importance=found.weights,
        proposed=drawn.weights,
        likelihood=found.log_likelihood,
        log_marginal=found.log_marginal + target.log_share(target.uniform.total),
        log_marginal_error=found.log_marginal_error,
        ess=found.ess,
        caveat=found.warning,
        proposal=found.proposal,
    )
