"""The exact whole-space distribution against brute force on small decks; tests/studies
has random deals against it.
"""

from itertools import combinations

import numpy as np
import pytest

from bayesbridge.capture import exact
from bayesbridge.capture.kernels import bids, captures
from bayesbridge.capture.tables import LEADING_GAP
from scripts.count_shifts import FULL, count_pairs, half_deals, join


def brute_force(ranks, cards):
    """Every pair of hands of so many cards out of some ranks of four suits, one by one."""
    deck = [1 << (13 * suit + rank) for suit in range(4) for rank in ranks]
    hands = np.array(
        [sum(chosen) for chosen in combinations(deck, cards)], dtype=np.uint64
    )
    suits = np.arange(4, dtype=np.uint64) * np.uint64(13)
    meets_a = LEADING_GAP[hands[:, None] >> suits & np.uint64(0x1FFF)].sum(axis=1) <= 6
    counted = bids(hands).counts[:, 0]
    found = {}
    for hand, first in zip(
        hands, np.where(counted > 0, counted, meets_a).tolist(), strict=True
    ):
        others = hands[hands & hand == 0]
        both = captures(np.full(len(others), hand), others)
        outcomes = np.where(both.condition < 2, both.condition, both.T)
        for second, n in zip(*np.unique(outcomes, return_counts=True), strict=True):
            found[first, int(second)] = found.get((first, int(second)), 0) + int(n)
    return found


@pytest.mark.parametrize(("ranks", "cards"), [((12, 11, 9, 7), 5), ((12, 10, 9), 6)])
def test_small_decks_are_counted_as_by_brute_force(ranks, cards):
    found = count_pairs(sum(1 << rank for rank in ranks), 14 * cards + cards)
    assert found == brute_force(ranks, cards)
    assert any(first > 1 and second > 1 for first, second in found)


def test_the_whole_space_has_the_known_margins():
    found, half = exact.shifts(), half_deals()
    assert sum(found.values()) == exact.DEALS
    assert (int(half.ways.sum()), len(np.unique(half.summary))) == (
        2416023142423,
        1790,
    )  # as docs/posterior.md says
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
    # Where the first hand meets its conditions the second hand alone can fail: condition A holds for both together.
    assert not [place for place in found if place[0] > 0 and place[1] == 0]
