"""``--auction`` and ``--record``: whole auctions and moments of real tables as positions, and pages of records."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.cli import build_parser
from bayesbridge.cli.options import position_of
from bayesbridge.deal import Seat
from bayesbridge.notation import read_pbn

BOARDS = str(Path(__file__).parents[2] / "examples" / "boards.pbn")
WEST = ("--players", "4", "--observer", "W", "--hand", "AJ6532.K742.Q.96")


def believed(*words):
    return position_of(build_parser().parse_args(["count", *words])).belief()


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (("--auction", "1NT p 3NT p p p"), "S"),  # West leads
        (("--auction", "1NT p 3NT p p p", "--dealer", "N"), "N"),
        (("--auction", "1NT p 3NT"), "N"),  # West is to call
        (("--auction", "p 1NT p"), "N"),
        (("--auction", "1NT p 3NT p p p", "--play", "N:SK"), "W"),  # North led
    ],
)
def test_who_began_is_told_or_follows(words, first):
    assert believed(*WEST, *words).auction.first == Seat.of(first)


def test_three_bid_where_nothing_else_is_said(complaint):
    south = ("--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32")
    assert believed(*south, "--auction", "1NT p").auction.first == Seat.W
    assert believed(*south, "--auction", "1NT p 3NT p p p").dummy is None
    line = complaint("count", *south, "--auction", "1NT p 3NT p p p", "--players", "3")
    assert line.startswith("argument --auction: illegal call")
    assert line.endswith("(only three bid here, not N; for the usual game add --players 4)")


@pytest.mark.parametrize(
    ("words", "cards"), [((), None), (("--after-trick", "4"), 16), (("--after-trick", "0"), 0)], ids=str
)
def test_a_moment_of_a_record_is_what_the_seat_saw(words, cards):
    record = read_pbn(BOARDS).records[1]
    told = believed("--record", BOARDS, "--board", "2", "--observer", "W", *words)
    seen = bb.Belief.of_record(record, "W", cards=cards)
    assert (told.hand, told.evidence, told.bidder, told.player) == (seen.hand, seen.evidence, seen.bidder, seen.player)


def test_points_of_the_hidden_hands(document, answer):
    """Exactly, beside the posterior's own answer; on the screen the mean and the middle of four fifths."""
    words = ("estimate", "--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--hcp", "W:5+")
    said = document(*words)
    west = {int(points): share for points, share in said["point_probabilities"]["W"].items()}
    assert said["points_exact"] is True
    assert sum(west.values()) == pytest.approx(1)
    assert all(west[points] == 0 for points in range(5))
    mean = sum(points * share for points, share in west.items())
    row = re.search(r"^W +([\d.]+) +(\d+) to (\d+) ", answer(*words), re.M)
    assert float(row[1]) == pytest.approx(mean, abs=0.051)
    low, high = int(row[2]), int(row[3])
    assert sum(west[points] for points in range(low)) < 0.1 <= sum(west[points] for points in range(low + 1))
    assert sum(west[points] for points in range(high)) < 0.9 <= sum(west[points] for points in range(high + 1))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_page_of_a_record(folder, answer, document):
    text = Path(BOARDS).read_text("utf-8").split("[Event ")[1]
    short = "[Event " + re.sub(r'(\[Play "N"\]\n.*?\n).*', r"\1*\n", text, flags=re.S)
    (folder / "one.pbn").write_text(re.sub(r'\[Result ".*?"\]\n', "", short), "utf-8")
    said = document("report", "one.pbn", "--observer", "W", "--draws", "50")
    assert (said["file"], said["board"], said["observer"]) == ("report.html", "1", "W")
    first = (folder / "report.html").read_text("utf-8")
    assert said["bytes"] == (folder / "report.html").stat().st_size < 1_000_000
    assert "<h1>Board 1: what West believes</h1>" in first
    steps = json.loads(re.search(r'id="states">(.*?)</script>', first)[1])["steps"]
    assert len(steps) == 1 + 8 + 2 + 1  # the hand, the calls, the lead, dummy, the rest of the trick
    command = unescape(re.search(r"<pre>(bayesbridge report .*?)</pre>", first)[1])
    answer(*shlex.split(command)[1:])
    assert (folder / "report.html").read_text("utf-8") == first


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((BOARDS, "--void", "E:H"), "argument --void: FILE tells what was seen, or is named by --record FILE: leave"),
        (("nowhere.lin",), "there is no file 'nowhere.lin'"),
    ],
)
def test_bad_pages_are_one_line(folder, complaint, words, line):
    assert line in complaint("report", *words)
    assert list(folder.iterdir()) == []
