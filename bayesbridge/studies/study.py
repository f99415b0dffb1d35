"""A study as a value: what is counted, what the counts say beside the printed figures,
and its tables.

The command line loads every study, so its module imports NumPy, SciPy and other large
packages inside its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, inf, isfinite, prod, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, RunOptions, run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.game.scoring import Scheme


class Experiment(Protocol):
    """What the command line asks of a study: a :class:`Study`, or one that is no count
    of deals.
    """

    settings: ClassVar[tuple[str, ...]]
    """Options that it takes beside those of all studies."""

    @property
    def name(self) -> str: ...

    @property
    def help(self) -> str: ...

    @property
    def deals(self) -> int: ...

    @property
    def schemes(self) -> bool: ...

    @property
    def count_exactly(self) -> Callable[[], Comparison] | None: ...

    @property
    def tables(self) -> Callable[[Comparison], Iterable[Table]]: ...

    def with_settings(self, settings: Mapping[str, Any], /) -> Experiment:
        """The same with other settings, by their names in ``settings``."""

    def simulate(
        self,
        deals: int,
        seed: int,
        how: RunOptions | int | None = None,
        runs: int = 1,
        schemes: Sequence[Scheme] = (),
    ) -> Comparison:
        """The experiment with random deals."""


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment, with all that the command line and other front ends need to offer
    it.
    """

    job: Job
    help: str
    deals: int  # in a run, unless the user says otherwise
    named: Callable[[Counts], Mapping[str, int]]  # counts of the job by their keys
    fields: Callable[
        ..., Mapping[str, Any]
    ]  # of a run, and of schemes by name: the other fields of its comparison
    count_exactly: Callable[[], Comparison] | None = None  # counts every possible deal
    schemes: bool = (
        False  # whether scoring schemes of the user stand beside the built-in ones
    )
    # beside those that every comparison has
    tables: Callable[[Comparison], Iterable[Table]] = lambda _: ()

    settings: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        return self.job.name

    def with_settings(self, _settings: Mapping[str, Any]) -> Experiment:
        """Itself, since it has no settings."""
        return self

    def simulate(
        self,
        deals: int,
        seed: int,
        how: RunOptions | int | None = None,
        runs: int = 1,
        schemes: Sequence[Scheme] = (),
    ) -> Comparison:
        """Monte Carlo over ``runs`` times ``deals`` random deals; of ``how`` the number
        of workers is enough.
        """
        from bayesbridge.game.scoring import beside_built_in

        done = run(
            self.job,
            deals,
            seed,
            runs,
            how if isinstance(how, RunOptions) else RunOptions(how),
        )
        return Comparison(
            counts=self.named(done.counts),
            total=done.deals,
            deals_per_second=done.deals_per_second,
            runs=tuple(map(self.named, done.by_run)),
            **self.fields(done, *([beside_built_in(schemes)] if self.schemes else [])),
        )


LEVEL: Final = 0.01  # a figure differs when its corrected p falls below this

CHOSEN: Final = "agrees; the reading was chosen by this table"
"""The verdict on a figure that agrees because we tried readings until it did: no test
of them.
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the paper beside ours, in the same unit."""

    name: str
    printed: tuple[float, ...]  # run by run
    # None where it cannot be formed, such as a win rate without contracts
    own: float | None
    # standard errors by which the mean of the printed figures lies above ours
    z: float | None
    digits: int = 1
    spread: float | None = (
        # Standard error of the difference of the two, as a share of the printed figure
        None
    )
    determined: bool = True  # whether the text says enough to compute it
    chosen: bool = False  # whether our reading of the text was found by this figure
    why: str = ""  # one sentence for the verdict

    @property
    def mean(self) -> float:
        return sum(self.printed) / len(self.printed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of one study with the table of the paper that they belong to."""

    title: str
    unit: str
    counts: Mapping[str, int]  # by the finest key, all runs together
    total: int  # deals in all runs
    figures: tuple[Figure, ...] = ()
    exact: bool = False
    trials: int | None = None  # deals in each of the paper's runs
    deals_per_second: float | None = (
        None  # None for an exact count, and for a run that a checkpoint had whole
    )
    runs: tuple[Mapping[str, int], ...] = ()  # our counts run by run
    answers: Mapping[str, Any] = field(
        default_factory=dict
    )  # what a study finds beyond counts, as plain data

    @property
    def z(self) -> dict[str, float | None]:
        return {figure.name: figure.z for figure in self.figures}

    def verdicts(self) -> tuple[str, ...]:
        """One for each figure: two-sided p from z, corrected for all determined figures
        of the table.

        A figure is reproduced only by a test that finds a difference of a quarter of it
        with power 0.8; with fewer data there is no verdict.
        """
        from scipy import stats

        most = 0.25 / float(stats.norm.isf(LEVEL / 2) + stats.norm.isf(0.2))
        words = ["not determined by the text"] * len(self.figures)
        tested = [
            figure
            for figure in self.figures
            if figure.determined and figure.z is not None
        ]
        corrected = iter(
            holm(2 * float(stats.norm.sf(abs(figure.z or 0.0))) for figure in tested)
        )
        for i, figure in enumerate(self.figures):
            if figure.determined:
                differs = figure.z is not None and next(corrected) < LEVEL
                strong = figure.spread is not None and figure.spread <= most
                agrees = CHOSEN if figure.chosen else "reproduced"
                words[i] = (
                    "differs"
                    if differs
                    else agrees
                    if strong
                    else "too few deals to tell"
                )
        return tuple(words)

    def document(self) -> dict[str, object]:
        """All of it as plain data for JSON; counts are text, since they pass 2⁵³."""
        document: dict[str, object] = {
            "counts": {key: str(count) for key, count in self.counts.items()},
            "total": str(self.total),
            "exact": self.exact,
            "deals_per_second": self.deals_per_second,
            "paper": None,
            "z": self.z,
            **self.answers,
        }
        if self.figures:
            printed = zip(*(figure.printed for figure in self.figures), strict=True)
            runs = [  # counts as text, rates and averages as numbers
                {
                    name: str(value) if isinstance(value, int) else value
                    for name, value in zip(self.z, run, strict=True)
                }
                for run in printed
            ]
            mean = {figure.name: figure.mean for figure in self.figures}
            document["paper"] = {
                "title": self.title,
                "trials": str(self.trials),
                "runs": runs,
                "mean": mean,
            }
        if self.figures and not self.exact:
            document["own"] = {figure.name: figure.own for figure in self.figures}
        if len(self.runs) > 1:
            document["runs"] = [
                {key: str(count) for key, count in counts.items()}
                for counts in self.runs
            ]
        return document


def finite(value: object) -> object:
    """``None`` for what JSON cannot say."""
    return None if isinstance(value, float) and not isfinite(value) else value


def cells(
    counts: Counts, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, NDArray[np.int64]]:
    """Views of flat counts by name, one after the other, in these shapes."""
    views, start = {}, 0
    for name, shape in shapes.items():
        views[name] = counts[start : start + prod(shape)].reshape(shape)
        start += prod(shape)
    return views


def compare_shares(
    printed: tuple[float, float], own: tuple[float, float], *, exact: bool = False
) -> tuple[float | None, float | None]:
    """How a printed share compares with ours, both (hits, trials): z, and the standard
    error over the printed share.

    ``exact`` says that ours is no sample. Without noise z is ``None`` where both are
    equal and infinite where they differ. A sample of ours in which less than one hit is
    expected is too small for a z: one hit is no surprise there.
    """
    (hits, trials), (own_hits, own_trials) = printed, own
    if not trials or not own_trials:
        return None, None
    pooled = (
        own_hits / own_trials if exact else (hits + own_hits) / (trials + own_trials)
    )
    error = sqrt(
        pooled * (1 - pooled) * (1 / trials + (0.0 if exact else 1 / own_trials))
    )
    share = hits / trials
    above = share - own_hits / own_trials
    z = above / error if error else copysign(inf, above) if above else None
    if not exact and error and pooled * own_trials < 1 and own_hits:
        z = None
    return z, error / share if share else 0.0 if exact else None


def share_figure(
    name: str,
    printed: tuple[float, ...],
    unit: int,
    trials: float,
    own: tuple[int, int],
    **fields: Any,
) -> Figure:
    """A share as the paper prints it, run by run out of ``unit``, of ``trials`` in all,
    beside our (hits, trials).
    """
    hits, of = own
    share = sum(printed) / len(printed) / unit
    z, spread = compare_shares(
        (share * trials, trials), own, exact=fields.pop("exact", False)
    )
    return Figure(
        name, printed, hits * unit / of if of else None, z, spread=spread, **fields
    )


class Moments(NamedTuple):
    """Of numbers, each with how often it was seen."""

    n: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Mapping[float, int]) -> Moments | None:
        """``None`` where nothing was seen."""
        n = sum(values.values())
        if not n:
            return None
        mean = sum(value * k for value, k in values.items()) / n
        return cls(
            n,
            mean,
            sqrt(sum((value - mean) ** 2 * k for value, k in values.items()) / n),
        )

    @property
    def error(self) -> float:
        return self.deviation / sqrt(self.n)


def mean_figure(
    name: str,
    printed: tuple[float, ...],
    unit: int,
    trials: float,
    values: Mapping[float, int],
    **fields: Any,
) -> Figure:
    """A mean, times ``unit`` as the paper prints it, of ``trials`` in all; ``values``:
    how often we saw each.
    """
    if (own := Moments.of(values)) is None:
        return Figure(name, printed, None, None, **fields)
    error = own.deviation * sqrt(
        1 / trials + 1 / own.n
    )  # the deviation of our sample for both
    share = sum(printed) / len(printed) / unit
    z, spread = (
        ((share - own.mean) / error, error / abs(share)) if error else (None, None)
    )
    return Figure(name, printed, own.mean * unit, z, spread=spread, **fields)


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's step-down correction: each p times the number of hypotheses not yet
    decided, never falling.
    """
    given = list(p_values)
    corrected = [1.0] * len(given)
    worst = 0.0
    for step, i in enumerate(sorted(range(len(given)), key=given.__getitem__)):
        worst = max(worst, min(1.0, (len(given) - step) * given[i]))
        corrected[i] = worst
    return corrected


def all_tables(study: Experiment, found: Comparison) -> Iterator[Table]:
    """The figures of the paper, exact counts, and the study's own tables; those that
    there are.
    """
    if found.figures:
        yield figures_table(found)
    if found.exact and found.figures:
        counts = {**found.counts, "total": found.total}
        rows = [
            [key, number(count), number(count * 1_000_000 / found.total, 4)]
            for key, count in counts.items()
        ]
        yield Table("Every possible deal, counted", ["", "deals", "per million"], rows)
    yield from study.tables(found)


def figures_table(found: Comparison, *, reasons: bool = False) -> Table:
    """The printed figures beside the computed ones; with ``reasons`` why they agree or
    not, and no mean of the runs.
    """
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
        rows = [
            [*row, verdict] for row, verdict in zip(rows, found.verdicts(), strict=True)
        ]
    if reasons:
        header.append("why")
        rows = [
            [*row, figure.why] for row, figure in zip(rows, found.figures, strict=True)
        ]
    return Table(f"{found.title}, {found.unit}", header, rows)


def notes(found: Comparison, seed: int) -> Iterator[str]:
    if not found.exact:
        speed, rate = "all from the checkpoint", found.deals_per_second
        if rate is not None:
            speed = (
                f"{number(rate / 1e6, 1)} million a second"
                if rate >= 1e5
                else f"{number(rate, 1)} a second"
            )
        yield f"{number(found.total)} deals, seed {seed}, {speed}."
    if found.figures:
        of = "run 1 to 3 and mean" if len(found.figures[0].printed) > 1 else "paper"
        yield f"{of}: the paper. z: standard errors by which the paper's mean exceeds the column before it."
