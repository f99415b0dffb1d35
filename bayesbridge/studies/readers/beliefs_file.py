"""Beliefs of any program as JSON Lines: one object for each board, seat and moment (docs/benchmark.md).

    {"board": 1, "seat": "W", "hand": "AKQ2.KJ3.A54.Q32", "moment": "auction",
     "cards": {"SJ": {"N": 0.3, "E": 0.3, "S": 0.4}, …}}

``board`` is the number of the record in its file, from 1; ``hand`` is the observer's, so that a wrong number is found
out. ``cards`` has every hidden card; a seat left out has probability 0. Optional: ``lengths``, by seat and suit the
chances of 0 to 13 cards, and ``layouts``, sampled deals in PBN that count the same. With ``layouts``, ``cards`` may be
left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, NotationError, shorten
from bayesbridge.layouts import Layouts, Masks
from bayesbridge.studies.readers.reading import SURE, Reading, of_layouts
from bayesbridge.studies.readers.seen import MOMENTS, Hard, Seen, moment_of

type Floats = NDArray[np.float64]
type Key = tuple[int, Seat, str]
"""Number of the board, seat of the observer, moment."""

LONGEST_LINE: Final = 64_000_000
"""Bytes: a line with a hundred thousand layouts passes."""

ROUNDING: Final = 0.01
"""Chances may add up to one within this; they are scaled to do so."""

_MOMENT: Final = {cards: name for name, cards in MOMENTS.items()}
_DIGITS: Final = 6
"""Of probabilities that are written."""


class BeliefsFile:
    """A file of beliefs as a reader: its lines are found at once and read when they are asked for."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.lines: dict[Key, tuple[int, int]] = {}
        """Where the line of each key begins, and its number."""
        try:
            with self.path.open("rb") as file:
                self._index(file)
        except OSError as error:
            raise NotationError(f"cannot read {str(path)!r}: {error.strerror}", path=path) from None
        if not self.lines:
            raise NotationError(f"{str(path)!r} holds no beliefs: write one JSON object on each line", path=path)

    def read(self, seen: Seen) -> Reading | None:
        """What the file says; ``None`` where it has no line for this board, seat and moment."""
        key = seen.board, seen.observer, _MOMENT.get(len(seen.plays), "")
        if key not in self.lines:
            return None
        begin, number = self.lines[key]
        with self.path.open("rb") as file:
            file.seek(begin)
            entry = self._entry(file.readline(), number)
        try:
            return reading_of(entry, seen)
        except BayesBridgeError as error:
            self._complain(number, str(error))

    def _index(self, file: BinaryIO) -> None:
        begin = number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                self._complain(number, f"it has more than {LONGEST_LINE} bytes: write fewer layouts")
            if line.strip():
                entry = self._entry(line, number)
                try:
                    key = key_of(entry)
                except BayesBridgeError as error:
                    self._complain(number, str(error))
                if key in self.lines:
                    where = f"board {key[0]}, {key[1].name}, {key[2]!r}"
                    self._complain(number, f"{where} stands in line {self.lines[key][1]} already: leave one out")
                self.lines[key] = begin, number
            begin += len(line)

    def _entry(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            self._complain(number, "it is no JSON object: write one on each line")
        return entry

    def _complain(self, number: int, what: str) -> NoReturn:
        raise NotationError(f"{self.path}: line {number}: {what}", path=self.path, line=number)


def key_of(entry: Mapping[str, Any]) -> Key:
    """Which board, seat and moment a line speaks of."""
    board, seat, moment = entry.get("board"), entry.get("seat"), entry.get("moment", "auction")
    if type(board) is not int or board < 1:
        raise NotationError(f"board {shorten(board)}: give the number of the record in its file, from 1")
    if not isinstance(seat, str) or not isinstance(moment, str):
        raise NotationError(f"seat {shorten(seat)}, moment {shorten(moment)}: give both as text")
    if "cards" not in entry and "layouts" not in entry:
        raise NotationError("neither cards nor layouts: give one of them")
    return board, Seat.of(seat), moment_of(moment)


def reading_of(entry: Mapping[str, Any], seen: Seen) -> Reading:
    """The reading of one line, checked against what was seen."""
    if (hand := entry.get("hand")) != seen.hand.pbn:
        raise NotationError(
            f"hand {shorten(hand)}: {seen.observer.name} holds {seen.hand.pbn!r} on board {seen.board}; "
            "count the records of the file from 1"
        )
    cards = _cards(entry["cards"], seen.hard) if "cards" in entry else None
    lengths = _lengths(entry["lengths"], seen.hard) if "lengths" in entry else None
    if "layouts" not in entry:
        assert cards is not None
        return Reading(cards, lengths, hard=seen.hard)
    masks = _layouts(entry["layouts"], seen.hard)
    drawn = of_layouts(masks, np.full(len(masks), 1.0 / len(masks)), seen.hard, cards)
    return drawn if lengths is None else Reading(drawn.cards, lengths, drawn.log_layout, drawn.way, hard=seen.hard)


def _cards(told: object, hard: Hard) -> Floats:
    """(52, 4) P(seat holds card); what everybody can know is filled in."""
    if not isinstance(told, dict):
        raise NotationError(f"cards {shorten(told)}: give an object of cards")
    cards = hard.cards.copy()
    left = set(np.flatnonzero(cards.max(axis=1) < SURE).tolist())
    for text, chances in told.items():
        card = Card.of(text).index
        name = str(Card(card))
        if not isinstance(chances, dict):
            raise NotationError(f"card {name}: {shorten(chances)}: give an object of seats")
        row = np.zeros(4)
        for seat, chance in chances.items():
            place = Seat.of(seat)
            row[place] = _chance(chance, f"card {name} with {place.name}")
        if card in left:
            left.remove(card)
            cards[card] = _scaled(row, f"card {name}")
    if left:
        names = ", ".join(str(Card(card)) for card in sorted(left, reverse=True)[:5])
        raise NotationError(f"no chances of {names}{' …' if len(left) > 5 else ''}: give every hidden card")
    return cards


def _lengths(told: object, hard: Hard) -> Floats:
    """(4, 4, 14) P(length) by seat and suit; seats left out must be known."""
    if not isinstance(told, dict):
        raise NotationError(f"lengths {shorten(told)}: give an object of seats")
    lengths = hard.lengths.copy()
    left = {(seat, suit) for seat in Seat for suit in Suit if lengths[seat, suit].max() < SURE}
    for name, suits in told.items():
        seat = Seat.of(name)
        if not isinstance(suits, dict):
            raise NotationError(f"lengths of {seat.name}: {shorten(suits)}: give an object of suits")
        for letter, chances in suits.items():
            suit = Suit.of(letter)
            where = f"lengths of {seat.name} in {suit.name}"
            if not isinstance(chances, list) or len(chances) != 14:
                raise NotationError(f"{where}: {shorten(chances)}: give the chances of 0 to 13 cards")
            if (seat, suit) in left:
                left.remove((seat, suit))
                lengths[seat, suit] = _scaled(np.array([_chance(chance, where) for chance in chances]), where)
    if left:
        seat, suit = min(left)
        raise NotationError(
            f"no lengths of {seat.name} in {suit.name}: give all suits of all hidden hands, or no lengths"
        )
    return lengths


def _layouts(told: object, hard: Hard) -> Masks:
    """(n, 4) layouts, each possible."""
    if not isinstance(told, list) or not told or not all(isinstance(text, str) for text in told):
        raise NotationError(f"layouts {shorten(told)}: give a list of deals in PBN, at least one")
    masks = Layouts.of(told).masks
    may = [sum(1 << card for card in np.flatnonzero(hard.cards[:, seat]).tolist()) for seat in Seat]
    wrong = np.argwhere(masks & ~np.array(may, dtype=np.uint64))
    if len(wrong):
        row, seat = wrong[0].tolist()
        card = (int(masks[row, seat]) & ~may[seat]).bit_length() - 1
        raise NotationError(f"layout {row + 1} gives {Card(card)} to {Seat(seat).name}, where it cannot lie")
    return masks


def _chance(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0 + ROUNDING:
        raise NotationError(f"{where}: {shorten(value)}: give a probability, from 0 to 1")
    return float(value)


def _scaled(row: Floats, where: str) -> Floats:
    if abs(total := float(row.sum()) - 1.0) > ROUNDING:
        raise NotationError(f"{where}: the chances add up to {1.0 + total:.4g}: let them add up to 1")
    return row / row.sum()


def line_of(seen: Seen, reading: Reading) -> str:
    """What a reader says as one line of a file, without the line's end."""
    hard = reading.hard or seen.hard
    doubt = np.flatnonzero(hard.cards.max(axis=1) < SURE)[::-1]
    seats = [Seat(seat) for seat in np.flatnonzero(hard.cards[doubt].any(axis=0)).tolist()]
    entry: dict[str, Any] = {
        "board": seen.board,
        "seat": seen.observer.name,
        "hand": seen.hand.pbn,
        "moment": _MOMENT[len(seen.plays)],
        "cards": {
            str(Card(card)): {seat.name: round(float(reading.cards[card, seat]), _DIGITS) for seat in seats}
            for card in doubt.tolist()
        },
    }
    if (lengths := reading.lengths) is not None:
        entry["lengths"] = {
            seat.name: {suit.name: [round(p, _DIGITS) for p in lengths[seat, suit].tolist()] for suit in reversed(Suit)}
            for seat in seats
        }
    return json.dumps(entry)
