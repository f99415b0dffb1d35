"""A small auction game, and plain ways to its answers: no kernel, no tree of arrays."""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from bayesbridge.studies.auction.strategies import Auctions

TYPES = 3
LEVELS = 2
ORDERS = 6


def toy_auctions(players, deals=60, seed=1):
    """Random hands of three types; stronger ones take more tricks."""
    rng = np.random.default_rng(seed)
    types = rng.integers(0, TYPES, size=(deals, ORDERS, players)).astype(np.int16)
    tricks = rng.normal(5.2 + 1.5 * types, 1.5).round().clip(0, 13)
    return Auctions(types, tricks.astype(np.int8))


def random_profile(tree, players, seed):
    """A strategy for each seat, every call possible."""
    rng = np.random.default_rng(seed)
    profile = []
    for _ in range(players):
        strategy = rng.random((TYPES, tree.slots)) + 0.05
        for start, calls in zip(tree.first_slot, tree.calls, strict=True):
            total = strategy[:, start : start + calls].sum(axis=1, keepdims=True)
            strategy[:, start : start + calls] /= total
        profile.append(strategy)
    return tuple(profile)


def plain_value(tree, profile, types, tricks, payoffs, seat, node=0):
    """What one auction is worth to a seat, by recursion."""
    player = tree.player[node]
    if player < 0:
        level = tree.level[node]
        declarer = tree.declarer[node]
        if level == 0:
            return 0.0
        role = 0 if seat == declarer else 1
        return payoffs[level - 1, tricks[declarer], role]
    chances = profile[player][types[player]]
    start = tree.first_slot[node]
    return sum(
        chances[start + call]
        * plain_value(
            tree, profile, types, tricks, payoffs, seat, tree.first_child[node] + call
        )
        for call in range(tree.calls[node])
    )


def plain_worth(tree, profile, auctions, payoffs, seat):
    """The mean over all auctions."""
    rows = zip(
        auctions.types.reshape(-1, tree.players),
        auctions.tricks.reshape(-1, tree.players),
        strict=True,
    )
    values = [
        plain_value(tree, profile, types, tricks, payoffs, seat)
        for types, tricks in rows
    ]
    return float(np.mean(values))


def pure_strategies(tree, seat):
    """Every pure strategy of one type of a seat, as (slots,) arrays."""
    own = np.flatnonzero(tree.player == seat)
    for choices in product(*(range(tree.calls[node]) for node in own)):
        strategy = np.zeros(tree.slots)
        strategy[tree.first_slot[own] + np.array(choices)] = 1.0
        yield strategy


def brute_force_response(tree, profile, auctions, payoffs, seat):
    """The most that a seat can earn: for each type every pure strategy is tried."""
    types = auctions.types.reshape(-1, tree.players)
    tricks = auctions.tricks.reshape(-1, tree.players)
    total = 0.0
    for hand_type in range(TYPES):
        held = types[:, seat] == hand_type
        own_auctions = Auctions(types[held][:, None], tricks[held][:, None])
        best = -np.inf
        for strategy in pure_strategies(tree, seat):
            changed = list(profile)
            changed[seat] = np.tile(strategy, (TYPES, 1))
            best = max(best, plain_worth(tree, changed, own_auctions, payoffs, seat))
        total += best * held.mean()
    return total


def sequence(tree, seat, node):
    """The slot of the last call of a seat before a node, −1 where it has made none."""
    parents = parent_slots(tree)
    while node:
        parent, slot = parents[node]
        if tree.player[parent] == seat:
            return slot
        node = parent
    return -1


def parent_slots(tree):
    """Of each node but the first, the node before it and the slot of the call."""
    parents = {}
    for node in range(len(tree.player)):
        for call in range(tree.calls[node]):
            child = tree.first_child[node] + call
            parents[child] = (node, tree.first_slot[node] + call)
    return parents


def gain_matrix(tree, auctions, payoffs):
    """A of xᵀ A y: the first player's mean gain for each pair of sequences.

    A sequence of one type is none, or the slot of the last call.
    """
    width = 1 + tree.slots
    gains = np.zeros((TYPES * width, TYPES * width))
    types = auctions.types.reshape(-1, 2).astype(int)
    tricks = auctions.tricks.reshape(-1, 2)
    for end in np.flatnonzero((tree.player < 0) & (tree.level > 0)):
        declarer = tree.declarer[end]
        role = 0 if declarer == 0 else 1
        first_sequence = 1 + sequence(tree, 0, end)
        second_sequence = 1 + sequence(tree, 1, end)
        for (first_type, second_type), captures in zip(types, tricks, strict=True):
            row = first_type * width + first_sequence
            column = second_type * width + second_sequence
            gains[row, column] += payoffs[tree.level[end] - 1, captures[declarer], role]
    return gains / len(types)


def linear_program_value(tree, auctions, payoffs):
    """The value of the game of two to the first player.

    By the sequence form (D. Koller, N. Megiddo and B. von Stengel, 1994) and scipy.
    """
    width = 1 + tree.slots
    size = TYPES * width
    gains = gain_matrix(tree, auctions, payoffs)
    # E x = e, F y = f: a sequence is as likely as the calls that go on from it.
    E, e = realisation_plans(tree, 0, width)
    F, f = realisation_plans(tree, 1, width)
    # max over x of min over y of xᵀ A y, by duality: max fᵀ q, Fᵀ q ≤ Aᵀ x, E x = e.
    cost = np.concatenate([np.zeros(size), -f])
    solution = linprog(
        cost,
        A_ub=np.hstack([-gains.T, F.T]),
        b_ub=np.zeros(size),
        A_eq=np.hstack([E, np.zeros((len(E), len(f)))]),
        b_eq=e,
        bounds=[(0, None)] * size + [(None, None)] * len(f),
    )
    assert solution.success
    return -solution.fun


def realisation_plans(tree, seat, width):
    """The equations of a seat's plans: matrix and right-hand side."""
    rows = []
    right = []
    for hand_type in range(TYPES):
        start = hand_type * width
        row = np.zeros(TYPES * width)
        row[start] = 1.0
        rows.append(row)
        right.append(1.0)
        for node in np.flatnonzero(tree.player == seat):
            row = np.zeros(TYPES * width)
            row[start + 1 + sequence(tree, seat, node)] = -1.0
            begin = start + 1 + tree.first_slot[node]
            row[begin : begin + tree.calls[node]] = 1.0
            rows.append(row)
            right.append(0.0)
        used = {1 + slot for slot in own_slots(tree, seat)} | {0}
        for place in set(range(width)) - used:
            row = np.zeros(TYPES * width)
            row[start + place] = 1.0
            rows.append(row)
            right.append(0.0)
    return np.array(rows), np.array(right)


def own_slots(tree, seat):
    slots = []
    for node in np.flatnonzero(tree.player == seat):
        start = tree.first_slot[node]
        slots += range(start, start + tree.calls[node])
    return slots
