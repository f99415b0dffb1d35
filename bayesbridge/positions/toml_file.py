"""Positions in TOML files: who looks, at what, and what was seen in order. The schema is in docs/position-files.md."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, Final

from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.evidence.piece import Piece
from bayesbridge.positions.position import Position, Sourced
from bayesbridge.positions.settings import SETTINGS

MOST_BYTES: Final = 100_000
"""Of a file; fifty-two cards played, a line each, take two thousand."""

LONGEST: Final = 1000
"""Letters of a line without ``=`` among them; fifty-two cards in one list take five hundred."""

_TOKEN = re.compile(
    r"""#[^\n]*"""
    r"""|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(?P<quoted>[ \t]*=)?"""
    r"""|(?P<bare>[A-Za-z0-9_-]+)[ \t]*=""",
    re.DOTALL,
)


def read_position(path: str) -> Position:
    """Read a file; whatever is wrong with it is said with its line and key."""
    return _Reader(path, *read_toml(path, "--position")).position()


def read_toml(path: str, option: str) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file that an option names, and what it says."""
    try:
        text = _text(path)
        return text, tomllib.loads(text)
    except OSError as error:
        raise NotationError(f"argument {option}: cannot read {path!r}: {error.strerror}; name a TOML file") from None
    except UnicodeDecodeError as error:
        raise NotationError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(path, text, error) from None
    except RecursionError:
        raise NotationError(f"{path}: lists or tables are nested too deep: take some brackets out") from None
    except ValueError as error:
        if isinstance(error, BayesBridgeError):
            raise
        raise NotationError(f"{path}: not TOML: {error}") from None  # a number of more digits than Python reads


def _text(path: str) -> str:
    """The text of a file of reasonable size: a long name with many dots would fill the memory of the parser."""
    with open(path, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise NotationError(f"{path}: more than {MOST_BYTES} bytes: name a smaller file")
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    if long := re.search(rf"[^=\n]{{{LONGEST + 1}}}", text):
        line = text.count("\n", 0, long.start()) + 1
        raise NotationError(f"{path}:{line}: more than {LONGEST} letters without '=' in one line: break the line")
    return text


class _Reader:
    """Reads a document whose text tells the line of each key and value."""

    def __init__(self, path: str, text: str, document: dict[str, Any]) -> None:
        self.path, self.document = path, document
        self.lines = _lines(text)
        self.seen: dict[str, int] = {}

    def position(self) -> Position:
        settings: dict[str, Sourced[Any]] = {}
        pieces: list[Sourced[Piece]] = []
        for key, value in self.document.items():
            if key == "evidence":
                pieces += self.evidence(value)
                continue
            where = f"{self.path}{self.line(key)}: {key}"
            if key not in SETTINGS:
                raise self.unknown(where, key, (*SETTINGS, "evidence"))
            settings[key] = Sourced(_read(where, SETTINGS[key].read, value), where)
        return Position(settings, tuple(pieces), self.path)

    def evidence(self, items: Any) -> Iterator[Sourced[Piece]]:
        where = f"{self.path}{self.line('evidence')}: evidence"
        if not isinstance(items, list):
            raise NotationError(f'{where}: write a list of pieces in order, such as [{{ call = "W:1NT" }}]')
        for item in items:
            if not isinstance(item, dict) or not item:
                raise NotationError(f'{where}: {item!r} does not say what kind it is: write {{ call = "W:1NT" }}')
            for key, value in item.items():
                number = self.count(key)
                for place, text in enumerate(value if isinstance(value, list) else [value]):
                    spot = f"{self.path}{self.line_of(key, number, place)}: {key}"
                    if key not in KINDS:
                        raise self.unknown(spot, key, tuple(KINDS))
                    yield Sourced(_read(spot, KINDS[key].of, text), spot)

    def count(self, key: str) -> int:
        """How many keys of this name came before; TOML keeps their order, so it finds the line."""
        self.seen[key] = self.seen.get(key, -1) + 1
        return self.seen[key]

    def line(self, key: str) -> str:
        return self.line_of(key, self.count(key), -1)

    def line_of(self, key: str, number: int, place: int) -> str:
        """``:7``, or nothing where an unusual spelling hides the line."""
        found = self.lines.get(key, [])
        if number >= len(found):
            return ""
        of_key, of_texts = found[number]
        return f":{of_texts[place] if 0 <= place < len(of_texts) else of_key}"

    def unknown(self, where: str, key: str, known: tuple[str, ...]) -> NotationError:
        near = get_close_matches(key, known, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return NotationError(f"{where}: unknown key {key!r}: {hint}keys here are {', '.join(known)}")


def _read(where: str, read: Callable[[str], Any], value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise NotationError(f"{where}: {_shown(value)} is neither text nor number: write it in quotes")
    if isinstance(value, int) and value.bit_length() > 64:
        raise NotationError(f"{where}: a number of {value.bit_length()} bits is out of range: write a smaller one")
    try:
        return read(str(value))
    except BayesBridgeError as error:
        raise NotationError(f"{where}: {error}") from None


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _lines(text: str) -> dict[str, list[tuple[int, list[int]]]]:
    """For each key, in order: its line, and the lines of the quoted texts that follow it up to the next key."""
    found: dict[str, list[tuple[int, list[int]]]] = {}
    texts: list[int] = []
    for token in _TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if token["bare"] or token["quoted"]:
            texts = []
            found.setdefault(token["bare"] or token["text"][1:-1], []).append((line, texts))
        elif token["text"]:
            texts.append(line)
    return found


def _not_toml(path: str, text: str, error: tomllib.TOMLDecodeError) -> NotationError:
    what, _, place = str(error).partition(" (at ")
    numbered = re.match(r"line (\d+)", place)
    lines = text.splitlines()
    line = int(numbered[1]) if numbered else len(lines)
    key = re.match(r"\s*([\w-]+)\s*=", lines[line - 1]) if line <= len(lines) else None
    named = f"{key[1]}: " if key else ""
    return NotationError(f'{path}:{line}: {named}not TOML: {what}; write key = "text", with texts in quotes')
