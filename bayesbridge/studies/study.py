"""A study as a value: what the engine counts, how it is run, and what is shown of it.

A study module declares ``STUDY``; :mod:`bayesbridge.studies.registry` lists them, and the command line reads names,
help texts, options and tables from there. The command line loads every study, so a module of a study imports NumPy and
other large packages inside its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bayesbridge.studies.comparison import Comparison
    from bayesbridge.studies.engine import Run

type Counts = NDArray[np.int64]
type Count = Callable[[np.random.SeedSequence, int], Counts]
type Progress = Callable[[int, int], None]
"""Called with the number of deals done and the number of deals wanted, after every chunk."""

CHUNK: Final = 1 << 19
"""Deals in a chunk unless the job says otherwise: work of a fraction of a second, so that workers end together, an
interrupt is obeyed at once and little is lost when a run is killed."""

THREADS: Final = "threads"
PROCESSES: Final = "processes"


@dataclass(frozen=True, slots=True)
class Job:
    """What the engine counts. Other processes find the function by its name, so it stands at the top of its module.

    >>> from bayesbridge.studies import captures
    >>> captures.JOB.name
    'captures'
    """

    name: str
    count: Count
    """(chunk seed, deals) → (k,) counts, always of the same length."""
    chunk: int = CHUNK
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    """What else the counts depend on; a checkpoint made with other parameters is refused."""

    def run(self, deals: int, seed: int, workers: int | None = None, runs: int = 1, how: Setting | None = None) -> Run:
        """Count ``runs`` times ``deals`` random deals."""
        from bayesbridge.studies.engine import run

        return run(self, deals, seed, runs, how or Setting(workers))


@dataclass(frozen=True, slots=True)
class Setting:
    """How to run a job. Nothing here changes the counts."""

    workers: int | None = None
    scheduler: str = THREADS
    """``threads``, ``processes``, or the address of a Dask scheduler."""
    checkpoint: Path | None = None
    resume: bool = False
    """Continue the checkpoint if it is there."""
    progress: Progress | None = None


class Table(NamedTuple):
    """A table as text: its first column has words, the others numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option that only some studies take."""

    flag: str
    """At the command line, such as ``--method``."""
    keyword: str
    """The argument of ``simulate`` that gets the value."""
    metavar: str
    help: str
    read: Callable[[Any], Any]
    """Makes the value from the text, or from the table of a TOML file; raises BayesBridgeError for a wrong one."""
    files: bool = False
    """Whether the texts are names of TOML files. Such an option may be repeated, and the value is a list."""


def _nothing(_: Comparison) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment, with all that the command line and other front ends need to offer it.

    >>> from bayesbridge.studies import STUDIES
    >>> study = STUDIES["headline"]
    >>> study.deals, [option.flag for option in study.options], study.count_exactly
    (1000000, ['--scoring'], None)
    """

    name: str
    help: str
    """A few words that follow the name in the help text."""
    deals: int
    """Random deals in a run, unless the user says otherwise."""
    simulate: Callable[..., Comparison]
    """(deals, seed, workers, runs, setting, and the keywords of the options) → what was found."""
    count_exactly: Callable[[], Comparison] | None = None
    """Counts every possible deal; ``None`` if the study cannot."""
    options: tuple[Option, ...] = ()
    tables: Callable[[Comparison], Iterable[Table]] = _nothing
    """The study's own tables, beside those that every comparison has."""
    pictures: tuple[str, ...] = ()
    """Functions that draw what was found, as ``module:function``: they are loaded when they are called."""

    def draw(self, found: Comparison) -> dict[str, Any]:
        """All pictures of the study, by the name of the function: Matplotlib Axes, or arrays of them."""
        source = found if found.source is None else found.source
        return {path.partition(":")[2]: resolve_name(path)(source) for path in self.pictures}
