"""From the lines of a PBN document to games, the tags of one table each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from bayesbridge.notation.reading import Document, Skipped
from bayesbridge.notation.record import is_tag_name

SECTIONS: Final = ("Auction", "Play")
"""Tags whose lines are calls and cards, where comments may stand anywhere."""

NO_LINES: Final = frozenset(
    (
        "Board",
        "Room",
        "Dealer",
        "Vulnerable",
        "Deal",
        "Declarer",
        "Contract",
        "Result",
        "Note",
    )
)
"""Tags that no line belongs to."""

_FIRST_TAGS: Final = ("Event", "Board")
"""Tags that a game may begin with."""

_OPENERS: Final = ("[Event ", "[Board ")
_ONCE: Final = frozenset(("Event", "Board", "Deal"))
"""Tags of which a second one begins the next game, even without a gap."""

_TAG: Final = re.compile(r'\[\s*([A-Za-z_][A-Za-z0-9_]*)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_COMMENT: Final = re.compile("[{;]")
_ESCAPED: Final = re.compile(r'\\(["\\])')

LONGEST_LEFTOVER: Final = 60
"""Characters of what is no tag that a note shows."""


@dataclass(slots=True)
class RawTag:
    """A tag pair with its line, and the lines that follow it, with their numbers."""

    name: str
    value: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def takes_lines(self) -> bool:
        """Whether lines below it belong to it."""
        return self.name not in NO_LINES

    @property
    def is_table(self) -> bool:
        """Whether the lines below it are rows, where a comment sign is text."""
        return self.takes_lines and self.name not in SECTIONS


@dataclass(slots=True)
class Game:
    """The tag pairs of one table.

    ``call_notes`` are the Note tags that follow the auction.
    """

    line: int
    tags: list[RawTag] = field(default_factory=list)
    by_name: dict[str, RawTag] = field(default_factory=dict)
    call_notes: list[str] = field(default_factory=list)
    section: str = ""

    def add(self, tag: RawTag) -> None:
        """Put a tag in its place.

        Of two with one name only the first counts, but for notes.
        """
        if tag.name in SECTIONS:
            self.section = tag.name
        if tag.name == "Note" and self.section:
            if self.section == "Auction":
                self.call_notes.append(tag.value)
            return
        if tag.name == "Note" or tag.name not in self.by_name:
            self.tags.append(tag)
            self.by_name[tag.name] = tag

    def value(self, name: str) -> str:
        """The value of a tag, empty if it is not there or not known."""
        tag = self.by_name.get(name)
        if tag is None or tag.value == "?":
            return ""
        return tag.value

    def line_of(self, name: str) -> int:
        """The line of a tag, or else of the game."""
        tag = self.by_name.get(name)
        if tag is None:
            return self.line
        return tag.line

    def ends_before(self, name: str, after_gap: bool) -> bool:
        """Whether a tag of this name belongs to the next game."""
        if name in self.by_name:
            return after_gap or name in _ONCE
        if not after_gap or name not in _FIRST_TAGS:
            return False
        return any(known in self.by_name for known in ("Deal", *SECTIONS))


@dataclass
class _Comment:
    """Takes comments out of lines.

    It remembers the line where one began that is still open.
    """

    opened: int = 0
    """The line where the comment began that is still open; 0 where none is."""

    def without(self, number: int, line: str) -> str:
        """The line of this number without its comments: ``{…}``, or ``;`` to its end."""
        kept: list[str] = []
        place = 0
        while place < len(line):
            if self.opened:
                end = line.find("}", place)
                if end < 0:
                    break
                self.opened = 0
                place = end + 1
                continue
            mark = _COMMENT.search(line, place)
            if mark is None:
                kept.append(line[place:])
                break
            kept.append(line[place : mark.start()])
            if mark[0] == ";":
                break
            self.opened = number
            place = mark.end()
        return " ".join(kept).rstrip()


def games(document: Document) -> Iterator[Game | Skipped]:
    """The games of a document, and notes on what belongs to none."""
    reader = _GameReader(document.name)
    number = 0
    for number, line in document.lines():
        reader.take(number, line)
        if reader.ready:
            yield from reader.ready
            reader.ready.clear()
    reader.end(number)
    yield from reader.ready
    if document.damage:
        yield Skipped(document.name, number, document.damage)


class _GameReader:
    """Takes lines one by one; ``ready`` are the games that are complete, and notes."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.ready: list[Game | Skipped] = []
        self._game: Game | None = None
        self._tag: RawTag | None = None
        self._earlier_values: dict[str, str] = {}
        self._comment = _Comment()
        self._after_gap = False
        self._noted_stray_line = False

    def take(self, number: int, line: str) -> None:
        """Take a line, which is a tag, belongs to the last one, or separates games.

        A line that begins with ``%`` is for the program that wrote the file.
        """
        if self._comment.opened:
            line = self._within_comment(number, line)
            if not line:
                return
        mark = line[:1]
        if mark == "[":
            self._take_tags(number, line)
        elif not mark or line.isspace():
            self._after_gap = True
        elif mark != "%":
            self._take_row(number, line)

    def end(self, number: int) -> None:
        """Note what is wrong at the end, after line ``number``."""
        if self._comment.opened:
            self._note_open_comment("before the end of the file")
        if self._game is not None:
            self.ready.append(self._game)
        elif number and not self._noted_stray_line and not self._comment.opened:
            self._note(
                number, 'no tag pair such as [Board "1"] in the file: is it PBN?'
            )

    def _note(self, line: int, reason: str) -> None:
        self.ready.append(Skipped(self.file, line, reason))

    def _note_open_comment(self, place: str) -> None:
        self._note(
            self._comment.opened, f"comment '{{' is not closed {place}: write '}}'"
        )

    def _within_comment(self, number: int, line: str) -> str:
        """What of a line stands behind the comment that an earlier one began."""
        if self._after_gap and line.startswith(_OPENERS):
            self._note_open_comment("before the next game")
            self._comment.opened = 0
            return line
        self._after_gap = not line or line.isspace()
        return self._comment.without(number, line).lstrip()

    def _take_tags(self, number: int, line: str) -> None:
        pairs, leftover = _tag_pairs(line)
        if leftover:
            leftover = self._comment.without(number, leftover).strip()
        if leftover:
            shown = leftover
            if len(leftover) > LONGEST_LEFTOVER:
                shown = f"{leftover[:LONGEST_LEFTOVER]}…"
            self._note(
                number,
                f'{shown!r} is no tag pair: write [Name "value"]; it is left out',
            )
        for name, value in pairs:
            self._take_tag(number, name, value)

    def _take_tag(self, number: int, name: str, written: str) -> None:
        """Put a tag into the game, or begin the next one with it.

        The values of a complete game are kept: in the next, ``#`` repeats them.
        """
        game = self._game
        if game is not None and game.ends_before(name, self._after_gap):
            self._earlier_values = {tag.name: tag.value for tag in game.tags}
            self.ready.append(game)
            game = None
        value = self._value(number, name, written)
        if game is None:
            game = Game(number)
        self._game = game
        self._after_gap = False
        self._tag = RawTag(name, value, number)
        game.add(self._tag)

    def _value(self, number: int, name: str, written: str) -> str:
        """What a value means: one that begins with ``#`` is that of the game before.

        ``##`` stands for a sign # itself. A note tells where the game before has none.
        """
        if not written.startswith("#"):
            return written
        if written.startswith("##"):
            return written[2:]
        if written == "#" and name not in self._earlier_values:
            self._note(
                number,
                f"[{name} {written!r}] repeats the game before, which has no {name}",
            )
        return self._earlier_values.get(name, "")

    def _take_row(self, number: int, line: str) -> None:
        """Take a line that is no tag: calls, cards or a row of a table."""
        row = self._row_without_comment(number, line)
        tag = self._tag
        if row is None:
            return
        if tag is not None and tag.takes_lines:
            tag.lines.append((number, row))
        elif not self._noted_stray_line:
            self._noted_stray_line = True
            self._note(
                number,
                f"{row.strip()!r} stands in no section: text follows [Auction] or [Play]",
            )

    def _row_without_comment(self, number: int, line: str) -> str | None:
        """The line without its comments; ``None`` where nothing else is in it.

        Within a row of a table the signs of comments are text. A comment that goes on in
        the next line ends the gap between two games.
        """
        if "{" not in line and ";" not in line:
            return line
        in_table = self._tag is not None and self._tag.is_table
        row = line
        if not in_table or line.lstrip().startswith(("{", ";")):
            row = self._comment.without(number, line)
            self._after_gap = self._after_gap and not self._comment.opened
        if not row or row.isspace():
            return None
        return row


def _tag_pairs(line: str) -> tuple[list[tuple[str, str]], str]:
    """The tag pairs of a line that begins with ``[``, and what is left of it."""
    text = line.rstrip()
    pair = _only_pair(text)
    if pair is not None:
        return [pair], ""
    pairs: list[tuple[str, str]] = []
    end = 0
    while (tag := _TAG.match(text, end)) is not None:
        pairs.append((tag[1], _unescaped(tag[2])))
        end = tag.end()
        while text[end : end + 1].isspace():
            end += 1
    return pairs, text[end:]


def _only_pair(text: str) -> tuple[str, str] | None:
    """The tag pair that a whole line is, ``None`` if there may be several.

    Quotes inside the value are a part of it, though they should be escaped; but a quote
    before a bracket ends one tag, so that another follows.
    """
    if not text.endswith('"]'):
        return None
    written_name, quote, value = text[1:-2].partition('"')
    name = written_name.strip()
    if not quote or not is_tag_name(name) or '"]' in value or '" ]' in value:
        return None
    return name, _unescaped(value)


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(r"\1", value) if "\\" in value else value
