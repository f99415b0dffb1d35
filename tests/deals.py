"""Deals, play and evidence at random, without the engines of the package.

Also strange deals and solved ones.
"""

from pathlib import Path

import numpy as np

from bayesbridge import (
    Deal,
    Hand,
    HighCards,
    Holds,
    Lacks,
    Layouts,
    Length,
    Play,
    Seat,
    Suit,
    Void,
)


def random_deal(rng):
    """Four hands of 13."""
    hands = np.split(rng.permutation(52), 4)
    return Deal(tuple(Hand(mask_of(cards)) for cards in hands))


def mask_of(cards):
    """The bits of these card indices."""
    return sum(1 << int(card) for card in cards)


def deal_masks(n, rng):
    """(n, 4) masks of random deals."""
    order = np.argsort(np.random.default_rng(rng).random((n, 52)), axis=1).reshape(
        n, 4, 13
    )
    return np.bitwise_or.reduce(np.uint64(1) << order.astype(np.uint64), axis=2)


def strange_deals(n, seed):
    """(n,) (n,) two hands of sorted decks, a little shuffled.

    Such deals have long suits, voids, high cards together and equal suits.
    """
    rng = np.random.default_rng(seed)
    suit, rank = np.divmod(np.arange(52), 13)
    orders = [
        -rank + 0.0,
        suit * 20.0 - rank,
        (suit // 2) * 40.0 - rank,
        np.where(rank % 2, -30.0, 0.0) - rank,
        (rank % 3) * 20.0 + suit,
    ]
    noise = rng.exponential(1.0, (n, 1)) ** 2 * rng.normal(size=(n, 52)) * 4
    cards = np.argsort(
        np.array(orders)[rng.integers(0, len(orders), n)] + noise, axis=1
    ).astype(np.uint64)
    bits = np.uint64(1) << cards
    own_hands = bits[:, 0:26:2].sum(axis=1, dtype=np.uint64)
    dummy_hands = bits[:, 1:26:2].sum(axis=1, dtype=np.uint64)
    blocks = rng.random(n) < 0.5
    own_hands = np.where(blocks, bits[:, :13].sum(axis=1, dtype=np.uint64), own_hands)
    dummy_hands = np.where(
        blocks, bits[:, 13:26].sum(axis=1, dtype=np.uint64), dummy_hands
    )
    return own_hands, dummy_hands


def solved_deals():
    """80 random layouts and their tricks (80, strain C D H S NT, declarer N E S W)."""
    lines = (
        Path(__file__).with_name("solved_deals.txt").read_text("utf-8").splitlines()[1:]
    )
    deals, tables = zip(*(line.rsplit(": ", 1) for line in lines), strict=True)
    return Layouts.of(deals), np.array([read_tricks(table) for table in tables])


def read_tricks(table):
    """Numbers of tricks, row after row, each a hexadecimal digit."""
    rows = []
    for row in table.split():
        rows.append([int(digit, 16) for digit in row])
    return rows


def random_play(deal, trump, rng, cards=52):
    """The first ``cards`` cards of a play in which everybody follows suit.

    Who cannot follow, or may choose, plays at random.
    """
    remaining = {seat: list(deal[seat]) for seat in Seat}
    leader = Seat(int(rng.integers(4)))
    record = []
    while len(record) < cards:
        trick = []
        for seat in (leader, leader.next(1), leader.next(2), leader.next(3)):
            following = [
                card
                for card in remaining[seat]
                if trick and card.suit == trick[0].card.suit
            ]
            options = following or remaining[seat]
            card = options[rng.integers(len(options))]
            remaining[seat].remove(card)
            trick.append(Play(seat, card))
        strength = [
            (
                play.card.suit == trump,
                play.card.suit == trick[0].card.suit,
                play.card.rank,
            )
            for play in trick
        ]
        leader = trick[strength.index(max(strength))].seat
        record += trick
    return record[:cards]


def true_piece(deal, seats, rng):
    """Something true about one of these hands."""
    seat = seats[rng.integers(len(seats))]
    suit = Suit(int(rng.integers(4)))
    hand = deal[seat]
    length = hand.length(suit)
    match rng.integers(5):
        case 0:
            return Length(
                seat,
                suit,
                max(0, length - int(rng.integers(2))),
                min(13, length + int(rng.integers(2))),
            )
        case 1:
            return HighCards(
                seat, max(0, hand.points - 2), hand.points + int(rng.integers(3))
            )
        case 2:
            return Holds(
                seat,
                [card for i, card in enumerate(hand) if i % 4 == rng.integers(4)]
                or [next(iter(hand))],
            )
        case 3 if length == 0:
            return Void(seat, suit)
        case _:
            absent = []
            for other in seats:
                if other != seat:
                    absent += deal[other]
            return Lacks(seat, [absent[i] for i in rng.permutation(len(absent))[:6]])
