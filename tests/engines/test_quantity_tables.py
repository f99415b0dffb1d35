"""Class tables with the walks of trumps, and suit bids drawn through them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from bayesbridge import Auction, IterativeBidder
from bayesbridge.capture.strains import strain_levels
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.tables import LayoutIndex
from tests.engines.positions import questions
from tests.engines.test_levels import STRONG, W, called, check_numbers


@pytest.mark.parametrize("strain", range(4))
def test_levels_with_trumps(strain):
    """The same tables with the walks of trumps.

    They are counted against whole hands, layout by layout.
    """
    levels_met = set()
    for evidence, layouts, weights in questions(66 + strain, 12):
        by_level = list(map(Fraction, range(1, 9)))
        tables = LevelTables.of(
            evidence, dict.fromkeys(weights, by_level), dict.fromkeys(weights, strain)
        )
        by_layout = [Fraction(1)] * len(layouts)
        for seat in weights:
            levels = strain_levels(layouts[:, seat])[:, strain].tolist()
            for layout, level in enumerate(levels):
                by_layout[layout] *= by_level[level]
            levels_met.update(levels)
        assert tables.mean == sum(by_layout) / len(layouts)
        check_numbers(tables, layouts, by_layout)
    assert len(levels_met) >= 4


@pytest.mark.parametrize(("call", "strain", "level"), [("1H", 2, 1), ("3S", 3, 3)])
def test_a_suit_bid_lies_within_the_level_of_its_suit(call, strain, level):
    """Draws given the level of a suit are mostly effective for a bid in it.

    Who bids 1H as the highest of five bids has level 1 in hearts.
    """
    bidder = IterativeBidder(suits=True)
    tables = LevelTables.of(STRONG, {W: called(level)}, {W: strain})
    n = 40_000
    draws = tables.draw(n, rng=7)
    auction = Auction.of(f"W:{call}", dummy="N")
    proposed = np.array(called(level))[strain_levels(draws[:, W])[:, strain]]
    ratio = np.exp(bidder.log_likelihood(draws[:, W], auction, 0)) / proposed
    assert ratio.max() <= 1 + 1e-12, (
        "so thinning gives independent draws given the call"
    )
    assert ratio.sum() ** 2 / (ratio**2).sum() > 0.3 * n
    uniform = LayoutIndex.of(STRONG).draw(10**6, rng=8)
    weight = np.exp(bidder.log_likelihood(uniform[:, W], auction, 0))
    mean = float(tables.mean)
    error = math.hypot(weight.std() / 1000, mean * ratio.std() / math.sqrt(n))
    assert abs(weight.mean() - mean * ratio.mean()) < 4.5 * error
