"""What LIN says of a board: its place, its dealer and its hands."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from bayesbridge.cards import Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.notation.plays import UNKNOWN_HANDS, Hands

SEATS: Final = (Seat.S, Seat.W, Seat.N, Seat.E)
"""The order in which LIN names dealers, hands and players."""

_SUIT: Final = re.compile(r"([SHDC])((?:10|[AKQJT2-9])*)")
_ROOMS: Final = {"o": "Open", "c": "Closed"}


def clip(text: str) -> str:
    """A quotation of at most 60 letters."""
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def board_place(value: str) -> tuple[str, str]:
    """Room and board of ``qx``.

    >>> board_place("c12")
    ('Closed', '12')
    """
    room = _ROOMS.get(value[:1].lower(), "")
    return room, value[1:] if room else value


@lru_cache(maxsize=64)  # the two tables of a match follow one another with the same deal
def dealt(text: str) -> tuple[Seat | None, Hands]:
    """The dealer and the hands of ``md``."""
    if not text:
        return None, UNKNOWN_HANDS
    dealer = SEATS["1234".index(text[0])] if text[0] in "1234" else None
    fields = [field.strip() for field in text.lstrip("01234 ").split(",")]
    if len(fields) > 4 and not any(fields[4:]):
        fields = fields[:4]
    if len(fields) > 4:
        raise NotationError(f"deal {clip(text)} has {len(fields)} hands: write four, from South", text=text)
    hands = dict(zip(SEATS, map(_hand, fields), strict=False))
    return dealer, (hands.get(Seat.N), hands.get(Seat.E), hands.get(Seat.S), hands.get(Seat.W))


def _hand(text: str) -> Hand | None:
    """A hand such as ``SAKQ2HKJ3DA54CQ32``, ``None`` when nothing is told."""
    if not text:
        return None
    bare = text.upper().replace(" ", "")
    parts = list(_SUIT.finditer(bare))
    if "".join(part[0] for part in parts) != bare or len({part[1] for part in parts}) != len(parts):
        raise NotationError(
            f"unknown hand {clip(text)}: write suits with their cards, such as SAKQ2HKJ3DA54CQ32", text=text
        )
    return Hand.of([f"{part[1]}{rank}" for part in parts for rank in part[2].replace("10", "T")])
