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


_HIGHEST: Final = 12 - LEADING_GAP
_LOWEST: Final = np.array(
    [(field & -field).bit_length() - 1 for field in range(1 << 13)], dtype=np.int8
)


@njit
def play_out(
    masks: NDArray[np.uint64], trump: int, ours: int, theirs: int
) -> NDArray[np.int8]:
    """(n,) tricks taken by the leader's side (leader and the seat opposite) in each
    deal.

    ``masks`` is (n, 4), clockwise from the opening leader. ``trump`` is a suit or
    NO_TRUMP; ``ours`` is the policy code of the leader's side, ``theirs`` of the other.
    """
    out, hands = np.empty(len(masks), dtype=np.int8), np.empty(4, dtype=np.int64)
    for i in range(len(masks)):
        for seat in range(4):
            hands[seat] = np.int64(masks[i, seat])
        leader, taken = 0, 0
        for _ in range(13):
            policy = theirs if leader & 1 else ours
            hand = hands[leader]
            ranks = (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF
            led = int(
                _LOWEST[ranks] if policy == 2 else _HIGHEST[ranks]
            )  # wider than the tables, to shift by
            suit = _first_suit(hand, led)
            hands[leader] = hand ^ (1 << (13 * suit + led))
            winner, best, best_suit = leader, led, suit
            for step in range(1, 4):
                seat = (leader + step) & 3
                policy = theirs if seat & 1 else ours
                hand = hands[seat]
                field = (hand >> (13 * suit)) & 0x1FFF
                if field:
                    card_suit = suit
                    card = int(_HIGHEST[field])
                    if policy == 2 or (policy == 0 and card < led):
                        card = int(_LOWEST[field])
                    if best_suit == suit and card > best:
                        winner, best = seat, card
                else:
                    ruff = 0
                    if trump != NO_TRUMP and policy != 2 and (winner ^ seat) & 1:
                        ruff = (hand >> (13 * trump)) & 0x1FFF
                        if best_suit == trump:
                            ruff &= ~((2 << best) - 1)
                    if ruff:
                        card_suit, card = trump, int(_LOWEST[ruff])
                    else:
                        ranks = (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF
                        card = int(_LOWEST[ranks])
                        card_suit = _first_suit(hand, card)
                    if card_suit == trump and (best_suit != trump or card > best):
                        winner, best, best_suit = seat, card, trump
                hands[seat] = hand ^ (1 << (13 * card_suit + card))
            leader = winner
            taken += winner & 1 == 0
        out[i] = taken
    return out


@njit
def _first_suit(hand: int, rank: int) -> int:
    """The first suit in which a hand holds a rank."""
    suit = 0
    while not hand >> (13 * suit + rank) & 1:
        suit += 1
    return suit
