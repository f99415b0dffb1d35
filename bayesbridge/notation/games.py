"""The outer form of PBN: lines into games, a game being its tag pairs with the lines that follow some of them.

What the values mean is not known here; which text is a comment, where a game ends and what is no tag pair is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bayesbridge.notation.reading import Document, Skipped
from bayesbridge.notation.record import is_tag_name

type Lines = list[tuple[int, str]]
"""Lines with their numbers."""

_TAG: Final = re.compile(r'\[\s*([A-Za-z_][A-Za-z0-9_]*)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_COMMENT: Final = re.compile("[{;]")
_ESCAPED: Final = re.compile(r'\\(["\\])')
_OPENERS: Final = ("[Event ", "[Board ")
_STARTS: Final = frozenset(("Event", "Board", "Deal"))
"""Tags that stand once in a game, so that a second one begins the next even if no empty line does."""

SECTIONS: Final = ("Auction", "Play")
"""Tags whose lines are calls and cards, where comments may stand anywhere."""

NO_LINES: Final = frozenset(("Board", "Room", "Dealer", "Vulnerable", "Deal", "Declarer", "Contract", "Result", "Note"))
"""Tags that no line belongs to."""


class RawTag:
    """A tag pair: name, value, its line, and the lines that follow it."""

    __slots__ = ("line", "lines", "name", "value")

    def __init__(self, name: str, value: str, line: int) -> None:
        self.name, self.value, self.line = name, value, line
        self.lines: Lines = []


class Game:
    """The tag pairs of one table; ``call_notes`` are the Note tags that follow the auction."""

    __slots__ = ("by_name", "call_notes", "line", "section", "tags")

    def __init__(self, line: int) -> None:
        self.line = line
        self.tags: list[RawTag] = []
        self.by_name: dict[str, RawTag] = {}
        self.call_notes: list[str] = []
        self.section = ""

    def add(self, tag: RawTag) -> None:
        """Put a tag in its place; of two with one name only the first counts, but for notes."""
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
        return "" if tag is None or tag.value == "?" else tag.value

    def line_of(self, name: str) -> int:
        """The line of a tag, or else of the game."""
        tag = self.by_name.get(name)
        return self.line if tag is None else tag.line

    def ends_before(self, name: str, after_gap: bool) -> bool:
        """Whether a tag of this name belongs to the next game."""
        if name in self.by_name:
            return after_gap or name in _STARTS
        return after_gap and name in ("Event", "Board") and any(known in self.by_name for known in ("Deal", *SECTIONS))


class _Comment:
    """Takes comments out of lines; remembers one that is still open and where it began."""

    def __init__(self) -> None:
        self.opened = 0

    def without(self, number: int, line: str) -> str:
        """The line without its comments."""
        kept: list[str] = []
        place = 0
        while place < len(line):
            if self.opened:
                end = line.find("}", place)
                if end < 0:
                    break
                self.opened, place = 0, end + 1
                continue
            mark = _COMMENT.search(line, place)
            kept.append(line[place : len(line) if mark is None else mark.start()])
            if mark is None or mark[0] == ";":
                break
            self.opened, place = number, mark.end()
        return " ".join(kept).rstrip()


def games(document: Document) -> Iterator[Game | Skipped]:
    """The games of a document, and notes on what belongs to none."""
    file, game, tag = document.name, None, None
    previous: dict[str, str] = {}
    comment = _Comment()
    gap = complained = False
    number = 0
    for number, line in document.lines():
        if comment.opened:
            if gap and line.startswith(_OPENERS):
                yield Skipped(file, comment.opened, "comment '{' is not closed before the next game: write '}'")
                comment.opened = 0
            else:
                gap = not line or line.isspace()
                line = comment.without(number, line).lstrip()
                if not line:
                    continue
        mark = line[:1]
        if mark == "[":
            tags, leftover = _tag_pairs(line)
            if leftover and (leftover := comment.without(number, leftover).strip()):
                yield Skipped(file, number, _no_tag(leftover))
            for name, told in tags:
                if game is not None and game.ends_before(name, gap):
                    previous = {tag.name: tag.value for tag in game.tags}
                    yield game
                    game = None
                value = told
                if told.startswith("#"):
                    value = told[2:] if told.startswith("##") else previous.get(name, "")
                    if told == "#" and name not in previous:
                        yield Skipped(file, number, f"[{name} {told!r}] repeats the game before, which has no {name}")
                game, gap = game or Game(number), False
                tag = RawTag(name, value, number)
                game.add(tag)
        elif not mark or line.isspace():
            gap = True
        elif mark != "%":
            if "{" in line or ";" in line:
                in_table = tag is not None and tag.name not in SECTIONS and tag.name not in NO_LINES
                if not in_table or line.lstrip().startswith(("{", ";")):
                    line = comment.without(number, line)
                    gap = gap and not comment.opened
                if not line or line.isspace():
                    continue
            if tag is not None and tag.name not in NO_LINES:
                tag.lines.append((number, line))
            elif not complained:
                complained = True
                yield Skipped(file, number, f"{line.strip()!r} stands in no section: text follows [Auction] or [Play]")
    if comment.opened:
        yield Skipped(file, comment.opened, "comment '{' is not closed before the end of the file: write '}'")
    if game is not None:
        yield game
    elif number and not complained and not comment.opened:
        yield Skipped(file, number, 'no tag pair such as [Board "1"] in the file: is it PBN?')
    if document.damage:
        yield Skipped(file, number, document.damage)


def _tag_pairs(line: str) -> tuple[list[tuple[str, str]], str]:
    """The tag pairs of a line that begins with ``[``, and what is left of it."""
    whole = line.rstrip()
    if whole.endswith('"]'):
        name, quote, value = whole[1:-2].partition('"')
        # Quotes inside are meant as they stand, unless a bracket shows that they end one tag and begin another.
        if quote and is_tag_name(name := name.strip()) and '"]' not in value and '" ]' not in value:
            return [(name, _ESCAPED.sub(r"\1", value) if "\\" in value else value)], ""
    pairs: list[tuple[str, str]] = []
    end = 0
    while match := _TAG.match(whole, end):
        pairs.append((match[1], _ESCAPED.sub(r"\1", match[2])))
        end = match.end()
        while whole[end : end + 1].isspace():
            end += 1
    return pairs, whole[end:]


def _no_tag(text: str) -> str:
    clipped = text if len(text) <= 60 else f"{text[:60]}…"
    if text.startswith("[") and text.count('"') == 1:
        return f'tag pair {clipped!r} has no closing quote: write [Name "value"]; the tag is left out'
    return f'{clipped!r} is no tag pair: write [Name "value"]; it is left out'
