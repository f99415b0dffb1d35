"""Exact sampling: independent uniform layouts under all hard evidence, without rejection.

A draw is a uniform integer below the number of layouts, turned into the layout with that number. Rare evidence makes
the tables smaller and costs no more than common evidence. Marginals of cards, lengths and points are not estimated:
they come exactly from the same tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SEATS, SUITS, Constraints
from bayesbridge.engines.counting import count_points
from bayesbridge.engines.suit_rows import Ints, SuitRows
from bayesbridge.engines.unranking import Unranking
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, State, bounded, seed_state


def sample(constraints: Constraints, n: int, rng: Seed = None) -> Masks:
    """``n`` independent uniform layouts that fit: (n, 4) masks."""
    return Sampler.of(constraints).draw(n, rng)


def card_marginals(constraints: Constraints) -> Ints:
    """(52, 4) in how many layouts each seat holds each card; every row sums to the number of layouts."""
    return Sampler.of(constraints).card_marginals()


def length_distributions(constraints: Constraints) -> Ints:
    """(4, 4, 14) in how many layouts each seat has 0 … 13 cards of each suit."""
    return Sampler.of(constraints).length_distributions()


def point_distributions(constraints: Constraints) -> Ints:
    """(4, 38) in how many layouts each seat has 0 … 37 high-card points."""
    return Sampler.of(constraints).point_distributions()


@dataclass(frozen=True, slots=True, eq=False)
class Sampler:
    """The tables of one set of constraints, kept so that every further draw costs nothing to set up.

    >>> sampler = Sampler.of(Constraints.free().hold(2, SUIT_MASK))
    >>> sampler.total, sampler.draw(5, rng=1).shape
    (84478098072866400, (5, 4))
    """

    unranking: Unranking

    @classmethod
    def of(cls, constraints: Constraints) -> Self:
        """Build the tables; raises ``Contradiction`` if nothing fits."""
        return cls(Unranking.of(constraints))

    @property
    def total(self) -> int:
        """The exact number of layouts."""
        return self.unranking.total

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent uniform layouts: (n, 4) masks."""
        return self.draw_from(n, seed_state(rng))

    def draw_from(self, n: int, state: State) -> Masks:
        """The same from a state of the kernels' own generator, which is advanced."""
        numbers = np.empty(n, dtype=np.int64)
        _random_numbers(np.uint64(self.total), state, numbers)
        return self.unranking.layouts(numbers)

    def card_marginals(self) -> Ints:
        """(52, 4) in how many layouts each seat holds each card."""
        ways = np.empty((52, 4), dtype=np.int64)
        for suit, rows, completions in self._suits():
            ways[13 * suit : 13 * suit + 13] = _tally_cards(rows, completions.ravel()).T
        for seat in SEATS:
            for card in range(52):
                if self._known.must[seat] >> card & 1:
                    ways[card, seat] = self.total
        return ways

    def length_distributions(self) -> Ints:
        """(4, 4, 14) in how many layouts each seat has 0 … 13 cards of each suit."""
        keys = self.unranking.keys
        ways = np.zeros((4, 4, 14), dtype=np.int64)
        for suit, rows, completions in self._suits():
            layouts = (rows.ways * completions).sum(1)
            occurs = layouts > 0
            shares = dict(zip(keys.hidden, keys.shares(suit)[occurs].T, strict=True))
            for seat in SEATS:
                certain = (self._known.must[seat] >> (13 * suit) & SUIT_MASK).bit_count()
                lengths = certain + shares.get(seat, np.zeros(occurs.sum(), dtype=np.int64))
                np.add.at(ways[seat, suit], lengths, layouts[occurs])
        return ways

    def point_distributions(self) -> Ints:
        """(4, 38) in how many layouts each seat has 0 … 37 high-card points."""
        return np.array([count_points(self._known, seat) for seat in SEATS], dtype=np.int64)

    @property
    def _known(self) -> Constraints:
        return self.unranking.keys.known

    def _suits(self) -> zip[tuple[int, SuitRows, Ints]]:
        return zip(SUITS, self.unranking.suits, self.unranking.completions(), strict=True)


@njit
def _random_numbers(total: np.uint64, state: State, out: Ints) -> None:
    """Uniform integers below the total, exactly: it passes 2^53, so no floating-point number will do."""
    for i in range(len(out)):
        out[i] = bounded(state, total)


@njit
def _tally_cards(rows: SuitRows, completions: Ints) -> Ints:
    """(4, 13) the number of layouts that give each seat each card of a suit."""
    fields, start = rows.fields, rows.start
    by_field = np.zeros((4, 8192), np.int64)
    for key in range(len(completions)):
        for row in range(start[key], start[key + 1]):
            for seat in range(4):
                by_field[seat, fields[row, seat]] += completions[key]
    ways = np.zeros((4, 13), np.int64)
    for seat in range(4):
        for field in range(8192):
            layouts = by_field[seat, field]
            if layouts:
                for rank in range(13):
                    if (field >> rank) & 1:
                        ways[seat, rank] += layouts
    return ways
