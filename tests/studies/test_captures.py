"""Tables 1 and 2 of the paper agree with each other.

And with simulated counts and with exact ones.
"""

import numpy as np
import pytest
from scipy import stats

from bayesbridge.capture import exact
from bayesbridge.studies import captures, conditions
from bayesbridge.studies.paper import CAPTURES, CONDITIONS


@pytest.mark.parametrize("study", [captures, conditions])
def test_simulated_counts_agree_with_exact_ones(study):
    simulated = study.simulate(400_000, 11, 2, runs=2)
    truth = study.count_exactly()
    assert simulated.counts.keys() == truth.counts.keys()
    assert sum(simulated.counts.values()) == simulated.total == 800_000
    assert [sum(run.values()) for run in simulated.runs] == [400_000] * 2
    expected = [
        truth.counts[key] / exact.DEALS * simulated.total for key in simulated.counts
    ]
    assert stats.chisquare(list(simulated.counts.values()), expected).pvalue > 1e-6
    assert simulated.deals_per_second is not None
    assert truth.deals_per_second is None


def test_the_papers_six_runs_agree_with_the_exact_distribution():
    for counted in (conditions.count_exactly(), captures.count_exactly()):
        shares = np.array([figure.own / 1e6 for figure in counted.figures])
        for run in zip(*(figure.printed for figure in counted.figures), strict=True):
            observed = np.array([*run, counted.trials - sum(run)])
            expected = np.array([*shares, 1 - shares.sum()]) * counted.trials
            used = expected > 1e-6
            assert not observed[~used].any()
            assert stats.chisquare(observed[used], expected[used]).pvalue > 1e-3


def test_the_printed_tables_agree_with_each_other():
    assert [sum(run) for run in CONDITIONS.runs] == [1_000_000] * 3
    assert [sum(run) for run in CAPTURES.runs] == [run[2] for run in CONDITIONS.runs]
