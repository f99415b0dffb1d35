"""Hypothesis tests of studies: SciPy's tests, with an effect size and an interval each, corrected for their number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import asin, isnan, nan, sqrt

from scipy import stats


@dataclass(frozen=True, slots=True)
class Test:
    """One hypothesis tested."""

    __test__ = False  # pytest need not look inside

    hypothesis: str
    """What is assumed, and would be doubted if p is small."""
    statistic: float
    """χ², z, or the number of discordant pairs in favour of the first."""
    p: float
    """``nan`` where the deals leave nothing to test."""
    effect: float
    """How large, whatever the number of deals: Cohen's w (χ² against a distribution), Cramér's V (homogeneity),
    Cohen's h (two proportions), the share of discordant pairs in favour of the first less one half (McNemar)."""
    interval: tuple[float, float] | None = None
    """95 % interval of what is compared: the difference of two shares, or the share of discordant pairs."""
    p_holm: float | None = None
    """p, corrected for all tests made together (Holm, 1979)."""


def goodness_of_fit(hypothesis: str, counts: Sequence[int], shares: Sequence[float]) -> Test:
    """Pearson's χ² of counts against known shares, which add up to one; bins of share 0 must be empty."""
    total = sum(counts)
    pairs = [(count, share) for count, share in zip(counts, shares, strict=True) if share > 0]
    if sum(count for count, _ in pairs) != total:
        return Test(hypothesis, float("inf"), 0.0, float("inf"))
    scale = total / sum(share for _, share in pairs)
    found = stats.chisquare([count for count, _ in pairs], [share * scale for _, share in pairs])
    return Test(hypothesis, float(found.statistic), float(found.pvalue), sqrt(found.statistic / total))


def homogeneity(hypothesis: str, runs: Sequence[Sequence[int]]) -> Test:
    """Pearson's χ² that all runs draw from one distribution; bins empty in every run are left out."""
    columns = [column for column in zip(*runs, strict=True) if any(column)]
    if len(columns) < 2 or len(runs) < 2 or not all(map(sum, runs)):
        return Test(hypothesis, 0.0, nan, 0.0)
    found = stats.chi2_contingency(columns, correction=False)
    total = sum(map(sum, columns))
    smaller = min(len(columns), len(runs)) - 1
    return Test(hypothesis, float(found.statistic), float(found.pvalue), sqrt(found.statistic / (total * smaller)))


def two_proportions(hypothesis: str, hits: tuple[int, int], trials: tuple[int, int]) -> Test:
    """The z-test that two shares are equal, with Newcombe's interval of their difference, first less second."""
    (a, b), (n, m) = hits, trials
    p, q = a / n, b / m
    (low_p, high_p), (low_q, high_q) = (
        stats.binomtest(k, size).proportion_ci(method="wilson") for k, size in ((a, n), (b, m))
    )
    interval = (
        p - q - sqrt((p - low_p) ** 2 + (high_q - q) ** 2),
        p - q + sqrt((high_p - p) ** 2 + (q - low_q) ** 2),
    )
    table = [[a, n - a], [b, m - b]]
    degenerate = a + b in (0, n + m)
    found = None if degenerate else stats.chi2_contingency(table, correction=False)
    z = 0.0 if found is None else sqrt(found.statistic) * (1 if p >= q else -1)
    effect = 2 * asin(sqrt(p)) - 2 * asin(sqrt(q))
    return Test(hypothesis, z, nan if found is None else float(found.pvalue), effect, interval)


def mcnemar(hypothesis: str, first_only: int, second_only: int) -> Test:
    """McNemar's exact test on pairs that differ: how many favour the first, how many the second."""
    pairs = first_only + second_only
    if not pairs:
        return Test(hypothesis, 0.0, nan, 0.0)
    found = stats.binomtest(first_only, pairs)
    low, high = found.proportion_ci(method="exact")
    return Test(hypothesis, float(first_only), float(found.pvalue), first_only / pairs - 0.5, (float(low), float(high)))


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's step-down correction: each p times the number of hypotheses not yet decided, never falling.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given = list(p_values)
    corrected = [1.0] * len(given)
    worst = 0.0
    for step, i in enumerate(sorted(range(len(given)), key=given.__getitem__)):
        worst = max(worst, min(1.0, (len(given) - step) * given[i]))
        corrected[i] = worst
    return corrected


def together(tests: Iterable[Test]) -> tuple[Test, ...]:
    """Tests made together, each with its corrected p; one that had nothing to test has none and does not count."""
    made = list(tests)
    corrected = iter(holm(test.p for test in made if not isnan(test.p)))
    return tuple(test if isnan(test.p) else replace(test, p_holm=next(corrected)) for test in made)
