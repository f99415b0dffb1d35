"""DataTrees: what they hold, that they survive a file, and that ArviZ reads them rightly."""

import warnings

import arviz
import numpy as np
import pytest
import xarray

import bayesbridge as bb
from bayesbridge.cards import HIGH_CARD_POINTS
from tests import positions


@pytest.fixture(scope="module")
def weighed():
    posterior = positions.called().infer(rng=1)
    return posterior, bb.estimate(posterior, pair="S:N")


@pytest.fixture(scope="module")
def results(weighed):
    return {
        "exact and weighted": weighed[1],
        "exact, no weights": bb.estimate(positions.quiet().infer(rng=1), ["capture", "bid"], pair="S:N"),
        "no evidence": bb.estimate(positions.wide().infer(draws=50, rng=1)),
        "weights": bb.estimate(positions.passed().infer("weights", draws=200, rng=1)),
        "moved": bb.estimate(positions.moved(200)),
    }


ALL = ("exact and weighted", "exact, no weights", "no evidence", "weights", "moved")


def test_marginals_are_the_weighted_shares_of_the_layouts(weighed):
    posterior, result = weighed
    masks, weights = posterior.layouts.masks, posterior.weights
    group = result["marginals"]
    bits = (masks[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)).astype(float)
    cards = np.tensordot(weights, bits, axes=1)
    for index in range(52):
        own = group["card_probabilities"].sel(card=str(bb.Card(index)))
        np.testing.assert_allclose(own.values, cards[index], atol=1e-12)
        assert str(own["card_suit"].values) + str(own["rank"].values) == str(bb.Card(index))
    for seat in bb.Seat:
        points = bits[:, :, seat] @ np.tile(HIGH_CARD_POINTS, 4)
        mean = float((group["point_probabilities"].sel(seat=seat.name) * group["points"]).sum())
        assert mean == pytest.approx(weights @ points)
        for suit in bb.Suit:
            lengths = bits[:, 13 * suit : 13 * suit + 13, seat].sum(axis=1)
            own = group["length_probabilities"].sel(seat=seat.name, suit=suit.name)
            np.testing.assert_allclose(own.values, [weights @ (lengths == n) for n in range(14)], atol=1e-12)


def test_distributions_are_the_weighted_shares_of_the_draws(weighed):
    _, result = weighed
    weights = np.exp(result["sample_stats"]["log_weight"].values)
    weights /= weights.sum()
    for name, pmf in result["pmf"].data_vars.items():
        draws = result["posterior"][name]
        for value in pmf[f"{name}_value"].values:
            shares = np.tensordot(weights, draws.values == value, axes=2)
            np.testing.assert_allclose(pmf.sel({f"{name}_value": value}).values, shares, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_files_lose_nothing(results, tmp_path, name):
    result = results[name]
    result.to_netcdf(tmp_path / "result.nc", engine="h5netcdf")
    with xarray.open_datatree(tmp_path / "result.nc", engine="h5netcdf") as back:
        xarray.testing.assert_identical(result, bb.Result.of(back.load()))
        for group in result.groups:
            kinds = {key: value.dtype.kind for key, value in result[group].to_dataset().variables.items()}
            assert kinds == {key: value.dtype.kind for key, value in back[group].to_dataset().variables.items()}
        assert bb.Result.of(back).summary().sort_index().equals(result.summary().sort_index())


def test_the_evidence_can_be_pasted_back(results):
    belief = positions.called()
    group = results["exact and weighted"]["observed_data"]
    pieces = [eval(f"bb.{text}") for text in group["evidence"].values]
    assert tuple(pieces) == belief.evidence
    assert group["sentence"].values.tolist() == [str(piece) for piece in belief.evidence]
    assert group["kind"].values.tolist() == ["soft", "hard", "hard"]
    assert results["no evidence"]["observed_data"]["evidence"].shape == (0,)
    assert results["no evidence"]["observed_data"]["evidence"].dtype.kind == "U"


def test_the_position_is_told(results):
    told = results["exact and weighted"]["constant_data"]
    assert [str(told[key].values) for key in ("observer", "hand", "dummy", "contract")] == [
        "E",
        positions.EAST,
        "N",
        "",
    ]
    assert told["pair"].values.tolist() == ["S", "N"]
    auction = bb.Auction.of("S:2NT Pass Pass", dummy="N")
    over = bb.estimate(positions.quiet().given(auction).infer(rng=1), pair="S:N")
    assert str(over["constant_data"]["contract"].values) == "2NT by S"


def test_a_run_tells_how_to_repeat_it():
    belief = positions.passed()
    posterior = belief.infer("weights", draws=100)
    result = bb.estimate(posterior)
    again = bb.estimate(belief.infer("weights", draws=100, rng=int(result.attrs["seed"])))
    xarray.testing.assert_identical(result, again)
    other = bb.estimate(belief.infer("weights", draws=100, rng=int(result.attrs["seed"]) + 1))
    assert not result.identical(other)
    assert bb.estimate(belief.infer("weights", draws=100, rng=np.random.default_rng(1))).attrs["seed"] == ""
    assert f"numpy {np.__version__}" in result.attrs["versions"]


def test_resampled_draws_follow_the_weights_and_plain_ones_do_not(weighed):
    _, result = weighed
    truth = float(result["pmf"]["T"].values @ result["pmf"]["T_value"].values)
    spread = result["posterior"]["T"].attrs["sd"]
    equal = result.equally_weighted(draws=40_000, rng=2)
    error = spread / 200
    assert abs(float(equal["posterior"]["T"].mean()) - truth) < 4 * error
    assert abs(float(result["posterior"]["T"].mean()) - truth) > 10 * error
    assert "log_weight" not in equal["sample_stats"]
    assert equal["posterior"]["c2"].dims == ("chain", "draw", "suit")


def test_results_without_weights_pass_through(results):
    assert results["moved"].equally_weighted() is results["moved"]


def test_arviz_summarises_what_it_is_given(weighed):
    _, result = weighed
    equal = result.equally_weighted(draws=4000, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ warns of quantities that never change
        table = arviz.summary(equal, var_names=["T", "c1"], round_to="none")
    assert table.loc["T", "mean"] == pytest.approx(float(equal["posterior"]["T"].mean()))
    assert [name for name in table.index if name.startswith("c1")] == ["c1[C]", "c1[D]", "c1[H]", "c1[S]"]


def test_a_result_as_a_table(result):
    table = result.to_dataframe()
    sums = table.groupby("quantity")["probability"].sum()
    np.testing.assert_allclose(sums, 1.0)
    assert table["exact"].all()
    T = table[table["quantity"] == "T"].set_index("value")["probability"]
    assert T.to_dict() == pytest.approx(result["pmf"]["T"].to_series().to_dict())
    mean = (table["value"] * table["probability"]).groupby(table["quantity"]).sum()
    summed = result.summary()
    np.testing.assert_allclose(mean[["T", "delta[C]"]], summed.loc[["T", "delta[C]"], "mean"])


def test_a_tree_from_elsewhere_is_no_result(result):
    assert bb.Result.of(result) is result
    with pytest.raises(bb.BayesBridgeError, match="the tree has no group 'posterior'"):
        bb.Result.of(xarray.DataTree.from_dict({"pmf": result["pmf"].to_dataset()}))


def test_layouts_as_a_table(posterior):
    table = posterior.to_dataframe()
    assert len(table) == len(posterior)
    assert table["weight"].sum() == pytest.approx(1)
    assert set(table["N"]) == {positions.NORTH}
    first = bb.Deal.of(dict(table.loc[0, list("NESW")]))
    assert first == posterior.layouts[0]
    assert (table["points[S]"] == [bb.Hand.of(text).points for text in table["S"]]).all()
    assert (table["length[W:H]"] == [bb.Hand.of(text).length("H") for text in table["W"]]).all()
    mean = float(np.average(table["points[S]"], weights=table["weight"]))
    assert mean == pytest.approx(posterior.expect(lambda layouts: layouts.points[:, bb.Seat.S]))
    some = posterior.to_dataframe(n=7, rng=1)
    assert (len(some), some["weight"].tolist()) == (7, [1 / 7] * 7)
