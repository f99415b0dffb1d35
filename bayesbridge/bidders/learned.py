"""The learned bidder: P(call ∣ hand, auction so far) of the four-player game, fitted on expert auctions.

A recurrent layer (GRU) reads the auction call by call and never sees a hand; a hand is a sum over its four suits of
vectors looked up by the 13 bits of the holding, and never sees the auction. The two are added in one hidden layer, and
from there it is one product to the 38 calls, of which the illegal ones are struck out::

    h = relu(Σ_s suit_s[holding in s])          hand: once for each hand, whatever the auction
    c = GRU(calls so far, legal calls, vulnerability)     context: once for each call, whatever the hand
    P(call ∣ hand, auction) = softmax(relu(h·A + c·B + made·M + a)·C + c·D + b)

So a thousand candidate hands cost a thousand short products, not a thousand readings of the auction. A slip rate mixes
in any legal call, so that no hand is ever impossible. ``scripts/fit_auction_model.py`` makes the parameters;
docs/auction-model.md tells how good they are.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked, one_row
from bayesbridge.auction import Auction
from bayesbridge.bidders.encoding import MADE_WIDTH, encode, step_inputs, suit_features
from bayesbridge.bidders.turn import Turn
from bayesbridge.cards import SUIT_MASK
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.models import Cost
from bayesbridge.notation.record import Vulnerability
from bayesbridge.products import matrix_product, one_thread

type Floats = NDArray[np.float32]

BLOCK: Final = 2048
"""Hands worked on at a time: their vectors stay in the processor's cache."""

REMEMBERED: Final = 8
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

    @checked
    def __init__(self, vulnerable: Vulnerability | str = Vulnerability.NONE, slip: float = 1e-4) -> None:
        if not 0.0 <= slip <= 1.0:
            raise BayesBridgeError(f"slip {slip}: it is a probability, from 0 to 1", slip=slip)
        object.__setattr__(self, "vulnerable", Vulnerability.of(vulnerable))
        object.__setattr__(self, "slip", slip)

    def __repr__(self) -> str:
        return f"LearnedBidder({self.vulnerable.value!r}, slip={self.slip})"

    @checked
    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        context = self._contexts(auction)[index]
        chosen = int(np.searchsorted(context.legal, turn.call.index))
        result = np.empty(len(hands))
        with one_thread():
            for block, vectors in _network().hand_vectors(hands):
                result[block] = np.log(self._chances(context, vectors)[:, chosen])
        return result

    @checked
    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> NDArray[np.float64]:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is illegal."""
        one_row("hands", hands)
        if auction.is_over:
            raise BayesBridgeError(f"the auction '{auction}' is over: nobody calls any more", auction=auction)
        context = self._contexts(auction.after("pass"))[len(auction.calls)]
        result = np.zeros((len(hands), 38))
        with one_thread():
            for block, vectors in _network().hand_vectors(hands):
                result[block, context.legal] = self._chances(context, vectors)
        return result

    def _chances(self, context: Context, vectors: Floats) -> Floats:
        """(n, legal calls) their probabilities."""
        mixed: Floats = vectors + context.mix
        np.maximum(mixed, 0, out=mixed)
        chances: Floats = matrix_product(mixed, context.out)
        chances += context.bias
        chances -= chances.max(axis=1, keepdims=True)
        np.exp(chances, out=chances)
        chances *= np.float32(1 - self.slip) / chances.sum(axis=1, keepdims=True)
        chances += np.float32(self.slip / len(context.legal))
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


class Context(NamedTuple):
    """What the auction says before one call.

    mix:   (192,) its share of the hidden layer
    legal: (k,) indices of the legal calls, rising
    out:   (192, k) from the hidden layer to them
    bias:  (k,) what the auction alone says for them
    """

    mix: Floats
    legal: NDArray[np.intp]
    out: Floats
    bias: Floats


@lru_cache(maxsize=64)
def _contexts(calls: tuple[int, ...], dealer_vulnerable: bool, others_vulnerable: bool) -> tuple[Context, ...]:
    with one_thread():
        return _network().contexts(calls, dealer_vulnerable, others_vulnerable)


def parameters() -> dict[str, Floats]:
    """The fitted parameters by name, from the file that ships with the package."""
    with (files("bayesbridge.bidders") / "data" / "auction.npz").open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


@cache
def _network() -> Network:
    return Network(parameters())


class Network:
    """The parameters, made ready: the suits as tables of vectors by holding, and a memory of hands met last."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        self.parameters = p = parameters
        features = suit_features()
        self.suits = []
        for s in range(4):
            hidden = np.maximum(matrix_product(features, p["suit_in"][s]) + p["suit_in_bias"][s], 0)
            self.suits.append(matrix_product(hidden, p["suit_out"][s]) + matrix_product(features, p["suit_skip"][s]))
        self.suits[0] += p["hand_bias"]
        self._memory: OrderedDict[bytes, Floats] = OrderedDict()

    def hand_vectors(self, hands: NDArray[np.uint64]) -> list[tuple[slice, Floats]]:
        """The hands' share of the hidden layer, block by block: (a slice of the hands, (its length, 192))."""
        blocks = [slice(start, start + BLOCK) for start in range(0, len(hands), BLOCK)]
        return [(block, self._block(np.ascontiguousarray(hands[block]))) for block in blocks]

    def _block(self, hands: NDArray[np.uint64]) -> Floats:
        key = hands.tobytes()
        if (known := self._memory.get(key)) is not None:
            self._memory.move_to_end(key)
            return known
        total = self.suits[0][(hands & np.uint64(SUIT_MASK)).astype(np.intp)]
        for s in range(1, 4):
            total += self.suits[s][(hands >> np.uint64(13 * s) & np.uint64(SUIT_MASK)).astype(np.intp)]
        np.maximum(total, 0, out=total)
        vectors: Floats = matrix_product(total, self.parameters["hand_mix"])
        self._memory[key] = vectors
        if len(self._memory) > REMEMBERED:
            self._memory.popitem(last=False)
        return vectors

    def contexts(self, calls: tuple[int, ...], dealer_vulnerable: bool, others_vulnerable: bool) -> tuple[Context, ...]:
        """Read an auction once, and keep what it says before each of its calls."""
        p = self.parameters
        steps = encode(calls, dealer_vulnerable, others_vulnerable)
        gates = matrix_product(step_inputs(steps), p["gate_in"]) + p["gate_in_bias"]
        state = np.zeros(len(p["gate_state"]), np.float32)
        states = np.empty((len(calls), len(state)), np.float32)
        for i in range(len(calls)):
            reset_in, keep_in, new_in = np.split(gates[i], 3)
            reset_state, keep_state, new_state = np.split(
                matrix_product(state, p["gate_state"]) + p["gate_state_bias"], 3
            )
            reset, keep = _sigmoid(reset_in + reset_state), _sigmoid(keep_in + keep_state)
            state = (1 - keep) * np.tanh(new_in + reset * new_state) + keep * state
            states[i] = state
        made = steps.made.reshape(len(calls), MADE_WIDTH).astype(np.float32)
        mixes = matrix_product(states, p["context_mix"]) + matrix_product(made, p["made_mix"]) + p["mix_bias"]
        biases = matrix_product(states, p["context_out"]) + p["call_bias"]
        contexts = []
        for mix, bias, allowed in zip(mixes, biases, steps.legal, strict=True):
            legal = np.flatnonzero(allowed)
            contexts.append(Context(mix, legal, np.ascontiguousarray(p["call_out"][:, legal]), bias[legal]))
        return tuple(contexts)


def _sigmoid(x: Floats) -> Floats:
    return np.reciprocal(1 + np.exp(-x))
