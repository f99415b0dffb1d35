"""The best plans of a declarer who does not see the defenders' cards, against defenders
who see everything.

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

MOST_WORK: Final = 1_500_000  # comparisons of outcomes after which a search gives up
type Plan = Any
"""Of declarer's turn a move and the plan after it, of a defender's turn a tuple of
replies, each with the plan after it; ``None`` where nothing is left to choose.
"""
type Front = tuple[tuple[int, Plan], ...]  # outcomes with the plans that reach them


class TooMuchWork(BayesBridgeError):
    """A search would take too long."""


class Search(ABC):
    """All plans of a game with n layouts; bit ``level * n + layout`` of an outcome says
    that ``lowest + level`` tricks are reached there, from now on.

    A game is a subclass that has the methods which are abstract here. Positions are
    hashable; a set of layouts is an integer with a bit for each.
    """

    def __init__(self, n: int, levels: int, most_work: int) -> None:
        self.n, self.levels, self.most_work = n, levels, most_work
        self.work = 0
        # By the number of levels reached: the outcome of the first layout.
        self.units = [
            sum(1 << level * n for level in range(many)) for many in range(levels + 1)
        ]
        self.known: dict[Hashable, Front] = {}
        self.target: int | None = None
        self.values: list[float] = []
        self.slack = 0.0

    @abstractmethod
    def settled(self, state: Any, live: int, lowest: int) -> int | None:
        """The outcome where nothing is left to choose, else ``None``."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[tuple[Hashable, Any, int]] | None:
        """Declarer's moves, the positions after them, and tricks won by that; ``None``
        on a defender's turn.
        """

    @abstractmethod
    def replies(
        self, state: Any, live: int
    ) -> Sequence[tuple[Hashable, int, Any, int]]:
        """The same of a defender, with the layouts in which the reply is possible."""

    def bound(self, _state: Any, live: int, _lowest: int) -> int:
        """An outcome that has every other as part: everything, where nothing better is
        known.
        """
        return self.all(live)

    def optimum(
        self, state: Any, live: int, lowest: int, values: Floats
    ) -> tuple[int, Plan]:
        """The outcome with the highest value, and its plan; ``values``: (levels, n)
        what each bit is worth, ≥ 0.
        """
        self.target = target = self.bound(state, live, lowest)
        self.values = np.asarray(values, np.float64).ravel().tolist()
        self.slack = 1e-9
        while True:
            self.known = {}
            if found := self.front(state, live, lowest):
                self.target = None
                return min(found, key=lambda one: self._behind(one[0], target))
            self.slack = max(0.01, 2.0 * self.slack)

    def _behind(self, outcome: int, target: int) -> float:
        missing, values, lost = target & ~outcome, self.values, 0.0
        while missing:
            low = missing & -missing
            lost += values[low.bit_length() - 1]
            missing ^= low
        return lost

    def reached(self, live: int, tricks: int, lowest: int) -> int:
        """The outcome of so many tricks in each of these layouts."""
        return live * self.units[min(self.levels, max(0, tricks - lowest + 1))]

    def all(self, live: int) -> int:
        return live * self.units[-1]

    def front(self, state: Any, live: int, lowest: int) -> Front:
        if (outcome := self.settled(state, live, lowest)) is not None:
            return ((outcome, None),)
        options = self.moves(state)
        if options is None:
            return self._replied(state, live, lowest)
        key = state, live, lowest
        if key not in self.known:
            self.known[key] = self._chosen(options, live, lowest)
        return self.known[key]

    def _chosen(
        self, options: Sequence[tuple[Hashable, Any, int]], live: int, lowest: int
    ) -> Front:
        bounds = [self.bound(after, live, lowest - won) for _, after, won in options]
        if self.target is not None:  # no layout can give more than at the start
            bounds = [bound & self.target for bound in bounds]
        limit = 0
        for bound in bounds:
            limit |= bound
        best: Front = ()
        for place in sorted(
            range(len(options)), key=lambda place: -bounds[place].bit_count()
        ):
            if any(bounds[place] & outcome == bounds[place] for outcome, _ in best):
                continue
            if (
                self.target is not None
                and self._behind(bounds[place], self.target & self.all(live))
                > self.slack
            ):
                continue
            move, after, won = options[place]
            found = self.front(after, live, lowest - won)
            best = self.best(
                (*best, *((outcome, (move, plan)) for outcome, plan in found)), live
            )
            if best and best[0][0] == limit:
                break
        return best

    def _replied(self, state: Any, live: int, lowest: int) -> Front:
        joined: Front = ((self.all(live), ()),)
        for label, here, after, won in self.replies(state, live):
            elsewhere = self.all(live & ~here)
            found = self.front(after, here, lowest - won)
            joined = self.best(
                tuple(
                    (old & (new | elsewhere), (*plans, (label, plan)))
                    for old, plans in joined
                    for new, plan in found
                ),
                live,
            )
            if not joined:
                break
        return joined

    def best(self, outcomes: Front, live: int) -> Front:
        """Those that are not part of another, of equal ones the first, and not too far
        behind.
        """
        kept: list[tuple[int, Plan]] = []
        if self.target is not None:
            target = self.target & self.all(live)
            cut = ((outcome & target, plan) for outcome, plan in outcomes)
            outcomes = tuple(
                one for one in cut if self._behind(one[0], target) <= self.slack
            )
        for outcome, plan in sorted(outcomes, key=lambda one: -one[0].bit_count()):
            self.work += len(kept) + 1
            if self.work > self.most_work:
                raise TooMuchWork(f"more than {self.most_work} comparisons")
            if not any(outcome & other == outcome for other, _ in kept):
                kept.append((outcome, plan))
        return tuple(kept)

    def shares(self, outcome: int, weights: Floats) -> Floats:
        """(levels,) P(so many tricks or more) by an outcome, from (n,) weights of the
        layouts.
        """
        octets = np.frombuffer(
            outcome.to_bytes(-(-self.levels * self.n // 8), "little"), np.uint8
        )
        bits = np.unpackbits(octets, bitorder="little")[: self.levels * self.n].reshape(
            self.levels, self.n
        )
        return np.minimum(np.asarray(bits @ weights, np.float64), 1.0)
