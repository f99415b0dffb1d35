"""PBN: golden documents, peculiar ones, and records that come back equal."""

import pytest
from hypothesis import given

from bayesbridge import Auction, Contract, Seat
from bayesbridge.notation import (
    Record,
    Tag,
    Vulnerability,
    read_hands,
    read_pbn,
    write_pbn,
)
from tests.notation.records import GOLDEN, records, written

pytestmark = pytest.mark.quick

AS_FOUND = read_pbn(GOLDEN / "as_found.pbn")


@given(records(), records())
def test_what_is_written_is_read_back_equal(first, second):
    reading = read_pbn(written(write_pbn, first, second))
    assert reading.records == (first, second)
    assert reading.skipped == ()


def test_the_golden_match_comes_out_as_it_went_in():
    path = GOLDEN / "match.pbn"
    reading = read_pbn(path)
    assert reading.skipped == ()
    assert written(write_pbn, *reading.records) == path.read_text("utf-8")


def test_the_golden_match():
    first, second, third, fourth, fifth, sixth = read_pbn(GOLDEN / "match.pbn").records
    assert first.contract == Contract.of("3D by W")
    assert (first.result, first.claimed, len(first.plays)) == (9, False, 52)
    # East won trick 1 and led to trick 2, which stands in the second column.
    assert (
        " ".join(f"{seat.name}:{card}" for seat, card in first.plays[3:8])
        == "W:H6 E:D6 S:D3 W:D4 N:D2"
    )
    assert second.alerts == ((2, "transfer"), (6, ""))
    assert (second.result, second.claimed, len(second.plays)) == (9, True, 22)
    assert third.passed_out
    assert fourth.contract == Contract.of("2HX by S")
    assert [f"{seat.name}:{card}" for seat, card in fourth.plays[-1:]] == ["N:S8"]
    assert (fifth.result, fifth.claimed) == (None, True)
    assert sixth.auction == Auction.of("S:1S 2C")
    assert sixth.contract is None


def test_a_file_as_they_come():
    first, second, third = AS_FOUND.records
    assert first == Record(
        board="1",
        room="Open",
        dealer=Seat.N,
        vulnerable=Vulnerability.NONE,
        hands=read_hands(
            "N:A.Q8542.J82.KQ85 JT76.97.KT76.743 Q542.J3.A953.AJ9 K983.AKT6.Q4.T62"
        ),
        auction=Auction.of("N:1C Pass 1S X 2S Pass"),
        alerts=((0, "could be short"),),
        tags=(
            Tag("Event", 'A "quoted" match'),
            Tag("Site", "C:\\clubs\\"),
            Tag("Date", "2001.02.03"),
            Tag("ScoreTable", "Rank\\2R;Score\\3R", (" 1 620", " 2 600")),
        ),
    )
    assert (second.tag("Event"), second.contract, second.result) == (
        'A "quoted" match',
        Contract.of("2HX by S"),
        6,
    )
    assert second.auction == Auction.of(
        "E:Pass Pass 2D X XX 2H Pass Pass X Pass Pass Pass"
    )
    golden = read_pbn(GOLDEN / "match.pbn").records[3]
    assert (second.hands, second.plays, second.claimed) == (
        golden.hands,
        golden.plays,
        True,
    )
    assert (third.board, third.hands, third.auction, third.tag("Contract")) == (
        "2",
        second.hands,
        None,
        "Pass",
    )
    assert AS_FOUND.skipped == ()


@pytest.mark.parametrize(
    ("result", "tricks"),
    [
        ("9", 9),
        ("^9", 9),
        ("NS 9", 9),
        ("EW 4", 9),
        ("NS 9 EW 4", 9),
        ("?", None),
        ("", None),
    ],
)
def test_results(result, tricks):
    text = f'[Declarer "N"]\n[Contract "2H"]\n[Result "{result}"]'
    (record,) = read_pbn(text).records
    assert (record.result, record.claimed) == (tricks, tricks is not None)


def test_a_pass_too_many_is_forgiven_and_told():
    reading = read_pbn('[Auction "N"]\n1C Pass Pass Pass\nPass =1= Pass')
    assert reading.records[0].auction == Auction.of("N:1C Pass Pass Pass")
    assert [str(note) for note in reading.skipped] == [
        "<text>:3: 2 more Pass after the end of the auction 'N:1C Pass Pass Pass'; "
        "the surplus is left out"
    ]


def test_a_play_in_progress_is_not_claimed():
    (record,) = read_pbn(
        '[Declarer "N"]\n[Contract "2H"]\n[Play "E"]\nS2 S3\n+'
    ).records
    assert not record.claimed
    assert len(record.plays) == 2


def test_empty_lines_may_be_missing_or_stand_inside_a_game():
    assert [
        record.board
        for record in read_pbn('[Board "1"]\n[Dealer "N"]\n[Board "2"]').records
    ] == ["1", "2"]
    (record,) = read_pbn(
        '[Board "1"]\n\n[Dealer "N"]\n\n[Auction "N"]\n1C\n\n1D\n'
    ).records
    assert record.auction == Auction.of("N:1C 1D")
