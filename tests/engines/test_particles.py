"""Swaps under hard evidence against transition probabilities in plain Python."""

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
    unknown_mask = constraints.normalised().unknown_mask
    unknown = [card for card in range(52) if unknown_mask >> card & 1]
    index = {layout.tobytes(): i for i, layout in enumerate(layouts)}
    matrix = np.zeros((len(layouts), len(layouts)))
    for i, layout in enumerate(layouts):
        owner = {card: owner_of(card, layout) for card in unknown}
        for x in unknown:
            elsewhere = [y for y in unknown if owner[y] != owner[x]]
            for y in elsewhere:
                swapped = layout.copy()
                swapped[owner[x]] ^= np.uint64(1 << x | 1 << y)
                swapped[owner[y]] ^= np.uint64(1 << x | 1 << y)
                # A swap that the hard evidence forbids is not listed, and the layout
                # stays.
                j = index.get(swapped.tobytes(), i)
                matrix[i, j] += 1 / (len(unknown) * len(elsewhere))
    return matrix


def owner_of(card, layout):
    """The seat that holds a card."""
    return int(np.flatnonzero(layout >> np.uint64(card) & np.uint64(1))[0])


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_one_swap_has_the_probabilities_of_its_definition(constraints):
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    moves = Moves.of(constraints)
    jump = matrix * (1 - np.eye(len(matrix)))
    refused = np.diagonal(matrix)
    for start in (int(refused.argmin()), int(refused.argmax())):
        copies = np.tile(layouts[start], (20_000, 1))
        counts = tally(moves.shuffle(copies, 1, start), layouts)
        assert p_value(counts, matrix[start]) > 1e-6
        if refused[start]:
            # The control: a walk that tries again until the hard evidence allows a
            # swap.
            assert p_value(counts, jump[start] / jump[start].sum()) < 1e-9


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_many_swaps_have_the_probabilities_of_the_matrix_power(constraints):
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    copies = np.tile(layouts[3], (40_000, 1))
    counts = tally(Moves.of(constraints).shuffle(copies, 4, 5), layouts)
    assert p_value(counts, np.linalg.matrix_power(matrix, 4)[3]) > 1e-6
    assert p_value(counts, np.linalg.matrix_power(matrix, 3)[3]) < 1e-9
