"""Readers at the boards of a file: what is asked of whom, and what becomes of a board without an answer."""

from __future__ import annotations

import time
from typing import NamedTuple

from bayesbridge.errors import BayesBridgeError
from bayesbridge.notation.record import Record
from bayesbridge.studies.inference import seat_of
from bayesbridge.studies.readers.judge import Judged, judge, verify
from bayesbridge.studies.readers.models import CountingReader
from bayesbridge.studies.readers.reading import Reader, Reading
from bayesbridge.studies.readers.seen import Seen


class Looked(NamedTuple):
    """One reader at one board and moment."""

    seen: Seen
    reading: Reading
    judged: Judged
    answered: bool
    """Whether the reader said anything; if not, the reading is that of somebody who knows nothing."""


def see(record: Record, chair: str, cards: int, board: int = 0) -> Seen:
    """What a chair saw of a record that can be scored; dummy has no cards to play and is asked before the lead."""
    if chair == "dummy" and cards:
        raise BayesBridgeError(f"dummy after {cards} cards: dummy looks on from the lead on, take cards=0", cards=cards)
    assert record.contract is not None
    return Seen.of(record, seat_of(chair, record.contract.declarer), cards, board)


def look(reader: Reader, record: Record, seen: Seen) -> Looked:
    """Ask the reader and judge what it says; the seconds are the reader's own."""
    assert record.deal is not None
    started = time.perf_counter()
    said = reader.read(seen)
    seconds = time.perf_counter() - started
    reading = CountingReader().read(seen) if said is None else said
    verify(reading, f"reader {type(reader).__name__}")
    return Looked(seen, reading, judge(reading, seen, record.deal, seconds), said is not None)
