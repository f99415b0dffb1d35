"""Kernels that draw from and count over tables of deals.

The tables are those of :class:`~bayesbridge.engines.deal_tables.DealTable`. They stand
apart so that tables can be built, and deals counted, without a compiler.
"""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.halves import (
    HANDS_AND_POOL,
    POOL,
    BlockGroups,
    Drawing,
    Half,
    Join,
    Words,
)
from bayesbridge.engines.search import looked_up, place_of
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, bounded, high_product, next64


@njit
def tally(low: Half, high: Half, join: Join) -> tuple[Words, Words]:
    """Count the ways to deal by combination of profiles, for those that are accepted.

    A combination is a profile of each seat, by which its part of a condition is
    decided. It follows from a key of either half of the deck, the class of each seat
    there; ``join`` has for each low key the high keys that fill the hands,
    ``high_begin`` … ``high_end``, and the combination of two keys, which is negative
    where a seat's classes do not go together.

    Returns (combinations,) the upper and (combinations,) the lower 64 bits.
    """
    accept = join.accept
    combination_of = join.combination_of
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    upper = np.zeros(len(accept), np.uint64)
    lower = np.zeros(len(accept), np.uint64)
    for low_key in range(len(low.ways)):
        low_key_ways = np.uint64(low.ways[low_key])
        for high_key in range(join.high_begin[low_key], join.high_end[low_key]):
            combination = looked_up(
                combination_of, low_classes, high_classes, low_key, high_key
            )
            if combination >= 0 and accept[combination]:
                high_key_ways = np.uint64(high_ways[high_key])
                product = low_key_ways * high_key_ways
                lower[combination] += product
                # The sum passed 2^64 if it is smaller than what was added.
                carry = np.uint64(lower[combination] < product)
                upper[combination] += high_product(low_key_ways, high_key_ways) + carry
    return upper, lower


@njit
def find_wide(upper: Words, lower: Words, high: np.uint64, low: np.uint64) -> int:
    """The last place whose number of two words is not above a given one.

    ``upper``, ``lower``: (places,) the words of running sums, which begin with 0;
    ``high``, ``low``: those of the given number.
    """
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
def draw_holder(rooms: Ints, total: int, state: State) -> int:
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
    block: BlockGroups, group: int, hands_of_holders: Ints, state: State, hands: Words
) -> None:
    """Deal the cards of a block of the deck, by a random row of one of its groups.

    A row says how many cards of each kind (cards that no condition tells apart) each
    holder gets; a group is the rows that are the same for all conditions. A row is
    drawn in proportion to how many ways there are to choose its cards, then the cards
    of each kind are dealt at random.

    ``hands``: (5,) masks of the cards of the four seats and the pool, which are added
    to; ``hands_of_holders``: (holders,) the index of each holder there.
    """
    counts = block.counts
    cards = block.cards
    sizes = block.sizes
    group_begin = block.group_start[group]
    group_end = block.group_start[group + 1]
    # A uniform number below all ways of the group falls to one of its rows.
    number = np.int64(bounded(state, np.uint64(block.group_ways[group])))
    ways_of_earlier_rows = block.before
    row = place_of(ways_of_earlier_rows, group_begin, group_end, number)
    holders = counts.shape[2]
    rooms = np.empty(HANDS_AND_POOL, np.int64)
    for kind in range(len(sizes)):
        for holder in range(holders):
            rooms[holder] = counts[row, kind, holder]
        for dealt in range(sizes[kind]):
            holder = draw_holder(rooms, sizes[kind] - dealt, state)
            card = np.uint64(cards[kind, dealt])
            hands[hands_of_holders[holder]] |= np.uint64(1) << card


@njit
def add_half(
    half: Half,
    key: int,
    first: BlockGroups,
    second: BlockGroups,
    hands_of_holders: Ints,
    state: State,
    hands: Words,
) -> None:
    """Deal the cards of half of the deck, drawn from the ways that have one key.

    A half is two blocks of cards, ``first`` and ``second``. Its key says what the cards
    that each seat gets there are worth for the seat's condition. It has pairings: a
    group of ways to deal the first block and one of the second, which together make
    this key. A pairing is drawn in proportion to its number of ways, then each block is
    dealt by its group.

    ``hands``: (5,) masks of the cards of the four seats and of the pool (seats without
    a condition), which are added to; ``hands_of_holders``: (holders,) the index there
    of every seat or pool that gets cards.
    """
    key_begin = half.key_start[key]
    key_end = half.key_start[key + 1]
    # A uniform number below all ways of the key falls to one of its pairings.
    number = np.int64(bounded(state, np.uint64(half.ways[key])))
    ways_of_earlier_pairings = half.before
    pairing = place_of(ways_of_earlier_pairings, key_begin, key_end, number)
    first_group = half.first_group[pairing]
    second_group = half.second_group[pairing]
    add_group(first, first_group, hands_of_holders, state, hands)
    add_group(second, second_group, hands_of_holders, state, hands)


@njit
def draw_low_key(upper: Words, lower: Words, state: State) -> int:
    """A key of the low half of the deck, drawn by the deals that have it.

    ``upper``, ``lower``: (low keys + 1,) the deals of the earlier keys, in two words.
    """
    keys = len(upper) - 1
    number_upper, number_lower = bounded_wide(state, upper[keys], lower[keys])
    return find_wide(upper[:keys], lower[:keys], number_upper, number_lower)


@njit
def draw_high_key(tables: Drawing, low_key: int, state: State) -> int:
    """A key of the high half of the deck that completes one of the low, drawn by ways.

    A random number below all ways to complete it is counted down over the high keys
    that fill the hands and are accepted; so it falls to one of them.
    """
    accept = tables.join.accept
    combination_of = tables.join.combination_of
    low_classes = tables.low.classes
    high_classes = tables.high.classes
    ways = tables.high.ways
    number = np.int64(bounded(state, np.uint64(tables.completions[low_key])))
    high_key = int(tables.join.high_begin[low_key])
    while True:
        combination = looked_up(
            combination_of, low_classes, high_classes, low_key, high_key
        )
        if combination >= 0 and accept[combination]:
            if number < ways[high_key]:
                return high_key
            number -= ways[high_key]
        high_key += 1


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
            seat = draw_holder(rooms, cards, state)
            hands[seat] |= bit
            cards -= 1


@njit
def draw_deals(tables: Drawing, state: State, out: Words) -> None:
    """Fill (n, 4) masks with independent uniform deals.

    The deck has two halves of two blocks each. A key of the low half is drawn, then a
    key of the high half that completes it (a key says what the cards of each seat are
    worth for its condition), then the cards of each half by its key; at last the seats
    without a condition share the pool.
    """
    low = tables.low
    high = tables.high
    blocks = tables.blocks
    hands_of_holders = tables.hands_of_holders
    certain = tables.certain
    upper = tables.before_high_word
    lower = tables.before_low_word
    pool_rooms = tables.pool_rooms
    hands = np.empty(HANDS_AND_POOL, np.uint64)
    for deal in range(len(out)):
        low_key = draw_low_key(upper, lower, state)
        high_key = draw_high_key(tables, low_key, state)
        for place in range(HANDS_AND_POOL):
            hands[place] = certain[place]
        add_half(low, low_key, blocks[0], blocks[1], hands_of_holders, state, hands)
        add_half(high, high_key, blocks[2], blocks[3], hands_of_holders, state, hands)
        share_pool(pool_rooms, hands, state)
        for seat in range(4):
            out[deal, seat] = hands[seat]
