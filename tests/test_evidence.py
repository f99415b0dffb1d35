"""Evidence as values: text in, frozen records out, one clear line for what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given

from bayesbridge.calls import Call
from bayesbridge.cards import Card, Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import Called, HighCards, Holds, Lacks, Length, Piece, Play, Reveal, Void, pieces
from tests.strategies import evidence

pytestmark = pytest.mark.quick


@given(evidence)
def test_pieces_are_frozen(piece: Piece) -> None:
    with pytest.raises(FrozenInstanceError):
        piece.seat = Seat.N
    with pytest.raises((AttributeError, TypeError)):
        piece.note = "no room for this"


def test_text_and_values_mean_the_same() -> None:
    assert Reveal("north", "akq2.kj3.a54.q32") == Reveal(Seat.N, Hand.from_pbn("AKQ2.KJ3.A54.Q32"))
    assert Play("e", "h10") == Play(Seat.E, Card.of("HT"))
    assert Void("E", "♥") == Void(Seat.E, Suit.H)
    assert Holds("E", "SA, SK") == Holds("E", ["SK", "SA"]) == Holds("E", Hand.of("AK..."))
    assert Lacks("E", Card.of("SA")) == Lacks("E", "SA")
    assert Called("w", "1n") == Called(Seat.W, Call.of("1NT"))
    assert Length("W", "S", 5) == Length("W", "S", 5, 13)
    assert HighCards("W", 12) == HighCards("W", 12, 40)


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: Void("X", "H"), "unknown seat 'X': write N, E, S or W"),
    (lambda: Void("E", 2), "unknown suit 2"),
    (lambda: Play("E", "H1"), "unknown rank '1' in card 'H1'"),
    (lambda: Called("W", None), "unknown call None"),
    (lambda: Length("W", "S", 7, 5), "W's length in S from 7 to 5: give whole numbers between 0 and 13, the lower"),
    (lambda: Length("W", "S", -1, 4), "from -1 to 4: give whole numbers"),
    (lambda: Length("W", "S", "5"), "from '5' to 13: give whole numbers"),
    (lambda: HighCards("W", 41), "W's high-card points from 41 to 40: give whole numbers between 0 and 40"),
    (lambda: Holds("E", []), r"no card named in \[\]: name at least one"),
    (lambda: Holds("E", "SA SA"), "A stands twice"),
    (lambda: Reveal("N", "AKQ2.KJ3.A54.Q3"), "N's hand .* has 12 cards: a full hand has 13, add the missing 1"),
    (lambda: Reveal("N", None), "None is no hand"),
    (lambda: pieces("W:S5"), "'W:S5' is no evidence: give Reveal, Play"),
]


@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_evidence_gets_one_clear_line(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(BayesBridgeError, match=says) as error:
        make()
    assert "\n" not in str(error.value)
    assert error.value.data
