"""Suits, strains, cards and hands: every notation there and back, every mistake quoted."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.cards import Card, Hand, Strain, Suit
from bayesbridge.errors import BayesBridgeError, DealError, NotationError
from tests.strategies import cards, holdings

pytestmark = pytest.mark.quick


def test_the_deck_in_the_order_of_the_masks() -> None:
    names = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    assert [str(Card(index)) for index in range(52)] == names
    assert [Card.of(name).index for name in names] == list(range(52))
    assert sum(Card(index).points for index in range(52)) == 40


@pytest.mark.parametrize("text", ["HT", "ht", "H10", "h10", " hT ", "♥10", "♥t"])
def test_ten_of_hearts_in_all_spellings(text: str) -> None:
    assert Card.of(text) == Card(13 * Suit.H + 8)


@pytest.mark.parametrize(("text", "suit"), [("c", Suit.C), (" D", Suit.D), ("♥", Suit.H), (" ♠ ", Suit.S)])
def test_suits(text: str, suit: Suit) -> None:
    assert Suit.of(text) is suit
    assert Strain.of(text) is Strain(suit)
    assert Strain.of(suit).trump is suit
    assert Suit.of(suit) is suit


@given(cards)
def test_card_round_trip(card: Card) -> None:
    assert Card.of(str(card)) == card
    assert eval(repr(card)) == card
    assert Card.of(card) is card
    assert card.mask == Hand.of(card).mask == 1 << card.index
    assert 13 * card.suit + card.rank == card.index


@given(holdings)
def test_hand_round_trip(hand: Hand) -> None:
    assert Hand.from_pbn(hand.pbn) == Hand.of(str(hand)) == hand
    assert eval(repr(hand)) == hand
    assert Hand.from_pbn(hand.pbn.lower().replace("t", "10")) == hand
    assert Hand.from_pbn(".".join(field or "-" for field in hand.pbn.split("."))) == hand
    assert Hand.of(list(hand)) == hand
    assert Hand.of(map(str, hand)) == hand


BAD_CARDS = ["", "  ", "S", "SX", "S1", "S11", "S100", "XA", "A", "AS", "SAK", "10", "♥", "None"]


@pytest.mark.parametrize("text", BAD_CARDS)
def test_bad_card(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        Card.of(text)
    assert_one_line(caught.value, repr(text))
    assert caught.value.data["text"] == text


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", NotationError, "empty hand ''"),
        ("AKQ2.KJ3.A54", NotationError, "has 3 suits"),
        ("AKQ2.KJ3.A54.Q3X", NotationError, "unknown rank 'X'"),
        ("AKQ2.K-3.A54.Q32", NotationError, "unknown rank '-'"),
        ("AKQA.KJ3.A54.Q32", DealError, "A stands twice"),
    ],
)
def test_bad_hand(text: str, error: type[BayesBridgeError], says: str) -> None:
    with pytest.raises(error) as caught:
        Hand.of(text) if not text.strip() else Hand.from_pbn(text)
    assert says in str(caught.value)
    assert_one_line(caught.value, repr(text))


@pytest.mark.parametrize("text", ["", "X", "HH", "NT", "10", "hearts"])
def test_bad_suit_and_strain(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        Suit.of(text)
    assert_one_line(caught.value, repr(text))
    if text != "NT":
        with pytest.raises(NotationError) as caught:
            Strain.of(text)
        assert_one_line(caught.value, repr(text))


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    for read in (Card.of, Hand.of, Hand.from_pbn, Suit.of, Strain.of):
        assert len(complaint(read, text).splitlines()) <= 1


def complaint(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except BayesBridgeError as error:
        return str(error)
    return ""


def assert_one_line(error: BayesBridgeError, quote: str) -> None:
    assert len(str(error).splitlines()) == 1
    assert quote in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "AKQ2 KJ3 A104 Q32",
        "♠AKQ2 ♥KJ3 ♦A104 ♣Q32",
        "♠AKQ2♥KJ3♦A104♣Q32",
        "sakq2 hkj3 da104 cq32",
        "S AKQ2 H KJ3 D AT4 C Q32",
    ],
)
def test_hands_as_people_write_them(text: str) -> None:
    assert Hand.from_pbn(text) == Hand.of(text) == Hand.from_pbn("AKQ2.KJ3.AT4.Q32")


def test_named_suits_may_be_left_out() -> None:
    assert Hand.of("♠A♥-♣32").pbn == "A...32"
    assert Hand.of("- KJ3 A54 Q32").pbn == ".KJ3.A54.Q32"
