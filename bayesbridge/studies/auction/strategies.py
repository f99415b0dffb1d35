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

# Kernels with ``inline="always"`` are as fast as if their lines stood in the caller.

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
    deals, auctions_of_a_deal, seats = auctions.types.shape
    first_deals = np.linspace(0, deals, BLOCKS + 1).astype(int)
    points = np.zeros((deals, seats))
    contracts_by_block = np.zeros((BLOCKS, seats, tree.levels, TRICKS))
    reached_by_block = np.zeros((BLOCKS, len(tree.player)))

    def weigh_block(block: int) -> None:
        """Fill the points of a block of deals, and the sums over it."""
        block_deals = slice(first_deals[block], first_deals[block + 1])
        _weigh_deals(
            tree,
            profile,
            auctions.types[block_deals],
            auctions.tricks[block_deals],
            payoffs,
            points[block_deals],
            contracts_by_block[block],
            reached_by_block[block],
        )

    list(executor.map(weigh_block, range(BLOCKS)))
    return Worth(
        points=points,
        contracts=contracts_by_block.sum(axis=0),
        reached=reached_by_block.sum(axis=0),
        auctions=deals * auctions_of_a_deal,
    )


@njit
def _weigh_deals(
    tree: NotrumpTree,
    profile: Profile,
    types: Types,
    tricks: Tricks,
    payoffs: Floats,
    points: Floats,
    contracts: Floats,
    reached: Floats,
) -> None:
    """Weigh the results of all auctions of some deals by their probability.

    ``types`` and ``tricks`` (deals, auctions, seats) say what type of hand each speaker
    holds, and how many tricks they would take as declarer. ``points`` (deals, seats) is
    filled with mean pay-offs; ``contracts`` (seats, levels, 14) and ``reached`` (N,),
    by nodes of the tree, are added to.
    """
    deals, auctions, _ = types.shape
    reach = np.empty(len(tree.player))
    for deal in range(deals):
        for auction in range(auctions):
            _weigh_auction(
                tree,
                profile,
                types[deal, auction],
                tricks[deal, auction],
                payoffs,
                points[deal],
                contracts,
                reached,
                reach,
            )
        points[deal] /= auctions


@njit(inline="always")
def _weigh_auction(
    tree: NotrumpTree,
    profile: Profile,
    types: Types,
    tricks: Tricks,
    payoffs: Floats,
    points: Floats,
    contracts: Floats,
    reached: Floats,
    reach: Floats,
) -> None:
    """Add every way in which one auction may go, times its probability.

    To ``points`` (seats,), ``contracts`` (seats, levels, 14) by declarer, level − 1 and
    tricks, and ``reached`` (N,). ``types`` and ``tricks`` are (seats,), ``payoffs``
    (levels, 14, 2). ``reach`` (N,) is overwritten with the probability of coming to
    each node: nodes stand after the one that they come from, so one pass fills it.
    """
    reach[:] = 0.0
    reach[0] = 1.0
    for node in range(len(reach)):
        chance = reach[node]
        if chance < NEGLIGIBLE:
            continue
        reached[node] += chance
        player = tree.player[node]
        if player >= 0:
            _spread(tree, node, profile[player], types[player], reach)
        elif tree.level[node] > 0:
            level = tree.level[node] - 1
            declarer = tree.declarer[node]
            taken = tricks[declarer]
            contracts[declarer, level, taken] += chance
            for seat in range(len(points)):
                role = DECLARER if seat == declarer else DEFENDER
                points[seat] += chance * payoffs[level, taken, role]


@njit(inline="always")
def _spread(
    tree: NotrumpTree, node: int, strategy: Floats, hand_type: int, reach: Floats
) -> None:
    """Spread the probability of a node over the nodes that its calls lead to.

    ``strategy`` (types, slots) is that of the seat that calls, with a hand of
    ``hand_type``; ``reach`` (N,) is the probability of coming to each node.
    """
    chance = reach[node]
    child = tree.first_child[node]
    slot = tree.first_slot[node]
    for call in range(tree.calls[node]):
        reach[child + call] = chance * strategy[hand_type, slot + call]


@njit(inline="always")
def pay_off(
    tree: NotrumpTree, node: int, taken: int, payoffs: Floats, seat: int
) -> float:
    """What a seat earns where an auction ends with a contract.

    ``node`` is that end, ``taken`` the tricks of its declarer, and ``payoffs`` (levels,
    14, 2) what contracts pay.
    """
    role = DECLARER if seat == tree.declarer[node] else DEFENDER
    return float(payoffs[tree.level[node] - 1, taken, role])


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
    auctions_by_type = _auctions_by_type(auctions.types[:, :, seat], types)
    # A row for each auction of each deal.
    all_types = auctions.types.reshape(-1, auctions.types.shape[2])
    all_tricks = auctions.tricks.reshape(-1, auctions.tricks.shape[2])
    response = np.zeros((types, tree.slots))

    def respond(block: int) -> None:
        """Find the best calls of the types ``block``, ``block`` + BLOCKS, …"""
        for hand_type in range(block, types, BLOCKS):
            end_values = _end_values(
                tree,
                profile,
                all_types,
                all_tricks,
                auctions_by_type[hand_type],
                payoffs,
                seat,
            )
            response[hand_type] = _best_calls(tree, seat, end_values)

    list(executor.map(respond, range(BLOCKS)))
    return response


def _auctions_by_type(types: Types, number_of_types: int) -> list[Ints]:
    """For each type the auctions in which a seat holds it.

    ``types`` (deals, auctions) are those of the seat; auctions are numbered through all
    deals.
    """
    type_of_auction = types.ravel()
    sorted_by_type = np.argsort(type_of_auction, kind="stable")
    starts = np.searchsorted(
        type_of_auction[sorted_by_type], np.arange(1, number_of_types)
    )
    return np.split(sorted_by_type, starts)


@njit
def _end_values(
    tree: NotrumpTree,
    profile: Profile,
    types: Types,
    tricks: Tricks,
    indices: Ints,
    payoffs: Floats,
    seat: int,
) -> Floats:
    """What the ends of an auction are worth to a seat, (N,); 0 at the other nodes.

    Summed over the auctions with these indices: the pay-off times the probability that
    the other players let the auction come to this end, whatever the seat calls.

    ``types`` and ``tricks`` (auctions, seats) say what type of hand each speaker holds,
    and how many tricks they would take as declarer; ``payoffs`` is (levels, 14, 2).
    """
    nodes = len(tree.player)
    values = np.zeros(nodes)
    # (N,) the probability that the other players let the auction come to a node
    reach = np.empty(nodes)
    for auction in indices:
        reach[:] = 0.0
        reach[0] = 1.0
        for node in range(nodes):
            chance = reach[node]
            if chance < NEGLIGIBLE:
                continue
            player = tree.player[node]
            if player == seat:
                child = tree.first_child[node]
                reach[child : child + tree.calls[node]] = chance
            elif player >= 0:
                hand_type = types[auction, player]
                _spread(tree, node, profile[player], hand_type, reach)
            elif tree.level[node] > 0:
                taken = tricks[auction, tree.declarer[node]]
                values[node] += chance * pay_off(tree, node, taken, payoffs, seat)
    return values


@njit
def _best_calls(tree: NotrumpTree, seat: int, end_values: Floats) -> Floats:
    """The best call of a seat wherever it calls: a strategy of one type, (slots,).

    ``end_values`` (N,) is what ends are worth, times the probability that the others
    let the auction come there; it is 0 at all other nodes. From the last node to the
    first, a node of the seat is worth its best call, one of another player the sum over
    all calls. On ties the lowest call is the best.
    """
    best_calls = np.zeros(tree.calls.sum())
    values = end_values.copy()
    for node in range(len(values) - 1, -1, -1):
        if tree.player[node] == OVER:
            continue
        child = tree.first_child[node]
        if tree.player[node] != seat:
            for call in range(tree.calls[node]):
                values[node] += values[child + call]
            continue
        best = 0
        for call in range(1, tree.calls[node]):
            if values[child + call] > values[child + best]:
                best = call
        values[node] = values[child + best]
        best_calls[tree.first_slot[node] + best] = 1.0
    return best_calls


def with_seat(profile: Sequence[Strategy], seat: int, strategy: Strategy) -> Profile:
    """The profile in which one seat plays another strategy."""
    changed = list(profile)
    changed[seat] = strategy
    return tuple(changed)
