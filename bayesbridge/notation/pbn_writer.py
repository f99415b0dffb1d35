"""PBN as an export: every mandatory tag in its order, one trick a line, nothing that a reader must guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Final

from bayesbridge.deal import Seat
from bayesbridge.notation.record import MANDATORY_TAGS, Record, Tag

_HEADER: Final = "% PBN 2.1\n% EXPORT\n"


def write_pbn(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as a PBN 2.1 export; :func:`~bayesbridge.notation.pbn.read_pbn` gives equal records back.

    >>> import sys
    >>> write_pbn([Record(board="1")], sys.stdout)  # doctest: +ELLIPSIS
    % PBN 2.1
    % EXPORT
    [Event ""]
    ...
    [Board "1"]
    ...
    """
    stream.write(_HEADER)
    for record in records:
        stream.writelines(f"{line}\n" for line in _lines(record))
        stream.write("\n")


def _lines(record: Record) -> Iterator[str]:
    told = _mandatory(record)
    others = {tag.name: tag for tag in record.tags if tag.name in MANDATORY_TAGS}
    for name in MANDATORY_TAGS:
        if name in others:
            yield from _table(others[name])
        else:
            yield _tag(name, told.get(name, ""))
    if record.room:
        yield _tag("Room", record.room)
    for tag in record.tags:
        if tag.name not in MANDATORY_TAGS:
            yield from _table(tag)
    yield from _auction(record)
    yield from _play(record)


def _mandatory(record: Record) -> dict[str, str]:
    """What the fields of the record tell, as the values of tags."""
    contract = record.contract
    told = "Pass" if record.passed_out else "" if contract is None else str(contract).partition(" ")[0]
    hands = ["-" if hand is None else hand.pbn for hand in record.hands]
    return {
        "Board": record.board,
        "Dealer": "" if record.dealer is None else record.dealer.name,
        "Vulnerable": "" if record.vulnerable is None else record.vulnerable.value,
        "Deal": "N:" + " ".join(hands) if any(record.hands) else "",
        "Declarer": "" if contract is None else contract.declarer.name,
        "Contract": told,
        "Result": "" if record.result is None else str(record.result),
    }


def _table(tag: Tag) -> Iterator[str]:
    yield _tag(tag.name, tag.value)
    yield from tag.lines


def _tag(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    # A value that begins with # would repeat the game before; after ## it is taken as it stands.
    return f'[{name} "{"##" if value.startswith("#") else ""}{escaped}"]'


def _auction(record: Record) -> Iterator[str]:
    auction = record.auction
    if auction is None:
        return
    numbers = {index: number for number, (index, _) in enumerate(record.alerts, 1)}
    words = [f"{call} ={numbers[i]}=" if i in numbers else str(call) for i, call in enumerate(auction.calls)]
    yield _tag("Auction", auction.first.name)
    yield from (" ".join(words[i : i + 4]) for i in range(0, len(words), 4))
    if not auction.is_over:
        yield "+"
    yield from (_tag("Note", f"{numbers[index]}:{text}") for index, text in record.alerts)


def _play(record: Record) -> Iterator[str]:
    leader = record.leader
    if leader is None or not (record.plays or record.claimed):
        return
    yield _tag("Play", leader.name)
    for i in range(0, len(record.plays), 4):
        trick = dict(record.plays[i : i + 4])
        columns: list[Seat] = [leader.next(j) for j in range(4)]
        yield " ".join(str(trick[seat]) if seat in trick else "-" for seat in columns)
    if len(record.plays) < 52:
        yield "*" if record.claimed else "+"
