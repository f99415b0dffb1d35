"""Errors of the command line: what is wrong with which argument."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bayesbridge.errors import BayesBridgeError, Contradiction, cut


class UsageError(BayesBridgeError):
    """A command line that cannot be understood."""


@contextmanager
def attributed(option: str, *passed_on: type[Exception]) -> Iterator[None]:
    """Name the option in errors of the block.

    Contradictions of the evidence and the types ``passed_on`` are left as they are: no
    single option causes them.
    """
    try:
        yield
    except BayesBridgeError as error:
        if isinstance(error, (Contradiction, UsageError, *passed_on)):
            raise
        raise UsageError(f"argument {cut(option)}: {error}") from None
