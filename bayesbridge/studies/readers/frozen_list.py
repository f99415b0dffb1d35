"""The frozen list of test boards: rebuilt from any copy of a collection, whatever the order of its records.

Of each test deal (:mod:`bayesbridge.studies.deal_split`) one table is taken, that whose auction and play have the
smallest SHA-256, so boards are independent. They stand in the order of the SHA-256 of their deals: the first thousand
boards of a longer list are the list of a thousand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from bayesbridge.notation.record import Record
from bayesbridge.studies.deal_split import Part, digest_of_masks, part_of_masks
from bayesbridge.studies.inference import usable


def frozen_list(records: Iterable[Record], most: int | None = None, part: Part = Part.TEST) -> list[Record]:
    """The first ``most`` boards of the list (default: all), numbered from 1; names and remarks are left out."""
    kept: dict[str, tuple[str, Record]] = {}
    for record in records:
        if (deal := record.deal) is None or usable(record) is not None:
            continue
        masks = tuple(hand.mask for hand in deal.hands)
        if part_of_masks(masks) is not part:
            continue
        key, table = digest_of_masks(masks), hashlib.sha256(_told(record).encode()).hexdigest()
        if key not in kept or table < kept[key][0]:
            kept[key] = table, record
        if most is not None and len(kept) > 2 * most + 1000:
            kept = {key: kept[key] for key in sorted(kept)[:most]}
    return [
        replace(kept[key][1], board=str(number), room="", alerts=(), tags=())
        for number, key in enumerate(sorted(kept)[:most], 1)
    ]


def _told(record: Record) -> str:
    """The text of a table's auction and play, which tells the tables of a deal apart."""
    return f"{record.auction} / {' '.join(f'{seat.name}{card}' for seat, card in record.plays)}"
