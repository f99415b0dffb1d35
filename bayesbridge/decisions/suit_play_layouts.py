"""One suit between declarer and dummy, and how the cards that they miss may lie.

Cards of the defenders that follow each other in rank, with none of declarer's between, are equals: which of them is
played tells nothing, since whoever holds several may choose. A layout is how many of each group of equals the left
defender holds. *First* and *second* are declarer's two hands; the left defender plays after the second hand, the right
defender after the first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import comb, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import RANKS
from bayesbridge.errors import BayesBridgeError, DealError, NotationError

type Floats = NDArray[np.float64]

MOST_MISSING: Final = 10
"""Cards that the defenders may hold: with more there is nothing to plan, and the search is long."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Two hands of a suit, and groups of equals that the defenders hold.

    >>> Combination.of(read_holding("AJT32"), read_holding("K954")).groups
    ((10,), (6, 5, 4))
    """

    first: tuple[int, ...]
    """Ranks of the first hand, 0 the two … 12 the ace, high cards first."""
    second: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    """Ranks that the defenders hold, high cards first, equals together."""
    small: int = 0
    """Declarer's cards of lower rank are counted as the lowest of the suit."""

    @classmethod
    def of(cls, first: int, second: int, gone: int = 0, apart: Collection[int] = ()) -> Combination:
        """From 13-bit fields; cards ``gone`` are played. A rank in ``apart`` begins a group of its own."""
        groups: list[list[int]] = []
        joined = False
        for rank in range(12, -1, -1):
            if (first | second) >> rank & 1:
                joined = False
            elif not gone >> rank & 1:
                if joined and rank not in apart:
                    groups[-1].append(rank)
                else:
                    groups.append([rank])
                joined = True
        return cls(_ranks(first), _ranks(second), tuple(map(tuple, groups)))

    @property
    def missing(self) -> int:
        """How many cards the defenders hold."""
        return sum(map(len, self.groups))

    @property
    def layouts(self) -> list[tuple[int, ...]]:
        """How many cards of each group the left defender may hold."""
        found: list[tuple[int, ...]] = [()]
        for group in self.groups:
            found = [(*layout, held) for layout in found for held in range(len(group) + 1)]
        return found

    def gap(self, rank: int) -> int:
        """How many groups lie above a card of declarer's, all of them for a card counted as small."""
        return len(self.groups) if rank < self.small else sum(group[0] > rank for group in self.groups)

    def coarser(self) -> Combination | None:
        """The same with the lowest of declarer's cards that part two groups counted as small; ``None`` at the end."""
        parting = [rank for rank in (*self.first, *self.second) if 0 < self.gap(rank) < len(self.groups)]
        if not parting:
            return None
        place = max(map(self.gap, parting))
        merged = tuple(rank for group in self.groups[place - 1 :] for rank in group)
        return Combination(self.first, self.second, (*self.groups[: place - 1], merged), self.groups[place - 1][-1])


def _ranks(field: int) -> tuple[int, ...]:
    return tuple(rank for rank in range(12, -1, -1) if field >> rank & 1)


def read_holding(text: str) -> int:
    """The 13-bit field of a holding such as ``AJT32``; ``-`` is a void.

    >>> read_holding("A102") == read_holding("at2")
    True
    """
    field = 0
    for letter in "" if text.strip() == "-" else text.strip().upper().replace("10", "T"):
        rank = RANKS.find(letter)
        if rank < 0:
            raise NotationError(f"unknown rank {letter!r} in {text!r}: ranks are A K Q J T (or 10) 9 … 2", text=text)
        if field >> rank & 1:
            raise DealError(f"{letter} stands twice in {text!r}: remove one", text=text)
        field |= 1 << rank
    return field


def read_pair(first: str, second: str) -> tuple[int, int]:
    """Both holdings; each ``x`` is one of the lowest cards that are not named.

    >>> [f"{field:b}" for field in read_pair("Ax", "K3x")]
    ['1000000000001', '100000000110']
    """
    named = [text.translate({ord("x"): None, ord("X"): None}) or "-" for text in (first, second)]
    fields = [read_holding(text) for text in named]
    if both := fields[0] & fields[1]:
        rank = RANKS[both.bit_length() - 1]
        raise DealError(f"{rank} stands in both {first!r} and {second!r}: remove one", text=(first, second))
    free = [rank for rank in range(13) if not (fields[0] | fields[1]) >> rank & 1]
    small = [text.lower().count("x") for text in (first, second)]
    if sum(small) > len(free):
        raise DealError(f"{first!r} and {second!r} have more than 13 cards: remove some", text=(first, second))
    for place in (0, 1):
        for _ in range(small[place]):
            fields[place] |= 1 << free.pop(0)
    return fields[0], fields[1]


def verify_size(first: int, second: int, gone: int = 0) -> None:
    """Refuse what cannot be planned."""
    missing = 13 - (first | second | gone).bit_count()
    if not first and not second:
        raise BayesBridgeError("no card of the suit in either hand: give at least one")
    if missing > MOST_MISSING:
        raise BayesBridgeError(
            f"the defenders hold {missing} cards: give declarer and dummy at least {13 - MOST_MISSING} together",
            missing=missing,
        )


def prior_weights(combination: Combination, vacant: tuple[int, int] = (13, 13)) -> Floats:
    """(n,) P(layout) where the two defenders have so many places for unknown cards, those of the suit among them.

    With k of the m missing cards on the left, and places a and b, one such layout of single cards has the probability
    C(a + b - m, a - k) / C(a + b, a).

    >>> pair = Combination.of(read_holding("AKJT9"), read_holding("5432"))
    >>> weights = prior_weights(pair)
    >>> {layout: round(float(w), 4) for layout, w in zip(pair.layouts, weights)}[1, 0]
    0.0622
    """
    left, right = vacant
    m = combination.missing
    if min(vacant) < 0 or left + right < m:
        raise BayesBridgeError(f"{left} and {right} vacant places for {m} missing cards: give more", vacant=vacant)
    every = comb(left + right, left)
    sizes = [len(group) for group in combination.groups]
    ways = [
        prod(comb(size, held) for size, held in zip(sizes, layout, strict=True))
        * (comb(left + right - m, left - sum(layout)) if sum(layout) <= left else 0)
        for layout in combination.layouts
    ]
    return np.array([count / every for count in ways])


def weights_of_fields(combination: Combination, shares: Floats) -> Floats:
    """(n,) P(layout) from (8192,) P(the left defender holds exactly these of the missing cards)."""
    places = {layout: number for number, layout in enumerate(combination.layouts)}
    weights = np.zeros(len(places))
    masks = [sum(1 << rank for rank in group) for group in combination.groups]
    for field in np.flatnonzero(shares):
        weights[places[tuple((int(field) & mask).bit_count() for mask in masks)]] += shares[field]
    return weights
