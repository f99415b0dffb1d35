"""One question under several models: the same answers as one at a time, tables counted
once, refusals.
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
    found = bb.sensitivity(belief, BIDDERS)
    assert found["bidder"].values.tolist() == list(BIDDERS)
    for name, bidder in BIDDERS.items():
        posterior = belief.with_bidder(bidder).infer(rng=0)
        row, result = found.sel(bidder=name), bb.estimate(posterior)
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
    factor = found["log_bayes_factor"].values
    assert factor == pytest.approx(
        found["log_evidence"].values - found["log_evidence"].values[0]
    )
    # Calls made at random say nothing: 36 calls are legal for West, and 26 for East after 2NT.
    assert found["log_evidence"].values[-1] == pytest.approx(-log(36) - log(26))


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
    found = bb.sensitivity(belief, models)
    assert found["log_evidence"].values[0] == -np.inf
    assert found["method"].values.tolist() == ["impossible", "levels"]
    assert found["log_bayes_factor"].values.tolist() == [0.0, np.inf]
    assert np.isnan(found["T_at_least"].values[0]).all()
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
    def log_evidence(*more):
        said = document(*words, *more)
        return said.get("models", [said])[0]["log_evidence"]

    alone = log_evidence("--bidder", bidder, *settings.split())
    assert log_evidence("--bidders", bidder, *settings.split()) == pytest.approx(alone)
    assert abs(log_evidence("--bidders", bidder) - alone) > 0.001


def test_at_the_command_line(document, answer):
    words = [*WORDS, "--bidders", "iterative,iterative-suits", "--draws", "200"]
    first, second = document(*words)["models"]
    assert (first["bidder"], second["bidder"], first["method"]) == (
        "iterative",
        "iterative-suits",
        "levels",
    )
    assert sum(second["T"].values()) == pytest.approx(1)
    assert "The same question under every bidder model" in answer(*words)
