"""Records of four-player tables as plain arrays: what every fit of a learned model
reads.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TRAIN, VALIDATE, HELD_OUT = range(3)
"""To learn from, to choose by, to judge by: the parts of
:mod:`bayesbridge.studies.benchmark`.
"""


class Tables(NamedTuple):
    """Tables and the deals that they played.

    masks:      (deals, 4) the hands N E S W as masks of 52 bits
    split:      (deals,) :data:`TRAIN`, :data:`VALIDATE` or :data:`HELD_OUT`
    tricks:     (deals, 2, 5) tricks of North–South and East–West in C D H S NT that the estimator ``tricks`` expects,
                in twentieths of a trick
    deal:       (tables,) which deal
    dealer:     (tables,) seat of the first call
    vulnerable: (tables, 2) dealer's side, the other side
    pair:       (tables, 2) which of ``names`` sits on dealer's side and on the other, -1 where the record names nobody
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
    """(pairs,) which are set aside, by a hash of the name: their tables are for judging
    how a style is learned.
    """
    digests = (hashlib.sha256(str(name).encode()).digest() for name in names)
    return np.array(
        [int.from_bytes(digest[:4], "big") % ASIDE == 0 for digest in digests], np.bool_
    )


def read(path: Path) -> Tables:
    """The tables of a file of arrays, or of records in PBN or LIN."""
    if path.suffix == ".npz":
        with np.load(path) as stored:
            return Tables(**{name: stored[name] for name in Tables._fields})
    return from_records(path)


def from_records(path: Path) -> Tables:
    """Every record with a whole deal and a whole auction."""
    from bayesbridge.notation import Record, iter_records
    from bayesbridge.studies.benchmark import part_of_masks

    deals: dict[tuple[int, ...], int] = {}
    names: dict[str, int] = {}
    rows: list[tuple[int, int, bool, bool, int, int, int, int, int]] = []
    calls, cards = bytearray(), bytearray()
    call_start, card_start = [0], [0]
    for record in iter_records(path):
        if (
            not isinstance(record, Record)
            or record.deal is None
            or record.auction is None
        ):
            continue
        if not record.auction.is_over:
            continue
        masks = tuple(hand.mask for hand in record.deal.hands)
        dealer = record.auction.first
        ours, theirs = (
            record.vulnerable is not None and seat in record.vulnerable
            for seat in (dealer, dealer.next())
        )
        contract = record.contract
        strain, declarer, level = (
            (255, 255, 0)
            if contract is None
            else (int(contract.strain), int(contract.declarer), contract.level)
        )
        pairs = (record.pair(seat) for seat in (dealer, dealer.next()))
        seated = (
            -1 if pair is None else names.setdefault(pair, len(names)) for pair in pairs
        )
        rows.append(
            (
                deals.setdefault(masks, len(deals)),
                int(dealer),
                ours,
                theirs,
                strain,
                declarer,
                level,
                *seated,
            )
        )
        calls += bytes(call.index for call in record.auction.calls)
        if contract is not None:
            cards += bytes(card.index for _, card in record.plays)
        call_start.append(len(calls))
        card_start.append(len(cards))
        if len(rows) % 50_000 == 0:
            print(f"{len(rows)} tables, {len(deals)} deals", file=sys.stderr)
    if not rows:
        raise SystemExit(f"{path}: no table with a whole deal and a whole auction")
    table = np.array(rows, np.int64)
    return Tables(
        masks=np.array(list(deals), np.uint64),
        split=np.array([part_of_masks(masks) for masks in deals], np.uint8),
        tricks=expected_tricks(np.array(list(deals), np.uint64)),
        deal=table[:, 0].astype(np.int32),
        dealer=table[:, 1].astype(np.uint8),
        vulnerable=table[:, 2:4].astype(np.bool_),
        call_start=np.array(call_start, np.int32),
        calls=np.frombuffer(bytes(calls), np.uint8),
        pair=table[:, 7:9].astype(np.int32),
        names=np.array(list(names)),
        contract=table[:, 4:6].astype(np.uint8),
        level=table[:, 6].astype(np.uint8),
        card_start=np.array(card_start, np.int32),
        cards=np.frombuffer(bytes(cards), np.uint8),
        source=np.array(hashlib.sha256(path.read_bytes()).hexdigest()),
    )


def expected_tricks(masks: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """(deals, 2, 5) double-dummy tricks of both sides in every strain, in twentieths,
    North and East declarers.
    """
    from bayesbridge.estimators.network import table_tricks
    from bayesbridge.game.cards import Suit

    found = np.empty((len(masks), 2, 5), np.uint16)
    for side in range(2):
        table = np.roll(masks, -side, axis=1)
        for strain, trump in enumerate((*Suit, None)):
            found[:, side, strain] = np.rint(
                20 * table_tricks(table, trump) @ np.arange(14)
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path, help="PBN or LIN file, may be .gz")
    parser.add_argument("-o", "--output", type=Path, default=Path("tables.npz"))
    options = parser.parse_args()
    tables = read(options.records)
    np.savez_compressed(options.output, **tables._asdict())
    print(
        f"{len(tables.deal)} tables of {len(tables.masks)} deals, {len(tables.calls)} calls, {len(tables.cards)} cards"
    )


if __name__ == "__main__":
    main()
