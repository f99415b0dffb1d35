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
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import HONOURS, Hands, high_card_points, suit_lengths
from bayesbridge.game.shapes import ALL, Shapes, shape_table

ALWAYS: Final = "always"
SEAT: Final = Seat.N
"""Pieces of evidence need a seat; a statement speaks of whoever calls."""

CARDS_OF_SUIT: Final = 13
ACE: Final = 1 << 12
KING: Final = 1 << 11
QUEEN: Final = 1 << 10
"""Cards of a suit, as bits above its two."""

ACES: Final = dict(HONOURS)[4]
ACE_POINTS: Final = 4
POINTS_BESIDE_ACES: Final = 24
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

    cards: int  #: A mask.
    numbers: tuple[int, ...]  #: Of these cards that a hand may have.

    @classmethod
    def read(cls, text: str, trump: Suit | None) -> list[Self]:
        """Read ``0 or 4 aces`` or ``2 key cards with the queen``, of trumps as their
        king; none of anything else.
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
            honours.append(cls(QUEEN << CARDS_OF_SUIT * trump, (queens,)))
        return honours


def key_card_mask(trump: Suit) -> int:
    """A mask of the four aces and the king of trumps."""
    return ACES | KING << CARDS_OF_SUIT * trump


def controls(hands: Hands, suit: Suit) -> NDArray[np.bool_]:
    """(n,) which hands control a suit: with its ace or king, a singleton or a void."""
    tops = np.uint64((ACE | KING) << CARDS_OF_SUIT * suit)
    short = suit_lengths(hands)[:, suit] <= 1
    return np.asarray(short | ((hands & tops) != 0))


@dataclass(frozen=True, slots=True)
class Statement:
    """The hands that a call shows; ``always``: every one of them makes the call.

    >>> Statement.of("15-17 POINTS,balanced, always").text
    '15-17 points, balanced, always'
    """

    text: str
    low: int  #: High-card points.
    high: int
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
        for counted in self.honours:
            if counted.cards & ACES:
                most = POINTS_BESIDE_ACES + ACE_POINTS * max(counted.numbers)
                fewest = ACE_POINTS * min(counted.numbers) - 1
                if fewest > self.high or self.low > most:
                    return False
        return any(
            sum(FEWEST_POINTS[n] for n in shape) <= self.high
            and self.low <= sum(MOST_POINTS[n] for n in shape)
            for shape in self.shapes
        )

    @property
    def long_suits(self) -> frozenset[Suit]:
        """The suits in which every hand that fits has three cards or more."""
        return frozenset(
            suit for suit in Suit if all(shape[suit] > 2 for shape in self.shapes)
        )

    def fits(
        self, hands: Hands, points: NDArray[np.int64], shapes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """(n,) which of (n,) masks fit, given their points and shapes, the latter as
        places in a table of C D H.
        """
        fitting: NDArray[np.bool_] = (points >= self.low) & (points <= self.high)
        fitting &= shape_table(self.shapes).ravel()[shapes]
        for cards, numbers in self.honours:
            fitting &= np.isin(np.bitwise_count(hands & np.uint64(cards)), numbers)
        for suit in self.controls:
            fitting &= controls(hands, suit)
        return fitting


@lru_cache(maxsize=8192)
def _read(text: str, trump: Suit | None) -> Statement:
    known = Constraints.free()
    honours: list[Honours] = []
    controlled: list[Suit] = []
    words: list[str] = []
    always = False
    for part in (part.strip() for part in text.split(",")):
        word = " ".join(part.lower().split())
        control = _CONTROL.fullmatch(word)
        counted = Honours.read(word, trump)
        if word == ALWAYS:
            always = True
        elif control is not None:
            controlled.append(Suit.of(control["suit"].upper()))
            words.append(f"{control['suit'].upper()} control")
        elif counted:
            honours += counted
            words.append(word)
        else:
            piece, name = _points_or_shape(part, text)
            known = piece.constrain(known)
            words.append(name)
    if always:
        words.append(ALWAYS)
    shapes = known.shapes[SEAT]
    statement = Statement(
        ", ".join(words),
        known.points_low[SEAT],
        known.points_high[SEAT],
        ALL if shapes is None else shapes,
        tuple(honours),
        tuple(controlled),
        always,
    )
    if not statement.is_possible:
        raise NotationError(
            f"no hand of 13 cards fits {text!r}: write points, shape and honours "
            "that go together"
        )
    return statement


def _points_or_shape(part: str, text: str) -> tuple[Piece, str]:
    """A part of a statement as evidence, and as it is shown."""
    points = _POINTS.fullmatch(part)
    try:
        if points is None:
            shape = Shape(SEAT, part)
            return shape, shape.text.removeprefix(f"{SEAT.name}:")
        high_cards = HighCards.of(f"{SEAT.name}:{points['range']}")
        return high_cards, f"{high_cards.text.removeprefix(f'{SEAT.name}:')} points"
    except NotationError:
        raise NotationError(
            f"{text!r}: {part!r} is neither points, such as 15-17 points, nor a shape, "
            "such as S5+ H4-5, nor honours, such as 0 or 3 key cards or D control, "
            "nor 'always'",
            text=text,
        ) from None


def points_and_shapes(hands: Hands) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n,) high-card points of hands, and (n,) places of their shapes in a table of
    C D H.
    """
    lengths = suit_lengths(hands).astype(np.int64)
    clubs, diamonds, hearts = lengths[:, 0], lengths[:, 1], lengths[:, 2]
    return high_card_points(hands).astype(np.int64), (
        clubs * 14 + diamonds
    ) * 14 + hearts


type Meanings = Mapping[Call, tuple[Statement, ...]]
"""What calls show at one place, by one of their statements."""
