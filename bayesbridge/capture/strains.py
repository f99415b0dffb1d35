"""Algorithm 1 with trumps: how high a hand bids in each of the five strains.

In no trumps this is the paper's to the letter; docs/bidders.md defines the four suits,
an extension of this package. A hand that is to take k tricks may pay for 13 − k cards
that others hold above its own: first the leading gap δ of each suit, the cards above
its highest, then the gap before each further card that it counts as a trick. With
trumps a side suit has no more losers than cards, min(δ, length), as the rest is ruffed,
and long trumps pay for no gaps.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import (
    BOOK,
    FIRST_TARGET,
    TRICKS,
    WALK_CAPTURES,
    WALK_PAID,
    suit_walks,
    walk_table,
)
from bayesbridge.capture.tables import GAP_BUDGET, LEADING_GAP, LENGTH, suit_field
from bayesbridge.runtime.jit import njit

Small = NDArray[np.int8]
Walk = NDArray[np.uint8]

NO_TRUMP_STRAIN = 4  # after the suits C D H S


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
    # The others hold 13 − c₁ trumps. Divided evenly these are drawn in m rounds, and
    # the trumps after the first m are tricks for nothing: m = ⌈(13 − c₁) / 3⌉.
    rounds = (TRICKS - LENGTH.astype(np.int64) + 2) // 3
    return side, suit_walks(rounds)


@njit
def fill_levels(mask: np.int64, side: Walk, trumps: Walk, out: Small) -> None:
    """Write the level that a hand bids in C D H S NT to ``out`` (5,), 0 for none.

    ``mask`` is the hand; ``side`` and ``trumps`` (8192, 7) say what the walk down a
    suit captures and pays, by its field of 13 bits and the budget: as a side suit and
    as trumps, see :func:`walks`. The leading gap δ of a suit is how many cards are
    above its highest. Targets rise from 7 tricks in each strain while they are met.
    """
    winners = 0  # suits with more cards than δ: their first card is captured
    losers = 0  # Σ min(δ, length), what is paid for with trumps
    Delta = 0  # Σ δ, what is paid for without
    for suit in range(4):
        field = suit_field(mask, suit)
        length = LENGTH[field]
        delta = LEADING_GAP[field]
        Delta += delta
        losers += min(delta, length)
        if length > delta:
            winners += 1
    # A bound for the captures, all suits being side suits: first cards, and walks that
    # each have the whole budget of the lowest target.
    most_captures = winners
    if losers <= GAP_BUDGET:
        for suit in range(4):
            walk = side[suit_field(mask, suit), GAP_BUDGET - losers]
            most_captures += walk >> WALK_CAPTURES
    for strain in range(5):
        out[strain] = 0
        if strain == NO_TRUMP_STRAIN:
            paid = Delta
            if winners < 4:
                continue  # condition B, of every suit
        else:
            paid = losers
            field = suit_field(mask, strain)
            if losers > GAP_BUDGET or LENGTH[field] <= LEADING_GAP[field]:
                continue  # condition A for the lowest target; B, of the trumps alone
            as_side_suit = side[field, GAP_BUDGET - losers] >> WALK_CAPTURES
            as_trumps = trumps[field, GAP_BUDGET - losers] >> WALK_CAPTURES
            if most_captures - as_side_suit + as_trumps < FIRST_TARGET:
                continue  # too few even so: no walk is needed
        for target in range(FIRST_TARGET, TRICKS + 1):
            budget = TRICKS - target - paid
            if budget < 0:
                break
            captures = winners
            for suit in range(4):
                field = suit_field(mask, suit)
                walk = trumps[field, budget] if suit == strain else side[field, budget]
                captures += walk >> WALK_CAPTURES
                budget -= walk & WALK_PAID  # the next suit has what is left
            if captures < target:
                break
            out[strain] = target - BOOK


@njit
def _strain_levels(hands: NDArray[np.uint64], side: Walk, trumps: Walk) -> Small:
    """(n, 5) the levels of (n,) hands in C D H S NT; the tables are :func:`walks`."""
    levels = np.empty((len(hands), 5), np.int8)
    for i in range(len(hands)):
        fill_levels(np.int64(hands[i]), side, trumps, levels[i])
    return levels
