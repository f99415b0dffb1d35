"""Records hold together or are not made; plays are judged as ``replay`` judges them."""

import re
from itertools import batched

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge import Auction, Card, Contract, Deal, Seat
from bayesbridge.errors import DealError, IllegalPlay, NotationError
from bayesbridge.game.tricks import replay
from bayesbridge.notation import Record, Tag, read_hands
from bayesbridge.notation.record import declarer_tricks, seated
from tests import strategies

pytestmark = pytest.mark.quick

DEAL = "N:A.Q8542.J82.KQ85 JT76.97.KT76.743 Q542.J3.A953.AJ9 K983.AKT6.Q4.T62"


def test_the_fourth_hand_is_filled_in():
    assert Record(hands=read_hands(f"{DEAL.rpartition(' ')[0]} -")).deal == Deal.of(
        DEAL
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DEAL.replace("A.Q8", "K.Q8"), "SK lies in both N and W: a card has one place"),
        (
            DEAL.replace("A.Q8542", "A.Q85432"),
            "N's hand 'A.Q85432.J82.KQ85' has 14 cards: a full hand has 13, "
            "take away the surplus 1",
        ),
        (
            "N:A2... K... ..QJT. -",
            "hands of N 2, E 1, S 3 cards: in one position they differ by one card at most",
        ),
    ],
)
def test_hands_that_cannot_be(text, message):
    with pytest.raises(DealError) as error:
        Record(hands=read_hands(text))
    assert str(error.value) == message


def test_an_auction_that_is_over_gives_the_contract():
    record = Record(auction=Auction.of("E:1H X Pass Pass XX Pass Pass Pass"), result=9)
    assert (record.dealer, record.contract, record.leader) == (
        Seat.E,
        Contract.of("1HXX by E"),
        Seat.S,
    )
    assert record.claimed
    assert not record.passed_out


@pytest.mark.parametrize(
    "fields",
    [
        {"auction": Auction.of("N:1C"), "dealer": Seat.E},
        {"auction": Auction.three("S")},
        {
            "auction": Auction.of("N:1C Pass Pass Pass"),
            "contract": Contract.of("1D by N"),
        },
        {"alerts": ((0, "strong"),)},
        {"contract": Contract.of("1D by N"), "result": 14},
        {"tags": (Tag("Deal", DEAL),)},
        {"tags": (Tag("two words", ""),)},
    ],
)
def test_records_that_contradict_themselves(fields):
    with pytest.raises(NotationError):
        Record(**fields)


def test_tags_stand_in_the_order_of_an_export_then_as_told():
    tags = (
        Tag("Zeta", ""),
        Tag("South", "Ann"),
        Tag("Alpha", "1"),
        Tag("Event", "Cup"),
        Tag("Site", ""),
        Tag("Alpha", "2"),
    )
    record = Record(tags=tags)
    assert record.tags == (
        Tag("Event", "Cup"),
        Tag("South", "Ann"),
        Tag("Zeta", ""),
        Tag("Alpha", "1"),
    )
    assert record.tag("South") == "Ann"
    assert record.tag("North") == ""


@given(
    st.data(),
    strategies.deals,
    strategies.contracts,
    st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_plays_are_judged_as_replay_judges_them(data, deal, contract, told_hands):
    plays = data.draw(strategies.plays(deal, contract.trump, slips=True))
    turned = (contract.declarer.next() - plays[0][0]) % 4 if plays else 0
    plays = tuple((seat.next(turned), card) for seat, card in plays)
    hands = tuple(
        deal[seat.next(-turned)] if is_told else None
        for seat, is_told in zip(Seat, told_hands, strict=True)
    )
    try:
        tricks = replay(
            plays,
            contract.trump,
            {seat: hand for seat, hand in zip(Seat, hands, strict=True) if hand},
        )
    except IllegalPlay as error:
        with pytest.raises(IllegalPlay, match=f"^{re.escape(str(error))}$"):
            declarer_tricks(plays, contract, hands)
    else:
        side = (contract.declarer, contract.declarer.partner)
        won = sum(trick.winner in side for trick in tricks)
        assert declarer_tricks(plays, contract, hands) == (
            won if len(plays) == 52 else None
        )
        check_seated(plays, tricks, contract)


def check_seated(plays, tricks, contract):
    """Cards without seats, in the order played or in columns, give the plays back."""
    leader = contract.declarer.next()
    indices = [card.index for _, card in plays]
    assert seated(batched(indices, 4), leader, contract.trump) == plays
    seats = [leader.next(place) for place in range(4)]
    rows = []
    for trick in tricks:
        card_of = dict(trick)
        rows.append(
            tuple(card_of[seat].index if seat in card_of else -1 for seat in seats)
        )
    assert seated(rows, leader, contract.trump, columns=True) == plays


def test_a_card_from_another_hand():
    with pytest.raises(
        IllegalPlay,
        match=r"^E plays SA in trick 1, but N was dealt it: fix the deal or the play$",
    ):
        Record(
            hands=read_hands(f"N:{DEAL[2:].split()[0]} - - -"),
            contract=Contract.of("1C by N"),
            plays=((Seat.E, Card.of("SA")),),
        )
