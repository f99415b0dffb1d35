"""What a holding in one suit counts for: points, controls, losers, honours, the quality of the suit.

A measure is a table with an entry for each of the 8192 holdings, a 13-bit field of ranks from the two up. Those that
add up card by card have a weight for each rank; the others (losers, quality, the count of Kaplan and Rubens) look at
the whole suit.

Quality and the four-C count follow *The Bridge World*, October 1982, times 100; losers count the missing ones of ace,
king and queen in as many cards as the suit has, up to three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import HIGH_CARD_POINTS

type Ints = NDArray[np.int64]

HOLDINGS: Final = 1 << 13
_EIGHT, _NINE, _TEN, _JACK, _QUEEN, _KING, _ACE = range(6, 13)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number for each holding; ``weights`` by rank from the two up, ``None`` where cards do not simply add up.

    >>> int(table(POINTS)[0b1_1000_0000_0000]), int(table(LOSERS)[0b1_1000_0000_0000])
    (7, 0)
    """

    name: str
    weights: tuple[int, ...] | None = None


def by_rank(name: str, ace_first: Sequence[int]) -> Measure:
    """A measure that adds up card by card, from the weights of ace, king, queen …; ranks left out count nothing.

    >>> by_rank("controls", (2, 1)).weights
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2)
    """
    return Measure(name, tuple(reversed([*ace_first, *[0] * (13 - len(ace_first))])))


def one_card(rank: int) -> Measure:
    """Whether a certain rank is held."""
    return Measure("card", tuple(int(other == rank) for other in range(13)))


LENGTH: Final = Measure("length", (1,) * 13)
POINTS: Final = Measure("hcp", tuple(HIGH_CARD_POINTS))
CONTROLS: Final = by_rank("control", (2, 1))
LOSERS: Final = Measure("loser")
QUALITY: Final = Measure("quality")
SHORT: Final = Measure("short")
"""1 for a suit of fewer than three cards."""
FOUR_C: Final = Measure("cccc")
"""The part of the four-C count that is a sum over suits; 50 are taken off a hand without a short suit, else 100."""

COUNTS: Final = tuple(
    by_rank(name, weights)
    for name, weights in (
        ("tens", (0, 0, 0, 0, 1)),
        ("jacks", (0, 0, 0, 1)),
        ("queens", (0, 0, 1)),
        ("kings", (0, 1)),
        ("aces", (1,)),
        ("top2", (1, 1)),
        ("top3", (1, 1, 1)),
        ("top4", (1, 1, 1, 1)),
        ("top5", (1, 1, 1, 1, 1)),
        ("c13", (6, 4, 2, 1)),
    )
)
"""The ten counts ``pt0`` … ``pt9``, under their names, unless a script gives them other weights."""


@lru_cache(maxsize=256)
def table(measure: Measure) -> Ints:
    """(8192,) the measure of every holding; read-only."""
    if measure.weights is not None:
        held = np.arange(HOLDINGS)[:, None] >> np.arange(13) & 1
        values = np.asarray(held @ np.array(measure.weights, dtype=np.int64), dtype=np.int64)
    else:
        values = np.array([_WHOLE_SUIT[measure.name](field) for field in range(HOLDINGS)], dtype=np.int64)
    values.flags.writeable = False
    return values


@lru_cache(maxsize=256)
def alike(measure: Measure) -> tuple[int, ...]:
    """A number for each rank; ranks with the same number may be exchanged in any holding and nothing changes.

    >>> alike(CONTROLS)
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 12)
    """
    values, fields = table(measure), np.arange(HOLDINGS)
    found = list(range(13))
    for rank in range(13):
        for lower in range(rank):
            if found[lower] == lower:
                differ = (fields >> rank ^ fields >> lower) & 1
                if np.array_equal(values, values[fields ^ (differ << rank | differ << lower)]):
                    found[rank] = lower
                    break
    return tuple(found)


def _losers(field: int) -> int:
    counted = min(field.bit_count(), 3)
    return counted - (field >> (13 - counted)).bit_count()


def _quality(field: int) -> int:
    length, factor = field.bit_count(), 10 * field.bit_count()
    ace, king, queen, jack, ten, nine, eight = (field >> rank & 1 for rank in range(_ACE, _EIGHT - 1, -1))
    worth = factor * (4 * ace + 3 * king + 2 * queen + jack)
    if length > 6:
        return worth + factor * min(3 - 2 * queen - jack, length - 6)
    higher = ace + king + queen + jack
    if ten:
        worth += factor if higher > 1 or jack else factor // 2
    if nine and (higher == 2 or ten or eight):
        worth += factor // 2
    return worth


def _four_c(field: int) -> int:
    length = field.bit_count()
    ace, king, queen, jack, ten, nine = (field >> rank & 1 for rank in range(_ACE, _NINE - 1, -1))
    worth = 300 * ace + king * (50 if length == 1 else 200)
    higher = ace + king
    if queen:
        worth += 100 - (75 if length == 1 else 25 if length == 2 else 0) - (0 if higher else 25)
        higher += 1
    if jack:
        worth += (0, 25, 50, 0)[higher]
        higher += 1
    if ten and (higher == 2 or (higher == 1 and nine)):
        worth += 25
    return worth + (300, 200, 100)[length] + _quality(field) if length < 3 else worth + _quality(field)


def _short(field: int) -> int:
    return int(field.bit_count() < 3)


_WHOLE_SUIT: Final[dict[str, Callable[[int], int]]] = {
    "loser": _losers,
    "quality": _quality,
    "cccc": _four_c,
    "short": _short,
}
