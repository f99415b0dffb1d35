"""A distribution over the layouts that fit, tilted towards those that explain the soft evidence.

``q = (1 - spread) · Π_seats tilt(hand) / normaliser + spread · uniform``: seats take their cards one after the other, each
by a weighted split of what is left (:mod:`~bayesbridge.engines.tilt_split`), the last two in one split; so the first
part is drawn without rejection and its density is known for every layout. The uniform part keeps the density above
spread / number of layouts everywhere, whatever the tilts.

Only the splits know the hard evidence about the seats that they deal to. With three hidden hands, evidence about the
second and third may leave a first hand without any completion. Such a draw is *dead*: it is told, not repeated, and
counts as a layout of weight 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from bayesbridge.constraints import SEATS, Constraints
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.tilt_kernels import Side
from bayesbridge.engines.tilt_split import Floats, Hands, Tilt, side, split
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, seed_state

SPREAD: Final = 0.05
"""Share of the uniform distribution."""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A tilted distribution over the layouts that some constraints allow.

    order: the hidden seats in the order in which they take cards
    tilts: one a seat, N E S W

    >>> known = Constraints.free().hold(2, 0x1FFF)
    >>> flat = Proposal.flat(known, Sampler.of(known))
    >>> layouts = flat.draw(4, rng=1)
    >>> bool(np.allclose(flat.log_q(layouts), -math.log(84478098072866400)))
    True
    """

    known: Constraints
    sampler: Sampler
    order: tuple[int, ...]
    tilts: tuple[Tilt, ...]
    spread: float = SPREAD

    @classmethod
    def flat(cls, constraints: Constraints, sampler: Sampler) -> Self:
        """The uniform distribution."""
        known = constraints.normalised()
        return cls(known, sampler, known.hidden, (Tilt.none(),) * 4, 1.0)

    @property
    def splits(self) -> tuple[tuple[Side, Side], ...]:
        """Who takes cards from whom, one split after the other."""
        sides = []
        for step, seat in enumerate(self.order[:-1]):
            others = self.order[step + 1 :]
            tilt = self.tilts[others[0]] if len(others) == 1 else Tilt.none()
            sides.append((side(self.known, (seat,), self.tilts[seat]), side(self.known, others, tilt)))
        return tuple(sides)

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent layouts (n, 4); a dead draw is a row of zeros."""
        generator = np.random.default_rng(rng)
        if self.spread >= 1.0 or len(self.order) < 2:
            return self.sampler.draw(n, generator)
        from_tilts = generator.random(n) >= self.spread
        layouts = np.empty((n, 4), dtype=np.uint64)
        layouts[~from_tilts] = self.sampler.draw(int(n - from_tilts.sum()), generator)
        layouts[from_tilts] = self._draw_tilted(int(from_tilts.sum()), generator)
        return layouts

    def _draw_tilted(self, n: int, generator: np.random.Generator) -> Masks:
        layouts = np.tile(np.array(self.known.must, dtype=np.uint64), (n, 1))
        left = np.full(n, self.known.unknown_mask, dtype=np.uint64)
        dead = np.zeros(n, dtype=np.bool_)
        for seat, (one, rest) in zip(self.order, self.splits, strict=False):
            hands, _ = split(one, rest, left, seed_state(generator))
            dead |= hands == 0
            layouts[:, seat] = hands
            left &= ~hands
        layouts[:, self.order[-1]] |= left
        layouts[dead] = 0
        return layouts

    def log_q(self, layouts: Masks) -> Floats:
        """(n,) log density of (n, 4) layouts that the constraints allow."""
        uniform = -math.log(self.sampler.total)
        if self.spread >= 1.0 or len(self.order) < 2:
            return np.full(len(layouts), uniform)
        tilted = math.log1p(-self.spread) + self.log_tilted(layouts)
        return tilted if self.spread == 0.0 else np.logaddexp(tilted, math.log(self.spread) + uniform)

    def log_tilted(self, layouts: Masks) -> Floats:
        """(n,) log density of the tilted part."""
        total = np.zeros(len(layouts))
        for seat in self.order:
            total += self.tilts[seat].log(layouts[:, seat])
        for step, (one, rest) in enumerate(self.splits):
            left = self.left(layouts, step)
            total -= split(one, rest, left[:1] if step == 0 else left, None)[1]
        return total

    def left(self, layouts: Masks, step: int) -> Hands:
        """(n,) the unknown cards that are left for split number ``step``."""
        left = np.full(len(layouts), self.known.unknown_mask, dtype=np.uint64)
        for seat in self.order[:step]:
            left &= ~layouts[:, seat]
        return left


def dead(layouts: Masks) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(n,) which draws are dead."""
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = layouts[:, SEATS[0]] == 0
    return found
