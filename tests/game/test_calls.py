"""Calls and contracts: all in order, there and back, and every mistake."""

import pytest
from hypothesis import given

from bayesbridge.errors import NotationError
from bayesbridge.game.calls import CALLS, DOUBLE, PASS, REDOUBLE, Call, Contract
from tests.strategies import calls, contracts

pytestmark = pytest.mark.quick


class TestCall:
    def test_all_in_order(self):
        names = ["Pass", "X", "XX"]
        for level in range(1, 8):
            names += [f"{level}{strain}" for strain in ("C", "D", "H", "S", "NT")]
        assert [str(call) for call in CALLS] == names
        assert sorted(CALLS) == list(CALLS)
        assert CALLS[:3] == (PASS, DOUBLE, REDOUBLE)

    @given(calls)
    def test_round_trip(self, call):
        assert (
            Call.of(str(call))
            == Call.of(f" {str(call).lower()} ")
            == Call.of(call)
            == call
        )
        assert eval(repr(call)) == call
        if call.strain is not None:
            assert Call.bid(call.level, call.strain) == call
            assert 1 <= call.level <= 7


class TestContract:
    @given(contracts)
    def test_round_trip(self, contract):
        assert (
            Contract.of(str(contract))
            == Contract.of(str(contract).lower())
            == Contract.of(contract)
            == contract
        )
        assert eval(repr(contract)) == contract
        assert Contract.of(str(contract).split()[0], contract.declarer) == contract
        assert contract.tricks_needed == 6 + contract.level


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(
            (Call, text)
            for text in (
                "",
                " ",
                "0C",
                "8C",
                "C1",
                "1",
                "NT",
                "1X",
                "XXX",
                "1C1C",
                "passed",
                "²C",
                "10C",
            )
        ),
        *(
            (Contract, text)
            for text in (
                "",
                "3NT",
                "3NT S",
                "3NT by",
                "Pass by S",
                "X by S",
                "3NTXXX by S",
                "8C by N",
            )
        ),
        (Contract, "by S"),
    ],
)
def test_bad(kind, text):
    with pytest.raises(NotationError) as caught:
        kind.of(text)
    assert f"unknown {kind.__name__.lower()} {text!r}" in str(caught.value)
    assert kind is Contract or caught.value.data["text"] == text
