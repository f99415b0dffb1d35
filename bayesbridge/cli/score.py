"""``bayesbridge score``: how well a reader finds the cards of real boards."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from bayesbridge.bidders.learned import PairStyle
from bayesbridge.bidders.pairs import History, pairs_of, table_losses
from bayesbridge.cli import screens
from bayesbridge.cli.files import resumable
from bayesbridge.cli.modes import CLUSTER, Mode, refuse_options
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import UsageError, attributed
from bayesbridge.display.markup import Table
from bayesbridge.display.words import counted
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record
from bayesbridge.studies.benchmark import (
    CHUNK,
    WITHOUT,
    Board,
    Plan,
    ScoreSums,
    bucket_of,
    call_figures,
    summary_table,
    tally_boards,
)
from bayesbridge.studies.jobs import PROCESSES, THREADS, RunOptions, cores
from bayesbridge.studies.readers import MOMENTS, ROLES, reader_of, usable

COUNTING: Final = Mode("the reader counting draws nothing", "draws seed")
UNSTYLED: Final = Mode("there is no --history FILE", "history-tables")

USUAL_READER: Final = "learned+learned"
USUAL_HISTORY: Final = 200
"""Tables of each pair that its style is learned from."""


def run(args: Namespace) -> int:
    """Score the readers, and print how they compare."""
    moments = moments_of(args)
    readers = readers_of(args)
    verify_options(args, readers, moments)
    fewest_cards = min(moments.values())
    boards = Boards(args, fewest_cards)
    if boards.history is not None:
        # The last reader without the styles, to tell what these are worth.
        readers = [*readers, f"{readers[-1]}{WITHOUT}"]
    plan = Plan(tuple(readers), moments, args.chair, args.draws, args.seed)
    scores = Scores.of(readers, tallies(args, plan, boards))
    if args.moments is None:
        verify_honours(scores, boards)
    figures = boards.figures()
    document = {
        **scores_document(args, scores),
        **figures,
        "chair": args.chair,
        "draws": args.draws,
        "left_out": boards.left_out,
    }
    tables = score_tables(args, scores)
    sentences = notes(scores, boards, figures)
    return screens.present(args, document, *tables, *sentences)


def moments_of(args: Namespace) -> dict[str, int]:
    """The moments that are scored, with the cards played before each."""
    if args.moments is not None:
        return {name: MOMENTS[name] for name in args.moments}
    name = f"{args.cards} cards" if args.cards else "auction"
    return {name: args.cards}


def readers_of(args: Namespace) -> list[str]:
    """The readers, each once; the others are compared with the last."""
    readers = list(args.reader or [USUAL_READER])
    for name in readers:
        if readers.count(name) > 1:
            raise UsageError(
                f"argument --reader: {name!r} is given twice: give each reader once"
            )
    return readers


def verify_options(
    args: Namespace, readers: Sequence[str], moments: Mapping[str, int]
) -> None:
    """Refuse options that do not go together, or that nothing here depends on."""
    if args.chair == "dummy" and any(moments.values()):
        option = "--cards" if args.moments is None else "--moments"
        raise UsageError(
            "argument --chair dummy: dummy looks on from the lead on, leave "
            f"{option} out"
        )
    refuse_options(
        args,
        COUNTING.when(list(readers) == ["counting"]),
        UNSTYLED.when(not args.history),
        CLUSTER.when(":" in (args.scheduler or "")),
    )


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures of each reader at each moment, and how far it is from the last one."""

    rows: Mapping[str, Mapping[str, Any]]
    """By reader and moment."""
    differences: Mapping[str, Mapping[str, Any]]
    """The same, less the figures of the last reader on the same boards."""

    @classmethod
    def of(
        cls, readers: Sequence[str], tallies: Mapping[str, Mapping[str, ScoreSums]]
    ) -> Scores:
        """The figures of each reader, and their differences from the last reader's.

        ``tallies`` are sums over the boards by reader and moment (a name such as
        ``auction``).
        """
        *compared, reference = readers
        rows = {}
        for name in readers:
            rows[name] = {
                moment: tally.document() for moment, tally in tallies[name].items()
            }
        differences = {}
        for name in compared:
            differences[name] = {
                moment: tally.less(tallies[reference][moment])
                for moment, tally in tallies[name].items()
            }
        return cls(rows, differences)

    @property
    def last(self) -> str:
        """The reader that the others are compared with."""
        return list(self.rows)[-1]


def verify_honours(scores: Scores, boards: Boards) -> None:
    """Refuse boards on which no honour is in doubt at the only moment."""
    (figures,) = scores.rows[scores.last].values()
    if figures["honour_log_loss"] is None:
        raise BayesBridgeError(
            "nothing is left to score: no honour is in doubt on any of "
            f"{counted(boards.count, 'board')}; take fewer cards"
        )


def score_tables(args: Namespace, scores: Scores) -> list[Table]:
    """A table of the only reader, or two for each moment: figures and differences.

    A moment is a name such as ``auction``; the differences are from the last reader.
    """
    _, whose = ROLES[args.chair]
    reference = scores.last
    if not scores.differences:
        title = f"Reader {reference}, {whose}"
        return [summary_table(title, "after", scores.rows[reference].items())]
    tables = []
    for moment in scores.rows[reference]:
        figures = at_moment(scores.rows, moment)
        differences = at_moment(scores.differences, moment)
        title = f"Readers, {whose} after {moment}"
        tables.append(summary_table(title, "reader", figures))
        title = f"Less {reference} on the same boards, after {moment}"
        tables.append(summary_table(title, "reader", differences, signed=True))
    return tables


def at_moment(
    rows: Mapping[str, Mapping[str, Any]], moment: str
) -> list[tuple[str, Any]]:
    """The figures of each reader at a moment."""
    return [(name, figures[moment]) for name, figures in rows.items()]


def notes(scores: Scores, boards: Boards, figures: Mapping[str, Any]) -> Iterator[str]:
    """How well styles foretold the calls, what was left out, who said nothing.

    How often a reader said nothing is summed over the moments.
    """
    if figures:
        yield style_sentence(figures)
    for reason, count in boards.left_out.items():
        yield f"{count} records left out: {reason}."
    for name, rows in scores.rows.items():
        unanswered = sum(row["unanswered"] for row in rows.values())
        if unanswered:
            yield (
                f"{unanswered} times the reader {name} said nothing: they count as if "
                "it knew nothing."
            )


def style_sentence(figures: Mapping[str, Any]) -> str:
    """How much better calls are foretold by the styles of the pairs."""
    history = figures["history"]
    gain = figures["call_log_loss_difference"]
    error = figures["call_log_loss_difference_error"]
    return (
        f"Styles of {counted(history['pairs'], 'pair')}, from "
        f"{history['mean_tables']:.0f} tables each: "
        f"{figures['call_log_loss']:.4f} nats a call, "
        f"{figures['call_log_loss_average']:.4f} without ({gain:+.4f} ± {error:.4f})."
    )


class Boards:
    """The boards of FILE that can be scored, evenly spread.

    With ``--history`` each has the styles of its pairs. Walked once to be scored; how
    well the styles foretell the calls is added up on the way.
    """

    def __init__(self, args: Namespace, cards: int) -> None:
        self._file = args.file
        self._cards = cards
        self._losses: dict[int, Any] = {}
        """Losses of the calls of the boards walked, summed in each bucket of deals."""
        self._tables: dict[str, int] = {}
        """Tables behind the style of each pair met."""
        reasons = Counter(map(self._hindrance, open_records(args.file)))
        self._scorable = reasons.pop(None, 0)
        self.left_out = {str(reason): count for reason, count in reasons.items()}
        if not self._scorable:
            listed = "; ".join(
                f"{reason} ({count})" for reason, count in self.left_out.items()
            )
            raise UsageError(
                f"argument FILE: no board of {args.file!r} can be scored: {listed}"
            )
        self.count = min(args.boards or self._scorable, self._scorable)
        self.history: History | None = None
        if args.history is not None:
            self.history = self._history(args)

    def _history(self, args: Namespace) -> History:
        """The tables of the pairs on record; at least one pair of the boards has some."""
        history = History(
            open_records(args.history, "--history"),
            args.history_tables or USUAL_HISTORY,
        )
        for board in self._chosen():
            sides = [board.record.pair(side) for side in (Seat.N, Seat.E)]
            if any(pair in history.pairs for pair in sides):
                return history
        raise UsageError(
            f"argument --history: no pair of the boards is in {args.history!r}: name "
            "them alike there"
        )

    def _hindrance(self, record: Record) -> str | None:
        """Why a record cannot be scored; ``None`` if it can."""
        hindrance = usable(record)
        if hindrance is None and len(record.plays) < self._cards:
            return "the play is shorter"
        return hindrance

    def _chosen(self) -> Iterator[Board]:
        """Of all that can be scored number i · all // count, for each i."""
        chosen = 0
        scorable = 0
        for place, record in enumerate(open_records(self._file, quiet=True), 1):
            if self._hindrance(record) is not None:
                continue
            if scorable == chosen * self._scorable // self.count:
                chosen += 1
                yield Board(place, record)
            scorable += 1

    def __iter__(self) -> Iterator[Board]:
        """The boards with the styles of their pairs; adds up the losses of the calls."""
        for board in self._chosen():
            styles = {}
            if self.history is not None:
                styles = self.history.styles(board.record)
            self._add_losses(board.record, styles.values())
            yield board._replace(styles=styles)

    def _add_losses(self, record: Record, styles: Iterable[PairStyle]) -> None:
        """Add how badly the styles foretell the calls of a record.

        The losses are kept by bucket, a few groups of deals: how these differ tells the
        error of the mean.
        """
        seated = pairs_of([record])
        for style in styles:
            tables = seated[style.pair]
            self._tables[style.pair] = style.tables
            bucket = bucket_of(tables[0].deal)
            loss, *_ = table_losses(tables, style)
            self._losses[bucket] = self._losses.get(bucket, 0.0) + loss

    def figures(self) -> dict[str, Any]:
        """How well the calls were foretold; nothing without a history."""
        if self.history is None:
            return {}
        rows = [self._losses[bucket] for bucket in sorted(self._losses)]
        mean_tables = sum(self._tables.values()) / len(self._tables)
        return {
            **call_figures(rows, "call_log_loss"),
            "calls": int(sum(row[0] for row in rows)),
            "history": {"pairs": len(self._tables), "mean_tables": mean_tables},
        }


def scores_document(args: Namespace, scores: Scores) -> dict[str, Any]:
    """One reader's figures by themselves; of several by name, with the differences."""
    last = scores.last
    if not scores.differences:
        return {"reader": last, **figures_of(args, scores.rows[last])}
    if args.history and len(scores.differences) == 1:
        (styled,) = scores.differences
        return {
            "reader": styled,
            **figures_of(args, scores.rows[styled]),
            "without_styles": figures_of(args, scores.rows[last]),
            "differences": figures_of(args, scores.differences[styled]),
        }
    return {
        "readers": {name: figures_of(args, rows) for name, rows in scores.rows.items()},
        "differences": {
            name: figures_of(args, rows) for name, rows in scores.differences.items()
        },
        "compared_with": last,
    }


def figures_of(args: Namespace, rows: Mapping[str, Any]) -> dict[str, Any]:
    """The figures by moment, or those of the only moment with its number of cards."""
    if args.moments:
        return {"moments": rows}
    (figures,) = rows.values()
    return {**figures, "after_cards": args.cards}


def tallies(
    args: Namespace, plan: Plan, boards: Boards
) -> dict[str, dict[str, ScoreSums]]:
    """The sums over the boards, by reader and moment."""
    for name in plan.readers:
        with attributed("--reader"):
            reader_of(name.removesuffix(WITHOUT), args.draws, args.seed)
    chunks = -(-boards.count // CHUNK)
    workers = min(args.workers or cores(), chunks)
    scheduler = args.scheduler or (PROCESSES if workers > 1 else THREADS)
    checkpoint = Path(args.resume) if args.resume else None
    options = RunOptions(workers, scheduler, checkpoint)
    with resumable(args, "boards"):
        walk = iter(boards)
        sums = tally_boards(plan, boards.count, walk, options, files_digest(args))
        for _ in walk:
            # Of boards whose chunks were kept the calls are still to be judged.
            pass
    return sums


def files_digest(args: Namespace) -> str:
    """What tells checkpoints of other files, or of another history, apart."""
    digest = ""
    for path in (args.file, args.history):
        if path:
            with open(path, "rb") as file:
                digest += file_digest(file, "sha256").hexdigest()
    if args.history_tables:
        digest += f" {args.history_tables}"
    return digest
