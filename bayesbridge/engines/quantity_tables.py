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

# Rows of the arrays in which kernels say where a layout lies in a pair of suits.
GROUP: Final = 0  # the group of the pair
NUMBER: Final = 1  # which of its pairs of rows

# Rows of the array in which the layouts that wait for their rows are noted by pair class.
NEXT: Final = 0  # the first layout that waits
END: Final = 1  # the one after the last
PASSED: Final = 2  # how many pairs of rows of this class were passed

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
    place: Ints  #: The place of each given code among them, in the shape of those.

    @classmethod
    def of(cls, codes: Ints) -> Self:
        """The distinct ones of an array of codes."""
        distinct, place = np.unique(codes, return_inverse=True)
        return cls(distinct, place)


# Common tables, those of one caller and those of one quantity more use the same in turn.
@lru_cache(maxsize=8)
def _classes(quantity: Quantity, index: LayoutIndex) -> Classes:
    """Sort the rows of a position into the classes of a quantity.

    Every row of a suit has a code, two suits have a code that follows from theirs, and
    a layout has a value that follows from the codes of its two pairs of suits. Codes
    that give the same values with every partner are merged into one class.
    """
    suits = [_suit_codes(quantity, index, suit) for suit in SUITS]
    low = _pair_codes(quantity, suits[0], suits[1])
    high = _pair_codes(quantity, suits[2], suits[3])
    verify_size(len(low.codes) * len(high.codes), MOST_CODES, "pairs of codes")
    values = quantity.values(low.codes, high.codes)
    fewest = merged((low.place, high.place), values)
    row_classes = [
        class_of_code[suit.place]
        for class_of_code, suit in zip(fewest.part_classes, suits, strict=True)
    ]
    return Classes(
        size=quantity.size,
        rows=tuple(row_classes),
        pairs=fewest.half_classes,
        values=fewest.values.astype(np.int64),
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
        """(n, 4) masks of the layouts with given numbers among those of their values.

        ``values``: (n,) the value of each layout, that is of all quantities in one
        number; ``numbers``: (n,) which of the layouts of this value, from 0 to
        ``counts()[value]`` − 1.
        """
        in_low, high_numbers = self._in_low_pair(values, numbers)
        in_high = _locate_high(self._joined, in_low[GROUP], values, high_numbers)
        masks = np.tile(self.index.base, (len(numbers), 1))
        add_pair(self.low, CLUBS_BIT, in_low, masks)
        add_pair(self.high, HEARTS_BIT, in_high, masks)
        return masks

    def _in_low_pair(self, values: Ints, numbers: Ints) -> tuple[Ints, Ints]:
        """Find where layouts lie in the low pair, from (n,) values and numbers.

        Layouts of one value are numbered by group of the low pair, then by pair of rows
        of the group, then by pair of rows of the high pair. Returns (2, n) ``GROUP``
        and ``NUMBER``, which of the pairs of rows of the group, and (n,) the number of
        each layout among those of its value with this pair of rows.
        """
        completions = self.pair_completions[0]
        in_low = np.empty((2, len(numbers)), dtype=np.int64)
        high_numbers = np.empty(len(numbers), dtype=np.int64)
        for value in np.flatnonzero(np.bincount(values)):
            layouts = np.flatnonzero(values == value)
            layouts_before_group = running(self.low.ways * completions[:, value])
            # The number lies below the first larger sum, so in the group before that.
            next_group = np.searchsorted(
                layouts_before_group, numbers[layouts], side="right"
            )
            group = next_group - 1
            number_in_group = numbers[layouts] - layouts_before_group[group]
            layouts_per_pair = completions[group, value]
            in_low[GROUP, layouts] = group
            in_low[NUMBER, layouts] = number_in_group // layouts_per_pair
            high_numbers[layouts] = number_in_group % layouts_per_pair
        return in_low, high_numbers

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
# Letters: a, b are keys of the first and the second suit of a pair; i, j groups of these,
# or of the low and the high pair; p, q points indices.


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

    They come from the pairings of the key, a key a of the first and a key b of the
    second suit, and in each from their groups i and j: rows of the same key and
    classes, so that all their pairs have one pair class.

    ``ways_by_class``: (pair classes,) all 0, is filled with the counts;
    ``key_classes``: (pair classes,) with the pair classes that occur, as they come.
    Returns how many occur.
    """
    class_of = pair.class_of
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    second_start = pair.second.key_start
    occurring = 0
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(pair.first.key_start[a], pair.first.key_start[a + 1]):
            for j in range(second_start[b], second_start[b + 1]):
                pair_class = looked_up(class_of, first_classes, second_classes, i, j)
                if ways_by_class[pair_class] == 0:
                    key_classes[occurring] = pair_class
                    occurring += 1
                ways_by_class[pair_class] += first_ways[i] * second_ways[j]
    return occurring


@njit
def _fitting_keys(join: KeyJoin, low_key: int | np.intp) -> Ints:
    """(n,) the keys of the high pair of suits that make layouts with a low key.

    A key is a pair key (the cards of every seat) · ``points_size`` + points index.
    Partners are the high pair keys that fill the hands.
    """
    points_size = len(join.fit_start) - 1
    pair_key = low_key // points_size
    points = low_key % points_size
    partners = join.partners[
        join.partner_start[pair_key] : join.partner_start[pair_key + 1]
    ]
    fit_points = join.fit_points[join.fit_start[points] : join.fit_start[points + 1]]
    keys = np.empty(len(partners) * len(fit_points), np.int64)
    filled = 0
    for partner in partners:
        for high_points in fit_points:
            keys[filled] = partner * points_size + high_points
            filled += 1
    return keys


@njit
def _count(tables: ClassJoin, counts: Ints) -> None:
    """Add to (size,) ``counts`` how many layouts have each value.

    A group i of the low and a group j of the high pair of suits (pairs of rows with the
    same key and classes) make layouts if the key of j, the cards and points of every
    seat, fits that of i. All layouts of two groups have the same value.
    """
    low, high, join, value_of = tables
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    occurring_keys = np.flatnonzero(np.diff(low.key_start))
    for low_key in occurring_keys:
        high_keys = _fitting_keys(join, low_key)
        for i in range(low.key_start[low_key], low.key_start[low_key + 1]):
            low_ways = low.ways[i]
            for high_key in high_keys:
                for j in range(high_start[high_key], high_start[high_key + 1]):
                    value = looked_up(value_of, low_classes, high_classes, i, j)
                    counts[value] += low_ways * high_ways[j]


@njit
def _count_completions(
    tables: ClassJoin, low_completions: Ints, high_completions: Ints
) -> None:
    """Count the pairs of rows of one pair of suits that complete those of the other.

    ``low_completions``, ``high_completions``: (groups, size), all 0, are filled: how
    many pairs of rows make a layout of each value with one of the group. A group i of
    the low pair and a group j of the high pair (pairs of rows with the same key and
    classes) make layouts if the key of j fits that of i, and all of the same value.
    """
    low, high, join, value_of = tables
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    occurring_keys = np.flatnonzero(np.diff(low.key_start))
    for low_key in occurring_keys:
        high_keys = _fitting_keys(join, low_key)
        for i in range(low.key_start[low_key], low.key_start[low_key + 1]):
            low_ways = low.ways[i]
            for high_key in high_keys:
                for j in range(high_start[high_key], high_start[high_key + 1]):
                    value = looked_up(value_of, low_classes, high_classes, i, j)
                    low_completions[i, value] += high_ways[j]
                    high_completions[j, value] += low_ways


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

    The pairs come from the pairings of the key, a key a of the first and a key b of the
    second suit, and in each from their groups i and j: rows of the same key and
    classes. A row of i is in as many pairs as j has rows, and the other way round.

    ``group_of_class``: (pair classes,) the group of these pairs of rows in this key;
    ``pair_completions``: (groups, size) layouts of each value that contain one of them;
    ``first_completions``, ``second_completions``: (groups of the suit, size) are added
    to.
    """
    class_of = pair.class_of
    first = pair.first
    second = pair.second
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(first.key_start[a], first.key_start[a + 1]):
            for j in range(second.key_start[b], second.key_start[b + 1]):
                pair_class = looked_up(class_of, first.classes, second.classes, i, j)
                group = group_of_class[pair_class]
                for value in range(pair_completions.shape[1]):
                    layouts = pair_completions[group, value]
                    first_completions[i, value] += second.ways[j] * layouts
                    second_completions[j, value] += first.ways[i] * layouts


@njit
def _locate_high(
    tables: ClassJoin, low_groups: Ints, values: Ints, numbers: Ints
) -> Ints:
    """(2, n) ``GROUP`` and ``NUMBER`` of layouts in the high pair of suits.

    These are a group (pairs of rows with the same key and classes), and which of its
    pairs of rows. ``low_groups``, ``values``: (n,) the group in the low pair and the
    value of each layout; ``numbers``: (n,) its number among the layouts of its value
    with the same pair of low rows. So many pairs of high rows are passed, in the order
    of partners (high pair keys that fill the hands), fitting points and groups.
    """
    low, high, join, value_of = tables
    points_size = len(join.fit_start) - 1
    located = np.empty((2, len(numbers)), np.int64)
    for n in range(len(numbers)):
        i = low_groups[n]
        number = numbers[n]
        low_key = place_of(low.key_start, 0, len(low.key_start), i)
        points = low_key % points_size
        partner = join.partner_start[low_key // points_size]
        fit = join.fit_start[points]
        group = NO_GROUP
        while group == NO_GROUP:
            high_key = join.partners[partner] * points_size + join.fit_points[fit]
            for j in range(high.key_start[high_key], high.key_start[high_key + 1]):
                if looked_up(value_of, low.classes, high.classes, i, j) == values[n]:
                    if number < high.ways[j]:
                        group = j
                        break
                    number -= high.ways[j]
            fit += 1
            if fit == join.fit_start[points + 1]:
                # All points that fit were tried with this partner.
                partner += 1
                fit = join.fit_start[points]
        located[GROUP, n] = group
        located[NUMBER, n] = number
    return located


def add_pair(pair: ClassPair, shift: int, located: Ints, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of two suits.

    The first suit begins at bit ``shift``. ``located``: (2, n) where each layout lies
    in the pair: ``GROUP``, its group (pairs of rows with the same key and classes), and
    ``NUMBER``, which of the pairs of rows of this group.
    """
    # Sorted, the layouts of one key are found on one walk through its pairs of rows.
    order = np.lexsort((located[NUMBER], located[GROUP]))
    sorted_rows = np.empty((2, len(out)), dtype=np.int64)
    _find_rows(pair, located[GROUP, order], located[NUMBER, order], sorted_rows)
    rows = np.empty_like(sorted_rows)
    rows[:, order] = sorted_rows
    add_cards(pair.first.fields, rows[0], shift, out)
    add_cards(pair.second.fields, rows[1], shift + SUIT_CARDS, out)


@njit
def _find_rows(pair: ClassPair, groups: Ints, numbers: Ints, rows: Ints) -> None:
    """Fill (2, n) the row of the first and of the second suit that each layout has.

    ``groups``: (n,) the group of each layout (pairs of rows with the same key, the
    cards and points of every seat, and the same pair class); ``numbers``: (n,) which of
    its pairs of rows. Layouts are sorted by group, so also by key, then by number.
    """
    key_start = pair.key_start
    # By pair class: NEXT and END of the layouts that wait (none yet), and PASSED.
    waiting = np.zeros((3, pair.class_of.size), np.int64)
    begin = 0
    while begin < len(groups):
        key = place_of(key_start, 0, len(key_start), groups[begin])
        end = begin + 1
        while end < len(groups) and groups[end] < key_start[key + 1]:
            end += 1
        _await_rows(pair.pair_class, groups[begin:end], waiting)
        _find_rows_of_key(pair, key, numbers[begin:end], waiting, rows[:, begin:end])
        begin = end


@njit
def _await_rows(pair_class: Ints, groups: Ints, waiting: Ints) -> None:
    """Let the layouts of one key wait for their rows, by pair class.

    ``pair_class``: of all groups; ``groups``: (n,) of the layouts, which are sorted by
    group; ``waiting``: (3, pair classes) gets ``NEXT`` and ``END``, the first layout of
    each pair class and the one after the last, and ``PASSED``, 0 pairs of rows.
    """
    for layout in range(len(groups)):
        layout_class = pair_class[groups[layout]]
        is_first_of_class = waiting[NEXT, layout_class] == waiting[END, layout_class]
        if is_first_of_class:
            waiting[NEXT, layout_class] = layout
            waiting[PASSED, layout_class] = 0
        waiting[END, layout_class] = layout + 1


@njit
def _find_rows_of_key(
    pair: ClassPair, key: int, numbers: Ints, waiting: Ints, rows: Ints
) -> None:
    """Fill (2, n) the rows of all layouts with one key, on a walk through its pairings.

    A pairing is a key a of the first and a key b of the second suit. Their groups i and
    j, rows of the same key and classes, have pairs of rows of one pair class; a layout
    of this class whose number is among them has two of these rows.

    ``numbers``: (n,) which of the pairs of rows of its pair class each layout has, in
    the order of the walk; layouts are sorted by class, then by number. ``waiting``: (3,
    pair classes) the ``NEXT`` of the layouts of a class that have no rows yet, the
    ``END`` of these, and how many pairs of rows were ``PASSED``.
    """
    class_of = pair.class_of
    first = pair.first
    second = pair.second
    missing = len(numbers)
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(first.key_start[a], first.key_start[a + 1]):
            for j in range(second.key_start[b], second.key_start[b + 1]):
                pair_class = looked_up(class_of, first.classes, second.classes, i, j)
                next_layout = waiting[NEXT, pair_class]
                if next_layout == waiting[END, pair_class]:
                    continue
                _give_rows(
                    numbers,
                    waiting,
                    pair_class,
                    first.row_start[i],
                    first.ways[i],
                    second.row_start[j],
                    second.ways[j],
                    rows,
                )
                missing -= waiting[NEXT, pair_class] - next_layout
        if missing == 0:
            break


@njit
def _give_rows(
    numbers: Ints,
    waiting: Ints,
    pair_class: int,
    first_begin: int,
    first_ways: int,
    second_begin: int,
    second_ways: int,
    rows: Ints,
) -> None:
    """Give the layouts of one pair class that lie in two groups a row of each.

    The first group has ``first_ways`` rows from ``first_begin`` on, the second group
    likewise; their pairs are numbered by the first row, then by the second, after those
    that were passed. ``numbers``, ``waiting``, ``rows``: see :func:`_find_rows_of_key`.
    """
    layout = waiting[NEXT, pair_class]
    passed = waiting[PASSED, pair_class]
    passed_after = passed + first_ways * second_ways
    while layout < waiting[END, pair_class] and numbers[layout] < passed_after:
        number = numbers[layout] - passed
        rows[0, layout] = first_begin + number // second_ways
        rows[1, layout] = second_begin + number % second_ways
        layout += 1
    waiting[NEXT, pair_class] = layout
    waiting[PASSED, pair_class] = passed_after
