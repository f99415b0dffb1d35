"""Expressions over a deal, as the dealer language knows them: their nodes and values.

Expressions are trees of frozen nodes with the operators of C. Values are whole numbers;
a / 0 is 0, and a % 0 is a. :mod:`bayesbridge.evidence.parser` reads them,
:mod:`bayesbridge.evidence.expression_text` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

import numpy as np

from bayesbridge.evidence.measures import LENGTH, Measure, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.game.scoring import imps, scores_by_tricks
from bayesbridge.game.shapes import Shapes, shape_table


@dataclass(frozen=True, slots=True)
class Expression:
    """A node of an expression.

    ``size`` counts the nodes below and ``depth`` the steps down to the lowest, both
    with the node itself.
    """

    size: int = field(default=1, init=False, compare=False, repr=False)
    depth: int = field(default=1, init=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Held(Expression):
    """A measure of a seat's holding in a suit.

    Summed over its suits if ``suit`` is ``None``.
    """

    measure: Measure
    seat: int
    suit: int | None


@dataclass(frozen=True, slots=True)
class ShapeIn(Expression):
    """1 where the suit lengths of a seat are one of the shapes, else 0."""

    seat: int
    shapes: Shapes


@dataclass(frozen=True, slots=True)
class Taken(Expression):
    """The double-dummy tricks of a declarer; strains C D H S NT are 0 … 4."""

    seat: int
    strain: int


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """Stands for an expression that was taken out.

    See :func:`bayesbridge.engines.slots.with_slots`.
    """

    index: int


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An operator, ``and`` and ``or`` with two parts or more, ``?`` with three.

    ``imps`` has a difference of scores; ``score`` has whether vulnerable, level, strain
    and tricks of a contract; ``rnd`` is a random whole number from 0 to a bound less
    one, drawn anew for each deal.
    """

    operator: str
    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "size", 1 + sum(operand.size for operand in self.operands)
        )
        object.__setattr__(
            self, "depth", 1 + max(operand.depth for operand in self.operands)
        )


type Leaf = Held | Taken | Slot | Operation
"""What an expression does not tell by itself; of the operations that is ``rnd``."""

type Leaves = Callable[[Leaf], Any]
"""Gives the value of a leaf, an array or a number."""

TRUE: Final = Number(1)


def conjunction(conjuncts: tuple[Expression, ...]) -> Expression:
    """The expression that is true where all parts are; what is certain is left out."""
    conditions: list[Expression] = []
    for conjunct in conjuncts:
        conditions += [
            operand for operand in operands_of(conjunct, "and") if operand != TRUE
        ]
    if not conditions:
        return TRUE
    if len(conditions) == 1:
        return conditions[0]
    return Operation("and", tuple(conditions))


def operands_of(expression: Expression, operator: str) -> tuple[Expression, ...]:
    """The operands that an operator joins; an expression without it is the only one."""
    if isinstance(expression, Operation) and expression.operator == operator:
        return expression.operands
    return (expression,)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all that is below it."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Operation):
            waiting.extend(node.operands)


def seats_of(expression: Expression) -> frozenset[int]:
    """The seats whose cards the expression counts."""
    return frozenset(
        node.seat for node in walk(expression) if isinstance(node, Held | ShapeIn)
    )


def opaque(expression: Expression) -> bool:
    """Whether no table can hold its value: tricks and random numbers."""
    return needs_solver(expression) or is_random(expression)


def is_random(expression: Expression) -> bool:
    """Whether its value is drawn anew for each deal."""
    operations = (node for node in walk(expression) if isinstance(node, Operation))
    return any(node.operator == "rnd" for node in operations)


def needs_solver(expression: Expression) -> bool:
    """Whether its value depends on double-dummy tricks."""
    return any(isinstance(node, Taken) for node in walk(expression))


def evaluate(expression: Expression, leaves: Leaves) -> Any:
    """The value of an expression, as an int64 array or a number.

    ``leaves`` gives the values of what has no operands: what a seat holds, its
    double-dummy tricks, a place in a table, and random numbers. A shape is looked up by
    three lengths, which leave the fourth.
    """
    match expression:
        case Number(value):
            return np.int64(value)
        case Held() | Taken() | Slot() | Operation("rnd"):
            return leaves(expression)
        case Operation(operator, operands):
            values = [evaluate(operand, leaves) for operand in operands]
            # Numbers have 64 bits and wrap round without a word, as in C.
            with np.errstate(over="ignore"):
                return np.asarray(_OPERATORS[operator](*values), dtype=np.int64)
        case ShapeIn(seat, shapes):
            clubs, diamonds, hearts = (
                leaves(Held(LENGTH, seat, suit)) for suit in range(3)
            )
            return shape_table(shapes)[clubs, diamonds, hearts].astype(np.int64)
    raise AssertionError(expression)


type Solver = Callable[[Masks, int, int], Ints]
"""(n, 4) layouts, declarer, strain C D H S NT = 0 … 4 → (n,) tricks."""


class LayoutValues:
    """Values of expressions for (n, 4) layouts; those of leaves are kept.

    ``rng`` draws for ``rnd``, ``solver`` counts tricks; an expression with either needs
    it.
    """

    def __init__(
        self,
        masks: Masks,
        rng: np.random.Generator | None = None,
        solver: Solver | None = None,
    ) -> None:
        self.masks = masks
        self._rng = rng
        self._solver = solver
        self._leaf_values: dict[Leaf, Any] = {}

    def of(self, expression: Expression) -> Ints:
        """(n,) the value of the expression for each layout."""
        values = evaluate(expression, self._leaf)
        return np.broadcast_to(np.asarray(values, dtype=np.int64), (len(self.masks),))

    def _leaf(self, leaf: Leaf) -> Any:
        if isinstance(leaf, Operation):
            return self._random_numbers(leaf.operands[0])
        if leaf not in self._leaf_values:
            self._leaf_values[leaf] = self._worked_out(leaf)
        return self._leaf_values[leaf]

    def _random_numbers(self, bound: Expression) -> Ints:
        assert self._rng is not None
        bounds = self.of(bound)
        drawn = self._rng.integers(0, np.maximum(bounds, 1))
        return np.where(bounds > 0, drawn, 0)

    def _worked_out(self, leaf: Leaf) -> Any:
        match leaf:
            case Held(measure, seat, suit) if suit is not None:
                shifted = self.masks[:, seat] >> np.uint64(13 * suit)
                return table(measure)[shifted & np.uint64(SUIT_MASK)]
            case Held(measure, seat, _):
                return sum(self._leaf(Held(measure, seat, suit)) for suit in range(4))
            case Taken(seat, strain) if self._solver is not None:
                return self._solver(self.masks, seat, strain)
        raise AssertionError(leaf)


def _all_of(*operands: Any) -> Any:
    return reduce(np.logical_and, operands)


def _any_of(*operands: Any) -> Any:
    return reduce(np.logical_or, operands)


def _quotient(dividend: Any, divisor: Any) -> Any:
    """The quotient cut towards 0, as in C; 0 where the divisor is 0."""
    safe_divisor = np.where(divisor == 0, 1, divisor)
    size = np.abs(dividend) // np.abs(safe_divisor)
    return np.where(divisor == 0, 0, np.sign(dividend) * np.sign(safe_divisor) * size)


def _remainder(dividend: Any, divisor: Any) -> Any:
    return dividend - divisor * _quotient(dividend, divisor)


def _score(vulnerable: Any, level: Any, strain: Any, tricks: Any) -> Any:
    scores = scores_by_tricks(int(level), int(strain), bool(vulnerable))
    return scores[np.clip(tricks, 0, 13)]


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "and": _all_of,
    "or": _any_of,
    "not": np.logical_not,
    "?": np.where,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _quotient,
    "%": _remainder,
    "imps": imps,
    "score": _score,
}
