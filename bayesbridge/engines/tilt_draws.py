"""Kernels of weighted splits: draws by the sums of :mod:`~bayesbridge.engines.tilt_sums`, walked backwards."""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.tilt_sums import Floats, Hands, Ints, Side, Work, add_up, new_work, place
from bayesbridge.jit import njit
from bayesbridge.random64 import State, next64


@njit
def _find(limit: float, work: Work) -> tuple[int, int, int]:
    """(length, points, points) of the first pair's length and both pairs' points where the running sum passes a limit.

    The last place that has weight takes what rounding leaves over.
    """
    table, cell, row, most = work.table, work.cell, work.row, work.most
    p, q, length, before = -1, -1, -1, 0.0
    for here in range(most[0] + 1):
        if row[here] > 0.0 and before <= limit:
            p = here
            before += row[here]
    limit -= before - row[p]
    before = 0.0
    for here in range(most[1] + 1):
        if cell[p, here] > 0.0 and before <= limit:
            q = here
            before += cell[p, here]
    limit = (limit - (before - cell[p, q])) / work.tilt[p + q]
    s, before = work.which[p + q], 0.0
    for here in range(14):
        part = table[0, p, here, s] * table[1, q, 13 - here, s]
        if part > 0.0 and before <= limit:
            length = here
            before += part
    return length, p, q


@njit
def _uniform(state: State) -> float:
    return float(next64(state) >> np.uint64(11)) * 2.0**-53


@njit
def _lengths(one: Side, rest: Side, s: int, k: int, length: int, points: int, limit: float, work: Work) -> int:
    """The length of a pair's first suit, by a share of the pair's weight."""
    suits, both = work.suit, work.both
    one_pair, rest_pair = one.pair[work.stretch[s, 2]], rest.pair[work.stretch[s, 3]]
    limit *= work.table[k, points, length, s]
    total, found = 0.0, -1
    for mine in range(suits[2 * k, 5], suits[2 * k, 6] + 1):
        other = length - mine
        if suits[2 * k + 1, 5] <= other <= suits[2 * k + 1, 6] and total <= limit:
            tilt = one_pair[k, mine, other] * rest_pair[k, suits[2 * k, 4] - mine, suits[2 * k + 1, 4] - other]
            part = tilt * both[place(k, mine, points) + other]
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
    limit = _uniform(state) * work.ways[suit, points, length]
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
    limit = _uniform(state) * work.both[place(k, length, points) + other]
    total, found = 0.0, 0
    most, more = worth[work.suit[suit, 1]], worth[work.suit[suit + 1, 1]]
    for p in range(max(0, points - more), min(points, most) + 1):
        if total <= limit:
            part = ways[suit, p, length] * ways[suit + 1, points - p, other]
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
    which, whole = work.which, 0.0
    for i in range(len(cards)):
        if i == 0 or cards[i] != cards[i - 1]:
            whole = add_up(one, rest, np.int64(cards[i]), counts, worth, binomial, work)
        logs[i] = np.log(whole) if whole > 0.0 else -np.inf
        if drawn and whole > 0.0:
            length, p, q = _find(_uniform(state) * whole, work)
            s, hand = which[p + q], 0
            for k in range(2):
                cards_here, points_here = (length, p) if k == 0 else (13 - length, q)
                first = _lengths(one, rest, s, k, cards_here, points_here, _uniform(state), work)
                hand |= _pick_pair(
                    one, rest, k, first, cards_here - first, points_here, counts, worth, binomial, state, work
                )
            hands[i] = np.uint64(hand)
