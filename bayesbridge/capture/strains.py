"""Algorithm 1 with trumps: how high a hand bids in each of the five strains.

In no trumps this is the paper's to the letter; docs/bidders.md defines the four suits,
an extension of this package.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import suit_walks, walk_table
from bayesbridge.capture.tables import LEADING_GAP, LENGTH
from bayesbridge.runtime.jit import njit

Small = NDArray[np.int8]
Walk = NDArray[np.uint8]


def strain_levels(hands: NDArray[np.uint64]) -> Small:
    """(n, 5) the level that each of n hands of 13 cards reaches in C D H S NT.

    It is 0 where a hand reaches none.

    >>> from bayesbridge.game.cards import Hand
    >>> strain_levels(np.array([Hand.from_pbn("KQT85.A3.T94.K83").mask], dtype=np.uint64))
    array([[0, 0, 0, 1, 0]], dtype=int8)
    """
    return _strain_levels(np.ascontiguousarray(hands), *walks())


@cache
def walks() -> tuple[Walk, Walk]:
    """(8192, 7) what the walk in one suit does: as a side suit, and as trumps.

    By field and budget R, 16 · captures after the first + gaps paid; in a side suit
    nothing where the field is all losers.
    """
    has_winner = (LENGTH > LEADING_GAP).astype(np.uint8)
    side = walk_table() * has_winner[:, None]
    paying = (15 - LENGTH.astype(np.int64)) // 3  # m = ⌈(13 − c₁) / 3⌉
    return side, suit_walks(paying)


@njit
def fill_levels(mask: np.int64, side: Walk, trumps: Walk, out: Small) -> None:
    """Write the five levels of one hand to ``out`` (5,), C D H S NT.

    ``side`` and ``trumps`` are :func:`walks`.
    """
    winners = 0  # suits whose first card captures
    losers = 0
    Delta = 0
    for suit in range(4):
        field = (mask >> (13 * suit)) & 0x1FFF
        length = LENGTH[field]
        delta = LEADING_GAP[field]
        Delta += delta
        losers += min(delta, length)
        if length > delta:
            winners += 1
    # The budget at its largest, all of it for each suit: what is too little even so
    # need not be walked.
    most = winners
    if losers <= 6:
        for suit in range(4):
            most += side[(mask >> (13 * suit)) & 0x1FFF, 6 - losers] >> 4
    for strain in range(5):
        out[strain] = 0
        paid = Delta
        if strain < 4:
            # With c₁ > δ in trumps, min(δ, c₁) is δ there too.
            paid = losers
            field = (mask >> (13 * strain)) & 0x1FFF
            if losers > 6 or LENGTH[field] <= LEADING_GAP[field]:
                continue
            as_trumps = trumps[field, 6 - losers] >> 4
            as_side_suit = side[field, 6 - losers] >> 4
            if most + as_trumps - as_side_suit < 7:
                continue
        elif winners < 4:
            continue
        for target in range(7, 14):
            budget = 13 - target - paid
            if budget < 0:
                break
            count = winners
            for suit in range(4):
                field = (mask >> (13 * suit)) & 0x1FFF
                step = trumps[field, budget] if suit == strain else side[field, budget]
                count += step >> 4
                budget -= step & 15
            if count < target:
                break
            out[strain] = target - 6


@njit
def _strain_levels(hands: NDArray[np.uint64], side: Walk, trumps: Walk) -> Small:
    """(n, 5) the levels of (n,) hands."""
    out = np.empty((len(hands), 5), np.int8)
    for i in range(len(hands)):
        fill_levels(np.int64(hands[i]), side, trumps, out[i])
    return out
