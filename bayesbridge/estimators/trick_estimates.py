"""Tricks over a posterior.

A network predicts them in every layout, and some layouts are solved.

The network of ``tricks`` predicts double-dummy tricks for every draw. Where the
estimator ``solved`` is installed, m layouts of the posterior are solved too, and the
answer is theirs, weighted by what the network says of all
(:mod:`~bayesbridge.estimators.calibrated_sample`).

Layouts that the network is sure of tell little of whether a contract makes: they are
drawn to be solved less often, and weigh more, with P(layout is solved) ∝ P(layout) ·
√(variance of the number in it + SURE²), Neyman's allocation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.engines.budget import Budget
from bayesbridge.engines.weights import Estimate, Weights
from bayesbridge.errors import PluginError
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.contract_odds import (
    ALL_SOLVED,
    BY_NETWORK,
    CORRECTED,
    ContractOdds,
)
from bayesbridge.estimators.contract_question import TRICKS, ContractQuestion, Group
from bayesbridge.estimators.protocol import Estimator, Question, run, seconds_of
from bayesbridge.estimators.registry import offered
from bayesbridge.game.cards import Strain
from bayesbridge.game.layouts import Floats, Ints, Layouts
from bayesbridge.runtime.progress import report_progress
from bayesbridge.runtime.random64 import Seed, generator

PREDICTS: Final = "tricks"
"""The estimator that predicts the tricks of every draw."""

SOLVES: Final = "solved"
"""The estimator that solves them, of the double-dummy plugin."""

SURE: Final = 0.2
"""Standard deviation that the network is allowed at best of what is 0 or 1: it may be
wrong where it is sure.
"""

FIRST: Final = 75  # layouts that are solved before the first look at the error
SECONDS_A_PART: Final = 0.4  # so that progress is seen, and little too much done
QUICKEST: Final = 1e-3  # seconds a layout, at least, when parts are cut
MOST_DRAWS: Final = 4000  # enough for a decision
MOST_OF_EXACT: Final = 10_000

NETWORK_LEVELS: Final = (5.0, 7.0, 9.0, 11.0)
"""Expected tricks that part the columns of :data:`NETWORK_ERROR`."""

NETWORK_ERROR: Final = {
    False: (0.10, 0.09, 0.13, 0.11, 0.17),
    True: (0.13, 0.08, 0.11, 0.25, 0.25),
}
"""By whether it is no trumps and by level: the network's error in tricks where two
hands are known, root mean square over 100 positions
(``benchmarks/evaluation/tricks_network.py``), the last two of no trumps together.
"""


def network_error(shares: Floats, values: Floats, strain: Strain) -> float:
    """The network's own standard error of the mean of ``values[tricks]``.

    ``shares`` (14,) are P(tricks).

    Its error in tricks times what a trick more or less makes of the mean: no number of
    draws removes it.
    """
    tricks = np.arange(len(TRICKS))
    with_one_more = shares @ values[np.minimum(tricks + 1, tricks[-1])]
    with_one_less = shares @ values[np.maximum(tricks - 1, 0)]
    level = int(np.searchsorted(NETWORK_LEVELS, shares @ TRICKS, side="right"))
    error = NETWORK_ERROR[strain is Strain.NT][level]
    return float(error * abs(with_one_more - with_one_less) / 2)


def layout_solver() -> Estimator | None:
    """The estimator that solves layouts, if it is installed."""
    return offered("estimators", [SOLVES]).estimators.get(SOLVES)


def normalised(chances: NDArray[Any]) -> Floats:
    """Distributions along the last axis that add up to one.

    The network's single precision misses it by a little.
    """
    exact = np.asarray(chances, np.float64)
    return np.asarray(exact / exact.sum(axis=-1, keepdims=True))


def solve_layouts(solver: Estimator, layouts: Layouts, question: Question) -> Ints:
    """(n,) tricks."""
    outputs = run(solver, layouts, question)
    first_output = next(iter(outputs.values()))
    tricks = np.asarray(outputs.get(SOLVES, first_output), np.int64)
    if tricks.ndim != 1 or tricks.min() < 0 or tricks.max() > 13:
        fault = (
            f"estimator {solver.name!r}: expected tricks from 0 to 13 for each layout, "
            "got others"
        )
        raise PluginError(fault, plugin=solver.name)
    return tricks


def judged(
    posterior: Posterior,
    rng: Seed,
    most: int = MOST_DRAWS,
    exact_up_to: int = MOST_OF_EXACT,
) -> Posterior:
    """The posterior itself where it is small enough for a decision.

    Else ``most`` layouts drawn from it.
    """
    limit = exact_up_to if posterior.exact else most
    if len(posterior) <= limit:
        return posterior
    return subsample(posterior, most, rng, f"{most} of these for a decision")


class LayoutNumbers(NamedTuple):
    """A number of each layout, by the network and as solved.

    By the network: (n,) its mean and that of its square.
    """

    predicted: Floats
    square: Floats
    #: (m,) its value in the layouts that were solved; ``None`` where it was not.
    solved: Floats | None
    points: Floats  #: All that it can be.
    step: float
    """By how much it may differ in a layout that takes one trick more or less than
    those solved; 0 for no more.
    """
    #: The network's own standard error of its mean; 0 where all that it depends on was
    #: solved.
    network: float


class Solving(NamedTuple):
    """What is to be solved."""

    groups: Sequence[Group]
    controls: Sequence[Floats]
    """(n,) each: predictions that the weights of the solved layouts are fitted to, the
    most important first.
    """
    watched: Mapping[Group, Floats]
    """(14,) what is to be as exact as the budget says: 1 where so many tricks are
    enough.
    """
    unsure: Floats | float = 1.0
    """(n,) how much a layout tells that is solved: it is solved more often, and weighs
    less.
    """


@dataclass(frozen=True, slots=True, eq=False)
class TrickEstimates:
    """Layouts with weights, and the tricks of some groups on them.

    The tricks are the network's, and solved for some layouts.
    """

    layouts: Layouts
    weights: Floats  #: (n,) adding up to one.
    #: Effective sample size of the layouts, infinite where they are all that fit.
    ess: float
    pmfs: Mapping[Group, Floats]  #: (n, 14) P(tricks) in each layout.
    chosen: Ints  #: (m,) numbers of the layouts that were solved.
    #: How these are weighted; ``None`` where nothing was solved.
    sample: CalibratedSample | None
    tricks: Mapping[Group, Ints]  #: (m,) solved, for the groups that were.

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        groups: Iterable[Group],
        known: NDArray[Any] | None = None,
    ) -> Self:
        """Estimates by the network alone, of all layouts of a posterior.

        ``known`` (n, 14) is what it said of them already.
        """
        network = TricksEstimator()
        layouts = posterior.layouts
        pmfs = {}
        for group in groups:
            chances = known
            if chances is None:
                chances = run(network, layouts, group)[PREDICTS]
            pmfs[group] = normalised(chances)
        ess = np.inf if posterior.exact else max(1.0, posterior.ess)
        weights = np.asarray(posterior.weights)
        nothing = np.empty(0, np.int64)
        return cls(layouts, weights, ess, pmfs, chosen=nothing, sample=None, tricks={})

    def solve(
        self, solver: Estimator, work: Solving, budget: Budget, rng: Seed
    ) -> TrickEstimates:
        """The same with some layouts solved, until they are exact enough.

        As exact as the budget says; all layouts if it allows that.
        """
        layouts = len(self.layouts)
        cost = seconds_of(solver)
        most = min(layouts, budget.layouts(cost * len(work.groups), layouts))
        chosen = self._to_solve(most, work, rng)
        estimates: TrickEstimates = self
        for estimates in self._solved_parts(solver, work, chosen):
            solved = len(estimates.chosen)
            report_progress("layouts solved", solved, most)
            if not FIRST <= solved < most < layouts:
                continue
            if estimates.exact_to(budget.error, work.watched):
                break
        return estimates

    def _to_solve(self, most: int, work: Solving, rng: Seed) -> Ints:
        """(most,) numbers of the layouts to solve, in order; all where that is allowed."""
        if most == len(self.layouts):
            return np.arange(most)
        unsure = np.broadcast_to(work.unsure, len(self.layouts))
        with np.errstate(divide="ignore"):
            weights = Weights(np.log(self.weights * unsure))
        return np.asarray(
            weights.resample(most, generator(rng), "multinomial"), np.int64
        )

    def _solved_parts(
        self, solver: Estimator, work: Solving, chosen: Ints
    ) -> Iterator[TrickEstimates]:
        """The estimates after each part of the layouts, about half a second's work."""
        length = max(1, round(SECONDS_A_PART / max(seconds_of(solver), QUICKEST)))
        tricks = {group: np.empty(0, np.int64) for group in work.groups}
        for begin in range(0, len(chosen), length):
            layouts = self.layouts[chosen[begin : begin + length]]
            for group in work.groups:
                solved = solve_layouts(solver, layouts, group)
                tricks[group] = np.concatenate([tricks[group], solved])
            end = begin + len(layouts)
            yield self._with_solved(chosen[:end], work, dict(tricks))

    def _with_solved(
        self, chosen: Ints, work: Solving, tricks: Mapping[Group, Ints]
    ) -> TrickEstimates:
        """With these layouts solved, weighted so that they agree with all."""
        layouts = len(self.layouts)
        if len(chosen) == layouts:
            sample = CalibratedSample.every(self.weights, self.ess)
        else:
            predicted = np.empty((layouts, 0))
            if work.controls:
                predicted = np.stack(work.controls, axis=1)
            drawn = 1.0 / np.broadcast_to(work.unsure, layouts)[chosen]
            targets = self.weights @ predicted
            sample = CalibratedSample.of(
                drawn / drawn.sum(), predicted[chosen], targets, self.ess
            )
        return replace(self, chosen=chosen, sample=sample, tricks=tricks)

    def exact_to(self, error: float | None, watched: Mapping[Group, Floats]) -> bool:
        """Whether one standard error of all that is watched is at most this.

        ``None`` asks for as many layouts as may be.
        """
        if error is None:
            return False
        return all(
            self.mean(self.of_one(group, points)).error <= error
            for group, points in watched.items()
        )

    @property
    def every(self) -> bool:
        """Whether every layout was solved."""
        return self.sample is not None and self.sample.size == np.inf

    def basis(self, group: Group) -> str:
        """What the figures of a group rest on.

        One of ``network``, ``corrected`` and ``all solved``.
        """
        if group not in self.tricks:
            return BY_NETWORK
        if self.every:
            return ALL_SOLVED
        return CORRECTED

    def odds(self, question: ContractQuestion) -> ContractOdds:
        """What becomes of the contract that is asked about."""

        def mean_of(values: Floats) -> Estimate[float]:
            points = question.after @ values
            return self.mean(self.of_one(question.group, points))

        shares = [mean_of(indicator) for indicator in np.eye(len(TRICKS))]
        return ContractOdds(
            question.contract,
            question.group,
            question.actual,
            question.bid,
            pmf=np.array([share.mean for share in shares]),
            pmf_error=np.array([share.error for share in shares]),
            make=mean_of(question.made),
            mean=mean_of(TRICKS),
            solved=len(self.chosen),
            basis=self.basis(question.group),
        )

    def of_one(self, group: Group, points: Floats) -> LayoutNumbers:
        """``points[tricks]`` of one group."""
        pmf = self.pmfs[group]
        return LayoutNumbers(
            predicted=pmf @ points,
            square=pmf @ points**2,
            solved=points[self.tricks[group]] if group in self.tricks else None,
            points=points,
            step=_largest_step(points[self._near(group)]),
            network=self._error(group, points),
        )

    def of_two(self, first: Group, second: Group, points: Floats) -> LayoutNumbers:
        """``points[tricks of the first, tricks of the second]``; (14, 14)."""
        if first == second:
            return self.of_one(first, np.ascontiguousarray(points.diagonal()))
        of_first = self.pmfs[first]
        of_second = self.pmfs[second]
        solved = None
        if first in self.tricks or second in self.tricks:
            best_of_first = self._best_known(first)
            best_of_second = self._best_known(second)
            solved = np.asarray(((best_of_first @ points) * best_of_second).sum(axis=1))
        near = points[self._near(first)][:, self._near(second)]
        error_of_first = self._error(first, points @ (self.weights @ of_second))
        error_of_second = self._error(second, (self.weights @ of_first) @ points)
        return LayoutNumbers(
            predicted=np.asarray(((of_first @ points) * of_second).sum(axis=1)),
            square=np.asarray(((of_first @ points**2) * of_second).sum(axis=1)),
            solved=solved,
            points=points,
            step=_largest_step(near) + _largest_step(near.T),
            network=float(np.hypot(error_of_first, error_of_second)),
        )

    def _best_known(self, group: Group) -> Floats:
        """(m, 14) P(tricks) in the layouts chosen: certain where they were solved."""
        if group in self.tricks:
            return np.asarray(np.eye(len(TRICKS))[self.tricks[group]])
        return self.pmfs[group][self.chosen]

    def mean(self, numbers: LayoutNumbers) -> Estimate[float]:
        """Posterior mean of a number, with its error.

        The error is of its spread over the draws and within each layout, and the
        network's own.
        """
        low = float(numbers.points.min())
        high = float(numbers.points.max())
        if low == high:
            return Estimate(low, 0.0)
        if numbers.solved is not None and self.sample is not None:
            # Where no near number of tricks changes it, any change is as far as these.
            step = numbers.step or high - low
            mean, error = self.sample.mean(numbers.solved, low, high, step)
            return Estimate(mean, math.hypot(error, numbers.network))
        mean = float(self.weights @ numbers.predicted)
        mean = min(max(mean, low), high)  # rounding alone can put it outside
        if self.ess == np.inf:
            within = numbers.square - numbers.predicted**2
            variance = float(self.weights**2 @ within)
        else:
            variance = (float(self.weights @ numbers.square) - mean**2) / self.ess
        return Estimate(mean, math.sqrt(max(variance, 0.0) + numbers.network**2))

    def _error(self, group: Group, points: Floats) -> float:
        """The network's own error of the mean of ``points[tricks]``.

        There is none where it was solved.
        """
        if group in self.tricks:
            return 0.0
        return network_error(self.weights @ self.pmfs[group], points, group.strain)

    def _near(self, group: Group) -> slice:
        """Numbers of tricks up to one from those that were solved; all where none was."""
        if group not in self.tricks:
            return slice(0, len(TRICKS))
        tricks = self.tricks[group]
        fewest = max(0, int(tricks.min()) - 1)
        most = min(len(TRICKS) - 1, int(tricks.max()) + 1)
        return slice(fewest, most + 1)


def _largest_step(near: Floats) -> float:
    """Between neighbours along the first axis."""
    return float(np.abs(np.diff(near, axis=0)).max())
