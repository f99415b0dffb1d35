"""What a seat's part of a block means for its condition: classes that no condition can tell apart.

Each holding of a seat in a block has a vector of values, one for each measure that its condition asks for; the vectors
of two blocks add up to the vector of a half of the deck, those of two halves to the values of the hand. The values of a
seat's slots make its *profile*. Vectors that lead to the same profiles whatever the rest of the hand is are one class,
and those that lead to no profile that is wanted are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.dealing.blocks import Ints, verify_size
from bayesbridge.dealing.expressions import Expression, Held, Leaf, ShapeIn, evaluate, walk
from bayesbridge.dealing.holdings import LENGTH, Measure
from bayesbridge.shapes import shape_table

type Bools = NDArray[np.bool_]

MOST_VECTORS: Final = 3_000_000
"""Pairs of vectors of two blocks, beyond which tables are refused."""
MOST_CELLS: Final = 6_000_000
"""Pairs of vectors of the two halves."""


def leaves_of(expressions: Sequence[Expression]) -> tuple[tuple[Measure, int | None], ...]:
    """The measures that expressions over one seat ask for, each with its suit; a shape asks for four lengths."""
    found: dict[tuple[Measure, int | None], None] = {}
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Held):
                found[node.measure, node.suit] = None
            elif isinstance(node, ShapeIn):
                found.update({(LENGTH, suit): None for suit in range(4)})
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class SeatGrid:
    """The vectors of a seat and the profile of every pair of half vectors that makes 13 cards."""

    rows: tuple[Ints, ...]
    """For each of the four blocks, (rows,) the number of the vector of each row."""
    pairs: tuple[Ints, Ints]
    """For each half, (vectors, vectors) the number of the half vector; -1 where a hand would overflow."""
    lengths: tuple[Ints, Ints]
    """For each half, (half vectors,) how many cards."""
    cells: tuple[Ints, ...]
    """For 0 … 13 cards in the first half, the profiles: (half vectors with so many, half vectors with the rest)."""
    profiles: Ints
    """(profiles, slots) the values of the slots."""

    @classmethod
    def of(cls, vectors: Sequence[Ints], slots: Sequence[Expression]) -> Self:
        """From the (rows, 1 + leaves) vectors of each block; the first entry is the number of cards."""
        rows, distinct = zip(*(_numbered(block) for block in vectors), strict=True)
        pairs, halves = zip(*(_added(distinct[b], distinct[b + 1]) for b in (0, 2)), strict=True)
        low, high = halves
        leaves = leaves_of(slots)
        values: list[Ints] = []
        shapes = []
        groups = [(np.flatnonzero(low[:, 0] == n), np.flatnonzero(high[:, 0] == 13 - n)) for n in range(14)]
        verify_size(sum(len(a) * len(b) for a, b in groups), MOST_CELLS, "cells")
        for first, second in groups:
            here, there = low[first][:, None], high[second][None]
            cell = [np.broadcast_to(v, (len(first), len(second))) for v in _slot_values(slots, leaves, here, there)]
            values.append(np.stack([part.ravel() for part in cell], axis=1) if cell else _nothing(first, second))
            shapes.append((len(first), len(second)))
        numbers, profiles = _numbered(np.concatenate(values))
        ends = np.cumsum([a * b for a, b in shapes])[:-1]
        cells = tuple(part.reshape(shape) for part, shape in zip(np.split(numbers, ends), shapes, strict=True))
        return cls(rows, pairs, (low[:, 0], high[:, 0]), cells, profiles)


@dataclass(frozen=True, slots=True, eq=False)
class SeatClasses:
    """The classes of a seat once it is known which profiles are wanted."""

    rows: tuple[Ints, ...]
    """For each block, (rows,) the class of each row; -1 where nothing wanted can come of it."""
    pairs: tuple[Ints, Ints]
    """For each half, (classes, classes) the class of the half; -1 as before."""
    lengths: tuple[Ints, Ints]
    """For each half, (half classes,) how many cards."""
    profiles: Ints
    """(half classes, half classes) the number of the profile, renumbered; -1 where it is not wanted."""

    @classmethod
    def of(cls, grid: SeatGrid, wanted: Bools) -> Self:
        """Keep the profiles that are wanted, numbered as they come, and merge what they do not tell apart."""
        renumbered = np.where(wanted, np.cumsum(wanted) - 1, -1)
        halves = [np.full(len(lengths), -1, dtype=np.int64) for lengths in grid.lengths]
        kept: list[tuple[int, Ints]] = []
        sizes = [0, 0]
        for cards, cell in enumerate(grid.cells):
            own = renumbered[cell]
            places = [np.flatnonzero(grid.lengths[0] == cards), np.flatnonzero(grid.lengths[1] == 13 - cards)]
            for half in (0, 1):
                classes, representatives = _merged(own if half == 0 else own.T)
                halves[half][places[half]] = np.where(classes >= 0, classes + sizes[half], -1)
                sizes[half] += len(representatives)
                own = own[representatives] if half == 0 else own[:, representatives]
            kept.append((cards, own))
        profiles = np.full(sizes, -1, dtype=np.int64)
        lengths = np.zeros(sizes[0], dtype=np.int64), np.zeros(sizes[1], dtype=np.int64)
        row = column = 0
        for cards, own in kept:
            height, width = own.shape
            profiles[row : row + height, column : column + width] = own
            lengths[0][row : row + height], lengths[1][column : column + width] = cards, 13 - cards
            row, column = row + height, column + width
        rows, pairs = [], []
        for half in (0, 1):
            table = np.where(grid.pairs[half] >= 0, halves[half][grid.pairs[half]], -1)
            first, chosen = _merged(table)
            second, columns = _merged(table[chosen].T)
            rows += [first[grid.rows[2 * half]], second[grid.rows[2 * half + 1]]]
            pairs.append(np.ascontiguousarray(table[np.ix_(chosen, columns)]))
        return cls(tuple(rows), (pairs[0], pairs[1]), lengths, profiles)


def _slot_values(
    slots: Sequence[Expression], leaves: Sequence[tuple[Measure, int | None]], here: Ints, there: Ints
) -> list[Ints]:
    """The values of the slots where vectors of the two halves, (a, 1, entries) and (1, b, entries), meet."""
    places = {leaf: place for place, leaf in enumerate(leaves, 1)}

    def value(leaf: Leaf) -> Ints:
        if isinstance(leaf, ShapeIn):
            clubs, diamonds, hearts = (value(Held(LENGTH, leaf.seat, suit)) for suit in range(3))
            return shape_table(leaf.shapes)[clubs, diamonds, hearts].astype(np.int64)
        assert isinstance(leaf, Held)
        place = places[leaf.measure, leaf.suit]
        return here[..., place] + there[..., place]

    return [evaluate(slot, value) for slot in slots]


def _nothing(first: Ints, second: Ints) -> Ints:
    return np.zeros((len(first) * len(second), 0), dtype=np.int64)


def _numbered(vectors: Ints) -> tuple[Ints, Ints]:
    """The number of each row's vector, and the distinct vectors."""
    _, places, numbers = np.unique(_keys(vectors), return_index=True, return_inverse=True)
    return numbers, vectors[places]


def _keys(vectors: Ints) -> NDArray[np.int64] | NDArray[np.void]:
    """One number for each vector, equal for equal vectors; byte strings where 63 bits are too few."""
    low = vectors.min(axis=0, initial=0)
    radices = [int(n) for n in vectors.max(axis=0, initial=0) - low + 1]
    size = 1
    for radix in radices:
        size *= radix
    if size >= 1 << 62:
        whole = np.ascontiguousarray(vectors)
        return whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    keys = np.zeros(len(vectors), dtype=np.int64)
    for column, radix in enumerate(radices):
        keys = keys * radix + (vectors[:, column] - low[column])
    return keys


def _added(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The half vector of each pair of vectors, -1 with more than 13 cards, and the distinct half vectors."""
    verify_size(len(first) * len(second), MOST_VECTORS, "pairs of holdings")
    together = (first[:, None] + second).reshape(-1, first.shape[1])
    fits = together[:, 0] <= 13
    numbers, distinct = _numbered(together[fits])
    pairs = np.full(len(together), -1, dtype=np.int64)
    pairs[fits] = numbers
    return pairs.reshape(len(first), len(second)), distinct


def _merged(table: Ints) -> tuple[Ints, Ints]:
    """The class of each row of a table, equal for equal rows and -1 for rows of -1 only; one row of each class."""
    classes = np.full(len(table), -1, dtype=np.int64)
    alive = np.flatnonzero((table >= 0).any(1))
    if not len(alive):
        return classes, alive
    _, places, numbers = np.unique(table[alive].astype(np.int32), axis=0, return_index=True, return_inverse=True)
    classes[alive] = numbers
    return classes, alive[places]
