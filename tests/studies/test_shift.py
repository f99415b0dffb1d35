"""One hand against both.

Random deals against the exact counts, and against plain Python.
"""

from collections import Counter
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from bayesbridge.capture import literal as paper
from bayesbridge.studies import shift
from bayesbridge.studies.deals import deal_blocks
from bayesbridge.studies.study import all_tables
from tests.studies import literal

DEALS = 2_000_000


def z_of_cells(simulated, exact):
    """z by cell, for cells with at least five deals expected.

    The others together are one cell.
    """
    cells = {}
    few = [0, 0.0]
    for name, n in exact.counts.items():
        expected = simulated.total * (n / exact.total)
        observed = simulated.counts.get(name, 0)
        if expected >= 5:
            cells[name] = (observed, expected)
        else:
            few = [few[0] + observed, few[1] + expected]
    return {
        name: (observed - expected) / sqrt(expected)
        for name, (observed, expected) in {**cells, "few": few}.items()
    }


def test_random_deals_agree_with_the_exact_count_in_every_cell():
    """Negative control: one deal in ten of one cell stands in the next."""
    exact = shift.count_exactly()
    simulated = shift.simulate(DEALS, 1)
    assert simulated.counts.keys() == exact.counts.keys()
    assert not [
        name for name, n in simulated.counts.items() if n and not exact.counts[name]
    ]
    z = z_of_cells(simulated, exact)
    assert len(z) > 60
    assert max(map(abs, z.values())) <= 3
    moved = simulated.counts["7 / 10"] // 10
    counts = {
        **simulated.counts,
        "7 / 10": simulated.counts["7 / 10"] - moved,
        "7 / 9": simulated.counts["7 / 9"] + moved,
    }
    assert (
        max(map(abs, z_of_cells(replace(simulated, counts=counts), exact).values())) > 3
    )


def test_counts_what_plain_python_counts():
    deals = 1_500
    by_level = Counter()
    expected = Counter()
    for masks in deal_blocks(deals, np.random.SeedSequence(2).spawn(1)[0]):
        for row in masks:
            hand, _, partner_hand, _ = literal.hands_of(row)
            capture = paper.capture(hand, partner_hand)
            bid = paper.bid(hand)
            outcome = (
                str(capture.T) if capture.condition == "both" else capture.condition
            )
            gaps = 0
            for suit in range(4):
                ranks = [card.rank for card in hand if card.suit == suit]
                gaps += 12 - max(ranks, default=-1)
            counted = paper.captures_for_target(hand, 7)
            expected[
                f"{counted or ('only A' if gaps <= 6 else 'neither')} / {outcome}"
            ] += 1
            by_level[str(bid.level), outcome] += 1
    result = shift.simulate(deals, 2)
    assert {name: n for name, n in result.counts.items() if n} == dict(expected)
    levels = result.answers["levels"]
    cells = {}
    for level, row in levels.items():
        for outcome, n in row.items():
            cells[level, outcome] = n
    assert cells == by_level


def test_the_tables_have_both_algorithms_side_by_side():
    result = shift.simulate(20_000, 1)
    held, captured, by_count, by_level = all_tables(shift.STUDY, result)
    assert [row[0] for row in held.words] == ["neither", "only A", "both"]
    assert [row[0] for row in captured.words] == [str(T) for T in range(4, 14)]
    assert (
        by_count.columns[1:]
        == by_level.columns[1:]
        == [*shift.OUTCOMES.values(), "mean T"]
    )
    for which in range(2):
        assert sum(
            shares[which] for shares in result.answers["shares"]["conditions"].values()
        ) == pytest.approx(1)
