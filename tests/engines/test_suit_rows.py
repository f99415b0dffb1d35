"""The tables of rows: they hold every layout once, and agree with counting, which shares no code with them."""

from __future__ import annotations

import numpy as np
import pytest

from bayesbridge.cards import HIGH_CARD_POINTS, Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.counting import count
from bayesbridge.engines.tables import Keys, Sampler, SuitRows
from bayesbridge.errors import BayesBridgeError, Contradiction, TooManyLayouts
from tests.engines.positions import brute_force, in_order, random_position, random_view

SOUTH = Constraints.free().hold(2, Hand.of("AKQ52.J3.A94.K83").mask)


@pytest.mark.parametrize("seed", range(4))
def test_every_layout_has_one_number(seed: int) -> None:
    rng = np.random.default_rng([21, seed])
    feasible = 0
    for _ in range(60):
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        if len(layouts) == 0:
            with pytest.raises(Contradiction, match="no layout fits"):
                Sampler.of(evidence)
            continue
        feasible += 1
        unranking = Sampler.of(evidence)
        assert unranking.total == len(layouts)
        assert (in_order(unranking.layouts(np.arange(unranking.total))) == layouts).all()
    assert feasible > 25


@pytest.mark.parametrize("seed", range(4))
def test_tables_and_counting_agree_on_whole_views(seed: int) -> None:
    rng = np.random.default_rng([22, seed])
    for _ in range(20):
        view = random_view(rng)
        unranking = Sampler.of(view)
        assert unranking.total == count(view) > 0
        for rows, completions in zip(unranking.suits, unranking.completions(), strict=True):
            assert int((rows.ways * completions).sum()) == unranking.total


def test_rows_lie_under_their_keys() -> None:
    keys = Keys.of(SOUTH.points(1, 8, 11).points(3, 8, 11).length(0, 2, 3, 5).normalised())
    assert keys.hidden == (0, 1, 3)
    assert keys.scored == (1, 3)
    rows = SuitRows.of(keys, 2)
    assert len(rows.fields) == rows.start[-1] == rows.ways.sum()
    assert len(np.unique(rows.fields, axis=0)) == len(rows.fields)
    worth = np.array([sum(HIGH_CARD_POINTS[r] for r in range(13) if field >> r & 1) for field in range(8192)])
    for key in np.flatnonzero(np.diff(rows.start)):
        length, points = divmod(int(key), len(keys.points))
        fields = rows.fields[rows.start[key] : rows.start[key + 1]]
        assert (np.bitwise_count(fields[:, keys.hidden]) == keys.shares(2)[length]).all()
        assert (worth[fields[:, keys.scored]] == keys.points[points]).all()
        assert (np.bitwise_count(fields[:, 0]) >= 3).all()
        assert (np.bitwise_count(fields[:, 0]) <= 5).all()


def test_a_void_observer_has_all_rows_of_a_suit() -> None:
    clubs_void = Constraints.free().hold(2, 0x1FFF << 39)
    assert [len(rows.fields) for rows in Sampler.of(clubs_void).suits] == [3**13, 3**13, 3**13, 1]


def test_what_no_table_can_hold_is_refused() -> None:
    with pytest.raises(BayesBridgeError, match=r"67108864 ways in one suit.*Make one hand known"):
        Sampler.of(Constraints.free())
    unplaced = Constraints.free()
    for seat in range(4):
        unplaced = unplaced.hold(seat, 0b111 << 13 * seat)
    with pytest.raises(TooManyLayouts, match=r"2\^63. Make one hand known") as refusal:
        Sampler.of(unplaced)
    assert refusal.value.data["layouts"] == count(unplaced) > 1 << 63
    with pytest.raises(BayesBridgeError, match="ways to score points"):
        Sampler.of(unplaced.points(0, 5, 9).points(1, 5, 9).points(2, 5, 9))


def test_four_hidden_hands_of_few_unknown_cards() -> None:
    """A spectator late in the play: nobody's hand is known, yet the tables are small."""
    spots = [13 * suit + rank for rank in range(9) for suit in range(4)]
    seen = Constraints.free()
    for seat in range(4):
        seen = seen.hold(seat, sum(1 << card for card in spots[9 * seat : 9 * seat + 9]))
    evidence = seen.points(0, 8, 12).length(1, 3, 3, 5).lack(2, 1 << 51)
    assert Sampler.of(evidence).total == count(evidence) > 0


def test_numbers_outside_the_range_are_refused() -> None:
    unranking = Sampler.of(SOUTH)
    for number in (-1, unranking.total):
        with pytest.raises(IndexError, match="numbered 0 to 84478098072866399"):
            unranking.layouts(np.array([0, number]))
    assert SOUTH.allows(unranking.layouts(np.array([0, unranking.total - 1]))).all()
