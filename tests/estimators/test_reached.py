"""The contract that experts reached: weights by the formula, the strength that is likeliest, and refusals."""

import json

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import bayesbridge as bb
from bayesbridge.cli import main
from bayesbridge.estimators import reached as module
from bayesbridge.estimators.tricks import TricksEstimator

HAND = "J9.T8642.K53.A97"
WORDS = ["--observer", "W", "--hand", HAND, "--players", "4"]


def leader(calls="S:1NT Pass 3NT Pass Pass Pass"):
    belief = bb.Belief("W", HAND, dummy=None, bidder=bb.LearnedBidder())
    return belief.given(bb.Auction.of(calls, dummy=None)).infer(draws=400, rng=1)


def test_weights_and_evidence_by_the_formula():
    before, strength = leader(), module.fitted()["strength"]
    after = bb.reached(before)
    pmf = TricksEstimator().estimate(before.layouts, bb.Question.of(("S", "N")))["tricks"]
    factor = np.exp(strength * (pmf[:, 9:].sum(axis=1) - 1.0))
    wanted = before.weights * factor
    np.testing.assert_allclose(after.weights, wanted / wanted.sum(), rtol=1e-5)
    assert after.log_soft - before.log_soft == pytest.approx(np.log(wanted.sum()), abs=1e-6)
    assert after.ess == pytest.approx(before.ess * (before.weights**2).sum() / (after.weights**2).sum())
    np.testing.assert_array_equal(after.layouts.masks, before.layouts.masks)
    assert "experts stopped there" in after.why
    assert "experts stopped there" not in before.why
    gained = (after.weights - before.weights) @ pmf[:, 9:].sum(axis=1)
    assert gained > 0
    assert 0 < after.entropy_bits <= before.entropy_bits + 1


def test_cards_are_those_of_the_new_weights():
    after = bb.reached(leader())
    ace = bb.Card.of("SA").index
    wanted = after.weights @ (after.layouts.masks[:, 0] >> np.uint64(ace) & np.uint64(1)).astype(float)
    assert after.card_probabilities().sel(card="SA", seat="N").item() == pytest.approx(wanted)


def simulated(strength, boards=600, seed=2):
    """Boards whose true layout is one of the draws, chosen with that strength."""
    rng = np.random.default_rng(seed)
    draws = [(rng.random(60), rng.dirichlet(np.ones(60))) for _ in range(boards)]
    truth = []
    for chance, weight in draws:
        chosen = weight * np.exp(strength * chance)
        truth.append(chance[rng.choice(60, p=chosen / chosen.sum())])
    return draws, np.array(truth)


@pytest.mark.parametrize("strength", [0.0, 0.8])
def test_the_likeliest_strength_is_found(strength):
    draws, truth = simulated(strength)
    found, error, gain = module.strength_of(draws, truth)

    def loss(s):
        return -sum(s * t - np.log((w * np.exp(s * c)).sum()) for (c, w), t in zip(draws, truth, strict=True))

    by_search = minimize_scalar(loss)
    assert found == pytest.approx(by_search.x, abs=1e-4)
    assert gain == pytest.approx(-by_search.fun / len(truth), abs=1e-9)
    assert abs(found - strength) < 4 * error
    assert (found > 4 * error) == (strength > 0)


@pytest.mark.parametrize(
    ("calls", "said"),
    [("S:1NT Pass 3NT", "give the whole auction"), ("S:Pass Pass Pass Pass", "all passed")],
)
def test_where_no_contract_was_reached(calls, said):
    with pytest.raises(bb.BayesBridgeError, match=said):
        bb.reached(leader(calls))


def test_three_players_are_no_experts():
    belief = bb.Belief("W", HAND).given(bb.Auction.of("S:1NT Pass Pass", dummy="N"))
    with pytest.raises(bb.BayesBridgeError, match="an auction of four"):
        bb.reached(belief.infer(draws=100, rng=1))


def test_at_the_command_line(capsys):
    calls = ["--call", "S:1NT", "--call", "W:Pass", "--call", "N:3NT", "--call", "E:Pass"]
    asked = ["estimate", *WORDS, *calls, "--contract", "3NT", "--by", "S", "--solve", "0", "--draws", "400"]
    ended = ["--call", "S:Pass", "--call", "W:Pass"]
    chances = []
    for more in ([], ["--reached"]):
        assert main([*asked, *ended, *more, "--json"]) == 0
        chances.append(json.loads(capsys.readouterr().out)["contract"]["make"])
    assert chances[1] > chances[0]
    assert main([*asked, "--reached"]) == 2
    error = capsys.readouterr().err
    assert "argument --reached: no contract was reached" in error
    assert error.count("\n") == 1
