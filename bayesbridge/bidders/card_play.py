"""The learned player: P(card ∣ hand, what was seen), so that the lead and every later card are soft evidence.

A log-linear model over the legal cards: each card of the hand gets a score, the sum of the weights of its features
(:mod:`~bayesbridge.bidders.card_features`), and is chosen with probability softmax of the scores. It knows what
textbooks say (top of a sequence, fourth best, partner's suit, second hand low, third hand high, cover, cheapest winner)
as far as experts do it. ``scripts/fit_card_play.py`` makes the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked, one_row
from bayesbridge.auction import Auction
from bayesbridge.bidders.card_features import FOLLOW, KIND, LED, MOST_FEATURES, features, situations
from bayesbridge.calls import Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import njit


@checked
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

    @checked
    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
        start: int = 0,
    ) -> NDArray[np.float64]:
        """Σ log P(card ∣ hand, cards before it) over a seat's cards from number ``start`` of ``plays`` on.

        hands: (n,) masks of the 13 cards the seat was dealt; they must hold the cards it played.
        plays: in the order played. Dummy's cards say nothing: its hand is open.
        """
        one_row("hands", hands)
        if seat == contract.declarer.partner:
            return np.zeros(len(hands))
        rows, cards = _seen(contract, auction, tuple(plays))
        own = np.flatnonzero([player == seat for player, _ in plays])
        counted = own >= start
        return _log_likelihood(hands.astype(np.int64), rows[own], cards[own], counted, weights(), self.slip)


@lru_cache(maxsize=16)
def _seen(
    contract: Contract, auction: Auction | None, plays: tuple[tuple[Seat, Card], ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The situation before each card, and the cards by number; a sampler asks for the same ones again and again."""
    return situations(contract, auction, plays), np.array([card.index for _, card in plays], np.int64)


@cache
def weights() -> NDArray[np.float64]:
    """The fitted weights of the features, from the file that ships with the package."""
    with (files("bayesbridge.bidders") / "data" / "play.npz").open("rb") as file, np.load(file) as stored:
        fitted: NDArray[np.float64] = stored["weights"].astype(np.float64)
        return fitted


@njit
def scores(
    rest: int,
    situation: NDArray[np.int64],
    weight: NDArray[np.float64],
    score: NDArray[np.float64],
    found: NDArray[np.int64],
) -> int:
    """Write the score of every legal card to ``score`` (52,) and return the legal cards as a mask."""
    legal = rest
    if situation[KIND] == FOLLOW:
        follow = rest & (0x1FFF << (13 * situation[LED]))
        if follow:
            legal = follow
    for card in range(52):
        if (legal >> card) & 1:
            n = features(card, rest, situation, found)
            total = 0.0
            for i in range(n):
                total += weight[found[i]]
            score[card] = total
    return legal


@njit
def _log_likelihood(
    hands: NDArray[np.int64],
    rows: NDArray[np.int64],
    cards: NDArray[np.int64],
    counted: NDArray[np.bool_],
    weight: NDArray[np.float64],
    slip: float,
) -> NDArray[np.float64]:
    score = np.empty(52)
    found = np.empty(MOST_FEATURES, np.int64)
    result = np.zeros(len(hands))
    for h in range(len(hands)):
        rest = int(hands[h])
        for j in range(len(cards)):
            if counted[j]:
                legal = scores(rest, rows[j], weight, score, found)
                total = 0.0
                n = 0
                for card in range(52):
                    if (legal >> card) & 1:
                        total += np.exp(score[card])
                        n += 1
                if n > 1:
                    chance = np.exp(score[cards[j]]) / total if (legal >> cards[j]) & 1 else 0.0
                    result[h] += np.log((1.0 - slip) * chance + slip / n)
            rest &= ~(1 << cards[j])
    return result
