"""Plain weights under rare calls: errors that hold, and a refusal where the draws
cannot tell them.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.engines.infer import MIN_ESS, MIN_ESS_KEPT
from bayesbridge.errors import TooFewDraws

WEAK = bb.Belief("S", "8532.J32.9854.Q3")
STRONG = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.IterativeBidder(slip=1e-4))


def heard(belief, calls):
    return belief.given(*(bb.Called(*call.split(":")) for call in calls.split()))


@pytest.mark.parametrize(
    ("belief", "why"),
    [
        (
            heard(WEAK, "W:2NT E:3NT"),
            "may miss the layouts",
        ),  # hands of both are met, but not together
        (
            heard(STRONG, "W:3NT"),
            "may miss the layouts",
        ),  # no hand that bids so is met: all weights are equal
        (
            heard(WEAK, "W:1NT E:2NT"),
            r"have an effective sample size of \d+",
        ),  # a few have all the weight
    ],
)
def test_what_draws_cannot_tell_is_refused(belief, why):
    for seed in range(5):
        with pytest.raises(
            TooFewDraws,
            match=r"20000 uniform draws .*, too few to state an error: use method=",
        ) as error:
            belief.infer("likelihood-weighting", rng=seed)
        assert error.value.data["worth"] < 200
    with pytest.raises(TooFewDraws, match=why):
        belief.infer("likelihood-weighting", rng=1)


@pytest.mark.parametrize("calls", ["W:1NT", "W:Pass E:Pass"])
def test_calls_that_are_met_are_judged_by_the_weights_themselves(calls):
    found = heard(WEAK, calls).infer("likelihood-weighting", draws=4000, rng=1)
    assert found.ess == found.importance.ess > MIN_ESS
    assert found.caveat == ""
    by_term = found.target.soft.by_term(found.layouts.masks)
    np.testing.assert_allclose(by_term.sum(axis=1), found.log_likelihood)
    log = np.array([*by_term.sum(axis=1), by_term.max(axis=0).sum()])
    w = np.exp(log - log.max())
    assert w.sum() ** 2 / (w**2).sum() >= MIN_ESS_KEPT * found.ess  # Kish's formula
