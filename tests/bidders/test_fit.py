"""Styles learned from records.

What is on record, the fit against the truth, and what ArviZ answers about it.
"""

import re
from dataclasses import astuple, replace
from operator import attrgetter

import arviz as az
import numpy as np
import pytest
import xarray
from scipy import stats

from bayesbridge import Auction, BayesBridgeError, Deal, Seat, StyleBidder
from bayesbridge.bidders import fit
from bayesbridge.notation import read_pbn
from tests.bidders.conftest import density_of, play

pytestmark = pytest.mark.filterwarnings("ignore:.*take more with draws=:UserWarning")
"""A small fit says that it is small."""

ONE = fit.Prior(
    suit_preference=(0.0, 0.0), log_temperature=(0.0, 0.0), logit_slip=(-4.0, 0.0)
)
"""Aggressiveness alone is not known."""


def test_arrays_say_what_the_bidder_says(table):
    bidders, records = table
    design = fit.Design.of(records, ["bold", "cautious"])
    pair = [bidders[Seat.W], bidders[Seat.E]]
    style = np.array([attrgetter(*fit.STYLE)(bidder) for bidder in pair])
    chances = design.probabilities(style[None])[0]
    for row, record in enumerate(records[:40]):
        bidder = replace(
            pair[record.player == "cautious"], vulnerable=record.vulnerable
        )
        masks = np.array([record.hand.mask], dtype=np.uint64)
        np.testing.assert_allclose(
            chances[row], bidder.probabilities(masks, record.before)[0], atol=1e-12
        )
        log = bidder.log_likelihood(masks, record.auction, record.index)[0]
        assert np.log(chances[row, record.call.index]) == pytest.approx(log)


@pytest.mark.parametrize(
    "pooling", ["none", pytest.param("partial", marks=pytest.mark.slow)]
)
def test_a_fit_finds_the_players(fitted, table, pooling):
    if pooling == "partial":
        fitted = fit.fit_styles(
            table[1], draws=100, tune=200, chains=2, predictive=False, rng=1
        )
    assert fitted.players == ("bold", "cautious")
    # of two hundred draws; chains in two places have far more
    assert fitted.worst_rhat < 1.2
    assert fitted.divergences < 20
    for name, bidder in (("bold", table[0][Seat.W]), ("cautious", table[0][Seat.E])):
        draws = fitted.draws(name)
        truth = np.array([getattr(bidder, parameter) for parameter in fit.STYLE])
        assert (np.abs(draws.mean(axis=0) - truth) < 5 * draws.std(axis=0)).all()
    assert (fitted.draws("bold")[:, 0] > fitted.draws("cautious")[:, 0]).mean() > 0.99


@pytest.mark.parametrize("pooling", fit.POOLINGS)
def test_the_density_is_that_of_the_prior_and_of_the_bidders(table, pooling):
    rng = np.random.default_rng(4)
    prior = fit.Prior()
    records = table[1][:30]
    design = fit.Design.of(records, ["bold", "cautious"])
    alike = pooling == "complete"
    density = density_of(fit.style_model(records, prior, pooling=pooling))
    centres, spreads = np.array([list(normal) for normal in astuple(prior)]).T
    for _ in range(3):
        z = rng.normal(size=(4, 2 - alike))
        mean = rng.normal(size=4)
        log_spread = rng.normal(size=4)
        point = {
            f"z_{name}": row[0] if alike else row
            for name, row in zip(fit.STYLE, z, strict=True)
        }
        expected = stats.norm.logpdf(z).sum()
        if pooling == "partial":
            spread = np.exp(log_spread)
            point |= {"population_mean": mean, "population_spread_log__": log_spread}
            expected += stats.norm.logpdf(mean, centres, spreads).sum()
            expected += stats.halfnorm.logpdf(spread, 0, spreads).sum()
            expected += log_spread.sum()
            z = ((mean - centres)[:, None] + spread[:, None] * z) / spreads[:, None]
        chances = design.probabilities(np.broadcast_to(prior.styles(z.T), (1, 2, 4)))[0]
        assert density(point) == pytest.approx(
            expected + np.log(chances[np.arange(30), design.call]).sum(), abs=1e-9
        )


def test_log_likelihood_and_predictions_are_those_of_the_model(fitted, table):
    """The arrays against PyMC's density.

    Every call's share of the predictions is compared with its probability.
    """
    design = fit.Design.of(table[1], fitted.players)
    density = density_of(fit.style_model(table[1], pooling="none"))
    drawn = fitted.tree["posterior"]
    for draw in range(3):
        point = {f"z_{name}": drawn[f"z_{name}"].values[0, draw] for name in fit.STYLE}
        logs = float(fitted.tree["log_likelihood"]["call"][0, draw].sum())
        assert logs == pytest.approx(
            density(point) - stats.norm.logpdf([*point.values()]).sum(), abs=1e-9
        )
    simulated = fitted.tree["posterior_predictive"]["call"].values.reshape(
        len(fitted.values), -1
    )
    for call in (0, 3, 7):
        chance = np.array(
            [
                design.probabilities(style[None])[0, :, call].sum()
                for style in fitted.values[::8]
            ]
        )
        error = (
            np.sqrt(len(design.call) * 0.25 / len(simulated))
            + chance.std() / len(chance) ** 0.5
        )
        assert abs((simulated == call).sum(axis=1).mean() - chance.mean()) < 5 * error


@pytest.mark.filterwarnings("ignore:Estimated shape parameter:UserWarning")
def test_leaving_one_record_out_prefers_the_names_on_record(fitted, table):
    """The players differ by two tricks, which their names tell.

    A control: with names dealt out at random, nothing is gained.
    """
    mixed = []
    rng = np.random.default_rng(4)
    for seed in (3, 4):
        names = rng.permutation([record.player for record in table[1]])
        records = [
            replace(record, player=str(name))
            for name, record in zip(names, table[1], strict=True)
        ]
        mixed.append(
            fit.fit_styles(
                records, pooling="none", draws=100, tune=200, chains=2, rng=seed
            ).tree
        )
    for tree, gained in ((fitted.tree, True), (mixed[1], False)):
        ranking = az.compare({"this": tree, "random": mixed[0]})
        assert (
            bool(ranking.loc["random", "elpd_diff"] < -3 * ranking.loc["random", "dse"])
            is gained
        )


def test_the_model_is_one_that_pymc_users_know(table):
    model = fit.style_model(table[1])
    assert ([variable.name for variable in model.observed_RVs], model.potentials) == (
        ["call"],
        [],
    )
    assert {name: len(labels) for name, labels in model.coords.items()} == {
        "player": 2, "record": len(table[1]), "option": 38, "parameter": 4,
    }  # fmt: skip
    assert model.named_vars_to_dims["call"] == ("record",)
    assert "call ~ Categorical" in model.str_repr()
    without = fit.style_model(table[1], fit.Prior(suit_preference=(0.0, 0.0)))
    assert without.coords["parameter"] == (
        "aggressiveness",
        "log_temperature",
        "logit_slip",
    )


def test_bidders_come_out_of_a_fit(fitted, random_hands):
    mean = fitted.bidder("bold")
    mixture = fitted.mixture("bold", 8, vulnerable="EW")
    assert mean.aggressiveness == pytest.approx(fitted.draws("bold")[:, 0].mean())
    assert len(mixture.bidders) == 8
    assert {bidder.vulnerable.value for bidder in mixture.bidders} == {"EW"}
    chances = mixture.probabilities(random_hands[:10], Auction.three("S"))
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    with pytest.raises(
        BayesBridgeError, match="no player 'timid' among those fitted: bold, cautious"
    ):
        fitted.bidder("timid")


def test_rates_are_those_of_the_bidders(fitted, table):
    turns = [record for record in table[1] if record.before.last_bid is None][:5]
    rates = fitted.bid_rates(turns)
    assert rates.dims == ("chain", "draw", "player")
    bidder = StyleBidder(*fitted.draws("bold")[0].tolist())
    hands = [np.array([record.hand.mask], np.uint64) for record in turns]
    by_turn = [
        replace(bidder, vulnerable=record.vulnerable).probabilities for record in turns
    ]
    chances = [
        probabilities(hand, record.before)
        for probabilities, hand, record in zip(by_turn, hands, turns, strict=True)
    ]
    assert float(rates.sel(player="bold")[0, 0]) == pytest.approx(
        np.mean([row[0, 3:].sum() for row in chances])
    )
    with pytest.raises(BayesBridgeError, match="no turns to bid in"):
        fitted.bid_rates([])


def test_a_bad_question_is_refused(table):
    with pytest.raises(BayesBridgeError, match="no records"):
        fit.fit_styles([])
    with pytest.raises(BayesBridgeError, match="prior of logit_slip"):
        fit.Prior(logit_slip=(0.0, -1.0))
    with pytest.raises(
        BayesBridgeError, match="unknown pooling 'some': choose none, partial, complete"
    ):
        fit.fit_styles(table[1], pooling="some")
    with pytest.raises(BayesBridgeError, match="nothing to learn"):
        fit.fit_styles(
            table[1], fit.Prior((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (-4.0, 0.0))
        )


@pytest.mark.parametrize(
    ("chains", "noise", "diverged", "warned"),
    [
        (4, 1.0, 0, "^$"),
        (
            4,
            1.0,
            3,
            "3 of 2000 draws diverged: take more with draws= and tune=, or smaller",
        ),
        (
            4,
            0.05,
            0,
            r"R-hat of aggressiveness\[x\] is .*, above 1.01; "
            r"aggressiveness\[x\] has .* effective draws",
        ),
        (1, 1.0, 0, "one chain cannot show"),
    ],
)
def test_chains_that_have_not_converged_are_said(chains, noise, diverged, warned):
    """Chains of independent draws are fine.

    With little noise around different centres they disagree.
    """
    generator = np.random.default_rng(3)
    centres = np.arange(chains)[:, None, None] * (noise < 1.0)
    dims = ("chain", "draw", "player")
    settled = {name: (dims, np.full((chains, 500, 1), 0.5)) for name in fit.STYLE[1:]}
    drawn = {
        "aggressiveness": (
            dims,
            centres + noise * generator.standard_normal((chains, 500, 1)),
        )
    }
    stats_group = {
        "diverging": (dims[:2], np.arange(chains * 500).reshape(chains, 500) < diverged)
    }
    coords = {"player": ["x"], "chain": range(chains), "draw": range(500)}
    groups = {
        "posterior": xarray.Dataset(drawn | settled, coords),
        "sample_stats": xarray.Dataset(stats_group),
    }
    warning = fit.Styles(xarray.DataTree.from_dict(groups)).warning
    assert "\n" not in warning
    assert re.search(warned, warning)


def held(share):
    """The p-value of "the 80 % interval holds the truth four times in five"."""
    inside = (share > 0.1) & (share < 0.9)
    return stats.binomtest(int(inside.sum()), len(share), 0.8).pvalue


@pytest.mark.parametrize(
    ("prior", "players", "deals", "numbers", "draws"),
    [
        (ONE, 40, 4, 1, 250),
        pytest.param(fit.Prior(), 60, 12, 4, 400, marks=pytest.mark.slow),
    ],
)
def test_ranks_of_the_truth_are_uniform(prior, players, deals, numbers, draws):
    """Simulation-based calibration: ranks of the truth among the draws.

    Intervals of 80 % hold the truth four times in five.
    """
    generator = np.random.default_rng(5)
    truth = [prior.draw(generator) for _ in range(players)]
    records = []
    for number, bidder in enumerate(truth):
        bidders = {Seat.S: StyleBidder(), Seat.W: bidder, Seat.E: StyleBidder()}
        records += play(bidders, {Seat.W: f"{number:03}"}, deals, generator)
    fitted = fit.fit_styles(
        records,
        prior,
        pooling="none",
        draws=draws,
        tune=draws,
        chains=2,
        predictive=False,
        rng=6,
    )
    assert fitted.worst_rhat < 1.1
    for column, name in enumerate(fit.STYLE[:numbers]):
        share = (
            fitted.values[:, :, column] < [getattr(bidder, name) for bidder in truth]
        ).mean(axis=0)
        assert stats.kstest(share, "uniform").pvalue > 1e-6, name
        assert held(share) > 1e-6, name
    # A negative control: intervals do not hold another player's truth so often.
    other_share = (
        fitted.values[:, :, 0] < np.roll([bidder.aggressiveness for bidder in truth], 1)
    ).mean(axis=0)
    assert held(other_share) < 1e-3


HAND = "AKQ52.J3.A94.K83"
DEAL = "N:J54.AQ2.KQ76.A54 T983.T954.J9.T96 AKQ2.KJ3.A54.Q32 76.876.T832.KJ87"
TABLES = read_pbn(f"""
[Board "1"]
[West "Wim"]
[North "Zoe"]
[East ""]
[South "Ann"]
[Vulnerable "NS"]
[Deal "{DEAL}"]
[Auction "N"]
1D Pass 2NT Pass 3NT Pass Pass Pass

[Board "2"]
[North "Zoe"]
[South "Ann"]
[Deal "{DEAL}"]
""").records


@pytest.mark.quick
def test_vulnerable_players_are_more_cautious_on_record_too():
    """Vulnerable players are more timid by a quarter of a trick.

    The arrays of a vulnerable record are those of a player who is that much more timid.
    """
    auction = Auction.of("N:Pass 1H")
    free, vulnerable = (
        fit.CallRecord("x", HAND, auction, 1, sides) for sides in ("NS", "EW")
    )
    style = np.array([[[0.5, 0.1, 0.8, 0.02]]])
    timid = style - np.array([0.25, 0.0, 0.0, 0.0])
    chances = fit.Design.of([free, vulnerable], ["x"]).probabilities(style)[0]
    shifted = fit.Design.of([free], ["x"]).probabilities(timid)[0, 0]
    assert chances[1, 0] > chances[0, 0]
    np.testing.assert_allclose(chances[1], shifted, atol=1e-12)
    bidder = StyleBidder(*style[0, 0].tolist(), vulnerable="EW")
    expected = bidder.probabilities(
        np.array([free.hand.mask], dtype=np.uint64), free.before
    )[0]
    np.testing.assert_allclose(chances[1], expected, atol=1e-12)
    rates = fit.bid_rates([free, vulnerable], style[0])
    np.testing.assert_allclose(rates, chances[:, 3:].sum(axis=1).mean())


@pytest.mark.quick
def test_tables_tell_players_and_pairs():
    records = fit.records_of_tables(TABLES)
    assert [record.player for record in records] == [
        "Zoe",
        "Ann",
        "Wim",
        "Zoe",
        "Ann",
        "Wim",
    ]
    assert {record.vulnerable.value for record in records} == {"NS"}
    assert records[0].hand == Deal.of(DEAL)["N"]
    pairs = fit.records_of_tables(TABLES, by="pair")
    assert [record.player for record in pairs] == [
        "Ann & Zoe"
    ] * 4  # nobody knows who sat opposite Wim
    names = {Seat.N: "Zoe", Seat.S: "Ann", Seat.W: "Wim"}
    assert records == fit.records_of(DEAL, TABLES[0].auction, names, "NS")


GROUPS = {
    *(
        "posterior",
        "sample_stats",
        "observed_data",
        "constant_data",
        "prior",
        "prior_predictive",
    ),
    *("posterior_predictive", "log_likelihood", "log_prior"),
}


def test_every_group_that_arviz_asks_for_is_there(fitted):
    assert set(fitted.tree.children) == GROUPS
    records = fitted.tree["observed_data"].sizes["record"]
    assert fitted.tree["log_likelihood"]["call"].shape == (
        *fitted.tree["posterior"]["slip"].shape[:2],
        records,
    )
    assert list(fitted.tree["constant_data"]["option"].values[:4]) == [
        "Pass",
        "X",
        "XX",
        "1C",
    ]
    legal = fitted.tree["constant_data"]["slipped"].values > 0
    observed = fitted.tree["observed_data"]["call"].values
    assert legal[np.arange(records), observed].all()
    for group in ("prior_predictive", "posterior_predictive"):
        calls = fitted.tree[group]["call"].values.reshape(-1, records)
        # an illegal call has probability 0
        assert legal[np.arange(records), calls].all(), group
