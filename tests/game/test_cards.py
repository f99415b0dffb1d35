"""Suits, strains, cards and hands: every notation there and back, every mistake quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.errors import BayesBridgeError, DealError, NotationError
from bayesbridge.game.cards import Card, Hand, Strain, Suit
from tests.strategies import cards, holdings

pytestmark = pytest.mark.quick


def test_the_deck_in_the_order_of_the_masks():
    names = []
    for suit in "CDHS":
        names += [suit + rank for rank in "23456789TJQKA"]
    assert [str(Card(index)) for index in range(52)] == names
    assert [Card.of(name).index for name in names] == list(range(52))
    assert sum(Card(index).points for index in range(52)) == 40


@pytest.mark.parametrize("text", ["HT", "ht", "H10", "h10", " hT ", "♥10", "♥t"])
def test_ten_of_hearts_in_all_spellings(text):
    assert Card.of(text) == Card(13 * Suit.H + 8)


@pytest.mark.parametrize(
    ("text", "suit"), [("c", Suit.C), (" D", Suit.D), ("♥", Suit.H), (" ♠ ", Suit.S)]
)
def test_suits(text, suit):
    assert Suit.of(text) is suit
    assert Strain.of(text) is Strain(suit)
    assert Strain.of(suit).trump is suit
    assert Suit.of(suit) is suit


@given(cards)
def test_card_round_trip(card):
    assert Card.of(str(card)) == card
    assert eval(repr(card)) == card
    assert Card.of(card) is card
    assert card.mask == Hand.of(card).mask == 1 << card.index
    assert 13 * card.suit + card.rank == card.index


@given(holdings)
def test_hand_round_trip(hand):
    assert Hand.from_pbn(hand.pbn) == Hand.of(str(hand)) == hand
    assert eval(repr(hand)) == hand
    assert Hand.from_pbn(hand.pbn.lower().replace("t", "10")) == hand
    assert (
        Hand.from_pbn(".".join(field or "-" for field in hand.pbn.split("."))) == hand
    )
    assert Hand.of(list(hand)) == hand
    assert Hand.of(map(str, hand)) == hand


BAD = [
    *(
        (Card.of, text, "")
        for text in (
            "",
            "  ",
            "S",
            "SX",
            "S1",
            "S11",
            "S100",
            "XA",
            "A",
            "SAK",
            "10",
            "♥",
        )
    ),
    (Card.of, "None", ""),
    *((Suit.of, text, "") for text in ("", "X", "HH", "10", "hearts")),
    *((Strain.of, text, "") for text in ("", "X", "HH", "10", "hearts")),
    (Suit.of, "NT", ""),
    (Hand.of, "", "empty hand ''"),
    (Hand.from_pbn, "AKQ2.KJ3.A54", "has 3 suits"),
    (Hand.from_pbn, "AKQ2.KJ3.A54.Q3X", "unknown rank 'X'"),
    (Hand.from_pbn, "AKQ2.K-3.A54.Q32", "unknown rank '-'"),
]


@pytest.mark.parametrize(
    ("read", "text", "says"),
    BAD,
    ids=[f"{read.__qualname__} {text!r}" for read, text, _ in BAD],
)
def test_what_cannot_be_read_is_quoted_in_one_line(read, text, says):
    with pytest.raises(NotationError) as caught:
        read(text)
    assert says in str(caught.value)
    assert_one_line(caught.value, repr(text))
    assert read != Card.of or caught.value.data["text"] == text


def test_a_card_that_stands_twice():
    with pytest.raises(DealError, match="A stands twice") as caught:
        Hand.from_pbn("AKQA.KJ3.A54.Q32")
    assert_one_line(caught.value, "'AKQA.KJ3.A54.Q32'")


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused_in_one_line(text):
    for read in (Card.of, Hand.of, Hand.from_pbn, Suit.of, Strain.of):
        assert len(complaint(read, text).splitlines()) <= 1


def complaint(read, text):
    try:
        read(text)
    except BayesBridgeError as error:
        return str(error)
    return ""


def assert_one_line(error, quote):
    assert len(str(error).splitlines()) == 1
    assert quote in str(error)


WRITTEN = {
    "AKQ2 KJ3 A104 Q32": "AKQ2.KJ3.AT4.Q32",
    "♠AKQ2 ♥KJ3 ♦A104 ♣Q32": "AKQ2.KJ3.AT4.Q32",
    "♠AKQ2♥KJ3♦A104♣Q32": "AKQ2.KJ3.AT4.Q32",
    "sakq2 hkj3 da104 cq32": "AKQ2.KJ3.AT4.Q32",
    "S AKQ2 H KJ3 D AT4 C Q32": "AKQ2.KJ3.AT4.Q32",
    "♠A♥-♣32": "A...32",
    "- KJ3 A54 Q32": ".KJ3.A54.Q32",
}


@pytest.mark.parametrize(("text", "pbn"), WRITTEN.items())
def test_hands_as_people_write_them(text, pbn):
    assert Hand.from_pbn(text) == Hand.of(text) == Hand.from_pbn(pbn)
    assert Hand.of(text).pbn == pbn
