"""Ways to ask a command, and the options that have no part in them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection
from typing import Final, NamedTuple, Self

from bayesbridge.cli.usage import UsageError
from bayesbridge.display.words import tell

ALWAYS_TAKEN: Final = ("json",)


class Mode(NamedTuple):
    """One way to ask a command, and which options have no part in it."""

    why: str
    """Why the options have no part."""
    refuses: str = ""
    """The options that are refused, without dashes, with blanks between them."""
    takes: str | None = None
    """All options that are taken, where ``refuses`` does not name the others."""

    def when(self, condition: object) -> Self | None:
        """This mode where the condition is true, else ``None``: not in force."""
        return self if condition else None

    def has_no_part(self, option: str) -> bool:
        """Whether an option, named without dashes, is refused."""
        if self.takes is None:
            return option in self.refuses.split()
        return option not in self.takes.split()


EXACT: Final = Mode("nothing is drawn", "seed")
CLUSTER: Final = Mode("a cluster has the workers that it has", "workers")


def refuse_options(
    args: Namespace, *modes: Mode | None, uses: Collection[str] = ()
) -> None:
    """Refuse options that have no part in one of the modes.

    Options that the command ``uses`` are taken in each mode. A seed, which all commands
    have, is not refused: a line on stderr says that nothing is drawn. ``None`` stands
    for a mode that is not in force (:meth:`Mode.when`).
    """
    exempt = {*ALWAYS_TAKEN, *uses}
    for mode in modes:
        if mode is not None:
            _refuse_options_of(mode, args, exempt)


def _refuse_options_of(mode: Mode, args: Namespace, exempt: Collection[str]) -> None:
    """Refuse options that have no part in a mode, but for those that are exempt."""
    for option in dict.fromkeys(args.options):
        name = option.lstrip("-")
        if name in exempt or not mode.has_no_part(name):
            continue
        if name != "seed":
            raise UsageError(f"argument {option}: {mode.why}: leave {option} out")
        tell("argument --seed: nothing is drawn, the answer is the same for every seed")


def refuse_solving_without_solver(args: Namespace, uses: Collection[str] = ()) -> None:
    """Refuse layouts to solve, or time for that, where no solver is installed."""
    if not (args.solve or args.seconds):
        return
    from bayesbridge.estimators.trick_estimates import layout_solver

    if layout_solver() is None:
        why = "nothing can be solved without the plugin bayesbridge-double-dummy"
        refuse_options(args, Mode(why, "solve seconds"), uses=uses)
