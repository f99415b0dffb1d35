"""The paper's tables as data, and own figures against them by independent arithmetic."""

from math import sqrt

import pytest
from scipy import stats

from bayesbridge.capture import exact
from bayesbridge.studies import captures, conditions
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
    assert captures.count_exactly().z[-1] is None


@pytest.mark.parametrize("study", [captures, conditions])
def test_simulated_counts_agree_with_exact_ones(study):
    found, truth = study.simulate(2_000_000, 11, 2), study.count_exactly()
    assert found.counts.keys() == truth.counts.keys()
    assert sum(found.counts.values()) == found.total == 2_000_000
    expected = [truth.counts[key] / exact.DEALS * found.total for key in found.counts]
    assert stats.chisquare(list(found.counts.values()), expected).pvalue > 1e-4
    assert found.deals_per_second is not None
    assert truth.deals_per_second is None


@pytest.mark.parametrize("study", [captures, conditions])
def test_bins_hold_the_deals_that_the_paper_counts(study):
    found = study.count_exactly()
    assert len(found.binned) == len(found.paper.bins)
    left_out = found.counts["0"] if study is captures else 0
    assert sum(found.binned) + left_out == found.total
    assert found.per_million(found.total) == 1_000_000
