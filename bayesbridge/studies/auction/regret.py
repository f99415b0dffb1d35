"""An equilibrium of the auction by external-sampling regret minimisation.

One round draws a batch of auctions. In each of them every seat in turn tries all its
calls, while each other seat makes one call drawn from its present strategy; what a call
would have earned above the strategy is added to the regret of that call (M. Lanctot,
K. Waugh, M. Zinkevich and M. Bowling, "Monte Carlo sampling for regret minimization in
extensive games", 2009). The next strategy makes each call in proportion to its regret,
where that is positive. Round t counts t times in the regrets and t² times in the mean
strategy, which is the answer (N. Brown and T. Sandholm, "Solving imperfect-information
games via discounted regret minimization", 2019).

In a game of three nothing promises that this comes to an equilibrium: what it came to
is measured by what a seat could still gain (``strategies.best_response``).
"""

from __future__ import annotations

from concurrent.futures import Executor
from itertools import product
from typing import NamedTuple, Self

import numpy as np

from bayesbridge.bidders.notrump_tree import OVER, NotrumpTree
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, next64
from bayesbridge.studies.auction.payoffs import DECLARER, DEFENDER
from bayesbridge.studies.auction.strategies import (
    BLOCKS,
    Auctions,
    Profile,
    Tricks,
    Types,
)

DROPPED_BITS = 11  # of 64 random bits; a float holds the other 53
FLOAT_UNIT = 2.0**-53  # turns 53 random bits into a number from 0 to 1


class Learning(NamedTuple):
    """Where regret minimisation stands."""

    rounds: int
    regrets: Floats  # (seats, types, slots)
    played: Floats  # (seats, types, slots) strategies of all rounds, weighed by t²

    @classmethod
    def start(cls, tree: NotrumpTree, types: int) -> Self:
        """Nothing learned yet, of so many types of hands."""
        shape = (tree.players, types, tree.slots)
        return cls(0, np.zeros(shape), np.zeros(shape))

    def mean_strategies(self, tree: NotrumpTree) -> Profile:
        """The mean strategy of each seat, all calls alike where it never came."""
        profile = []
        for played in self.played:
            strategy = np.zeros_like(played)
            _fill_strategy(tree, played, strategy)
            profile.append(strategy)
        return tuple(profile)


def learn(
    tree: NotrumpTree,
    auctions: Auctions,
    payoffs: Floats,
    learning: Learning,
    batch: int,
    seed: int,
    executor: Executor,
) -> Learning:
    """One more round of regret minimisation; the arrays of ``learning`` are changed.

    A round depends on the seed and on its number, so that a run that was interrupted
    goes on as if it had not been.

    Parameters
    ----------
    tree : NotrumpTree
        The auctions that are possible.
    auctions : Auctions
        Deals to learn from.
    payoffs : array, shape (levels, 14, 2)
        What contracts pay (``payoffs.payoffs``).
    learning : Learning
        What former rounds learned.
    batch : int
        How many auctions are drawn.
    seed : int
        Where random numbers start.
    executor : Executor
        Threads that share the work; they change no number.

    Returns
    -------
    Learning
    """
    deals, orders, seats = auctions.types.shape
    rng = np.random.default_rng([seed, learning.rounds])
    drawn = rng.integers(0, deals * orders, size=batch)
    states = rng.integers(0, 1 << 64, size=(seats, BLOCKS, 4), dtype=np.uint64)
    types = auctions.types.reshape(-1, seats)[drawn]
    tricks = auctions.tricks.reshape(-1, seats)[drawn]
    strategies = np.zeros_like(learning.regrets)

    def prepare(seat: int) -> None:
        """Set the strategy of a seat by its regrets, and add it to the mean."""
        _fill_strategy(tree, learning.regrets[seat], strategies[seat])
        weight = (learning.rounds + 1.0) ** 2
        _add_played(tree, seat, strategies[seat], weight, learning.played[seat])

    def try_calls(piece: tuple[int, int]) -> None:
        seat, block = piece
        # A block has its own types, so that no two blocks change the same regret.
        in_block = np.flatnonzero(types[:, seat] % BLOCKS == block)
        _try_calls(
            tree,
            strategies,
            types[in_block],
            tricks[in_block],
            payoffs,
            seat,
            states[seat, block],
            learning.regrets[seat],
        )

    list(executor.map(prepare, range(seats)))
    list(executor.map(try_calls, product(range(seats), range(BLOCKS))))
    rounds = learning.rounds + 1
    # Of the sums over rounds this makes sums in which round t counts t times.
    np.multiply(learning.regrets, rounds / (rounds + 1.0), out=learning.regrets)
    return learning._replace(rounds=rounds)


@njit
def _fill_strategy(tree: NotrumpTree, weights: Floats, strategy: Floats) -> None:
    """Fill ``strategy`` (types, slots) with calls in proportion to positive weights.

    ``weights`` (types, slots); where none is positive, all calls are alike.
    """
    for hand_type in range(len(weights)):
        for node in range(len(tree.player)):
            calls = tree.calls[node]
            first = tree.first_slot[node]
            total = 0.0
            for slot in range(first, first + calls):
                total += max(0.0, weights[hand_type, slot])
            for slot in range(first, first + calls):
                share = 1.0 / calls
                if total > 0.0:
                    share = max(0.0, weights[hand_type, slot]) / total
                strategy[hand_type, slot] = share


@njit
def _add_played(
    tree: NotrumpTree, seat: int, strategy: Floats, weight: float, played: Floats
) -> None:
    """Add a strategy (types, slots) of a seat to ``played`` (types, slots).

    Each node counts by the chance that the seat's own calls lead there, which is
    ``reach`` (N,), times ``weight``.
    """
    nodes = len(tree.player)
    reach = np.empty(nodes)
    for hand_type in range(len(strategy)):
        reach[0] = weight
        for node in range(nodes):
            player = tree.player[node]
            if player == OVER:
                continue
            child = tree.first_child[node]
            slot = tree.first_slot[node]
            for call in range(tree.calls[node]):
                reach_of_call = reach[node]
                if player == seat:
                    reach_of_call *= strategy[hand_type, slot + call]
                    played[hand_type, slot + call] += reach_of_call
                reach[child + call] = reach_of_call


@njit
def _uniform(state: State) -> float:
    """A random number from 0 to 1."""
    return float(next64(state) >> np.uint64(DROPPED_BITS)) * FLOAT_UNIT


@njit
def _try_calls(
    tree: NotrumpTree,
    strategies: Floats,
    types: Types,
    tricks: Tricks,
    payoffs: Floats,
    seat: int,
    state: State,
    regrets: Floats,
) -> None:
    """Add to ``regrets`` (types, slots) of a seat what its calls would have earned.

    Of n auctions ``types`` and ``tricks`` (n, seats); ``strategies`` (seats, types,
    slots) and ``payoffs`` (levels, 14, 2). ``visited``, ``drawn_child`` and ``value``
    (N,) are those of :func:`_visit_nodes` and :func:`_add_regrets`.
    """
    nodes = len(tree.player)
    visited = np.empty(nodes, dtype=np.int64)
    drawn_child = np.empty(nodes, dtype=np.int64)
    value = np.empty(nodes)
    for i in range(len(types)):
        number = _visit_nodes(
            tree, strategies, types[i], seat, state, visited, drawn_child
        )
        for place in range(number - 1, -1, -1):
            node = visited[place]
            player = tree.player[node]
            if player == OVER:
                value[node] = 0.0
                if tree.level[node] > 0:
                    declarer = tree.declarer[node]
                    taken = tricks[i, declarer]
                    role = DECLARER if seat == declarer else DEFENDER
                    value[node] = payoffs[tree.level[node] - 1, taken, role]
            elif player == seat:
                hand_type = types[i, seat]
                _add_regrets(
                    tree, node, strategies[seat, hand_type], value, regrets[hand_type]
                )
            else:
                value[node] = value[drawn_child[node]]


@njit
def _visit_nodes(
    tree: NotrumpTree,
    strategies: Floats,
    types: Types,
    seat: int,
    state: State,
    visited: Ints,
    drawn_child: Ints,
) -> int:
    """List the nodes that an auction comes to, and return how many there are.

    Every call of ``seat`` is tried, and one call of each other seat is drawn from its
    strategy. ``visited`` (N,) is filled with the nodes, each after the one that it
    comes from, and ``drawn_child`` (N,) with the nodes that drawn calls lead to.
    ``types`` (seats,) are those of the hands.
    """
    visited[0] = 0
    number = 1
    place = 0
    while place < number:
        node = visited[place]
        place += 1
        player = tree.player[node]
        if player == OVER:
            continue
        child = tree.first_child[node]
        if player == seat:
            for call in range(tree.calls[node]):
                visited[number] = child + call
                number += 1
        else:
            call = _draw_call(tree, node, strategies[player, types[player]], state)
            drawn_child[node] = child + call
            visited[number] = child + call
            number += 1
    return number


@njit
def _draw_call(tree: NotrumpTree, node: int, strategy: Floats, state: State) -> int:
    """A call at a node, drawn from a strategy (slots,) of one type of hand."""
    slot = tree.first_slot[node]
    last_call = tree.calls[node] - 1
    threshold = _uniform(state)
    for call in range(last_call):
        threshold -= strategy[slot + call]
        if threshold < 0.0:
            return call
    return int(last_call)


@njit
def _add_regrets(
    tree: NotrumpTree, node: int, strategy: Floats, value: Floats, regrets: Floats
) -> None:
    """Set the value of a node where the seat calls, and add the regrets of its calls.

    ``value`` (N,) is what nodes are worth to the seat; ``strategy`` and ``regrets``
    (slots,) are those of its type of hand.
    """
    child = tree.first_child[node]
    slot = tree.first_slot[node]
    mean = 0.0
    for call in range(tree.calls[node]):
        mean += strategy[slot + call] * value[child + call]
    value[node] = mean
    for call in range(tree.calls[node]):
        regrets[slot + call] += value[child + call] - mean
