"""``bayesbridge score``: how well a reader finds the cards of real boards."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Any

from bayesbridge.bidders.pairs import History, pairs_of, table_losses
from bayesbridge.cli import screens
from bayesbridge.cli.files import resumable
from bayesbridge.cli.modes import CLUSTER, Mode, verify
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

COUNTING = Mode("the reader counting draws nothing", "draws seed")
UNSTYLED = Mode("there is no --history FILE", "history-tables")


def run(args: Namespace) -> int:
    one = {f"{args.cards} cards" if args.cards else "auction": args.cards}
    moments = (
        one if args.moments is None else {name: MOMENTS[name] for name in args.moments}
    )
    if args.chair == "dummy" and any(moments.values()):
        flag = "--cards" if args.moments is None else "--moments"
        raise UsageError(
            f"argument --chair dummy: dummy looks on from the lead on, leave {flag} out"
        )
    *others, last = readers = args.reader or ["learned+learned"]
    cluster = ":" in (args.scheduler or "")
    verify(
        args,
        readers == ["counting"] and COUNTING,
        not args.history and UNSTYLED,
        cluster and CLUSTER,
    )
    if twice := [name for name in others if readers.count(name) > 1]:
        raise UsageError(
            f"argument --reader: {twice[0]!r} is given twice: give each reader once"
        )
    boards = _Boards(args, min(moments.values()))
    if boards.history is not None:
        others, last = [*others, last], f"{last}{WITHOUT}"
        readers = [*others, last]
    tallies = _score(
        args, Plan(tuple(readers), moments, args.chair, args.draws, args.seed), boards
    )
    rows = {
        name: {when: tally.document() for when, tally in tallies[name].items()}
        for name in readers
    }
    if args.moments is None and rows[last][next(iter(one))]["honour_log_loss"] is None:
        why = f"no honour is in doubt on any of {counted(boards.count, 'board')}; take fewer cards"
        raise BayesBridgeError(f"nothing is left to score: {why}")
    less = {
        name: {
            when: tally.less(tallies[last][when])
            for when, tally in tallies[name].items()
        }
        for name in others
    }
    figures = boards.figures()
    about = {"chair": args.chair, "draws": args.draws, "left_out": boards.left_out}
    who, parts = ROLES[args.chair][1], list[Table | str]()
    if not others:
        parts.append(
            summary_table(f"Reader {last}, {who}", "after", rows[last].items())
        )
    for when in moments if others else ():
        some = ((name, found[when]) for name, found in rows.items())
        parts.append(summary_table(f"Readers, {who} after {when}", "reader", some))
        some = ((name, found[when]) for name, found in less.items())
        parts.append(
            summary_table(
                f"Less {last} on the same boards, after {when}",
                "reader",
                some,
                signed=True,
            )
        )
    if figures:
        two = f"{figures['call_log_loss']:.4f} nats a call, {figures['call_log_loss_average']:.4f} without"
        gain = f"{figures['call_log_loss_difference']:+.4f} ± {figures['call_log_loss_difference_error']:.4f}"
        pairs = counted(figures["history"]["pairs"], "pair")
        parts.append(
            f"Styles of {pairs}, from {figures['history']['mean_tables']:.0f} tables each: {two} ({gain})."
        )
    parts += [
        f"{count} records left out: {reason}."
        for reason, count in boards.left_out.items()
    ]
    for name, found in rows.items():
        if silent := sum(each["unanswered"] for each in found.values()):
            parts.append(
                f"{silent} times the reader {name} said nothing: they count as if it knew nothing."
            )
    return screens.present(
        args, {**_document(args, rows, less), **figures, **about}, *parts
    )


class _Boards:
    """The boards of FILE that can be scored, evenly spread, with what ``--history``
    says of their pairs.

    Walked once to be scored; how well the styles foretell the calls is added up on the
    way.
    """

    def __init__(self, args: Namespace, cards: int) -> None:
        self._file, self._cards, self._losses = args.file, cards, dict[int, Any]()
        self._tables: dict[str, int] = {}
        reasons = Counter(map(self._hindrance, open_records(args.file)))
        self._good = reasons.pop(None, 0)
        self.left_out = {str(reason): count for reason, count in reasons.items()}
        if not self._good:
            told = "; ".join(
                f"{reason} ({count})" for reason, count in self.left_out.items()
            )
            raise UsageError(
                f"argument FILE: no board of {args.file!r} can be scored: {told}"
            )
        self.count = min(args.boards or self._good, self._good)
        self.history: History | None = None
        if args.history is None:
            return
        self.history = History(
            open_records(args.history, "--history"), args.history_tables or 200
        )
        if not any(
            one.record.pair(side) in self.history.pairs
            for one in self._chosen()
            for side in (Seat.N, Seat.E)
        ):
            why = f"no pair of the boards is in {args.history!r}: name them alike there"
            raise UsageError(f"argument --history: {why}")

    def _hindrance(self, record: Record) -> str | None:
        return usable(record) or (
            "the play is shorter" if len(record.plays) < self._cards else None
        )

    def _chosen(self) -> Iterator[Board]:
        """Of all that can be scored number i · all // chosen, for each i."""
        taken = 0
        records = enumerate(open_records(self._file, quiet=True), 1)
        able = (
            Board(place, one) for place, one in records if self._hindrance(one) is None
        )
        for place, board in enumerate(able):
            if place == taken * self._good // self.count:
                taken += 1
                yield board

    def __iter__(self) -> Iterator[Board]:
        for board in self._chosen():
            styles = {} if self.history is None else self.history.styles(board.record)
            seated = pairs_of([board.record])
            for style in styles.values():
                self._tables[style.pair] = style.tables
                bucket = bucket_of(seated[style.pair][0].deal)
                self._losses[bucket] = (
                    self._losses.get(bucket, 0.0)
                    + table_losses(seated[style.pair], style)[0]
                )
            yield board._replace(styles=styles)

    def figures(self) -> dict[str, Any]:
        """How well the calls were foretold; nothing without a history."""
        if self.history is None:
            return {}
        rows = [self._losses[bucket] for bucket in sorted(self._losses)]
        mean = sum(self._tables.values()) / len(self._tables)
        about = {
            "calls": int(sum(row[0] for row in rows)),
            "history": {"pairs": len(self._tables), "mean_tables": mean},
        }
        return {**call_figures(rows, "call_log_loss"), **about}


def _document(
    args: Namespace, rows: dict[str, Any], less: dict[str, Any]
) -> dict[str, Any]:
    """One reader's figures by themselves; of several by name, with the differences to
    the last one.
    """

    def at(found: dict[str, Any]) -> dict[str, Any]:
        return (
            {"moments": found}
            if args.moments
            else {**next(iter(found.values())), "after_cards": args.cards}
        )

    *others, last = rows
    if not less:
        return {"reader": last, **at(rows[last])}
    if args.history and len(others) == 1:
        one = others[0]
        return {
            "reader": one,
            **at(rows[one]),
            "without_styles": at(rows[last]),
            "differences": at(less[one]),
        }
    several = {"readers": rows, "differences": less}
    told: dict[str, Any] = {
        key: {name: at(one) for name, one in found.items()}
        for key, found in several.items()
    }
    return {**told, "compared_with": last}


def _score(
    args: Namespace, plan: Plan, boards: _Boards
) -> dict[str, dict[str, ScoreSums]]:
    for name in plan.readers:
        with attributed("--reader"):
            reader_of(name.removesuffix(WITHOUT), args.draws, args.seed)
    workers = min(args.workers or cores(), -(-boards.count // CHUNK))
    scheduler = args.scheduler or (PROCESSES if workers > 1 else THREADS)
    how = RunOptions(workers, scheduler, Path(args.resume) if args.resume else None)
    digest = ""
    for path in filter(None, (args.file, args.history)):
        with open(path, "rb") as file:
            digest += file_digest(file, "sha256").hexdigest()
    digest += f" {args.history_tables}" if args.history_tables else ""
    with resumable(args, "boards"):
        chosen = iter(boards)
        found = tally_boards(plan, boards.count, chosen, how, digest)
        for _ in (
            chosen
        ):  # of boards whose chunks were kept the calls are still to be judged
            pass
    return found
