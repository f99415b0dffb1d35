"""Tricks of several contracts on the same layouts: predicted on all of them, solved on some.

For each declarer and strain the network of ``tricks`` gives a distribution for every layout, W its weight. Any number
that depends on the tricks of one contract or of two (a score, a difference, IMPs) has a mean in each layout, tricks of
two contracts taken as independent given the layout. Where a solver is there, m of the layouts are drawn by their
weights and solved in all contracts that matter, so that every comparison is made on the same ones; the network's
predictions for all layouts decide how the solved ones are weighted (:mod:`bayesbridge.estimators.correction`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.thinning import thinned
from bayesbridge.calls import Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.decisions.payoffs import Payoff
from bayesbridge.engines.weights import Weights
from bayesbridge.estimators.checked import run
from bayesbridge.estimators.contract_odds import normalised, solve_layouts
from bayesbridge.estimators.contract_question import PREDICTS
from bayesbridge.estimators.correction import SolvedSample
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.estimators.tricks import TricksEstimator
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator

type Floats = NDArray[np.float64]

LAYOUTS: Final = 4000
"""Layouts that are judged of a posterior that has more."""

MOST_EXACT: Final = 10_000
"""Layouts up to which an exact posterior is taken whole."""


def judged(posterior: Posterior, rng: Seed, exact_up_to: int = MOST_EXACT) -> tuple[Layouts, Floats, float]:
    """Layouts with weights, and what they are worth: all of a small exact posterior, else ``LAYOUTS`` draws."""
    fewer = posterior
    if len(posterior) > (exact_up_to if posterior.exact else LAYOUTS):
        fewer = thinned(posterior, LAYOUTS, rng, f"{LAYOUTS} of these for a decision")
    return fewer.layouts, np.asarray(fewer.weights), np.inf if fewer.exact else max(1.0, fewer.ess)


class Group(NamedTuple):
    """Contracts that take the same tricks."""

    declarer: Seat
    dummy: Seat
    strain: Strain

    @classmethod
    def of(cls, contract: Contract, dummy: Seat) -> Group:
        """Of a contract, with who lays the hand down."""
        return cls(contract.declarer, dummy, contract.strain)

    @property
    def question(self) -> Question:
        """What estimators are asked."""
        return Question.of((self.declarer, self.dummy), trump=self.strain.trump)


class Number(NamedTuple):
    """A number of each layout, by the network and where it was solved."""

    predicted: Floats
    """(n,) its mean over what the network says of the layout."""
    square: Floats
    """(n,) the mean of its square."""
    solved: Floats | None
    """(m,) its value in the layouts that were solved; ``None`` where it was not."""
    low: float
    """The least that it can be."""
    high: float
    """The most that it can be."""
    step: float
    """By how much it may differ in a layout that takes one trick more or less than those solved."""


@dataclass(frozen=True, slots=True, eq=False)
class TrickTables:
    """Layouts with weights, and the tricks of every group on them."""

    layouts: Layouts
    weights: Floats
    """(n,) adding up to one."""
    ess: float
    """Effective sample size of the layouts, infinite where they are all that fit."""
    pmfs: Mapping[Group, Floats]
    """(n, 14) P(tricks) in each layout."""
    chosen: NDArray[np.int64]
    """(m,) numbers of the layouts that were solved."""
    sample: SolvedSample | None
    """How these are weighted; ``None`` where nothing was solved."""
    tricks: Mapping[Group, NDArray[np.int64]]
    """(m,) solved, for the groups that were."""

    @classmethod
    def of(cls, posterior: Posterior, groups: Iterable[Group], rng: Seed) -> TrickTables:
        """By the network alone."""
        layouts, weights, ess = judged(posterior, rng)
        network = TricksEstimator()
        pmfs = {one: normalised(run(network, layouts, one.question)[PREDICTS]) for one in groups}
        return cls(layouts, weights, ess, pmfs, np.empty(0, np.int64), None, {})

    def solved_by(
        self, solver: Estimator, groups: Sequence[Group], m: int, controls: Sequence[Floats], rng: Seed
    ) -> TrickTables:
        """With ``m`` layouts solved in these groups; all if there are no more.

        ``controls`` (n,) are the predictions that the weights of the solved layouts are fitted to, the most important
        first. A solver that fails raises :class:`PluginError`.
        """
        n = len(self.layouts)
        if n <= m:
            chosen = np.arange(n)
            exact = self.ess == np.inf
            sample = SolvedSample.every(self.weights) if exact else SolvedSample.of(self.weights, worth=self.ess)
        else:
            with np.errstate(divide="ignore"):
                weights = Weights(np.log(self.weights))
            chosen = np.asarray(weights.resample(m, generator(rng), "multinomial"), np.int64)
            predicted = np.stack(controls, axis=1) if controls else np.empty((n, 0))
            equal = np.full(m, 1.0 / m)
            sample = SolvedSample.of(equal, predicted[chosen], self.weights @ predicted, self.ess)
        some = self.layouts[chosen]
        tricks = {one: solve_layouts(solver, some, one.question) for one in groups}
        return replace(self, chosen=chosen, sample=sample, tricks=tricks)

    @property
    def every(self) -> bool:
        """Whether every layout was solved, so that what was solved is exact."""
        return self.sample is not None and self.sample.size == np.inf

    def of_one(self, group: Group, worth: Floats) -> Number:
        """``worth[tricks]`` of one group."""
        pmf = self.pmfs[group]
        solved = worth[self.tricks[group]] if group in self.tricks else None
        near = worth[self._near(group)]
        return _number(pmf @ worth, pmf @ worth**2, solved, worth, _largest_step(near))

    def of_two(self, first: Group, second: Group, worth: Floats) -> Number:
        """``worth[tricks of the first, tricks of the second]``; (14, 14)."""
        if first == second:
            return self.of_one(first, np.ascontiguousarray(worth.diagonal()))
        one, two = self.pmfs[first], self.pmfs[second]
        predicted, square = (np.asarray(((one @ each) * two).sum(axis=1)) for each in (worth, worth**2))
        solved = None
        if first in self.tricks or second in self.tricks:
            known = [self._certain(group) for group in (first, second)]
            solved = np.asarray(((known[0] @ worth) * known[1]).sum(axis=1))
        near = worth[self._near(first)][:, self._near(second)]
        return _number(predicted, square, solved, worth, _largest_step(near) + _largest_step(near.T))

    def mean(self, number: Number) -> tuple[float, float]:
        """Posterior mean of a number, and its standard error."""
        if number.solved is not None and self.sample is not None:
            return self.sample.mean(number.solved, number.low, number.high, number.step)
        mean = min(max(float(self.weights @ number.predicted), number.low), number.high)  # rounding alone
        spread = 0.0 if number.low == number.high else float(self.weights @ (number.predicted - mean) ** 2)
        return mean, float(np.sqrt(spread / self.ess))

    def best(self, groups: Sequence[Group], payoffs: Sequence[Payoff]) -> list[Number]:
        """For each contract, in rising order, whether no other pays more; of equal ones the lowest counts."""
        by_network = best_shares([self.pmfs[group] for group in groups], groups, payoffs)
        known = best_shares([self._certain(group) for group in groups], groups, payoffs) if self.tricks else by_network
        return [
            Number(share, share, true if self.tricks else None, 0.0, 1.0, 1.0)
            for share, true in zip(by_network, known, strict=True)
        ]

    def _certain(self, group: Group) -> Floats:
        """(m, 14) P(tricks) in the layouts chosen: certain where they were solved."""
        return np.eye(14)[self.tricks[group]] if group in self.tricks else self.pmfs[group][self.chosen]

    def _near(self, group: Group) -> slice:
        """Numbers of tricks up to one from those that were solved; all where none was."""
        if group not in self.tricks:
            return slice(0, 14)
        tricks = self.tricks[group]
        return slice(max(0, int(tricks.min()) - 1), min(14, int(tricks.max()) + 2))


def _number(predicted: Floats, square: Floats, solved: Floats | None, worth: Floats, step: float) -> Number:
    """A number with its bounds; where no near number of tricks changes it, any change is as far as these."""
    low, high = float(worth.min()), float(worth.max())
    return Number(predicted, square, solved, low, high, step or high - low)


def _largest_step(near: Floats) -> float:
    """The largest difference between neighbours along the first axis."""
    return float(np.abs(np.diff(near, axis=0)).max())


def best_shares(pmfs: Sequence[Floats], groups: Sequence[Group], payoffs: Sequence[Payoff]) -> Floats:
    """(contracts, n) P(it pays most in the layout); tricks of different groups are independent given the layout.

    Within a group the tricks decide which contract pays most. It is best of all where every other group's best pays
    less, or the same by a higher contract.
    """
    kinds = list(dict.fromkeys(groups))
    chances = dict(zip(groups, pmfs, strict=True))
    tops: dict[Group, NDArray[np.int64]] = {}
    worth = np.array([one.worth for one in payoffs])
    for kind in kinds:
        own = np.array([place for place, group in enumerate(groups) if group == kind])
        tops[kind] = own[worth[own].argmax(axis=0)]  # the first of the highest, and contracts rise
    shares = np.zeros((len(payoffs), len(pmfs[0])))
    columns = np.arange(14)
    for kind in kinds:
        top = tops[kind]
        pays = worth[top, columns]
        chance = chances[kind].copy()
        for other in kinds:
            if other != kind:
                theirs, rivals = worth[tops[other], columns], tops[other]
                beaten = (pays[:, None] > theirs) | ((pays[:, None] == theirs) & (top[:, None] < rivals))
                chance *= chances[other] @ beaten.T.astype(np.float64)
        for tricks in range(14):
            shares[top[tricks]] += chance[:, tricks]
    return shares
