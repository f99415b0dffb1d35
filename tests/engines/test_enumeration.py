"""Enumeration gives every layout once, in a fixed order, from anywhere."""

from __future__ import annotations

import numpy as np
import pytest

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.counting import count
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.errors import Contradiction, TooManyLayouts
from tests.engines.positions import brute_force, in_order, random_position, random_view

SOUTH = Constraints.free().hold(2, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SOUTH.hold(0, Hand.of("643.AQ2.K87.A764").mask)


@pytest.mark.parametrize("seed", range(4))
def test_enumeration_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng([31, seed])
    feasible = 0
    for _ in range(60):
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        if len(layouts) == 0:
            with pytest.raises(Contradiction):
                Enumeration.of(evidence).blocks()
            continue
        feasible += 1
        size = int(rng.integers(1, 200))
        parts = list(Enumeration.of(evidence).blocks(size))
        assert all(len(part) == size for part in parts[:-1])
        assert (in_order(np.concatenate(parts)) == layouts).all()
    assert feasible > 25


def test_an_open_dummy_leaves_10400600_layouts() -> None:
    walked = [block[:, 1].copy() for block in Enumeration.of(DUMMY).blocks()]
    east = np.sort(np.concatenate(walked))
    assert len(east) == 10_400_600
    assert (np.diff(east) > 0).all()
    assert (np.bitwise_count(east) == 13).all()
    assert int(np.bitwise_or.reduce(east)) == DUMMY.normalised().unknown_mask


def test_three_hidden_hands_at_full_size() -> None:
    """Evidence so tight that three whole hands can be enumerated: both ends of the machinery at work."""
    shapely = SOUTH.length(1, 2, 8, 13).length(0, 3, 7, 13).length(3, 0, 8, 13)
    tight = shapely.points(0, 0, 0).points(1, 18, 19).points(3, 3, 4)
    layouts = np.concatenate(list(Enumeration.of(tight).blocks()))
    assert len(layouts) == count(tight) > 100_000
    assert tight.allows(layouts).all()
    ordered = in_order(layouts)
    assert (ordered[1:] != ordered[:-1]).any(1).all()


def test_any_stretch_stands_alone() -> None:
    rng = np.random.default_rng(32)
    evidence = DUMMY.points(1, 5, 9).length(3, 1, 4, 6)
    whole = Enumeration.of(evidence)
    walked = np.concatenate(list(whole.blocks(10_000)))
    assert (walked == whole.unranking.layouts(np.arange(len(whole)))).all()
    for _ in range(50):
        begin, end = np.sort(rng.integers(0, len(whole) + 1, 2)).tolist()
        assert (whole.stretch(begin, end) == walked[begin:end]).all()
    assert (whole.stretch(len(whole) - 3, len(whole) + 10) == walked[-3:]).all()
    assert len(whole.stretch(len(whole), len(whole) + 10)) == 0
    assert (np.concatenate(list(Enumeration.of(evidence).blocks(10_000))) == walked).all()


def test_full_views_with_few_layouts() -> None:
    rng = np.random.default_rng(33)
    seen = 0
    for _ in range(60):
        view = random_view(rng)
        if count(view) <= 300_000:
            seen += 1
            layouts = np.concatenate(list(Enumeration.of(view).blocks()))
            assert len(layouts) == count(view)
            assert view.allows(layouts).all()
            ordered = in_order(layouts)
            assert (ordered[1:] != ordered[:-1]).any(1).all()
    assert seen > 5


def test_a_known_deal_is_one_layout() -> None:
    everything = DUMMY.hold(1, Hand.of("JT98.K54.QJT2.Q2").mask)
    (only,) = Enumeration.of(everything).blocks()
    assert only.shape == (1, 4)
    assert everything.allows(only).all()


def test_too_many_are_refused_in_one_clear_line() -> None:
    with pytest.raises(TooManyLayouts) as refusal:
        Enumeration.of(SOUTH)
    assert str(refusal.value) == (
        '84478098072866400 layouts fit; enumeration stops at 20000000. Use method="sample", or add evidence.'
    )
    assert refusal.value.data["layouts"] == 84478098072866400
    with pytest.raises(TooManyLayouts, match="10400600 layouts fit; enumeration stops at 10400599"):
        Enumeration.of(DUMMY, limit=10_400_599)
