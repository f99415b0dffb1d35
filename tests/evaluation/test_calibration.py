"""Every engine on its scenario: the truth ranks evenly.

It does not where the model or the weights are wrong.
"""

from dataclasses import replace
from functools import cache
from math import inf, pi

import calibration
import numpy as np
import pytest
from scipy import stats

from bayesbridge.bidders.style import StyleBidder
from bayesbridge.studies.jobs import RunOptions
from tests.studies.test_readers import Flat

ONE = RunOptions(workers=1)
PASSES = 1e-5
"""The smallest corrected p of a calibrated scenario is above it, that of a wrong one
below, whatever the seed.
"""

BOLD = StyleBidder(aggressiveness=2.5)
STEADY = StyleBidder(temperature=0.1, slip=1e-6)

QUICK = replace(calibration.SCENARIOS["enumerate"], shown=7)  # 924 layouts a deal

SMALL = {
    "enumerate": (QUICK, 80),
    "direct": (replace(calibration.SCENARIOS["direct"], draws=1000), 30),
    "counting": (calibration.SCENARIOS["counting"], 10),
    "likelihood-weighting": (
        replace(calibration.SCENARIOS["likelihood-weighting"], draws=4000),
        40,
    ),
    "resample-move": (replace(calibration.SCENARIOS["resample-move"], draws=400), 16),
    "levels": (replace(calibration.SCENARIOS["levels"], draws=400), 24),
    "importance": (replace(calibration.SCENARIOS["importance"], draws=400), 24),
    "joint": (replace(calibration.SCENARIOS["joint"], shown=8), 24),
    "auto": (replace(calibration.SCENARIOS["auto"], draws=400), 6),
}
"""Fewer deals than in the slow tests, and fewer layouts."""


def smallest_p(calibrated):
    """The smallest p of all tests, corrected for their number.

    The band knows no p below 1e-4, Kolmogorov's formula does.
    """
    tests = calibrated.tests()
    early = ["too early" in test.hypothesis for test in tests]
    return len(tests) * min(
        float(stats.kstwo.sf(test.statistic, calibrated.deals)) if band else test.p
        for test, band in zip(tests, early, strict=True)
    )


def verify(calibrated, deals):
    assert (calibrated.ranks.sum(axis=1) == deals).all()
    assert smallest_p(calibrated) > PASSES, min(
        calibrated.tests(), key=lambda test: test.p
    )
    # By chance a bin strays by |z| standard errors, with mean √(2/π), as in
    # chance_error, and variance 1 − 2/π.
    spread = np.array(
        [
            error * reliability_bin.cards
            for error, reliability_bin in zip(
                calibrated.errors, calibrated.reliability, strict=True
            )
        ]
    )
    beyond = np.sqrt((1 - 2 / pi) * (spread**2).sum()) / calibrated.bins[0].sum()
    assert calibrated.card_error < calibrated.chance_error + 5 * beyond
    for name, shares in calibrated.coverage.items():
        for level, share in shares.items():
            assert stats.binomtest(round(share * deals), deals, level).pvalue > 1e-7, (
                name,
                level,
            )


@cache
def small(method, believed=None):
    scenario, deals = SMALL[method]
    return calibration.calibrate(replace(scenario, believed=believed), deals, how=ONE)


@pytest.mark.parametrize("method", SMALL)
def test_the_truth_is_one_more_draw_of_the_posterior(method):
    calibrated = small(method)
    assert calibrated.scenario.method == method
    verify(calibrated, SMALL[method][1])


@pytest.mark.parametrize(
    "believed",
    [
        Flat(),
        *(
            pytest.param(wrong, marks=pytest.mark.slow)
            for wrong in (BOLD, STEADY, StyleBidder(slip=0.97))
        ),
    ],
    ids=[
        "weights dropped",
        "taken for bolder",
        "taken for steadier",
        "taken for careless",
    ],
)
def test_a_wrong_model_of_the_bidders_fails_that_test(believed):
    assert (
        smallest_p(
            calibration.calibrate(replace(QUICK, believed=believed), 160, how=ONE)
        )
        < PASSES
    )


def test_what_was_found_is_shown():
    calibrated = small("direct")
    answers = calibration.document(calibrated)
    assert answers["ranks"]["T"] == calibrated.ranks_of("T").tolist()
    assert answers["coverage"]["T"] == list(calibrated.coverage["T"].values())
    coverage, cards, tests = calibration.tables(calibrated)
    assert [row[0] for row in coverage.rows] == [*calibrated.names, "mean"]
    assert f"calibration error {calibrated.card_error:.4f}" in cards.title
    assert len(tests.rows) == 2 * len(calibrated.names) + 1
    assert calibration.plot_ranks(calibrated).shape == (len(calibrated.names), 2)
    marks = calibration.plot_reliability(calibrated).collections[-1].get_offsets()
    shown = [
        (reliability_bin.predicted, reliability_bin.observed)
        for reliability_bin in calibrated.reliability
        if reliability_bin.cards >= 10
    ]
    np.testing.assert_allclose(marks, shown)
    assert [
        label.get_text()
        for label in calibration.plot_coverage(calibrated).get_yticklabels()
    ] == list(calibrated.names)


@pytest.mark.slow
def test_thirty_thousand_cards():
    deals = 2000
    calibrated = calibration.calibrate(calibration.SCENARIOS["enumerate"], deals)
    assert calibrated.cards == 32_000
    verify(calibrated, deals)
    bold = calibration.calibrate(
        replace(calibration.SCENARIOS["enumerate"], believed=BOLD), 400
    )
    assert smallest_p(bold) < PASSES


def test_exact_ranks_are_the_distribution_function_with_ties_spread_out():
    thirds = calibration.Distribution(np.array([0, 1, 5]), np.full(3, 1 / 3), 1)
    assert thirds.worth == inf
    assert [thirds.rank(u) for u in (0.0, 0.5, 1.0)] == pytest.approx(
        [1 / 3, 1 / 2, 2 / 3]
    )
    sure = calibration.Distribution(np.array([4]), np.ones(1), 4)
    assert sure.rank(0.25) == 0.25


def test_a_truth_drawn_like_the_draws_ranks_evenly_however_few_they_are():
    rng = np.random.default_rng(1)
    ranks = []
    for _ in range(4000):
        values = rng.integers(0, 4, size=6)  # five draws and the truth, with many ties
        ranks.append(
            calibration.Distribution(
                values[1:], np.full(5, 0.2), values[0], worth=5.0
            ).rank(rng.random())
        )
    counts = calibration.tally(ranks)
    assert calibration.chi_square("", counts).p > 1e-6
    assert calibration.ecdf_test("", counts).statistic < stats.kstwo.isf(1e-6, 4000)
    # Without its own place among them the truth would lie outside too often.
    naive = [
        calibration.Distribution(values[1:], np.full(5, 0.2), values[0]).rank(0.5)
        for values in rng.random((4000, 6))
    ]
    assert calibration.chi_square("", calibration.tally(naive)).p < 1e-6


@pytest.mark.parametrize("deals", [15, 100, 700])
def test_uniform_ranks_stay_in_the_band_as_often_as_it_says(deals):
    rng = np.random.default_rng(deals)
    low, high = calibration.ecdf_band(deals, 0.9)
    samples = [calibration.tally(rng.random(deals)) for _ in range(1500)]
    below = np.array([counts.cumsum()[:-1] for counts in samples]) / deals
    inside = ((below >= low - 1e-12) & (below <= high + 1e-12)).all(axis=1)
    # The band is found by 9999 samples; counts are whole, so it may hold a little more.
    error = np.sqrt(0.9 * 0.1 * (1 / 1500 + 1 / 9999))
    assert 0.9 - 5 * error < inside.mean() < 0.905 + 5 * error
    p = np.array([calibration.ecdf_test("", counts).p for counts in samples[:500]])
    assert ((p > 0.1) == inside[:500]).mean() > 0.97
    assert (p <= 0.1).mean() < 0.1 + 5 * np.sqrt(0.1 * 0.9 * (1 / 500 + 1 / 9999))
    assert (p <= 0.1).any()


@pytest.mark.parametrize(
    "shape", [(2, 2), (0.5, 0.5), (1.3, 1)], ids=["timid", "boasting", "shifted"]
)
def test_other_ranks_are_found_out(shape):
    counts = calibration.tally(np.random.default_rng(1).beta(*shape, size=5000))
    assert calibration.chi_square("", counts).p < 1e-6
    assert calibration.ecdf_test("", counts).p < 1e-3
    low, high = calibration.ecdf_band(5000)
    below = counts.cumsum()[:-1] / 5000
    assert ((below < low) | (below > high)).any()
