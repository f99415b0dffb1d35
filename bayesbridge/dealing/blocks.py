"""Blocks of cards: how the cards of a suit can lie, kind by kind.

Cards of a block that no condition tells apart and that may lie in the same hands are of one *kind*; how many of a kind
each holder gets is all that matters, and so many like cards can be shared out in multinomially many ways. A *holder* is
a seat with a condition, or the pool: the seats without one, which share what the others leave.

A block is a suit. Where no condition speaks of a suit (points of the whole hand and the like), the deck is cut by rank
instead: honours in two blocks, and all cards that count nothing in a third.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import TablesTooLarge

type Ints = NDArray[np.int64]
type Counts = NDArray[np.uint8]

MOST_ROWS: Final = 400_000
"""Rows of a block beyond which tables are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """``kinds``: the cards of each kind; ``counts``: (rows, kinds, holders); ``weights``: (rows,) ways of each row."""

    kinds: tuple[tuple[int, ...], ...]
    counts: Counts
    weights: Ints

    @classmethod
    def of(
        cls,
        cards: Iterable[int],
        allowed: Callable[[int], tuple[int, ...]],
        alike: Callable[[int], Hashable],
        rooms: Sequence[int],
    ) -> Self:
        """All rows that fit into the rooms of the holders.

        ``allowed`` gives the holders that may have a card, ``alike`` what tells its kind.
        """
        kinds: dict[Hashable, list[int]] = {}
        for card in cards:
            kinds.setdefault((allowed(card), alike(card)), []).append(card)
        holders = len(rooms)
        counts = np.zeros((1, 0, holders), dtype=np.uint8)
        totals = np.zeros((1, holders), dtype=np.int64)
        weights = np.ones(1, dtype=np.int64)
        for members in kinds.values():
            shares, ways = compositions(len(members), allowed(members[0]), holders)
            verify_size(len(counts) * len(shares), 16 * MOST_ROWS, "rows")
            old, new = (index.ravel() for index in np.indices((len(counts), len(shares))))
            fits = (totals[old] + shares[new] <= np.array(rooms)).all(1)
            old, new = old[fits], new[fits]
            verify_size(len(old), MOST_ROWS, "rows")
            counts = np.concatenate([counts[old], shares[new][:, None].astype(np.uint8)], axis=1)
            totals, weights = totals[old] + shares[new], weights[old] * ways[new]
        return cls(tuple(map(tuple, kinds.values())), counts, weights)


def compositions(size: int, allowed: Sequence[int], holders: int) -> tuple[Ints, Ints]:
    """(n, holders) all ways to share like cards among the allowed holders by number, and (n,) how many ways each is.

    >>> shares, ways = compositions(2, (0, 2), 3)
    >>> shares.tolist(), ways.tolist()
    ([[0, 0, 2], [1, 0, 1], [2, 0, 0]], [1, 2, 1])
    """
    found, ways = [], []
    for bars in combinations(range(size + len(allowed) - 1), len(allowed) - 1):
        ends = (-1, *bars, size + len(allowed) - 1)
        share = [after - before - 1 for before, after in pairwise(ends)]
        row = [0] * holders
        for holder, cards in zip(allowed, share, strict=True):
            row[holder] = cards
        found.append(row)
        ways.append(math.factorial(size) // math.prod(map(math.factorial, share)))
    return np.array(found, dtype=np.int64).reshape(-1, holders), np.array(ways, dtype=np.int64)


def verify_size(needed: int, most: int, what: str) -> None:
    """Refuse tables that would take too much memory or time."""
    if needed > most:
        raise TablesTooLarge(
            f"tables with {needed} {what} are needed and they stop at {most}: set conditions on fewer hands, "
            "or have some of them tested",
            needed=needed,
        )
