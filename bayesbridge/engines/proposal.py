"""A distribution over the layouts that fit, tilted towards those that explain the soft evidence.

``q = (1 - spread) · Π_seats tilt(hand) / normaliser + spread · uniform``: seats take their cards one after the
other, each by a weighted split of what is left (:mod:`~bayesbridge.engines.tilt_split`), the last two in one split; so
the first part is drawn without rejection and its density is known for every layout. The uniform part keeps the density
above spread / number of layouts everywhere, whatever the tilts.

Only the splits know the hard evidence about the seats that they deal to. With three hidden hands, evidence about the
second and third may leave a first hand without any completion. Such a draw is *dead*: it is told, not repeated, and
counts as a layout of weight 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol, Self

import numpy as np

from bayesbridge.constraints import Constraints
from bayesbridge.engines.tilt_split import HONOUR_POINTS, Tilt, side, split
from bayesbridge.engines.tilt_sums import Floats, Hands, Ints, Side
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, seed_state

SPREAD: Final = 0.05
"""Share of the uniform distribution."""


class Uniform(Protocol):
    """Exact uniform draws over the layouts that fit, as :class:`~bayesbridge.engines.sampling.Sampler` makes them."""

    @property
    def total(self) -> int:
        """The exact number of layouts."""
        ...

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent uniform layouts: (n, 4) masks."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A tilted distribution over the layouts that some constraints allow.

    order: the hidden seats in the order in which they take cards
    tilts: one a seat, N E S W; all with the same points of honours

    >>> from bayesbridge.engines.sampling import Sampler
    >>> known = Constraints.free().hold(2, 0x1FFF)
    >>> flat = Proposal.flat(known, Sampler.of(known))
    >>> layouts, log_q = flat.draw(4, rng=1)
    >>> bool(np.allclose(log_q, -math.log(84478098072866400)))
    True
    """

    known: Constraints
    sampler: Uniform
    order: tuple[int, ...]
    tilts: tuple[Tilt, ...]
    spread: float = SPREAD

    @classmethod
    def flat(cls, constraints: Constraints, sampler: Uniform, worth: Ints = HONOUR_POINTS) -> Self:
        """The uniform distribution; other points than high-card points count where no hard evidence is about these."""
        known = constraints.normalised()
        none = Tilt.none(HONOUR_POINTS if known.bounded else worth)
        return cls(known, sampler, known.hidden, (none,) * 4, 1.0)

    @property
    def worth(self) -> Ints:
        """(16,) points of a set of honours."""
        return self.tilts[0].worth

    @property
    def splits(self) -> tuple[tuple[Side, Side], ...]:
        """Who takes cards from whom, one split after the other."""
        sides = []
        for step, seat in enumerate(self.order[:-1]):
            others = self.order[step + 1 :]
            tilt = self.tilts[others[0]] if len(others) == 1 else Tilt.none(self.worth)
            sides.append((side(self.known, (seat,), self.tilts[seat]), side(self.known, others, tilt)))
        return tuple(sides)

    def draw(self, n: int, rng: Seed = None) -> tuple[Masks, Floats]:
        """``n`` independent layouts (n, 4) with log density (n,); a dead draw is a row of zeros of log density -inf."""
        generator = np.random.default_rng(rng)
        if self.uniform:
            layouts = self.sampler.draw(n, generator)
            return layouts, self.log_q(layouts)
        from_tilts = generator.random(n) >= self.spread
        many = int(from_tilts.sum())
        layouts, log_q = np.empty((n, 4), dtype=np.uint64), np.empty(n)
        plain = self.sampler.draw(n - many, generator)
        layouts[~from_tilts], log_q[~from_tilts] = plain, self.log_tilted(plain)
        layouts[from_tilts], log_q[from_tilts] = self._draw_tilted(many, generator)
        return layouts, self._mixed(log_q)

    def _draw_tilted(self, n: int, generator: np.random.Generator) -> tuple[Masks, Floats]:
        layouts = np.tile(np.array(self.known.must, dtype=np.uint64), (n, 1))
        left = np.full(n, self.known.unknown_mask, dtype=np.uint64)
        log_q = np.zeros(n)
        for seat, (one, rest) in zip(self.order, self.splits, strict=False):
            layouts[:, seat], log_sum = split(one, rest, left, seed_state(generator), self.worth)
            log_q += self.tilts[seat].log(layouts[:, seat]) - log_sum
            left &= ~layouts[:, seat]
        layouts[:, self.order[-1]] |= left
        log_q += self.tilts[self.order[-1]].log(layouts[:, self.order[-1]])
        dead = (layouts == 0).any(axis=1)
        layouts[dead], log_q[dead] = 0, -np.inf
        return layouts, log_q

    @property
    def uniform(self) -> bool:
        """Whether all layouts are equally likely."""
        return self.spread >= 1.0 or len(self.order) < 2

    def log_q(self, layouts: Masks) -> Floats:
        """(n,) log density of (n, 4) layouts that the constraints allow."""
        if self.uniform:
            return np.full(len(layouts), -math.log(self.sampler.total))
        return self._mixed(self.log_tilted(layouts))

    def _mixed(self, log_tilted: Floats) -> Floats:
        """The density of both parts; that of a dead draw stays 0."""
        tilted: Floats = math.log1p(-self.spread) + log_tilted
        if self.spread == 0.0:
            return tilted
        plain = math.log(self.spread / self.sampler.total)
        return np.where(log_tilted == -np.inf, -np.inf, np.logaddexp(tilted, plain))

    def log_tilted(self, layouts: Masks) -> Floats:
        """(n,) log density of the tilted part."""
        total = np.zeros(len(layouts))
        for seat in self.order:
            total += self.tilts[seat].log(layouts[:, seat])
        for step, (one, rest) in enumerate(self.splits):
            left = self.left(layouts, step)
            total -= split(one, rest, left[:1] if step == 0 else left, None, self.worth)[1]
        return total

    def left(self, layouts: Masks, step: int) -> Hands:
        """(n,) the unknown cards that are left for split number ``step``."""
        left = np.full(len(layouts), self.known.unknown_mask, dtype=np.uint64)
        for seat in self.order[:step]:
            left &= ~layouts[:, seat]
        return left
