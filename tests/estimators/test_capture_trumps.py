"""The estimator of captures with trumps: exact counts against walking every layout, and what it is called."""

import json

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.capture import literal_trumps
from bayesbridge.capture.kernels import captures
from bayesbridge.capture.trumps import trump_captures
from bayesbridge.cards import Suit
from bayesbridge.cli import main
from bayesbridge.estimators.capture import CaptureEstimator
from bayesbridge.estimators.capture_trumps import CaptureTrumpsEstimator
from bayesbridge.estimators.checked import run
from bayesbridge.estimators.protocol import ExactEstimator, Question, SuitwiseEstimator
from bayesbridge.layouts import Layouts
from tests.engines.positions import brute_force, random_position
from tests.estimators.deals import random_layouts

ESTIMATOR = CaptureTrumpsEstimator()
SOUTH = bb.Belief("S", "AKQ52.J3.A94.K83")


@pytest.mark.parametrize("pair", ["S:N", "E:N"])
def test_it_equals_the_steps_in_every_strain(pair):
    layouts = random_layouts(60, 3)
    for trump in (None, *Suit):
        question = Question.of(pair, trump=trump)
        found = run(ESTIMATOR, layouts, question)
        for i, deal in enumerate(layouts):
            one = literal_trumps.capture_trumps(*(deal[seat] for seat in question.pair), trump)
            assert (found["T_trumps"][i], tuple(found["kappa_trumps"][i])) == (one.T, one.kappa)
            assert tuple(found["losers"][i]) == one.losers
    assert (found["T_trumps"] != run(CaptureEstimator(), layouts, question)["T"]).any()


@pytest.mark.parametrize("trump", [None, Suit.C, Suit.S])
def test_exact_counts_equal_walking_every_layout(trump):
    """Points in a range and shapes among the evidence: the tables count these too."""
    rng = np.random.default_rng(7)
    question, compared, points = Question.of("S:N", trump=trump), 0, 0
    assert isinstance(ESTIMATOR, ExactEstimator)
    assert isinstance(ESTIMATOR, SuitwiseEstimator)
    while compared < 12 or not points:
        known, evidence = random_position(rng)
        walked = brute_force(known, evidence)
        counts = ESTIMATOR.distribution(evidence, question) if len(walked) else None
        if counts is None:
            continue
        found = run(ESTIMATOR, Layouts(walked), question)
        for name, (first, table) in counts.items():
            assert np.bincount(found[name], minlength=len(table)).tolist() == table.tolist()
            assert first == 0
        compared += 1
        points += bool(evidence.normalised().bounded)


def test_three_hidden_hands_at_full_size():
    """Counted, and draws agree; captures without trumps do not."""
    exact = bb.estimate(SOUTH.infer(rng=1), "capture_trumps", pair="S:N", trump="S")
    pmf = exact["pmf"]["T_trumps"].values
    assert exact["pmf"]["T_trumps"].attrs["exact"] == 1
    draws = SOUTH.infer("sample", draws=40_000, rng=2).layouts
    south, north = (np.ascontiguousarray(draws.masks[:, seat]) for seat in (bb.Seat.S, bb.Seat.N))
    met = np.bincount(trump_captures(south, north, Suit.S).T, minlength=14) / 40_000
    error = np.sqrt(np.maximum(pmf * (1 - pmf), 1 / 40_000) / 40_000)
    assert (np.abs(met - pmf) < 5.5 * error).all()
    plain = np.bincount(captures(south, north).T, minlength=14) / 40_000
    assert (np.abs(plain - pmf) > 20 * error).any()


def test_under_calls_it_is_counted_too():
    """West's call weighs the layouts; counting gives what walking all of them gives."""
    belief = bb.Belief("E", "T963.9864.JT8.J7").given(
        bb.Called("S", "1NT"), bb.Reveal("N", "J54.AQ2.KQ76.A54"), bb.Holds("S", "SA SK S2 HK H3 DA CQ C2")
    )
    walked = bb.estimate(belief.infer("enumerate"), "capture_trumps", pair="S:N", trump="H")["pmf"]["T_trumps"]
    counted = bb.estimate(belief.infer("exact", rng=1), "capture_trumps", pair="S:N", trump="H")["pmf"]["T_trumps"]
    assert counted.attrs["exact"] == 1
    for value in counted["T_trumps_value"].values:
        here = walked.sel(T_trumps_value=value).item() if value in walked["T_trumps_value"] else 0.0
        assert counted.sel(T_trumps_value=value).item() == pytest.approx(here, abs=1e-12)


def test_it_is_called_an_extension_and_makes_nothing(capsys):
    options = ["--observer", "S", "--hand", "AKQ52.J3.A94.K83", "--trump", "S", "--estimator", "capture_trumps"]
    assert main(["estimate", *options]) == 0
    text = capsys.readouterr().out
    assert "T_trumps of S and N, in spades: captures with trumps, by our extension of the paper's rule" in text
    assert "T_trumps is not the number of tricks at the table" in text
    assert "condition_trumps" not in text
    assert "makes" not in text
    assert "without trumps" not in text
    assert main(["estimate", *options, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["estimators"]["capture_trumps"]
    assert said["exact"]
    assert sum(said["condition_trumps"]["pmf"].values()) == pytest.approx(1.0)


def test_captures_without_trumps_name_it(capsys):
    assert main(["estimate", "--observer", "S", "--hand", "AKQ52.J3.A94.K83", "--trump", "S"]) == 0
    assert "The estimator capture_trumps counts with them." in capsys.readouterr().out
