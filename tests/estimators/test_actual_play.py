"""What declarers took beside double dummy: smoothed as the formula says."""

import itertools

import numpy as np

from bayesbridge import Contract
from bayesbridge.estimators import actual_play

EVERY = [
    Contract.of(f"{level}{strain}{double} by S")
    for level, strain, double in itertools.product(
        range(1, 8), ("C", "D", "H", "S", "NT"), ("", "X", "XX")
    )
]


def smoothed_by_hand(counts, strength, cell, margin):
    """One cell, by the formula: from the margin alone to kind, class and double."""
    group, kind, doubled = cell
    margins = range(counts.shape[-1])
    coarse = [counts[:, :, :, margin, d].sum() + 0.5 for d in margins]
    shares = [value / sum(coarse) for value in coarse]
    for cells in (counts[:, kind], counts[group, kind], counts[group, kind, doubled]):
        cells = cells.reshape(-1, *counts.shape[-2:])[:, margin].sum(axis=0)
        shares = [
            (cells[d] + strength * shares[d]) / (cells.sum() + strength)
            for d in margins
        ]
    return shares


def test_small_cells_are_drawn_to_larger_ones_as_the_formula_says():
    counts = np.random.default_rng(1).poisson(
        3, actual_play.SHAPE
    ) * np.random.default_rng(2).integers(0, 2, actual_play.SHAPE)
    smoothed = actual_play.smoothed(counts, 20.0)
    assert smoothed.shape == actual_play.SHAPE
    for cell in itertools.product(range(3), range(2), range(2)):
        for margin in range(actual_play.SHAPE[3]):
            np.testing.assert_allclose(
                smoothed[cell][margin],
                smoothed_by_hand(counts, 20.0, cell, margin),
                atol=1e-12,
            )


def test_tables_are_distributions_for_every_contract():
    for contract in EVERY:
        table = actual_play.actual_table(contract)
        assert table.shape == (14, 14)
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
        assert (table >= 0).all()
        assert (table.argmax(axis=1)[6:12] - np.arange(6, 12)).max() <= 1
