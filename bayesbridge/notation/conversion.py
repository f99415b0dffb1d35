"""Records on their way into another file.

Their boards are numbered anew; what the other format has no place for is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import fields, replace

from bayesbridge.notation.record import UNKNOWN_HANDS, Record


def renumbered(records: Iterable[Record]) -> Iterator[Record]:
    """The records with board numbers from 1 on, in their order.

    Tables where the same hands were dealt share a number; where no hand is known,
    tables of one file whose boards had one name.

    >>> records = [Record(board=board, file="a.lin") for board in ("7", "7", "9")]
    >>> [record.board for record in renumbered(records)]
    ['1', '1', '2']
    """
    numbers: dict[Hashable, int] = {}
    for record in records:
        deal: Hashable = record.hands
        if record.hands == UNKNOWN_HANDS:
            deal = (record.file, record.board)
        number = numbers.setdefault(deal, len(numbers) + 1)
        yield replace(record, board=str(number))


def lost_parts(records: Sequence[Record], copies: Sequence[Record]) -> Counter[str]:
    """What copies do not hold of the records that they were written from.

    In how many records each part differs: fields by their names, tags by ``tag`` and
    theirs.

    >>> from bayesbridge.notation import Tag
    >>> record = Record(board="1", tags=(Tag("Event", "Cup"),))
    >>> lost_parts([record], [Record(board="1")])
    Counter({'tag Event': 1})
    """
    lost: Counter[str] = Counter()
    names = [field.name for field in fields(Record) if field.compare]
    names.remove("tags")
    for record, copy in zip(records, copies, strict=True):
        lost.update(
            name for name in names if getattr(record, name) != getattr(copy, name)
        )
        copied_tags = set(copy.tags)
        lost.update(
            {f"tag {tag.name}" for tag in record.tags if tag not in copied_tags}
        )
    return lost
