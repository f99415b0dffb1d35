"""Plain weights under rare calls: errors that hold, and a refusal where the draws cannot tell them."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.engines.infer import FEWEST, WORTH_LESS
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import TooFewDraws

WEAK = bb.Belief("S", "8532.J32.9854.Q3")
STRONG = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bb.IterativeBidder(slip=1e-4))


def heard(belief, calls):
    return belief.given(*(bb.Called(*call.split(":")) for call in calls.split()))


@pytest.mark.parametrize(
    ("belief", "why"),
    [
        (heard(WEAK, "W:2NT E:3NT"), "may miss the layouts"),  # hands of both are met, but not together
        (heard(STRONG, "W:3NT"), "may miss the layouts"),  # no hand that bids so is met: all weights are equal
        (heard(WEAK, "W:1NT E:2NT"), r"are worth \d+ independent ones"),  # a few layouts have all the weight
    ],
)
def test_what_draws_cannot_tell_is_refused(belief, why):
    for seed in range(5):
        with pytest.raises(
            TooFewDraws, match=r"20000 uniform draws .*, too few to state an error: use method="
        ) as error:
            belief.infer("weights", rng=seed)
        assert error.value.data["worth"] < 200
    with pytest.raises(TooFewDraws, match=why):
        belief.infer("weights", rng=1)


@pytest.mark.parametrize("calls", ["W:1NT", "W:Pass E:Pass"])
def test_calls_that_are_met_are_judged_by_the_weights_themselves(calls):
    found = heard(WEAK, calls).infer("weights", draws=4000, rng=1)
    assert found.ess == found.draws.importance.ess > FEWEST
    assert found.draws.warning == ""
    by_seat = found.draws.target.soft.by_seat(found.layouts.masks)
    np.testing.assert_allclose(by_seat.sum(axis=1), found.draws.log_likelihood)
    assert by_hand([*by_seat.sum(axis=1), by_seat.max(axis=0).sum()]) >= WORTH_LESS * found.ess


def by_hand(log):
    """Kish's formula."""
    w = np.exp(np.array(log) - np.max(log))
    return w.sum() ** 2 / (w**2).sum()


@pytest.mark.parametrize("more", [-3.0, 0.0, 9.0])
def test_one_more_draw(more):
    log = np.random.default_rng(1).normal(size=50)
    assert Weights(log).ess_with(more) == pytest.approx(by_hand([*log, more]))


def test_a_draw_that_is_not_met_moves_answers_by_no_more_than_their_error():
    """The limit of refusal, two ways: half of the effective draws are left if b / Σ w is 1 / √ess."""
    log = np.random.default_rng(2).normal(size=400)
    weights = Weights(log)
    moves = np.exp(log).sum() / np.sqrt(weights.ess)
    left = weights.ess_with(float(np.log(moves))) / weights.ess
    assert left == pytest.approx(0.5 * (1 + 1 / np.sqrt(weights.ess)) ** 2)
