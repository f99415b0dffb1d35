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
from numpy.typing import NDArray

from bayesbridge.bidders.notrump_tree import OVER, NotrumpTree
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, next64
from bayesbridge.studies.auction.strategies import (
    BLOCKS,
    Auctions,
    Profile,
    Tricks,
    Types,
    pay_off,
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
    rng = np.random.default_rng([seed, learning.rounds])
    batch_of_auctions = _Batch.draw(tree, auctions, payoffs, learning, batch, rng)
    seats = range(tree.players)
    list(executor.map(batch_of_auctions.prepare, seats))
    seats_and_blocks = product(seats, range(BLOCKS))
    list(executor.map(batch_of_auctions.try_calls, seats_and_blocks))
    rounds = learning.rounds + 1
    # Of the sums over rounds this makes sums in which round t counts t times.
    np.multiply(learning.regrets, rounds / (rounds + 1.0), out=learning.regrets)
    return learning._replace(rounds=rounds)


class _Batch(NamedTuple):
    """The auctions drawn for one round, and the strategies that meet in them.

    The steps of the round change the arrays of ``learning``.
    """

    tree: NotrumpTree
    payoffs: Floats  # (levels, 14, 2)
    learning: Learning
    types: Types  # (auctions, seats) of the hands
    tricks: Tricks  # (auctions, seats) that each would take as declarer
    strategies: Floats  # (seats, types, slots) the present ones, once prepared
    random_states: NDArray[np.uint64]  # (seats, BLOCKS, 4)

    @classmethod
    def draw(
        cls,
        tree: NotrumpTree,
        auctions: Auctions,
        payoffs: Floats,
        learning: Learning,
        size: int,
        rng: np.random.Generator,
    ) -> Self:
        """So many auctions, drawn from all auctions of all deals."""
        deals, auctions_of_a_deal, seats = auctions.types.shape
        drawn = rng.integers(0, deals * auctions_of_a_deal, size=size)
        states = rng.integers(0, 1 << 64, size=(seats, BLOCKS, 4), dtype=np.uint64)
        return cls(
            tree=tree,
            payoffs=payoffs,
            learning=learning,
            types=auctions.types.reshape(-1, seats)[drawn],
            tricks=auctions.tricks.reshape(-1, seats)[drawn],
            strategies=np.zeros_like(learning.regrets),
            random_states=states,
        )

    def prepare(self, seat: int) -> None:
        """Set the strategy of a seat by its regrets, and add it to the mean strategy."""
        strategy = self.strategies[seat]
        _fill_strategy(self.tree, self.learning.regrets[seat], strategy)
        weight = (self.learning.rounds + 1.0) ** 2
        _add_played(self.tree, seat, strategy, weight, self.learning.played[seat])

    def try_calls(self, seat_and_block: tuple[int, int]) -> None:
        """Add the regrets of a seat, for the types of hands of one block.

        A block has every BLOCKS-th type, so that no two blocks change the same regret.
        """
        seat, block = seat_and_block
        in_block = np.flatnonzero(self.types[:, seat] % BLOCKS == block)
        _try_calls(
            self.tree,
            self.strategies,
            self.types[in_block],
            self.tricks[in_block],
            self.payoffs,
            seat,
            self.random_states[seat, block],
            self.learning.regrets[seat],
        )


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
    """Add to the regrets of a seat what its calls would have earned in n auctions.

    ``regrets`` (types, slots) are those of the seat; ``strategies`` (seats, types,
    slots) are the present ones of all seats. ``types`` and ``tricks`` (n, seats) say
    what type of hand each speaker holds, and how many tricks they would take as
    declarer; ``payoffs`` is (levels, 14, 2).
    """
    nodes = len(tree.player)
    # By node of the tree, and used again for every auction.
    visited = np.empty(nodes, dtype=np.int64)
    drawn_child = np.empty(nodes, dtype=np.int64)
    values = np.empty(nodes)
    for auction in range(len(types)):
        nodes_visited = _visit_nodes(
            tree, strategies, types[auction], seat, state, visited, drawn_child
        )
        hand_type = types[auction, seat]
        # Backwards: what a node leads to is valued before it.
        for index in range(nodes_visited - 1, -1, -1):
            node = visited[index]
            player = tree.player[node]
            if player == OVER:
                values[node] = 0.0
                if tree.level[node] > 0:
                    taken = tricks[auction, tree.declarer[node]]
                    values[node] = pay_off(tree, node, taken, payoffs, seat)
            elif player == seat:
                strategy = strategies[seat, hand_type]
                _add_regrets(tree, node, strategy, values, regrets[hand_type])
            else:
                values[node] = values[drawn_child[node]]


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
    strategy. ``types`` (seats,) are those of the hands. ``visited`` (N,) is filled with
    the nodes, each after the one that it comes from; ``drawn_child`` (N,) only where
    another seat calls, with the node that the drawn call leads to.
    """
    visited[0] = 0
    nodes = 1
    nodes_done = 0
    while nodes_done < nodes:
        node = visited[nodes_done]
        nodes_done += 1
        player = tree.player[node]
        if player == OVER:
            continue
        child = tree.first_child[node]
        if player == seat:
            for call in range(tree.calls[node]):
                visited[nodes] = child + call
                nodes += 1
        else:
            call = _draw_call(tree, node, strategies[player, types[player]], state)
            drawn_child[node] = child + call
            visited[nodes] = child + call
            nodes += 1
    return nodes


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
