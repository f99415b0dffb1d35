"""Which profile, the values of its slots, one seat has in every deal.

A *slot* is a part of the condition that is about one seat's hand, such as its points or
its spades. It is computed of *measures*, numbers that add up over the cards. The deck
is in four *blocks* of cards, and two blocks are a *half*. Each holding of a seat in a
block has a vector of its length and its measures; vectors of blocks add up. Those that
lead to the same profiles whatever the other blocks hold are one class, and those that
lead to no accepted profile are dropped.
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

LENGTH_COLUMN: Final = 0  # of a vector
FIRST_MEASURE: Final = 1  # the column of the first measure

NOWHERE: Final = -1  # in place of a number: what leads to no hand, or to no profile


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
        """Number the hands of one seat by profile, the values of all ``slots``.

        A slot is a number that a condition reads off the hand, its points say.
        ``vectors``: for each of the four blocks of the deck, (rows, 1 + measures) the
        seat's length and measures in every way to share out the block's cards. Equal
        vectors are numbered once; two blocks add up to a half, C D or H S where blocks
        are suits, and two halves with 13 cards to a hand.
        """
        rows = []
        distinct = []
        for block_vectors in vectors:
            numbers, distinct_vectors = numbered_rows(block_vectors)
            rows.append(numbers)
            distinct.append(distinct_vectors)
        first, second, third, fourth = distinct
        low_pairs, low_vectors = _half_vectors(first, second)
        high_pairs, high_vectors = _half_vectors(third, fourth)
        lengths = low_vectors[:, LENGTH_COLUMN], high_vectors[:, LENGTH_COLUMN]
        hands = _full_hands(*lengths)
        values = _slot_values(slots, low_vectors, high_vectors, hands)
        profile_numbers, profiles = numbered_rows(values)
        cells = np.full((len(low_vectors), len(high_vectors)), NOWHERE, dtype=np.int32)
        cells[hands] = profile_numbers
        return cls(
            rows=tuple(rows),
            pairs=(low_pairs, high_pairs),
            lengths=lengths,
            cells=cells,
            profiles=profiles,
        )

    def accepting(self, accepted: Bools) -> SeatProfiles:
        """Only the profiles, values of a hand, that a condition accepts.

        ``accepted``: (profiles,). They are numbered anew. Hands of other profiles lead
        nowhere; parts of a hand that lead to the same profiles, whatever the other parts
        are, become one class, which makes the tables small.
        """
        new_number = np.where(accepted, np.cumsum(accepted) - 1, NOWHERE)
        # The index −1 of cells that lead nowhere reads the last entry, nowhere too.
        new_number = np.append(new_number, NOWHERE).astype(np.int32)
        classes = merged(self.pairs, new_number[self.cells])
        rows = []
        for block_classes, numbers in zip(classes.part_classes, self.rows, strict=True):
            rows.append(block_classes[numbers])
        low, high = classes.representatives  # an old number of each class of halves
        return SeatProfiles(
            rows=tuple(rows),
            pairs=classes.half_classes,
            lengths=(self.lengths[0][low], self.lengths[1][high]),
            cells=classes.values,
            profiles=self.profiles[accepted],
        )


def _half_vectors(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Add the vectors of two blocks in all pairs, and number the distinct sums.

    ``first``, ``second``: (vectors, columns) length and measures of a seat's holdings.
    Returns (first, second) the number of each sum, -1 with more than 13 cards, and the
    distinct sums.
    """
    verify_size(len(first) * len(second), MOST_VECTORS, "pairs of holdings")
    sums = (first[:, None] + second).reshape(-1, first.shape[1])
    fits = sums[:, LENGTH_COLUMN] <= 13
    numbers = np.full(len(sums), NOWHERE, dtype=np.int64)
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
    """(hands, slots) the values that slots, numbers that a condition reads, have.

    A slot is computed of measures, which add up over the halves of a hand. ``low``,
    ``high``: (halves, columns) the length and the measures of each half; ``hands``: the
    numbers of the low and of the high half of each hand.
    """
    low_place, high_place = hands
    columns = {}  # of each measure in a vector
    for column, measure in enumerate(measures_of(slots), FIRST_MEASURE):
        columns[measure] = column

    def value(leaf: Leaf) -> Ints:
        """(hands,) the values of a measure."""
        assert isinstance(leaf, Held)
        column = columns[leaf.measure, leaf.suit]
        return np.asarray(low[low_place, column] + high[high_place, column])

    values = np.zeros((len(low_place), len(slots)), dtype=np.int64)
    for number, slot in enumerate(slots):
        values[:, number] = evaluate(slot, value)
    return values
