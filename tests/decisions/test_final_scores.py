"""Ends of auctions scored: beside plain loops over tricks and the package's own parts."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.decisions.final_scores import FinalScores, Goal, network_tricks
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.contract_question import group_of
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.scoring import NEW, Duplicate, imps
from tests.deals import deal_masks

NS = Vulnerability.NS
SOUTH = bb.Seat.S


@pytest.mark.parametrize("strain", ["C", "D", "H", "S", "NT"])
def test_renamed_suits_change_no_trick(strain):
    masks = deal_masks(30, 1)
    for declarer in bb.Seat:
        contract = bb.Contract.of(f"1{strain}", declarer)
        groups = [group_of(contract, None)]
        chances = network_tricks(masks, groups, np.zeros(30, np.intp))
        own = bb.trick_probabilities(bb.Layouts(masks), declarer, strain)
        assert np.abs(chances - own).max() < 1e-6


@pytest.mark.parametrize("name", ["imps", "matchpoints", "points"])
def test_gains_are_those_of_a_plain_loop(name):
    masks = deal_masks(6, 2)
    texts = ["3NT by S", "4SX by W", "2H by N", "2H by S"]
    contracts = [None, *map(bb.Contract.of, texts)]
    which = np.array([[row % 5, (row + 1) % 5] for row in range(6)])
    which[5] = [3, 3]
    goal = Goal.of(name, None, NS, None)
    scores = FinalScores(goal, SOUTH, None, masks, contracts, which)
    gains = scores.gains(1, 0)
    scheme = Duplicate(NS)
    for row in range(6):
        contract, reference = (contracts[which[row, column]] for column in (1, 0))
        assert gains[row] == pytest.approx(
            plain_gain(masks[row], contract, reference, scheme, name), abs=1e-6
        )
    assert gains[5] == 0.0


def plain_gain(layout, contract, reference, scheme, name):
    """Mean over the tricks of two contracts, taken as independent."""
    total = 0.0
    for tricks, chance in enumerate(pmf_of(layout, contract)):
        for reference_tricks, reference_chance in enumerate(pmf_of(layout, reference)):
            score = paid(scheme, contract, tricks)
            difference = score - paid(scheme, reference, reference_tricks)
            worth = {
                "points": difference,
                "imps": int(imps(float(difference))),
                "matchpoints": 0.5 * ((difference > 0) - (difference < 0)),
            }[name]
            total += float(chance * reference_chance) * float(worth)
    return total


def pmf_of(layout, contract):
    if contract is None:
        return [1.0]
    layouts = bb.Layouts(layout[None])
    shares = bb.trick_probabilities(layouts, contract.declarer, contract.strain)[0]
    exact = shares.astype(np.float64)
    return exact / exact.sum()


def paid(scheme, contract, tricks):
    if contract is None:
        return 0
    score = scheme.score(contract, tricks)
    return score if contract.declarer in (SOUTH, SOUTH.partner) else -score


def test_contracts_of_one_declarer_and_strain_take_the_same_tricks():
    """4S is worth its bonus over 2S where ten tricks are there, and never both."""
    masks = deal_masks(20, 3)
    contracts = [bb.Contract.of("2S by S"), bb.Contract.of("4S by S")]
    which = np.tile([0, 1], (20, 1))
    goal = Goal.of("points", None, Vulnerability.NONE, None)
    gains = FinalScores(goal, SOUTH, None, masks, contracts, which).gains(1, 0)
    shares = bb.trick_probabilities(bb.Layouts(masks), "S", "S").astype(np.float64)
    shares /= shares.sum(axis=1, keepdims=True)
    scheme = Duplicate()
    less = [
        float(scheme.score(contracts[1], n) - scheme.score(contracts[0], n))
        for n in range(14)
    ]
    assert gains == pytest.approx(shares @ less, abs=1e-6)


def test_against_a_field_a_score_has_its_share_of_it():
    goal = Goal.of("matchpoints", [100.0, 420.0, 420.0, 620.0], NS, None)
    shares = goal.shares_of_field(np.array([420.0, 0.0, 1000.0]))
    assert shares.tolist() == [0.5, 0.0, 1.0]


def test_with_three_players_a_defender_has_half_of_what_declarer_loses():
    goal = Goal.of("new", None, Vulnerability.NONE, bb.Seat.N)
    contract = bb.Contract.of("3NT by W")
    defender_scores = goal.own_scores(contract, SOUTH, bb.Seat.N)
    declarer_scores = goal.own_scores(contract, bb.Seat.W, bb.Seat.N)
    for tricks in range(14):
        score = NEW.score(contract, tricks)
        assert declarer_scores[tricks] == score
        assert defender_scores[tricks] == (
            float(NEW.undertrick) * (9 - tricks) if tricks < 9 else 0
        )


@pytest.mark.parametrize(
    ("goal", "field", "dummy", "fault"),
    [
        ("imp", None, None, "did you mean 'imps'"),
        ("imps", None, bb.Seat.N, "is of bridge"),
        ("points", [1.0], None, "name that goal"),
        ("matchpoints", [], None, "give one score or more"),
        ("matchpoints", [float("nan")], None, "give one score or more"),
        ({"name": "mine"}, None, None, "scoring scheme"),
    ],
)
def test_a_wrong_goal_is_said(goal, field, dummy, fault):
    with pytest.raises(BayesBridgeError, match=fault):
        Goal.of(goal, field, Vulnerability.NONE, dummy)
