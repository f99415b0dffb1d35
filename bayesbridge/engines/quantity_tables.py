"""Exact tables by suit classes: layouts counted, numbered and unranked by the values of
some quantities.

A *quantity* is additive over suits in a wide sense: each row of a suit
(:class:`~bayesbridge.engines.tables.SuitRows`) has a code, two neighbouring suits have
a code that follows from theirs, and the value of a layout follows from the codes of
both halves (clubs with diamonds, hearts with spades). Codes that nothing in the other
suits tells apart are one *class*. Rows of a suit, or pairs of rows of two, with the
same key and classes are one *entry*. Entries of both halves are joined where every hand
is full and all hard evidence is kept, and each such pair has one value: layouts are
counted by value, and numbered within it, without being enumerated. Counts are exact;
totals from 2^63 on are refused.

**Levels of Algorithm 1.** For a target of 7 + j tricks Algorithm 1 walks the suits in
the order C D H S with a budget of R = 6 − j − Δ. A suit maps the budget to (captures,
gaps paid), and what two suits do is the composition of their maps. A code holds such a
map: the total leading gap Δ and, for each budget R from 0 to 6 − Δ, captures after the
first of each suit and the gaps paid. Target 7 + j is met if 3 + j captures come on top
of the four free ones; with trumps the gaps, captures and walks are others
(:class:`SuitWalks`). Codes forget what cannot matter: a suit without c₁ > δ, or a total
gap that leaves no budget, is DEAD; and once the captures suffice for every target that
can have this budget, what was paid is forgotten (ENOUGH): targets with budget R need at
most 9 − Δ − R captures after the first ones.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.playout import NO_TRUMP
from bayesbridge.capture.strains import walks
from bayesbridge.capture.tables import (
    CODES,
    LEADING_GAP,
    LENGTH,
    TERNARY,
    merge_table,
    outcome_table,
    row_table,
    simplified,
)
from bayesbridge.engines.classes import (
    Lookup,
    digits,
    merged,
    radices,
    running,
    verify_size,
)
from bayesbridge.engines.search import looked_up
from bayesbridge.engines.tables import LayoutIndex, RankTables, SuitPair, SuitRows
from bayesbridge.evidence.measures import POINTS, table
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.runtime.jit import njit

type Fields = NDArray[np.uint16]
"""(r, 4) the cards of one suit in r rows, column = seat."""

# pairs of codes of two halves beyond which tables are refused: so many bytes
MOST_CODES: Final = 1 << 27


class Quantity(ABC):
    """What can be found suit by suit, at its simplest a sum: codes are int64, values 0
    … ``size`` − 1.

    Tables are cached by it.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def codes(self, suit: int, fields: Fields) -> Ints: ...

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of two suits from (n,) codes of the first and (m,) codes of the
        next one.
        """
        return first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """(n, m) values of layouts with (n,) codes in clubs and diamonds and (m,) codes
        in hearts and spades.
        """
        return (low[:, None] + high).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of one quantity over the rows of one position."""

    size: int
    rows: tuple[Ints, ...]  #: For C D H S, the class of each row.
    low: Ints
    """By the classes of clubs and diamonds, and of hearts and spades, the class of the
    pair; by those, the value.
    """
    high: Ints
    values: Ints


@lru_cache(
    maxsize=8
)  # common tables, those of one caller and those of one quantity more use the same in turn
def _classes(quantity: Quantity, unranking: LayoutIndex) -> Classes:
    suits = [
        suit.fields | certain
        for suit, certain in zip(unranking.suits, unranking.certain, strict=True)
    ]
    found = [
        np.unique(quantity.codes(suit, fields), return_inverse=True)
        for suit, fields in enumerate(suits)
    ]
    codes, places = zip(*found, strict=True)
    low_codes, low = np.unique(
        quantity.composed(codes[0], codes[1]), return_inverse=True
    )
    high_codes, high = np.unique(
        quantity.composed(codes[2], codes[3]), return_inverse=True
    )
    verify_size(len(low_codes) * len(high_codes), MOST_CODES, "pairs of codes")
    by_code, (low, high), values, _ = merged(
        (low, high), quantity.values(low_codes, high_codes)
    )
    rows = tuple(classes[place] for classes, place in zip(by_code, places, strict=True))
    return Classes(quantity.size, rows, low, high, values.astype(np.int64))


DEAD: Final = -1  # the code of suits after which no level of interest is possible

ENOUGH: Final = 127
"""Seven bits of a code: the captures suffice. Else they are captures + 16 · gaps paid,
at most 12 + 16 · 6.
"""

HOPELESS: Final = 99  # a gap that no budget covers


class SuitWalks(NamedTuple):
    """What Algorithm 1 does in each suit, by suit C D H S and by 13-bit field."""

    gap: NDArray[np.int8]
    """How much the suit takes from the budget before the walk; HOPELESS where no target
    can be met.
    """
    first: NDArray[
        np.int8
    ]  #: Captures before the walk, beyond those that all hands have that meet a target.
    step: NDArray[np.uint8]  #: (4, 8192, 7) by budget: 16 · captures + gaps paid.
    needed: int  #: Captures counted here that a target of 13 tricks needs.


@cache
def suit_walks(strain: int) -> SuitWalks:
    """In no trumps, as in the paper, one capture in each suit, which must have c₁ > δ,
    comes before the walk.

    With trumps a side suit takes min(δ, c₁); trumps alone must have c₁ > δ, which gives
    one capture in any suit.
    """
    valid = LENGTH > LEADING_GAP
    own = np.where(valid, LEADING_GAP, np.int8(HOPELESS))
    if strain == NO_TRUMP:
        return SuitWalks(
            np.tile(own, (4, 1)),
            np.zeros((4, 1 << 13), dtype=np.int8),
            np.stack([walk_table()] * 4),
            9,
        )
    side, trump = walks()
    gap, step = np.tile(np.minimum(LEADING_GAP, LENGTH), (4, 1)), np.stack([side] * 4)
    gap[strain], step[strain] = own, trump
    return SuitWalks(gap, np.tile(valid.astype(np.int8), (4, 1)), step, 13)


@dataclass(frozen=True, slots=True)
class Level(Quantity):
    """A function of the level of one seat's hand: ``by_level[n]`` is its value, 0 …
    ``size`` − 1, at level n = 0 … 7.

    Levels are distinguished only where the value changes.
    """

    seat: int
    by_level: tuple[int, ...]
    strain: int

    @classmethod
    def of(cls, seat: int, values: Sequence[object], strain: int) -> Self:
        """Levels that have equal ``values`` (8 of them) are one value; values are
        numbered as they first occur.
        """
        distinct = list(dict.fromkeys(values))
        return cls(seat, tuple(map(distinct.index, values)), strain)

    @property
    def size(self) -> int:
        return 1 + max(self.by_level)

    def codes(self, suit: int, fields: Fields) -> Ints:
        walk = suit_walks(self.strain)
        codes = _suit_codes(
            walk.gap[suit], walk.first[suit], walk.step[suit], self._scope
        )
        return codes[fields[:, self.seat]]

    def composed(self, first: Ints, second: Ints) -> Ints:
        return _compose_all(first, second, self._scope)

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        return _values(low, high, self._scope, np.array(self.by_level, dtype=np.uint8))

    @property
    def _scope(self) -> Scope:
        changes = [n for n in range(1, 8) if self.by_level[n] != self.by_level[n - 1]]
        return Scope(
            7 - min(changes, default=8),
            max(changes, default=0),
            suit_walks(self.strain).needed,
        )


class Scope(NamedTuple):
    """Total gaps up to ``most`` and 7 … 6 + ``targets`` tricks matter; 7 + j need
    ``needed`` − 6 + j captures.
    """

    most: int
    targets: int
    needed: int


@njit
def _packed(
    Delta: np.int64, budget: int, captured: np.int64, paid: np.int64, scope: Scope
) -> np.int64:
    if (
        captured >= scope.needed - Delta - budget
        or captured >= scope.needed - 7 + scope.targets
    ):
        return np.int64(ENOUGH)
    return captured | paid << 4


@njit
def _suit_codes(
    gap: NDArray[np.int8],
    first: NDArray[np.int8],
    step: NDArray[np.uint8],
    scope: Scope,
) -> Ints:
    out = np.full(1 << 13, DEAD, np.int64)
    for held in range(1 << 13):
        delta = np.int64(gap[held])
        if delta <= scope.most:
            code = delta
            for budget in range(7 - delta):
                made = np.int64(step[held, budget])
                captured = first[held] + (made >> 4)
                code |= _packed(delta, budget, captured, made & 15, scope) << (
                    4 + 7 * budget
                )
            out[held] = code
    return out


@njit
def _compose_all(first: Ints, second: Ints, scope: Scope) -> Ints:
    out = np.full((len(first), len(second)), DEAD, np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            left, right = first[i], second[j]
            Delta = (left & 15) + (right & 15)
            if left < 0 or right < 0 or Delta > scope.most:
                continue
            code = Delta
            for budget in range(7 - Delta):
                step = left >> (4 + 7 * budget) & ENOUGH
                after = (
                    right >> (4 + 7 * (budget - (step >> 4))) & ENOUGH
                    if step != ENOUGH
                    else ENOUGH
                )
                if after != ENOUGH:
                    captured, paid = (
                        (step & 15) + (after & 15),
                        (step >> 4) + (after >> 4),
                    )
                    after = _packed(Delta, budget, captured, paid, scope)
                code |= after << (4 + 7 * budget)
            out[i, j] = code
    return out


@njit
def _values(
    low: Ints, high: Ints, scope: Scope, by_level: NDArray[np.uint8]
) -> NDArray[np.integer]:
    """(n, m) values by level: the targets 7, 8, … met before the first that is missed,
    none beyond 6 + ``targets``.
    """
    out = np.full((len(low), len(high)), by_level[0], np.uint8)
    for i in range(len(low)):
        left = low[i]
        for j in range(len(high)):
            right = high[j]
            Delta = (left & 15) + (right & 15)
            if left < 0 or right < 0 or Delta > scope.most:
                continue
            level = 0
            while level < scope.targets and level <= 6 - Delta:
                budget = 6 - Delta - level
                step = left >> (4 + 7 * budget) & ENOUGH
                if step != ENOUGH:
                    after = right >> (4 + 7 * (budget - (step >> 4))) & ENOUGH
                    if (
                        after != ENOUGH
                        and (step & 15) + (after & 15) < scope.needed - 6 + level
                    ):
                        break
                level += 1
            out[i, j] = by_level[level]
    return out


@dataclass(frozen=True, slots=True)
class Points(Quantity):
    """The high-card points of one seat, 0 … 40; no hand of 13 cards has more than 37."""

    seat: int
    size: ClassVar[int] = 41

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        return table(POINTS)[fields[:, self.seat]]


@dataclass(frozen=True, slots=True)
class Outcome(Quantity):
    """The outcome code of Algorithm 2 for the hands of two seats; codes are summaries
    (see ``capture.tables``).
    """

    first: int
    second: int
    size: ClassVar[int] = CODES

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        rows = row_table()[
            TERNARY[fields[:, self.first]] + 2 * TERNARY[fields[:, self.second]]
        ]
        return simplified(rows.astype(np.int64))

    def composed(self, first: Ints, second: Ints) -> Ints:
        return merge_table(first, second)

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        return outcome_table(low, high)


class CaptureTricks(Outcome):
    """T of Algorithm 2, 0 where a condition fails."""

    size: ClassVar[int] = 14

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        return (outcome_table(low, high) % 512 // 32).astype(np.uint8)


class CaptureConditions(Outcome):
    """Which conditions of Algorithm 2 hold: 0 not A, 1 only A, 2 both."""

    size: ClassVar[int] = 3

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        return np.asarray(np.minimum(outcome_table(low, high), 2), np.uint8)


@dataclass(frozen=True, slots=True)
class TotalGap(Quantity):
    """Δ of Algorithm 2 for the hands of two seats, 0 … 52."""

    first: int
    second: int
    size: ClassVar[int] = 53

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        return np.asarray(
            LEADING_GAP[fields[:, self.first] | fields[:, self.second]].astype(np.int64)
        )


MOST_PRODUCTS: Final = 1 << 28
"""Pairs of entries to go through beyond which tables are refused; so many take a second
or two.
"""


class ClassRows(NamedTuple):
    """The rows of one suit, sorted by entry; entries are sorted by key."""

    fields: Fields
    row_start: Ints
    """Where the rows of each entry begin, and the entries of each key: lengths index ·
    points + points index.
    """
    key_start: Ints
    classes: Ints  #: (entries, quantities)

    @classmethod
    def of(cls, rows: SuitRows, classes: Sequence[Ints]) -> Self:
        """``classes``: (rows,) for each quantity."""
        sizes = [1 + int(of_row.max(initial=0)) for of_row in classes]
        label = np.repeat(np.arange(rows.ways.size), rows.ways.ravel()) * math.prod(
            sizes
        )
        for of_row, radix in zip(classes, radices(sizes), strict=True):
            label += of_row * radix
        order = np.argsort(label, kind="stable")
        entries, row_start = np.unique(label[order], return_index=True)
        return cls(
            np.ascontiguousarray(rows.fields[order]),
            np.append(row_start, len(label)).astype(np.int64),
            np.searchsorted(entries // math.prod(sizes), np.arange(rows.ways.size + 1)),
            digits(entries, sizes),
        )


class ClassPair(NamedTuple):
    """Two suits together, in entries that are sorted by key."""

    first: ClassRows
    second: ClassRows
    split_start: Ints
    """Where the splits of each key of the pair begin; a split is a key of either suit,
    both with rows.
    """
    split_first: Ints
    split_second: Ints
    #: The class of the pair from the classes of both suits, all quantities in one
    #: number.
    place: Lookup
    sizes: Ints  #: How many classes the pair has of each quantity.
    key_start: Ints
    #: (entries,) the number that ``place`` gives, and how many pairs of rows each has.
    label: Ints
    ways: Ints
    classes: Ints  #: (entries, quantities)

    @classmethod
    def of(cls, pair: SuitPair, suit: int, quantities: Sequence[Classes]) -> Self:
        """A suit and the next one, entries not yet :meth:`tallied`; too many pairs of
        these are refused.
        """
        first = ClassRows.of(pair.first, [classes.rows[suit] for classes in quantities])
        second = ClassRows.of(
            pair.second, [classes.rows[suit + 1] for classes in quantities]
        )
        ones, twos = (
            np.diff(rows.key_start).reshape(-1, pair.ways.shape[1]).sum(1)
            for rows in (first, second)
        )
        products = int((ones[pair.split_first] * twos[pair.split_second]).sum())
        verify_size(products, MOST_PRODUCTS, "pairs of suit classes")
        matrices = [
            classes.low if suit == 0 else classes.high for classes in quantities
        ]
        sizes = [1 + int(matrix.max(initial=0)) for matrix in matrices]
        none = np.zeros(0, dtype=np.int64)
        place = Lookup.of(matrices, sizes)
        return cls(
            first,
            second,
            *_splits(pair),
            place,
            np.array(sizes, np.int64),
            none,
            none,
            none,
            none[:, None],
        )

    @property
    def most_entries(self) -> Ints:
        """(keys,) no key of the pair has more entries."""
        products = (
            np.diff(self.first.key_start)[self.split_first]
            * np.diff(self.second.key_start)[self.split_second]
        )
        return np.minimum(np.diff(running(products)[self.split_start]), self.place.size)

    def tallied(self) -> Self:
        key_start, label, ways = _tally(self)
        return self._replace(
            key_start=key_start,
            label=label,
            ways=ways,
            classes=digits(label, self.sizes.tolist()),
        )


@njit
def _splits(pair: SuitPair) -> tuple[Ints, Ints, Ints]:
    """The splits of each key of a pair."""
    first, second, ones, twos = (
        pair.first.ways,
        pair.second.ways,
        pair.first.scores,
        pair.second.scores,
    )
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
    points = pair.ways.shape[1]
    free, left, right = (
        np.zeros(pair.ways.size + 1, np.int64),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
    )
    for writing in range(2):
        for number in range(len(split_start) - 1):
            for split in range(split_start[number], split_start[number + 1]):
                a, b = split_first[split], split_second[split]
                for p in ones:
                    for q in twos:
                        if first[a, p] and second[b, q]:
                            at = number * points + p + q
                            if writing:
                                left[free[at]], right[free[at]] = (
                                    a * points + p,
                                    b * points + q,
                                )
                            free[at + 1 - writing] += 1
        if not writing:
            free = np.cumsum(free)
            start, left, right = (
                free.copy(),
                np.empty(free[-1], np.int64),
                np.empty(free[-1], np.int64),
            )
    return start, left, right


@njit
def _tally(pair: ClassPair) -> tuple[Ints, Ints, Ints]:
    """Entries of a pair of suits: where those of each key begin, their labels and their
    numbers of pairs of rows.
    """
    first, second, place = pair.first, pair.second, pair.place
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
    one_start, two_start, ones, twos = (
        first.key_start,
        second.key_start,
        first.classes,
        second.classes,
    )
    one_rows, two_rows = first.row_start, second.row_start
    keys = len(split_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    label, ways = np.empty(1024, np.int64), np.empty(1024, np.int64)
    sums, touched = np.zeros(place.size, np.int64), np.empty(place.size, np.int64)
    entries = 0
    for key in range(keys):
        found = 0
        for split in range(split_start[key], split_start[key + 1]):
            a, b = split_first[split], split_second[split]
            for i in range(one_start[a], one_start[a + 1]):
                rows = one_rows[i + 1] - one_rows[i]
                for j in range(two_start[b], two_start[b + 1]):
                    name = looked_up(place, ones, twos, i, j)
                    if sums[name] == 0:
                        touched[found] = name
                        found += 1
                    sums[name] += rows * (two_rows[j + 1] - two_rows[j])
        while entries + found > len(label):
            label, ways = np.concatenate((label, label)), np.concatenate((ways, ways))
        for place_of in range(found):
            name = touched[place_of]
            label[entries], ways[entries] = name, sums[name]
            sums[name] = 0
            entries += 1
        key_start[key + 1] = entries
    return key_start, label[:entries].copy(), ways[:entries].copy()


@njit
def locate(
    low: ClassPair,
    high: ClassPair,
    join: tuple[RankTables, Lookup],
    sums: tuple[Ints, Ints],
    sought: tuple[Ints, Ints],
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """The entry of either pair that each layout lies in, and the number of its pair of
    rows; ``sought``: value, number.

    ``sums``: (entries, size) layouts of each value up to and with each low entry, and
    with one of its pairs of rows.
    """
    before, rest = sums
    values, numbers = sought
    low_entry, low_number = np.empty_like(numbers), np.empty_like(numbers)
    high_entry, high_number = np.empty_like(numbers), np.empty_like(numbers)
    low_start, high_start, ones, twos = (
        low.key_start,
        high.key_start,
        low.classes,
        high.classes,
    )
    order, values_of = join
    high_count, points = high.ways, len(order.fit_start) - 1
    partner_start, partners = order.partner_start, order.partners
    fit_start, fit_points = order.fit_start, order.fit_points
    for n in range(len(numbers)):
        value_sought, number = values[n], numbers[n]
        entry = np.searchsorted(before[:, value_sought], number, side="right")
        number -= before[entry - 1, value_sought] if entry > 0 else 0
        low_entry[n], low_number[n] = entry, number // rest[entry, value_sought]
        number -= low_number[n] * rest[entry, value_sought]
        key = np.searchsorted(low_start, entry, side="right") - 1
        pair, score = key // points, key % points
        place, fit, j = partner_start[pair], fit_start[score], -1
        while j < 0:
            there = partners[place] * points + fit_points[fit]
            for candidate in range(high_start[there], high_start[there + 1]):
                if looked_up(values_of, ones, twos, entry, candidate) == value_sought:
                    if number < high_count[candidate]:
                        j = candidate
                        break
                    number -= high_count[candidate]
            fit += 1
            if fit == fit_start[score + 1]:
                place, fit = place + 1, fit_start[score]
        high_entry[n], high_number[n] = j, number
    return (low_entry, low_number), (high_entry, high_number)


@njit
def add_pair(
    pair: ClassPair, shift: int, where: tuple[Ints, Ints, Ints], out: Masks
) -> None:
    """Add to each layout its cards of two suits, the first from bit ``shift`` on.

    ``where``: the entry of the pair, the number of the pair of rows within it, and an
    order that sorts by both.
    """
    entry, number, order = where
    one_start, two_start = pair.first.key_start, pair.second.key_start
    ones, twos = pair.first.classes, pair.second.classes
    one_rows, two_rows = pair.first.row_start, pair.second.row_start
    fields, more_fields = pair.first.fields, pair.second.fields
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
    place, key_start, label = pair.place, pair.key_start, pair.label
    here, there = np.uint64(shift), np.uint64(shift + 13)
    # For each label that is needed: the next of its numbers (as a place in ``order``, −1 if none is left), and how
    # many pairs of rows with this label were passed already.
    following, passed = (
        np.full(place.size, -1, np.int64),
        np.zeros(place.size, np.int64),
    )
    begin = 0
    while begin < len(order):
        key = np.searchsorted(key_start, entry[order[begin]], side="right") - 1
        end = begin
        while end < len(order) and entry[order[end]] < key_start[key + 1]:
            if end == begin or entry[order[end]] != entry[order[end - 1]]:
                following[label[entry[order[end]]]] = end
                passed[label[entry[order[end]]]] = 0
            end += 1
        left = end - begin
        for split in range(split_start[key], split_start[key + 1]):
            if left == 0:
                break
            a, b = split_first[split], split_second[split]
            for i in range(one_start[a], one_start[a + 1]):
                rows = one_rows[i + 1] - one_rows[i]
                for j in range(two_start[b], two_start[b + 1]):
                    name = looked_up(place, ones, twos, i, j)
                    at = following[name]
                    if at < 0:
                        continue
                    more = two_rows[j + 1] - two_rows[j]
                    while at >= 0 and number[order[at]] < passed[name] + rows * more:
                        n = order[at]
                        row = (number[n] - passed[name]) // more
                        one = one_rows[i] + row
                        two = two_rows[j] + number[n] - passed[name] - row * more
                        for seat in range(4):
                            out[n, seat] |= (
                                np.uint64(fields[one, seat]) << here
                                | np.uint64(more_fields[two, seat]) << there
                            )
                        left -= 1
                        at += 1
                        if at == end or entry[order[at]] != entry[n]:
                            at = -1
                    following[name] = at
                    passed[name] += rows * more
        begin = end


@dataclass(frozen=True, eq=False)
class ClassTables:
    """The tables of some quantities over the layouts of one set of constraints."""

    unranking: LayoutIndex
    quantities: tuple[Quantity, ...]
    low: ClassPair
    high: ClassPair
    join: tuple[RankTables, Lookup]
    """Which keys are joined, and the value of a layout from the classes of both pairs:
    v₀ + size₀ · (v₁ + …).
    """

    @classmethod
    def of(cls, unranking: LayoutIndex, quantities: Sequence[Quantity]) -> Self:
        classes = tuple(_classes(quantity, unranking) for quantity in quantities)
        value = Lookup.of([c.values for c in classes], [c.size for c in classes])
        low, high = (
            ClassPair.of(unranking.low, 0, classes),
            ClassPair.of(unranking.high, 2, classes),
        )
        # Of the pairs of entries that could be joined, one in a thousand is, or fewer.
        products = _joined_pairs(unranking.order, low.most_entries, high.most_entries)
        verify_size(products, 1 << 38, "pairs of suit classes")
        low, high = low.tallied(), high.tallied()
        products = _joined_pairs(
            unranking.order, np.diff(low.key_start), np.diff(high.key_start)
        )
        verify_size(products, MOST_PRODUCTS, "pairs of suit classes")
        return cls(unranking, tuple(quantities), low, high, (unranking.order, value))

    def counts(self) -> Ints:
        """(size,) how many layouts have each value."""
        out, no_rest = (
            np.zeros(self.join[1].size, dtype=np.int64),
            np.zeros((0, 0), dtype=np.int64),
        )
        _count(self.low, self.high, self.join, out, (no_rest, no_rest))
        return out

    @cached_property
    def rests(self) -> tuple[Ints, Ints]:
        """Of the low and the high pair, (entries, size): pairs of rows of the other
        that make each value with one.
        """
        low, high = (
            np.zeros((len(pair.ways), self.join[1].size), dtype=np.int64)
            for pair in (self.low, self.high)
        )
        _count(self.low, self.high, self.join, np.zeros(0, dtype=np.int64), (low, high))
        return low, high

    def layouts(self, values: Ints, numbers: Ints) -> Masks:
        """(n, 4) masks of the layouts with these numbers, 0 … ``counts()[value]`` − 1,
        among those of their values.
        """
        before = np.cumsum(self.low.ways[:, None] * self.rests[0], axis=0)
        out = np.tile(self.unranking.base, (len(numbers), 1))
        of_low, of_high = locate(
            self.low, self.high, self.join, (before, self.rests[0]), (values, numbers)
        )
        for shift, pair, (entry, number) in (
            (0, self.low, of_low),
            (26, self.high, of_high),
        ):
            add_pair(pair, shift, (entry, number, np.lexsort((number, entry))), out)
        return out

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (entries, size): how many layouts of each value contain one
        given row of an entry.
        """
        return *_completions(self.low, self.rests[0]), *_completions(
            self.high, self.rests[1]
        )


def _joined_pairs(order: RankTables, low: Ints, high: Ints) -> int:
    """How many pairs of entries are joined; ``low``, ``high``: (keys,) entries of each
    key.
    """
    points = len(order.fit_start) - 1
    ones, twos = low.reshape(-1, points), high.reshape(-1, points)
    fits = np.zeros((points, points))
    fits[np.repeat(np.arange(points), np.diff(order.fit_start)), order.fit_points] = 1
    mine = np.repeat(np.arange(len(ones)), np.diff(order.partner_start))
    return int((ones[mine] * (twos @ fits.T)[order.partners]).sum())


# Kernels take the arrays they need out of tuples before they loop: taking one out counts references, at a high price.


@njit
def _count(
    low: ClassPair,
    high: ClassPair,
    join: tuple[RankTables, Lookup],
    out: Ints,
    rests: tuple[Ints, Ints],
) -> None:
    """Add up layouts by value; or, without ``out``, for each entry the pairs of rows
    that it is joined with.
    """
    low_start, high_start, ones, twos = (
        low.key_start,
        high.key_start,
        low.classes,
        high.classes,
    )
    (order, values_of), (low_rest, high_rest) = join, rests
    low_count, high_count, points = low.ways, high.ways, len(order.fit_start) - 1
    partner_start, partners = order.partner_start, order.partners
    fit_start, fit_points = order.fit_start, order.fit_points
    for key in range(len(low_start) - 1):
        pair, score = key // points, key % points
        for i in range(low_start[key], low_start[key + 1]):
            for place in range(partner_start[pair], partner_start[pair + 1]):
                for fit in range(fit_start[score], fit_start[score + 1]):
                    there = partners[place] * points + fit_points[fit]
                    for j in range(high_start[there], high_start[there + 1]):
                        value = looked_up(values_of, ones, twos, i, j)
                        if len(out):
                            out[value] += low_count[i] * high_count[j]
                        else:
                            low_rest[i, value] += high_count[j]
                            high_rest[j, value] += low_count[i]


@njit
def _completions(pair: ClassPair, rest: Ints) -> tuple[Ints, Ints]:
    """For each entry of either suit and each value, how many layouts contain one given
    row; ``rest``: of ``rests``.
    """
    one_start, two_start = pair.first.key_start, pair.second.key_start
    ones, twos = pair.first.classes, pair.second.classes
    one_rows, two_rows = pair.first.row_start, pair.second.row_start
    split_start, split_first, split_second = (
        pair.split_start,
        pair.split_first,
        pair.split_second,
    )
    place, key_start, label, size = (
        pair.place,
        pair.key_start,
        pair.label,
        rest.shape[1],
    )
    for_first, for_second = (
        np.zeros((len(ones), size), np.int64),
        np.zeros((len(twos), size), np.int64),
    )
    entry_of = np.empty(place.size, np.int64)
    for key in range(len(key_start) - 1):
        for entry in range(key_start[key], key_start[key + 1]):
            entry_of[label[entry]] = entry
        for split in range(split_start[key], split_start[key + 1]):
            a, b = split_first[split], split_second[split]
            for i in range(one_start[a], one_start[a + 1]):
                rows = one_rows[i + 1] - one_rows[i]
                for j in range(two_start[b], two_start[b + 1]):
                    name = looked_up(place, ones, twos, i, j)
                    entry, more = entry_of[name], two_rows[j + 1] - two_rows[j]
                    for value in range(size):
                        for_first[i, value] += more * rest[entry, value]
                        for_second[j, value] += rows * rest[entry, value]
    return for_first, for_second
