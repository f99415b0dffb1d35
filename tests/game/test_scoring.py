"""Scoring: the published made contracts, exact values, and a user's own scheme."""

import tomllib
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesbridge as bb
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.game.calls import Contract, Vulnerability
from bayesbridge.game.scoring import (
    IMP_STEPS,
    NEW,
    OLD,
    Duplicate,
    Scheme,
    beside_built_in,
    imps,
)
from tests.dealing.plain_conditions import paid
from tests.strategies import contracts

pytestmark = pytest.mark.quick

MINE = {
    "name": "mine",
    "values": {"C": 1, "D": 2, "H": 3, "S": 4, "NT": 5},
    "undertrick": 10,
}


@pytest.mark.parametrize(
    ("contract", "tricks", "old", "new"),
    [("3H", 11, 24, 80), ("1H", 10, 8, 68), ("2S", 9, 18, 76.5), ("1S", 9, 9, 72)],
)
def test_the_four_published_made_contracts(contract, tricks, old, new):
    for scheme, points in ((OLD, old), (NEW, new)):
        assert scheme.score(Contract.of(contract, "S"), tricks) == Fraction(points)


@given(contracts.filter(lambda contract: not contract.doubled), st.integers(0, 13))
def test_old_and_new_as_written_out(contract, tricks):
    value = {"C": 6, "D": 7, "H": 8, "S": 9, "NT": 10}[contract.strain.name]
    n = contract.level
    short = 6 + contract.level - tricks
    old = OLD.score(contract, tricks)
    new = NEW.score(contract, tricks)
    if short > 0:
        assert old == new == -50 * short
    else:
        assert old == value * n
        assert 2 * new == value * (12 + 2 * n - short)


def test_own_scheme_from_toml():
    text = """
        name = "club"
        base = 1
        per_overtrick = 0.1
        undertrick = "25/2"
        values = { c = 6, d = 6, h = 8, s = 8, nt = 10 }
    """
    scheme = Scheme.of(tomllib.loads(text))
    assert scheme.per_overtrick == Fraction(1, 10)
    assert scheme.score(Contract.of("2H by W"), 10) == 8 * Fraction(32, 10)
    assert scheme.score(Contract.of("2H by W"), 5) == -75


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({}, "scoring scheme {}: its keys are name, values, base"),
        ({**MINE, "vlaues": 1}, "its keys are name, values, base"),
        ({**MINE, "values": 7}, "values has one for each of C, D, H, S and NT"),
        (
            {**MINE, "values": {**MINE["values"], "n": 1}},
            "values has one for each of C, D, H, S and NT",
        ),
        ({**MINE, "values": {**MINE["values"], "Q": 1}}, "unknown strain 'Q'"),
        ({**MINE, "undertrick": "many"}, "undertrick 'many' is not a number"),
        ({**MINE, "name": 7}, "name 7 of a scoring scheme: write text"),
    ],
)
def test_bad_scheme(value, says):
    with pytest.raises(NotationError) as caught:
        Scheme.of(value)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_own_schemes_stand_beside_the_built_in_ones_under_names_of_their_own():
    scheme = Scheme.of(MINE)
    assert beside_built_in([scheme]) == {"old": OLD, "new": NEW, "mine": scheme}
    for schemes in ([OLD], [scheme, scheme], [Scheme.of(MINE | {"name": "made"})]):
        with pytest.raises(NotationError, match="is there already: rename it"):
            beside_built_in(schemes)


SCALE = """0-10:0 20-40:1 50-80:2 90-120:3 130-160:4 170-210:5 220-260:6 270-310:7
320-360:8 370-420:9 430-490:10 500-590:11 600-740:12 750-890:13 900-1090:14
1100-1290:15 1300-1490:16 1500-1740:17 1750-1990:18 2000-2240:19 2250-2490:20
2500-2990:21 3000-3490:22 3500-3990:23 4000-9990:24"""
"""The table of law 78B."""


PRINTED = {
    "1NT": (90, 90),
    "3C": (110, 110),
    "4S": (420, 620),
    "5D": (400, 600),
    "6H": (980, 1430),
    "7NT": (1520, 2220),
    "2HX": (470, 670),
    "2DX": (180, 180),
    "3NTX": (550, 750),
    "1SXX": (520, 720),
    "6CXX": (1380, 1830),
}
"""Of the published table, made exactly: not vulnerable, vulnerable."""


@pytest.mark.parametrize("doubled", [0, 1, 2])
@pytest.mark.parametrize("vulnerable", [False, True])
def test_every_contract_is_paid_by_the_law(doubled, vulnerable):
    scheme = Duplicate(Vulnerability.NS if vulnerable else Vulnerability.EW)
    for strain, level, tricks in product(bb.Strain, range(1, 8), range(14)):
        contract = bb.Contract(level, strain, bb.Seat.S, doubled)
        assert scheme.score(contract, tricks) == paid(
            vulnerable, level, strain, tricks, doubled
        ), (contract, tricks)
    for name, scores in PRINTED.items():
        contract = bb.Contract.of(name, "S")
        assert scheme.score(contract, contract.tricks_needed) == scores[vulnerable]


def test_the_imp_scale():
    for row in SCALE.split():
        between, won = row.split(":")
        low, high = map(int, between.split("-"))
        for difference in range(low, high + 1, 10):
            assert (imps(difference), imps(-difference)) == (int(won), -int(won))
    assert len(IMP_STEPS) == 24


@pytest.mark.parametrize(
    ("scheme", "contract", "tricks", "says"),
    [
        (Duplicate(), "1C by N", -1, "-1 tricks: declarer takes 0 to 13"),
        (Duplicate(), "1C by N", 14, "14 tricks: declarer takes 0 to 13"),
        (OLD, "1CX by N", 7, "'1CX by N' is doubled: scheme 'old' has no price"),
    ],
)
def test_what_has_no_price(scheme, contract, tricks, says):
    with pytest.raises(BayesBridgeError, match=says):
        scheme.score(Contract.of(contract), tricks)


def test_imps_are_those_of_the_laws_and_between_multiples_of_ten_those_of_dealer():
    # Printed by Henk Uijterwaal's dealer, Debian's version of 2021-11-21.
    by_dealer = {
        10: 0,
        11: 1,
        19: 1,
        40: 1,
        41: 2,
        80: 2,
        81: 3,
        125: 4,
        599: 12,
        3990: 23,
        3991: 24,
    }
    assert imps(np.array(list(by_dealer))).tolist() == list(by_dealer.values())
    assert imps(-np.array(list(by_dealer))).tolist() == [
        -won for won in by_dealer.values()
    ]
