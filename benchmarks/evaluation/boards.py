"""The boards of the reading benchmark, by identifiers: which they are, and how to get
them from a collection.

    python benchmarks/evaluation/boards.py collection.pbn.gz -o test.pbn     # the boards of boards.txt, in its order
    python benchmarks/evaluation/boards.py other.pbn.gz -o own.pbn --own     # a list of its own, by the same rule
    python benchmarks/evaluation/boards.py test.pbn                          # what a file holds, and its SHA-256

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
        replace(one, board=str(n), room="", alerts=(), tags=())
        for n, one in enumerate(records, 1)
    ]


def frozen_list(
    records: Iterable[Record], most: int | None = None, part: DealSplit = DealSplit.TEST
) -> list[Record]:
    """The first ``most`` boards of the list (default: all), numbered from 1: of each
    deal one table.
    """
    kept: dict[str, tuple[str, Record]] = {}
    for record in records:
        if (
            record.deal is None
            or usable(record)
            or part_of_masks(h.mask for h in record.deal.hands) is not part
        ):
            continue
        key, table = identifier(record).split()
        if key not in kept or table < kept[key][0]:
            kept[key] = table, record
        if most is not None and len(kept) > 2 * most + 1000:
            kept = {key: kept[key] for key in sorted(kept)[:most]}
    return numbered(kept[key][1] for key in sorted(kept)[:most])


def tables(path: str) -> dict[str, Record]:
    """The tables of a file by identifier."""
    records = (
        one
        for one in iter_records(path)
        if isinstance(one, Record) and one.deal is not None
    )
    return {identifier(record): record for record in records}


def digest(identifiers: list[str]) -> str:
    """SHA-256 of a list: one identifier on each line, a line feed after each."""
    return hashlib.sha256(
        "".join(f"{one}\n" for one in identifiers).encode()
    ).hexdigest()


def main(path: str, out: str | None = None, own: bool = False) -> str:
    """Write the boards of the list that a file has, or its ``own`` list; without
    ``out`` say which boards it has.
    """
    if own and out is not None:
        boards = frozen_list(
            one for one in iter_records(path) if isinstance(one, Record)
        )
        with Path(out).open("w", encoding="utf-8") as stream:
            write_pbn(boards, stream)
        return f"{len(boards)} boards of the test in {out}"
    listed, found = LIST.read_text("utf-8").split("\n")[:-1], tables(path)
    if out is None:
        names = list(found)
        where = "the beginning of" if names == listed[: len(names)] else "not"
        return f"{len(names)} boards, {where} boards.txt; SHA-256 {digest(names)}"
    there = [found[one] for one in listed if one in found]
    with Path(out).open("w", encoding="utf-8") as stream:
        write_pbn(numbered(there), stream)
    return f"{len(there)} of {len(listed)} boards of the list in {out}"


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
    asked = parser.parse_args()
    sys.stdout.write(main(asked.records, asked.out, asked.own) + "\n")
