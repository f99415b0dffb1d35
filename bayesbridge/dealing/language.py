"""Scripts of the dealer language: commands, definitions and actions around expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bayesbridge.cards import RANKS
from bayesbridge.expressions import (
    ACTIONS,
    LENGTH,
    PRINTS,
    RESERVED,
    SEATS,
    SUIT_LETTERS,
    SUITS,
    TRUE,
    VULNERABILITIES,
    Expression,
    Held,
    Number,
    Operation,
    Parser,
    Token,
    by_rank,
    conjunction,
)


@dataclass(frozen=True, slots=True)
class Print:
    """Print each deal: ``form`` is the word of the language, ``seats`` those of ``print(…)``.

    ``values`` are expressions and texts printed with the deal.
    """

    form: str
    seats: tuple[int, ...] = ()
    values: tuple[Expression | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of an expression over all deals."""

    title: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often an expression has each value from ``low`` to ``high``; a second one makes a table of both."""

    title: str
    value: Expression
    low: int
    high: int
    other: Expression | None = None
    other_low: int = 0
    other_high: int = 0


@dataclass(frozen=True, slots=True)
class EvalContract:
    """How often a contract makes double dummy, and what it scores on average."""

    title: str
    seat: int
    level: int
    strain: int
    vulnerable: bool


type Action = Print | Average | Frequency | EvalContract


@dataclass(frozen=True, slots=True)
class Script:
    """``None`` where the script does not say; see :func:`parse`."""

    condition: Expression = TRUE
    predealt: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Masks of the cards given to each seat."""
    produce: int | None = None
    generate: int | None = None
    dealer: int | None = None
    vulnerable: str | None = None
    seed: int | None = None
    actions: tuple[Action, ...] = field(default=())

    @property
    def prints(self) -> bool:
        """Whether deals are printed: if no action is named, they are."""
        return not self.actions or any(isinstance(action, Print) for action in self.actions)


MOST_BINS: Final = 10_000
MOST_DEALS: Final = 10_000_000
LONGEST_SCRIPT: Final = 1_000_000


def parse(text: str) -> Script:
    """Read a script; what is wrong with it is one line with line and column.

    >>> parse("produce 10 condition hcp(north) >= 20").produce
    10
    >>> parse("condition hpc(north) >= 20")
    Traceback (most recent call last):
        ...
    bayesbridge.errors.NotationError: line 1, column 11: unknown word 'hpc': did you mean 'hcp'?
    """
    return _ScriptParser(text).script()


class _ScriptParser(Parser):
    """Statements in any order; the last condition counts."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_SCRIPT:
            raise Token("end", "", 1, 1).wrong(f"a script of {len(text)} characters: it may have {LONGEST_SCRIPT}")
        super().__init__(text)
        self._found = Script()
        self._lengths: list[Expression] = []
        self._numbers: dict[str, Any] = {}

    def script(self) -> Script:
        while self.next.kind != "end":
            self._statement()
        condition = conjunction((self._found.condition, *self._lengths))
        return replace(self._found, condition=condition, **self._numbers)

    def _statement(self) -> None:
        token = self.next
        after = self.words[self.place + 1] if token.kind != "end" else token
        if token.kind == "word" and after.text == "=" and after.kind == "sign":
            self._definition()
        elif self.accept("condition"):
            self._found = replace(self._found, condition=self.expression())
        elif self.accept("predeal"):
            self._predeal()
        elif word := self.accept("produce", "generate", "seed"):
            most = MOST_DEALS if word.text == "produce" else 1 << 40
            number = self.number(f"{word.text} 1000")
            if not 0 <= number <= most or (number == 0 and word.text == "produce"):
                raise word.wrong(f"{word.text} {number}: write a number from 1 to {most}")
            self._numbers[word.text] = number
        elif self.accept("dealer"):
            self._found = replace(self._found, dealer=self.seat())
        elif self.accept("vulnerable"):
            place = self.read()
            if place.text.lower() not in VULNERABILITIES:
                raise place.wrong(f"{place.quoted} is no vulnerability: write none, NS, EW or all")
            self._found = replace(self._found, vulnerable=VULNERABILITIES[place.text.lower()])
        elif self.accept("pointcount"):
            points = by_rank("hcp", self._weights(token))
            self.measures |= {"hcp": points, "hcps": points}
        elif self.accept("altcount"):
            which = self.number("the number of a count, 0 to 9")
            if not 0 <= which <= 9:
                raise token.wrong(f"altcount {which}: counts are numbered 0 to 9")
            self.counts[which] = by_rank(f"pt{which}", self._weights(token))
        elif self.accept("action"):
            self._actions()
        else:
            self._found = replace(self._found, condition=self.expression())

    def _definition(self) -> None:
        name = self.read()
        if name.text in RESERVED or name.text[0].isdigit():
            raise name.wrong(f"{name.quoted} is a word of the language: choose another name")
        if name.text in self.names:
            raise name.wrong(f"{name.quoted} is defined twice: choose another name")
        self.read()
        self.names[name.text] = self.expression()

    def _weights(self, token: Token) -> list[int]:
        found: list[int] = []
        while self.next.text.isascii() and (self.next.text.isdigit() or self.next.text == "-"):
            found.append(self.number("points from the ace down"))
            if len(found) > 13 or abs(found[-1]) > 1000:
                raise token.wrong("write up to 13 numbers from -1000 to 1000, from the ace down")
        if not found:
            raise self.next.wrong(
                f"{self.next.quoted} is no number: write the points from the ace down, such as 4 3 2 1"
            )
        return found

    def _predeal(self) -> None:
        token = self.next
        if token.text not in SEATS and token.text not in SUITS:
            raise token.wrong(f"{token.quoted} is no seat: write predeal north SAKQ, HJT")
        while self.next.text in SEATS or self.next.text in SUITS:
            if self.next.text in SUITS:
                suit = SUITS[self.read().text]
                self.expect("(", "spades(north) == 5")
                seat = self.seat()
                self.expect(")", "spades(north) == 5")
                self.expect("==", "spades(north) == 5")
                length = Number(self.number("a length"))
                self._lengths.append(Operation("==", (Held(LENGTH, seat, suit), length)))
            else:
                seat = self.seat()
                while self.next.kind == "word" and re.fullmatch(f"[{SUIT_LETTERS}][{RANKS}]+", self.next.text):
                    self._give(seat, self.read())
                    self.accept(",")
            self.accept(",")

    def _give(self, seat: int, token: Token) -> None:
        hands = list(self._found.predealt)
        for letter in token.text[1:]:
            card = 1 << (13 * SUIT_LETTERS.index(token.text[0]) + RANKS.index(letter))
            if any(hand & card for hand in hands):
                raise token.wrong(f"{token.text[0]}{letter} is dealt twice: a card has one place")
            hands[seat] |= card
        if hands[seat].bit_count() > 13:
            raise token.wrong(f"{list(SEATS)[seat]} gets {hands[seat].bit_count()} cards: a hand has 13")
        north, east, south, west = hands
        self._found = replace(self._found, predealt=(north, east, south, west))

    def _actions(self) -> None:
        found: list[Action] = []
        while True:
            token = self.read()
            if token.kind != "word" or token.text not in ACTIONS:
                raise token.wrong(f"{token.quoted} is no action: write printall, printoneline, average, frequency …")
            found.append(self._action(token.text))
            if not self.accept(",") or self.next.kind == "end":
                break
        self._found = replace(self._found, actions=(*self._found.actions, *found))

    def _action(self, word: str) -> Action:
        if word in PRINTS:
            return self._print(word)
        title = self.read().text[1:-1] if self.next.kind == "text" else ""
        if word == "average":
            return Average(title, self.expression())
        self.expect("(", f'{word} "title" (…)')
        found = self._frequency(title) if word == "frequency" else self._evalcontract(title)
        self.expect(")", "a bracket that closes")
        return found

    def _print(self, word: str) -> Print:
        if word == "print":
            self.expect("(", "print(north, south)")
            seats = [self.seat()]
            while self.accept(","):
                seats.append(self.seat())
            self.expect(")", "a bracket that closes")
            return Print(word, tuple(seats))
        if word == "printes":
            brackets = self.accept("(") is not None
            values = [self._printed()]
            while self.accept(","):
                values.append(self._printed())
            if brackets:
                self.expect(")", "a bracket that closes")
            return Print(word, values=tuple(values))
        optional = (
            word in ("printoneline", "printcompact")
            and self.next.text not in (",", "")
            and (self.next.text not in RESERVED - frozenset(self.measures) or self.words[self.place + 1].text == "(")
        )
        after = self.words[min(self.place + 1, len(self.words) - 1)]
        if optional and not (self.next.kind == "word" and after.text == "="):
            return Print(word, values=(self.expression(),))
        return Print(word)

    def _printed(self) -> Expression | str:
        if self.next.kind == "newline":
            self.read()
            return "\n"
        return self.read().text[1:-1] if self.next.kind == "text" else self.expression()

    def _bounds(self) -> tuple[Expression, int, int]:
        start = self.next
        value = self.expression()
        self.expect(",", "frequency (value, low, high)")
        low = self.number("the lowest value")
        self.expect(",", "frequency (value, low, high)")
        high = self.number("the highest value")
        if not low <= high or high - low >= MOST_BINS:
            raise start.wrong(f"values from {low} to {high}: write a range of 1 to {MOST_BINS} values")
        return value, low, high

    def _frequency(self, title: str) -> Frequency:
        start, first = self.next, self._bounds()
        if not self.accept(","):
            return Frequency(title, *first)
        second = self._bounds()
        if (first[2] - first[1] + 3) * (second[2] - second[1] + 3) > MOST_BINS:
            raise start.wrong(f"a table of more than {MOST_BINS} values: choose smaller ranges")
        return Frequency(title, *first, *second)

    def _evalcontract(self, title: str) -> EvalContract:
        seat = self.seat()
        self.expect(",", "evalcontract (south, x3N)")
        level, strain = self.contract()
        vulnerable = self.choice({"vul": True, "nv": False}, "vulnerability") if self.accept(",") else False
        return EvalContract(title, seat, level, strain, vulnerable)
