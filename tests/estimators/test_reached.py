"""Contracts that experts reached: weights by the formula, the line that is likeliest, and refusals."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit

import bayesbridge as bb
from bayesbridge.estimators import reached as module
from bayesbridge.estimators.builtin import TricksEstimator

HAND = "J9.T8642.K53.A97"
WORDS = ["--observer", "W", "--hand", HAND, "--players", "4"]


def leader(calls="S:1NT Pass 3NT Pass Pass Pass"):
    belief = bb.Belief("W", HAND, dummy=None, bidder=bb.LearnedBidder())
    return belief.given(bb.Auction.of(calls, dummy=None)).infer(draws=400, rng=1)


def chances_of(posterior):
    """P(3NT by South makes) in each layout, by the estimator."""
    pmf = TricksEstimator().estimate(posterior.layouts, bb.plugins.Question.of(("S", "N")))["tricks"]
    return pmf[:, 9:].sum(axis=1)


def test_weights_and_evidence_by_the_formula():
    before, said = leader(), module.fitted()
    after = module.reached(before)
    chances = chances_of(before)
    told = before.weights @ chances
    wanted = expit(said["game"] + said["slope"] * logit(told))
    assert after.weights @ chances == pytest.approx(wanted, abs=1e-5)
    assert abs(wanted - told) > 0.001

    def gap(s):
        tilted = before.weights * np.exp(s * chances)
        return tilted @ chances / tilted.sum() - wanted

    factor = np.exp(brentq(gap, -10, 10) * chances)
    new = before.weights * factor
    np.testing.assert_allclose(after.weights, new / new.sum(), rtol=1e-3)
    assert after.log_soft - before.log_soft == pytest.approx(np.log(new.sum() / factor.max()), abs=1e-3)
    assert after.ess == pytest.approx(before.ess * (before.weights**2).sum() / (after.weights**2).sum())
    np.testing.assert_array_equal(after.layouts.masks, before.layouts.masks)
    assert "experts stopped there" in after.why
    assert "experts stopped there" not in before.why
    assert 0 < after.entropy_bits <= before.entropy_bits + 1


def test_kinds_of_contracts_have_shifts_of_their_own():
    """The log odds less the slope's part; a double counts beside the kind."""
    line = module.fitted()
    for name, kind in (("1NT", "part score"), ("4D", "part score"), ("4S", "game"), ("5C", "game"), ("6NT", "slam")):
        for doubled in ("", "X", "XX"):
            told = module.chance_at_the_table(0.3, bb.Contract.of(f"{name}{doubled} by S"), line)
            assert logit(told) - line["slope"] * logit(0.3) == pytest.approx(
                line[kind] + (line["doubled"] if doubled else 0)
            )


@pytest.mark.parametrize(
    ("calls", "said"), [("S:1NT Pass 3NT", "give a whole auction"), ("S:Pass Pass Pass Pass", "give a whole auction")]
)
def test_where_no_contract_was_reached(calls, said):
    with pytest.raises(bb.BayesBridgeError, match=said):
        module.reached(leader(calls))


def test_at_the_command_line(document, complaint):
    calls = ["--call", "S:1NT", "--call", "W:Pass", "--call", "N:3NT", "--call", "E:Pass"]
    asked = ["estimate", *WORDS, *calls, "--contract", "3NT", "--by", "S", "--solve", "0", "--draws", "400"]
    ended = ["--call", "S:Pass", "--call", "W:Pass"]
    chances = [document(*asked, *ended, *more)["contract"]["make"] for more in ([], ["--reached"])]
    said = module.fitted()
    assert chances[1] == pytest.approx(expit(said["game"] + said["slope"] * logit(chances[0])), abs=1e-4)
    assert complaint(*asked, "--reached").startswith("argument --reached: no contract was reached")
