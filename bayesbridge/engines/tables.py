"""Integer tables by suit rows: layouts numbered and drawn under hard evidence.

The words of this counting:

- a *row* is one placement of the unknown cards of a suit with the hidden seats;
- its *length index* is how many of them each seat gets, its *points index* how many
  points each scored seat gets, both as one number in mixed radix, so that the indices
  of two suits add up;
- its *key* is both in one number: all that the other suits must know of the row;
- a *pairing* is a length index of one suit and one of the next; pairings that give each
  seat as many cards (and leave it the same shapes) have one *pair key*;
- *ways* are how many rows, or pairs of rows, there are; *completions* how many ways the
  other suits have to complete one of them to a layout.

A layout is a pair key and points of the low pair of suits and one of its pairs of rows,
then a pair key and points of the high pair that fit (every hand full, every points
range and shape kept) and one of its pairs of rows; in this order layouts are numbered.
A uniform layout is a uniform number, so rare evidence costs no more than common
evidence. All counts are int64 and exact; totals from 2^63 on are refused.

Here and in :mod:`~bayesbridge.engines.quantity_tables` an array ``x_start`` has one
entry more than there are x: what belongs to x number i lies from ``x_start[i]`` up to
``x_start[i + 1]``.
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
from bayesbridge.evidence.measures import HOLDINGS, LENGTH, table
from bayesbridge.game.cards import HIGH_CARD_POINTS, SUIT_CARDS, SUIT_MASK
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

PACKED_MASK: Final = (1 << PACKED_BITS) - 1  # the field of the first seat in a word

# The first bits of the two pairs of suits in a mask of 52 cards.
CLUBS_BIT: Final = 0
HEARTS_BIT: Final = 2 * SUIT_CARDS

# Rows of the arrays in which kernels say where a layout lies in a pair of suits.
KEY: Final = 0  # the pair key
POINTS: Final = 1  # the points index
NUMBER: Final = 2  # which of the pairs of rows with this pair key and these points


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
        # `row_classes` gives equal rows one class, and rows of -1 only no class: -1.
        partner_table = np.where(minors_by_majors, 0, -1)
        minor_classes, minor_representatives = row_classes(partner_table)
        major_classes, major_representatives = row_classes(partner_table.T)
        return cls(
            by_lengths=(minor_classes.reshape(14, 14), major_classes.reshape(14, 14)),
            fit=minors_by_majors[np.ix_(minor_representatives, major_representatives)],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What keys mean under normalised constraints.

    A key says how many cards and points each seat gets in a suit or a pair of suits:
    length index · number of points indices + points index.
    """

    known: Constraints
    hidden: tuple[int, ...]
    """The seats that get cards; two that get none if everything is known."""
    scored: tuple[int, ...]
    """The seats whose points are in the key: all with a points range, but never all
    hidden seats, for the points of one follow.
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
        """Number all cards and points that seats could get in one pair of suits.

        ``known``: normalised constraints. A length index is a place in the list of all
        numbers of cards, 0 to 13 for each hidden seat; a points index one in that of
        all points of the scored seats. The last hidden seat gets what the others leave.
        """
        hidden = known.hidden or (0, 1)
        scored = known.bounded[: len(hidden) - 1]
        cards_of_all_but_last = product(range(14), repeat=len(hidden) - 1)
        cards = np.array([*cards_of_all_but_last], dtype=np.int64)
        taken_from_last_seat = -cards.sum(1)
        ranges = [range(1 + _most_points_of_pair(known, seat)) for seat in scored]
        shapes = {}
        for place, seat in enumerate(hidden):
            allowed = known.shapes[seat]
            if allowed is not None:
                shapes[place] = ShapeClasses.of(allowed)
        return cls(
            known=known,
            hidden=hidden,
            scored=scored,
            cards=np.column_stack([cards, taken_from_last_seat]),
            points=np.array([*product(*ranges)], dtype=np.int64),
            shapes=shapes,
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
        """(lengths,) whether every seat's length in a suit lies in its range."""
        known = self.known
        certain = [_cards_of_suit(known.must[seat], suit) for seat in self.hidden]
        lengths = self.shares(suit) + np.array(certain)
        shortest = np.array([known.shortest[seat][suit] for seat in self.hidden])
        longest = np.array([known.longest[seat][suit] for seat in self.hidden])
        return np.asarray(((lengths >= shortest) & (lengths <= longest)).all(1))

    def shape_classes(self, suit: int, first: Ints, second: Ints) -> Ints:
        """(pairings,) one class for what the lengths in two suits allow all seats.

        ``first``, ``second``: (pairings,) the length index (how many cards each seat
        gets) of a suit and of the next one. Each seat whose shape is restricted has a
        class, see :class:`ShapeClasses`; these are the digits of the class of all, a
        number in mixed radix. It is -1 where the lengths of a seat fit none of its
        shapes.
        """
        pair = suit // 2
        first_shares = self.shares(suit)
        second_shares = self.shares(suit + 1)
        class_of_all = np.zeros(len(first), dtype=np.int64)
        fits = np.ones(len(first), dtype=np.bool_)
        for place, classes in self.shapes.items():
            certain = self.known.must[self.hidden[place]]
            first_certain = _cards_of_suit(certain, suit)
            second_certain = _cards_of_suit(certain, suit + 1)
            first_length = first_shares[first, place] + first_certain
            second_length = second_shares[second, place] + second_certain
            class_of_seat = classes.by_lengths[pair][first_length, second_length]
            fits &= class_of_seat >= 0
            radix = classes.fit.shape[pair]  # how many classes the seat has
            class_of_all = class_of_all * radix + class_of_seat
        return np.where(fits, class_of_all, -1)

    def shapes_fit(self, low: Ints, high: Ints) -> Bools:
        """(n, m) whether (n,) classes of C D and (m,) of H S make a shape of every seat.

        These classes are numbers whose digits are the classes of the seats, and so are
        the places in a Kronecker product of the tables of all seats.
        """
        fit: Bools = np.ones((1, 1), np.bool_)
        fit = reduce(np.kron, [classes.fit for classes in self.shapes.values()], fit)
        return fit[low[:, None], high]

    def points_fit(self) -> Bools:
        """(points, points) whether points of the low and the high pair fit every range.

        Rows and columns are points indices of clubs with diamonds and of hearts with
        spades: how many points each scored seat gets there.
        """
        known = self.known
        # (low points, high points, scored seats)
        scored_points = self.points[:, None] + self.points
        by_scored_seat = np.moveaxis(scored_points, 2, 0)
        unknown_points = dict(zip(self.scored, by_scored_seat, strict=True))
        unscored = [seat for seat in self.hidden if seat not in self.scored]
        if len(unscored) == 1:
            # Only then its points follow: it gets all that the scored seats do not.
            left_over = points_in(known.unknown_mask) - scored_points.sum(2)
            unknown_points[unscored[0]] = left_over
        fits = np.ones(scored_points.shape[:2], dtype=np.bool_)
        for seat, unknown in unknown_points.items():
            points = unknown + points_in(known.must[seat])
            fits &= points >= known.points_low[seat]
            fits &= points <= known.points_high[seat]
        return fits

    def key_of_card(self, seat: int, points: int) -> int:
        """What one card of so many points adds to the key of a row that gives it a seat."""
        one_card = [hidden == seat for hidden in self.hidden[:-1]]
        its_points = [points if scored == seat else 0 for scored in self.scored]
        lengths = int((self.cards[:, :-1] == one_card).all(1).argmax())
        score = int((self.points == its_points).all(1).argmax())
        return lengths * len(self.points) + score


def _most_points_of_pair(known: Constraints, seat: int) -> int:
    """The most unknown points that a seat can get in a pair of suits.

    With room for them in each digit, sums of two keys never carry.
    """
    possible = known.may[seat] & ~known.must[seat]
    return max(points_in(possible & _MINORS), points_in(possible & ~_MINORS))


def _cards_of_suit(mask: int, suit: int) -> int:
    return (mask >> (13 * suit) & SUIT_MASK).bit_count()


class SuitRows(NamedTuple):
    """All rows of a suit, sorted by key.

    A row is one placement of the suit's unknown cards with the hidden seats; its key is
    how many cards (length index) and points (points index) each seat gets.
    """

    fields: NDArray[np.uint16]  #: (rows, 4) the cards of each seat as 13 bits.
    start: Ints  #: (keys + 1,) where the rows of each begin.
    ways: Ints  #: (lengths, points) how many rows.
    scores: Ints  #: The points indices that occur, ascending.

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """All placements of a suit's unknown cards that keep every length in its range."""
        packed, row_keys = _all_rows(keys, suit)
        key_fits = np.repeat(keys.lengths_fit(suit), len(keys.points))
        row_fits = key_fits[row_keys]
        fields, start = _sorted_rows(packed[row_fits], row_keys[row_fits], keys.size)
        ways = np.diff(start).reshape(-1, len(keys.points))
        return cls(fields, start, ways, scores=np.flatnonzero(ways.any(0)))


def _all_rows(keys: Keys, suit: int) -> tuple[NDArray[np.uint64], Ints]:
    """Every row of a suit: a placement of its unknown cards with the hidden seats.

    Returns (rows,) words that hold the cards of seat s in the bits from 16 · s on, and
    (rows,) the key of each: how many cards and points each seat gets, in one number.
    """
    known = keys.known
    key_of_card = cache(keys.key_of_card)
    packed = np.zeros(1, dtype=np.uint64)
    row_keys = np.zeros(1, dtype=np.int64)
    for rank in range(SUIT_CARDS):
        card = SUIT_CARDS * suit + rank
        is_unknown = known.unknown_mask >> card & 1
        if not is_unknown:
            continue
        seats = [seat for seat in keys.hidden if known.may[seat] >> card & 1]
        points = HIGH_CARD_POINTS[rank] if keys.scored else 0
        bits = [1 << (PACKED_BITS * seat + rank) for seat in seats]
        card_keys = [key_of_card(seat, points) for seat in seats]
        # Each row so far goes on with the card in each of these hands.
        card_bits = np.array(bits, dtype=np.uint64)
        packed = np.bitwise_or.outer(card_bits, packed).ravel()
        row_keys = np.add.outer(np.array(card_keys, dtype=np.int64), row_keys).ravel()
    return packed, row_keys


class Pairings(NamedTuple):
    """Length indices of two suits that go together, (pairings,) each."""

    first: Ints  #: The length index of the first suit.
    second: Ints  #: That of the second suit.
    shape_class: Ints  #: See :meth:`Keys.shape_classes`.


class SuitPair(NamedTuple):
    """Two suits together, C D or H S.

    A *pairing* is a length index of either suit. Pairings with the same sum of length
    indices, and with the same class where a shape is restricted, make one *pair key*;
    they are sorted by it.
    """

    first: SuitRows
    second: SuitRows
    lengths: Ints  #: (pair keys,) the length index of both suits together, rising.
    classes: Ints  #: (pair keys,) the shape class, 0 where no shape is restricted.
    ways: Ints  #: (pair keys, points) how many pairs of rows.
    pairing_start: Ints  #: (pair keys + 1,) where the pairings of each begin.
    pairing_first: Ints  #: (pairings,) the length index of each suit.
    pairing_second: Ints
    pairing_before: Ints
    """(points, pairings) pairs of rows in the earlier pairings of the same pair key."""

    @classmethod
    def of(cls, keys: Keys, suit: int) -> Self:
        """Combine a suit and the next one by what each seat gets in both together.

        A pairing is a length index (how many unknown cards each hidden seat gets) of
        either suit; those that overfill a hand or fit no shape are left out. Pairings
        with the same sum of both and the same shape class (what their lengths allow in
        the other two suits) stand together and have one pair key.
        """
        first = SuitRows.of(keys, suit)
        second = SuitRows.of(keys, suit + 1)
        pairings = _sorted_pairings(keys, suit, first, second)
        lengths = pairings.first + pairings.second
        classes = pairings.shape_class
        begins_key = np.ones(len(lengths), dtype=np.bool_)  # the first of its pair key
        begins_key[1:] = (np.diff(lengths) != 0) | (np.diff(classes) != 0)
        pairing_start = np.append(np.flatnonzero(begins_key), len(lengths))
        pairing_before, ways = _pairing_ways(first, second, pairing_start, pairings)
        return cls(
            first=first,
            second=second,
            lengths=lengths[begins_key],
            classes=classes[begins_key],
            ways=ways,
            pairing_start=pairing_start,
            pairing_first=pairings.first,
            pairing_second=pairings.second,
            pairing_before=pairing_before,
        )


def _sorted_pairings(
    keys: Keys, suit: int, first: SuitRows, second: SuitRows
) -> Pairings:
    """The pairings of two suits that overfill no hand and fit a shape of every seat.

    A pairing is a length index (how many unknown cards each hidden seat gets) of either
    suit. They are sorted by the sum of the two, and then by shape class.
    """
    first_lengths = np.flatnonzero(first.ways.any(1))
    second_lengths = np.flatnonzero(second.ways.any(1))
    first_cards = keys.shares(suit)[first_lengths]
    second_cards = keys.shares(suit + 1)[second_lengths]
    # (lengths of the first suit, lengths of the second, hidden seats)
    cards = first_cards[:, None] + second_cards
    first_place, second_place = np.nonzero((cards <= keys.rooms).all(2))
    pairing_first = first_lengths[first_place]
    pairing_second = second_lengths[second_place]
    classes = keys.shape_classes(suit, pairing_first, pairing_second)
    fits_a_shape = np.flatnonzero(classes >= 0)
    sums = pairing_first[fits_a_shape] + pairing_second[fits_a_shape]
    by_sum_and_class = np.lexsort((classes[fits_a_shape], sums))
    order = fits_a_shape[by_sum_and_class]
    return Pairings(pairing_first[order], pairing_second[order], classes[order])


# Letters of kernels: a, b are length indices of the first and the second suit of a pair,
# p, q points indices in them.


@njit
def _sorted_rows(
    packed: NDArray[np.uint64], row_keys: Ints, size: int
) -> tuple[NDArray[np.uint16], Ints]:
    """Sort packed rows by key, by a counting sort.

    ``packed``: (rows,) words that hold the cards of seat s in the bits from 16 · s on;
    ``row_keys``: (rows,) their keys, 0 … ``size`` - 1. Returns (rows, 4) the cards of
    each seat as 13 bits, and (size + 1,) where the rows of each key begin.
    """
    start = np.zeros(size + 1, np.int64)
    for key in row_keys:
        start[key + 1] += 1
    for key in range(size):
        start[key + 1] += start[key]
    next_place = start.copy()
    fields = np.empty((len(packed), 4), np.uint16)
    for row in range(len(packed)):
        place = next_place[row_keys[row]]
        next_place[row_keys[row]] += 1
        for seat in range(4):
            seat_bits = packed[row] >> np.uint64(PACKED_BITS * seat)
            fields[place, seat] = seat_bits & np.uint64(PACKED_MASK)
    return fields, start


@njit
def _pairing_ways(
    first: SuitRows, second: SuitRows, pairing_start: Ints, pairings: Pairings
) -> tuple[Ints, Ints]:
    """Count the pairs of rows of two suits, by pairing and by pair key.

    A pairing is a length index of either suit, a and b below, and has a pair of rows
    for each row of either; p and q are the points indices of these. The pairings of
    pair key k lie from ``pairing_start[k]`` up to ``pairing_start[k + 1]``.

    Returns (points, pairings) how many pairs of rows the earlier pairings of the same
    pair key have, and (pair keys, points) how many each pair key has in all.
    """
    first_ways = first.ways
    second_ways = second.ways
    keys = len(pairing_start) - 1
    points = first_ways.shape[1]
    before = np.zeros((points, len(pairings.first)), np.int64)
    ways = np.zeros((keys, points), np.int64)
    for key in range(keys):
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            # What was counted of the key so far lies before this pairing.
            for p in range(points):
                before[p, pairing] = ways[key, p]
            a = pairings.first[pairing]
            b = pairings.second[pairing]
            for p in first.scores:
                for q in second.scores:
                    pairs_of_rows = first_ways[a, p] * second_ways[b, q]
                    if pairs_of_rows:
                        ways[key, p + q] += pairs_of_rows
    return before, ways


@njit
def completions(pair: SuitPair, pair_completions: Ints) -> tuple[Ints, Ints]:
    """How many layouts contain a given row, for either suit of a pair.

    ``pair_completions``: (pair keys, points) how many contain a given pair of rows.
    Returns (lengths, points) for the first suit and for the second: a row's length and
    points index (cards and points of every seat) are all that counts. They are a, p in
    the first suit and b, q in the second below; a pairing is a and b.
    """
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    first_scores = pair.first.scores
    second_scores = pair.second.scores
    first_completions = np.zeros_like(first_ways)
    second_completions = np.zeros_like(second_ways)
    for key in range(len(pair_completions)):
        for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
            a = pair.pairing_first[pairing]
            b = pair.pairing_second[pairing]
            for p in first_scores:
                for q in second_scores:
                    if first_ways[a, p] and second_ways[b, q]:
                        layouts = pair_completions[key, p + q]
                        first_completions[a, p] += second_ways[b, q] * layouts
                        second_completions[b, q] += first_ways[a, p] * layouts
    return first_completions, second_completions


class KeyJoin(NamedTuple):
    """Which keys of the two pairs of suits go together, and how layouts are numbered.

    A low key is here a pair key of the low pair with a points index. Its layouts have
    consecutive numbers: for each of its pairs of low rows all pairs of high rows that
    complete it, by partner (a pair key of the high pair that fills the hands), then by
    fitting points index.
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

    @classmethod
    def of(
        cls, layouts: Ints, low_completions: Ints, keys_fit: Bools, points_fit: Bools
    ) -> Self:
        """Number the layouts by low keys, and list for each what goes with it.

        ``layouts``, ``low_completions``: (pair keys, points) of the low pair: how many
        layouts have these, and how many contain one of its pairs of rows;
        ``keys_fit``: (low pair keys, high pair keys), ``points_fit``: (low points, high
        points).
        """
        key_low, key_points = map(np.ascontiguousarray, np.nonzero(layouts))
        return cls(
            key_start=running(layouts[key_low, key_points]),
            key_low=key_low,
            key_points=key_points,
            partner_start=running(keys_fit.sum(1)),
            partners=np.ascontiguousarray(np.nonzero(keys_fit)[1]),
            key_completions=low_completions[key_low, key_points],
            fit_start=running(points_fit.sum(1)),
            fit_points=np.ascontiguousarray(np.nonzero(points_fit)[1]),
        )


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
        """Build the tables of all layouts that fit the constraints.

        First both pairs of suits by key (how many cards and points each seat gets),
        then which keys of the two fill every hand and keep every shape and points range.

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
        keys_fit = fills_hands & keys.shapes_fit(low.classes, high.classes)
        points_fit = keys.points_fit()
        low_completions, high_completions = _pair_completions(
            low, high, keys_fit, points_fit
        )
        layouts = low.ways * low_completions
        total = int(layouts.sum())
        if total == 0:
            raise _nothing_fits()
        high_points_occur = high.ways.any(0)
        join = KeyJoin.of(
            layouts, low_completions, keys_fit, points_fit & high_points_occur
        )
        return cls(
            keys=keys,
            total=total,
            low=low,
            high=high,
            low_completions=low_completions,
            high_completions=high_completions,
            join=join,
        )

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
            add_pair(self.low, CLUBS_BIT, in_low, masks[chunk])
            add_pair(self.high, HEARTS_BIT, in_high, masks[chunk])
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
        for rows, certain, completions_by_key in zip(
            self.suits, self.certain, self.completions(), strict=True
        ):
            # One column: all layouts count as of the same value.
            layouts = completions_by_key.reshape(-1, 1)
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
    low: SuitPair, high: SuitPair, keys_fit: Bools, points_fit: Bools
) -> tuple[Ints, Ints]:
    """How many pairs of rows of the other pair of suits complete one to a layout.

    Returns (pair keys, points) of the low and of the high pair, as ``low.ways`` and
    ``high.ways`` are: pairs of rows by what each seat gets in them. ``keys_fit``: (low
    pair keys, high pair keys), ``points_fit``: (low points, high points).
    """
    low_key, high_key = np.nonzero(keys_fit)
    points_matrix = points_fit.astype(np.int64)
    low_completions = np.zeros_like(low.ways)
    high_completions = np.zeros_like(high.ways)
    # Each pair of fitting keys adds the other one's rows, summed over fitting points.
    np.add.at(low_completions, low_key, high.ways[high_key] @ points_matrix.T)
    np.add.at(high_completions, high_key, low.ways[low_key] @ points_matrix)
    return low_completions, high_completions


@njit
def locate(join: KeyJoin, high_ways: Ints, numbers: Ints) -> Ints:
    """Find where (n,) layouts lie in the low and in the high pair of suits.

    Returns (2, 3, n), for each pair ``KEY``, ``POINTS`` and ``NUMBER``: the pair key
    (how many cards each seat gets), the points index, and which of the pairs of rows
    with both. ``high_ways``: (pair keys, points) pairs of rows of the high pair;
    ``numbers``: (n,) of the layouts among all.
    """
    located = np.empty((2, 3, len(numbers)), np.int64)
    high_numbers = _locate_low(join, numbers, located[0])
    _locate_high(join, high_ways, located[0], high_numbers, located[1])
    return located


@njit
def _locate_low(join: KeyJoin, numbers: Ints, in_low: Ints) -> Ints:
    """Fill (3, n) ``KEY``, ``POINTS`` and ``NUMBER`` of layouts in the low pair.

    See :func:`locate`. Returns the (n,) number of each layout among those with the same
    pair of rows in the low pair.
    """
    key_start = join.key_start
    key_completions = join.key_completions
    key_low = join.key_low
    key_points = join.key_points
    high_numbers = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        low_key = place_of(key_start, 0, len(key_completions), numbers[i])
        number_in_key = numbers[i] - key_start[low_key]
        # Every pair of rows of this key has so many layouts.
        layouts_each = key_completions[low_key]
        pair_of_rows = number_in_key // layouts_each
        in_low[KEY, i] = key_low[low_key]
        in_low[POINTS, i] = key_points[low_key]
        in_low[NUMBER, i] = pair_of_rows
        high_numbers[i] = number_in_key - pair_of_rows * layouts_each
    return high_numbers


@njit
def _locate_high(
    join: KeyJoin, high_ways: Ints, in_low: Ints, high_numbers: Ints, in_high: Ints
) -> None:
    """Fill (3, n) ``KEY``, ``POINTS`` and ``NUMBER`` of layouts in the high pair.

    ``in_low``: (3, n) the same of the low pair, see :func:`locate`; ``high_numbers``:
    (n,) the number of each layout among those with the same pair of low rows. These are
    numbered by partner (a pair key of the high pair that fills the hands), then by
    fitting points index; ``high_ways``: (pair keys, points) how many have both.
    """
    partner_start = join.partner_start
    partners = join.partners
    fit_start = join.fit_start
    fit_points = join.fit_points
    for i in range(len(high_numbers)):
        low_points = in_low[POINTS, i]
        number = high_numbers[i]
        partner = partner_start[in_low[KEY, i]]
        fit = fit_start[low_points]
        while number >= high_ways[partners[partner], fit_points[fit]]:
            number -= high_ways[partners[partner], fit_points[fit]]
            fit += 1
            if fit == fit_start[low_points + 1]:
                # All points that fit were tried with this partner.
                partner += 1
                fit = fit_start[low_points]
        in_high[KEY, i] = partners[partner]
        in_high[POINTS, i] = fit_points[fit]
        in_high[NUMBER, i] = number


@njit
def add_pair(pair: SuitPair, shift: int, located: Ints, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of two suits.

    The first suit begins at bit ``shift``; ``located``: (3, n), see :func:`locate`.
    """
    rows = np.empty((2, len(out)), np.int64)
    _find_rows(pair, located, rows)
    add_cards(pair.first.fields, rows[0], shift, out)
    add_cards(pair.second.fields, rows[1], shift + SUIT_CARDS, out)


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
    """Fill (2, n) the row that each layout has in either suit of a pair.

    ``located``: (3, n) where layouts lie in the pair: ``KEY``, the pair key (how many
    cards each seat gets), ``POINTS``, and ``NUMBER``, which of the pairs of rows with
    both. These are numbered by pairing (length indices a, b of the suits), then by the
    points index p of the first suit, then by its row, then by that of the second.
    """
    points_size = pair.ways.shape[1]
    for i in range(rows.shape[1]):
        key = located[KEY, i]
        points = located[POINTS, i]
        before = pair.pairing_before[points]
        pairing = place_of(
            before,
            pair.pairing_start[key],
            pair.pairing_start[key + 1],
            located[NUMBER, i],
        )
        number = located[NUMBER, i] - before[pairing]
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for p in pair.first.scores:
            q = points - p
            second_ways = pair.second.ways[b, q]
            pairs_of_rows = pair.first.ways[a, p] * second_ways
            if number < pairs_of_rows:
                # The rows of a suit begin by key: length index · size + points index.
                first_begin = pair.first.start[a * points_size + p]
                second_begin = pair.second.start[b * points_size + q]
                rows[0, i] = first_begin + number // second_ways
                rows[1, i] = second_begin + number % second_ways
                break
            number -= pairs_of_rows


@njit
def _random_numbers(total: np.uint64, state: State, out: Ints) -> None:
    """Fill with uniform integers below the total, exactly.

    The total passes 2^53, so no floating-point number will do.
    """
    for i in range(len(out)):
        out[i] = bounded(state, total)


@njit
def tally_fields(
    fields: NDArray[np.uint16], start: Ints, certain: NDArray[np.uint16], layouts: Ints
) -> Ints:
    """(values, 4, 8192) how many layouts give each seat each set of a suit's cards.

    ``fields``: (rows, 4) the unknown cards of each seat in each row, a placement of
    them, as 13 bits; ``certain``: (4,) its certain cards. Rows that lie in the same
    layouts are a group: ``start``: (groups + 1,) where the rows of each begin;
    ``layouts``: (groups, values) how many layouts of each value contain a given row. A
    value is whatever layouts are told apart by.
    """
    groups, values = layouts.shape
    tallies = np.zeros((values, 4, HOLDINGS), np.int64)
    for value in range(values):
        tally = tallies[value]
        for group in range(groups):
            containing = layouts[group, value]
            if containing:
                for row in range(start[group], start[group + 1]):
                    for seat in range(4):
                        tally[seat, fields[row, seat] | certain[seat]] += containing
    return tallies
