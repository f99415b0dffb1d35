"""All layouts, each once, in the order of their numbers
(:mod:`bayesbridge.engines.tables`) and in flat memory.

Any stretch can be produced without walking what lies before it, so blocks can go to
several workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from bayesbridge.engines.conditions import count
from bayesbridge.engines.tables import (
    LayoutIndex,
    RankTables,
    SuitPair,
    add_pair,
    locate,
)
from bayesbridge.errors import TooManyLayouts
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.runtime.jit import njit

MOST_LAYOUTS: Final = (
    20_000_000  # where enumeration ends; an open dummy leaves 10 400 600
)
BLOCK: Final = 1 << 18  # layouts in a block by default: 8 MB


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """All layouts of one set of constraints.

    >>> seen = Constraints.free().hold(0, 0x1FFF).hold(2, 0x1FFF << 13).lack(1, 0xFF << 26)
    >>> [len(block) for block in Enumeration.of(seen).blocks(size=5000)]
    [5000, 3568]
    """

    unranking: LayoutIndex

    @classmethod
    def of(cls, tables: Constraints | LayoutIndex) -> Self:
        """Prepare the walk; more than ``MOST_LAYOUTS`` are refused."""
        layouts = count(tables) if isinstance(tables, Constraints) else tables.total
        if layouts > MOST_LAYOUTS:
            raise TooManyLayouts(
                f'{layouts} layouts fit; enumeration stops at {MOST_LAYOUTS}. Use method="direct", or add evidence.',
                layouts=layouts,
            )
        return cls(
            LayoutIndex.of(tables) if isinstance(tables, Constraints) else tables
        )

    def __len__(self) -> int:
        return self.unranking.total

    def blocks(self, size: int = BLOCK) -> Iterator[Masks]:
        """The layouts in order, ``size`` at a time."""
        return (
            self.stretch(begin, begin + size) for begin in range(0, len(self), size)
        )

    def stretch(self, begin: int, end: int) -> Masks:
        """The layouts numbered ``begin`` … ``end`` - 1, as far as there are any: (m, 4)
        masks.
        """
        tables = self.unranking
        begin, end = max(begin, 0), min(end, len(self))
        out = np.empty((max(end - begin, 0), 4), dtype=np.uint64)
        turns = _turns(tables.order, begin, end)
        in_low, in_high = locate(tables.order, tables.high.ways, turns)
        partial = np.tile(tables.base, (len(turns), 1))
        add_pair(tables.low, 0, in_low, partial)
        _walk(tables.high, tables.order, partial, in_low, in_high, out)
        return out


@njit
def _turns(order: RankTables, begin: int, end: int) -> Ints:
    """The numbers from ``begin`` to ``end`` at which the low pair of rows changes,
    ``begin`` first.
    """
    start, rests = order.key_start, order.key_rest
    turns = np.empty(max(end - begin, 0), np.int64)
    found, number = 0, begin
    key = np.searchsorted(start, number, side="right") - 1
    while number < end:
        turns[found] = number
        found += 1
        number += rests[key] - (number - start[key]) % rests[key]
        if number == start[key + 1]:
            key += 1
    return turns[:found].copy()


@njit
def _walk(
    high: SuitPair,
    order: RankTables,
    partial: Masks,
    in_low: Ints,
    in_high: Ints,
    out: Masks,
) -> None:
    """Fill ``out`` with each partial layout completed in every way, the first from
    where ``in_high`` says on.
    """
    low_keys, low_points, _ = in_low
    partner_start, partners = order.partner_start, order.partners
    fields, more_fields = high.first.fields, high.second.fields
    first, second = high.first.ways, high.second.ways
    start, more_start, scores = high.first.start, high.second.start, high.first.scores
    split_start, split_first, split_second = (
        high.split_start,
        high.split_first,
        high.split_second,
    )
    fit_start, fit_points = order.fit_start, order.fit_points
    high_keys, high_points, numbers = in_high
    width = first.shape[1]
    hearts, spades = np.uint64(26), np.uint64(39)
    at, n, held = 0, len(out), np.empty(4, np.uint64)
    for turn in range(len(partial)):
        skip, points = numbers[turn], low_points[turn]
        place, fit = partner_start[low_keys[turn]], fit_start[points]
        while partners[place] != high_keys[turn]:
            place += 1
        while fit_points[fit] != high_points[turn]:
            fit += 1
        while place < partner_start[low_keys[turn] + 1]:
            key, score = partners[place], fit_points[fit]
            fit += 1
            if fit == fit_start[points + 1]:
                place, fit = place + 1, fit_start[points]
            for split in range(split_start[key], split_start[key + 1]):
                a, b = split_first[split], split_second[split]
                for p in scores:
                    if p > score:
                        break
                    ones, twos = first[a, p], second[b, score - p]
                    if skip >= ones * twos:
                        skip -= ones * twos
                        continue
                    one, two = start[a * width + p], more_start[b * width + score - p]
                    skipped = skip // twos
                    column = skip - skipped * twos
                    skip = 0
                    for row in range(one + skipped, one + ones):
                        for seat in range(4):
                            held[seat] = (
                                partial[turn, seat]
                                | np.uint64(fields[row, seat]) << hearts
                            )
                        for last in range(
                            two + column, min(two + twos, two + column + n - at)
                        ):
                            for seat in range(4):
                                out[at, seat] = (
                                    held[seat]
                                    | np.uint64(more_fields[last, seat]) << spades
                                )
                            at += 1
                        if at == n:
                            return
                        column = 0
