"""``suit`` and ``estimate --card``: plans on the screen and in JSON, and bad input."""

import pytest

import bayesbridge as bb

SEEN = (
    "--observer",
    "S",
    "--hand",
    "K954.KJ3.A54.Q32",
    "--reveal",
    "N:AJT32.A2.K76.A54",
)


def test_a_suit_by_vacant_places(document, answer):
    plans = document("suit", "AJT32", "K954")
    play = bb.suit_play("AJT32", "K954")
    assert plans == play.document()
    assert [
        (line["goal"], line["chance"] and round(line["chance"], 4))
        for line in plans["lines"]
    ][-1] == (5, 0.5791)
    assert plans["lines"][0]["plan"]["lead"] == "A"
    out = answer("suit", "AJT32", "K954")
    assert "5 or more" in out
    assert "57.9 %" in out
    assert "North leads the ace, South plays the 4." in out
    assert len(answer("suit", "AJT32", "K954", "--tricks", "4")) > len(out)


def test_vacant_places_and_small_cards(document, answer):
    assert document("suit", "AQJ", "xxx", "--vacant", "5:15")["lines"][-1][
        "chance"
    ] == pytest.approx(0.25)
    screen = answer("suit", "AQJ", "xxx", "--vacant", "5:15")
    assert "West with 5 vacant places and East with 15" in " ".join(screen.split())
    assert "Plan A:\n  Nothing is to choose." in answer("suit", "AKQ", "xxx")


def test_a_suit_by_evidence(document):
    plans = document("suit", "AJT32", "K954", *SEEN, "--length", "W:H:7")
    belief = bb.Belief("S", "K954.KJ3.A54.Q32").given(
        bb.Reveal("N", "AJT32.A2.K76.A54"), bb.Length("W", "H", 7, 7)
    )
    assert (
        plans["lines"]
        == bb.suit_play("AJT32", "K954", belief.infer()).document()["lines"]
    )
    assert (plans["exact"], plans["observer"]) == (True, "S")
    assert (
        document("suit", "--suit", "S", *SEEN, "--length", "W:H:7")["lines"]
        == plans["lines"]
    )


def test_where_a_card_lies(document, answer, complaint):
    history = document("estimate", *SEEN, "--length", "W:S:3+", "--card", "SQ")[
        "card_history"
    ]
    assert history["card"] == "SQ"
    at_start, _, at_end = history["steps"]
    assert (at_start["event"], at_start["W"], at_start["exact"]) == (
        "S's hand",
        pytest.approx(1 / 3),
        True,
    )
    # West has three or four of the spades Q 8 7 6: with three, the queen is among them
    # in three of four layouts.
    from math import comb

    three = 4 * comb(22, 10)
    four = comb(22, 9)
    assert at_end["W"] == pytest.approx((0.75 * three + four) / (three + four))
    out = answer("estimate", *SEEN, "--card", "SQ")
    assert "Where ♠Q lies, after each piece of evidence" in out
    played = (
        "--auction",
        "S:1NT p 3NT p p p",
        "--play",
        "W:HQ",
        "--draws",
        "100",
        "--card",
        "HQ",
    )
    table = answer("estimate", *SEEN, *played).partition("Where ♥Q lies")[2]
    assert table.split("\n\n")[1].splitlines()[-1].endswith(" exact")
    assert (
        complaint("estimate", *SEEN, "--card", "SK")
        == "argument --card: SK is in S's own hand: name another card"
    )


def test_a_continuation_that_is_always_so_has_no_condition():
    notes = bb.suit_play("AKQ2", "543").shown(2).notes
    assert list(notes[1:3]) == [
        "  North leads the queen, South plays the 3.",
        "  North leads the king, South plays the 4.",
    ]
    assert not any("If " in note for note in notes)


def test_a_continuation_that_depends_stands_below_its_condition():
    notes = list(bb.suit_play("KQ2", "543").shown(2).notes)
    place = notes.index("    If West plays low and East plays the ace:")
    assert notes[place + 1] == "      North leads the king, South plays the 4."
