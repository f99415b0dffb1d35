"""Scripts of the dealer language: commands, definitions and actions around expressions."""

from __future__ import annotations

import re
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
from bayesbridge.game.cards import RANKS


@dataclass(frozen=True, slots=True)
class Action:
    """``form`` is the word of the language; ``ranges``: the values of a frequency that
    are told on their own.
    """

    form: str
    values: tuple[Expression, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    title: str = ""

    @property
    def prints(self) -> bool:
        return self.form in PRINTS


@dataclass(frozen=True, slots=True)
class Script:
    """``None`` where the script does not say; see :func:`parse`."""

    condition: Expression = TRUE
    predealt: tuple[int, ...] = (0, 0, 0, 0)  # masks of the cards given to each seat
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
        return not self.actions or any(action.prints for action in self.actions)


MOST_BINS: Final = 10_000
MOST_DEALS: Final = 10_000_000


def parse(text: str) -> Script:
    """Read a script; what is wrong with it is one line with line and column.

    >>> parse("produce 10 condition hcp(north) >= 20").produce
    10
    """
    parser = _ScriptParser(text)
    while parser.next.kind != "end":
        parser.statement()
    return Script(
        predealt=tuple(parser.hands),
        actions=tuple(parser.actions),
        overruled=tuple(parser.condition_lines[:-1]),
        **parser.found,
    )


class _ScriptParser(Parser):
    """Statements in any order; the last condition counts."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.found: dict[str, Any] = {}
        self.hands = [0, 0, 0, 0]
        self.actions: list[Action] = []
        self.condition_lines: list[int] = []
        self._predealt: dict[int, Token] = {}  # cards, and the word that gave each

    @property
    def _defines(self) -> bool:
        return self.next.kind == "word" and self.words[self.place + 1].text == "="

    def statement(self) -> None:
        token = self.next
        if self._defines:
            name = self.read()
            if name.text in RESERVED or name.text[0].isdigit():
                raise name.wrong(
                    f"{name.quoted} is a word of the language: choose another name"
                )
            if name.text in self.names:
                raise name.wrong(f"{name.quoted} is defined twice: choose another name")
            self.read()
            self.names[name.text] = self.expression()
        elif self.accept("predeal"):
            self._predeal()
        elif word := self.accept("produce", "generate", "seed"):
            most = MOST_DEALS if word.text == "produce" else 1 << 40
            number = self.number(f"{word.text} 1000")
            if not 0 <= number <= most or (number == 0 and word.text == "produce"):
                raise word.wrong(
                    f"{word.text} {number}: write a number from 1 to {most}"
                )
            self.found[word.text] = number
        elif self.accept("dealer"):
            self.found["dealer"] = self.choice(SEATS, "seat")
        elif self.accept("vulnerable"):
            place = self.read()
            if place.text.lower() not in VULNERABILITIES:
                raise place.wrong(
                    f"{place.quoted} is no vulnerability: write none, NS, EW or all"
                )
            self.found["vulnerable"] = VULNERABILITIES[place.text.lower()]
        elif self.accept("pointcount"):
            points = by_rank("hcp", self._weights(token))
            self.measures |= {"hcp": points, "hcps": points}
        elif self.accept("altcount"):
            which = self.number("the number of a count, 0 to 9")
            if not 0 <= which <= 9:
                raise token.wrong(f"altcount {which}: counts are numbered 0 to 9")
            self.counts[which] = by_rank(f"pt{which}", self._weights(token))
        elif self.accept("action"):
            self.actions.append(self._action())
            while self.accept(",") and self.next.kind != "end":
                self.actions.append(self._action())
        else:
            self.accept("condition")
            self.condition_lines.append(token.line)
            self.found["condition"] = self.expression()

    def _weights(self, token: Token) -> list[int]:
        found: list[int] = []
        while self.next.text.isascii() and (
            self.next.text.isdigit() or self.next.text == "-"
        ):
            found.append(self.number("points from the ace down"))
        if not 1 <= len(found) <= 13 or max(map(abs, found)) > 1000:
            raise token.wrong(
                "write 1 to 13 numbers from -1000 to 1000, from the ace down, such as 4 3 2 1"
            )
        return found

    def _predeal(self) -> None:
        if self.next.text not in SEATS:
            raise self.next.wrong(
                f"{self.next.quoted} is no seat: write predeal north SAKQ, HJT"
            )
        while self.next.text in SEATS:
            seat = self.choice(SEATS, "seat")
            while self.next.kind == "word" and re.fullmatch(
                f"[{SUIT_LETTERS}][{RANKS}]+", self.next.text
            ):
                self._give(seat, self.read())
                self.accept(",")

    def _give(self, seat: int, token: Token) -> None:
        """Give a seat the cards of a word such as ``SAKQ``."""
        suit = SUIT_LETTERS.index(token.text[0])
        for rank in token.text[1:]:
            card = 13 * suit + RANKS.index(rank)
            earlier = self._predealt.setdefault(card, token)
            if self.hands[seat] >> card & 1 or earlier is not token:
                raise token.wrong(
                    f"{token.text[0]}{rank} is given in line {earlier.line} already: "
                    "give it once"
                )
            self.hands[seat] |= 1 << card

    def _action(self) -> Action:
        token = self.read()
        if token.kind != "word" or token.text not in ACTIONS:
            raise token.wrong(
                f"{token.quoted} is no action: write printall, printoneline, average, frequency …"
            )
        if token.text in PRINTS:
            valued = (
                token.text in ("printoneline", "printcompact") and not self._defines
            )
            valued = valued and self.next.text not in (",", "", *COMMANDS)
            return Action(token.text, (self.expression(),) if valued else ())
        title = self.read().text[1:-1] if self.next.kind == "text" else ""
        if token.text == "average":
            return Action("average", (self.expression(),), title=title)
        self.expect("(", 'frequency "title" (…)')
        values: list[Expression] = []
        ranges, cells = [], 1
        while not values or (len(values) < 2 and self.accept(",")):
            values.append(self.expression())
            self.expect(",", "frequency (value, low, high)")
            low = self.number("the lowest value")
            self.expect(",", "frequency (value, low, high)")
            high = self.number("the highest value")
            ranges.append((low, high))
            cells *= high - low + 3
            if low > high or cells > MOST_BINS:
                raise token.wrong(
                    f"values from {low} to {high}: write ranges of up to {MOST_BINS} values in all"
                )
        self.expect(")", "a bracket that closes")
        return Action("frequency", tuple(values), tuple(ranges), title)
