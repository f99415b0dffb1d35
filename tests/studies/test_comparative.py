"""The comparative study against plain Python on the same deals, and against the paper's rates on many."""

from collections import Counter

import numpy as np
import pytest

from bayesbridge.capture import literal as paper
from bayesbridge.studies import comparative
from bayesbridge.studies.dealing import deal_blocks
from tests.studies import literal


def test_counts_what_plain_python_counts():
    deals = 4_000
    expected = Counter()
    for masks in deal_blocks(deals, np.random.SeedSequence(2)):
        for row in masks:
            first, second, *_ = literal.hands_of(row)
            result = paper.captures_for_target(first, 7)
            if result >= 7:
                condition = paper.capture(first, second).condition
                expected[f"{result}_a1_satisfied"] += 1
                expected[f"{result}_a2_satisfied"] += condition == "both"
                expected[f"{result}_a2_not_satisfied"] += condition != "both"
                expected[f"{result}_p2_failure"] += condition == "only A"
    counts = comparative.count(np.random.SeedSequence(2), deals)
    assert counts[0] == deals
    found = comparative._named(counts)
    assert {key: count for key, count in found.items() if count} == {k: n for k, n in expected.items() if n}
    assert sum(expected.values()) > 200


def test_rates_are_the_papers_and_counts_are_not():
    found = comparative.simulate(1_000_000, 1, 2)
    own = {figure.name: figure.own for figure in found.figures}
    for result, rate, tolerance in ((7, 72.0, 1.2), (8, 74.2, 1.5), (9, 76.7, 2.2), (10, 78.0, 3.5)):
        assert own[f"success rate at {result} (%)"] == pytest.approx(rate, abs=tolerance)
        assert found.counts[f"{result}_a2_not_satisfied"] == found.counts[f"{result}_p2_failure"]
    for result, count in ((7, 1702), (8, 1058), (9, 496), (10, 171)):
        assert own[f"A1 satisfied with {result}"] == pytest.approx(count, rel=0.12)
    assert found.verdicts() == ("reproduced",) * 4 + ("not determined by the text",) * 4
    rates = [test for test in found.tests() if "success rate at" in test.hypothesis]
    assert all(test.p_holm > 0.01 and test.interval[0] < 0 < test.interval[1] for test in rates)
