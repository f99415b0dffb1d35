"""Constraints mean what they say, and normalising loses no layout and invents none."""

from __future__ import annotations

import numpy as np
import pytest

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints, points_in
from bayesbridge.deal import Deal
from bayesbridge.errors import DealError
from bayesbridge.layouts import Layouts
from tests.engines.positions import brute_force, random_deal, random_position


@pytest.fixture
def deals() -> list[Deal]:
    rng = np.random.default_rng(5)
    return [Deal(tuple(Hand(mask) for mask in random_deal(rng))) for _ in range(40)]


def test_a_batch_measures_what_its_hands_measure(deals: list[Deal]) -> None:
    batch = Layouts.of(deals)
    assert list(batch) == deals
    assert batch.points.tolist() == [[hand.points for hand in deal] for deal in deals]
    assert batch.lengths.tolist() == [[[hand.length(s) for s in range(4)] for hand in deal] for deal in deals]
    assert batch.holds("SA").argmax(1).tolist() == [deal.holder("SA") for deal in deals]
    assert [points_in(hand.mask) for hand in deals[0]] == batch.points[0].tolist()


def test_a_batch_cannot_be_changed(deals: list[Deal]) -> None:
    source = np.array(Layouts.of(deals).masks)
    batch = Layouts(source)
    source[:] = 0
    assert list(batch) == deals
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[0, 0] = 0
    assert list(batch[3:5]) == deals[3:5]
    assert len(batch[batch.points[:, 0] > 12]) == sum(deal["N"].points > 12 for deal in deals)


@pytest.mark.parametrize("wrong", [np.zeros((3, 3), np.uint64), np.zeros(4, np.uint64), np.zeros((2, 4))])
def test_a_batch_has_four_columns_of_masks(wrong: np.ndarray) -> None:
    with pytest.raises(DealError, match=r"\(n, 4\)"):
        Layouts(wrong)


def test_only_whole_deals_are_allowed() -> None:
    full = 0x1FFF
    rows = [
        [full, full << 13, full << 26, full << 39],
        [full, full << 13, full << 26, full << 26],
        [full, full << 13, full << 26, full << 39 & ~(1 << 51)],
        [full | 1 << 51, full << 13, full << 26, full << 39],
    ]
    assert Constraints.free().allows(np.array(rows, dtype=np.uint64)).tolist() == [True, False, False, False]


def test_normalising_keeps_exactly_the_same_layouts() -> None:
    rng = np.random.default_rng(11)
    plain = feasible = 0
    for _ in range(150):
        known, evidence = random_position(rng)
        layouts = brute_force(known, known)
        fits = evidence.allows(layouts)
        normal = evidence.normalised()
        if normal.impossible:
            plain += 1
            assert not fits.any()
            continue
        feasible += fits.any()
        assert (normal.allows(layouts) == fits).all()
        assert normal == normal.normalised()
        assert all(must & ~may == 0 for must, may in zip(normal.must, normal.may, strict=True))
        assert len(normal.hidden) != 1
    assert plain > 10
    assert feasible > 50


def test_joining_two_sets_of_constraints_asks_for_both() -> None:
    rng = np.random.default_rng(12)
    for _ in range(40):
        known, one = random_position(rng)
        other = Constraints.free().points(1, 5, 14).length(0, 3, 2, 5).lack(3, 0xF0F0F0F0F0F0F).hold(2, 1 << 40)
        layouts = brute_force(known, known)
        assert ((one & other).allows(layouts) == (one.allows(layouts) & other.allows(layouts))).all()
