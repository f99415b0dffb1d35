"""Kernels that draw from and count over tables of deals.

The tables are those of :class:`~bayesbridge.engines.deal_tables.DealTable`. They stand
apart so that tables can be built, and deals counted, without a compiler.
"""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.halves import BlockGroups, Drawing, Half, Join, Words
from bayesbridge.engines.search import looked_up, place_of
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, bounded, high_product, next64

POOL = 4  # the word of the pool, after those of the seats


@njit
def tally(low: Half, high: Half, join: Join) -> tuple[Words, Words]:
    """(combinations,) in how many ways each combination of profiles comes about.

    Two words each: the upper and the lower 64 bits.
    """
    begin = join.begin
    end = join.end
    accept = join.accept
    profiles = join.profiles
    low_classes = low.classes
    high_classes = high.classes
    low_ways = low.ways
    high_ways = high.ways
    upper = np.zeros(len(accept), np.uint64)
    lower = np.zeros(len(accept), np.uint64)
    for a in range(len(begin)):
        ways_a = np.uint64(low_ways[a])
        for b in range(begin[a], end[a]):
            combination = looked_up(profiles, low_classes, high_classes, a, b)
            if combination >= 0 and accept[combination]:
                ways_b = np.uint64(high_ways[b])
                product = ways_a * ways_b
                lower[combination] += product
                carry = np.uint64(lower[combination] < product)
                upper[combination] += high_product(ways_a, ways_b) + carry
    return upper, lower


@njit
def find_wide(upper: Words, lower: Words, high: np.uint64, low: np.uint64) -> int:
    """As :func:`place_of`, for a number of two words and over the whole array."""
    begin = 0
    end = len(upper)
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
    """A uniform number below one of two words, which is at least 1.

    Bits are drawn anew until they are small enough.
    """
    if upper == np.uint64(0):
        return np.uint64(0), bounded(state, lower)
    mask = np.uint64(1)
    while mask < upper:
        mask = (mask << np.uint64(1)) | np.uint64(1)
    while True:
        high = next64(state) & mask
        low = next64(state)
        if high < upper or (high == upper and low < lower):
            return high, low


@njit
def take(rooms: Ints, total: int, state: State) -> int:
    """The holder of one of ``total`` cards; each place is as likely.

    ``rooms``: (holders,) how many each still takes, less one then.
    """
    place = np.int64(bounded(state, np.uint64(total)))
    holder = 0
    while place >= rooms[holder]:
        place -= rooms[holder]
        holder += 1
    rooms[holder] -= 1
    return holder


@njit
def add_group(
    block: BlockGroups, group: int, seats: Ints, state: State, hands: Words
) -> None:
    """Deal a block by one of its groups.

    ``seats``: (holders,) the place of each in ``hands``, (5,) masks of the seats and
    the pool.
    """
    counts = block.counts
    cards = block.cards
    sizes = block.sizes
    start = block.group_start
    number = np.int64(bounded(state, np.uint64(block.group_ways[group])))
    row = place_of(block.before, start[group], start[group + 1], number)
    rooms = np.empty(5, np.int64)
    for kind in range(len(sizes)):
        for holder in range(counts.shape[2]):
            rooms[holder] = counts[row, kind, holder]
        for i in range(sizes[kind]):
            holder = take(rooms, sizes[kind] - i, state)
            hands[seats[holder]] |= np.uint64(1) << np.uint64(cards[kind, i])


@njit
def add_half(
    half: Half,
    key: int,
    first: BlockGroups,
    second: BlockGroups,
    seats: Ints,
    state: State,
    hands: Words,
) -> None:
    """Deal two blocks by one key of their half, as :func:`add_group` does."""
    start = half.key_start
    number = np.int64(bounded(state, np.uint64(half.ways[key])))
    pairing = place_of(half.before, start[key], start[key + 1], number)
    add_group(first, half.first[pairing], seats, state, hands)
    add_group(second, half.second[pairing], seats, state, hands)


@njit
def high_key(tables: Drawing, a: int, state: State) -> int:
    """A key of the high half that completes key ``a`` of the low one, drawn by ways."""
    accept = tables.join.accept
    profiles = tables.join.profiles
    low_classes = tables.low.classes
    high_classes = tables.high.classes
    ways = tables.high.ways
    number = np.int64(bounded(state, np.uint64(tables.completions[a])))
    b = int(tables.join.begin[a])
    while True:
        combination = looked_up(profiles, low_classes, high_classes, a, b)
        if combination >= 0 and accept[combination]:
            if number < ways[b]:
                return b
            number -= ways[b]
        b += 1


@njit
def share_pool(pool_rooms: Ints, hands: Words, state: State) -> None:
    """Deal the cards of the pool to the seats that share it."""
    rooms = pool_rooms.copy()
    cards = 0
    for seat in range(4):
        cards += rooms[seat]
    for card in range(52):
        bit = np.uint64(1) << np.uint64(card)
        if hands[POOL] & bit:
            hands[take(rooms, cards, state)] |= bit
            cards -= 1


@njit
def draw_deals(tables: Drawing, state: State, out: Words) -> None:
    """Fill (n, 4) masks with independent uniform deals."""
    low = tables.low
    high = tables.high
    blocks = tables.blocks
    seats = tables.seats
    certain = tables.certain
    upper = tables.before_high_word
    lower = tables.before_low_word
    pool_rooms = tables.pool_rooms
    keys = len(tables.completions)
    hands = np.empty(5, np.uint64)
    for i in range(len(out)):
        number_upper, number_lower = bounded_wide(state, upper[keys], lower[keys])
        a = find_wide(upper[:keys], lower[:keys], number_upper, number_lower)
        b = high_key(tables, a, state)
        for place in range(5):
            hands[place] = certain[place]
        add_half(low, a, blocks[0], blocks[1], seats, state, hands)
        add_half(high, b, blocks[2], blocks[3], seats, state, hands)
        share_pool(pool_rooms, hands, state)
        for seat in range(4):
            out[i, seat] = hands[seat]
