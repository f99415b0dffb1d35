"""Are the stated errors those that the answers show? Scores z = (answer − truth) / stated error over many seeds.

If errors are honest the root mean square of z is one, and z lies within two errors 95 times in a hundred. Where the
truth is not known it is the mean over the seeds, and z is divided by √(1 − 1 / n). The numbers of one answer depend on
each other, so an answer counts as one: intervals come from the mean of z² of each answer, with the degrees of freedom
that its spread from answer to answer shows (F. E. Satterthwaite, 1946). Honest independent scores give the χ² interval.

An answer stated without an error must be equal to the truth, and is no score. Nor is a number that is the same in all
answers, which must lie within two errors of the truth. Where an engine says that its draws are worth a single one, it
says that it does not know: its errors may be as large as they like, but not too small. An answer that an engine refuses
to give is no score either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.studies.honesty.answers import CARDS, EVIDENCE, GROUPS, JOINT, QUANTITIES, REFERENCE
from bayesbridge.studies.honesty.measure import Answers

type Floats = NDArray[np.float64]
type Truth = Mapping[str, float]

BAND: Final = (0.8, 1.2)
"""Root mean squares of z that count as honest."""

WITHIN: Final = 0.94
"""Share of the answers within two errors of the truth, at least."""

LEVEL: Final = 0.99
"""Of intervals: a row makes five such tests."""

ENOUGH: Final = 1000.0
"""Effective draws of a reference, below which it is none."""

SAME: Final = 1e-9
"""Rounding by which an exact answer may differ from the truth."""

HONEST, SMALL, LARGE, OPEN, WRONG, BIASED, EXACT, UNKNOWN = (
    "honest",
    "errors too small",
    "errors too large",
    "needs more seeds",
    "error 0 but not exact",
    "biased",
    "exact",
    "says that it does not know",
)
"""Verdicts."""


class Interval(NamedTuple):
    """An estimate, and where it may lie."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of one case: (n, quantities) z, ``nan`` where a number is not told or stated without an error.

    exact: (n, quantities) stated without an error
    wrong: (n, quantities) stated without an error, and not equal to the truth; or the same everywhere, and far from it
    bound: (n, cards) differences from the truth in units of ½ / √ess, which they are said not to exceed
    bias:  (quantities,) the mean over seeds less the truth or the reference, in standard errors; ``nan`` without either
    """

    answers: Answers
    z: Floats
    exact: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    bound: Floats
    bias: Floats

    @property
    def told(self) -> Floats:
        """(m, quantities) z of the answers whose draws are said to be worth more than one."""
        return self.z[self.answers.ess >= 2.0]


def scored(answers: Answers, truth: Truth, reference: Answers | None) -> Scores:
    """Compare the answers of one case with the truth as far as it is known, else with their mean."""
    value, error = answers.value, answers.error
    n = max(2, int((~answers.refused).sum()))
    known = np.array([truth.get(name, nan) for name in QUANTITIES])
    has_truth = np.isfinite(known)
    with np.errstate(all="ignore"):
        told = np.isfinite(value)
        mean = np.where(told, value, 0.0).sum(axis=0) / told.sum(axis=0)
        gap = value - np.where(has_truth, known, mean)
        fair = np.where(has_truth, 1.0, sqrt(1.0 - 1.0 / n))
        exact = told & (error == 0.0)
        z = np.where(told & ~exact, gap / (error * fair), nan)
        rounding = SAME * np.maximum(1.0, np.abs(value))
        same = told.any(axis=0) & (np.abs(value - mean) <= rounding).all(axis=0, where=told)
        wrong = told & (exact | same) & (np.abs(gap) > 2.0 * error + rounding)
        z[:, same] = nan
        spread = np.sqrt(np.where(told, (value - mean) ** 2, 0.0).sum(axis=0) / (n - 1) / n)
        against, uncertain = known, np.zeros(len(QUANTITIES))
        if reference is not None and np.nansum(reference.ess) >= ENOUGH:
            pooled, pooled_error = pool(reference)
            against, uncertain = np.where(has_truth, known, pooled), np.where(has_truth, 0.0, pooled_error)
        bias = (mean - against) / np.hypot(spread, uncertain)
        places = [QUANTITIES.index(name) for name in CARDS]
        bound = 2.0 * np.sqrt(answers.ess)[:, None] * (gap / fair)[:, places]
        bound[exact[:, places]] = nan
    sampled = np.isfinite(bias) & (told & ~exact).any(axis=0) & ~same
    return Scores(answers, z, exact, wrong, bound, np.where(sampled, bias, nan))


def pool(reference: Answers) -> tuple[Floats, Floats]:
    """(quantities,) means and errors of several runs with weights, as if they were one: each counts by its P.

    Runs that were refused do not count.
    """
    place = QUANTITIES.index(EVIDENCE)
    values, errors = reference.value[~reference.refused], reference.error[~reference.refused]
    log = values[:, place]
    mass = np.exp(log - log.max())
    share = (mass / mass.sum())[:, None]
    value = (share * values).sum(axis=0)
    error = np.sqrt((share**2 * errors**2).sum(axis=0))
    value[place] = log.max() + np.log(mass.mean())
    return value, error


def rms(parts: Sequence[Floats]) -> Interval:
    """Root mean square of the scores of all answers, (n, …) in each part; an answer counts as one."""
    squares = np.concatenate([_by_answer(part**2) for part in parts]) if parts else np.empty(0)
    n = len(squares)
    if not n:
        return Interval(nan, nan, nan)
    mean = float(squares.mean())
    variance = float(squares.var(ddof=1)) / n if n > 1 else inf
    if not mean or not np.isfinite(variance):
        return Interval(sqrt(mean), 0.0, inf)
    freedom = min(2.0 * mean**2 / variance, 10.0 * n) if variance else 10.0 * n
    low, high = stats.chi2.ppf([(1 + LEVEL) / 2, (1 - LEVEL) / 2], freedom)
    return Interval(sqrt(mean), sqrt(mean * freedom / low), sqrt(mean * freedom / high) if high else inf)


def within(parts: Sequence[Floats]) -> Interval:
    """Share of the scores within two errors; the interval by Wilson, with as many trials as the answers are worth."""
    shares = [_by_answer(np.where(np.isnan(part), nan, np.abs(part) <= 2.0)) for part in parts]
    each = np.concatenate(shares) if shares else np.empty(0)
    if not len(each):
        return Interval(nan, nan, nan)
    share = float(each.mean())
    spread = float(each.var(ddof=1)) if len(each) > 1 else 0.0
    trials = len(each) * (share * (1 - share) / spread if spread else 1.0)
    quantile = float(stats.norm.ppf((1 + LEVEL) / 2)) ** 2
    centre = (share + quantile / (2 * trials)) / (1 + quantile / trials)
    half = sqrt(quantile * (share * (1 - share) + quantile / (4 * trials)) / trials) / (1 + quantile / trials)
    return Interval(share, centre - half, centre + half)


def _by_answer(values: Floats) -> Floats:
    """(m,) mean over the numbers of each answer that has any."""
    told = np.isfinite(values)
    some = told.any(axis=1)
    found: Floats = np.where(told, values, 0.0)[some].sum(axis=1) / told[some].sum(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """One engine on one kind of position."""

    engine: str
    kind: str
    positions: int
    answers: int
    rms: Mapping[str, Interval]
    """By group of numbers; ``nan`` where all are exact."""
    within: Interval
    bound: Interval
    """Cards: root mean square of the differences in units of ½ / √ess, one at most."""
    bias: float
    """The largest |z| of a mean over the seeds against the truth or the reference, ``nan`` without either."""
    bias_p: float
    """Its p, corrected for the number of means."""
    exact: float
    """Share of the numbers that are stated without an error."""
    wrong: int
    """How many of them are not equal to the truth."""
    warned: float
    refused: float

    @property
    def verdict(self) -> str:
        """What the row shows; a fault is told only where chance does not explain it."""
        found = [one for one in self.rms.values() if np.isfinite(one.value)]
        if self.wrong:
            return WRONG
        if self.bias_p < 1.0 - LEVEL:
            return BIASED
        if not found:
            return UNKNOWN if self.warned or self.refused else EXACT
        if any(one.low > BAND[1] for one in found) or self.within.high < WITHIN or self.bound.low > BAND[1]:
            return SMALL
        if any(one.high < BAND[0] for one in found):
            return LARGE
        inside = all(BAND[0] <= one.low and one.high <= BAND[1] for one in found)
        return HONEST if inside else OPEN


def row(scores: Sequence[Scores]) -> Row:
    """The cases of one engine and kind together."""
    cases = [one.answers.case for one in scores]
    groups = {
        name: rms([one.told[:, [QUANTITIES.index(part) for part in parts]] for one in scores])
        for name, parts in GROUPS.items()
    }
    bias = np.concatenate([one.bias for one in scores])
    bias = np.abs(bias[np.isfinite(bias)])
    largest = float(bias.max()) if len(bias) else nan
    told = sum(int(np.isfinite(one.answers.value).sum()) for one in scores)
    many = sum(len(one.z) for one in scores)
    return Row(
        cases[0].engine,
        cases[0].position.kind,
        len(cases),
        many,
        groups,
        within([one.z for one in scores]),
        rms([one.bound for one in scores]),
        largest,
        min(1.0, len(bias) * 2 * float(stats.norm.sf(largest))) if len(bias) else 1.0,
        sum(int(one.exact.sum()) for one in scores) / max(1, told),
        sum(int(one.wrong.sum()) for one in scores),
        sum(int(one.answers.warned.sum()) for one in scores) / many,
        sum(int(one.answers.refused.sum()) for one in scores) / many,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Honesty:
    """What the study found."""

    scores: tuple[Scores, ...]

    @classmethod
    def of(cls, answers: Sequence[Answers], truths: Mapping[str, Truth]) -> Honesty:
        """Score every case; ``truths`` by the name of the position. The joint posterior has a truth of its own."""
        references = {one.case.position: one for one in answers if one.case.engine == REFERENCE}
        return cls(
            tuple(
                scored(one, {}, None)
                if one.case.engine == JOINT
                else scored(one, truths.get(one.case.position.name, {}), references.get(one.case.position))
                for one in answers
                if one.case.engine != REFERENCE
            )
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """By engine and kind, in the order of the plan's engines."""
        from bayesbridge.studies.honesty.answers import ENGINES

        by_row: dict[tuple[str, str], list[Scores]] = {}
        for one in sorted(self.scores, key=lambda one: ENGINES.index(one.answers.case.engine)):
            by_row.setdefault((one.answers.case.engine, one.answers.case.position.kind), []).append(one)
        return tuple(row(cases) for cases in by_row.values())
