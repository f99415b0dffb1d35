"""Expressions over a deal: their values are those of the packaged dealer."""

import numpy as np
import pytest

from bayesbridge.evidence.expression_text import text_of
from bayesbridge.evidence.expressions import LayoutValues
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.game.layouts import Layouts
from tests.dealing.plain_conditions import suits_of, value

pytestmark = pytest.mark.quick

DEAL = "N:AKQ72.JT4.A984.Q T5.Q.KQJT7.KJ642 9843.AK972.3.953 J6.8653.652.AT87"
LAYOUTS = Layouts.of([DEAL])
VALUES = {
    "losers(north)": 6,
    "loser(north, spades)": 0,
    "quality(north, spades)": 450,
    "cccc(north)": 1710,
    "c13(north)": 21,
    "control(north, spades)": 3,
    "top5(north)": 7,
    "(0 - 7) / 2": -3,
    "(0 - 7) % 3": -1,
    "-7 / 2": -3,
    "7 / 0": 0,
    "7 % 0": 7,
    "hcp(north)": 16,
    "hcps(north, heart)": 1,
    "spade(north) + spades(east)": 7,
    "hascard(north, AS) + hascard(east, SA)": 1,
    "not hcp(north) > 9": 0,
    "!(hcp(north) > 9)": 0,
    "!!5": 1,
    "!!!5": 0,
    "1 || 0 && 0": 1,
    "1 ? 2 : 0 ? 3 : 4": 2,
    "0 ? 1 : 0 + 7": 7,
    "3 - 2 - 1": 0,
    "2 * 3 % 4": 2,
    "1 == 1 != 0": 1,
    "1 < 2 < 3": 1,
    "2 + 3 * 4 > 13 and 1": 1,
    "shape(north, 5341)": 1,
    "shape(north, any 5431 - 5341)": 0,
    "shape(north, any xxxx - any 4333, 5341)": 1,
    "shape(north, 53xx)": 1,
    "score(vul, x3N, 9)": 600,
    "score(nv, x3N, 7)": -100,
    "imps(300)": 7,
    "imp(0 - 20)": -1,
    "pt9(north)": 21,
    "ace(north)": 2,
}
"""Of one deal; the values are those that the packaged dealer gives."""


@pytest.mark.parametrize("text", VALUES)
def test_values_are_those_of_dealer(text):
    expression = parse_expression(text)
    assert LayoutValues(LAYOUTS.masks).of(expression).tolist() == [VALUES[text]]
    assert (
        value(expression, [suits_of(int(mask)) for mask in LAYOUTS.masks[0]])
        == VALUES[text]
    )
    if "shape" not in text and "cccc" not in text:
        assert LayoutValues(LAYOUTS.masks).of(
            parse_expression(text_of(expression))
        ).tolist() == [VALUES[text]]


def test_random_numbers_are_drawn_for_each_deal():
    values = LayoutValues(
        np.repeat(LAYOUTS.masks, 10_000, axis=0), np.random.default_rng(1)
    )
    numbers = values.of(parse_expression("rnd(10)"))
    assert set(numbers.tolist()) == set(range(10))
    assert abs(numbers.mean() - 4.5) < 5 * numbers.std() / 100
    assert not values.of(parse_expression("rnd(0)")).any()
