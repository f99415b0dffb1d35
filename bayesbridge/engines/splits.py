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

# Pairs of suits. Of NumPy's type, since kernels are compiled anew for each plain number.
MINORS: Final[Any] = np.int64(0)  # clubs and diamonds
MAJORS: Final[Any] = np.int64(1)  # hearts and spades


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

# Columns of ``work.suit``, which says how one suit is to be split. A *field* is a set of
# its cards in 13 bits. Cards in doubt are those that either side may get.
FIRST_CERTAIN: Final = 0  # the field of cards that the first side certainly gets
DOUBTFUL_HONOURS: Final = 1  # the honours in doubt, four bits
DOUBTFUL_SMALL: Final = 2  # the other cards in doubt, a field
DOUBTFUL_SMALL_NUMBER: Final = 3  # how many these are
ALL_CARDS: Final = 4  # how many cards both sides have
SHORTEST: Final = 5  # the shortest length of the first side
LONGEST: Final = 6  # the longest
REST_CERTAIN: Final = 7  # the field of cards that the rest certainly gets


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
            # by suit and by its columns, FIRST_CERTAIN and so on
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
            # the most points in each pair
            ("most", np.int64, 2),
            # the sum of weights by the points of both pairs, and of the first pair
            ("joint", np.float64, (MOST_PAIR_POINTS + 1, MOST_PAIR_POINTS + 1)),
            ("by_first_pair", np.float64, MOST_PAIR_POINTS + 1),
            # while a split is drawn, the weights by the length of the first pair
            ("by_length", np.float64, 14),
        ],
    )
)
"""What is known of one set of cards while it is split; filled anew for each.

Points are those in doubt, of honours that either side may get. A place is 28 · points +
length, in hearts and spades 28 · points + 13 − length: so what completes 13 cards is
read in the same direction in both pairs.
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
    """(n,) hands of the first side, and the log of the sum of all splits' weights."""

    hands: Hands
    log_sums: Floats


def split(first: Side, rest: Side, cards: Hands, state: State | None) -> Splits:
    """Split each of (n,) sets of cards between two sides, by weight.

    The weight of a split is the product of both sides' tilts, which favour hands by the
    lengths, honours and points that evidence speaks for. The hands drawn are those of
    the first side, with what it must hold; the log sums are of the weights of all ways
    to split a set. Without a state of random bits no hand is drawn. Sets that cannot be
    split have the log sum -inf and an empty hand. Equal sets next to each other share
    their tables.
    """
    hands = np.zeros(len(cards), np.uint64)
    log_sums = np.empty(len(cards))
    bits = np.empty(0, np.uint64) if state is None else state
    fill_splits(new_work(first, rest), cards, bits, hands, log_sums)
    return Splits(hands, log_sums)


# Kernels. ``work`` is what is known of one set of cards, see WORK_FIELDS: in it
# ``first`` and ``rest`` are the two sides. Points and lengths are the first side's.


@njit
def _count_cards(field: int | np.int64) -> int:
    """How many cards a field has."""
    cards = 0
    while field:
        field &= field - 1
        cards += 1
    return cards


@njit
def _suit_place(suit: int, points: int, length: int) -> int:
    """Where the first side's points and length in a suit stand in a table of a pair.

    In hearts and spades places fall with the length: so the lengths of both pairs,
    which make 13, are read in the same direction.
    """
    column = length if suit < 2 else 13 - length
    return WIDTH * points + column


@njit
def _pair_place(pair: int, points: int, length: int) -> int:
    """The same for points and length in both suits, the sum of their places."""
    column = length if pair == 0 else 26 - length
    return WIDTH * points + column


@njit
def _divide_suit(work: Work, suit: int, cards: np.int64) -> bool:
    """Find out which cards of a suit are certain and how long it may be.

    ``cards`` are those of all suits that two sides split, the first and the rest; each
    has fields of cards that it must and may hold, and bounds of its length. Fills a row
    of ``work.suit``, whose columns have names. False where some card has no place.
    """
    first_may = work.first.may[suit]
    rest_may = work.rest.may[suit]
    field = (cards >> (13 * suit)) & FIELD
    if field & ~first_may & ~rest_may:
        return False
    first_certain = work.first.must[suit] | (field & ~rest_may)
    rest_certain = work.rest.must[suit] | (field & ~first_may)
    doubtful = field & first_may & rest_may
    fewest = _count_cards(first_certain)
    most = fewest + _count_cards(doubtful)
    all_cards = most + _count_cards(rest_certain)
    shortest_for_rest = all_cards - work.rest.high[suit]
    longest_for_rest = all_cards - work.rest.low[suit]
    row = work.suit[suit]
    row[FIRST_CERTAIN] = first_certain
    row[REST_CERTAIN] = rest_certain
    row[DOUBTFUL_HONOURS] = doubtful >> HONOUR_SHIFT
    row[DOUBTFUL_SMALL] = doubtful & SMALL_CARDS
    row[DOUBTFUL_SMALL_NUMBER] = _count_cards(doubtful & SMALL_CARDS)
    row[ALL_CARDS] = all_cards
    row[SHORTEST] = max(fewest, work.first.low[suit], shortest_for_rest)
    row[LONGEST] = min(most, work.first.high[suit], longest_for_rest)
    return True


@njit
def _honours_weight(
    work: Work, suit: int, length: int, added_honours: int, added_small: int
) -> float:
    """The weighted ways to give the first side ``length`` cards of a suit.

    Beside the cards that it certainly gets these are ``added_honours``, four bits, and
    ``added_small`` of the small cards in doubt, in any way. The weight is the product
    of what both sides' tilts give for their length and honours.
    """
    row = work.suit[suit]  # how the suit is split: its columns have names
    first_honours = (row[FIRST_CERTAIN] >> HONOUR_SHIFT) | added_honours
    left_honours = row[DOUBTFUL_HONOURS] & ~added_honours
    rest_honours = (row[REST_CERTAIN] >> HONOUR_SHIFT) | left_honours
    rest_length = row[ALL_CARDS] - length
    ways = _WAYS[row[DOUBTFUL_SMALL_NUMBER], added_small]
    first_tilt = work.first.holding[suit, length, first_honours]
    rest_tilt = work.rest.holding[suit, rest_length, rest_honours]
    return float(ways * first_tilt * rest_tilt)


@njit
def _fill_ways(work: Work, suit: int) -> None:
    """Add up the weighted ways to split a suit, by points and length of the first side.

    Points are those of the honours in doubt that it gets. Fills ``work.ways[suit]``.
    """
    ways = work.ways[suit]
    row = work.suit[suit]
    honours = row[DOUBTFUL_HONOURS]
    certain_length = _count_cards(row[FIRST_CERTAIN])
    for points in range(HONOUR_POINTS[honours] + 1):
        for length in range(14):
            ways[points, length] = 0.0
    added_honours = honours
    while True:  # every subset of the honours in doubt
        points = HONOUR_POINTS[added_honours]
        without_small = certain_length + _count_cards(added_honours)
        with_small = without_small + row[DOUBTFUL_SMALL_NUMBER]
        begin = max(row[SHORTEST], without_small)
        end = min(row[LONGEST], with_small) + 1
        for length in range(begin, end):
            ways[points, length] += _honours_weight(
                work, suit, length, added_honours, length - without_small
            )
        if added_honours == 0:
            break
        added_honours = (added_honours - 1) & honours


@njit
def _list_ways(work: Work, suit: int) -> None:
    """List the weighted ways of a suit that are not 0, and their places in a pair."""
    ways = work.ways[suit]
    row = work.suit[suit]
    entries = 0
    for points in range(HONOUR_POINTS[row[DOUBTFUL_HONOURS]] + 1):
        for length in range(row[SHORTEST], row[LONGEST] + 1):
            if ways[points, length] > 0.0:
                work.weights[suit, entries] = ways[points, length]
                work.places[suit, entries] = _suit_place(suit, points, length)
                entries += 1
    work.number[suit] = entries


@njit
def _combine_suits(work: Work, pair: int) -> None:
    """Multiply the weighted ways of two suits, by points and length of both together.

    A place holds points and length, so the place of two suits is the sum of theirs.
    Read are the lists of each suit's ways that are not 0; ``work.pair_ways`` is filled.
    Pair 0 is clubs and diamonds, 1 hearts and spades.
    """
    first_suit = 2 * pair
    second_suit = first_suit + 1
    first_honours = work.suit[first_suit, DOUBTFUL_HONOURS]
    second_honours = work.suit[second_suit, DOUBTFUL_HONOURS]
    most_points = HONOUR_POINTS[first_honours] + HONOUR_POINTS[second_honours]
    work.most[pair] = most_points
    pair_ways = work.pair_ways[pair]
    second_weights = work.weights[second_suit]
    second_places = work.places[second_suit]
    second_number = work.number[second_suit]
    for place in range(WIDTH * (most_points + 1)):
        pair_ways[place] = 0.0
    for i in range(work.number[first_suit]):
        weight = work.weights[first_suit, i]
        place = work.places[first_suit, i]
        for j in range(second_number):
            pair_ways[place + second_places[j]] += weight * second_weights[j]


@njit
def add_up(work: Work, cards: np.int64) -> float:
    """The sum of the weights of all ways to split a set of cards between two sides.

    Suits are divided one by one, combined in pairs, and the pairs joined where the
    first side gets 13 cards. Fills all tables of ``work``, from which a split can be
    drawn. The sum is 0 where no split is possible.
    """
    certain_points = np.int64(0)  # of honours that the first side certainly gets
    doubtful_points = np.int64(0)  # of honours that either side may get
    all_points = np.int64(0)
    for suit in range(4):
        if not _divide_suit(work, suit, cards):
            return 0.0
        row = work.suit[suit]
        first_honours = row[FIRST_CERTAIN] >> HONOUR_SHIFT
        rest_honours = row[REST_CERTAIN] >> HONOUR_SHIFT
        doubtful_honours = row[DOUBTFUL_HONOURS]
        certain_points += HONOUR_POINTS[first_honours]
        doubtful_points += HONOUR_POINTS[doubtful_honours]
        all_points += HONOUR_POINTS[first_honours | rest_honours | doubtful_honours]
        _fill_ways(work, suit)
        _list_ways(work, suit)
    for pair in range(2):
        _combine_suits(work, pair)
    _fill_points_tilt(work, certain_points, doubtful_points, all_points)
    return _join_pairs(work)


@njit
def _fill_points_tilt(
    work: Work,
    certain_points: np.int64,
    doubtful_points: np.int64,
    all_points: np.int64,
) -> None:
    """Fill ``work.tilt``: the tilt of both sides by their points.

    Its index is the points in doubt that the first side gets, those above
    ``certain_points``; the rest has all other points. It is 0 where a side would be out
    of its bounds.
    """
    first = work.first
    rest = work.rest
    fewest = max(first.bounds[0], all_points - rest.bounds[1], certain_points)
    most = min(
        first.bounds[1], all_points - rest.bounds[0], certain_points + doubtful_points
    )
    tilt = work.tilt
    for index in range(len(tilt)):
        tilt[index] = 0.0
    first_tilt = first.points
    rest_tilt = rest.points
    for points in range(fewest, most + 1):
        both_tilts = first_tilt[points] * rest_tilt[all_points - points]
        tilt[points - certain_points] = both_tilts


@njit(fastmath=ANY_ORDER)
def _join_pairs(work: Work) -> float:
    """The sum of the weights of all splits, and by the points of both pairs of suits.

    A split is the first side's cards in clubs and diamonds and those in hearts and
    spades, 13 together; ``pair_ways`` has the weighted ways of each by points and
    length, ``tilt`` the weight of their points together. Fills ``work.joint`` by both
    points, and ``work.by_first_pair``.
    """
    pair_ways = work.pair_ways
    tilt = work.tilt
    most = work.most
    joint = work.joint
    by_first_pair = work.by_first_pair
    total_weight = 0.0
    for minors_points in range(most[0] + 1):
        minors_begin = WIDTH * minors_points  # the place of no cards
        minors_weight = 0.0
        for majors_points in range(most[1] + 1):
            majors_begin = WIDTH * majors_points + 13  # the place of 13 cards
            points = minors_points + majors_points
            weight = 0.0
            if tilt[points] > 0.0:
                # A card more in the minors is one less in the majors: both places rise.
                for length in range(14):
                    minors_ways = pair_ways[0, minors_begin + length]
                    majors_ways = pair_ways[1, majors_begin + length]
                    weight += minors_ways * majors_ways
                weight *= tilt[points]
            joint[minors_points, majors_points] = weight
            minors_weight += weight
        by_first_pair[minors_points] = minors_weight
        total_weight += minors_weight
    return total_weight


@njit
def _uniform(state: State) -> float:
    """A uniform number from 0 up to 1."""
    return float(next64(state) >> np.uint64(11)) * 2.0**-53


@njit
def _entry_at(limit: float, weights: Floats, entries: int) -> tuple[int, float]:
    """The entry in which the running sum of weights passes a limit.

    With a uniform limit below the sum this draws an entry by weight. Rounding may leave
    the limit above all sums: the last entry that has weight takes it. Also returns how
    far into the entry the limit lies. ``weights``: (at least ``entries``,).
    """
    drawn = -1
    running = 0.0
    for entry in range(entries):
        if weights[entry] > 0.0 and running <= limit:
            drawn = entry
            running += weights[entry]
    return drawn, limit - (running - weights[drawn])


@njit
def _draw_points(limit: float, work: Work) -> tuple[int, int, int]:
    """The split in which the running sum of all weights passes a limit.

    Returns the first side's length in clubs and diamonds, its points in doubt there,
    and those in hearts and spades. The points of either pair are found first, then the
    length among the splits with these points.
    """
    minors_points, limit = _entry_at(limit, work.by_first_pair, work.most[0] + 1)
    by_majors = work.joint[minors_points]
    majors_points, limit = _entry_at(limit, by_majors, work.most[1] + 1)
    limit /= work.tilt[minors_points + majors_points]  # lengths have weights without it
    minors_place = _pair_place(MINORS, minors_points, 0)
    majors_place = _pair_place(MAJORS, majors_points, 13)
    for length in range(14):
        minors_ways = work.pair_ways[0, minors_place + length]
        majors_ways = work.pair_ways[1, majors_place + length]
        work.by_length[length] = minors_ways * majors_ways
    minors_length, _ = _entry_at(limit, work.by_length, 14)
    return minors_length, minors_points, majors_points


@njit
def _draw_suit(work: Work, suit: int, length: int, points: int, state: State) -> int:
    """The first side's cards of one suit as 13 bits, drawn by weight.

    They have this length, and ``points`` among the honours that either side may get.
    First the honours (A K Q J) are drawn, then small cards fill the length, each choice
    as likely. ``work`` tells how the two sides split the suit; ``state``: of the random
    generator.
    """
    suit_split = work.suit[suit]
    certain = suit_split[FIRST_CERTAIN]
    drawn_honours = _draw_honours(work, suit, length, points, state)
    honours_field = drawn_honours << HONOUR_SHIFT
    small_needed = length - _count_cards(certain) - _count_cards(drawn_honours)
    small_field = _draw_small(suit_split[DOUBTFUL_SMALL], small_needed, state)
    return int(certain | honours_field | small_field)


@njit
def _draw_honours(
    work: Work, suit: int, length: int, points: int, state: State
) -> np.int64:
    """Which honours in doubt (A K Q J, four bits) the first side gets, drawn by weight.

    Only subsets with these ``points`` count, and such that certain and small cards can
    fill the ``length``. Their weights add up to ``work.ways[suit, points, length]``. A
    uniform limit below that sum is drawn, and the subset taken in which the running
    sum of weights passes it: so each is drawn in proportion to its weight. Rounding may
    leave the limit above all sums: the last subset takes it.
    """
    suit_split = work.suit[suit]
    certain_length = _count_cards(suit_split[FIRST_CERTAIN])
    doubtful_honours = suit_split[DOUBTFUL_HONOURS]
    limit = _uniform(state) * work.ways[suit, points, length]
    running_sum = 0.0
    drawn = np.int64(0)
    honours = doubtful_honours
    while running_sum <= limit:
        small_needed = length - certain_length - _count_cards(honours)
        has_points = HONOUR_POINTS[honours] == points
        has_length = 0 <= small_needed <= suit_split[DOUBTFUL_SMALL_NUMBER]
        if has_points and has_length:
            weight = _honours_weight(work, suit, length, honours, small_needed)
            if weight > 0.0:
                drawn = honours
                running_sum += weight
        if honours == 0:
            break
        honours = (honours - 1) & doubtful_honours  # the next smaller subset
    return drawn


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
def _draw_first_suit(
    work: Work, pair: int, length: int, points: int, state: State
) -> tuple[int, int]:
    """The length and points of the first suit of a pair, drawn by weight.

    Both suits together have ``length`` cards of the first side, and ``points`` in
    doubt; the second suit has the others. ``work.ways`` are the weighted ways of each
    suit by points and length. The draw is the last choice whose weights before it add
    up to no more than a uniform limit.
    """
    first_ways = work.ways[2 * pair]
    second_ways = work.ways[2 * pair + 1]
    first_row = work.suit[2 * pair]
    second_row = work.suit[2 * pair + 1]
    first_most_points = HONOUR_POINTS[first_row[DOUBTFUL_HONOURS]]
    second_most_points = HONOUR_POINTS[second_row[DOUBTFUL_HONOURS]]
    shortest = max(first_row[SHORTEST], length - second_row[LONGEST])
    longest = min(first_row[LONGEST], length)
    pair_weight = work.pair_ways[pair, _pair_place(pair, points, length)]
    limit = _uniform(state) * pair_weight
    running = 0.0
    drawn_length = length
    drawn_points = points
    for first_points in range(min(points, first_most_points) + 1):
        second_points = points - first_points
        if second_points > second_most_points:
            continue
        for first_length in range(shortest, longest + 1):
            first_weight = first_ways[first_points, first_length]
            second_weight = second_ways[second_points, length - first_length]
            weight = first_weight * second_weight
            if weight > 0.0 and running <= limit:
                drawn_length = first_length
                drawn_points = first_points
                running += weight
    return drawn_length, drawn_points


@njit
def _draw_pair(work: Work, pair: int, length: int, points: int, state: State) -> int:
    """The first side's cards of two suits, C D or H S, as a mask, drawn by weight.

    They have this length together, and ``points`` of honours that either side may get.
    """
    first_suit = 2 * pair
    second_suit = first_suit + 1
    first_length, first_points = _draw_first_suit(work, pair, length, points, state)
    second_length = length - first_length
    second_points = points - first_points
    first_field = _draw_suit(work, first_suit, first_length, first_points, state)
    second_field = _draw_suit(work, second_suit, second_length, second_points, state)
    return first_field << (13 * first_suit) | second_field << (13 * second_suit)


@njit
def _draw_hand(work: Work, total_weight: float, state: State) -> int:
    """The first side's 13 cards as a mask, drawn by weight from filled tables."""
    limit = _uniform(state) * total_weight
    minors_length, minors_points, majors_points = _draw_points(limit, work)
    majors_length = 13 - minors_length
    minors = _draw_pair(work, MINORS, minors_length, minors_points, state)
    majors = _draw_pair(work, MAJORS, majors_length, majors_points, state)
    return minors | majors


@njit
def fill_splits(
    work: Work, cards: Hands, state: State, hands: Hands, log_sums: Floats
) -> None:
    """Split each of (n,) sets of cards between the two sides of ``work``.

    Fills (n,) ``log_sums``, the logs of the sums of all splits' weights, -inf where no
    split is possible; and (n,) ``hands`` of the first side, drawn by weight, where
    there is a split. Without random bits, an empty ``state``, no hand is drawn. Equal
    sets next to each other share their tables.
    """
    total_weight = 0.0
    for i in range(len(cards)):
        if i == 0 or cards[i] != cards[i - 1]:
            total_weight = add_up(work, np.int64(cards[i]))
        if total_weight == 0.0:
            log_sums[i] = -np.inf
            continue
        log_sums[i] = np.log(total_weight)
        if len(state) > 0:
            hands[i] = np.uint64(_draw_hand(work, total_weight, state))
