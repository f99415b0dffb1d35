"""Alerts on record as statements of a system: ``limit raise``, ``10-12``, ``5+
spades``, ``transfer``.

A part between commas is a statement or left out; of a text that weighs one thing
against another nothing is read.
"""

from __future__ import annotations

import re
from typing import Final

from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.statements import Meanings, Statement
from bayesbridge.bidders.system_files import Place
from bayesbridge.bidders.systems import System, place_of
from bayesbridge.errors import NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.notation.record import Record

_SUIT: Final = r"(?P<suit>[♠♥♦♣]|spades?|hearts?|diamonds?|clubs?|[shdc])"
_LENGTH: Final = re.compile(
    rf"(?P<many>\d(?:\+|-\d)?) ?(?:cards? (?:in )?)?(?:{_SUIT}|support|trumps?)"
)
_POINTS: Final = re.compile(r"(?P<range>\d+-\d+|\d+\+)(?: ?(?:hcp|points?|pts?))?")
_TRANSFER: Final = re.compile(rf"(?:jacoby |texas )?transfer(?: to {_SUIT})?")
_UNCLEAR: Final = re.compile(
    r"\b(?:or|not?|may|could|can|unless|except|denies|usually|/)\b|\?"
)
_BETWEEN: Final = re.compile(
    r"[,;.:&]|\band\b|\bwith\b|(?<=[a-z♠♥♦♣]) (?=\d)|(?<=[\d+]) (?=bal)"
)
_ABOVE: Final = {
    Strain.D: Suit.H,
    Strain.H: Suit.S,
}  # what a transfer shows that does not say so


def alert_statement(text: str, before: Auction, call: Call) -> Statement | None:
    """What an alerted call shows, as far as the text can be read; ``None`` where
    nothing of it can.
    """
    words = " ".join(
        re.sub(r"[–—]|\bto (?=\d)", "-", text.lower())
        .replace(" -", "-")
        .replace("- ", "-")
        .split()
    )
    if _UNCLEAR.search(words):
        return None
    bids = [one.strain.trump for one in before.calls[-2::-4] if one.strain is not None]
    parts = (
        _part(part.strip(), call, bids[0] if bids else None)
        for part in _BETWEEN.split(words)
    )
    try:
        return (
            Statement.of(", ".join(read))
            if (read := list(filter(None, parts)))
            else None
        )
    except NotationError:
        return None


def _part(words: str, call: Call, partners: Suit | None) -> str | None:
    """A part of a statement; ``partners`` is the suit that partner bid last."""
    if words in ("bal", "balanced"):
        return "balanced"
    if words == "limit raise":
        return None if partners is None else f"10-12 points, {partners.name}3+"
    if found := _POINTS.fullmatch(words):
        return f"{found['range']} points"
    moved, long = _TRANSFER.fullmatch(words), _LENGTH.fullmatch(words)
    if (found := moved or long) is None:
        return None
    usual = partners if long else call.strain and _ABOVE.get(call.strain)
    suit = Suit.of(found["suit"][0].upper()) if found["suit"] else usual
    return None if suit is None else f"{suit.name}{long['many'] if long else '5+'}"


def alerts_read(record: Record) -> dict[int, Statement]:
    if (auction := record.auction) is None:
        return {}
    turns = ((at, text, Turn.of(auction, at)) for at, text in record.alerts)
    read = {
        at: alert_statement(text, turn.before, turn.call) for at, text, turn in turns
    }
    return {at: statement for at, statement in read.items() if statement is not None}


def alerts_system(record: Record) -> System | None:
    places: dict[Place, Meanings] = {}
    for at, statement in alerts_read(record).items():
        assert record.auction is not None
        turn = Turn.of(record.auction, at)
        places[place_of(turn.before)] = {turn.call: (statement,)}
    return System("what was alerted", places) if places else None
