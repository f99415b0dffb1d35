"""Every way to place the cards of a suit, and how the ways of two suits combine.

A *row* places the unknown cards of one suit; its *key* is what the other suits must know of it: how many cards each
hidden seat gets (all but the last, which gets the rest) and how many points each seat with a points range gets. A key
is a length index and a points index, numbers in mixed radix chosen so that the key of two suits is the sum of their
keys. Rows are kept sorted by key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import HIGH_CARD_POINTS, SUIT_MASK
from bayesbridge.constraints import SUITS, Constraints, points_in
from bayesbridge.engines.shape_classes import ShapeClasses
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import njit

type Ints = NDArray[np.int64]

MOST_ENTRIES: Final = 1 << 23
"""Rows of a suit, or entries of a table, beyond which tables are refused; three hidden hands always fit."""

_RADIX: Final = 14
_MINORS: Final = (1 << 26) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What keys mean under normalised constraints."""

    known: Constraints
    hidden: tuple[int, ...]
    """The seats that get cards; two that get none if everything is known."""
    scored: tuple[int, ...]
    """The seats whose points are in the key: all with a points range, but never all hidden seats, for one follows."""
    cards: Ints
    """(lengths, hidden seats) cards behind each length index; the last seat's are those of the others, negative."""
    points: Ints
    """(points, scored seats) points behind each points index."""
    shapes: dict[int, ShapeClasses]
    """The shape classes of each hidden seat whose shape is restricted, by its place among the hidden seats."""

    @classmethod
    def of(cls, known: Constraints) -> Self:
        """The keys of normalised constraints."""
        hidden = known.hidden or (0, 1)
        scored = known.bounded[: len(hidden) - 1]
        cards = _digits([_RADIX] * (len(hidden) - 1))
        # Radices leave room for the most points of a seat in a pair of suits, so sums of two keys never carry.
        radices = [
            1 + max(points_in(known.may[seat] & ~known.must[seat] & pair) for pair in (_MINORS, ~_MINORS))
            for seat in scored
        ]
        shapes = {
            place: ShapeClasses.of(allowed)
            for place, seat in enumerate(hidden)
            if (allowed := known.shapes[seat]) is not None
        }
        return cls(known, hidden, scored, np.column_stack([cards, -cards.sum(1)]), _digits(radices), shapes)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of length indices and of points indices."""
        return len(self.cards), len(self.points)

    @property
    def rooms(self) -> Ints:
        """How many unknown cards each hidden seat takes."""
        return np.array([self.known.room(seat) for seat in self.hidden], dtype=np.int64)

    def unknown(self, *suits: int) -> int:
        """How many cards of these suits have no certain place."""
        return sum((self.known.unknown_mask >> (13 * suit) & SUIT_MASK).bit_count() for suit in suits)

    def shares(self, *suits: int) -> Ints:
        """(lengths, hidden seats) how many unknown cards of these suits each seat gets; negative if impossible."""
        shares = self.cards.copy()
        shares[:, -1] += self.unknown(*suits)
        return shares

    def shape_classes(self, suit: int, first: Ints, second: Ints) -> Ints:
        """The class of each pair of length indices of a suit and the next one; -1 where they fit no shape."""
        number = np.zeros(len(first), dtype=np.int64)
        fits = np.ones(len(first), dtype=np.bool_)
        for place, classes in self.shapes.items():
            certain = self.known.must[self.hidden[place]]
            here, there = (
                self.shares(which)[index, place] + (certain >> (13 * which) & SUIT_MASK).bit_count()
                for which, index in ((suit, first), (suit + 1, second))
            )
            by_lengths = classes.majors if suit else classes.minors
            own = by_lengths[here, there]
            fits &= own >= 0
            number = number * (1 + by_lengths.max()) + own
        return np.where(fits, number, -1)

    def fit(self) -> NDArray[np.bool_]:
        """(minor classes, major classes) whether the shapes of all seats allow both."""
        fit = np.ones((1, 1), dtype=np.bool_)
        for classes in self.shapes.values():
            fit = np.kron(fit, classes.fit)
        return fit

    def step(self, seat: int, points: int) -> int:
        """How far one card worth so many points moves the key of a row, as lengths · points + points."""
        length = int((self.cards[:, :-1] == [other == seat for other in self.hidden[:-1]]).all(1).argmax())
        score = int((self.points == [points * (other == seat) for other in self.scored]).all(1).argmax())
        return length * len(self.points) + score


class SuitRows(NamedTuple):
    """All rows of a suit, sorted by key. ``fields``: (r, 4) 13-bit fields, column = seat."""

    fields: NDArray[np.uint16]
    start: Ints
    """(lengths · points + 1,) where the rows of each key begin."""
    ways: Ints
    """(lengths, points) how many rows each key has."""
    scores: Ints
    """The points indices that occur, ascending."""

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """All placements of a suit's unknown cards that keep every length in its range."""
        known = keys.known
        packed = np.zeros(1, dtype=np.uint64)
        places = np.zeros(1, dtype=np.int64)
        step = cache(keys.step)
        for rank in range(13):
            card = 13 * suit + rank
            if known.unknown_mask >> card & 1:
                seats = [seat for seat in keys.hidden if known.may[seat] >> card & 1]
                points = HIGH_CARD_POINTS[rank] if keys.scored else 0
                bits = np.array([1 << (16 * seat + rank) for seat in seats], dtype=np.uint64)
                steps = np.array([step(seat, points) for seat in seats], dtype=np.int64)
                packed = (packed | bits[:, None]).ravel()
                places = (places + steps[:, None]).ravel()
        certain = np.array([(known.must[seat] >> (13 * suit) & SUIT_MASK).bit_count() for seat in keys.hidden])
        low = np.array([known.shortest[seat][suit] for seat in keys.hidden]) - certain
        high = np.array([known.longest[seat][suit] for seat in keys.hidden]) - certain
        shares = keys.shares(suit)
        fits = ((shares >= low) & (shares <= high)).all(1)
        kept = np.repeat(fits, len(keys.points))[places]
        if not kept.all():
            packed, places = packed[kept], places[kept]
        fields, start = _sorted_rows(packed, places, math.prod(keys.shape))
        ways = np.diff(start).reshape(keys.shape)
        return cls(fields, start, ways, np.flatnonzero(ways.any(0)))


class SuitPair(NamedTuple):
    """Two suits together, C D or H S.

    A *split* is a pair of length indices, one for each suit. Splits with the same sum, and with the same class where a
    shape is restricted, make one *pair key*; they are sorted by it.
    """

    first: SuitRows
    second: SuitRows
    lengths: Ints
    """(pair keys,) the length index of each: the sum of those of its splits, rising."""
    classes: Ints
    """(pair keys,) the shape class of each, 0 where no shape is restricted."""
    ways: Ints
    """(pair keys, points) how many pairs of rows each has."""
    split_start: Ints
    """(pair keys + 1,) where the splits of each begin."""
    split_first: Ints
    split_second: Ints
    split_before: Ints
    """(points, splits) pairs of rows in the earlier splits of the same pair key."""

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """A suit and the next one; splits that overfill a hand or fit no shape are left out."""
        first, second = SuitRows.of(keys, suit), SuitRows.of(keys, suit + 1)
        ones, twos = np.flatnonzero(first.ways.any(1)), np.flatnonzero(second.ways.any(1))
        together = keys.shares(suit)[ones][:, None] + keys.shares(suit + 1)[twos]
        one, two = np.nonzero((together <= keys.rooms).all(2))
        classes = keys.shape_classes(suit, ones[one], twos[two])
        one, two, classes = one[classes >= 0], two[classes >= 0], classes[classes >= 0]
        order = np.lexsort((classes, ones[one] + twos[two]))
        split_first, split_second, classes = ones[one[order]], twos[two[order]], classes[order]
        entries = len(keys.points) * len(order)
        if entries > MOST_ENTRIES:
            raise BayesBridgeError(
                f"tables of {entries} entries are needed and they stop at {MOST_ENTRIES}: "
                "make one hand known, or bound the points of fewer seats",
                entries=entries,
            )
        lengths = split_first + split_second
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = (np.diff(lengths) != 0) | (np.diff(classes) != 0)
        split_start = np.append(np.flatnonzero(begins), len(order))
        scores = (first.scores, second.scores)
        before, ways = _split_ways(first.ways, second.ways, scores, split_start, split_first, split_second)
        return cls(
            first, second, lengths[begins], classes[begins], ways, split_start, split_first, split_second, before
        )


def most_rows(known: Constraints) -> int:
    """The number of rows of the largest suit, lengths aside."""
    holders = [sum(mask >> card & 1 for mask in known.may) for card in range(52)]
    return max(math.prod(holders[13 * suit : 13 * suit + 13]) for suit in SUITS)


def _digits(radices: Sequence[int]) -> Ints:
    """(product of radices, number of radices) the digits of each index, most significant first."""
    return np.indices(tuple(radices), dtype=np.int64).reshape(len(radices), math.prod(radices)).T


# Kernels take the arrays they need out of tuples before they loop: taking one out counts references, at a high price.


@njit
def _sorted_rows(packed: NDArray[np.uint64], places: Ints, size: int) -> tuple[NDArray[np.uint16], Ints]:
    """Rows unpacked and sorted by key (a counting sort), and where each key begins."""
    start = np.zeros(size + 1, np.int64)
    for place in places:
        start[place + 1] += 1
    for place in range(size):
        start[place + 1] += start[place]
    free = start.copy()
    fields = np.empty((len(packed), 4), np.uint16)
    for i in range(len(packed)):
        at = free[places[i]]
        free[places[i]] += 1
        for seat in range(4):
            fields[at, seat] = (packed[i] >> np.uint64(16 * seat)) & np.uint64(0xFFFF)
    return fields, start


@njit
def _split_ways(
    first: Ints, second: Ints, scores: tuple[Ints, Ints], split_start: Ints, split_first: Ints, split_second: Ints
) -> tuple[Ints, Ints]:
    """Pairs of rows before each split, and in each key of the pair; ``first`` and ``second`` count rows by key."""
    keys, points = len(split_start) - 1, first.shape[1]
    ones, twos = scores
    before = np.zeros((points, len(split_first)), np.int64)
    ways = np.zeros((keys, points), np.int64)
    for key in range(keys):
        for split in range(split_start[key], split_start[key + 1]):
            a, b = split_first[split], split_second[split]
            for p in range(points):
                before[p, split] = ways[key, p]
            for p in ones:
                if first[a, p]:
                    for q in twos:
                        if second[b, q]:
                            ways[key, p + q] += first[a, p] * second[b, q]
    return before, ways


@njit
def completions(pair: SuitPair, rest: Ints) -> tuple[Ints, Ints]:
    """For each key of either suit, how many layouts contain one given row of it.

    ``rest``: (pair keys, points) how many pairs of rows of the other two suits complete each key of this pair.
    """
    first, second = pair.first.ways, pair.second.ways
    ones, twos = pair.first.scores, pair.second.scores
    split_start, split_first, split_second = pair.split_start, pair.split_first, pair.split_second
    for_first, for_second = np.zeros_like(first), np.zeros_like(second)
    for key in range(len(rest)):
        for split in range(split_start[key], split_start[key + 1]):
            a, b = split_first[split], split_second[split]
            for p in ones:
                if first[a, p]:
                    for q in twos:
                        if second[b, q]:
                            for_first[a, p] += second[b, q] * rest[key, p + q]
                            for_second[b, q] += first[a, p] * rest[key, p + q]
    return for_first, for_second
