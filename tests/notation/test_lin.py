"""LIN: golden documents, peculiar ones, and records written and read back."""

import sys

import pytest
from hypothesis import given

from bayesbridge import Auction, Contract, Deal, Seat
from bayesbridge.notation import (
    Record,
    Vulnerability,
    iter_lin,
    read_lin,
    read_pbn,
    write_lin,
)
from tests.notation.records import GOLDEN, records, written
from tests.positions import LIN

pytestmark = pytest.mark.quick

DEAL = Deal.of("N:A.Q8542.J82.KQ85 JT76.97.KT76.743 Q542.J3.A953.AJ9 K983.AKT6.Q4.T62")


@given(records(), records())
def test_what_is_written_is_read_back_as_far_as_lin_carries_it(first, second):
    reading = read_lin(written(write_lin, first, second))
    assert reading.skipped == ()
    for copy, record in zip(reading.records, (first, second), strict=True):
        for name in ("dealer", "vulnerable", "hands", "auction"):
            assert getattr(copy, name) == getattr(record, name)
        assert [index for index, _ in copy.alerts] == [
            index for index, _ in record.alerts
        ]
        if record.auction is not None and record.auction.is_over:
            for name in ("contract", "plays", "result", "claimed"):
                assert getattr(copy, name) == getattr(record, name)


def test_the_golden_match_is_the_same_in_both_formats():
    reading = read_lin(GOLDEN / "match.lin")
    assert reading.skipped == ()
    assert reading.records == read_pbn(GOLDEN / "match.pbn").records
    assert written(write_lin, *reading.records) == (GOLDEN / "match.lin").read_text(
        "utf-8"
    )


def test_a_broadcast_as_they_come():
    reading = read_lin(GOLDEN / "as_found.lin")
    open_record, closed_record = reading.records
    assert reading.skipped == ()
    assert (
        open_record.room,
        open_record.board,
        open_record.dealer,
        open_record.vulnerable,
    ) == (
        "Open",
        "1",
        Seat.N,
        Vulnerability.NONE,
    )
    assert open_record.deal == DEAL
    assert open_record.auction == Auction.of(
        "N:1C Pass 1S X 2S Pass Pass 3D Pass Pass Pass"
    )
    assert open_record.alerts == ((2, ""), (3, "takeout"))
    assert (
        " ".join(f"{seat.name}:{card}" for seat, card in open_record.plays)
        == "N:H4 E:H7 S:H3 W:H6 E:D6 S:D3"
    )
    assert (open_record.contract, open_record.result, open_record.claimed) == (
        Contract.of("3D by W"),
        9,
        True,
    )
    assert [open_record.tag(name) for name in ("South", "East", "vg")] == [
        "Ann",
        "Di",
        "A match,Segment 1,I,1,2,Home,0,Away,0",
    ]
    assert (
        closed_record.room,
        closed_record.board,
        closed_record.tag("South"),
        closed_record.passed_out,
    ) == (
        "Closed",
        "2",
        "Ed",
        True,
    )
    assert closed_record.deal == read_pbn(GOLDEN / "match.pbn").records[2].deal


def test_a_single_board():
    (record,) = read_lin(GOLDEN / "single.lin").records
    assert (record.board, record.room, record.deal, record.vulnerable) == (
        "7",
        "",
        DEAL,
        Vulnerability.ALL,
    )
    assert (record.contract, record.result, record.tag("North")) == (
        Contract.of("1C by N"),
        8,
        "Cy",
    )


@pytest.mark.parametrize(
    ("call", "auction"),
    [
        ("1n", "N:1NT"),
        ("1NT!", "N:1NT"),
        ("1c|mb|D", "N:1C X"),
        ("1c|mb|dbl|mb|R!", "N:1C X XX"),
        ("1c|mb|x|mb|xx", "N:1C X XX"),
        ("pp1s", "N:Pass Pass 1S"),
        ("pass", "N:Pass"),
    ],
)
def test_calls_as_they_are_written(call, auction):
    (record,) = read_lin(f"md|3|mb|{call}|").records
    assert record.auction == Auction.of(auction)


@pytest.mark.parametrize("odd", ["z{n}|x|", "pn|{n}|"])
def test_lin_takes_linear_time(odd):
    """Four times the keys and boards are four times the work.

    It is counted in calls of Python functions.
    """

    def work(n):
        text = "".join(odd.replace("{n}", str(i)) for i in range(n)) + LIN.strip() * (
            n // 8
        )
        calls = 0

        def count(frame, event, argument):
            nonlocal calls
            calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            records_read = sum(
                isinstance(item, Record) for item in iter_lin(text + "\n")
            )
        finally:
            sys.setprofile(before)
        assert records_read == n // 8
        return calls

    assert work(1600) < 4.5 * work(400)
