"""The parser of expressions of the dealer language.

It has the operators of C and their precedence.

What is wrong with a text is one line with its line and column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations
from typing import Final

from bayesbridge.errors import NotationError, did_you_mean, shorten
from bayesbridge.evidence.expressions import (
    Expression,
    Held,
    Number,
    Operation,
    ShapeIn,
    Taken,
    operands_of,
)
from bayesbridge.evidence.measures import (
    CONTROLS,
    COUNTS,
    FOUR_C,
    LENGTH,
    LOSERS,
    POINTS,
    QUALITY,
    SHORT,
    Measure,
)
from bayesbridge.game.cards import RANKS
from bayesbridge.game.shapes import ALL, Shape4, Shapes

_WORDS: Final = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*|//[^\n]*|/\*.*?\*/)
  | (?P<text>"[^"]*")
  | (?P<word>[A-Za-z0-9_]+)
  | (?P<open>/\*|")
  | (?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%<>=!?:,(){}])
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_DOUBLED: Final = {"&": "write &&", "|": "write ||"}

BYTE_ORDER_MARK: Final = "\ufeff"
"""What some editors put before a text."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, sign or quoted text of a script, with its place."""

    kind: str
    text: str
    line: int
    column: int

    def wrong(self, fault: str) -> NotationError:
        """The error that says what is wrong here."""
        return NotationError(
            f"line {self.line}, column {self.column}: {fault}",
            text=self.text,
            line=self.line,
        )

    @property
    def quoted(self) -> str:
        """The token as a message names it."""
        return "the end of the script" if self.kind == "end" else shorten(self.text)

    @property
    def is_number(self) -> bool:
        """Whether it is a word of digits."""
        return self.kind == "word" and self.text.isascii() and self.text.isdigit()


def tokens(script: str) -> Iterator[Token]:
    """All words of a script, comments left out; the last is the end.

    >>> [token.text for token in tokens('produce 10 # deals')]
    ['produce', '10', '']
    """
    line = 1
    line_start = 0
    script = script.removeprefix(BYTE_ORDER_MARK)
    for match in _WORDS.finditer(script):
        text = match.group()
        column = match.start() - line_start + 1
        token = Token(str(match.lastgroup), text, line, column)
        if token.kind in ("open", "other"):
            raise _meaningless(token)
        if token.kind != "space":
            yield token
        if "\n" in text:
            line += text.count("\n")
            line_start = match.start() + text.rindex("\n") + 1
    yield Token("end", "", line, len(script) - line_start + 1)


def _meaningless(token: Token) -> NotationError:
    """The error for what begins and has no end, or is no word."""
    if token.text == "/*":
        return token.wrong("a comment has no end: close it with */")
    if token.kind == "open":
        return token.wrong('text has no end: close it with "')
    mend = _DOUBLED.get(token.text, "take it away")
    return token.wrong(f"{token.text!r} has no meaning here: {mend}")


SEATS: Final = {"north": 0, "east": 1, "south": 2, "west": 3}
SUITS: Final = {
    "club": 0,
    "clubs": 0,
    "diamond": 1,
    "diamonds": 1,
    "heart": 2,
    "hearts": 2,
    "spade": 3,
    "spades": 3,
}
STRAINS: Final = {**SUITS, "notrump": 4, "notrumps": 4}
SUIT_LETTERS: Final = "CDHS"
STRAIN_LETTERS: Final = {"C": 0, "D": 1, "H": 2, "S": 3, "N": 4, "NT": 4}
LEVELS: Final = tuple("1234567")
VULNERABILITIES: Final = {"none": "None", "ns": "NS", "ew": "EW", "all": "All"}
IS_VULNERABLE: Final = {"vul": True, "nv": False, "nonvul": False}

CARD: Final = "card"
"""The name of the measure that counts one card."""

MEASURES: Final = {
    "hcp": POINTS,
    "hcps": POINTS,
    "control": CONTROLS,
    "controls": CONTROLS,
    "loser": LOSERS,
    "losers": LOSERS,
}


def _count_words() -> dict[str, int]:
    words: dict[str, int] = {}
    for number, count in enumerate(COUNTS):
        for word in (f"pt{number}", count.name, count.name.removesuffix("s")):
            words[word] = number
    return words


COUNT_WORDS: Final = _count_words()
"""Words for the ten counts that ``altcount`` can change, with their numbers."""

COMMANDS: Final = frozenset(
    [
        "predeal",
        "condition",
        "produce",
        "generate",
        "dealer",
        "vulnerable",
        "pointcount",
        "altcount",
        "action",
        "seed",
    ]
)
PRINTS: Final = frozenset(
    ("printall", "printew", "printpbn", "printcompact", "printoneline")
)
ACTIONS: Final = PRINTS | {"average", "frequency"}


@lru_cache(maxsize=512)
def read_shape(text: str, any_order: bool = False) -> Shapes:
    """The shapes, lengths C D H S, that a pattern stands for.

    Raises ``ValueError`` with the reason.

    >>> sorted(read_shape("54xx"))
    [(0, 4, 4, 5), (1, 3, 4, 5), (2, 2, 4, 5), (3, 1, 4, 5), (4, 0, 4, 5)]
    >>> len(read_shape("4333", any_order=True))
    4
    """
    if len(text) != 4 or not set(text) <= set("x0123456789"):
        raise ValueError(
            "write four lengths in the order spades, hearts, diamonds, clubs, such as "
            "54xx or any 4333"
        )
    orders = {text}
    if any_order:
        orders = {"".join(order) for order in permutations(text)}
    pattern = re.compile("|".join(orders).replace("x", "."))
    shapes = frozenset(
        shape for shape in ALL if pattern.fullmatch(shape_pattern(shape))
    )
    if not shapes:
        raise ValueError("no hand of 13 cards has it")
    return shapes


def shape_pattern(shape: Shape4) -> str:
    """The lengths of a shape, spades first, as the language writes them."""
    return "".join(f"{length:x}" for length in reversed(shape))


_CHAIN_SIGNS: Final = {"or": ("||", "or"), "and": ("&&", "and")}
"""How ``or`` and ``and`` are written between operands."""

_BINARY_SIGNS: Final[tuple[tuple[str, ...], ...]] = (
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
"""Binary operators from the loosest to the tightest, below ``or`` and ``and``."""

LARGEST: Final = 1_000_000_000
LONGEST_SCRIPT: Final = 1_000_000
"""Characters."""

MOST_NODES: Final = 5_000
DEEPEST: Final = 250
_DEEPEST_NESTING: Final = 50
_MOST_DIGITS: Final = 10
_MOST_SUGGESTIONS: Final = 4


def _too_large(start: Token) -> NotationError:
    return start.wrong(
        f"too large: an expression has up to {MOST_NODES} parts "
        f"and is up to {DEEPEST} deep"
    )


def _verified_size(start: Token, expression: Expression) -> Expression:
    """The expression that begins at ``start``; one too large or deep is refused."""
    if expression.size > MOST_NODES or expression.depth > DEEPEST:
        raise _too_large(start)
    return expression


class Parser:
    """Reads words one after another; ``names`` are the definitions so far."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_SCRIPT:
            raise Token("end", "", 1, 1).wrong(
                f"a text of {len(text)} characters: it may have {LONGEST_SCRIPT}"
            )
        self.words = list(tokens(text))
        self.place = 0
        self.names: dict[str, Expression] = {}
        self.measures: dict[str, Measure] = dict(MEASURES)
        self.counts: list[Measure] = list(COUNTS)
        self._nesting = 0

    @property
    def next(self) -> Token:
        """The word to be read, which stays where it is."""
        return self.words[self.place]

    def read(self) -> Token:
        """The next word; the end may be read again and again."""
        token = self.next
        if token.kind != "end":
            self.place += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        """Read the next word if it is one of these."""
        if self.next.kind in ("word", "sign") and self.next.text in texts:
            return self.read()
        return None

    def expect(self, text: str, example: str) -> None:
        """Read a word that must stand here, as in the example."""
        if self.accept(text) is None:
            raise self.next.wrong(
                f"{text!r} is missing before {self.next.quoted}: write {example}"
            )

    def number(self, example: str) -> int:
        """Read a whole number, perhaps with a minus sign."""
        sign = -1 if self.accept("-") else 1
        token = self.read()
        if not token.is_number:
            raise token.wrong(f"{token.quoted} is no whole number: write {example}")
        if len(token.text) > _MOST_DIGITS or int(token.text) > LARGEST:
            raise token.wrong(
                f"{token.quoted} is too large: numbers go up to {LARGEST}"
            )
        return sign * int(token.text)

    def choice[T](self, table: Mapping[str, T], meaning: str) -> T:
        """Read a word of a table and return what stands there for it.

        Another word is refused, with the one that it begins, else with some of all.
        """
        token = self.read()
        if token.kind == "word" and token.text in table:
            return table[token.text]
        beginning = token.text.lower() or "?"
        suggestion = next((word for word in table if word.startswith(beginning)), None)
        if suggestion is None:
            suggestion = ", ".join(list(table)[:_MOST_SUGGESTIONS])
            if len(table) > _MOST_SUGGESTIONS:
                suggestion += " …"
        raise token.wrong(f"{token.quoted} is no {meaning}: write {suggestion}")

    def expression(self) -> Expression:
        """A choice with ``? :``, or what binds tighter.

        Expressions nested too deep, or of too many parts, are refused.
        """
        start = self.next
        self._nesting += 1
        if self._nesting > _DEEPEST_NESTING:
            raise start.wrong(
                f"nested more than {_DEEPEST_NESTING} deep: define parts by name"
            )
        value = self._either()
        if self.accept("?"):
            if_true = self.expression()
            self.expect(":", "condition ? value : other value")
            if_false = self.expression()
            value = Operation("?", (value, if_true, if_false))
        if self.next.kind == "sign" and self.next.text == "=":
            raise self._wrong_comparison()
        self._nesting -= 1
        return _verified_size(start, value)

    def _wrong_comparison(self) -> NotationError:
        """One sign = stands after a value, alone or before < or >."""
        sign = self.read()
        turned = {"<": "<=", ">": ">="}.get(self.next.text, "==")
        return sign.wrong(f"'=' compares nothing: write {turned}")

    def _either(self) -> Expression:
        """What ``or`` joins."""
        return self._chain("or", self._both)

    def _both(self) -> Expression:
        """What ``and`` joins: comparisons, or what binds tighter."""
        return self._chain("and", partial(self._binary, 0))

    def _chain(
        self, operator: str, read_operand: Callable[[], Expression]
    ) -> Expression:
        """Read operands with ``and`` (or ``or``) between them into one expression.

        ``operator`` is ``and`` or ``or``, and ``read_operand`` reads what may stand
        between. A single operand without an operator stays what it is. Where the first
        operand is such a chain itself, in brackets, its operands join the others.
        """
        first_token = self.next  # where a message says that an expression is too large
        first_operand = read_operand()
        later_operands: list[Expression] = []
        size = first_operand.size
        while self.accept(*_CHAIN_SIGNS[operator]):
            operand = read_operand()
            later_operands.append(operand)
            size += operand.size
            # Refused here already, so that no endless text is read to its end.
            if size > MOST_NODES:
                raise _too_large(first_token)
        if not later_operands:
            return first_operand
        operands = (*operands_of(first_operand, operator), *later_operands)
        return _verified_size(first_token, Operation(operator, operands))

    def _binary(self, tightness: int) -> Expression:
        """Operands with operators of one tightness between them, from left to right."""
        if tightness == len(_BINARY_SIGNS):
            return self._unary()
        start = self.next
        value = self._binary(tightness + 1)
        while (sign := self.accept(*_BINARY_SIGNS[tightness])) is not None:
            operands = (value, self._binary(tightness + 1))
            value = _verified_size(start, Operation(sign.text, operands))
        return value

    def _unary(self) -> Expression:
        """A value with ``!``, ``not`` and a minus sign before it."""
        denials = 0
        while self.accept("!", "not"):
            denials += 1
        negative = self.accept("-") is not None
        value = self._primary()
        if negative:
            value = Operation("-", (Number(0), value))
        # Denied three times is denied once; denied twice turns a number into 0 or 1.
        for _ in range(min(denials, 2 - denials % 2)):
            value = Operation("not", (value,))
        return value

    def _primary(self) -> Expression:
        """A number, a name, a function, or an expression in brackets."""
        token = self.next
        if token.is_number:
            return Number(self.number("a number"))
        if self.accept("("):
            value = self.expression()
            self.expect(")", "a bracket that closes")
            return value
        if token.kind == "word" and token.text in FUNCTIONS:
            return self._function(self.read().text)
        if token.kind == "word" and token.text in self.names:
            return self.names[self.read().text]
        if token.kind == "word" and token.text not in RESERVED:
            raise token.wrong(f"unknown word {token.quoted}: {self._hint(token)}")
        raise token.wrong(
            f"{token.quoted} stands where a value is needed, such as hcp(north)"
        )

    def _hint(self, unknown: Token) -> str:
        """What to write in place of a word that nothing is known of."""
        lower = unknown.text.lower()
        if lower in RESERVED or lower in self.names:
            return f"write {lower}"
        near = did_you_mean(unknown.text, [*FUNCTIONS, *self.names]).strip()
        return near or "define it first, or see the list of words"

    def _function(self, name: str) -> Expression:
        """What follows the name of a function: its arguments in brackets."""
        self.expect("(", f"{name}(…)")
        value = FUNCTIONS[name](self, name)
        if self.next.text == ",":
            raise self.next.wrong(
                f"{name} takes nothing more: close the bracket, "
                f"and to compare it write {name}(…) == 3"
            )
        self.expect(")", "a bracket that closes")
        return value


def _read_imps(parser: Parser, _: str) -> Expression:
    """``imps(difference of scores)``"""
    return Operation("imps", (parser.expression(),))


def _read_random(parser: Parser, _: str) -> Expression:
    """``rnd(bound)``"""
    return Operation("rnd", (parser.expression(),))


def _read_score(parser: Parser, _: str) -> Expression:
    """``score(vul, x3N, tricks)``"""
    example = "score(vul, x3N, tricks)"
    vulnerable = parser.choice(IS_VULNERABLE, "vulnerability")
    parser.expect(",", example)
    level, strain = _read_contract(parser)
    parser.expect(",", example)
    tricks = parser.expression()
    numbers = (Number(int(vulnerable)), Number(level), Number(strain))
    return Operation("score", (*numbers, tricks))


def _read_contract(parser: Parser) -> tuple[int, int]:
    """Level and strain of a contract such as ``x3N``."""
    token = parser.read()
    bid = token.text.removeprefix("x").upper()
    level = bid[:1]
    strain = bid[1:]
    if token.kind != "word" or level not in LEVELS or strain not in STRAIN_LETTERS:
        raise token.wrong(f"{token.quoted} is no contract: write x3N, x4S …")
    return int(level), STRAIN_LETTERS[strain]


def _read_length(parser: Parser, name: str) -> Expression:
    """``spades(north)``"""
    seat = parser.choice(SEATS, "seat")
    return Held(LENGTH, seat, SUITS[name])


def _read_measure(parser: Parser, name: str) -> Expression:
    """``hcp(north)`` or ``hcp(north, spades)``"""
    seat = parser.choice(SEATS, "seat")
    if name in parser.measures:
        measure = parser.measures[name]
    else:
        measure = parser.counts[COUNT_WORDS[name]]
    suit = parser.choice(SUITS, "suit") if parser.accept(",") else None
    return Held(measure, seat, suit)


def _read_four_c(parser: Parser, _: str) -> Expression:
    """``cccc(north)``, where a hand without a short suit counts 50 less."""
    seat = parser.choice(SEATS, "seat")
    has_short_suit = Held(SHORT, seat, None)
    deduction = Operation("?", (has_short_suit, Number(100), Number(50)))
    return Operation("-", (Held(FOUR_C, seat, None), deduction))


def _read_seat_before(parser: Parser, name: str) -> int:
    """The seat of a function that takes something after it."""
    seat = parser.choice(SEATS, "seat")
    parser.expect(",", f"{name}(seat, …)")
    return seat


def _read_quality(parser: Parser, name: str) -> Expression:
    """``quality(north, spades)``"""
    seat = _read_seat_before(parser, name)
    return Held(QUALITY, seat, parser.choice(SUITS, "suit"))


def _read_tricks(parser: Parser, name: str) -> Expression:
    """``tricks(north, notrump)``"""
    seat = _read_seat_before(parser, name)
    return Taken(seat, parser.choice(STRAINS, "strain"))


def _read_card(parser: Parser, name: str) -> Expression:
    """``hascard(north, AS)``, or ``SA``."""
    seat = _read_seat_before(parser, name)
    token = parser.read()
    # Letters of ranks are not found among those of suits, so the rank comes first.
    letters = sorted(token.text, key=SUIT_LETTERS.find)
    if len(letters) != 2 or letters[0] not in RANKS or letters[1] not in SUIT_LETTERS:
        raise token.wrong(f"{token.quoted} is no card: write rank and suit, such as AS")
    rank, suit = letters
    weights = tuple(int(other_rank == rank) for other_rank in RANKS)
    return Held(Measure(CARD, weights), seat, SUIT_LETTERS.index(suit))


def _read_shapes(parser: Parser, name: str) -> Expression:
    """``shape(north, any 4333 + 54xx - 5422)``"""
    seat = _read_seat_before(parser, name)
    shapes: Shapes = frozenset()
    adds = parser.accept("-") is None
    while True:
        pattern_shapes = _read_shape_pattern(parser)
        if adds:
            shapes |= pattern_shapes
        else:
            shapes -= pattern_shapes
        if parser.next.text == ")":
            return ShapeIn(seat, shapes)
        adds = parser.accept("-") is None
        parser.accept("+", ",")


def _read_shape_pattern(parser: Parser) -> Shapes:
    """The shapes of ``54xx`` or ``any 4333``."""
    any_order = parser.accept("any") is not None
    token = parser.read()
    try:
        return read_shape(token.text if token.kind == "word" else "", any_order)
    except ValueError as error:
        raise token.wrong(f"{token.quoted} is no shape: {error}") from None


FUNCTIONS: Final[Mapping[str, Callable[[Parser, str], Expression]]] = {
    **dict.fromkeys(SUITS, _read_length),
    **dict.fromkeys(MEASURES, _read_measure),
    **dict.fromkeys(COUNT_WORDS, _read_measure),
    "cccc": _read_four_c,
    "hascard": _read_card,
    "imp": _read_imps,
    "imps": _read_imps,
    "quality": _read_quality,
    "rnd": _read_random,
    "score": _read_score,
    "shape": _read_shapes,
    "trick": _read_tricks,
    "tricks": _read_tricks,
}
"""The functions of the language, and what reads the arguments of each."""

RESERVED: Final = frozenset(
    {*COMMANDS, *ACTIONS, *FUNCTIONS, "and", "or", "not", "any", *SEATS, *STRAINS}
)
"""Words that no definition may take."""


@lru_cache(maxsize=256)
def parse_expression(text: str) -> Expression:
    """The expression that a text is.

    >>> parse_expression("2 + 3").operator
    '+'
    """
    parser = Parser(text)
    expression = parser.expression()
    if parser.next.kind != "end":
        raise parser.next.wrong(
            f"{parser.next.quoted} comes after the end of the condition: join parts with &&"
        )
    return expression
