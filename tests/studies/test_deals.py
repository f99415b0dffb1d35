"""Dealing: four disjoint hands of 13, every card equally likely everywhere.

The hidden cards alone are redealt.
"""

import numpy as np
import pytest
from scipy import stats

from bayesbridge.runtime.random64 import seed_state
from bayesbridge.studies.deals import deal_blocks, redeal

DECK = (1 << 52) - 1


def holders(masks):
    """(52, 4) how often each seat holds each card."""
    counts = np.zeros((52, 4), np.uint64)
    for card in range(52):
        counts[card] = (masks >> np.uint64(card) & np.uint64(1)).sum(axis=0)
    return counts


def uniform(masks):
    """p-values of uniform deals.

    Every seat holds every card equally often; and of the joint place of two cards.
    """
    single = holders(masks)
    # Cards of a hand are dependent, so the 52 tests are looked at one by one and the
    # smallest p is corrected.
    smallest = min(52 * stats.chisquare(row).pvalue for row in single)
    place = [
        np.argmax(masks >> np.uint64(card) & np.uint64(1), axis=1) for card in (0, 51)
    ]
    together = np.bincount(4 * place[0] + place[1], minlength=16).reshape(4, 4)
    n = len(masks)
    expected = np.where(np.eye(4, dtype=bool), 13 * 12, 13 * 13) * n / (52 * 51)
    return smallest, stats.chisquare(together.ravel(), expected.ravel()).pvalue


def test_deals_are_uniform():
    masks = np.concatenate(list(deal_blocks(200_000, rng=9)))
    assert min(uniform(masks)) > 1e-6
    # The control: in one deal of twenty, seats 0 and 1 trade hands if seat 1 has the
    # last card
    swapped = masks.copy()
    swapped_deals = np.flatnonzero(
        (np.arange(len(masks)) % 20 == 0)
        & (masks[:, 1] >> np.uint64(51) & np.uint64(1) > 0)
    )
    swapped[swapped_deals, 0], swapped[swapped_deals, 1] = (
        masks[swapped_deals, 1],
        masks[swapped_deals, 0],
    )
    assert min(uniform(swapped)) < 1e-9


@pytest.mark.parametrize("hidden", [[1, 3], [1, 2, 3]])
def test_redeal_moves_hidden_cards_alone_and_uniformly(hidden):
    (deal,) = deal_blocks(1, rng=3)
    layouts = np.repeat(deal, 40_000, axis=0)
    redeal(seed_state(5), layouts, np.array(hidden))
    kept = [seat for seat in range(4) if seat not in hidden]
    assert (layouts[:, kept] == deal[:, kept]).all()
    assert (np.bitwise_count(layouts) == 13).all()
    assert (np.bitwise_or.reduce(layouts, axis=1) == DECK).all()
    counts = holders(layouts)[:, hidden]
    moving = counts[counts.sum(axis=1) > 0]
    assert len(moving) == 13 * len(hidden)
    assert min(len(moving) * stats.chisquare(row).pvalue for row in moving) > 1e-6
