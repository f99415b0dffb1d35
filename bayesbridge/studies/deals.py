"""Random deals for studies, and the auction of the paper's big one.

In the auction three players evaluate their own hand by Algorithm 1, the highest level
wins, the earliest seat on ties, and the fourth hand is the dummy: what a real auction
comes to when each bids their level if it outranks the last bid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import GENERAL, NO_TRUMP, play_out
from bayesbridge.game.layouts import Masks
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, bounded, seed_state

BLOCK = 1 << 14  # deals made together: their arrays stay in the processor's cache


def deal_blocks(deals: int, rng: Seed = None) -> Iterator[Masks]:
    """Uniform deals in blocks: (n, 4) masks of 13 cards for each hand, n ≤ BLOCK."""
    state = seed_state(rng)
    for start in range(0, deals, BLOCK):
        masks = np.empty((min(BLOCK, deals - start), 4), dtype=np.uint64)
        _deal(state, masks)
        yield masks


@njit
def _deal(state: State, masks: Masks) -> None:
    """Fill ``masks`` (n, 4) with random deals.

    Three hands are drawn from the end of the deck; the fourth is what is left.
    """
    deck = np.empty(52, dtype=np.uint64)
    for card in range(52):
        deck[card] = np.uint64(1) << np.uint64(card)
    for i in range(len(masks)):
        shuffle(state, deck, 39)
        last_hand = np.uint64((1 << 52) - 1)
        for seat in range(3):
            hand = np.uint64(0)
            for place_from_end in range(13 * seat, 13 * seat + 13):
                hand |= deck[51 - place_from_end]
            masks[i, seat] = hand
            last_hand ^= hand
        masks[i, 3] = last_hand


@njit
def shuffle(state: State, deck: Masks, cards: int) -> None:
    """Put ``cards`` cards of the deck, chosen and ordered at random, at its end.

    ``deck`` (n,) masks of one card each, of any number of cards.
    """
    for last in range(len(deck) - 1, len(deck) - 1 - cards, -1):
        drawn = bounded(state, np.uint64(last + 1))  # 0 … last
        deck[last], deck[drawn] = deck[drawn], deck[last]


@njit
def redeal(state: State, layouts: Masks, hidden: NDArray[np.int64]) -> None:
    """Deal the cards of the hidden seats anew in each layout, 13 for each seat.

    The other seats keep theirs. ``layouts`` (n, 4), ``hidden`` (k,) numbers of seats.
    """
    deck = np.empty(13 * len(hidden), dtype=np.uint64)
    for i in range(len(layouts)):
        pool = np.uint64(0)
        for seat in hidden:
            pool |= layouts[i, seat]
        filled = 0
        while pool:
            card = pool & (~pool + np.uint64(1))  # the lowest
            deck[filled] = card
            pool ^= card
            filled += 1
        # All places but the first 13: those get what is left.
        shuffle(state, deck, filled - 13)
        for k in range(len(hidden)):
            hand = np.uint64(0)
            for place in range(13 * k, 13 * k + 13):
                hand |= deck[place]
            layouts[i, hidden[k]] = hand


Small = NDArray[np.int8]


class Contracts(NamedTuple):
    """The deals of a block that somebody bids, m of them."""

    # (m, 4) bidder, the next player, dummy, the player after: partners sit opposite,
    # and the play goes round in this order
    table: Masks
    bidder: Small  # (m,) which of the three players bids, in the order of speaking
    # (m, 3) of the players in the order of speaking, 0 for a hand that cannot bid
    levels: Small
    level: Small  # (m,) of the contract
    dummy_level: Small  # (m,) what the dummy could bid, 0 for nothing

    @property
    def target(self) -> Small:
        """(m,) tricks needed."""
        return np.asarray(self.level + np.int8(6))

    def tricks(self, ours: int = GENERAL, theirs: int = GENERAL) -> Small:
        """(m,) tricks of bidder and dummy when the bidder leads.

        ``ours`` and ``theirs`` are the play-out policies of the two sides.
        """
        return play_out(self.table, NO_TRUMP, ours, theirs)


def find_contracts(masks: Masks) -> Contracts:
    """The contracts of those of n deals that somebody bids.

    ``masks`` (n, 4): columns 0, 1 and 2 are the players in the order of speaking, 3 is
    the dummy. The player with the highest level bids the contract, the first of them on
    ties.
    """
    levels_by_player = [
        bids(np.ascontiguousarray(masks[:, player])).level for player in range(3)
    ]
    levels = np.stack(levels_by_player, axis=1)
    is_bid = levels.any(axis=1)
    masks = masks[is_bid]
    levels = levels[is_bid]
    deal = np.arange(len(masks))
    bidder = levels.argmax(axis=1)  # the first of the highest
    dummies = masks[:, 3]
    table = np.stack(
        [
            masks[deal, bidder],
            masks[deal, (bidder + 1) % 3],
            dummies,
            masks[deal, (bidder + 2) % 3],
        ],
        axis=1,
    )
    return Contracts(
        table=table,
        bidder=bidder.astype(np.int8),
        levels=levels,
        level=levels[deal, bidder],
        dummy_level=bids(dummies.copy()).level,
    )
