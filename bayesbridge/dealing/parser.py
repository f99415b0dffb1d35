"""The expressions of the dealer language, with the operators of C and their precedence."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from bayesbridge.dealing.expressions import Expression, Held, Imps, Number, Operation, Payoff, Random, ShapeIn, Taken
from bayesbridge.dealing.holdings import COUNTS, FOUR_C, LENGTH, QUALITY, SHORT, Measure, one_card
from bayesbridge.dealing.lexer import Token, tokens
from bayesbridge.dealing.shape_lists import read_shape
from bayesbridge.dealing.vocabulary import (
    COUNT_WORDS,
    FUNCTIONS,
    MEASURES,
    RESERVED,
    SEATS,
    STRAIN_LETTERS,
    STRAINS,
    SUITS,
    card_of,
)
from bayesbridge.shapes import Shapes

_LEVELS: Final[tuple[Mapping[str, str], ...]] = (
    {"||": "or", "or": "or"},
    {"&&": "and", "and": "and"},
    {"==": "==", "!=": "!="},
    {"<": "<", "<=": "<=", ">": ">", ">=": ">="},
    {"+": "+", "-": "-"},
    {"*": "*", "/": "/", "%": "%"},
)
"""Binary operators from the loosest to the tightest."""

LARGEST: Final = 1_000_000_000
MOST_NODES: Final = 5_000
DEEPEST: Final = 250
_DEEPEST_NESTING: Final = 50


class Parser:
    """Reads words one after another; ``names`` are the definitions so far."""

    def __init__(self, text: str) -> None:
        self.words = tokens(text)
        self.place = 0
        self.names: dict[str, Expression] = {}
        self.measures: dict[str, Measure] = dict(MEASURES)
        self.counts: list[Measure] = list(COUNTS)
        self._nesting = 0

    @property
    def next(self) -> Token:
        """The next word, not yet read."""
        return self.words[self.place]

    def read(self) -> Token:
        """Read the next word."""
        token = self.next
        if token.kind != "end":
            self.place += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        """Read the next word if it is one of these."""
        return self.read() if self.next.kind in ("word", "sign") and self.next.text in texts else None

    def expect(self, text: str, where: str) -> Token:
        """Read a word that must be there."""
        if (found := self.accept(text)) is None:
            raise self.next.wrong(f"{text!r} is missing before {self.next.quoted}: write {where}")
        return found

    def number(self, where: str) -> int:
        """Read a whole number, which may have a minus sign."""
        sign = -1 if self.accept("-") else 1
        token = self.read()
        if token.kind != "word" or not token.text.isascii() or not token.text.isdigit():
            raise token.wrong(f"{token.quoted} is no whole number: write {where}")
        if len(token.text) > 10 or int(token.text) > LARGEST:
            raise token.wrong(f"{token.quoted} is too large: numbers go up to {LARGEST}")
        return sign * int(token.text)

    def choice[T](self, table: Mapping[str, T], what: str) -> T:
        """Read one of some words."""
        token = self.read()
        if token.kind != "word" or token.text not in table:
            raise token.wrong(f"{token.quoted} is no {what}: write {', '.join(list(table)[:4])} …")
        return table[token.text]

    def seat(self) -> int:
        """Read a seat."""
        return self.choice(SEATS, "seat")

    def expression(self) -> Expression:
        """Read an expression: a choice with ``? :``, or what binds tighter."""
        start = self.next
        self._nesting += 1
        if self._nesting > _DEEPEST_NESTING:
            raise start.wrong(f"nested more than {_DEEPEST_NESTING} deep: define parts by name")
        found = self._binary(0)
        if self.accept("?"):
            yes = self.expression()
            self.expect(":", "condition ? value : other value")
            found = self._made(start, Operation("?", (found, yes, self.expression())))
        self._nesting -= 1
        return found

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        start = self.next
        found = self._binary(level + 1)
        while (sign := self.accept(*_LEVELS[level])) is not None:
            operator, more = _LEVELS[level][sign.text], self._binary(level + 1)
            if operator in ("and", "or") and isinstance(found, Operation) and found.operator == operator:
                found = self._made(start, Operation(operator, (*found.operands, more)))
            else:
                found = self._made(start, Operation(operator, (found, more)))
        return found

    def _unary(self) -> Expression:
        start, denied = self.next, 0
        while self.accept("!", "not"):
            denied += 1
        if self.accept("-"):
            found: Expression = self._made(start, Operation("-", (Number(0), self._primary())))
        else:
            found = self._primary()
        for _ in range(min(denied, 2 - denied % 2)):  # denied three times is denied once
            found = self._made(start, Operation("not", (found,)))
        return found

    def _primary(self) -> Expression:
        token = self.next
        if token.kind == "word" and token.text.isascii() and token.text.isdigit():
            return Number(self.number("a number"))
        if self.accept("("):
            found = self.expression()
            self.expect(")", "a bracket that closes")
            return found
        if token.kind == "word" and token.text in FUNCTIONS:
            return self._made(token, self._function(self.read().text))
        if token.kind == "word" and token.text in self.names:
            return self.names[self.read().text]
        if token.kind == "word" and token.text not in RESERVED:
            known = [*FUNCTIONS, *self.names]
            near = get_close_matches(token.text, known, 1) or get_close_matches(token.text.lower(), known, 1)
            hint = f"did you mean {near[0]}?" if near else "define it first, or see the list of words"
            raise token.wrong(f"unknown word {token.quoted}: {hint}")
        raise token.wrong(f"{token.quoted} stands where a value is needed, such as hcp(north)")

    def _function(self, word: str) -> Expression:
        self.expect("(", f"{word}(…)")
        found = self._arguments(word)
        self.expect(")", "a bracket that closes")
        return found

    def _arguments(self, word: str) -> Expression:
        if word in ("imps", "imp"):
            return Imps(self.expression())
        if word == "rnd":
            return Random(self.expression())
        if word == "score":
            vulnerable = self.choice({"vul": True, "nv": False, "nonvul": False}, "vulnerability")
            self.expect(",", "score(vul, x3N, tricks)")
            level, strain = self.contract()
            self.expect(",", "score(vul, x3N, tricks)")
            return Payoff(vulnerable, level, strain, self.expression())
        seat = self.seat()
        if word in SUITS:
            return Held(LENGTH, seat, SUITS[word])
        if word == "cccc":
            short = Operation("?", (Held(SHORT, seat, None), Number(100), Number(50)))
            return Operation("-", (Held(FOUR_C, seat, None), short))
        if word in self.measures or word in COUNT_WORDS:
            measure = self.measures[word] if word in self.measures else self.counts[COUNT_WORDS[word]]
            return Held(measure, seat, self.choice(SUITS, "suit") if self.accept(",") else None)
        self.expect(",", f"{word}(seat, …)")
        if word == "quality":
            return Held(QUALITY, seat, self.choice(SUITS, "suit"))
        if word in ("tricks", "trick"):
            return Taken(seat, self.choice(STRAINS, "strain"))
        if word == "hascard":
            token = self.read()
            if (card := card_of(token.text)) is None:
                raise token.wrong(f"{token.quoted} is no card: write rank and suit, such as AS")
            return Held(one_card(card % 13), seat, card // 13)
        return ShapeIn(seat, self._shapes())

    def contract(self) -> tuple[int, int]:
        """Read a contract such as ``x3N``."""
        token = self.read()
        text = token.text.removeprefix("x").upper()
        if token.kind == "word" and text[:1] in tuple("1234567") and text[1:] in STRAIN_LETTERS:
            return int(text[0]), STRAIN_LETTERS[text[1:]]
        raise token.wrong(f"{token.quoted} is no contract: write x3N, x4S …")

    def _shapes(self) -> Shapes:
        """A list of shapes with + and - between them."""
        found: Shapes = frozenset()
        adds = self.accept("-") is None
        while True:
            any_order = self.accept("any") is not None
            token = self.read()
            try:
                shapes = read_shape(token.text if token.kind == "word" else "", any_order)
            except ValueError as error:
                raise token.wrong(f"{token.quoted} is no shape: {error}") from None
            found = found | shapes if adds else found - shapes
            if self.accept("+", ","):
                adds = True
            elif self.accept("-"):
                adds = False
            elif self.next.text == ")":
                return found
            else:
                adds = True

    def _made(self, start: Token, found: Expression) -> Expression:
        if found.size > MOST_NODES or found.depth > DEEPEST:
            raise start.wrong(f"too large: an expression has up to {MOST_NODES} parts and is up to {DEEPEST} deep")
        return found


def parse_expression(text: str) -> Expression:
    """Read one expression.

    >>> parse_expression("hcp(north) > 11 && spades(north) >= 5").size
    7
    """
    parser = Parser(text)
    found = parser.expression()
    if parser.next.kind != "end":
        raise parser.next.wrong(f"{parser.next.quoted} comes after the end of the condition: join parts with &&")
    return found
