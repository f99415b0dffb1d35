"""Several readers on the same boards, as whole numbers that chunks fill in, so that a run can be continued.

Each board, reader and moment has its own cells of one long table. A chunk is a few boards.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import nan
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.engine import Counts, Job
from bayesbridge.studies.inference import usable
from bayesbridge.studies.readers.boards import look, see
from bayesbridge.studies.readers.judge import MEASURES, Floats
from bayesbridge.studies.readers.named import labelled, reader_of
from bayesbridge.studies.readers.reading import WAYS, Reader
from bayesbridge.studies.readers.seen import MOMENTS
from bayesbridge.studies.readers.tally import BINS, binned, bucket_of

CHUNK: Final = 2
"""Boards in a chunk: some seconds of work."""

SCALE: Final = 10**12
"""Values are kept in units of this part of one."""

VALUES: Final = len(MEASURES) + 4
"""Measures, and the losses by draws and by hard evidence alone."""
WIDTH: Final = 3 + 2 * VALUES + 3 * BINS
"""Cells of a reader at a board: asked, answered, way; for each value whether it is told, and the value; the bins."""

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

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Of the table of all answers."""
        return self.boards, len(self.readers), len(self.moments), WIDTH


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
    wanted = {i * able // min(most, able) for i in range(min(most, able))}
    return tuple(board for place, board in enumerate(_able(path)) if place in wanted)


def _able(path: str) -> Iterator[Board]:
    if not Path(path).is_file():
        raise BayesBridgeError(f"there is no file {path!r}: give a PBN or LIN file", path=path)
    records = (one for one in iter_records(path) if isinstance(one, Record))
    return (Board(number, one) for number, one in enumerate(records, 1) if usable(one) is None)


@lru_cache(maxsize=16)
def _reader(name: str, draws: int, seed: int) -> Reader:
    return reader_of(name, draws, seed)


def count(what: Plan, seed: np.random.SeedSequence, boards: int) -> Counts:
    """The readings of one chunk, in their own cells of the table of all."""
    table = np.zeros(what.shape, dtype=np.int64)
    if seed.spawn_key:  # without one nothing is asked for but the size of the table
        first = CHUNK * seed.spawn_key[0]
        chosen = boards_of(what.records, what.boards)
        with _ONE_AT_A_TIME:
            for place in range(first, first + boards):
                _fill(what, chosen[place], table[place])
    return table.ravel()


def _fill(what: Plan, board: Board, table: Counts) -> None:
    """All readers at all moments of one board; (readers, moments, WIDTH)."""
    for column, moment in enumerate(what.moments):
        cards = MOMENTS[moment]
        if len(board.record.plays) >= cards:
            seen = see(board.record, what.chair, cards, board.number)
            for row, name in enumerate(what.readers):
                found = look(_reader(name, what.draws, what.seed), board.record, seen)
                one = found.judged
                values = np.concatenate([one.values, one.noise, one.hard])
                cells = table[row, column]
                cells[:3] = 1, found.answered, WAYS.index(one.way)
                cells[3 : 3 + 2 * VALUES : 2] = ~np.isnan(values)
                cells[4 : 4 + 2 * VALUES : 2] = np.rint(np.nan_to_num(values) * SCALE)
                cells[3 + 2 * VALUES :] = np.rint(binned(one) * SCALE).ravel()


class Answer(NamedTuple):
    """One reader at one board and moment, as it was kept."""

    values: Floats
    others: Floats
    bins: Floats
    way: str
    answered: bool
    bucket: int


def answers(what: Plan, counts: Counts) -> Iterator[tuple[int, str, str, Answer]]:
    """(place of the board, reader, moment, answer), for all that were asked."""
    table = np.asarray(counts).reshape(what.shape)
    for place, board in enumerate(boards_of(what.records, what.boards)):
        assert board.record.deal is not None
        bucket = bucket_of(board.record.deal)
        for row, reader in enumerate(what.readers):
            for column, moment in enumerate(what.moments):
                cells = table[place, row, column]
                if cells[0]:
                    told = cells[3 : 3 + 2 * VALUES : 2] > 0
                    values = np.where(told, cells[4 : 4 + 2 * VALUES : 2] / SCALE, nan)
                    bins = (cells[3 + 2 * VALUES :] / SCALE).reshape(3, BINS)
                    way = WAYS[cells[2]]
                    split = len(MEASURES)
                    yield (
                        place,
                        reader,
                        moment,
                        Answer(values[:split], values[split:], bins, way, bool(cells[1]), bucket),
                    )


def job(what: Plan) -> Job:
    """What the engine of studies runs; a board is its deal. Other records or beliefs are another run."""
    named = (labelled(name)[1] for name in what.readers)
    files = (what.records, *(name for name in named if name.endswith(".jsonl")))
    hashes = ", ".join(hashlib.sha256(Path(name).read_bytes()).hexdigest()[:16] for name in files)
    return Job("readers", partial(count, what), CHUNK, {"plan": repr(what), "files": hashes})
