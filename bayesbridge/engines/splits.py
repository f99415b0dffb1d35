"""Weighted splits: a seat takes its 13 cards out of those that are left.

What it leaves, the *rest*, is for another seat, or for several that split again. The
weight of a split is the product of both sides' tilts, ``tilt(hand) = Π_suits
holding[suit, length, honours] · points[points]`` with the A K Q J of the suit as
honours. The sum over all splits is exact, by convolution: a suit is a table by (points,
length), two suits combine to one of the same form, and the two pairs are joined where
13 cards are reached. The same sums, walked backwards, draw a split with probability
weight / sum.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.game.layouts import Floats, Hands, Ints
from bayesbridge.runtime.jit import ANY_ORDER, njit
from bayesbridge.runtime.random64 import State, next64

HONOUR_POINTS: Final = (np.arange(16)[:, None] >> np.arange(4) & 1) @ np.arange(1, 5)
"""(16,) points of a set of honours, jack at bit 0."""

HONOUR_SHIFT: Final = 9  # the honours of a field of 13 bits lie above its small cards
SMALL_CARDS: Final = (1 << HONOUR_SHIFT) - 1  # the other bits of a field
FIELD: Final = (1 << 13) - 1  # all bits of a field


def _binomial(n: int, k: int) -> float:
    """In how many ways k of n cards can be chosen."""
    return float(np.prod([(n - i) / (i + 1) for i in range(k)]))


_WAYS: Final = np.vectorize(_binomial, otypes=[float])(*np.indices((14, 14)))
"""(14, 14) binomial coefficients."""

WIDTH: Final = 28
"""Columns by length in the table of two suits, which may hold 26 cards."""

MOST_SUIT_POINTS: Final = 10  # A K Q J of one suit
MOST_PAIR_POINTS: Final = 20  # of two suits
SUIT_ENTRIES: Final = (MOST_SUIT_POINTS + 1) * 14
"""Pairs of points and a length of the first side's cards in a suit."""

# Columns of ``Work.suit``. FIRST_CERTAIN and REST_CERTAIN are the fields of cards that
# either side certainly gets; in doubt are HONOURS (bits of the four) and SMALL (a field),
# so many are SMALL_NUMBER.
FIRST_CERTAIN: Final = 0
HONOURS: Final = 1
SMALL: Final = 2
SMALL_NUMBER: Final = 3
ALL_CARDS: Final = 4  # how many cards both sides have
SHORTEST: Final = 5  # the shortest length of the first side
LONGEST: Final = 6  # the longest
REST_CERTAIN: Final = 7


class Side(NamedTuple):
    """One side of a split: what it must and may hold, and its tilt."""

    must: Ints  #: (4,) fields of 13 bits by suit.
    may: Ints
    low: Ints  #: (4,) shortest and longest length by suit.
    high: Ints
    bounds: Ints  #: (2,) fewest and most points.
    holding: Floats  #: (4, 14, 16) by suit, length and honours.
    points: Floats  #: (41,)


_SIDE_FIELDS: Final = np.dtype(
    (
        np.record,
        [
            ("must", np.int64, 4),
            ("may", np.int64, 4),
            ("low", np.int64, 4),
            ("high", np.int64, 4),
            ("bounds", np.int64, 2),
            ("holding", np.float64, (4, 14, 16)),
            ("points", np.float64, 41),
        ],
    )
)
"""The fields of :class:`Side`."""

WORK_FIELDS: Final = np.dtype(
    (
        np.record,
        [
            ("first", _SIDE_FIELDS),
            ("rest", _SIDE_FIELDS),
            # by suit, see the names of its columns
            ("suit", np.int64, (4, 8)),
            # weighted ways by suit, points and length of the first side
            ("ways", np.float64, (4, MOST_SUIT_POINTS + 1, 14)),
            # those of a suit that are not 0, their places and how many they are
            ("weights", np.float64, (4, SUIT_ENTRIES)),
            ("places", np.int64, (4, SUIT_ENTRIES)),
            ("number", np.int64, 4),
            # weighted ways by pair of suits, at the sum of the places of both suits
            ("pair_ways", np.float64, (2, (MOST_PAIR_POINTS + 2) * WIDTH)),
            # the tilt of both sides by the points of the first, 0 out of bounds
            ("tilt", np.float64, 2 * MOST_PAIR_POINTS + 1),
            # points in each pair
            ("most", np.int64, 2),
            # the sum of weights by the points of both pairs, and of the first pair
            ("joint", np.float64, (MOST_PAIR_POINTS + 1, MOST_PAIR_POINTS + 1)),
            ("by_first_pair", np.float64, MOST_PAIR_POINTS + 1),
        ],
    )
)
"""What is known of one set of cards while it is split; filled anew for each.

Points are those in doubt.

A place is 28 · points + length, in hearts and spades 28 · points + 13 − length: so what
completes 13 cards is read in the same direction in both pairs.
"""

type Work = Any
"""A record with :data:`WORK_FIELDS`.

Kernels that take it compile twice as fast, and run twice as fast, as with a tuple of
arrays.
"""


def new_work(first: Side, rest: Side) -> Work:
    """The record of two sides, with nothing filled yet."""
    work = np.zeros(1, WORK_FIELDS)[0]
    for name in Side._fields:
        work.first[name] = getattr(first, name)
        work.rest[name] = getattr(rest, name)
    return work


class Splits(NamedTuple):
    """(n,) hands of the first side, and the log sum of weights of each split."""

    hands: Hands
    log_sums: Floats


def split(first: Side, rest: Side, cards: Hands, state: State | None) -> Splits:
    """Split each of (n,) sets of cards between two sides.

    The hands are those of the first side, with what it must hold. Without a state of
    random bits no hand is drawn. Sets that cannot be split have the log sum -inf and an
    empty hand. Equal sets next to each other share their tables.
    """
    hands = np.zeros(len(cards), np.uint64)
    log_sums = np.empty(len(cards))
    bits = np.empty(0, np.uint64) if state is None else state
    fill_splits(new_work(first, rest), cards, bits, hands, log_sums)
    return Splits(hands, log_sums)


# Kernels. Letters: p, q are points of the first side in doubt, in one suit or pair and
# in the next.


@njit
def _count_cards(field: int | np.int64) -> int:
    """How many cards a field has."""
    cards = 0
    while field:
        field &= field - 1
        cards += 1
    return cards


@njit
def _divide_suit(work: Work, suit: int, cards: np.int64) -> bool:
    """Fill the row of a suit in ``work.suit``; whether every card has a place."""
    first_may = work.first.may[suit]
    rest_may = work.rest.may[suit]
    field = (cards >> (13 * suit)) & FIELD
    if field & ~first_may & ~rest_may:
        return False
    first_certain = work.first.must[suit] | (field & ~rest_may)
    rest_certain = work.rest.must[suit] | (field & ~first_may)
    doubt = field & first_may & rest_may
    fewest = _count_cards(first_certain)
    doubtful = _count_cards(doubt)
    all_cards = fewest + _count_cards(rest_certain) + doubtful
    missing_short = all_cards - work.rest.high[suit]
    missing_long = all_cards - work.rest.low[suit]
    row = work.suit[suit]
    row[FIRST_CERTAIN] = first_certain
    row[HONOURS] = doubt >> HONOUR_SHIFT
    row[SMALL] = doubt & SMALL_CARDS
    row[SMALL_NUMBER] = _count_cards(doubt & SMALL_CARDS)
    row[ALL_CARDS] = all_cards
    row[SHORTEST] = max(fewest, work.first.low[suit], missing_short)
    row[LONGEST] = min(fewest + doubtful, work.first.high[suit], missing_long)
    row[REST_CERTAIN] = rest_certain
    return True


@njit
def _honours_weight(
    work: Work, suit: int, length: int, added_honours: int, small: int
) -> float:
    """The weighted ways to give the first side ``length`` cards of a suit.

    ``added_honours``: those of the honours in doubt that it gets; ``small``: how many
    of the small cards in doubt.
    """
    row = work.suit[suit]
    first_honours = (row[FIRST_CERTAIN] >> HONOUR_SHIFT) | added_honours
    rest_honours = row[REST_CERTAIN] >> HONOUR_SHIFT
    rest_honours |= row[HONOURS] & ~added_honours
    return float(
        _WAYS[row[SMALL_NUMBER], small]
        * work.first.holding[suit, length, first_honours]
        * work.rest.holding[suit, row[ALL_CARDS] - length, rest_honours]
    )


@njit
def _fill_ways(work: Work, suit: int) -> None:
    """Fill the weighted ways of a suit, and the list of those that are not 0."""
    ways = work.ways[suit]
    row = work.suit[suit]
    honours = row[HONOURS]
    shortest = row[SHORTEST]
    longest = row[LONGEST]
    fewest = _count_cards(row[FIRST_CERTAIN])
    most_points = HONOUR_POINTS[honours]
    for points in range(most_points + 1):
        for length in range(14):
            ways[points, length] = 0.0
    added_honours = honours
    while True:  # every subset of the honours in doubt
        at_least = fewest + _count_cards(added_honours)
        points = HONOUR_POINTS[added_honours]
        end = min(longest, at_least + row[SMALL_NUMBER]) + 1
        for length in range(max(shortest, at_least), end):
            ways[points, length] += _honours_weight(
                work, suit, length, added_honours, length - at_least
            )
        if added_honours == 0:
            break
        added_honours = (added_honours - 1) & honours
    entries = 0
    for points in range(most_points + 1):
        for length in range(shortest, longest + 1):
            if ways[points, length] > 0.0:
                column = length if suit < 2 else 13 - length
                work.weights[suit, entries] = ways[points, length]
                work.places[suit, entries] = WIDTH * points + column
                entries += 1
    work.number[suit] = entries


@njit
def _combine_suits(work: Work, pair: int) -> None:
    """Fill the weighted ways of a pair of suits, by points and length together.

    A place holds both, ``WIDTH * points + length``: so the place of two suits is the
    sum of their places.
    """
    first = 2 * pair
    second = first + 1
    first_honours = work.suit[first, HONOURS]
    second_honours = work.suit[second, HONOURS]
    most_points = HONOUR_POINTS[first_honours] + HONOUR_POINTS[second_honours]
    work.most[pair] = most_points
    pair_ways = work.pair_ways[pair]
    second_weights = work.weights[second]
    second_places = work.places[second]
    second_number = work.number[second]
    for place in range(WIDTH * (most_points + 1)):
        pair_ways[place] = 0.0
    for i in range(work.number[first]):
        weight = work.weights[first, i]
        place = work.places[first, i]
        for j in range(second_number):
            pair_ways[place + second_places[j]] += weight * second_weights[j]


@njit
def add_up(work: Work, cards: np.int64) -> float:
    """Fill all tables for a set of cards; the sum of the weights of its splits."""
    certain = 0  # points that the first side certainly has
    doubtful = 0  # points in doubt
    everything = 0  # points of both sides
    for suit in range(4):
        if not _divide_suit(work, suit, cards):
            return 0.0
        row = work.suit[suit]
        first_certain = row[FIRST_CERTAIN] >> HONOUR_SHIFT
        rest_certain = row[REST_CERTAIN] >> HONOUR_SHIFT
        certain += HONOUR_POINTS[first_certain]
        doubtful += HONOUR_POINTS[row[HONOURS]]
        everything += HONOUR_POINTS[first_certain | rest_certain | row[HONOURS]]
        _fill_ways(work, suit)
    for pair in range(2):
        _combine_suits(work, pair)
    first_bounds = work.first.bounds
    rest_bounds = work.rest.bounds
    fewest = max(first_bounds[0], everything - rest_bounds[1], certain)
    most = min(first_bounds[1], everything - rest_bounds[0], certain + doubtful)
    tilt = work.tilt
    for points in range(len(tilt)):
        tilt[points] = 0.0
    first_points = work.first.points
    rest_points = work.rest.points
    for points in range(fewest, most + 1):
        tilt[points - certain] = first_points[points] * rest_points[everything - points]
    return _join_pairs(work)


@njit(fastmath=ANY_ORDER)
def _join_pairs(work: Work) -> float:
    """The weight of every pair of points, and of all."""
    pair_ways = work.pair_ways
    tilt = work.tilt
    most = work.most
    joint = work.joint
    by_first_pair = work.by_first_pair
    total_weight = 0.0
    for p in range(most[0] + 1):
        of_p = 0.0
        for q in range(most[1] + 1):
            weight = 0.0
            if tilt[p + q] > 0.0:
                for length in range(14):
                    weight += (
                        pair_ways[0, WIDTH * p + length]
                        * pair_ways[1, WIDTH * q + 13 + length]
                    )
                weight *= tilt[p + q]
            joint[p, q] = weight
            of_p += weight
        by_first_pair[p] = of_p
        total_weight += of_p
    return total_weight


@njit
def _uniform(state: State) -> float:
    """A uniform number from 0 up to 1."""
    return float(next64(state) >> np.uint64(11)) * 2.0**-53


@njit
def _points_at(limit: float, work: Work) -> tuple[int, int, int]:
    """Where the running sum of weights passes a limit; the last entry takes rounding.

    Returns the first pair's length, and both pairs' points.
    """
    pair_ways = work.pair_ways
    joint = work.joint
    by_first_pair = work.by_first_pair
    most = work.most
    p = -1
    before = 0.0
    for points in range(most[0] + 1):
        if by_first_pair[points] > 0.0 and before <= limit:
            p = points
            before += by_first_pair[points]
    limit -= before - by_first_pair[p]
    q = -1
    before = 0.0
    for points in range(most[1] + 1):
        if joint[p, points] > 0.0 and before <= limit:
            q = points
            before += joint[p, points]
    limit = (limit - (before - joint[p, q])) / work.tilt[p + q]
    length = -1
    before = 0.0
    for column in range(14):
        of_first = pair_ways[0, WIDTH * p + column]
        weight = of_first * pair_ways[1, WIDTH * q + 13 + column]
        if weight > 0.0 and before <= limit:
            length = column
            before += weight
    return length, p, q


@njit
def _draw_suit(work: Work, suit: int, length: int, points: int, state: State) -> int:
    """The first side's cards of one suit as 13 bits, of given length and points in doubt."""
    row = work.suit[suit]
    first_certain = row[FIRST_CERTAIN]
    honours = row[HONOURS]
    small = row[SMALL_NUMBER]
    limit = _uniform(state) * work.ways[suit, points, length]
    total = 0.0
    chosen = 0
    needed = 0
    added_honours = honours
    while True:  # every subset of the honours in doubt
        added_small = length - _count_cards(first_certain) - _count_cards(added_honours)
        fits = HONOUR_POINTS[added_honours] == points and 0 <= added_small <= small
        if fits and total <= limit:
            weight = _honours_weight(work, suit, length, added_honours, added_small)
            if weight > 0.0:
                chosen = added_honours
                needed = added_small
                total += weight
        if added_honours == 0:
            break
        added_honours = (added_honours - 1) & honours
    small_cards = _draw_small(row[SMALL], needed, state)
    return int(first_certain | (chosen << HONOUR_SHIFT) | small_cards)


@njit
def _draw_small(cards: int | np.int64, needed: int, state: State) -> int:
    """So many of the small cards of a field, each choice as likely."""
    field = 0
    open_places = _count_cards(cards)
    for rank in range(HONOUR_SHIFT):
        if (cards >> rank) & 1:
            if _uniform(state) * open_places < needed:
                field |= 1 << rank
                needed -= 1
            open_places -= 1
    return field


@njit
def _draw_pair(work: Work, pair: int, length: int, points: int, state: State) -> int:
    """The first side's cards of two suits, of given length and points in doubt."""
    suit = 2 * pair
    first = work.suit[suit]
    second = work.suit[suit + 1]
    first_ways = work.ways[suit]
    second_ways = work.ways[suit + 1]
    column = length if pair == 0 else 26 - length
    limit = _uniform(state) * work.pair_ways[pair, WIDTH * points + column]
    total = 0.0
    first_length = length
    first_points = points
    shortest = max(first[SHORTEST], length - second[LONGEST])
    longest = min(first[LONGEST], length)
    for p in range(min(points, HONOUR_POINTS[first[HONOURS]]) + 1):
        if points - p <= HONOUR_POINTS[second[HONOURS]]:
            for cards in range(shortest, longest + 1):
                weight = first_ways[p, cards] * second_ways[points - p, length - cards]
                if weight > 0.0 and total <= limit:
                    first_length = cards
                    first_points = p
                    total += weight
    low = _draw_suit(work, suit, first_length, first_points, state)
    high = _draw_suit(
        work, suit + 1, length - first_length, points - first_points, state
    )
    return low << (13 * suit) | high << (13 * suit + 13)


@njit
def fill_splits(
    work: Work, cards: Hands, state: State, hands: Hands, log_sums: Floats
) -> None:
    """See :func:`split`; no hand is drawn with an empty state."""
    total_weight = 0.0
    for i in range(len(cards)):
        if i == 0 or cards[i] != cards[i - 1]:
            total_weight = add_up(work, np.int64(cards[i]))
        log_sums[i] = np.log(total_weight) if total_weight > 0.0 else -np.inf
        if len(state) > 0 and total_weight > 0.0:
            minors_length, p, q = _points_at(_uniform(state) * total_weight, work)
            lengths = (minors_length, 13 - minors_length)
            points = (p, q)
            fields = 0
            for pair in range(2):
                fields |= _draw_pair(work, pair, lengths[pair], points[pair], state)
            hands[i] = np.uint64(fields)
