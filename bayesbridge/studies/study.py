"""A study as a value, what it finds beside the printed figures, its hypothesis tests, and its tables.

A study module declares ``STUDY``; :mod:`bayesbridge.studies.registry` lists them, and the command line reads names,
help texts and tables from there. The command line loads every study, so a module of a study imports NumPy,
SciPy and other large packages inside its functions. Tests are SciPy's, with an effect size and an interval each,
corrected for their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import asin, copysign, inf, isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayesbridge.words import number

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Counts, Run


class Table(NamedTuple):
    """A table as text: its first column has words, the others numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment, with all that the command line and other front ends need to offer it.

    >>> from bayesbridge.studies import STUDIES
    >>> study = STUDIES["headline"]
    >>> study.deals, study.schemes, study.count_exactly
    (1000000, True, None)
    """

    name: str
    help: str
    """A few words that follow the name in the help text."""
    deals: int
    """Random deals in a run, unless the user says otherwise."""
    simulate: Callable[..., Comparison]
    """(deals, seed, workers, runs, setting) → what was found."""
    count_exactly: Callable[[], Comparison] | None = None
    """Counts every possible deal; ``None`` if the study cannot."""
    schemes: bool = False
    """Whether ``simulate`` takes scoring schemes of the user, ``schemes=``."""
    tables: Callable[[Comparison], Iterable[Table]] = lambda _: ()
    """The study's own tables, beside those that every comparison has."""


LEVEL: Final = 0.01
"""A figure differs when its corrected p falls below this."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the paper beside ours, in the same unit."""

    name: str
    printed: tuple[float, ...]
    """Run by run."""
    own: float | None
    """``None`` where it cannot be formed, such as a win rate without contracts."""
    z: float | None
    """Standard errors by which the mean of the printed figures lies above ours."""
    digits: int = 1
    spread: float | None = None
    """One standard error of the difference of the two, as a share of the printed figure; ``None`` without data."""
    determined: bool = True
    """Whether the text says enough to compute it."""
    why: str = ""
    """One sentence for the verdict."""

    @property
    def mean(self) -> float:
        """Of the printed figures."""
        return sum(self.printed) / len(self.printed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of one study with the table of the paper that they belong to."""

    title: str
    unit: str
    counts: Mapping[str, int]
    """Our counts by the finest key, all runs together."""
    total: int
    """Deals in all runs."""
    figures: tuple[Figure, ...] = ()
    exact: bool = False
    trials: int | None = None
    """Deals in each of the paper's runs."""
    deals_per_second: float | None = None
    """``None`` for an exact count, which draws no deals, and for a run that a checkpoint had whole."""
    runs: tuple[Mapping[str, int], ...] = ()
    """Our counts run by run."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """What a study finds beyond counts, as plain data."""
    source: Any = None
    """What the tables of the study show, if that is no plain data."""
    hypotheses: Callable[[], list[Test]] = list
    """Makes the tests: they need SciPy, for which an exact count need not wait."""

    @classmethod
    def of_run(cls, done: Run, named: Callable[[Counts], Mapping[str, int]], **fields: Any) -> Comparison:
        """What random deals gave; ``named`` maps counts to their keys, ``fields`` are the other fields."""
        return cls(
            counts=named(done.counts),
            total=done.deals,
            deals_per_second=done.deals_per_second,
            runs=tuple(map(named, done.by_run)),
            **fields,
        )

    @property
    def z(self) -> dict[str, float | None]:
        """By the name of the figure."""
        return {figure.name: figure.z for figure in self.figures}

    def per_million(self, count: int) -> float:
        """A count as it would stand in a million deals."""
        return count * 1_000_000 / self.total

    def tests(self) -> tuple[Test, ...]:
        """The hypothesis tests, corrected for their number."""
        return together(self.hypotheses())

    def verdicts(self) -> tuple[str, ...]:
        """One for each figure: two-sided p from z, corrected for all determined figures of the table.

        A figure is reproduced only by a test that finds a difference of a quarter of it with power 0.8; with fewer data
        there is no verdict.
        """
        from scipy import stats

        most = 0.25 / float(stats.norm.isf(LEVEL / 2) + stats.norm.isf(0.2))
        words = ["not determined by the text"] * len(self.figures)
        tested = [figure for figure in self.figures if figure.determined and figure.z is not None]
        corrected = iter(holm(2 * float(stats.norm.sf(abs(figure.z or 0.0))) for figure in tested))
        for i, figure in enumerate(self.figures):
            if figure.determined:
                differs = figure.z is not None and next(corrected) < LEVEL
                strong = figure.spread is not None and figure.spread <= most
                words[i] = "differs" if differs else "reproduced" if strong else "too few deals to tell"
        return tuple(words)

    def document(self, tests: Iterable[Test] = ()) -> dict[str, object]:
        """All of it as plain data for JSON; counts are text, since they pass 2⁵³."""
        document: dict[str, object] = {
            "counts": _texts(self.counts),
            "total": str(self.total),
            "exact": self.exact,
            "deals_per_second": self.deals_per_second,
            "paper": self._printed() if self.figures else None,
            "z": self.z,
            **self.answers,
        }
        if self.figures and not self.exact:
            document["own"] = {figure.name: figure.own for figure in self.figures}
        if len(self.runs) > 1:
            document["runs"] = [_texts(counts) for counts in self.runs]
        if made := [asdict(test) for test in tests]:
            document["tests"] = [{key: finite(value) for key, value in test.items()} for test in made]
        return document

    def _printed(self) -> dict[str, object]:
        """The paper's figures: counts as text, rates and averages as numbers."""
        runs = [
            {name: str(value) if isinstance(value, int) else value for name, value in zip(self.z, run, strict=True)}
            for run in zip(*(figure.printed for figure in self.figures), strict=True)
        ]
        mean = {figure.name: figure.mean for figure in self.figures}
        return {"title": self.title, "trials": str(self.trials), "runs": runs, "mean": mean}


def _texts(counts: Mapping[str, int]) -> dict[str, str]:
    return {key: str(count) for key, count in counts.items()}


def finite(value: object) -> object:
    """``None`` for what JSON cannot say."""
    return None if isinstance(value, float) and not isfinite(value) else value


def compare_shares(
    printed: tuple[float, float], own: tuple[float, float], *, exact: bool = False
) -> tuple[float | None, float | None]:
    """How a printed share compares with ours, both (hits, trials): z, and the standard error over the printed share.

    z is how many standard errors, by the pooled share, the printed share lies above ours. ``exact`` says that ours is
    no sample, so that the noise is the paper's alone. Without noise z is ``None`` where both are equal and infinite
    where they differ; where both are 0 the spread is 0 if ours is exact, and ``None`` (too few deals) if it is not.

    >>> compare_shares((60, 100), (50, 100), exact=True)
    (1.9999999999999996, 0.08333333333333334)
    """
    (hits, trials), (own_hits, own_trials) = printed, own
    if not trials or not own_trials:
        return None, None
    pooled = own_hits / own_trials if exact else (hits + own_hits) / (trials + own_trials)
    error = sqrt(pooled * (1 - pooled) * (1 / trials + (0.0 if exact else 1 / own_trials)))
    share = hits / trials
    above = share - own_hits / own_trials
    z = above / error if error else copysign(inf, above) if above else None
    return z, error / share if share else 0.0 if exact else None


def compare_means(
    printed: float, trials: float, own: float, deviation: float, own_trials: float
) -> tuple[float | None, float | None]:
    """The same for a mean of values with the standard deviation that our sample shows; ``None`` if it has no noise."""
    error = deviation * sqrt(1 / trials + 1 / own_trials) if own_trials else 0.0
    if not error:
        return None, None
    return (printed - own) / error, error / abs(printed) if printed else None


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
    from scipy import stats

    total = sum(counts)
    pairs = [(count, share) for count, share in zip(counts, shares, strict=True) if share > 0]
    if sum(count for count, _ in pairs) != total:
        return Test(hypothesis, float("inf"), 0.0, float("inf"))
    scale = total / sum(share for _, share in pairs)
    found = stats.chisquare([count for count, _ in pairs], [share * scale for _, share in pairs])
    return Test(hypothesis, float(found.statistic), float(found.pvalue), sqrt(found.statistic / total))


def homogeneity(hypothesis: str, runs: Sequence[Sequence[int]]) -> Test:
    """Pearson's χ² that all runs draw from one distribution; bins empty in every run are left out."""
    from scipy import stats

    columns = [column for column in zip(*runs, strict=True) if any(column)]
    if len(columns) < 2 or len(runs) < 2 or not all(map(sum, runs)):
        return Test(hypothesis, 0.0, nan, 0.0)
    found = stats.chi2_contingency(columns, correction=False)
    total = sum(map(sum, columns))
    smaller = min(len(columns), len(runs)) - 1
    return Test(hypothesis, float(found.statistic), float(found.pvalue), sqrt(found.statistic / (total * smaller)))


def two_proportions(hypothesis: str, hits: tuple[int, int], trials: tuple[int, int]) -> Test:
    """The z-test that two shares are equal, with Newcombe's interval of their difference, first less second."""
    from scipy import stats

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
    from scipy import stats

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


def all_tables(study: Study, found: Comparison, tests: Iterable[Test]) -> Iterator[Table]:
    """The figures of the paper, exact counts, the study's own tables, and the hypothesis tests; those that there are.

    >>> from bayesbridge.studies import STUDIES
    >>> found = STUDIES["conditions"].count_exactly()
    >>> [table.title for table in all_tables(STUDIES["conditions"], found, ())]
    ['Table 2: outcomes of the two pre-qualification conditions, per million deals', 'Every possible deal, counted']
    """
    if found.figures:
        yield figures_table(found)
    if found.exact:
        counts = {**found.counts, "total": found.total}
        rows = [[key, number(count), number(found.per_million(count), 4)] for key, count in counts.items()]
        yield Table("Every possible deal, counted", ["", "deals", "per million"], rows)
    yield from study.tables(found)
    if made := list(tests):
        yield hypotheses_table(made)


def figures_table(found: Comparison, *, reasons: bool = False) -> Table:
    """The printed figures beside the computed ones; with ``reasons`` why they agree or not, and no mean of the runs."""
    printed = len(found.figures[0].printed)
    runs = [f"run {i}" for i in range(1, printed + 1)] if printed > 1 else ["paper"]
    means = ["mean"] if printed > 1 and not reasons else []
    header = ["", *runs, *means, "exact" if found.exact else "ours", "z"]
    rows = []
    for figure in found.figures:
        whole = all(isinstance(value, int) for value in figure.printed)
        row = [figure.name, *(number(value, figure.digits) for value in figure.printed)]
        row += [number(figure.mean, 1 if whole else figure.digits)] * len(means)
        rows.append([*row, number(figure.own, figure.digits), number(figure.z, 2)])
    if reasons or not all(figure.determined for figure in found.figures):
        header.append("verdict")
        rows = [[*row, verdict] for row, verdict in zip(rows, found.verdicts(), strict=True)]
    if reasons:
        header.append("why")
        rows = [[*row, figure.why] for row, figure in zip(rows, found.figures, strict=True)]
    return Table(f"{found.title}, {found.unit}", header, rows)


def hypotheses_table(tests: Iterable[Test]) -> Table:
    """One row for each hypothesis."""
    rows = [
        [
            test.hypothesis,
            f"{test.statistic:.4g}",
            f"{test.effect:.4f}",
            "–" if test.interval is None else f"{test.interval[0]:.4f} … {test.interval[1]:.4f}",
            "–" if isnan(test.p) else f"{test.p:.3g}",
            "–" if test.p_holm is None else f"{test.p_holm:.3g}",
        ]
        for test in tests
    ]
    return Table("Hypothesis tests", ["hypothesis", "statistic", "effect", "95 % interval", "p", "p (Holm)"], rows)


def notes(found: Comparison, seed: int) -> Iterator[str]:
    """The sentences below the tables."""
    if not found.exact:
        speed, rate = "all from the checkpoint", found.deals_per_second
        if rate is not None:
            speed = f"{number(rate / 1e6, 1)} million a second" if rate >= 1e5 else f"{number(rate, 1)} a second"
        yield f"{number(found.total)} deals, seed {seed}, {speed}."
    if found.figures:
        of = "run 1 to 3 and mean" if len(found.figures[0].printed) > 1 else "paper"
        yield f"{of}: the paper. z: standard errors by which the paper's mean exceeds the column before it."
