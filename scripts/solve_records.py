"""Solve the contracts of real tables double dummy, beside what declarer took.

    python scripts/solve_records.py auctions.pbn.gz -o tables.tsv

Needs plugins/bayesbridge-double-dummy. Which deals are taken is decided by a hash of
their cards, so nothing is random and a share of the records is spread over the whole
file. One line per table: the deal, the contract, declarer's tricks on record, and the
tricks that the solver gives the declarer. The first line says which records and which
share these are. A run that was interrupted continues where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bayesbridge.estimators.protocol import Question, run
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Deal
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import Record, iter_records

AT_A_TIME = 1000
"""Tables solved between two writes."""

SHARE = 0.065
"""Share of the deals that is taken unless another is named."""

ASIDE = 75
"""Of each hundred deals those from here on, by their hash, are set aside to judge by."""

HASHES = 2**32
"""How many values eight hexadecimal digits have."""


class Table(NamedTuple):
    """One table of the records."""

    deal: Deal
    contract: Contract
    result: int
    """How many tricks declarer took."""

    @property
    def aside(self) -> bool:
        """Whether the deal is set aside."""
        return int(digest(self.deal)[:8], 16) % 100 >= ASIDE

    def line(self, solved: int) -> str:
        """How it is kept."""
        return f"{self.deal}\t{self.contract}\t{self.result}\t{solved}\n"


def digest(deal: Deal) -> str:
    """The hash of a deal's cards, in hexadecimal."""
    masks = tuple(hand.mask for hand in deal.hands)
    return hashlib.sha256(repr(masks).encode()).hexdigest()


def tables_of(records: Path, share: float) -> Iterator[Table]:
    """The tables with a whole deal, a contract and a result, of a share of the deals."""
    for record in iter_records(records):
        if not isinstance(record, Record) or record.deal is None:
            continue
        if record.contract is None or record.result is None:
            continue
        # Another part of the hash than the one that sets deals aside.
        if int(digest(record.deal)[8:16], 16) < share * HASHES:
            yield Table(record.deal, record.contract, record.result)


def solve(tables: list[Table]) -> list[int]:
    """Double-dummy tricks of each declarer."""
    from bayesbridge_double_dummy import Solved

    tricks = np.empty(len(tables), np.int64)
    for strain in Strain:
        places = [
            place
            for place, table in enumerate(tables)
            if table.contract.strain == strain
        ]
        if places:
            layouts = declarers_first(tables[place] for place in places)
            answer = run(Solved(), layouts, north_declares(strain))
            tricks[places] = answer["solved"]
    return tricks.tolist()


def declarers_first(tables: Iterable[Table]) -> Layouts:
    """The deals turned so that every declarer sits North."""
    turned = []
    for table in tables:
        declarer = table.contract.declarer
        seats = [declarer.next(place) for place in range(4)]
        turned.append([table.deal[seat].mask for seat in seats])
    return Layouts(np.array(turned, np.uint64))


def north_declares(strain: Strain) -> Question:
    """North declares."""
    return Question.of("N:S", trump=strain.trump)


def solved_tables(
    records: Path, kept: Path, share: float, most: int | None = None
) -> tuple[dict[str, object], list[Table], list[int]]:
    """The solver's tricks of the tables of records.

    Parameters
    ----------
    records : Path
        PBN or LIN.
    kept : Path
        The file that holds what was solved, and is filled up.
    share : float
        Share of the deals.
    most : int, optional
        At most so many tables.

    Returns
    -------
    source : dict of str to object
        What the records are: ``sha256`` and ``share``.
    tables : list of Table
    tricks : list of int
    """
    source: dict[str, object] = {
        "sha256": hashlib.sha256(records.read_bytes()).hexdigest(),
        "share": share,
    }
    head = json.dumps(source) + "\n"
    lines = _kept_lines(kept, head)
    if most is not None and most <= len(lines):
        tables, tricks = zip(*map(_table_of_line, lines[:most]), strict=True)
        return source, list(tables), list(tricks)
    kept.write_text(head + "".join(lines))
    tables = list(islice(tables_of(records, share), most))
    if not tables:
        sys.exit(
            f"{records}: no table with four hands, a contract and a result: name other "
            "records or a larger share"
        )
    tricks = [_table_of_line(line)[1] for line in lines]
    with kept.open("a") as file:
        while len(tricks) < len(tables):
            batch = tables[len(tricks) : len(tricks) + AT_A_TIME]
            tricks_of_batch = solve(batch)
            file.writelines(map(Table.line, batch, tricks_of_batch))
            file.flush()
            tricks += tricks_of_batch
            print(f"{len(tricks)} of {len(tables)} tables solved", file=sys.stderr)
    return source, tables, tricks


def _kept_lines(kept: Path, head: str) -> list[str]:
    """The whole lines of a file of solved tables, without its first; none if it is new."""
    if not kept.exists():
        return []
    first, *lines = kept.read_text().splitlines(keepends=True)
    if first != head:
        sys.exit(
            f"{kept}: made from other records or another share of them: name another "
            "file"
        )
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    return lines


def _table_of_line(line: str) -> tuple[Table, int]:
    """A table, and the solver's tricks."""
    deal, contract, result, solved = line.split("\t")
    table = Table(Deal.of(deal), Contract.of(contract), int(result))
    return table, int(solved)


def main() -> None:
    """Solve the tables of a file of records."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("-o", "--output", type=Path, default=Path("tables.tsv"))
    parser.add_argument(
        "--share",
        type=float,
        default=SHARE,
        help="share of the deals (default: %(default)s)",
    )
    parser.add_argument(
        "--tables", type=int, help="the first so many tables of these (default: all)"
    )
    options = parser.parse_args()
    solved_tables(options.records, options.output, options.share, options.tables)


if __name__ == "__main__":
    main()
