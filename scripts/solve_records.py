"""Solve the contracts of real tables double dummy, and keep what declarer took beside
it.

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
"""Of each hundred deals those from here on, by their hash, are set aside to judge by.
"""


class Table(NamedTuple):
    """One table of the records: a deal, what was played, and how many tricks declarer
    took.
    """

    deal: Deal
    contract: Contract
    result: int

    @property
    def aside(self) -> bool:
        """Whether the deal is set aside."""
        return int(digest(self.deal)[:8], 16) % 100 >= ASIDE

    def line(self, solved: int) -> str:
        """How it is kept."""
        return f"{self.deal}\t{self.contract}\t{self.result}\t{solved}\n"


def digest(deal: Deal) -> str:
    """The hash of a deal's cards, in hexadecimal."""
    return hashlib.sha256(
        repr(tuple(hand.mask for hand in deal.hands)).encode()
    ).hexdigest()


def tables_of(records: Path, share: float) -> Iterator[Table]:
    """The tables with a whole deal, a contract and a result, of a share of the deals."""
    for record in iter_records(records):
        if (
            not isinstance(record, Record)
            or record.contract is None
            or record.result is None
        ):
            continue
        # Another part of the hash than the one that sets deals aside.
        if (deal := record.deal) is not None and int(
            digest(deal)[8:16], 16
        ) < share * 2**32:
            yield Table(deal, record.contract, record.result)


def solve(tables: list[Table]) -> list[int]:
    """Double-dummy tricks of each declarer."""
    from bayesbridge_double_dummy import Solved

    solved = np.empty(len(tables), np.int64)
    for strain in Strain:
        here = [i for i, table in enumerate(tables) if table.contract.strain == strain]
        if here:
            solved[here] = run(
                Solved(),
                declarers_first(tables[i] for i in here),
                north_declares(strain),
            )["solved"]
    return solved.tolist()


def declarers_first(tables: Iterable[Table]) -> Layouts:
    """The deals turned so that every declarer sits North."""
    turned = [
        [table.deal.hands[(table.contract.declarer + k) % 4].mask for k in range(4)]
        for table in tables
    ]
    return Layouts(np.array(turned, np.uint64))


def north_declares(strain: Strain) -> Question:
    """North declares."""
    return Question.of("N:S", trump=strain.trump)


def solved_tables(
    records: Path, kept: Path, share: float, most: int | None = None
) -> tuple[dict[str, object], list[Table], list[int]]:
    """What the records are, their tables and the solver's tricks; ``kept`` holds what
    was solved and is filled up.
    """
    about: dict[str, object] = {
        "sha256": hashlib.sha256(records.read_bytes()).hexdigest(),
        "share": share,
    }
    head = json.dumps(about) + "\n"
    lines: list[str] = []
    if kept.exists():
        first, *lines = kept.read_text().splitlines(keepends=True)
        if first != head:
            sys.exit(
                f"{kept}: made from other records or another share of them: name another file"
            )
        if lines and not lines[-1].endswith("\n"):
            lines.pop()
    if most is not None and most <= len(lines):
        tables, solved = zip(*map(_read, lines[:most]), strict=True)
        return about, list(tables), list(solved)
    kept.write_text(head + "".join(lines))
    tables = list(islice(tables_of(records, share), most))
    if not tables:
        sys.exit(
            f"{records}: no table with four hands, a contract and a result: name other records or a larger share"
        )
    solved = [_read(line)[1] for line in lines]
    with kept.open("a") as file:
        while len(solved) < len(tables):
            part = tables[len(solved) : len(solved) + AT_A_TIME]
            found = solve(part)
            file.writelines(map(Table.line, part, found))
            file.flush()
            solved += found
            print(f"{len(solved)} of {len(tables)} tables solved", file=sys.stderr)
    return about, tables, solved


def _read(line: str) -> tuple[Table, int]:
    deal, contract, result, solved = line.split("\t")
    return Table(Deal.of(deal), Contract.of(contract), int(result)), int(solved)


def main() -> None:
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
