"""Budgets: what was chosen holds, and what was not is usual."""

import pytest

from bayesbridge.engines.budget import USUAL, Budget
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.evaluate import layouts_within_budget
from tests import positions


@pytest.mark.parametrize("draws", [19_999, 20_000, 20_001])
def test_a_number_of_draws_is_obeyed_whichever_it_is(draws):
    posterior = positions.wide().infer(draws=draws, rng=1)
    assert layouts_within_budget(posterior, 1.0, Budget(draws)) == draws
    assert layouts_within_budget(posterior, 1.0, Budget()) == 10
    assert layouts_within_budget(posterior, 1.0, Budget(seconds=3.0)) == 3
    assert layouts_within_budget(posterior, 0.0, Budget()) == draws


def test_layouts_or_a_time_take_the_place_of_an_error():
    usual = USUAL["estimate"]
    assert Budget().over(usual) == usual
    assert Budget(solve=5).over(usual).error is None
    assert Budget(seconds=5.0).over(usual).error is None
    chosen = Budget(seconds=60.0, error=0.01)
    assert chosen.over(usual) == Budget(20_000, None, 60.0, 0.01)
    assert Budget(error=0.01).over(usual).seconds == usual.seconds
    assert Budget().over(USUAL["review"]).solve == 40
    assert Budget(seconds=1.0).over(USUAL["review"]).solve is None


def test_the_time_tells_how_many():
    assert Budget(seconds=10.0).layouts(0.04, 1000) == 250
    assert Budget(seconds=10.0).layouts(0.04, 100) == 100
    assert Budget(solve=7, seconds=10.0).layouts(0.04, 100) == 7
    assert Budget(seconds=1e-9).layouts(1.0, 100) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"solve": 1},
        {"solve": -3},
        {"seconds": 0.0},
        {"seconds": float("inf")},
        {"error": 0},
    ],
)
def test_what_is_no_limit_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(BayesBridgeError, match=f"^{name} "):
        Budget(**wrong)
