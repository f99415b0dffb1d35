"""Chains: ArviZ reads the results of every engine as they are meant.

What ArviZ says of a result is compared with its summary. Both see the same layouts, so
they differ by what resampling costs: one standard error of that is sd / √draws at most.
"""

import warnings
from functools import cache

import arviz
import matplotlib as mpl
import numpy as np
import pytest
import xarray

import bayesbridge as bb
from bayesbridge.belief.joint import infer_jointly
from bayesbridge.estimators.chains import CHAINS, FEWEST_RESAMPLED
from tests import positions

QUANTITIES = ("T", "Delta", "chi", "c0[C]", "c0[S]", "kappa[H]", "delta[D]")


def slipping():
    """South after the bid of a West who often slips: weights that differ much."""
    bidder = bb.IterativeBidder(slip=0.2)
    return bb.Belief("S", positions.SOUTH, bidder=bidder).given(bb.Called("W", "1NT"))


def opened():
    """South after West has opened as experts do: draws that differ in weight."""
    belief = bb.Belief("S", positions.SOUTH, dummy=None)
    return belief.given(bb.Auction.of("W:1C Pass Pass"))


ENGINES = {
    "enumerate": lambda: positions.called().infer(rng=1),
    "enumerate, equal": lambda: positions.quiet().infer(rng=1),
    "direct": lambda: positions.wide().infer(draws=1001, rng=1),
    "levels": lambda: positions.bid().infer("levels", draws=1000, rng=1),
    "likelihood-weighting": lambda: slipping().infer(
        "likelihood-weighting", draws=3000, rng=1
    ),
    "importance": lambda: opened().infer("importance", draws=2000, rng=1),
    "resample-move": lambda: positions.moved(2000),
    "PyMC": lambda: infer_jointly(JOINT, "W", rng=1).layouts,
}
JOINT = bb.Belief("E", positions.EAST, bidder=bb.StyleBidder()).given(
    bb.Called("W", "1H"),
    bb.Reveal("N", positions.NORTH),
    bb.Holds("S", "SA SK S2 HK H3 DA CQ C2"),
)
BY_CALL = ("enumerate", "likelihood-weighting", "importance", "resample-move")


@cache
def posterior_of(engine):
    return ENGINES[engine]()


@cache
def result_of(engine):
    return bb.estimate(posterior_of(engine), "capture", pair="S:N", rng=2)


def arviz_table(tree, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ warns of quantities that never change
        table = arviz.summary(tree, var_names=names, round_to="none")
    return table.astype(float)


def largest_z(result, tree):
    """The largest difference between ArviZ's means of a tree and the summary.

    It is in standard errors of resampling.
    """
    names = sorted({name.partition("[")[0] for name in QUANTITIES})
    summary = result.summary(names)
    arviz_summary = arviz_table(tree, names)
    draws = tree["posterior"].sizes["chain"] * tree["posterior"].sizes["draw"]
    largest = 0.0
    for name in QUANTITIES:
        error = summary.loc[name, "sd"] / np.sqrt(draws)
        difference = abs(arviz_summary.loc[name, "mean"] - summary.loc[name, "mean"])
        if error:
            largest = max(largest, difference / error)
        else:
            assert difference < 1e-9
    return largest


def as_drawn(result):
    """The layouts before resampling, as if they counted the same."""
    kept = result["weighted_draws"].to_dataset()
    return xarray.DataTree.from_dict({"posterior": kept.expand_dims("chain")})


@pytest.mark.parametrize("engine", ENGINES)
def test_means_agree_with_the_summary(engine):
    result = result_of(engine)
    spread = np.sqrt(len(posterior_of(engine)) / posterior_of(engine).ess)
    assert largest_z(result, result) < 4 * spread


@pytest.mark.parametrize("engine", ["enumerate", "likelihood-weighting", "PyMC"])
def test_means_of_draws_before_resampling_do_not(engine):
    result = result_of(engine)
    assert largest_z(result, as_drawn(result)) > 4


@pytest.mark.parametrize("engine", ENGINES)
def test_there_are_four_chains_that_agree(engine):
    result = result_of(engine)
    draws = result["posterior"]
    assert draws.sizes["chain"] == CHAINS
    rhat = arviz_table(result, ["T", "Delta", "c0"])["r_hat"]
    assert rhat.notna().any()
    # Chains of n effective draws have R-hat of 1 + a few times 1/n.
    effective = posterior_of(engine).ess / CHAINS
    assert rhat.dropna().max() < 1 + 10 / effective


@pytest.mark.parametrize("engine", ENGINES)
def test_effective_sizes_are_not_those_of_copies(engine):
    """ArviZ's effective size is not far above what the draws are worth.

    Runs of copies of very different lengths are more than it sees.
    """
    posterior = posterior_of(engine)
    result = result_of(engine)
    ess = arviz_table(result, ["T"]).loc["T", "ess_bulk"]
    if posterior.exact or engine == "PyMC":  # walked
        assert ess < 1.3 * max(len(posterior), FEWEST_RESAMPLED)
    elif engine != "resample-move":  # whose particles moved on from their ancestors
        most_overstated = 3 if engine == "likelihood-weighting" else 1.3
        assert ess < most_overstated * posterior.ess + 100


def test_effective_sizes_of_shuffled_copies_are_those_of_copies():
    posterior = posterior_of("likelihood-weighting")
    T = result_of("likelihood-weighting")["posterior"]["T"].values
    shuffled = np.random.default_rng(1).permutation(T.ravel()).reshape(T.shape)
    tree = xarray.DataTree.from_dict(
        {"posterior": xarray.Dataset({"T": (("chain", "draw"), shuffled)})}
    )
    assert arviz_table(tree, ["T"]).loc["T", "ess_bulk"] > 10 * posterior.ess


@pytest.mark.parametrize("engine", ENGINES)
def test_pictures_can_be_drawn(engine):
    result = result_of(engine)
    with mpl.rc_context({"backend": "agg"}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for plot in (arviz.plot_dist, arviz.plot_rank):
            plot(result, var_names=["T"], backend="matplotlib")
    mpl.pyplot.close("all")


def test_the_density_drawn_is_that_of_the_posterior():
    """``az.plot_dist`` draws shares of the draws: four standard errors from the pmf."""
    result = result_of("likelihood-weighting")
    shares = result["pmf"]["T"]
    draws = result["posterior"]["T"].values
    before = result["weighted_draws"]["T"].values
    far_before = 0
    for value in range(14):
        share = shares.sel(T_value=value).item()
        error = np.sqrt(max(share * (1 - share), 1 / draws.size) / draws.size)
        assert abs((draws == value).mean() - share) < 4 * error
        far_before += abs((before == value).mean() - share) > 4 * error
    assert far_before > 0


def test_resampling_costs_no_more_than_stated():
    posterior = posterior_of("importance")
    squares = []
    for seed in range(60):
        result = bb.estimate(posterior, "capture", pair="S:N", rng=seed)
        T = result["posterior"]["T"]
        shift = float(T.mean()) - T.attrs["mean"]
        squares.append((shift / T.attrs["resampling_error"]) ** 2)
    # 60 squares of standard normals have a mean of 1 ± √(2 / 60); five such errors.
    assert np.mean(squares) < 1 + 5 * np.sqrt(2 / 60)


def test_draws_that_count_the_same_are_split_and_nothing_else():
    moved = bb.estimate(positions.moved(800))
    assert "weighted_draws" not in moved.children
    assert moved["posterior"].attrs["resampled"] == 0
    assert "resampling_error" not in moved["posterior"]["T"].attrs
    assert moved["posterior"].sizes["draw"] == 200
    odd = bb.estimate(positions.wide().infer(draws=1001, rng=1))
    assert odd["weighted_draws"].sizes["draw"] == 1001
    assert "log_weight" not in odd["weighted_draws"]


@pytest.mark.parametrize("engine", ENGINES)
def test_leaving_out_a_call_is_offered_where_calls_were_weighed_one_by_one(engine):
    result = result_of(engine)
    offered = "loo and compare leave out one call at a time" in result.attrs["arviz"]
    assert offered == ("log_likelihood" in result.children) == (engine in BY_CALL)
    assert "log_likelihood" not in result["sample_stats"].data_vars
    if not offered:
        with pytest.raises(Exception, match="log likelihood not found"):
            arviz.loo(result)


def two_calls(bidder):
    """East sees the dummy; South opened and West passed: all layouts are walked."""
    belief = bb.Belief("E", positions.EAST, bidder=bidder)
    return belief.given(
        bb.Called("S", "1NT"),
        bb.Called("W", "Pass"),
        bb.Reveal("N", positions.NORTH),
        bb.Holds("S", "SA SK S2 HK H3 DA CQ C2"),
    )


def left_out(posterior):
    """log P(call ∣ all other evidence) of every call.

    By the weights themselves: 1 / E[1 / P(call ∣ layout)] over the posterior.
    """
    soft = posterior.target.soft
    by_call = np.exp(soft.by_term(posterior.layouts.masks))
    possible = posterior.weights > 0
    inverse = posterior.weights[possible] @ (1 / by_call[possible])
    spread = posterior.weights[possible] @ (1 / by_call[possible] - inverse) ** 2
    return -np.log(inverse), np.sqrt(spread) / inverse


@pytest.mark.parametrize("method", ["auto", "likelihood-weighting"])
def test_loo_is_the_chance_of_each_call_given_the_others(method):
    bidder = bb.StyleBidder(temperature=3.0)
    posterior = two_calls(bidder).infer(method, draws=4000, rng=1)
    result = bb.estimate(posterior, pair="S:N", rng=1)
    assert result["log_likelihood"]["call"].values.tolist() == ["1 S 1NT", "2 W Pass"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loo = arviz.loo(result, pointwise=True)
    expected, spread = left_out(posterior)
    draws = result["posterior"]["T"].size
    error = spread / np.sqrt(draws)
    assert (np.abs(loo.elpd_i.values - expected) < 4 * error + 1e-6).all()


def test_compare_weighs_two_bidders_by_their_calls():
    results = {}
    expected = {}
    for name, temperature in (("calm", 1.0), ("wild", 6.0)):
        bidder = bb.StyleBidder(temperature=temperature)
        posterior = two_calls(bidder).infer(rng=1)
        results[name] = bb.estimate(posterior, pair="S:N", rng=1)
        expected[name] = left_out(posterior)[0].sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = arviz.compare(results, round_to="none")
    better = max(expected, key=expected.get)
    assert table.index[0] == better
