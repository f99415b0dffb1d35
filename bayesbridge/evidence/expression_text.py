"""Expressions as text, such as the parser reads."""

from __future__ import annotations

from typing import Final

from bayesbridge.evidence.expressions import (
    Expression,
    Held,
    Number,
    Operation,
    ShapeIn,
    Taken,
)
from bayesbridge.evidence.measures import LENGTH
from bayesbridge.evidence.parser import CARD, SEATS, SUIT_LETTERS, shape_pattern
from bayesbridge.game.cards import RANKS
from bayesbridge.game.shapes import Shapes

_SEATS: Final = tuple(SEATS)
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_STRAINS: Final = (*_SUITS, "notrumps")
_STRAIN_LETTERS: Final = f"{SUIT_LETTERS}N"
_SIGNS: Final = {"and": "&&", "or": "||"}
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_WITHOUT_BRACKETS: Final = ("not", "imps", "rnd", "score")
"""Operations that need no brackets as an operand of any other."""

LONGEST: Final = 100
"""Characters of an expression in a message."""

MOST_PATTERNS: Final = 4
"""Shapes up to which each is listed."""


def short_text(expression: Expression) -> str:
    """The text of an expression, cut where it is too long for a message."""
    text = text_of(expression)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def text_of(expression: Expression) -> str:
    """The whole text; a shape is listed by its patterns, in the order S H D C.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> text_of(
    ...     parse_expression(
    ...         "!(hcp(north,spades)>3 or shape(east, 4333)) and hascard(west,AS)"
    ...     )
    ... )
    '!(hcp(north, spades) > 3 || shape(east, 4333)) && hascard(west, AS)'
    """
    match expression:
        case Number(value):
            return str(value)
        case Held():
            return _measure_text(expression)
        case ShapeIn(seat, shapes):
            return f"shape({_SEATS[seat]}, {_patterns(shapes)})"
        case Taken(seat, strain):
            return f"tricks({_SEATS[seat]}, {_STRAINS[strain]})"
        case Operation():
            return _operation_text(expression)
    raise AssertionError(expression)


def _measure_text(held: Held) -> str:
    seat = _SEATS[held.seat]
    if held.suit is None:
        return f"{held.measure.name}({seat})"
    suit = _SUITS[held.suit]
    if held.measure.name == LENGTH.name:
        return f"{suit}({seat})"
    if held.measure.name == CARD and held.measure.weights is not None:
        rank = RANKS[held.measure.weights.index(1)]
        return f"hascard({seat}, {rank}{SUIT_LETTERS[held.suit]})"
    return f"{held.measure.name}({seat}, {suit})"


def _patterns(shapes: Shapes) -> str:
    """The patterns of shapes, or two of them and how many there are."""
    patterns = sorted(map(shape_pattern, shapes))
    if not patterns:
        return "none"
    if len(patterns) > MOST_PATTERNS:
        patterns = [*patterns[:2], f"… {len(patterns)} shapes"]
    return " + ".join(patterns)


def _operation_text(operation: Operation) -> str:
    """The text of an operation: a function, a sign before or between its operands.

    The score of a contract is written with its own words, as ``score(vul, x3N, …)``.
    """
    match operation:
        case Operation("score", (Number(side), Number(level), Number(strain), tricks)):
            vulnerable = "vul" if side else "nv"
            contract = f"x{level}{_STRAIN_LETTERS[strain]}"
            return f"score({vulnerable}, {contract}, {text_of(tricks)})"
        case Operation("imps" | "rnd" as word, (argument,)):
            return f"{word}({text_of(argument)})"
        case Operation("not", (condition,)):
            return f"!{_operand_text(condition)}"
        case Operation("?", (condition, if_true, if_false)):
            return (
                f"{_operand_text(condition)} ? {_operand_text(if_true)} : "
                f"{_operand_text(if_false)}"
            )
    return _joined_text(operation)


def _joined_text(operation: Operation) -> str:
    """The operands of an operation with its sign between them.

    Comparisons joined by "and" or "or" (the operators written by another sign than
    their name) need no brackets.
    """
    sign = _SIGNS.get(operation.operator, operation.operator)
    without_brackets: tuple[str, ...] = ()
    if operation.operator in _SIGNS:
        without_brackets = _COMPARISONS
    texts = [_operand_text(operand, without_brackets) for operand in operation.operands]
    return f" {sign} ".join(texts)


def _operand_text(operand: Expression, without_brackets: tuple[str, ...] = ()) -> str:
    """The text of an operand, in brackets unless its operator needs none there."""
    text = text_of(operand)
    if not isinstance(operand, Operation):
        return text
    if operand.operator in (*_WITHOUT_BRACKETS, *without_brackets):
        return text
    return f"({text})"
