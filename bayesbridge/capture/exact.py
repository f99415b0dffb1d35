"""The whole space of 5 157 850 293 780 050 462 400 deals of two hands, counted exactly.

Counting takes minutes, so that the counts are a file of the package
(``scripts/count_shifts.py`` writes it).
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

DEALS: Final = comb(52, 13) * comb(39, 13)
"""All ways to give 13 cards to each of two hands."""

NEITHER: Final = 0
ONLY_A: Final = 1


@cache
def shifts() -> dict[tuple[int, int], int]:
    """Exact number of deals by what both algorithms count.

    That is what Algorithm 1 counts for 7 tricks, and what Algorithm 2 does. Of either: 0
    where condition A fails, 1 where only B fails, else captures.
    """
    stored = json.loads(Path(__file__).with_name("shifts.json").read_bytes())
    return {(first, second): count for first, second, count in stored}


def outcomes() -> dict[int, int]:
    """Exact number of deals by what Algorithm 2 counts."""
    deals: dict[int, int] = defaultdict(int)
    for (_, second), count in shifts().items():
        deals[second] += count
    return deals


def conditions() -> dict[str, int]:
    """Exact number of deals for each condition outcome."""
    deals = outcomes()
    both = DEALS - deals[NEITHER] - deals[ONLY_A]
    return {"neither": deals[NEITHER], "only A": deals[ONLY_A], "both": both}


def tricks() -> dict[int, int]:
    """Exact number of deals for each T; 0 stands for deals that fail a condition.

    >>> sum(tricks().values()) == DEALS
    True
    """
    deals_by_tricks = dict.fromkeys((0, *range(4, 14)), 0)
    for outcome, deals in outcomes().items():
        T = 0 if outcome in (NEITHER, ONLY_A) else outcome
        deals_by_tricks[T] += deals
    return deals_by_tricks
