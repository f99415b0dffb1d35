"""The table at every card of played deals: turns, choices, legal cards and voids."""

from pathlib import Path

import pytest

import bayesbridge as bb
from bayesbridge.errors import IllegalPlay
from bayesbridge.game.cards import Card, Strain
from bayesbridge.game.table import Table
from bayesbridge.notation import read_pbn

BOARDS = Path(__file__).parents[2] / "examples" / "boards.pbn"
RECORDS = [
    record for record in read_pbn(BOARDS.read_text("utf-8")).records if record.plays
]


def plays(text):
    return tuple((bb.Seat.of(play[0]), Card.of(play[2:])) for play in text.split())


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.board)
def test_every_card_on_record_was_in_turn_and_legal(record):
    for number, (seat, card) in enumerate(record.plays):
        table = record.table(number)
        assert table.turn == seat
        assert table.chooser == (
            record.contract.declarer if seat == table.dummy else seat
        )
        assert card in table.legal_cards(seat)
        assert table.played.bit_count() == number
        assert len(table.winners) == number // 4
        assert (table.dummy in table.shown) == (number > 0)


def test_a_hidden_hand_may_hold_what_is_seen_nowhere_else_and_no_suit_that_it_showed_out_of():
    hands = {bb.Seat.S: bb.Hand.of("AKQ2.KJ3.A54.Q32")}
    assert Table().turn is None
    table = Table(None, plays("W:S5 N:SJ E:H2 S:SA S:C2"), hands, trump=Strain.NT)
    assert table.voids == ((bb.Seat.E, bb.Suit.S),)
    east = table.legal_cards(bb.Seat.E)
    assert not any(card.suit is bb.Suit.S or card in hands[bb.Seat.S] for card in east)
    # All but South's hand, the other spades and East's own H2.
    assert len(east) == 52 - 13 - 9 - 1
    assert table.turn == bb.Seat.W


def test_as_much_as_can_be_is_taken_and_the_strain_is_found():
    """Only a trump explains that East leads to the second trick."""
    wrong = Table(None, plays("W:S5 N:SJ E:H2 S:SA W:C2"), trump=Strain.NT)
    with pytest.raises(IllegalPlay, match="it is S's turn"):
        wrong.tricks  # noqa: B018
    assert len(wrong.legal.plays) == 4
    assert Table(None, plays("W:S5 N:SJ E:H2 S:SA E:C2")).tricks[0].trump == bb.Suit.H


def test_all_is_over_after_the_last_card():
    record = max(RECORDS, key=lambda candidate: len(candidate.plays))
    table = record.table()
    assert (table.over, table.turn is None) == (len(record.plays) == 52,) * 2
    assert len(table.winners) == len(record.plays) // 4
