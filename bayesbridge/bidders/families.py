"""Families of calls: what calls show in any suit, such as *opener's reverse*.

``after 1x Pass 1y Pass`` names the places after any two suits at the one level, and
below it ``reverse-z`` any reverse into a third suit. docs/bidders.md has the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Self

from bayesbridge.bidders.statements import Statement
from bayesbridge.errors import NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Suit

MAJORS: Final = (Suit.H, Suit.S)
MINORS: Final = (Suit.C, Suit.D)
LETTERS: Final[Mapping[str, tuple[Suit, ...]]] = {
    **dict.fromkeys("wxyz", tuple(Suit)),
    **dict.fromkeys("MO", MAJORS),
    **dict.fromkeys("mo", MINORS),
}
"""Letters that stand for a suit, each for another one."""

NO_TEXTS: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})
ANY_CALLS: Final = "…"
PASSED_HAND: Final = " by a passed hand"
"""At the end of a name: only for callers who have passed before anybody opened."""

PLAIN: Final = ""
REVERSE: Final = "reverse-"
JUMP: Final = "jump-"
SPLINTER: Final = "splinter-"
GAME_LEVEL: Final = 4
"""From this level on a new suit that is named with its level may be any jump."""

OPENERS_REBID: Final = 4
"""Place of opener's second call, counted from the opening."""

_CALL: Final = re.compile(
    rf"(?P<manner>{REVERSE}|{JUMP}|{SPLINTER}|)"
    rf"(?P<level>[1-7]?)(?P<letter>[{''.join(LETTERS)}])"
)
_LETTER_IN_STATEMENT: Final = re.compile(rf"\b([{''.join(LETTERS)}])(?=[\d-]| control)")

type Suits = Mapping[str, Suit]
"""The suits that letters stand for."""

type Calls = tuple[Call, ...]
"""The calls from the first bid of an auction on; none before the opening."""


def has_letters(text: str) -> bool:
    """Whether letters stand for suits among the words of a section, or it speaks of
    passed hands.
    """
    if PASSED_HAND in text:
        return True
    return any(
        word == ANY_CALLS or _CALL.fullmatch(word) is not None
        for words in text.split()
        for word in words.split("/")
    )


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A call, such as ``1NT``, or any of a family, such as ``2x`` or ``jump-z``."""

    call: Call | None
    manner: str = PLAIN
    level: int | None = None
    letter: str = ""

    @classmethod
    def of(cls, word: str) -> Self:
        match = _CALL.fullmatch(word)
        if match is None:
            return cls(Call.of(word))
        level = int(match["level"]) if match["level"] else None
        return cls(None, match["manner"], level, match["letter"])

    def match(self, call: Call, earlier: Calls, suits: Suits) -> Suits | None:
        """The suits of letters where a call after ``earlier`` ones fits, else ``None``."""
        if self.call is not None:
            return suits if call == self.call else None
        suit = None if call.strain is None else call.strain.trump
        if suit is None or self.level not in (None, call.level):
            return None
        if self.letter in suits:
            return suits if suits[self.letter] == suit else None
        if suit not in LETTERS[self.letter] or suit in suits.values():
            return None
        has_manner = bool(earlier) and (self.level or 0) < GAME_LEVEL
        if has_manner and _manner(call, suit, earlier) != self.manner:
            return None
        return {**suits, self.letter: suit}


def _manner(call: Call, suit: Suit, earlier: Calls) -> str | None:
    """How a new suit is bid; ``None`` for what no family has, two jumps or more."""
    last_bid = next(one for one in reversed(earlier) if one.is_bid)
    assert last_bid.strain is not None
    cheapest = last_bid.level + (suit <= last_bid.strain)
    jumps = call.level - cheapest
    reverse = len(earlier) == OPENERS_REBID and _is_reverse(suit, cheapest, earlier)
    manners = (REVERSE, SPLINTER) if reverse else (PLAIN, JUMP, SPLINTER)
    return manners[jumps] if jumps < len(manners) else None


def _is_reverse(suit: Suit, level: int, earlier: Calls) -> bool:
    """Whether opener's second suit takes responder, who has bid one too, to the next
    level for a return to the first.
    """
    opening = earlier[0]
    answer = earlier[2]
    assert opening.strain is not None
    new_suit = answer.is_bid and answer.strain != opening.strain
    return new_suit and level > opening.level and suit > opening.strain


@dataclass(frozen=True, slots=True)
class Family:
    """A section of a system whose name has letters: what calls show at many places."""

    name: str
    before: tuple[tuple[CallPattern, ...], ...]
    """The calls before, each with its alternatives."""
    later_too: bool
    """Whether it speaks of all places further on as well."""
    passed_hand: bool
    """Whether it speaks of passed hands alone."""
    calls: tuple[tuple[CallPattern, tuple[str, ...]], ...]
    """Calls and their statements, in which letters stand for suits."""

    @classmethod
    def of(cls, name: str, texts: Mapping[str, Sequence[str]] = NO_TEXTS) -> Self:
        """A section by the calls before, such as ``1x Pass 1y Pass``."""
        words = name.removesuffix(PASSED_HAND).split()
        later_too = words[-1:] == [ANY_CALLS]
        before = tuple(
            tuple(CallPattern.of(word) for word in alternatives.split("/"))
            for alternatives in words[: len(words) - later_too]
        )
        calls = tuple(
            (CallPattern.of(word), tuple(statements))
            for word, statements in texts.items()
        )
        passed_hand = name.endswith(PASSED_HAND)
        return cls(name, before, later_too, passed_hand, calls)

    def suits(self, calls: Calls) -> Suits | None:
        """The suits of its letters after these calls; ``None`` at other places."""
        if len(calls) < len(self.before):
            return None
        if len(calls) > len(self.before) and not self.later_too:
            return None
        suits: Suits = {}
        for place, patterns in enumerate(self.before):
            fitting = (
                pattern.match(calls[place], calls[:place], suits)
                for pattern in patterns
            )
            bound = next((match for match in fitting if match is not None), None)
            if bound is None:
                return None
            suits = bound
        return suits

    def meanings(self, calls: Calls) -> dict[Call, tuple[Statement, ...]]:
        """What calls show after these; of two families of a call the later counts."""
        suits = self.suits(calls)
        if suits is None:
            return {}
        auction = Auction.four("N").after_all(calls)
        shown: dict[Call, tuple[Statement, ...]] = {}
        for pattern, texts in self.calls:
            for call in auction.legal_calls():
                bound = pattern.match(call, calls, suits)
                if bound is not None:
                    shown[call] = tuple(_statements(texts, bound))
        return shown

    def silences(self, calls: Calls) -> bool:
        """Whether it takes back what a system that this one is like says here."""
        return not self.calls and self.suits(calls) is not None

    def verify(self) -> None:
        """Try its calls once for suits that letters may stand for, and raise what is
        wrong with them.
        """
        for calls in self.places():
            if self.meanings(calls):
                return
        if self.calls:
            raise NotationError(
                "no such call is possible there: write calls such as 2z, reverse-z, "
                "jump-z or 3NT"
            )

    def places(self) -> Iterator[Calls]:
        """The calls before each of its places, in every suit."""
        yield from self._continued((), {})

    def _continued(self, calls: Calls, suits: Suits) -> Iterator[Calls]:
        """All that its name says after these calls."""
        if len(calls) == len(self.before):
            yield calls
            return
        auction = Auction.four("N").after_all(calls)
        for pattern in self.before[len(calls)]:
            for call in auction.legal_calls():
                bound = pattern.match(call, calls, suits)
                if bound is not None:
                    yield from self._continued((*calls, call), bound)


def _statements(texts: Sequence[str], suits: Suits) -> Iterator[Statement]:
    """The statements of a call, its letters replaced by suits."""
    for text in texts:
        yield Statement.of(
            _LETTER_IN_STATEMENT.sub(lambda match: _suit_name(match[1], suits), text)
        )


def _suit_name(letter: str, suits: Suits) -> str:
    if letter in "Oo" and letter not in suits:
        partner = {"O": "M", "o": "m"}[letter]
        others = (suit for suit in LETTERS[letter] if suit != suits.get(partner))
        return next(others).name
    if letter not in suits:
        raise NotationError(f"the letter {letter} stands for no suit here")
    return suits[letter].name
