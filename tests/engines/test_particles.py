"""Swaps under hard evidence: against transition probabilities worked out in plain
Python.
"""

import numpy as np
import pytest

from bayesbridge.engines.particles import Moves
from bayesbridge.game.cards import Hand
from tests.engines.positions import all_layouts, closed, p_value, tally

TWO = closed(0, 4, 0, 4).points(3, 2, 8)
THREE = closed(0, 3, 3, 2).points(1, 3, 8).lack(2, Hand.of("HA").mask)
POSITIONS = {"two hands": TWO, "three hands": THREE}


def one_swap(layouts, constraints):
    """(n, n) the transition matrix of one elementary swap, from its definition."""
    known = constraints.normalised()
    index = {row.tobytes(): i for i, row in enumerate(layouts)}
    matrix = np.zeros((len(layouts), len(layouts)))
    unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
    m = len(unknown)
    for i, row in enumerate(layouts):
        owner = {
            card: next(s for s in range(4) if int(row[s]) >> card & 1)
            for card in unknown
        }
        for x in unknown:
            elsewhere = [y for y in unknown if owner[y] != owner[x]]
            for y in elsewhere:
                swapped = row.copy()
                swapped[owner[x]] ^= np.uint64(1 << x | 1 << y)
                swapped[owner[y]] ^= np.uint64(1 << x | 1 << y)
                # A swap that the hard evidence forbids is not listed, and the layout stays.
                matrix[i, index.get(swapped.tobytes(), i)] += 1 / (m * len(elsewhere))
    return matrix


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_one_swap_has_the_probabilities_of_its_definition(constraints):
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    moves, jump = Moves.of(constraints), matrix * (1 - np.eye(len(matrix)))
    refused = np.diagonal(matrix)
    for start in (int(refused.argmin()), int(refused.argmax())):
        counts = tally(
            moves.shuffle(np.tile(layouts[start], (20_000, 1)), 1, start), layouts
        )
        assert p_value(counts, matrix[start]) > 1e-6
        if refused[start]:
            # The control: a walk that tries again until the hard evidence allows a swap.
            assert p_value(counts, jump[start] / jump[start].sum()) < 1e-9


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_many_swaps_have_the_probabilities_of_the_matrix_power(constraints):
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    counts = tally(
        Moves.of(constraints).shuffle(np.tile(layouts[3], (40_000, 1)), 4, 5), layouts
    )
    assert p_value(counts, np.linalg.matrix_power(matrix, 4)[3]) > 1e-6
    assert p_value(counts, np.linalg.matrix_power(matrix, 3)[3]) < 1e-9
