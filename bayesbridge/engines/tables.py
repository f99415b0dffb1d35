"""Integer tables by suit rows: layouts numbered, unranked and drawn exactly under all
hard evidence.

A *row* places the unknown cards of one suit; its *key* is what the other suits must
know of it: a length index and a points index, numbers in mixed radix chosen so that the
key of two suits is the sum of their keys. A layout is a key of the low pair and one of
its pairs of rows, then a key of the high pair that fits (every hand full, every points
range and shape kept) and one of its pairs of rows; in this order layouts are numbered.
A uniform layout is a uniform number, so rare evidence costs no more than common
evidence. All entries are int64 and exact; totals from 2^63 on are refused.

Here and in :mod:`~bayesbridge.engines.quantity_tables` an array ``x_start`` has one
entry more than there are x: what belongs to x number i lies from ``x_start[i]`` up to
``x_start[i + 1]``. ``ways`` are how many rows, or pairs of rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import product
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import HOLDS_RANK
from bayesbridge.engines.classes import row_classes, running
from bayesbridge.engines.conditions import count
from bayesbridge.engines.search import place_of
from bayesbridge.errors import Contradiction, TooManyLayouts
from bayesbridge.evidence.constraints import SUITS, Constraints, points_in
from bayesbridge.evidence.measures import LENGTH, table
from bayesbridge.game.cards import HIGH_CARD_POINTS, SUIT_MASK
from bayesbridge.game.layouts import Bools, Floats, Ints, Masks
from bayesbridge.game.shapes import Shapes
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, bounded, seed_state

_MINORS: Final = (1 << 26) - 1

HAS_LENGTH: Final = (table(LENGTH)[:, None] == np.arange(14)).astype(np.int64)
"""(8192, 14) whether a 13-bit field holds so many cards."""


class ShapeClasses(NamedTuple):
    """Lengths of one hand in C D, or in H S, are one class if they allow the same
    lengths in the other two suits.
    """

    by_lengths: tuple[
        Ints, Ints
    ]  #: (14, 14) the class of two lengths, in C D and in H S; -1 where no shape has them.
    fit: Bools  #: By both classes, whether the two make one of the shapes.

    @classmethod
    def of(cls, shapes: Shapes) -> Self:
        together = np.zeros((14, 14, 14, 14), dtype=np.bool_)
        for shape in shapes:
            together[shape] = True
        flat = together.reshape(196, 196)
        minors, first = row_classes(np.where(flat, 0, -1))
        majors, second = row_classes(np.where(flat.T, 0, -1))
        return cls(
            (minors.reshape(14, 14), majors.reshape(14, 14)),
            flat[np.ix_(first, second)],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What keys mean under normalised constraints."""

    known: Constraints
    hidden: tuple[
        int, ...
    ]  #: The seats that get cards; two that get none if everything is known.
    scored: tuple[int, ...]
    """The seats whose points are in the key: all with a points range, but never all
    hidden seats, for one follows.
    """
    cards: Ints
    """(lengths, hidden seats) cards behind each length index; the last seat's are those
    of the others, negative.
    """
    points: Ints  #: (points, scored seats) points behind each points index.
    shapes: dict[int, ShapeClasses]
    """Of each hidden seat whose shape is restricted, by its place among the hidden
    seats.
    """

    @classmethod
    def of(cls, known: Constraints) -> Self:
        hidden = known.hidden or (0, 1)
        scored = known.bounded[: len(hidden) - 1]
        cards = np.array([*product(range(14), repeat=len(hidden) - 1)], dtype=np.int64)
        # Ranges leave room for the most points of a seat in a pair of suits, so sums of two keys never carry.
        ranges = [
            range(
                1
                + max(
                    points_in(known.may[seat] & ~known.must[seat] & pair)
                    for pair in (_MINORS, ~_MINORS)
                )
            )
            for seat in scored
        ]
        points = np.array([*product(*ranges)], dtype=np.int64)
        shapes = {
            place: ShapeClasses.of(allowed)
            for place, seat in enumerate(hidden)
            if (allowed := known.shapes[seat]) is not None
        }
        return cls(
            known,
            hidden,
            scored,
            np.column_stack([cards, -cards.sum(1)]),
            points,
            shapes,
        )

    @property
    def rooms(self) -> Ints:
        """How many unknown cards each hidden seat takes."""
        return np.array([self.known.room(seat) for seat in self.hidden], dtype=np.int64)

    def shares(self, suit: int) -> Ints:
        """(lengths, hidden seats) how many unknown cards of a suit each seat gets;
        negative if impossible.
        """
        shares = self.cards.copy()
        shares[:, -1] += (
            self.known.unknown_mask >> (13 * suit) & SUIT_MASK
        ).bit_count()
        return shares

    def shape_classes(self, suit: int, first: Ints, second: Ints) -> Ints:
        """The class of each pair of length indices of a suit and the next one; -1 where
        they fit no shape.
        """
        number = np.zeros(len(first), dtype=np.int64)
        fits = np.ones(len(first), dtype=np.bool_)
        for place, classes in self.shapes.items():
            certain = self.known.must[self.hidden[place]]
            here, there = (
                self.shares(which)[index, place]
                + (certain >> (13 * which) & SUIT_MASK).bit_count()
                for which, index in ((suit, first), (suit + 1, second))
            )
            own = classes.by_lengths[suit // 2][here, there]
            fits &= own >= 0
            number = number * classes.fit.shape[suit // 2] + own
        return np.where(fits, number, -1)

    def step(self, seat: int, points: int) -> int:
        """How far one card of so many points moves the key of a row, as lengths ·
        points + points.
        """
        length = int(
            (self.cards[:, :-1] == [other == seat for other in self.hidden[:-1]])
            .all(1)
            .argmax()
        )
        score = int(
            (self.points == [points * (other == seat) for other in self.scored])
            .all(1)
            .argmax()
        )
        return length * len(self.points) + score


class SuitRows(NamedTuple):
    """All rows of a suit, sorted by key. ``fields``: (r, 4) 13-bit fields, column =
    seat.
    """

    fields: NDArray[np.uint16]
    start: Ints
    ways: Ints  #: (lengths, points)
    scores: Ints  #: The points indices that occur, ascending.

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """All placements of a suit's unknown cards that keep every length in its range."""
        known, step = keys.known, cache(keys.step)
        packed, places = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64)
        for rank in range(13):
            card = 13 * suit + rank
            if known.unknown_mask >> card & 1:
                seats = [seat for seat in keys.hidden if known.may[seat] >> card & 1]
                points = HIGH_CARD_POINTS[rank] if keys.scored else 0
                bits = np.array(
                    [1 << (16 * seat + rank) for seat in seats], dtype=np.uint64
                )
                steps = np.array([step(seat, points) for seat in seats], dtype=np.int64)
                packed = (packed | bits[:, None]).ravel()
                places = (places + steps[:, None]).ravel()
        certain = np.array(
            [
                (known.must[seat] >> (13 * suit) & SUIT_MASK).bit_count()
                for seat in keys.hidden
            ]
        )
        low = np.array([known.shortest[seat][suit] for seat in keys.hidden]) - certain
        high = np.array([known.longest[seat][suit] for seat in keys.hidden]) - certain
        shares = keys.shares(suit)
        fits = ((shares >= low) & (shares <= high)).all(1)
        kept = np.repeat(fits, len(keys.points))[places]
        fields, start = _sorted_rows(
            packed[kept], places[kept], len(keys.cards) * len(keys.points)
        )
        ways = np.diff(start).reshape(-1, len(keys.points))
        return cls(fields, start, ways, np.flatnonzero(ways.any(0)))


class SuitPair(NamedTuple):
    """Two suits together, C D or H S.

    A *split* is a pair of length indices, one for each suit. Splits with the same sum,
    and with the same class where a shape is restricted, make one *pair key*; they are
    sorted by it.
    """

    first: SuitRows
    second: SuitRows
    lengths: Ints
    """(pair keys,) the length index of each, rising, and its shape class, 0 where no
    shape is restricted.
    """
    classes: Ints
    ways: Ints  #: (pair keys, points)
    split_start: Ints
    split_first: Ints
    split_second: Ints
    #: (points, splits) pairs of rows in the earlier splits of the same pair key.
    split_before: Ints

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """A suit and the next one; splits that overfill a hand or fit no shape are left
        out.
        """
        first, second = SuitRows.of(keys, suit), SuitRows.of(keys, suit + 1)
        ones, twos = (
            np.flatnonzero(first.ways.any(1)),
            np.flatnonzero(second.ways.any(1)),
        )
        together = keys.shares(suit)[ones][:, None] + keys.shares(suit + 1)[twos]
        one, two = np.nonzero((together <= keys.rooms).all(2))
        classes = keys.shape_classes(suit, ones[one], twos[two])
        one, two, classes = one[classes >= 0], two[classes >= 0], classes[classes >= 0]
        order = np.lexsort((classes, ones[one] + twos[two]))
        split_first, split_second, classes = (
            ones[one[order]],
            twos[two[order]],
            classes[order],
        )
        lengths = split_first + split_second
        begins = np.ones(len(order), dtype=np.bool_)
        begins[1:] = (np.diff(lengths) != 0) | (np.diff(classes) != 0)
        split_start = np.append(np.flatnonzero(begins), len(order))
        before, ways = _split_ways(
            first, second, split_start, split_first, split_second
        )
        return cls(
            first,
            second,
            lengths[begins],
            classes[begins],
            ways,
            split_start,
            split_first,
            split_second,
            before,
        )


# Kernels take the arrays they need out of tuples before they loop: taking one out counts references, at a high price.


@njit
def _sorted_rows(
    packed: NDArray[np.uint64], places: Ints, size: int
) -> tuple[NDArray[np.uint16], Ints]:
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
    one: SuitRows,
    two: SuitRows,
    split_start: Ints,
    split_first: Ints,
    split_second: Ints,
) -> tuple[Ints, Ints]:
    """Pairs of rows before each split, and in each key of the pair."""
    first, second, ones, twos = one.ways, two.ways, one.scores, two.scores
    keys, points = len(split_start) - 1, first.shape[1]
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
    """For each key of either suit, how many layouts contain one given row of it;
    ``rest``: that of the pair.
    """
    first, second = pair.first.ways, pair.second.ways
    ones, twos = pair.first.scores, pair.second.scores
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
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


class RankTables(NamedTuple):
    """How the keys of the two pairs are joined, and numbered."""

    #: (keys + 1,) the first number of each key of the low pair; the last entry is the
    #: total.
    key_start: Ints
    key_low: Ints  #: The pair key of the low pair, and its points.
    key_points: Ints
    partner_start: Ints
    """(pair keys of the low pair + 1,) where those of the high pair that fill the hands
    begin in ``partners``.
    """
    partners: Ints
    key_rest: Ints  #: How many pairs of high rows complete one pair of low rows.
    fit_start: Ints
    """(points + 1,) where the points of the high pair that fit points of the low pair
    begin in ``fit_points``.
    """
    fit_points: Ints


class FieldTables(ABC):
    """Marginals that follow from how many layouts, or how much weight, give each seat
    each set of a suit's cards.
    """

    @property
    @abstractmethod
    def fields(self) -> Iterable[NDArray[Any]]:
        """For C D H S, (4, 8192) by seat and set."""

    def card_marginals(self) -> Floats:
        """(52, 4) P(seat holds card)."""
        return self._summed(HOLDS_RANK).swapaxes(1, 2).reshape(52, 4)

    def length_distributions(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return self._summed(HAS_LENGTH).swapaxes(0, 1)

    def _summed(self, table: Ints) -> Floats:
        """By suit and seat, the sums over sets of cards of each column of a table."""
        return np.asarray(np.asarray(self.fields) @ table)


@dataclass(frozen=True, eq=False)
class LayoutIndex(FieldTables):
    """The tables of one set of constraints; building them takes milliseconds, a second
    at worst.
    """

    keys: Keys
    total: int
    low: SuitPair
    high: SuitPair
    low_rest: Ints
    """(pair keys, points) pairs of high rows that complete each low key; ``high_rest``
    the other way round.
    """
    high_rest: Ints
    order: RankTables

    @classmethod
    def of(cls, constraints: Constraints) -> Self:
        """Build the tables; raises ``Contradiction`` if nothing fits, and
        ``TooManyLayouts`` where no hand is known.
        """
        known = constraints.normalised()
        nothing_fits = Contradiction(
            "no layout fits the evidence: take a piece of it away", evidence=()
        )
        if known.impossible:
            raise nothing_fits
        if len(known.hidden) > 3 and (layouts := count(constraints)) >= 1 << 63:
            raise TooManyLayouts(
                f"{layouts} layouts fit; exact tables stop at 2^63. Make one hand known, or add evidence.",
                layouts=layouts,
            )
        keys = Keys.of(known)
        low, high = SuitPair.of(keys, 0), SuitPair.of(keys, 2)
        fits = _fits(keys)
        full = int((keys.cards[:, :-1] == keys.rooms[:-1]).all(1).argmax())
        shapes_fit: Bools = reduce(
            np.kron,
            [one.fit for one in keys.shapes.values()],
            np.ones((1, 1), np.bool_),
        )
        joined = (low.lengths[:, None] + high.lengths == full) & shapes_fit[
            low.classes[:, None], high.classes
        ]
        mine, partners = map(np.ascontiguousarray, np.nonzero(joined))
        low_rest = _gathered(
            mine, high.ways[partners] @ fits.T.astype(np.int64), len(low.ways)
        )
        high_rest = _gathered(
            partners, low.ways[mine] @ fits.astype(np.int64), len(high.ways)
        )
        numbers = low.ways * low_rest
        total = int(numbers.sum())
        if total == 0:
            raise nothing_fits
        key_low, key_points = map(np.ascontiguousarray, np.nonzero(numbers))
        fits &= high.ways.any(0)
        order = RankTables(
            key_start=running(numbers[key_low, key_points]),
            key_low=key_low,
            key_points=key_points,
            partner_start=running(joined.sum(1)),
            partners=partners,
            key_rest=low_rest[key_low, key_points],
            fit_start=running(fits.sum(1)),
            fit_points=np.ascontiguousarray(np.nonzero(fits)[1]),
        )
        return cls(keys, total, low, high, low_rest, high_rest, order)

    @property
    def base(self) -> NDArray[np.uint64]:
        """The cards that are certain, by seat."""
        return np.array(self.keys.known.must, dtype=np.uint64)

    @property
    def suits(self) -> tuple[SuitRows, ...]:
        """The rows of C D H S."""
        return self.low.first, self.low.second, self.high.first, self.high.second

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (lengths, points): how many layouts contain one given row of
        each key.
        """
        return *completions(self.low, self.low_rest), *completions(
            self.high, self.high_rest
        )

    def layouts(self, numbers: Ints) -> Masks:
        """The layouts with the given numbers, each from 0 to total - 1: (n, 4) masks."""
        out = np.empty((len(numbers), 4), dtype=np.uint64)
        chunk = 1 << 13  # few enough for their numbers to stay in the processor's cache
        for begin in range(0, len(numbers), chunk):
            part = out[begin : begin + chunk]
            part[:] = self.base
            in_low, in_high = locate(
                self.order, self.high.ways, numbers[begin : begin + chunk]
            )
            add_pair(self.low, 0, in_low, part)
            add_pair(self.high, 26, in_high, part)
        return out

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent uniform layouts: (n, 4) masks."""
        numbers = np.empty(n, dtype=np.int64)
        _random_numbers(np.uint64(self.total), seed_state(rng), numbers)
        return self.layouts(numbers)

    @cached_property
    def fields(self) -> list[Ints]:
        """For C D H S, (4, 8192): in how many layouts each seat has each set of the
        suit's cards.
        """
        return [
            tally_fields(rows.fields, rows.start, certain, ways.reshape(-1, 1))[0]
            for rows, certain, ways in zip(
                self.suits, self.certain, self.completions(), strict=True
            )
        ]

    @property
    def certain(self) -> list[NDArray[np.uint16]]:
        """For C D H S, (4,) the fields of the cards that are certain, by seat."""
        return [
            (self.base >> np.uint64(13 * suit) & np.uint64(SUIT_MASK)).astype(np.uint16)
            for suit in SUITS
        ]

    def _summed(self, table: Ints) -> Floats:
        # Only of sets that occur: products of integers take long.
        used = [np.flatnonzero(fields.any(0)) for fields in self.fields]
        return (
            np.stack(
                [
                    own[:, some] @ table[some]
                    for own, some in zip(self.fields, used, strict=True)
                ]
            )
            / self.total
        )


def _gathered(places: Ints, rows: Ints, size: int) -> Ints:
    out = np.zeros((size, rows.shape[1]), dtype=np.int64)
    np.add.at(out, places, rows)
    return out


def _fits(keys: Keys) -> Bools:
    """(points, points) whether points of the low and of the high pair add up to
    something within every range.
    """
    known = keys.known
    together = keys.points[:, None] + keys.points
    shares = dict(zip(keys.scored, np.moveaxis(together, 2, 0), strict=True))
    rest = [seat for seat in keys.hidden if seat not in keys.scored]
    if len(rest) == 1:
        shares[rest[0]] = points_in(known.unknown_mask) - together.sum(2)
    fits = np.ones(together.shape[:2], dtype=np.bool_)
    for seat, unknown in shares.items():
        points = unknown + points_in(known.must[seat])
        fits &= (points >= known.points_low[seat]) & (points <= known.points_high[seat])
    return fits


@njit
def locate(order: RankTables, high_ways: Ints, numbers: Ints) -> Ints:
    """(2, 3, n) in the low and in the high pair, the pair key of each layout, its
    points, and the number in both.
    """
    start, rests = order.key_start, order.key_rest
    key_low, key_points = order.key_low, order.key_points
    partner_start, partners = order.partner_start, order.partners
    fit_start, fit_points = order.fit_start, order.fit_points
    n = len(numbers)
    found = np.empty((2, 3, n), np.int64)
    for i in range(n):
        number = numbers[i]
        key = place_of(start, 0, len(rests), number)
        number -= start[key]
        low, points = key_low[key], key_points[key]
        found[0, 0, i], found[0, 1, i], found[0, 2, i] = (
            low,
            points,
            number // rests[key],
        )
        number -= found[0, 2, i] * rests[key]
        place, fit = partner_start[low], fit_start[points]
        while number >= high_ways[partners[place], fit_points[fit]]:
            number -= high_ways[partners[place], fit_points[fit]]
            fit += 1
            if fit == fit_start[points + 1]:
                place, fit = place + 1, fit_start[points]
        found[1, 0, i], found[1, 1, i], found[1, 2, i] = (
            partners[place],
            fit_points[fit],
            number,
        )
    return found


@njit
def add_pair(pair: SuitPair, shift: int, where: Ints, out: Masks) -> None:
    """Add to each layout its cards of two suits, the first of which begins at bit
    ``shift``; ``where``: (3, n).
    """
    fields, more_fields = pair.first.fields, pair.second.fields
    first, second = pair.first.ways, pair.second.ways
    start, more_start, scores = pair.first.start, pair.second.start, pair.first.scores
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
    before = pair.split_before
    keys, points, numbers = where
    width = first.shape[1]
    here, there = np.uint64(shift), np.uint64(shift + 13)
    for i in range(len(out)):
        number, score = numbers[i], points[i]
        split = place_of(
            before[score], split_start[keys[i]], split_start[keys[i] + 1], number
        )
        number -= before[score, split]
        a, b = split_first[split], split_second[split]
        for p in scores:
            pairs = first[a, p] * second[b, score - p] if p <= score else 0
            if number < pairs:
                row = number // second[b, score - p]
                one = start[a * width + p] + row
                two = (
                    more_start[b * width + score - p]
                    + number
                    - row * second[b, score - p]
                )
                for seat in range(4):
                    out[i, seat] |= (
                        np.uint64(fields[one, seat]) << here
                        | np.uint64(more_fields[two, seat]) << there
                    )
                break
            number -= pairs


@njit
def _random_numbers(total: np.uint64, state: State, out: Ints) -> None:
    """Uniform integers below the total, exactly: it passes 2^53, so no floating-point
    number will do.
    """
    for i in range(len(out)):
        out[i] = bounded(state, total)


@njit
def tally_fields(
    fields: NDArray[np.uint16], start: Ints, certain: NDArray[np.uint16], ways: Ints
) -> Ints:
    """(values, 4, 8192) layouts that give each seat each set of a suit's cards;
    ``ways``: (entries, values) layouts.
    """
    out = np.zeros((ways.shape[1], 4, 8192), np.int64)
    for value in range(ways.shape[1]):
        here = out[value]
        for entry in range(len(ways)):
            layouts = ways[entry, value]
            if layouts:
                for row in range(start[entry], start[entry + 1]):
                    for seat in range(4):
                        here[seat, fields[row, seat] | certain[seat]] += layouts
    return out
