"""What hard evidence says: voids come out of the play, and the truth is never ruled out."""

from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import Any

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.cards import SUIT_MASK, Hand, Suit
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence import HighCards, Holds, Lacks, Length, Play, Reveal, Shape, Void
from bayesbridge.layouts import Layouts
from bayesbridge.tricks import Trick
from tests.belief.records import random_deal, random_play, watched

SOUTH = Belief("S", "AKQ2.KJ3.A54.Q32")
SUITS = [SUIT_MASK << (13 * suit) for suit in Suit]


@pytest.mark.parametrize("seed", range(8))
def test_voids_are_read_off_the_play(seed: int) -> None:
    """After any number of cards: a seat that did not follow may hold of that suit just what it had played before."""
    rng = np.random.default_rng([4, seed])
    deal, trump = random_deal(rng), [None, *Suit][seed % 5]
    record = random_play(deal, trump, rng, cards=int(rng.integers(36, 49)))
    belief, seen = watched(deal, record, Seat.S, Seat.N, trump)
    known = reduce(and_, (fact.constraints for fact in belief.given(*seen).facts))
    shown = 0
    for i, play in enumerate(record):
        lead = record[i - i % 4]
        if play.card.suit != lead.card.suit:
            suit = SUITS[lead.card.suit]
            earlier = sum(p.card.mask for p in record[:i] if p.seat == play.seat and p.card.suit == lead.card.suit)
            assert known.may[play.seat] & suit == earlier
            shown += 1
    assert shown > 0
    # And nothing else: what no play shows is not assumed.
    everything = sum(SUITS)
    for seat in Seat:
        open_suits = [
            suit
            for suit in Suit
            if not any(
                p.seat == seat and record[i - i % 4].card.suit == suit != p.card.suit for i, p in enumerate(record)
            )
        ]
        assert all(known.may[seat] & SUITS[suit] == everything & SUITS[suit] for suit in open_suits)


def test_a_void_typed_after_plays_keeps_the_cards_played() -> None:
    tricks = Trick.of("W:H2 H4 H5 HK"), Trick.of("S:C2 C5 C6 C7")
    typed = SOUTH.given(*tricks, Void("E", "H"))
    assert typed.constraints.may[Seat.E] & SUITS[Suit.H] == Hand.of("H5").mask
    assert typed.count() == SOUTH.given(*tricks, Length("E", "H", 1, 1)).count() > 0
    before = SOUTH.given(Void("E", "H"))
    assert before.constraints.may[Seat.E] & SUITS[Suit.H] == 0
    # A void that the play has shown already adds nothing.
    shown = SOUTH.given(Trick.of("W:H2 H4 D2 HK"))
    assert shown.given(Void("E", "H")).count() == shown.count() == SOUTH.given(
        Void("E", "H"), Holds("E", "D2"), Holds("N", "H4"), Holds("W", "H2")
    ).count()  # fmt: skip


def lengths(hand: Hand) -> list[int]:
    """Longest first."""
    return sorted(map(hand.length, Suit), reverse=True)


@pytest.mark.parametrize("seed", range(6))
def test_each_kind_says_what_it_means(seed: int) -> None:
    """Pieces against a reading of them on single deals that shares no code with constraints."""
    rng = np.random.default_rng([6, seed])
    deals = [random_deal(rng) for _ in range(300)]
    masks = Layouts.of(deals).masks
    seat, suit = Seat(int(rng.integers(4))), Suit(int(rng.integers(4)))
    some = Hand.of([card for i, card in enumerate(deals[0][seat]) if i % 5 == 0])
    low = int(rng.integers(1, 4))
    meanings: list[tuple[Any, Callable[[Hand], bool]]] = [
        (Void(seat, suit), lambda hand: all(card.suit != suit for card in hand)),
        (Length(seat, suit, low, low + 2), lambda hand: low <= sum(c.suit == suit for c in hand) <= low + 2),
        (HighCards(seat, 8, 11), lambda hand: 8 <= sum(max(0, card.rank - 8) for card in hand) <= 11),
        (Holds(seat, some), lambda hand: all(card in hand for card in some)),
        (Lacks(seat, some), lambda hand: not any(card in hand for card in some)),
        (Play(seat, next(iter(some))), lambda hand: next(iter(some)) in hand),
        (Shape(seat, "balanced"), lambda hand: lengths(hand) in ([4, 3, 3, 3], [4, 4, 3, 2], [5, 3, 3, 2])),
        (Shape(seat, "2-5-4-2"), lambda hand: lengths(hand) == [5, 4, 2, 2]),
        (Shape(seat, "any 5-4"), lambda hand: lengths(hand)[0] >= 5 and lengths(hand)[1] >= 4),
        (Shape(seat, "S4+ H2-3"), lambda hand: hand.length(Suit.S) >= 4 and hand.length(Suit.H) in (2, 3)),
        (Shape(seat, "D-1 or C5"), lambda hand: hand.length(Suit.D) <= 1 or hand.length(Suit.C) == 5),
        (Reveal(seat, deals[1][seat]), lambda hand: hand == deals[1][seat]),
    ]
    for piece, means in meanings:
        known = piece.constrain(Constraints.free(), 0)
        truth = [means(deal[seat]) for deal in deals]
        assert known.allows(masks).tolist() == truth
        assert any(truth) or isinstance(piece, Void)
        assert not all(truth)


def test_the_strain_may_be_unknown_told_or_bid() -> None:
    ruffed = Trick.of("W:H2 H4 C4 HK"), Play("E", "D2")
    told = Belief("S", SOUTH.hand, trump="C").given(*ruffed).count()
    bid = SOUTH.given(Auction.of("W:2C Pass Pass", dummy="N"), *ruffed).count()
    assert SOUTH.given(*ruffed).count() == told == bid
    with pytest.raises(IllegalPlay, match="it is S's turn"):
        Belief("S", SOUTH.hand, trump="NT").given(*ruffed)
    with pytest.raises(IllegalPlay, match="N cannot play 'D2'"):
        SOUTH.given(ruffed[0], Play("N", "D2"))


REFUSED: list[tuple[list[Any], str]] = [
    ([Trick.of("W:H2 H4 D2 HK"), Trick.of("S:H3 H6 H7 H8")], "E plays H8 in trick 2, but played D2 to H2 in trick 1"),
    ([Trick.of("W:H2 H4 H5 SA")], "S cannot play 'SA' .*: the suit led must be followed; legal: HK HJ H3"),
    ([Trick.of("W:H2 H4 H5 HK"), Trick.of("W:H6")], "W cannot play 'H6' to trick 'S:': it is S's turn"),
    ([Play("W", "H2"), Play("N", "H2")], "N plays H2 in trick 1, but W played it in trick 1: a card is played once"),
    ([Trick.of("W:H2 H4 H5 H6")], "the hand .* does not hold it"),
    ([Reveal("N", "J54.AQ2.KQ76.A54"), Trick.of("W:H4 S4")], "N cannot play 'S4' .*: the suit led must be followed"),
]


@pytest.mark.parametrize(("seen", "says"), REFUSED)
def test_plays_that_cannot_be_get_one_clear_line(seen: list[Any], says: str) -> None:
    with pytest.raises(IllegalPlay, match=says) as error:
        SOUTH.given(*seen)
    assert "\n" not in str(error.value)
