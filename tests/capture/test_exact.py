"""The exact whole-space distribution against brute force on small decks.

tests/studies has random deals against it.
"""

from itertools import combinations, product

import numpy as np
import pytest

from bayesbridge.capture import exact
from bayesbridge.capture.kernels import bids, captures
from bayesbridge.capture.tables import LEADING_GAP
from scripts.count_shifts import FULL, count_pairs, half_deals, join


def brute_force(ranks, cards):
    """Every pair of hands of so many cards out of some ranks of four suits, one by one."""
    deck = [1 << (13 * suit + rank) for suit, rank in product(range(4), ranks)]
    hands = np.array(
        [sum(chosen) for chosen in combinations(deck, cards)], dtype=np.uint64
    )
    suits = np.arange(4, dtype=np.uint64) * np.uint64(13)
    meets_a = LEADING_GAP[hands[:, None] >> suits & np.uint64(0x1FFF)].sum(axis=1) <= 6
    counted = bids(hands).counts[:, 0]
    counts = {}
    for hand, first_count in zip(
        hands, np.where(counted > 0, counted, meets_a).tolist(), strict=True
    ):
        partner_hands = hands[hands & hand == 0]
        batch = captures(np.full(len(partner_hands), hand), partner_hands)
        outcomes = np.where(batch.condition < 2, batch.condition, batch.T)
        for second_count, ways in zip(
            *np.unique(outcomes, return_counts=True), strict=True
        ):
            counts[first_count, int(second_count)] = counts.get(
                (first_count, int(second_count)), 0
            ) + int(ways)
    return counts


@pytest.mark.parametrize(("ranks", "cards"), [((12, 11, 9, 7), 5), ((12, 10, 9), 6)])
def test_small_decks_are_counted_as_by_brute_force(ranks, cards):
    counts = count_pairs(sum(1 << rank for rank in ranks), 14 * cards + cards)
    assert counts == brute_force(ranks, cards)
    assert any(
        first_count > 1 and second_count > 1 for first_count, second_count in counts
    )


def test_the_whole_space_has_the_known_margins():
    shifts = exact.shifts()
    half = half_deals()
    assert sum(shifts.values()) == exact.DEALS
    # as docs/posterior.md says
    assert (int(half.ways.sum()), len(np.unique(half.summary))) == (
        2416023142423,
        1790,
    )
    codes = join(half, half, FULL)
    for T in range(4, 14):
        assert exact.tricks()[T] == sum(
            n for code, n in codes.items() if code % 512 // 32 == T
        )
    assert exact.conditions() == {
        "neither": codes[0],
        "only A": codes[1],
        "both": exact.DEALS - codes[0] - codes[1],
    }
    # Where the first hand meets its conditions the second hand alone can fail:
    # condition A holds for both together.
    assert not [place for place in shifts if place[0] > 0 and place[1] == 0]
