"""Kernels that draw from and count over the tables of
:class:`~bayesbridge.engines.deal_tables.DealTable`.

They stand apart so that tables can be built, and deals counted, without a compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, bounded, high_product, next64

if TYPE_CHECKING:
    from bayesbridge.engines.classes import Lookup
    from bayesbridge.engines.deal_tables import Dealing, Half, Join, Words


@njit
def looked_up(place: Lookup, low: Ints, high: Ints, a: int, b: int) -> int:
    """What the tables give for row ``a`` of some classes and row ``b`` of others, added
    up.
    """
    table, offset, width = place.table, place.offset, place.width
    number = 0
    for q in range(low.shape[1]):
        number += table[offset[q] + low[a, q] * width[q] + high[b, q]]
    return number


@njit
def tally(low: Half, high: Half, join: Join) -> tuple[Words, Words]:
    """(combinations,) in how many ways each combination of profiles comes about: upper
    and lower 64 bits.
    """
    begin, end, accept, profiles = join.begin, join.end, join.accept, join.profiles
    mine, others, ways, own_ways = low.classes, high.classes, high.ways, low.ways
    upper, lower = np.zeros(len(accept), np.uint64), np.zeros(len(accept), np.uint64)
    for a in range(len(begin)):
        own = np.uint64(own_ways[a])
        for b in range(begin[a], end[a]):
            number = looked_up(profiles, mine, others, a, b)
            if number >= 0 and accept[number]:
                more = np.uint64(ways[b])
                product = own * more
                lower[number] += product
                upper[number] += high_product(own, more) + np.uint64(
                    lower[number] < product
                )
    return upper, lower


@njit
def place_of(before: Ints, begin: int, end: int, number: int | np.int64) -> int:
    """Which place from ``begin`` up to ``end`` a number falls to; ``before``: how many
    numbers earlier ones take.
    """
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
def bounded_wide(
    state: State, upper: np.uint64, lower: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """A uniform number below one of two words, which is at least 1: bits are drawn anew
    until they are small enough.
    """
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
def take(left: Ints, total: int, state: State) -> int:
    """The holder of one of ``total`` cards, each place alike; ``left``: how many each
    still takes, less one then.
    """
    at = np.int64(bounded(state, np.uint64(total)))
    holder = 0
    while at >= left[holder]:
        at -= left[holder]
        holder += 1
    left[holder] -= 1
    return holder


@njit
def add_group(
    block: Dealing, group: int, seats: Ints, state: State, hands: Words
) -> None:
    """Deal a block by one of its groups: ``hands`` has a word for each seat and one for
    the pool, at place 4.
    """
    counts, cards, sizes = block.counts, block.cards, block.sizes
    number = np.int64(bounded(state, np.uint64(block.group_ways[group])))
    row = place_of(
        block.before, block.group_start[group], block.group_start[group + 1], number
    )
    left = np.empty(5, np.int64)
    for kind in range(len(sizes)):
        for holder in range(counts.shape[2]):
            left[holder] = counts[row, kind, holder]
        for i in range(sizes[kind]):
            holder = take(left, sizes[kind] - i, state)
            hands[seats[holder]] |= np.uint64(1) << np.uint64(cards[kind, i])


class Drawing(NamedTuple):
    low: Half
    high: Half
    blocks: tuple[Dealing, Dealing, Dealing, Dealing]
    join: Join
    rest: Ints  #: (low keys,) ways of the high half that complete each.
    upper: Words  #: (low keys + 1,) ways up to each low key, in two words.
    lower: Words
    seats: Ints  #: The seat of each holder, 4 for the pool.
    #: (4,) cards that each seat takes from the pool; ``base``: cards that are certain.
    rooms: Ints
    base: Words


@njit
def draw_deals(tables: Drawing, state: State, out: Words) -> None:
    """Fill (n, 4) masks with independent uniform deals."""
    low, high, blocks, join, rest, upper, lower, seats, rooms, base = tables
    begin, accept, profiles = join.begin, join.accept, join.profiles
    hands = np.empty(5, np.uint64)
    keys = len(rest)
    for i in range(len(out)):
        some, more = bounded_wide(state, upper[keys], lower[keys])
        a = find_wide(upper[:keys], lower[:keys], some, more)
        number = np.int64(bounded(state, np.uint64(rest[a])))
        b = begin[a]
        while True:
            found = looked_up(profiles, low.classes, high.classes, a, b)
            if found >= 0 and accept[found]:
                if number < high.ways[b]:
                    break
                number -= high.ways[b]
            b += 1
        for seat in range(5):
            hands[seat] = base[seat]
        number = np.int64(bounded(state, np.uint64(low.ways[a])))
        pair = place_of(low.before, low.key_start[a], low.key_start[a + 1], number)
        add_group(blocks[0], low.first[pair], seats, state, hands)
        add_group(blocks[1], low.second[pair], seats, state, hands)
        number = np.int64(bounded(state, np.uint64(high.ways[b])))
        pair = place_of(high.before, high.key_start[b], high.key_start[b + 1], number)
        add_group(blocks[2], high.first[pair], seats, state, hands)
        add_group(blocks[3], high.second[pair], seats, state, hands)
        left, cards = rooms.copy(), int(rooms.sum())
        for card in range(52):
            if (hands[4] >> np.uint64(card)) & np.uint64(1):
                hands[take(left, cards, state)] |= np.uint64(1) << np.uint64(card)
                cards -= 1
        for seat in range(4):
            out[i, seat] = hands[seat]
