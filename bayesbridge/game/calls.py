"""Calls, contracts and vulnerability.

What players say, what is to be played in the end, and what is at stake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise, takewhile
from typing import Final

from bayesbridge.errors import NotationError, whole
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat

_WORDS: Final = {
    **dict.fromkeys(("PASS", "P", "-"), 0),
    **dict.fromkeys(("X", "DBL", "DOUBLE"), 1),
    **dict.fromkeys(("XX", "RDBL", "REDOUBLE"), 2),
}
_NAMES: Final = ("Pass", "X", "XX")
FIRST_BID: Final = len(_NAMES)
"""Index of 1C; the calls before it name no strain."""

LEVELS: Final = "1234567"
CALL_COUNT: Final = FIRST_BID + len(LEVELS) * len(Strain)
ALL_PASS: Final = "AP"

GAME_LEVELS: Final = {
    Strain.NT: 3,
    Strain.S: 4,
    Strain.H: 4,
    Strain.D: 5,
    Strain.C: 5,
}
"""Levels from which a contract is worth 100 points for tricks."""

SMALL_SLAM_LEVEL: Final = 6
CONTRACT_KINDS: Final = ("part score", "game", "slam")


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One of the 38 calls of the auction.

    Parameters
    ----------
    index : int
        0 for Pass, 1 for double, 2 for redouble, then 3 … 37 for the bids 1C … 7NT,
        rising.

    Raises
    ------
    NotationError
        If the index is none of these.

    Examples
    --------
    >>> Call.of("1n") < Call.of("2C")
    True
    """

    index: int

    def __post_init__(self) -> None:
        if type(self.index) is not int:
            object.__setattr__(self, "index", whole(self.index, "Call: index"))
        if not 0 <= self.index < CALL_COUNT:
            raise NotationError(
                f"call index {self.index}: a call is a number from 0 to 37",
                text=self.index,
            )

    @classmethod
    def of(cls, value: Call | str) -> Call:
        """Read a call, or pass one through.

        ``2NT``, ``1n``, ``3♥``, ``pass``, ``X``, ``rdbl``; any case.

        Parameters
        ----------
        value : Call or str
            A text, or a call, which is returned as it is.

        Returns
        -------
        Call

        Raises
        ------
        NotationError
            If the text is no call.
        """
        if isinstance(value, Call):
            return value
        word = str(value).strip().upper()
        if word in _WORDS:
            return cls(_WORDS[word])
        try:
            return cls.bid(LEVELS.index(word[:1] or "?") + 1, word[1:])
        except ValueError:
            raise NotationError(
                f"unknown call {value!r}: write Pass, X, XX, or level and strain from 1C to 7NT",
                text=value,
            ) from None

    @classmethod
    def bid(cls, level: int, strain: Strain | Suit | str) -> Call:
        """The bid of a level, 1 … 7, and a strain.

        Parameters
        ----------
        level : int
            From 1 to 7.
        strain : Strain, Suit or str
            What the bid names.

        Returns
        -------
        Call

        Raises
        ------
        NotationError
            If the level is another.
        """
        if not 1 <= whole(level, "level") <= len(LEVELS):
            raise NotationError(
                f"unknown level {level}: a bid has a level from 1 to 7", text=level
            )
        return cls(FIRST_BID + len(Strain) * (level - 1) + Strain.of(strain))

    @property
    def is_bid(self) -> bool:
        """True for 1C … 7NT, False for Pass, X and XX."""
        return self.index >= FIRST_BID

    @property
    def level(self) -> int:
        """1 … 7 for a bid, 0 otherwise."""
        if not self.is_bid:
            return 0
        return 1 + (self.index - FIRST_BID) // len(Strain)

    @property
    def strain(self) -> Strain | None:
        """The strain of a bid, ``None`` otherwise."""
        if not self.is_bid:
            return None
        return Strain((self.index - FIRST_BID) % len(Strain))

    def __str__(self) -> str:
        if self.strain is None:
            return _NAMES[self.index]
        return f"{self.level}{self.strain.name}"

    def __repr__(self) -> str:
        return f"Call.of({str(self)!r})"


PASS: Final = Call(0)
DOUBLE: Final = Call(1)
REDOUBLE: Final = Call(2)
CALLS: Final = tuple(Call(index) for index in range(CALL_COUNT))


def call_words(text: str) -> list[str]:
    """The calls of an auction as words.

    A dash alone is a pass, and passes left out around calls in brackets are put in.

    >>> call_words("1S-P-3S, -"), call_words("1H (2S) 3H 4H (p)")
    (['1S', 'P', '3S', '-'], ['1H', '2S', '3H', 'P', '4H', 'p'])
    >>> call_words("1NT all pass")
    ['1NT', 'AP']
    """
    words = _words_apart(text)
    if not any(_by_opponents(word) for word in words):
        return words
    calls: list[str] = []
    for place, word in enumerate(words):
        if place and _by_opponents(word) == _by_opponents(words[place - 1]):
            calls.append("P")
        calls.append(word.strip("()"))
    return calls


def _words_apart(text: str) -> list[str]:
    """The words between blanks, commas and dashes; a dash alone is a word."""
    text = re.sub(r"\ball\s*pass\b", ALL_PASS, text, flags=re.I)
    words: list[str] = []
    for group in text.replace(",", " ").replace("–", "-").split():
        if group == "-":
            words.append(group)
        else:
            words += [word for word in group.split("-") if word]
    return words


def _by_opponents(word: str) -> bool:
    """Whether a call stands in brackets, as those of the other side do."""
    return word.startswith("(")


def passes_filled(text: str) -> str:
    """An auction of one side alone with passes put in.

    It has dashes, or a raise, and no pass or double before the end.

    >>> passes_filled("1NT-3NT"), passes_filled("1H 3H AP"), passes_filled("1H 2C")
    ('1NT P 3NT', '1H P 3H AP', '1H 2C')
    """
    words = call_words(text)
    bids = list(takewhile(_begins_with_level, words))
    ending = words[len(bids) :]
    has_raise = any(
        bid[1:].upper() == raised[1:].upper() for bid, raised in pairwise(bids)
    )
    has_dashes = re.search(r"[^\s,][-–][^\s,]", text) is not None
    names_opponents = "(" in text
    is_one_side = (has_dashes or has_raise) and not names_opponents
    if len(bids) < 2 or not is_one_side or not all(map(_is_pass, ending)):
        return text
    return " ".join([" P ".join(bids), *ending])


def _begins_with_level(word: str) -> bool:
    return word[:1] in LEVELS


def _is_pass(word: str) -> bool:
    """Whether a word is a pass, or says that all pass."""
    return word.upper() == ALL_PASS or _WORDS.get(word.upper()) == PASS.index


@dataclass(frozen=True, slots=True)
class Contract:
    """What declarer undertook.

    Parameters
    ----------
    level : int
        1 … 7, the tricks above six.
    strain : Strain
        The trumps, or no trumps.
    declarer : Seat
        Who plays it.
    doubled : int, optional
        0, 1 (doubled) or 2 (redoubled).

    Raises
    ------
    NotationError
        If there is no such contract.

    Examples
    --------
    >>> contract = Contract.of("3NTX by S")
    >>> contract.tricks_needed, contract.trump, contract.declarer.partner.name
    (9, None, 'N')
    """

    level: int
    strain: Strain
    declarer: Seat
    doubled: int = 0

    def __post_init__(self) -> None:
        Call.bid(self.level, self.strain)
        if self.doubled not in (0, 1, 2):
            raise NotationError(
                f"doubled {self.doubled!r}: write 0, 1 (X) or 2 (XX)", text=self.doubled
            )

    @classmethod
    def of(cls, value: Contract | str, declarer: Seat | str | None = None) -> Contract:
        """Read ``3NTX by S``, or ``3NTX`` with the declarer beside it.

        A contract passes through.

        Parameters
        ----------
        value : Contract or str
            ``3NTX by S``, ``3NTX`` with a ``declarer``, or a contract, which is returned as it
            is.
        declarer : Seat or str, optional
            Who plays it, where the text does not say so.

        Returns
        -------
        Contract

        Raises
        ------
        NotationError
            If the text is no contract, or nobody says who plays it.
        """
        if isinstance(value, Contract):
            return value
        words = str(value).split()
        if declarer is None and len(words) == 3 and words[1].lower() == "by":
            declarer = words[2]
            words = words[:1]
        if declarer is None or len(words) != 1:
            raise NotationError(
                f"unknown contract {value!r}: write it with its declarer, such as 3NTX by S",
                text=value,
            )
        bid = words[0].upper().rstrip("X")
        doubled = len(words[0]) - len(bid)
        try:
            call = Call.of(bid)
        except NotationError:
            call = PASS
        if call.strain is None or doubled > 2:
            raise NotationError(
                f"unknown contract {value!r}: write level, strain, X or XX, such as 3NTX",
                text=value,
            )
        return cls(call.level, call.strain, Seat.of(declarer), doubled)

    @property
    def tricks_needed(self) -> int:
        """6 + level."""
        return 6 + self.level

    @property
    def trump(self) -> Suit | None:
        """The trump suit, ``None`` at no trumps."""
        return self.strain.trump

    @property
    def kind(self) -> str:
        """One of ``CONTRACT_KINDS``, whether doubled or not.

        >>> names = ("2NT", "3NT", "4D", "5D", "4H", "6C")
        >>> [Contract.of(name, "S").kind for name in names]
        ['part score', 'game', 'part score', 'game', 'game', 'slam']
        """
        part_score, game, slam = CONTRACT_KINDS
        if self.level >= SMALL_SLAM_LEVEL:
            return slam
        if self.level >= GAME_LEVELS[self.strain]:
            return game
        return part_score

    def __str__(self) -> str:
        return f"{self.level}{self.strain.name}{'X' * self.doubled} by {self.declarer.name}"

    def __repr__(self) -> str:
        return f"Contract.of({str(self)!r})"


class Vulnerability(Enum):
    """Which sides are vulnerable; the value is PBN's word."""

    NONE = "None"
    NS = "NS"
    EW = "EW"
    ALL = "All"

    @classmethod
    def of(cls, value: Vulnerability | str) -> Vulnerability:
        """Read a vulnerability, or pass one through.

        PBN's words (``NS``, ``both``) and LIN's letters (``o``).

        Parameters
        ----------
        value : Vulnerability or str
            A word, a letter, or a vulnerability, which is returned as it is.

        Returns
        -------
        Vulnerability

        Raises
        ------
        NotationError
            If the text is none.
        """
        if isinstance(value, Vulnerability):
            return value
        try:
            return _VULNERABILITIES[value.strip().lower()]
        except (KeyError, AttributeError):
            raise NotationError(
                f"unknown vulnerability {value!r}: write None, NS, EW or All",
                text=value,
            ) from None

    def __contains__(self, seat: Seat) -> bool:
        return self is Vulnerability.ALL or (
            self is not Vulnerability.NONE and seat.name in self.value
        )


_VULNERABILITIES: Final = {
    **dict.fromkeys(("none", "love", "-", "o", "0"), Vulnerability.NONE),
    **dict.fromkeys(("ns", "n"), Vulnerability.NS),
    **dict.fromkeys(("ew", "e"), Vulnerability.EW),
    **dict.fromkeys(("all", "both", "b"), Vulnerability.ALL),
}
