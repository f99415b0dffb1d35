"""Entropy lies between 0 and log₂ of the number of layouts, whatever the engine and however few its draws."""

import math

import numpy as np
import pytest

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.cards import Card, Hand
from bayesbridge.engines.infer import ENGINES
from bayesbridge.errors import Contradiction, TooFewDraws
from bayesbridge.evidence import Called, Holds

CASES = 12
SLIPS = (1e-3, 0.1, 0.9, 1.0)
"""With 1 a call says nothing: then the entropy is all of log₂ of the count, and rounding may go past it."""


def position(rng: np.random.Generator, slip: float, heard: bool) -> Belief:
    """South's hand, the dummy's and some cards of both others at random; West has called 1NT, if that is heard."""
    hands = np.split(rng.permutation(52), 4)
    seen = int(rng.integers(4, 11))
    told = [Holds("N", _cards(hands[0])), *(Holds(s, _cards(h[:seen])) for s, h in zip("EW", hands[1:3], strict=True))]
    belief = Belief("S", Hand(sum(1 << int(card) for card in hands[3])), bidder=IterativeBidder(slip=slip)).given(*told)
    return belief.given(Called("W", "1NT"), Called("E", "Pass")) if heard else belief


def _cards(indices: np.ndarray) -> list[Card]:
    return [Card(int(index)) for index in indices]


def verify(method: str, seed: int) -> float:
    """The bits below the most there can be."""
    rng = np.random.default_rng(seed)
    slip, draws = SLIPS[seed % len(SLIPS)], int(rng.choice([2, 5, 40, 400]))
    belief = position(rng, slip, heard=method != "sample")
    try:
        posterior = belief.infer(method, draws=draws, rng=seed)
    except (Contradiction, TooFewDraws):  # so few draws may all be impossible under the calls, or too few to weigh
        return 0.0
    most = math.log2(belief.count())
    bits = posterior.entropy_bits
    assert 0.0 <= bits <= most, (method, seed)
    if slip == 1.0:
        assert bits == pytest.approx(most, abs=1e-9), (method, seed)
    return most - bits


@pytest.mark.parametrize("method", ENGINES)
def test_entropy_never_exceeds_the_layouts(method: str) -> None:
    below = [verify(method, seed) for seed in range(CASES)]
    assert method == "sample" or max(below) > 0.1, "the calls said something"
