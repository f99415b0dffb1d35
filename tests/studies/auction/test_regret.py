"""Regret minimisation on a toy.

Against a linear program for two players, and against the best responses of brute force
for three.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bayesbridge.bidders.notrump_tree import notrump_tree
from bayesbridge.game.scoring import NEW
from bayesbridge.studies.auction.payoffs import payoffs
from bayesbridge.studies.auction.regret import Learning, learn
from bayesbridge.studies.auction.strategies import worth
from tests.studies.auction.toy import (
    LEVELS,
    TYPES,
    brute_force_response,
    linear_program_value,
    random_profile,
    toy_auctions,
)

BATCH = 1000


@pytest.fixture(scope="module")
def executor():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def learned(players, rounds, executor, learning=None):
    tree = notrump_tree(players, LEVELS)
    table = payoffs(NEW, levels=LEVELS, players=players)
    auctions = toy_auctions(players)
    learning = learning or Learning.start(tree, TYPES)
    while learning.rounds < rounds:
        learning = learn(tree, auctions, table, learning, BATCH, 1, executor)
    return tree, auctions, table, learning


def gaps(tree, auctions, table, profile, executor):
    """What each seat could still gain."""
    now = worth(tree, profile, auctions, table, executor).mean
    best = [
        brute_force_response(tree, profile, auctions, table, seat)
        for seat in range(tree.players)
    ]
    return np.array(best) - now


def test_two_players_come_to_the_value_of_the_linear_program(executor):
    tree, auctions, table, learning = learned(2, 2000, executor)
    profile = learning.mean_strategies(tree)
    value = linear_program_value(tree, auctions, table)
    gap = gaps(tree, auctions, table, profile, executor)
    mean_worth = worth(tree, profile, auctions, table, executor).mean
    assert (gap > -1e-9).all()
    bad = random_profile(tree, 2, 7)
    assert gap.sum() < gaps(tree, auctions, table, bad, executor).sum() / 20
    # By the definition of the gaps, the value lies between these two.
    assert -gap[1] - 1e-6 <= value - mean_worth[0] <= gap[0] + 1e-6


def test_three_players_have_ever_less_to_gain(executor):
    learning = None
    by_rounds = []
    for rounds in (3, 30, 1000):
        tree, auctions, table, learning = learned(3, rounds, executor, learning)
        profile = learning.mean_strategies(tree)
        by_rounds.append(gaps(tree, auctions, table, profile, executor).sum())
    assert by_rounds[0] > 3 * by_rounds[1] > 6 * by_rounds[2]
    assert by_rounds[2] < 0.1


def test_a_run_goes_on_as_if_it_had_not_been_interrupted(executor):
    _, _, _, undisturbed = learned(3, 20, executor)
    _, _, _, interrupted = learned(3, 7, executor)
    kept = Learning(
        interrupted.rounds, interrupted.regrets.copy(), interrupted.played.copy()
    )
    with ThreadPoolExecutor(5) as five_threads:
        _, _, _, resumed = learned(3, 20, five_threads, kept)
    assert np.array_equal(undisturbed.regrets, resumed.regrets)
    assert np.array_equal(undisturbed.played, resumed.played)
