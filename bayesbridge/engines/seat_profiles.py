"""Which profile, the values of its slots, one seat has in every deal.

Each holding of a seat in a block has a vector of values, one for each measure of its
condition; vectors of blocks add up. Those that lead to the same profiles whatever the
other blocks hold are one class, and those that lead to no accepted profile are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.classes import merged, numbered_rows, verify_size
from bayesbridge.engines.slots import measures_of
from bayesbridge.evidence.expressions import Expression, Held, Leaf, evaluate
from bayesbridge.game.layouts import Bools, Ints

# Sizes beyond which tables are refused: they take a second and some hundred megabytes.
MOST_VECTORS: Final = 3_000_000  # pairs of vectors of two blocks
MOST_CELLS: Final = 6_000_000  # pairs of halves with 13 cards
MOST_CELLS_TRIED: Final = 8 * MOST_CELLS  # with any number of cards

LENGTH_COLUMN: Final = 0  # of a vector, before those of measures


@dataclass(frozen=True, slots=True, eq=False)
class SeatProfiles:
    """The vectors of a seat, or their classes, and the profile of every whole hand."""

    rows: tuple[Ints, ...]
    """For each of the four blocks, the number of the vector or class of each row; -1
    where it leads nowhere.
    """
    pairs: tuple[Ints, Ints]
    """For each half, by the numbers of two blocks, the number of the half; -1 where a
    hand would overflow.
    """
    lengths: tuple[Ints, Ints]  #: For each half, how many cards.
    #: By the low and the high half the profile, -1 where they do not make 13 cards.
    cells: NDArray[np.int32]
    profiles: Ints  #: (profiles, slots) the values of the slots.

    @classmethod
    def of(cls, vectors: Sequence[Ints], slots: Sequence[Expression]) -> SeatProfiles:
        """From the (rows, 1 + measures) vectors of each block."""
        numbered = [numbered_rows(block_vectors) for block_vectors in vectors]
        rows = tuple(numbers for numbers, _ in numbered)
        distinct = [block_vectors for _, block_vectors in numbered]
        low_pairs, low = _half_vectors(distinct[0], distinct[1])
        high_pairs, high = _half_vectors(distinct[2], distinct[3])
        low_lengths = low[:, LENGTH_COLUMN]
        high_lengths = high[:, LENGTH_COLUMN]
        hands = _full_hands(low_lengths, high_lengths)
        values = _slot_values(slots, low, high, hands)
        numbers, profiles = numbered_rows(values)
        cells = np.full((len(low), len(high)), -1, dtype=np.int32)
        cells[hands] = numbers
        pairs = low_pairs, high_pairs
        return cls(rows, pairs, (low_lengths, high_lengths), cells, profiles)

    def accepting(self, accepted: Bools) -> SeatProfiles:
        """Keep the accepted profiles, numbered as they come.

        What these do not tell apart is merged.
        """
        new_number = np.where(accepted, np.cumsum(accepted) - 1, -1)
        nowhere_last = np.append(new_number, -1).astype(np.int32)
        fewest = merged(self.pairs, nowhere_last[self.cells])
        rows = tuple(
            classes[numbers]
            for classes, numbers in zip(fewest.part_classes, self.rows, strict=True)
        )
        low, high = fewest.representatives
        lengths = self.lengths[0][low], self.lengths[1][high]
        kept_profiles = self.profiles[accepted]
        return SeatProfiles(
            rows, fewest.half_classes, lengths, fewest.values, kept_profiles
        )


def _half_vectors(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The number of each pair of vectors of two blocks, and the distinct vectors.

    The number is -1 with more than 13 cards; ``first``, ``second``: (vectors, columns).
    """
    verify_size(len(first) * len(second), MOST_VECTORS, "pairs of holdings")
    sums = (first[:, None] + second).reshape(-1, first.shape[1])
    fits = sums[:, LENGTH_COLUMN] <= 13
    numbers = np.full(len(sums), -1, dtype=np.int64)
    numbers[fits], distinct = numbered_rows(sums[fits])
    return numbers.reshape(len(first), len(second)), distinct


def _full_hands(low_lengths: Ints, high_lengths: Ints) -> tuple[Ints, Ints]:
    """All pairs of a low and a high half with 13 cards together: the place of either."""
    verify_size(len(low_lengths) * len(high_lengths), MOST_CELLS_TRIED, "cells")
    low_groups = [np.flatnonzero(low_lengths == n) for n in range(14)]
    high_groups = [np.flatnonzero(high_lengths == 13 - n) for n in range(14)]
    groups = list(zip(low_groups, high_groups, strict=True))
    verify_size(sum(len(low) * len(high) for low, high in groups), MOST_CELLS, "cells")
    low_places = np.concatenate([np.repeat(low, len(high)) for low, high in groups])
    high_places = np.concatenate([np.tile(high, len(low)) for low, high in groups])
    return low_places, high_places


def _slot_values(
    slots: Sequence[Expression], low: Ints, high: Ints, hands: tuple[Ints, Ints]
) -> Ints:
    """(hands, slots) the values of slots over whole hands.

    ``low``, ``high``: (halves, columns) vectors; ``hands``: the low and the high half of
    each hand.
    """
    low_place, high_place = hands
    columns = {leaf: column for column, leaf in enumerate(measures_of(slots), 1)}

    def value(leaf: Leaf) -> Ints:
        """(hands,) the values of a measure."""
        assert isinstance(leaf, Held)
        column = columns[leaf.measure, leaf.suit]
        return np.asarray(low[low_place, column] + high[high_place, column])

    values = np.zeros((len(low_place), len(slots)), dtype=np.int64)
    for number, slot in enumerate(slots):
        values[:, number] = evaluate(slot, value)
    return values
