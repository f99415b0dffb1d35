"""Exact tables by suit classes: layouts counted and numbered by value.

Values are those of some quantities (:mod:`~bayesbridge.engines.quantities`), all in one
number. The words of this counting, beside those of
:mod:`~bayesbridge.engines.tables` (row, points index, pair key, ways, completions):

- a *key* is all that the other suits must know of a row or a pair of rows about cards
  and points: length index, or pair key, · number of points indices + points index;
- a *class* stands for the codes of a quantity that nothing in the other suits tells
  apart; a *pair class* is the classes of a pair of rows, all quantities in one number;
- a *group* is the rows of a suit, or the pairs of rows of two, with the same key and
  the same classes: they all make the same layouts;
- a *pairing* is a key of the first suit of a pair and one of the second.

Groups of both pairs of suits are joined where every hand is full and all hard evidence
is kept, and each such pair has one value: layouts are counted by value, and numbered
within it, without being enumerated. Counts are exact; totals from 2^63 on are refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Self

import numpy as np

from bayesbridge.engines.classes import (
    Lookup,
    digits,
    merged,
    place_values,
    running,
    verify_size,
)
from bayesbridge.engines.quantities import Fields, Quantity
from bayesbridge.engines.search import looked_up, place_of
from bayesbridge.engines.tables import (
    CLUBS_BIT,
    HEARTS_BIT,
    KeyJoin,
    LayoutIndex,
    SuitPair,
    SuitRows,
    add_cards,
)
from bayesbridge.evidence.constraints import SUITS
from bayesbridge.game.cards import SUIT_CARDS
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.runtime.jit import njit

MOST_CODES: Final = 1 << 27
"""Pairs of codes of two halves beyond which tables are refused: so many bytes."""

MOST_PRODUCTS: Final = 1 << 28
"""Pairs of groups to go through beyond which tables are refused; so many take a second
or two.
"""

MOST_PRODUCTS_POSSIBLE: Final = 1 << 38
"""The same before groups are known: of those possible, one in a thousand is joined, or
fewer.
"""

FIRST_GROUPS: Final = 1024  # room for groups, doubled as they come

# Rows of the array in which, by pair class, layouts that have no rows yet are noted.
FIRST_WAITING: Final = 0  # the index of the first such layout
WAITING_END: Final = 1  # the index after the last
PAIRS_PASSED: Final = 2  # how many pairs of rows of this class were passed

NO_GROUP: Final = -1


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of one quantity over the rows of one position."""

    size: int
    rows: tuple[Ints, ...]  #: For C D H S, (rows,) the class of each row.
    #: For C D and for H S, by the classes of both suits, the class of the pair.
    pairs: tuple[Ints, Ints]
    values: Ints  #: By the classes of both pairs.


class DistinctCodes(NamedTuple):
    """Codes without repetition, and which of them each of the given codes is."""

    codes: Ints  #: (distinct,) ascending.
    indices: Ints  #: Of each given code the index in ``codes``, in the shape of those.

    @classmethod
    def of(cls, codes: Ints) -> Self:
        """The distinct ones of an array of codes."""
        distinct, indices = np.unique(codes, return_inverse=True)
        return cls(codes=distinct, indices=indices)


# Common tables, those of one caller and those of one quantity more use the same in turn.
@lru_cache(maxsize=8)
def _classes(quantity: Quantity, index: LayoutIndex) -> Classes:
    """Sort the rows of a position into the classes of a quantity.

    A row is one way to place the unknown cards of a suit. All that the quantity needs
    to know of a row is a number, its code; the codes of two suits make a code of the
    pair, and those of clubs and diamonds (the low pair) and of hearts and spades (the
    high pair) make the value. Codes of a suit that give equal values whatever the other
    suits hold are merged into one class, and so are codes of a pair.
    """
    clubs, diamonds, hearts, spades = [
        _suit_codes(quantity, index, suit) for suit in SUITS
    ]
    low = _pair_codes(quantity, clubs, diamonds)
    high = _pair_codes(quantity, hearts, spades)
    verify_size(len(low.codes) * len(high.codes), MOST_CODES, "pairs of codes")
    value_matrix = quantity.values(low.codes, high.codes)
    merged_codes = merged((low.indices, high.indices), value_matrix)
    # (codes,) of each suit: the class of each code, so that of a row by its code.
    clubs_class, diamonds_class, hearts_class, spades_class = merged_codes.part_classes
    return Classes(
        size=quantity.size,
        rows=(
            clubs_class[clubs.indices],
            diamonds_class[diamonds.indices],
            hearts_class[hearts.indices],
            spades_class[spades.indices],
        ),
        pairs=merged_codes.half_classes,
        values=merged_codes.values.astype(np.int64),
    )


def _suit_codes(quantity: Quantity, index: LayoutIndex, suit: int) -> DistinctCodes:
    """The codes of a suit's rows."""
    fields = index.suits[suit].fields | index.certain[suit]
    return DistinctCodes.of(quantity.codes(suit, fields))


def _pair_codes(
    quantity: Quantity, first: DistinctCodes, second: DistinctCodes
) -> DistinctCodes:
    """The codes of two suits together, for each code of the first and of the second."""
    return DistinctCodes.of(quantity.composed(first.codes, second.codes))


class ClassRows(NamedTuple):
    """The rows of one suit, sorted by group; groups are sorted by key.

    A group is the rows with the same key (the cards and points of every seat) and the
    same class in every quantity.
    """

    fields: Fields
    row_start: Ints  #: (groups + 1,) where the rows of each begin.
    ways: Ints  #: (groups,) how many rows each has.
    key_start: Ints  #: (keys + 1,) where the groups of each begin.
    classes: Ints  #: (groups, quantities)

    @classmethod
    def of(cls, rows: SuitRows, row_classes: Sequence[Ints]) -> Self:
        """Sort the rows of a suit into groups of the same key and the same classes.

        ``row_classes``: for each quantity, (rows,) the class of each row. A group has
        its key and then its classes as the digits of one number.
        """
        sizes = [1 + int(classes.max(initial=0)) for classes in row_classes]
        combined_classes = math.prod(sizes)
        keys = rows.ways.size
        key_of_row = np.repeat(np.arange(keys), rows.ways.ravel())
        group_of_row = key_of_row * combined_classes
        for classes, place_value in zip(row_classes, place_values(sizes), strict=True):
            group_of_row += classes * place_value
        order = np.argsort(group_of_row, kind="stable")
        groups, row_start = np.unique(group_of_row[order], return_index=True)
        row_start = np.append(row_start, len(order)).astype(np.int64)
        key_of_group = groups // combined_classes
        return cls(
            fields=np.ascontiguousarray(rows.fields[order]),
            row_start=row_start,
            ways=np.diff(row_start),
            # Groups ascend by key: the first of each key is where that key would stand.
            key_start=np.searchsorted(key_of_group, np.arange(keys + 1)),
            classes=digits(groups, sizes),
        )


class KeyPairings(NamedTuple):
    """The pairings of two suits, a key of either, sorted by the key of the pair."""

    start: Ints  #: (keys + 1,) where the pairings of each key of the pair begin.
    first: Ints  #: (pairings,) the key of the first suit.
    second: Ints  #: (pairings,) that of the second suit.

    @classmethod
    def of(cls, pair: SuitPair) -> Self:
        """All pairings for which both suits have rows."""
        # A pairing of length indices makes one for each points index of either suit.
        first_points = (pair.first.ways > 0).sum(1)[pair.pairing_first]
        second_points = (pair.second.ways > 0).sum(1)[pair.pairing_second]
        pairings = int((first_points * second_points).sum())
        pair_keys, first_keys, second_keys = np.empty((3, pairings), dtype=np.int64)
        _fill_pairings(pair, pair_keys, first_keys, second_keys)
        order = np.argsort(pair_keys, kind="stable")
        key_sizes = np.bincount(pair_keys, minlength=pair.ways.size)
        return cls(running(key_sizes), first_keys[order], second_keys[order])


class ClassPair(NamedTuple):
    """Two suits together, their pairs of rows in groups that are sorted by key.

    A group is the pairs of rows with the same key (the cards and points of every seat
    in both suits) and the same pair class (their classes in all quantities).
    """

    first: ClassRows
    second: ClassRows
    pairing_start: Ints  #: (keys + 1,) where the pairings of each key begin.
    pairing_first: Ints  #: (pairings,) the key of either suit; both have rows.
    pairing_second: Ints
    class_of: Lookup  #: The pair class from the classes of both suits.
    sizes: Ints  #: (quantities,) how many classes the pair has of each.
    key_start: Ints  #: (keys + 1,) where the groups of each key begin.
    pair_class: Ints  #: (groups,) the number that ``class_of`` gives.
    ways: Ints  #: (groups,) how many pairs of rows each has.
    classes: Ints  #: (groups, quantities) the digits of ``pair_class``.

    @classmethod
    def of(cls, pair: SuitPair, suit: int, by_quantity: Sequence[Classes]) -> Self:
        """Put the rows of two suits into groups; those of the pair wait for `tallied`.

        A group is the rows of a suit with the same key (the cards and points of every
        seat) and, for each quantity that is counted, the same class. ``pair``: ``suit``
        and the next one; ``by_quantity``: the classes of each quantity. Raises
        ``TablesTooLarge`` if there are too many pairs of groups to go through.
        """
        first_classes = [classes.rows[suit] for classes in by_quantity]
        second_classes = [classes.rows[suit + 1] for classes in by_quantity]
        first = ClassRows.of(pair.first, first_classes)
        second = ClassRows.of(pair.second, second_classes)
        _verify_group_pairs(pair, first, second)
        pairings = KeyPairings.of(pair)
        # For each quantity, the class of the pair by those of both suits.
        class_matrices = [classes.pairs[suit // 2] for classes in by_quantity]
        sizes = [1 + int(matrix.max(initial=0)) for matrix in class_matrices]
        not_tallied = np.zeros(0, dtype=np.int64)
        return cls(
            first=first,
            second=second,
            pairing_start=pairings.start,
            pairing_first=pairings.first,
            pairing_second=pairings.second,
            class_of=Lookup.of(class_matrices, sizes),
            sizes=np.array(sizes, np.int64),
            key_start=not_tallied,
            pair_class=not_tallied,
            ways=not_tallied,
            classes=not_tallied[:, None],
        )

    @property
    def most_groups(self) -> Ints:
        """(keys,) a bound: no key of the pair has more groups of pairs of rows.

        A group comes from a group of either suit, and has one of the pair classes.
        """
        first_groups = np.diff(self.first.key_start)
        second_groups = np.diff(self.second.key_start)
        group_pairs = (
            first_groups[self.pairing_first] * second_groups[self.pairing_second]
        )
        pairs_of_key = np.diff(running(group_pairs)[self.pairing_start])
        return np.minimum(pairs_of_key, self.class_of.size)

    def tallied(self) -> Self:
        """The same pair with the groups of its pairs of rows."""
        key_start, pair_class, ways = _tally(self)
        classes = digits(pair_class, self.sizes.tolist())
        return self._replace(
            key_start=key_start, pair_class=pair_class, ways=ways, classes=classes
        )


def _verify_group_pairs(pair: SuitPair, first: ClassRows, second: ClassRows) -> None:
    """Refuse two suits with too many pairs of groups (rows of the same key and classes)."""
    points_size = pair.ways.shape[1]
    # By length index: the points of either suit go with all those of the other.
    first_groups = np.diff(first.key_start).reshape(-1, points_size).sum(1)
    second_groups = np.diff(second.key_start).reshape(-1, points_size).sum(1)
    group_pairs = first_groups[pair.pairing_first] * second_groups[pair.pairing_second]
    verify_size(int(group_pairs.sum()), MOST_PRODUCTS, "pairs of suit classes")


class ClassJoin(NamedTuple):
    """Both pairs of suits, how their keys are joined, and the values of layouts."""

    low: ClassPair
    high: ClassPair
    join: KeyJoin
    value_of: Lookup  #: From the classes of both pairs, see :class:`ClassTables`.


class PairPlaces(NamedTuple):
    """Where layouts lie in a pair of suits, (layouts,) each."""

    groups: Ints  #: The group: pairs of rows with the same key and pair class.
    rows_numbers: Ints  #: Which of the pairs of rows of the group, from 0.


@dataclass(frozen=True, eq=False)
class ClassTables:
    """The tables of some quantities over the layouts of one set of constraints."""

    index: LayoutIndex
    quantities: tuple[Quantity, ...]
    low: ClassPair
    high: ClassPair
    value_of: Lookup
    """The value of a layout from the classes of both pairs: v₀ + size₀ · (v₁ + …)."""

    @classmethod
    def of(cls, index: LayoutIndex, quantities: Sequence[Quantity]) -> Self:
        """The tables that count the layouts of an index by the values of quantities.

        For each quantity, rows (placements of a suit's unknown cards) that lead to the
        same values have one class. Rows of each suit, then pairs of rows of two suits
        are put into groups with the same classes and the same cards and points of every
        seat. Raises ``TablesTooLarge`` if too many pairs of a low and a high group make
        layouts: where a bound says so before pairs of rows are tallied, or else after.
        """
        by_quantity = [_classes(quantity, index) for quantity in quantities]
        value_of = Lookup.of(
            [classes.values for classes in by_quantity],
            [classes.size for classes in by_quantity],
        )
        low_suits = ClassPair.of(index.low, 0, by_quantity)
        high_suits = ClassPair.of(index.high, 2, by_quantity)
        most_products = _joined_groups(
            index.join, low_suits.most_groups, high_suits.most_groups
        )
        verify_size(most_products, MOST_PRODUCTS_POSSIBLE, "pairs of suit classes")
        low = low_suits.tallied()
        high = high_suits.tallied()
        products = _joined_groups(
            index.join, np.diff(low.key_start), np.diff(high.key_start)
        )
        verify_size(products, MOST_PRODUCTS, "pairs of suit classes")
        return cls(index, tuple(quantities), low=low, high=high, value_of=value_of)

    @property
    def _joined(self) -> ClassJoin:
        return ClassJoin(self.low, self.high, self.index.join, self.value_of)

    def counts(self) -> Ints:
        """(size,) how many layouts have each value."""
        counts = np.zeros(self.value_of.size, dtype=np.int64)
        _count(self._joined, counts)
        return counts

    @cached_property
    def pair_completions(self) -> tuple[Ints, Ints]:
        """(groups, size) of the low and of the high pair, by value of a layout.

        How many pairs of rows of the other pair of suits make the value with one.
        """
        size = self.value_of.size
        low = np.zeros((len(self.low.ways), size), dtype=np.int64)
        high = np.zeros((len(self.high.ways), size), dtype=np.int64)
        _count_completions(self._joined, low, high)
        return low, high

    def layouts(self, values: Ints, numbers: Ints) -> Masks:
        """(n, 4) masks of the seats' cards in n layouts, given by value and number.

        The tables count layouts by their value. Those of one value are numbered from 0,
        in the order of their cards in clubs and diamonds (the low pair of suits), then
        in hearts and spades (the high pair), so these are found in turn.

        ``values``: (n,) the value of each layout; ``numbers``: (n,) its number among
        those of this value, below ``counts()[value]``.
        """
        low_places, numbers_in_high = self._locate_low(values, numbers)
        high_groups, high_rows_numbers = _locate_high(
            self._joined, low_places.groups, values, numbers_in_high
        )
        high_places = PairPlaces(high_groups, high_rows_numbers)
        certain_cards = self.index.base  # (4,) masks
        masks = np.tile(certain_cards, (len(numbers), 1))
        add_pair(self.low, CLUBS_BIT, places=low_places, out=masks)
        add_pair(self.high, HEARTS_BIT, places=high_places, out=masks)
        return masks

    def _locate_low(self, values: Ints, numbers: Ints) -> tuple[PairPlaces, Ints]:
        """Find where layouts lie in clubs and diamonds, from (n,) values and numbers.

        Layouts of one value are numbered by group of the low pair of suits (pairs of
        rows that combine with the same others), then by pair of rows of the group, then
        by pair of rows of the high pair. Returns the group and pair of rows of each
        layout, and (n,) its number among those of its value with this pair of rows.
        """
        low_completions, _ = self.pair_completions
        groups = np.empty(len(numbers), dtype=np.int64)
        rows_numbers = np.empty(len(numbers), dtype=np.int64)
        numbers_in_high = np.empty(len(numbers), dtype=np.int64)
        for value in np.flatnonzero(np.bincount(values)):
            has_value = np.flatnonzero(values == value)
            layouts_before_group = running(self.low.ways * low_completions[:, value])
            # The number lies below the first larger sum, so in the group before that.
            next_group = np.searchsorted(
                layouts_before_group, numbers[has_value], side="right"
            )
            group = next_group - 1
            number_in_group = numbers[has_value] - layouts_before_group[group]
            layouts_per_pair = low_completions[group, value]
            groups[has_value] = group
            rows_numbers[has_value] = number_in_group // layouts_per_pair
            numbers_in_high[has_value] = number_in_group % layouts_per_pair
        return PairPlaces(groups, rows_numbers), numbers_in_high

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (groups, size): how many layouts of a value contain a given row."""
        low_completions, high_completions = self.pair_completions
        clubs, diamonds = _completions(self.low, low_completions)
        hearts, spades = _completions(self.high, high_completions)
        return clubs, diamonds, hearts, spades


def _joined_groups(join: KeyJoin, low_groups: Ints, high_groups: Ints) -> int:
    """How many pairs of a low and a high group have keys that make layouts.

    ``low_groups``, ``high_groups``: (keys,) how many groups each key of the low and of
    the high pair of suits has; a key is a pair key (the cards of every seat) · number
    of points indices + points index. ``join`` lists the partners of each low pair key,
    the high pair keys that fill the hands, and for each points index of the low pair
    those of the high pair that fit it.
    """
    points_size = len(join.fit_start) - 1
    low_by_points = low_groups.reshape(-1, points_size)  # (pair keys, points)
    high_by_points = high_groups.reshape(-1, points_size)
    points_fit = np.zeros((points_size, points_size))
    low_points = np.repeat(np.arange(points_size), np.diff(join.fit_start))
    points_fit[low_points, join.fit_points] = 1
    low_pair_keys = np.repeat(
        np.arange(len(low_by_points)), np.diff(join.partner_start)
    )
    # (high pair keys, low points): groups whose points fit.
    fitting_groups = high_by_points @ points_fit.T
    # One row for each low pair key and each high one that goes with it.
    joined = low_by_points[low_pair_keys] * fitting_groups[join.partners]
    return int(joined.sum())


# Inner loops take the arrays that they need out of tuples first, and a function that is
# called for every layout takes no tuple: both would count references, at a high price.
# Letters: p, q are points indices of the first and the second suit of a pair.


@njit
def _fill_pairings(
    pair: SuitPair, pair_keys: Ints, first_keys: Ints, second_keys: Ints
) -> None:
    """Fill (pairings,) the key of the pair, that of the first and that of the second suit.

    ``pair`` has pairings of length indices (the cards of every seat in a suit); here
    each is combined with every points index p of the first and q of the second suit
    that has rows. A key is length index, or pair key, · ``points_size`` + points index.
    """
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    points_size = pair.ways.shape[1]
    pairing = 0
    for pair_key in range(len(pair.lengths)):
        begin = pair.pairing_start[pair_key]
        end = pair.pairing_start[pair_key + 1]
        for lengths_pairing in range(begin, end):
            first_lengths = pair.pairing_first[lengths_pairing]
            second_lengths = pair.pairing_second[lengths_pairing]
            for p in pair.first.scores:
                for q in pair.second.scores:
                    if first_ways[first_lengths, p] and second_ways[second_lengths, q]:
                        pair_keys[pairing] = pair_key * points_size + p + q
                        first_keys[pairing] = first_lengths * points_size + p
                        second_keys[pairing] = second_lengths * points_size + q
                        pairing += 1


@njit
def _grown(values: Ints) -> Ints:
    """The same values in an array of twice the length."""
    grown = np.empty(2 * len(values), np.int64)
    for place in range(len(values)):
        grown[place] = values[place]
    return grown


@njit
def _tally(pair: ClassPair) -> tuple[Ints, Ints, Ints]:
    """Count the pairs of rows of two suits by group, for all keys in turn.

    A group is the pairs of rows with the same key (cards and points of every seat) and
    the same pair class (the classes of all quantities in one number).

    Returns (keys + 1,) where the groups of each key begin, (groups,) their pair classes
    and (groups,) how many pairs of rows they have.
    """
    keys = len(pair.pairing_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    group_class = np.empty(FIRST_GROUPS, np.int64)
    group_ways = np.empty(FIRST_GROUPS, np.int64)
    ways_by_class = np.zeros(pair.class_of.size, np.int64)  # all 0 between keys
    key_classes = np.empty(pair.class_of.size, np.int64)
    groups = 0
    for key in range(keys):
        key_groups = _tally_key(pair, key, ways_by_class, key_classes)
        while groups + key_groups > len(group_class):
            group_class = _grown(group_class)
            group_ways = _grown(group_ways)
        for pair_class in key_classes[:key_groups]:
            group_class[groups] = pair_class
            group_ways[groups] = ways_by_class[pair_class]
            ways_by_class[pair_class] = 0
            groups += 1
        key_start[key + 1] = groups
    return key_start, group_class[:groups].copy(), group_ways[:groups].copy()


@njit
def _tally_key(
    pair: ClassPair, key: int, ways_by_class: Ints, key_classes: Ints
) -> int:
    """Count the pairs of rows that make one key of a pair of suits, by pair class.

    They come from the pairings of the key (a key of the first and one of the second
    suit), and in each from their groups, rows of the same key and classes: all pairs of
    rows of two groups have one pair class.

    ``ways_by_class``: (pair classes,) all 0, is filled with the counts;
    ``key_classes``: (pair classes,) with the pair classes that occur, as they come.
    Returns how many occur.
    """
    class_of = pair.class_of
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    first_start = pair.first.key_start
    second_start = pair.second.key_start
    occurring = 0
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        first_key = pair.pairing_first[pairing]
        second_key = pair.pairing_second[pairing]
        second_begin = second_start[second_key]
        second_end = second_start[second_key + 1]
        for first_group in range(first_start[first_key], first_start[first_key + 1]):
            for second_group in range(second_begin, second_end):
                pair_class = looked_up(
                    class_of, first_classes, second_classes, first_group, second_group
                )
                if ways_by_class[pair_class] == 0:
                    key_classes[occurring] = pair_class
                    occurring += 1
                ways = first_ways[first_group] * second_ways[second_group]
                ways_by_class[pair_class] += ways
    return occurring


@njit
def _fitting_keys(join: KeyJoin, low_key: int | np.intp) -> Ints:
    """(n,) the keys of the high pair of suits that make layouts with a low key.

    A key is what other suits must know of two suits: pair key · ``points_size`` +
    points index. The pair key says how many cards each seat has there, the points index
    how many points. So a high key (hearts and spades) makes layouts with a low one
    (clubs and diamonds) if its pair key is listed in ``join`` as filling the hands, and its points index as
    making points that the evidence allows: each choice of both is a key.
    """
    partner_start = join.partner_start
    fit_start = join.fit_start
    points_size = len(fit_start) - 1
    low_pair_key = low_key // points_size
    low_points_index = low_key % points_size
    high_pair_keys = join.partners[
        partner_start[low_pair_key] : partner_start[low_pair_key + 1]
    ]
    high_points_indices = join.fit_points[
        fit_start[low_points_index] : fit_start[low_points_index + 1]
    ]
    high_keys = np.empty(len(high_pair_keys) * len(high_points_indices), np.int64)
    filled = 0
    for high_pair_key in high_pair_keys:
        for high_points_index in high_points_indices:
            high_keys[filled] = high_pair_key * points_size + high_points_index
            filled += 1
    return high_keys


@njit
def _count(tables: ClassJoin, counts: Ints) -> None:
    """Add to (size,) ``counts`` how many layouts have each value.

    A group of the low and one of the high pair of suits (each is the pairs of rows with
    the same key and classes) make layouts if their keys, the cards and points of every
    seat, fit each other. All layouts of two groups have the same value.
    """
    low, high, join, value_of = tables
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    occurring_keys = np.flatnonzero(np.diff(low.key_start))
    for low_key in occurring_keys:
        high_keys = _fitting_keys(join, low_key)
        for low_group in range(low.key_start[low_key], low.key_start[low_key + 1]):
            low_ways = low.ways[low_group]
            for high_key in high_keys:
                for high_group in range(high_start[high_key], high_start[high_key + 1]):
                    value = looked_up(
                        value_of, low_classes, high_classes, low_group, high_group
                    )
                    counts[value] += low_ways * high_ways[high_group]


@njit
def _count_completions(
    tables: ClassJoin, low_completions: Ints, high_completions: Ints
) -> None:
    """Count the pairs of rows of one pair of suits that complete those of the other.

    ``low_completions``, ``high_completions``: (groups, size), all 0, are filled: how
    many pairs of rows make a layout of each value with one of the group. A group of the
    low pair and one of the high pair (each is the pairs of rows with the same key and
    classes) make layouts if their keys fit each other, and all of the same value.
    """
    low, high, join, value_of = tables
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    occurring_keys = np.flatnonzero(np.diff(low.key_start))
    for low_key in occurring_keys:
        high_keys = _fitting_keys(join, low_key)
        for low_group in range(low.key_start[low_key], low.key_start[low_key + 1]):
            low_ways = low.ways[low_group]
            for high_key in high_keys:
                for high_group in range(high_start[high_key], high_start[high_key + 1]):
                    value = looked_up(
                        value_of, low_classes, high_classes, low_group, high_group
                    )
                    low_completions[low_group, value] += high_ways[high_group]
                    high_completions[high_group, value] += low_ways


@njit
def _completions(pair: ClassPair, pair_completions: Ints) -> tuple[Ints, Ints]:
    """Count the layouts of each value that contain a given row, for either suit.

    ``pair_completions``: (groups, size) how many contain a given pair of rows, by group
    of the pair (pairs of rows with the same key and pair class) and by value. Returns
    (groups, size) by group of the first and of the second suit.
    """
    size = pair_completions.shape[1]
    first_completions = np.zeros((len(pair.first.ways), size), np.int64)
    second_completions = np.zeros((len(pair.second.ways), size), np.int64)
    # A pair class has one group in each key: that of the key at hand.
    group_of_class = np.empty(pair.class_of.size, np.int64)
    for key in range(len(pair.key_start) - 1):
        for group in range(pair.key_start[key], pair.key_start[key + 1]):
            group_of_class[pair.pair_class[group]] = group
        _add_key_completions(
            pair,
            key,
            group_of_class,
            pair_completions,
            first_completions,
            second_completions,
        )
    return first_completions, second_completions


@njit
def _add_key_completions(
    pair: ClassPair,
    key: int,
    group_of_class: Ints,
    pair_completions: Ints,
    first_completions: Ints,
    second_completions: Ints,
) -> None:
    """Add to the layouts that contain a row those by pairs of rows of one key.

    The pairs come from the pairings of the key (a key of the first and one of the
    second suit), and in each from their groups, rows of the same key and classes. A row
    of one group is in as many pairs as the other group has rows. Letters: i, j a group
    of the first and of the second suit.

    ``group_of_class``: (pair classes,) the group of these pairs of rows in this key;
    ``pair_completions``: (groups, size) layouts of each value that contain one of them;
    ``first_completions``, ``second_completions``: (groups of the suit, size) are added
    to.
    """
    class_of = pair.class_of
    first = pair.first
    second = pair.second
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        first_key = pair.pairing_first[pairing]
        second_key = pair.pairing_second[pairing]
        for i in range(first.key_start[first_key], first.key_start[first_key + 1]):
            for j in range(
                second.key_start[second_key], second.key_start[second_key + 1]
            ):
                # The classes of both groups make the class of their pairs of rows.
                pair_class = looked_up(class_of, first.classes, second.classes, i, j)
                group = group_of_class[pair_class]
                for value in range(pair_completions.shape[1]):
                    layouts = pair_completions[group, value]
                    first_completions[i, value] += second.ways[j] * layouts
                    second_completions[j, value] += first.ways[i] * layouts


@njit
def _locate_high(
    tables: ClassJoin, low_groups: Ints, values: Ints, numbers: Ints
) -> tuple[Ints, Ints]:
    """Find where layouts lie in hearts and spades, the high pair of suits.

    ``low_groups``: (n,) the group of each layout in clubs and diamonds, the low pair
    (a group is the pairs of rows with the same key and classes); ``values``: (n,) its
    value; ``numbers``: (n,) its number among the layouts of this value with the same
    cards in the low pair. So many pairs of high rows are passed, in the order of
    partners (high pair keys that fill the hands), fitting points and groups.

    Returns (n,) the high group of each, and (n,) which of its pairs of rows.
    """
    low, high, join, value_of = tables
    points_size = len(join.fit_start) - 1
    high_groups = np.empty(len(numbers), np.int64)
    rows_numbers = np.empty(len(numbers), np.int64)
    for layout in range(len(numbers)):
        low_group = low_groups[layout]
        number = numbers[layout]
        low_key = place_of(low.key_start, 0, len(low.key_start), low_group)
        low_points = low_key % points_size
        partner = join.partner_start[low_key // points_size]
        fit = join.fit_start[low_points]
        layout_group = NO_GROUP
        while layout_group == NO_GROUP:
            high_key = join.partners[partner] * points_size + join.fit_points[fit]
            for group in range(high.key_start[high_key], high.key_start[high_key + 1]):
                value = looked_up(value_of, low.classes, high.classes, low_group, group)
                if value == values[layout]:
                    if number < high.ways[group]:
                        layout_group = group
                        break
                    number -= high.ways[group]
            fit += 1
            if fit == join.fit_start[low_points + 1]:
                # All points that fit were tried with this partner.
                partner += 1
                fit = join.fit_start[low_points]
        high_groups[layout] = layout_group
        rows_numbers[layout] = number
    return high_groups, rows_numbers


def add_pair(pair: ClassPair, shift: int, places: PairPlaces, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of two suits.

    The first suit begins at bit ``shift``. ``places``: the group in which each layout
    lies (pairs of rows with the same key and classes), and which of its pairs of rows.
    """
    # Sorted, the layouts of one key are found on one walk through its pairs of rows.
    order = np.lexsort((places.rows_numbers, places.groups))
    sorted_rows = np.empty((2, len(out)), dtype=np.int64)
    _find_rows(pair, places.groups[order], places.rows_numbers[order], sorted_rows)
    rows = np.empty_like(sorted_rows)
    rows[:, order] = sorted_rows
    add_cards(pair.first.fields, rows[0], shift, out)
    add_cards(pair.second.fields, rows[1], shift + SUIT_CARDS, out)


@njit
def _find_rows(pair: ClassPair, groups: Ints, rows_numbers: Ints, rows: Ints) -> None:
    """Fill (2, n) the row of the first and of the second suit that each layout has.

    ``groups``: (n,) the group of each layout (pairs of rows with the same key, the
    cards and points of every seat, and the same pair class); ``rows_numbers``: (n,)
    which of its pairs of rows. Layouts are sorted by group, so also by key, then by
    this number.
    """
    key_start = pair.key_start
    # By pair class: which layouts wait for their rows (none yet), and pairs passed.
    waiting = np.zeros((3, pair.class_of.size), np.int64)
    begin = 0
    while begin < len(groups):
        key = place_of(key_start, 0, len(key_start), groups[begin])
        end = begin + 1
        while end < len(groups) and groups[end] < key_start[key + 1]:
            end += 1
        _await_rows(pair.pair_class, groups[begin:end], waiting)
        _find_rows_of_key(
            pair, key, rows_numbers[begin:end], waiting, rows[:, begin:end]
        )
        begin = end


@njit
def _await_rows(pair_class: Ints, groups: Ints, waiting: Ints) -> None:
    """Let the layouts of one key wait for their rows, by pair class.

    ``pair_class``: of all groups; ``groups``: (n,) of the layouts, which are sorted by
    group; ``waiting``: (3, pair classes) gets, for each class, ``FIRST_WAITING``, its
    first layout, ``WAITING_END``, the one after its last, and ``PAIRS_PASSED``, 0.
    """
    for layout in range(len(groups)):
        layout_class = pair_class[groups[layout]]
        is_first_of_class = (
            waiting[FIRST_WAITING, layout_class] == waiting[WAITING_END, layout_class]
        )
        if is_first_of_class:
            waiting[FIRST_WAITING, layout_class] = layout
            waiting[PAIRS_PASSED, layout_class] = 0
        waiting[WAITING_END, layout_class] = layout + 1


@njit
def _find_rows_of_key(
    pair: ClassPair, key: int, rows_numbers: Ints, waiting: Ints, rows: Ints
) -> None:
    """Find the rows of all layouts that have one key in a pair of suits.

    The key, the cards and points of every seat, can be made in several ways, its
    pairings: by a key of the first suit and one of the second. They are walked in
    order, until every layout has its rows.

    ``rows_numbers``: (n,) which of the pairs of rows of its pair class each layout has,
    as the walk meets them; ``rows``: (2, n) is filled, a row of either suit.
    ``waiting``: (3, pair classes) the layouts of each class that have no rows yet,
    neighbours with rising numbers, and how many pairs of rows were passed.
    """
    without_rows = len(rows_numbers)
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        without_rows -= _find_rows_of_pairing(
            pair, pairing, rows_numbers, waiting, rows
        )
        if without_rows == 0:
            break


@njit
def _find_rows_of_pairing(
    pair: ClassPair, pairing: int, rows_numbers: Ints, waiting: Ints, rows: Ints
) -> int:
    """Find the rows of the layouts that lie in one pairing; returns how many do.

    A pairing is a key (cards and points of every seat) of the first suit and one of the
    second. Each has groups, rows with the same classes, so that all pairs of rows of
    two groups have one pair class; only layouts of this class can have them.

    ``rows_numbers``: (n,) which pair of rows of its pair class each layout has, counted
    over all pairings of the key; ``rows``: (2, n) is filled, a row of either suit.
    ``waiting``: (3, pair classes) from ``FIRST_WAITING`` up to ``WAITING_END`` the
    layouts of a class that have no rows yet; ``PAIRS_PASSED`` before this pairing.
    """
    class_of = pair.class_of
    first = pair.first
    second = pair.second
    first_key = pair.pairing_first[pairing]
    second_key = pair.pairing_second[pairing]
    second_begin = second.key_start[second_key]
    second_end = second.key_start[second_key + 1]
    found = 0
    for first_group in range(
        first.key_start[first_key], first.key_start[first_key + 1]
    ):
        for second_group in range(second_begin, second_end):
            pair_class = looked_up(
                class_of, first.classes, second.classes, first_group, second_group
            )
            if waiting[FIRST_WAITING, pair_class] < waiting[WAITING_END, pair_class]:
                found += _give_rows(
                    rows_numbers,
                    waiting[:, pair_class],
                    first.row_start[first_group],
                    first.ways[first_group],
                    second.row_start[second_group],
                    second.ways[second_group],
                    rows,
                )
    return found


@njit
def _give_rows(
    rows_numbers: Ints,
    class_waiting: Ints,
    first_begin: int,
    first_ways: int,
    second_begin: int,
    second_ways: int,
    rows: Ints,
) -> int:
    """Give a row of each of two groups to the layouts that lie there; returns how many.

    The group of the first suit has ``first_ways`` rows from ``first_begin`` on, that of
    the second likewise. Their pairs are numbered by the first row, then by the second,
    after those of the same pair class that were passed.

    ``rows_numbers``: (n,) the number of each layout's pair of rows; ``rows``: (2, n) is
    filled. ``class_waiting``: (3,) ``FIRST_WAITING`` up to ``WAITING_END`` the layouts
    of the pair class that have no rows yet, by rising numbers, and ``PAIRS_PASSED``.
    """
    first_waiting = class_waiting[FIRST_WAITING]
    passed_before = class_waiting[PAIRS_PASSED]
    passed_after = passed_before + first_ways * second_ways
    layout = first_waiting
    while layout < class_waiting[WAITING_END] and rows_numbers[layout] < passed_after:
        pair_in_groups = rows_numbers[layout] - passed_before
        rows[0, layout] = first_begin + pair_in_groups // second_ways
        rows[1, layout] = second_begin + pair_in_groups % second_ways
        layout += 1
    class_waiting[FIRST_WAITING] = layout
    class_waiting[PAIRS_PASSED] = passed_after
    return int(layout - first_waiting)
