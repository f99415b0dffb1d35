"""TOML files as people write them, with the line of each key.

Errors name the line.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final, NamedTuple

from bayesbridge.errors import NotationError, shorten

_TOKEN: Final = re.compile(
    r"""#[^\n]*"""
    r"""|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(?P<quoted>[ \t]*=)?"""
    r"""|(?<![A-Za-z0-9_-])(?P<bare>[A-Za-z0-9_-]++)[ \t]*=""",
    re.DOTALL,
)
"""A comment, a quoted text (``quoted``: it is a key), or a key without quotes."""

_BARE_KEY: Final = re.compile(r"\s*([\w-]+)\s*=")

_DOTTED_KEY: Final = re.compile(
    r"""(?:(?:"[^"\n]*+"|'[^'\n]*+'|(?<![\w-])[\w-]++)[ \t]*+\.[ \t]*+){16}"""
)
"""A key of so many parts that nobody meant it: the time that the library takes for one
grows with the square of their number.
"""

LONGEST_TOML: Final = 1_000_000
"""Bytes."""


class _KeyPlace(NamedTuple):
    """The line of a key, and of each quoted text that follows up to the next key."""

    line: int
    text_lines: list[int]


class Toml:
    """A TOML file: its text, and what it says.

    ``document`` is what it says; keys of one name keep their order, so counting them
    finds their lines.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """Read a file that was opened.

        ``raw`` is what the file holds; ``path`` names it in errors and is not opened.
        """
        self.path = path
        text = _decoded(path, raw)
        _verify_keys(path, text)
        self.document = _parsed(path, text)
        self._places = _key_places(text)
        self._asked_for: dict[str, int] = {}

    @classmethod
    def read(cls, path: str, option: str | None = None) -> Toml:
        """Open a file; an ``option`` that names it is named where it cannot be read."""
        try:
            with open(path, "rb") as file:
                raw = file.read(LONGEST_TOML + 1)
        except OSError as error:
            where = f"argument {option}: " if option else ""
            raise NotationError(
                f"{where}cannot read {path!r}: {error.strerror}; name a TOML file"
            ) from None
        return cls(path, raw)

    def next(self, key: str) -> tuple[str, list[str]]:
        """``file:line: key`` of the next key of this name, and of the texts after it.

        Called once for each key of this name, in order. A key that is written otherwise
        than plainly (as part of a dotted key) has no line; each quoted text has a place.

        >>> file = Toml("a.toml", b'call = "1H"\\nhcp = [\\n "E:1",\\n "E:2"]')
        >>> file.next("hcp")
        ('a.toml:2: hcp', ['a.toml:3: hcp', 'a.toml:4: hcp'])
        >>> file.next("hcp")
        ('a.toml: hcp', [])
        """
        number = self._asked_for.get(key, 0)
        self._asked_for[key] = number + 1
        places = self._places.get(key, [])
        if number >= len(places):
            return f"{self.path}: {key}", []
        place = places[number]
        texts = [f"{self.path}:{line}: {key}" for line in place.text_lines]
        return f"{self.path}:{place.line}: {key}", texts


def _decoded(path: str, raw: bytes) -> str:
    """The text of a file, its lines ended as in Unix."""
    if len(raw) > LONGEST_TOML:
        raise NotationError(
            f"{path}: more than {LONGEST_TOML} bytes: "
            "name a file that a person has written"
        )
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise NotationError(
            f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None


def _verify_keys(path: str, text: str) -> None:
    """Raise where the parts of a key are too many."""
    key = _DOTTED_KEY.search(text)
    if key is not None:
        line = text.count("\n", 0, key.start()) + 1
        raise NotationError(
            f"{path}:{line}: {shorten(key[0])} is a key of too many parts: "
            "write a name without dots"
        )


def _parsed(path: str, text: str) -> dict[str, Any]:
    """What a TOML text says."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _syntax_error(path, text, str(error)) from None
    except ValueError as error:
        # A number of more digits than Python reads.
        raise NotationError(f"{path}: not TOML: {error}") from None


def _syntax_error(path: str, text: str, message: str) -> NotationError:
    """The error with its line and with the key that stands there.

    The line is the one that the library names, else the last.
    """
    fault, _, place = message.partition(" (at ")
    lines = text.splitlines()
    numbered = re.match(r"line (\d+)", place)
    line = int(numbered[1]) if numbered else len(lines)
    key = _BARE_KEY.match(lines[line - 1]) if line <= len(lines) else None
    named = f"{key[1]}: " if key else ""
    return NotationError(
        f"{path}:{line}: {named}not TOML: {fault}; "
        'write key = "text", with texts in quotes'
    )


def _key_places(text: str) -> dict[str, list[_KeyPlace]]:
    """Where the keys of each name stand, in order, and the texts that follow each.

    The list of a key is put in its place empty, and filled as its texts are met.
    """
    places: dict[str, list[_KeyPlace]] = {}
    text_lines: list[int] = []
    line = 1
    counted_to = 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted_to, token.start())
        counted_to = token.start()
        if token["bare"] or token["quoted"]:
            key = token["bare"] or token["text"][1:-1]
            text_lines = []  # of this key from here on
            places.setdefault(key, []).append(_KeyPlace(line, text_lines))
        elif token["text"]:
            text_lines.append(line)
    return places
