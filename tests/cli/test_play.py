"""``play`` in a trick: P(card wins) for the seat in turn."""

from math import comb

import pytest

import bayesbridge as bb
from bayesbridge.belief.wins import card_wins

HAND = "AKQ2.AJ3.A54.Q32"
DUMMY = "J54.Q72.KQ76.A85"
OPEN = ("--observer", "S", "--hand", HAND, "--reveal", f"N:{DUMMY}")
HELD = (
    "--holds",
    "E:ST,S9,S8,DJ,DT,D9,CK,CJ,CT",
)  # East's other four cards are among 17: few layouts
FIRST = ("--play", "W:H5", "--play", "N:HQ", "--play", "E:H4", "--play", "S:H3")


def test_the_queen_wins_where_east_has_not_the_king(document):
    """West led, so 12 of the other 25 unseen cards are his: P(HQ wins) = 12/25; H7 wins
    where he has K T 9 8 too.
    """
    said = document("play", *OPEN, "--trick", "W:H5", "--seat", "N")
    assert said["wins"] == pytest.approx(
        {"HQ": 12 / 25, "H7": comb(21, 8) / comb(25, 12), "H2": 0}
    )
    assert (said["exact"], said["method"], said["layouts"]) == (
        True,
        "enumerate",
        str(comb(25, 12)),
    )
    assert (said["trick"], said["seat"], said["trump"], said["ess"]) == (
        "W:H5",
        "N",
        None,
        None,
    )
    assert said["evidence"][-1] == "W plays H5"


def test_numbers_are_those_of_the_python_name(document):
    belief = bb.Belief("S", HAND, trump="C").given(
        bb.Reveal("N", DUMMY), bb.Holds("E", HELD[1][2:]), bb.Play("W", "H5")
    )
    expected = card_wins(belief.infer(rng=1), bb.Trick.of("W:H5", trump="C"))
    said = document(
        "play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N", "--trump", "C"
    )
    assert said["wins"] == {
        str(card): pytest.approx(chance) for card, chance in expected.items()
    }
    assert said["trump"] == "C"
    plain = document("play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N")
    assert plain["wins"]["HQ"] > said["wins"]["HQ"]  # East may be void and ruff


@pytest.mark.parametrize(
    "played", [(), ("--play", "W:H5"), ("--play", "W:H5", "--play", "N:H2")]
)
def test_cards_of_the_trick_need_not_be_given_twice(document, played):
    said = document("play", *OPEN, *HELD, *played, "--trick", "W:H5 H2", "--seat", "E")
    assert said["evidence"][-2:] == ["W plays H5", "N plays H2"]
    assert len(said["evidence"]) == 4


def test_a_hidden_hand_is_judged_given_that_it_may_play_the_card(document, answer):
    words = ("play", *OPEN, *HELD, "--trick", "W:H5,HQ", "--seat", "E")
    said = document(*words)
    assert said["wins"]["HK"] == 0  # South's ace beats it
    assert "ST" in said["wins"]  # where East is void in hearts
    assert (
        "E's hand is hidden: each figure is given that E may play the card."
        in answer(*words)
    )


def test_the_cards_played_tell_trick_and_seat(document):
    told = [
        document("play", *OPEN, *HELD, *words)
        for words in ((*FIRST, "--trick", "N:", "--seat", "N"), FIRST)
    ]
    assert told[0] == told[1]
    begun = document("play", *OPEN, *HELD, *FIRST[:4])
    assert (begun["trick"], begun["seat"]) == ("W:H5 HQ", "E")


@pytest.mark.parametrize("dealer", [(), ("--dealer", "S")])
def test_the_trick_tells_who_led(document, complaint, dealer):
    """And so who dealt; where that is told wrongly the line says who it was."""
    words = (
        "play",
        *OPEN,
        *HELD,
        "--auction",
        "1NT p 3NT p p p",
        "--trick",
        "W:H5",
        "--solve",
        "2",
    )
    assert document(*words, *dealer)["contract"] == "3NT by S"
    line = "W led, but against 3NT by E it is S's lead: fix either, or let S deal (--dealer S)"
    assert complaint(*words, "--dealer", "E") == line


def test_a_contract_tells_the_trumps_for_a_hidden_seat(document):
    said = document(
        "play", *OPEN, *HELD, "--contract", "4C", "--trick", "W:H5 HQ", "--seat", "E"
    )
    assert (said["trump"], said["wins"]["CK"]) == ("C", 1.0)  # a ruff


def test_too_many_layouts_are_sampled(document):
    said = document(
        "play",
        "--observer",
        "S",
        "--hand",
        HAND,
        "--trick",
        "W:H5",
        "--seat",
        "N",
        "--draws",
        "1000",
    )
    assert (said["exact"], said["method"], said["draws"], said["ess"]) == (
        False,
        "direct",
        1000,
        1000.0,
    )
    assert said["wins"]["HK"] == 1


def test_a_table_for_people(answer):
    text = answer("play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N")
    assert "P(card wins), N to play to 'W:♥5' at no trumps" in text
    assert "Nothing tells the trump suit, so there is none: --trump names it." in text
    assert "hidden: each" not in text
    text = answer(
        "play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N", "--trump", "S"
    )
    assert "at S trumps" in text
    assert "Nothing tells" not in text
