"""A study as a value: an experiment, its options, and what is shown of it.

A study module declares ``STUDY``; :mod:`bayesbridge.studies.registry` lists them, and the command line reads names,
help texts, options and tables from there. The command line loads every study, so a module of a study imports NumPy and
other large packages inside its functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from bayesbridge.studies.comparison import Comparison


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
