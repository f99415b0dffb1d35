"""Scenes: what South is told is true, and comes about by a rule that says no more than the evidence."""

import numpy as np
import pytest
from calibration import LENGTH_CELLS, POINT_CELLS, SCENARIOS, Scenario

from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
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


def test_cells_cover_every_hand_once():
    for cells, most in ((LENGTH_CELLS, 13), (POINT_CELLS, 40)):
        assert sorted(value for low, high in cells for value in range(low, high + 1)) == list(range(most + 1))


def test_what_is_told_is_the_cell_of_the_truth():
    scene = Scenario("sample", told_lengths=True, told_points=True).draw(4)
    points, length = scene.belief.evidence
    assert (points.seat, length.seat) == (Seat.W, Seat.E)
    assert points.low <= high_card_points(scene.layout)[Seat.W] <= points.high
    assert length.low <= suit_lengths(scene.layout)[Seat.E, length.suit] <= length.high


def test_a_style_that_south_does_not_know():
    scene = Scenario("joint", StyleBidder(), prior=Prior()).draw(1)
    assert scene.style is not None
    assert scene.style != StyleBidder()
    assert scene.belief.bidder == StyleBidder()


def test_a_wrong_belief_has_seen_the_same():
    scene = Scenario("enumerate", StyleBidder(), StyleBidder(aggressiveness=1.0)).draw(1)
    assert scene.belief.evidence == scene.informed.evidence
    assert (scene.belief.bidder, scene.informed.bidder) == (StyleBidder(aggressiveness=1.0), StyleBidder())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shown": 13}, "13 cards shown: show 0 to 12"),
        ({"cards": 4}, "give the scenario a bidder"),
        ({"prior": Prior()}, "give the scenario a bidder"),
        ({"bidder": StyleBidder(), "cards": 4}, "give player= and dummy=None"),
        ({"bidder": StyleBidder(), "cards": 4, "player": LearnedPlayer()}, "give player= and dummy=None"),
    ],
)
def test_scenarios_that_cannot_be(arguments, words):
    with pytest.raises(BayesBridgeError, match=words):
        Scenario("auto", **arguments)
