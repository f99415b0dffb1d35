"""Trick-by-trick play of whole deals by fixed policies, in a kernel.

The paper's study plays its contracts out without saying how; the *general* policy is
the reading that comes closest. Whoever is on lead plays their highest card. Each next
hand plays its highest card of the suit led if that beats the card led, else its lowest
of the suit. A hand that cannot follow throws its lowest card. Two simpler policies,
*high* and *low*, always play the highest or the lowest card they may. Ranks decide;
between suits of equal rank clubs come first.

With trumps, which the paper leaves out, a general or high hand that cannot follow ruffs
with its lowest trump that takes the trick, unless its partner already holds it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import LEADING_GAP
from bayesbridge.runtime.jit import njit

NO_TRUMP: Final = 4

# The codes of ``capture.POLICIES``.
GENERAL: Final = 0
LOW: Final = 2

_HIGHEST: Final = 12 - LEADING_GAP
"""(8192,) the highest rank of a suit's cards, a field of 13 bits."""

_LOWEST: Final = np.array(
    [(field & -field).bit_length() - 1 for field in range(1 << 13)], dtype=np.int8
)
"""(8192,) the lowest rank."""


@njit
def play_out(
    masks: NDArray[np.uint64], trump: int, attack: int, defence: int
) -> NDArray[np.int8]:
    """(n,) tricks that the leader's side takes in each deal.

    The side is the leader and the seat opposite.

    ``masks`` is (n, 4), clockwise from the opening leader. ``trump`` is a suit or
    NO_TRUMP; ``attack`` is the policy code of the leader's side, ``defence`` that of the
    other.
    """
    tricks = np.empty(len(masks), dtype=np.int8)
    hands = np.empty(4, dtype=np.int64)
    for i in range(len(masks)):
        for seat in range(4):
            hands[seat] = np.int64(masks[i, seat])
        leader = 0
        tricks_taken = 0
        for _ in range(13):
            leader = _play_trick(hands, leader, trump, attack, defence)
            tricks_taken += leader & 1 == 0
        tricks[i] = tricks_taken
    return tricks


@njit
def _play_trick(
    hands: NDArray[np.int64], leader: int, trump: int, attack: int, defence: int
) -> int:
    """The winner of the next trick, whose cards leave the (4,) ``hands``."""
    policy = defence if leader & 1 else attack
    led, suit_led = _card_led(hands[leader], policy)
    hands[leader] ^= 1 << (13 * suit_led + led)
    winner = leader
    best = led
    best_suit = suit_led
    for step in range(1, 4):
        seat = (leader + step) & 3
        hand = hands[seat]
        policy = defence if seat & 1 else attack
        field = (hand >> (13 * suit_led)) & 0x1FFF
        if field:
            suit = suit_led
            rank = _rank_that_follows(field, led, policy)
            wins = best_suit == suit_led and rank > best
        else:
            ruffs = np.int64(0)
            if trump != NO_TRUMP and policy != LOW and (winner ^ seat) & 1:
                ruffs = (hand >> (13 * trump)) & 0x1FFF
                if best_suit == trump:
                    ruffs &= ~((2 << best) - 1)
            if ruffs:
                suit = trump
                rank = int(_LOWEST[ruffs])
            else:
                rank, suit = _lowest_card(hand)
            wins = suit == trump and (best_suit != trump or rank > best)
        hands[seat] = hand ^ (1 << (13 * suit + rank))
        if wins:
            winner = seat
            best = rank
            best_suit = suit
    return winner


@njit
def _card_led(hand: int, policy: int) -> tuple[int, int]:
    """Rank and suit of the card that a hand leads: its highest, or by LOW its lowest."""
    if policy == LOW:
        return _lowest_card(hand)
    rank = int(_HIGHEST[_ranks(hand)])
    return rank, _first_suit(hand, rank)


@njit
def _rank_that_follows(field: int, led: int, policy: int) -> int:
    """The rank played from a suit's cards ``field`` on the rank ``led`` of that suit."""
    highest = int(_HIGHEST[field])
    if policy == LOW or (policy == GENERAL and highest < led):
        return int(_LOWEST[field])
    return highest


@njit
def _lowest_card(hand: int) -> tuple[int, int]:
    """Rank and suit of the lowest card of a hand."""
    rank = int(_LOWEST[_ranks(hand)])
    return rank, _first_suit(hand, rank)


@njit
def _ranks(hand: int) -> int:
    """The 13 bits of the ranks that a hand holds in any suit."""
    return (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF


@njit
def _first_suit(hand: int, rank: int) -> int:
    """The first suit in which a hand holds a rank."""
    suit = 0
    while not hand >> (13 * suit + rank) & 1:
        suit += 1
    return suit
