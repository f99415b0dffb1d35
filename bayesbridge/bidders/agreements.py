"""Who plays which system, and how surely: ``strong-notrump``, ``NS:weak-notrump``, ``weak-notrump=0.3``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from bayesbridge.bidders.systems import System
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError

SIDES: Final = ("NS", "EW")
NOTHING: Final = System("", {})
"""A system that says nothing."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A system, the side that plays it (``None``: both) and its prior share (``None``: for certain).

    >>> Agreement.of("ns: weak-notrump+weak-twos = 0.3").text
    'NS:weak-notrump+weak-twos=0.3'
    """

    system: System
    side: str | None = None
    share: float | None = None

    @classmethod
    def of(cls, text: Agreement | System | str) -> Self | Agreement:
        """Read ``SIDE:SYSTEM=SHARE``, of which side and share may be left out."""
        if isinstance(text, Agreement):
            return text
        if isinstance(text, System):
            return cls(text)
        head, colon, rest = text.partition(":")
        side = head.strip().upper()
        named = bool(colon) and (side in SIDES or not rest.endswith(".toml"))
        if named and side not in SIDES:
            raise NotationError(f"{text!r}: {head.strip()!r} is no side: write NS: or EW: before the system", text=text)
        name, equals, share = (rest if named else text).rpartition("=")
        if not equals or not _is_number(share):
            name, share = rest if named else text, ""
        chance = float(share) if share else None
        if chance is not None and not 0.0 <= chance <= 1.0:
            raise NotationError(f"{text!r}: the share {chance:g} is no probability: write one from 0 to 1", text=text)
        return cls(System.of(name), side if named else None, chance)

    @property
    def text(self) -> str:
        """The text that :meth:`of` reads."""
        side = f"{self.side}:" if self.side else ""
        return f"{side}{self.system.name}{'' if self.share is None else f'={self.share:g}'}"

    def __str__(self) -> str:
        who = "both sides play" if self.side is None else f"{self.side} play"
        share = "" if self.share is None else f" with probability {self.share:g}"
        return f"{who} {self.system.name}{share} ({self.system})"


class Component(NamedTuple):
    """One of the systems that a side may play."""

    share: float
    system: System


def components(agreements: Sequence[Agreement], seat: Seat) -> tuple[Component, ...]:
    """What the side of a seat may play; the shares add up to one.

    What is certain is part of every component; what the shares leave over is played without any other system.
    """
    side = SIDES[seat % 2]
    mine = [one for one in agreements if one.side in (None, side)]
    certain = NOTHING
    for one in mine:
        if one.share is None:
            certain = one.system if certain is NOTHING else certain + one.system
    unsure = [one for one in mine if one.share is not None]
    total = sum(one.share or 0.0 for one in unsure)
    if total > 1.0 + 1e-9:
        raise NotationError(
            f"the shares of {' and '.join(one.text for one in unsure)} add up to {total:g}: they may not pass 1",
            total=total,
        )
    found = [
        Component(one.share, one.system if certain is NOTHING else certain + one.system) for one in unsure if one.share
    ]
    rest = 1.0 - total
    return (*found, Component(rest, certain)) if rest > 1e-9 or not found else tuple(found)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
