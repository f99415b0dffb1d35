"""A record through the eyes of one seat."""

from pathlib import Path

import pytest

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence import Called, Play, Reveal
from bayesbridge.notation import Record, Vulnerability, open_records

RECORDS = open_records(Path(__file__).parents[2] / "examples" / "boards.pbn").records
FIRST = RECORDS[0]


def test_the_dummy_opens_after_the_lead() -> None:
    belief = Belief.of_record(FIRST, "N")
    kinds = [type(piece) for piece in belief.evidence]
    calls = len(FIRST.auction.calls)
    assert kinds[: calls + 3] == [Called] * calls + [Play, Reveal, Play]
    assert kinds.count(Reveal) == 1
    assert belief.count() == 1


def test_the_experts_know_the_vulnerability_unless_replaced() -> None:
    second = RECORDS[1]
    assert Belief.of_record(second, "S", cards=0).bidder.vulnerable is Vulnerability.NS
    assert Belief.of_record(second, "S", cards=0, bidder=IterativeBidder(0.5)).bidder == IterativeBidder(0.5)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.board)
def test_the_truth_is_never_excluded(record: Record) -> None:
    for seat in Seat:
        counts = [Belief.of_record(record, seat, cards=cards).count() for cards in (0, 1, 4, 20, 36, 52)]
        assert counts == sorted(counts, reverse=True)
        assert counts[-1] == 1


def test_a_hand_that_is_not_on_record() -> None:
    with pytest.raises(NotationError, match="does not tell W's 13 cards: choose another observer"):
        Belief.of_record(Record(auction=Auction.of("S:1NT Pass 3NT Pass Pass Pass")), "W")
