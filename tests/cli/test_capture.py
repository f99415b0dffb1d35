"""``capture`` and ``bid``: what the literal algorithms found, why, and the chance of
every legal call.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge import Hand
from bayesbridge.capture import literal

HAND = "AKQ2.KJ3.A54.Q32"


DUMMY = "J54.AQ2.KQ32.A54"


@pytest.mark.parametrize(
    ("first", "second", "condition"),
    [
        (HAND, DUMMY, "both"),
        ("5432.KJ3.A54.Q32", "876.AQ2.KQ32.A54", "only A"),
        ("5432.KJ3.754.Q32", "876.AQ2.J832.T54", "neither"),
    ],
)
def test_capture_says_in_json_what_the_literal_algorithm_found(
    document, first, second, condition
):
    found = literal.capture(Hand.from_pbn(first), Hand.from_pbn(second))
    said = document("capture", first, second)
    assert said["condition"] == found.condition == condition
    assert [said[key] for key in ("T", "chi", "Delta", "Z")] == [
        found.T,
        found.chi,
        found.Delta,
        found.Z,
    ]
    for key in ("c1", "c2", "c0", "delta", "M", "kappa"):
        assert list(said[key].items()) == list(
            zip("CDHS", getattr(found, key), strict=True)
        )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("capture", HAND, DUMMY),
            "T = 11: both conditions hold, the two hands have 11 captures, and it ends at χ = 12,",
        ),
        (
            ("capture", "K5432.KJ32.A54.Q", "Q876.AQ.KQ732.JT"),
            "T = 0: condition A holds (Δ = 3), condition B fails in",
        ),
        (
            ("capture", "5432.KJ3.754.Q32", "876.AQ2.J832.T54"),
            "T = 0: condition A fails, for the leading gaps add up to Δ = ",
        ),
        (
            ("bid", "AKQ2.AKJ.AK4.A32"),
            "3NT: the target of 9 tricks is met with 9 captures, that of 10 is not: only 9",
        ),
        (("bid", "AKQJ.AKQ.AKQ.AKQ"), "7NT: every target up to 13 tricks is met."),
        (
            ("bid", "5432.KJ3.A54.Q32"),
            "Pass: the target of 7 tricks is not met: condition A fails, for the leading gaps",
        ),
        (
            ("bid", "KQ5432.AK3.A54.K"),
            "Pass: the target of 7 tricks is not met: condition B fails in ♣ clubs:",
        ),
    ],
)
def test_people_are_told_why(answer, words, sentence):
    assert sentence in " ".join(answer(*words).split())


def test_bid_says_in_json_what_the_literal_algorithm_found(document):
    said = document("bid", "AKQ2.AKJ.AK4.A32")
    assert (said["level"], said["call"]) == (3, "3NT")
    assert said["counts"] == {
        "7": 9,
        "8": 9,
        "9": 9,
        "10": 9,
        "11": 9,
        "12": 9,
        "13": 8,
    }
    said = document("bid", "5432.KJ3.A54.Q32")
    assert (said["level"], said["call"]) == (0, "Pass")
    assert said["counts"] == dict.fromkeys(map(str, range(7, 14)), 0)


def test_every_legal_call_has_its_chance(document, answer):
    """The learned bidder's own figures: all legal calls, most likely first, one in all."""
    hand, words = "AKQ2.KJ3.A54.Q32", ("--auction", "1H")
    said = document("bid", hand, *words)
    assert (said["players"], said["seat"], said["auction"], said["call"]) == (
        4,
        "S",
        "E:1H",
        "X",
    )
    legal = bb.Auction.of("E:1H").legal_calls()
    masks = np.array([bb.Hand.of(hand).mask], np.uint64)
    own = bb.LearnedBidder().probabilities(masks, bb.Auction.of("E:1H"))[0]
    assert said["calls"] == {
        str(call): pytest.approx(own[call.index]) for call in legal
    }
    assert list(said["calls"].values()) == sorted(said["calls"].values(), reverse=True)
    assert sum(said["calls"].values()) == pytest.approx(1.0)
    assert document("bid", hand, "--auction", "(1H)") == said
    assert document("bid", hand, "--auction", "W:1H p p")["seat"] == "S"
    assert document("bid", hand, "--auction", "1H-3H")["auction"] == "S:1H Pass 3H Pass"
    assert "X " in answer("bid", hand, *words)


def test_who_bids_makes_a_difference(document, complaint):
    hand = "92.KQJ983.54.Q32"
    opening = document("bid", hand, "--players", "4")["calls"]
    assert len(opening) == 36
    assert document("bid", hand, "--system", "weak-twos")["calls"]["2H"] > opening["2H"]
    assert document("bid", hand, "--vulnerable", "All")["calls"] != opening
    three = document("bid", hand, "--players", "3", "--auction", "1NT")
    assert (three["players"], three["call"]) == (3, "Pass")
    assert "is over" in complaint("bid", hand, "--auction", "1NT p p p")
    assert "did you mean 'learned'?" in complaint("bid", hand, "--bidder", "lerned")


def test_a_call_that_depends_on_the_system_says_so(answer, document):
    """Twelve balanced points are a weak no trump, in the one system of the two that has
    it.
    """
    words = ("bid", "AQ5.KJ3.Q954.973", "--auction", "E:p")
    systems = document(*words)["by_system"]
    assert (
        systems["experts"]["call"]
        == document(*words)["call"]
        == systems["sayc"]["call"]
        == "1D"
    )
    assert (
        systems["acol"]["call"] == document(*words, "--system", "acol")["call"] == "1NT"
    )
    assert (
        "This depends on what they play: with --system acol the hand bids 1NT"
        in answer(*words)
    )
    assert "depends" not in answer(*words, "--system", "acol")


def test_a_hand_may_begin_with_a_void_and_come_in_any_spelling(document):
    assert document("bid", "-.AKQJ.akqj2.AK103")["hand"] == ".AKQJ.AKQJ2.AKT3"
