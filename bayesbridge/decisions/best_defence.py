"""The best plans of a declarer against defenders who see all cards.

Declarer does not see the defenders' cards.

Declarer sees the cards played and no more, so one plan must serve all layouts that
these cannot tell apart. Defenders know the layout and declarer's plan (the best-defence
model of Frank and Basin, Artificial Intelligence 100, 1998). Of a plan only its outcome
matters: the set of (layout, number of tricks) that it reaches, as bits of one integer.
Where declarer moves, the outcomes of all moves are collected; where a defender moves,
each layout takes its worst reply, so that one outcome of each reply is joined by *and*.
Outcomes that are part of another are dropped: any weights of layouts pick their best
plan from the Pareto front that is left.

A move whose double-dummy bound is part of an outcome that is there already is not
looked at (αμ search, Cazenave and Ventos, 2020). Where the weights are known, a plan
that falls behind the bound of the first position by more than a *slack* is dropped; a
search with a slack in which a plan is found has the best one (:meth:`Search.optimum`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.layouts import Floats

MOST_WORK: Final = 1_500_000
"""Comparisons of outcomes after which a search gives up."""

LEAST_SLACK: Final = 1e-9
"""The slack of the first search: rounding, no more."""
SECOND_SLACK: Final = 0.01
"""The slack of the second search, doubled with each that follows."""

type Plan = Any
"""On declarer's turn a pair: what is played, and the plan after it. On a defender's turn
a tuple of such pairs, one for each reply. ``None`` where nothing is left to choose.
"""
type Front = tuple[tuple[int, Plan], ...]
"""Outcomes of which none is part of another, with the plans that reach them."""


class Move(NamedTuple):
    """What declarer may play in a position."""

    played: Any
    after: Any
    """The position after it."""
    won: int
    """Tricks that declarer wins by it: 1 where it ends a trick of the side, else 0."""


class Reply(NamedTuple):
    """What a defender may play in a position."""

    played: Any
    layout_bits: int
    """The layouts in which that is possible."""
    after: Any
    """The position after it."""
    won: int
    """Tricks that declarer wins by it."""


def _width(pair: tuple[int, Plan]) -> int:
    """How many bits the outcome of a pair (outcome, plan) has."""
    outcome, _ = pair
    return outcome.bit_count()


class TooMuchWork(BayesBridgeError):
    """A search would take too long."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a search for the single best plan may drop: plans far behind a bound."""

    bound: int
    """An outcome that has that of every plan as part."""
    bit_values: list[float]
    """What each bit of an outcome is worth, ≥ 0."""
    slack: float
    """How much of the bound's value a plan may miss."""

    def value_lost(self, outcome: int, bound: int) -> float:
        """What the bits of a bound are worth that an outcome has not."""
        missing = bound & ~outcome
        lost = 0.0
        while missing:
            lowest_bit = missing & -missing
            lost += self.bit_values[lowest_bit.bit_length() - 1]
            missing ^= lowest_bit
        return lost


class Search(ABC):
    """All plans of a game with n layouts.

    A game is a subclass that has the methods which are abstract here. Positions are
    hashable. A set of layouts, ``layout_bits``, is an integer with bit i for layout i.
    An outcome is an integer too, of a set of layouts for each *level*: bit ``level * n
    + layout`` says that a plan wins ``least_tricks + level`` tricks or more in that
    layout, from now on.

    Parameters
    ----------
    n : int
        Layouts.
    levels : int
        Numbers of tricks that outcomes tell apart.
    most_work : int
        Comparisons of outcomes after which the search raises :class:`TooMuchWork`.
    """

    def __init__(self, n: int, levels: int, most_work: int) -> None:
        """Prepare a search over ``n`` layouts that tells ``levels`` of tricks apart.

        A level is a number of tricks from a least one on. An outcome (the layouts and
        levels that a plan reaches) is an integer with a bit for each: first n bits for
        the layouts with level 0, then n for those with level 1, and so on.
        """
        self.n = n
        self.levels = levels
        self.most_work = most_work
        #: Comparisons of outcomes so far; after ``most_work`` the search gives up.
        self.work = 0
        #: By how many levels are reached: the outcome of that in layout 0 alone, which
        #: has the first of the n bits of each level.
        self.outcomes_of_layout_0 = [0]
        outcome = 0
        for level in range(levels):
            outcome |= 1 << (level * n)
            self.outcomes_of_layout_0.append(outcome)
        #: By position, layouts and tricks: the best plans that were found from there.
        self.fronts: dict[Hashable, Front] = {}
        #: How far plans may fall behind while an optimum is searched; without it no
        #: plan is dropped as too weak.
        self.aim: Aim | None = None

    @abstractmethod
    def settled(self, state: Any, layout_bits: int, least_tricks: int) -> int | None:
        """The outcome where nothing is left to choose, else ``None``."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[Move] | None:
        """Declarer's moves; ``None`` on a defender's turn."""

    @abstractmethod
    def replies(self, state: Any, layout_bits: int) -> Sequence[Reply]:
        """A defender's replies in these layouts."""

    def bound(self, _state: Any, layout_bits: int, _least_tricks: int) -> int:
        """An outcome that has that of every plan as part.

        Everything, where nothing better is known.
        """
        return self.all(layout_bits)

    def optimum(
        self, state: Any, layout_bits: int, least_tricks: int, values: Floats
    ) -> tuple[int, Plan]:
        """The outcome with the highest value, and its plan.

        Plans are searched that miss no more than a slack of the bound's value. Where
        there is none, the search is repeated with a larger slack; the best plan of a
        search that has some is the best of all.

        Parameters
        ----------
        state : hashable
            The position.
        layout_bits : int
            The layouts that are possible, a bit for each.
        least_tricks : int
            Tricks of level 0, counted from now on.
        values : (levels, n) array of float
            What each bit of an outcome is worth, ≥ 0.

        Returns
        -------
        outcome : int
        plan : Plan
        """
        bound = self.bound(state, layout_bits, least_tricks)
        bit_values = np.asarray(values, np.float64).ravel().tolist()
        slack = LEAST_SLACK
        while True:
            aim = Aim(bound, bit_values, slack)
            self.aim = aim  # followed by all searches below
            self.fronts = {}
            front = self.front(state, layout_bits, least_tricks)
            if front:
                self.aim = None
                return min(front, key=lambda pair: aim.value_lost(pair[0], bound))
            slack = max(SECOND_SLACK, 2.0 * slack)

    def reached(self, layout_bits: int, tricks: int, least_tricks: int) -> int:
        """The outcome of so many tricks in each of these layouts."""
        levels_reached = min(self.levels, max(0, tricks - least_tricks + 1))
        # The product copies the set of layouts to the n bits of each level reached.
        return layout_bits * self.outcomes_of_layout_0[levels_reached]

    def all(self, layout_bits: int) -> int:
        """The outcome of all levels in each of these layouts."""
        return layout_bits * self.outcomes_of_layout_0[-1]

    def front(self, state: Any, layout_bits: int, least_tricks: int) -> Front:
        """The outcomes of the best plans in these layouts, with the plans.

        Parameters
        ----------
        state : hashable
            The position.
        layout_bits : int
            The layouts that are possible, a bit for each.
        least_tricks : int
            Tricks of level 0, counted from now on.

        Returns
        -------
        Front
            Empty where every plan misses more of the bound than the slack.

        Raises
        ------
        TooMuchWork
            After ``most_work`` comparisons of outcomes.
        """
        only_outcome = self.settled(state, layout_bits, least_tricks)
        if only_outcome is not None:
            return ((only_outcome, None),)
        moves = self.moves(state)
        if moves is None:
            return self._front_of_replies(state, layout_bits, least_tricks)
        key = state, layout_bits, least_tricks
        if key not in self.fronts:
            self.fronts[key] = self._front_of_moves(moves, layout_bits, least_tricks)
        return self.fronts[key]

    def _front_of_moves(
        self, moves: Sequence[Move], layout_bits: int, least_tricks: int
    ) -> Front:
        """The outcomes of the plans after all of declarer's moves, less dominated ones.

        Moves with the widest bound (most bits) come first: where that is part of an
        outcome that was found, the move need not be searched.
        """
        bounds = [
            self.bound(move.after, layout_bits, least_tricks - move.won)
            for move in moves
        ]
        if self.aim is not None:  # no layout can give more than at the start
            bounds = [bound & self.aim.bound for bound in bounds]
        all_bounds = 0
        for bound in bounds:
            all_bounds |= bound
        widest_first = sorted(
            range(len(moves)), key=lambda number: -bounds[number].bit_count()
        )
        front: Front = ()
        for number in widest_first:
            if not self._is_worth_a_look(bounds[number], front, layout_bits):
                continue
            move = moves[number]
            front_after = self.front(move.after, layout_bits, least_tricks - move.won)
            front_with_move = (
                (outcome, (move.played, plan)) for outcome, plan in front_after
            )
            front = self.undominated((*front, *front_with_move), layout_bits)
            if front:
                widest_outcome, _ = front[0]
                if widest_outcome == all_bounds:  # no move can add to it
                    break
        return front

    def _is_worth_a_look(self, bound: int, front: Front, layout_bits: int) -> bool:
        """Whether a move with this bound may add an outcome to the front."""
        if any(bound & outcome == bound for outcome, _ in front):
            return False
        if self.aim is None:
            return True
        best_possible = self.aim.bound & self.all(layout_bits)
        return self.aim.value_lost(bound, best_possible) <= self.aim.slack

    def _front_of_replies(
        self, state: Any, layout_bits: int, least_tricks: int
    ) -> Front:
        """The outcomes of plans that have an answer to each reply of a defender.

        Defenders see all cards, so each layout takes the reply that is worst for
        declarer: the outcomes after the replies are joined by *and*.
        """
        joined: Front = ((self.all(layout_bits), ()),)
        for reply in self.replies(state, layout_bits):
            front_after = self.front(
                reply.after, reply.layout_bits, least_tricks - reply.won
            )
            # Layouts without the reply lose nothing by it.
            without_reply = self.all(layout_bits & ~reply.layout_bits)
            combined = []
            for outcome, plans in joined:
                for outcome_after, plan in front_after:
                    worse_of_both = outcome & (outcome_after | without_reply)
                    plans_with_reply = (*plans, (reply.played, plan))
                    combined.append((worse_of_both, plans_with_reply))
            joined = self.undominated(tuple(combined), layout_bits)
            if not joined:
                break
        return joined

    def undominated(self, pairs: Front, layout_bits: int) -> Front:
        """The pairs (outcome, plan) whose outcome is not part of another, widest first.

        Outcomes are sets, written as the bits of an integer: what a plan reaches in
        which layout. One is part of another if that has all its bits; the widest has
        most. Of equal ones the first pair stays. While one best plan is searched (an
        ``aim`` is set), pairs that fall too far behind what can be reached at most in
        the layouts ``layout_bits`` (a bit for each) are dropped before.
        """
        if self.aim is not None:
            pairs = self._within_slack(pairs, self.aim, layout_bits)
        # An outcome can only be part of one that is as wide: of one before it.
        front: list[tuple[int, Plan]] = []
        for outcome, plan in sorted(pairs, key=_width, reverse=True):
            self.work += len(front) + 1
            if self.work > self.most_work:
                raise TooMuchWork(f"more than {self.most_work} comparisons")
            # Their common bits are all of the outcome's.
            is_part = any(outcome & wider == outcome for wider, _ in front)
            if not is_part:
                front.append((outcome, plan))
        return tuple(front)

    def _within_slack(self, outcomes: Front, aim: Aim, layout_bits: int) -> Front:
        """The outcomes cut to the bound, less those that lose more than the slack."""
        best_possible = aim.bound & self.all(layout_bits)
        cut = [(outcome & best_possible, plan) for outcome, plan in outcomes]
        return tuple(
            pair for pair in cut if aim.value_lost(pair[0], best_possible) <= aim.slack
        )

    def shares(self, outcome: int, weights: Floats) -> Floats:
        """P(so many tricks or more) by an outcome, for each level.

        Parameters
        ----------
        outcome : int
            Bits by level and layout.
        weights : (n,) array of float
            Of the layouts, adding up to one.

        Returns
        -------
        (levels,) array of float
        """
        bits_needed = self.levels * self.n
        octets = outcome.to_bytes(-(-bits_needed // 8), "little")
        bits = np.unpackbits(np.frombuffer(octets, np.uint8), bitorder="little")
        is_reached = bits[:bits_needed].reshape(self.levels, self.n)
        return np.minimum(np.asarray(is_reached @ weights, np.float64), 1.0)
