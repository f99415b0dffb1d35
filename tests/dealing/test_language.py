"""The dealer language: what is read, and what is said of what cannot be read."""

import pytest

from bayesbridge.dealing.language import parse
from bayesbridge.engines.slots import conjuncts
from bayesbridge.errors import NotationError

pytestmark = pytest.mark.quick


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
    assert (
        script.produce,
        script.generate,
        script.dealer,
        script.vulnerable,
        script.seed,
    ) == (25, 10_000, 3, "EW", 7)
    assert [mask.bit_count() for mask in script.predealt] == [1, 0, 9, 0]
    assert len(conjuncts(script.condition)) == 2
    forms = ["printoneline", "printew", "average", "frequency", "frequency"]
    assert [action.form for action in script.actions] == forms
    assert [len(action.values) for action in script.actions] == [1, 0, 1, 1, 2]
    assert [action.ranges for action in script.actions[2:]] == [
        (),
        ((-1, 20),),
        ((0, 9), (0, 5)),
    ]
    assert script.prints
    assert not parse("action average hcp(north)").prints


def test_the_word_condition_may_be_left_out():
    assert (
        parse("hcp(north) > 3").condition == parse("condition hcp(north) > 3").condition
    )
    assert parse("produce 2 hcp(north) > 3 action printoneline").produce == 2


def test_a_seed_may_be_0():
    assert parse("seed 0").seed == 0


WRONG = {
    "condition hpc(north) > 3": "line 1, column 11: unknown word 'hpc': did you mean 'hcp'?",
    "condition hcp(nort) > 3": "column 15: 'nort' is no seat",
    "condition hcp(north > 3": "')' is missing before '>'",
    "condition shape(north, 5-3-3-2)": "'5' is no shape: write four lengths",
    "condition hascard(north, XX)": "'XX' is no card",
    "condition 1 $ 2": "'$' has no meaning here",
    "produce 0": "write a number from 1 to",
    "generate 0": "generate 0: write a number from 1 to",
    "seed -1": "seed -1: write a number from 0 to",
    "predeal up SA": "'up' is no seat",
    "pointcount 4000": "from -1000 to 1000",
    "hcp = 3": "is a word of the language",
    "action fly": "'fly' is no action",
    "action frequency (hcp(north), 0, 300, hcp(south), 0, 300)": "write ranges of up to",
    'action average "x': "text has no end",
    "condition hcp(north) = 12": "column 22: '=' compares nothing: write ==",
    "condition hcp(north) => 12": "column 22: '=' compares nothing: write >=",
    "condition (hcp(north) =< 12)": "column 23: '=' compares nothing: write <=",
    "hcp(north) > 3 & hcp(south) > 3": "'&' has no meaning here: write &&",
    "hcp(north) > 3 | hcp(south) > 3": "'|' has no meaning here: write ||",
    "hearts(south, 3)": "hearts takes nothing more: close the bracket, and to compare",
    "dealer W": "line 1, column 8: 'W' is no seat: write west",
    "hcp(north) > 3 AND hcp(south) > 3": "unknown word 'AND': write and",
    "predeal north SAK\npredeal south HQ, SA": "line 2, column 19: SA is given in line 1",
    "predeal north SAA": "line 1, column 15: SA is given in line 1 already",
    "condition " + "(" * 60 + "1" + ")" * 60: "nested more than",
    "condition " + "+".join(["1"] * 400): "too large",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_one_line_with_its_place(text):
    with pytest.raises(NotationError, match=r"^line \d+, column \d+: ") as caught:
        parse(text)
    assert WRONG[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_read_past():
    assert parse("\ufeffproduce 3").produce == 3
    with pytest.raises(NotationError, match=r"^line 1, column 1: "):
        parse("\ufeffhpc(north)")


def test_of_several_conditions_the_lines_that_do_not_count_are_known():
    script = parse("condition hcp(north) > 3\nproduce 1\nhcp(south) > 3\n1")
    assert script.overruled == (1, 3)
    assert script.condition == parse("1").condition
    assert parse("condition 1").overruled == ()


def test_definitions_that_grow_are_stopped():
    text = "a0 = hcp(north) + 1\n" + "\n".join(
        f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 40)
    )
    with pytest.raises(NotationError, match="too large"):
        parse(text)
