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
from numpy.typing import NDArray

from bayesbridge.engines.conditions import count
from bayesbridge.engines.search import place_of
from bayesbridge.engines.tables import (
    KEY,
    NUMBER,
    POINTS,
    KeyJoin,
    LayoutIndex,
    SuitPair,
    add_pair,
    locate,
)
from bayesbridge.errors import TooManyLayouts
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.runtime.jit import njit

MOST_LAYOUTS: Final = 20_000_000
"""Where enumeration ends; an open dummy leaves 10 400 600."""

BLOCK: Final = 1 << 18  # layouts in a block by default: 8 MB

HEARTS: Final = np.uint64(26)  # where the suit begins in a mask
SPADES: Final = np.uint64(39)


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """All layouts of one set of constraints.

    >>> known = Constraints.free().hold(0, 0x1FFF).hold(2, 0x1FFF << 13)
    >>> known = known.lack(1, 0xFF << 26)
    >>> [len(block) for block in Enumeration.of(known).blocks(size=5000)]
    [5000, 3568]
    """

    index: LayoutIndex

    @classmethod
    def of(cls, source: Constraints | LayoutIndex) -> Self:
        """Prepare the walk; more than ``MOST_LAYOUTS`` are refused."""
        if isinstance(source, Constraints):
            _verify_total(count(source))
            return cls(LayoutIndex.of(source))
        _verify_total(source.total)
        return cls(source)

    def __len__(self) -> int:
        return self.index.total

    def blocks(self, size: int = BLOCK) -> Iterator[Masks]:
        """The layouts in order, ``size`` at a time."""
        return (
            self.stretch(begin, begin + size) for begin in range(0, len(self), size)
        )

    def stretch(self, begin: int, end: int) -> Masks:
        """The layouts numbered ``begin`` … ``end`` - 1, as far as there are any: (m, 4)
        masks.
        """
        begin = max(begin, 0)
        end = min(end, len(self))
        masks = np.empty((max(end - begin, 0), 4), dtype=np.uint64)
        turns = _turns(self.index.join, begin, end)
        in_low, in_high = locate(self.index.join, self.index.high.ways, turns)
        partial = np.tile(self.index.base, (len(turns), 1))
        add_pair(self.index.low, 0, in_low, partial)
        _walk(self.index.high, self.index.join, partial, in_low, in_high, masks)
        return masks


def _verify_total(layouts: int) -> None:
    if layouts > MOST_LAYOUTS:
        raise TooManyLayouts(
            f"{layouts} layouts fit; enumeration stops at {MOST_LAYOUTS}. "
            'Use method="direct", or add evidence.',
            layouts=layouts,
        )


@njit
def _turns(join: KeyJoin, begin: int, end: int) -> Ints:
    """The numbers from ``begin`` to ``end`` at which the low pair of rows changes,
    ``begin`` first.
    """
    start = join.key_start
    completions = join.key_completions
    turns = np.empty(max(end - begin, 0), np.int64)
    found = 0
    number = begin
    key = place_of(start, 0, len(start), number)
    while number < end:
        turns[found] = number
        found += 1
        number += completions[key] - (number - start[key]) % completions[key]
        if number == start[key + 1]:
            key += 1
    return turns[:found].copy()


@njit
def _walk(
    high: SuitPair,
    join: KeyJoin,
    partial: Masks,
    in_low: Ints,
    in_high: Ints,
    out: Masks,
) -> None:
    """Fill (n, 4) ``out`` with each of the (turns, 4) partial layouts completed in every
    way.

    ``in_low``, ``in_high``: (3, turns), where the first completion of each lies, see
    :func:`~bayesbridge.engines.tables.locate`. Letters: a, b are length indices in
    hearts and spades, p, q points indices in them.
    """
    heart_fields = high.first.fields
    spade_fields = high.second.fields
    heart_ways = high.first.ways
    spade_ways = high.second.ways
    heart_start = high.first.start
    spade_start = high.second.start
    heart_scores = high.first.scores
    pairing_start = high.pairing_start
    pairing_first = high.pairing_first
    pairing_second = high.pairing_second
    partner_start = join.partner_start
    partners = join.partners
    fit_start = join.fit_start
    fit_points = join.fit_points
    width = heart_ways.shape[1]
    filled = 0
    for turn in range(len(partial)):
        low_points = in_low[POINTS, turn]
        partner = partner_start[in_low[KEY, turn]]
        partner_end = partner_start[in_low[KEY, turn] + 1]
        fit = fit_start[low_points]
        while partners[partner] != in_high[KEY, turn]:
            partner += 1
        while fit_points[fit] != in_high[POINTS, turn]:
            fit += 1
        skip = in_high[NUMBER, turn]  # pairs of rows before the first completion
        while partner < partner_end:
            key = partners[partner]
            points = fit_points[fit]
            fit += 1
            if fit == fit_start[low_points + 1]:
                partner += 1
                fit = fit_start[low_points]
            for pairing in range(pairing_start[key], pairing_start[key + 1]):
                a = pairing_first[pairing]
                b = pairing_second[pairing]
                for p in heart_scores:
                    if p > points:
                        break
                    q = points - p
                    pairs = heart_ways[a, p] * spade_ways[b, q]
                    if skip >= pairs:
                        skip -= pairs
                        continue
                    filled = _add_rows(
                        partial[turn],
                        heart_fields,
                        heart_start[a * width + p],
                        heart_ways[a, p],
                        spade_fields,
                        spade_start[b * width + q],
                        spade_ways[b, q],
                        skip,
                        out,
                        filled,
                    )
                    skip = 0
                    if filled == len(out):
                        return


@njit
def _add_rows(
    partial: NDArray[np.uint64],
    heart_fields: NDArray[np.uint16],
    heart_begin: int,
    hearts: int,
    spade_fields: NDArray[np.uint16],
    spade_begin: int,
    spades: int,
    skip: int,
    out: Masks,
    filled: int,
) -> int:
    """Complete a (4,) partial layout with all pairs of rows of two keys, from the pair
    number ``skip`` on; returns how many of ``out`` are filled then.

    ``heart_fields``, ``spade_fields``: (rows, 4), of which ``hearts`` from
    ``heart_begin`` on are of the key, and so in spades.
    """
    row = skip // spades
    column = skip - row * spades
    for one in range(heart_begin + row, heart_begin + hearts):
        north = partial[0] | np.uint64(heart_fields[one, 0]) << HEARTS
        east = partial[1] | np.uint64(heart_fields[one, 1]) << HEARTS
        south = partial[2] | np.uint64(heart_fields[one, 2]) << HEARTS
        west = partial[3] | np.uint64(heart_fields[one, 3]) << HEARTS
        end = min(spades, column + len(out) - filled)
        for two in range(spade_begin + column, spade_begin + end):
            out[filled, 0] = north | np.uint64(spade_fields[two, 0]) << SPADES
            out[filled, 1] = east | np.uint64(spade_fields[two, 1]) << SPADES
            out[filled, 2] = south | np.uint64(spade_fields[two, 2]) << SPADES
            out[filled, 3] = west | np.uint64(spade_fields[two, 3]) << SPADES
            filled += 1
        if filled == len(out):
            break
        column = 0
    return filled
