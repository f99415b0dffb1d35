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

from bayesbridge.capture.tables import FIELD, LEADING_GAP, suit_field
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
    """(n,) tricks that the opening leader's side takes in each deal.

    The side is the leader and the seat opposite. ``masks`` is (n, 4), clockwise from
    the opening leader. ``trump`` is a suit or NO_TRUMP. ``attack`` is the policy of the
    leader's side, ``defence`` that of the other: a code, the place in ``POLICIES``, of
    the rule by which cards are chosen.
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
            if not _is_defender(leader):
                tricks_taken += 1
        tricks[i] = tricks_taken
    return tricks


@njit
def _is_defender(seat: int) -> bool:
    """Whether a seat, counted from the opening leader, is on the other side."""
    return seat & 1 == 1


@njit
def _play_trick(
    hands: NDArray[np.int64], leader: int, trump: int, attack: int, defence: int
) -> int:
    """Play a trick and return its winner; the cards leave the (4,) masks ``hands``.

    ``trump`` is a suit or NO_TRUMP. ``attack`` is the policy, the rule by which cards
    are chosen, of seats 0 and 2, ``defence`` that of seats 1 and 3.
    """
    leader_policy = defence if _is_defender(leader) else attack
    led_rank, led_suit = _card_led(hands[leader], leader_policy)
    hands[leader] ^= 1 << (13 * led_suit + led_rank)
    winner = leader
    best_rank = led_rank
    best_suit = led_suit
    for step in range(1, 4):
        seat = (leader + step) & 3
        policy = defence if _is_defender(seat) else attack
        cards_to_follow = int(suit_field(hands[seat], led_suit))
        if cards_to_follow:
            suit = led_suit
            rank = _rank_that_follows(cards_to_follow, led_rank, policy)
        else:
            partner_wins = _is_defender(winner) == _is_defender(seat)
            may_ruff = trump != NO_TRUMP and policy != LOW and not partner_wins
            rank_to_beat = best_rank if best_suit == trump else -1
            rank, suit = _card_without_suit(
                hands[seat], trump if may_ruff else NO_TRUMP, rank_to_beat
            )
        hands[seat] ^= 1 << (13 * suit + rank)
        first_trump = suit == trump and best_suit != trump
        if first_trump or (suit == best_suit and rank > best_rank):
            winner = seat
            best_rank = rank
            best_suit = suit
    return winner


@njit
def _card_without_suit(hand: int, trump: int, rank_to_beat: int) -> tuple[int, int]:
    """Rank and suit of the card played by a hand without the suit led.

    It is the lowest trump above ``rank_to_beat``, that of the best trump on the table
    or −1, if there is one, else the lowest card of the hand. ``trump`` is NO_TRUMP
    where the hand does not ruff.
    """
    if trump != NO_TRUMP:
        ranks_to_beat = (1 << (rank_to_beat + 1)) - 1
        winning_trumps = suit_field(np.int64(hand), trump) & ~ranks_to_beat
        if winning_trumps:
            return int(_LOWEST[winning_trumps]), trump
    return _lowest_card(hand)


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
    return (hand | hand >> 13 | hand >> 26 | hand >> 39) & FIELD


@njit
def _first_suit(hand: int, rank: int) -> int:
    """The first suit in which a hand holds a rank."""
    suit = 0
    while not hand >> (13 * suit + rank) & 1:
        suit += 1
    return suit
