"""TOML files as people write them: their text, what they say, and the line of each key, for errors that name it."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

from bayesbridge.errors import BayesBridgeError, NotationError

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


def read_toml(path: str, option: str | None = None) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what it says; an ``option`` that names it is named where it cannot be read."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        where = f"argument {option}: " if option else ""
        raise NotationError(f"{where}cannot read {path!r}: {error.strerror}; name a TOML file") from None
    return parse_toml(path, raw)


def parse_toml(path: str, raw: bytes) -> tuple[str, dict[str, Any]]:
    """The same of what a file holds; ``path`` names it in errors and is not opened."""
    text = ""
    try:
        text = _text(path, raw)
        return text, tomllib.loads(text)
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


def _text(path: str, raw: bytes) -> str:
    """The text of a file of reasonable size: a long name with many dots would fill the memory of the parser."""
    if len(raw) > MOST_BYTES:
        raise NotationError(f"{path}: more than {MOST_BYTES} bytes: name a smaller file")
    text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    if long := re.search(rf"[^=\n]{{{LONGEST + 1}}}", text):
        line = text.count("\n", 0, long.start()) + 1
        raise NotationError(f"{path}:{line}: more than {LONGEST} letters without '=' in one line: break the line")
    return text


def key_lines(text: str) -> dict[str, list[tuple[int, list[int]]]]:
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
