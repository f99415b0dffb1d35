"""Deals drawn from tables: uniform by χ², with a control."""

import numpy as np
from scipy.stats import chi2

from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.evidence.parser import parse_expression
from bayesbridge.runtime.random64 import seed_state
from tests.engines.positions import all_layouts, closed

# Nine high cards lie open, three for each of three seats.
SMALL = closed(3, 3, 3, 0).normalised()


def assert_uniform(deal_table, fitting, verdict):
    """Draw from a table and judge the p-value that all fitting deals are as likely."""
    draws = deal_table.draw(20 * len(fitting) + 2_000, seed_state(7))
    numbers = {tuple(deal): number for number, deal in enumerate(fitting)}
    drawn = [numbers[tuple(deal)] for deal in draws.tolist()]
    observed = np.bincount(drawn, minlength=len(fitting))
    expected = len(draws) / len(fitting)
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert verdict(chi2.sf(statistic, max(len(fitting) - 1, 1)))


def test_a_table_of_another_condition_fails():
    condition = parse_expression("hcp(north) + hcp(south) >= 30")
    deal_table = DealTable.of(SMALL, condition)
    assert_uniform(deal_table, all_layouts(SMALL).tolist(), lambda p: p < 1e-6)
