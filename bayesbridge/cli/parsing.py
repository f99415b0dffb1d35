"""From words to values: the parser, and the kinds of argument that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from bayesbridge.cards import Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError


class UsageError(BayesBridgeError):
    """A command line that cannot be understood."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of examples, and has room for the names of commands."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as an exception, instead of printing the usage and ending the process."""

    add_later: Callable[[Parser], None] | None = None
    """Adds arguments when they are first needed, where that takes time."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_HelpFormatter, **options)

    def add_now(self) -> None:
        """Add the arguments that waited."""
        add, self.add_later = self.add_later, None
        if add is not None:
            add(self)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        self.add_now()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see '{self.prog} --help')")


class Once(argparse.Action):
    """Keeps a value, and refuses a second one instead of forgetting the first."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) != self.default:
            raise argparse.ArgumentError(self, f"given twice, the second time as {values}: give it once")
        setattr(namespace, self.dest, values)


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


def reading[T](read: Callable[[str], T]) -> Callable[[str], T]:
    """The kind of argument that ``read`` reads: its errors then name the option."""

    def read_argument(text: str) -> T:
        try:
            return read(text)
        except BayesBridgeError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_argument


def _full_hand(text: str) -> Hand:
    return Hand.from_pbn(text.strip()).verify_full("hand")


full_hand = reading(_full_hand)
"""Thirteen cards in PBN."""


@reading
def pair(text: str) -> tuple[Seat, Seat]:
    """Two seats that play together, such as S:N."""
    from bayesbridge.estimators.protocol import Question

    return Question.of(text).pair


def add_pair(parser: Parser) -> None:
    """Ask who plays together."""
    parser.add_argument(
        "--pair", type=pair, action=Once, metavar="S:N", help="who plays together (default: observer and dummy)"
    )


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
