"""Calls, contracts and vulnerability: what players say, what is to be played in the
end, and what is at stake.
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

GAME_LEVELS: Final = {
    Strain.NT: 3,
    Strain.S: 4,
    Strain.H: 4,
    Strain.D: 5,
    Strain.C: 5,
}  # 100 points for tricks
CONTRACT_KINDS: Final = ("part score", "game", "slam")


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One of the 38 calls; ``index`` is 0 Pass, 1 double, 2 redouble, then 3 … 37 the
    bids 1C … 7NT, rising.

    >>> Call.of("1n") < Call.of("2C")
    True
    """

    index: int

    def __post_init__(self) -> None:
        if type(self.index) is not int:
            object.__setattr__(self, "index", whole(self.index, "Call: index"))
        if not 0 <= self.index < 38:
            raise NotationError(
                f"call index {self.index}: a call is a number from 0 to 37",
                text=self.index,
            )

    @classmethod
    def of(cls, value: Call | str) -> Call:
        """Read a call (``2NT``, ``1n``, ``3♥``, ``pass``, ``X``, ``rdbl``; any case),
        or pass one through.
        """
        if isinstance(value, Call):
            return value
        word = str(value).strip().upper()
        if word in _WORDS:
            return cls(_WORDS[word])
        try:
            return cls.bid("1234567".index(word[:1] or "?") + 1, word[1:])
        except ValueError:
            raise NotationError(
                f"unknown call {value!r}: write Pass, X, XX, or level and strain from 1C to 7NT",
                text=value,
            ) from None

    @classmethod
    def bid(cls, level: int, strain: Strain | Suit | str) -> Call:
        """The bid of a level, 1 … 7, and a strain."""
        if not 1 <= whole(level, "level") <= 7:
            raise NotationError(
                f"unknown level {level}: a bid has a level from 1 to 7", text=level
            )
        return cls(3 + 5 * (level - 1) + Strain.of(strain))

    @property
    def is_bid(self) -> bool:
        """True for 1C … 7NT, False for Pass, X and XX."""
        return self.index > 2

    @property
    def level(self) -> int:
        """1 … 7 for a bid, 0 otherwise."""
        return (self.index + 2) // 5 if self.is_bid else 0

    @property
    def strain(self) -> Strain | None:
        """The strain of a bid, ``None`` otherwise."""
        return Strain((self.index - 3) % 5) if self.is_bid else None

    def __str__(self) -> str:
        return (
            _NAMES[self.index]
            if self.strain is None
            else f"{self.level}{self.strain.name}"
        )

    def __repr__(self) -> str:
        return f"Call.of({str(self)!r})"


PASS: Final = Call(0)
DOUBLE: Final = Call(1)
REDOUBLE: Final = Call(2)
CALLS: Final = tuple(Call(index) for index in range(38))


def call_words(text: str) -> list[str]:
    """The calls of an auction; a dash alone is a pass, and passes left out around calls
    in brackets are put in.

    >>> call_words("1S-P-3S, -"), call_words("1H (2S) 3H 4H (p)"), call_words("1NT all pass")
    (['1S', 'P', '3S', '-'], ['1H', '2S', '3H', 'P', '4H', 'p'], ['1NT', 'AP'])
    """
    words: list[str] = []
    for word in (
        re.sub(r"\ball\s*pass\b", "AP", text, flags=re.I)
        .replace(",", " ")
        .replace("–", "-")
        .split()
    ):
        words += [word] if word == "-" else filter(None, word.split("-"))
    if not any(word.startswith("(") for word in words):
        return words
    full: list[str] = []
    for place, word in enumerate(words):
        if place and word.startswith("(") == words[place - 1].startswith("("):
            full.append("P")
        full.append(word.strip("()"))
    return full


def passes_filled(text: str) -> str:
    """An auction of one side alone (with dashes, or a raise, and no pass or double
    before the end) with passes put in.

    >>> passes_filled("1NT-3NT"), passes_filled("1H 3H AP"), passes_filled("1H 2C")
    ('1NT P 3NT', '1H P 3H AP', '1H 2C')
    """
    words = call_words(text)
    bids = [*takewhile(lambda word: word[:1] in "1234567", words)]
    rest = words[len(bids) :]
    raised = any(low[1:].upper() == high[1:].upper() for low, high in pairwise(bids))
    dashed = re.search(r"[^\s,][-–][^\s,]", text) is not None
    passes = all(word.upper() == "AP" or _WORDS.get(word.upper()) == 0 for word in rest)
    if len(bids) < 2 or not (dashed or raised) or "(" in text or not passes:
        return text
    return " ".join([" P ".join(bids), *rest])


@dataclass(frozen=True, slots=True)
class Contract:
    """What declarer undertook; ``doubled`` is 0, 1 (doubled) or 2 (redoubled)."""

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
        """Read ``3NTX by S``, or ``3NTX`` with the declarer beside it; a contract
        passes through.
        """
        if isinstance(value, Contract):
            return value
        words = str(value).split()
        if declarer is None and len(words) == 3 and words[1].lower() == "by":
            words, declarer = words[:1], words[2]
        if declarer is None or len(words) != 1:
            raise NotationError(
                f"unknown contract {value!r}: write it with its declarer, such as 3NTX by S",
                text=value,
            )
        bare = words[0].upper().rstrip("X")
        doubled = len(words[0]) - len(bare)
        try:
            call = Call.of(bare)
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

        >>> [Contract.of(name, "S").kind for name in ("2NT", "3NT", "4D", "5D", "4H", "6C")]
        ['part score', 'game', 'part score', 'game', 'game', 'slam']
        """
        return CONTRACT_KINDS[
            2 if self.level >= 6 else self.level >= GAME_LEVELS[self.strain]
        ]

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
        """Read PBN's words (``NS``, ``both``) and LIN's letters (``o``), or pass a
        vulnerability through.
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
