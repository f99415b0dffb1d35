"""The boards of the reading benchmark, and how to get them from a collection.

The boards of boards.txt, in its order; a list of its own, by the same rule; what a file
holds, and its SHA-256:

    python benchmarks/evaluation/boards.py collection.pbn.gz -o test.pbn
    python benchmarks/evaluation/boards.py other.pbn.gz -o own.pbn --own
    python benchmarks/evaluation/boards.py test.pbn

An identifier is the beginning of two SHA-256: that of the deal, by which it is on the
test list, and that of the auction and the play, by which one table of the deal is taken
(``bayesbridge.studies.benchmark``).
"""

import argparse
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bayesbridge.notation import Record, iter_records, write_pbn
from bayesbridge.studies.benchmark import DealSplit, digest_of_masks, part_of_masks
from bayesbridge.studies.readers import usable

LIST = Path(__file__).with_name("boards.txt")
DIGITS = 16


def identifier(record: Record) -> str:
    """Of a table whose four hands are on record."""
    assert record.deal is not None
    deal = digest_of_masks(hand.mask for hand in record.deal.hands)
    play = " ".join(f"{seat.name}{card}" for seat, card in record.plays)
    table = hashlib.sha256(f"{record.auction} / {play}".encode()).hexdigest()
    return f"{deal[:DIGITS]} {table[:DIGITS]}"


def numbered(records: Iterable[Record]) -> list[Record]:
    """The records as boards from 1 on, without names and remarks."""
    return [
        replace(record, board=str(number), room="", alerts=(), tags=())
        for number, record in enumerate(records, 1)
    ]


SPARE = 1000
"""Boards beyond twice those wanted that are held before the last are dropped."""


def frozen_list(
    records: Iterable[Record], most: int | None = None, part: DealSplit = DealSplit.TEST
) -> list[Record]:
    """The first ``most`` boards of the list (default: all), numbered from 1.

    Of each deal one table is taken.
    """
    table_of_deal: dict[str, tuple[str, Record]] = {}
    for record in records:
        if record.deal is None or usable(record):
            continue
        if part_of_masks(hand.mask for hand in record.deal.hands) is not part:
            continue
        deal, table = identifier(record).split()
        if deal not in table_of_deal or table < table_of_deal[deal][0]:
            table_of_deal[deal] = (table, record)
        if most is not None and len(table_of_deal) > 2 * most + SPARE:
            first_deals = sorted(table_of_deal)[:most]
            table_of_deal = {deal: table_of_deal[deal] for deal in first_deals}
    return numbered(table_of_deal[deal][1] for deal in sorted(table_of_deal)[:most])


def tables(path: str) -> dict[str, Record]:
    """The tables of a file by identifier."""
    return {
        identifier(record): record
        for record in iter_records(path)
        if isinstance(record, Record) and record.deal is not None
    }


def digest(identifiers: list[str]) -> str:
    """SHA-256 of a list: one identifier on each line, a line feed after each."""
    lines = "".join(f"{identifier}\n" for identifier in identifiers)
    return hashlib.sha256(lines.encode()).hexdigest()


def main(path: str, out: str | None = None, own: bool = False) -> str:
    """Write the boards of the list that a file has, or its ``own`` list.

    Without ``out`` say which boards it has.
    """
    if own and out is not None:
        records = iter_records(path)
        own_boards = frozen_list(
            record for record in records if isinstance(record, Record)
        )
        write_boards(own_boards, out)
        return f"{len(own_boards)} boards of the test in {out}"
    listed = LIST.read_text("utf-8").split("\n")[:-1]
    table_of = tables(path)
    if out is None:
        names = list(table_of)
        where = "the beginning of" if names == listed[: len(names)] else "not"
        return f"{len(names)} boards, {where} boards.txt; SHA-256 {digest(names)}"
    boards = [table_of[name] for name in listed if name in table_of]
    write_boards(numbered(boards), out)
    return f"{len(boards)} of {len(listed)} boards of the list in {out}"


def write_boards(boards: list[Record], out: str) -> None:
    """Write boards as PBN."""
    with Path(out).open("w", encoding="utf-8") as stream:
        write_pbn(boards, stream)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", help="a PBN or LIN file")
    parser.add_argument("-o", "--out", metavar="FILE.pbn")
    parser.add_argument(
        "--own",
        action="store_true",
        help="all test deals of the file, not those of boards.txt",
    )
    args = parser.parse_args()
    sys.stdout.write(main(args.records, args.out, args.own) + "\n")
