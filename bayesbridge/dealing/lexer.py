"""Words of the dealer language, each with its line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bayesbridge.errors import NotationError, shorten

_WORDS: Final = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*|//[^\n]*|/\*.*?\*/)
  | (?P<text>"[^"]*")
  | (?P<newline>\\n)
  | (?P<word>[A-Za-z0-9_]+)
  | (?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%<>=!?:,(){}])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """``kind``: text, newline, word, sign or end."""

    kind: str
    text: str
    line: int
    column: int

    def wrong(self, what: str) -> NotationError:
        """The error that something is wrong here."""
        return NotationError(f"line {self.line}, column {self.column}: {what}", text=self.text, line=self.line)

    @property
    def quoted(self) -> str:
        """As it is shown in an error."""
        return "the end of the script" if self.kind == "end" else shorten(self.text)


def tokens(script: str) -> list[Token]:
    """All words of a script, comments left out; the last is the end.

    >>> [token.text for token in tokens('produce 10 # deals')]
    ['produce', '10', '']
    """
    return list(_tokens(script))


def _tokens(script: str) -> Iterator[Token]:
    place, line, begin = 0, 1, 0
    while place < len(script):
        match = _WORDS.match(script, place)
        here = Token("sign", script[place], line, place - begin + 1)
        if script.startswith("/*", place) and (match is None or match.lastgroup != "space"):
            raise here.wrong("a comment has no end: close it with */")
        if match is None:
            unclosed = {'"': 'text has no end: close it with "'}
            raise here.wrong(unclosed.get(script[place], f"{script[place]!r} has no meaning here: take it away"))
        kind, text = str(match.lastgroup), match.group()
        if kind != "space":
            yield Token(kind, text, line, place - begin + 1)
        if "\n" in text:
            line += text.count("\n")
            begin = place + text.rindex("\n") + 1
        place = match.end()
    yield Token("end", "", line, place - begin + 1)
