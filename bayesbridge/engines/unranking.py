"""Layouts by number: the table that turns 0, 1, … total - 1 into the layouts that fit, each once.

Clubs and diamonds make the low pair, hearts and spades the high pair. A layout is a key of the low pair and one of its
pairs of rows, then a key of the high pair that fits (every hand full, every points range and shape kept) and one of its
pairs of rows. Taken in this order the layouts are numbered. Sampling draws numbers; enumeration counts them up.

All entries are int64 and exact: each counts a part of the total, and totals from 2^63 on are refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints, points_in
from bayesbridge.engines.counting import count
from bayesbridge.engines.suit_rows import MOST_ENTRIES, Ints, Keys, SuitPair, SuitRows, completions, most_rows
from bayesbridge.errors import BayesBridgeError, Contradiction, TooManyLayouts
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks

MOST_PRODUCTS: Final = 1 << 30
"""Multiplications to join the two pairs beyond which tables are refused; three hidden hands need at most 2^26."""

_CHUNK: Final = 1 << 13
"""Layouts built at a time: few enough for their numbers to stay in the processor's cache."""


class Order(NamedTuple):
    """What a kernel needs besides the two pairs to find a layout by its number."""

    key_start: Ints
    """(keys + 1,) the first number of each key of the low pair; the last entry is the total."""
    key_low: Ints
    """The pair key of the low pair, and its points."""
    key_points: Ints
    partner_start: Ints
    """(pair keys of the low pair + 1,) where those of the high pair that fill the hands begin in ``partners``."""
    partners: Ints
    key_rest: Ints
    """How many pairs of high rows complete one pair of low rows."""
    fit_start: Ints
    """(points + 1,) where the points of the high pair that fit points of the low pair begin in ``fit_points``."""
    fit_points: Ints


class Where(NamedTuple):
    """Where layouts lie in one pair: the indices of their keys, and the number of the pair of rows within the key."""

    keys: Ints
    points: Ints
    numbers: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Unranking:
    """The tables of one set of constraints; building them takes milliseconds, a second at worst.

    >>> Unranking.of(Constraints.free().hold(2, 0x1FFF).hold(0, 0x1FFF << 13)).total
    10400600
    """

    keys: Keys
    total: int
    low: SuitPair
    high: SuitPair
    low_rest: Ints
    """(pair keys, points) pairs of high rows that complete each key of the low pair."""
    high_rest: Ints
    order: Order

    @classmethod
    def of(cls, constraints: Constraints) -> Self:
        """Build the tables; raises ``Contradiction`` if nothing fits. With a hand known they are never too large."""
        known = constraints.normalised()
        if known.impossible:
            raise _nothing_fits()
        keys = Keys.of(known)
        _verify_size(keys)
        low, high = SuitPair.of(keys, 0), SuitPair.of(keys, 2)
        fits = _fits(keys)
        full = int((keys.cards[:, :-1] == keys.rooms[:-1]).all(1).argmax())
        joined = (low.lengths[:, None] + high.lengths == full) & keys.fit()[low.classes[:, None], high.classes]
        mine, partners = map(np.ascontiguousarray, np.nonzero(joined))
        low_rest = _gathered(mine, high.ways[partners] @ fits.T.astype(np.int64), len(low.ways))
        high_rest = _gathered(partners, low.ways[mine] @ fits.astype(np.int64), len(high.ways))
        numbers = low.ways * low_rest
        total = int(numbers.sum())
        if total == 0:
            raise _nothing_fits()
        key_low, key_points = map(np.ascontiguousarray, np.nonzero(numbers))
        fits &= high.ways.any(0)
        order = Order(
            key_start=_running(numbers[key_low, key_points]),
            key_low=key_low,
            key_points=key_points,
            partner_start=_running(joined.sum(1)),
            partners=partners,
            key_rest=low_rest[key_low, key_points],
            fit_start=_running(fits.sum(1)),
            fit_points=np.ascontiguousarray(np.nonzero(fits)[1]),
        )
        return cls(keys, total, low, high, low_rest, high_rest, order)

    @property
    def base(self) -> NDArray[np.uint64]:
        """(4,) the cards that are certain, by seat."""
        return np.array(self.keys.known.must, dtype=np.uint64)

    @property
    def suits(self) -> tuple[SuitRows, SuitRows, SuitRows, SuitRows]:
        """The rows of C D H S."""
        return self.low.first, self.low.second, self.high.first, self.high.second

    def completions(self) -> tuple[Ints, Ints, Ints, Ints]:
        """For C D H S, (lengths, points): how many layouts contain one given row of each key."""
        return *completions(self.low, self.low_rest), *completions(self.high, self.high_rest)

    def layouts(self, numbers: Ints) -> Masks:
        """The layouts with the given numbers, each from 0 to total - 1: (n, 4) masks."""
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < self.total:
            raise IndexError(f"layouts {numbers.min()} to {numbers.max()}: they are numbered 0 to {self.total - 1}")
        out = np.empty((len(numbers), 4), dtype=np.uint64)
        for begin in range(0, len(numbers), _CHUNK):
            part = out[begin : begin + _CHUNK]
            part[:] = self.base
            in_low, in_high = locate(self.order, self.high.ways, numbers[begin : begin + _CHUNK])
            add_pair(self.low, 0, in_low, part)
            add_pair(self.high, 26, in_high, part)
        return out


def _nothing_fits() -> Contradiction:
    return Contradiction("no layout fits the evidence: take a piece of it away", evidence=())


def _verify_size(keys: Keys) -> None:
    """Refuse what only four hidden hands can ask for: totals past 2^63, and tables past memory and patience."""
    known = keys.known
    if len(keys.hidden) < 4:
        return
    rows, products = most_rows(known), len(keys.cards) * len(keys.points) ** 2
    if rows > MOST_ENTRIES or products > MOST_PRODUCTS:
        raise BayesBridgeError(
            f"four hands are hidden, with {rows} ways in one suit and {len(keys.points)} ways to score points: more "
            "than exact tables hold. Make one hand known, or bound the points of fewer seats.",
            rows=rows,
        )
    deals = math.factorial(known.unknown_mask.bit_count()) // math.prod(map(math.factorial, keys.rooms.tolist()))
    layouts = deals if deals < 1 << 63 else count(known)
    if layouts >= 1 << 63:
        raise TooManyLayouts(
            f"{layouts} layouts fit; exact tables stop at 2^63. Make one hand known, or add evidence.", layouts=layouts
        )


def _gathered(places: Ints, rows: Ints, size: int) -> Ints:
    """(size, points) the sum of the rows of each place."""
    out = np.zeros((size, rows.shape[1]), dtype=np.int64)
    np.add.at(out, places, rows)
    return out


def _running(values: Ints) -> Ints:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values, dtype=np.int64)])


def _fits(keys: Keys) -> NDArray[np.bool_]:
    """(points, points) whether points of the low and of the high pair add up to something within every range."""
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
def locate(order: Order, high_ways: Ints, numbers: Ints) -> tuple[Where, Where]:
    """Where the layouts with these numbers lie in the low and in the high pair."""
    start, rests = order.key_start, order.key_rest
    key_low, key_points = order.key_low, order.key_points
    partner_start, partners = order.partner_start, order.partners
    fit_start, fit_points = order.fit_start, order.fit_points
    n = len(numbers)
    low_keys, low_points, low_numbers = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    high_keys, high_points, high_numbers = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        number = numbers[i]
        key, end = 0, len(rests)
        while end - key > 1:
            middle = (key + end) >> 1
            if start[middle] <= number:
                key = middle
            else:
                end = middle
        number -= start[key]
        low, points = key_low[key], key_points[key]
        low_keys[i], low_points[i], low_numbers[i] = low, points, number // rests[key]
        number -= low_numbers[i] * rests[key]
        place, fit = partner_start[low], fit_start[points]
        while number >= high_ways[partners[place], fit_points[fit]]:
            number -= high_ways[partners[place], fit_points[fit]]
            fit += 1
            if fit == fit_start[points + 1]:
                place, fit = place + 1, fit_start[points]
        high_keys[i], high_points[i], high_numbers[i] = partners[place], fit_points[fit], number
    return Where(low_keys, low_points, low_numbers), Where(high_keys, high_points, high_numbers)


@njit
def add_pair(pair: SuitPair, shift: int, where: Where, out: Masks) -> None:
    """Add to each layout its cards of two suits, the first of which begins at bit ``shift``."""
    fields, more_fields = pair.first.fields, pair.second.fields
    first, second = pair.first.ways, pair.second.ways
    start, more_start, scores = pair.first.start, pair.second.start, pair.first.scores
    split_start, split_first, split_second = pair.split_start, pair.split_first, pair.split_second
    before = pair.split_before
    keys, points, numbers = where.keys, where.points, where.numbers
    width = first.shape[1]
    here, there = np.uint64(shift), np.uint64(shift + 13)
    for i in range(len(out)):
        number, score = numbers[i], points[i]
        split, end = split_start[keys[i]], split_start[keys[i] + 1]
        while end - split > 1:
            middle = (split + end) >> 1
            if before[score, middle] <= number:
                split = middle
            else:
                end = middle
        number -= before[score, split]
        a, b = split_first[split], split_second[split]
        for p in scores:
            pairs = first[a, p] * second[b, score - p] if p <= score else 0
            if number < pairs:
                row = number // second[b, score - p]
                one = start[a * width + p] + row
                two = more_start[b * width + score - p] + number - row * second[b, score - p]
                for seat in range(4):
                    out[i, seat] |= np.uint64(fields[one, seat]) << here | np.uint64(more_fields[two, seat]) << there
                break
            number -= pairs
