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
from typing import Any, Final

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
"""Of declarer's turn a move and the plan after it, of a defender's turn a tuple of
replies, each with the plan after it; ``None`` where nothing is left to choose.
"""
type Front = tuple[tuple[int, Plan], ...]
"""Outcomes of which none is part of another, with the plans that reach them."""
type Move = tuple[Hashable, Any, int]
"""What declarer plays, the position after it, and tricks won by that."""
type Reply = tuple[Hashable, int, Any, int]
"""What a defender plays, the layouts in which that is possible, the position after it,
and tricks that declarer wins by it.
"""


class TooMuchWork(BayesBridgeError):
    """A search would take too long."""


class Search(ABC):
    """All plans of a game with n layouts.

    A game is a subclass that has the methods which are abstract here. Positions are
    hashable; a set of layouts is an integer with a bit for each. Bit ``level * n +
    layout`` of an outcome says that ``lowest + level`` tricks are reached in that
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
        self.n = n
        self.levels = levels
        self.most_work = most_work
        self.work = 0
        # By the number of levels reached: the outcome of the first layout.
        self.units = [0]
        for level in range(levels):
            self.units.append(self.units[-1] | 1 << level * n)
        self.fronts: dict[Hashable, Front] = {}
        # Set while an optimum is searched: the bound of the first position, what each
        # bit of it is worth, and how much of that a plan may lose.
        self.target: int | None = None
        self.bit_values: list[float] = []
        self.slack = 0.0

    @abstractmethod
    def settled(self, state: Any, live: int, lowest: int) -> int | None:
        """The outcome where nothing is left to choose, else ``None``."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[Move] | None:
        """Declarer's moves; ``None`` on a defender's turn."""

    @abstractmethod
    def replies(self, state: Any, live: int) -> Sequence[Reply]:
        """A defender's replies in these layouts."""

    def bound(self, _state: Any, live: int, _lowest: int) -> int:
        """An outcome that has every other as part.

        Everything, where nothing better is known.
        """
        return self.all(live)

    def optimum(
        self, state: Any, live: int, lowest: int, values: Floats
    ) -> tuple[int, Plan]:
        """The outcome with the highest value, and its plan.

        Parameters
        ----------
        state : hashable
            The position.
        live : int
            The layouts, as bits.
        lowest : int
            Tricks of the first level.
        values : (levels, n) array of float
            What each bit of an outcome is worth, ≥ 0.

        Returns
        -------
        outcome : int
        plan : Plan
        """
        target = self.bound(state, live, lowest)
        self.target = target
        self.bit_values = np.asarray(values, np.float64).ravel().tolist()
        self.slack = LEAST_SLACK
        while True:
            self.fronts = {}
            front = self.front(state, live, lowest)
            if front:
                self.target = None
                return min(front, key=lambda pair: self._value_lost(pair[0], target))
            self.slack = max(SECOND_SLACK, 2.0 * self.slack)

    def _value_lost(self, outcome: int, target: int) -> float:
        """What the bits of the target are worth that an outcome has not."""
        missing = target & ~outcome
        lost = 0.0
        while missing:
            lowest_bit = missing & -missing
            lost += self.bit_values[lowest_bit.bit_length() - 1]
            missing ^= lowest_bit
        return lost

    def reached(self, live: int, tricks: int, lowest: int) -> int:
        """The outcome of so many tricks in each of these layouts."""
        levels_reached = max(0, tricks - lowest + 1)
        return live * self.units[min(self.levels, levels_reached)]

    def all(self, live: int) -> int:
        """The outcome of all levels in each of these layouts."""
        return live * self.units[-1]

    def front(self, state: Any, live: int, lowest: int) -> Front:
        """The outcomes of the best plans in these layouts, with the plans.

        Parameters
        ----------
        state : hashable
            The position.
        live : int
            The layouts that are possible, as bits.
        lowest : int
            Tricks of the first level, counted from now on.

        Returns
        -------
        Front
            Empty where every plan falls behind the target by more than the slack.

        Raises
        ------
        TooMuchWork
            After ``most_work`` comparisons of outcomes.
        """
        outcome = self.settled(state, live, lowest)
        if outcome is not None:
            return ((outcome, None),)
        moves = self.moves(state)
        if moves is None:
            return self._front_of_replies(state, live, lowest)
        key = state, live, lowest
        if key not in self.fronts:
            self.fronts[key] = self._front_of_moves(moves, live, lowest)
        return self.fronts[key]

    def _front_of_moves(self, moves: Sequence[Move], live: int, lowest: int) -> Front:
        """The outcomes of all moves, collected, those with the widest bound first."""
        bounds = [self.bound(after, live, lowest - won) for _, after, won in moves]
        if self.target is not None:  # no layout can give more than at the start
            bounds = [bound & self.target for bound in bounds]
        limit = 0
        for bound in bounds:
            limit |= bound
        widest_first = sorted(
            range(len(moves)), key=lambda place: -bounds[place].bit_count()
        )
        front: Front = ()
        for place in widest_first:
            if not self._worth_a_look(bounds[place], front, live):
                continue
            move, after, won = moves[place]
            front_after = self.front(after, live, lowest - won)
            with_move = ((outcome, (move, plan)) for outcome, plan in front_after)
            front = self.undominated((*front, *with_move), live)
            if front and front[0][0] == limit:
                break
        return front

    def _worth_a_look(self, bound: int, front: Front, live: int) -> bool:
        """Whether a move with this bound may add an outcome to the front."""
        if any(bound & outcome == bound for outcome, _ in front):
            return False
        if self.target is None:
            return True
        return self._value_lost(bound, self.target & self.all(live)) <= self.slack

    def _front_of_replies(self, state: Any, live: int, lowest: int) -> Front:
        """One outcome of each reply joined: every layout takes its worst reply."""
        joined: Front = ((self.all(live), ()),)
        for label, possible, after, won in self.replies(state, live):
            elsewhere = self.all(live & ~possible)
            front_after = self.front(after, possible, lowest - won)
            combined = []
            for outcome, plans in joined:
                for outcome_after, plan in front_after:
                    worst = outcome & (outcome_after | elsewhere)
                    combined.append((worst, (*plans, (label, plan))))
            joined = self.undominated(tuple(combined), live)
            if not joined:
                break
        return joined

    def undominated(self, outcomes: Front, live: int) -> Front:
        """The outcomes that are not part of another.

        Of equal ones the first; none that is too far behind the target.
        """
        if self.target is not None:
            outcomes = self._within_slack(outcomes, self.target & self.all(live))
        front: list[tuple[int, Plan]] = []
        for outcome, plan in sorted(outcomes, key=lambda pair: -pair[0].bit_count()):
            self.work += len(front) + 1
            if self.work > self.most_work:
                raise TooMuchWork(f"more than {self.most_work} comparisons")
            if not any(outcome & wider == outcome for wider, _ in front):
                front.append((outcome, plan))
        return tuple(front)

    def _within_slack(self, outcomes: Front, target: int) -> Front:
        """The outcomes cut to the target, less those that lose more than the slack."""
        cut = [(outcome & target, plan) for outcome, plan in outcomes]
        return tuple(
            pair for pair in cut if self._value_lost(pair[0], target) <= self.slack
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
        octets = np.frombuffer(
            outcome.to_bytes(-(-bits_needed // 8), "little"), np.uint8
        )
        bits = np.unpackbits(octets, bitorder="little")[:bits_needed]
        reached = bits.reshape(self.levels, self.n)
        return np.minimum(np.asarray(reached @ weights, np.float64), 1.0)
