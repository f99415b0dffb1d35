"""Hard evidence, compiled: which layouts are possible at all, always by the original 13
cards of each seat.

What ranges cannot say is a condition over any hands, which
:mod:`bayesbridge.engines.conditions` holds in tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.evidence.expressions import Expression, LayoutValues
from bayesbridge.game.cards import DECK_MASK, SUIT_MASK
from bayesbridge.game.layouts import HONOURS, Masks
from bayesbridge.game.shapes import Shapes, shapes_within

type Four[T] = tuple[T, ...]

SEATS: Final = range(4)
SUITS: Final = range(4)
_SUIT_MASKS: Final = tuple(SUIT_MASK << (13 * suit) for suit in SUITS)


def points_in(mask: int) -> int:
    """High-card points of a set of cards."""
    return sum(points * (mask & honours).bit_count() for points, honours in HONOURS)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What is certain about a deal.

    ``must[seat]`` and ``may[seat]`` are masks: the cards a seat certainly holds and
    those it can hold. ``shortest`` and ``longest`` are inclusive suit lengths
    ``[seat][suit]``; ``points_low`` and ``points_high`` are inclusive high-card points
    by seat. ``shapes[seat]`` are the shapes that a seat may have, ``None`` if any.
    """

    must: Four[int]
    may: Four[int]
    shortest: Four[Four[int]]
    longest: Four[Four[int]]
    points_low: Four[int]
    points_high: Four[int]
    shapes: Four[Shapes | None] = (None, None, None, None)
    conditions: tuple[Expression, ...] = ()

    @classmethod
    def free(cls) -> Self:
        """Nothing known: every deal is possible."""
        none = (0,) * 4
        return cls(
            none, (DECK_MASK,) * 4, (none,) * 4, ((13,) * 4,) * 4, none, (40,) * 4
        )

    def hold(self, seat: int, mask: int) -> Self:
        """And the seat holds all these cards; 13 of them make its hand known."""
        return replace(self, must=_with(self.must, seat, self.must[seat] | mask))

    def lack(self, seat: int, mask: int) -> Self:
        """And the seat holds none of these cards."""
        return replace(self, may=_with(self.may, seat, self.may[seat] & ~mask))

    def length(self, seat: int, suit: int, low: int, high: int) -> Self:
        """And the seat has from ``low`` to ``high`` cards of a suit."""
        shortest, longest = self.shortest[seat], self.longest[seat]
        return replace(
            self,
            shortest=_with(
                self.shortest, seat, _with(shortest, suit, max(low, shortest[suit]))
            ),
            longest=_with(
                self.longest, seat, _with(longest, suit, min(high, longest[suit]))
            ),
        )

    def points(self, seat: int, low: int, high: int) -> Self:
        """And the seat has from ``low`` to ``high`` high-card points."""
        return replace(
            self,
            points_low=_with(self.points_low, seat, max(low, self.points_low[seat])),
            points_high=_with(
                self.points_high, seat, min(high, self.points_high[seat])
            ),
        )

    def shape(self, seat: int, shapes: Shapes) -> Self:
        """And the suit lengths of the seat are one of these."""
        return replace(
            self, shapes=_with(self.shapes, seat, _both(self.shapes[seat], shapes))
        )

    def where(self, condition: Expression) -> Self:
        return replace(
            self, conditions=tuple(dict.fromkeys((*self.conditions, condition)))
        )

    def meets(self, masks: Masks) -> NDArray[np.bool_]:
        """Which of (n, 4) layouts meet the conditions; (n,) booleans."""
        values, fits = LayoutValues(masks), np.ones(len(masks), dtype=np.bool_)
        for condition in self.conditions:
            fits &= values.of(condition) != 0
        return fits

    def __and__(self, other: Constraints) -> Self:
        return replace(
            self,
            must=_each(or_, self.must, other.must),
            may=_each(and_, self.may, other.may),
            shortest=tuple(
                _each(max, *rows)
                for rows in zip(self.shortest, other.shortest, strict=True)
            ),
            longest=tuple(
                _each(min, *rows)
                for rows in zip(self.longest, other.longest, strict=True)
            ),
            points_low=_each(max, self.points_low, other.points_low),
            points_high=_each(min, self.points_high, other.points_high),
            shapes=_each(_both, self.shapes, other.shapes),
            conditions=tuple(dict.fromkeys((*self.conditions, *other.conditions))),
        )

    @property
    def impossible(self) -> bool:
        """Whether a contradiction is plain to see; if not, only counting tells."""
        return reduce(or_, self.may) != DECK_MASK or any(
            self.must[seat] & ~self.may[seat]
            or self.must[seat].bit_count() > 13
            or self.may[seat].bit_count() < 13
            or self.points_low[seat] > self.points_high[seat]
            or self.shapes[seat] == frozenset()
            or any(
                self.shortest[seat][suit] > self.longest[seat][suit] for suit in SUITS
            )
            for seat in SEATS
        )

    @property
    def hidden(self) -> tuple[int, ...]:
        """The seats that hold an unknown card; meaningful once normalised."""
        return tuple(seat for seat in SEATS if self.must[seat] != self.may[seat])

    @property
    def unknown_mask(self) -> int:
        """The cards whose place is not certain."""
        return DECK_MASK & ~reduce(or_, self.must)

    def room(self, seat: int) -> int:
        """How many unknown cards a seat holds."""
        return 13 - self.must[seat].bit_count()

    def reachable_points(self, seat: int) -> tuple[int, int]:
        """Fewest and most points of a seat by its cards alone."""
        optional = self.may[seat] & ~self.must[seat]
        worth = sorted(
            points
            for points, honours in HONOURS
            for _ in range((optional & honours).bit_count())
        )
        room = max(self.room(seat), 0)
        blanks = optional.bit_count() - len(worth)
        certain = points_in(self.must[seat])
        return certain + sum(worth[: max(room - blanks, 0)]), certain + sum(
            worth[max(len(worth) - room, 0) :]
        )

    @property
    def bounded(self) -> tuple[int, ...]:
        """The hidden seats whose points range excludes something; meaningful once
        normalised.
        """
        ranges = list(zip(self.points_low, self.points_high, strict=True))
        return tuple(
            seat for seat in self.hidden if ranges[seat] != self.reachable_points(seat)
        )

    def normalised(self) -> Self:
        """The same set of layouts with the cheap conclusions drawn, up to the first
        plain contradiction.
        """
        known = self
        while not known.impossible:
            tighter = known._cards_settled()._shapes_settled()._lengths_settled()
            fewest, most = zip(*map(tighter.reachable_points, SEATS), strict=True)
            low, high = (
                _each(max, tighter.points_low, fewest),
                _each(min, tighter.points_high, most),
            )
            tighter = replace(tighter, points_low=low, points_high=high)
            if tighter == known:
                break
            known = tighter
        return known

    def _cards_settled(self) -> Self:
        must, may = list(self.must), list(self.may)
        for seat in SEATS:
            for other in SEATS:
                if other != seat:
                    may[other] &= ~must[seat]
            if must[seat].bit_count() == 13:
                may[seat] &= must[seat]
        for seat in SEATS:
            elsewhere = reduce(or_, (may[other] for other in SEATS if other != seat))
            must[seat] |= may[seat] & ~elsewhere
            if may[seat].bit_count() == 13:
                must[seat] |= may[seat]
        return replace(self, must=tuple(must), may=tuple(may))

    def _shapes_settled(self) -> Self:
        """Shapes and ranges of lengths narrow each other; a set of shapes that says no
        more than ranges is dropped.
        """
        known = self
        for seat in SEATS:
            if (shapes := known.shapes[seat]) is not None:
                low, high = known.shortest[seat], known.longest[seat]
                kept = frozenset(
                    shape
                    for shape in shapes
                    if all(
                        a <= n <= b for a, n, b in zip(low, shape, high, strict=True)
                    )
                )
                if not kept:
                    return replace(known, shapes=_with(known.shapes, seat, kept))
                columns = list(zip(*kept, strict=True))
                low, high = tuple(map(min, columns)), tuple(map(max, columns))
                full = kept == shapes_within(low, high)
                known = replace(
                    known,
                    shapes=_with(known.shapes, seat, None if full else kept),
                    shortest=_with(known.shortest, seat, low),
                    longest=_with(known.longest, seat, high),
                )
        return known

    def _lengths_settled(self) -> Self:
        must, may = list(self.must), list(self.may)
        low, high = (
            [list(row) for row in self.shortest],
            [list(row) for row in self.longest],
        )
        for seat in SEATS:
            for suit, suit_mask in enumerate(_SUIT_MASKS):
                certain = (must[seat] & suit_mask).bit_count()
                possible = (may[seat] & suit_mask).bit_count()
                # A hand and a suit both have 13 cards: what the others need or can take bounds this one.
                others = (
                    [(seat, s) for s in SUITS if s != suit],
                    [(s, suit) for s in SEATS if s != seat],
                )
                least = (13 - sum(high[a][b] for a, b in rest) for rest in others)
                low[seat][suit] = max(low[seat][suit], certain, *least)
                most = (13 - sum(low[a][b] for a, b in rest) for rest in others)
                high[seat][suit] = min(high[seat][suit], possible, *most)
                if high[seat][suit] == certain:
                    may[seat] &= must[seat] | ~suit_mask
                if low[seat][suit] == possible:
                    must[seat] |= may[seat] & suit_mask
        return replace(
            self,
            must=tuple(must),
            may=tuple(may),
            shortest=tuple(map(tuple, low)),
            longest=tuple(map(tuple, high)),
        )


def _both(first: Shapes | None, second: Shapes | None) -> Shapes | None:
    return second if first is None else first if second is None else first & second


def _with[T](row: Four[T], place: int, value: T) -> Four[T]:
    return tuple(value if i == place else old for i, old in enumerate(row))


def _each[T](choose: Callable[[T, T], T], first: Four[T], second: Four[T]) -> Four[T]:
    return tuple(map(choose, first, second))
