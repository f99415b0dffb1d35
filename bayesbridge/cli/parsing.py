"""From words to values: the parser, and the kinds of argument that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from bayesbridge.cards import Hand
from bayesbridge.errors import BayesBridgeError


class UsageError(BayesBridgeError):
    """A command line that cannot be understood."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples, and has room for the names of commands."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as an exception, instead of printing the usage and ending the process."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_HelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see '{self.prog} --help')")


type Subparsers = argparse._SubParsersAction[Parser]


def add_command(
    commands: Subparsers, name: str, summary: str, run: Callable[[argparse.Namespace], int], example: str
) -> Parser:
    """A new command with the options that every command takes."""
    described = f"{summary[0].upper()}{summary[1:]}."
    parser = commands.add_parser(name, help=summary, description=described, epilog=f"example:\n  {example}")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--seed",
        type=whole(0, 2**64 - 1),
        default=1,
        metavar="N",
        help="where random numbers start; the same seed gives the same answer (default: 1)",
    )
    parser.set_defaults(run=run)
    return parser


def full_hand(text: str) -> Hand:
    """Thirteen cards in PBN."""
    try:
        return Hand.from_pbn(text.strip()).verify_full("hand")
    except BayesBridgeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number in a range, also written as 10_000_000 or 1e7."""

    def read(text: str) -> int:
        from decimal import Decimal, InvalidOperation

        try:
            value = Decimal(text)
            # The range comes first: the integer of 1e999999999 would fill the memory.
            if value.is_finite() and low <= value <= high and value == int(value):
                return int(value)
            wrong = "is not a whole number" if low <= value <= high else "is out of range"
        except InvalidOperation:
            wrong = "is not a number"
        raise argparse.ArgumentTypeError(f"{text!r} {wrong}: write a whole number from {low} to {high:_}")

    return read


def protect_voids(words: Sequence[str]) -> list[str]:
    """Keep a hand that begins with a void, ``-.AKQ….``, from being taken for an option."""
    return [f" {word}" if word.startswith("-.") else word for word in words]
