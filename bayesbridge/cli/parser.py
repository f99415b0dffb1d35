"""A parser of one command: errors of one line, and a record of the given options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, Final, NoReturn, Protocol

from bayesbridge.cli.usage import UsageError
from bayesbridge.errors import BayesBridgeError, did_you_mean

HELP_COLUMN: Final = 28
"""Where the texts of the help begin at the latest."""

OPTION_IN_HELP: Final = re.compile(r"(?:^  |[ (])(--?[a-z][a-z-]*)", re.MULTILINE)


HelpFormatter: Final = partial(
    argparse.RawDescriptionHelpFormatter, max_help_position=HELP_COLUMN
)


class OptionGroup(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """Add one argument, as argparse does."""


def argument_type[T](read: Callable[[str], T]) -> Callable[[str], T]:
    """The reader as argparse takes it: its errors are those of the argument."""

    @wraps(read, updated=())
    def read_argument(text: str) -> T:
        try:
            return read(text)
        except BayesBridgeError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read_argument


def choice_of(*names: str) -> dict[str, Any]:
    """What ``add_argument`` is to know of an argument that takes one of the names."""

    @argument_type
    def read_choice(text: str) -> str:
        if text not in names:
            hint = did_you_mean(text, names)
            choices = ", ".join(names)
            raise UsageError(f"invalid choice: {text!r}: {hint}choose {choices}")
        return text

    return {"choices": names, "type": read_choice}


def record_option(action: argparse.Action, namespace: argparse.Namespace) -> None:
    """Keep the first name of the action in ``options``; positionals have none."""
    if action.option_strings:
        namespace.options = [*namespace.options, action.option_strings[0]]


class StoreOnce(argparse.Action):
    """Keeps the value of an argument, and refuses a second one."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        """Keep the value; an option that is given twice is refused."""
        if self.option_strings and self.option_strings[0] in namespace.options:
            parser.error(
                f"argument {self.option_strings[0]}: given twice: give it once"
            )
        record_option(self, namespace)
        setattr(namespace, self.dest, values)


class StoreTrue(argparse.Action):
    """An option without a value."""

    def __init__(
        self, option_strings: Sequence[str], dest: str, help: str | None = None
    ) -> None:
        super().__init__(option_strings, dest, nargs=0, default=False, help=help)

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        _values: Any,
        _option: str | None = None,
    ) -> None:
        """Set the flag."""
        record_option(self, namespace)
        setattr(namespace, self.dest, True)


class Append(argparse.Action):
    """An option that may be repeated: its values in a list."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        _option: str | None = None,
    ) -> None:
        """Add the value to those given before."""
        record_option(self, namespace)
        earlier_values = getattr(namespace, self.dest) or []
        setattr(namespace, self.dest, [*earlier_values, values])


class CommandParser(argparse.ArgumentParser):
    """An argparse parser that raises :class:`UsageError` instead of ending the process.

    The namespace has the names of the given options in ``options``, in order.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=HelpFormatter, **settings)
        self.register("action", None, StoreOnce)
        self.register("action", "store", StoreOnce)
        self.register("action", "store_true", StoreTrue)
        self.register("action", "append", Append)
        self.set_defaults(options=[])

    def parse_words(
        self, words: Sequence[str], namespace: argparse.Namespace
    ) -> argparse.Namespace:
        """The namespace with the arguments of the words."""
        protected = [protected_hand(word) for word in words]
        arguments, unknown = self.parse_known_args(protected, namespace)
        if unknown:
            self.error(
                f"unrecognized arguments: {' '.join(unknown)}{self.hint(unknown[0])}"
            )
        return arguments

    def hint(self, word: str) -> str:
        """The option of the help that an unknown option may be meant for."""
        if not word.startswith("--"):
            return ""
        names = sorted(option_names(self.format_help()))
        question = did_you_mean(word, names)
        return f": {question.rstrip()}" if question else ""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line; the message says where its help is."""
        raise UsageError(f"{message} (see '{self.prog} --help')")


def protected_hand(word: str) -> str:
    """A hand that begins with a void, as ``-.KQ2.…``, which is no option."""
    return f" {word}" if word.startswith("-.") else word


def option_names(help_text: str) -> set[str]:
    """The options that a help names."""
    return set(OPTION_IN_HELP.findall(help_text))
