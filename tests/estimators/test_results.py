"""Results: what their trees and summaries hold.

They survive a file, and ArviZ reads them rightly.
"""

import warnings
from itertools import pairwise, product

import arviz
import numpy as np
import pandas
import pytest
import xarray
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayesbridge as bb
from bayesbridge.capture import literal
from bayesbridge.estimators.intervals import equal_tailed_interval, shortest_interval
from bayesbridge.game.cards import HIGH_CARD_POINTS
from tests import positions


@pytest.fixture(scope="module")
def results(result):
    return {
        "exact and weighted": result,
        "exact, no weights": bb.estimate(
            positions.quiet().infer(rng=1), ["capture", "bid"], pair="S:N"
        ),
        "no evidence": bb.estimate(positions.wide().infer(draws=50, rng=1)),
        "weights": bb.estimate(
            positions.passed().infer("likelihood-weighting", draws=200, rng=1)
        ),
        "moved": bb.estimate(positions.moved(200)),
    }


ALL = ("exact and weighted", "exact, no weights", "no evidence", "weights", "moved")


def test_marginals_are_the_weighted_shares_of_the_layouts(posterior, result):
    masks = posterior.layouts.masks
    weights = posterior.weights
    group = result["marginals"]
    bits = (
        masks[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)
    ).astype(float)
    cards = np.tensordot(weights, bits, axes=1)
    for index in range(52):
        own = group["card_probabilities"].sel(card=str(bb.Card(index)))
        np.testing.assert_allclose(own.values, cards[index], atol=1e-12)
        assert str(own["card_suit"].values) + str(own["rank"].values) == str(
            bb.Card(index)
        )
    for seat in bb.Seat:
        points = bits[:, :, seat] @ np.tile(HIGH_CARD_POINTS, 4)
        mean = float(
            (group["point_probabilities"].sel(seat=seat.name) * group["points"]).sum()
        )
        assert mean == pytest.approx(weights @ points)
        for suit in bb.Suit:
            lengths = bits[:, 13 * suit : 13 * suit + 13, seat].sum(axis=1)
            own = group["length_probabilities"].sel(seat=seat.name, suit=suit.name)
            np.testing.assert_allclose(
                own.values, [weights @ (lengths == n) for n in range(14)], atol=1e-12
            )


def test_distributions_are_the_weighted_shares_of_the_draws(result):
    weights = np.exp(result["weighted_draws"]["log_weight"].values)
    weights /= weights.sum()
    for name, pmf in result["pmf"].data_vars.items():
        draws = result["weighted_draws"][name]
        for value in pmf[f"{name}_value"].values:
            shares = np.tensordot(weights, draws.values == value, axes=1)
            np.testing.assert_allclose(
                pmf.sel({f"{name}_value": value}).values, shares, atol=1e-12
            )


@pytest.mark.parametrize("name", ALL)
def test_files_lose_nothing(results, tmp_path, name):
    result = results[name]
    result.to_netcdf(tmp_path / "result.nc", engine="h5netcdf")
    with xarray.open_datatree(tmp_path / "result.nc", engine="h5netcdf") as back:
        xarray.testing.assert_identical(result, bb.Result.of(back.load()))
        for group in result.groups:
            kinds = {
                key: value.dtype.kind
                for key, value in result[group].to_dataset().variables.items()
            }
            assert kinds == {
                key: value.dtype.kind
                for key, value in back[group].to_dataset().variables.items()
            }
        assert (
            bb.Result.of(back)
            .summary()
            .sort_index()
            .equals(result.summary().sort_index())
        )


def test_the_evidence_can_be_pasted_back(results):
    belief = positions.called()
    group = results["exact and weighted"]["observed_data"]
    pieces = [eval(f"bb.{text}") for text in group["evidence"].values]
    assert tuple(pieces) == belief.evidence
    assert group["sentence"].values.tolist() == [
        str(piece) for piece in belief.evidence
    ]
    assert group["kind"].values.tolist() == ["soft", "hard", "hard"]
    assert results["no evidence"]["observed_data"]["evidence"].shape == (0,)
    assert results["no evidence"]["observed_data"]["evidence"].dtype.kind == "U"


def test_the_position_is_told(results):
    position = results["exact and weighted"]["constant_data"]
    assert [
        str(position[key].values) for key in ("observer", "hand", "dummy", "contract")
    ] == [
        "E",
        positions.EAST,
        "N",
        "",
    ]
    assert position["pair"].values.tolist() == ["S", "N"]
    auction = bb.Auction.of("S:2NT Pass Pass", dummy="N")
    over = bb.estimate(positions.quiet().given(auction).infer(rng=1), pair="S:N")
    assert str(over["constant_data"]["contract"].values) == "2NT by S"


def test_a_run_tells_how_to_repeat_it():
    belief = positions.passed()
    posterior = belief.infer("likelihood-weighting", draws=100)
    result = bb.estimate(posterior)
    again = bb.estimate(
        belief.infer("likelihood-weighting", draws=100, rng=int(result.attrs["seed"]))
    )
    xarray.testing.assert_identical(result, again)
    other_seed = bb.estimate(
        belief.infer(
            "likelihood-weighting", draws=100, rng=int(result.attrs["seed"]) + 1
        )
    )
    assert not result.identical(other_seed)
    assert (
        bb.estimate(
            belief.infer(
                "likelihood-weighting", draws=100, rng=np.random.default_rng(1)
            )
        ).attrs["seed"]
        == ""
    )
    assert f"numpy {np.__version__}" in result.attrs["versions"]


def test_a_result_as_a_table(result):
    table = result.to_dataframe()
    sums = table.groupby("quantity")["probability"].sum()
    np.testing.assert_allclose(sums, 1.0)
    assert table["exact"].all()
    T = table[table["quantity"] == "T"].set_index("value")["probability"]
    assert T.to_dict() == pytest.approx(result["pmf"]["T"].to_series().to_dict())
    mean = (table["value"] * table["probability"]).groupby(table["quantity"]).sum()
    summed = result.summary()
    np.testing.assert_allclose(
        mean[["T", "delta[C]"]], summed.loc[["T", "delta[C]"], "mean"]
    )


def test_a_tree_from_elsewhere_is_no_result(result):
    assert bb.Result.of(result) is result
    with pytest.raises(bb.BayesBridgeError, match="the tree has no group 'posterior'"):
        bb.Result.of(xarray.DataTree.from_dict({"pmf": result["pmf"].to_dataset()}))
    earlier = xarray.DataTree.from_dict(result.to_dict())
    del earlier.attrs["arviz"]
    with pytest.raises(
        bb.BayesBridgeError, match=r"kept by an earlier bayesbridge \(.*make it anew"
    ):
        bb.Result.of(earlier)


def test_layouts_as_a_table(posterior):
    table = posterior.to_dataframe()
    assert len(table) == len(posterior)
    assert table["weight"].sum() == pytest.approx(1)
    assert set(table["N"]) == {positions.NORTH}
    deal = bb.Deal.of(dict(table.loc[0, list("NESW")]))
    assert deal == posterior.layouts[0]
    assert (
        table["points[S]"] == [bb.Hand.of(text).points for text in table["S"]]
    ).all()
    assert (
        table["length[W:H]"] == [bb.Hand.of(text).length("H") for text in table["W"]]
    ).all()
    mean = float(np.average(table["points[S]"], weights=table["weight"]))
    assert mean == pytest.approx(
        posterior.expect(lambda layouts: layouts.points[:, bb.Seat.S])
    )
    sample = posterior.to_dataframe(n=7, rng=1)
    assert (len(sample), sample["weight"].tolist()) == (7, [1 / 7] * 7)


@pytest.fixture(scope="module")
def moved():
    return bb.estimate(positions.moved(800))


@given(
    st.lists(
        st.tuples(st.integers(-5, 20), st.integers(1, 50)), min_size=1, max_size=12
    ),
    st.floats(0.05, 0.99),
)
def test_no_shorter_interval_holds_as_much(pairs, probability):
    values = np.array([value for value, _ in pairs])
    chances = np.array([weight for _, weight in pairs]) / sum(
        weight for _, weight in pairs
    )
    low, high = shortest_interval(values, chances, probability)

    def held(a, b):
        return chances[(values >= a) & (values <= b)].sum()

    enough = [
        (a, b)
        for a, b in product(values, repeat=2)
        if a <= b and held(a, b) >= probability - 1e-12
    ]
    shortest = min(b - a for a, b in enough)
    assert high - low == shortest
    assert held(low, high) == pytest.approx(
        max(held(a, b) for a, b in enough if b - a == shortest)
    )


def test_exact_figures_are_those_of_the_literal_algorithm_on_every_layout(
    posterior, result
):
    every_seventh = slice(0, 8568, 7)
    deals = list(posterior.layouts[every_seventh])
    weights = posterior.weights[every_seventh]
    T = np.array(
        [literal.capture(deal[bb.Seat.S], deal[bb.Seat.N]).T for deal in deals]
    )
    assert (result["weighted_draws"]["T"].values[every_seventh] == T).all()

    T = result["weighted_draws"]["T"].values
    weights = posterior.weights
    table = result.summary()
    holds = T > 0
    assert table.loc["conditions fail", "mean"] == pytest.approx(weights[~holds].sum())
    given_holds = weights[holds] / weights[holds].sum()
    assert table.loc["T if they hold", "mean"] == pytest.approx(given_holds @ T[holds])
    spread = np.sqrt(given_holds @ (T[holds] - given_holds @ T[holds]) ** 2)
    assert table.loc["T if they hold", "sd"] == pytest.approx(spread)
    assert table.loc["T", "mean"] == pytest.approx(weights @ T)
    reached = [table.loc[f"T ≥ {goal}", "mean"] for goal in range(7, 14)]
    assert reached == pytest.approx(
        [weights[tricks <= T].sum() for tricks in range(7, 14)]
    )
    assert all(likelier >= rarer for likelier, rarer in pairwise(reached))
    np.testing.assert_allclose(result.at_least().values, reached)


def test_where_nothing_is_sampled_every_figure_is_exact(result):
    table = result.summary()
    assert table["exact"].all()
    assert (table["mcse"] == 0).all()
    assert table["ess"].isna().all()
    assert table.attrs["exact"] == 1


def test_counted_outputs_are_exact_and_sampled_ones_are_not():
    table = bb.estimate(positions.wide().infer(draws=400, rng=1)).summary()
    assert table.loc["T", "exact"]
    assert not table.loc["kappa[C]", "exact"]
    assert table.loc["kappa[C]", "ess"] == 400
    assert table.loc["kappa[C]", "mcse"] == pytest.approx(
        table.loc["kappa[C]", "sd"] / 20, rel=0.05
    )


def test_claimed_errors_are_the_spread_of_repeated_runs():
    belief = bb.Belief("S", positions.SOUTH, bidder=bb.IterativeBidder(slip=0.2)).given(
        bb.Called("W", "1NT")
    )
    runs = (
        belief.infer("likelihood-weighting", draws=3000, rng=seed) for seed in range(60)
    )
    tables = pandas.concat(
        [bb.estimate(run).summary("T") for run in runs], keys=range(60)
    )
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
    stated = bb.estimate(
        bb.Belief("S", "8532.J32.9854.Q3").infer("direct", draws=n, rng=1), [never]
    ).summary()
    assert stated.loc["never ≥ 13", "mean"] == 0
    assert stated.loc["never ≥ 13", "mcse"] == pytest.approx(1 / n, rel=0.05)


class Never:
    """Tricks that are 6 in every layout drawn."""

    name = "never"
    outputs = (
        bb.plugins.Output(
            "never", "Tricks.", dtype="int8", tricks=bb.plugins.TrickCount()
        ),
    )

    def estimate(self, layouts, question):
        return {"never": np.full(len(layouts), 6, dtype=np.int8)}


never = Never()


@bb.plugins.estimator("longest", dtype="float64")
def longest(deal, question):
    """Longest suit of the first seat, halved."""
    return max(deal[question.pair[0]].length(suit) for suit in bb.Suit) / 2


def test_floating_point_outputs_take_their_interval_from_weighted_draws(
    posterior, result
):
    result = bb.estimate(posterior, [longest], pair="S:N")
    table = result.summary(kind="hdi")
    assert table.index.tolist() == ["longest"]
    values = np.array(
        [
            longest.function(deal, bb.plugins.Question.of("S:N"))
            for deal in posterior.layouts
        ]
    )
    assert table.loc["longest", "mean"] == pytest.approx(posterior.weights @ values)
    inside = (values >= table.loc["longest", "hdi89_lb"]) & (
        values <= table.loc["longest", "hdi89_ub"]
    )
    assert posterior.weights[inside].sum() >= 0.89 - 1e-9


def test_another_interval_and_a_choice_of_outputs(result):
    table = result.summary(["delta"], probability=0.5, kind="hdi")
    assert table.index.tolist() == [f"delta[{suit}]" for suit in "CDHS"]
    assert list(table.columns[2:4]) == ["hdi50_lb", "hdi50_ub"]


@pytest.mark.filterwarnings("ignore")  # ArviZ warns of quantities that never change
def test_intervals_are_called_and_computed_as_in_arviz(posterior):
    result = bb.estimate(posterior, [longest, "capture"], pair="S:N")
    for kind in ("eti", "hdi"):
        ends_of_summary = result.summary(kind=kind)
        arviz_row = arviz.summary(result, ci_kind=kind, round_to="none")
        ends = [f"{kind}89_lb", f"{kind}89_ub"]
        assert list(ends_of_summary.columns[2:4]) == ends
        assert set(ends) <= set(arviz_row.columns)
    assert list(result.summary().columns[2:4]) == [
        name for name in arviz.summary(result).columns if name.startswith("eti89")
    ]
    # Equal tails of resampled draws end where those of the distribution do, or beside.
    ends_of_summary = (
        result.summary("T").loc["T", ["eti89_lb", "eti89_ub"]].astype(float)
    )
    arviz_row = arviz.summary(result, var_names=["T"], round_to="none").loc["T"]
    assert (
        ends_of_summary - arviz_row[ends_of_summary.index].astype(float)
    ).abs().max() <= 1


@given(
    st.lists(
        st.tuples(st.integers(-5, 20), st.integers(1, 50)), min_size=1, max_size=12
    ),
    st.floats(0.05, 0.99),
)
def test_equal_tails_leave_out_no_more_than_they_may(pairs, probability):
    values = np.array([value for value, _ in pairs])
    chances = np.array([weight for _, weight in pairs], dtype=float)
    chances /= chances.sum()
    low, high = equal_tailed_interval(values, chances, probability)
    tail = (1 - probability) / 2
    assert chances[values < low].sum() <= tail + 1e-9
    assert chances[values > high].sum() <= tail + 1e-9
    assert chances[values <= low].sum() >= tail - 1e-9
    assert chances[values >= high].sum() >= tail - 1e-9


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda result: result.summary("tricks"), "no output 'tricks': it has c1, c2"),
        (
            lambda result: result.summary(probability=89),
            "probability 89: give a number between 0 and 1",
        ),
        (
            lambda result: result.summary(kind="iqr"),
            "kind 'iqr': choose eti or hdi",
        ),
        (lambda result: result.at_least("x"), "no output 'x': it has c1"),
        (lambda result: result.tricks("Delta"), "'Delta' does not count tricks"),
        (lambda result: result.tricks("delta"), "pick one by suit"),
    ],
)
def test_wrong_questions_are_answered_with_what_there_is(result, call, words):
    with pytest.raises(bb.BayesBridgeError, match=words):
        call(result)


def test_results_of_a_study_fit_together(results):
    study = {"before": results["no evidence"], "after": results["moved"]}
    tree = bb.concat(study)
    assert tree["pmf"]["position"].values.tolist() == ["before", "after"]
    for label, result in study.items():
        xarray.testing.assert_equal(
            tree["pmf"]["T"].sel(position=label, drop=True), result["pmf"]["T"]
        )
    assert not any(values.isnull().any() for values in tree["pmf"].data_vars.values())
    assert tree["posterior"].sizes == {"position": 2, "suit": 4, "chain": 4, "draw": 13}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ warns of quantities that never change
        table = arviz.summary(tree, var_names=["T"], round_to="none")
    assert table.index.tolist() == ["T[before]", "T[after]"]
    draws = results["moved"]["posterior"]["T"].isel(draw=slice(13))
    assert table.loc["T[after]", "mean"] == pytest.approx(float(draws.mean()))
    assert "mean" not in tree["posterior"]["T"].attrs  # they differ
    assert tree["observed_data"]["sentence"].sel(position="before").values.tolist() == [
        "",
        "",
    ]
    bid_result = bb.estimate(positions.wide().infer(draws=50, rng=1), "bid")
    with pytest.raises(bb.BayesBridgeError, match="'b' has other outputs"):
        bb.concat({"a": results["no evidence"], "b": bid_result})
    with pytest.raises(bb.BayesBridgeError, match="at least one"):
        bb.concat({})


@pytest.mark.filterwarnings("ignore:In a future version of xarray:FutureWarning")
def test_xarray_puts_results_together(results):
    tree = xarray.concat(
        [results["moved"], bb.estimate(positions.moved(40))], "position"
    )
    assert tree["pmf"].sizes["position"] == 2
    assert not tree["pmf"]["Z"].isnull().any()
