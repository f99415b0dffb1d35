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
    assert played_first.evidence == (bb.Play("E", "HA"), bb.Void("E", "H"), bb.Called("W", "1NT"), bb.Play("S", "HK"))
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
    assert said["evidence"] == ["E is void in H", "W has 5 to 13 cards in S", "W has 10 to 12 high-card points"]
    whole = ("--reveal", "N:J54.AQ2.KQ76.A85", "--reveal", "E:T9876.T9876.JT9.")
    assert answer("count", *SOUTH, *whole).endswith("\n1 layout fits: 0.00 bits.\n")
    assert "84 478 098 072 866 400 layouts fit: 56.23 bits." in answer("count", *SOUTH)


def test_the_number_of_players_follows_from_what_is_given():
    three = [(), ("--call", "W:1NT"), ("--auction", "S:1NT p p"), ("--dummy", "N", "--auction", "S:1NT 2NT p p")]
    four = [
        ("--call", "N:1H"),
        ("--call", "W:1H", "--call", "S:X"),
        ("--auction", "1S p 2S p p p"),
        ("--auction", "(1H) p (2H)"),
        ("--auction", "N:1H p"),
        ("--dealer", "N", "--auction", "1H p"),
        ("--system", "weak-twos"),
        ("--player", "none"),
        ("--bidder", "learned"),
    ]
    for more in three:
        assert believed(*SOUTH, *more) == believed(*SOUTH, "--players", "3", *more)
    for more in four:
        assert believed(*SOUTH, *more) == believed(*SOUTH, "--players", "4", *more)
        assert believed(*SOUTH, *more).dummy is None


@pytest.mark.parametrize(
    "words",
    [
        ("--dummy", "N", "--call", "N:1NT"),
        ("--players", "3", "--call", "W:1NT", "--call", "E:X"),
        ("--players", "3", "--auction", "S:1S p 3S p p p"),
        ("--dummy", "W", "--system", "weak-twos"),
    ],
)
def test_what_three_players_cannot_do_says_how_four_are_asked_for(complaint, words):
    assert "--players 4" in complaint("count", *SOUTH, *words)
    assert "--players 4" in complaint("count", "--observer", "N", "--hand", SOUTH[-1])


def test_auctions_as_people_write_them():
    written = ["S:1S p 3S p", "S:1S-P-3S-P", "S: 1S, pass, 3S, -", "S:1S (p) 3S (p)", "S:1S 3S (p)"]
    assert len({str(believed(*SOUTH, "--auction", text).auction) for text in written}) == 1


def test_brackets_are_the_opponents(complaint):
    assert str(believed(*SOUTH, "--auction", "(1H) 2H (4H)").auction) == "W:1H 2H 4H"
    assert "in brackets" in complaint("count", *SOUTH, "--auction", "E:1H (2S)")
