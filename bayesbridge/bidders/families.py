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

OTHER_OF_TWO: Final = {"O": "M", "o": "m"}
"""Letters that stand for what is left of the majors or minors by another letter."""

NO_TEXTS: Final[Mapping[str, Sequence[str]]] = MappingProxyType({})
ANY_CALLS: Final = "…"
"""Last in a name: any calls may follow those that stand before it."""

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
    """Whether a section is of a family: it has letters for suits, or passed hands."""
    if PASSED_HAND in text:
        return True
    words = text.replace("/", " ").split()
    return any(word == ANY_CALLS or _CALL.fullmatch(word) for word in words)


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A call, such as ``1NT``, or any of a family, such as ``2x`` or ``jump-z``."""

    call: Call | None
    manner: str = PLAIN
    level: int | None = None
    letter: str = ""

    @classmethod
    def of(cls, word: str) -> Self:
        """Read a call of the language of systems."""
        match = _CALL.fullmatch(word)
        if match is None:
            return cls(Call.of(word))
        level = int(match["level"]) if match["level"] else None
        return cls(None, match["manner"], level, match["letter"])

    def match(self, call: Call, earlier: Calls, suits: Suits) -> Suits | None:
        """The suits of letters where a call after ``earlier`` ones fits, else ``None``.

        ``suits`` are those of letters that stand for a suit already; a new letter may
        stand for any other suit of its kind. Such a bid must be made in the manner of
        the pattern: as a plain bid, a reverse, a jump or a double jump. Only openings,
        and patterns with a level from four on, leave the manner open.
        """
        if self.call is not None:
            return suits if call == self.call else None
        suit = None if call.strain is None else call.strain.trump
        if suit is None or self.level not in (None, call.level):
            return None
        if self.letter in suits:
            return suits if suits[self.letter] == suit else None
        if suit not in LETTERS[self.letter] or suit in suits.values():
            return None
        may_be_any_jump = not earlier or (self.level or 0) >= GAME_LEVEL
        if not may_be_any_jump and _manner(call, suit, earlier) != self.manner:
            return None
        return {**suits, self.letter: suit}


def _manner(call: Call, suit: Suit, earlier: Calls) -> str | None:
    """How a new suit is bid: plain, as a reverse, with one jump or with two.

    ``None`` stands for more jumps, which no family has. Opener's reverse takes the
    place of a plain bid; a jump in such a suit is a splinter, since the reverse itself
    shows a strong hand.
    """
    last_bid = next(bid for bid in reversed(earlier) if bid.is_bid)
    assert last_bid.strain is not None
    cheapest_level = last_bid.level
    if suit <= last_bid.strain:
        cheapest_level += 1
    is_openers_rebid = len(earlier) == OPENERS_REBID
    manners: tuple[str, ...] = (PLAIN, JUMP, SPLINTER)  # by the number of jumps
    if is_openers_rebid and _is_reverse(suit, cheapest_level, earlier):
        manners = (REVERSE, SPLINTER)
    jumps = call.level - cheapest_level
    return manners[jumps] if jumps < len(manners) else None


def _is_reverse(suit: Suit, level: int, earlier: Calls) -> bool:
    """Whether opener's second suit is a reverse, where responder has bid a suit too.

    It takes responder to the next level for a return to the first suit.
    """
    opening = earlier[0]
    answer = earlier[2]
    assert opening.strain is not None
    is_new_suit = answer.is_bid and answer.strain != opening.strain
    return is_new_suit and level > opening.level and suit > opening.strain


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
        """A section by its name, the calls before, and by what its own calls show.

        A name is calls such as ``1x Pass 1C/1y Pass``, in which letters stand for
        suits. It may end in ``…``, where any calls may follow, and in ``by a passed
        hand``. ``texts`` are the statements of each call.
        """
        words = name.removesuffix(PASSED_HAND).split()
        later_too = words[-1:] == [ANY_CALLS]
        if later_too:
            words.pop()
        calls = [
            (CallPattern.of(word), tuple(statements))
            for word, statements in texts.items()
        ]
        return cls(
            name,
            before=tuple(map(_alternatives, words)),
            later_too=later_too,
            passed_hand=name.endswith(PASSED_HAND),
            calls=tuple(calls),
        )

    def suits(self, calls: Calls) -> Suits | None:
        """Which suits the letters of the family stand for after these calls.

        ``None`` where the calls are not those that the family follows. A family may
        also speak of all places further on: ``later_too``.
        """
        extra_calls = len(calls) - len(self.before)
        if extra_calls < 0 or (extra_calls > 0 and not self.later_too):
            return None
        suits_by_letter: Suits = {}
        for place, alternatives in enumerate(self.before):
            # Each match gives the letters so far, and those of its own call.
            matches = (
                pattern.match(calls[place], calls[:place], suits_by_letter)
                for pattern in alternatives
            )
            first_match = next((match for match in matches if match is not None), None)
            if first_match is None:
                return None
            suits_by_letter = first_match
        return suits_by_letter

    def meanings(self, calls: Calls) -> dict[Call, tuple[Statement, ...]]:
        """What calls show after these; nothing where the family does not follow them.

        Every legal call that fits one of the family's patterns, such as ``2z``, shows
        the statements of the pattern, with suits in place of letters. Of two patterns
        of a call the later counts.
        """
        suits = self.suits(calls)
        if suits is None:
            return {}
        # Who deals does not matter to a system; North does here.
        auction = Auction.four("N").after_all(calls)
        meanings: dict[Call, tuple[Statement, ...]] = {}
        for pattern, texts in self.calls:
            for call in auction.legal_calls():
                suits_of_call = pattern.match(call, calls, suits)
                if suits_of_call is not None:
                    meanings[call] = tuple(_statements(texts, suits_of_call))
        return meanings

    def silences(self, calls: Calls) -> bool:
        """Whether it takes back what a system that this one is like says here."""
        return not self.calls and self.suits(calls) is not None

    def verify(self) -> None:
        """Try its calls once, for some suits, and raise what is wrong with them."""
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
        yield from self._continuations((), {})

    def _continuations(self, calls: Calls, suits: Suits) -> Iterator[Calls]:
        """The places that begin with these calls, whose letters stand for suits."""
        if len(calls) == len(self.before):
            yield calls
            return
        auction = Auction.four("N").after_all(calls)
        for pattern in self.before[len(calls)]:
            for call in auction.legal_calls():
                suits_there = pattern.match(call, calls, suits)
                if suits_there is not None:
                    yield from self._continuations((*calls, call), suits_there)


def _alternatives(word: str) -> tuple[CallPattern, ...]:
    """The calls of which any may stand at one place, such as ``1C/1D``."""
    return tuple(CallPattern.of(call) for call in word.split("/"))


def _statements(texts: Sequence[str], suits: Suits) -> Iterator[Statement]:
    """The statements of a call, its letters replaced by suits."""
    for text in texts:
        in_suits = _LETTER_IN_STATEMENT.sub(
            lambda match: _suit_name(match[1], suits), text
        )
        yield Statement.of(in_suits)


def _suit_name(letter: str, suits: Suits) -> str:
    """The suit of a letter; O and o are the major and minor that M and m are not."""
    if letter not in suits and letter in OTHER_OF_TWO:
        taken = suits.get(OTHER_OF_TWO[letter])
        return next(suit for suit in LETTERS[letter] if suit != taken).name
    if letter not in suits:
        raise NotationError(f"the letter {letter} stands for no suit here")
    return suits[letter].name
