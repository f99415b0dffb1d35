"""Plain weights where two rare calls are explained together by hardly any layout: they say that they do not know."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.engines.infer import WORTH_LESS

WEAK = bb.Belief("S", "8532.J32.9854.Q3")


def test_two_rare_calls_are_known_to_be_out_of_reach():
    found = WEAK.given(bb.Called("W", "2NT"), bb.Called("E", "3NT")).infer("weights", rng=1)
    assert found.draws.importance.ess > 500  # what the weights alone would say
    assert found.ess < 10
    assert "tell too little" in found.draws.warning
    right = -10.1708  # counted by exact tables of both callers
    assert abs(found.log_evidence - right) < 2 * found.log_evidence_error
    assert abs(found.log_evidence - right) > 5 * found.draws.importance.log_mean_error  # what was stated before


@pytest.mark.parametrize("calls", [("W:1NT",), ("W:Pass", "E:Pass")])
def test_calls_that_are_met_are_judged_by_the_weights_themselves(calls):
    found = WEAK.given(*(bb.Called(*call.split(":")) for call in calls)).infer("weights", draws=4000, rng=1)
    assert found.ess == found.draws.importance.ess
    assert found.draws.warning == ""
    by_seat = found.draws.target.soft.by_seat(found.layouts.masks)
    np.testing.assert_allclose(by_seat.sum(axis=1), found.draws.log_likelihood)
    apart = len(found) * np.prod([bb_ess(column) / len(found) for column in by_seat.T])
    assert apart >= WORTH_LESS * found.ess


def bb_ess(log):
    """Kish's formula, by hand."""
    w = np.exp(log - log.max())
    return w.sum() ** 2 / (w**2).sum()
