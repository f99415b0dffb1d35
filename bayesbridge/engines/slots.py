"""Conditions taken apart by seat.

What looks at one hand becomes a *slot*; the *skeleton* that is left says how slots are
combined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from bayesbridge.evidence.expressions import (
    Expression,
    Held,
    Number,
    Operation,
    ShapeIn,
    Slot,
    seats_of,
    walk,
)
from bayesbridge.evidence.measures import LENGTH, Measure

type SuitMeasure = tuple[Measure, int | None]
"""A measure of one suit, or, with ``None``, of the whole hand."""

# Operators whose value is 0 or 1.
_TRUTHS: Final = frozenset(("and", "or", "not", "==", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class SlottedExpressions:
    """Expressions whose largest parts that look at one seat are slots.

    What is left of an expression, its skeleton, combines the slots.
    """

    skeletons: tuple[Expression, ...]  #: They refer to slots by number.
    #: A seat and an expression over its hand, by number.
    slots: tuple[tuple[int, Expression], ...]

    @property
    def seats(self) -> set[int]:
        """The seats that a slot looks at."""
        return {seat for seat, _ in self.slots}

    def numbers_of(self, seat: int) -> tuple[int, ...]:
        """The numbers of a seat's slots."""
        return tuple(
            number
            for number, (slot_seat, _) in enumerate(self.slots)
            if slot_seat == seat
        )

    def expressions_of(self, seat: int) -> list[Expression]:
        """The expressions behind a seat's slots."""
        return [expression for owner, expression in self.slots if owner == seat]


def with_slots(*expressions: Expression) -> SlottedExpressions:
    """Take out of each expression the largest parts that look at one seat.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> text = "hcp(north) > 11 && spades(north) > 4 && hcp(north) + hcp(south) > 24"
    >>> [seat for seat, _ in with_slots(parse_expression(text)).slots]
    [0, 0, 2]
    """
    number_of_slot: dict[tuple[int, Expression], int] = {}
    skeletons = tuple(
        _skeleton(expression, number_of_slot, only_truth_matters=False)
        for expression in expressions
    )
    return SlottedExpressions(skeletons, tuple(number_of_slot))


def _skeleton(
    expression: Expression,
    number_of_slot: dict[tuple[int, Expression], int],
    *,
    only_truth_matters: bool,
) -> Expression:
    """The expression with a slot in place of each largest part that looks at one seat.

    ``number_of_slot``: by the seat and the expression behind each slot, its number; new
    slots are added. ``only_truth_matters``: whether the value is 0 is all that is asked
    of it, so slots with different values may be one if these are true together.
    """
    seats = seats_of(expression)
    if not seats:
        return expression
    if len(seats) == 1:
        (seat,) = seats
        content = _as_truth(expression) if only_truth_matters else expression
        new_number = len(number_of_slot)
        return Slot(number_of_slot.setdefault((seat, content), new_number))
    assert isinstance(expression, Operation)
    operator = expression.operator
    operands = list(expression.operands)
    if operator in ("and", "or"):
        operands = _grouped_by_seats(operator, expression.operands)
    skeletons = [
        _skeleton(
            operand,
            number_of_slot,
            only_truth_matters=operator in ("and", "or", "not"),
        )
        for operand in operands
    ]
    return Operation(operator, tuple(skeletons))


def _as_truth(expression: Expression) -> Expression:
    """The expression as 0 or 1."""
    if isinstance(expression, Operation) and expression.operator in _TRUTHS:
        return expression
    return Operation("!=", (expression, Number(0)))


def _grouped_by_seats(
    operator: str, operands: Sequence[Expression]
) -> list[Expression]:
    """Operands of a conjunction or disjunction, those about one seat put together.

    These come first.
    """
    groups: dict[frozenset[int], list[Expression]] = {}
    for operand in operands:
        groups.setdefault(seats_of(operand), []).append(operand)
    about_one: list[Expression] = []
    about_several: list[Expression] = []
    for seats, group in groups.items():
        if len(seats) > 1:
            about_several += group
        elif len(group) == 1:
            about_one += group
        else:
            about_one.append(Operation(operator, tuple(group)))
    return about_one + about_several


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Parts that must all be true.

    What is denied is turned round as far as that gives more of them.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> text = "hcp(north) > 11 && !(spades(north) > 4 || hearts(north) > 4)"
    >>> len(conjuncts(parse_expression(text)))
    3
    """
    match expression:
        case Operation("and", operands):
            return tuple(chain(*map(conjuncts, operands)))
        case Operation("not", (Operation("or", operands),)):
            denials = [Operation("not", (operand,)) for operand in operands]
            return tuple(chain(*map(conjuncts, denials)))
        case Operation("not", (Operation("not", (inner,)),)):
            return conjuncts(inner)
    return (expression,)


def measures_of(expressions: Sequence[Expression]) -> tuple[SuitMeasure, ...]:
    """The measures that expressions over one seat use, each with its suit.

    A shape uses four lengths.
    """
    measures: dict[SuitMeasure, None] = {}
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Held):
                measures[node.measure, node.suit] = None
            elif isinstance(node, ShapeIn):
                measures.update({(LENGTH, suit): None for suit in range(4)})
    return tuple(measures)
