"""The paper's tables as data, and own figures against them by independent arithmetic."""

from math import inf, sqrt

import pytest
from scipy import stats

from bayesbridge.studies import captures, comparative, conditions, headline
from bayesbridge.studies.study import (
    CHOSEN,
    Comparison,
    Figure,
    Sample,
    compare_shares,
    mean_figure,
    share_figure,
)


def test_z_by_hand():
    against_exact = share_figure("heads", (40, 50), 100, 200, Sample(1, 2), exact=True)
    assert (against_exact.z, against_exact.own) == (
        pytest.approx((90 - 100) / sqrt(50)),
        50,
    )
    # Two samples: the statistic whose square is Pearson's χ² of the 2 × 2 table.
    against_sample = share_figure("heads", (40, 50), 100, 200, Sample(130, 300))
    chi2 = stats.chi2_contingency([[90, 110], [130, 170]], correction=False).statistic
    assert against_sample.z == pytest.approx(sqrt(chi2))


REPRODUCED = "reproduced"
DIFFERS = "differs"
FEW = "too few deals to tell"


@pytest.mark.parametrize(
    ("figures", "verdicts"),
    [
        ([{"z": 2.8}], [DIFFERS]),  # p = 0.005
        # which four figures may have
        (
            [{"z": 2.8}, {"z": 0.1}, {"z": -0.4}, {"z": None}],
            [REPRODUCED] * 4,
        ),
        (
            [{"z": 50.0, "determined": False}, {"z": -50.0}],
            ["not determined by the text", DIFFERS],
        ),
        (
            [{"z": 0.2, "spread": None}, {"z": 0.2, "spread": 0.5}, {"z": 0.2}],
            [FEW, FEW, REPRODUCED],
        ),
        ([{"z": 9.0, "spread": 0.5}], [DIFFERS]),
        # no test of a reading
        (
            [{"z": 0.1, "chosen": True}, {"z": 9.0, "chosen": True}],
            [CHOSEN, DIFFERS],
        ),
    ],
)
def test_verdicts_are_corrected_for_the_number_of_figures(figures, verdicts):
    compared = tuple(
        Figure("a", (1.0,), 1.0, **{"spread": 0.01, **settings}) for settings in figures
    )
    assert Comparison("t", "u", {}, 1, compared).verdicts() == tuple(verdicts)


@pytest.mark.parametrize("study", [comparative, headline, captures, conditions])
def test_one_deal_reproduces_nothing_and_a_million_do(study):
    assert {"reproduced", CHOSEN, "differs"} & set(
        study.simulate(1, 1).verdicts()
    ) == set()
    many = study.simulate(300_000, 1).verdicts()
    assert (CHOSEN if study is headline else "reproduced") in many
    assert "differs" not in many


def test_an_exact_share_of_nothing_can_be_contradicted():
    assert compare_shares(Sample(0, 100), Sample(0, 10**20), exact=True) == (None, 0.0)
    assert compare_shares(Sample(1, 100), Sample(0, 10**20), exact=True)[0] == inf
    assert compare_shares(Sample(0, 100), Sample(0, 100)) == (None, None)


def test_the_z_of_a_mean_by_hand():
    figure = mean_figure("x", (1.0,), 1, 100, {-2.0: 150, 2.0: 150})
    assert (figure.own, figure.z) == (
        0.0,
        pytest.approx(1 / (2 * sqrt(1 / 100 + 1 / 300))),
    )
    assert mean_figure("x", (1.0,), 1, 100, {0.0: 300}).z is None
    assert mean_figure("x", (1.0,), 1, 100, {}).own is None
