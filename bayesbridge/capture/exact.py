"""The whole space of 5 157 850 293 780 050 462 400 deals of two hands, counted exactly.

Counting takes minutes, so that the counts are a file of the package
(``scripts/count_shifts.py`` writes it).
"""

from __future__ import annotations

import json
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

DEALS: Final = comb(52, 13) * comb(
    39, 13
)  #: all ways to give 13 cards to each of two hands


@cache
def shifts() -> dict[tuple[int, int], int]:
    """Exact number of deals by what Algorithm 1 counts for 7 tricks and by what
    Algorithm 2 does.

    Of either: 0 where condition A fails, 1 where only B fails, else captures.
    """
    found = json.loads(Path(__file__).with_name("shifts.json").read_bytes())
    return {(first, second): count for first, second, count in found}


def conditions() -> dict[str, int]:
    """Exact number of deals for each condition outcome."""
    neither, only_a = (
        sum(count for (_, second), count in shifts().items() if second == code)
        for code in (0, 1)
    )
    return {"neither": neither, "only A": only_a, "both": DEALS - neither - only_a}


def tricks() -> dict[int, int]:
    """Exact number of deals for each T; 0 stands for deals that fail a condition.

    >>> sum(tricks().values()) == DEALS
    True
    """
    counts = dict.fromkeys((0, *range(4, 14)), 0)
    for (_, second), count in shifts().items():
        counts[second if second > 1 else 0] += count
    return counts
