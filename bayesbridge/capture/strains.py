"""Algorithm 1 with trumps: how high a hand bids in each of the five strains.

In no trumps this is the paper's to the letter; docs/bidders.md defines the four suits,
an extension of this package.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table, walked
from bayesbridge.capture.tables import LEADING_GAP, LENGTH
from bayesbridge.runtime.jit import njit

Small = NDArray[np.int8]
Walk = NDArray[np.uint8]


def strain_levels(hands: NDArray[np.uint64]) -> Small:
    """(n, 5) the level that each of n hands of 13 cards reaches in C D H S NT, 0 where
    it reaches none.

    >>> from bayesbridge.game.cards import Hand
    >>> strain_levels(np.array([Hand.from_pbn("KQT85.A3.T94.K83").mask], dtype=np.uint64))
    array([[0, 0, 0, 1, 0]], dtype=int8)
    """
    return _strain_levels(np.ascontiguousarray(hands), *walks())


@cache
def walks() -> tuple[Walk, Walk]:
    """(8192, 7) what the walk in one suit does with a budget R: as a side suit, and as
    trumps.

    16 · captures after the first + gaps paid; nothing where the suit is all losers.
    """
    side = walk_table() * (LENGTH > LEADING_GAP)[:, None].astype(np.uint8)
    return side, walked((15 - LENGTH.astype(np.int64)) // 3)  # m = ⌈(13 − c₁) / 3⌉


@njit
def fill_levels(mask: np.int64, side: Walk, trumps: Walk, out: Small) -> None:
    """The five levels of one hand."""
    firsts, losers, everywhere, Delta = 0, 0, True, 0
    for suit in range(4):
        field = (mask >> (13 * suit)) & 0x1FFF
        held, delta = LENGTH[field], LEADING_GAP[field]
        Delta += delta
        losers += min(delta, held)
        if held > delta:
            firsts += 1
        else:
            everywhere = False
    # The budget at its largest, all of it for each suit: what is too little even so need not be walked.
    most = firsts
    if losers <= 6:
        for suit in range(4):
            most += side[(mask >> (13 * suit)) & 0x1FFF, 6 - losers] >> 4
    for strain in range(5):
        out[strain] = 0
        spent = Delta
        if strain < 4:
            # With c₁ > δ in trumps, min(δ, c₁) is δ there too.
            spent = losers
            field = (mask >> (13 * strain)) & 0x1FFF
            if losers > 6 or LENGTH[field] <= LEADING_GAP[field]:
                continue
            if (
                most + (trumps[field, 6 - losers] >> 4) - (side[field, 6 - losers] >> 4)
                < 7
            ):
                continue
        elif not everywhere:
            continue
        for target in range(7, 14):
            budget = 13 - target - spent
            if budget < 0:
                break
            count = firsts
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
    out = np.empty((len(hands), 5), np.int8)
    for i in range(len(hands)):
        fill_levels(np.int64(hands[i]), side, trumps, out[i])
    return out
