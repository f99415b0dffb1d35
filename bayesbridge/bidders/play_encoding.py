"""What the learned player sees: the auction, the contract, dummy and every card so far, as tokens for the reader.

A token is a call that was made or the situation before a card is played. It says what everybody at the table can see
and nothing of a hidden hand. Seats are told from declarer's: 0 declarer, 1 the leader, 2 dummy, 3 the leader's partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat

HEARD: Final = 24
"""Calls that are read, the last ones of the auction."""

NO_CALL: Final = 38
NO_CARD: Final = 52
NO_SUIT: Final = 4
NO_RANK: Final = 13
"""Nothing was led yet, or a side suit has been ruffed."""

PARTNER, OPPONENT, NOBODY = range(3)
"""Who has the best card of the trick so far."""

STARTS: Final = np.cumsum((0, 39, 4, 53, 4, 4, 5, 14, 3, 13, 5, 7, 2))
"""Where the rows of each part of a token begin: the call and who made it; the card before, who is to play, the place in
the trick, the suit led, the rank of the best card, who has it, the number of the trick; the strain, the level, and
whether it is a call or a card. After them come 52 rows for the cards that dummy still holds."""


class Situations(NamedTuple):
    """What was seen before each of n cards.

    tokens: (24 + n, 12) rows of the reader's table, the calls first
    dummy:  (24 + n,) what dummy still holds, as masks; 0 where it is not open
    led:    (n,) the suit to follow, :data:`NO_SUIT` for a lead
    """

    tokens: NDArray[np.intp]
    dummy: NDArray[np.uint64]
    led: NDArray[np.intp]


def situations(
    contract: Contract, auction: Auction | None, plays: Sequence[tuple[Seat, Card]], dummy: int | None = None
) -> Situations:
    """The situation before each card; cards in the order played, ``dummy`` the 13 cards of dummy as a mask.

    >>> seen = situations(Contract.of("3NT by S"), None, [(Seat.W, Card.of("SK")), (Seat.N, Card.of("S2"))])
    >>> (seen.tokens - STARTS[:-1])[-1].tolist()  # dummy is to play to the king of spades
    [38, 0, 50, 2, 1, 3, 11, 1, 0, 4, 2, 1]
    """
    strain, declarer = int(contract.strain), contract.declarer
    fixed = strain, contract.level - 1
    tokens = np.zeros((HEARD + len(plays), len(STARTS) - 1), np.intp)
    calls = [call.index for _, call in auction] if auction is not None else []
    first = auction.first if auction is not None else declarer
    for i in range(HEARD):
        back = len(calls) - HEARD + i
        call = calls[back] if back >= 0 else NO_CALL
        tokens[i] = call, (first + back - declarer) % 4, NO_CARD, 0, 0, NO_SUIT, NO_RANK, NOBODY, 0, *fixed, 0
    held = np.zeros(len(tokens), np.uint64)
    led = np.zeros(len(plays), np.intp)
    left = dummy or 0
    before, best, winner = NO_CARD, Card(0), 0
    for i, (seat, card) in enumerate(plays):
        turn, place = (seat - declarer) % 4, i % 4
        led[i], rank, holder = NO_SUIT, NO_RANK, NOBODY
        if place:
            led[i] = plays[i - place][1].suit
            holder = PARTNER if (winner - turn) % 4 == 2 else OPPONENT
            rank = best.rank if best.suit == led[i] else NO_RANK
        tokens[HEARD + i] = NO_CALL, 0, before, turn, place, led[i], rank, holder, i // 4, *fixed, 1
        held[HEARD + i] = left if i else 0
        if not place or (card > best if card.suit == best.suit else card.suit == strain):
            best, winner = card, turn
        left &= ~card.mask
        before = card.index
    return Situations(tokens + STARTS[:-1], held, led)
