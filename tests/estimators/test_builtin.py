"""Built-in estimators against other ways of computing them.

The literal algorithms, tricks by brute force, exact counts by walking every layout.
"""

import numpy as np
import pytest

from bayesbridge import Hand, Layouts, Seat
from bayesbridge.capture import literal
from bayesbridge.estimators.builtin import BidEstimator, CaptureEstimator
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.evidence.constraints import Constraints
from tests.deals import deal_masks


@pytest.mark.parametrize("pair", ["S:N", "N:S", "E:N"])
def test_capture_equals_the_literal_algorithm(pair):
    batch = Layouts(deal_masks(200, 3))
    question = Question.of(pair)
    outputs = run(CaptureEstimator(), batch, question)
    conditions = set()
    for i, deal in enumerate(batch):
        expected = literal.capture(*(deal[seat] for seat in question.pair))
        conditions.add(expected.condition)
        assert literal.CONDITIONS[outputs["condition"][i]] == expected.condition
        for name in outputs.keys() - {"condition"}:
            value = getattr(expected, name)
            assert outputs[name][i].tolist() == (
                list(value) if isinstance(value, tuple) else value
            ), name
    assert len(conditions) == 3


def test_bid_equals_the_literal_algorithm():
    batch = Layouts(deal_masks(200, 5))
    outputs = run(BidEstimator(), batch, Question.of("S:N"))
    for i, deal in enumerate(batch):
        for seat in Seat:
            expected = literal.bid(deal[seat])
            assert outputs["level"][i, seat] == expected.level
            assert outputs["counts"][i, seat].tolist() == list(expected.counts)
    assert len(np.unique(outputs["level"])) > 2


def test_exact_counts_are_refused_where_points_tie_the_suits():
    north = Hand.of("J54.AQ2.KQ32.A54")
    south = Hand.of("AKQ2.KJ3.A54.Q32")
    constraints = Constraints.free().hold(Seat.N, north.mask).hold(Seat.S, south.mask)
    assert CaptureEstimator().distribution(constraints, Question.of("S:E")) is not None
    assert (
        CaptureEstimator().distribution(
            constraints.points(Seat.E, 1, 3), Question.of("S:E")
        )
        is None
    )
