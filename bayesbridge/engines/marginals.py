"""Weighted marginals of a batch of layouts: where cards lie, how long suits are, how many points a seat has.

One pass over the layouts adds each weight to a table of suit fields by seat; cards and lengths are read off that table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import HIGH_CARD_POINTS
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]

_FIELDS: Final = np.arange(1 << 13)
_HOLDS_RANK: Final = (_FIELDS[:, None] >> np.arange(13) & 1).astype(np.float64)
_POINTS: Final = (_HOLDS_RANK @ np.array(HIGH_CARD_POINTS)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Sums of weights: ``fields`` (4 seats, 4 suits, 8192 sets of a suit's cards), ``points`` (4 seats, 41)."""

    fields: Floats
    points: Floats

    @classmethod
    def empty(cls) -> Self:
        """No layout yet."""
        return cls(np.zeros((4, 4, 1 << 13)), np.zeros((4, 41)))

    def add(self, masks: Masks, weights: Floats) -> None:
        """Add a batch in place: (n, 4) masks, (n,) weights."""
        _add(masks, weights, _POINTS, self.fields, self.points)

    def cards(self) -> Floats:
        """(52, 4) weight of each card in each seat."""
        cards: Floats = self.fields @ _HOLDS_RANK
        return cards.reshape(4, 52).T

    def lengths(self) -> Floats:
        """(4, 4, 14) weight of each length by seat and suit."""
        one_hot = np.bitwise_count(_FIELDS)[:, None] == np.arange(14)
        lengths: Floats = self.fields @ one_hot.astype(np.float64)
        return lengths


@njit
def _add(masks: Masks, weights: Floats, field_points: NDArray[np.int64], fields: Floats, points: Floats) -> None:
    # What rounding takes from millions of small weights is kept (Kahan): the sum of all is 1, not 1 + 4e-13.
    lost_fields, lost_points = np.zeros_like(fields), np.zeros_like(points)
    for i in range(len(masks)):
        weight = weights[i]
        for seat in range(4):
            mask = np.int64(masks[i, seat])
            total = np.int64(0)
            for suit in range(4):
                field = (mask >> (13 * suit)) & 0x1FFF
                before = fields[seat, suit, field]
                after = before + weight
                fields[seat, suit, field] = after
                lost_fields[seat, suit, field] += (before - after) + weight
                total += field_points[field]
            before = points[seat, total]
            after = before + weight
            points[seat, total] = after
            lost_points[seat, total] += (before - after) + weight
    fields += lost_fields
    points += lost_points
