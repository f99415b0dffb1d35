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
MOST_EXACT_LAYOUTS: Final = 10_000  # up to which an exact posterior is taken whole

NETWORK_LEVELS: Final = (5.0, 7.0, 9.0, 11.0)
"""Expected tricks that part the columns of the errors below: up to 5, 5 to 7 …"""

NETWORK_ERROR: Final = {
    "suit": (0.10, 0.09, 0.13, 0.11, 0.17),
    "no trumps": (0.13, 0.08, 0.11, 0.25, 0.25),
}
"""The network's error in tricks where two hands are known, by expected tricks.

Root mean square over 100 positions (``benchmarks/evaluation/tricks_network.py``), the
last two of no trumps together.
"""


def network_error(shares: Floats, payoff: Floats, strain: Strain) -> float:
    """The network's own standard error of a mean payoff: no number of draws removes it.

    ``shares`` (14,) are P(0 … 13 tricks), ``payoff`` (14,) what so many tricks are
    worth. The error is the network's in tricks, measured by strain and expected tricks,
    times what a trick makes of the mean: half the difference of one more and one less.
    """
    tricks = np.arange(len(TRICKS))
    with_one_more = shares @ payoff[np.minimum(tricks + 1, tricks[-1])]
    with_one_less = shares @ payoff[np.maximum(tricks - 1, 0)]
    errors = NETWORK_ERROR["no trumps" if strain is Strain.NT else "suit"]
    expected_tricks = shares @ TRICKS
    level = int(np.searchsorted(NETWORK_LEVELS, expected_tricks, side="right"))
    return float(errors[level] * abs(with_one_more - with_one_less) / 2)


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
    """(n,) double-dummy tricks of the pair in each layout, as the solver finds them.

    They are in its output ``solved``, or in its first one. Refuses what are no tricks.
    """
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


def layouts_for_decision(
    posterior: Posterior,
    rng: Seed,
    most: int = MOST_DRAWS,
    exact_up_to: int = MOST_EXACT_LAYOUTS,
) -> Posterior:
    """The posterior if it is small enough for a decision, else ``most`` draws from it.

    A posterior of draws stays whole up to ``most`` of them. An exact one, of all
    layouts that fit with their chances, has no error of sampling: it is worth keeping
    whole up to ``exact_up_to`` layouts.
    """
    most_kept = exact_up_to if posterior.exact else most
    if len(posterior) <= most_kept:
        return posterior
    return subsample(posterior, most, rng, why=f"{most} of these for a decision")


class LayoutNumbers(NamedTuple):
    """A number of each of n layouts, such as a score, by the network and as solved."""

    predicted: Floats  #: (n,) its mean by the network's P(tricks) in the layout.
    square: Floats  #: (n,) the mean of its square.
    #: (m,) its value in the layouts that were solved; ``None`` where it was not.
    solved: Floats | None
    payoff: Floats  #: What it is for each number of tricks: all that it can be.
    step: float
    """By how much it may differ in a layout that takes one trick more or less than
    those solved; 0 for no more.
    """
    #: The network's own standard error of its mean; 0 where all that it depends on was
    #: solved.
    network_error: float


class Solving(NamedTuple):
    """What a solver is to do, and for what."""

    groups: Sequence[Group]  #: Declarers and strains to solve for.
    controls: Sequence[Floats]
    """(n,) each: predictions that the weights of the solved layouts are fitted to, the
    most important first.
    """
    watched: Mapping[Group, Floats]
    """(14,) payoffs whose means are to be as exact as the budget says: 1 where so many
    tricks are enough.
    """
    solving_rate: Floats | float = 1.0
    """(n,) how often a layout is solved, relative to its weight: more often where that
    tells more.
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
        trick_shares: NDArray[Any] | None = None,
    ) -> Self:
        """Estimates by the network alone, of all layouts of a posterior; none is solved.

        The network is asked about each group (declarer, dummy and strain), unless its
        ``trick_shares``, (n, 14) P(0 … 13 tricks) in the layouts, are there already.
        """
        network = TricksEstimator()
        layouts = posterior.layouts
        pmfs = {}
        for group in groups:
            shares = trick_shares
            if shares is None:
                shares = run(network, layouts, group)[PREDICTS]
            pmfs[group] = normalised(shares)
        return cls(
            layouts=layouts,
            weights=np.asarray(posterior.weights),
            ess=np.inf if posterior.exact else max(1.0, posterior.ess),
            pmfs=pmfs,
            chosen=np.empty(0, np.int64),
            sample=None,
            tricks={},
        )

    def solve(
        self, solver: Estimator, work: Solving, budget: Budget, rng: Seed
    ) -> TrickEstimates:
        """These estimates with some layouts solved, or all if the budget allows that.

        Layouts are solved part by part until the means that are watched are as exact as the
        budget asks, or it is spent. Where all are to be solved there is no early end: then
        the answer is exact.
        """
        layout_count = len(self.layouts)
        seconds_for_a_layout = seconds_of(solver) * len(work.groups)
        most = min(layout_count, budget.layouts(seconds_for_a_layout, layout_count))
        may_end_early = most < layout_count
        chosen = self._layouts_to_solve(most, work, rng)
        estimates: TrickEstimates = self
        for estimates in self._solved_parts(solver, work, chosen):
            solved = len(estimates.chosen)
            report_progress("layouts solved", solved, most)
            enough_for_a_look = may_end_early and FIRST <= solved < most
            if enough_for_a_look and estimates.exact_to(budget.error, work.watched):
                break
        return estimates

    def _layouts_to_solve(self, most: int, work: Solving, rng: Seed) -> Ints:
        """(most,) numbers of the layouts to solve, in order; all where that is allowed.

        Else they are drawn, with P(layout) ∝ its weight times its solving rate.
        """
        layout_count = len(self.layouts)
        if most == layout_count:
            return np.arange(most)
        rate = np.broadcast_to(work.solving_rate, layout_count)
        with np.errstate(divide="ignore"):
            sampling_weights = Weights(np.log(self.weights * rate))
        return np.asarray(
            sampling_weights.resample(most, generator(rng), "multinomial"), np.int64
        )

    def _solved_parts(
        self, solver: Estimator, work: Solving, chosen: Ints
    ) -> Iterator[TrickEstimates]:
        """The estimates after each part of the chosen layouts, about half a second's work.

        Each layout is solved once for every group of the work (declarer, dummy and strain).
        """
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
        """These estimates with the chosen (m,) layouts solved: ``tricks`` (m,) by group.

        The solved layouts get weights under which the controls, predictions that are known
        of all n layouts, have the mean that they have over all.
        """
        layout_count = len(self.layouts)
        if len(chosen) == layout_count:
            sample = CalibratedSample.every(self.weights, self.ess)
        else:
            controls = np.empty((layout_count, 0))
            if work.controls:
                controls = np.stack(work.controls, axis=1)
            # What was drawn more often than its weight says counts for less.
            rate = np.broadcast_to(work.solving_rate, layout_count)
            inverse_rate = 1.0 / rate[chosen]
            sample = CalibratedSample.of(
                weights=inverse_rate / inverse_rate.sum(),
                controls=controls[chosen],
                targets=self.weights @ controls,
                ess=self.ess,
            )
        return replace(self, chosen=chosen, sample=sample, tricks=tricks)

    def exact_to(self, error: float | None, watched: Mapping[Group, Floats]) -> bool:
        """Whether one standard error of all that is watched is at most this.

        ``None`` asks for as many layouts as may be.
        """
        if error is None:
            return False
        return all(
            self.mean(self.of_one(group, payoff)).error <= error
            for group, payoff in watched.items()
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
        """What becomes of the contract that is asked about.

        Where real declarers' tricks are meant, a payoff for what they take becomes one for
        double-dummy tricks: its mean, by the table P(tricks taken ∣ double-dummy tricks).
        """

        def mean_payoff(payoff_of_taken: Floats) -> Estimate[float]:
            """Posterior mean of a (14,) payoff for 0 … 13 tricks taken."""
            payoff_of_double_dummy = question.after @ payoff_of_taken
            return self.mean(self.of_one(question.group, payoff_of_double_dummy))

        # P(exactly so many tricks) is the mean of a payoff that is 1 there alone.
        indicators = np.eye(len(TRICKS))
        shares = [mean_payoff(indicator) for indicator in indicators]
        return ContractOdds(
            contract=question.contract,
            group=question.group,
            actual=question.actual,
            bid=question.bid,
            pmf=np.array([share.mean for share in shares]),
            pmf_error=np.array([share.error for share in shares]),
            make=mean_payoff(question.made),
            mean=mean_payoff(TRICKS),
            solved=len(self.chosen),
            basis=self.basis(question.group),
        )

    def of_one(self, group: Group, payoff: Floats) -> LayoutNumbers:
        """``payoff[tricks]`` in each layout, for the tricks of one group; (14,).

        A group is declarer, dummy and strain, which contracts on the same tricks share.
        """
        pmf = self.pmfs[group]
        return LayoutNumbers(
            predicted=pmf @ payoff,
            square=pmf @ payoff**2,
            solved=payoff[self.tricks[group]] if group in self.tricks else None,
            payoff=payoff,
            step=_largest_step(payoff[self._tricks_near_solved(group)]),
            network_error=self._network_error(group, payoff),
        )

    def of_two(self, first: Group, second: Group, payoff: Floats) -> LayoutNumbers:
        """``payoff[tricks of the first, tricks of the second]`` in each layout; (14, 14).

        The groups (declarer, dummy and strain) are those of two contracts that are
        compared. By the network the two numbers of tricks are independent in a layout. Of
        groups of which only one was solved, the solved tricks count with the network's
        chances of the others.
        """
        if first == second:
            return self.of_one(first, np.ascontiguousarray(payoff.diagonal()))
        pmf_of_first = self.pmfs[first]
        pmf_of_second = self.pmfs[second]
        solved = None
        if first in self.tricks or second in self.tricks:
            solved = _mean_of_pair(
                self._pmf_if_solved(first), payoff, self._pmf_if_solved(second)
            )
        near_payoff = payoff[self._tricks_near_solved(first)]
        near_payoff = near_payoff[:, self._tricks_near_solved(second)]
        # What the tricks of one group are worth on average over those of the other.
        payoff_of_first = payoff @ (self.weights @ pmf_of_second)
        payoff_of_second = (self.weights @ pmf_of_first) @ payoff
        error_of_first = self._network_error(first, payoff_of_first)
        error_of_second = self._network_error(second, payoff_of_second)
        return LayoutNumbers(
            predicted=_mean_of_pair(pmf_of_first, payoff, pmf_of_second),
            square=_mean_of_pair(pmf_of_first, payoff**2, pmf_of_second),
            solved=solved,
            payoff=payoff,
            step=_largest_step(near_payoff) + _largest_step(near_payoff.T),
            network_error=float(np.hypot(error_of_first, error_of_second)),
        )

    def _pmf_if_solved(self, group: Group) -> Floats:
        """(m, 14) P(tricks) in the solved layouts: certain if solved for this group."""
        if group in self.tricks:
            return np.asarray(np.eye(len(TRICKS))[self.tricks[group]])
        return self.pmfs[group][self.chosen]

    def mean(self, numbers: LayoutNumbers) -> Estimate[float]:
        """Posterior mean of a number of each layout, with its standard error.

        From the solved layouts where the number was solved in them, else from what the
        network predicts in all. The error counts the draws, what is open within each, and
        what the network itself is off by.
        """
        low = float(numbers.payoff.min())
        high = float(numbers.payoff.max())
        if low == high:
            return Estimate(low, 0.0)
        if numbers.solved is not None and self.sample is not None:
            # Where no near number of tricks changes it, any change is as far as these.
            step = numbers.step or high - low
            mean, error = self.sample.mean(numbers.solved, low, high, step)
            return Estimate(mean, math.hypot(error, numbers.network_error))
        mean = float(self.weights @ numbers.predicted)
        mean = min(max(mean, low), high)  # rounding alone can put it outside
        variance = max(self._variance_of_mean(numbers, mean), 0.0)
        return Estimate(mean, math.sqrt(variance + numbers.network_error**2))

    def _variance_of_mean(self, numbers: LayoutNumbers, mean: float) -> float:
        """Variance of the posterior mean of what the network predicts in each layout.

        Where the layouts are all that fit, their weights are exact: only the number within
        each is open, which independent variances with squared weights count. Draws have the
        variance of the number over all, between layouts and within, over how many they are
        worth.
        """
        if self.ess == np.inf:
            variance_within = numbers.square - numbers.predicted**2
            return float(self.weights**2 @ variance_within)
        mean_square = float(self.weights @ numbers.square)
        return (mean_square - mean**2) / self.ess

    def _network_error(self, group: Group, payoff: Floats) -> float:
        """The network's own error of the mean of ``payoff[tricks]``; none where solved."""
        if group in self.tricks:
            return 0.0
        return network_error(self.weights @ self.pmfs[group], payoff, group.strain)

    def _tricks_near_solved(self, group: Group) -> slice:
        """Numbers of tricks up to one from those that were solved; all where none was."""
        if group not in self.tricks:
            return slice(0, len(TRICKS))
        tricks = self.tricks[group]
        fewest = max(0, int(tricks.min()) - 1)
        most = min(len(TRICKS) - 1, int(tricks.max()) + 1)
        return slice(fewest, most + 1)


def _mean_of_pair(first_pmf: Floats, payoff: Floats, second_pmf: Floats) -> Floats:
    """(n,) mean of a (14, 14) payoff of two independent numbers of tricks.

    Both have (n, 14) probabilities, a row for each layout.
    """
    payoff_by_second = first_pmf @ payoff
    return np.asarray((payoff_by_second * second_pmf).sum(axis=1))


def _largest_step(payoff: Floats) -> float:
    """The largest difference between neighbours along the first axis."""
    return float(np.abs(np.diff(payoff, axis=0)).max())
