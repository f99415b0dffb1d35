"""Worth and best response against plain recursion and brute force.

On a toy of three types and two levels.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bayesbridge.bidders.notrump_tree import notrump_tree
from bayesbridge.game.scoring import NEW, OLD
from bayesbridge.studies.auction.payoffs import UTILITIES, payoffs
from bayesbridge.studies.auction.strategies import best_response, with_seat, worth
from tests.studies.auction.toy import (
    LEVELS,
    TYPES,
    brute_force_response,
    plain_worth,
    random_profile,
    toy_auctions,
)

GAMES = [(2, OLD), (2, NEW), (3, OLD), (3, NEW)]


@pytest.fixture(scope="module")
def executor():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def game(players, scheme, utility="relative"):
    tree = notrump_tree(players, LEVELS)
    return tree, toy_auctions(players), payoffs(scheme, utility, LEVELS, players)


@pytest.mark.parametrize(("players", "scheme"), GAMES)
def test_worth_is_that_of_plain_recursion(players, scheme, executor):
    tree, auctions, table = game(players, scheme)
    profile = random_profile(tree, players, 3)
    outcome = worth(tree, profile, auctions, table, executor)
    plain = [
        plain_worth(tree, profile, auctions, table, seat) for seat in range(players)
    ]
    assert outcome.mean == pytest.approx(plain, rel=1e-12, abs=1e-12)
    assert outcome.mean.sum() == pytest.approx(0.0, abs=1e-12)
    # All that is not passed out has one contract.
    assert 0 < outcome.contracts.sum() < outcome.auctions


@pytest.mark.parametrize(("players", "scheme"), GAMES)
def test_best_response_is_that_of_brute_force(players, scheme, executor):
    tree, auctions, table = game(players, scheme)
    profile = random_profile(tree, players, 4)
    for seat in range(players):
        response = best_response(tree, profile, auctions, table, seat, TYPES, executor)
        changed = with_seat(profile, seat, response)
        value = worth(tree, changed, auctions, table, executor).mean[seat]
        plain = brute_force_response(tree, profile, auctions, table, seat)
        assert value == pytest.approx(plain, rel=1e-12)
        # A strategy that is not best is worth less.
        assert value > worth(tree, profile, auctions, table, executor).mean[seat] + 1


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_do_not_change_a_bit(workers, executor):
    tree, auctions, table = game(3, NEW)
    profile = random_profile(tree, 3, 5)
    usual = worth(tree, profile, auctions, table, executor)
    with ThreadPoolExecutor(workers) as threads:
        again = worth(tree, profile, auctions, table, threads)
    assert np.array_equal(usual.points, again.points)
    assert np.array_equal(usual.contracts, again.contracts)


@pytest.mark.parametrize("utility", UTILITIES)
def test_payoffs_add_up_to_nothing(utility):
    for players in (2, 3):
        table = payoffs(NEW, utility, players=players)
        assert np.allclose(table[..., 0] + (players - 1) * table[..., 1], 0.0)


def test_payoffs_by_hand():
    by_old = payoffs(OLD)
    by_new = payoffs(NEW)
    assert by_old[1, 8].tolist() == by_old[1, 9].tolist() == [20.0, -10.0]
    assert by_new[1, 9].tolist() == [85.0, -42.5]
    # Two down: each defender scores 50, and the mean of the two others is 25 for each.
    assert by_old[1, 6].tolist() == by_new[1, 6].tolist() == [-50.0, 25.0]
    assert payoffs(NEW, "net")[1, 6].tolist() == [-100.0, 50.0]


def test_an_unknown_utility_is_one_line():
    with pytest.raises(
        ValueError, match="unknown utility 'greed': write relative or net"
    ):
        payoffs(NEW, "greed")
