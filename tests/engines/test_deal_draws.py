"""Deals drawn from tables: uniform by χ², with a control."""

import numpy as np
from scipy.stats import chi2

from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.runtime.random64 import seed_state
from tests.engines.positions import all_layouts, closed

SMALL = closed(
    3, 3, 3, 0
).normalised()  # nine high cards lie open, three for each of three seats


def assert_uniform(built, fitting, verdict):
    draws = built.draw(20 * len(fitting) + 2_000, seed_state(7))
    numbers = {tuple(deal): number for number, deal in enumerate(fitting)}
    seen = np.bincount(
        [numbers[tuple(row)] for row in draws.tolist()], minlength=len(fitting)
    )
    expected = len(draws) / len(fitting)
    assert verdict(
        chi2.sf(((seen - expected) ** 2 / expected).sum(), max(len(fitting) - 1, 1))
    )


def test_a_table_of_another_condition_fails():
    mine = DealTable.of(SMALL, parse_expression("hcp(north) + hcp(south) >= 30"))
    assert_uniform(mine, all_layouts(SMALL).tolist(), lambda p: p < 1e-6)
