"""Hypothesis strategies for the values of the package.

Suits, hands, deals, auctions, plays and evidence.
"""

from hypothesis import strategies as st

from bayesbridge import Auction, Call, Contract, Deal, Seat, Trick
from bayesbridge.evidence.kinds import (
    Called,
    HighCards,
    Holds,
    Lacks,
    Length,
    Play,
    Reveal,
    Void,
)
from bayesbridge.game.cards import DECK_MASK, Card, Hand, Strain, Suit

suits = st.sampled_from(Suit)
strains = st.sampled_from(Strain)
seats = st.sampled_from(Seat)
trumps = st.none() | suits
cards = st.integers(0, 51).map(Card)
calls = st.integers(0, 37).map(Call)
holdings = st.integers(0, DECK_MASK).map(Hand)  # any set of cards
contracts = st.builds(Contract, st.integers(1, 7), strains, seats, st.integers(0, 2))

decks = st.permutations(range(52))  # the 52 card indices in some order


def _hand(indices):
    return Hand(sum(1 << index for index in indices))


hands = decks.map(lambda deck: _hand(deck[:13]))  # full hands, 13 cards
deals = decks.map(
    lambda deck: Deal(
        (_hand(deck[:13]), _hand(deck[13:26]), _hand(deck[26:39]), _hand(deck[39:]))
    )
)


@st.composite
def auctions(draw, players=None):
    """A legal auction, begun or over, of three or four players (either, unless said)."""
    dealer = draw(seats)
    count = players or draw(st.sampled_from((3, 4)))
    auction = Auction(
        dealer,
        (),
        draw(seats.filter(lambda seat: seat != dealer)) if count == 3 else None,
    )
    # Steps above the last bid: small ones, or auctions would be over after two or three bids.
    for step in draw(st.lists(st.integers(0, 8), max_size=40)):
        if auction.is_over:
            break
        legal = auction.legal_calls()
        auction = auction.after(legal[min(step, len(legal) - 1)])
    return auction


@st.composite
def tricks(draw):
    """A trick of none to four different cards."""
    return Trick(
        draw(seats), draw(trumps), tuple(draw(st.lists(cards, max_size=4, unique=True)))
    )


@st.composite
def plays(draw, deal, trump, slips=False):
    """Up to 52 cards played, legal unless ``slips`` let seats revoke.

    The rules are written apart from the package.
    """
    length = draw(st.integers(0, 52))
    choices = draw(
        st.lists(st.integers(0, 13 if slips else 12), min_size=length, max_size=length)
    )
    remaining = {seat: list(deal[seat]) for seat in Seat}
    record = []
    leader = draw(seats)
    for i, choice in enumerate(choices):
        seat = leader.next(i % 4)
        led = record[i - i % 4][1].suit if i % 4 else None
        following = [card for card in remaining[seat] if card.suit is led]
        allowed = following if following and choice < 13 else remaining[seat]
        card = allowed[choice % len(allowed)]
        remaining[seat].remove(card)
        record.append((seat, card))
        if i % 4 == 3:
            trick = record[-4:]
            ranked = [play for play in trick if play[1].suit is trump] or [
                play for play in trick if play[1].suit is led
            ]
            leader = max(ranked, key=lambda play: play[1].rank)[0]
    return record


def ranges(most):
    """Two numbers from 0 to ``most``, rising."""
    return st.lists(st.integers(0, most), min_size=2, max_size=2).map(sorted)


evidence = st.one_of(
    st.builds(Reveal, seats, hands),
    st.builds(Play, seats, cards),
    st.builds(Void, seats, suits),
    st.builds(
        lambda seat, suit, ends: Length(seat, suit, *ends), seats, suits, ranges(13)
    ),
    st.builds(lambda seat, ends: HighCards(seat, *ends), seats, ranges(40)),
    st.builds(
        Holds, seats, st.lists(cards, min_size=1, max_size=13, unique=True).map(Hand.of)
    ),
    st.builds(Lacks, seats, holdings.filter(lambda hand: len(hand) > 0)),
    st.builds(Called, seats, calls),
)
"""Any piece, of no deal in particular."""


@st.composite
def true_evidence(draw, deal, played=0, points=True):
    """Hard evidence that is true of a deal.

    The ``played`` cards have left their hands. With ``points`` it may be about these
    too.
    """
    seat = draw(seats)
    suit = draw(suits)
    hand = deal[seat]
    length = sum(card.suit is suit for card in hand)
    held_cards = draw(
        st.lists(st.sampled_from(list(hand)), min_size=1, max_size=4, unique=True)
    )
    kinds = ["length", "holds", "lacks", *(["points"] if points else [])]
    if not any(card.suit is suit for card in hand if not card.mask & played):
        kinds.append("void")
    match draw(st.sampled_from(kinds)):
        case "length":
            return Length(
                seat, suit, draw(st.integers(0, length)), draw(st.integers(length, 13))
            )
        case "points":
            total = hand.points
            return HighCards(
                seat, draw(st.integers(0, total)), draw(st.integers(total, 40))
            )
        case "holds":
            return Holds(seat, held_cards)
        case "lacks":
            return Lacks(seat.next(draw(st.integers(1, 3))), held_cards)
        case _:
            return Void(seat, suit)


@st.composite
def false_evidence(draw, deal, played=0):
    """Hard evidence that is false of a deal.

    The ``played`` cards have left their hands.
    """
    seat = draw(seats)
    suit = draw(suits)
    hand = deal[seat]
    length = sum(card.suit is suit for card in hand)
    total = hand.points
    other_hand = deal[seat.next(draw(st.integers(1, 3)))]
    pieces = [
        st.sampled_from(list(other_hand)).map(lambda card: Holds(seat, [card])),
        st.sampled_from(list(hand)).map(lambda card: Lacks(seat, [card])),
        st.just(Reveal(seat, other_hand)),
        st.integers(total + 1, 40).map(lambda low: HighCards(seat, low, 40)),
    ]
    if length:
        pieces.append(
            st.integers(0, length - 1).map(lambda high: Length(seat, suit, 0, high))
        )
    if any(card.suit is suit for card in hand if not card.mask & played):
        pieces.append(st.just(Void(seat, suit)))
    return draw(st.one_of(pieces))
