"""Par: the bidding of two sides who see all cards, beside a program that computes it."""

import numpy as np
import pytest
from endplay.dds import calc_dd_table
from endplay.dds import par as dds_par
from endplay.types import Deal, Denom, Player, Vul

from bayesbridge.decisions.par import Par, par
from bayesbridge.game.calls import Contract
from tests.deals import random_deal

VULNERABLE = {"None": Vul.none, "NS": Vul.ns, "EW": Vul.ew, "All": Vul.both}
SEATS = {"N": Player.north, "E": Player.east, "S": Player.south, "W": Player.west}
STRAINS = (Denom.clubs, Denom.diamonds, Denom.hearts, Denom.spades, Denom.nt)


@pytest.mark.parametrize("seed", range(6))
def test_the_score_is_that_of_another_program(seed):
    deal = random_deal(np.random.default_rng(seed))
    table = calc_dd_table(Deal(str(deal)))
    tricks = []
    for player in SEATS.values():
        tricks.append([table[strain, player] for strain in STRAINS])
    for vulnerable, vul in VULNERABLE.items():
        for dealer, player in SEATS.items():
            expected = dds_par(table, vul, player).score
            assert par(tricks, vulnerable, dealer).score == expected


def table_of(north_south, east_west):
    """North and South take these tricks, East and West those; clubs first."""
    return [north_south, east_west, north_south, east_west]


GAME = table_of([4, 4, 5, 10, 9], [9, 8, 8, 2, 3])
"""Ten tricks in spades; nine in clubs for the other side."""


@pytest.mark.parametrize(
    ("vulnerable", "score", "contract"),
    [
        ("None", 300, "5CX by E"),  # two down doubled is less than game
        ("EW", 420, "4S by N"),
        ("NS", 300, "5CX by E"),
        ("All", 500, "5CX by E"),
    ],
)
def test_a_sacrifice_is_bid_where_it_costs_less(vulnerable, score, contract):
    assert par(GAME, vulnerable) == Par(score, Contract.of(contract))


def test_a_game_is_bid_no_higher_than_it_must_be():
    """Eleven tricks and no rival: four spades, not five, for the same score."""
    alone = table_of([4, 4, 5, 11, 9], [5, 5, 5, 2, 3])
    assert par(alone) == Par(450, Contract.of("4S by N"))


def test_what_both_sides_make_belongs_to_the_dealer():
    table = table_of([6, 6, 6, 6, 7], [6, 6, 6, 6, 7])
    assert par(table, dealer="N") == Par(90, Contract.of("1NT by N"))
    assert par(table, dealer="E") == Par(-90, Contract.of("1NT by E"))


def test_a_deal_that_nobody_makes_is_passed_out():
    assert par(table_of([6] * 5, [6] * 5)) == Par(0, None)
