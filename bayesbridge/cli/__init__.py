"""The command line: parse, call the library, print; no mathematics.

``commands`` lists the commands, each of which runs in a file of its own.

Exit status: 0 fine, 2 bad input (one line on stderr that says what, where and how to
fix it), 130 interrupted, 1 anything else. ``BAYESBRIDGE_DEBUG=1`` shows the traceback
of any error.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from typing import Final, TypeGuard
from warnings import catch_warnings, simplefilter

from bayesbridge.cli.commands import (
    named_command,
    parse_arguments,
    run_without_command,
)
from bayesbridge.cli.progress_bar import end_progress, on_terminal, show_progress
from bayesbridge.display.words import tell
from bayesbridge.errors import (
    BayesBridgeError,
    BayesBridgeWarning,
    PluginError,
    Unwritable,
    caused_by_interrupt,
    with_short_values,
)
from bayesbridge.estimators.first_run import share_compiling
from bayesbridge.runtime.files import NO_ROOM
from bayesbridge.runtime.progress import watch_progress

FINE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        prepare_output()
        try:
            status = run(words)
        except SystemExit:
            # --help and --version end so.
            status = FINE
        finally:
            end_progress()
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return failed(error)
    return status


def prepare_output() -> None:
    """Let any answer be written to stdout.

    Letters that its encoding lacks become question marks; where it is closed, nobody
    wants the answer.
    """
    if sys.stdout is None:
        sys.stdout = StringIO()
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def run(words: Sequence[str]) -> int:
    """Run the command that the words name, if they name one."""
    if not words or words[0].startswith("-"):
        return run_without_command(words)
    args = parse_arguments(words)
    command = named_command(words)
    _compiler = None
    if command.evidence is not None:
        # Commands that take evidence need the kernels of estimators. The process is
        # named, so that it is not collected while it runs.
        _compiler = share_compiling()
    with catch_warnings(), watch_progress(show_progress):
        # Answers say themselves what warnings say.
        simplefilter("ignore", BayesBridgeWarning)
        return command.run(args)


def failed(error: BaseException) -> int:
    """Say in one line what went wrong; returns the exit status."""
    if caused_by_interrupt(error):
        tell_interrupt(error)
        return INTERRUPTED
    if not isinstance(error, BayesBridgeError):
        discard_output()
    if isinstance(error, BrokenPipeError):
        # The reader, such as head, has seen enough.
        return FINE
    if os.environ.get("BAYESBRIDGE_DEBUG"):
        tell_traceback(error)
    if isinstance(error, BayesBridgeError):
        tell(error)
        return FAILED if isinstance(error, PluginError | Unwritable) else BAD_INPUT
    if is_full_disk(error):
        tell(
            f"the output was not written whole ({error.strerror}): make room, or write "
            "it elsewhere"
        )
    else:
        message = with_short_values(str(error)) or "no message"
        tell(f"{type(error).__name__}: {message} (BAYESBRIDGE_DEBUG=1 shows where)")
    return FAILED


def tell_interrupt(error: BaseException) -> None:
    """Say that the work was interrupted, and what is kept of it."""
    if on_terminal():
        # The terminal's own ^C has a line of its own.
        sys.stderr.write("\n")
    if isinstance(error, KeyboardInterrupt) and str(error):
        tell(f"interrupted: {error}")
    else:
        tell("interrupted")


def tell_traceback(error: BaseException) -> None:
    """Show where the error was raised."""
    import traceback

    for line in "".join(traceback.format_exception(error)).splitlines():
        tell(line, begin="")


def discard_output() -> None:
    """Send what is still buffered nowhere.

    The interpreter would fail on it again as it ends.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def is_full_disk(error: BaseException) -> TypeGuard[OSError]:
    """Whether the disk of standard output is full; errors of files name the file."""
    return (
        isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None
    )
