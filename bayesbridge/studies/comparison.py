"""Our counts beside the paper's: what every study returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Run
    from bayesbridge.studies.hypotheses import Test
    from bayesbridge.studies.job import Counts

REPRODUCED: Final = "reproduced"
UNDETERMINED: Final = "not determined by the text"
DIFFERS: Final = "differs"
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
    """What the pictures of the study draw, if it is not this comparison."""
    hypotheses: Callable[[], list[Test]] = list
    """Makes the tests: they need SciPy, for which an exact count need not wait."""

    @classmethod
    def of_run(cls, done: Run, named: Callable[[Counts], Mapping[str, int]], **told: Any) -> Comparison:
        """What random deals gave; ``named`` gives the counts their keys, and ``told`` are the other fields."""
        return cls(
            counts=named(done.counts),
            total=done.deals,
            deals_per_second=done.deals_per_second,
            runs=tuple(map(named, done.by_run)),
            **told,
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
        from bayesbridge.studies.hypotheses import together

        return together(self.hypotheses())

    def verdicts(self) -> tuple[str, ...]:
        """One for each figure: two-sided p from z, corrected for all determined figures of the table."""
        from scipy import stats

        from bayesbridge.studies.hypotheses import holm

        words = [REPRODUCED if figure.determined else UNDETERMINED for figure in self.figures]
        tested = [(i, figure.z) for i, figure in enumerate(self.figures) if figure.determined and figure.z is not None]
        for (i, _), p in zip(tested, holm(2 * float(stats.norm.sf(abs(z))) for _, z in tested), strict=True):
            words[i] = REPRODUCED if p >= LEVEL else DIFFERS
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
            document["tests"] = [{key: _finite(value) for key, value in test.items()} for test in made]
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


def _finite(value: object) -> object:
    """``None`` for what JSON cannot say."""
    return None if isinstance(value, float) and not isfinite(value) else value


def share_z(printed: tuple[float, float], own: tuple[float, float], *, exact: bool = False) -> float | None:
    """How many standard errors a printed share lies above ours; both are (hits, trials).

    ``exact`` says that our share is no sample, so that the noise is the paper's alone. ``None`` without noise.

    >>> share_z((60, 100), (50, 100), exact=True)
    1.9999999999999996
    """
    (hits, trials), (own_hits, own_trials) = printed, own
    if not trials or not own_trials:
        return None
    share = own_hits / own_trials
    if exact:
        variance = share * (1 - share) / trials
    else:
        pooled = (hits + own_hits) / (trials + own_trials)
        variance = pooled * (1 - pooled) * (1 / trials + 1 / own_trials)
    return (hits / trials - share) / sqrt(variance) if variance > 0 else None


def mean_z(printed: float, trials: float, own: float, deviation: float, own_trials: float) -> float | None:
    """The same for a mean of values with the standard deviation that our sample shows."""
    error = deviation * sqrt(1 / trials + 1 / own_trials) if own_trials else 0.0
    return (printed - own) / error if error else None
