"""What the terminal shows: its width, its letters, bold and colour."""

from __future__ import annotations

import os
import re
import sys
from shutil import get_terminal_size
from textwrap import wrap
from typing import Final

from bayesbridge.display.words import printable

NARROWEST: Final = 40
WIDEST_SENTENCE: Final = 100

PLAIN_TERMINALS: Final = ("dumb", "unknown")
"""Values of ``TERM`` of terminals that show escape sequences as they are."""

BOLD: Final = "\x1b[1m"
PLAIN: Final = "\x1b[0m"
RED: Final = "\x1b[31m"
BLUE: Final = "\x1b[34m"
USUAL_COLOUR: Final = "\x1b[39m"

COLOURED: Final = ((re.compile("[♥♦]"), RED), (re.compile("[█▉▊▋▌▍▎▏]+"), BLUE))
"""What is shown in a colour: the red suits, and bars."""

EIGHTHS: Final = " ▏▎▍▌▋▊▉"
"""Blocks by the eighths of a column that they fill."""

SUIT_LETTERS: Final = str.maketrans("♠♥♦♣", "SHDC")


def terminal_width() -> int:
    """The columns of the terminal, or of ``COLUMNS``."""
    return max(NARROWEST, get_terminal_size().columns)


def can_show(letters: str) -> bool:
    """Whether the encoding of stdout has the letters."""
    try:
        letters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, AttributeError):
        return False
    return True


def shows_styles() -> bool:
    """Whether stdout is a terminal that obeys escape sequences."""
    is_plain = os.environ.get("TERM") in PLAIN_TERMINALS
    return os.name != "nt" and not is_plain and sys.stdout.isatty()


def shows_colours() -> bool:
    """Whether colours are shown; ``NO_COLOR`` with any text turns them off."""
    return shows_styles() and not os.environ.get("NO_COLOR")


def shown(text: object) -> str:
    """Text as stdout can show it: one line, suits by letters where it lacks symbols."""
    line = printable(text)
    if line.isascii() or can_show("♠♥♦♣"):
        return line
    return line.translate(SUIT_LETTERS)


def bold(line: str) -> str:
    """The line in bold, where stdout is a terminal.

    Bold is no colour, so that ``NO_COLOR`` does not matter.
    """
    return f"{BOLD}{line}{PLAIN}" if line and shows_styles() else line


def coloured(line: str) -> str:
    """The line with red suits and blue bars, where stdout shows colours."""
    if shows_colours():
        for letters, colour in COLOURED:
            line = letters.sub(rf"{colour}\g<0>{USUAL_COLOUR}", line)
    return line


def bar(share: float, width: int) -> str:
    """A bar of blocks, ``share`` of ``width`` columns long.

    A share too small for an eighth of a block leaves a mark.
    """
    at_least = 1 if share > 0 else 0
    if not can_show("█▏"):
        return "#" * max(round(share * width), at_least)
    eighths = max(round(share * width * 8), at_least)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def in_lines(sentence: str, indent: str = "") -> list[str]:
    """The sentence in lines that the terminal has room for.

    Lines after the first begin with ``indent``, by default as the first one does.
    """
    margin = " " * (len(sentence) - len(sentence.lstrip()))
    return wrap(
        printable(sentence),
        min(WIDEST_SENTENCE, terminal_width()),
        subsequent_indent=indent or margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
