"""How answers look. All that is written to stdout goes through here: no escape of a
file reaches a terminal.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.files import writing
from bayesbridge.display.markup import Table, in_columns
from bayesbridge.display.words import SEATS, number, printable, with_symbols

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.position import Position


def print_json(document: dict[str, Any]) -> None:
    """One object on one line, in ASCII, so that it survives any terminal."""
    end_progress()
    print(
        json.dumps(document, allow_nan=False).replace("\x7f", "\\u007f")
    )  # DEL is ASCII, and JSON leaves it


def say(*sentences: str, indent: str = "") -> None:
    """Each of them in lines that the terminal is wide enough for."""
    say_whole(*(line for one in sentences for line in in_lines(one, indent) or ("",)))


def say_whole(*lines: str) -> None:
    """Lines that are never broken; each argument is one line, whatever it holds."""
    end_progress()
    for line in lines:
        print(_shown(line))


def _shown(text: object) -> str:
    """As stdout can show it: suits by their letters where it has no symbols."""
    line = printable(text)
    return line if line.isascii() or _draws("♠♥♦♣") else line.translate(LETTERS)


def bold(line: str) -> str:
    """As a terminal shows it, and as it is anywhere else; bold is no colour, so
    ``NO_COLOR`` does not matter.
    """
    plain = (
        os.name == "nt"
        or os.environ.get("TERM") in ("dumb", "unknown")
        or not sys.stdout.isatty()
    )
    return line if plain or not line else f"\x1b[1m{line}\x1b[0m"


def present(
    args: Namespace, document: dict[str, Any], *parts: Table | str | Callable[[], None]
) -> int:
    """An answer: one object for programs; for people its tables, its sentences, and
    what prints itself.
    """
    if args.json:
        print_json(document)
    for part in () if args.json else parts:
        show_table(part) if isinstance(part, Table) else say(part) if isinstance(
            part, str
        ) else part()
    return 0


def game_line(position: Position) -> list[str]:
    """The first line of an answer: which game is meant, where that was not said."""
    return [position.game_in_doubt] if position.game_in_doubt else []


def write_page(args: Namespace, path: Path, page: str, about: dict[str, Any]) -> None:
    """A page into a file, and a line that it is there; for programs beside what it is
    ``about``.
    """
    with writing("--out", path) as part:
        part.write_text(page, "utf-8", newline="\n")
    size = path.stat().st_size
    if args.json:
        print_json({"file": str(path), "bytes": size, **about})
    else:
        say_whole(f"{path}: {number(size)} bytes, opens in any browser.")


def answer_first(table: Table, depends: str = "") -> tuple[Table | str, ...]:
    """What the first note says, which is the answer in words, on what it ``depends``,
    and then the table.
    """
    return (
        *filter(None, (table.notes[0], depends)),
        "",
        replace(table, notes=table.notes[1:]),
    )


def show_table(table: Table) -> None:
    """The table, with bars where it wants them, and its notes; columns that have no
    room follow below.
    """
    end_progress()
    rows, header, left = table.words, list(table.columns), table.left
    if table.bars:
        shares = [float(row[1]) for row in table.rows]
        widest = max(shares, default=0.0) or 1.0
        header = [header[0], f"{header[1]:>8}", "", *header[2:]]
        columns = zip(
            header, *([row[0], " " * 8, "", *row[2:]] for row in rows), strict=True
        )
        room = (
            terminal_width() - sum(max(map(len, column)) + 3 for column in columns) + 3
        )
        width, left = max(5, min(40, room)), len(header)
        drawn = [_bar(share / widest, width) for share in shares]
        rows = [
            [row[0], f"{row[1]:>8}", blocks, *row[2:]]
            for row, blocks in zip(rows, drawn, strict=True)
        ]
    for line in (*map(bold, in_lines(_shown(table.title))), ""):
        print(line)
    shown = [[_shown(cell) for cell in row] for row in (header, *rows)]
    for head, rule, *body in in_columns(
        shown[0], shown[1:], left, width=terminal_width()
    ):
        for line in (bold(head), rule if _draws("─") else "-" * len(rule), *body, ""):
            print(line)
    if table.notes:
        say(*table.notes, "")


def _bar(share: float, width: int) -> str:
    """A bar of blocks; a share too small for an eighth of a block still leaves a mark."""
    if not _draws("█▏"):
        return "#" * max(round(share * width), int(share > 0))
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _draws(letters: str) -> bool:
    try:
        letters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, AttributeError):
        return False
    return True


LETTERS = str.maketrans("♠♥♦♣", "SHDC")

_bars: dict[str, Any] = {}  # the bar of what is being counted, if it is not finished


def on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def show_progress(noun: str, done: int, total: int) -> None:
    """On a terminal, show on stderr how many of all are done, and the time that is
    left.
    """
    if not on_terminal():
        return
    if (
        done < total and noun not in _bars
    ):  # what is done at once needs no bar; output ends one
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        end_progress()
        words = TextColumn("{task.description}")
        _bars[noun] = Progress(
            BarColumn(20), words, TimeRemainingColumn(), console=Console(stderr=True)
        )
        _bars[noun].add_task("")
    if noun in _bars:
        _bars[noun].update(
            0,
            completed=done,
            total=total,
            description=f"{number(done)} of {number(total)} {noun}",
        )
        _bars[noun].start()
        if done == total:
            end_progress()


def end_progress() -> None:
    """Finish the bar, also of work that failed, so that the terminal shows its cursor
    again.
    """
    while _bars:
        _bars.popitem()[1].stop()


def print_evidence(belief: Belief) -> None:
    """For people: the hand, the evidence in order, and the passes that nobody
    mentioned.
    """
    hand, dummy = belief.hand, belief.dummy
    say(f"{SEATS[belief.observer.name]} holds {hand.pbn}, {hand.points} points.")
    if belief.evidence:
        say(f"Seen: {'; '.join(map(with_symbols, belief.evidence))}.", indent="      ")
    say(*belief.assumptions)
    if dummy is None and belief.auction is not None and not belief.systems:
        say("If you know what they play, say so: --system sayc, or --style.")
    if belief.assumed_passes:
        who = ", ".join(seat.name for seat in belief.assumed_passes)
        say(
            f"Taken to have passed, since no call of theirs was given: {who}. The auction is '{belief.auction}'."
        )


def print_how(posterior: Posterior, sentences: Iterable[str] | None = None) -> None:
    """What was seen, and how exact the answer is, in its own sentences if there are
    any.
    """
    from bayesbridge.belief.posterior import accuracy_document, accuracy_sentences

    print_evidence(posterior.belief)
    say(
        *(
            accuracy_sentences(accuracy_document(posterior))
            if sentences is None
            else sentences
        )
    )


def in_lines(words: str, indent: str = "") -> list[str]:
    width = min(100, terminal_width())
    indent = indent or " " * (len(words) - len(words.lstrip()))
    return wrap(
        printable(words),
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def terminal_width() -> int:
    return max(40, get_terminal_size().columns)
