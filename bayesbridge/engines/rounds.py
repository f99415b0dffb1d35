"""Rounds of importance sampling, and the proposal that each leads to.

**Tempering.** While the effective sample size (ESS) of a round is small, the next
proposal is fitted to the tempered target ``q^(1 - φ) · L^φ``, with φ the largest
exponent that keeps the ESS above ``MIN_ESS``.

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

from bayesbridge.engines.proposal import SPREAD, Proposal, Tilt
from bayesbridge.engines.splits import split
from bayesbridge.engines.tilt_fit import fit_tilt
from bayesbridge.engines.weights import Weights, tempering
from bayesbridge.game.layouts import Floats, Hands, Masks

type SeatLikelihood = Callable[[int, Hands], Floats]
"""log P(soft evidence about a seat ∣ its hand)."""

MIN_ESS: Final = 120.0  # effective sample size that tempering must leave of a round
LOWEST: Final = -30.0  # fits clip log likelihoods at so much below the largest
MOST_SPREAD: Final = 0.9  # the tilt keeps a tenth

UNEXPLAINED: Final = -0.7  # a log likelihood below it says that a call is a surprise
SAME: Final = 1e-9  # log likelihoods this close are equal

MOST_ROWS: Final = 400
"""Draws that the tilt of a seat that leaves cards is fitted to: each costs a split."""

UNIFORM_REACH: Final = 2.0
"""How much larger the exponent may be after uniform draws. These are far from any
target: a rough fit beats a short step.
"""

EVEN_SHARE: Final = 0.3  # of the rows that are chosen without regard to weight


@dataclass(frozen=True, eq=False)
class Round:
    """Draws of one proposal, without the dead ones."""

    proposal: Proposal
    layouts: Masks
    log_q: Floats
    terms: Floats  #: (n, 4) log likelihoods of the hands.
    drawn: int

    @cached_property
    def log_likelihood(self) -> Floats:
        """(n,) log likelihoods of the layouts."""
        return np.asarray(self.terms.sum(axis=1))

    @cached_property
    def log_weights(self) -> Floats:
        """(n,) log importance weights."""
        return self.log_likelihood - self.log_q

    @cached_property
    def degree(self) -> float:
        """The largest exponent φ of the weights that leaves enough ESS.

        That is ``MIN_ESS``, or half the draws where this is less.
        """
        return _degree(self.log_weights)

    @cached_property
    def share(self) -> float:
        """ESS / draws."""
        return ess_of(self.log_weights) / self.drawn

    def unexplained(self, seats: Sequence[int]) -> tuple[int, ...]:
        """The seats whose log likelihood is the same for all hands, and low."""
        if not len(self.terms):
            return tuple(seats)
        low = self.terms.min(axis=0)
        high = self.terms.max(axis=0)
        return tuple(
            seat
            for seat in seats
            if high[seat] < UNEXPLAINED and high[seat] <= low[seat] + SAME
        )

    def continued(self, following: Round) -> Round:
        """This round with more draws of the same proposal."""
        return Round(
            self.proposal,
            np.concatenate([self.layouts, following.layouts]),
            np.concatenate([self.log_q, following.log_q]),
            np.concatenate([self.terms, following.terms]),
            self.drawn + following.drawn,
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
    layouts = layouts[live]
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, np.ascontiguousarray(layouts[:, seat]))
    return Round(proposal, layouts, log_q[live], terms, n)


def ess_of(log_weights: Floats) -> float:
    """The effective sample size; 0 where no draw has weight."""
    if log_weights.max(initial=-np.inf) == -np.inf:
        return 0.0
    return Weights(log_weights).ess


def _degree(log_weights: Floats) -> float:
    """See :attr:`Round.degree`; 0 where no draw has weight."""
    finite = log_weights[log_weights > -np.inf]
    if not len(finite):
        return 0.0
    return tempering(finite, min(MIN_ESS, 0.5 * len(finite)), halvings=10)


def refit(
    base: Round, further: Sequence[Round], seats: Sequence[int], caution: float
) -> Proposal:
    """The proposal fitted to the target, or to a tempered one.

    ``base``: the round that it starts from; ``further``: other rounds; ``caution`` ≤ 1
    shortens the step.
    """
    if base.degree == 0.0 or len(base.proposal.order) < 2:
        return base.proposal
    return _Fit.of(base, further, seats, caution).proposal()


@dataclass(frozen=True, eq=False)
class _Fit:
    """What the tilts of the next proposal are fitted to: n pooled draws.

    Those of the base come last.
    """

    base: Round
    layouts: Masks
    power: float  #: Of the tempered target.
    spread: float
    order: tuple[int, ...]
    goals: dict[int, Floats]  #: By seat, (n,) log likelihoods, tempered.
    weights: dict[int, Floats]  #: By seat, (n,)
    last_seats: tuple[int, ...]
    """Of the last two seats of the order, those that soft evidence speaks of."""

    @classmethod
    def of(
        cls,
        base: Round,
        further: Sequence[Round],
        seats: Sequence[int],
        caution: float,
    ) -> _Fit:
        """See :func:`refit`."""
        after_uniform = base.proposal.uniform
        power = caution * base.degree
        if after_uniform:
            power *= UNIFORM_REACH
        power = min(1.0, power)
        pooled = [*_poolable(further, power), base]
        spread = SPREAD
        floor = -np.inf
        if len(seats) == 1:
            spread, floor = _floor([*further, base])
        terms = _clipped_terms(pooled, seats[0], floor)
        order = _order(base.proposal, terms, seats)
        powers = dict.fromkeys(order, power)
        weights = dict.fromkeys(order, _pooled_weights(pooled, floor, power))
        if after_uniform and len(seats) > 1:
            # Few hands explain the calls of all seats, many those of one: each seat is
            # fitted by itself.
            for seat in seats:
                powers[seat] = caution * _degree(terms[:, seat])
                weights[seat] = _tempered(terms[:, seat], powers[seat])
        layouts = np.concatenate([round_.layouts for round_ in pooled])
        goals = {}
        for seat in order:
            current_tilt = base.proposal.tilts[seat].log(layouts[:, seat])
            likelihood_part = powers[seat] * terms[:, seat]
            goals[seat] = likelihood_part + (1.0 - powers[seat]) * current_tilt
        last_seats = tuple(seat for seat in order[-2:] if seat in seats)
        return cls(base, layouts, power, spread, order, goals, weights, last_seats)

    def proposal(self) -> Proposal:
        """The fitted proposal."""
        proposal = replace(self.base.proposal, order=self.order, spread=self.spread)
        tilts = list(proposal.tilts)
        for seat in self.last_seats:
            hands = self.layouts[:, seat]
            tilts[seat] = fit_tilt(
                hands, self.goals[seat], self.weights[seat], tilts[seat]
            )
        for step in range(len(self.order) - 3, -1, -1):
            proposal = replace(proposal, tilts=tuple(tilts))
            seat = self.order[step]
            tilts[seat] = self._early_tilt(proposal, step)
        return replace(proposal, tilts=tuple(tilts))

    def _early_tilt(self, proposal: Proposal, step: int) -> Tilt:
        """The tilt of a seat that leaves cards to others.

        It answers for what its hand leaves them, too. That takes a split for each draw,
        so only the base is used, and of the base those draws that count.
        """
        seat = self.order[step]
        of_base = slice(len(self.layouts) - len(self.base.layouts), None)
        rows, weights = _systematic_rows(self.weights[seat][of_base])
        layouts = self.base.layouts[rows]
        log_sum = _log_sums(proposal, layouts, step + 1)
        if self.power < 1.0 and not self.base.proposal.uniform:
            current_log_sum = _log_sums(self.base.proposal, layouts, step + 1)
            log_sum = log_sum - (1.0 - self.power) * current_log_sum
        goals = self.goals[seat][of_base][rows] + log_sum
        return fit_tilt(layouts[:, seat], goals, weights, proposal.tilts[seat])


def _order(proposal: Proposal, terms: Floats, seats: Sequence[int]) -> tuple[int, ...]:
    """The order in which seats take their cards.

    It is settled after uniform draws: the seat whose likelihood varies most comes first.
    """
    if not proposal.uniform:
        return proposal.order
    deviations = {seat: float(np.std(terms[:, seat])) for seat in seats}
    return tuple(sorted(proposal.order, key=lambda seat: -deviations.get(seat, 0.0)))


def _poolable(rounds: Sequence[Round], power: float) -> list[Round]:
    """The latest rounds that need no tempering, if the next fit needs none."""
    if power < 1.0:
        return []
    return [
        earlier
        for earlier in rounds[-2:]
        if earlier.degree == 1.0 and not earlier.proposal.uniform
    ]


def _clipped_terms(rounds: Sequence[Round], seat: int, floor: float) -> Floats:
    """(n, 4) log likelihoods of hands, those of one seat beyond the floor of slips."""
    terms = np.concatenate([round_.terms for round_ in rounds])
    terms[:, seat] = _without(terms[:, seat], floor)
    return np.asarray(np.maximum(terms, terms.max(axis=0) + LOWEST))


def _pooled_weights(rounds: Sequence[Round], floor: float, power: float) -> Floats:
    """(n,) tempered weights of the draws of several rounds."""
    weights = []
    for pooled in rounds:
        log_weights = _without(pooled.log_likelihood, floor) - pooled.log_q
        weights.append(_tempered(log_weights, min(pooled.degree, power)))
    return np.concatenate(weights)


def _systematic_rows(weights: Floats) -> tuple[NDArray[np.intp], Floats]:
    """At most ``MOST_ROWS`` rows by systematic sampling, and their weights.

    Most are chosen by weight, some evenly: a fit must know low likelihoods too.
    """
    if len(weights) <= MOST_ROWS:
        return np.arange(len(weights)), weights
    by_weight = (1.0 - EVEN_SHARE) * weights / weights.sum()
    mixture = by_weight + EVEN_SHARE / len(weights)
    chance = np.minimum(1.0, MOST_ROWS * mixture)
    rows = np.flatnonzero(np.diff(np.floor(np.cumsum(chance) + 0.5), prepend=0.0))
    return rows, weights[rows] / chance[rows]


def _floor(rounds: Sequence[Round]) -> tuple[float, float]:
    """The share of the uniform distribution in the next proposal.

    Also the log likelihood that it accounts for.
    """
    latest = rounds[-1]
    lowest = min(float(round_.log_likelihood.min(initial=0.0)) for round_ in rounds)
    layouts = latest.proposal.sampler.total * latest.drawn / len(latest.layouts)
    evidence = Weights(latest.log_weights).log_mean - math.log(layouts)
    share = math.exp(min(lowest - evidence, 0.0))
    if share <= SPREAD:
        return SPREAD, -np.inf
    spread = min(share, MOST_SPREAD)
    return spread, evidence + math.log(spread)


def _without(values: Floats, floor: float) -> Floats:
    """log(exp(values) - exp(floor)), clipped where almost nothing is left."""
    if floor == -np.inf:
        return values
    remaining_share = -np.expm1(np.minimum(floor - values, 0.0))
    clipped: Floats = np.maximum(remaining_share, math.exp(LOWEST))
    return values + np.log(clipped)


def _tempered(log_weights: Floats, power: float) -> Floats:
    """(n,) weights to a power; their sum grows with their effective sample size."""
    clipped = np.maximum(log_weights, log_weights.max() + 10.0 * LOWEST)
    powered = Weights(power * clipped)
    return np.asarray(powered.W * power * np.sqrt(len(powered) * powered.ess))


def _log_sums(proposal: Proposal, layouts: Masks, step: int) -> Floats:
    """(n,) the log sum of weights of a split, clipped below."""
    taker, waiting = proposal.splits[step]
    cards = proposal.left_over(layouts, step)
    log_sum = split(taker, waiting, cards, None).log_sums
    return np.asarray(np.maximum(log_sum, log_sum.max() + LOWEST))
