"""The loops behind :class:`~bayesbridge.dealing.deal_tables.DealTable`: pairs of groups, their join, and draws.

Groups of rows carry a class for each seat. Tables of several seats lie one after another in one flat array; a seat's
part begins at its ``offset`` and has rows of its ``width``. Totals pass 2^63 and are kept in two words of 64 bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.jit import njit
from bayesbridge.random64 import State, bounded, high_product, next64

type Ints = NDArray[np.int64]
type Small = NDArray[np.int32]
type Words = NDArray[np.uint64]
type Bools = NDArray[np.bool_]


class Flat(NamedTuple):
    """One table for each seat, end to end."""

    values: Ints
    offset: Ints
    width: Ints


class Dealing(NamedTuple):
    """What a block needs for draws: its rows by group, and the cards of each kind."""

    group_start: Ints
    """(groups + 1,) where the rows of each group begin."""
    before: Ints
    """(rows,) ways of the earlier rows of the same group."""
    group_ways: Ints
    counts: NDArray[np.uint8]
    """(rows, kinds, holders)"""
    cards: Ints
    """(kinds, most of a kind) padded with -1."""
    sizes: Ints


class Half(NamedTuple):
    """Two blocks together: pairs of groups, sorted by key."""

    key_start: Ints
    """(keys + 1,) where the pairs of each key begin."""
    first: Small
    second: Small
    before: Ints
    """(pairs,) ways of the earlier pairs of the same key."""
    ways: Ints
    """(keys,) ways of each key."""
    classes: Ints
    """(keys, seats)"""


class Join(NamedTuple):
    """How keys of the two halves meet: those of the high half lie together in buckets of equal lengths."""

    bucket: Ints
    """(low keys,) the bucket that completes each, or -1."""
    bucket_start: Ints
    stride: Ints
    """(seats,) how far one profile more moves the number of a combination."""
    accept: Bools
    """(combinations,) whether the condition is met."""


@njit
def list_pairs(
    first: Ints, second: Ints, first_ways: Ints, second_ways: Ints, tables: Flat, stride: Ints, most: int
) -> tuple[int, Ints, Small, Small, Ints]:
    """All pairs of groups that every seat can use: how many, key, both groups and ways; stops past ``most``.

    ``first``, ``second``: (groups, seats) classes.
    """
    values, offset, width = tables.values, tables.offset, tables.width
    seats = first.shape[1]
    room = 1024
    keys, ways = np.empty(room, np.int64), np.empty(room, np.int64)
    ones, twos = np.empty(room, np.int32), np.empty(room, np.int32)
    n = 0
    for a in range(len(first)):
        for b in range(len(second)):
            key = 0
            for s in range(seats):
                found = values[offset[s] + first[a, s] * width[s] + second[b, s]]
                if found < 0:
                    key = -1
                    break
                key += found * stride[s]
            if key < 0:
                continue
            if n == room:
                if n >= most:
                    return n + 1, keys, ones, twos, ways
                room = 2 * room
                more_keys, more_ways = np.empty(room, np.int64), np.empty(room, np.int64)
                more_ones, more_twos = np.empty(room, np.int32), np.empty(room, np.int32)
                more_keys[:n], more_ways[:n] = keys, ways
                more_ones[:n], more_twos[:n] = ones, twos
                keys, ways, ones, twos = more_keys, more_ways, more_ones, more_twos
            keys[n], ones[n], twos[n] = key, a, b
            ways[n] = first_ways[a] * second_ways[b]
            n += 1
    return n, keys[:n], ones[:n], twos[:n], ways[:n]


@njit
def combination(low: Ints, high: Ints, a: int, b: int, profiles: Flat, join: Join) -> int:
    """The number of the combination of profiles that two keys make, -1 where a seat does not want it."""
    values, offset, width, stride = profiles.values, profiles.offset, profiles.width, join.stride
    number = 0
    for s in range(low.shape[1]):
        profile = values[offset[s] + low[a, s] * width[s] + high[b, s]]
        if profile < 0:
            return -1
        number += profile * stride[s]
    return number


@njit
def rests(low: Half, high: Half, profiles: Flat, join: Join) -> Ints:
    """(low keys,) in how many ways the high half completes each."""
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    mine, others, ways = low.classes, high.classes, high.ways
    found = np.zeros(len(bucket), np.int64)
    for a in range(len(bucket)):
        if bucket[a] >= 0:
            for b in range(start[bucket[a]], start[bucket[a] + 1]):
                number = combination(mine, others, a, b, profiles, join)
                if number >= 0 and accept[number]:
                    found[a] += ways[b]
    return found


@njit
def tally(low: Half, high: Half, profiles: Flat, join: Join) -> tuple[Words, Words]:
    """(combinations,) in how many ways each combination of profiles comes about: upper and lower 64 bits."""
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    mine, others, ways, own_ways = low.classes, high.classes, high.ways, low.ways
    upper, lower = np.zeros(len(accept), np.uint64), np.zeros(len(accept), np.uint64)
    for a in range(len(bucket)):
        if bucket[a] >= 0:
            own = np.uint64(own_ways[a])
            for b in range(start[bucket[a]], start[bucket[a] + 1]):
                number = combination(mine, others, a, b, profiles, join)
                if number >= 0 and accept[number]:
                    more = np.uint64(ways[b])
                    product = own * more
                    lower[number] += product
                    upper[number] += high_product(own, more) + np.uint64(lower[number] < product)
    return upper, lower


@njit
def find(before: Ints, begin: int, end: int, number: np.int64) -> int:
    """The last place from ``begin`` up to ``end`` whose entry is at most ``number``."""
    while end - begin > 1:
        middle = (begin + end) >> 1
        if before[middle] <= number:
            begin = middle
        else:
            end = middle
    return begin


@njit
def find_wide(upper: Words, lower: Words, high: np.uint64, low: np.uint64) -> int:
    """The same for numbers of two words, over the whole array."""
    begin, end = 0, len(upper)
    while end - begin > 1:
        middle = (begin + end) >> 1
        if upper[middle] < high or (upper[middle] == high and lower[middle] <= low):
            begin = middle
        else:
            end = middle
    return begin


@njit
def bounded_wide(state: State, upper: np.uint64, lower: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A uniform number below one of two words, which is at least 1: bits are drawn anew until they are small enough."""
    if upper == np.uint64(0):
        return np.uint64(0), bounded(state, lower)
    mask = np.uint64(1)
    while mask < upper:
        mask = (mask << np.uint64(1)) | np.uint64(1)
    while True:
        high, low = next64(state) & mask, next64(state)
        if high < upper or (high == upper and low < lower):
            return high, low


@njit
def add_group(block: Dealing, group: int, seats: Ints, state: State, hands: Words) -> None:
    """Deal a block by one of its groups: ``hands`` has a word for each seat and one for the pool, at place 4."""
    counts, cards, sizes = block.counts, block.cards, block.sizes
    number = np.int64(bounded(state, np.uint64(block.group_ways[group])))
    row = find(block.before, block.group_start[group], block.group_start[group + 1], number)
    left = np.empty(5, np.int64)
    for kind in range(len(sizes)):
        for holder in range(counts.shape[2]):
            left[holder] = counts[row, kind, holder]
        for i in range(sizes[kind]):
            at = np.int64(bounded(state, np.uint64(sizes[kind] - i)))
            holder = 0
            while at >= left[holder]:
                at -= left[holder]
                holder += 1
            left[holder] -= 1
            hands[seats[holder]] |= np.uint64(1) << np.uint64(cards[kind, i])


@njit
def share_pool(pool: np.uint64, rooms: Ints, state: State, hands: Words) -> None:
    """Share the cards of the pool among the seats that have room, every way alike."""
    left = rooms.copy()
    cards = 0
    for seat in range(4):
        cards += left[seat]
    for card in range(52):
        if (pool >> np.uint64(card)) & np.uint64(1):
            at = np.int64(bounded(state, np.uint64(cards)))
            seat = 0
            while at >= left[seat]:
                at -= left[seat]
                seat += 1
            left[seat] -= 1
            cards -= 1
            hands[seat] |= np.uint64(1) << np.uint64(card)


@njit
def draw_deals(
    low: Half,
    high: Half,
    blocks: tuple[Dealing, Dealing, Dealing, Dealing],
    profiles: Flat,
    join: Join,
    rest: Ints,
    upper: Words,
    lower: Words,
    seats: Ints,
    rooms: Ints,
    base: Words,
    state: State,
    out: Words,
) -> None:
    """Fill (n, 4) masks with independent uniform deals.

    ``rest``: (low keys,) of :func:`rests`; ``upper``, ``lower``: (low keys + 1,) ways up to each low key; ``seats``:
    the seat of each holder, 4 for the pool; ``rooms``: (4,) cards that each seat takes from the pool; ``base``: (5,)
    cards that are certain.
    """
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    hands = np.empty(5, np.uint64)
    keys = len(rest)
    for i in range(len(out)):
        some, more = bounded_wide(state, upper[keys], lower[keys])
        a = find_wide(upper[:keys], lower[:keys], some, more)
        number = np.int64(bounded(state, np.uint64(rest[a])))
        b = start[bucket[a]]
        while True:
            found = combination(low.classes, high.classes, a, b, profiles, join)
            if found >= 0 and accept[found]:
                if number < high.ways[b]:
                    break
                number -= high.ways[b]
            b += 1
        for seat in range(5):
            hands[seat] = base[seat]
        number = np.int64(bounded(state, np.uint64(low.ways[a])))
        pair = find(low.before, low.key_start[a], low.key_start[a + 1], number)
        add_group(blocks[0], low.first[pair], seats, state, hands)
        add_group(blocks[1], low.second[pair], seats, state, hands)
        number = np.int64(bounded(state, np.uint64(high.ways[b])))
        pair = find(high.before, high.key_start[b], high.key_start[b + 1], number)
        add_group(blocks[2], high.first[pair], seats, state, hands)
        add_group(blocks[3], high.second[pair], seats, state, hands)
        share_pool(hands[4], rooms, state, hands)
        for seat in range(4):
            out[i, seat] = hands[seat]
