"""Calls on record with the hands that made them, and the arrays that fitting needs of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked
from bayesbridge.auction import Auction
from bayesbridge.bidders.features import cells
from bayesbridge.bidders.style import LEANING, Options, Terms
from bayesbridge.bidders.turn import Turn
from bayesbridge.cards import Hand
from bayesbridge.deal import Deal, Seat

Floats = NDArray[np.float64]

NEVER: Final = -1e6
"""Utility of an illegal call: exp of it is 0, and its derivatives are too."""


@dataclass(frozen=True, slots=True, init=False)
class CallRecord:
    """One call on record: who made it, with which hand, as call number ``index`` of which auction."""

    player: str
    hand: Hand
    auction: Auction
    index: int

    def __init__(self, player: str, hand: Hand | str, auction: Auction, index: int) -> None:
        turn = Turn.of(auction, index)
        full = Hand.of(hand).verify_full(f"{turn.seat.name}'s hand")
        for name, value in {"player": str(player), "hand": full, "auction": auction, "index": index}.items():
            object.__setattr__(self, name, value)


@checked
def records_of(deal: Deal | str, auction: Auction, players: Mapping[Seat, str]) -> list[CallRecord]:
    """All calls of an auction whose callers are among the players, as records."""
    dealt = Deal.of(deal)
    return [
        CallRecord(players[seat], dealt[seat], auction, index)
        for index, (seat, _) in enumerate(auction)
        if seat in players
    ]


class Design(NamedTuple):
    """Records as arrays, r of them.

    u0, u1, u2: (r, 38) utilities as in :class:`Terms`; Pass has 0, an illegal call :data:`NEVER`
    legal:      (r,) how many calls were legal
    call:       (r,) the call made
    player:     (r,) its player's number
    """

    u0: Floats
    u1: Floats
    u2: Floats
    legal: NDArray[np.int64]
    call: NDArray[np.int64]
    player: NDArray[np.int64]

    @classmethod
    def of(cls, records: Sequence[CallRecord], players: Sequence[str]) -> Design:
        """Work out all that the hands and auctions contribute."""
        shape = len(records), 38
        u0, u1, u2 = np.full(shape, NEVER), np.zeros(shape), np.zeros(shape)
        u0[:, 0] = 0.0
        legal = np.ones(len(records), dtype=np.int64)
        found = cells(np.array([record.hand.mask for record in records], dtype=np.uint64))
        for row, record in enumerate(records):
            options = Options.of(Turn.of(record.auction, record.index).before)
            terms = Terms.of(found[row, options.strain], options)
            u0[row, options.call], u1[row, options.call], u2[row, options.call] = terms
            legal[row] += len(options.call)
        call = np.array([record.auction.calls[record.index].index for record in records], dtype=np.int64)
        return cls(u0, u1, u2, legal, call, np.array([players.index(r.player) for r in records], dtype=np.int64))

    def probabilities(self, style: Floats) -> Floats:
        """(d, r, 38) P(call) under d draws of the players' styles, (d, players, 4)."""
        added = style[:, self.player, 0, None] + style[:, self.player, 1, None] * LEANING
        u = (self.u0 + (self.u1 + self.u2 * added) * added) / style[:, self.player, 2, None]
        odds = np.exp(u - u.max(axis=-1, keepdims=True))
        slip = style[:, self.player, 3, None]
        floor = (self.u0 > NEVER) / self.legal[:, None]
        chances: Floats = slip * floor + (1.0 - slip) * odds / odds.sum(axis=-1, keepdims=True)
        return chances
