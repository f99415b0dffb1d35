"""Hard evidence, compiled: which layouts are possible at all.

It is always about the original 13 cards of each seat.

What ranges cannot say is a condition over any hands, which
:mod:`bayesbridge.engines.conditions` holds in tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, gt, le, or_
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.evidence.expressions import Expression, LayoutValues
from bayesbridge.game.cards import DECK_MASK, HAND_CARDS, SUIT_CARDS, SUIT_MASK
from bayesbridge.game.layouts import HONOURS, Masks
from bayesbridge.game.shapes import Shape4, Shapes, shapes_within

type Four[T] = tuple[T, ...]

SEATS: Final = range(4)
SUITS: Final = range(4)
MOST_POINTS: Final = 40
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
        whole_suits = (SUIT_CARDS,) * 4
        return cls(
            must=none,
            may=(DECK_MASK,) * 4,
            shortest=(none,) * 4,
            longest=(whole_suits,) * 4,
            points_low=none,
            points_high=(MOST_POINTS,) * 4,
        )

    def hold(self, seat: int, mask: int) -> Self:
        """And the seat holds all these cards; 13 of them make its hand known."""
        return replace(self, must=_with(self.must, seat, self.must[seat] | mask))

    def lack(self, seat: int, mask: int) -> Self:
        """And the seat holds none of these cards."""
        return replace(self, may=_with(self.may, seat, self.may[seat] & ~mask))

    def length(self, seat: int, suit: int, low: int, high: int) -> Self:
        """And the seat has from ``low`` to ``high`` cards of a suit."""
        shortest = self.shortest[seat]
        longest = self.longest[seat]
        shortest = _with(shortest, suit, max(low, shortest[suit]))
        longest = _with(longest, suit, min(high, longest[suit]))
        return replace(
            self,
            shortest=_with(self.shortest, seat, shortest),
            longest=_with(self.longest, seat, longest),
        )

    def points(self, seat: int, low: int, high: int) -> Self:
        """And the seat has from ``low`` to ``high`` high-card points."""
        lowest = max(low, self.points_low[seat])
        highest = min(high, self.points_high[seat])
        return replace(
            self,
            points_low=_with(self.points_low, seat, lowest),
            points_high=_with(self.points_high, seat, highest),
        )

    def shape(self, seat: int, shapes: Shapes) -> Self:
        """And the suit lengths of the seat are one of these."""
        common = _common(self.shapes[seat], shapes)
        return replace(self, shapes=_with(self.shapes, seat, common))

    def where(self, condition: Expression) -> Self:
        """And the condition is true."""
        return replace(
            self, conditions=tuple(dict.fromkeys((*self.conditions, condition)))
        )

    def meets(self, masks: Masks) -> NDArray[np.bool_]:
        """Which of (n, 4) layouts meet the conditions; (n,) booleans."""
        values = LayoutValues(masks)
        fits = np.ones(len(masks), dtype=np.bool_)
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
            shapes=_each(_common, self.shapes, other.shapes),
            conditions=tuple(dict.fromkeys((*self.conditions, *other.conditions))),
        )

    @property
    def impossible(self) -> bool:
        """Whether a contradiction is plain to see; if not, only counting tells."""
        homeless_cards = DECK_MASK & ~reduce(or_, self.may)
        return bool(homeless_cards) or any(map(self._impossible_for, SEATS))

    def _impossible_for(self, seat: int) -> bool:
        """Whether what is said of a seat plainly contradicts itself."""
        must = self.must[seat]
        may = self.may[seat]
        return (
            bool(must & ~may)
            or must.bit_count() > HAND_CARDS
            or may.bit_count() < HAND_CARDS
            or self.points_low[seat] > self.points_high[seat]
            or self.shapes[seat] == frozenset()
            or any(map(gt, self.shortest[seat], self.longest[seat]))
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
        return HAND_CARDS - self.must[seat].bit_count()

    def reachable_points(self, seat: int) -> tuple[int, int]:
        """Fewest and most high-card points of a seat by its cards alone.

        Beside the cards that it must hold, some of those that it may hold fill the
        hand. ``HONOURS`` has the points of each honour and a mask of the four cards.
        """
        optional = self.may[seat] & ~self.must[seat]
        honour_points: list[int] = []
        for points, honours in HONOURS:
            honour_points += [points] * (optional & honours).bit_count()
        spot_cards = optional.bit_count() - len(honour_points)
        room = max(self.room(seat), 0)
        fewest_honours = max(room - spot_cards, 0)
        most_honours = min(room, len(honour_points))
        certain = points_in(self.must[seat])
        rising = sorted(honour_points)
        fewest = sum(rising[:fewest_honours])
        most = sum(rising[len(rising) - most_honours :])
        return certain + fewest, certain + most

    @property
    def bounded(self) -> tuple[int, ...]:
        """The hidden seats whose points range excludes something.

        It means something once the constraints are normalised.
        """
        ranges = list(zip(self.points_low, self.points_high, strict=True))
        return tuple(
            seat for seat in self.hidden if ranges[seat] != self.reachable_points(seat)
        )

    def normalised(self) -> Self:
        """The same set of layouts with the cheap conclusions drawn.

        Where a contradiction is plain to see, no further conclusion is drawn.
        """
        constraints = self
        while not constraints.impossible:
            tighter = constraints._cards_settled()._shapes_settled()._lengths_settled()
            fewest, most = zip(*map(tighter.reachable_points, SEATS), strict=True)
            tighter = replace(
                tighter,
                points_low=_each(max, tighter.points_low, fewest),
                points_high=_each(min, tighter.points_high, most),
            )
            if tighter == constraints:
                break
            constraints = tighter
        return constraints

    def _cards_settled(self) -> Self:
        """The same, with each card that can lie in one hand alone settled there.

        A card of one seat is of no other, and the last seat that can hold a card holds
        it; a full hand has no other cards.
        """
        must = list(self.must)
        may = list(self.may)
        for seat in SEATS:
            for other_seat in SEATS:
                if other_seat != seat:
                    may[other_seat] &= ~must[seat]
            if must[seat].bit_count() == HAND_CARDS:
                may[seat] &= must[seat]
        for seat in SEATS:
            elsewhere = reduce(or_, (*may[:seat], *may[seat + 1 :]))
            must[seat] |= may[seat] & ~elsewhere
            if may[seat].bit_count() == HAND_CARDS:
                must[seat] |= may[seat]
        return replace(self, must=tuple(must), may=tuple(may))

    def _shapes_settled(self) -> Self:
        """The same, with shapes and ranges of lengths narrowed by each other.

        A set of shapes that says no more than ranges is dropped. Where none is possible
        the empty set stays, which marks the contradiction.
        """
        constraints = self
        for seat in SEATS:
            shapes = constraints.shapes[seat]
            if shapes is None:
                continue
            shortest = constraints.shortest[seat]
            longest = constraints.longest[seat]
            possible = frozenset(
                shape for shape in shapes if _within(shape, shortest, longest)
            )
            if not possible:
                no_shape = _with(constraints.shapes, seat, possible)
                return replace(constraints, shapes=no_shape)
            constraints = constraints._with_shapes(seat, possible)
        return constraints

    def _with_shapes(self, seat: int, shapes: Shapes) -> Self:
        """The same where a seat has one of these shapes, and lengths to fit them."""
        lengths_by_suit = list(zip(*shapes, strict=True))
        shortest = tuple(map(min, lengths_by_suit))
        longest = tuple(map(max, lengths_by_suit))
        said_by_ranges = shapes == shapes_within(shortest, longest)
        remaining = None if said_by_ranges else shapes
        return replace(
            self,
            shapes=_with(self.shapes, seat, remaining),
            shortest=_with(self.shortest, seat, shortest),
            longest=_with(self.longest, seat, longest),
        )

    def _lengths_settled(self) -> Self:
        """Lengths and cards narrow each other.

        A hand and a suit both have 13 cards: a suit of a hand is at least as long as
        what the longest other suits of the hand (or the suit in the other hands) leave
        of these, and at most what the shortest leave.
        """
        must = list(self.must)
        may = list(self.may)
        shortest = [list(row) for row in self.shortest]
        longest = [list(row) for row in self.longest]
        for seat in SEATS:
            for suit, suit_mask in enumerate(_SUIT_MASKS):
                certain = (must[seat] & suit_mask).bit_count()
                possible = (may[seat] & suit_mask).bit_count()
                low = max(shortest[seat][suit], certain)
                high = min(longest[seat][suit], possible)
                shortest[seat][suit] = max(low, *_left_over(longest, seat, suit))
                longest[seat][suit] = min(high, *_left_over(shortest, seat, suit))
                if longest[seat][suit] == certain:
                    may[seat] &= must[seat] | ~suit_mask
                if shortest[seat][suit] == possible:
                    must[seat] |= may[seat] & suit_mask
        return replace(
            self,
            must=tuple(must),
            may=tuple(may),
            shortest=tuple(map(tuple, shortest)),
            longest=tuple(map(tuple, longest)),
        )


def _left_over(lengths: list[list[int]], seat: int, suit: int) -> tuple[int, int]:
    """How many cards other lengths leave for the length of a suit in a hand.

    First those that the other suits leave of the hand's 13 cards, then those that the
    other hands leave of the suit's 13 cards.
    """
    other_suits = sum(lengths[seat]) - lengths[seat][suit]
    other_hands = sum(row[suit] for row in lengths) - lengths[seat][suit]
    return HAND_CARDS - other_suits, SUIT_CARDS - other_hands


def _within(shape: Shape4, shortest: Four[int], longest: Four[int]) -> bool:
    """Whether each length of a shape lies in its range."""
    return all(map(le, shortest, shape)) and all(map(le, shape, longest))


def _common(shapes: Shapes | None, other_shapes: Shapes | None) -> Shapes | None:
    """The shapes in both sets, where ``None`` holds all."""
    if shapes is None:
        return other_shapes
    if other_shapes is None:
        return shapes
    return shapes & other_shapes


def _with[T](row: Four[T], place: int, value: T) -> Four[T]:
    """The row with another value at one place."""
    return (*row[:place], value, *row[place + 1 :])


def _each[T](choose: Callable[[T, T], T], first: Four[T], second: Four[T]) -> Four[T]:
    """What is chosen at each place of two rows."""
    return tuple(map(choose, first, second))
