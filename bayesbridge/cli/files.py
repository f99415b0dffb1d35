"""Files that a command writes, and checkpoints that it goes on from."""

from __future__ import annotations

import errno
import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bayesbridge.cli.usage import UsageError
from bayesbridge.errors import Unwritable, caused_by_interrupt
from bayesbridge.runtime.files import advice, final_path, whole_file


def verify_target(option: str, name: str, content: str, *endings: str) -> Path:
    """The file to write, if its name has one of the endings and its folder takes it.

    Asked before the work, so that no work is lost. ``content`` says what the file will
    hold, in a sentence.
    """
    path = Path(name)
    if path.suffix not in endings:
        raise UsageError(
            f"argument {option}: {name!r}: {content}, let its name end in {endings[0]}"
        )
    try:
        folder = final_path(path).parent
        if not folder.is_dir():
            raise UsageError(
                f"argument {option}: {name!r}: name a file in a folder that exists"
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(
                errno.EACCES, f"nothing may be written in {str(folder)!r}"
            )
    except OSError as error:
        raise UsageError(
            f"argument {option}: cannot write {name!r} ({error.strerror}): "
            f"{advice(error)}"
        ) from None
    return path


@contextmanager
def writing(option: str, path: Path) -> Iterator[Path]:
    """A temporary file for the content of a file, which then appears whole."""
    try:
        with whole_file(path) as part:
            yield part
    except OSError as error:
        raise unwritable(option, path, error) from None


def unwritable(option: str, path: Path, error: OSError) -> Unwritable:
    """That a file or folder cannot be written, and what helps."""
    why = error.strerror or error
    return Unwritable(
        f"argument {option}: cannot write {str(path)!r} ({why}): {advice(error)}",
        path=path,
    )


@contextmanager
def resumable(args: Namespace, noun: str) -> Iterator[None]:
    """Let an interrupt of the block say how much is kept, and how to go on."""
    try:
        yield
    except BaseException as error:
        if not caused_by_interrupt(error):
            raise
        raise KeyboardInterrupt(how_to_go_on(args, noun)) from error


def how_to_go_on(args: Namespace, noun: str) -> str:
    """How much of the work is kept in the folder of ``--resume``."""
    if not args.resume:
        return "nothing is kept; with --resume FOLDER what is done stays"
    from shlex import join

    from bayesbridge.studies.jobs import checkpoint_progress

    work_done = checkpoint_progress(Path(args.resume), noun)
    command = join(["bayesbridge", *args.words])
    return f"kept in {args.resume!r}: {work_done}; go on with: {command}"
