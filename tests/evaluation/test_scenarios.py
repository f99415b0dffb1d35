"""Scenes: what South is told is true, and comes about by a rule that says no more than the evidence."""

import numpy as np
import pytest
from calibration import SCENARIOS, Scenario

from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.deal import Seat
from bayesbridge.evidence import Called, HighCards, Holds, Length, Play, Reveal
from bayesbridge.layouts import high_card_points, suit_lengths


@pytest.mark.parametrize("method", SCENARIOS)
def test_the_truth_fits_and_the_same_seed_gives_the_same_scene(method):
    scenario = SCENARIOS[method]
    for seed in range(3):
        scene = scenario.draw(seed)
        assert scene.belief.constraints.allows(scene.layout[None]).all()
        assert int(scene.layout[Seat.S]) == scene.belief.hand.mask
        assert np.bitwise_count(scene.layout).tolist() == [13] * 4
        again = scenario.draw(seed)
        assert again.belief == scene.belief
        assert (scene.belief.auction is not None) == (scenario.bidder is not None)
        assert scene.belief == scene.informed


def test_each_kind_of_evidence_is_there():
    kinds = {type(piece) for piece in SCENARIOS["sample"].draw(1).belief.evidence}
    assert kinds == {Length, HighCards, Holds}
    everything = Scenario("auto", StyleBidder(), dummy=None, open_dummy=True, shown=2, player=LearnedPlayer(), cards=5)
    found = [everything.draw(seed).belief.evidence for seed in range(8)]
    opened = [[type(piece) for piece in evidence] for evidence in found if any(isinstance(p, Reveal) for p in evidence)]
    assert opened
    for types in opened:
        assert types.count(Play) == 5
        lead = types.index(Play)
        assert types[lead - 1 : lead + 3] == [Called, Play, Reveal, Play]
        assert types.count(Holds) == 2


def test_what_is_told_is_the_cell_of_the_truth():
    scene = Scenario("sample", told_lengths=True, told_points=True).draw(4)
    points, length = scene.belief.evidence
    assert (points.seat, length.seat) == (Seat.W, Seat.E)
    assert points.low <= high_card_points(scene.layout)[Seat.W] <= points.high
    assert length.low <= suit_lengths(scene.layout)[Seat.E, length.suit] <= length.high
