"""Records of four-player tables as plain arrays, which every fit of a model reads.

    python scripts/table_arrays.py records.pbn.gz -o tables.npz

A table is kept if its deal is whole, its auction legal and over. The deals are kept
once each, however many tables played them, and the split is by deal
(:mod:`bayesbridge.studies.benchmark`): 90 % to learn from, 5 % to choose by
(validation), 5 % aside to judge by. The file also holds the SHA-256 of the records,
which every fitted file repeats.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bayesbridge.game.deal import Seat
    from bayesbridge.notation import Record

TRAIN, VALIDATE, HELD_OUT = range(3)
"""To learn from, to choose by, to judge by.

They are the parts of :mod:`bayesbridge.studies.benchmark`.
"""


class Tables(NamedTuple):
    """Tables and the deals that they played.

    masks:      (deals, 4) the hands N E S W as masks of 52 bits
    split:      (deals,) :data:`TRAIN`, :data:`VALIDATE` or :data:`HELD_OUT`
    tricks:     (deals, 2, 5) tricks of North–South and East–West in C D H S NT that the
                estimator ``tricks`` expects, in twentieths of a trick
    deal:       (tables,) which deal
    dealer:     (tables,) seat of the first call
    vulnerable: (tables, 2) dealer's side, the other side
    pair:       (tables, 2) which of ``names`` sits on dealer's side and on the other,
                -1 where the record names nobody
    names:      the pairs, as :meth:`bayesbridge.notation.record.Record.pair` writes them
    call_start: (tables + 1,) where the calls of a table begin in ``calls``
    calls:      indices of the calls, 0 … 37
    contract:   (tables, 2) strain and declarer, 255 where all passed
    level:      (tables,) level of the contract, 0 where all passed
    card_start: (tables + 1,) where the cards of a table begin in ``cards``
    cards:      indices of the cards in the order played, as far as they are on record
    source:     SHA-256 of the records
    """

    masks: NDArray[np.uint64]
    split: NDArray[np.uint8]
    tricks: NDArray[np.uint16]
    deal: NDArray[np.int32]
    dealer: NDArray[np.uint8]
    vulnerable: NDArray[np.bool_]
    pair: NDArray[np.int32]
    names: NDArray[np.str_]
    call_start: NDArray[np.int32]
    calls: NDArray[np.uint8]
    contract: NDArray[np.uint8]
    level: NDArray[np.uint8]
    card_start: NDArray[np.int32]
    cards: NDArray[np.uint8]
    source: NDArray[np.str_]


ASIDE = 32
"""Every so manieth pair is set aside."""


def pairs_aside(names: NDArray[np.str_]) -> NDArray[np.bool_]:
    """(pairs,) which are set aside, by a hash of the name.

    Their tables are for judging how a style is learned.
    """
    is_aside = []
    for name in names:
        digest = hashlib.sha256(str(name).encode()).digest()
        is_aside.append(int.from_bytes(digest[:4], "big") % ASIDE == 0)
    return np.array(is_aside, np.bool_)


def read(path: Path) -> Tables:
    """The tables of a file of arrays, or of records in PBN or LIN."""
    if path.suffix == ".npz":
        with np.load(path) as stored:
            return Tables(**{name: stored[name] for name in Tables._fields})
    return from_records(path)


def rows_by_split(
    split: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the tables to learn from, to choose by and to judge by.

    ``split`` (tables,) says it of each table.
    """
    training = np.flatnonzero(split == TRAIN)
    validation = np.flatnonzero(split == VALIDATE)
    held_out = np.flatnonzero(split == HELD_OUT)
    return training, validation, held_out


NO_CONTRACT = 255
"""In the place of strain and declarer where all passed."""

NOBODY = -1
"""In the place of a pair that the record does not name."""


class Row(NamedTuple):
    """The numbers of a table, as :class:`Tables` has them."""

    deal: int
    dealer: int
    vulnerable: bool
    others_vulnerable: bool
    strain: int
    declarer: int
    level: int
    pair: int
    other_pair: int


class Collector:
    """Tables that are added one after the other; a deal and a name are kept once."""

    def __init__(self) -> None:
        self.deals: dict[tuple[int, ...], int] = {}
        self.names: dict[str, int] = {}
        self.rows: list[Row] = []
        self.calls = bytearray()
        self.cards = bytearray()
        self.call_start = [0]
        self.card_start = [0]

    def add(self, record: Record) -> None:
        """Add a record with a whole deal and a whole auction."""
        assert record.deal is not None
        assert record.auction is not None
        self.rows.append(self._row(record))
        self.calls += bytes(call.index for call in record.auction.calls)
        if record.contract is not None:
            self.cards += bytes(card.index for _, card in record.plays)
        self.call_start.append(len(self.calls))
        self.card_start.append(len(self.cards))

    def _row(self, record: Record) -> Row:
        """The numbers of a record; its deal and pairs are numbered."""
        assert record.deal is not None
        assert record.auction is not None
        masks = tuple(hand.mask for hand in record.deal.hands)
        dealer = record.auction.first
        other = dealer.next()
        vulnerable = record.vulnerable
        strain = declarer = NO_CONTRACT
        level = 0
        contract = record.contract
        if contract is not None:
            strain = int(contract.strain)
            declarer = int(contract.declarer)
            level = contract.level
        return Row(
            self.deals.setdefault(masks, len(self.deals)),
            int(dealer),
            vulnerable is not None and dealer in vulnerable,
            vulnerable is not None and other in vulnerable,
            strain,
            declarer,
            level,
            self._pair_number(record, dealer),
            self._pair_number(record, other),
        )

    def _pair_number(self, record: Record, seat: Seat) -> int:
        """The number of the pair that a seat belongs to, a new one if need be."""
        name = record.pair(seat)
        if name is None:
            return NOBODY
        return self.names.setdefault(name, len(self.names))

    def tables(self, source: str) -> Tables:
        """All of them as arrays; ``source`` is the SHA-256 of the records."""
        from bayesbridge.studies.benchmark import part_of_masks

        numbers = np.array(self.rows, np.int64).T
        columns = dict(zip(Row._fields, numbers, strict=True))
        masks = np.array(list(self.deals), np.uint64)
        pairs = np.stack([columns["pair"], columns["other_pair"]], axis=1)
        contracts = np.stack([columns["strain"], columns["declarer"]], axis=1)
        vulnerable = [columns["vulnerable"], columns["others_vulnerable"]]
        return Tables(
            masks=masks,
            split=np.array([part_of_masks(deal) for deal in self.deals], np.uint8),
            tricks=expected_tricks(masks),
            deal=columns["deal"].astype(np.int32),
            dealer=columns["dealer"].astype(np.uint8),
            vulnerable=np.stack(vulnerable, axis=1).astype(np.bool_),
            call_start=np.array(self.call_start, np.int32),
            calls=np.frombuffer(bytes(self.calls), np.uint8),
            pair=pairs.astype(np.int32),
            names=np.array(list(self.names)),
            contract=contracts.astype(np.uint8),
            level=columns["level"].astype(np.uint8),
            card_start=np.array(self.card_start, np.int32),
            cards=np.frombuffer(bytes(self.cards), np.uint8),
            source=np.array(source),
        )


PROGRESS = 50_000
"""Tables between two lines about how far it is."""


def from_records(path: Path) -> Tables:
    """Every record with a whole deal and a whole auction."""
    from bayesbridge.notation import Record, iter_records

    collector = Collector()
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None:
            continue
        if record.auction is None or not record.auction.is_over:
            continue
        collector.add(record)
        tables = len(collector.rows)
        if tables % PROGRESS == 0:
            print(f"{tables} tables, {len(collector.deals)} deals", file=sys.stderr)
    if not collector.rows:
        raise SystemExit(f"{path}: no table with a whole deal and a whole auction")
    return collector.tables(hashlib.sha256(path.read_bytes()).hexdigest())


PARTS_OF_A_TRICK = 20
"""What expected tricks are counted in."""


def expected_tricks(masks: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """(deals, 2, 5) double-dummy tricks of both sides in every strain, in twentieths.

    North and East are the declarers; ``masks`` (deals, 4).
    """
    from bayesbridge.estimators.network import table_tricks
    from bayesbridge.game.cards import Suit

    expected = np.empty((len(masks), 2, 5), np.uint16)
    for side in range(2):
        table = np.roll(masks, -side, axis=1)
        for strain, trump in enumerate((*Suit, None)):
            tricks = PARTS_OF_A_TRICK * table_tricks(table, trump) @ np.arange(14)
            expected[:, side, strain] = np.rint(tricks)
    return expected


def main() -> None:
    """Write the arrays of a file of records."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("-o", "--output", type=Path, default=Path("tables.npz"))
    options = parser.parse_args()
    tables = read(options.records)
    np.savez_compressed(options.output, **tables._asdict())
    print(
        f"{len(tables.deal)} tables of {len(tables.masks)} deals, "
        f"{len(tables.calls)} calls, {len(tables.cards)} cards"
    )


if __name__ == "__main__":
    main()
