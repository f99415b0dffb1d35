"""Fitting a tilt: a regression of log likelihoods on what a split can weigh.

The tilt of a seat should follow the likelihood of its hand, up to a factor. Its logarithm is a linear function of
features: lengths by class of points, as separate values and as parabolas, honours and honours times length, points,
and pairs of lengths. Given hands with log likelihoods y and importance weights ω, the coefficients β maximise::

    Σ ω (exp(y) f - exp(f)) / exp(y),    f = feature · β,    less a penalty Σ λ β²

which is Poisson regression: exp(f) approaches the *mean* likelihood of the hands that share their features, as the
tilt that loses least must. One weighted least-squares fit to y starts it and Newton steps follow. The penalty shrinks
towards no tilt at all, less for parabolas than for separate values, so that lengths never met continue their
neighbours' trend.

Rounds of tilted draws: ask the model about draws of a proposal, and fit the next proposal to the answers.

While few draws carry the weight, the evidence is let in by degrees: with φ the largest power at which the weights of
the round are worth enough draws, the next goal lies on the path ``q^(1 - φ) · L^φ`` from the proposal to the target. So
hands that explain a rare call are approached step by step, and each fit asks no more than the draws at hand can tell.

From uniform draws, of which hardly any explains the calls of all seats at once, each seat is fitted to the likelihood
of its own hands.

A bidder that slips gives every hand at least a small likelihood c. After a rare call the hands that slipped may be much
of the posterior, and no tilt follows them and the bidders at once. So where one seat alone is told about, the uniform
part of the proposal gets the share c / P(evidence), and the tilt is fitted to ``L - c``.

Tilted draws for soft evidence that speaks of one hand at a time: any bidder, any player model.

Likelihoods of hands become a proposal whose draws explain the evidence, in rounds: draw from the proposal so far (at
first all layouts alike), ask the model, fit the tilts to the answers (:mod:`~bayesbridge.engines.tilt`), draw
again. The last round alone is reported, weighed by ``L / q``. Its draws are independent and no choice depended on them,
so, whatever the fit, its mean weight is an unbiased estimate of P(evidence) with the error that independent draws have.
(With ``most``, a last round that is worth next to nothing is one more pilot round, and a larger one is drawn from a fit
to it; one that is worth too little is continued from the same proposal, and all of it is reported. These choices do
depend on its draws, and are made where a few heavy ones carry the weight.)

No finite number of draws proves that the hands that explain the evidence were met. What can be seen is told: a seat
whose likelihood never changed is *unexplained* (the model answered nothing but slips), and the last ``degree`` says how
much of the evidence the proposal has taken in.

The tilted engine: weighted draws from a proposal that knows what the calls say.

A bidder that depends on levels alone (:class:`~bayesbridge.evidence.models.LevelModel`) is tilted by exact tables of
these levels; any other bidder, and any player model, by shape, honours and points fitted in rounds to what the model
says of pilot draws. Both are unbiased whatever the fit: draws are weighed by likelihood / proposal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.engines.draws import Draws
from bayesbridge.engines.levels import LevelProposal
from bayesbridge.engines.proposal import (
    CLASS,
    CLASSES,
    COUNT,
    HONOUR_POINTS,
    SPREAD,
    Hands,
    Ints,
    Proposal,
    Tilt,
    Uniform,
    split,
)
from bayesbridge.engines.target import SoftEvidence, Target
from bayesbridge.engines.weights import Weights, tempering
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.models import honour_values_of
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed

_LENGTHS: Final = 9
"""Lengths 0 … 7, and 8 or more."""
_CURVES: Final = _LENGTHS + 2
_HONOURS: Final = _CURVES + 2 * CLASSES
_SUIT: Final = _HONOURS + 8
"""Features of a suit: its length, and the same as a parabola; a parabola by class of points from _CURVES on; from
_HONOURS on which of J Q K A it holds, and the same times length."""
_MOST_POINTS: Final = 24
_POINTS: Final = 1 + 4 * _SUIT
FEATURES: Final = _POINTS + _MOST_POINTS + 3
ACTIVE: Final = 64
"""More features than one hand has."""

NEWTON: Final = 3
"""Newton steps after the first fit."""

STEEPEST: Final = 1.0
"""How far f may lie below y before a hand pulls no harder: beyond it a Newton step would go too far."""

HIGHEST: Final = 8.0
"""How far f may lie above y before a hand pulls no harder."""

DEPTH: Final = 25.0
"""Values of one table of a tilt lie within so much of the largest: nothing becomes impossible, or overflows."""


def _penalties() -> Floats:
    suit = np.repeat([20.0, 0.6, 6.0, 6.0, 15.0], [_LENGTHS, 2, 2 * CLASSES, 4, 4])
    return np.concatenate([[1e-6], suit, suit, suit, suit, np.repeat([15.0, 0.6], [_MOST_POINTS + 1, 2])])


PENALTY: Final = _penalties()
"""(features,) λ, for weights ω that sum to some hundreds."""

OWN_PENALTY: Final = np.concatenate([PENALTY[:_POINTS], np.full(FEATURES - _POINTS, 0.6)])
"""The same where the model says itself which points count: each value of them may stand alone."""


def fit_tilt(hands: Hands, values: Floats, weights: Floats, before: Tilt) -> Tilt:
    """The tilt of one seat for (n,) hands with log likelihoods ``values``, all finite, and importance weights.

    It stays as near to the tilt before as the hands let it. Without one, a fit of the values themselves comes first,
    with weights that do not vanish where the likelihood is low.
    """
    hands = np.ascontiguousarray(hands)
    centre = np.zeros(FEATURES) if before.coefficients is None else before.coefficients
    coefficients = centre
    if before.coefficients is None:
        coefficients = _solve(hands, 0.7 * weights + 0.3 * weights.mean(), values, centre, before.worth)
    for _ in range(NEWTON):
        predicted = predict(hands, coefficients, before.worth)
        predicted -= _log_mean_exp(predicted - values, weights)
        pull = np.clip(predicted - values, -STEEPEST, HIGHEST)
        coefficients = _solve(hands, weights * np.exp(pull), predicted + np.expm1(-pull), centre, before.worth)
    return tilt_of(coefficients, before.worth)


def _log_mean_exp(values: Floats, weights: Floats) -> float:
    top = float(values.max())
    return top + float(np.log((weights @ np.exp(values - top)) / weights.sum()))


def _solve(hands: Hands, weights: Floats, response: Floats, centre: Floats, worth: Ints) -> Floats:
    """Ridge regression that shrinks towards a centre."""
    penalty = PENALTY if np.array_equal(worth, HONOUR_POINTS) else OWN_PENALTY
    matrix, right = np.zeros((FEATURES, FEATURES)), np.zeros(FEATURES)
    _normal_equations(hands, weights, response, CLASS, COUNT, worth, matrix, right)
    matrix[np.diag_indices(FEATURES)] += penalty
    right += penalty * centre
    _cholesky_solve(matrix, right)
    return right


def predict(hands: Hands, coefficients: Floats, worth: Ints = HONOUR_POINTS) -> Floats:
    """(n,) what coefficients say of (n,) hands, features · β."""
    found = np.empty(len(hands))
    _fill_predictions(hands, coefficients, CLASS, COUNT, worth, found)
    return found


def tilt_of(coefficients: Floats, worth: Ints = HONOUR_POINTS) -> Tilt:
    """The tables that give every hand what the coefficients say of it, but for a constant and for the depth."""
    length = np.arange(14)
    x = (length - 3.25) / 2.0
    suits = coefficients[1:_POINTS].reshape(4, _SUIT)
    common = suits[:, np.minimum(length, _LENGTHS - 1)]
    common = common + suits[:, _LENGTHS, None] * x + suits[:, _LENGTHS + 1, None] * x**2
    curves = suits[:, _CURVES:_HONOURS].reshape(4, CLASSES, 2)
    lengths = common[:, None] + curves[:, :, 0, None] * x + curves[:, :, 1, None] * x**2
    bits = (np.arange(16)[:, None] >> np.arange(4) & 1).astype(np.float64)
    holding = (suits[:, -8:-4] @ bits.T)[:, None] + (suits[:, -4:] @ bits.T)[:, None] * x[:, None]
    pair = np.stack([lengths[2 * k, :, :, None] + lengths[2 * k + 1, :, None, :] for k in range(2)], axis=1)
    points = np.arange(41)
    scaled = (points - 10.0) / 5.0
    by_points = coefficients[_POINTS + np.minimum(points, _MOST_POINTS)]
    by_points = by_points + coefficients[-2] * scaled + coefficients[-1] * scaled**2
    return Tilt(_bounded(holding), _bounded(pair), _bounded(by_points), coefficients, worth)


def _bounded(table: Floats) -> Floats:
    found: Floats = np.maximum(table - table.max(), -DEPTH)
    return found


@njit
def _features(hand: np.int64, classes: Ints, counts: Ints, worth: Ints, at: Ints, value: Floats) -> int:
    """Write the features of a hand that are not zero, as rising places and values; returns how many."""
    total = 0
    for suit in range(4):
        total += worth[(hand >> (13 * suit + 9)) & 15]
    b = classes[total]
    at[0], value[0] = 0, 1.0
    n = 1
    for suit in range(4):
        field = (hand >> (13 * suit)) & 0x1FFF
        length = counts[field]
        x = (length - 3.25) / 2.0
        start = 1 + suit * _SUIT
        at[n], value[n] = start + min(length, _LENGTHS - 1), 1.0
        at[n + 1], value[n + 1] = start + _LENGTHS, x
        at[n + 2], value[n + 2] = start + _LENGTHS + 1, x * x
        at[n + 3], value[n + 3] = start + _CURVES + 2 * b, x
        at[n + 4], value[n + 4] = start + _CURVES + 2 * b + 1, x * x
        n += 5
        for rank in range(4):
            if (field >> (9 + rank)) & 1:
                at[n], value[n] = start + _HONOURS + rank, 1.0
                n += 1
        for rank in range(4):
            if (field >> (9 + rank)) & 1:
                at[n], value[n] = start + _HONOURS + 4 + rank, x
                n += 1
    scaled = (total - 10.0) / 5.0
    at[n], value[n] = _POINTS + min(total, _MOST_POINTS), 1.0
    at[n + 1], value[n + 1] = FEATURES - 2, scaled
    at[n + 2], value[n + 2] = FEATURES - 1, scaled * scaled
    n += 3
    return n


@njit
def _normal_equations(
    hands: Hands,
    weights: Floats,
    response: Floats,
    classes: Ints,
    counts: Ints,
    worth: Ints,
    matrix: Floats,
    right: Floats,
) -> None:
    """Add Σ ω x xᵀ, lower triangle, and Σ ω y x."""
    at, value = np.empty(ACTIVE, np.int64), np.empty(ACTIVE)
    for i in range(len(hands)):
        n = _features(np.int64(hands[i]), classes, counts, worth, at, value)
        for j in range(n):
            share = weights[i] * value[j]
            right[at[j]] += share * response[i]
            row = at[j]
            for k in range(j + 1):
                matrix[row, at[k]] += share * value[k]


@njit
def _cholesky_solve(matrix: Floats, right: Floats) -> None:
    """Solve a positive definite system in place; only the lower triangle is read.

    A library would use threads, which cost more than they bring where others use the processor too.
    """
    n = len(right)
    column = np.empty(n)
    for j in range(n):
        root = np.sqrt(matrix[j, j])
        for i in range(j, n):
            matrix[i, j] /= root
            column[i] = matrix[i, j]
        for i in range(j + 1, n):
            share = column[i]
            if share != 0.0:
                for k in range(j + 1, i + 1):
                    matrix[i, k] -= share * column[k]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        right[i] /= matrix[i, i]
        for k in range(i):
            right[k] -= matrix[i, k] * right[i]


@njit
def _fill_predictions(
    hands: Hands, coefficients: Floats, classes: Ints, counts: Ints, worth: Ints, out: Floats
) -> None:
    at, value = np.empty(ACTIVE, np.int64), np.empty(ACTIVE)
    for i in range(len(hands)):
        n = _features(np.int64(hands[i]), classes, counts, worth, at, value)
        out[i] = 0.0
        for j in range(n):
            out[i] += coefficients[at[j]] * value[j]


type SeatLikelihood = Callable[[int, Hands], Floats]
"""(seat, (n,) masks of its hand) → (n,) log P(soft evidence about the seat ∣ hand)."""

FEW: Final = 120.0
"""Effective draws that a degree φ must leave of a round."""

BOLD: Final = 2.0
"""The first step goes so many times φ: uniform draws are far from any target, and a rough fit beats a short step."""

POOLED: Final = 2
"""Rounds before the last that a fit uses too, if they were good enough for the whole evidence."""

CHOSEN: Final = 400
"""Draws of a round for which the splits of later seats are summed up."""

MOST_SPREAD: Final = 0.9
"""The largest share of the uniform distribution in a fitted proposal."""

LOWEST: Final = -30.0
"""Log likelihoods below the best by more than this count as so much below in fits."""

UNLIKELY: Final = -0.7
"""A log likelihood that is the same for all hands and below this explains nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Draws of one proposal, without the dead ones; their log density (n,); log likelihoods of their hands (n, 4)."""

    proposal: Proposal
    layouts: Masks
    log_q: Floats
    terms: Floats
    drawn: int
    degree: float
    share: float

    @property
    def log_weights(self) -> Floats:
        """(n,)"""
        found: Floats = self.terms.sum(axis=1) - self.log_q
        return found

    @property
    def worth(self) -> tuple[float, float]:
        """Which of two rounds has the better proposal."""
        return self.degree, self.share

    def unexplained(self, seats: Sequence[int]) -> tuple[int, ...]:
        """The seats whose log likelihood is the same for all hands, and low."""
        if not len(self.terms):
            return tuple(seats)
        low, high = self.terms.min(axis=0), self.terms.max(axis=0)
        return tuple(seat for seat in seats if high[seat] < UNLIKELY and high[seat] <= low[seat] + 1e-9)


def ask(
    proposal: Proposal, likelihood: SeatLikelihood, seats: Sequence[int], n: int, generator: np.random.Generator
) -> Round:
    """Draw ``n`` layouts and ask for the likelihood of the hands of some seats."""
    layouts, log_q = proposal.draw(n, generator)
    live = log_q > -np.inf
    if not live.all():
        layouts, log_q = layouts[live], log_q[live]
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, np.ascontiguousarray(layouts[:, seat]))
    layouts.setflags(write=False)
    log_weights = terms.sum(axis=1) - log_q
    some = len(log_weights) > 0 and log_weights.max() > -np.inf
    share = Weights(log_weights).ess / n if some else 0.0
    return Round(proposal, layouts, log_q, terms, n, _degree(log_weights), share)


def joined(one: Round, other: Round) -> Round:
    """Two rounds of the same proposal as one."""
    log_weights = np.concatenate([one.log_weights, other.log_weights])
    layouts = np.concatenate([one.layouts, other.layouts])
    layouts.setflags(write=False)
    drawn = one.drawn + other.drawn
    some = len(log_weights) > 0 and log_weights.max() > -np.inf
    return Round(
        one.proposal,
        layouts,
        np.concatenate([one.log_q, other.log_q]),
        np.concatenate([one.terms, other.terms]),
        drawn,
        _degree(log_weights),
        Weights(log_weights).ess / drawn if some else 0.0,
    )


def _degree(log_weights: Floats) -> float:
    """The largest φ ≤ 1 at which weights raised to it are worth FEW draws, or half of those that are possible."""
    finite = log_weights[log_weights > -np.inf]
    if not len(finite):
        return 0.0
    return tempering(finite, min(FEW, 0.5 * len(finite)), halvings=10)


def refit(base: Round, others: Sequence[Round], seats: Sequence[int], caution: float) -> Proposal:
    """The proposal that the answers ask for, or one on the way to it from the proposal of the round ``base``.

    Other rounds that can tell the whole evidence help, if the base can; ``caution`` ≤ 1 shortens the way.
    """
    proposal = base.proposal
    first = proposal.uniform
    if base.degree == 0.0 or len(proposal.order) < 2:
        return proposal
    power = min(1.0, (BOLD if first else 1.0) * caution * base.degree)
    rounds = [one for one in others[-POOLED:] if one.degree == 1.0 == power and not one.proposal.uniform]
    rounds.append(base)
    layouts = np.concatenate([one.layouts for one in rounds])
    terms = np.concatenate([one.terms for one in rounds])
    spread, floor = _floor([*others, base]) if len(seats) == 1 else (SPREAD, -np.inf)
    if floor > -np.inf:
        terms[:, seats[0]] = _without(terms[:, seats[0]], floor)
    terms = np.maximum(terms, terms.max(axis=0) + LOWEST)
    weight = np.concatenate([_fit_weights(one, min(one.degree, power), floor) for one in rounds])
    order = proposal.order
    if first:  # the seat whose likelihood varies most goes first
        varies = {seat: float(np.std(terms[:, seat])) for seat in seats}
        order = tuple(sorted(order, key=lambda seat: -varies.get(seat, 0.0)))
    tilts = list(proposal.tilts)
    powers, weights = dict.fromkeys(order, power), dict.fromkeys(order, weight)
    if first and len(seats) > 1:  # few hands explain all calls at once, many those of one seat: each tells for itself
        for seat in seats:
            own_power = powers[seat] = caution * _degree(terms[:, seat])
            weights[seat] = _powered(terms[:, seat], own_power)
    goals = {
        seat: powers[seat] * terms[:, seat] + (1.0 - powers[seat]) * proposal.tilts[seat].log(layouts[:, seat])
        for seat in order
    }
    found = replace(proposal, order=order, spread=spread)
    for seat in order[-2:]:
        if seat in seats:
            tilts[seat] = fit_tilt(layouts[:, seat], goals[seat], weights[seat], tilts[seat])
    # A seat that takes its cards earlier answers for what its hand leaves to the others, too. That takes a split for
    # each draw, so the base alone tells, and of the base those draws that count.
    own = slice(len(layouts) - len(base.layouts), None)
    for step in range(len(order) - 3, -1, -1):
        seat = order[step]
        found = replace(found, tilts=tuple(tilts))
        rows, weight = _chosen(weights[seat][own])
        some = base.layouts[rows]
        log_sum = _log_sums(found, some, step + 1)
        if power < 1.0 and not first:
            log_sum = log_sum - (1.0 - power) * _log_sums(proposal, some, step + 1)
        tilts[seat] = fit_tilt(some[:, seat], goals[seat][own][rows] + log_sum, weight, tilts[seat])
    return replace(found, tilts=tuple(tilts))


def _chosen(weights: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Rows that stand for all, CHOSEN of them at most, with their weights; a heavier row is likelier to be among them.

    Some are taken whatever their weight: a fit must also know where the likelihood is low.
    """
    if len(weights) <= CHOSEN:
        return np.arange(len(weights)), weights
    chance = np.minimum(1.0, CHOSEN * (0.7 * weights / weights.sum() + 0.3 / len(weights)))
    rows = np.flatnonzero(np.diff(np.floor(np.cumsum(chance) + 0.5), prepend=0.0))
    return rows, weights[rows] / chance[rows]


def _floor(rounds: Sequence[Round]) -> tuple[float, float]:
    """The share of the uniform distribution in the next proposal, and the log likelihood that it accounts for.

    c is the lowest likelihood met in any round, and the last round tells P(evidence). A small share changes nothing.
    """
    last = rounds[-1]
    lowest = min(float(one.terms.sum(axis=1).min(initial=0.0)) for one in rounds)
    layouts = last.proposal.sampler.total * last.drawn / len(last.layouts)
    evidence = Weights(last.log_weights).log_mean - math.log(layouts)
    share = math.exp(min(lowest - evidence, 0.0))
    if share <= SPREAD:
        return SPREAD, -np.inf
    spread = min(share, MOST_SPREAD)
    return spread, evidence + math.log(spread)


def _without(values: Floats, floor: float) -> Floats:
    """(n,) log(exp(values) - exp(floor)), as far as it says something."""
    left: Floats = np.maximum(-np.expm1(np.minimum(floor - values, 0.0)), math.exp(LOWEST))
    return values + np.log(left)


def _fit_weights(one: Round, power: float, floor: float) -> Floats:
    """Weights of a round's hands in a fit: importance weights to a power; a round counts by what it is worth.

    Those of the likelihood above the floor, where one is taken away.
    """
    log_weights = one.log_weights
    if floor > -np.inf:
        values = one.terms.sum(axis=1)
        log_weights = log_weights + _without(values, floor) - values
    return _powered(log_weights, power)


def _powered(log_weights: Floats, power: float) -> Floats:
    """(n,) weights to a power, that sum to what they are worth."""
    powered = Weights(power * np.maximum(log_weights, log_weights.max() + 10.0 * LOWEST))
    found: Floats = powered.W * power * np.sqrt(len(powered) * powered.ess)
    return found


def _log_sums(proposal: Proposal, layouts: Masks, step: int) -> Floats:
    """(n,) the logarithm of the sum of weights of a split, as far as it says something."""
    log_sum = split(*proposal.splits[step], proposal.left(layouts, step), None, proposal.worth)[1]
    found: Floats = np.maximum(log_sum, log_sum.max() + LOWEST)
    return found


FIRST: Final = 1200
"""Draws of the first round: uniform ones are cheap, and each seat is fitted to those that explain its own calls."""

PILOT: Final = 500
"""Draws of the second round; half as many more in each round after it, as a fit that is still poor needs more."""

ROUNDS: Final = 5
"""Rounds before the last, at most."""

GOOD: Final = 0.3
"""Effective share of a round's draws that makes it the last but one."""

FAIR: Final = 0.2
"""Effective share that is enough if the round before had about as much."""

WANTED: Final = 0.8
"""Effective draws that the last round aims at, in each draw asked for."""

AGAIN: Final = 4
"""A last round that is worth less than it should is continued, to so many times the most draws and no further."""

POOR: Final = 0.05
"""Effective draws, in each draw asked for, below which a last round is one more pilot: the next fit needs its draws."""

LATE: Final = 2
"""Such rounds, at most."""

SEARCH: Final = 100_000
"""Layouts drawn at most in the first round, as long as a seat's likelihood does not change from hand to hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Tilted:
    """Weighted independent draws.

    layouts:        (n, 4), without dead draws
    weights:        of the layouts
    log_likelihood: (n,) of all soft evidence
    log_soft:       log P(soft evidence ∣ hard evidence), estimated
    log_soft_error: one standard error of it
    drawn:          draws of the last round, dead ones included
    proposal:       what they were drawn from; a later question about more evidence may start from it
    evaluations:    layouts whose likelihood was asked for, in all rounds
    degrees:        of all rounds: the share φ of the evidence that leaves enough effective draws; 1 at the end if all
                    went well
    best:           the largest log likelihood met in any round
    unexplained:    seats whose likelihood was the same small number for every hand: nothing that explains it was met
    """

    layouts: Masks
    weights: Weights
    log_likelihood: Floats
    log_soft: float
    log_soft_error: float
    drawn: int
    proposal: Proposal
    evaluations: int
    degrees: tuple[float, ...]
    best: float
    unexplained: tuple[int, ...]

    @property
    def ess(self) -> float:
        """Kish's effective sample size; 1 where some seat is unexplained, as equal weights then mean nothing."""
        return 1.0 if self.unexplained else self.weights.ess

    @property
    def share(self) -> float:
        """Effective draws in each draw of the last round."""
        return self.ess / self.drawn

    @property
    def diagnosis(self) -> str:
        """One sentence: what the draws are worth, and what to do when that is little."""
        if self.unexplained:
            return (
                f"{self.evaluations} hands were tried and none explains what seat {self.unexplained[0]} did: "
                "the weights say nothing; take more draws, or check the call"
            )
        if self.degrees[-1] < 1.0:
            return f"the draws took in {self.degrees[-1]:.0%} of the evidence only; {self.weights.diagnosis}"
        return self.weights.diagnosis

    def thinned(self, n: int, rng: Seed) -> Tilted:
        """About ``n`` of the draws, of nearly equal weight and still independent.

        A draw of weight w stays with probability min(1, w / c) and then weighs max(w, c): means keep their expectation
        (J. S. Liu, R. Chen and W. H. Wong, "Rejection control and sequential importance sampling", 1998).
        """
        if n >= len(self.layouts):
            return self
        relative = self.weights.W / self.weights.W.max()
        low, high = 0.0, max(1.0, float(relative.sum()) / n)
        for _ in range(50):
            limit = (low + high) / 2
            low, high = (limit, high) if np.minimum(1.0, relative / limit).sum() > n else (low, limit)
        kept = np.flatnonzero(np.random.default_rng(rng).random(len(relative)) * high < relative)
        if not len(kept):
            return self
        layouts = self.layouts[kept]
        layouts.setflags(write=False)
        weights = Weights(np.log(np.maximum(relative[kept], high)))
        return replace(self, layouts=layouts, weights=weights, log_likelihood=self.log_likelihood[kept])


def tilted(
    constraints: Constraints,
    sampler: Uniform,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    *,
    draws: int,
    rng: Seed,
    start: Proposal | None = None,
    worth: Ints = HONOUR_POINTS,
    first: int = FIRST,
    pilot: int = PILOT,
    rounds: int = ROUNDS,
    search: int = SEARCH,
    most: int = 0,
) -> Tilted:
    """``draws`` weighted layouts for soft evidence about ``seats``, from a proposal fitted to it.

    Up to ``most`` where that is more: as many as should be worth ``WANTED`` · ``draws`` independent ones, by what the
    rounds before tell.
    ``start`` is the proposal of an earlier question, with less evidence say; it must be about the same hidden seats.
    ``worth`` is the (16,) points of sets of honours that the tilts count, ten at most; where hard evidence is about
    high-card points, these count in any case.

    >>> from bayesbridge.engines.tables import Sampler
    >>> from bayesbridge.layouts import high_card_points
    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> strong = lambda seat, hands: 0.3 * high_card_points(hands) - 10.0
    >>> found = tilted(spades, Sampler.of(spades), strong, [3], draws=500, rng=1)
    >>> found.layouts.shape, found.share > 0.8
    ((500, 4), True)
    """
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better a thousand", draws=draws)
    generator, wanted = np.random.default_rng(rng), draws
    proposal = _begin(constraints, sampler, start, worth)
    known = proposal.known
    told = [seat for seat in known.hidden if seat in seats]
    certain = [seat for seat in seats if seat not in told]
    constant = sum(float(likelihood(seat, np.array([known.must[seat]], dtype=np.uint64))[0]) for seat in certain)
    done: list[Round] = []
    caution = 1.0
    while told and len(done) < rounds:
        n = first if proposal.uniform else pilot * (1 + len(done)) // 2
        done.append(ask(proposal, likelihood, told, n, generator))
        while len(done) == 1 and done[0].unexplained(told) and done[0].drawn < search:
            done[0] = ask(proposal, likelihood, told, min(4 * done[0].drawn, search), generator)
        best = max(done, key=lambda one: one.worth)
        if _settled(done):
            break
        caution = 1.0 if best is done[-1] else caution / 2
        proposal = refit(best, [one for one in done if one is not best], told, caution)
    if done:
        best = max(done, key=lambda one: one.worth)
        proposal = best.proposal
        draws = max(draws, min(most, int(WANTED * draws / max(best.share, 1e-3))))
    last = ask(proposal, likelihood, told, draws, generator)
    while told and most and last.share * last.drawn < POOR * wanted and len(done) < rounds + LATE:
        proposal = refit(last, done, told, 1.0)
        done.append(last)
        last = ask(proposal, likelihood, told, most, generator)
    while told and most and last.share * last.drawn < FAIR * wanted and last.drawn < AGAIN * most:
        more = min(2 * last.drawn, AGAIN * most - last.drawn)
        last = joined(last, ask(proposal, likelihood, told, more, generator))
    draws = last.drawn
    every = [*done, last]
    if not len(last.layouts) or last.log_weights.max() == -np.inf:
        raise Contradiction(
            f"the soft evidence is impossible under the model: its likelihood is 0 on all {draws} layouts drawn; "
            "give the model a slip probability (slip=0.01, say), or check the calls",
            evidence=(),
            draws=sum(one.drawn for one in every),
        )
    weights = Weights(last.log_weights)
    log_likelihood: Floats = last.terms.sum(axis=1) + constant
    return Tilted(
        last.layouts,
        weights,
        log_likelihood,
        weights.log_mean + math.log(len(weights) / draws) - math.log(sampler.total) + constant,
        weights.log_mean_error_of(draws),
        draws,
        proposal,
        sum(len(one.layouts) for one in every),
        tuple(one.degree for one in every),
        max(float(one.terms.sum(axis=1).max(initial=-np.inf)) for one in every) + constant,
        tuple(seat for seat in told if all(seat in one.unexplained(told) for one in every)),
    )


def _settled(done: Sequence[Round]) -> bool:
    """Whether another round is not worth its price: the last one is good, or fair and hardly better than before."""
    last = done[-1]
    if last.degree < 1.0:
        return False
    before = max((one.share for one in done[:-1] if one.degree == 1.0), default=0.0)
    return last.share >= GOOD or (len(done) > 2 and max(last.share, before) >= FAIR and last.share < 1.15 * before)


def _begin(constraints: Constraints, sampler: Uniform, start: Proposal | None, worth: Ints) -> Proposal:
    """The uniform proposal, or an earlier one made to fit the hard evidence of today."""
    flat = Proposal.flat(constraints, sampler, worth)
    if start is None or start.uniform or set(start.order) != set(flat.order) or (start.worth != flat.worth).any():
        return flat
    return replace(start, known=flat.known, sampler=sampler)


type Floats = NDArray[np.float64]

MOST_AGAIN: Final = 2
"""Draws for each one asked for, at most; thinned by their weights, those that stay count nearly the same."""

CHEAP: Final = 8000
"""Up to so many draws, MOST_AGAIN is no limit: a fit that is little worth is better made up for by more draws."""

ENOUGH: Final = 0.1
"""Effective draws wanted, as a share of the draws asked for; until then more are drawn by levels."""

MORE: Final = 100_000
MOST: Final = 500_000
"""Draws by levels at a time, and in all."""


def tilted_draws(
    target: Target, draws: int, rng: np.random.Generator, why: str, start: Proposal | None = None
) -> Draws:
    """Run the engine; shapes and points say little of levels, so they are no way out where a caller has levels."""
    proposal = LevelProposal.of(target)
    if proposal is not None:
        return _by_levels(target, proposal, draws, rng, why)
    return _by_shapes(target, draws, rng, why, start)


def _by_levels(target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Draws by exact tables of the callers' levels, more of them where they are worth little."""
    parts: list[tuple[Masks, Floats, Floats]] = []
    while True:
        masks = proposal.tables.draw(draws if not parts else MORE, rng)
        likelihood = target.soft.of_layouts(masks)
        parts.append((masks, likelihood, likelihood - proposal.log_weights(masks)))
        masks, likelihood, log_weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        worth = 0.0 if log_weights.max() == -np.inf else Weights(log_weights).ess
        if worth >= ENOUGH * draws or len(masks) >= max(draws, MOST):
            break
    if not worth:
        raise target.unexplained(len(masks))
    weights = Weights(log_weights)
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {len(masks)} draws by exact tables of levels are worth {weights.ess:.0f} independent ones",
        masks,
        importance=weights,
        likelihood=likelihood,
        log_soft=proposal.tables.log_mean + weights.log_mean,
        log_soft_error=weights.log_mean_error,
        ess=weights.ess,
    )


def honour_points(soft: SoftEvidence) -> Ints:
    """(16,) the points of honours that the tilts count: what all callers' models offer, or high-card points.

    Values are scaled up to ten in a suit, or as near to it as whole numbers go, like those of high-card points.
    """
    offered = {honour_values_of(term.call[0]) if term.call else None for term in soft.terms}
    values = offered.pop() if len(offered) == 1 else None
    if values is None:
        return HONOUR_POINTS
    by_rank = np.array(values[::-1]) * (10 // sum(values))
    return np.array([sum(by_rank[rank] for rank in range(4) if held >> rank & 1) for held in range(16)], dtype=np.int64)


def _by_shapes(target: Target, draws: int, rng: np.random.Generator, why: str, start: Proposal | None) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    search = min(SEARCH, target.cost.most_layouts // 10)
    try:
        drawn = tilted(
            target.constraints,
            target.sampler,
            target.soft.of_seat,
            target.soft.seats,
            draws=draws,
            most=max(MOST_AGAIN * draws, min(CHEAP, 8 * draws)),
            rng=rng,
            search=search,
            start=start,
            worth=honour_points(target.soft),
        )
    except Contradiction as error:
        raise target.unexplained(int(error.data.get("draws", draws))) from None
    found = drawn.thinned(draws, rng)
    ess = found.ess
    warning = found.diagnosis if found.unexplained else ""
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {drawn.drawn} draws from a fitted proposal, thinned to {len(found.layouts)}, are worth "
        f"{ess:.0f} independent ones",
        found.layouts,
        importance=found.weights,
        proposed=drawn.weights,
        likelihood=found.log_likelihood,
        log_soft=found.log_soft,
        log_soft_error=found.log_soft_error,
        ess=ess,
        warning=warning,
        proposal=found.proposal,
    )
