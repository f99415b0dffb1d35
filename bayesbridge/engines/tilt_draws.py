"""Kernels of weighted splits: draws by the sums of :mod:`~bayesbridge.engines.tilt_sums`, walked backwards."""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.tilt_sums import (
    Floats,
    Hands,
    Ints,
    Side,
    Work,
    count_suits,
    fill,
    join,
    list_stretches,
    new_work,
)
from bayesbridge.jit import njit
from bayesbridge.random64 import State, next64


@njit
def _find(s: int, certain: int, limit: float, work: Work) -> tuple[int, int, int]:
    """(length, points, points) of the first pair's length and both pairs' points where the running sum passes a limit.

    The last place that has weight takes what rounding leaves over.
    """
    table, tilt, most = work.table, work.tilt, work.most
    low, high = work.stretch[s, 0] - certain, work.stretch[s, 1] - certain
    total = 0.0
    found = (-1, 0, 0)
    for length in range(14):
        for p in range(max(0, low - most[1]), min(most[0], high) + 1):
            share = table[0, length, p, s]
            if share > 0.0:
                for q in range(max(0, low - p), min(most[1], high - p) + 1):
                    part = share * (table[1, 13 - length, q, s] * tilt[certain + p + q])
                    if part > 0.0:
                        if total > limit:
                            return found
                        found = (length, p, q)
                        total += part
    return found


@njit
def _uniform(state: State) -> float:
    return float(next64(state) >> np.uint64(11)) * 2.0**-53


@njit
def _lengths(one: Side, rest: Side, s: int, k: int, length: int, points: int, limit: float, work: Work) -> int:
    """The length of a pair's first suit, by a share of the pair's weight."""
    suits, both = work.suit, work.both
    one_pair, rest_pair = one.pair[work.stretch[s, 2]], rest.pair[work.stretch[s, 3]]
    limit *= work.table[k, length, points, s]
    total, found = 0.0, -1
    for mine in range(suits[2 * k, 5], suits[2 * k, 6] + 1):
        other = length - mine
        if suits[2 * k + 1, 5] <= other <= suits[2 * k + 1, 6] and total <= limit:
            tilt = one_pair[k, mine, other] * rest_pair[k, suits[2 * k, 4] - mine, suits[2 * k + 1, 4] - other]
            part = tilt * both[k, mine, other, points]
            if part > 0.0:
                found = mine
                total += part
    return found


@njit
def _pick(
    one: Side, rest: Side, suit: int, length: int, points: int, counts: Ints, worth: Ints, binomial: Floats,
    state: State, work: Work,
) -> int:  # fmt: skip
    """The first side's cards of one suit, given their number and points in doubt; as 13 bits."""
    suits = work.suit
    mine, honours, doubt, small = suits[suit, 0], suits[suit, 1], suits[suit, 2], suits[suit, 3]
    all_cards, one_holding, rest_holding = suits[suit, 4], one.holding, rest.holding
    theirs = suits[suit, 7] >> 9
    limit = _uniform(state) * work.ways[suit, length, points]
    total, chosen, needed = 0.0, 0, 0
    given = honours
    while True:
        few = length - counts[mine] - counts[given]
        if worth[given] == points and 0 <= few <= small and total <= limit:
            part = (
                binomial[small, few]
                * one_holding[suit, length, (mine >> 9) | given]
                * rest_holding[suit, all_cards - length, theirs | (honours & ~given)]
            )
            if part > 0.0:
                chosen, needed = given, few
                total += part
        if given == 0:
            break
        given = (given - 1) & honours
    field = mine | (chosen << 9)
    left = small
    for rank in range(9):
        if (doubt >> rank) & 1:
            if _uniform(state) * left < needed:
                field |= 1 << rank
                needed -= 1
            left -= 1
    return int(field)


@njit
def _pick_pair(
    one: Side, rest: Side, k: int, length: int, other: int, points: int, counts: Ints, worth: Ints,
    binomial: Floats, state: State, work: Work,
) -> int:  # fmt: skip
    """The first side's cards of two suits, given both lengths and their points in doubt."""
    ways, suit = work.ways, 2 * k
    limit = _uniform(state) * work.both[k, length, other, points]
    total, found = 0.0, 0
    for p in range(min(points, 10) + 1):
        if points - p <= 10 and total <= limit:
            part = ways[suit, length, p] * ways[suit + 1, other, points - p]
            if part > 0.0:
                found = p
                total += part
    hand = _pick(one, rest, suit, length, found, counts, worth, binomial, state, work) << (13 * suit)
    hand |= _pick(one, rest, suit + 1, other, points - found, counts, worth, binomial, state, work) << (13 * suit + 13)
    return hand


@njit
def fill_splits(
    one: Side,
    rest: Side,
    cards: Hands,
    counts: Ints,
    worth: Ints,
    binomial: Floats,
    state: State,
    drawn: bool,
    hands: Hands,
    logs: Floats,
) -> None:
    """Hands of the first side, if they are to be drawn, and log sums of weights; see ``split``."""
    work = new_work()
    totals, one_pair, rest_pair = work.total, one.pair, rest.pair
    certain, stretches, whole = 0, 0, 0.0
    for i in range(len(cards)):
        if i == 0 or cards[i] != cards[i - 1]:
            whole = 0.0
            certain, doubt, everything = count_suits(one, rest, np.int64(cards[i]), counts, worth, binomial, work)
            if certain >= 0:
                stretches = list_stretches(one, rest, certain, doubt, everything, work)
                fill(one_pair, rest_pair, stretches, work)
                whole = join(stretches, certain, work)
        logs[i] = np.log(whole) if whole > 0.0 else -np.inf
        if drawn and whole > 0.0:
            limit = _uniform(state) * whole
            s, before = -1, 0.0
            for other in range(stretches):
                if totals[other] > 0.0 and before <= limit:
                    s = other
                    before += totals[other]
            limit -= before - totals[s]
            length, p, q = _find(s, certain, limit, work)
            hand = 0
            for k in range(2):
                cards_here, points_here = (length, p) if k == 0 else (13 - length, q)
                first = _lengths(one, rest, s, k, cards_here, points_here, _uniform(state), work)
                hand |= _pick_pair(
                    one, rest, k, first, cards_here - first, points_here, counts, worth, binomial, state, work
                )
            hands[i] = np.uint64(hand)
