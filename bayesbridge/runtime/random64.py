"""xoshiro256++ for kernels: 64 random bits in a few cycles.

The state is an ordinary array.

A NumPy ``Generator`` cannot be called cheaply inside a compiled loop; this generator
(D. Blackman and S. Vigna, 2019) can. Its 256-bit state is always seeded through a
``Generator`` or ``SeedSequence``, so the seed a user gives decides everything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import WrongArgument, shorten
from bayesbridge.runtime.jit import njit

State = NDArray[np.uint64]  # (4,) the state of one stream; kernels advance it in place

type Seed = (
    int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
)
"""What every ``rng=`` argument takes (SPEC 7)."""


def generator(rng: Seed) -> np.random.Generator:
    """The generator that a ``rng=`` argument stands for.

    What is none is refused by name.
    """
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise WrongArgument(
            f"rng {shorten(rng)}: give a whole number from 0 on, or a NumPy generator",
            argument="rng",
            value=rng,
        ) from None


def seed_state(rng: Seed | State) -> State:
    """A fresh state, or the state itself.

    From a ``SeedSequence`` its own words, from a generator its next draws.
    """
    if isinstance(rng, np.ndarray):
        return rng
    if isinstance(rng, np.random.SeedSequence):
        return rng.generate_state(4, np.uint64).astype(np.uint64)
    return generator(rng).integers(0, 1 << 64, size=4, dtype=np.uint64)


@njit
def next64(state: State) -> np.uint64:
    """The next 64 bits of the stream, by xoshiro256++ (Blackman and Vigna, 2019).

    Its constants: words are rotated by 23 and by 45 bits (a shift to the left joined
    with one to the right by what 64 leaves), and one is shifted by 17.
    """
    total = state[0] + state[3]
    word: np.uint64 = ((total << np.uint64(23)) | (total >> np.uint64(41))) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = (state[3] << np.uint64(45)) | (state[3] >> np.uint64(19))
    return word


@njit
def high_product(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of the 128-bit product a · b."""
    low32 = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    a_low = a & low32
    a_high = a >> half
    b_low = b & low32
    b_high = b >> half
    middle = a_high * b_low + ((a_low * b_low) >> half)
    carry = (middle & low32) + a_low * b_high
    return a_high * b_high + (middle >> half) + (carry >> half)


@njit
def bounded(state: State, n: np.uint64) -> np.uint64:
    """A uniform integer in [0, n), exactly; n ≥ 1.

    Lemire's multiply-shift with its rejection step.
    """
    x = next64(state)
    low = x * n
    if low < n:
        threshold = (np.uint64(0) - n) % n
        while low < threshold:
            x = next64(state)
            low = x * n
    return high_product(x, n)
