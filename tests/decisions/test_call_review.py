"""Calls on record beside the one that is recommended: by what the caller knew then."""

from dataclasses import replace

import pytest

import bayesbridge as bb
from bayesbridge.decisions.call_review import (
    BEST,
    COSTLY,
    LEVEL,
    CallReview,
    JudgedCall,
    call_costs,
    judged_calls,
    review_calls,
)
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import NotationError
from bayesbridge.notation.record import Record

HOW = {"layouts": 24, "rng": 3}


@pytest.fixture(scope="module")
def record():
    return bb.open_records("examples/boards.pbn").records[0]


@pytest.fixture(scope="module")
def rows(record):
    return list(judged_calls(record, **HOW))


def test_every_call_has_a_row(record, rows):
    assert [(row.seat, row.call) for row in rows] == list(record.auction)
    for row in rows:
        assert (row.verdict == BEST) == (row.call == row.best)
        assert row.verdict in (BEST, LEVEL, COSTLY)
        assert row.choices >= 1


def test_a_player_alone_has_the_same_rows(record, rows):
    seat = rows[0].seat
    alone = list(judged_calls(record, [seat], **HOW))
    assert alone == [row for row in rows if row.seat == seat]


def test_later_calls_and_hidden_hands_change_nothing_before_them(record, rows):
    """The first three calls, with other hands in the other places and another end."""
    auction = record.auction
    begun = bb.Auction(auction.first, auction.calls[:3]).after_all("7NT AP")
    dealer = auction.first
    hands = list(record.hands)
    next_seat = dealer.next()
    last_seat = dealer.next(3)
    hands[next_seat] = record.hands[last_seat]
    hands[last_seat] = record.hands[next_seat]
    other_record = Record(
        hands=tuple(hands),
        dealer=record.dealer,
        vulnerable=record.vulnerable,
        auction=begun,
    )
    (row, *_) = judged_calls(other_record, [dealer], **HOW)
    assert row == rows[0]


def judged(cost, error, call="4S", best="Pass"):
    return JudgedCall(
        0, bb.Seat.S, bb.Call.of(call), bb.Call.of(best), 0.2, Estimate(cost, error), 3
    )


def test_costly_calls_alone_are_added_up():
    calls = [judged(2.0, 0.3), judged(0.5, 0.4), judged(0.0, 0.0, best="4S")]
    assert [row.verdict for row in calls] == [COSTLY, LEVEL, BEST]
    costs = call_costs([*calls, replace(calls[0], cost=Estimate(1.0, 0.4))])
    assert costs["costly"] == 2
    assert costs["imps_lost"] == pytest.approx(3.0)
    assert costs["imps_lost_error"] == pytest.approx(0.5)


def test_tables_and_a_frame_come_from_the_rows(record, rows):
    calls, players = CallReview(record, rows).tables
    assert len(calls.rows) == sum(row.choices > 1 for row in rows)
    assert sum(int(line[1]) for line in players.rows) == len(calls.rows)
    frame = review_calls(record, [rows[0].seat], **HOW)
    assert list(frame["call"]) == [
        str(row.call) for row in rows if row.seat == rows[0].seat
    ]


def test_a_record_without_an_auction_is_said():
    with pytest.raises(NotationError, match="no auction on record to review"):
        list(judged_calls(Record(board="7")))
