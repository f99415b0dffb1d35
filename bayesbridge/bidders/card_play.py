"""The learned player: P(card ∣ hand, what was seen), so that the lead and every later card are soft evidence.

A transformer (:mod:`~bayesbridge.bidders.sequence`) reads the auction, dummy and every card so far; the cards still
held meet it in one hidden layer (:mod:`~bayesbridge.bidders.hand_layer`), and the legal cards are chosen with
probability softmax of their scores. Every choice is told what the same player and their partner did before, so signals
and plans count as far as experts make them. ``scripts/fit_card_play.py`` makes the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.hand_layer import BLOCK, Context, Floats, HandLayer, scores, stored
from bayesbridge.bidders.play_encoding import HEARD, NO_SUIT, STARTS, situations
from bayesbridge.bidders.sequence import Reader
from bayesbridge.calls import Contract
from bayesbridge.cards import SUIT_MASK, Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.jit import one_thread


@dataclass(frozen=True, slots=True)
class LearnedPlayer:
    """Experts at the table; with probability ``slip`` they play any legal card.

    >>> from bayesbridge.cards import Hand
    >>> hands = np.array([Hand.of("KQJ2.543.8642.73").mask, Hand.of("K742.543.8642.73").mask], np.uint64)
    >>> lead = LearnedPlayer().log_likelihood(hands, Contract.of("3NT by S"), [(Seat.W, Card.of("SK"))], Seat.W)
    >>> bool(lead[0] > lead[1])  # a king is led from a sequence
    True
    """

    slip: float = 0.01

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(f"slip {self.slip}: it is a probability, from 0 to 1", slip=self.slip)

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
        dummy: Hand | None = None,
        start: int = 0,
    ) -> NDArray[np.float64]:
        """Σ log P(card ∣ hand, cards before it) over a seat's cards from number ``start`` of ``plays`` on.

        hands: (n,) masks of the 13 cards the seat was dealt; they must hold the cards it played.
        plays: in the order played. Dummy's cards say nothing: its hand is open.
        dummy: its 13 cards, which everybody sees after the lead; without them the player knows less.
        """
        one_row("hands", hands)
        if seat == contract.declarer.partner:
            return np.zeros(len(hands))
        seen = _seen(contract, auction, tuple(plays), dummy)
        own = [i for i, (player, _) in enumerate(plays) if player == seat]
        rest = hands.astype(np.uint64)
        result = np.zeros(len(hands))
        with one_thread():
            for i in own:
                card = plays[i][1]
                if i >= start:
                    result += self._choice(seen[i], rest, card.index)
                rest &= ~np.uint64(card.mask)
        return result

    def _choice(self, seen: tuple[Context, int], rest: NDArray[np.uint64], card: int) -> NDArray[np.float64]:
        """(n,) log P(card ∣ cards still held)."""
        context, led = seen
        legal = rest.copy()
        if led != NO_SUIT:
            follow = rest & np.uint64(SUIT_MASK << 13 * led)
            legal = np.where(follow, follow, rest)
        result = np.zeros(len(rest))
        chosen = np.flatnonzero(np.bitwise_count(legal) > 1)
        place = int(np.searchsorted(context.choices, card))
        bits = context.choices.astype(np.uint64)
        for begin in range(0, len(chosen), BLOCK):
            block = chosen[begin : begin + BLOCK]
            allowed = (legal[block, None] >> bits & np.uint64(1)).astype(np.bool_)
            found = scores(context, _network().hands.vectors(rest[block]))
            found[~allowed] = -np.inf
            found -= found.max(axis=1, keepdims=True)
            np.exp(found, out=found)
            chance = found[:, place] / found.sum(axis=1)
            with np.errstate(divide="ignore"):
                result[block] = np.log((1.0 - self.slip) * chance + self.slip / allowed.sum(axis=1))
        return result


@lru_cache(maxsize=16)
def _seen(
    contract: Contract, auction: Auction | None, plays: tuple[tuple[Seat, Card], ...], dummy: Hand | None
) -> tuple[tuple[Context, int], ...]:
    """What is known before each card, and the suit to follow; a sampler asks for the same ones again and again."""
    network = _network()
    seen = situations(contract, auction, plays, None if dummy is None else dummy.mask)
    gone = np.cumsum([0, *(card.mask for _, card in plays[:-1])], dtype=np.uint64)
    every = np.arange(52, dtype=np.uint64)
    left = [np.flatnonzero(~mask >> every & np.uint64(1)) for mask in gone]
    with one_thread():
        contexts = network.hands.contexts(network.known(seen.tokens, seen.dummy)[HEARD:], left[: len(plays)])
    return tuple(zip(contexts, seen.led.tolist(), strict=True))


@cache
def _network() -> Network:
    return Network()


class Network:
    """The fitted parameters, made ready."""

    def __init__(self) -> None:
        parameters = stored("play.npz")
        self.reader, self.hands = Reader(parameters), HandLayer(parameters)

    def known(self, tokens: NDArray[np.intp], dummy: NDArray[np.uint64]) -> Floats:
        """(n, width) what is known at each token."""
        held = (dummy[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(np.float32)
        return self.reader.read(tokens, held @ self.reader.table[STARTS[-1] :])
