"""``bayesbridge study match``: two bidders on the same deals at two tables."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bayesbridge.cli import screens
from bayesbridge.cli.files import resumable
from bayesbridge.cli.modes import CLUSTER, Mode, refuse_options
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import attributed
from bayesbridge.studies.jobs import PROCESSES, RunOptions

if TYPE_CHECKING:
    from bayesbridge.decisions.entrants import Entrant
    from bayesbridge.notation.record import Record
    from bayesbridge.studies.match import MatchResult

LIKELIEST_ONLY = Mode("neither of the two chooses by value", "layouts")


def run(args: Namespace) -> int:
    """Play the match, draw it where that is wanted, and show who is ahead."""
    from bayesbridge.studies.match import BOARDS, match

    entrants = [entrant_of(args.first, "FIRST"), entrant_of(args.second, "SECOND")]
    by_value = any(entrant.by_value for entrant in entrants)
    has_cluster = ":" in (args.scheduler or "")
    refuse_options(args, LIKELIEST_ONLY.when(not by_value), CLUSTER.when(has_cluster))
    checkpoint = Path(args.resume) if args.resume else None
    how = RunOptions(args.workers, args.scheduler or PROCESSES, checkpoint)
    boards: int | Iterable[Record] = args.boards or BOARDS
    if args.file is not None:
        boards = open_records(args.file, "--file")
    with resumable(args, "positions"):
        result = match(
            *entrants,
            boards=boards,
            layouts=args.layouts,
            solved=False if args.network else None,
            rng=args.seed,
            how=how,
        )
    if args.picture is not None:
        draw(result, args.picture)
    return screens.present(args, result.document(), *result.tables)


def draw(result: MatchResult, path: str) -> None:
    """The picture of a match, into a file."""
    from bayesbridge import plots

    figure = plots.match(result).get_figure(root=True)
    assert figure is not None
    figure.savefig(path)


def entrant_of(text: str, argument: str) -> Entrant:
    """Who bids; what is wrong is said of the argument."""
    from bayesbridge.decisions.entrants import Entrant

    with attributed(argument):
        return Entrant.of(text)
