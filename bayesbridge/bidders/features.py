"""What a hand is worth in each strain: the features of the style model, vectorised.

A hand is valued in sixteenths of a trick, taken together with an average dummy:

=====================================  =============  ==========================================
feature of the hand                    sixteenths     counts in
=====================================  =============  ==========================================
an average dummy and a yarborough      64             every strain
high-card points (A 4, K 3, Q 2, J 1)  3 each         every strain
controls (A 2, K 1)                    2 each         every strain
length of the suit                     8 a card − 40  the suit
quality: A K Q J T of the suit         2 each         the suit
longest suit of the hand (ties: all)   4              the suit
suits with fewer than two cards        −12 each       no trumps
=====================================  =============  ==========================================

Points and controls add up to 13 tricks for a hand with everything, length to half a trick a card as three other hands
share the rest of the suit. With Algorithm 1's level in the strain (:mod:`~bayesbridge.capture.strains`) the value makes
one small integer, the *cell* ``8 · value + level``. All that the style model ever asks of a hand is its five cells, one
a strain: they are a sufficient statistic, whatever the style and the auction.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.strains import Walk, fill_levels, walks
from bayesbridge.capture.tables import LEADING_GAP, LENGTH
from bayesbridge.errors import one_row
from bayesbridge.jit import njit

Cells = NDArray[np.int16]
"""(n, 5) ``8 · value in sixteenths of a trick + Algorithm 1's level``, by strain C D H S NT."""

type Tables = tuple[Walk, Walk, NDArray[np.int8], NDArray[np.int8], NDArray[np.int16]]

CELLS: Final = 8 * 320
"""Cells are numbers below this."""

BASE: Final = 64
LONGEST: Final = 4
SHORT: Final = 12

_BITS: Final = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
_HONOURS: Final = _BITS[:, 9:] @ np.array([3, 6, 9 + 2, 12 + 4])
_LENGTH_AND_QUALITY: Final = 8 * _BITS.sum(axis=1) - 40 + 2 * _BITS[:, 8:].sum(axis=1)

_WORTH: Final = np.stack([_HONOURS, _LENGTH_AND_QUALITY], axis=1).astype(np.int16)
"""(8192, 2) by the 13 bits of a suit: points and controls, which count everywhere; what counts in the suit alone."""


def cells(hands: NDArray[np.uint64]) -> Cells:
    """The cells of n hands of 13 cards, given as (n,) masks.

    >>> from bayesbridge.cards import Hand
    >>> found = cells(np.array([Hand.from_pbn("KQT85.A3.T94.K83").mask], dtype=np.uint64))
    >>> (found // 8 / 16).tolist(), (found % 8).tolist()
    ([[5.875, 5.875, 5.375, 7.375, 6.75]], [[0, 0, 0, 1, 0]])
    """
    one_row("hands", hands)
    found = np.empty((len(hands), 5), dtype=np.int16)
    fill_cells(np.ascontiguousarray(hands), *tables(), found)
    return found


def value_of(cell: Any) -> Any:
    """Tricks that a hand is worth in a strain, for an array of cells or an expression of PyTensor."""
    return (cell // 8) / 16.0


def level_of(cell: Any) -> Any:
    """Algorithm 1's level in a strain, 0 … 7."""
    return cell % 8


def tables() -> Tables:
    """What :func:`fill_cells` looks up."""
    return (*walks(), LENGTH, LEADING_GAP, _WORTH)


@njit
def fill_cells(
    hands: NDArray[np.uint64],
    side: Walk,
    trumps: Walk,
    length: NDArray[np.int8],
    leading: NDArray[np.int8],
    worth: NDArray[np.int16],
    out: Cells,
) -> None:
    """:func:`cells` for other kernels to call."""
    levels = np.empty(5, dtype=np.int8)
    for i in range(len(hands)):
        mask = np.int64(hands[i])
        fill_levels(mask, side, trumps, length, leading, levels)
        shared, longest, short = BASE, 0, 0
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            shared += worth[field, 0]
            longest = max(longest, length[field])
            short += length[field] < 2
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            value = shared + worth[field, 1] + LONGEST * (length[field] == longest)
            out[i, suit] = 8 * max(value, 0) + levels[suit]
        out[i, 4] = 8 * max(shared - SHORT * short, 0) + levels[4]
