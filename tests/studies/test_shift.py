"""One hand against both: random deals against the exact counts, and against plain
Python.
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


def z_of_cells(found, exact):
    """By cell, for cells with at least five deals expected; the others together are one
    cell.
    """
    cells, few = {}, [0, 0.0]
    for name, n in exact.counts.items():
        expected, seen = found.total * (n / exact.total), found.counts.get(name, 0)
        if expected >= 5:
            cells[name] = (seen, expected)
        else:
            few = [few[0] + seen, few[1] + expected]
    return {
        name: (seen - expected) / sqrt(expected)
        for name, (seen, expected) in {**cells, "few": few}.items()
    }


def test_random_deals_agree_with_the_exact_count_in_every_cell():
    """Negative control: one deal in ten of one cell stands in the next."""
    exact, found = shift.count_exactly(), shift.simulate(DEALS, 1)
    assert found.counts.keys() == exact.counts.keys()
    assert not [
        name for name, n in found.counts.items() if n and not exact.counts[name]
    ]
    z = z_of_cells(found, exact)
    assert len(z) > 60
    assert max(map(abs, z.values())) <= 3
    moved = found.counts["7 / 10"] // 10
    counts = {
        **found.counts,
        "7 / 10": found.counts["7 / 10"] - moved,
        "7 / 9": found.counts["7 / 9"] + moved,
    }
    assert max(map(abs, z_of_cells(replace(found, counts=counts), exact).values())) > 3


def test_counts_what_plain_python_counts():
    deals, by_level = 1_500, Counter()
    expected = Counter()
    for masks in deal_blocks(deals, np.random.SeedSequence(2).spawn(1)[0]):
        for row in masks:
            first, _, second, _ = literal.hands_of(row)
            capture, bid = paper.capture(first, second), paper.bid(first)
            outcome = (
                str(capture.T) if capture.condition == "both" else capture.condition
            )
            gaps = sum(
                12 - max((card.rank for card in first if card.suit == suit), default=-1)
                for suit in range(4)
            )
            counted = paper.captures_for_target(first, 7)
            expected[
                f"{counted or ('only A' if gaps <= 6 else 'neither')} / {outcome}"
            ] += 1
            by_level[str(bid.level), outcome] += 1
    found = shift.simulate(deals, 2)
    assert {name: n for name, n in found.counts.items() if n} == dict(expected)
    levels = found.answers["levels"]
    assert {
        (level, outcome): n
        for level, row in levels.items()
        for outcome, n in row.items()
    } == by_level


def test_the_tables_have_both_algorithms_side_by_side():
    found = shift.simulate(20_000, 1)
    held, captured, by_count, by_level = all_tables(shift.STUDY, found)
    assert [row[0] for row in held.words] == ["neither", "only A", "both"]
    assert [row[0] for row in captured.words] == [str(T) for T in range(4, 14)]
    assert (
        by_count.columns[1:]
        == by_level.columns[1:]
        == [*shift.OUTCOMES.values(), "mean T"]
    )
    for which in range(2):
        assert sum(
            both[which] for both in found.answers["shares"]["conditions"].values()
        ) == pytest.approx(1)
