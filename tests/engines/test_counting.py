"""Counts against brute force, against binomials, and against the figures in every bridge book."""

import math

import numpy as np
import pytest

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.counting import count
from tests.engines.positions import brute_force, random_position

pytestmark = pytest.mark.quick

N, E, S, W = range(4)
CLUBS, DIAMONDS, HEARTS, SPADES = (0x1FFF << shift for shift in (0, 13, 26, 39))
SOUTH = Constraints.free().hold(S, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SOUTH.hold(N, Hand.of("643.AQ2.K87.A764").mask)


def test_numbers_everybody_knows():
    assert count(Constraints.free()) == math.factorial(52) // math.factorial(13) ** 4
    assert count(SOUTH) == 84_478_098_072_866_400 == math.factorial(39) // math.factorial(13) ** 3
    assert count(DUMMY) == 10_400_600 == math.comb(26, 13)
    assert count(DUMMY.hold(E, Hand.of("JT98.K54.QJT2.Q2").mask)) == 1


@pytest.mark.parametrize("seed", range(4))
def test_counting_equals_brute_force(seed):
    rng = np.random.default_rng([7, seed])
    answers = []
    for _ in range(25):
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        answers.append(len(layouts))
        assert count(evidence) == len(layouts)
    assert sum(answer > 1 for answer in answers) > 6
    assert 0 in answers


def test_ranges_on_three_seats_split_the_whole():
    """Every layout falls in exactly one of the cells cut by a points range of each hidden seat."""
    cells = [(0, 7), (8, 11), (12, 37)]
    parts = [
        count(SOUTH.points(N, *north).points(E, *east).points(W, *west))
        for north in cells
        for east in cells
        for west in cells
    ]
    assert sum(parts) == count(SOUTH)
    assert 0 in parts


def test_contradictions_count_to_zero():
    assert count(SOUTH.lack(S, HEARTS)) == 0
    assert count(SOUTH.length(E, 3, 5, 2)) == 0
    assert count(SOUTH.hold(E, HEARTS)) == 0
    assert count(SOUTH.points(N, 20, 40).points(E, 20, 40)) == 0
    # Nothing plain to see here: eight tops and 26 small cards allow no such pair of hands.
    assert count(DUMMY.points(E, 0, 1).points(W, 0, 1)) == 0
