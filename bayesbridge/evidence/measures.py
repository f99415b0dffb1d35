"""Measures: numbers that count a holding of one suit, such as its length or its points.

A measure has an entry for each of the 8192 holdings of a suit, 13-bit fields of ranks
from the two up. Quality and the four-C count follow *The Bridge World*, October 1982,
times 100; losers count the missing ones of ace, king and queen in as many cards as the
suit has, up to three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from bayesbridge.game.cards import HIGH_CARD_POINTS, RANKS
from bayesbridge.game.layouts import Ints, read_only

HOLDINGS: Final = 1 << len(RANKS)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number for each holding of cards of a suit.

    ``weights`` are by rank from the two up, ``None`` where cards do not simply add up.
    """

    name: str
    weights: tuple[int, ...] | None = None


def by_rank(name: str, ace_first: Sequence[int]) -> Measure:
    """A measure that adds up card by card.

    The weights are of ace, king, queen …; ranks left out count nothing.

    >>> by_rank("controls", (2, 1)).weights
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)
    """
    unweighted = [0] * (len(RANKS) - len(ace_first))
    return Measure(name, tuple(reversed([*ace_first, *unweighted])))


LENGTH: Final = Measure("length", (1,) * len(RANKS))
POINTS: Final = Measure("hcp", tuple(HIGH_CARD_POINTS))
CONTROLS: Final = by_rank("control", (2, 1))
LOSERS: Final = Measure("loser")
QUALITY: Final = Measure("quality")

SHORT: Final = Measure("short")
"""1 for a suit of fewer than three cards."""

FOUR_C: Final = Measure("cccc")
"""The part of the four-C count that is a sum over suits."""

COUNTS: Final = (
    by_rank("tens", (0, 0, 0, 0, 1)),
    by_rank("jacks", (0, 0, 0, 1)),
    by_rank("queens", (0, 0, 1)),
    by_rank("kings", (0, 1)),
    by_rank("aces", (1,)),
    by_rank("top2", (1, 1)),
    by_rank("top3", (1, 1, 1)),
    by_rank("top4", (1, 1, 1, 1)),
    by_rank("top5", (1, 1, 1, 1, 1)),
    by_rank("c13", (6, 4, 2, 1)),
)
"""The ten counts pt0 … pt9, under their names, unless a script gives them other
weights.
"""


@lru_cache(maxsize=256)
def table(measure: Measure) -> Ints:
    """(8192,) the measure of every holding; read-only."""
    if measure.weights is None:
        count = _WHOLE_SUIT[measure.name]
        values = [count(holding) for holding in range(HOLDINGS)]
        return read_only(np.array(values, dtype=np.int64))
    holds_rank = np.arange(HOLDINGS)[:, None] >> np.arange(len(RANKS)) & 1
    return read_only(holds_rank @ np.array(measure.weights, dtype=np.int64))


@lru_cache(maxsize=256)
def alike(measure: Measure) -> tuple[int, ...]:
    """A number for each rank, the same for ranks that may be exchanged.

    Exchanging ranks with the same number changes the measure of no holding.

    >>> alike(CONTROLS)
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 12)
    """
    lowest_alike = list(range(len(RANKS)))
    for rank in range(len(RANKS)):
        for lower in range(rank):
            is_lowest = lowest_alike[lower] == lower
            if is_lowest and _exchangeable(measure, rank, lower):
                lowest_alike[rank] = lower
                break
    return tuple(lowest_alike)


def _exchangeable(measure: Measure, rank: int, lower: int) -> bool:
    """Whether no holding changes its measure when two ranks change places in it."""
    values = table(measure)
    holdings = np.arange(HOLDINGS)
    holds_one_of_them = (holdings >> rank ^ holdings >> lower) & 1
    exchanged = holdings ^ (holds_one_of_them << rank | holds_one_of_them << lower)
    return np.array_equal(values, values[exchanged])


def _from_the_ace(holding: int, ranks: int) -> Iterator[int]:
    """1 or 0 for each of the highest ranks, ace first: whether the holding has it."""
    return (holding >> rank & 1 for rank in range(12, 12 - ranks, -1))


def _losers(holding: int) -> int:
    counted = min(holding.bit_count(), 3)
    highest_held = holding >> (13 - counted)
    return counted - highest_held.bit_count()


def _is_short(holding: int) -> int:
    return int(holding.bit_count() < 3)


def _quality(holding: int) -> int:
    """The quality of a suit by Kaplan and Rubens, times 100.

    High-card points and tens and nines in good company, all times the length. From
    seven cards on an extra card stands in for a missing queen or jack instead.
    """
    length = holding.bit_count()
    point = 10 * length  # a point is a tenth of the length, here times 100
    half_point = point // 2
    ace, king, queen, jack, ten, nine, eight = _from_the_ace(holding, 7)
    quality = point * (4 * ace + 3 * king + 2 * queen + jack)
    if length > 6:
        missing_points = 3 - 2 * queen - jack  # of queen and jack
        extra_cards = length - 6
        return quality + point * min(missing_points, extra_cards)
    honours = ace + king + queen + jack
    if ten:
        is_supported = honours > 1 or jack
        quality += point if is_supported else half_point
    if nine and (honours == 2 or ten or eight):
        quality += half_point
    return quality


_SHORT_SUIT_VALUES: Final = (300, 200, 100)
"""Four-C value of a void, a singleton and a doubleton."""


def _four_c(holding: int) -> int:
    """The four-C count of a suit, times 100: its honours, shortness and quality."""
    length = holding.bit_count()
    count = _four_c_honours(holding) + _quality(holding)
    if length < len(_SHORT_SUIT_VALUES):
        count += _SHORT_SUIT_VALUES[length]
    return count


def _four_c_honours(holding: int) -> int:
    """The four-C count of a suit's honours alone, times 100 (Kaplan and Rubens)."""
    length = holding.bit_count()
    ace, king, queen, jack, ten, nine = _from_the_ace(holding, 6)
    count = 300 * ace
    count += king * (50 if length == 1 else 200)
    higher = ace + king
    if queen:
        count += 100
        if length == 1:
            count -= 75
        elif length == 2:
            count -= 25
        if not higher:
            count -= 25
        higher += 1
    if jack:
        jack_below = (0, 25, 50, 0)
        count += jack_below[higher]
        higher += 1
    if ten and (higher == 2 or (higher == 1 and nine)):
        count += 25
    return count


_WHOLE_SUIT: Final[dict[str, Callable[[int], int]]] = {
    LOSERS.name: _losers,
    QUALITY.name: _quality,
    FOUR_C.name: _four_c,
    SHORT.name: _is_short,
}
"""How the measures without weights count a holding."""
