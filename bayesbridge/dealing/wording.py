"""Expressions as text of the dealer language, for plans and errors."""

from __future__ import annotations

from typing import Final

from bayesbridge.cards import RANKS
from bayesbridge.dealing.expressions import (
    Expression,
    Held,
    Imps,
    Number,
    Operation,
    Payoff,
    Random,
    ShapeIn,
    Slot,
    Taken,
)
from bayesbridge.dealing.vocabulary import SEATS, SUIT_LETTERS

_SEATS: Final = tuple(SEATS)
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_STRAINS: Final = (*_SUITS, "notrumps")
_SIGNS: Final = {"and": "&&", "or": "||"}
LONGEST: Final = 100


def short_text(expression: Expression) -> str:
    """The text, cut where it is long."""
    text = text_of(expression)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def text_of(expression: Expression) -> str:
    """The whole text; a shape is listed by its patterns, in the order S H D C.

    >>> from bayesbridge.dealing.parser import parse_expression
    >>> text_of(parse_expression("!(hcp(north,spades)>3 or shape(east, 4333)) and hascard(west,AS)"))
    '!(hcp(north, spades) > 3 || shape(east, 4333)) && hascard(west, AS)'
    """
    match expression:
        case Number(value):
            return str(value)
        case Held(measure, seat, suit) if measure.name == "length" and suit is not None:
            return f"{_SUITS[suit]}({_SEATS[seat]})"
        case Held(measure, seat, suit) if measure.name == "card" and measure.weights is not None and suit is not None:
            return f"hascard({_SEATS[seat]}, {RANKS[measure.weights.index(1)]}{SUIT_LETTERS[suit]})"
        case Held(measure, seat, suit):
            return f"{measure.name}({_SEATS[seat]}{'' if suit is None else f', {_SUITS[suit]}'})"
        case ShapeIn(seat, shapes):
            patterns = sorted("".join(f"{length:x}" for length in reversed(shape)) for shape in shapes)
            listed = (
                " + ".join(patterns) if len(patterns) < 5 else f"{' + '.join(patterns[:2])} + … {len(patterns)} shapes"
            )
            return f"shape({_SEATS[seat]}, {listed or 'none'})"
        case Taken(seat, strain):
            return f"tricks({_SEATS[seat]}, {_STRAINS[strain]})"
        case Random(bound):
            return f"rnd({text_of(bound)})"
        case Payoff(vulnerable, level, strain, tricks):
            return f"score({'vul' if vulnerable else 'nv'}, x{level}{'CDHSN'[strain]}, {text_of(tricks)})"
        case Imps(difference):
            return f"imps({text_of(difference)})"
        case Operation("not", (part,)):
            return f"!{_inner(part)}"
        case Operation("?", (chosen, yes, no)):
            return f"{_inner(chosen)} ? {_inner(yes)} : {_inner(no)}"
        case Operation(operator, operands):
            return f" {_SIGNS.get(operator, operator)} ".join(
                text_of(part) if operator in _SIGNS and _compares(part) else _inner(part) for part in operands
            )
        case Slot(index):
            return f"slot {index}"
    raise AssertionError(expression)


def _compares(part: Expression) -> bool:
    return isinstance(part, Operation) and part.operator in ("==", "!=", "<", "<=", ">", ">=", "not")


def _inner(part: Expression) -> str:
    """In brackets if it is more than one word."""
    text = text_of(part)
    return f"({text})" if isinstance(part, Operation) and part.operator != "not" else text
