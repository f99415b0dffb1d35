"""How a search for deals goes, said on stderr while it takes long."""

from __future__ import annotations

from time import monotonic
from typing import Final

from bayesbridge.dealing.plan import Drawn
from bayesbridge.display.words import counted, duration, number, tell

FIRST_NOTE: Final = 5.0
"""Seconds after which a search says how it goes."""

NOTE_GROWTH: Final = 4.0
"""How many times as late each note comes as the one before."""


class SearchNotes:
    """Says on stderr how a search goes, when it takes more than seconds."""

    def __init__(self, wanted: int, most: int, kind: str = "") -> None:
        self.prefix = f"type {kind}: " if kind else ""
        self.wanted = wanted
        self.most = most
        self.begun = monotonic()
        self.next_note = FIRST_NOTE

    def __call__(self, search: Drawn) -> None:
        """Write a note on the search, where it is time for one."""
        seconds = monotonic() - self.begun
        if seconds >= self.next_note and search.kept < self.wanted:
            self.next_note = NOTE_GROWTH * seconds
            note = search_note(search, self.wanted, self.most, seconds)
            tell(f"{self.prefix}{note}", begin="")


def search_note(search: Drawn, wanted: int, most: int, seconds: float) -> str:
    """How many draws were kept, how fast it goes, and what it will take.

    >>> search_note(Drawn(drawn=640, kept=2), 10, 10_000_000, 8.0)
    '2 of 640 draws kept after 8 seconds, 80 a second: 10 deals take about 32 seconds more'
    >>> search_note(Drawn(drawn=640), 10, 10_000_000, 8.0)
    'none of 640 draws kept after 8 seconds, 80 a second: it gives up in about 35 hours'
    """
    speed = search.drawn / seconds
    kept = number(search.kept) if search.kept else "none"
    draws = f"{kept} of {number(search.drawn)} draws kept after {duration(seconds)}"
    until_end = (most - search.drawn) / speed
    forecast = f"it gives up in about {duration(until_end)}"
    if search.kept:
        missing = (wanted - search.kept) / search.rate / speed
        forecast = f"{counted(wanted, 'deal')} take about {duration(missing)} more"
        if missing > until_end:
            forecast += f", and it gives up in {duration(until_end)}"
    return f"{draws}, {number(round(speed))} a second: {forecast}"
