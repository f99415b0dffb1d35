"""All layouts, each once, in the order of their numbers and in flat memory.

The numbers are those of :mod:`bayesbridge.engines.tables`. Any stretch can be produced
without walking what lies before it, so blocks can go to several workers.
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
        """(m, 4) the layouts numbered ``begin`` … ``end`` - 1, as far as there are any."""
        begin = max(begin, 0)
        end = min(end, len(self))
        masks = np.empty((max(end - begin, 0), 4), dtype=np.uint64)
        if not len(masks):
            return masks
        index = self.index
        turns = _turns(index.join, begin, end)
        in_low, _ = locate(index.join, index.high.ways, turns)
        partial = np.tile(index.base, (len(turns), 1))
        add_pair(index.low, 0, in_low, partial)
        skipped = _number_in_turn(index.join, begin)
        _walk(index.high, index.join, partial, in_low, skipped, masks)
        return masks


def _verify_total(layouts: int) -> None:
    if layouts > MOST_LAYOUTS:
        raise TooManyLayouts(
            f"{layouts} layouts fit; enumeration stops at {MOST_LAYOUTS}. "
            'Use method="direct", or add evidence.',
            layouts=layouts,
        )


def _number_in_turn(join: KeyJoin, number: int) -> int:
    """How many layouts with the same low pair of rows have lower numbers."""
    key = int(np.searchsorted(join.key_start, number, side="right")) - 1
    return int((number - join.key_start[key]) % join.key_completions[key])


@njit
def _turns(join: KeyJoin, begin: int, end: int) -> Ints:
    """The numbers from ``begin`` to ``end`` at which the low pair of rows changes.

    ``begin`` comes first.
    """
    start = join.key_start
    completions = join.key_completions
    turns = np.empty(max(end - begin, 0), np.int64)
    turn = 0
    number = begin
    key = place_of(start, 0, len(start), number)
    while number < end:
        turns[turn] = number
        turn += 1
        number += completions[key] - (number - start[key]) % completions[key]
        if number == start[key + 1]:
            key += 1
    return turns[:turn].copy()


@njit
def _walk(
    high: SuitPair,
    join: KeyJoin,
    partial: Masks,
    in_low: Ints,
    skipped: int,
    out: Masks,
) -> None:
    """Fill (n, 4) ``out`` with each of the partial layouts completed in every way.

    ``partial``: (turns, 4) layouts without hearts and spades, and ``in_low``: (3, turns)
    where their clubs and diamonds lie, see :func:`~bayesbridge.engines.tables.locate`;
    ``skipped``: completions of the first that are left out.
    """
    place = -skipped
    for turn in range(len(partial)):
        key = in_low[KEY, turn]
        points = in_low[POINTS, turn]
        partners = join.partners[join.partner_start[key] : join.partner_start[key + 1]]
        fits = join.fit_points[join.fit_start[points] : join.fit_start[points + 1]]
        place = _complete(high, partners, fits, partial[turn], out, place)
        if place == len(out):
            return


@njit
def _complete(
    high: SuitPair,
    partners: Ints,
    fits: Ints,
    partial: NDArray[np.uint64],
    out: Masks,
    place: int,
) -> int:
    """Complete a (4,) partial layout with all pairs of rows of some keys.

    ``partners``: the keys, and ``fits``: the points indices of each that fit. Layouts
    are written to ``out`` from ``place`` on, which is negative while so many are still
    left out; returns the place after them. Letters: a, b are length indices in hearts
    and spades, p, q points indices in them.
    """
    heart_ways = high.first.ways
    spade_ways = high.second.ways
    width = high.ways.shape[1]
    for key in partners:
        for points in fits:
            for pairing in range(high.pairing_start[key], high.pairing_start[key + 1]):
                a = high.pairing_first[pairing]
                b = high.pairing_second[pairing]
                for p in high.first.scores:
                    q = points - p
                    if q < 0:
                        break
                    ways = heart_ways[a, p] * spade_ways[b, q]
                    if ways <= max(-place, 0):
                        place += ways
                        continue
                    heart = high.first.start[a * width + p]
                    spade = high.second.start[b * width + q]
                    place = _add_rows(
                        partial,
                        high.first.fields[heart : heart + heart_ways[a, p]],
                        high.second.fields[spade : spade + spade_ways[b, q]],
                        out,
                        place,
                    )
                    if place == len(out):
                        return place
    return place


@njit
def _add_rows(
    partial: NDArray[np.uint64],
    heart_rows: NDArray[np.uint16],
    spade_rows: NDArray[np.uint16],
    out: Masks,
    place: int,
) -> int:
    """Complete a (4,) partial layout with (n, 4) rows of hearts and (m, 4) of spades.

    See :func:`_complete`: pairs are written as far as ``out`` has room for them.
    """
    skipped = max(-place, 0)
    place = max(place, 0)
    first_heart = skipped // len(spade_rows)
    first_spade = skipped - first_heart * len(spade_rows)
    for heart in range(first_heart, len(heart_rows)):
        north = partial[0] | np.uint64(heart_rows[heart, 0]) << HEARTS
        east = partial[1] | np.uint64(heart_rows[heart, 1]) << HEARTS
        south = partial[2] | np.uint64(heart_rows[heart, 2]) << HEARTS
        west = partial[3] | np.uint64(heart_rows[heart, 3]) << HEARTS
        spade_end = min(len(spade_rows), first_spade + len(out) - place)
        for spade in range(first_spade, spade_end):
            out[place, 0] = north | np.uint64(spade_rows[spade, 0]) << SPADES
            out[place, 1] = east | np.uint64(spade_rows[spade, 1]) << SPADES
            out[place, 2] = south | np.uint64(spade_rows[spade, 2]) << SPADES
            out[place, 3] = west | np.uint64(spade_rows[spade, 3]) << SPADES
            place += 1
        if place == len(out):
            break
        first_spade = 0
    return place
