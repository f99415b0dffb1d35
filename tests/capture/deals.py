"""Batches of two-hand deals, ordinary and strange, made without the package."""

import numpy as np
from numpy.typing import NDArray


def random_deals(n: int, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    cards = np.argsort(np.random.default_rng(seed).random((n, 52)), axis=1).astype(np.uint64)
    bits = np.uint64(1) << cards
    return bits[:, :13].sum(axis=1, dtype=np.uint64), bits[:, 13:26].sum(axis=1, dtype=np.uint64)


def strange_deals(n: int, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Deals with long suits, voids, high cards together, equal suits: shuffles of sorted decks with little disorder."""
    rng = np.random.default_rng(seed)
    suit, rank = np.divmod(np.arange(52), 13)
    orders = [
        -rank + 0.0,
        suit * 20.0 - rank,
        (suit // 2) * 40.0 - rank,
        np.where(rank % 2, -30.0, 0.0) - rank,
        (rank % 3) * 20.0 + suit,
    ]
    noise = rng.exponential(1.0, (n, 1)) ** 2 * rng.normal(size=(n, 52)) * 4
    cards = np.argsort(np.array(orders)[rng.integers(0, len(orders), n)] + noise, axis=1).astype(np.uint64)
    bits = np.uint64(1) << cards
    first = bits[:, 0:26:2].sum(axis=1, dtype=np.uint64)
    second = bits[:, 1:26:2].sum(axis=1, dtype=np.uint64)
    blocks = rng.random(n) < 0.5
    first = np.where(blocks, bits[:, :13].sum(axis=1, dtype=np.uint64), first)
    second = np.where(blocks, bits[:, 13:26].sum(axis=1, dtype=np.uint64), second)
    return first, second
