"""The EVIDENCE options: each says what the Python value says, in the order typed."""

import pytest

import bayesbridge as bb
from bayesbridge.cli import build_parser
from bayesbridge.cli.options import position_of

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = ("--observer", "S", "--hand", HAND)


def believed(*words):
    return position_of(build_parser().parse_args(["count", *words])).belief()


PIECES = {
    ("--reveal", "N:J54.AQ2.KQ76.A85"): bb.Reveal("N", "J54.AQ2.KQ76.A85"),
    ("--play", "E:H10"): bb.Play("E", "HT"),
    ("--void", "e:h"): bb.Void("E", "H"),
    ("--length", "W:S:5+"): bb.Length("W", "S", 5, 13),
    ("--length", "W:S:-3"): bb.Length("W", "S", 0, 3),
    ("--hcp", "W:-10"): bb.HighCards("W", 0, 10),
    ("--holds", "E:SJ,HA"): bb.Holds("E", "SJ HA"),
    ("--lacks", "E:SJ, HA"): bb.Lacks("E", "SJ HA"),
    ("--call", "W:1nt"): bb.Called("W", "1NT"),
}


@pytest.mark.parametrize(("words", "piece"), PIECES.items(), ids=map(" ".join, PIECES))
def test_an_option_says_what_the_value_says(words, piece):
    assert believed(*SOUTH, *words) == bb.Belief("S", HAND).given(piece)


def test_the_order_across_options_is_the_order_typed():
    """A void speaks of what was not played before it, so the order matters."""
    played_first = believed(*SOUTH, "--play", "E:HA", "--void", "E:H", "--call", "W:1NT", "--play", "S:HK")
    assert played_first.evidence == (
        bb.Play("E", "HA"),
        bb.Void("E", "H"),
        bb.Called("W", "1NT"),
        bb.Play("S", "HK"),
    )
    with pytest.raises(bb.BayesBridgeError, match="cannot hold together"):
        believed(*SOUTH, "--void", "E:H", "--play", "E:HA")


def test_who_sits_where():
    assert believed(*SOUTH).dummy is bb.Seat.N
    assert believed(*SOUTH, "--dummy", "w").dummy is bb.Seat.W
    assert believed("--observer", "north", "--hand", HAND, "--dummy", "E").pair == (bb.Seat.N, bb.Seat.E)
    assert believed(*SOUTH, "--players", "3") == believed(*SOUTH)
    four = believed(*SOUTH, "--players", "4", "--call", "N:1H", "--call", "E:X")
    assert four.dummy is None
    assert str(four.auction) == "N:1H X"


CALLS = ("--call", "W:1C", "--call", "S:1NT", "--call", "E:2NT")


def test_passes_that_nobody_mentioned_are_said(answer, document):
    said = document("count", *SOUTH, *CALLS)
    assert said["assumed_passes"] == ["E", "W"]
    assert said["auction"] == "W:1C Pass 1NT Pass 2NT"
    text = answer("count", *SOUTH, *CALLS)
    assert "Taken to have passed, since no call of theirs was given: E, W." in text
    assert document("count", *SOUTH, "--call", "W:1C")["assumed_passes"] == []


def test_count_counts(document, answer):
    said = document("count", *SOUTH)
    assert said["layouts"] == "84478098072866400"
    assert said["entropy_bits"] == pytest.approx(56.2294268726)
    assert document("count", *SOUTH, "--reveal", "N:J54.AQ2.KQ76.A85")["layouts"] == "10400600"
    belief = bb.Belief("S", HAND).given(bb.Void("E", "H"), bb.Length("W", "S", 5), bb.HighCards("W", 10, 12))
    said = document("count", *SOUTH, "--void", "E:H", "--length", "W:S:5+", "--hcp", "W:10-12")
    assert said["layouts"] == str(belief.count())
    assert said["evidence"] == [
        "E is void in H",
        "W has 5 to 13 cards in S",
        "W has 10 to 12 high-card points",
    ]
    whole = ("--reveal", "N:J54.AQ2.KQ76.A85", "--reveal", "E:T9876.T9876.JT9.")
    assert answer("count", *SOUTH, *whole).endswith("\n1 layout fits: 0.00 bits.\n")
    assert "84 478 098 072 866 400 layouts fit: 56.23 bits." in answer("count", *SOUTH)


FOUR = ("--players", "4", "--observer", "W", "--hand", "AJ6532.K742.Q.96", "--call", "N:pass", "--call", "E:1NT")
