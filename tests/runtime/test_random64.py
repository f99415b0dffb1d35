"""The kernel generator: known answers, exact bounds, uniformity."""

import numpy as np
import pytest
from scipy import stats

from bayesbridge.runtime.random64 import bounded, high_product, next64, seed_state

MASK = (1 << 64) - 1


def reference(state):
    """xoshiro256++ in Python integers, written from its definition."""

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    result = (rotate((state[0] + state[3]) & MASK, 23) + state[0]) & MASK
    t = (state[1] << 17) & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = rotate(state[3], 45)
    return result


def test_stream_equals_the_definition():
    state = seed_state(7)
    words = [int(word) for word in state]
    assert [int(next64(state)) for _ in range(1000)] == [
        reference(words) for _ in range(1000)
    ]


def test_published_first_outputs():
    """The generator's published test vector.

    The state 1, 2, 3, 4 starts with 41943041, 58720359.
    """
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(next64(state)) for _ in range(2)] == [41943041, 58720359]


def test_high_product_equals_python_integers():
    rng = np.random.default_rng(3)
    for a, b in rng.integers(0, 1 << 64, size=(2000, 2), dtype=np.uint64):
        assert int(high_product(a, b)) == int(a) * int(b) >> 64
    top = np.uint64(MASK)
    assert int(high_product(top, top)) == MASK * MASK >> 64


@pytest.mark.parametrize("n", [1, 2, 3, 13, 52, 1000])
def test_bounded_is_uniform(n):
    state = seed_state(11)
    draws = np.array([int(bounded(state, np.uint64(n))) for _ in range(20_000)])
    counts = np.bincount(draws, minlength=n)
    assert len(counts) == n
    if n > 1:
        assert stats.chisquare(counts).pvalue > 1e-6


def test_bounded_stays_exact_past_two_to_the_53():
    """Thirds of a huge range are hit equally; a float product would lose the low bits."""
    n = 84_478_098_072_866_400
    state = seed_state(5)
    draws = [int(bounded(state, np.uint64(n))) for _ in range(20_000)]
    assert max(draws) < n
    low_bits = np.bincount([draw % 7 for draw in draws], minlength=7)
    assert stats.chisquare(low_bits).pvalue > 1e-6
