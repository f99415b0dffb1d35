"""The proposal of ``importance``: layouts that fit, tilted towards soft evidence.

``q = (1 - spread) · Π_seats tilt(hand) / normaliser + spread · uniform``: seats take
their cards one after the other, each by a weighted split of what is left
(:mod:`~bayesbridge.engines.splits`), the last two in one split; so the first component
is drawn without rejection and its density is known for every layout. The uniform
component bounds the importance weights, whatever the tilts.

Splits use the hard evidence only of the seats that they deal to, so evidence about the
others may leave a first hand without any completion. Such a draw is *dead*: it is not
repeated, and counts as a layout of weight 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from bayesbridge.engines.splits import HONOUR_POINTS, HONOUR_SHIFT, Side, split
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.measures import LENGTH, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Floats, Hands, Masks
from bayesbridge.runtime.random64 import Seed, seed_state

if TYPE_CHECKING:
    from bayesbridge.engines.deal_tables import DealTable
    from bayesbridge.engines.tables import LayoutIndex

COUNT: Final = table(LENGTH)  # (8192,) cards of a field of 13 bits
_SUIT_SHIFTS: Final = np.arange(0, 52, 13)  # (4,) where suits begin in a mask
_MOST_POINTS: Final = 40  # in the deck

SPREAD: Final = 0.05  # share of the uniform distribution

type Uniform = LayoutIndex | DealTable
"""Exact uniform draws over the layouts that fit."""


class Tilt(NamedTuple):
    """The logarithm of a seat's tilt, in two tables.

    See :mod:`~bayesbridge.engines.splits`.
    """

    holding: Floats  #: (4, 14, 16) by suit, length and honours.
    points: Floats  #: (41,)
    coefficients: Floats | None
    """What the tables were made of, for a later fit to start from; ``None`` if the tilt
    is 1 for every hand.
    """

    @classmethod
    def none(cls) -> Self:
        """The tilt that is 1 for every hand."""
        return cls(np.zeros((4, 14, 16)), np.zeros(_MOST_POINTS + 1), None)

    def log(self, hands: Hands) -> Floats:
        """(n,) the logarithm of the tilt of (n,) hands."""
        if self.coefficients is None:
            return np.zeros(len(hands))
        shifted = hands[:, None] >> _SUIT_SHIFTS.astype(np.uint64)
        fields = shifted.astype(np.int64) & SUIT_MASK
        honours = fields >> HONOUR_SHIFT
        by_suit = self.holding[np.arange(4), COUNT[fields], honours]
        points = HONOUR_POINTS[honours].sum(axis=1)
        return np.asarray(by_suit.sum(axis=1) + self.points[points])


def side(constraints: Constraints, seats: tuple[int, ...], tilt: Tilt) -> Side:
    """One side of a split of cards: the bounds of some seats together, and their tilt.

    From normalised constraints, whose ``must`` and ``may`` are masks of the cards that
    a seat certainly has and may have. The tilt, a weight of hands by lengths, honours
    and points, is of a single seat's hand.
    """
    must = reduce(or_, [constraints.must[seat] for seat in seats])
    may = reduce(or_, [constraints.may[seat] for seat in seats])
    shortest = np.array([constraints.shortest[seat] for seat in seats]).sum(axis=0)
    longest = np.array([constraints.longest[seat] for seat in seats]).sum(axis=0)
    fewest_points = sum(constraints.points_low[seat] for seat in seats)
    most_points = sum(constraints.points_high[seat] for seat in seats)
    bounds = np.minimum([fewest_points, most_points], _MOST_POINTS)
    return Side(
        must=must >> _SUIT_SHIFTS & SUIT_MASK,
        may=may >> _SUIT_SHIFTS & SUIT_MASK,
        low=shortest,
        high=np.minimum(longest, 13),
        bounds=bounds,
        holding=np.exp(tilt.holding),
        points=np.exp(tilt.points),
    )


class Proposed(NamedTuple):
    """(n, 4) draws, and (n,) the logarithm of their density."""

    layouts: Masks
    log_q: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A tilted distribution over the layouts that constraints allow."""

    known: Constraints
    sampler: Uniform
    order: tuple[int, ...]  #: In which the hidden seats take their cards.
    tilts: tuple[Tilt, ...]  #: Of each seat.
    spread: float = SPREAD  #: The share of the uniform distribution.

    @property
    def splits(self) -> list[tuple[Side, Side]]:
        """Who takes cards from whom, one split after the other."""
        sides = []
        for step, seat in enumerate(self.order[:-1]):
            taker = side(self.known, (seat,), self.tilts[seat])
            waiting = self.order[step + 1 :]
            waiting_tilt = Tilt.none()
            if len(waiting) == 1:
                waiting_tilt = self.tilts[waiting[0]]
            sides.append((taker, side(self.known, waiting, waiting_tilt)))
        return sides

    def draw(self, n: int, rng: Seed = None) -> Proposed:
        """``n`` independent layouts with their log density.

        A draw is dead where the cards left for some seat make no hand that evidence
        allows: a row of zeros of log density -inf. So is one that meets no condition,
        such as "the pair has 25 points", that bounds of seats cannot hold.
        """
        generator = np.random.default_rng(rng)
        if self.uniform:
            layouts = self.sampler.draw(n, generator)
            log_q = np.full(n, -math.log(self.sampler.total))
        else:
            layouts, log_q = self._draw_mixed(n, generator)
        if self.known.conditions:
            log_q = np.where(self.known.meets(layouts), log_q, -np.inf)
        return Proposed(layouts, log_q)

    def _draw_mixed(self, n: int, generator: np.random.Generator) -> Proposed:
        """``n`` draws from the mixture of a uniform and a tilted part, in proportion.

        Each draw is uniform with the chance ``self.spread``. Its density is that of the
        mixture, whichever part it comes from.
        """
        is_tilted = generator.random(n) >= self.spread
        number_tilted = int(is_tilted.sum())
        layouts = np.empty((n, 4), dtype=np.uint64)
        log_tilted = np.empty(n)  # density of each draw under the tilted part
        uniform_layouts = self.sampler.draw(n - number_tilted, generator)
        layouts[~is_tilted] = uniform_layouts
        log_tilted[~is_tilted] = self.log_tilted(uniform_layouts)
        tilted = self._draw_tilted(number_tilted, generator)
        layouts[is_tilted] = tilted.layouts
        log_tilted[is_tilted] = tilted.log_q
        return Proposed(layouts, self.mixed(log_tilted))

    def _draw_tilted(self, n: int, generator: np.random.Generator) -> Proposed:
        """``n`` draws of the tilted part, with its density alone.

        The seats take their cards in order, each by a weighted split of what is left,
        and the last one takes the rest. The density is the product of the seats' tilts,
        divided by the sum of the weights of all ways to split at each step. A draw is
        dead, a row of zeros of density 0, where a split is impossible: the evidence
        about seats that wait was not looked at.
        """
        layouts = np.tile(np.array(self.known.must, dtype=np.uint64), (n, 1))
        left_over = np.full(n, self.known.unknown_mask, dtype=np.uint64)
        log_q = np.zeros(n)
        *splitting_seats, last_seat = self.order
        for seat, (taker, waiting) in zip(splitting_seats, self.splits, strict=True):
            hands, log_sums = split(taker, waiting, left_over, seed_state(generator))
            layouts[:, seat] = hands
            log_q += self.tilts[seat].log(hands) - log_sums
            left_over &= ~hands
        layouts[:, last_seat] |= left_over
        log_q += self.tilts[last_seat].log(layouts[:, last_seat])
        dead = (layouts == 0).any(axis=1)  # an impossible split gives an empty hand
        layouts[dead] = 0
        log_q[dead] = -np.inf
        return Proposed(layouts, log_q)

    @property
    def uniform(self) -> bool:
        """Whether all layouts are equally likely."""
        return self.spread >= 1.0 or len(self.order) < 2

    def mixed(self, log_tilted: Floats) -> Floats:
        """(n,) the log density of both parts together, from that of the tilted part.

        The density of a dead draw, one that is no layout, stays 0.
        """
        log_uniform = math.log(self.spread / self.sampler.total)
        log_tilted_part = math.log1p(-self.spread) + log_tilted
        log_q = np.logaddexp(log_tilted_part, log_uniform)
        return np.where(log_tilted == -np.inf, -np.inf, log_q)

    def log_tilted(self, layouts: Masks) -> Floats:
        """(n,) log density of the tilted part."""
        total = np.zeros(len(layouts))
        for seat in self.order:
            total += self.tilts[seat].log(layouts[:, seat])
        for step, (taker, waiting) in enumerate(self.splits):
            cards = self.left_over(layouts, step)
            total -= split(taker, waiting, cards, None).log_sums
        return total

    def left_over(self, layouts: Masks, step: int) -> Hands:
        """(n,) the unknown cards that are left for split number ``step``."""
        cards = np.full(len(layouts), self.known.unknown_mask, dtype=np.uint64)
        for seat in self.order[:step]:
            cards &= ~layouts[:, seat]
        return cards
