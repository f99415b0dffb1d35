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
from typing import NamedTuple, Self

import numpy as np

from bayesbridge.bidders.notrump_tree import NotrumpTree
from bayesbridge.game.layouts import Floats
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State, next64
from bayesbridge.studies.auction.strategies import (
    BLOCKS,
    Auctions,
    Profile,
    Tricks,
    Types,
)

FLOAT_BITS = 2.0**-53  # turns 53 random bits into a number from 0 to 1


class Learning(NamedTuple):
    """Where regret minimisation stands."""

    rounds: int
    regrets: Floats  # (seats, types, slots)
    played: Floats  # (seats, types, slots) strategies of all rounds, weighed by t²

    @classmethod
    def start(cls, tree: NotrumpTree, types: int) -> Self:
        shape = (tree.players, types, tree.slots)
        return cls(0, np.zeros(shape), np.zeros(shape))

    def mean_strategies(self, tree: NotrumpTree) -> Profile:
        """The mean strategy of each seat, all calls alike where it never came."""
        profile = []
        for played in self.played:
            strategy = np.zeros_like(played)
            _match(tree, played, strategy)
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
    """One more round on ``batch`` auctions drawn from these deals; the arrays of
    ``learning`` are changed.

    A round depends on the seed and on its number, so that a run that was interrupted
    goes on as if it had not been.
    """
    deals, orders, seats = auctions.types.shape
    rng = np.random.default_rng([seed, learning.rounds])
    drawn = rng.integers(0, deals * orders, size=batch)
    states = rng.integers(0, 1 << 64, size=(seats, BLOCKS, 4), dtype=np.uint64)
    types = auctions.types.reshape(-1, seats)[drawn]
    tricks = auctions.tricks.reshape(-1, seats)[drawn]
    strategies = np.zeros_like(learning.regrets)

    def prepare(seat: int) -> None:
        _match(tree, learning.regrets[seat], strategies[seat])
        weight = (learning.rounds + 1.0) ** 2
        _add_played(tree, seat, strategies[seat], weight, learning.played[seat])

    def try_calls(piece: tuple[int, int]) -> None:
        seat, block = piece
        # A block has its own types, so that no two blocks change the same regret.
        held = np.flatnonzero(types[:, seat] % BLOCKS == block)
        _try_calls(
            tree,
            strategies,
            types[held],
            tricks[held],
            payoffs,
            seat,
            states[seat, block],
            learning.regrets[seat],
        )

    pieces = [(seat, block) for seat in range(seats) for block in range(BLOCKS)]
    list(executor.map(prepare, range(seats)))
    list(executor.map(try_calls, pieces))
    rounds = learning.rounds + 1
    # Of the sums over rounds this makes sums in which round t counts t times.
    np.multiply(learning.regrets, rounds / (rounds + 1.0), out=learning.regrets)
    return learning._replace(rounds=rounds)


@njit
def _match(tree: NotrumpTree, weights: Floats, strategy: Floats) -> None:
    """Fill ``strategy`` (types, slots): calls in proportion to their weights where
    these are positive, alike where none is.
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
    """Add a strategy (types, slots) to ``played``, each node by the chance that the
    seat's own calls lead there.
    """
    nodes = len(tree.player)
    reach = np.empty(nodes)
    for hand_type in range(len(strategy)):
        reach[0] = weight
        for node in range(nodes):
            player = tree.player[node]
            if player < 0:
                continue
            here = reach[node]
            child = tree.first_child[node]
            slot = tree.first_slot[node]
            for call in range(tree.calls[node]):
                through = here
                if player == seat:
                    through = here * strategy[hand_type, slot + call]
                    played[hand_type, slot + call] += through
                reach[child + call] = through


@njit
def _uniform(state: State) -> float:
    return float(next64(state) >> np.uint64(11)) * FLOAT_BITS


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

    ``strategies`` (seats, types, slots), ``types`` and ``tricks`` (n, seats). The
    nodes that an auction comes to are listed, each after the one it comes from;
    ``value`` (N,) is what they are worth to the seat.
    """
    nodes = len(tree.player)
    value = np.empty(nodes)
    listed = np.empty(nodes, dtype=np.int64)
    drawn_child = np.empty(nodes, dtype=np.int64)
    for i in range(len(types)):
        listed[0] = 0
        number = 1
        place = 0
        while place < number:
            node = listed[place]
            place += 1
            player = tree.player[node]
            child = tree.first_child[node]
            calls = tree.calls[node]
            if player == seat:
                for call in range(calls):
                    listed[number + call] = child + call
                number += calls
            elif player >= 0:
                slot = tree.first_slot[node]
                threshold = _uniform(state)
                call = 0
                while call < calls - 1:
                    threshold -= strategies[player, types[i, player], slot + call]
                    if threshold < 0.0:
                        break
                    call += 1
                drawn_child[node] = child + call
                listed[number] = child + call
                number += 1
        for place in range(number - 1, -1, -1):
            node = listed[place]
            player = tree.player[node]
            if player < 0:
                value[node] = 0.0
                if tree.level[node] > 0:
                    declarer = tree.declarer[node]
                    role = 0 if seat == declarer else 1
                    taken = tricks[i, declarer]
                    value[node] = payoffs[tree.level[node] - 1, taken, role]
            elif player == seat:
                hand_type = types[i, seat]
                child = tree.first_child[node]
                slot = tree.first_slot[node]
                mean = 0.0
                for call in range(tree.calls[node]):
                    chance = strategies[seat, hand_type, slot + call]
                    mean += chance * value[child + call]
                value[node] = mean
                for call in range(tree.calls[node]):
                    regrets[hand_type, slot + call] += value[child + call] - mean
            else:
                value[node] = value[drawn_child[node]]
