"""The direct reader: a network that says where cards lie straight from the auction, with no bidder model.

A transformer reads the own hand and the auction; what it knows after the last call becomes P(seat) of every card and
P(length) of every suit of the three hidden hands. It knows nothing of layouts as wholes, and nothing of the play: after
the lead it is silent. A baseline for the posterior, fitted on the same tables by ``scripts/fit_direct_reader.py``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.learned import Floats, Holdings, Reader, linear, stored
from bayesbridge.cards import SUIT_MASK
from bayesbridge.jit import one_thread
from bayesbridge.studies.readers.reading import Reading
from bayesbridge.studies.readers.seen import Seen

HEARD: Final = 32
"""Calls that are read, the first ones of the auction."""

END: Final = 38
"""Stands after the last call."""

STARTS: Final = np.cumsum((0, 39, 4, 4))
"""Where the rows of each part of a token begin: the call, who made it (0 the reader, 1 the left-hand opponent …), who
is vulnerable (2 · the reader's side + the other side), the place in the auction."""


class DirectReader:
    """Speaks before the lead only."""

    def read(self, seen: Seen) -> Reading | None:
        """P(card at seat) and P(length), softmax of the network's scores."""
        if seen.plays:
            return None
        with one_thread():
            card_scores, length_scores = _network().scores(seen)
        own = seen.observer
        cards = np.zeros((52, 4))
        lengths = np.zeros((4, 4, 14))
        for step in range(3):
            seat = own.next(step + 1)
            cards[:, seat] = _softmax(card_scores)[:, step]
            lengths[seat] = _softmax(length_scores)[step]
        held = np.array([seen.hand.mask >> card & 1 for card in range(52)], np.bool_)
        cards[held] = 0.0
        cards[held, own] = 1.0
        for suit in range(4):
            lengths[own, suit, (seen.hand.mask >> 13 * suit & SUIT_MASK).bit_count()] = 1.0
        return Reading(cards, lengths)


class Network:
    """The fitted parameters, made ready."""

    def __init__(self) -> None:
        self.parameters = p = stored("direct.npz")
        self.reader, self.holdings = Reader(p), Holdings(p)

    def scores(self, seen: Seen) -> tuple[Floats, Floats]:
        """(52, 3) scores of the hidden seats for each card, (3, 4, 14) scores of lengths; seats from the left on."""
        hand = self.holdings.vectors(np.array([seen.hand.mask], np.uint64))
        known = self.reader.read(tokens_of(seen), linear(self.parameters, "enter", hand))[-1:]
        last = np.maximum(linear(self.parameters, "hidden", known), 0)
        cards, lengths = (linear(self.parameters, name, last)[0] for name in ("cards", "lengths"))
        return cards.reshape(52, 3), lengths.reshape(3, 4, 14)


def tokens_of(seen: Seen) -> NDArray[np.intp]:
    """(calls + 1, 4) rows of the reader's table, the last of them after the last call."""
    auction, own = seen.auction, seen.observer
    calls = [call.index for call in auction.calls][:HEARD]
    ours, theirs = own in seen.vulnerable, own.next() in seen.vulnerable
    place = np.arange(len(calls) + 1)
    who = (auction.first + place - own) % 4
    sides = np.full(len(place), 2 * ours + theirs)
    tokens: NDArray[np.intp] = np.stack([[*calls, END], who, sides, place], axis=1) + STARTS
    return tokens


@cache
def _network() -> Network:
    return Network()


def _softmax(scores: Floats) -> NDArray[np.float64]:
    """Probabilities along the last axis."""
    chances: NDArray[np.float64] = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances
