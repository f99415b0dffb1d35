"""A batch of layouts measures what its hands measure, and cannot be changed."""

import numpy as np
import pytest

from bayesbridge import Deal, Hand, Layouts
from bayesbridge.errors import DealError
from bayesbridge.evidence.constraints import points_in
from tests.deals import random_deal


@pytest.fixture
def deals():
    rng = np.random.default_rng(5)
    return [random_deal(rng) for _ in range(40)]


def test_a_batch_measures_what_its_hands_measure(deals):
    batch = Layouts.of(deals)
    assert list(batch) == deals
    for deal, points, lengths in zip(deals, batch.points, batch.lengths, strict=True):
        assert points.tolist() == [hand.points for hand in deal]
        for hand, hand_lengths in zip(deal, lengths, strict=True):
            assert hand_lengths.tolist() == [hand.length(suit) for suit in range(4)]
    assert batch.holds("SA").argmax(1).tolist() == [deal.holder("SA") for deal in deals]
    assert [points_in(hand.mask) for hand in deals[0]] == batch.points[0].tolist()


def test_a_batch_cannot_be_changed(deals):
    source = np.array(Layouts.of(deals).masks)
    batch = Layouts(source)
    source[:] = 0
    assert list(batch) == deals
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[0, 0] = 0
    assert list(batch[3:5]) == deals[3:5]
    assert len(batch[batch.points[:, 0] > 12]) == sum(
        deal["N"].points > 12 for deal in deals
    )


@pytest.mark.parametrize(
    "wrong", [np.zeros((3, 3), np.uint64), np.zeros(4, np.uint64), np.zeros((2, 4))]
)
def test_a_batch_has_four_columns_of_masks(wrong):
    with pytest.raises(DealError, match=r"\(n, 4\)"):
        Layouts(wrong)


HAND = Hand.of("AKQ2.KJ3.A54.Q32").mask
DEAL_MASKS = [
    hand.mask
    for hand in Deal.of("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. -")
]
BEYOND = 1 << 52


@pytest.mark.parametrize(
    ("hands", "line"),
    [
        ([HAND] * 4, "layout 1: SA lies in both N and E: a card has one place"),
        ([*DEAL_MASKS[:3], DEAL_MASKS[2]], "lies in both S and W"),
        ([-1, 0, 0, 0], "has bits outside the 52 cards"),
        ([DEAL_MASKS[0] | BEYOND, *DEAL_MASKS[1:]], "has bits outside the 52 cards"),
        ([DEAL_MASKS[0] ^ 1 << 39, *DEAL_MASKS[1:]], "N's hand .* has 12 cards"),
    ],
)
def test_a_batch_holds_deals_alone(hands, line):
    with pytest.raises(DealError, match=line):
        Layouts(np.array([DEAL_MASKS, hands], np.int64))
