"""Boards numbered anew, and what a format has no place for."""

import io

import pytest

from bayesbridge import Auction, Seat
from bayesbridge.notation import (
    Record,
    Tag,
    Vulnerability,
    read_lin,
    read_pbn,
    write_lin,
    write_pbn,
)
from bayesbridge.notation.conversion import lost_parts, renumbered
from bayesbridge.notation.record import read_hands
from tests.notation.records import GOLDEN

pytestmark = pytest.mark.quick

FIRST_DEAL = read_hands("N:AKQ2.KJ3.A54.Q32 - - -")
SECOND_DEAL = read_hands("E:AKQ2.KJ3.A54.Q32 - - -")
FULL = Record(
    board="7",
    room="Open",
    dealer=Seat.N,
    vulnerable=Vulnerability.NS,
    hands=FIRST_DEAL,
    auction=Auction.of("N:1NT Pass Pass Pass"),
    result=8,
    tags=(Tag("Event", "Cup"), Tag("North", "Ash")),
)


def copied(records, write, read):
    stream = io.StringIO()
    write(records, stream)
    return read(stream.getvalue()).records


def test_the_tables_of_a_deal_share_a_new_number():
    hands = [FIRST_DEAL, SECOND_DEAL, FIRST_DEAL]
    records = [Record(board="12", hands=cards) for cards in hands]
    assert [record.board for record in renumbered(records)] == ["1", "2", "1"]


def test_unknown_deals_of_two_files_are_two_boards():
    records = [Record(board="12", file=name) for name in ("a.lin", "a.lin", "b.lin")]
    assert [record.board for record in renumbered(records)] == ["1", "1", "2"]


def test_pbn_holds_all_of_a_record():
    records = read_pbn(GOLDEN / "match.pbn").records
    assert lost_parts(records, copied(records, write_pbn, read_pbn)) == {}


def test_lin_holds_players_of_the_tags_alone():
    copies = copied([FULL], write_lin, read_lin)
    assert lost_parts([FULL], copies) == {"tag Event": 1}


def test_lin_holds_no_result_without_an_auction():
    bidless = Record(contract=FULL.contract, result=8, room="3")
    copies = copied([FULL, bidless, bidless], write_lin, read_lin)
    lost = lost_parts([FULL, bidless, bidless], copies)
    assert lost == {"tag Event": 1, "room": 2, "contract": 2, "result": 2, "claimed": 2}
