"""How many layouts fit: an exact integer, without a compiler, so that a count answers at once."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce

from bayesbridge.constraints import SEATS, SUITS, Constraints
from bayesbridge.engines.deal_tables import DealTable
from bayesbridge.errors import TablesTooLarge
from bayesbridge.expressions import LENGTH, POINTS, Expression, Held, Number, Operation, ShapeIn, conjunction


def count(constraints: Constraints) -> int:
    """The number of layouts that fit, conditions aside; 0 if the constraints contradict each other.

    >>> count(Constraints.free())
    53644737765488792839237440000
    >>> count(Constraints.free().hold(2, 0x1FFF))
    84478098072866400
    """
    asked = replace(constraints, conditions=())
    known = asked.normalised()
    if known.impossible:
        return 0
    certain = reduce(lambda alone, seat: alone.hold(seat, known.must[seat]), SEATS, Constraints.free())
    if known == certain.normalised():  # any other card may lie anywhere: a multinomial coefficient
        rooms = [known.room(seat) for seat in known.hidden]
        return math.factorial(sum(rooms)) // math.prod(map(math.factorial, rooms))
    try:
        return DealTable.of(known, constraint_condition(asked)).total
    except TablesTooLarge:  # the same in parts, by the length that is least known
        width, seat, suit = max(
            (known.longest[seat][suit] - known.shortest[seat][suit], seat, suit) for seat in SEATS for suit in SUITS
        )
        if not width:
            raise
        lengths = range(known.shortest[seat][suit], known.longest[seat][suit] + 1)
        return sum(count(asked.length(seat, suit, length, length)) for length in lengths)


def constraint_condition(known: Constraints) -> Expression:
    """What constraints say beyond the places of cards: lengths, shapes, points and conditions."""
    settled = known.normalised()
    by_cards = replace(Constraints.free(), must=settled.must, may=settled.may).normalised()
    parts: list[Expression] = []

    def bound(value: Expression, low: int, high: int, lowest: int, highest: int) -> None:
        parts.extend([Operation(">=", (value, Number(low)))] if low > lowest else [])
        parts.extend([Operation("<=", (value, Number(high)))] if high < highest else [])

    for seat in settled.hidden:
        for suit in range(4):
            possible = by_cards.shortest[seat][suit], by_cards.longest[seat][suit]
            bound(Held(LENGTH, seat, suit), known.shortest[seat][suit], known.longest[seat][suit], *possible)
        if (shapes := known.shapes[seat]) is not None:
            parts.append(ShapeIn(seat, shapes))
        possible = by_cards.points_low[seat], by_cards.points_high[seat]
        bound(Held(POINTS, seat, None), known.points_low[seat], known.points_high[seat], *possible)
    return conjunction((*parts, *known.conditions))
