"""Scripts of the dealer language: commands, definitions and actions around expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bayesbridge.evidence.expressions import TRUE, Expression
from bayesbridge.evidence.measures import by_rank
from bayesbridge.evidence.parser import (
    ACTIONS,
    COMMANDS,
    PRINTS,
    RESERVED,
    SEATS,
    SUIT_LETTERS,
    VULNERABILITIES,
    Parser,
    Token,
)
from bayesbridge.game.cards import RANKS, SUIT_CARDS


@dataclass(frozen=True, slots=True)
class Action:
    """What a script does with the deals: print them, or tell a statistic."""

    #: The word of the language.
    form: str
    values: tuple[Expression, ...] = ()
    #: The lowest and the highest value of a frequency that are told on their own.
    ranges: tuple[tuple[int, int], ...] = ()
    title: str = ""

    @property
    def prints(self) -> bool:
        """Whether it writes deals, rather than a statistic."""
        return self.form in PRINTS


@dataclass(frozen=True, slots=True)
class Script:
    """A script that :func:`parse` has read; ``None`` stands where it does not say."""

    condition: Expression = TRUE
    #: Masks of the cards given to each seat.
    predealt: tuple[int, ...] = (0, 0, 0, 0)
    produce: int | None = None
    generate: int | None = None
    dealer: int | None = None
    vulnerable: str | None = None
    seed: int | None = None
    actions: tuple[Action, ...] = ()
    #: Lines of conditions that do not count, since another comes after them.
    overruled: tuple[int, ...] = field(default=(), compare=False)

    @property
    def prints(self) -> bool:
        """Whether it writes deals."""
        return not self.actions or any(action.prints for action in self.actions)


MOST_BINS: Final = 10_000
MOST_DEALS: Final = 10_000_000
MOST_DRAWS: Final = 1 << 40

AMOUNTS: Final[Mapping[str, tuple[int, int]]] = {
    "produce": (1, MOST_DEALS),
    "generate": (1, MOST_DRAWS),
    "seed": (0, MOST_DRAWS),
}
"""The least and the largest number that may stand after a word."""

MOST_WEIGHT: Final = 1000
MOST_AXES: Final = 2
"""Values that a frequency tells in one table."""

EDGE_BINS: Final = 2
"""Bins that a table has beside those of a range: values below it and above it."""


def parse(text: str) -> Script:
    """Read a script; what is wrong with it is one line with line and column.

    Of several conditions the last one counts; the lines of the others are noted.

    >>> parse("produce 10 condition hcp(north) >= 20").produce
    10
    """
    parser = _ScriptParser(text)
    while parser.next.kind != "end":
        parser.statement()
    overruled = parser.condition_lines[:-1]
    return Script(
        predealt=tuple(parser.hands),
        actions=tuple(parser.actions),
        overruled=tuple(overruled),
        **parser.settings,
    )


class _ScriptParser(Parser):
    """Statements in any order; the last condition counts."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.settings: dict[str, Any] = {}
        self.hands = [0, 0, 0, 0]
        self.actions: list[Action] = []
        self.condition_lines: list[int] = []
        self._given_by: dict[int, Token] = {}
        """The word that gave each predealt card."""

    @property
    def _defines(self) -> bool:
        """Whether a definition comes next."""
        return self.next.kind == "word" and self.words[self.place + 1].text == "="

    def statement(self) -> None:
        """Read a definition, a command, or a condition without its word."""
        if self._defines:
            self._definition()
            return
        command = self.accept(*_STATEMENTS)
        if command is None:
            self._condition(self.next)
        else:
            _STATEMENTS[command.text](self, command)

    def _definition(self) -> None:
        """``name = expression``"""
        name = self.read()
        if name.text in RESERVED or name.text[0].isdigit():
            raise name.wrong(
                f"{name.quoted} is a word of the language: choose another name"
            )
        if name.text in self.names:
            raise name.wrong(f"{name.quoted} is defined twice: choose another name")
        self.read()
        self.names[name.text] = self.expression()

    def _condition(self, begin: Token) -> None:
        """``condition expression``, in which the word may be left out."""
        self.condition_lines.append(begin.line)
        self.settings["condition"] = self.expression()

    def _amount(self, command: Token) -> None:
        """``produce 10``, ``generate 1000`` or ``seed 1``"""
        word = command.text
        least, most = AMOUNTS[word]
        amount = self.number(f"{word} 1000")
        if not least <= amount <= most:
            raise command.wrong(
                f"{word} {amount}: write a number from {least} to {most}"
            )
        self.settings[word] = amount

    def _dealer(self, command: Token) -> None:
        """``dealer north``"""
        self.settings[command.text] = self.choice(SEATS, "seat")

    def _vulnerable(self, command: Token) -> None:
        """``vulnerable NS``"""
        sides = self.read()
        word = sides.text.lower()
        if word not in VULNERABILITIES:
            raise sides.wrong(
                f"{sides.quoted} is no vulnerability: write none, NS, EW or all"
            )
        self.settings[command.text] = VULNERABILITIES[word]

    def _point_count(self, command: Token) -> None:
        """``pointcount 4 3 2 1``"""
        points = by_rank("hcp", self._weights(command))
        self.measures |= {"hcp": points, "hcps": points}

    def _alternative_count(self, command: Token) -> None:
        """``altcount 9 6 4 2 1``"""
        number = self.number("the number of a count, 0 to 9")
        if not 0 <= number < len(self.counts):
            raise command.wrong(f"altcount {number}: counts are numbered 0 to 9")
        self.counts[number] = by_rank(f"pt{number}", self._weights(command))

    def _actions(self, _: Token) -> None:
        """``action printall, average hcp(north)``"""
        self.actions.append(self._action())
        while self.accept(",") and self.next.kind != "end":
            self.actions.append(self._action())

    def _weights(self, command: Token) -> list[int]:
        """Whole numbers from the ace down."""
        weights: list[int] = []
        while self.next.is_number or self.next.text == "-":
            weights.append(self.number("points from the ace down"))
        fit_the_ranks = 1 <= len(weights) <= len(RANKS)
        if not fit_the_ranks or max(map(abs, weights)) > MOST_WEIGHT:
            raise command.wrong(
                "write 1 to 13 numbers from -1000 to 1000, from the ace down, such as "
                "4 3 2 1"
            )
        return weights

    def _predeal(self, _: Token) -> None:
        """``predeal north SAKQ, HJT east S32``"""
        if self.next.text not in SEATS:
            raise self.next.wrong(
                f"{self.next.quoted} is no seat: write predeal north SAKQ, HJT"
            )
        while self.next.text in SEATS:
            seat = self.choice(SEATS, "seat")
            while self.next.kind == "word" and _SUIT_CARDS.fullmatch(self.next.text):
                self._give(seat, self.read())
                self.accept(",")

    def _give(self, seat: int, token: Token) -> None:
        """Give a seat the cards of a word such as ``SAKQ``; no card may be given twice."""
        suit_letter = token.text[0]
        suit = SUIT_LETTERS.index(suit_letter)
        for rank in token.text[1:]:
            card = SUIT_CARDS * suit + RANKS.index(rank)
            earlier = self._given_by.get(card)
            if earlier is not None:
                raise token.wrong(
                    f"{suit_letter}{rank} is given in line {earlier.line} already: "
                    "give it once"
                )
            self._given_by[card] = token
            self.hands[seat] |= 1 << card

    def _action(self) -> Action:
        """Read one action: a way to print deals, an average or a frequency."""
        token = self.read()
        if token.kind != "word" or token.text not in ACTIONS:
            raise token.wrong(
                f"{token.quoted} is no action: write printall, printoneline, average, "
                "frequency …"
            )
        if token.text in PRINTS:
            return self._print_action(token.text)
        title = ""
        if self.next.kind == "text":
            quoted_title = self.read().text
            title = quoted_title[1:-1]
        if token.text == "average":
            value = self.expression()
            return Action("average", (value,), title=title)
        return self._frequency(token, title)

    def _print_action(self, form: str) -> Action:
        """A way to print deals; two of them may have a value to print."""
        may_have_value = form in ("printoneline", "printcompact")
        ends_here = self._defines or self.next.text in (",", "", *COMMANDS)
        if not may_have_value or ends_here:
            return Action(form)
        return Action(form, (self.expression(),))

    def _frequency(self, token: Token, title: str) -> Action:
        """Read ``(value, low, high)``, or two values with their ranges in one table."""
        self.expect("(", 'frequency "title" (…)')
        values: list[Expression] = []
        ranges: list[tuple[int, int]] = []
        cells = 1
        while not values or (len(values) < MOST_AXES and self.accept(",")):
            values.append(self.expression())
            low, high = self._range_of_frequency()
            ranges.append((low, high))
            cells *= high - low + 1 + EDGE_BINS
            if low > high or cells > MOST_BINS:
                raise token.wrong(
                    f"values from {low} to {high}: write ranges of up to {MOST_BINS} "
                    "values in all"
                )
        self.expect(")", "a bracket that closes")
        return Action("frequency", tuple(values), tuple(ranges), title)

    def _range_of_frequency(self) -> tuple[int, int]:
        """Read ``, low, high``."""
        example = "frequency (value, low, high)"
        self.expect(",", example)
        low = self.number("the lowest value")
        self.expect(",", example)
        high = self.number("the highest value")
        return low, high


_SUIT_CARDS: Final = re.compile(f"[{SUIT_LETTERS}][{RANKS}]+")

_STATEMENTS: Final[Mapping[str, Callable[[_ScriptParser, Token], None]]] = {
    "action": _ScriptParser._actions,
    "altcount": _ScriptParser._alternative_count,
    "condition": _ScriptParser._condition,
    "dealer": _ScriptParser._dealer,
    "generate": _ScriptParser._amount,
    "pointcount": _ScriptParser._point_count,
    "predeal": _ScriptParser._predeal,
    "produce": _ScriptParser._amount,
    "seed": _ScriptParser._amount,
    "vulnerable": _ScriptParser._vulnerable,
}
"""What reads a command, after its word."""
