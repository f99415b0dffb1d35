"""The values of expressions on a batch of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesbridge.cards import SUIT_MASK
from bayesbridge.dealing.expressions import Expression, Held, Ints, Leaf, Random, ShapeIn, Taken, evaluate
from bayesbridge.dealing.holdings import LENGTH, table
from bayesbridge.layouts import Masks
from bayesbridge.shapes import shape_table

if TYPE_CHECKING:
    from bayesbridge.dealing.solving import Solver


class LayoutValues:
    """(n, 4) layouts; what has been worked out once is kept.

    ``rng`` draws for ``rnd``, ``solver`` counts tricks; an expression with either needs it.
    """

    def __init__(self, masks: Masks, rng: np.random.Generator | None = None, solver: Solver | None = None) -> None:
        self.masks, self._rng, self._solver = masks, rng, solver
        self._fields: dict[tuple[int, int], Ints] = {}
        self._known: dict[Leaf, Any] = {}

    def of(self, expression: Expression) -> Ints:
        """(n,) the value for each layout."""
        found = evaluate(expression, self._leaf)
        return np.broadcast_to(np.asarray(found, dtype=np.int64), (len(self.masks),))

    def _leaf(self, leaf: Leaf) -> Any:
        if isinstance(leaf, Random):
            assert self._rng is not None
            bound = self.of(leaf.bound)
            return np.where(bound > 0, self._rng.integers(0, np.maximum(bound, 1)), 0)
        if leaf not in self._known:
            self._known[leaf] = self._value(leaf)
        return self._known[leaf]

    def _value(self, leaf: Leaf) -> Any:
        match leaf:
            case Held(measure, seat, suit):
                suits = range(4) if suit is None else (suit,)
                return sum(table(measure)[self._field(seat, one)] for one in suits)
            case ShapeIn(seat, shapes):
                clubs, diamonds, hearts = (table(LENGTH)[self._field(seat, suit)] for suit in range(3))
                return shape_table(shapes)[clubs, diamonds, hearts].astype(np.int64)
            case Taken(seat, strain):
                assert self._solver is not None
                return self._solver(self.masks, seat, strain)
        raise AssertionError(leaf)

    def _field(self, seat: int, suit: int) -> Ints:
        if (seat, suit) not in self._fields:
            field = self.masks[:, seat] >> np.uint64(13 * suit) & np.uint64(SUIT_MASK)
            self._fields[seat, suit] = field.astype(np.int64)
        return self._fields[seat, suit]
