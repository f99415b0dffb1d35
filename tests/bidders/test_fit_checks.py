"""What ArviZ answers about a fit: leave-one-out, comparison, sensitivity, and its pictures."""

import arviz as az
import numpy as np
import pytest

from bayesbridge.bidders.fit import CallRecord, fit_styles
from tests.bidders.conftest import SMALL

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*take more with draws=:UserWarning"),
    pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning"),
]
GROUPS = {
    *("posterior", "sample_stats", "observed_data", "constant_data", "prior", "prior_predictive"),
    *("posterior_predictive", "log_likelihood", "log_prior"),
}


@pytest.fixture(scope="module")
def alike(table):
    """The same records, as if both players had one style."""
    return fit_styles(table[1], pooling="complete", rng=2, **SMALL)


def test_every_group_that_arviz_asks_for_is_there(fitted):
    assert set(fitted.tree.children) == GROUPS
    records = fitted.tree["observed_data"].sizes["record"]
    assert fitted.tree["log_likelihood"]["call"].shape == (*fitted.tree["posterior"]["slip"].shape[:2], records)
    assert list(fitted.tree["constant_data"]["option"].values[:4]) == ["Pass", "X", "XX", "1C"]
    legal, observed = fitted.tree["constant_data"]["legal"].values, fitted.tree["observed_data"]["call"].values
    assert legal[np.arange(records), observed].all()
    for group in ("prior_predictive", "posterior_predictive"):
        calls = fitted.tree[group]["call"].values.reshape(-1, records)
        assert legal[np.arange(records), calls].all(), group  # an illegal call has probability 0


@pytest.mark.slow
def test_leaving_one_record_out_prefers_the_model_with_two_players(fitted, alike, table):
    """The players differ by two tricks. A control: with names handed out at random nothing is gained."""
    loo = az.loo(fitted.tree, pointwise=True)
    assert loo.n_data_points == len(table[1])
    assert float((loo.pareto_k > 0.7).mean()) < 0.05
    ranking = az.compare({"two": fitted.tree, "one": alike.tree})
    assert list(ranking.index) == ["two", "one"]
    assert ranking.loc["one", "elpd_diff"] < -3 * ranking.loc["one", "dse"]
    names = np.random.default_rng(4).permutation([record.player for record in table[1]])
    mixed = [
        CallRecord(name, r.hand, r.auction, r.index, r.vulnerable) for name, r in zip(names, table[1], strict=True)
    ]
    control = fit_styles(mixed, rng=3, **SMALL)
    ranking = az.compare({"two": control.tree, "one": alike.tree})
    assert ranking["elpd_diff"].min() > -3 * ranking["dse"].max()
