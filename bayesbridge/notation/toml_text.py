"""TOML files as people write them: their text, what they say, and the line of each key,
for errors that name it.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from bayesbridge.errors import NotationError

_TOKEN = re.compile(
    r"""#[^\n]*"""
    r"""|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')(?P<quoted>[ \t]*=)?"""
    r"""|(?P<bare>[A-Za-z0-9_-]+)[ \t]*=""",
    re.DOTALL,
)


class Toml:
    """A file: ``document`` is what it says; keys of one name keep their order, so
    counting them finds their lines.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """``raw`` is what the file holds; ``path`` names it in errors and is not
        opened.
        """
        self.path, self._seen = path, dict[str, int]()
        text = ""
        try:
            text = raw.decode("utf-8-sig").replace("\r\n", "\n")
            self.document = tomllib.loads(text)
        except UnicodeDecodeError as error:
            raise NotationError(
                f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8"
            ) from None
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
        for token in _TOKEN.finditer(text):
            line = text.count("\n", 0, token.start()) + 1
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
            raw = Path(path).read_bytes()
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
