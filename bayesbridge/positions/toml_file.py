"""Positions in TOML files: who looks, at what, and what was seen in order. The schema is in docs/position-files.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any

from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.evidence.piece import Piece
from bayesbridge.notation.toml_text import key_lines, parse_toml, read_toml
from bayesbridge.positions.position import Position, Sourced
from bayesbridge.positions.settings import SETTINGS


def read_position(path: str) -> Position:
    """Read a file; whatever is wrong with it is said with its line and key."""
    return _Reader(path, *read_toml(path, "--position")).position()


def parse_position(name: str, raw: bytes) -> Position:
    """The same of what a file holds; ``name`` stands in errors and is not opened."""
    return _Reader(name, *parse_toml(name, raw)).position()


class _Reader:
    """Reads a document whose text tells the line of each key and value."""

    def __init__(self, path: str, text: str, document: dict[str, Any]) -> None:
        self.path, self.document = path, document
        self.lines = key_lines(text)
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
            setting = SETTINGS[key]
            if setting.many:
                texts = value if isinstance(value, list) and value else [value]
                settings[key] = Sourced(tuple(_read(where, setting.read, text) for text in texts), where)
            else:
                settings[key] = Sourced(_read(where, setting.read, value), where)
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
