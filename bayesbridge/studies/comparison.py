"""Our counts beside the paper's: what every study returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import copysign, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Counts, Run
    from bayesbridge.studies.hypotheses import Test

REPRODUCED: Final = "reproduced"
UNDETERMINED: Final = "not determined by the text"
DIFFERS: Final = "differs"
TOO_FEW: Final = "too few deals to tell"
LEVEL: Final = 0.01
"""A figure differs when its corrected p falls below this."""
FOUND: Final = 0.25
POWER: Final = 0.8
"""A figure is reproduced only by a test that finds a difference of FOUND times the printed figure with this power."""


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
        """One for each figure: two-sided p from z, corrected for all determined figures of the table.

        Without data, or with so few that a figure a quarter off would likely pass too, there is no verdict.
        """
        from scipy import stats

        from bayesbridge.studies.hypotheses import holm

        most = FOUND / float(stats.norm.isf(LEVEL / 2) + stats.norm.isf(1 - POWER))
        words = [UNDETERMINED] * len(self.figures)
        tested = [figure for figure in self.figures if figure.determined and figure.z is not None]
        corrected = iter(holm(2 * float(stats.norm.sf(abs(figure.z or 0.0))) for figure in tested))
        for i, figure in enumerate(self.figures):
            if figure.determined:
                differs = figure.z is not None and next(corrected) < LEVEL
                strong = figure.spread is not None and figure.spread <= most
                words[i] = DIFFERS if differs else REPRODUCED if strong else TOO_FEW
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


def share_spread(printed: tuple[float, float], own: tuple[float, float], *, exact: bool = False) -> float | None:
    """One standard error of the difference of two shares, as :func:`share_z` takes them, over the printed share.

    Where both are 0 no noise is left: 0 if ours is exact, and ``None``, too few deals, if it is a sample.

    >>> round(share_spread((50, 100), (5000, 10_000)), 3)
    0.1
    """
    error = _share_error(printed, own, exact)
    if error is None:
        return None
    share = printed[0] / printed[1]
    return error / share if share else 0.0 if exact else None


def _share_error(printed: tuple[float, float], own: tuple[float, float], exact: bool) -> float | None:
    """One standard error of the difference, by the pooled share; ``None`` without trials."""
    (hits, trials), (own_hits, own_trials) = printed, own
    if not trials or not own_trials:
        return None
    share = own_hits / own_trials if exact else (hits + own_hits) / (trials + own_trials)
    return sqrt(share * (1 - share) * (1 / trials + (0.0 if exact else 1 / own_trials)))


def share_z(printed: tuple[float, float], own: tuple[float, float], *, exact: bool = False) -> float | None:
    """How many standard errors a printed share lies above ours; both are (hits, trials).

    ``exact`` says that our share is no sample, so that the noise is the paper's alone. Without noise: ``None`` where
    both are equal, infinite where they differ.

    >>> share_z((60, 100), (50, 100), exact=True)
    1.9999999999999996
    """
    error = _share_error(printed, own, exact)
    if error is None:
        return None
    above = printed[0] / printed[1] - own[0] / own[1]
    return above / error if error else copysign(inf, above) if above else None


def mean_spread(printed: float, trials: float, deviation: float, own_trials: float) -> float | None:
    """As :func:`share_spread`, for a mean; ``None`` where our sample shows no noise."""
    error = deviation * sqrt(1 / trials + 1 / own_trials) if own_trials else 0.0
    return error / abs(printed) if error and printed else None


def mean_z(printed: float, trials: float, own: float, deviation: float, own_trials: float) -> float | None:
    """The same for a mean of values with the standard deviation that our sample shows."""
    error = deviation * sqrt(1 / trials + 1 / own_trials) if own_trials else 0.0
    return (printed - own) / error if error else None
