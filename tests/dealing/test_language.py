"""The dealer language: what is read, how tightly operators bind, and what is said of what cannot be read."""

import numpy as np
import pytest

from bayesbridge.dealing.language import Print, Statistic, parse
from bayesbridge.engines.deal_tables import conjuncts
from bayesbridge.errors import NotationError
from bayesbridge.expressions import LayoutValues, parse_expression, text_of
from bayesbridge.layouts import Layouts
from bayesbridge.scoring import imps
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
    assert value(expression, [suits_of(int(mask)) for mask in LAYOUTS.masks[0]]) == VALUES[text]
    if "shape" not in text and "cccc" not in text:
        assert LayoutValues(LAYOUTS.masks).of(parse_expression(text_of(expression))).tolist() == [VALUES[text]]


def test_random_numbers_are_drawn_for_each_deal():
    values = LayoutValues(np.repeat(LAYOUTS.masks, 10_000, axis=0), np.random.default_rng(1))
    found = values.of(parse_expression("rnd(10)"))
    assert set(found.tolist()) == set(range(10))
    assert abs(found.mean() - 4.5) < 5 * found.std() / 100
    assert not values.of(parse_expression("rnd(0)")).any()


def test_a_whole_script():
    script = parse(
        """
        produce 25 generate 10000 // limits
        dealer west vulnerable EW /* and
        more */ seed 7
        predeal south SAQ542, HKJ87 north D2
        opener = hcp(west) > 11
        condition opener && clubs(west) >= 3
        action printoneline hcp(west), printew, average "a" hcp(west),
               frequency "f" (hcp(west), -1, 20), frequency (hcp(west), 0, 9, spades(west), 0, 5),
        """
    )
    assert (script.produce, script.generate, script.dealer, script.vulnerable, script.seed) == (25, 10_000, 3, "EW", 7)
    assert [mask.bit_count() for mask in script.predealt] == [1, 0, 9, 0]
    assert len(conjuncts(script.condition)) == 2
    assert [type(action) for action in script.actions] == [Print, Print, Statistic, Statistic, Statistic]
    assert [len(action.values) for action in script.actions] == [1, 0, 1, 1, 2]
    assert [action.ranges for action in script.actions[2:]] == [(), ((-1, 20),), ((0, 9), (0, 5))]
    assert script.prints
    assert not parse("action average hcp(north)").prints


def test_the_word_condition_may_be_left_out():
    assert parse("hcp(north) > 3").condition == parse("condition hcp(north) > 3").condition
    assert parse("produce 2 hcp(north) > 3 action printoneline").produce == 2


WRONG = {
    "condition hpc(north) > 3": "line 1, column 11: unknown word 'hpc': did you mean 'hcp'?",
    "condition hcp(nort) > 3": "column 15: 'nort' is no seat",
    "condition hcp(north > 3": "')' is missing before '>'",
    "condition shape(north, 5-3-3-2)": "'5' is no shape: write four lengths",
    "condition hascard(north, XX)": "'XX' is no card",
    "condition 1 $ 2": "'$' has no meaning here",
    "produce 0": "write a number from 1 to",
    "predeal up SA": "'up' is no seat",
    "pointcount 4000": "from -1000 to 1000",
    "hcp = 3": "is a word of the language",
    "action fly": "'fly' is no action",
    "action frequency (hcp(north), 0, 300, hcp(south), 0, 300)": "write ranges of up to",
    'action average "x': "text has no end",
    "condition " + "(" * 60 + "1" + ")" * 60: "nested more than",
    "condition " + "+".join(["1"] * 400): "too large",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_one_line_with_its_place(text):
    with pytest.raises(NotationError, match=r"^line \d+, column \d+: ") as caught:
        parse(text)
    assert WRONG[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_definitions_that_grow_are_stopped():
    text = "a0 = hcp(north) + 1\n" + "\n".join(f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 40))
    with pytest.raises(NotationError, match="too large"):
        parse(text)


def test_imps_are_those_of_the_laws_and_between_multiples_of_ten_those_of_dealer():
    # Printed by Henk Uijterwaal's dealer, Debian's version of 2021-11-21.
    by_dealer = {10: 0, 11: 1, 19: 1, 40: 1, 41: 2, 80: 2, 81: 3, 125: 4, 599: 12, 3990: 23, 3991: 24}
    assert imps(np.array(list(by_dealer))).tolist() == list(by_dealer.values())
    assert imps(-np.array(list(by_dealer))).tolist() == [-won for won in by_dealer.values()]
