"""Integer tables by suit rows: layouts numbered and drawn under hard evidence.

A *row* places the unknown cards of one suit; its *key* is what the other suits must
know of it: a length index and a points index, numbers in mixed radix chosen so that the
key of two suits is the sum of their keys. A *pairing* is a length index of one suit and
one of the next. A layout is a key of the low pair of suits and one of its pairs of
rows, then a key of the high pair that fits (every hand full, every points range and
shape kept) and one of its pairs of rows; in this order layouts are numbered. A uniform
layout is a uniform number, so rare evidence costs no more than common evidence. All
entries are int64 and exact; totals from 2^63 on are refused.

Here and in :mod:`~bayesbridge.engines.quantity_tables` an array ``x_start`` has one
entry more than there are x: what belongs to x number i lies from ``x_start[i]`` up to
``x_start[i + 1]``. ``ways`` are how many rows, or pairs of rows; ``completions`` how
many of the other suits go with one of them.
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

_MINORS: Final = (1 << 26) - 1  # clubs and diamonds

HAS_LENGTH: Final = (table(LENGTH)[:, None] == np.arange(14)).astype(np.int64)
"""(8192, 14) whether a 13-bit field holds so many cards."""

MOST_LAYOUTS_INDEXED: Final = 1 << 63  # numbers of layouts are 64-bit integers

CHUNK: Final = 1 << 13
"""Layouts found at a time: their numbers stay in the processor's cache."""

PACKED_BITS: Final = 16
"""While rows are made, the fields of the four seats lie in one word, 16 bits each."""

# Rows of the arrays in which kernels say where a layout lies in a pair of suits.
KEY: Final = 0  # the pair key
POINTS: Final = 1  # the points index
NUMBER: Final = 2  # which of the pairs of rows of both


class ShapeClasses(NamedTuple):
    """Classes of the lengths of one hand in C D, and of those in H S.

    Lengths in two suits are one class if they allow the same in the other two.
    """

    by_lengths: tuple[Ints, Ints]
    """(14, 14) the class of two lengths, in C D and in H S; -1 where no shape has them.
    """
    fit: Bools  #: By both classes, whether the two make one of the shapes.

    @classmethod
    def of(cls, shapes: Shapes) -> Self:
        """The classes of one hand whose shape is one of these."""
        allowed = np.zeros((14, 14, 14, 14), dtype=np.bool_)
        for shape in shapes:
            allowed[shape] = True
        minors_by_majors = allowed.reshape(14 * 14, 14 * 14)
        minors, first_minors = row_classes(np.where(minors_by_majors, 0, -1))
        majors, first_majors = row_classes(np.where(minors_by_majors.T, 0, -1))
        return cls(
            (minors.reshape(14, 14), majors.reshape(14, 14)),
            minors_by_majors[np.ix_(first_minors, first_majors)],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What keys mean under normalised constraints."""

    known: Constraints
    hidden: tuple[int, ...]
    """The seats that get cards; two that get none if everything is known."""
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
        """From normalised constraints."""
        hidden = known.hidden or (0, 1)
        scored = known.bounded[: len(hidden) - 1]
        cards = np.array([*product(range(14), repeat=len(hidden) - 1)], dtype=np.int64)
        ranges = [range(1 + _most_points_of_pair(known, seat)) for seat in scored]
        shapes = {}
        for place, seat in enumerate(hidden):
            allowed = known.shapes[seat]
            if allowed is not None:
                shapes[place] = ShapeClasses.of(allowed)
        return cls(
            known,
            hidden,
            scored,
            np.column_stack([cards, -cards.sum(1)]),
            np.array([*product(*ranges)], dtype=np.int64),
            shapes,
        )

    @property
    def size(self) -> int:
        """How many keys there are."""
        return len(self.cards) * len(self.points)

    @property
    def rooms(self) -> Ints:
        """How many unknown cards each hidden seat takes."""
        return np.array([self.known.room(seat) for seat in self.hidden], dtype=np.int64)

    @property
    def full(self) -> int:
        """The length index at which every hand is full."""
        return int((self.cards[:, :-1] == self.rooms[:-1]).all(1).argmax())

    def shares(self, suit: int) -> Ints:
        """(lengths, hidden seats) how many unknown cards of a suit each seat gets.

        Negative if impossible.
        """
        shares = self.cards.copy()
        shares[:, -1] += _cards_of_suit(self.known.unknown_mask, suit)
        return shares

    def lengths_fit(self, suit: int) -> Bools:
        """(lengths,) whether every length of a suit lies in its range."""
        known = self.known
        own = [_cards_of_suit(known.must[seat], suit) for seat in self.hidden]
        lengths = self.shares(suit) + np.array(own)
        shortest = np.array([known.shortest[seat][suit] for seat in self.hidden])
        longest = np.array([known.longest[seat][suit] for seat in self.hidden])
        return np.asarray(((lengths >= shortest) & (lengths <= longest)).all(1))

    def shape_classes(self, suit: int, first: Ints, second: Ints) -> Ints:
        """The class of each pair of length indices of a suit and the next one.

        It is -1 where they fit no shape; ``first``, ``second``: (pairs,).
        """
        pair = suit // 2
        number = np.zeros(len(first), dtype=np.int64)
        fits = np.ones(len(first), dtype=np.bool_)
        for place, classes in self.shapes.items():
            own = self.known.must[self.hidden[place]]
            first_own = _cards_of_suit(own, suit)
            second_own = _cards_of_suit(own, suit + 1)
            first_length = self.shares(suit)[first, place] + first_own
            second_length = self.shares(suit + 1)[second, place] + second_own
            seat_class = classes.by_lengths[pair][first_length, second_length]
            fits &= seat_class >= 0
            number = number * classes.fit.shape[pair] + seat_class
        return np.where(fits, number, -1)

    def shapes_fit(self, low: Ints, high: Ints) -> Bools:
        """(n, m) whether (n,) classes of C D and (m,) of H S make a shape of every seat."""
        fit: Bools = np.ones((1, 1), np.bool_)
        fit = reduce(np.kron, [classes.fit for classes in self.shapes.values()], fit)
        return fit[low[:, None], high]

    def points_fit(self) -> Bools:
        """(points, points) whether points of the low and the high pair fit every range."""
        known = self.known
        sums = self.points[:, None] + self.points
        unknown_points = dict(zip(self.scored, np.moveaxis(sums, 2, 0), strict=True))
        unscored = [seat for seat in self.hidden if seat not in self.scored]
        if len(unscored) == 1:
            left_over = points_in(known.unknown_mask) - sums.sum(2)
            unknown_points[unscored[0]] = left_over
        fits = np.ones(sums.shape[:2], dtype=np.bool_)
        for seat, unknown in unknown_points.items():
            points = unknown + points_in(known.must[seat])
            fits &= points >= known.points_low[seat]
            fits &= points <= known.points_high[seat]
        return fits

    def step(self, seat: int, points: int) -> int:
        """How far one card of so many points moves the key of a row.

        The key is one number, lengths · points + points.
        """
        one_card = [hidden == seat for hidden in self.hidden[:-1]]
        its_points = [points if scored == seat else 0 for scored in self.scored]
        length = int((self.cards[:, :-1] == one_card).all(1).argmax())
        score = int((self.points == its_points).all(1).argmax())
        return length * len(self.points) + score


def _most_points_of_pair(known: Constraints, seat: int) -> int:
    """The most unknown points that a seat can get in a pair of suits.

    With room for them in each digit, sums of two keys never carry.
    """
    possible = known.may[seat] & ~known.must[seat]
    return max(points_in(possible & _MINORS), points_in(possible & ~_MINORS))


def _cards_of_suit(mask: int, suit: int) -> int:
    return (mask >> (13 * suit) & SUIT_MASK).bit_count()


class SuitRows(NamedTuple):
    """All rows of a suit, sorted by key."""

    fields: NDArray[np.uint16]  #: (rows, 4) the cards of each seat as 13 bits.
    start: Ints  #: (keys + 1,) where the rows of each begin.
    ways: Ints  #: (lengths, points)
    scores: Ints  #: The points indices that occur, ascending.

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """All placements of a suit's unknown cards that keep every length in its range."""
        packed, row_keys = _all_rows(keys, suit)
        kept = np.repeat(keys.lengths_fit(suit), len(keys.points))[row_keys]
        fields, start = _sorted_rows(packed[kept], row_keys[kept], keys.size)
        ways = np.diff(start).reshape(-1, len(keys.points))
        return cls(fields, start, ways, np.flatnonzero(ways.any(0)))


def _all_rows(keys: Keys, suit: int) -> tuple[NDArray[np.uint64], Ints]:
    """(rows,) every placement of a suit's unknown cards, packed, and its key."""
    known = keys.known
    step = cache(keys.step)
    packed = np.zeros(1, dtype=np.uint64)
    row_keys = np.zeros(1, dtype=np.int64)
    for rank in range(13):
        card = 13 * suit + rank
        if known.unknown_mask >> card & 1:
            seats = [seat for seat in keys.hidden if known.may[seat] >> card & 1]
            points = HIGH_CARD_POINTS[rank] if keys.scored else 0
            bits = [1 << (PACKED_BITS * seat + rank) for seat in seats]
            steps = [step(seat, points) for seat in seats]
            packed = (packed | np.array(bits, dtype=np.uint64)[:, None]).ravel()
            row_keys = (row_keys + np.array(steps, dtype=np.int64)[:, None]).ravel()
    return packed, row_keys


class SuitPair(NamedTuple):
    """Two suits together, C D or H S.

    Pairings with the same sum of length indices, and with the same class where a shape
    is restricted, make one *pair key*; they are sorted by it.
    """

    first: SuitRows
    second: SuitRows
    lengths: Ints  #: (pair keys,) the length index of each, rising.
    classes: Ints  #: (pair keys,) the shape class, 0 where no shape is restricted.
    ways: Ints  #: (pair keys, points)
    pairing_start: Ints  #: (pair keys + 1,) where the pairings of each begin.
    pairing_first: Ints  #: (pairings,) the length index of each suit.
    pairing_second: Ints
    pairing_before: Ints
    """(points, pairings) pairs of rows in the earlier pairings of the same pair key."""

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """A suit and the next one.

        Pairings that overfill a hand or fit no shape are left out.
        """
        first = SuitRows.of(keys, suit)
        second = SuitRows.of(keys, suit + 1)
        pairing_first, pairing_second, classes = _sorted_pairings(
            keys, suit, first, second
        )
        lengths = pairing_first + pairing_second
        begins = np.ones(len(lengths), dtype=np.bool_)
        begins[1:] = (np.diff(lengths) != 0) | (np.diff(classes) != 0)
        start = np.append(np.flatnonzero(begins), len(lengths))
        before, ways = _pairing_ways(
            first, second, start, pairing_first, pairing_second
        )
        return cls(
            first,
            second,
            lengths[begins],
            classes[begins],
            ways,
            start,
            pairing_first,
            pairing_second,
            before,
        )


def _sorted_pairings(
    keys: Keys, suit: int, first: SuitRows, second: SuitRows
) -> tuple[Ints, Ints, Ints]:
    """The pairings of two suits that overfill no hand and fit a shape.

    Returns the length index of each suit and the shape class, (pairings,) each, sorted
    by the sum of length indices and then by class.
    """
    first_lengths = np.flatnonzero(first.ways.any(1))
    second_lengths = np.flatnonzero(second.ways.any(1))
    first_cards = keys.shares(suit)[first_lengths]
    second_cards = keys.shares(suit + 1)[second_lengths]
    cards = first_cards[:, None] + second_cards
    row, column = np.nonzero((cards <= keys.rooms).all(2))
    pairing_first = first_lengths[row]
    pairing_second = second_lengths[column]
    classes = keys.shape_classes(suit, pairing_first, pairing_second)
    fitting = np.flatnonzero(classes >= 0)
    sums = pairing_first[fitting] + pairing_second[fitting]
    order = fitting[np.lexsort((classes[fitting], sums))]
    return pairing_first[order], pairing_second[order], classes[order]


# Letters of kernels: a, b are length indices of the first and the second suit of a pair,
# p, q points indices in them.


@njit
def _sorted_rows(
    packed: NDArray[np.uint64], row_keys: Ints, size: int
) -> tuple[NDArray[np.uint16], Ints]:
    """Sort packed rows by key, by a counting sort.

    Returns (rows, 4) their fields, and (size + 1,) where those of each key begin.
    """
    start = np.zeros(size + 1, np.int64)
    for key in row_keys:
        start[key + 1] += 1
    for key in range(size):
        start[key + 1] += start[key]
    free = start.copy()
    fields = np.empty((len(packed), 4), np.uint16)
    for row in range(len(packed)):
        place = free[row_keys[row]]
        free[row_keys[row]] += 1
        for seat in range(4):
            field = (packed[row] >> np.uint64(PACKED_BITS * seat)) & np.uint64(0xFFFF)
            fields[place, seat] = field
    return fields, start


@njit
def _pairing_ways(
    first: SuitRows,
    second: SuitRows,
    pairing_start: Ints,
    pairing_first: Ints,
    pairing_second: Ints,
) -> tuple[Ints, Ints]:
    """Pairs of rows of two suits, counted by pairing and by key.

    Returns (points, pairings) how many lie before each pairing in its pair key, and
    (pair keys, points) how many each key has.
    """
    first_ways = first.ways
    second_ways = second.ways
    first_scores = first.scores
    second_scores = second.scores
    keys = len(pairing_start) - 1
    points = first_ways.shape[1]
    before = np.zeros((points, len(pairing_first)), np.int64)
    ways = np.zeros((keys, points), np.int64)
    for key in range(keys):
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            a = pairing_first[pairing]
            b = pairing_second[pairing]
            for p in range(points):
                before[p, pairing] = ways[key, p]
            for p in first_scores:
                for q in second_scores:
                    pairs = first_ways[a, p] * second_ways[b, q]
                    if pairs:
                        ways[key, p + q] += pairs
    return before, ways


@njit
def completions(pair: SuitPair, pair_completions: Ints) -> tuple[Ints, Ints]:
    """(lengths, points) for either suit, how many layouts contain a given row.

    ``pair_completions``: (pair keys, points) how many contain a given pair of rows.
    """
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    first_scores = pair.first.scores
    second_scores = pair.second.scores
    pairing_start = pair.pairing_start
    pairing_first = pair.pairing_first
    pairing_second = pair.pairing_second
    of_first = np.zeros_like(first_ways)
    of_second = np.zeros_like(second_ways)
    for key in range(len(pair_completions)):
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            a = pairing_first[pairing]
            b = pairing_second[pairing]
            for p in first_scores:
                for q in second_scores:
                    if first_ways[a, p] and second_ways[b, q]:
                        completing = pair_completions[key, p + q]
                        of_first[a, p] += second_ways[b, q] * completing
                        of_second[b, q] += first_ways[a, p] * completing
    return of_first, of_second


class KeyJoin(NamedTuple):
    """How the keys of the two pairs are joined, and numbered.

    A key here is a pair key with a points index.
    """

    #: (low keys + 1,) the first layout's number of each; the last entry is the total.
    key_start: Ints
    key_low: Ints  #: (low keys,) the pair key, and its points.
    key_points: Ints
    partner_start: Ints
    """(pair keys of the low pair + 1,) where those of the high pair that fill the hands
    begin in ``partners``.
    """
    partners: Ints
    key_completions: Ints  #: (low keys,) pairs of high rows that complete one of low.
    fit_start: Ints
    """(points + 1,) where the points of the high pair that fit points of the low pair
    begin in ``fit_points``.
    """
    fit_points: Ints


class FieldTables(ABC):
    """Marginals that follow from which sets of a suit's cards each seat has.

    They are sums over how many layouts, or how much weight, give it each set.
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

    def _summed(self, by_field: Ints) -> Floats:
        """(4, 4, columns) by suit and seat, the sums of a table over sets of cards.

        ``by_field``: (8192, columns).
        """
        return np.asarray(np.asarray(self.fields) @ by_field)


@dataclass(frozen=True, eq=False)
class LayoutIndex(FieldTables):
    """The tables of one set of constraints.

    Building them takes milliseconds, a second at worst.
    """

    keys: Keys
    total: int
    low: SuitPair
    high: SuitPair
    #: (pair keys, points) pairs of high rows that complete one of each low key, and
    #: the other way round.
    low_completions: Ints
    high_completions: Ints
    join: KeyJoin

    @classmethod
    def of(cls, constraints: Constraints) -> Self:
        """Build the tables.

        Raises ``Contradiction`` if nothing fits, ``TooManyLayouts`` where no hand is
        known.
        """
        normal = constraints.normalised()
        if normal.impossible:
            raise _nothing_fits()
        if len(normal.hidden) > 3:
            _verify_total(count(constraints))
        keys = Keys.of(normal)
        low = SuitPair.of(keys, 0)
        high = SuitPair.of(keys, 2)
        fills_hands = low.lengths[:, None] + high.lengths == keys.full
        joined = fills_hands & keys.shapes_fit(low.classes, high.classes)
        fits = keys.points_fit()
        low_completions, high_completions = _pair_completions(low, high, joined, fits)
        layouts = low.ways * low_completions
        total = int(layouts.sum())
        if total == 0:
            raise _nothing_fits()
        key_low, key_points = map(np.ascontiguousarray, np.nonzero(layouts))
        fits &= high.ways.any(0)
        join = KeyJoin(
            key_start=running(layouts[key_low, key_points]),
            key_low=key_low,
            key_points=key_points,
            partner_start=running(joined.sum(1)),
            partners=np.ascontiguousarray(np.nonzero(joined)[1]),
            key_completions=low_completions[key_low, key_points],
            fit_start=running(fits.sum(1)),
            fit_points=np.ascontiguousarray(np.nonzero(fits)[1]),
        )
        return cls(keys, total, low, high, low_completions, high_completions, join)

    @property
    def base(self) -> NDArray[np.uint64]:
        """(4,) the cards that are certain, by seat."""
        return np.array(self.keys.known.must, dtype=np.uint64)

    @property
    def suits(self) -> tuple[SuitRows, ...]:
        """The rows of C D H S."""
        return self.low.first, self.low.second, self.high.first, self.high.second

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (lengths, points): how many layouts contain a given row."""
        clubs, diamonds = completions(self.low, self.low_completions)
        hearts, spades = completions(self.high, self.high_completions)
        return clubs, diamonds, hearts, spades

    def layouts(self, numbers: Ints) -> Masks:
        """The layouts with the given numbers, each from 0 to total - 1: (n, 4) masks."""
        masks = np.empty((len(numbers), 4), dtype=np.uint64)
        for begin in range(0, len(numbers), CHUNK):
            chunk = slice(begin, begin + CHUNK)
            masks[chunk] = self.base
            in_low, in_high = locate(self.join, self.high.ways, numbers[chunk])
            add_pair(self.low, 0, in_low, masks[chunk])
            add_pair(self.high, 26, in_high, masks[chunk])
        return masks

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent uniform layouts: (n, 4) masks."""
        numbers = np.empty(n, dtype=np.int64)
        _random_numbers(np.uint64(self.total), seed_state(rng), numbers)
        return self.layouts(numbers)

    @cached_property
    def fields(self) -> list[Ints]:
        """For C D H S, (4, 8192): in how many layouts each seat has each set of cards."""
        tallies = []
        for rows, certain, by_key in zip(
            self.suits, self.certain, self.completions(), strict=True
        ):
            layouts = by_key.reshape(-1, 1)
            tallies.append(tally_fields(rows.fields, rows.start, certain, layouts)[0])
        return tallies

    @property
    def certain(self) -> list[NDArray[np.uint16]]:
        """For C D H S, (4,) the fields of the cards that are certain, by seat."""
        fields = [self.base >> np.uint64(13 * suit) for suit in SUITS]
        return [(field & np.uint64(SUIT_MASK)).astype(np.uint16) for field in fields]

    def _summed(self, by_field: Ints) -> Floats:
        sums = []
        for layouts in self.fields:
            # Only of sets that occur: products of integers take long.
            occurring = np.flatnonzero(layouts.any(0))
            sums.append(layouts[:, occurring] @ by_field[occurring])
        return np.stack(sums) / self.total


def _nothing_fits() -> Contradiction:
    return Contradiction(
        "no layout fits the evidence: take a piece of it away", evidence=()
    )


def _verify_total(layouts: int) -> None:
    """Refuse more layouts than 64 bits can number."""
    if layouts >= MOST_LAYOUTS_INDEXED:
        raise TooManyLayouts(
            f"{layouts} layouts fit; exact tables stop at 2^63. "
            "Make one hand known, or add evidence.",
            layouts=layouts,
        )


def _pair_completions(
    low: SuitPair, high: SuitPair, joined: Bools, fits: Bools
) -> tuple[Ints, Ints]:
    """How many pairs of rows of the other pair of suits go with one.

    Returns (pair keys, points) of the low and of the high pair. ``joined``: by pair key
    of the low and the high pair; ``fits``: by their points.
    """
    low_place, high_place = np.nonzero(joined)
    fitting = fits.astype(np.int64)
    low_completions = np.zeros_like(low.ways)
    high_completions = np.zeros_like(high.ways)
    np.add.at(low_completions, low_place, high.ways[high_place] @ fitting.T)
    np.add.at(high_completions, high_place, low.ways[low_place] @ fitting)
    return low_completions, high_completions


@njit
def locate(join: KeyJoin, high_ways: Ints, numbers: Ints) -> Ints:
    """(2, 3, n) where (n,) layouts lie in the low and in the high pair.

    That is ``KEY``, ``POINTS`` and ``NUMBER``: the pair key, its points, and which pair
    of rows of these. ``high_ways``: (pair keys, points).
    """
    key_start = join.key_start
    key_completions = join.key_completions
    key_low = join.key_low
    key_points = join.key_points
    partner_start = join.partner_start
    partners = join.partners
    fit_start = join.fit_start
    fit_points = join.fit_points
    located = np.empty((2, 3, len(numbers)), np.int64)
    for i in range(len(numbers)):
        number = numbers[i]
        key = place_of(key_start, 0, len(key_completions), number)
        number -= key_start[key]
        pair_key = key_low[key]
        points = key_points[key]
        low_number = number // key_completions[key]
        located[0, KEY, i] = pair_key
        located[0, POINTS, i] = points
        located[0, NUMBER, i] = low_number
        number -= low_number * key_completions[key]
        partner = partner_start[pair_key]
        fit = fit_start[points]
        while number >= high_ways[partners[partner], fit_points[fit]]:
            number -= high_ways[partners[partner], fit_points[fit]]
            fit += 1
            if fit == fit_start[points + 1]:
                partner += 1
                fit = fit_start[points]
        located[1, KEY, i] = partners[partner]
        located[1, POINTS, i] = fit_points[fit]
        located[1, NUMBER, i] = number
    return located


@njit
def add_pair(pair: SuitPair, shift: int, located: Ints, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of two suits.

    The first suit begins at bit ``shift``; ``located``: (3, n), see :func:`locate`.
    """
    rows = np.empty((2, len(out)), np.int64)
    _find_rows(pair, located, rows)
    add_cards(pair.first.fields, rows[0], shift, out)
    add_cards(pair.second.fields, rows[1], shift + 13, out)


@njit
def add_cards(fields: NDArray[np.uint16], rows: Ints, shift: int, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of one suit, which begins at bit ``shift``.

    ``fields``: (all rows, 4); ``rows``: (n,) which row each layout has.
    """
    first_bit = np.uint64(shift)
    for i in range(len(rows)):
        for seat in range(4):
            out[i, seat] |= np.uint64(fields[rows[i], seat]) << first_bit


@njit
def _find_rows(pair: SuitPair, located: Ints, rows: Ints) -> None:
    """Fill (2, n) the row of either suit; ``located``: (3, n), see :func:`locate`."""
    width = pair.ways.shape[1]
    for i in range(rows.shape[1]):
        key = located[KEY, i]
        points = located[POINTS, i]
        number = located[NUMBER, i]
        before = pair.pairing_before[points]
        begin = pair.pairing_start[key]
        pairing = place_of(before, begin, pair.pairing_start[key + 1], number)
        number -= before[pairing]
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for p in pair.first.scores:
            q = points - p
            second_ways = pair.second.ways[b, q]
            ways = pair.first.ways[a, p] * second_ways
            if number < ways:
                row = number // second_ways
                column = number - row * second_ways
                rows[0, i] = pair.first.start[a * width + p] + row
                rows[1, i] = pair.second.start[b * width + q] + column
                break
            number -= ways


@njit
def _random_numbers(total: np.uint64, state: State, out: Ints) -> None:
    """Fill with uniform integers below the total, exactly.

    The total passes 2^53, so no floating-point number will do.
    """
    for i in range(len(out)):
        out[i] = bounded(state, total)


@njit
def tally_fields(
    fields: NDArray[np.uint16], start: Ints, certain: NDArray[np.uint16], ways: Ints
) -> Ints:
    """(values, 4, 8192) layouts that give each seat each set of a suit's cards.

    ``fields``: (rows, 4); ``start``: (entries + 1,) where the rows of each entry begin;
    ``certain``: (4,); ``ways``: (entries, values) layouts that contain a given row.
    """
    tallies = np.zeros((ways.shape[1], 4, 8192), np.int64)
    for value in range(ways.shape[1]):
        tally = tallies[value]
        for entry in range(len(ways)):
            layouts = ways[entry, value]
            if layouts:
                for row in range(start[entry], start[entry + 1]):
                    for seat in range(4):
                        tally[seat, fields[row, seat] | certain[seat]] += layouts
    return tallies
