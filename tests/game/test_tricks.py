"""Tricks: winners by an independent rule, records of play, and what goes wrong."""

from itertools import chain, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge import Card, Hand, Seat, Suit
from bayesbridge.errors import IllegalPlay
from bayesbridge.game.tricks import Trick, replay
from tests.strategies import deals, hands, plays, tricks, trumps

pytestmark = pytest.mark.quick


def beats(card, rival, led, trump):
    """Whether the card beats the other one.

    Within a suit the higher rank; a trump beats the rest; the suit led beats discards.
    """
    if card.suit is rival.suit:
        return card.rank > rival.rank
    if trump in (card.suit, rival.suit):
        return card.suit is trump
    return card.suit is led


def beats_all(card, contenders, led, trump):
    """Whether the card beats every other one of the contenders."""
    rivals = [rival for rival in contenders if rival != card]
    return all(beats(card, rival, led, trump) for rival in rivals)


def test_winner_on_a_deck_of_twelve_against_the_pairwise_rule():
    deck = []
    for suit in Suit:
        deck += [Card(13 * suit + rank) for rank in (0, 7, 12)]
    for trump in (None, *Suit):
        for four in permutations(deck, 4):
            led = four[0].suit
            # A discard beats no card that could win, so a winner is the one that beats
            # every other contender.
            contenders = [card for card in four if card.suit in (led, trump)]
            (best,) = [
                card for card in contenders if beats_all(card, contenders, led, trump)
            ]
            assert Trick(Seat.W, trump, four).winner is Seat.W.next(four.index(best))


@given(tricks())
def test_trick_round_trip(trick):
    assert (
        Trick.of(str(trick), trick.trump)
        == Trick.of(trick)
        == eval(repr(trick))
        == trick
    )
    assert (
        Trick.of(str(trick).lower().replace(" ", ", ").replace("t", "10"), trick.trump)
        == trick
    )


@given(tricks().filter(lambda trick: not trick.complete), hands)
def test_legal_cards_may_be_played_and_no_others(trick, hand):
    hand = hand - Hand.of(trick.cards)
    seat = trick.turn
    assert seat is not None
    holds_suit = any(card.suit is trick.suit for card in hand)
    for card in map(Card, range(52)):
        allowed = card in hand and (
            trick.suit is None or card.suit is trick.suit or not holds_suit
        )
        assert allowed == (card in trick.legal(hand))
        if allowed:
            assert trick.after(seat, card, hand).cards == (*trick.cards, card)
        else:
            with pytest.raises(IllegalPlay):
                trick.after(seat, card, hand)


@pytest.mark.parametrize(
    ("text", "seat", "card", "hand", "says"),
    [
        ("W:S5", "E", "SK", None, "E cannot play 'SK' to trick 'W:S5': it is N's turn"),
        ("W:S5", "N", "S5", None, "the card lies there already"),
        ("W:S5 S6 S7 S8", "W", "S9", None, "the trick is complete"),
        ("W:S5", "N", "SK", "A2.K..", "the hand 'A2.K..' does not hold it"),
        ("W:S5", "N", "HK", "A2.K..", "the suit led must be followed; legal: SA S2"),
    ],
)
def test_illegal_play(text, seat, card, hand, says):
    trick = Trick.of(text)
    held = None if hand is None else Hand.of(hand)
    with pytest.raises(IllegalPlay) as caught:
        trick.after(seat, card, held)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@given(st.data(), deals, trumps)
def test_replay_of_legal_play(data, deal, trump):
    record = data.draw(plays(deal, trump))
    result = replay(record, trump)
    assert result == replay(record, trump, dict(zip(Seat, deal, strict=True)))
    assert list(chain.from_iterable(result)) == record
    assert all(trick.complete for trick in result[:-1])
    # A void that a trick reveals is true of what the seat still holds.
    remaining = {seat: deal[seat] for seat in Seat}
    for trick in result:
        for seat, card in trick:
            remaining[seat] -= Hand.of(card)
        for seat, suit in trick.voids:
            assert remaining[seat].length(suit) == 0


@given(st.data(), deals, trumps)
def test_replay_refuses_exactly_the_records_with_a_revoke(data, deal, trump):
    record = data.draw(plays(deal, trump, slips=True))
    led = [record[i - i % 4][1].suit for i in range(len(record))]
    played = {card for _, card in record}
    revoke_shows = False
    revoke_happened = False
    for i, (seat, card) in enumerate(record):
        if card.suit is led[i]:
            continue
        played_later = [card for player, card in record[i + 1 :] if player is seat]
        never_played = [card for card in deal[seat] if card not in played]
        shown = any(card.suit is led[i] for card in played_later)
        held = any(card.suit is led[i] for card in never_played)
        revoke_shows |= shown
        # With the hands known, a card of the suit that never comes to the table counts
        # as well.
        revoke_happened |= shown or held
    assert is_refused(record, trump, None) == revoke_shows
    assert (
        is_refused(record, trump, dict(zip(Seat, deal, strict=True))) == revoke_happened
    )


def is_refused(record, trump, hands):
    try:
        replay(record, trump, hands)
    except IllegalPlay:
        return True
    return False


REVOKE = [
    play.split(":")
    for play in [
        "W:H5",
        "N:HK",
        "E:C2",
        "S:H3",
        "N:DA",
        "E:D5",
        "S:D4",
        "W:D2",
        "N:D3",
        "E:H9",
    ]
]


def test_revoke_names_both_cards_and_tricks():
    with pytest.raises(IllegalPlay) as caught:
        replay(REVOKE)
    assert str(caught.value).startswith(
        "E plays H9 in trick 3, but played C2 to H5 in trick 1: "
    )
    assert caught.value.data == {
        "seat": Seat.E,
        "cards": (Card.of("C2"), Card.of("H9")),
        "tricks": (1, 3),
    }


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {9: ("S", "H9")},
            "trick 3: S cannot play 'H9' to trick 'N:D3': it is E's turn",
        ),
        (
            {9: ("E", "HK")},
            "E plays HK in trick 3, but N played it in trick 1: a card is played once",
        ),
    ],
)
def test_broken_records(changed, says):
    record = [changed.get(i, play) for i, play in enumerate(REVOKE)]
    with pytest.raises(IllegalPlay) as caught:
        replay(record)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
