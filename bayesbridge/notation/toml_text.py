"""TOML files as people write them: their text, what they say, and the line of each key,
for errors that name it.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final

from bayesbridge.errors import NotationError, shorten

_TOKEN = re.compile(
    r"""#[^\n]*"""
    r"""|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(?P<quoted>[ \t]*=)?"""
    r"""|(?<![A-Za-z0-9_-])(?P<bare>[A-Za-z0-9_-]++)[ \t]*=""",
    re.DOTALL,
)

_DOTTED_KEY: Final = re.compile(
    r"""(?:(?:"[^"\n]*+"|'[^'\n]*+'|(?<![\w-])[\w-]++)[ \t]*+\.[ \t]*+){16}"""
)
"""A key of so many parts that nobody meant it: the time that the library takes for one
grows with the square of their number.
"""

LONGEST_TOML: Final = 1_000_000  # bytes


class Toml:
    """A file: ``document`` is what it says; keys of one name keep their order, so
    counting them finds their lines.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """``raw`` is what the file holds; ``path`` names it in errors and is not
        opened.
        """
        self.path, self._seen = path, dict[str, int]()
        if len(raw) > LONGEST_TOML:
            raise NotationError(
                f"{path}: more than {LONGEST_TOML} bytes: "
                "name a file that a person has written"
            )
        try:
            text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise NotationError(
                f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8"
            ) from None
        _verify_keys(path, text)
        try:
            self.document = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            what, _, place = str(error).partition(" (at ")
            numbered = re.match(r"line (\d+)", place)
            lines = text.splitlines()
            line = int(numbered[1]) if numbered else len(lines)
            key = (
                re.match(r"\s*([\w-]+)\s*=", lines[line - 1])
                if line <= len(lines)
                else None
            )
            named = f"{key[1]}: " if key else ""
            raise NotationError(
                f'{path}:{line}: {named}not TOML: {what}; write key = "text", with texts in quotes'
            ) from None
        except ValueError as error:
            raise NotationError(
                f"{path}: not TOML: {error}"
            ) from None  # a number of more digits than Python reads
        self._lines: dict[str, list[tuple[int, list[int]]]] = {}
        """For each key, in order: its line, and the lines of the quoted texts that
        follow it up to the next key.
        """
        texts: list[int] = []
        line = 1
        line_counted_to = 0
        for token in _TOKEN.finditer(text):
            line += text.count("\n", line_counted_to, token.start())
            line_counted_to = token.start()
            if token["bare"] or token["quoted"]:
                texts = []
                self._lines.setdefault(token["bare"] or token["text"][1:-1], []).append(
                    (line, texts)
                )
            elif token["text"]:
                texts.append(line)

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
        """``file:line: key`` of the next key of this name (no line if hidden), and of
        each quoted text after it.
        """
        number = self._seen[key] = self._seen.get(key, -1) + 1
        found = self._lines.get(key, [])
        if number >= len(found):
            return f"{self.path}: {key}", []
        line, texts = found[number]
        return f"{self.path}:{line}: {key}", [
            f"{self.path}:{text}: {key}" for text in texts
        ]


def _verify_keys(path: str, text: str) -> None:
    """Raise where the parts of a key are too many."""
    key = _DOTTED_KEY.search(text)
    if key is not None:
        line = text.count("\n", 0, key.start()) + 1
        raise NotationError(
            f"{path}:{line}: {shorten(key[0])} is a key of too many parts: "
            "write a name without dots"
        )
