"""Half deals: two suits of two hands, tallied by lengths and merged gaps, and Monte Carlo deals drawn from them.

Clubs with diamonds and hearts with spades have the same tally, so one table serves both halves of every deal. A random
deal, as far as T can see it, is three draws: the lengths of its lower half, then each half given its lengths.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cache import cached_arrays
from bayesbridge.capture.alias import alias_pick, alias_table
from bayesbridge.capture.merge import Tally, outcome_table
from bayesbridge.capture.tables import ROWS, row_table
from bayesbridge.jit import njit
from bayesbridge.random64 import Seed, State, fill64, seed_state

FULL = 14 * 13 + 13
"""Lengths of two full hands, as ``Tally.lengths`` packs them."""

BLOCK = 512
"""Deals drawn together."""


def suit_tally() -> Tally:
    """All 3¹³ rows of one suit."""
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    return Tally.of(lengths, row_table().astype(np.int64), np.ones(ROWS, dtype=np.int64))


def half_deals() -> Tally:
    """All rows of two suits, clubs with diamonds (or hearts with spades)."""
    suit = suit_tally()
    return suit * suit


def draw_tricks(deals: int, rng: Seed = None) -> NDArray[np.int64]:
    """Draw deals at random and count what Algorithm 2 makes of them.

    Returns (14,) counts: at 0 condition A fails, at 1 only condition B fails, at 4 … 13 T of the deals that qualify.
    """
    tables = _draw_tables()
    counts = np.zeros(14, dtype=np.int64)
    _draw(
        deals,
        seed_state(rng),
        tables["lengths"],
        tables["start"],
        tables["bits"],
        tables["halves"],
        tables["T"],
        counts,
    )
    return counts


@cache
def _draw_tables() -> dict[str, NDArray[Any]]:
    return cached_arrays("halves", "3", _build_draw_tables)


def _build_draw_tables() -> dict[str, NDArray[Any]]:
    half = half_deals()
    summaries, place = np.unique(half.summary, return_inverse=True)
    # Common summaries first, so that the part of the T table that most deals touch fits the cache.
    count = half.count.astype(np.float64)
    others = np.bincount(half.lengths, count, minlength=FULL + 1)[FULL - half.lengths]
    order = np.argsort(-np.bincount(place, count * others))
    summaries, place = summaries[order], np.argsort(order)[place]
    ways = [0] * (FULL + 1)
    pieces: list[NDArray[np.uint64]] = []
    start = np.zeros(FULL + 1, dtype=np.uint64)
    bits = np.zeros(FULL + 1, dtype=np.uint64)
    filled = 0
    for lengths in range(FULL + 1):
        here = np.flatnonzero(half.lengths == lengths)
        weights = [int(count) for count in half.count[here]]
        ways[lengths] = sum(weights)
        table = alias_table([int(value) for value in place[here]], weights)
        start[lengths], bits[lengths] = filled, len(table).bit_length() - 1
        filled += len(table)
        pieces.append(table)
    joint = [ways[lengths] * ways[FULL - lengths] for lengths in range(FULL + 1)]
    codes = outcome_table(summaries, summaries)
    return {
        "lengths": alias_table(range(FULL + 1), joint),
        "start": start,
        "bits": bits,
        "halves": np.concatenate(pieces),
        "T": np.where(codes < 2, codes, codes % 512 // 32).astype(np.uint8),
    }


@njit
def _draw(
    deals: int,
    state: State,
    lengths: NDArray[np.uint64],
    start: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    halves: NDArray[np.uint64],
    tricks: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    # In blocks, one kind of work at a time: the look-ups of different deals then overlap in the memory. Lower halves
    # fill the first part of the arrays and upper halves the second. All is unsigned, which spares checks of signs.
    words = np.empty(3 * BLOCK, dtype=np.uint64)
    place = np.empty(2 * BLOCK, dtype=np.uint32)
    part = np.empty(2 * BLOCK, dtype=np.uint32)
    half = np.empty(2 * BLOCK, dtype=np.uint16)
    # Four sums side by side: an increment need not wait for the one before it, which is often of the same T.
    sums = np.zeros(4 * 16, dtype=np.int64)
    width, cells = np.uint64(tricks.shape[1]), tricks.ravel()
    while deals > 0:
        size = min(deals, BLOCK)
        deals -= size
        fill64(state, words)
        for i in range(BLOCK):
            word = words[i]
            lower = alias_pick(lengths[word >> np.uint64(56)], (word << np.uint64(8)) >> np.uint64(32))
            upper = np.uint64(FULL) - lower
            word = words[BLOCK + i]
            place[i] = start[lower] + (word >> (np.uint64(64) - bits[lower]))
            part[i] = (word << bits[lower]) >> np.uint64(32)
            word = words[2 * BLOCK + i]
            place[BLOCK + i] = start[upper] + (word >> (np.uint64(64) - bits[upper]))
            part[BLOCK + i] = (word << bits[upper]) >> np.uint64(32)
        for i in range(2 * BLOCK):
            half[i] = alias_pick(halves[place[i]], np.uint64(part[i]))
        for i in range(size):
            T = cells[np.uint64(half[i]) * width + np.uint64(half[BLOCK + i])]
            sums[np.uint64(16 * (i & 3)) + np.uint64(T)] += 1
    for i in range(4):
        for T in range(len(counts)):
            counts[T] += sums[16 * i + T]
