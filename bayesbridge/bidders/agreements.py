"""Which systems the two sides play, each for certain or with a share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from bayesbridge.bidders.learned import SIDES
from bayesbridge.bidders.system_files import SUFFIX
from bayesbridge.bidders.systems import NOTHING, System
from bayesbridge.errors import NotationError
from bayesbridge.game.deal import Seat

ROUNDING: Final = 1e-9
"""Shares that add up to one within this are complete."""

_AGREEMENT: Final = re.compile(
    rf"(?:\s*(?P<side>{'|'.join(SIDES)})\s*:)?(?P<name>.*?)"
    r"(?:=\s*(?P<share>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*)?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A system, who plays it and how probably.

    Parameters
    ----------
    system : System
    side : {"NS", "EW"}, optional
        Both sides if not given.
    share : float, optional
        The prior probability; for certain if not given.

    Examples
    --------
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
        match = _AGREEMENT.fullmatch(text)
        assert match is not None, "the name may be any text, so something always fits"
        side = match["side"]
        name = match["name"].strip()
        share = None if match["share"] is None else float(match["share"])
        is_file = name.endswith(SUFFIX)  # C:/own.toml has a colon too
        if side is None and ":" in name and not is_file:
            unknown_side = name.partition(":")[0].strip()
            raise NotationError(
                f"{text!r}: {unknown_side!r} is no side: write NS: or EW: before the "
                "system",
                text=text,
            )
        if share is not None and not 0.0 <= share <= 1.0:
            raise NotationError(
                f"{text!r}: the share {share:g} is no probability: write one from 0 "
                "to 1",
                text=text,
            )
        if side is not None:
            side = side.upper()
        return cls(System.of(name), side, share)

    @property
    def text(self) -> str:
        """As :meth:`of` reads it."""
        side = f"{self.side}:" if self.side else ""
        share = "" if self.share is None else f"={self.share:g}"
        return f"{side}{self.system.name}{share}"

    def __str__(self) -> str:
        side = "both sides" if self.side is None else self.side
        share = "" if self.share is None else f" with probability {self.share:g}"
        return f"{self.system.name}, {side}{share} ({self.system})"


class Component(NamedTuple):
    """A system that a side may play."""

    share: float
    system: System


def components(agreements: Sequence[Agreement], seat: Seat) -> tuple[Component, ...]:
    """What the side of a seat may play; the shares add up to one.

    What is certain is part of every component; what the shares leave over is played
    without any other system.
    """
    side = SIDES[seat % 2]
    of_side = [agreement for agreement in agreements if agreement.side in (None, side)]
    certain = NOTHING
    for agreement in of_side:
        if agreement.share is None:
            certain += agreement.system
    unsure = [agreement for agreement in of_side if agreement.share is not None]
    total = sum(agreement.share or 0.0 for agreement in unsure)
    if total > 1.0 + ROUNDING:
        names = " and ".join(agreement.text for agreement in unsure)
        raise NotationError(
            f"the shares of {names} add up to {total:g}: they may not pass 1"
        )
    systems = [
        Component(agreement.share, certain + agreement.system)
        for agreement in unsure
        if agreement.share
    ]
    remaining_share = 1.0 - total
    if remaining_share > ROUNDING or not systems:
        systems.append(Component(remaining_share, certain))
    return tuple(systems)
