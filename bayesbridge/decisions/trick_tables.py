"""Tricks of several contracts on the same layouts: predicted on all of them, solved on some.

For each declarer and strain the network of ``tricks`` gives a distribution f for every layout, W its weight. Any number
a that depends on the tricks of one contract or of two (a score, a difference, IMPs) has a mean E_f[a] in each layout,
tricks of two contracts taken as independent given the layout. Where a solver is there, m of the layouts are solved in
all contracts that matter, so that every comparison is made on the same ones::

    estimate = Σ W E_f[a] + mean of v · (a(solved) − E_f[a]) over the m
    variance = var(a) / ESS + var(v · (a(solved) − E_f[a])) / m

The m are drawn with chances q, half by W and half by W times the network's own doubt, and v = W / q ≤ 2: layouts on
which the network is sure need few answers. The estimate is unbiased whatever the network says. (Two-phase sampling with
a difference estimator: Särndal, Swensson and Wretman, *Model Assisted Survey Sampling*, 1992, chapter 9.)
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
from bayesbridge.estimators.contract_odds import solve_layouts
from bayesbridge.estimators.odds import PREDICTS
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.estimators.tricks import TricksEstimator
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed, generator

type Floats = NDArray[np.float64]

LAYOUTS: Final = 4000
"""Layouts that are judged of a posterior that has more."""

MOST_EXACT: Final = 10_000
"""Layouts up to which an exact posterior is taken whole."""

BY_DOUBT: Final = 0.5
"""Share of the solved layouts that are chosen by the network's doubt; the others by their weight alone."""


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


@dataclass(frozen=True, slots=True, eq=False)
class TrickTables:
    """Layouts with weights, and the tricks of every group on them."""

    layouts: Layouts
    weights: Floats
    """(n,) adding up to one."""
    ess: float
    """What the layouts are worth, infinite where they are all that fit."""
    pmfs: Mapping[Group, Floats]
    """(n, 14) P(tricks) in each layout."""
    chosen: NDArray[np.int64]
    """(m,) numbers of the layouts that were solved."""
    ratio: Floats
    """(n,) v = W / q of every layout."""
    tricks: Mapping[Group, NDArray[np.int64]]
    """(m,) solved, for the groups that were."""

    @classmethod
    def of(cls, posterior: Posterior, groups: Iterable[Group], rng: Seed) -> TrickTables:
        """By the network alone."""
        layouts, weights, ess = judged(posterior, rng)
        network = TricksEstimator()
        pmfs = {one: run(network, layouts, one.question)[PREDICTS].astype(np.float64) for one in groups}
        return cls(layouts, weights, ess, pmfs, np.empty(0, np.int64), np.ones(len(layouts)), {})

    def solved_by(self, solver: Estimator, groups: Sequence[Group], m: int, doubt: Floats, rng: Seed) -> TrickTables:
        """With about ``m`` layouts solved in these groups, more of them where there is doubt (n,); all if they are few.

        A solver that fails raises :class:`PluginError`.
        """
        n = len(self.layouts)
        if self.ess == np.inf and n <= m:
            chosen, ratio = np.arange(n), np.zeros(n)
        else:
            mean = float(self.weights @ doubt)
            ratio = 1.0 / (1.0 - BY_DOUBT + BY_DOUBT * (doubt / mean if mean > 0 else np.ones(n)))
            with np.errstate(divide="ignore"):
                chances = Weights(np.log(self.weights / ratio))
            chosen = np.asarray(chances.resample(m, generator(rng), "multinomial"), np.int64)
        some = self.layouts[chosen]
        tricks = {one: solve_layouts(solver, some, one.question) for one in groups}
        return replace(self, chosen=chosen, ratio=ratio, tricks=tricks)

    @property
    def every(self) -> bool:
        """Whether every layout was solved, so that what was solved is exact."""
        return len(self.chosen) > 0 and not self.ratio.any()

    def of_one(self, group: Group, worth: Floats) -> Number:
        """``worth[tricks]`` of one group."""
        pmf = self.pmfs[group]
        solved = worth[self.tricks[group]] if group in self.tricks else None
        return Number(pmf @ worth, pmf @ (worth**2), solved)

    def of_two(self, first: Group, second: Group, worth: Floats) -> Number:
        """``worth[tricks of the first, tricks of the second]``; (14, 14)."""
        if first == second:
            return self.of_one(first, np.ascontiguousarray(worth.diagonal()))
        one, two = self.pmfs[first], self.pmfs[second]
        predicted, square = (np.asarray(((one @ each) * two).sum(axis=1)) for each in (worth, worth**2))
        if first not in self.tricks and second not in self.tricks:
            return Number(predicted, square, None)
        known = [self._certain(group) for group in (first, second)]
        return Number(predicted, square, ((known[0] @ worth) * known[1]).sum(axis=1))

    def mean(self, number: Number) -> tuple[float, float]:
        """Posterior mean of a number, and its standard error."""
        first = float(self.weights @ number.predicted)
        if number.solved is None:
            spread = float(self.weights @ ((number.predicted - first) ** 2))
            return first, _error(spread / self.ess, first)
        if self.every:
            return float(self.weights @ number.solved), 0.0
        m = len(self.chosen)
        share = self.ratio[self.chosen]
        left = share * (number.solved - number.predicted[self.chosen])
        mean = first + float(left.mean())
        squares = self.weights @ number.square
        squares += (share * (number.solved**2 - number.square[self.chosen])).mean()
        spread = max(0.0, float(squares) - mean**2)
        # A few answers may miss what is rare: the network's own doubt is the least that is stated.
        doubts = self.ratio * np.maximum(number.square - number.predicted**2, 0.0)
        residual = max(float(left.var(ddof=1)), float(self.weights @ doubts))
        return mean, _error(spread / self.ess + residual / m, mean)

    def best(self, groups: Sequence[Group], payoffs: Sequence[Payoff]) -> list[Number]:
        """For each contract, in rising order, whether no other pays more; of equal ones the lowest counts."""
        by_network = best_shares([self.pmfs[group] for group in groups], groups, payoffs)
        if not self.tricks:
            return [Number(share, share, None) for share in by_network]
        known = [self._certain(group) for group in groups]
        found = best_shares(known, groups, payoffs)
        return [Number(share, share, true) for share, true in zip(by_network, found, strict=True)]

    def _certain(self, group: Group) -> Floats:
        """(m, 14) P(tricks) in the layouts chosen: certain where they were solved."""
        return np.eye(14)[self.tricks[group]] if group in self.tricks else self.pmfs[group][self.chosen]


def _error(variance: float, mean: float) -> float:
    """The standard error; none where only rounding is left."""
    return float(np.sqrt(variance)) if variance > (1e-7 * max(1.0, abs(mean))) ** 2 else 0.0


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
