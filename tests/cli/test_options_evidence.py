"""Options of evidence, auctions, records and systems say what Python values say."""

import re
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.cli.commands import parse_arguments
from bayesbridge.cli.positions import position_of
from bayesbridge.game.deal import Seat
from bayesbridge.notation import read_pbn
from bayesbridge.position import Position, python_lines

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = ("--observer", "S", "--hand", HAND)
OPEN = ("--reveal", "N:J54.AQ2.KQ76.A85")
BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")


def position(*words):
    return position_of(parse_arguments(["count", *words]))


def believed(*words):
    return position(*words).belief()


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
    played_first = believed(
        *SOUTH, "--play", "E:HA", "--void", "E:H", "--call", "W:1NT", "--play", "S:HK"
    )
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
    assert believed("--observer", "north", "--hand", HAND, "--dummy", "E").pair == (
        bb.Seat.N,
        bb.Seat.E,
    )
    assert believed(*SOUTH, "--players", "3") == believed(*SOUTH)
    four = believed(*SOUTH, "--players", "4", "--call", "N:1H", "--call", "E:X")
    assert four.dummy is None
    assert str(four.auction) == "N:1H X"


CALLS = ("--call", "W:1C", "--call", "S:1NT", "--call", "E:2NT")


def test_passes_that_nobody_mentioned_are_said(answer, document):
    counted = document("count", *SOUTH, *CALLS)
    assert counted["assumed_passes"] == ["E", "W"]
    assert counted["auction"] == "W:1C Pass 1NT Pass 2NT"
    text = answer("count", *SOUTH, *CALLS)
    assert "Taken to have passed, since no call of theirs was given: E, W." in text
    assert document("count", *SOUTH, "--call", "W:1C")["assumed_passes"] == []


@pytest.mark.parametrize(
    ("auction", "read", "passed"),
    [
        ("1H-3H", "S:1H Pass 3H Pass", ["W"]),
        ("1♥ 3♥", "S:1H Pass 3H Pass", ["W"]),
        ("1C-1H-2H", "N:1C Pass 1H Pass 2H Pass", ["E", "W"]),
        ("E:1H-3H", "E:1H Pass 3H", ["S"]),
        ("1H-3H-AP", "E:1H Pass 3H Pass Pass Pass", ["S"]),
        ("1NT 3NT all pass", "E:1NT Pass 3NT Pass Pass Pass", ["S"]),
        ("(1H) 2C (p)", "W:1H 2C Pass", []),
    ],
)
def test_calls_of_one_side_are_ours_and_passes_are_put_in(
    auction, read, passed, document
):
    counted = document("count", *SOUTH, "--auction", auction)
    assert (counted["auction"], counted["assumed_passes"]) == (read, passed)


def test_count_counts(document, answer):
    counted = document("count", *SOUTH)
    assert counted["layouts"] == "84478098072866400"
    assert counted["entropy_bits"] == pytest.approx(56.2294268726)
    assert (
        document("count", *SOUTH, "--reveal", "N:J54.AQ2.KQ76.A85")["layouts"]
        == "10400600"
    )
    belief = bb.Belief("S", HAND).given(
        bb.Void("E", "H"), bb.Length("W", "S", 5), bb.HighCards("W", 10, 12)
    )
    counted = document(
        "count", *SOUTH, "--void", "E:H", "--length", "W:S:5+", "--hcp", "W:10-12"
    )
    assert counted["layouts"] == str(belief.count())
    assert counted["evidence"] == [
        "E is void in H",
        "W has 5 to 13 cards in S",
        "W has 10 to 12 high-card points",
    ]
    other_hands = ("--reveal", "N:J54.AQ2.KQ76.A85", "--reveal", "E:T9876.T9876.JT9.")
    assert answer("count", *SOUTH, *other_hands).endswith(
        "\n1 layout fits: 0.00 bits.\n"
    )
    assert "84 478 098 072 866 400 layouts fit: 56.23 bits." in answer("count", *SOUTH)


def test_the_number_of_players_follows_from_what_is_given():
    three = [
        (),
        ("--call", "W:1NT"),
        ("--call", "W:1H", "--call", "E:2H"),
        ("--dummy", "N", "--auction", "S:1NT 2NT p p"),
    ]
    four = [
        ("--call", "N:1H"),
        ("--call", "W:1H", "--call", "S:X"),
        ("--auction", "1H p"),
        ("--auction", "S:1NT p p"),
        ("--auction", "1S p 2S p p p"),
        ("--auction", "(1H) p (2H)"),
        ("--auction", "N:1H p"),
        ("--dealer", "N", "--auction", "1H p"),
        ("--system", "weak-twos"),
        ("--player", "none"),
        ("--bidder", "learned"),
    ]
    for words in three:
        assert believed(*SOUTH, *words) == believed(*SOUTH, "--players", "3", *words)
    for words in four:
        assert believed(*SOUTH, *words) == believed(*SOUTH, "--players", "4", *words)
        assert believed(*SOUTH, *words).dummy is None


def test_every_command_reads_an_auction_as_the_same_game(document):
    """Partner opens, for a hand that bids and for one whose contracts are ranked."""
    hand = "A4.KJ85.K9763.82"
    auction = ("--auction", "1H p")
    documents = [
        document("bid", hand, *auction),
        document("contracts", "--hand", hand, *auction, "--solve", "0"),
        document("count", "--hand", hand, *auction),
    ]
    assert [document_of_command["auction"] for document_of_command in documents] == [
        "N:1H Pass"
    ] * 3
    assert [document_of_command["players"] for document_of_command in documents] == [
        4
    ] * 3


BRIDGE = "Bridge, where all four seats bid. For the paper's game of three: --players 3."
PAPER = "The paper's game of three, where North does not bid. For bridge: --players 4."


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("count", *SOUTH, "--auction", "1H p"), BRIDGE),
        (("count", *SOUTH, "--call", "W:1H"), PAPER),
        (("estimate", *SOUTH, "--call", "W:1H", "--draws", "200"), PAPER),
        (("estimate", "--auction", "1H p"), BRIDGE),
        (("contracts", *SOUTH, "--call", "W:1H", "--solve", "0"), PAPER),
        (("play", *SOUTH, "--trick", "W:H5"), PAPER),
        (("suit", *SOUTH, *OPEN, "--suit", "S"), PAPER),
        (("bid", HAND, "--auction", "1H"), BRIDGE),
        (("bid", HAND), PAPER),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_the_first_line_says_which_game_is_meant_and_how_to_change_it(
    answer, words, line
):
    assert answer(*words).splitlines()[0] == line


@pytest.mark.parametrize(
    "words",
    [
        ("count", *SOUTH, "--players", "4"),
        ("count", *SOUTH, "--players", "3"),
        ("count", *SOUTH, "--dummy", "N"),
        ("count", "--record", BOARDS, "--board", "2"),
        ("bid", HAND, "--players", "4"),
    ],
)
def test_a_game_that_is_named_is_not_doubted(answer, words):
    assert "--players" not in answer(*words)


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
    written = [
        "S:1S p 3S p",
        "S:1S-P-3S-P",
        "S: 1S, pass, 3S, -",
        "S:1S (p) 3S (p)",
        "S:1S 3S (p)",
    ]
    assert (
        len({str(believed(*SOUTH, "--auction", text).auction) for text in written}) == 1
    )


FOUR = (
    "--observer",
    "S",
    "--hand",
    "A432.K43.J54.Q32",
    "--players",
    "4",
    "--call",
    "W:1NT",
)
SYSTEMS = ("--system", "strong-notrump", "--system", "ew:weak-twos = 0.3")


def test_options_files_and_python_say_the_same(tmp_path):
    example = position(*FOUR, *SYSTEMS, "--vulnerable", "All")
    belief = example.belief()
    assert belief.bidder == bb.SystemBidder(
        ["strong-notrump", "EW:weak-twos=0.3"], base=bb.LearnedBidder("All")
    )
    assert position(*example.words()).belief() == belief
    (tmp_path / "p.toml").write_text(example.toml())
    assert 'system = ["strong-notrump", "EW:weak-twos=0.3"]' in example.toml()
    assert Position.read(str(tmp_path / "p.toml")).belief() == belief
    scope = {"bb": bb}
    exec(python_lines(belief), scope)
    assert scope["belief"] == belief
    (tmp_path / "one.toml").write_text(
        example.toml().replace('["strong-notrump", "EW:weak-twos=0.3"]', '"weak-twos"')
    )
    assert (
        Position.read(str(tmp_path / "one.toml")).belief().bidder.systems[0].text
        == "weak-twos"
    )


def test_it_is_said_in_words(answer, document):
    systems = document("count", *FOUR, *SYSTEMS)["systems"]
    assert systems[1].startswith(
        "weak-twos, EW with probability 0.3 (opening 2D shows 5-10 points, D6; "
    )
    assert "Assumed to play: strong-notrump, both sides (opening 1NT shows" in answer(
        "count", *FOUR, *SYSTEMS
    )
    assert "systems" not in document("count", *FOUR)


def test_answers_follow_the_system(document):
    calls = document(
        "bid", "AQ5.KJ3.KJ54.Q73", "--auction", "1NT p 2NT p", "--system", "sayc"
    )["calls"]
    assert calls["3NT"] > 0.8 > 0.1 > calls["3C"]


WEST = ("--players", "4", "--observer", "W", "--hand", "AJ6532.K742.Q.96")


@pytest.mark.parametrize(
    ("words", "dealer"),
    [
        (("--auction", "1NT p 3NT p p p"), "S"),  # West leads
        (("--auction", "1NT p 3NT p p p", "--dealer", "N"), "N"),
        (("--auction", "1NT p 3NT"), "N"),  # West is to call
        (("--auction", "p 1NT p"), "N"),
        (("--auction", "1NT p 3NT p p p", "--play", "N:SK"), "W"),  # North led
    ],
)
def test_who_began_is_told_or_follows(words, dealer):
    assert believed(*WEST, *words).auction.first == Seat.of(dealer)


def test_an_auction_of_three_is_asked_for(complaint):
    assert believed(*SOUTH, "--auction", "1NT p").auction.first == Seat.N
    three = believed(*SOUTH, "--auction", "1NT p", "--players", "3")
    assert three.auction.first == Seat.W
    line = complaint("count", *SOUTH, "--auction", "1NT p 3NT p p p", "--players", "3")
    assert line.startswith("argument --auction: illegal call")
    assert line.endswith(
        "(only three bid here, not N; for the usual game add --players 4)"
    )


@pytest.mark.parametrize(
    ("words", "cards"),
    [((), None), (("--after-trick", "4"), 16), (("--after-trick", "0"), 0)],
    ids=str,
)
def test_a_moment_of_a_record_is_what_the_seat_saw(words, cards):
    record = read_pbn(BOARDS).records[1]
    belief = believed("--record", BOARDS, "--board", "2", "--observer", "W", *words)
    expected = bb.Belief.of_record(record, "W", cards=cards)
    assert (belief.hand, belief.evidence, belief.bidder, belief.player) == (
        expected.hand,
        expected.evidence,
        expected.bidder,
        expected.player,
    )


def test_points_of_the_hidden_hands(document, answer):
    """Points are exact, and agree with the posterior's own answer.

    The screen shows the mean and the middle four fifths.
    """
    words = (
        "estimate",
        "--observer",
        "S",
        "--hand",
        "AKQ2.KJ3.A54.Q32",
        "--hcp",
        "W:5+",
    )
    estimate = document(*words)
    west = {
        int(points): share
        for points, share in estimate["point_probabilities"]["W"].items()
    }
    assert estimate["points_exact"] is True
    assert sum(west.values()) == pytest.approx(1)
    assert all(west[points] == 0 for points in range(5))
    mean = sum(points * share for points, share in west.items())
    row = re.search(r"^W +([\d.]+) +(\d+) to (\d+) ", answer(*words), re.M)
    assert float(row[1]) == pytest.approx(mean, abs=0.051)
    low = int(row[2])
    high = int(row[3])
    assert (
        sum(west[points] for points in range(low))
        < 0.1
        <= sum(west[points] for points in range(low + 1))
    )
    assert (
        sum(west[points] for points in range(high))
        < 0.9
        <= sum(west[points] for points in range(high + 1))
    )


NAMED = Path(BOARDS).read_text("utf-8").split("[Event ")[2]
NAMES = {"West": "Anna Berg", "North": "Bob", "East": "Carla", "South": "Dan"}


@pytest.fixture
def named_record(tmp_path):
    """A board whose players have names."""
    text = "[Event " + NAMED
    for seat, name in NAMES.items():
        text = re.sub(rf'\[{seat} ".*?"\]', f'[{seat} "{name}"]', text)
    path = tmp_path / "named.pbn"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "seat"), [("anna berg", "W"), ("Anna", "W"), ("Dan", "S"), ("Bob", "N")]
)
def test_the_observer_of_a_record_may_be_named(named_record, name, seat):
    words = ("--record", named_record, "--observer")
    assert believed(*words, name) == believed(*words, seat)


def test_a_name_that_nobody_has_is_told_who_sits_there(named_record, complaint):
    line = complaint("count", "--record", named_record, "--observer", "Carl Smith")
    assert line.startswith("argument --observer: 'Carl Smith' is neither a seat nor a")
    assert "unknown seat 'Anna'" in complaint("count", "--observer", "Anna", *SOUTH[2:])


def test_a_page_of_a_record_may_be_of_a_named_player(named_record, answer):
    page = answer("report", named_record, "--text", "--observer", "Carla")
    assert "what E believes" in page


def test_a_record_has_no_history_to_leave_out(named_record, complaint):
    line = complaint("report", named_record, "--no-history")
    assert line.startswith("argument --no-history: a record is stepped through")
    assert line.endswith("which is its history: leave --no-history out")
