"""A condition taken apart: what depends on one hand alone, and how those parts go together.

The largest parts that look at one seat only become slots. A table tells the values of the slots of each seat; the
skeleton that is left says which combinations of values make the condition true. Combinations are disjoint, so that a
disjunction over several hands counts nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bayesbridge.dealing.expressions import (
    Expression,
    Imps,
    Number,
    Operation,
    Payoff,
    Slot,
    conjunction,
    seats_of,
)

_JUNCTIONS: Final = ("and", "or")
_TRUTHS: Final = frozenset(("and", "or", "not", "==", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Split:
    """``skeletons`` refer to ``slots`` by number; each is a seat and an expression over its hand."""

    skeletons: tuple[Expression, ...]
    slots: tuple[tuple[int, Expression], ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that have a slot."""
        return tuple(sorted({seat for seat, _ in self.slots}))

    def of_seat(self, seat: int) -> tuple[int, ...]:
        """The numbers of a seat's slots."""
        return tuple(number for number, (other, _) in enumerate(self.slots) if other == seat)


def split(*expressions: Expression) -> Split:
    """Take out of each expression the largest parts that look at one seat.

    >>> from bayesbridge.dealing.parser import parse_expression
    >>> found = split(parse_expression("hcp(north) > 11 && spades(north) > 4 && hcp(north) + hcp(south) > 24"))
    >>> [seat for seat, _ in found.slots]
    [0, 0, 2]
    """
    slots: dict[tuple[int, Expression], int] = {}
    skeletons = tuple(_take(expression, slots, truth=False) for expression in expressions)
    return Split(skeletons, tuple(slots))


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Parts that must all be true; what is denied is turned round as far as that gives more of them.

    >>> from bayesbridge.dealing.parser import parse_expression
    >>> len(conjuncts(parse_expression("hcp(north) > 11 && !(spades(north) > 4 || hearts(north) > 4)")))
    3
    """
    match expression:
        case Operation("and", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case Operation("not", (Operation("or", operands),)):
            return tuple(part for operand in operands for part in conjuncts(Operation("not", (operand,))))
        case Operation("not", (Operation("not", (inner,)),)):
            return conjuncts(inner)
    return (expression,)


def by_seat(parts: Iterable[Expression]) -> tuple[dict[int, Expression], list[Expression]]:
    """The parts of each seat as one condition, and those that look at several seats or at none."""
    own: dict[int, list[Expression]] = {}
    others: list[Expression] = []
    for part in parts:
        seats = seats_of(part)
        if len(seats) == 1:
            own.setdefault(min(seats), []).append(part)
        else:
            others.append(part)
    return {seat: conjunction(tuple(own[seat])) for seat in sorted(own)}, others


def _take(expression: Expression, slots: dict[tuple[int, Expression], int], *, truth: bool) -> Expression:
    seats = seats_of(expression)
    if not seats:
        return expression
    if len(seats) == 1:
        part = expression if not truth or _is_truth(expression) else Operation("!=", (expression, Number(0)))
        return Slot(slots.setdefault((min(seats), part), len(slots)))
    match expression:
        case Operation(operator, operands) if operator in _JUNCTIONS:
            groups: dict[frozenset[int], list[Expression]] = {}
            for operand in operands:
                groups.setdefault(seats_of(operand), []).append(operand)
            alone = [group for members, group in groups.items() if len(members) < 2]
            parts = [group[0] if len(group) == 1 else Operation(operator, tuple(group)) for group in alone]
            parts += [part for members, group in groups.items() if len(members) > 1 for part in group]
            return Operation(operator, tuple(_take(part, slots, truth=True) for part in parts))
        case Operation(operator, operands):
            return Operation(operator, tuple(_take(part, slots, truth=operator == "not") for part in operands))
        case Payoff(vulnerable, level, strain, tricks):
            return Payoff(vulnerable, level, strain, _take(tricks, slots, truth=False))
        case Imps(difference):
            return Imps(_take(difference, slots, truth=False))
    raise AssertionError(expression)


def _is_truth(expression: Expression) -> bool:
    return isinstance(expression, Operation) and expression.operator in _TRUTHS
