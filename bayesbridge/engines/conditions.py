"""How many layouts fit, exactly; and plans of conditions: what of them tables hold, and
what is tested on each draw.

All parts go into one table (:class:`~bayesbridge.engines.deal_tables.DealTable`) if it
is small enough; else one by one, the rarest first, as long as it can hold them. Either
way every deal that meets the condition is equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from bayesbridge.display.words import counted, number
from bayesbridge.engines.deal_tables import DealTable, conjuncts
from bayesbridge.errors import Contradiction, TablesTooLarge
from bayesbridge.evidence.constraints import SEATS, SUITS, Constraints
from bayesbridge.evidence.expression_text import short_text
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    Held,
    Number,
    Operation,
    ShapeIn,
    conjunction,
    opaque,
    seats_of,
)
from bayesbridge.evidence.measures import LENGTH, POINTS


def count(constraints: Constraints) -> int:
    """The number of layouts that fit, conditions aside; 0 if the constraints contradict
    each other.
    """
    asked = replace(constraints, conditions=())
    known = asked.normalised()
    if known.impossible:
        return 0
    certain = replace(Constraints.free(), must=known.must)
    if (
        known == certain.normalised()
    ):  # any other card may lie anywhere: a multinomial coefficient
        rooms = [known.room(seat) for seat in known.hidden]
        return math.factorial(sum(rooms)) // math.prod(map(math.factorial, rooms))
    try:
        return DealTable.of(known, constraint_condition(asked)).total
    except TablesTooLarge:  # the same in parts, by the length that is least known
        width, seat, suit = max(
            (known.longest[seat][suit] - known.shortest[seat][suit], seat, suit)
            for seat in SEATS
            for suit in SUITS
        )
        if not width:
            raise
        lengths = range(known.shortest[seat][suit], known.longest[seat][suit] + 1)
        return sum(
            count(asked.length(seat, suit, length, length)) for length in lengths
        )


def constraint_condition(known: Constraints) -> Expression:
    """What constraints say beyond the places of cards: lengths, shapes, points and
    conditions.
    """
    settled = known.normalised()
    by_cards = replace(
        Constraints.free(), must=settled.must, may=settled.may
    ).normalised()
    parts: list[Expression] = []

    def bound(
        value: Expression, low: int, high: int, lowest: int, highest: int
    ) -> None:
        parts.extend([Operation(">=", (value, Number(low)))] if low > lowest else [])
        parts.extend([Operation("<=", (value, Number(high)))] if high < highest else [])

    for seat in settled.hidden:
        for suit in range(4):
            possible = by_cards.shortest[seat][suit], by_cards.longest[seat][suit]
            bound(
                Held(LENGTH, seat, suit),
                known.shortest[seat][suit],
                known.longest[seat][suit],
                *possible,
            )
        if (shapes := known.shapes[seat]) is not None:
            parts.append(ShapeIn(seat, shapes))
        possible = by_cards.points_low[seat], by_cards.points_high[seat]
        bound(
            Held(POINTS, seat, None),
            known.points_low[seat],
            known.points_high[seat],
            *possible,
        )
    return conjunction((*parts, *known.conditions))


@dataclass(frozen=True, eq=False)
class ConditionTables:
    """``exact`` parts are in the table, ``tested`` parts are not."""

    known: Constraints
    exact: tuple[Expression, ...]
    tested: tuple[Expression, ...]
    table: DealTable

    @classmethod
    def of(cls, known: Constraints, condition: Expression = TRUE) -> ConditionTables:
        """Tables for constraints and a condition; raises ``Contradiction`` if no deal
        can meet them.

        >>> from bayesbridge.evidence.parser import parse_expression
        >>> plan = ConditionTables.of(Constraints.free(), parse_expression("hcp(north) == 37"))
        >>> plan.table.total
        337912392291465600
        """
        settled = replace(known.normalised(), conditions=())
        if settled.impossible:
            raise _nothing(condition)
        parts = [
            part
            for part in conjuncts(conjunction((constraint_condition(known), condition)))
            if part != TRUE
        ]
        tested = [part for part in parts if opaque(part)]
        exact = [part for part in parts if not opaque(part)]
        try:
            table = DealTable.of(settled, conjunction(tuple(exact)))
        except TablesTooLarge:
            table, exact, rest = _as_much_as_fits(settled, exact)
            tested = rest + tested
        if not table.total:
            raise _nothing(condition)
        return cls(settled, tuple(exact), tuple(tested), table)

    @cached_property
    def deals(self) -> int:
        """How many fit the known cards, whatever the condition."""
        return DealTable.of(self.known).total

    @property
    def exact_chance(self) -> Fraction:
        """Of the exact part, given the known cards."""
        return Fraction(self.table.total, self.deals)

    def lines(self) -> list[str]:
        """What is exact, what is tested, and the chance of the exact part, for people."""
        found = [f"{counted(self.deals, 'deal', 'fit')} the known cards."]
        if self.exact:
            found.append(
                f"Exact, from tables: {number(self.table.total)} deals, {chance_text(self.exact_chance)}"
            )
            found += [f"  {short_text(part)}" for part in self.exact]
        if self.tested:
            found.append("Tested on each draw:")
            found += [f"  {short_text(part)}" for part in self.tested]
        return found


def chance_text(chance: Fraction | float) -> str:
    """A probability as people read it.

    >>> chance_text(Fraction(1, 4)), chance_text(Fraction(1, 102_000))
    ('25 %', '0.00098 % (1 in 102 000)')
    """
    share = float(chance)
    if share == 0.0 or share >= 0.1:
        return f"{100 * share:.4g} %"
    one_in = number(1 / share, 1) if share > 0.01 else number(round(1 / share))
    return f"{100 * share:.3g} % (1 in {one_in})"


def _as_much_as_fits(
    known: Constraints, parts: Sequence[Expression]
) -> tuple[DealTable, list[Expression], list[Expression]]:
    """A table with as much of the condition as it can hold, what is in it, and what is
    not.
    """
    of_seats = (
        conjunction(tuple(part for part in parts if seats_of(part) == {seat}))
        for seat in SEATS
    )
    alone: list[tuple[int, Expression, DealTable]] = []
    left: list[Expression] = []
    waiting = [part for part in of_seats if part != TRUE] + [
        part for part in parts if len(seats_of(part)) != 1
    ]
    while waiting:
        part = waiting.pop(0)
        try:
            table = DealTable.of(known, part)
            alone.append((table.total, part, table))
        except TablesTooLarge:
            pieces = conjuncts(part)
            if len(pieces) > 1:
                waiting += pieces
            else:
                left.append(part)
    alone.sort(key=lambda found: found[0])
    chosen: list[Expression] = []
    best = DealTable.of(known)
    for place, (_, part, table) in enumerate(alone):
        try:
            best = (
                table
                if place == 0
                else DealTable.of(known, conjunction((*chosen, part)))
            )
            chosen.append(part)
        except TablesTooLarge:
            left.append(part)
        if not best.total:
            break
    return best, [piece for part in chosen for piece in conjuncts(part)], left


def _nothing(condition: Expression) -> Contradiction:
    and_condition = (
        "" if condition == TRUE else f" and the condition {short_text(condition)}"
    )
    return Contradiction(
        f"no deal fits what is given{and_condition}: take a part of it away",
        evidence=(),
    )


def tightened(known: Constraints, parts: Sequence[Expression]) -> Constraints:
    """Constraints with what parts of a condition say of lengths, shapes and points, as
    far as they say it plainly.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> tightened(Constraints.free(), [parse_expression("spades(south) > 4")]).shortest[2]
    (0, 0, 0, 5)
    """
    for part in parts:
        match part:
            case ShapeIn(seat, shapes):
                known = known.shape(seat, shapes)
            case Operation(sign, (Held(measure, seat, suit), Number(value))) if (
                sign in ("<", "<=", "==", ">=", ">")
            ):
                low = value + (sign == ">") if sign in ("==", ">=", ">") else -99
                high = value - (sign == "<") if sign in ("<", "<=", "==") else 99
                if measure == LENGTH and suit is not None:
                    known = known.length(seat, suit, low, high)
                elif measure == POINTS and suit is None:
                    known = known.points(seat, low, high)
    return known.normalised()
