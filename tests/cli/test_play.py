"""``play`` in a trick: P(card wins) for the seat in turn."""

from math import comb

import pytest

import bayesbridge as bb
from bayesbridge.belief.wins import card_wins

HAND = "AKQ2.AJ3.A54.Q32"
DUMMY = "J54.Q72.KQ76.A85"
OPEN = ("--observer", "S", "--hand", HAND, "--reveal", f"N:{DUMMY}")
# Few layouts: East's other four cards are among 17.
HELD = ("--holds", "E:ST,S9,S8,DJ,DT,D9,CK,CJ,CT")
FIRST = ("--play", "W:H5", "--play", "N:HQ", "--play", "E:H4", "--play", "S:H3")


def test_the_queen_wins_where_east_has_not_the_king(document):
    """West led, so 12 of the other 25 unseen cards are his: P(HQ wins) = 12/25.

    H7 wins where he has K T 9 8 too.
    """
    trick_odds = document("play", *OPEN, "--trick", "W:H5", "--seat", "N")
    assert trick_odds["wins"] == pytest.approx(
        {"HQ": 12 / 25, "H7": comb(21, 8) / comb(25, 12), "H2": 0}
    )
    assert (trick_odds["exact"], trick_odds["method"], trick_odds["layouts"]) == (
        True,
        "enumerate",
        str(comb(25, 12)),
    )
    assert (
        trick_odds["trick"],
        trick_odds["seat"],
        trick_odds["trump"],
        trick_odds["ess"],
    ) == (
        "W:H5",
        "N",
        None,
        None,
    )
    assert trick_odds["evidence"][-1] == "W plays H5"


def test_numbers_are_those_of_the_python_name(document):
    belief = bb.Belief("S", HAND, trump="C").given(
        bb.Reveal("N", DUMMY), bb.Holds("E", HELD[1][2:]), bb.Play("W", "H5")
    )
    expected = card_wins(belief.infer(rng=1), bb.Trick.of("W:H5", trump="C"))
    trick_odds = document(
        "play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N", "--trump", "C"
    )
    assert trick_odds["wins"] == {
        str(card): pytest.approx(chance) for card, chance in expected.items()
    }
    assert trick_odds["trump"] == "C"
    no_trump_odds = document("play", *OPEN, *HELD, "--trick", "W:H5", "--seat", "N")
    # With clubs as trumps East may be void and ruff.
    assert no_trump_odds["wins"]["HQ"] > trick_odds["wins"]["HQ"]


@pytest.mark.parametrize(
    "played", [(), ("--play", "W:H5"), ("--play", "W:H5", "--play", "N:H2")]
)
def test_cards_of_the_trick_need_not_be_given_twice(document, played):
    trick_odds = document(
        "play", *OPEN, *HELD, *played, "--trick", "W:H5 H2", "--seat", "E"
    )
    assert trick_odds["evidence"][-2:] == ["W plays H5", "N plays H2"]
    assert len(trick_odds["evidence"]) == 4


def test_a_hidden_hand_is_judged_given_that_it_may_play_the_card(document, answer):
    words = ("play", *OPEN, *HELD, "--trick", "W:H5,HQ", "--seat", "E")
    trick_odds = document(*words)
    assert trick_odds["wins"]["HK"] == 0  # South's ace beats it
    assert "ST" in trick_odds["wins"]  # where East is void in hearts
    assert (
        "E's hand is hidden: each figure is given that E may play the card."
        in answer(*words)
    )


def test_the_cards_played_tell_trick_and_seat(document):
    documents = [
        document("play", *OPEN, *HELD, *words)
        for words in ((*FIRST, "--trick", "N:", "--seat", "N"), FIRST)
    ]
    assert documents[0] == documents[1]
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
    trick_odds = document(
        "play", *OPEN, *HELD, "--contract", "4C", "--trick", "W:H5 HQ", "--seat", "E"
    )
    assert (trick_odds["trump"], trick_odds["wins"]["CK"]) == ("C", 1.0)  # a ruff


def test_too_many_layouts_are_sampled(document):
    trick_odds = document(
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
    assert (
        trick_odds["exact"],
        trick_odds["method"],
        trick_odds["draws"],
        trick_odds["ess"],
    ) == (
        False,
        "direct",
        1000,
        1000.0,
    )
    assert trick_odds["wins"]["HK"] == 1


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
