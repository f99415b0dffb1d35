"""What a call shows, as a text: ``15-17 points, balanced`` or ``2 key cards``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import NotationError
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import HighCards, Piece, Shape
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import SUIT_CARDS, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import HONOURS, Hands, high_card_points, suit_lengths
from bayesbridge.game.shapes import ALL, Shape4, Shapes, shape_table

LENGTHS: Final = 14
"""Of a suit in a hand, from 0 cards to 13."""

LONG_SUIT: Final = 3
"""Cards of a suit that a call shows, at least."""

ALWAYS: Final = "always"
SEAT: Final = Seat.N
"""Pieces of evidence need a seat; a statement speaks of whoever calls."""

ACE: Final = 1 << 12
KING: Final = 1 << 11
QUEEN: Final = 1 << 10
"""Cards of a suit, as bits above its two."""

ACES: Final = dict(HONOURS)[4]
ACE_POINTS: Final = 4
POINTS_WITHOUT_ACES: Final = 24
"""High-card points of all kings, queens and jacks."""

FEWEST_POINTS: Final = (*[0] * 10, 1, 3, 6, 10)
MOST_POINTS: Final = (0, 4, 7, 9, *[10] * 10)
"""High-card points of n cards of one suit; every number between can be held, so also
for a hand of given lengths.
"""

_POINTS: Final = re.compile(r"(?P<range>.*?)\s*points?", re.IGNORECASE)
_HONOURS: Final = re.compile(
    r"(?P<numbers>[0-5](?: or [0-5])*) "
    r"(?:aces?|(?P<key>key cards?)(?: (?P<queen>with(?:out)?) the queen)?)"
)
_CONTROL: Final = re.compile(r"(?P<suit>[cdhs]) control", re.IGNORECASE)


class Honours(NamedTuple):
    """How many of some cards a hand has."""

    cards: int
    """A mask."""
    numbers: tuple[int, ...]
    """How many of these cards a hand may have."""

    @classmethod
    def read(cls, text: str, trump: Suit | None) -> list[Self]:
        """Read ``0 or 4 aces`` or ``2 key cards with the queen``; none of anything else.

        Key cards are the aces and the king of trumps, the queen is that of trumps.
        """
        match = _HONOURS.fullmatch(text)
        if match is None:
            return []
        numbers = tuple(map(int, match["numbers"].split(" or ")))
        if not match["key"]:
            return [cls(ACES, numbers)]
        if trump is None:
            raise NotationError(
                f"{text!r}: no suit is agreed here: write key cards below "
                '["answers to 4NT"]',
                text=text,
            )
        honours = [cls(key_card_mask(trump), numbers)]
        if match["queen"]:
            queens = int(match["queen"] == "with")
            honours.append(cls(QUEEN << SUIT_CARDS * trump, (queens,)))
        return honours


def key_card_mask(trump: Suit) -> int:
    """A mask of the four aces and the king of trumps."""
    return ACES | KING << SUIT_CARDS * trump


def controls(hands: Hands, suit: Suit) -> NDArray[np.bool_]:
    """(n,) which hands control a suit: with its ace or king, a singleton or a void."""
    tops = np.uint64((ACE | KING) << SUIT_CARDS * suit)
    short = suit_lengths(hands)[:, suit] <= 1
    return np.asarray(short | ((hands & tops) != 0))


@dataclass(frozen=True, slots=True)
class Statement:
    """The hands that a call shows; ``always``: every one of them makes the call.

    Examples
    --------
    >>> Statement.of("15-17 POINTS,balanced, always").text
    '15-17 points, balanced, always'
    """

    text: str
    low: int
    """Fewest high-card points."""
    high: int
    """Most high-card points."""
    shapes: Shapes
    honours: tuple[Honours, ...]
    controls: tuple[Suit, ...]
    always: bool

    @classmethod
    def of(cls, text: str, trump: Suit | None = None) -> Statement:
        """Read the text; ``trump`` is the agreed suit."""
        return _read(text, trump)

    @property
    def is_possible(self) -> bool:
        """Whether some hand of 13 cards has the points, the shape and the aces."""
        if self.low > self.high:
            return False
        for honours in self.honours:
            if honours.cards & ACES:
                most = POINTS_WITHOUT_ACES + ACE_POINTS * max(honours.numbers)
                fewest = ACE_POINTS * min(honours.numbers) - 1
                if fewest > self.high or self.low > most:
                    return False
        return any(self._is_possible_in(shape) for shape in self.shapes)

    def _is_possible_in(self, shape: Shape4) -> bool:
        """Whether hands of a shape may have so many points."""
        fewest = sum(FEWEST_POINTS[length] for length in shape)
        most = sum(MOST_POINTS[length] for length in shape)
        return fewest <= self.high and self.low <= most

    @property
    def long_suits(self) -> frozenset[Suit]:
        """The suits in which every hand that fits has three cards or more."""
        return frozenset(
            suit
            for suit in Suit
            if min(shape[suit] for shape in self.shapes) >= LONG_SUIT
        )

    def fits(
        self, hands: Hands, points: NDArray[np.int64], shapes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """(n,) which of (n,) masks fit.

        ``points`` are their high-card points, ``shapes`` the numbers of their shapes,
        as :func:`points_and_shapes` gives them.
        """
        fitting: NDArray[np.bool_] = (points >= self.low) & (points <= self.high)
        is_shape_shown = shape_table(self.shapes).ravel()  # by the number of a shape
        fitting &= is_shape_shown[shapes]
        for cards, allowed_numbers in self.honours:
            number = np.bitwise_count(hands & np.uint64(cards))
            fitting &= np.isin(number, allowed_numbers)
        for suit in self.controls:
            fitting &= controls(hands, suit)
        return fitting


@lru_cache(maxsize=8192)
def _read(text: str, trump: Suit | None) -> Statement:
    """The statement that a text makes where ``trump`` is agreed."""
    reader = _StatementReader(text, trump)
    for part in text.split(","):
        reader.take(part.strip())
    statement = reader.statement()
    if not statement.is_possible:
        raise NotationError(
            f"no hand of 13 cards fits {text!r}: write points, shape and honours "
            "that go together"
        )
    return statement


class _StatementReader:
    """What the parts of a statement that are read so far say together."""

    def __init__(self, text: str, trump: Suit | None) -> None:
        self.text = text
        self.trump = trump
        self.constraints = Constraints.free()
        self.honours: list[Honours] = []
        self.controls: list[Suit] = []
        self.shown_parts: list[str] = []
        self.always = False

    def take(self, part: str) -> None:
        """Read a part between commas."""
        words = " ".join(part.lower().split())
        control = _CONTROL.fullmatch(words)
        honours = Honours.read(words, self.trump)
        if words == ALWAYS:
            self.always = True
        elif control is not None:
            suit = Suit.of(control["suit"].upper())
            self.controls.append(suit)
            self.shown_parts.append(f"{suit.name} control")
        elif honours:
            self.honours += honours
            self.shown_parts.append(words)
        else:
            piece, shown = _points_or_shape(part, self.text)
            self.constraints = piece.constrain(self.constraints)
            self.shown_parts.append(shown)

    def statement(self) -> Statement:
        """All parts as a statement."""
        parts = self.shown_parts
        if self.always:
            parts = [*parts, ALWAYS]
        # Points and shapes were collected as constraints on one seat, the caller's.
        shapes = self.constraints.shapes[SEAT]
        return Statement(
            ", ".join(parts),
            low=self.constraints.points_low[SEAT],
            high=self.constraints.points_high[SEAT],
            shapes=ALL if shapes is None else shapes,
            honours=tuple(self.honours),
            controls=tuple(self.controls),
            always=self.always,
        )


def _points_or_shape(part: str, text: str) -> tuple[Piece, str]:
    """A part of a statement as evidence, and as it is shown."""
    seat_prefix = f"{SEAT.name}:"
    points = _POINTS.fullmatch(part)
    try:
        if points is None:
            shape = Shape(SEAT, part)
            return shape, shape.text.removeprefix(seat_prefix)
        high_cards = HighCards.of(f"{seat_prefix}{points['range']}")
        return high_cards, f"{high_cards.text.removeprefix(seat_prefix)} points"
    except NotationError:
        raise NotationError(
            f"{text!r}: {part!r} is neither points, such as 15-17 points, nor a shape, "
            "such as S5+ H4-5, nor honours, such as 0 or 3 key cards or D control, "
            "nor 'always'",
            text=text,
        ) from None


def points_and_shapes(hands: Hands) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n,) high-card points of hands, and (n,) numbers of their shapes.

    The numbers are places in a table of the lengths C D H.
    """
    points = high_card_points(hands).astype(np.int64)
    lengths = suit_lengths(hands).astype(np.int64)
    clubs, diamonds, hearts, _ = lengths.T
    shapes = (clubs * LENGTHS + diamonds) * LENGTHS + hearts
    return points, shapes


type Meanings = Mapping[Call, tuple[Statement, ...]]
"""What calls show at one place, by one of their statements."""
