"""The numbers of a style on scales where they have a standard normal prior, whatever the prior and its bounds.

A prior is normal on the scale of :class:`~bayesbridge.bidders.fit.Prior`, cut off where a style ends
(:data:`~bayesbridge.bidders.style.BOUNDS`). With α and β the bounds in spreads from the centre, ::

    z = Φ⁻¹(Φ(α) + Φ(ζ) (Φ(β) − Φ(α))),   value = link(centre + spread · z)

has the cut-off prior where ζ is standard normal. NUTS takes z itself, with PyMC's own transformation of an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from bayesbridge.bidders.fit import ENDS, Normal, Prior
from bayesbridge.bidders.style import BOUNDS, StyleBidder
from bayesbridge.bidders.styles import STYLE

Floats = NDArray[np.float64]

FAR: Final = 5.0
"""Spreads from the centre beyond which a bound is as good as none: a style beyond has probability 10⁻⁶, and is moved
to the bound."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One number that is not known: its place among the four, its prior, its bounds in spreads from the centre."""

    column: int
    prior: Normal
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        """Whether the prior reaches a bound."""
        return self.low > -FAR or self.high < FAR

    def z(self, zeta: Floats) -> Floats:
        """From standard normal ζ to z; through the nearer tail, so that no digit is lost."""
        if not self.bounded:
            return zeta
        below = zeta < 0
        share = ndtr(self.high) - ndtr(self.low)
        tail = ndtri(np.where(below, ndtr(self.low), ndtr(-self.high)) + ndtr(-np.abs(zeta)) * share)
        found: Floats = np.where(below, tail, -tail).clip(self.low, self.high)
        return found

    def zeta(self, z: Floats) -> Floats:
        """The inverse of :meth:`z`."""
        if not self.bounded:
            return z
        share = ndtr(self.high) - ndtr(self.low)
        lower = ndtri((ndtr(z) - ndtr(self.low)).clip(1e-15) / share)
        upper = ndtri((ndtr(-z) - ndtr(-self.high)).clip(1e-15) / share)
        found: Floats = np.where(lower < 0, lower, -upper)
        return found


@dataclass(frozen=True, slots=True)
class StyleSpace:
    """The style of one player under a prior."""

    prior: Prior
    axes: tuple[Axis, ...]

    @classmethod
    def of(cls, prior: Prior) -> StyleSpace:
        """A space of as many dimensions as there are numbers that are not known."""
        axes = []
        for column, (own, (low, high)) in enumerate(zip(prior.normals(), ENDS.values(), strict=True)):
            if own.spread > 0:
                axes.append(Axis(column, own, (low - own.centre) / own.spread, (high - own.centre) / own.spread))
        return cls(prior, tuple(axes))

    def __len__(self) -> int:
        return len(self.axes)

    def styles(self, zeta: Floats) -> Floats:
        """(…, 4) styles, in the order of ``STYLE``, of (…, dimensions) points."""
        scaled = np.empty((*zeta.shape[:-1], len(STYLE)))
        scaled[:] = [own.centre for own in self.prior.normals()]
        for place, axis in enumerate(self.axes):
            scaled[..., axis.column] += axis.prior.spread * axis.z(zeta[..., place])
        return _linked(scaled)

    def points(self, z: Floats) -> Floats:
        """(n, dimensions) ζ of (n, dimensions) values of the variables z of PyMC."""
        return np.stack([axis.zeta(z[:, place]) for place, axis in enumerate(self.axes)], axis=1)

    def bidder(self, point: Mapping[str, Any]) -> StyleBidder:
        """The player at a point of PyMC, which has its variables on transformed scales."""
        scaled = np.array([own.centre for own in self.prior.normals()])
        for axis in self.axes:
            name = f"z_{STYLE[axis.column]}"
            value = float(np.ravel(point[f"{name}_interval__" if axis.bounded else name])[0])
            z = axis.low + (axis.high - axis.low) * float(expit(value)) if axis.bounded else value
            scaled[axis.column] += axis.prior.spread * z
        return StyleBidder(*_linked(scaled).tolist())

    def variables(self) -> list[Any]:
        """The four parameters as variables of the PyMC model in context, each (players,); also as draws to keep."""
        import pymc as pm
        import pytensor.tensor as pt

        links = (lambda x: x, lambda x: x, pt.exp, pt.sigmoid)
        axes = {axis.column: axis for axis in self.axes}
        found = []
        for column, (name, own, link) in enumerate(zip(STYLE, self.prior.normals(), links, strict=True)):
            value: Any = pt.as_tensor(np.full(1, own.centre))
            if (axis := axes.get(column)) is not None:
                if axis.bounded:
                    z = pm.TruncatedNormal(f"z_{name}", 0.0, 1.0, lower=axis.low, upper=axis.high, dims="player")
                else:
                    z = pm.Normal(f"z_{name}", dims="player")
                value = pt.clip(own.centre + own.spread * z, *list(ENDS.values())[column])
            found.append(pm.Deterministic(name, link(value), dims="player"))
        return found


def _linked(scaled: Floats) -> Floats:
    """Styles from values on the scale of the prior, within the bounds whatever the rounding."""
    found = np.stack([scaled[..., 0], scaled[..., 1], np.exp(scaled[..., 2]), expit(scaled[..., 3])], axis=-1)
    low, high = np.array([BOUNDS[name] for name in STYLE]).T
    inside: Floats = found.clip(low, high)
    return inside
