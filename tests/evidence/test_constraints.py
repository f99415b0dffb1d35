"""Constraints mean what they say, and normalising loses no layout and invents none."""

import numpy as np

from bayesbridge.evidence.constraints import Constraints
from tests.engines.positions import allows, brute_force, random_position


def test_normalising_keeps_exactly_the_same_layouts():
    rng = np.random.default_rng(11)
    plain = feasible = 0
    for _ in range(80):
        known_cards, evidence = random_position(rng)
        layouts = brute_force(known_cards, known_cards)
        fits = allows(evidence, layouts)
        normal = evidence.normalised()
        if normal.impossible:
            plain += 1
            assert not fits.any()
            continue
        feasible += fits.any()
        assert (allows(normal, layouts) == fits).all()
        assert normal == normal.normalised()
        assert all(
            must & ~may == 0 for must, may in zip(normal.must, normal.may, strict=True)
        )
        assert len(normal.hidden) != 1
    assert plain > 5
    assert feasible > 25


def test_joining_two_sets_of_constraints_asks_for_both():
    rng = np.random.default_rng(12)
    for _ in range(20):
        known_cards, random_constraints = random_position(rng)
        fixed_constraints = (
            Constraints.free()
            .points(1, 5, 14)
            .length(0, 3, 2, 5)
            .lack(3, 0xF0F0F0F0F0F0F)
            .hold(2, 1 << 40)
        )
        layouts = brute_force(known_cards, known_cards)
        assert (
            allows(random_constraints & fixed_constraints, layouts)
            == (
                allows(random_constraints, layouts) & allows(fixed_constraints, layouts)
            )
        ).all()
