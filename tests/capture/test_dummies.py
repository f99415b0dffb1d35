"""What a hand is worth with an unseen dummy.

Against another way of counting and against random dummies.
"""

import numpy as np
import pytest

from bayesbridge import Belief, Hand
from bayesbridge.capture.dummies import (
    DUMMIES,
    captures_with_dummies,
    chances_of_contracts,
)
from bayesbridge.capture.kernels import tricks
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.errors import BayesBridgeError
from tests.deals import deal_masks

SOUTH = 2
NORTH = 0
HANDS = (
    "AKQ2.KJ3.A54.Q32",
    "AK.AQJT98.K2.AQ2",
    "T98.764.J32.T987",
    "AKQJT9.5432.AK.A",
    ".AKQJT98.AKQ.432",
)


def masks_of(*hands):
    return np.array([Hand.of(hand).mask for hand in hands], dtype=np.uint64)


@pytest.mark.parametrize("hand", HANDS)
def test_counts_are_those_of_a_belief(hand):
    constraints = Belief("S", hand).constraints
    # The dummy is one of three hidden hands; each dummy leaves as many layouts.
    layouts = capture_counts(constraints, SOUTH, NORTH)["T"]
    layouts_a_dummy = int(layouts.sum()) // DUMMIES
    (counts,) = captures_with_dummies(masks_of(hand))
    assert (counts * layouts_a_dummy).tolist() == layouts.tolist()


def test_chances_are_those_of_random_dummies():
    deals = 200_000
    masks = deal_masks(deals, 5)
    south = masks[:, 0].copy()
    captured = tricks(south, masks[:, 1].copy())
    hands = south[:500]
    chances = chances_of_contracts(hands)
    needed = np.arange(7, 14)
    observed = (captured[:, None] >= needed).mean(axis=0)
    share = chances.mean(axis=0)
    variance = chances.var(axis=0) / len(hands) + observed * (1 - observed) / deals
    common = observed * deals > 20
    z = (share - observed)[common] / np.sqrt(variance[common])
    assert common.sum() >= 5
    assert np.abs(z).max() < 5


def test_chances_fall_with_the_level_and_a_void_has_none():
    chances = chances_of_contracts(masks_of(*HANDS))
    assert (np.diff(chances, axis=1) <= 0).all()
    assert chances[0, 0] > chances[2, 0] > 0
    assert chances[4].tolist() == [0.0] * 7


def test_hands_stand_in_one_row():
    with pytest.raises(BayesBridgeError, match="hands"):
        captures_with_dummies(masks_of(*HANDS).reshape(1, -1))
