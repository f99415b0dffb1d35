"""The paper's tables as data, and own figures against them by independent arithmetic."""

from dataclasses import replace
from math import inf, sqrt

import pytest
from scipy import stats

from bayesbridge.studies import captures, comparative, conditions, headline
from bayesbridge.studies.study import CHOSEN, Comparison, Figure, compare_shares, mean_figure, share_figure


def test_z_by_hand():
    known = share_figure("heads", (40, 50), 100, 200, (1, 2), exact=True)
    assert (known.z, known.own) == (pytest.approx((90 - 100) / sqrt(50)), 50)
    # Two samples: the statistic whose square is Pearson's χ² of the 2 × 2 table.
    found = share_figure("heads", (40, 50), 100, 200, (130, 300))
    chi2 = stats.chi2_contingency([[90, 110], [130, 170]], correction=False).statistic
    assert found.z == pytest.approx(sqrt(chi2))


def figure(name, z, determined=True, spread=0.01):
    return Figure(name, (1.0,), 1.0, z, spread=spread, determined=determined)


def test_a_verdict_is_corrected_for_the_number_of_figures():
    alone = Comparison("t", "u", {}, 1, (figure("a", 2.8),))
    assert alone.verdicts() == ("differs",)  # p = 0.005
    among = Comparison("t", "u", {}, 1, (figure("a", 2.8), figure("b", 0.1), figure("c", -0.4), figure("d", None)))
    assert among.verdicts() == ("reproduced",) * 4
    open_ = Comparison("t", "u", {}, 1, (figure("a", 50.0, determined=False), figure("b", -50.0)))
    assert open_.verdicts() == ("not determined by the text", "differs")


def test_no_verdict_without_a_test_that_could_have_failed():
    weak = Comparison("t", "u", {}, 1, (figure("a", 0.2, spread=None), figure("b", 0.2, spread=0.5), figure("c", 0.2)))
    assert weak.verdicts() == ("too few deals to tell", "too few deals to tell", "reproduced")
    assert Comparison("t", "u", {}, 1, (figure("a", 9.0, spread=0.5),)).verdicts() == ("differs",)


def test_a_figure_that_chose_the_reading_is_no_test_of_it():
    near, far = (replace(figure("a", z), chosen=True) for z in (0.1, 9.0))
    assert Comparison("t", "u", {}, 1, (near, far)).verdicts() == (CHOSEN, "differs")


@pytest.mark.parametrize("study", [comparative, headline, captures, conditions])
def test_one_deal_reproduces_nothing_and_a_million_do(study):
    assert {"reproduced", CHOSEN, "differs"} & set(study.simulate(1, 1).verdicts()) == set()
    many = study.simulate(300_000, 1).verdicts()
    assert (CHOSEN if study is headline else "reproduced") in many
    assert "differs" not in many


def test_an_exact_share_of_nothing_can_be_contradicted():
    assert compare_shares((0, 100), (0, 10**20), exact=True) == (None, 0.0)
    assert compare_shares((1, 100), (0, 10**20), exact=True)[0] == inf
    assert compare_shares((0, 100), (0, 100)) == (None, None)


def test_the_z_of_a_mean_by_hand():
    found = mean_figure("x", (1.0,), 1, 100, {-2.0: 150, 2.0: 150})
    assert (found.own, found.z) == (0.0, pytest.approx(1 / (2 * sqrt(1 / 100 + 1 / 300))))
    assert mean_figure("x", (1.0,), 1, 100, {0.0: 300}).z is None
    assert mean_figure("x", (1.0,), 1, 100, {}).own is None
