"""The summary: its figures recomputed from layouts, its errors against repeated runs, its words."""

from itertools import pairwise

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayesbridge as bb
from bayesbridge.capture import literal
from bayesbridge.results import shortest_interval
from tests import positions


@pytest.fixture(scope="module")
def weighed():
    posterior = positions.called().infer(rng=1)
    return posterior, bb.estimate(posterior, pair="S:N")


@pytest.fixture(scope="module")
def moved():
    return bb.estimate(positions.moved(800))


@given(st.lists(st.tuples(st.integers(-5, 20), st.integers(1, 50)), min_size=1, max_size=12), st.floats(0.05, 0.99))
def test_no_shorter_interval_holds_as_much(pairs, probability):
    values = np.array([value for value, _ in pairs])
    chances = np.array([weight for _, weight in pairs]) / sum(weight for _, weight in pairs)
    low, high = shortest_interval(values, chances, probability)

    def held(a, b):
        return chances[(values >= a) & (values <= b)].sum()

    enough = [(a, b) for a in values for b in values if a <= b and held(a, b) >= probability - 1e-12]
    shortest = min(b - a for a, b in enough)
    assert high - low == shortest
    assert held(low, high) == pytest.approx(max(held(a, b) for a, b in enough if b - a == shortest))


def test_exact_figures_are_those_of_the_literal_algorithm_on_every_layout(weighed):
    posterior, result = weighed
    some = slice(0, 8568, 7)
    deals, weights = list(posterior.layouts[some]), posterior.weights[some]
    T = np.array([literal.capture(deal[bb.Seat.S], deal[bb.Seat.N]).T for deal in deals])
    assert (result["posterior"]["T"].values[0, some] == T).all()

    T, weights = result["posterior"]["T"].values[0], posterior.weights
    table = result.summary()
    holds = T > 0
    assert table.loc["conditions fail", "mean"] == pytest.approx(weights[~holds].sum())
    given_holds = weights[holds] / weights[holds].sum()
    assert table.loc["T if they hold", "mean"] == pytest.approx(given_holds @ T[holds])
    spread = np.sqrt(given_holds @ (T[holds] - given_holds @ T[holds]) ** 2)
    assert table.loc["T if they hold", "sd"] == pytest.approx(spread)
    assert table.loc["T", "mean"] == pytest.approx(weights @ T)
    reached = [table.loc[f"T ≥ {goal}", "mean"] for goal in range(7, 14)]
    assert reached == pytest.approx([weights[tricks <= T].sum() for tricks in range(7, 14)])
    assert all(more >= less for more, less in pairwise(reached))
    np.testing.assert_allclose(result.at_least().values, reached)


def test_where_nothing_is_sampled_every_figure_is_exact(weighed):
    table = weighed[1].summary()
    assert table["exact"].all()
    assert (table["mcse"] == 0).all()
    assert table["ess"].isna().all()
    assert table.attrs["exact"] == 1


def test_counted_outputs_are_exact_and_sampled_ones_are_not():
    table = bb.estimate(positions.wide().infer(draws=400, rng=1)).summary()
    assert table.loc["T", "exact"]
    assert not table.loc["kappa[C]", "exact"]
    assert table.loc["kappa[C]", "ess"] == 400
    assert table.loc["kappa[C]", "mcse"] == pytest.approx(table.loc["kappa[C]", "sd"] / 20, rel=0.05)


def repeated(method, draws, times):
    """Means and claimed errors of repeated runs."""
    belief = bb.Belief("S", positions.SOUTH, bidder=bb.IterativeBidder(slip=0.2)).given(bb.Called("W", "1NT"))
    tables = [bb.estimate(belief.infer(method, draws=draws, rng=seed)).summary("T") for seed in range(times)]
    return pandas.concat(tables, keys=range(times))


def test_claimed_errors_are_the_spread_of_repeated_runs():
    tables = repeated("weights", 3000, 60)
    for quantity in ("conditions fail", "T if they hold", "T ≥ 9", "T"):
        runs = tables.xs(quantity, level=1)
        spread = runs["mean"].std()
        claimed = np.sqrt((runs["mcse"] ** 2).mean())
        assert 1e-6 < stats.chi2.cdf(59 * (spread / claimed) ** 2, 59) < 1 - 1e-6
        # As if all draws counted the same: far too hopeful.
        assert spread / (runs["sd"].mean() / np.sqrt(3000)) > 2.0


def test_draws_that_agree_on_a_number_do_not_tell_its_error(moved):
    row = moved.summary("c1").loc["c1[S]"]
    assert row["mean"] == pytest.approx(4)
    assert (row["sd"], np.isnan(row["mcse"]), np.isnan(row["ess"])) == (0, True, True)


def test_rare_events_have_an_error_even_where_none_happened():
    """One more draw, in which it happens, would move the share by 1 / n."""
    n = 4000
    stated = bb.estimate(bb.Belief("S", "8532.J32.9854.Q3").infer("sample", draws=n, rng=1), [never]).summary()
    assert stated.loc["never ≥ 13", "mean"] == 0
    assert stated.loc["never ≥ 13", "mcse"] == pytest.approx(1 / n, rel=0.05)


class Never:
    """Tricks that are 6 in every layout drawn."""

    name = "never"
    outputs = (bb.plugins.Output("never", "Tricks.", dtype="int8", tricks=bb.plugins.TrickCount()),)

    def estimate(self, layouts, question):
        return {"never": np.full(len(layouts), 6, dtype=np.int8)}


never = Never()


@bb.plugins.estimator("longest", dtype="float64")
def longest(deal, question):
    """Longest suit of the first seat, halved."""
    return max(deal[question.pair[0]].length(suit) for suit in bb.Suit) / 2


def test_floating_point_outputs_take_their_interval_from_weighted_draws(weighed):
    posterior, _ = weighed
    result = bb.estimate(posterior, [longest], pair="S:N")
    table = result.summary()
    assert table.index.tolist() == ["longest"]
    values = np.array([longest.function(deal, bb.plugins.Question.of("S:N")) for deal in posterior.layouts])
    assert table.loc["longest", "mean"] == pytest.approx(posterior.weights @ values)
    inside = (values >= table.loc["longest", "hdi89_lb"]) & (values <= table.loc["longest", "hdi89_ub"])
    assert posterior.weights[inside].sum() >= 0.89 - 1e-9


def test_another_interval_and_a_choice_of_outputs(weighed):
    table = weighed[1].summary(["delta"], probability=0.5)
    assert table.index.tolist() == [f"delta[{suit}]" for suit in "CDHS"]
    assert list(table.columns[2:4]) == ["hdi50_lb", "hdi50_ub"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda result: result.summary("tricks"), "no output 'tricks': it has c1, c2"),
        (lambda result: result.summary(probability=89), "probability 89: give a number between 0 and 1"),
        (lambda result: result.at_least("x"), "no output 'x': it has c1"),
    ],
)
def test_wrong_questions_are_answered_with_what_there_is(weighed, call, words):
    with pytest.raises(bb.BayesBridgeError, match=words):
        call(weighed[1])
