"""Random deals for studies: whole deals from one stream of bits, fast enough for billions.

A deck is shuffled over and over by Fisher and Yates; as any order of the deck is a fair start, it is never put back
in order within a block, and a block begins with the deck in order, so a deal depends on the stream alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bayesbridge.jit import njit
from bayesbridge.random64 import Seed, State, bounded, seed_state

Masks = NDArray[np.uint64]

BLOCK = 1 << 14
"""Deals made together: their arrays stay in the processor's cache."""


def deal_blocks(deals: int, rng: Seed = None) -> Iterator[Masks]:
    """Uniform deals in blocks: (n, 4) masks of 13 cards for each hand, n ≤ BLOCK.

    >>> [len(block) for block in deal_blocks(20_000, rng=1)]
    [16384, 3616]
    """
    state = seed_state(rng)
    for start in range(0, deals, BLOCK):
        masks = np.empty((min(BLOCK, deals - start), 4), dtype=np.uint64)
        _deal(state, masks)
        yield masks


@njit
def _deal(state: State, masks: Masks) -> None:
    deck = np.empty(52, dtype=np.uint64)
    for card in range(52):
        deck[card] = np.uint64(1) << np.uint64(card)
    for i in range(len(masks)):
        shuffle(state, deck, 39)
        rest = np.uint64((1 << 52) - 1)
        for seat in range(3):
            hand = np.uint64(0)
            for place in range(13 * seat, 13 * seat + 13):
                hand |= deck[51 - place]
            masks[i, seat] = hand
            rest ^= hand
        masks[i, 3] = rest


@njit
def shuffle(state: State, deck: Masks, wanted: int) -> None:
    """Put ``wanted`` cards of the deck, chosen and ordered at random, at its end; any number of cards."""
    for place in range(len(deck) - 1, len(deck) - 1 - wanted, -1):
        other = bounded(state, np.uint64(place + 1))
        deck[place], deck[other] = deck[other], deck[place]


@njit
def redeal(state: State, layouts: Masks, hidden: NDArray[np.int64]) -> None:
    """Deal the cards of the hidden seats anew in each layout, 13 for each seat; the other seats keep theirs."""
    deck = np.empty(13 * len(hidden), dtype=np.uint64)
    for i in range(len(layouts)):
        pool = np.uint64(0)
        for seat in hidden:
            pool |= layouts[i, seat]
        filled = 0
        while pool:
            card = pool & (~pool + np.uint64(1))
            deck[filled] = card
            pool ^= card
            filled += 1
        shuffle(state, deck, filled - 13)
        for k in range(len(hidden)):
            hand = np.uint64(0)
            for place in range(13 * k, 13 * k + 13):
                hand |= deck[place]
            layouts[i, hidden[k]] = hand
