"""All layouts, each once, in the order of their numbers and in flat memory.

The numbers are those of :mod:`bayesbridge.engines.tables`: a layout is its *minors*,
what the seats hold in clubs and diamonds, completed by its *majors*, hearts and spades;
layouts with the same minors have consecutive numbers. Any stretch can be produced
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

CLUBS_BIT: Final = 0  # where suits begin in a mask
HEARTS_BIT: Final = np.uint64(26)
SPADES_BIT: Final = np.uint64(39)


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
        # The numbers at which the minors change, and what the minors are there.
        first_numbers = _first_numbers_of_minors(index.join, begin, end)
        minors, _ = locate(index.join, index.high.ways, first_numbers)
        partial = np.tile(index.base, (len(first_numbers), 1))
        add_pair(index.low, CLUBS_BIT, minors, partial)
        skipped = _layouts_before(index.join, begin)
        _complete_all(index.high, index.join, partial, minors, skipped, masks)
        return masks


def _verify_total(layouts: int) -> None:
    if layouts > MOST_LAYOUTS:
        raise TooManyLayouts(
            f"{layouts} layouts fit; enumeration stops at {MOST_LAYOUTS}. "
            'Use method="direct", or add evidence.',
            layouts=layouts,
        )


def _layouts_before(join: KeyJoin, number: int) -> int:
    """How many layouts with the same minors as layout ``number`` come before it."""
    key = int(np.searchsorted(join.key_start, number, side="right")) - 1
    return int((number - join.key_start[key]) % join.key_completions[key])


@njit
def _first_numbers_of_minors(join: KeyJoin, begin: int, end: int) -> Ints:
    """The numbers from ``begin`` to ``end`` at which the minors of a layout change.

    ``begin`` comes first. Minors are what the seats hold in clubs and diamonds. Those
    that leave the majors the same lengths and points share a *key*; the layouts of key
    k are numbered from ``join.key_start[k]``, and each of its minors has
    ``join.key_completions[k]`` layouts, one after the other.
    """
    start = join.key_start
    completions = join.key_completions
    first_numbers = np.empty(max(end - begin, 0), np.int64)
    changes = 0
    number = begin
    key = place_of(start, 0, len(start), number)
    while number < end:
        first_numbers[changes] = number
        changes += 1
        same_minors_before = (number - start[key]) % completions[key]
        number += completions[key] - same_minors_before
        if number == start[key + 1]:
            key += 1
    return first_numbers[:changes].copy()


@njit
def _complete_all(
    high: SuitPair,
    join: KeyJoin,
    partial: Masks,
    minors: Ints,
    skipped: int,
    out: Masks,
) -> None:
    """Complete partial layouts in every way, until (n, 4) ``out`` is full.

    ``partial`` (m, 4) are layouts without hearts and spades, whose ways are in
    ``high``. ``minors`` (3, m) says what clubs and diamonds leave: row KEY the lengths,
    as the number of a key, and row POINTS the points; ``join`` lists the keys and
    points of hearts and spades that go with these. The first ``skipped`` completions
    are left out.
    """
    place = -skipped  # in ``out``; below 0 while layouts are left out
    for row in range(len(partial)):
        key = minors[KEY, row]
        points = minors[POINTS, row]
        major_keys = join.partners[
            join.partner_start[key] : join.partner_start[key + 1]
        ]
        major_points = join.fit_points[
            join.fit_start[points] : join.fit_start[points + 1]
        ]
        for major_key in major_keys:
            for points_of_key in major_points:
                place = _complete(
                    high, major_key, points_of_key, partial[row], out, place
                )
                if place == len(out):
                    return


@njit
def _complete(
    high: SuitPair,
    key: int,
    points: int,
    partial: NDArray[np.uint64],
    out: Masks,
    place: int,
) -> int:
    """Complete a (4,) partial layout with all hearts and spades of a key and points.

    A key is all lengths of the seats in both suits together. It is made up of pairings,
    lengths in hearts and lengths in spades, and the points of points in either. For
    each the suit has rows: which cards each seat gets. Layouts are written to ``out``
    from ``place`` on. A ``place`` below 0 is how many are still left out. Returns the
    place after them.
    """
    heart_ways = high.first.ways  # (lengths, points): how many rows
    spade_ways = high.second.ways
    width = high.ways.shape[1]  # how many points there are in a key
    for pairing in range(high.pairing_start[key], high.pairing_start[key + 1]):
        heart_lengths = high.pairing_first[pairing]
        spade_lengths = high.pairing_second[pairing]
        for heart_points in high.first.scores:
            spade_points = points - heart_points
            if spade_points < 0:
                break
            hearts = heart_ways[heart_lengths, heart_points]
            spades = spade_ways[spade_lengths, spade_points]
            if hearts * spades <= max(-place, 0):
                place += hearts * spades  # none, or all are left out
                continue
            first_heart = high.first.start[heart_lengths * width + heart_points]
            first_spade = high.second.start[spade_lengths * width + spade_points]
            place = _add_rows(
                partial,
                high.first.fields[first_heart : first_heart + hearts],
                high.second.fields[first_spade : first_spade + spades],
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
    """Complete a (4,) partial layout with each of some hearts and each of some spades.

    A row says which cards of the suit each seat gets: (h, 4) and (s, 4) fields of 13
    bits. The h · s layouts are written to (n, 4) ``out`` from ``place`` on, as far as
    there is room; a ``place`` below 0 is how many of them are left out first. Returns
    the place after the last.
    """
    skipped = max(-place, 0)
    place = max(place, 0)
    first_heart = skipped // len(spade_rows)
    first_spade = skipped - first_heart * len(spade_rows)
    for heart in range(first_heart, len(heart_rows)):
        north = partial[0] | np.uint64(heart_rows[heart, 0]) << HEARTS_BIT
        east = partial[1] | np.uint64(heart_rows[heart, 1]) << HEARTS_BIT
        south = partial[2] | np.uint64(heart_rows[heart, 2]) << HEARTS_BIT
        west = partial[3] | np.uint64(heart_rows[heart, 3]) << HEARTS_BIT
        spade_end = min(len(spade_rows), first_spade + len(out) - place)
        for spade in range(first_spade, spade_end):
            out[place, 0] = north | np.uint64(spade_rows[spade, 0]) << SPADES_BIT
            out[place, 1] = east | np.uint64(spade_rows[spade, 1]) << SPADES_BIT
            out[place, 2] = south | np.uint64(spade_rows[spade, 2]) << SPADES_BIT
            out[place, 3] = west | np.uint64(spade_rows[spade, 3]) << SPADES_BIT
            place += 1
        if place == len(out):
            break
        first_spade = 0  # only the first of the hearts may begin in the middle
    return place
