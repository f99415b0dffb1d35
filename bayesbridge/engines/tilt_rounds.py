"""Rounds of tilted draws: ask the model about draws of a proposal, and fit the next proposal to the answers.

While few draws carry the weight, the evidence is let in by degrees: with φ the largest power at which the weights of
the round are worth enough draws, the next goal lies on the path ``q^(1 - φ) · L^φ`` from the proposal to the target. So
hands that explain a rare call are approached step by step, and each fit asks no more than the draws at hand can tell.

From uniform draws, of which hardly any explains the calls of all seats at once, each seat is fitted to the likelihood
of its own hands.

A bidder that slips gives every hand at least a small likelihood c. After a rare call the hands that slipped may be much
of the posterior, and no tilt follows them and the bidders at once. So where one seat alone is told about, the uniform
part of the proposal gets the share c / P(evidence), and the tilt is fitted to ``L - c``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.proposal import SPREAD, Proposal
from bayesbridge.engines.tilt_fit import fit_tilt
from bayesbridge.engines.tilt_split import split
from bayesbridge.engines.tilt_sums import Floats, Hands
from bayesbridge.engines.weights import Weights
from bayesbridge.layouts import Masks

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

    def enough(power: float) -> bool:
        return Weights(power * finite).ess >= min(FEW, 0.5 * len(finite))

    if enough(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


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
