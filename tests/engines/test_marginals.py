"""Weighted marginals against sums over single layouts in plain Python."""

from __future__ import annotations

import numpy as np

from bayesbridge.cards import Hand, Suit
from bayesbridge.constraints import Constraints
from bayesbridge.engines.draws import Marginals
from bayesbridge.engines.tables import sample

SOUTH = Constraints.free().hold(2, Hand.of("AKQ52.J3.A94.K83").mask)


def test_sums_of_weights_by_card_length_and_points() -> None:
    layouts = sample(SOUTH, 200, rng=1)
    weights = np.random.default_rng(2).random(200)
    cards, lengths, points = np.zeros((52, 4)), np.zeros((4, 4, 14)), np.zeros((4, 41))
    for row, weight in zip(layouts, weights, strict=True):
        for seat in range(4):
            hand = Hand(int(row[seat]))
            for card in hand:
                cards[card.index, seat] += weight
            for suit in Suit:
                lengths[seat, suit, hand.length(suit)] += weight
            points[seat, hand.points] += weight
    sums = Marginals.empty()
    sums.add(layouts[:70], weights[:70])
    sums.add(layouts[70:], weights[70:])
    np.testing.assert_allclose(sums.cards(), cards)
    np.testing.assert_allclose(sums.lengths(), lengths)
    np.testing.assert_allclose(sums.points, points)


def test_weights_that_add_up_to_one_give_probabilities() -> None:
    layouts = sample(SOUTH, 500, rng=3)
    sums = Marginals.empty()
    sums.add(layouts, np.full(500, 1 / 500))
    np.testing.assert_allclose(sums.cards().sum(1), 1)
    np.testing.assert_allclose(sums.cards().sum(0), 13)
    np.testing.assert_allclose(sums.lengths().sum(2), 1)
    np.testing.assert_allclose(sums.points.sum(1), 1)


def test_no_layout_no_weight_and_weight_zero_counts_nothing() -> None:
    sums = Marginals.empty()
    assert not sums.cards().any()
    sums.add(sample(SOUTH, 10, rng=4), np.zeros(10))
    assert not sums.fields.any()
    assert not sums.points.any()


def test_the_strongest_hand_fits() -> None:
    """37 points, and all 40 in a mask of more than 13 cards."""
    strongest = Hand.of("AKQJ.AKQ.AKQ.AKQ").mask
    every_honour = sum(1 << (13 * suit + rank) for suit in range(4) for rank in (9, 10, 11, 12))
    sums = Marginals.empty()
    sums.add(np.array([[strongest, every_honour, 0, 0]], dtype=np.uint64), np.ones(1))
    assert (sums.points[0, 37], sums.points[1, 40], sums.points[2, 0]) == (1, 1, 1)
