"""Batches of random layouts, made without the engines of the package; and solved ones."""

from pathlib import Path

import numpy as np

from bayesbridge.layouts import Layouts


def random_layouts(n: int, seed: int) -> Layouts:
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint64), (n, 1)), axis=1)
    return Layouts((np.uint64(1) << decks).reshape(n, 4, 13).sum(axis=2, dtype=np.uint64))


def solved_deals():
    """80 random layouts and their tricks (80, strain C D H S NT, declarer N E S W)."""
    lines = Path(__file__).with_name("solved_deals.txt").read_text("utf-8").splitlines()[1:]
    deals, tables = zip(*(line.rsplit(": ", 1) for line in lines), strict=True)
    tricks = [[[int(digit, 16) for digit in row] for row in table.split()] for table in tables]
    return Layouts.of(deals), np.array(tricks)
