"""The typed auction under OpenSpiel's own algorithms, against the study's."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install open_spiel"
)
from bayesbridge_typed_auction import TypedAuction, policy_of, typed_auction
from open_spiel.python.algorithms import (
    cfr,
    expected_game_score,
    exploitability,
)

import bayesbridge as bb
from bayesbridge.bidders.notrump_tree import notrump_tree
from bayesbridge.game.scoring import NEW
from bayesbridge.studies.auction.payoffs import payoffs
from bayesbridge.studies.auction.regret import Learning, learn
from bayesbridge.studies.auction.strategies import (
    best_response,
    with_seat,
    worth,
)
from tests.studies.auction.toy import (
    LEVELS,
    TYPES,
    linear_program_value,
    random_profile,
    toy_auctions,
)


def toy(players):
    """The tree, pay-offs and auctions of a toy game, and the same for OpenSpiel."""
    tree = notrump_tree(players, LEVELS)
    table = payoffs(NEW, levels=LEVELS, players=players)
    auctions = toy_auctions(players)
    return tree, table, auctions, TypedAuction(tree, auctions, table, TYPES)


def nash_conv(tree, table, auctions, profile):
    """What strategies are worth to each seat, and what best responses add in all."""
    with ThreadPoolExecutor(1) as executor:
        values = worth(tree, profile, auctions, table, executor).mean
        total = 0.0
        for seat in range(tree.players):
            response = best_response(
                tree, profile, auctions, table, seat, TYPES, executor
            )
            changed = with_seat(profile, seat, response)
            best = worth(tree, changed, auctions, table, executor).mean[seat]
            total += best - values[seat]
    return values, total


@pytest.mark.parametrize("players", [2, 3])
def test_values_and_nash_conv_are_openspiels(players):
    tree, table, auctions, game = toy(players)
    profile = random_profile(tree, players, 3)
    policy = policy_of(game, profile)
    openspiel_values = expected_game_score.policy_value(
        game.new_initial_state(), [policy] * players
    )
    values, total = nash_conv(tree, table, auctions, profile)
    assert values == pytest.approx(openspiel_values, abs=1e-9)
    assert total == pytest.approx(exploitability.nash_conv(game, policy), abs=1e-9)


def test_cfr_comes_to_the_value_of_the_linear_program_and_of_ours():
    tree, table, auctions, game = toy(2)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    gap = exploitability.nash_conv(game, policy)
    assert gap < 0.1
    root = game.new_initial_state()
    cfr_value = expected_game_score.policy_value(root, [policy] * 2)[0]
    exact_value = linear_program_value(tree, auctions, table)
    assert abs(cfr_value - exact_value) <= gap + 1e-6
    learning = Learning.start(tree, TYPES)
    with ThreadPoolExecutor(1) as executor:
        while learning.rounds < 300:
            learning = learn(tree, auctions, table, learning, 1000, 1, executor)
    profile = learning.mean_strategies(tree)
    values, own_gap = nash_conv(tree, table, auctions, profile)
    assert abs(values[0] - exact_value) <= own_gap + 1e-6
    assert abs(values[0] - cfr_value) <= gap + own_gap + 1e-6


def test_three_players_run_under_cfr():
    _, _, _, game = toy(3)
    solver = cfr.CFRSolver(game)
    solver.evaluate_and_update_policy()
    before = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(20):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < before / 2


def test_a_game_of_real_hands():
    game = bb.auction_game("new", types=2, deals=40, levels=1, workers=1)
    typed = typed_auction(game)
    assert typed.chances.sum() == pytest.approx(1.0)
    policy = policy_of(typed, game.learn(3, batch=100).profile)
    assert np.isfinite(exploitability.nash_conv(typed, policy))
