"""A study as a value: what is counted, the figures that follow, and its tables.

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
    """What the command line asks of a study.

    It may be a :class:`Study`, or one that is no count of deals.
    """

    settings: ClassVar[tuple[str, ...]]
    """Options that it takes beside those of all studies."""

    @property
    def name(self) -> str:
        """The word of the command line."""

    @property
    def help(self) -> str:
        """What it is about, in a few words."""

    @property
    def deals(self) -> int:
        """Deals in a run, unless the user says otherwise."""

    @property
    def schemes(self) -> bool:
        """Whether it takes scoring schemes of the user."""

    @property
    def count_exactly(self) -> Callable[[], Comparison] | None:
        """What counts every possible deal, if anything does."""

    @property
    def tables(self) -> Callable[[Comparison], Iterable[Table]]:
        """What makes the tables of the study's own answers."""

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
    """An experiment, with all that a front end needs to offer it.

    Parameters
    ----------
    job : Job
        What is counted, deal by deal.
    help : str
        What it is about, in a few words.
    deals : int
        Deals in a run, unless the user says otherwise.
    named : callable
        ``named(counts)``: the counts of the job by their keys.
    fields : callable
        ``fields(run)``, or ``fields(run, schemes)`` of a study that takes them, by
        name: the other fields of its :class:`Comparison`.
    count_exactly : callable, optional
        Counts every possible deal.
    schemes : bool
        Whether scoring schemes of the user stand beside the built-in ones.
    tables : callable, optional
        ``tables(comparison)``: those beside the ones that every comparison has.
    """

    job: Job
    help: str
    deals: int
    named: Callable[[Counts], Mapping[str, int]]
    fields: Callable[..., Mapping[str, Any]]
    count_exactly: Callable[[], Comparison] | None = None
    schemes: bool = False
    tables: Callable[[Comparison], Iterable[Table]] = lambda _: ()

    settings: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """That of its job."""
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
        """Monte Carlo over random deals.

        Parameters
        ----------
        deals : int
            Random deals in a run.
        seed : int
            Where random numbers start.
        how : RunOptions or int, optional
            Workers and a checkpoint, or workers alone; they do not change the answer.
        runs : int
            Independent runs.
        schemes : sequence of Scheme
            Schemes of your own beside the built-in ones.

        Returns
        -------
        Comparison
        """
        from bayesbridge.game.scoring import beside_built_in

        options = how if isinstance(how, RunOptions) else RunOptions(workers=how)
        finished_run = run(self.job, deals, seed, runs, options)
        # ``self.fields`` is the study's function for the title, the figures and all
        # else that a comparison has beside counts, some by scoring scheme.
        takes_schemes = self.schemes
        if takes_schemes:
            other_fields = self.fields(finished_run, beside_built_in(schemes))
        else:
            other_fields = self.fields(finished_run)
        # ``self.named`` gives the counts their names.
        counts_of_runs = tuple(self.named(counts) for counts in finished_run.by_run)
        return Comparison(
            counts=self.named(finished_run.counts),
            total=finished_run.deals,
            deals_per_second=finished_run.deals_per_second,
            runs=counts_of_runs,
            **other_fields,
        )


LEVEL: Final = 0.01  # a figure differs when its corrected p falls below this
DETECTABLE: Final = (
    0.25  # the difference, as a share of a figure, that a test must find
)
MISSED: Final = 0.2  # and how often it may miss such a one: its power is 0.8

CHOSEN: Final = "agrees; the reading was chosen by this table"
"""The verdict on a figure that agrees because we tried readings until it did.

It is no test of them.
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
    # standard error of the difference of the two, as a share of the printed figure
    spread: float | None = None
    determined: bool = True  # whether the text says enough to compute it
    chosen: bool = False  # whether our reading of the text was found by this figure
    why: str = ""  # one sentence for the verdict

    @property
    def mean(self) -> float:
        """The mean of the printed figures."""
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
    # None for an exact count, and for a run that a checkpoint had whole
    deals_per_second: float | None = None
    runs: tuple[Mapping[str, int], ...] = ()  # our counts run by run
    # what a study finds beyond counts, as plain data
    answers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def z(self) -> dict[str, float | None]:
        """The z of each figure, by its name."""
        return {figure.name: figure.z for figure in self.figures}

    def verdicts(self) -> tuple[str, ...]:
        """A verdict on each figure: reproduced, differs, or too few deals to tell.

        By the two-sided p of z, corrected for all figures that the text determines. A
        figure is reproduced only by a test that finds a difference of a quarter of it
        with power 0.8. That bounds its spread, the standard error of the difference as
        a share of the figure; with a larger one there is no verdict.
        """
        from scipy import stats

        # A difference of so many standard errors is found with that power.
        errors_of_difference = stats.norm.isf(LEVEL / 2) + stats.norm.isf(MISSED)
        greatest_spread = DETECTABLE / float(errors_of_difference)
        p_by_index = {}
        for index, figure in enumerate(self.figures):
            if figure.determined and figure.z is not None:
                p_by_index[index] = 2 * float(stats.norm.sf(abs(figure.z)))
        corrected_p = dict(zip(p_by_index, holm(p_by_index.values()), strict=True))
        verdicts = []
        for index, figure in enumerate(self.figures):
            differs = corrected_p.get(index, 1.0) < LEVEL
            verdicts.append(_verdict(figure, differs, greatest_spread))
        return tuple(verdicts)

    def document(self) -> dict[str, object]:
        """All of it as plain data for JSON.

        ``z`` are the standard errors by which the paper's figures lie above ours, and
        ``own`` our figures, which an exact count tells by itself.
        """
        document: dict[str, object] = {
            "counts": self._counts_document(self.counts),
            "total": str(self.total),
            "exact": self.exact,
            "deals_per_second": self.deals_per_second,
            "paper": None,
            "z": self.z,
            **self.answers,
        }
        if self.figures:
            document["paper"] = self._paper_document()
        if self.figures and not self.exact:
            document["own"] = {figure.name: figure.own for figure in self.figures}
        if len(self.runs) > 1:
            document["runs"] = [self._counts_document(counts) for counts in self.runs]
        return document

    @staticmethod
    def _counts_document(counts: Mapping[str, int]) -> dict[str, str]:
        """Counts as text, since they pass 2⁵³."""
        return {key: str(count) for key, count in counts.items()}

    def _paper_document(self) -> dict[str, object]:
        """What the paper prints, by run and name of the figure, and the mean of the runs.

        Counts are text, rates and averages numbers.
        """
        runs = []
        for number_of_run in range(len(self.figures[0].printed)):
            printed = {
                figure.name: figure.printed[number_of_run] for figure in self.figures
            }
            runs.append(
                {name: _count_as_text(value) for name, value in printed.items()}
            )
        return {
            "title": self.title,
            "trials": str(self.trials),
            "runs": runs,
            "mean": {figure.name: figure.mean for figure in self.figures},
        }


def _verdict(figure: Figure, differs: bool, greatest_spread: float) -> str:
    """The verdict on a figure of which it is known whether its z is too large."""
    if not figure.determined:
        return "not determined by the text"
    if differs:
        return "differs"
    if figure.spread is None or figure.spread > greatest_spread:
        return "too few deals to tell"
    if figure.chosen:
        return CHOSEN
    return "reproduced"


def _count_as_text(value: float) -> float | str:
    return str(value) if isinstance(value, int) else value


def finite(value: object) -> object:
    """``None`` for what JSON cannot say."""
    return None if isinstance(value, float) and not isfinite(value) else value


def cells(
    counts: Counts, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, NDArray[np.int64]]:
    """Views of flat counts by name, one after the other, in these shapes."""
    views = {}
    start = 0
    for name, shape in shapes.items():
        end = start + prod(shape)
        views[name] = counts[start:end].reshape(shape)
        start = end
    return views


class Sample(NamedTuple):
    """How many trials there were, and in how many of them something came true."""

    hits: float
    trials: float

    @property
    def share(self) -> float:
        """Hits over trials."""
        return self.hits / self.trials


class Difference(NamedTuple):
    """How a printed figure compares with ours."""

    # standard errors by which the printed figure lies above ours
    z: float | None
    # the standard error over the printed figure
    spread: float | None


def compare_shares(printed: Sample, own: Sample, *, exact: bool = False) -> Difference:
    """How a printed share compares with ours.

    Parameters
    ----------
    printed, own : Sample
        Hits and trials.
    exact : bool
        Whether ours is no sample.

    Returns
    -------
    z : float or None
        Standard errors by which the printed share lies above ours. Without noise it is
        ``None`` where both are equal and infinite where they differ. A sample of ours
        in which less than one hit is expected is too small for a z: one hit is no
        surprise there.
    spread : float or None
        The standard error over the printed share.
    """
    if not printed.trials or not own.trials:
        return Difference(None, None)
    # The variance is that of both samples under one common share.
    if exact:
        common_share = own.share
        inverse_trials = 1 / printed.trials
    else:
        common_share = (printed.hits + own.hits) / (printed.trials + own.trials)
        inverse_trials = 1 / printed.trials + 1 / own.trials
    error = sqrt(common_share * (1 - common_share) * inverse_trials)
    spread: float | None
    if printed.share:
        spread = error / printed.share
    else:
        # A printed 0 has no relative error: an exact count may judge it, no sample may.
        spread = 0.0 if exact else None
    expects_less_than_a_hit = not exact and common_share * own.trials < 1
    if expects_less_than_a_hit and own.hits > 0:
        return Difference(None, spread)
    return Difference(_z(printed.share - own.share, error), spread)


def _z(difference: float, error: float) -> float | None:
    """A difference in standard errors; without error infinite, ``None`` for no difference."""
    if error:
        return difference / error
    if difference:
        return copysign(inf, difference)
    return None


def share_figure(
    name: str,
    printed: tuple[float, ...],
    unit: int,
    paper_trials: float,
    own: Sample,
    *,
    exact: bool = False,
    **fields: Any,
) -> Figure:
    """A share that the paper prints, beside ours.

    Parameters
    ----------
    name : str
        That of the figure.
    printed : tuple of float
        What the paper prints, run by run, out of ``unit``.
    unit : int
        100 for percentages.
    paper_trials : float
        Trials of all runs of the paper together.
    own : Sample
        Our hits and trials.
    exact : bool
        Whether ours is no sample.
    **fields
        Other fields of the :class:`Figure`.

    Returns
    -------
    Figure
        With z, the standard errors by which the mean of the printed shares lies above
        ours, and the spread, the standard error over that mean.
    """
    printed_share = sum(printed) / len(printed) / unit
    paper = Sample(printed_share * paper_trials, paper_trials)
    z, spread = compare_shares(paper, own, exact=exact)
    own_figure = own.hits * unit / own.trials if own.trials else None
    return Figure(name, printed, own_figure, z, spread=spread, **fields)


class Moments(NamedTuple):
    """How many numbers there are, their mean and standard deviation."""

    n: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Mapping[float, int]) -> Moments | None:
        """Those of values that were seen so many times; ``None`` where nothing was."""
        n = sum(values.values())
        if not n:
            return None
        mean = sum(value * times for value, times in values.items()) / n
        squares = sum((value - mean) ** 2 * times for value, times in values.items())
        return cls(n, mean, sqrt(squares / n))

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / sqrt(self.n)


def mean_figure(
    name: str,
    printed: tuple[float, ...],
    unit: int,
    paper_trials: float,
    values: Mapping[float, int],
    **fields: Any,
) -> Figure:
    """A mean that the paper prints, beside ours.

    Parameters
    ----------
    name : str
        That of the figure.
    printed : tuple of float
        What the paper prints, run by run: means times ``unit``.
    unit : int
        1 for the means themselves.
    paper_trials : float
        Trials of all runs of the paper together.
    values : mapping of float to int
        How often we saw each value.
    **fields
        Other fields of the :class:`Figure`.

    Returns
    -------
    Figure
        With z, the standard errors by which the mean of the printed means lies above
        ours, and the spread, the standard error over it.
    """
    own = Moments.of(values)
    if own is None:
        return Figure(name, printed, own=None, z=None, **fields)
    # The paper prints no standard deviation: that of our sample stands for both.
    error = own.deviation * sqrt(1 / paper_trials + 1 / own.n)
    printed_mean = sum(printed) / len(printed) / unit
    z = None
    spread = None
    if error:
        z = (printed_mean - own.mean) / error
        spread = error / abs(printed_mean)
    return Figure(name, printed, own.mean * unit, z, spread=spread, **fields)


def holm(p_values: Iterable[float]) -> list[float]:
    """Holm's step-down correction of p values, in their order.

    Each p is multiplied by the number of hypotheses not yet decided, and never falls.
    """
    p_list = list(p_values)
    corrected = [1.0] * len(p_list)
    greatest = 0.0
    by_p = sorted(range(len(p_list)), key=p_list.__getitem__)
    for decided, place in enumerate(by_p):
        undecided = len(p_list) - decided
        greatest = max(greatest, min(1.0, undecided * p_list[place]))
        corrected[place] = greatest
    return corrected


def all_tables(study: Experiment, comparison: Comparison) -> Iterator[Table]:
    """The tables that there are: the paper's figures, exact counts, the study's own."""
    if comparison.figures:
        yield figures_table(comparison)
    if comparison.exact and comparison.figures:
        yield _exact_counts_table(comparison)
    yield from study.tables(comparison)


def _exact_counts_table(comparison: Comparison) -> Table:
    total = comparison.total
    counts = {**comparison.counts, "total": total}
    rows = []
    for key, count in counts.items():
        rows.append([key, number(count), number(count * 1_000_000 / total, 4)])
    return Table("Every possible deal, counted", ["", "deals", "per million"], rows)


def figures_table(comparison: Comparison, *, reasons: bool = False) -> Table:
    """The printed figures beside ours.

    Parameters
    ----------
    comparison : Comparison
        One that has figures.
    reasons : bool
        Whether the table tells why figures agree or not, in the place of the mean of
        the runs.

    Returns
    -------
    Table
        With a verdict on each figure if reasons are asked for, or if one is not
        *determined*: the paper does not say enough to compute it.
    """
    figures = comparison.figures
    runs = len(figures[0].printed)
    has_mean = runs > 1 and not reasons
    header = [""]
    header += [f"run {i}" for i in range(1, runs + 1)] if runs > 1 else ["paper"]
    if has_mean:
        header.append("mean")
    header += ["exact" if comparison.exact else "ours", "z"]
    rows = [_figure_row(figure, has_mean) for figure in figures]
    if reasons or not all(figure.determined for figure in figures):
        header.append("verdict")
        for row, verdict in zip(rows, comparison.verdicts(), strict=True):
            row.append(verdict)
    if reasons:
        header.append("why")
        for row, figure in zip(rows, figures, strict=True):
            row.append(figure.why)
    return Table(f"{comparison.title}, {comparison.unit}", header, rows)


def _figure_row(figure: Figure, has_mean: bool) -> list[str]:
    """The name of a figure, what is printed, its mean, ours, and z."""
    row = [figure.name]
    row += [number(value, figure.digits) for value in figure.printed]
    if has_mean:
        are_counts = all(isinstance(value, int) for value in figure.printed)
        row.append(number(figure.mean, 1 if are_counts else figure.digits))
    return [*row, number(figure.own, figure.digits), number(figure.z, 2)]


FAST: Final = 1e5  # deals a second from which speed is told in millions


def notes(comparison: Comparison, seed: int) -> Iterator[str]:
    """What stands below the tables: deals and speed, and what z is."""
    if not comparison.exact:
        deals = number(comparison.total)
        speed = _speed_words(comparison.deals_per_second)
        yield f"{deals} deals, seed {seed}, {speed}."
    if comparison.figures:
        has_runs = len(comparison.figures[0].printed) > 1
        columns = "run 1 to 3 and mean" if has_runs else "paper"
        yield (
            f"{columns}: the paper. z: standard errors by which the paper's mean "
            "exceeds the column before it."
        )


def _speed_words(deals_per_second: float | None) -> str:
    if deals_per_second is None:
        return "all from the checkpoint"
    if deals_per_second >= FAST:
        return f"{number(deals_per_second / 1e6, 1)} million a second"
    return f"{number(deals_per_second, 1)} a second"
