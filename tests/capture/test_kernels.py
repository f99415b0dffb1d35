"""Kernels equal the literal transcription.

On every suit row, on random deals and on the strangest ones.
"""

import numpy as np
import pytest

from bayesbridge.capture import kernels, literal
from bayesbridge.game.cards import Hand
from tests.deals import deal_masks, strange_deals


def check_deals(hands, partner_hands):
    batch = kernels.captures(hands, partner_hands)
    bids = kernels.bids(hands)
    assert (kernels.tricks(hands, partner_hands) == batch.T).all()
    for i in range(len(hands)):
        expected = literal.capture(Hand(int(hands[i])), Hand(int(partner_hands[i])))
        for name in ("c1", "c2", "c0", "delta", "M", "kappa"):
            assert tuple(getattr(batch, name)[i]) == getattr(expected, name), (
                name,
                expected,
            )
        for name in ("Delta", "Z", "T", "chi"):
            assert getattr(batch, name)[i] == getattr(expected, name), (name, expected)
        assert literal.CONDITIONS[batch.condition[i]] == expected.condition
        bid = literal.bid(Hand(int(hands[i])))
        assert (bids.level[i], tuple(bids.counts[i])) == (bid.level, bid.counts)
    return batch


def test_random_deals():
    check_deals(*deal_masks(1500, 1)[:, :2].T)


def test_strange_deals_and_that_they_are_strange():
    batch = check_deals(*strange_deals(2000, 2))
    assert (batch.c0 == 0).any()
    assert (batch.c1 == 13).any()
    assert (batch.delta == 13).any()
    assert (batch.T == 13).any()
    assert (batch.Z == 0).any()
    assert len(set(batch.condition.tolist())) == 3


@pytest.mark.slow
def test_a_hundred_thousand_deals():
    check_deals(*deal_masks(60_000, 100)[:, :2].T)
    check_deals(*strange_deals(40_000, 200))


def test_equal_suits_take_the_first_in_suit_order():
    """Four rows of AKQJ against T987 have ties everywhere.

    Nine captures go to clubs, diamonds and hearts.
    """
    high_cards = sum(0b1111000000000 << 13 * suit for suit in range(4))
    low_cards = sum(0b0000111100000 << 13 * suit for suit in range(4))
    row = [
        (high_cards >> 12 - r & 1) + 2 * (low_cards >> 12 - r & 1) for r in range(13)
    ]
    matrix = [list(row) for _ in range(4)]
    expected = literal.capture_matrix(matrix)
    batch = kernels.captures(
        np.array([high_cards], dtype=np.uint64), np.array([low_cards], dtype=np.uint64)
    )
    assert tuple(batch.kappa[0]) == expected.kappa
    assert (batch.T[0], batch.chi[0]) == (expected.T, expected.chi)
    assert expected.kappa == (4, 4, 4, 1)


def test_the_empty_batch():
    nothing = np.empty(0, dtype=np.uint64)
    assert kernels.captures(nothing, nothing).c1.shape == (0, 4)
    assert kernels.tricks(nothing, nothing).shape == (0,)
    assert kernels.bids(nothing).counts.shape == (0, 7)
