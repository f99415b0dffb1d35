"""Tables of deals: counts against enumeration, other counts and known figures."""

import math
from collections import Counter

import numpy as np
import pytest

from bayesbridge.engines.conditions import ConditionTables, count
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.errors import TablesTooLarge
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import TRUE, Held
from bayesbridge.evidence.measures import (
    COUNTS,
    FOUR_C,
    LENGTH,
    LOSERS,
    POINTS,
    QUALITY,
    Measure,
    table,
)
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.layouts import high_card_points, suit_lengths
from bayesbridge.game.shapes import read_shapes
from bayesbridge.runtime.random64 import seed_state
from tests.dealing.plain_conditions import RANKS, holds, measured
from tests.engines.positions import all_layouts, allows
from tests.engines.test_deal_draws import SMALL, assert_uniform

ALL_DEALS = 53644737765488792839237440000
OTHERS = ALL_DEALS // math.comb(52, 13)  # deals of the other 39 cards to three seats

FREE = Constraints.free()
CARD = Measure("card", (0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0))


def test_points_have_their_known_numbers():
    points = Held(POINTS, 2, None)
    deals = DealTable.of(FREE, TRUE, points).counts()
    hands = {
        0: 2_310_789_600,
        1: 5_006_710_800,
        10: 59_723_754_816,
        20: 4_086_538_404,
        37: 4,
    }
    for value, ways in hands.items():
        assert deals[(value,)] // OTHERS == ways
    assert sum(deals.values()) == ALL_DEALS
    assert len(deals) == 38
    with_length = DealTable.of(FREE, TRUE, points, Held(LENGTH, 2, 3)).counts()
    by_points = Counter()
    for (value, _), ways in with_length.items():
        by_points[(value,)] += ways
    assert by_points == deals


QUICK = [
    FREE.shape(0, read_shapes("balanced")).points(0, 15, 17),
    FREE.length(0, 3, 5, 13).length(2, 3, 3, 5).length(1, 0, 0, 2),
    FREE.hold(0, 0b1011).lack(3, 0x1FFF << 13).length(2, 2, 4, 6),
    FREE.hold(2, 0x1FFF).points(0, 5, 9).shape(1, read_shapes("any 5-4")),
    FREE.shape(1, read_shapes("any 5-5")).length(3, 3, 6, 13),
    FREE.points(0, 20, 22).hold(1, 1 << 51).lack(2, 0b111 << 36),
]


@pytest.mark.parametrize("constraints", QUICK)
def test_hard_evidence_counts_as_the_counting_engine_counts(constraints):
    plan = ConditionTables.of(constraints)
    assert not plan.tested
    assert plan.table.total == count(constraints)
    assert allows(constraints, plan.table.draw(3_000, seed_state(1))).all()


CONDITIONS = [
    "hcp(north) > hcp(south)",
    "hcp(north) + hcp(south) >= 30 || spades(east) >= 6",
    "losers(north) <= 7 && controls(east) >= 1",
    "quality(north, spades) > quality(east, spades)",
    "cccc(south) >= 700",
    "hcp(north) % 3 == spades(south) % 3",
    "(hearts(north) > 3 ? hcp(east) : hcp(south)) >= 6",
    "!(clubs(north) >= 3 && (diamonds(east) <= 2 || hcp(south) < 9))",
    "top3(north) + 2 * top3(east) + 3 * top3(south) > 14 && c13(north) < 22",
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_counts_equal_enumeration(text):
    condition = parse_expression(text)
    fitting = [deal for deal in all_layouts(SMALL).tolist() if holds(condition, deal)]
    assert 0 < len(fitting) < 1680
    built = DealTable.of(SMALL, condition)
    assert built.total == len(fitting)
    assert_uniform(built, fitting, lambda p: p > 1e-6)


def test_watched_values_are_counted_apart():
    condition = parse_expression("hcp(north) > 5")
    watched = parse_expression("hcp(east) - spades(south)")
    expected = Counter()
    for deal in all_layouts(SMALL).tolist():
        if holds(condition, deal):
            east_south = np.array(deal[1:3], dtype=np.uint64)
            points = high_card_points(east_south)[0]
            spades = suit_lengths(east_south)[1, 3]
            expected[(int(points) - int(spades),)] += 1
    assert DealTable.of(SMALL, condition, watched).counts() == expected


@pytest.mark.parametrize(
    "measure",
    [
        LENGTH,
        POINTS,
        LOSERS,
        QUALITY,
        FOUR_C,
        *COUNTS,
        CARD,
    ],
)
def test_measures_are_those_of_plain_python(measure):
    for field in range(0, 8192, 7):
        suit = "".join(RANKS[rank] for rank in range(13) if field >> rank & 1)
        assert table(measure)[field] == measured(measure, suit)


def test_too_large_tables_are_refused_early():
    text = " && ".join(
        f"hcp({seat}) >= 5 && losers({seat}) < 10"
        for seat in ("north", "east", "south", "west")
    )
    with pytest.raises(TablesTooLarge, match="stop at"):
        DealTable.of(FREE, parse_expression(text))
