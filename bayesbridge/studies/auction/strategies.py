"""What strategies of the auction are worth, and the best response to them.

A *strategy* of a seat is an array (types, slots): the probability of each call at each
node of the tree, by the type of the hand (``bidders.notrump_tree``). A *profile* has
one for each seat, in the order of speaking; seats may group hands into types of their
own.

Deals are rows of auctions: the same four hands in every order of speaking and with
every hand as the dummy. ``types`` (deals, auctions, seats) says which type each speaker
holds, ``tricks`` what the contract of each speaker would take. Auctions of one deal are
not independent: errors are those of means over deals.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.notrump_tree import OVER, NotrumpTree
from bayesbridge.game.layouts import Floats, Ints
from bayesbridge.runtime.jit import njit
from bayesbridge.studies.auction.payoffs import DECLARER, DEFENDER, TRICKS

type Strategy = Floats
type Profile = tuple[Strategy, ...]
type Types = NDArray[np.int16]
type Tricks = NDArray[np.int8]

NEGLIGIBLE = 1e-9  # a node that is reached less often adds nothing to be seen

BLOCKS = 16
"""Pieces that work is cut into; the number of cores must not change the sums."""


class Auctions(NamedTuple):
    """Deals as rows of auctions."""

    types: Types  # (deals, auctions, seats)
    tricks: Tricks  # (deals, auctions, seats) tricks of a contract of this seat

    def of_deals(self, start: int, stop: int) -> Auctions:
        """Those of the deals from ``start`` to before ``stop``."""
        return Auctions(self.types[start:stop], self.tricks[start:stop])

    def with_types(self, seat: int, types: Types) -> Auctions:
        """The same deals, with the hands of one seat grouped in another way.

        ``types`` (deals, auctions, seats) has them.
        """
        mixed = self.types.copy()
        mixed[:, :, seat] = types[:, :, seat]
        return Auctions(mixed, self.tricks)


class Worth(NamedTuple):
    """What a profile comes to on some deals."""

    points: Floats  # (deals, seats) mean pay-off over the auctions of a deal
    contracts: Floats  # (seats, levels, 14) auctions by declarer, level − 1, tricks
    reached: Floats  # (N,) auctions that come to each node of the tree
    auctions: int

    @property
    def mean(self) -> Floats:
        """(seats,) points an auction."""
        return np.asarray(self.points.mean(axis=0))

    @property
    def error(self) -> Floats:
        """(seats,) standard errors of the means, by deals."""
        return standard_error(self.points)


def standard_error(by_deal: Floats) -> Floats:
    """Of means over the first axis."""
    deals = len(by_deal)
    return np.asarray(by_deal.std(axis=0, ddof=1) / np.sqrt(deals))


def worth(
    tree: NotrumpTree,
    profile: Profile,
    auctions: Auctions,
    payoffs: Floats,
    executor: Executor,
) -> Worth:
    """What a profile comes to on some deals; auctions weigh by their probability.

    Parameters
    ----------
    tree : NotrumpTree
        The auctions that are possible.
    profile : tuple of array, shape (types, slots)
        The strategy of each seat.
    auctions : Auctions
        The deals.
    payoffs : array, shape (levels, 14, 2)
        What contracts pay (``payoffs.payoffs``).
    executor : Executor
        Threads that share the work; they change no number.

    Returns
    -------
    Worth
    """
    deals, orders, seats = auctions.types.shape
    edges = np.linspace(0, deals, BLOCKS + 1).astype(int)
    points = np.zeros((deals, seats))
    contracts = np.zeros((BLOCKS, seats, tree.levels, TRICKS))
    reached = np.zeros((BLOCKS, len(tree.player)))

    def weigh(block: int) -> None:
        deals_of_block = slice(edges[block], edges[block + 1])
        _weigh_auctions(
            tree,
            profile,
            auctions.types[deals_of_block],
            auctions.tricks[deals_of_block],
            payoffs,
            points[deals_of_block],
            contracts[block],
            reached[block],
        )

    list(executor.map(weigh, range(BLOCKS)))
    return Worth(points, contracts.sum(axis=0), reached.sum(axis=0), deals * orders)


@njit
def _weigh_auctions(
    tree: NotrumpTree,
    profile: Profile,
    types: Types,
    tricks: Tricks,
    payoffs: Floats,
    points: Floats,
    contracts: Floats,
    reached: Floats,
) -> None:
    """Weigh the results of the auctions.

    Fill ``points`` (deals, seats), add to ``contracts`` (seats, levels, 14) and to
    ``reached`` (N,).

    ``types`` and ``tricks`` (deals, auctions, seats), ``payoffs`` (levels, 14, 2).
    Letters: d deal, a auction of it; reach (N,) is the probability of coming to a node.
    """
    deals, orders, seats = types.shape
    nodes = len(tree.player)
    reach = np.empty(nodes)
    for d in range(deals):
        for a in range(orders):
            reach[:] = 0.0
            reach[0] = 1.0
            for node in range(nodes):
                chance = reach[node]
                if chance < NEGLIGIBLE:
                    continue
                reached[node] += chance
                player = tree.player[node]
                if player >= 0:
                    strategy = profile[player]
                    hand_type = types[d, a, player]
                    child = tree.first_child[node]
                    slot = tree.first_slot[node]
                    for call in range(tree.calls[node]):
                        reach[child + call] = chance * strategy[hand_type, slot + call]
                elif tree.level[node] > 0:
                    level = tree.level[node] - 1
                    declarer = tree.declarer[node]
                    taken = tricks[d, a, declarer]
                    contracts[declarer, level, taken] += chance
                    for seat in range(seats):
                        role = DECLARER if seat == declarer else DEFENDER
                        points[d, seat] += chance * payoffs[level, taken, role]
        for seat in range(seats):
            points[d, seat] /= orders


def best_response(
    tree: NotrumpTree,
    profile: Profile,
    auctions: Auctions,
    payoffs: Floats,
    seat: int,
    types: int,
    executor: Executor,
) -> Strategy:
    """The pure strategy of a seat that earns most while the others keep to theirs.

    Judge it on other deals: on these it knows too much.

    Parameters
    ----------
    tree : NotrumpTree
        The auctions that are possible.
    profile : tuple of array, shape (types, slots)
        The strategy of each seat.
    auctions : Auctions
        The deals on which it earns most; the types of ``seat`` are those of the answer.
    payoffs : array, shape (levels, 14, 2)
        What contracts pay (``payoffs.payoffs``).
    seat : int
        Who answers.
    types : int
        How many types it tells apart.
    executor : Executor
        Threads that share the work; they change no number.

    Returns
    -------
    array, shape (types, slots)
    """
    by_type = _auctions_by_type(auctions.types[:, :, seat], types)
    response = np.zeros((types, tree.slots))

    def respond(block: int) -> None:
        for hand_type in range(block, types, BLOCKS):
            value = np.zeros(len(tree.player))
            _add_values(
                tree,
                profile,
                auctions.types,
                auctions.tricks,
                by_type[hand_type],
                payoffs,
                seat,
                value,
            )
            _choose_calls(tree, seat, value, response[hand_type])

    list(executor.map(respond, range(BLOCKS)))
    return response


def _auctions_by_type(types: Types, number: int) -> list[Ints]:
    """Of each of ``number`` types the flat indices of the auctions that have it.

    ``types`` (deals, auctions) are those of one seat.
    """
    flat = types.ravel()
    order = np.argsort(flat, kind="stable")
    ends = np.searchsorted(flat[order], np.arange(1, number))
    return np.split(order, ends)


@njit
def _add_values(
    tree: NotrumpTree,
    profile: Profile,
    types: Types,
    tricks: Tricks,
    indices: Ints,
    payoffs: Floats,
    seat: int,
    value: Floats,
) -> None:
    """Add to ``value`` (N,) what ends of the auction are worth to a seat.

    Summed over the auctions with these flat indices: the pay-off times the chance that
    the others let the auction come to this end, whatever the seat calls.

    ``types`` and ``tricks`` (deals, auctions, seats), ``payoffs`` (levels, 14, 2).
    Letters: d deal, a auction of it; reach (N,) is the chance of coming to a node.
    """
    orders = types.shape[1]
    nodes = len(tree.player)
    reach = np.empty(nodes)
    for index in indices:
        d = index // orders
        a = index % orders
        reach[:] = 0.0
        reach[0] = 1.0
        for node in range(nodes):
            chance = reach[node]
            if chance < NEGLIGIBLE:
                continue
            player = tree.player[node]
            child = tree.first_child[node]
            if player == seat:
                for call in range(tree.calls[node]):
                    reach[child + call] = chance
            elif player >= 0:
                strategy = profile[player]
                hand_type = types[d, a, player]
                slot = tree.first_slot[node]
                for call in range(tree.calls[node]):
                    reach[child + call] = chance * strategy[hand_type, slot + call]
            elif tree.level[node] > 0:
                declarer = tree.declarer[node]
                taken = tricks[d, a, declarer]
                role = DECLARER if seat == declarer else DEFENDER
                value[node] += chance * payoffs[tree.level[node] - 1, taken, role]


@njit
def _choose_calls(
    tree: NotrumpTree, seat: int, value: Floats, response: Floats
) -> None:
    """Fill ``response`` (slots,) with the best call of a seat wherever it calls.

    ``value`` (N,) is what ends are worth; that of the other nodes is set, from the
    last node to the first. On ties the lowest call is the best.
    """
    for node in range(len(value) - 1, -1, -1):
        if tree.player[node] == OVER:
            continue
        child = tree.first_child[node]
        if tree.player[node] != seat:
            for call in range(tree.calls[node]):
                value[node] += value[child + call]
            continue
        best = 0
        for call in range(1, tree.calls[node]):
            if value[child + call] > value[child + best]:
                best = call
        value[node] = value[child + best]
        response[tree.first_slot[node] + best] = 1.0


def with_seat(profile: Sequence[Strategy], seat: int, strategy: Strategy) -> Profile:
    """The profile in which one seat plays another strategy."""
    changed = list(profile)
    changed[seat] = strategy
    return tuple(changed)
