"""The command line: parse, call, print; no mathematics. ``commands`` declares them all,
each runs in its own file.

Exit status: 0 fine, 2 bad input (one line on stderr that says what, where and how to
fix it), 130 interrupted, 1 anything else. ``BAYESBRIDGE_DEBUG=1`` shows the traceback
of any error.
"""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Sequence
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import Any, TypeGuard
from warnings import catch_warnings, simplefilter

from bayesbridge import __version__
from bayesbridge.cli.commands import add_commands
from bayesbridge.cli.options import OneLineParser, verify
from bayesbridge.cli.screens import end_progress, on_terminal, show_progress
from bayesbridge.display.words import tell
from bayesbridge.errors import (
    BayesBridgeError,
    BayesBridgeWarning,
    PluginError,
    Unwritable,
    caused_by_interrupt,
    with_short_values,
)
from bayesbridge.runtime.files import NO_ROOM
from bayesbridge.runtime.progress import watch_progress


def build_parser() -> OneLineParser:
    parser = OneLineParser(
        prog="bayesbridge",
        description="Who holds the hidden cards, and how many tricks will two hands take?\n"
        "Exact where the question can be counted, sampled with honest weights where it cannot.\n"
        "Hands are written spades.hearts.diamonds.clubs; '-' or nothing is a void.",
        epilog="example:\n  bayesbridge estimate --observer S --hand AKQ2.KJ3.A54.Q32 --call W:1NT --void E:H",
    )
    parser.set_defaults(json=False, seed=1, mode=None)
    parser.add_argument(
        "--version", action="version", version=f"bayesbridge {__version__}"
    )
    parser.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "zsh", "fish"),
        help="print a completion script, and end",
    )
    add_commands(
        parser.add_subparsers(
            title="commands", metavar="COMMAND", dest="command", required=True
        )
    )
    return parser


class _Completion(Action):
    def __call__(
        self,
        parser: ArgumentParser,
        _namespace: Namespace,
        shell: Any,
        _option: str | None = None,
    ) -> None:
        import shtab

        parsers: list[Any] = [parser]
        for one in parsers:  # those of commands join the list
            one.add_now()
            for action in one._actions:
                if isinstance(action, _SubParsersAction):
                    parsers += action.choices.values()
                elif str(action.metavar).startswith(("FILE", "FOLDER")):
                    action.complete = shtab.FILE
        sys.stdout.write(shtab.complete(parser, shell) + "\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    try:
        if (
            sys.stdout is None
        ):  # closed by whoever started it: an answer that nobody wants
            sys.stdout = StringIO()
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(
                errors="replace"
            )  # letters that the terminal's encoding lacks become question marks
        try:
            words = sys.argv[1:] if argv is None else argv
            args = build_parser().parse_args(words, Namespace(words=words))
            verify(args, args.mode)
            with catch_warnings(), watch_progress(show_progress):
                simplefilter("ignore", BayesBridgeWarning)  # the answer itself says it
                module, _, name = args.run.partition(".")
                status = int(
                    getattr(import_module(f"bayesbridge.cli.{module}"), name)(args)
                )
        except SystemExit:  # --help, --version and --completion end so
            status = 0
        finally:
            end_progress()
        sys.stdout.flush()
        return status
    except (Exception, KeyboardInterrupt) as error:
        return _failed(error)


def _failed(error: BaseException) -> int:
    """Say in one line what went wrong; returns the exit status."""
    if caused_by_interrupt(error):
        if on_terminal():
            sys.stderr.write("\n")  # after the terminal's own ^C
        tell(
            f"interrupted: {error}"
            if isinstance(error, KeyboardInterrupt) and str(error)
            else "interrupted"
        )
        return 130
    if not isinstance(error, BayesBridgeError):
        # What is still buffered goes nowhere, or the interpreter would fail on it again as it ends.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, sys.stdout.fileno())
            os.close(null)
    if isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
        return 0
    if os.environ.get("BAYESBRIDGE_DEBUG"):
        import traceback

        for line in "".join(traceback.format_exception(error)).splitlines():
            tell(line, begin="")
    if isinstance(error, BayesBridgeError):
        tell(error)
        return 1 if isinstance(error, PluginError | Unwritable) else 2
    if _is_of_output(error):
        tell(
            f"the output was not written whole ({error.strerror}): make room, or write it elsewhere"
        )
        return 1
    words = with_short_values(str(error)) or "no message"
    tell(f"{type(error).__name__}: {words} (BAYESBRIDGE_DEBUG=1 shows where)")
    return 1


def _is_of_output(error: BaseException) -> TypeGuard[OSError]:
    """Whether it is a full disk below standard output: files are named."""
    return (
        isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None
    )
