"""Expressions over a deal: numbers, measures of a hand, and what C makes of them.

Values are whole numbers; false is 0 and true is 1. Division rounds towards zero; a / 0 is 0, and a % 0
is a. Expressions are trees of frozen nodes. :func:`evaluate` works on arrays, and does not know where the values
of the leaves come from: a batch of layouts, or the classes of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.dealing.holdings import Measure
from bayesbridge.duplicate import imps, scores_by_tricks
from bayesbridge.shapes import Shapes

type Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Expression:
    """A node; ``size`` counts the nodes below and ``depth`` the steps down to the lowest, both with itself."""

    size: int = field(default=1, init=False, compare=False, repr=False)
    depth: int = field(default=1, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        parts = self.parts
        object.__setattr__(self, "size", 1 + sum(part.size for part in parts))
        object.__setattr__(self, "depth", 1 + max((part.depth for part in parts), default=0))

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions it is made of."""
        return ()


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Held(Expression):
    """A measure of a seat's holding in a suit, or summed over its suits if ``suit`` is ``None``."""

    measure: Measure
    seat: int
    suit: int | None


@dataclass(frozen=True, slots=True)
class ShapeIn(Expression):
    """Whether the shape of a seat is one of a set."""

    seat: int
    shapes: Shapes


@dataclass(frozen=True, slots=True)
class Taken(Expression):
    """Double-dummy tricks of a declarer in a strain."""

    seat: int
    strain: int


@dataclass(frozen=True, slots=True)
class Random(Expression):
    """A random whole number from 0 to a bound less one, drawn anew for each deal."""

    bound: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The bound."""
        return (self.bound,)


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """Stands for an expression that was taken out: see :func:`bayesbridge.dealing.splitting.split`."""

    index: int


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An operator, ``and`` and ``or`` with two parts or more, ``?`` with three."""

    operator: str
    operands: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The operands."""
        return self.operands


@dataclass(frozen=True, slots=True)
class Payoff(Expression):
    """The duplicate score of a contract, undoubled, with so many tricks."""

    vulnerable: bool
    level: int
    strain: int
    tricks: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The tricks."""
        return (self.tricks,)


@dataclass(frozen=True, slots=True)
class Imps(Expression):
    """A difference of scores in international match points."""

    difference: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The difference."""
        return (self.difference,)


type Leaf = Held | ShapeIn | Taken | Random | Slot
type Leaves = Callable[[Leaf], Any]
"""The value of a leaf, an array or a number; a :class:`Random` is asked with its bound already evaluated."""

TRUE: Final = Number(1)


def conjunction(parts: tuple[Expression, ...]) -> Expression:
    """All of them; what is certain is left out.

    >>> conjunction(()) == TRUE
    True
    """
    flat = [one for part in parts for one in _conjuncts(part) if one != TRUE]
    return TRUE if not flat else flat[0] if len(flat) == 1 else Operation("and", tuple(flat))


def _conjuncts(expression: Expression) -> tuple[Expression, ...]:
    return expression.operands if isinstance(expression, Operation) and expression.operator == "and" else (expression,)


def walk(expression: Expression) -> Iterator[Expression]:
    """The node and all below it."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.parts)


def seats_of(expression: Expression) -> frozenset[int]:
    """The seats whose cards it looks at."""
    return frozenset(node.seat for node in walk(expression) if isinstance(node, Held | ShapeIn))


def opaque(expression: Expression) -> bool:
    """Whether no table can tell its value: tricks and random numbers."""
    return any(isinstance(node, Taken | Random) for node in walk(expression))


def evaluate(expression: Expression, leaves: Leaves) -> Any:
    """The value as an int64 array, or a number where no leaf is an array."""
    match expression:
        case Number(value):
            return np.int64(value)
        case Operation(operator, operands):
            return _OPERATORS[operator](*(evaluate(operand, leaves) for operand in operands))
        case Payoff(vulnerable, level, strain, tricks):
            return scores_by_tricks(level, strain, vulnerable)[np.clip(evaluate(tricks, leaves), 0, 13)]
        case Imps(difference):
            return imps(evaluate(difference, leaves))
        case Held() | ShapeIn() | Taken() | Random() | Slot():
            return leaves(expression)
    raise AssertionError(expression)


def _quotient(a: Any, b: Any) -> Any:
    safe = np.where(b == 0, 1, b)
    return np.where(b == 0, 0, np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe)))


def _number(truth: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: np.asarray(truth(*values), dtype=np.int64)


def _wrapping(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Numbers have 64 bits and wrap round without a word, as in C."""
    return np.errstate(over="ignore")(operation)


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "and": _number(lambda *parts: reduce(np.logical_and, parts)),
    "or": _number(lambda *parts: reduce(np.logical_or, parts)),
    "not": _number(lambda part: part == 0),
    "?": lambda chosen, yes, no: np.where(chosen != 0, yes, no),
    "==": _number(lambda a, b: a == b),
    "!=": _number(lambda a, b: a != b),
    "<": _number(lambda a, b: a < b),
    "<=": _number(lambda a, b: a <= b),
    ">": _number(lambda a, b: a > b),
    ">=": _number(lambda a, b: a >= b),
    "+": _wrapping(lambda a, b: a + b),
    "-": _wrapping(lambda a, b: a - b),
    "*": _wrapping(lambda a, b: a * b),
    "/": _wrapping(_quotient),
    "%": _wrapping(lambda a, b: a - b * _quotient(a, b)),
}
