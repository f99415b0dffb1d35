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
from typing import Final, NamedTuple

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
SYSTEMATIC_OFFSET: Final = 0.5  # not drawn: a fit needs no random choice of its rows


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
            proposal=self.proposal,
            layouts=np.concatenate([self.layouts, following.layouts]),
            log_q=np.concatenate([self.log_q, following.log_q]),
            terms=np.concatenate([self.terms, following.terms]),
            drawn=self.drawn + following.drawn,
        )


def run_round(
    proposal: Proposal,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    n: int,
    generator: np.random.Generator,
) -> Round:
    """Draw ``n`` layouts and evaluate the likelihood of the hands of some seats.

    Draws without a completion, of density 0, are dropped: they count as drawn, with
    weight 0.
    """
    layouts, log_q = proposal.draw(n, generator)
    live = log_q > -np.inf
    layouts = layouts[live]
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, np.ascontiguousarray(layouts[:, seat]))
    return Round(
        proposal=proposal, layouts=layouts, log_q=log_q[live], terms=terms, drawn=n
    )


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
    base: Round, further: Sequence[Round], seats: Sequence[int], step_size: float
) -> Proposal:
    """The next proposal, fitted to the target or, where that is far, part of the way.

    The fit is to the tempered target q^(1 − φ) · L^φ, between the proposal q of the
    ``base``, the round that it starts from, and the likelihood L of the ``seats``.
    ``step_size`` ≤ 1 makes the exponent φ smaller. ``further``: other rounds.
    """
    if base.degree == 0.0 or len(base.proposal.order) < 2:
        return base.proposal
    return _Fit.of(base, further, seats, step_size).proposal()


@dataclass(frozen=True, eq=False)
class _Fit:
    """What the tilts of the next proposal are fitted to: n pooled draws.

    Those of the base come last.
    """

    base: Round
    layouts: Masks
    power: float  #: φ, the exponent of the tempered target.
    uniform_share: float  #: Of the uniform distribution in the next proposal.
    order: tuple[int, ...]  #: In which the seats take their cards.
    goals: dict[int, Floats]  #: By seat, (n,) log likelihoods, tempered.
    weights: dict[int, Floats]  #: By seat, (n,)
    seats: tuple[int, ...]  #: Those that soft evidence speaks of.

    @classmethod
    def of(
        cls,
        base: Round,
        further: Sequence[Round],
        seats: Sequence[int],
        step_size: float,
    ) -> _Fit:
        """Pool draws, and find what the tilt of each seat is to be fitted to.

        The target is tempered, q^(1 − φ) · L^φ with q the proposal of the ``base``
        round and L the likelihood of the ``seats``, so that its weights on these draws
        keep enough effective sample size. With one seat the uniform part of the next
        proposal accounts for the hands that slipped, up to a *floor* of the log
        likelihood; the tilt is fitted to what is above. ``further``: other rounds, of
        which good ones are pooled; ``step_size`` ≤ 1 makes φ smaller.
        """
        power = _next_power(base, step_size)
        pooled = [*_poolable(further, power), base]
        slips = _Slips(share=SPREAD, floor=-np.inf)
        if len(seats) == 1:
            slips = _slips_of([*further, base])
        terms = _clipped_terms(pooled, seats[0], slips.floor)
        order = _order(base.proposal, terms, seats)
        powers = dict.fromkeys(order, power)
        weights = dict.fromkeys(order, _pooled_weights(pooled, slips.floor, power))
        if base.proposal.uniform and len(seats) > 1:
            # Few hands explain the calls of all seats, many those of one: each seat is
            # fitted by itself.
            for seat in seats:
                powers[seat] = step_size * _degree(terms[:, seat])
                weights[seat] = _tempered(terms[:, seat], powers[seat])
        layouts = np.concatenate([round_.layouts for round_ in pooled])
        goals = {}
        for seat in order:
            log_current_tilt = base.proposal.tilts[seat].log(layouts[:, seat])
            likelihood_part = powers[seat] * terms[:, seat]
            goals[seat] = likelihood_part + (1.0 - powers[seat]) * log_current_tilt
        return cls(
            base=base,
            layouts=layouts,
            power=power,
            uniform_share=slips.share,
            order=order,
            goals=goals,
            weights=weights,
            seats=tuple(seats),
        )

    def proposal(self) -> Proposal:
        """The fitted proposal: a tilt, a weight of its hands, for each seat.

        Seats take their cards in order. The last two share what is left in one split,
        so their tilts are fitted to their hands alone. Those before them are fitted
        from the last to the first: each must know what the seats after it make of the
        cards that it leaves.
        """
        proposal = replace(
            self.base.proposal, order=self.order, spread=self.uniform_share
        )
        tilts = list(proposal.tilts)
        earlier_seats = self.order[:-2]
        for seat in self.order[-2:]:
            if seat in self.seats:
                tilts[seat] = fit_tilt(
                    self.layouts[:, seat],
                    self.goals[seat],
                    self.weights[seat],
                    tilts[seat],
                )
        for place in reversed(range(len(earlier_seats))):
            proposal = replace(proposal, tilts=tuple(tilts))
            tilts[earlier_seats[place]] = self._early_tilt(proposal, place)
        return replace(proposal, tilts=tuple(tilts))

    def _early_tilt(self, proposal: Proposal, place: int) -> Tilt:
        """The tilt of a seat that takes its cards before others split what it leaves.

        ``place``: of the seat in the order. A draw has the density tilt / S, with S the
        sum of the weights of all splits of what its hand leaves. The density, not the
        tilt, is to follow the goal: so log S of the ``proposal``, whose later tilts are
        fitted already, is added to it. Of the tempered goal (1 − φ) is the current
        proposal, the base's, whose own log S is subtracted. As S takes a split for each
        draw, only some draws of the base are used, those that count.
        """
        seat = self.order[place]
        base_size = len(self.base.layouts)  # the draws of the base come last
        base_goals = self.goals[seat][-base_size:]
        base_weights = self.weights[seat][-base_size:]
        rows, weights = _systematic_rows(base_weights)
        layouts = self.base.layouts[rows]
        log_sums = _log_sums(proposal, layouts, place + 1)
        if self.power < 1.0 and not self.base.proposal.uniform:
            current_log_sums = _log_sums(self.base.proposal, layouts, place + 1)
            log_sums = log_sums - (1.0 - self.power) * current_log_sums
        goals = base_goals[rows] + log_sums
        return fit_tilt(layouts[:, seat], goals, weights, proposal.tilts[seat])


def _next_power(base: Round, step_size: float) -> float:
    """The exponent φ ≤ 1 of the tempered target that is fitted next."""
    power = step_size * base.degree
    if base.proposal.uniform:
        power *= UNIFORM_REACH
    return min(1.0, power)


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

    Most are chosen by weight, some evenly: a fit must know low likelihoods too. A row
    of less chance to be chosen weighs more, so that sums stay the same.
    """
    if len(weights) <= MOST_ROWS:
        return np.arange(len(weights)), weights
    by_weight = (1.0 - EVEN_SHARE) * weights / weights.sum()
    mixture = by_weight + EVEN_SHARE / len(weights)
    chance = np.minimum(1.0, MOST_ROWS * mixture)
    # A row is chosen where the running sum of chances passes a whole number.
    passed = np.floor(np.cumsum(chance) + SYSTEMATIC_OFFSET)
    rows = np.flatnonzero(np.diff(passed, prepend=0.0))
    return rows, weights[rows] / chance[rows]


class _Slips(NamedTuple):
    """What the uniform part of a proposal accounts for."""

    share: float  #: Of the uniform distribution in the proposal.
    floor: float  #: The log likelihood that it explains; -inf for none.


def _slips_of(rounds: Sequence[Round]) -> _Slips:
    """How much of the evidence hands explain that only slipped.

    A bidder that slips makes the call with any hand, with some small likelihood c: the
    lowest of all rounds. Such hands are a share c / P(evidence) of the posterior, and
    are like uniform draws. So the uniform part of the next proposal gets that share.
    P(evidence) is the mean weight L / q of the latest round over all of its draws, the
    uniform density of a layout being 1 / layouts.
    """
    latest = rounds[-1]
    log_slip = min(float(round_.log_likelihood.min(initial=0.0)) for round_ in rounds)
    # The mean is over the live draws, and those that are not count as 0.
    layouts_and_dead = (
        latest.proposal.sampler.total * latest.drawn / len(latest.layouts)
    )
    log_evidence = Weights(latest.log_weights).log_mean - math.log(layouts_and_dead)
    slip_share = math.exp(min(log_slip - log_evidence, 0.0))
    if slip_share <= SPREAD:
        return _Slips(share=SPREAD, floor=-np.inf)
    share = min(slip_share, MOST_SPREAD)
    return _Slips(share=share, floor=log_evidence + math.log(share))


def _without(values: Floats, floor: float) -> Floats:
    """log(exp(values) - exp(floor)), clipped where almost nothing is left.

    Of log likelihoods, that is what is left of the likelihood above the floor.
    """
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
    """(n,) the log of the summed weights of all splits number ``step``, clipped below.

    In each of (n, 4) layouts what the seats before it leave is split.
    """
    taker, waiting = proposal.splits[step]
    cards = proposal.left_over(layouts, step)
    log_sums = split(taker, waiting, cards, None).log_sums
    return np.asarray(np.maximum(log_sums, log_sums.max() + LOWEST))
