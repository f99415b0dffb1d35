"""Swaps under hard evidence: against transition probabilities worked out in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.particles import Moves
from bayesbridge.layouts import Masks
from tests.engines.brute_force import all_layouts, p_value, position, tally

TWO = position("SA SK S4 HQ HJ H5 DT D9", (0, 4, 0, 4)).points(3, 2, 8).length(1, 3, 2, 12)
THREE = position("SA SK HQ HJ H2 DT D9 C3", (0, 3, 3, 2)).lack(2, Hand.of("SA").mask).points(1, 15, 17)
POSITIONS = {"two hands": TWO, "three hands": THREE}


def one_swap(layouts: Masks, constraints: Constraints) -> np.ndarray:
    """(n, n) the transition matrix of one elementary swap, from its definition."""
    known = constraints.normalised()
    index = {row.tobytes(): i for i, row in enumerate(layouts)}
    matrix = np.zeros((len(layouts), len(layouts)))
    unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
    m = len(unknown)
    for i, row in enumerate(layouts):
        owner = {card: next(s for s in range(4) if int(row[s]) >> card & 1) for card in unknown}
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
def test_one_swap_has_the_probabilities_of_its_definition(constraints: Constraints) -> None:
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    moves, jump = Moves.of(constraints), matrix * (1 - np.eye(len(matrix)))
    refused = np.diagonal(matrix)
    for start in (int(refused.argmin()), int(refused.argmax())):
        moved, made = moves.shuffle(np.tile(layouts[start], (20_000, 1)), 1, start)
        counts = tally(moved, layouts)
        assert made == 20_000 - counts[start]
        assert p_value(counts, matrix[start]) > 1e-6
        if refused[start]:
            # The control: a walk that tries again until the hard evidence allows a swap.
            assert p_value(counts, jump[start] / jump[start].sum()) < 1e-9


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_many_swaps_have_the_probabilities_of_the_matrix_power(constraints: Constraints) -> None:
    layouts = all_layouts(constraints)
    matrix = one_swap(layouts, constraints)
    moved, _ = Moves.of(constraints).shuffle(np.tile(layouts[3], (40_000, 1)), 4, 5)
    counts = tally(moved, layouts)
    assert p_value(counts, np.linalg.matrix_power(matrix, 4)[3]) > 1e-6
    assert p_value(counts, np.linalg.matrix_power(matrix, 3)[3]) < 1e-9


@pytest.mark.parametrize("constraints", POSITIONS.values(), ids=POSITIONS)
def test_uniform_stays_uniform(constraints: Constraints) -> None:
    layouts = all_layouts(constraints)
    uniform = np.full(len(layouts), 1 / len(layouts))
    start = layouts[np.random.default_rng(1).integers(len(layouts), size=100_000)]
    moved, _ = Moves.of(constraints).shuffle(start, 5, 2)
    assert p_value(tally(moved, layouts), uniform) > 1e-6
    # The control: the walk that never refuses ends where swaps are most often possible.
    matrix = one_swap(layouts, constraints)
    freedom = 1 - np.diagonal(matrix)
    biased = np.random.default_rng(3).choice(len(layouts), size=100_000, p=freedom / freedom.sum())
    assert p_value(np.bincount(biased, minlength=len(layouts)), uniform) < 1e-9


def test_hard_evidence_holds_after_every_swap() -> None:
    layouts = all_layouts(THREE)[:50]
    moves = Moves.of(THREE)
    rng = np.random.default_rng(4)
    for _ in range(200):
        layouts, _ = moves.shuffle(layouts, 1, rng)
        assert THREE.allows(layouts).all()


def test_each_layout_gets_its_own_number_of_swaps() -> None:
    layouts = np.tile(all_layouts(TWO)[0], (1000, 1))
    counts = np.repeat([0, 1], 500)
    moved, made = Moves.of(TWO).shuffle(layouts, counts, 1)
    changed = (moved != layouts).any(axis=1)
    assert not changed[:500].any()
    assert changed[500:].sum() == made > 0


def test_swaps_are_determined_by_the_seed_and_leave_the_input_alone() -> None:
    layouts = all_layouts(TWO)
    layouts.flags.writeable = False
    moves = Moves.of(TWO)
    first, again, other = (moves.shuffle(layouts, 9, seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_one_layout_has_nowhere_to_go() -> None:
    only = position("SA", (0, 0, 0, 1))
    moved, made = Moves.of(only).shuffle(all_layouts(only), 10, 1)
    np.testing.assert_array_equal(moved, all_layouts(only))
    assert made == 0
