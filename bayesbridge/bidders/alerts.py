"""Alerts on record as statements of a system.

Such as ``limit raise``, ``10-12``, ``5+ spades`` or ``transfer``.

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
    rf"(?P<number>\d(?:\+|-\d)?) ?(?:cards? (?:in )?)?(?:{_SUIT}|support|trumps?)"
)
_POINTS: Final = re.compile(r"(?P<range>\d+-\d+|\d+\+)(?: ?(?:hcp|points?|pts?))?")
_TRANSFER: Final = re.compile(rf"(?:jacoby |texas )?transfer(?: to {_SUIT})?")
_UNCLEAR: Final = re.compile(
    r"\b(?:or|not?|may|could|can|unless|except|denies|usually|/)\b|\?"
)
_BETWEEN: Final = re.compile(
    r"[,;.:&]|\band\b|\bwith\b|(?<=[a-z♠♥♦♣]) (?=\d)|(?<=[\d+]) (?=bal)"
)
_SUIT_OF_TRANSFER: Final = {Strain.D: Suit.H, Strain.H: Suit.S}
"""What a transfer shows that does not say so."""


def alert_statement(text: str, before: Auction, call: Call) -> Statement | None:
    """What an alerted call shows, as far as the text can be read.

    ``None`` where nothing of it can.
    """
    words = _normal(text)
    if _UNCLEAR.search(words):
        return None
    partners_suit = _last_suit_of_partner(before)
    parts = []
    for alerted_part in _BETWEEN.split(words):
        part = _statement_part(alerted_part.strip(), call, partners_suit)
        if part is not None:
            parts.append(part)
    if not parts:
        return None
    try:
        return Statement.of(", ".join(parts))
    except NotationError:
        return None


def _normal(text: str) -> str:
    """The text in small letters, with single blanks and ranges such as ``10-12``."""
    dashed = re.sub(r"[–—]|\bto (?=\d)", "-", text.lower())
    return " ".join(dashed.replace(" -", "-").replace("- ", "-").split())


def _last_suit_of_partner(before: Auction) -> Suit | None:
    """The suit of partner's last bid; ``None`` for no trumps or without a bid."""
    for call in before.calls[-2::-4]:
        if call.strain is not None:
            return call.strain.trump
    return None


def _statement_part(words: str, call: Call, partners_suit: Suit | None) -> str | None:
    """A part of an alert as a part of a statement; ``None`` where it cannot be read.

    An alert such as ``3+ support`` or ``4+ cards`` names no suit: it is about that of
    partner's last bid. A transfer without a suit shows the next one up.
    """
    if words in ("bal", "balanced"):
        return "balanced"
    if words == "limit raise":
        if partners_suit is None:
            return None
        return f"10-12 points, {partners_suit.name}3+"
    points = _POINTS.fullmatch(words)
    if points is not None:
        return f"{points['range']} points"
    transfer = _TRANSFER.fullmatch(words)
    if transfer is not None:
        next_suit = None if call.strain is None else _SUIT_OF_TRANSFER.get(call.strain)
        return _suit_length(transfer["suit"], next_suit, "5+")
    length = _LENGTH.fullmatch(words)
    if length is not None:
        return _suit_length(length["suit"], partners_suit, length["number"])
    return None


def _suit_length(named: str | None, usual: Suit | None, number: str) -> str | None:
    """So many cards of the suit that is named, or else of the usual one."""
    suit = Suit.of(named[0].upper()) if named else usual
    return None if suit is None else f"{suit.name}{number}"


def alerts_read(record: Record) -> dict[int, Statement]:
    """What alerted calls show, by their numbers; others are left out."""
    if record.auction is None:
        return {}
    statements: dict[int, Statement] = {}
    for number, text in record.alerts:
        turn = Turn.of(record.auction, number)
        statement = alert_statement(text, turn.before, turn.call)
        if statement is not None:
            statements[number] = statement
    return statements


def alerts_system(record: Record) -> System | None:
    """The system of which the alerts of a record speak; ``None`` without any."""
    places: dict[Place, Meanings] = {}
    for number, statement in alerts_read(record).items():
        assert record.auction is not None
        turn = Turn.of(record.auction, number)
        places[place_of(turn.before)] = {turn.call: (statement,)}
    return System("what was alerted", places) if places else None
