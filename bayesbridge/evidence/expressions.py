"""Expressions over a deal, as the dealer language writes them: measures of a holding,
nodes, values, and the parser.

A *measure* is a table with an entry for each of the 8192 holdings of a suit, a 13-bit
field of ranks from the two up. Quality and the four-C count follow *The Bridge World*,
October 1982, times 100; losers count the missing ones of ace, king and queen in as many
cards as the suit has, up to three.

Expressions are trees of frozen nodes with the operators of C and their precedence.
Values are whole numbers; a / 0 is 0, and a % 0 is a. What is wrong with a text is one
line with its line and column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce
from itertools import permutations
from typing import Any, Final

import numpy as np

from bayesbridge.errors import NotationError, did_you_mean, shorten
from bayesbridge.game.cards import HIGH_CARD_POINTS, RANKS, SUIT_MASK
from bayesbridge.game.layouts import Ints, Masks, read_only
from bayesbridge.game.scoring import imps, scores_by_tricks
from bayesbridge.game.shapes import ALL, Shape4, Shapes, shape_table

HOLDINGS: Final = 1 << 13


@dataclass(frozen=True, slots=True)
class Measure:
    """A number for each holding; ``weights`` by rank from the two up, ``None`` where
    cards do not simply add up.
    """

    name: str
    weights: tuple[int, ...] | None = None


def by_rank(name: str, ace_first: Sequence[int]) -> Measure:
    """A measure that adds up card by card, from the weights of ace, king, queen …;
    ranks left out count nothing.

    >>> by_rank("controls", (2, 1)).weights
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)
    """
    return Measure(name, tuple(reversed([*ace_first, *[0] * (13 - len(ace_first))])))


LENGTH: Final = Measure("length", (1,) * 13)
POINTS: Final = Measure("hcp", tuple(HIGH_CARD_POINTS))
CONTROLS: Final = by_rank("control", (2, 1))
LOSERS: Final = Measure("loser")
QUALITY: Final = Measure("quality")
SHORT: Final = Measure("short")  # 1 for a suit of fewer than three cards
FOUR_C: Final = Measure("cccc")  # the part of the four-C count that is a sum over suits

COUNTS: Final = tuple(
    by_rank(name, weights)
    for name, weights in (
        ("tens", (0, 0, 0, 0, 1)),
        ("jacks", (0, 0, 0, 1)),
        ("queens", (0, 0, 1)),
        ("kings", (0, 1)),
        ("aces", (1,)),
        ("top2", (1, 1)),
        ("top3", (1, 1, 1)),
        ("top4", (1, 1, 1, 1)),
        ("top5", (1, 1, 1, 1, 1)),
        ("c13", (6, 4, 2, 1)),
    )
)  # the ten counts pt0 … pt9, under their names, unless a script gives them other weights


@lru_cache(maxsize=256)
def table(measure: Measure) -> Ints:
    """(8192,) the measure of every holding; read-only."""
    if measure.weights is not None:
        held = np.arange(HOLDINGS)[:, None] >> np.arange(13) & 1
        return read_only(held @ np.array(measure.weights, dtype=np.int64))
    return read_only(
        np.array(
            [_WHOLE_SUIT[measure.name](field) for field in range(HOLDINGS)],
            dtype=np.int64,
        )
    )


@lru_cache(maxsize=256)
def alike(measure: Measure) -> tuple[int, ...]:
    """A number for each rank; ranks with the same number may be exchanged in any
    holding and nothing changes.

    >>> alike(CONTROLS)
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 12)
    """
    values, fields = table(measure), np.arange(HOLDINGS)
    found = list(range(13))
    for rank in range(13):
        for lower in range(rank):
            if found[lower] == lower:
                differ = (fields >> rank ^ fields >> lower) & 1
                if np.array_equal(
                    values, values[fields ^ (differ << rank | differ << lower)]
                ):
                    found[rank] = lower
                    break
    return tuple(found)


def _losers(field: int) -> int:
    counted = min(field.bit_count(), 3)
    return counted - (field >> (13 - counted)).bit_count()


def _quality(field: int) -> int:
    length, factor = field.bit_count(), 10 * field.bit_count()
    ace, king, queen, jack, ten, nine, eight = (
        field >> rank & 1 for rank in range(12, 5, -1)
    )
    value = factor * (4 * ace + 3 * king + 2 * queen + jack)
    if length > 6:
        return value + factor * min(3 - 2 * queen - jack, length - 6)
    higher = ace + king + queen + jack
    if ten:
        value += factor if higher > 1 or jack else factor // 2
    if nine and (higher == 2 or ten or eight):
        value += factor // 2
    return value


def _four_c(field: int) -> int:
    length = field.bit_count()
    ace, king, queen, jack, ten, nine = (field >> rank & 1 for rank in range(12, 6, -1))
    value = 300 * ace + king * (50 if length == 1 else 200)
    higher = ace + king
    if queen:
        value += (
            100
            - (75 if length == 1 else 25 if length == 2 else 0)
            - (0 if higher else 25)
        )
        higher += 1
    if jack:
        value += (0, 25, 50, 0)[higher]
        higher += 1
    if ten and (higher == 2 or (higher == 1 and nine)):
        value += 25
    return (
        value + (300, 200, 100)[length] + _quality(field)
        if length < 3
        else value + _quality(field)
    )


_WHOLE_SUIT: Final[dict[str, Callable[[int], int]]] = {
    "loser": _losers,
    "quality": _quality,
    "cccc": _four_c,
    "short": lambda field: int(field.bit_count() < 3),
}


@dataclass(frozen=True, slots=True)
class Expression:
    """A node; ``size`` counts the nodes below and ``depth`` the steps down to the
    lowest, both with itself.
    """

    size: int = field(default=1, init=False, compare=False, repr=False)
    depth: int = field(default=1, init=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True)
class Held(Expression):
    """A measure of a seat's holding in a suit, or summed over its suits if ``suit`` is
    ``None``.
    """

    measure: Measure
    seat: int
    suit: int | None


@dataclass(frozen=True, slots=True)
class ShapeIn(Expression):
    seat: int
    shapes: Shapes


@dataclass(frozen=True, slots=True)
class Taken(Expression):
    seat: int
    strain: int


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """Stands for an expression that was taken out: see
    :func:`bayesbridge.engines.deal_tables.split`.
    """

    index: int


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An operator, ``and`` and ``or`` with two parts or more, ``?`` with three.

    ``imps`` has a difference of scores; ``score`` has whether vulnerable, level, strain
    and tricks of a contract; ``rnd`` is a random whole number from 0 to a bound less
    one, drawn anew for each deal.
    """

    operator: str
    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(part.size for part in self.operands))
        object.__setattr__(self, "depth", 1 + max(part.depth for part in self.operands))


type Leaf = (
    Held | Taken | Slot | Operation
)  # what an expression does not tell by itself; of the operations that is rnd
type Leaves = Callable[[Leaf], Any]  # the value of a leaf, an array or a number
TRUE: Final = Number(1)


def conjunction(parts: tuple[Expression, ...]) -> Expression:
    """All of them; what is certain is left out."""
    flat = [one for part in parts for one in _joined(part, "and") if one != TRUE]
    return (
        TRUE
        if not flat
        else flat[0]
        if len(flat) == 1
        else Operation("and", tuple(flat))
    )


def _joined(expression: Expression, operator: str) -> tuple[Expression, ...]:
    if isinstance(expression, Operation) and expression.operator == operator:
        return expression.operands
    return (expression,)


def walk(expression: Expression) -> Iterator[Expression]:
    waiting = [expression]
    while waiting:
        yield (node := waiting.pop())
        waiting.extend(node.operands if isinstance(node, Operation) else ())


def seats_of(expression: Expression) -> frozenset[int]:
    return frozenset(
        node.seat for node in walk(expression) if isinstance(node, Held | ShapeIn)
    )


def opaque(expression: Expression) -> bool:
    """Whether no table can hold its value: tricks and random numbers."""
    return needs_solver(expression) or is_random(expression)


def is_random(expression: Expression) -> bool:
    """Whether its value is drawn anew for each deal."""
    operations = (node for node in walk(expression) if isinstance(node, Operation))
    return any(node.operator == "rnd" for node in operations)


def needs_solver(expression: Expression) -> bool:
    return any(isinstance(node, Taken) for node in walk(expression))


def evaluate(expression: Expression, leaves: Leaves) -> Any:
    """The value as an int64 array, or a number where no leaf is an array."""
    match expression:
        case Number(value):
            return np.int64(value)
        case Held() | Taken() | Slot() | Operation("rnd"):
            return leaves(expression)
        case Operation(operator, operands):
            values = [evaluate(operand, leaves) for operand in operands]
            with np.errstate(
                over="ignore"
            ):  # numbers have 64 bits and wrap round without a word, as in C
                return np.asarray(_OPERATORS[operator](*values), dtype=np.int64)
        case ShapeIn(seat, shapes):
            clubs, diamonds, hearts = (
                leaves(Held(LENGTH, seat, suit)) for suit in range(3)
            )
            return shape_table(shapes)[clubs, diamonds, hearts].astype(np.int64)
    raise AssertionError(expression)


type Solver = Callable[
    [Masks, int, int], Ints
]  # (n, 4) layouts, declarer, strain C D H S NT = 0 … 4 → (n,) tricks


class LayoutValues:
    """(n, 4) layouts; what has been worked out once is kept.

    ``rng`` draws for ``rnd``, ``solver`` counts tricks; an expression with either needs
    it.
    """

    def __init__(
        self,
        masks: Masks,
        rng: np.random.Generator | None = None,
        solver: Solver | None = None,
    ) -> None:
        self.masks, self._rng, self._solver = masks, rng, solver
        self._known: dict[Leaf, Any] = {}

    def of(self, expression: Expression) -> Ints:
        found = evaluate(expression, self._leaf)
        return np.broadcast_to(np.asarray(found, dtype=np.int64), (len(self.masks),))

    def _leaf(self, leaf: Leaf) -> Any:
        if isinstance(leaf, Operation):  # drawn anew each time
            assert self._rng is not None
            bound = self.of(leaf.operands[0])
            return np.where(bound > 0, self._rng.integers(0, np.maximum(bound, 1)), 0)
        if leaf not in self._known:
            match leaf:
                case Held(measure, seat, suit) if suit is not None:
                    found = table(measure)[
                        self.masks[:, seat] >> np.uint64(13 * suit)
                        & np.uint64(SUIT_MASK)
                    ]
                case Held(measure, seat, _):
                    found = sum(
                        self._leaf(Held(measure, seat, suit)) for suit in range(4)
                    )
                case Taken(seat, strain) if self._solver is not None:
                    found = self._solver(self.masks, seat, strain)
                case _:
                    raise AssertionError(leaf)
            self._known[leaf] = found
        return self._known[leaf]


def _quotient(a: Any, b: Any) -> Any:
    safe = np.where(b == 0, 1, b)
    return np.where(b == 0, 0, np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe)))


_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "and": lambda *parts: reduce(np.logical_and, parts),
    "or": lambda *parts: reduce(np.logical_or, parts),
    "not": np.logical_not,
    "?": np.where,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
    "imps": imps,
    "score": lambda vulnerable, level, strain, tricks: scores_by_tricks(
        int(level), int(strain), bool(vulnerable)
    )[np.clip(tricks, 0, 13)],
}


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


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    line: int
    column: int

    def wrong(self, what: str) -> NotationError:
        return NotationError(
            f"line {self.line}, column {self.column}: {what}",
            text=self.text,
            line=self.line,
        )

    @property
    def quoted(self) -> str:
        return "the end of the script" if self.kind == "end" else shorten(self.text)


def tokens(script: str) -> Iterator[Token]:
    """All words of a script, comments left out; the last is the end.

    >>> [token.text for token in tokens('produce 10 # deals')]
    ['produce', '10', '']
    """
    line, begin = 1, 0
    script = script.removeprefix("\ufeff")  # the byte order mark of some editors
    for match in _WORDS.finditer(script):
        kind, text = str(match.lastgroup), match.group()
        here = Token(kind, text, line, match.start() - begin + 1)
        if kind == "open":
            what, end = ("a comment", "*/") if text == "/*" else ("text", '"')
            raise here.wrong(f"{what} has no end: close it with {end}")
        if kind == "other":
            mend = _DOUBLED.get(text, "take it away")
            raise here.wrong(f"{text!r} has no meaning here: {mend}")
        if kind != "space":
            yield here
        if "\n" in text:
            line += text.count("\n")
            begin = match.start() + text.rindex("\n") + 1
    yield Token("end", "", line, len(script) - begin + 1)


SEATS: Final = {"north": 0, "east": 1, "south": 2, "west": 3}
SUITS: Final = {
    word: suit
    for suit, name in enumerate(("club", "diamond", "heart", "spade"))
    for word in (name, f"{name}s")
}
STRAINS: Final = {**SUITS, "notrump": 4, "notrumps": 4}
SUIT_LETTERS: Final = "CDHS"
STRAIN_LETTERS: Final = {"C": 0, "D": 1, "H": 2, "S": 3, "N": 4, "NT": 4}
VULNERABILITIES: Final = {"none": "None", "ns": "NS", "ew": "EW", "all": "All"}

MEASURES: Final = {
    word: one
    for one in (POINTS, CONTROLS, LOSERS)
    for word in (one.name, f"{one.name}s")
}

COUNT_WORDS: Final = {
    word: number
    for number, count in enumerate(COUNTS)
    for word in (f"pt{number}", count.name, count.name.removesuffix("s"))
}  # words for the ten counts that altcount can change

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
FUNCTIONS: Final = frozenset((*MEASURES, *COUNT_WORDS, *SUITS)) | frozenset(
    (
        "shape",
        "hascard",
        "quality",
        "cccc",
        "tricks",
        "trick",
        "score",
        "imps",
        "imp",
        "rnd",
    )
)
RESERVED: Final = (
    COMMANDS | ACTIONS | FUNCTIONS | {"and", "or", "not", "any", *SEATS, *STRAINS}
)


@lru_cache(maxsize=512)
def read_shape(text: str, any_order: bool = False) -> Shapes:
    """The shapes, lengths C D H S, that a pattern stands for; raises ``ValueError``
    with the reason.

    >>> sorted(read_shape("54xx"))
    [(0, 4, 4, 5), (1, 3, 4, 5), (2, 2, 4, 5), (3, 1, 4, 5), (4, 0, 4, 5)]
    >>> len(read_shape("4333", any_order=True))
    4
    """
    if len(text) != 4 or not all(letter in "x0123456789" for letter in text):
        raise ValueError(
            "write four lengths in the order spades, hearts, diamonds, clubs, such as 54xx or any 4333"
        )
    orders = "|".join(
        {"".join(order) for order in permutations(text)} if any_order else {text}
    ).replace("x", ".")
    found = frozenset(shape for shape in ALL if re.fullmatch(orders, _pattern(shape)))
    if not found:
        raise ValueError("no hand of 13 cards has it")
    return found


def _pattern(shape: Shape4) -> str:
    return "".join(f"{length:x}" for length in reversed(shape))


_TRUTH_SIGNS: Final = {"or": ("||", "or"), "and": ("&&", "and")}
_LEVELS: Final[tuple[tuple[str, ...], ...]] = (
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)  # binary operators from the loosest to the tightest, below ``or`` and ``and``

LARGEST: Final = 1_000_000_000
LONGEST_SCRIPT: Final = 1_000_000  # characters
MOST_NODES: Final = 5_000
DEEPEST: Final = 250
_DEEPEST_NESTING: Final = 50


def _too_large(start: Token) -> NotationError:
    return start.wrong(
        f"too large: an expression has up to {MOST_NODES} parts "
        f"and is up to {DEEPEST} deep"
    )


def _limited(start: Token, expression: Expression) -> Expression:
    """An expression that begins at ``start``, unless it has too many parts."""
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
        return self.words[self.place]

    def read(self) -> Token:
        token = self.next
        if token.kind != "end":
            self.place += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        return (
            self.read()
            if self.next.kind in ("word", "sign") and self.next.text in texts
            else None
        )

    def expect(self, text: str, where: str) -> None:
        if self.accept(text) is None:
            raise self.next.wrong(
                f"{text!r} is missing before {self.next.quoted}: write {where}"
            )

    def number(self, where: str) -> int:
        sign = -1 if self.accept("-") else 1
        token = self.read()
        if token.kind != "word" or not token.text.isascii() or not token.text.isdigit():
            raise token.wrong(f"{token.quoted} is no whole number: write {where}")
        if len(token.text) > 10 or int(token.text) > LARGEST:
            raise token.wrong(
                f"{token.quoted} is too large: numbers go up to {LARGEST}"
            )
        return sign * int(token.text)

    def choice[T](self, table: Mapping[str, T], what: str) -> T:
        token = self.read()
        if token.kind != "word" or token.text not in table:
            begin = token.text.lower() or "?"
            names = [name for name in table if name.startswith(begin)][:1]
            words = ", ".join(names or list(table)[:4])
            more = " …" if not names and len(table) > 4 else ""
            raise token.wrong(f"{token.quoted} is no {what}: write {words}{more}")
        return table[token.text]

    def expression(self) -> Expression:
        """A choice with ``? :``, or what binds tighter."""
        start = self.next
        self._nesting += 1
        if self._nesting > _DEEPEST_NESTING:
            raise start.wrong(
                f"nested more than {_DEEPEST_NESTING} deep: define parts by name"
            )
        value = self._either()
        if self.accept("?"):
            yes = self.expression()
            self.expect(":", "condition ? value : other value")
            value = Operation("?", (value, yes, self.expression()))
        if self.next.kind == "sign" and self.next.text == "=":
            raise self._wrong_comparison()
        self._nesting -= 1
        return _limited(start, value)

    def _wrong_comparison(self) -> NotationError:
        """One sign = stands after a value, alone or before < or >."""
        sign = self.read()
        turned = {"<": "<=", ">": ">="}.get(self.next.text, "==")
        return sign.wrong(f"'=' compares nothing: write {turned}")

    def _either(self) -> Expression:
        """What ``or`` joins."""
        return self._truths("or", self._both)

    def _both(self) -> Expression:
        """What ``and`` joins: comparisons, or what binds tighter."""
        return self._truths("and", partial(self._binary, 0))

    def _truths(self, operator: str, operand: Callable[[], Expression]) -> Expression:
        """Operands with ``and`` or ``or`` between them, all in one node."""
        start = self.next
        first = operand()
        following: list[Expression] = []
        size = first.size
        while self.accept(*_TRUTH_SIGNS[operator]):
            following.append(operand())
            size += following[-1].size
            if size > MOST_NODES:
                raise _too_large(start)
        if not following:
            return first
        operands = (*_joined(first, operator), *following)
        return _limited(start, Operation(operator, operands))

    def _binary(self, level: int) -> Expression:
        """Operands with operators of a level between them, from left to right."""
        if level == len(_LEVELS):
            return self._unary()
        start = self.next
        value = self._binary(level + 1)
        while (sign := self.accept(*_LEVELS[level])) is not None:
            operands = (value, self._binary(level + 1))
            value = _limited(start, Operation(sign.text, operands))
        return value

    def _unary(self) -> Expression:
        denied = 0
        while self.accept("!", "not"):
            denied += 1
        negative = self.accept("-") is not None
        found = self._primary()
        if negative:
            found = Operation("-", (Number(0), found))
        for _ in range(
            min(denied, 2 - denied % 2)
        ):  # denied three times is denied once
            found = Operation("not", (found,))
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
            word = self.read().text
            self.expect("(", f"{word}(…)")
            value = self._arguments(word)
            if self.next.text == ",":
                raise self.next.wrong(
                    f"{word} takes nothing more: close the bracket, "
                    f"and to compare it write {word}(…) == 3"
                )
            self.expect(")", "a bracket that closes")
            return value
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

    def _arguments(self, word: str) -> Expression:
        if word in ("imps", "imp"):
            return Operation("imps", (self.expression(),))
        if word == "rnd":
            return Operation("rnd", (self.expression(),))
        if word == "score":
            vulnerable = self.choice(
                {"vul": True, "nv": False, "nonvul": False}, "vulnerability"
            )
            self.expect(",", "score(vul, x3N, tricks)")
            token = self.read()
            text = token.text.removeprefix("x").upper()
            if (
                token.kind != "word"
                or text[:1] not in tuple("1234567")
                or text[1:] not in STRAIN_LETTERS
            ):
                raise token.wrong(f"{token.quoted} is no contract: write x3N, x4S …")
            contract = (int(vulnerable), int(text[0]), STRAIN_LETTERS[text[1:]])
            self.expect(",", "score(vul, x3N, tricks)")
            return Operation("score", (*map(Number, contract), self.expression()))
        seat = self.choice(SEATS, "seat")
        if word in SUITS:
            return Held(LENGTH, seat, SUITS[word])
        if word == "cccc":
            short = Operation("?", (Held(SHORT, seat, None), Number(100), Number(50)))
            return Operation("-", (Held(FOUR_C, seat, None), short))
        if word in self.measures or word in COUNT_WORDS:
            measure = (
                self.measures[word]
                if word in self.measures
                else self.counts[COUNT_WORDS[word]]
            )
            return Held(
                measure, seat, self.choice(SUITS, "suit") if self.accept(",") else None
            )
        self.expect(",", f"{word}(seat, …)")
        if word == "quality":
            return Held(QUALITY, seat, self.choice(SUITS, "suit"))
        if word in ("tricks", "trick"):
            return Taken(seat, self.choice(STRAINS, "strain"))
        if word == "hascard":
            token = self.read()
            letters = sorted(
                token.text, key=SUIT_LETTERS.find
            )  # the rank first, in whatever order they were written
            if (
                len(letters) != 2
                or letters[0] not in RANKS
                or letters[1] not in SUIT_LETTERS
            ):
                raise token.wrong(
                    f"{token.quoted} is no card: write rank and suit, such as AS"
                )
            only = tuple(int(rank == letters[0]) for rank in RANKS)
            return Held(Measure("card", only), seat, SUIT_LETTERS.index(letters[1]))
        return ShapeIn(seat, self._shapes())

    def _shapes(self) -> Shapes:
        found: Shapes = frozenset()
        adds = self.accept("-") is None
        while True:
            any_order = self.accept("any") is not None
            token = self.read()
            try:
                shapes = read_shape(
                    token.text if token.kind == "word" else "", any_order
                )
            except ValueError as error:
                raise token.wrong(f"{token.quoted} is no shape: {error}") from None
            found = found | shapes if adds else found - shapes
            if self.next.text == ")":
                return found
            adds = self.accept("-") is None
            self.accept("+", ",")


@lru_cache(maxsize=256)
def parse_expression(text: str) -> Expression:
    parser = Parser(text)
    found = parser.expression()
    if parser.next.kind != "end":
        raise parser.next.wrong(
            f"{parser.next.quoted} comes after the end of the condition: join parts with &&"
        )
    return found


_SEATS: Final = tuple(SEATS)
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_STRAINS: Final = (*_SUITS, "notrumps")
_SIGNS: Final = {"and": "&&", "or": "||"}
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "not")
LONGEST: Final = 100


def short_text(expression: Expression) -> str:
    text = text_of(expression)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def text_of(expression: Expression) -> str:
    """The whole text; a shape is listed by its patterns, in the order S H D C.

    >>> text_of(parse_expression("!(hcp(north,spades)>3 or shape(east, 4333)) and hascard(west,AS)"))
    '!(hcp(north, spades) > 3 || shape(east, 4333)) && hascard(west, AS)'
    """
    match expression:
        case Number(value):
            return str(value)
        case Held(measure, seat, suit) if measure.name == "length" and suit is not None:
            return f"{_SUITS[suit]}({_SEATS[seat]})"
        case Held(measure, seat, suit) if (
            measure.name == "card" and measure.weights is not None and suit is not None
        ):
            return f"hascard({_SEATS[seat]}, {RANKS[measure.weights.index(1)]}{SUIT_LETTERS[suit]})"
        case Held(measure, seat, suit):
            return f"{measure.name}({_SEATS[seat]}{'' if suit is None else f', {_SUITS[suit]}'})"
        case ShapeIn(seat, shapes):
            patterns = sorted(map(_pattern, shapes))
            if len(patterns) > 4:
                patterns[2:] = [f"… {len(patterns)} shapes"]
            return f"shape({_SEATS[seat]}, {' + '.join(patterns) or 'none'})"
        case Taken(seat, strain):
            return f"tricks({_SEATS[seat]}, {_STRAINS[strain]})"
        case Operation(
            "score", (Number(vulnerable), Number(level), Number(strain), tricks)
        ):
            return f"score({'vul' if vulnerable else 'nv'}, x{level}{'CDHSN'[strain]}, {text_of(tricks)})"
        case Operation("imps" | "rnd" as word, (inner,)):
            return f"{word}({text_of(inner)})"
        case Operation("not", (part,)):
            return f"!{_inner(part)}"
        case Operation("?", (chosen, yes, no)):
            return f"{_inner(chosen)} ? {_inner(yes)} : {_inner(no)}"
        case Operation(operator, operands):
            # What compares or denies needs no brackets among what joins truths.
            plain = _COMPARISONS if operator in _SIGNS else ()
            return f" {_SIGNS.get(operator, operator)} ".join(
                _inner(part, *plain) for part in operands
            )
    raise AssertionError(expression)


def _inner(part: Expression, *plain: str) -> str:
    text = text_of(part)
    return (
        f"({text})"
        if isinstance(part, Operation)
        and part.operator not in ("not", "imps", "rnd", "score", *plain)
        else text
    )
