"""Lines for people on stderr: the one way there, so that no text from elsewhere reaches a terminal as it is."""

from __future__ import annotations

import sys

from bayesbridge.words import printable


def tell(line: object, begin: str = "bayesbridge: ") -> None:
    """One line; nothing where there is no stderr, as under a window system."""
    if sys.stderr is not None:  # print would turn to stdout
        sys.stderr.write(f"{begin}{printable(line)}\n")
