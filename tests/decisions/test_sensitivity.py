"""One question under several models.

The same answers as one at a time, tables counted once, refusals.
"""

from math import log

import numpy as np
import pytest

import bayesbridge as bb
from tests.positions import called, wide

SLIPS = [0.0, 0.02, 0.3, 1.0]
BIDDERS = {str(slip): bb.IterativeBidder(slip=slip) for slip in SLIPS}
WORDS = ["estimate", "--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--call", "W:2NT"]

FEW = "--reveal N:J54.AQ2.KQ76.A54 --holds E:ST,S9,S8,DJ,DT,D9,CK,CJ,CT"
FOUR = [*WORDS[:5], *FEW.split(), "--players", "4", "--auction", "W:1NT-p-p"]


@pytest.fixture(scope="module")
def belief():
    return wide().given(bb.Called("W", "2NT"), bb.Called("E", "Pass"))


def test_every_row_is_what_the_belief_says_on_its_own(belief):
    table = bb.sensitivity(belief, BIDDERS)
    assert table["bidder"].values.tolist() == list(BIDDERS)
    for name, bidder in BIDDERS.items():
        posterior = belief.with_bidder(bidder).infer(rng=0)
        row = table.sel(bidder=name)
        result = bb.estimate(posterior)
        assert row["log_evidence"].item() == pytest.approx(
            posterior.log_evidence, rel=1e-12
        )
        cards = posterior.card_probabilities().values
        assert row["card_probabilities"].values == pytest.approx(cards, abs=1e-12)
        assert row["T_at_least"].values == pytest.approx(
            result.at_least().values, abs=1e-12
        )
        assert row["entropy_bits"].item() == pytest.approx(posterior.entropy_bits)
        points = posterior.point_probabilities().values @ np.arange(38)
        assert row["points"].values == pytest.approx(points, abs=1e-9)
        assert (row["error"].item(), row["method"].item()) == (0.0, "levels")
    factor = table["log_bayes_factor"].values
    assert factor == pytest.approx(
        table["log_evidence"].values - table["log_evidence"].values[0]
    )
    # Calls made at random say nothing: 36 calls are legal for West, and 26 for East
    # after 2NT.
    assert table["log_evidence"].values[-1] == pytest.approx(-log(36) - log(26))


TWO = {name: BIDDERS[name] for name in ("0.02", "0.3")}


@pytest.fixture(scope="module")
def sensitivities():
    """Answers of every kind under two models, and those of each model on its own."""
    belief = called()
    options = {"estimators": ["capture", "bid", "tricks"], "pair": "S:N", "rng": 3}
    alone = {
        name: bb.estimate(belief.with_bidder(model).infer(rng=3), **options)
        for name, model in TWO.items()
    }
    return bb.sensitivity(belief, TWO, **options), alone


def test_every_output_is_what_estimate_says_under_each_model(sensitivities):
    table, alone = sensitivities
    for name, result in alone.items():
        row = table.sel(bidder=name)
        for output, draws in result["posterior"].data_vars.items():
            assert row[f"{output}_sd"].values.ravel() == pytest.approx(
                np.ravel(draws.attrs["sd"])
            )
            if output not in ("T", "tricks"):  # their means are conditional
                assert row[f"{output}_mean"].values.ravel() == pytest.approx(
                    np.ravel(draws.attrs["mean"])
                )
        for output, pmf in result["pmf"].data_vars.items():
            values = {f"{output}_value": pmf[f"{output}_value"].values}
            shares = row[f"{output}_pmf"]
            assert shares.dims == pmf.dims
            assert shares.sel(values).values == pytest.approx(pmf.values, abs=1e-12)
            assert shares.sum(f"{output}_value").values == pytest.approx(1.0)


def test_tricks_are_what_their_distribution_says_under_each_model(sensitivities):
    table, alone = sensitivities
    for name, result in alone.items():
        row = table.sel(bidder=name)
        for output in ("T", "tricks"):
            number = result.tricks(output)
            assert row[f"{output}_mean"].item() == pytest.approx(number.mean_if_held)
            assert row[f"{output}_at_least"].values == pytest.approx(
                list(number.goals.values())
            )
        assert row["T_holds"].item() == pytest.approx(result.tricks("T").holds)
        assert "tricks_holds" not in row
    assert table["level_pmf"].dims == ("bidder", "seat", "level_value")
    for former, name in (("T", "T_pmf"), ("qualified", "T_holds")):
        assert table[former].equals(table[name])


def test_a_contract_is_what_estimate_says_under_each_model():
    belief = called()
    options = {"contract": "3NT", "by": "S", "solve": 0, "rng": 3}
    table = bb.sensitivity(belief, TWO, **options)
    for name, model in TWO.items():
        row = table.sel(bidder=name)
        odds = bb.estimate(belief.with_bidder(model).infer(rng=3), **options)[
            "contract"
        ]
        for variable in ("make", "make_error"):
            assert row[variable].item() == pytest.approx(odds[variable].item())
        for variable in ("mean", "mean_error", "pmf", "pmf_error"):
            figure = row[f"contract_{variable}"].values
            assert figure == pytest.approx(odds[variable].values)
    assert len(set(table["make"].values.tolist())) == 2


def test_a_contract_tells_the_pair():
    with pytest.raises(bb.BayesBridgeError, match="pair S:N beside a contract"):
        bb.sensitivity(called(), TWO, contract="3NT", pair="S:N")


class Fails:
    name = "fails"
    outputs = (bb.plugins.Output("x", "Never."),)

    def estimate(self, layouts, question):
        raise RuntimeError("no answer")


def test_an_estimator_that_fails_is_left_out_under_each_model():
    with pytest.warns(UserWarning, match=r"left out under '0\.3': .*no answer"):
        table = bb.sensitivity(called(), {"0.3": TWO["0.3"]}, ["bid", Fails()])
    assert "level_mean" in table
    assert "x_mean" not in table
    with pytest.raises(bb.BayesBridgeError, match="no answer"):
        bb.sensitivity(called(), TWO, Fails())


@pytest.mark.parametrize(
    ("bidders", "line"),
    [([], "no bidder named"), ("nobody", "unknown bidder model 'nobody'")],
)
def test_bidders_that_are_none(bidders, line):
    with pytest.raises(bb.BayesBridgeError, match=line):
        bb.sensitivity(called(), bidders)


def test_what_a_model_makes_impossible_is_a_row_without_answers():
    """No hand bids 7NT beside South's 19 points without a slip."""
    belief = wide().given(bb.Called("W", "7NT"))
    models = {"never": BIDDERS["0.0"], "sometimes": BIDDERS["0.02"]}
    table = bb.sensitivity(belief, models)
    assert table["log_evidence"].values[0] == -np.inf
    assert table["method"].values.tolist() == ["impossible", "levels"]
    assert table["log_bayes_factor"].values.tolist() == [0.0, np.inf]
    assert np.isnan(table["T_at_least"].values[0]).all()
    turned = bb.sensitivity(belief, dict(reversed(models.items())))
    assert turned["log_bayes_factor"].values.tolist() == [0.0, -np.inf]


@pytest.mark.parametrize(
    ("words", "bidder", "settings"),
    [
        (WORDS, "iterative", "--slip 0.2"),
        (FOUR, "learned", "--vulnerable EW"),
        (FOUR, "learned", "--slip 0.2 --system weak-notrump"),
        (FOUR, "learned", "--style EW:strong-club"),
    ],
)
def test_settings_hold_for_every_model(document, words, bidder, settings):
    def log_evidence(*options):
        answer = document(*words, *options)
        return answer.get("models", [answer])[0]["log_evidence"]

    alone = log_evidence("--bidder", bidder, *settings.split())
    assert log_evidence("--bidders", bidder, *settings.split()) == pytest.approx(alone)
    assert abs(log_evidence("--bidders", bidder) - alone) > 0.001


def test_at_the_command_line(document, answer):
    words = [*WORDS, "--bidders", "iterative,iterative-suits", "--draws", "200"]
    iterative, with_suits = document(*words)["models"]
    assert (iterative["bidder"], with_suits["bidder"], iterative["method"]) == (
        "iterative",
        "iterative-suits",
        "levels",
    )
    assert sum(with_suits["T"].values()) == pytest.approx(1)
    assert "The same question under every bidder model" in answer(*words)


@pytest.mark.parametrize("pair", ["S:N", "W:E", "E:N"])
@pytest.mark.parametrize(("words", "bidder"), [(WORDS, "iterative"), (FOUR, "learned")])
def test_the_pair_holds_for_every_model(document, words, bidder, pair):
    words = [*words, "--pair", pair, "--draws", "200"]
    (row,) = document(*words, "--bidders", bidder)["models"]
    alone = document(*words, "--bidder", bidder, "--estimator", "capture")
    capture = alone["estimators"]["capture"]
    assert row["qualified"] == pytest.approx(capture["qualified"])
    assert row["T_pmf"] == pytest.approx(capture["T"]["pmf"])


def test_a_contract_at_the_command_line(document, answer):
    words = [*FOUR, "--contract", "3NT", "--by", "S", "--solve", "0"]
    rows = document(*words, "--bidders", "learned,style")["models"]
    for row in rows:
        alone = document(*words, "--bidder", row["bidder"])["contract"]
        assert row["make"] == pytest.approx(alone["make"])
        assert row["contract_mean"] == pytest.approx(alone["tricks"]["mean"])
    table = answer(*words, "--bidders", "learned,style")
    assert "3NT by S, dummy North." in table
    assert "makes" in table


def test_what_every_model_makes_impossible_has_no_answer(document):
    (row,) = document(*WORDS[:-1], "W:7NT", "--slip", "0", "--bidders", "iterative")[
        "models"
    ]
    assert (row["method"], row["log_evidence"]) == ("impossible", None)
    assert row["card_probabilities"] is None
