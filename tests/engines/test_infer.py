"""Plain weights under rare calls: errors that hold, or a refusal."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.engines.infer import MIN_ESS, MIN_ESS_KEPT
from bayesbridge.errors import TooFewDraws

WEAK = bb.Belief("S", "8532.J32.9854.Q3")
STRONG = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.IterativeBidder(slip=1e-4))


def heard(belief, calls):
    """The belief after some calls, each as seat:call."""
    return belief.given(*(bb.Called(*call.split(":")) for call in calls.split()))


@pytest.mark.parametrize(
    ("belief", "why"),
    [
        # Hands of both are met, but not together.
        (heard(WEAK, "W:2NT E:3NT"), "may miss the layouts"),
        # No hand that bids so is met: all weights are equal.
        (heard(STRONG, "W:3NT"), "may miss the layouts"),
        # A few have all the weight.
        (heard(WEAK, "W:1NT E:2NT"), r"have an effective sample size of \d+"),
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
    weighted = heard(WEAK, calls).infer("likelihood-weighting", draws=4000, rng=1)
    assert weighted.ess == weighted.importance.ess > MIN_ESS
    assert weighted.caveat == ""
    by_term = weighted.target.soft.by_term(weighted.layouts.masks)
    np.testing.assert_allclose(by_term.sum(axis=1), weighted.log_likelihood)
    log_weights = np.array([*by_term.sum(axis=1), by_term.max(axis=0).sum()])
    w = np.exp(log_weights - log_weights.max())
    ess = w.sum() ** 2 / (w**2).sum()  # Kish's formula
    assert ess >= MIN_ESS_KEPT * weighted.ess
