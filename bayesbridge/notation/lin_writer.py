"""LIN as broadcast: a line a board with its calls, then a line a trick."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO, Final

from bayesbridge.calls import DOUBLE, PASS, REDOUBLE, Call
from bayesbridge.cards import RANKS, Hand, Suit
from bayesbridge.notation.lin import HEADER, LAYOUT, PLAYERS, TABLE
from bayesbridge.notation.lin_deals import SEATS, board_place
from bayesbridge.notation.record import Record, Tag, Vulnerability

_ROOMS: Final = {"Open": "o", "Closed": "c"}
_VULNERABLE: Final = {
    Vulnerability.NONE: "o",
    Vulnerability.NS: "n",
    Vulnerability.EW: "e",
    Vulnerability.ALL: "b",
}
_CALLS: Final = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}


def lin_part(record: Record) -> Record:
    """What LIN can carry of a record: this is what comes back when the record is written and read.

    It has no contract without an auction that leads to it, hence no play and result either; no rooms but the open and
    the closed; of the tags the players and those that LIN itself has; and no ``|`` in any text.
    """
    auction = record.auction
    over = auction is not None and auction.is_over
    place = board_place(_place(record))
    names = {tag.name: _plain(tag.value).replace(",", " ").strip() for tag in record.tags if tag.name in PLAYERS}
    tokens = [Tag(tag.name, _plain(tag.value)) for tag in record.tags if _is_token(tag)]
    return replace(
        record,
        room=place[0],
        board=place[1],
        alerts=tuple((index, _plain(text)) for index, text in record.alerts),
        contract=record.contract if over else None,
        plays=record.plays if over else (),
        tags=(
            *(Tag(name, names[name]) for name in PLAYERS if names.get(name)),
            *sorted((tag for tag in tokens if tag.name in HEADER), key=lambda tag: HEADER.index(tag.name)),
            *(tag for tag in tokens if tag.name not in HEADER),
        ),
    )


def write_lin(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as LIN; :func:`~bayesbridge.notation.lin.read_lin` gives the :func:`lin_part` of each back.

    >>> import sys
    >>> write_lin([Record(board="1", room="Open", vulnerable=Vulnerability.NS)], sys.stdout)
    qx|o1|st||md|,,,|sv|n|pg||
    """
    header: dict[str, str] = {}
    for record in map(lin_part, records):
        told = {tag.name: tag.value for tag in record.tags if tag.name in HEADER}
        players = ",".join(record.tag(name) for name in PLAYERS)
        told |= {"pn": players if players.strip(",") else ""}
        # A token holds until told anew, so only what changes is written, and what ends is written empty.
        for key in (*HEADER, "pn"):
            if told.get(key, "") != header.get(key, ""):
                stream.write(f"{key}|{told.get(key, '')}|\n")
        header = told
        stream.writelines(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterator[str]:
    dealer = "" if record.dealer is None else str(SEATS.index(record.dealer) + 1)
    hands = ",".join(_hand(record.hands[seat]) for seat in SEATS)
    line = f"qx|{_place(record)}|st||md|{dealer}{hands}|"
    if record.vulnerable is not None:
        line += f"sv|{_VULNERABLE[record.vulnerable]}|"
    line += "".join(f"{tag.name}|{tag.value}|" for tag in record.tags if _is_token(tag) and tag.name not in HEADER)
    alerts = dict(record.alerts)
    for i, call in enumerate(record.auction.calls if record.auction is not None else ()):
        line += f"mb|{_call(call)}!|an|{alerts[i]}|" if i in alerts else f"mb|{_call(call)}|"
    yield f"{line}pg||"
    for i in range(0, len(record.plays), 4):
        yield "".join(f"pc|{card}|" for _, card in record.plays[i : i + 4]) + "pg||"
    if record.claimed:
        yield f"mc|{'' if record.result is None else record.result}|pg||"


def _place(record: Record) -> str:
    """``qx``: the letter of the room and the board; a board that would be read otherwise is left out."""
    place = f"{_ROOMS.get(record.room, '')}{_plain(record.board)}"
    wanted = (record.room if record.room in _ROOMS else "", _plain(record.board))
    return place if board_place(place) == wanted else _ROOMS.get(record.room, "")


def _call(call: Call) -> str:
    return _CALLS.get(call) or str(call).replace("NT", "N")


def _hand(hand: Hand | None) -> str:
    if hand is None:
        return ""
    return "".join(
        suit.name + "".join(RANKS[rank] for rank in range(12, -1, -1) if hand.field(suit) >> rank & 1)
        for suit in reversed(Suit)
    )


def _is_token(tag: Tag) -> bool:
    name = tag.name
    simple = len(name) == 2 and name.isascii() and name.islower() and name[0].isalpha()
    return simple and name not in TABLE | LAYOUT and bool(_plain(tag.value)) and not tag.lines


def _plain(text: str) -> str:
    return text.replace("|", "/").strip()
