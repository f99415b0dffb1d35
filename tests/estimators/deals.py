"""Batches of random layouts, made without the engines of the package."""

import numpy as np

from bayesbridge.layouts import Layouts


def random_layouts(n: int, seed: int) -> Layouts:
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint64), (n, 1)), axis=1)
    return Layouts((np.uint64(1) << decks).reshape(n, 4, 13).sum(axis=2, dtype=np.uint64))
