"""Hypothesis strategies for the values of the package: suits to whole records of play."""

from __future__ import annotations

from hypothesis import strategies as st

from bayesbridge.auction import Auction, Call, Contract
from bayesbridge.cards import DECK_MASK, Card, Hand, Strain, Suit
from bayesbridge.deal import Deal, Seat
from bayesbridge.tricks import Trick

suits = st.sampled_from(Suit)
strains = st.sampled_from(Strain)
seats = st.sampled_from(Seat)
trumps = st.none() | suits
cards = st.integers(0, 51).map(Card)
calls = st.integers(0, 37).map(Call)
holdings = st.integers(0, DECK_MASK).map(Hand)
"""Any set of cards."""
contracts = st.builds(Contract, st.integers(1, 7), strains, seats, st.integers(0, 2))

decks = st.permutations(range(52))
"""The 52 card indices in some order."""


def _hand(indices: list[int]) -> Hand:
    return Hand(sum(1 << index for index in indices))


hands = decks.map(lambda deck: _hand(deck[:13]))
"""Full hands, 13 cards."""
deals = decks.map(
    lambda deck: Deal((_hand(deck[:13]), _hand(deck[13:26]), _hand(deck[26:39]), _hand(deck[39:]))),
)


@st.composite
def auctions(draw: st.DrawFn, players: int | None = None) -> Auction:
    """A legal auction, begun or over, of three or four players (either, unless said)."""
    first = draw(seats)
    count = players or draw(st.sampled_from((3, 4)))
    auction = Auction(first, (), draw(seats.filter(lambda seat: seat != first)) if count == 3 else None)
    # Steps above the last bid: small ones, or auctions would be over after two or three bids.
    for step in draw(st.lists(st.integers(0, 8), max_size=40)):
        if auction.is_over:
            break
        legal = auction.legal_calls()
        auction = auction.after(legal[min(step, len(legal) - 1)])
    return auction


@st.composite
def tricks(draw: st.DrawFn) -> Trick:
    """A trick of none to four different cards."""
    return Trick(draw(seats), draw(trumps), tuple(draw(st.lists(cards, max_size=4, unique=True))))


@st.composite
def plays(draw: st.DrawFn, deal: Deal, trump: Suit | None, slips: bool = False) -> list[tuple[Seat, Card]]:
    """A record of play of a deal, up to 52 cards, legal unless ``slips`` let seats forget to follow suit.

    The rules are written apart from ``bayesbridge.tricks``.
    """
    length = draw(st.integers(0, 52))
    choices = draw(st.lists(st.integers(0, 13 if slips else 12), min_size=length, max_size=length))
    left = {seat: list(deal[seat]) for seat in Seat}
    record: list[tuple[Seat, Card]] = []
    leader = draw(seats)
    for i, choice in enumerate(choices):
        seat = leader.next(i % 4)
        led = record[i - i % 4][1].suit if i % 4 else None
        following = [card for card in left[seat] if card.suit is led]
        allowed = following if following and choice < 13 else left[seat]
        card = allowed[choice % len(allowed)]
        left[seat].remove(card)
        record.append((seat, card))
        if i % 4 == 3:
            trick = record[-4:]
            ranked = [play for play in trick if play[1].suit is trump] or [
                play for play in trick if play[1].suit is led
            ]
            leader = max(ranked, key=lambda play: play[1].rank)[0]
    return record
