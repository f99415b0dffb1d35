"""What the learned player looks at: the situation in which a card was chosen, and what each card means in it.

A *situation* is what everybody at the table can see before a card is played, as a row of small integers; it does not
depend on the player's hand. A card of a hand has, in a situation, a few *features*: numbers into one long vector of
weights. The card's score is the sum of their weights (a log-linear model).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.jit import njit

KIND, ROLE, TRUMP, STAKE, TURN, LED, LED_RANK, BEST_RANK, PARTNER_WINS, GONE, STATUS = range(11)
SITUATION_WIDTH: Final = STATUS + 4
"""Columns of a situation: the eleven above, the last of them four, one a suit."""

LEAD, LATER_LEAD, FOLLOW = range(3)
"""Kinds: the opening lead, a lead to a later trick, a card to somebody's lead (which may be a discard)."""

DECLARER, LEADER, THIRD_HAND = range(3)
"""Roles: declarer, the defender who led first, their partner. Dummy's hand is open and needs no likelihood."""

RUFFED: Final = 13
"""Stands for the rank of the best card so far when a side suit has been ruffed."""

_LEAD_SIZES: Final = (2 * 8 * 8, 2 * 13 * 4 * 4, 2 * 16 * 6 * 4, 2 * 7 * 8, 7 * 8 * 4, 7 * 13, 3 * 2 * 16 * 2)
_LATER_SIZES: Final = (3 * 2 * 4 * 8, 3 * 2 * 8 * 8, 3 * 2 * 13 * 4, 3 * 2 * 16 * 6, 3 * 4 * 13)
_FOLLOW_SIZES: Final = (3 * 4 * 16, 3 * 4 * 13 * 4, 3 * 4 * 8 * 8, 3 * 4 * 14 * 13, 3 * 4 * 5 * 13, 3 * 4 * 16 * 6)
_DISCARD_SIZES: Final = (3 * 2 * 4 * 8, 3 * 8 * 8, 3 * 13 * 4, 3 * 4 * 13, 3 * 16 * 6, 3 * 2 * 2 * 14)
_SIZES: Final = (*_LEAD_SIZES, *_LATER_SIZES, *_FOLLOW_SIZES, *_DISCARD_SIZES)
_START: Final = np.cumsum((0, *_SIZES))
WEIGHTS: Final = int(_START[-1])
"""How many weights there are."""

MOST_FEATURES: Final = 7
"""Features of one card at most."""

_LEAD_AT: Final = 0
_LATER_AT: Final = len(_LEAD_SIZES)
_FOLLOW_AT: Final = _LATER_AT + len(_LATER_SIZES)
_DISCARD_AT: Final = _FOLLOW_AT + len(_FOLLOW_SIZES)


def situations(contract: Contract, auction: Auction | None, plays: Sequence[tuple[Seat, Card]]) -> NDArray[np.int64]:
    """(plays, width) the situation before each card; cards in the order played, the trick's winner leading on."""
    trump = int(contract.strain)
    declarer = contract.declarer
    rows = np.zeros((len(plays), SITUATION_WIDTH), np.int64)
    game = 3 if trump == 4 else 5 if trump < 2 else 4
    stake = 2 if contract.level >= 6 else int(contract.level >= game)
    bid_status = _bid_status(contract, auction)
    first_led: dict[int, int] = {}
    gone = 0
    led = best = Card(0)
    winner = declarer
    for i, (seat, card) in enumerate(plays):
        row, side = rows[i], (seat - declarer) % 2
        row[ROLE] = (DECLARER, LEADER, DECLARER, THIRD_HAND)[(seat - declarer) % 4]
        row[TRUMP], row[STAKE], row[TURN], row[GONE] = trump, stake, i % 4, gone
        row[STATUS:] = bid_status if i == 0 else [_led_status(suit, trump, side, first_led) for suit in range(4)]
        if i % 4 == 0:
            row[KIND] = LATER_LEAD if i else LEAD
            led, best, winner = card, card, seat
            first_led.setdefault(card.suit, side)
        else:
            row[KIND], row[LED], row[LED_RANK] = FOLLOW, led.suit, led.rank
            row[BEST_RANK] = best.rank if best.suit == led.suit else RUFFED
            row[PARTNER_WINS] = winner == seat.partner
            if card > best if card.suit == best.suit else card.suit == trump:
                best, winner = card, seat
        gone |= card.mask
    return rows


def _bid_status(contract: Contract, auction: Auction | None) -> list[int]:
    """For the leader each suit: 0 trumps, 1 nobody's, bid by 2 partner, 3 declarer, 4 dummy, 5 both, 6 the leader."""
    bidders: list[set[int]] = [set(), set(), set(), set()]
    for seat, call in auction or ():
        if call.strain is not None and call.strain < 4:
            bidders[call.strain].add((seat - contract.declarer) % 4)
    status = []
    for suit, who in enumerate(bidders):
        if suit == contract.strain:
            status.append(0)
        elif 3 in who:
            status.append(2)
        elif 1 in who:
            status.append(6)
        else:
            status.append(1 + 2 * (0 in who) + 3 * (2 in who) - ({0, 2} <= who))
    return status


def _led_status(suit: int, trump: int, side: int, first_led: dict[int, int]) -> int:
    """Each suit later: 0 trumps, 1 first led by the player's own side, 2 by the other side, 3 not yet led."""
    if suit == trump:
        return 0
    return 3 if suit not in first_led else 1 + (first_led[suit] != side)


@njit
def features(card: int, rest: int, situation: NDArray[np.int64], found: NDArray[np.int64]) -> int:
    """Write the features of a card of ``rest``, the cards still held, to ``found``; return how many there are."""
    suit, rank = card // 13, card % 13
    held = (rest >> (13 * suit)) & 0x1FFF
    gone = (situation[GONE] >> (13 * suit)) & 0x1FFF
    length = 0
    above = 0
    for r in range(13):
        if (held >> r) & 1:
            length += 1
            if r > rank:
                above += 1
    lowest = int(above == length - 1)
    # Touching: the next card in rank that is not gone lies in the same hand.
    down = rank - 1
    while down >= 0 and (gone >> down) & 1:
        down -= 1
    up = rank + 1
    while up <= 12 and (gone >> up) & 1:
        up += 1
    touching = int(down >= 0 and (held >> max(down, 0)) & 1) + 2 * int(up <= 12 and (held >> up) & 1)
    honours = held >> 9
    high = max(rank - 7, 0)
    long = min(length, 8) - 1
    place = min(above, 7)
    some = min(length, 4) - 1
    suited = int(situation[TRUMP] < 4)
    role, turn, status = situation[ROLE], situation[TURN], situation[STATUS + suit]
    if situation[KIND] == LEAD:
        found[0] = (suited * 8 + long) * 8 + place
        found[1] = ((suited * 13 + rank) * 4 + touching) * 4 + some
        found[2] = ((suited * 16 + honours) * 6 + high) * 4 + some
        found[3] = (suited * 7 + status) * 8 + long
        found[4] = (status * 8 + place) * 4 + some
        found[5] = status * 13 + rank
        found[6] = ((situation[STAKE] * 2 + suited) * 16 + honours) * 2 + int(rank >= 8)
        at, n = _LEAD_AT, 7
    elif situation[KIND] == LATER_LEAD:
        found[0] = ((role * 2 + suited) * 4 + status) * 8 + long
        found[1] = ((role * 2 + suited) * 8 + long) * 8 + place
        found[2] = ((role * 2 + suited) * 13 + rank) * 4 + touching
        found[3] = ((role * 2 + suited) * 16 + honours) * 6 + high
        found[4] = (role * 4 + status) * 13 + rank
        at, n = _LATER_AT, 5
    elif suit == situation[LED]:
        beats = int(rank > situation[BEST_RANK])
        wins = situation[PARTNER_WINS]
        seat = role * 4 + turn
        found[0] = (((seat * 2 + beats) * 2 + wins) * 2 + lowest) * 2 + int(above == 0)
        found[1] = (seat * 13 + rank) * 4 + touching
        found[2] = (seat * 8 + long) * 8 + place
        found[3] = (seat * 14 + situation[BEST_RANK]) * 13 + rank
        found[4] = (seat * 5 + max(situation[LED_RANK] - 8, 0)) * 13 + rank
        found[5] = (seat * 16 + honours) * 6 + high
        at, n = _FOLLOW_AT, 6
    else:
        ruffs = int(suit == situation[TRUMP])
        wins = situation[PARTNER_WINS]
        found[0] = ((role * 2 + suited) * 4 + status) * 8 + long
        found[1] = (role * 8 + long) * 8 + place
        found[2] = (role * 13 + rank) * 4 + touching
        found[3] = (role * 4 + status) * 13 + rank
        found[4] = (role * 16 + honours) * 6 + high
        found[5] = ((role * 2 + ruffs) * 2 + wins) * 14 + situation[BEST_RANK]
        at, n = _DISCARD_AT, 6
    for i in range(n):
        found[i] += _START[at + i]
    return n
