"""Statistics of scripts as plain data, against sums made one deal at a time."""

import json
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest

from bayesbridge.cli import main
from bayesbridge.dealing.language import parse
from bayesbridge.dealing.plan import DealPlan
from bayesbridge.dealing.run import exact_statistics, findings
from bayesbridge.evidence.expressions import LayoutValues
from tests.dealing.plain_conditions import suits_of

STATISTICS = """
condition hcp(north) >= 12
action average "points" hcp(north), frequency "spades" (spades(north), 2, 5),
  frequency "both" (hcp(north), 12, 13, spades(north), 0, 4)
"""


@pytest.fixture(scope="module")
def script():
    return parse(STATISTICS)


@pytest.fixture(scope="module")
def plan(script):
    return DealPlan.of(condition=script.condition)


@pytest.fixture(scope="module")
def documents(script, plan):
    """Exact ones where there are tables, then all of 400 deals."""
    masks = plan.deals(400, rng=1).masks
    values = LayoutValues(masks)
    exact = [
        finding.document()
        for finding in findings(script, exact_statistics(script, plan), values)
    ]
    drawn = [finding.document() for finding in findings(script, [None] * 3, values)]
    return masks, exact, drawn


def test_names_and_kinds(documents):
    _, exact, drawn = documents
    for documents_of_kind in (exact, drawn):
        assert [document["name"] for document in documents_of_kind] == [
            "points",
            "spades",
            "both",
        ]
        assert [document["kind"] for document in documents_of_kind] == [
            "average",
            "frequency",
            "frequency",
        ]
        assert json.loads(json.dumps(documents_of_kind)) == documents_of_kind
    assert all(document["exact"] for document in exact)
    assert not any(document["exact"] for document in drawn)


def test_exact_figures_are_those_of_the_plan(documents, plan):
    _, (average, spades, points_and_spades), _ = documents
    assert Fraction(average["fraction"]) == plan.average("hcp(north)")
    shares = plan.frequency("spades(north)")
    spades_by_value = {document["value"]: document for document in spades["values"]}
    assert spades["ranges"] == [[2, 5]]
    assert spades_by_value["below"]["share"] == float(shares[0,] + shares[1,])
    assert spades_by_value["above"]["share"] == pytest.approx(
        sum(float(share) for (n,), share in shares.items() if n > 5)
    )
    assert Fraction(int(spades_by_value[3]["deals_that_fit"]), plan.count) == shares[3,]
    assert (
        sum(int(document["deals_that_fit"]) for document in points_and_spades["values"])
        == plan.count
    )
    assert [12, 4] in [document["value"] for document in points_and_spades["values"]]
    assert ["above", "above"] in [
        document["value"] for document in points_and_spades["values"]
    ]


def points_of_suit(ranks):
    """Jack 1, queen 2, king 3, ace 4."""
    return sum("JQKA".index(rank) + 1 for rank in ranks if rank in "JQKA")


def test_sampled_figures_are_sums_over_the_deals(documents):
    masks, _, (average, spades, points_and_spades) = documents
    hands = [suits_of(int(row[0])) for row in masks]
    points = [sum(map(points_of_suit, hand)) for hand in hands]
    assert average["n"] == spades["n"] == points_and_spades["n"] == 400
    assert average["value"] == pytest.approx(statistics.fmean(points))
    assert average["error"] == pytest.approx(statistics.stdev(points) / 20)
    spades_by_value = {document["value"]: document for document in spades["values"]}
    four = sum(len(hand[3]) == 4 for hand in hands)
    assert spades_by_value[4]["deals"] == four
    assert spades_by_value[4]["error"] == pytest.approx(
        math.sqrt(four / 400 * (1 - four / 400) / 400)
    )
    assert sum(document["deals"] for document in points_and_spades["values"]) == 400


def test_no_deal_has_no_figures(script):
    none = LayoutValues(np.empty((0, 4), dtype=np.uint64))
    average, spades, _ = findings(script, [None] * 3, none)
    assert average.document()["value"] is None
    assert spades.document()["values"] == []
    assert list(average.lines()) == ["points: no deal was found"]
    assert json.loads(json.dumps(average.document()))


CERTAIN = """
predeal south SAKQJT98765432 north H5432, D5432, C65432
produce 3
action average score(nv, x7S, tricks(south, spades)),
  average score(vul, x7S, tricks(north, spades)),
  average score(nv, x1N, tricks(south, notrumps)), average tricks(north, notrumps) > 0
"""
"""Spades as trumps take every trick. Without trumps the defenders' cards beat all of
North's.
"""


def test_solved_contracts_that_anybody_can_count(tmp_path, capsys):
    path = tmp_path / "certain.dlr"
    path.write_text(CERTAIN)
    assert main(["deal", str(path), "--json"]) == 0
    statistics_told = json.loads(capsys.readouterr().out)["statistics"]
    assert [document["value"] for document in statistics_told] == [
        1510.0,
        2210.0,
        -350.0,
        0.0,
    ]
    # none has a title
    assert [document["name"] for document in statistics_told] == [
        f"average {place}" for place in (1, 2, 3, 4)
    ]


def test_a_frequency_of_two_values_has_no_mean(script, plan):
    values = LayoutValues(plan.deals(10, rng=1).masks)
    points, spades, both = findings(script, [None] * len(script.actions), values)
    assert points.mean is not None
    assert spades.mean is not None
    assert both.mean is None
