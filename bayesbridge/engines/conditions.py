"""How many layouts fit, exactly; what of conditions tables hold, and what is tested.

All parts go into one table (:class:`~bayesbridge.engines.deal_tables.DealTable`) if it
is small enough; else one by one, the rarest first, as long as it can hold them. Either
way every deal that meets the condition is equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bayesbridge.display.words import counted, number
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.engines.slots import conjuncts
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

PLAIN_PERCENT = 0.1  # chances from here on are not said as 1 in so many, too
ONE_IN_HUNDRED = 0.01  # rarer ones are 1 in a whole number


def count(constraints: Constraints) -> int:
    """The number of layouts that fit, conditions aside.

    It is 0 if the constraints contradict each other. Where tables are too large, the
    layouts are counted for each length of some seat's suit, and added up.
    """
    hard = replace(constraints, conditions=())
    settled = hard.normalised()  # with all that follows from the constraints
    if settled.impossible:
        return 0
    certain_cards_alone = replace(Constraints.free(), must=settled.must).normalised()
    if settled == certain_cards_alone:
        # Nothing else is known: any way to fill the hands fits.
        return _multinomial([settled.room(seat) for seat in settled.hidden])
    try:
        return DealTable.of(settled, constraint_condition(hard)).total
    except TablesTooLarge:
        seat, suit = _widest_length(settled)
        shortest = settled.shortest[seat][suit]
        longest = settled.longest[seat][suit]
        if shortest == longest:
            raise
        lengths = range(shortest, longest + 1)
        return sum(count(hard.length(seat, suit, length, length)) for length in lengths)


def _multinomial(rooms: Sequence[int]) -> int:
    """In how many ways cards can be shared out, so many to each seat."""
    orders = math.prod(map(math.factorial, rooms))
    return math.factorial(sum(rooms)) // orders


def _widest_length(constraints: Constraints) -> tuple[int, int]:
    """The seat and suit with the widest range of lengths, the last of several."""
    shortest = np.array(constraints.shortest)
    widths = np.array(constraints.longest) - shortest
    seat, suit = np.argwhere(widths == widths.max())[-1].tolist()
    return seat, suit


def constraint_condition(constraints: Constraints) -> Expression:
    """What constraints say beyond the places of cards, as an expression.

    That is lengths, shapes, points and conditions. A bound is left out where it follows
    from the cards that each seat certainly has and may have.
    """
    settled = constraints.normalised()
    cards_alone = replace(Constraints.free(), must=settled.must, may=settled.may)
    possible = cards_alone.normalised()  # what the places of cards alone allow
    terms: list[Expression] = []
    for seat in settled.hidden:
        for suit in SUITS:
            terms += _bounds(
                Held(LENGTH, seat, suit),
                allowed=(
                    constraints.shortest[seat][suit],
                    constraints.longest[seat][suit],
                ),
                possible=(possible.shortest[seat][suit], possible.longest[seat][suit]),
            )
        shapes = constraints.shapes[seat]
        if shapes is not None:
            terms.append(ShapeIn(seat, shapes))
        terms += _bounds(
            Held(POINTS, seat, None),
            allowed=(constraints.points_low[seat], constraints.points_high[seat]),
            possible=(possible.points_low[seat], possible.points_high[seat]),
        )
    return conjunction((*terms, *constraints.conditions))


def _bounds(
    value: Expression, allowed: tuple[int, int], possible: tuple[int, int]
) -> Iterator[Expression]:
    """That a value lies in its range, as far as it could lie outside."""
    low, high = allowed
    lowest, highest = possible
    if low > lowest:
        yield Operation(">=", (value, Number(low)))
    if high < highest:
        yield Operation("<=", (value, Number(high)))


@dataclass(frozen=True, eq=False)
class ConditionTables:
    """``exact`` parts are in the table, ``tested`` parts are not."""

    known: Constraints
    exact: tuple[Expression, ...]
    tested: tuple[Expression, ...]
    table: DealTable

    @classmethod
    def of(cls, known: Constraints, condition: Expression = TRUE) -> ConditionTables:
        """Tables for constraints and a condition.

        Raises ``Contradiction`` if no deal can meet them.

        >>> from bayesbridge.evidence.parser import parse_expression
        >>> condition = parse_expression("hcp(north) == 37")
        >>> plan = ConditionTables.of(Constraints.free(), condition)
        >>> plan.table.total
        337912392291465600
        """
        settled = replace(known.normalised(), conditions=())
        if settled.impossible:
            raise _nothing_fits(condition)
        everything = conjunction((constraint_condition(known), condition))
        terms = [term for term in conjuncts(everything) if term != TRUE]
        tested = [term for term in terms if opaque(term)]
        exact = [term for term in terms if not opaque(term)]
        try:
            table = DealTable.of(settled, conjunction(tuple(exact)))
        except TablesTooLarge:
            largest = _largest_table(settled, exact)
            table = largest.table
            exact = largest.in_table
            tested = largest.too_large + tested
        if not table.total:
            raise _nothing_fits(condition)
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
        lines = [f"{counted(self.deals, 'deal', 'fit')} the known cards."]
        if self.exact:
            chance = chance_text(self.exact_chance)
            deals = number(self.table.total)
            lines.append(f"Exact, from tables: {deals} deals, {chance}")
            lines += [f"  {short_text(term)}" for term in self.exact]
        if self.tested:
            lines.append("Tested on each draw:")
            lines += [f"  {short_text(term)}" for term in self.tested]
        return lines


def chance_text(chance: Fraction | float) -> str:
    """A probability as people read it.

    >>> chance_text(Fraction(1, 4)), chance_text(Fraction(1, 102_000))
    ('25 %', '0.00098 % (1 in 102 000)')
    """
    share = float(chance)
    if share == 0.0 or share >= PLAIN_PERCENT:
        return f"{100 * share:.4g} %"
    one_in = (
        number(1 / share, 1) if share > ONE_IN_HUNDRED else number(round(1 / share))
    )
    return f"{100 * share:.3g} % (1 in {one_in})"


class _LargestTable(NamedTuple):
    """A table, the terms of the condition in it, and those that are not."""

    table: DealTable
    in_table: list[Expression]
    too_large: list[Expression]


def _largest_table(known: Constraints, terms: Sequence[Expression]) -> _LargestTable:
    """A table with as many terms of a condition as it can hold, the rarest first.

    ``terms`` hold together; a rare one leaves few deals to be tested for those that the
    table does not hold. One that no deal meets ends the search.
    """
    tables_of_terms, too_large = _tables_of_terms(known, terms)
    tables_of_terms.sort(key=lambda term_and_table: term_and_table[1].total)
    table = DealTable.of(known)
    in_table: list[Expression] = []
    for term, term_table in tables_of_terms:
        try:
            if in_table:
                table = DealTable.of(known, conjunction((*in_table, term)))
            else:
                table = term_table
            in_table.append(term)
        except TablesTooLarge:
            too_large.append(term)
        if not table.total:
            break
    pieces: list[Expression] = []
    for term in in_table:
        pieces += conjuncts(term)
    return _LargestTable(table=table, in_table=pieces, too_large=too_large)


def _tables_of_terms(
    known: Constraints, terms: Sequence[Expression]
) -> tuple[list[tuple[Expression, DealTable]], list[Expression]]:
    """A table for each term alone, and the terms for which a table is too large.

    All that is about one seat is one term, where it fits.
    """
    waiting: list[Expression] = []
    for seat in SEATS:
        about_seat = tuple(term for term in terms if seats_of(term) == {seat})
        if about_seat:
            waiting.append(conjunction(about_seat))
    waiting += [term for term in terms if len(seats_of(term)) != 1]
    tables: list[tuple[Expression, DealTable]] = []
    too_large: list[Expression] = []
    while waiting:
        term = waiting.pop(0)
        try:
            tables.append((term, DealTable.of(known, term)))
        except TablesTooLarge:
            pieces = conjuncts(term)
            if len(pieces) > 1:
                waiting += pieces
            else:
                too_large.append(term)
    return tables, too_large


def _nothing_fits(condition: Expression) -> Contradiction:
    """The error where no deal meets the constraints and the condition."""
    evidence = "what is given"
    if condition != TRUE:
        evidence += f" and the condition {short_text(condition)}"
    return Contradiction(
        f"no deal fits {evidence}: take a part of it away",
        evidence=(),
    )


def tightened(known: Constraints, terms: Sequence[Expression]) -> Constraints:
    """Constraints with what terms of a condition say of lengths, shapes and points.

    Only what they say plainly, as a comparison with a number, is read.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> five_spades = parse_expression("spades(south) > 4")
    >>> tightened(Constraints.free(), [five_spades]).shortest[2]
    (0, 0, 0, 5)
    """
    tighter = known
    for term in terms:
        match term:
            case ShapeIn(seat, shapes):
                tighter = tighter.shape(seat, shapes)
            case Operation(sign, (Held(measure, seat, suit), Number(value))) if (
                sign in _RANGES
            ):
                low, high = _range_of(sign, value)
                if measure == LENGTH and suit is not None:
                    tighter = tighter.length(seat, suit, low, high)
                elif measure == POINTS and suit is None:
                    tighter = tighter.points(seat, low, high)
    return tighter.normalised()


_RANGES = frozenset(("<", "<=", "==", ">=", ">"))  # comparisons that bound a value
_UNBOUNDED = 99  # more than any length or points


def _range_of(sign: str, value: int) -> tuple[int, int]:
    """The lowest and the highest whole number that a comparison with a value allows."""
    match sign:
        case ">":
            return value + 1, _UNBOUNDED
        case ">=":
            return value, _UNBOUNDED
        case "<":
            return -_UNBOUNDED, value - 1
        case "<=":
            return -_UNBOUNDED, value
    return value, value
