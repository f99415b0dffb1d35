"""Scoring: the published made contracts, exact values, and a user's own scheme."""

import tomllib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.calls import Contract
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.scoring import NEW, OLD, Scheme, beside_built_in
from tests.strategies import contracts

pytestmark = pytest.mark.quick

MINE: dict[str, Any] = {"name": "mine", "values": {"C": 1, "D": 2, "H": 3, "S": 4, "NT": 5}, "undertrick": 10}
numbers = st.fractions(min_value=-100, max_value=100, max_denominator=12)
schemes = st.builds(Scheme, st.text(), st.tuples(*[numbers] * 5), numbers, numbers, numbers, numbers)


@pytest.mark.parametrize(
    ("contract", "tricks", "old", "new"), [("3H", 11, 24, 80), ("1H", 10, 8, 68), ("2S", 9, 18, 76.5), ("1S", 9, 9, 72)]
)
def test_the_four_published_made_contracts(contract: str, tricks: int, old: float, new: float) -> None:
    for scheme, points in ((OLD, old), (NEW, new)):
        assert scheme.score(Contract.of(contract, "S"), tricks) == Fraction(points)


@given(contracts.filter(lambda contract: not contract.doubled), st.integers(0, 13))
def test_old_and_new_as_written_out(contract: Contract, tricks: int) -> None:
    value = {"C": 6, "D": 7, "H": 8, "S": 9, "NT": 10}[contract.strain.name]
    n, short = contract.level, 6 + contract.level - tricks
    old, new = OLD.score(contract, tricks), NEW.score(contract, tricks)
    if short > 0:
        assert old == new == -50 * short
    else:
        assert old == value * n
        assert 2 * new == value * (12 + 2 * n - short)


@given(schemes)
def test_scheme_round_trip(scheme: Scheme) -> None:
    assert Scheme.of(scheme.mapping) == Scheme.of(scheme) == eval(repr(scheme)) == scheme


def test_own_scheme_from_toml() -> None:
    text = """
        name = "club"
        base = 1
        per_overtrick = 0.1
        undertrick = "25/2"
        [values]
        c = 6
        d = 6
        h = 8
        s = 8
        nt = 10
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
        ({**MINE, "values": {**MINE["values"], "n": 1}}, "values has one for each of C, D, H, S and NT"),
        ({**MINE, "values": {**MINE["values"], "Q": 1}}, "unknown strain 'Q'"),
        ({**MINE, "undertrick": "many"}, "undertrick 'many' is not a number"),
        ({**MINE, "name": 7}, "name 7 of a scoring scheme: write text"),
    ],
)
def test_bad_scheme(value: Any, says: str) -> None:
    with pytest.raises(NotationError) as caught:
        Scheme.of(value)
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_doubled_contracts_are_refused() -> None:
    with pytest.raises(BayesBridgeError, match="'1CX by N' is doubled: scheme 'old' has no price"):
        OLD.score(Contract.of("1CX by N"), 7)


def test_own_schemes_stand_beside_the_built_in_ones_under_names_of_their_own() -> None:
    mine = Scheme.of(MINE)
    assert beside_built_in([mine]) == {"old": OLD, "new": NEW, "mine": mine}
    for schemes in ([OLD], [mine, mine], [Scheme.of(MINE | {"name": "made"})]):
        with pytest.raises(NotationError, match="is there already: rename it"):
            beside_built_in(schemes)
