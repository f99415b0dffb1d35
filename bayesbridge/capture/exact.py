"""The whole space of 5 157 850 293 780 050 462 400 deals of two hands, counted exactly (see ``half_deals``)."""

from __future__ import annotations

import json
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

from bayesbridge.cache import cached_json

DEALS: Final = comb(52, 13) * comb(39, 13)
"""All ways to give 13 cards to each of two hands."""


def tricks_of(code: int) -> int:
    """T of an outcome code (see ``half_deals``), 0 where a condition fails."""
    return code % 512 // 32


@cache
def outcomes() -> dict[int, int]:
    """Exact number of deals for each outcome code (see ``half_deals``); computed once, then kept in the cache."""
    found = cached_json("outcomes", _count_outcomes)
    return {int(code): int(count) for code, count in found.items()}


def conditions() -> dict[str, int]:
    """Exact number of deals for each condition outcome."""
    counts = outcomes()
    return {"neither": counts[0], "only A": counts[1], "both": DEALS - counts[0] - counts[1]}


def tricks() -> dict[int, int]:
    """Exact number of deals for each T; 0 stands for deals that fail a condition.

    >>> sum(tricks().values()) == DEALS
    True
    """
    counts: dict[int, int] = {}
    for code, count in sorted(outcomes().items(), key=lambda item: tricks_of(item[0])):
        counts[tricks_of(code)] = counts.get(tricks_of(code), 0) + count
    return counts


@cache
def shifts() -> dict[tuple[int, int], int]:
    """Exact number of deals by what Algorithm 1 counts for 7 tricks and by what Algorithm 2 does.

    Of either: 0 where condition A fails, 1 where only B fails, else captures. Counting takes minutes, so that the
    counts are a file of the package (``scripts/count_shifts.py`` writes it).
    """
    found = json.loads(Path(__file__).with_name("shifts.json").read_bytes())
    return {(first, second): count for first, second, count in found}


def _count_outcomes() -> dict[str, int]:
    from bayesbridge.capture.half_deals import FULL, half_deals, join

    half = half_deals()
    return {str(code): count for code, count in join(half, half, FULL).items()}
