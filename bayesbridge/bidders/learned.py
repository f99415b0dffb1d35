"""The learned bidder: P(call ∣ hand, auction so far) of the four-player game, fitted on expert auctions.

A transformer (:mod:`~bayesbridge.bidders.sequence`) reads the auction call by call and never sees a hand; a hand never
sees the auction until the two meet in one hidden layer (:mod:`~bayesbridge.bidders.hand_layer`), and from there it is
one product to the 38 calls, of which the illegal ones are left out. So a thousand candidate hands cost a thousand short
products, not a thousand readings of the auction. A slip rate mixes in any legal call, so that no hand is ever
impossible. ``scripts/fit_auction_model.py`` makes the parameters; docs/auction-model.md tells how good they are.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.encoding import encode
from bayesbridge.bidders.hand_layer import BLOCK, Context, Floats, HandLayer, scores, stored
from bayesbridge.bidders.sequence import Reader
from bayesbridge.bidders.turn import Turn
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import Cost
from bayesbridge.jit import one_thread
from bayesbridge.notation.record import Vulnerability

REMEMBERED: Final = 32
"""Batches of hands whose vectors are kept: the calls of one seat are asked for one after the other."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class LearnedBidder:
    """Experts of the four-player game, at a vulnerability; with probability ``slip`` they make any legal call.

    >>> from bayesbridge.calls import CALLS
    >>> from bayesbridge.cards import Hand
    >>> opener = np.array([Hand.of("AQ5.KJ3.A954.Q73").mask, Hand.of("Q52.J93.T954.J73").mask], np.uint64)
    >>> chances = LearnedBidder("NS").probabilities(opener, Auction.four("N"))
    >>> [str(CALLS[i]) for i in chances.argmax(axis=1)]
    ['1NT', 'Pass']
    """

    vulnerable: Vulnerability
    slip: float
    """ε, mixed in so that no call makes a hand impossible; the softmax leaves room for most slips already."""

    cost: ClassVar[Cost] = Cost(most_layouts=50_000, moves=15)
    """A network: a sampler is quicker beyond so many layouts, and half a second affords so many moves."""

    def __init__(self, vulnerable: Vulnerability | str = Vulnerability.NONE, slip: float = 1e-4) -> None:
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(f"slip {slip}: it is a probability, from 0 to 1", slip=slip)
        object.__setattr__(self, "vulnerable", Vulnerability.of(vulnerable))
        object.__setattr__(self, "slip", slip)

    def __repr__(self) -> str:
        return f"LearnedBidder({self.vulnerable.value!r}, slip={self.slip})"

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        context = self._contexts(auction)[index]
        chosen = int(np.searchsorted(context.choices, turn.call.index))
        result = np.empty(len(hands))
        with one_thread():
            for block, vectors in _network().hand_vectors(hands):
                result[block] = np.log(self._chances(context, vectors)[:, chosen])
        return result

    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is illegal."""
        one_row("hands", hands)
        if auction.is_over:
            raise BayesBridgeError(f"the auction '{auction}' is over: nobody calls any more", auction=auction)
        context = self._contexts(auction.after("pass"))[len(auction.calls)]
        result = np.zeros((len(hands), 38))
        with one_thread():
            for block, vectors in _network().hand_vectors(hands):
                result[block, context.choices] = self._chances(context, vectors)
        return result

    def _chances(self, context: Context, vectors: Floats) -> Floats:
        """(n, legal calls) their probabilities."""
        chances = scores(context, vectors)
        chances -= chances.max(axis=1, keepdims=True)
        np.exp(chances, out=chances)
        chances *= np.float32(1 - self.slip) / chances.sum(axis=1, keepdims=True)
        chances += np.float32(self.slip / len(context.choices))
        return chances

    def _contexts(self, auction: Auction) -> tuple[Context, ...]:
        if auction.dummy is not None:
            raise BayesBridgeError(
                f"auction '{auction}' of three players: the learned bidder knows the four-player game only; "
                f"use IterativeBidder",
                auction=auction,
            )
        sides = auction.first in self.vulnerable, auction.first.next() in self.vulnerable
        return _contexts(tuple(call.index for call in auction.calls), *sides)


@lru_cache(maxsize=64)
def _contexts(calls: tuple[int, ...], dealer_vulnerable: bool, others_vulnerable: bool) -> tuple[Context, ...]:
    with one_thread():
        return _network().contexts(calls, dealer_vulnerable, others_vulnerable)


@cache
def _network() -> Network:
    return Network()


class Network:
    """The fitted parameters, made ready, and a memory of hands met last."""

    def __init__(self) -> None:
        parameters = stored("auction.npz")
        self.reader, self.hands = Reader(parameters), HandLayer(parameters)
        self._memory: OrderedDict[bytes, Floats] = OrderedDict()

    def hand_vectors(self, hands: NDArray[np.uint64]) -> list[tuple[slice, Floats]]:
        """The hands' share of the hidden layer, block by block: (a slice of the hands, (its length, units))."""
        blocks = [slice(start, start + BLOCK) for start in range(0, len(hands), BLOCK)]
        return [(block, self._block(np.ascontiguousarray(hands[block]))) for block in blocks]

    def _block(self, hands: NDArray[np.uint64]) -> Floats:
        key = hands.tobytes()
        if (known := self._memory.get(key)) is not None:
            self._memory.move_to_end(key)
            return known
        self._memory[key] = vectors = self.hands.vectors(hands)
        if len(self._memory) > REMEMBERED:
            self._memory.popitem(last=False)
        return vectors

    def contexts(self, calls: tuple[int, ...], dealer_vulnerable: bool, others_vulnerable: bool) -> tuple[Context, ...]:
        """Read an auction once, and keep what it says before each of its calls."""
        if not calls:
            return ()
        steps = encode(calls, dealer_vulnerable, others_vulnerable)
        return self.hands.contexts(self.reader.read(steps.tokens), [np.flatnonzero(row) for row in steps.legal])
