"""Tilted draws for soft evidence that speaks of one hand at a time: any bidder, any player model.

Likelihoods of hands become a proposal whose draws explain the evidence, in rounds: draw from the proposal so far (at
first all layouts alike), ask the model, fit the tilts to all answers (:mod:`~bayesbridge.engines.tilt_fit`), draw
again. While few draws carry the weight, the evidence is let in by degrees: the fit follows ``L^φ`` with φ < 1, so that
hands that explain a rare call are approached step by step. The last round alone is reported, weighed by
``L / q``: whatever the fit, means over it are consistent and its mean weight is an unbiased estimate of P(evidence).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from bayesbridge.constraints import Constraints
from bayesbridge.engines.proposal import SPREAD, Proposal
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.tilt_fit import fit_tilt
from bayesbridge.engines.tilt_kernels import Floats, Hands
from bayesbridge.engines.tilt_split import split
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed

type SeatLikelihood = Callable[[int, Hands], Floats]
"""(seat, (n,) masks of its hand) → (n,) log P(soft evidence about the seat ∣ hand)."""

PILOT: Final = 800
"""Draws of a round before the last."""

ROUNDS: Final = 12
"""Rounds before the last, at most."""

FEW: Final = 120.0
"""Effective draws that a degree φ must leave of a round."""

GOOD: Final = 0.35
"""Effective share of a round's draws that makes it the last but one."""

BOLD_FIRST = 2.0
BOLD = 1.0
LOWEST: Final = -30.0
"""Log likelihoods below the best by more than this count as so much below in fits."""


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
    degrees:        φ of each round before the last; below 1 at the end means that the evidence was never let in wholly
    best:           the largest log likelihood met in any round
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

    @property
    def ess(self) -> float:
        """Kish's effective sample size."""
        return self.weights.ess


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """Draws of one proposal with the log likelihoods of their hands: terms (n, 4)."""

    layouts: Masks
    log_q: Floats
    terms: Floats
    drawn: int

    @property
    def log_weights(self) -> Floats:
        found: Floats = self.terms.sum(axis=1) - self.log_q
        return found


def tilted(
    constraints: Constraints,
    sampler: Sampler,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    *,
    draws: int,
    rng: Seed,
    start: Proposal | None = None,
    pilot: int = PILOT,
    rounds: int = ROUNDS,
) -> Tilted:
    """``draws`` weighted layouts for soft evidence about ``seats``, from a proposal fitted to it.

    >>> from bayesbridge.layouts import high_card_points
    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> strong = lambda seat, hands: 0.3 * high_card_points(hands)
    >>> found = tilted(spades, Sampler.of(spades), strong, [3], draws=500, rng=1)
    >>> found.layouts.shape, found.ess > 400
    ((500, 4), True)
    """
    if draws < 2:
        raise BayesBridgeError(f"{draws} draws: take at least 2, better a thousand", draws=draws)
    generator = np.random.default_rng(rng)
    proposal = Proposal.flat(constraints, sampler) if start is None else start
    told = [seat for seat in proposal.known.hidden if seat in seats]
    constant = sum(
        float(likelihood(seat, np.array([proposal.known.must[seat]], np.uint64))[0])
        for seat in seats
        if seat not in told
    )
    done: list[_Round] = []
    degrees: list[float] = []
    while told and len(done) < rounds:
        done.append(_ask(proposal, likelihood, told, pilot, generator))
        degrees.append(_degree(done[-1].log_weights))
        if degrees[-1] == 1.0 and len(done) > 1 and _share(done[-1]) >= GOOD:
            break
        proposal = _fit(proposal, done, degrees, told)
    last = _ask(proposal, likelihood, told, draws, generator)
    if not len(last.layouts) or last.log_weights.max() == -np.inf:
        raise Contradiction(
            f"the soft evidence is impossible under the model: its likelihood is 0 on all {draws} layouts drawn; "
            "give the model a slip probability (slip=0.01, say), or check the calls",
            evidence=(),
        )
    weights = Weights(last.log_weights)
    n, live = last.drawn, len(last.layouts)
    log_soft = weights.log_mean + math.log(live / n) - math.log(sampler.total) + constant
    error = math.sqrt(max(0.0, n / weights.ess - 1.0) / max(1, n - 1))
    best = max(float(one.terms.sum(axis=1).max(initial=-np.inf)) for one in (*done, last))
    log_likelihood = last.terms.sum(axis=1) + constant
    evaluations = sum(len(one.layouts) for one in (*done, last))
    return Tilted(
        last.layouts,
        weights,
        log_likelihood,
        log_soft,
        error,
        n,
        proposal,
        evaluations,
        tuple(degrees),
        best + constant,
    )


def _ask(
    proposal: Proposal, likelihood: SeatLikelihood, seats: Sequence[int], n: int, generator: np.random.Generator
) -> _Round:
    layouts, log_q = proposal.draw(n, generator)
    live = log_q > -np.inf
    if not live.all():
        layouts, log_q = layouts[live], log_q[live]
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, np.ascontiguousarray(layouts[:, seat]))
    layouts.setflags(write=False)
    return _Round(layouts, log_q, terms, n)


def _share(one: _Round) -> float:
    return Weights(one.log_weights).ess / one.drawn


def _degree(log_weights: Floats) -> float:
    """The largest φ ≤ 1 at which weights raised to it are worth FEW draws."""
    finite = log_weights[log_weights > -np.inf]

    def enough(power: float) -> bool:
        return Weights(power * finite).ess >= min(FEW, 0.5 * len(finite))

    if not len(finite):
        return 0.0
    if enough(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


def _fit(proposal: Proposal, done: list[_Round], degrees: list[float], seats: Sequence[int]) -> Proposal:
    """The proposal that the answers ask for, or one on the way from the last proposal to it.

    Where the last round is worth little, the goal is ``q^(1 - φ) L^φ``, and only the last round is near enough to tell.
    """
    power = min(1.0, (BOLD_FIRST if proposal.uniform else BOLD) * degrees[-1])
    rounds = [pair for pair in zip(done, degrees, strict=True) if len(pair[0].layouts)]
    rounds = [pair for pair in rounds[:-1] if pair[1] == 1.0 == degrees[-1]] + rounds[-1:]
    layouts = np.concatenate([one.layouts for one, _ in rounds])
    terms = np.concatenate([one.terms for one, _ in rounds])
    terms = np.maximum(terms, terms.max(axis=0) + LOWEST)
    weights = []
    for one, degree in rounds:
        powered = Weights(degree * np.maximum(one.log_weights, one.log_weights.max() + 10 * LOWEST))
        weights.append(powered.W * degree * math.sqrt(len(one.layouts) * powered.ess))
    weight = np.concatenate(weights)
    order = proposal.order
    if proposal.uniform:  # the seat whose hand explains most goes first
        spread_of = {seat: float(np.std(terms[:, seat])) for seat in seats}
        order = tuple(sorted(order, key=lambda seat: -spread_of.get(seat, 0.0)))
    tilts = list(proposal.tilts)
    goals = {seat: power * terms[:, seat] + (1.0 - power) * proposal.tilts[seat].log(layouts[:, seat]) for seat in order}
    found = replace(proposal, order=order, spread=SPREAD)
    for seat in order[-2:]:
        if seat in seats:
            tilts[seat] = fit_tilt(layouts[:, seat], goals[seat], weight, tilts[seat])
    for step in range(len(order) - 3, -1, -1):
        seat = order[step]
        found = replace(found, tilts=tuple(tilts))
        log_sum = _log_sums(found, layouts, step + 1)
        if power < 1.0 and not proposal.uniform:
            log_sum = log_sum - (1.0 - power) * _log_sums(proposal, layouts, step + 1)
        tilts[seat] = fit_tilt(layouts[:, seat], goals[seat] + log_sum, weight, tilts[seat])
    return replace(found, tilts=tuple(tilts))


def _log_sums(proposal: Proposal, layouts: Masks, step: int) -> Floats:
    """(n,) the logarithm of the sum of weights of a split, as far as it says something."""
    log_sum = split(*proposal.splits[step], proposal.left(layouts, step), None)[1]
    found: Floats = np.maximum(log_sum, log_sum.max() + LOWEST)
    return found
