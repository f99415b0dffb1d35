"""DealTable: all deals that meet a condition, counted exactly and drawn without rejection.

The condition is split into what each seat's hand must be (``splitting``); the cards are laid out in four blocks
(``blocks``), and what a row of a block means for a seat is a class (``seat_classes``). Rows with the same classes for
all seats are a group. Two blocks make a half of the deck: its keys are the tuples of half classes. A deal is a key
of the low half, a key of the high half that fills the hands and gives a combination of profiles that meets the
condition, a pair of groups of each key, a row of each group, and places for the like cards of each kind. Each of these
is drawn with its exact number of ways, so rare conditions cost no more than common ones.

Seats that no condition speaks of share the rest of the cards in every way alike: that multiplies the number of deals
by a constant and takes no room in the tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.dealing.blocks import Block, Ints, verify_size
from bayesbridge.dealing.deal_kernels import Dealing, Flat, Half, Join, draw_deals, list_pairs, rests, tally
from bayesbridge.dealing.expressions import TRUE, Expression, Leaf, Leaves, Slot, evaluate
from bayesbridge.dealing.seat_classes import Bools, SeatClasses, SeatGrid, leaves_of
from bayesbridge.dealing.seat_vectors import DeckBlocks
from bayesbridge.dealing.splitting import Split, split
from bayesbridge.layouts import Masks
from bayesbridge.random64 import State

MOST_GROUP_PAIRS: Final = 60_000_000
MOST_PAIRS: Final = 8_000_000
MOST_MEETINGS: Final = 300_000_000
MOST_COMBINATIONS: Final = 2_000_000
"""Sizes beyond which tables are refused: each keeps a table within a second or two and some hundred megabytes."""


@dataclass(frozen=True, eq=False)
class DealTable:
    """All deals that fit the known cards and meet a condition.

    >>> DealTable.of(Constraints.free()).total
    53644737765488792839237440000
    """

    known: Constraints
    """Normalised; of it only the certain and the possible cards are read."""
    parts: Split
    """The condition, then the expressions that are watched."""
    seats: tuple[int, ...]
    """The seats that have a part in these, or may not hold every card."""
    profiles: tuple[Ints, ...]
    """For each of these seats, (profiles, slots of the seat) the values of its slots."""
    low: Half
    high: Half
    blocks: tuple[Dealing, Dealing, Dealing, Dealing]
    numbers: Flat
    """The profile of each pair of half classes, by seat."""
    join: Join

    @classmethod
    def of(cls, known: Constraints, condition: Expression = TRUE, *watched: Expression) -> Self:
        """Build the tables; raises ``TablesTooLarge``, early, if they would be.

        ``watched`` expressions restrict nothing, but their values are told apart by :meth:`counts`.
        """
        parts = split(condition, *watched)
        free = [known.may[seat] & known.unknown_mask == known.unknown_mask for seat in range(4)]
        seats = tuple(seat for seat in range(4) if seat in parts.seats or not (free[seat] or not known.room(seat)))
        own = [[parts.slots[number][1] for number in parts.of_seat(seat)] for seat in seats]
        deck = DeckBlocks.of(known, seats, [leaves_of(slots) for slots in own])
        grids = [SeatGrid.of(deck.vectors(place), slots) for place, slots in enumerate(own)]
        leaves = _slot_leaves(parts, seats, [grid.profiles for grid in grids])
        shape = [len(grid.profiles) for grid in grids]
        verify_size(math.prod(shape), MOST_COMBINATIONS, "combinations")
        accept = np.broadcast_to(evaluate(parts.skeletons[0], leaves) != 0, shape)
        others = [tuple(other for other in range(len(seats)) if other != place) for place in range(len(seats))]
        wanted = [accept.any(axis=axes) for axes in others]
        classes = [SeatClasses.of(grid, keep) for grid, keep in zip(grids, wanted, strict=True)]
        groups = [_grouped(block, [seat.rows[b] for seat in classes]) for b, block in enumerate(deck.blocks)]
        low, high = (_half(groups[2 * h : 2 * h + 2], [seat.pairs[h] for seat in classes]) for h in (0, 1))
        kept = accept[np.ix_(*wanted)] if seats else accept
        high, join = _joined(low, high, classes, kept)
        return cls(
            known,
            parts,
            seats,
            tuple(grid.profiles[keep] for grid, keep in zip(grids, wanted, strict=True)),
            low,
            high,
            (groups[0][0], groups[1][0], groups[2][0], groups[3][0]),
            _flat([seat.profiles for seat in classes]),
            join,
        )

    @cached_property
    def total(self) -> int:
        """How many deals meet the condition, exactly; 0 if none does."""
        return self._ways[-1] * self._shared

    def draw(self, n: int, state: State) -> Masks:
        """``n`` independent uniform deals, (n, 4) masks; the state is advanced. There must be a deal."""
        base = np.array([*self.known.must, 0], dtype=np.uint64)
        seats = np.array([*self.seats, 4], dtype=np.int64)
        rooms = np.array(self._rooms, dtype=np.int64)
        out = np.empty((n, 4), dtype=np.uint64)
        tables = (self.low, self.high, self.blocks, self.numbers, self.join, self._rest)
        draw_deals(*tables, *self._words, seats, rooms, base, state, out)
        return out

    def counts(self) -> dict[tuple[int, ...], int]:
        """In how many deals the expressions that are watched have each tuple of values, exactly."""
        leaves = _slot_leaves(self.parts, self.seats, self.profiles)
        shape = [len(profiles) for profiles in self.profiles]
        watched = [np.broadcast_to(evaluate(one, leaves), shape).ravel() for one in self.parts.skeletons[1:]]
        upper, lower = tally(self.low, self.high, self.numbers, self.join)
        found: dict[tuple[int, ...], int] = {}
        for place in np.flatnonzero(upper | lower).tolist():
            key = tuple(int(values[place]) for values in watched)
            found[key] = found.get(key, 0) + (int(upper[place]) << 64 | int(lower[place])) * self._shared
        return found

    @cached_property
    def _rest(self) -> Ints:
        return rests(self.low, self.high, self.numbers, self.join)

    @cached_property
    def _ways(self) -> list[int]:
        """Ways up to each low key; the last is that of all, the pool aside."""
        own = self.low.ways.tolist(), self._rest.tolist()
        return list(accumulate((mine * rest for mine, rest in zip(*own, strict=True)), initial=0))

    @cached_property
    def _words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The same in two words."""
        upper = np.array([ways >> 64 for ways in self._ways], dtype=np.uint64)
        return upper, np.array([ways & ((1 << 64) - 1) for ways in self._ways], dtype=np.uint64)

    @cached_property
    def _rooms(self) -> list[int]:
        """How many cards each seat takes from the pool."""
        return [0 if seat in self.seats else self.known.room(seat) for seat in range(4)]

    @cached_property
    def _shared(self) -> int:
        """In how many ways the seats of the pool share what is left."""
        return math.factorial(sum(self._rooms)) // math.prod(map(math.factorial, self._rooms))


def _slot_leaves(parts: Split, seats: Sequence[int], profiles: Sequence[Ints]) -> Leaves:
    """The values of slots over all combinations of profiles: each seat has an axis of its own."""
    own = {seat: parts.of_seat(seat) for seat in seats}

    def value(leaf: Leaf) -> Ints:
        assert isinstance(leaf, Slot)
        seat = parts.slots[leaf.index][0]
        axis = seats.index(seat)
        column = profiles[axis][:, own[seat].index(leaf.index)]
        return column.reshape([-1 if place == axis else 1 for place in range(len(seats))])

    return value


def _grouped(block: Block, classes: Sequence[Ints]) -> tuple[Dealing, Ints]:
    """The rows of a block that every seat can use, by group, and (groups, seats) the classes of each."""
    alive = np.ones(len(block.weights), dtype=np.bool_)
    for own in classes:
        alive &= own >= 0
    kept = np.flatnonzero(alive)
    key = np.zeros(len(kept), dtype=np.int64)
    for own in classes:
        key = key * (int(own.max(initial=0)) + 1) + own[kept]
    _, places, numbers = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    sizes = np.bincount(numbers, minlength=len(places))
    weights = block.weights[kept][order]
    before, ways, start = _running(weights, sizes)
    widest = max(map(len, block.kinds), default=0)
    cards = np.array([[*cards, *[-1] * (widest - len(cards))] for cards in block.kinds], dtype=np.int64)
    dealing = Dealing(
        start,
        before,
        ways,
        np.ascontiguousarray(block.counts[kept][order]),
        cards.reshape(len(block.kinds), widest),
        np.array([len(cards) for cards in block.kinds], dtype=np.int64),
    )
    members = [own[kept][places] for own in classes]
    return dealing, np.stack(members, axis=1) if members else np.zeros((len(places), 0), dtype=np.int64)


def _running(weights: Ints, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """For weights in runs of these sizes: the sum before each in its run, the sum of each run, where runs begin."""
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
    sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(weights, dtype=np.int64)])
    return sums[:-1] - np.repeat(sums[start[:-1]], sizes), np.diff(sums[start]), start


def _half(groups: Sequence[tuple[Dealing, Ints]], tables: Sequence[Ints]) -> Half:
    """Two blocks together."""
    (one, first), (two, second) = groups
    verify_size(len(first) * len(second), MOST_GROUP_PAIRS, "pairs of groups")
    sizes = [int(table.max(initial=0)) + 1 for table in tables]
    stride = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], dtype=np.int64)
    verify_size(math.prod(sizes), 1 << 62, "keys")
    n, key, ones, twos, ways = list_pairs(
        first, second, one.group_ways, two.group_ways, _flat(tables), stride, MOST_PAIRS
    )
    verify_size(n, MOST_PAIRS, "pairs of groups")
    distinct, numbers = np.unique(key, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    before, total, start = _running(ways[order], np.bincount(numbers, minlength=len(distinct)))
    classes = [distinct // stride[place] % sizes[place] for place in range(len(sizes))]
    members = np.stack(classes, axis=1) if classes else np.zeros((len(distinct), 0), dtype=np.int64)
    return Half(start, ones[order], twos[order], before, total, members)


def _joined(low: Half, high: Half, classes: Sequence[SeatClasses], accept: Bools) -> tuple[Half, Join]:
    """The high half with its keys in buckets, and which bucket completes each key of the low half."""
    codes = []
    for half, own, full in ((0, low, 0), (1, high, 13)):
        code = np.zeros(len(own.ways), dtype=np.int64)
        for place, seat in enumerate(classes):
            code = code * 14 + np.abs(full - seat.lengths[half][own.classes[:, place]])
        codes.append(code)
    order = np.argsort(codes[1], kind="stable")
    buckets, sizes = np.unique(codes[1], return_counts=True)
    places = np.searchsorted(buckets, codes[0])
    there = np.isin(codes[0], buckets)
    bucket = np.where(there, places, -1)
    verify_size(int(sizes[bucket[there]].sum()), MOST_MEETINGS, "meetings of keys")
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
    shape = accept.shape
    stride = np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64)
    return _reordered(high, order), Join(bucket, start, stride, np.ascontiguousarray(accept).ravel())


def _reordered(half: Half, order: Ints) -> Half:
    """The same with its keys in another order, and their pairs with them."""
    sizes = np.diff(half.key_start)[order]
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
    pairs = np.arange(len(half.first)) + np.repeat(half.key_start[:-1][order] - start[:-1], sizes)
    return Half(start, half.first[pairs], half.second[pairs], half.before[pairs], half.ways[order], half.classes[order])


def _flat(tables: Sequence[Ints]) -> Flat:
    """Tables end to end."""
    sizes = [table.size for table in tables]
    return Flat(
        np.concatenate([np.zeros(0, dtype=np.int64), *(table.ravel() for table in tables)]),
        np.array(list(accumulate(sizes, initial=0))[:-1], dtype=np.int64),
        np.array([table.shape[1] for table in tables], dtype=np.int64),
    )
