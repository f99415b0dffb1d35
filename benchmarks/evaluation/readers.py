"""Who finds the cards of real boards? Several readers of ``bayesbridge score`` on the same boards, board by board.

    python benchmarks/evaluation/readers.py test.pbn --boards 2000 --moments auction,lead,1,3,6,9 --resume readers

The readers are named as ``--reader`` of ``bayesbridge score`` takes them; the last one is what the others are compared
with. A chunk is a few boards: for each board, reader and moment a row of floats.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from math import nan
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from direct import DirectReader
from instrument import Floats, in_chunks, options, setting, show

from bayesbridge.errors import BayesBridgeError
from bayesbridge.files import whole_file
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import (
    BINS,
    BUCKETS,
    MEANS,
    MEASURES,
    UNITS,
    Tally,
    binned,
    bucket_of,
    is_test,
    look,
    mean_of,
    see,
    summary_table,
)
from bayesbridge.studies.engine import Setting
from bayesbridge.studies.readers import (
    CHAIRS,
    MOMENTS,
    Reader,
    moment_of,
    reader_of,
    usable,
)
from bayesbridge.studies.study import Table, finite

BASELINES: Final = ("counting", "direct", "learned", "learned+learned")
"""Nothing known, cards predicted directly, experts' calls, and their cards too."""

CHUNK: Final = 2
"""Boards in a chunk: some seconds of work."""

WIDTH: Final = 1 + MEANS + 3 * BINS
"""Of a reader at a board: whether it answered, the measures, the bins. ``nan`` where it was not asked."""

COMPARED: Final = ("honours", "cards", "lengths", "log_tssr")
"""Figures of which the difference to the last reader is shown, board by board."""

MARKS: Final = ("<!-- readers -->\n", "<!-- end of readers -->")
"""Between these lines of a page its tables stand."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""Models remember the hands that they met last, and threads would share that memory."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked."""

    records: str
    boards: int
    readers: tuple[str, ...]
    moments: tuple[str, ...]
    chair: str
    draws: int
    seed: int


class Board(NamedTuple):
    """A record and its number in the file, from 1."""

    number: int
    record: Record


@lru_cache(maxsize=2)
def boards_of(path: str, most: int) -> tuple[Board, ...]:
    """At most so many boards of a file that can be scored, evenly spread."""
    able = sum(1 for _ in _able(path))
    if not able:
        raise BayesBridgeError(f"no board of {path!r} can be scored: give complete deals and auctions", path=path)
    chosen = {i * able // min(most, able) for i in range(min(most, able))}
    return tuple(board for place, board in enumerate(_able(path)) if place in chosen)


def _able(path: str) -> Iterator[Board]:
    records = (one for one in iter_records(path) if isinstance(one, Record))
    return (Board(number, one) for number, one in enumerate(records, 1) if usable(one) is None)


@lru_cache(maxsize=16)
def _reader(name: str, draws: int, seed: int) -> Reader:
    return DirectReader() if name == "direct" else reader_of(name, draws, seed)


def count(what: Plan, seed: np.random.SeedSequence, boards: int) -> Floats:
    """(boards, readers, moments, WIDTH) the readings of one chunk."""
    rows = np.full((boards, len(what.readers), len(what.moments), WIDTH), nan)
    first = CHUNK * seed.spawn_key[0]
    with _ONE_AT_A_TIME:
        for table, board in zip(rows, boards_of(what.records, what.boards)[first:], strict=False):
            _fill(what, board, table)
    return rows


def _fill(what: Plan, board: Board, table: Floats) -> None:
    """All readers at all moments of one board; (readers, moments, WIDTH)."""
    for column, moment in enumerate(what.moments):
        cards = MOMENTS[moment]
        if len(board.record.plays) >= cards:
            seen = see(board.record, what.chair, cards, board.number)
            for row, name in enumerate(what.readers):
                found = look(_reader(name, what.draws, what.seed), board.record, seen)
                said = [float(found.answered)]
                table[row, column] = np.concatenate([said, found.judged.values, binned(found.judged).ravel()])


def measure(what: Plan, how: Setting | None = None) -> list[dict[str, Any]]:
    """A row for every reader and moment: its figures, and by how much they differ from those of the last reader."""
    digest = hashlib.sha256(Path(what.records).read_bytes()).hexdigest()[:16]
    chunks = in_chunks(
        "readers", partial(count, what), CHUNK, what.boards, what.seed, how, plan=repr(what), file=digest
    )
    found = np.concatenate(chunks)
    deals = [board.record.deal for board in boards_of(what.records, what.boards)]
    buckets = np.array([bucket_of(deal) for deal in deals if deal is not None])
    rows = []
    for row, reader in enumerate(what.readers):
        for column, moment in enumerate(what.moments):
            asked = ~np.isnan(found[:, row, column, 0])
            if asked.any():
                mine, last = found[asked, row, column], found[asked, -1, column]
                about = {"reader": reader, "moment": moment}
                rows.append(about | _figures(mine, last, buckets[asked]))
    return rows


def _figures(mine: Floats, last: Floats, buckets: Floats) -> dict[str, Any]:
    """What (boards, WIDTH) rows of a reader add up to, and beyond those of the last one."""
    tally = Tally()
    told, sums = np.zeros((2, BUCKETS, MEANS))
    for row, other, bucket in zip(mine, last, buckets, strict=True):
        values = row[1 : 1 + MEANS]
        tally.take(values, row[1 + MEANS :].reshape(3, BINS), int(bucket))
        difference = values - other[1 : 1 + MEANS]
        told[bucket] += ~np.isnan(difference)
        sums[bucket] += np.nan_to_num(difference)
    figures = tally.summary().document()
    figures.pop("seconds_per_board")
    more = {name: mean_of(told[:, i], sums[:, i]) for i, name in enumerate(MEASURES) if name in COMPARED}
    beyond = {name: {"value": finite(one.value), "error": finite(one.error)} for name, one in more.items()}
    return {"unanswered": int((mine[:, 0] == 0).sum()), **figures, "beyond_last": beyond}


def tables(rows: list[dict[str, Any]], chair: str) -> Iterator[Table]:
    """For each moment the figures of all readers, and what they lose against the last one."""
    for moment in dict.fromkeys(row["moment"] for row in rows):
        here = [row for row in rows if row["moment"] == moment]
        title = f"Readers, {CHAIRS[chair][1]} after {moment}"
        yield summary_table(title, "reader", ((_named(row), row) for row in here))
        if len(here) > 1:
            body = [[row["reader"], *(_difference(row["beyond_last"][name]) for name in COMPARED)] for row in here[:-1]]
            names = ["reader", "honours", "all cards", "lengths", "log TSSR"]
            yield Table(f"Beyond {here[-1]['reader']} on the same boards, after {moment}", names, body)


def _named(row: Mapping[str, Any]) -> str:
    silent = row["unanswered"]
    return f"{row['reader']} ({silent} boards unanswered)" if silent else str(row["reader"])


def _difference(one: Mapping[str, float | None]) -> str:
    return "–" if one["value"] is None else f"{one['value']:+.4f} ± {one['error']:.4f}"


def markdown(shown: Table) -> str:
    """A table for a page, which tells the units itself; figures do not break at their spaces."""
    rule = ["---"] + ["---:"] * (len(shown.header) - 1)
    rows = [[row[0], *(cell.replace(" ", "\u00a0") for cell in row[1:])] for row in shown.rows]
    body = "\n".join(f"| {' | '.join(row)} |" for row in [shown.header, rule, *rows])
    return f"**{shown.title.partition(';')[0]}**\n\n{body}\n"


def write_page(path: Path, what: Plan, rows: list[dict[str, Any]]) -> None:
    """Put the tables between the marks of a Markdown page, all or nothing."""
    begin, end = MARKS
    text = path.read_text("utf-8")
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BayesBridgeError(f"{str(path)!r} has no place for tables: write the lines {begin.strip()} and {end} once")
    deals = (board.record.deal for board in boards_of(what.records, what.boards))
    on_list = sum(deal is not None and is_test(deal) for deal in deals)
    origin = f"({what.boards} boards, {on_list} of them on the test list; {what.draws} draws; {UNITS}.)"
    body = "\n".join(markdown(table) for table in tables(rows, what.chair))
    with whole_file(path) as part:
        part.write_text(f"{text[: text.index(begin)]}{begin}\n{body}\n{origin}\n\n{text[text.index(end) :]}", "utf-8")


def main() -> None:
    """Compare readers."""
    parser = options(__doc__)
    parser.add_argument("records", help="a PBN or LIN file")
    parser.add_argument("--boards", type=int, default=1000, help="evenly spread over the file")
    parser.add_argument("--readers", default=",".join(BASELINES), help="with commas (default: %(default)s)")
    parser.add_argument("--moments", default="auction", help="some of auction,lead,1,3,6,9")
    parser.add_argument("--chair", choices=CHAIRS, default="leader")
    parser.add_argument("--draws", type=int, default=1000, help="for each board")
    parser.add_argument("--page", metavar="FILE", type=Path, help="put the tables into a Markdown file, too")
    args = parser.parse_args()
    moments = tuple(moment_of(word) for word in args.moments.split(","))
    boards = len(boards_of(args.records, args.boards))
    names = tuple(args.readers.split(","))
    what = Plan(args.records, boards, names, moments, args.chair, args.draws, args.seed)
    rows = measure(what, setting(args))
    if args.page:
        write_page(args.page, what, rows)
    show(args, {"rows": rows, "chair": args.chair, "draws": args.draws}, tables(rows, args.chair))


if __name__ == "__main__":
    main()
