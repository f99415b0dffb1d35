"""The paper's tables as data, and own figures against them by independent arithmetic."""

from math import sqrt

import pytest
from scipy import stats

from bayesbridge.capture import exact
from bayesbridge.studies import captures, conditions
from bayesbridge.studies.comparison import Comparison, Figure, mean_z
from bayesbridge.studies.paper import CAPTURES, CONDITIONS, PaperTable


def test_the_printed_tables_agree_with_each_other():
    assert [sum(run) for run in CONDITIONS.runs] == [1_000_000] * 3
    assert [sum(run) for run in CAPTURES.runs] == [run[2] for run in CONDITIONS.runs]
    assert CONDITIONS.mean() == pytest.approx((145312.33, 575723.33, 278964.33), abs=0.01)


def test_z_by_hand():
    table = PaperTable("coins", ("heads", "tails"), ((40, 60), (50, 50)), 100)
    assert table.z((1, 1), 2, exact=True) == pytest.approx(((90 - 100) / sqrt(50), (110 - 100) / sqrt(50)))
    # Two samples: the statistic whose square is Pearson's χ² of the 2 × 2 table.
    (z, _) = table.z((130, 170), 300)
    chi2 = stats.chi2_contingency([[90, 110], [130, 170]], correction=False).statistic
    assert z**2 == pytest.approx(chi2)
    assert z > 0


def test_z_is_none_where_both_have_nothing():
    assert captures.count_exactly().z[">13"] is None


@pytest.mark.parametrize("study", [captures, conditions])
def test_simulated_counts_agree_with_exact_ones(study):
    found, truth = study.simulate(1_000_000, 11, 2, runs=2), study.count_exactly()
    assert found.counts.keys() == truth.counts.keys()
    assert sum(found.counts.values()) == found.total == 2_000_000
    assert [sum(run.values()) for run in found.runs] == [1_000_000] * 2
    expected = [truth.counts[key] / exact.DEALS * found.total for key in found.counts]
    assert stats.chisquare(list(found.counts.values()), expected).pvalue > 1e-6
    assert found.deals_per_second is not None
    assert truth.deals_per_second is None


@pytest.mark.parametrize("study", [captures, conditions])
def test_figures_hold_the_deals_that_the_paper_counts(study):
    found = study.count_exactly()
    left_out = found.per_million(found.counts["0"]) if study is captures else 0
    assert sum(figure.own for figure in found.figures) + left_out == pytest.approx(1_000_000)
    assert found.per_million(found.total) == 1_000_000
    assert set(found.verdicts()) == {"reproduced"}


def test_tests_find_the_paper_and_the_own_runs_sound():
    found = captures.simulate(500_000, 2, 2, runs=3)
    tests = found.tests()
    assert [test.hypothesis for test in tests] == [
        "the paper's runs follow the exact distribution",
        "the paper's runs agree with each other",
        "our runs follow the exact distribution",
        "our runs agree with each other",
    ]
    assert all(test.p <= test.p_holm for test in tests)
    assert all(test.p_holm > (1e-3 if "paper" in test.hypothesis else 1e-6) for test in tests)
    assert len(captures.count_exactly().tests()) == 2


def figure(name, z, determined=True):
    return Figure(name, (1.0,), 1.0, z, determined=determined)


def test_a_verdict_is_corrected_for_the_number_of_figures():
    alone = Comparison("t", "u", {}, 1, (figure("a", 2.8),))
    assert alone.verdicts() == ("differs",)  # p = 0.005
    among = Comparison("t", "u", {}, 1, (figure("a", 2.8), figure("b", 0.1), figure("c", -0.4), figure("d", None)))
    assert among.verdicts() == ("reproduced",) * 4
    open_ = Comparison("t", "u", {}, 1, (figure("a", 50.0, determined=False), figure("b", -50.0)))
    assert open_.verdicts() == ("not determined by the text", "differs")


def test_mean_z_by_hand():
    assert mean_z(1.0, 100, 0.0, 2.0, 300) == pytest.approx(1 / (2 * sqrt(1 / 100 + 1 / 300)))
    assert mean_z(1.0, 100, 0.0, 0.0, 300) is None
