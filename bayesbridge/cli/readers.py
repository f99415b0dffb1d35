"""Texts of arguments as values, where a value does not read them itself."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from bayesbridge.cli.parser import argument_type
from bayesbridge.cli.usage import UsageError
from bayesbridge.errors import NotationError
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Seat


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number of a range, also written as 10_000_000 or 1e7."""
    expected = f"write a whole number from {low} to {high:_}"

    @argument_type
    def read_whole(text: str) -> int:
        try:
            value = Decimal(text)
            in_range = low <= value <= high
        except InvalidOperation:
            raise UsageError(f"{text!r} is not a number: {expected}") from None
        # The range comes first: the integer of 1e999999999 would fill the memory.
        if not in_range:
            raise UsageError(f"{text!r} is out of range: {expected}")
        if value != int(value):
            raise UsageError(f"{text!r} is not a whole number: {expected}")
        return int(value)

    return read_whole


@argument_type
def pair(text: str) -> tuple[Seat, Seat]:
    """Two seats, as ``S:N``."""
    from bayesbridge.estimators.protocol import Question

    return Question.of(text).pair


@argument_type
def scores(text: str) -> list[float]:
    """Scores of a board, as ``420,450,-50``."""
    try:
        return [float(score) for score in text.replace(",", " ").split()]
    except ValueError:
        raise NotationError(
            f"{text!r} is not a list of scores: write such as 420,450,-50"
        ) from None


@argument_type
def prices(text: str) -> tuple[Fraction, ...]:
    """Prices of an undertrick, as ``10,25,50``."""
    try:
        values = tuple(Fraction(word) for word in text.replace(",", " ").split())
    except (ValueError, ZeroDivisionError):
        values = ()
    if not values or min(values) < 0:
        raise NotationError(
            f"{text!r} is not a list of prices: write such as 10,25,50", text=text
        )
    return values


@argument_type
def seats(text: str) -> tuple[Seat, ...]:
    """Several seats, as ``NS``, in the order North, East, South, West."""
    letters = set(text.upper())
    if not letters or not letters <= {seat.name for seat in Seat}:
        mend = "write some of N, E, S and W, such as NS"
        raise NotationError(f"{text!r} names no seats: {mend}", text=text)
    return tuple(seat for seat in Seat if seat.name in letters)


@argument_type
def vacant_places(text: str) -> tuple[int, int]:
    """Places of West and East for unknown cards, as ``7:12``."""
    try:
        west, east = map(int, text.split(":"))
    except ValueError:
        raise NotationError(
            f"{text!r}: write two whole numbers, such as 7:12"
        ) from None
    return west, east


@argument_type
def given_hand(text: str) -> tuple[Seat, Hand]:
    """Cards of a seat, as ``S:AKQ..J2.``."""
    seat, colon, cards = text.partition(":")
    if not colon:
        raise NotationError(f"{text!r} names no seat: write S:AKQ..J2.", text=text)
    return Seat.of(seat), Hand.of(cards.strip())


@argument_type
def moments(text: str) -> tuple[str, ...]:
    """Moments of a board, as ``auction,lead``, in their order at the table."""
    from bayesbridge.studies.readers import MOMENTS, moment_of

    names = {moment_of(word) for word in text.split(",")}
    return tuple(name for name in MOMENTS if name in names)
