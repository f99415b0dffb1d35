"""The joint question, and the space of styles that it is about.

A prior is normal on the scale of :class:`~bayesbridge.bidders.fit.Prior`, truncated where a style ends
(:data:`~bayesbridge.bidders.style.BOUNDS`). With α and β the bounds in spreads from the centre, ::

    z = Φ⁻¹(Φ(α) + Φ(ζ) (Φ(β) − Φ(α))),   value = link(centre + spread · z)

has the truncated prior where ζ is standard normal. NUTS takes z itself, with PyMC's own transformation of an interval.

With the layouts summed out, the posterior is a smooth density over at most four numbers ζ. A normal proposal is fitted
to it in rounds of adaptive importance sampling, tempered while the effective sample size is small, and mixed with a
tenth of the prior, so that no importance weight is larger than ten times the likelihood. Points are drawn from this
mixture in batches, each a Sobol' net with a random digital shift of its own: every batch is unbiased and they are
independent, so the spread between them is an error estimate, and each has smaller variance than independent draws
(A. B. Owen, "Monte Carlo theory, methods and examples", chapter 17).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri
from scipy.stats import qmc

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.fit import ENDS, STYLE, CallRecord, Design, Normal, Prior, log_calls
from bayesbridge.bidders.style import BOUNDS, Cells, Options, StyleBidder, cells
from bayesbridge.bidders.turn import Turn
from bayesbridge.deal import Seat
from bayesbridge.engines.target import SoftEvidence
from bayesbridge.engines.weights import Weights, standard_error, tempering
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks

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


type LogDensity = Callable[[Floats], Floats]
"""(n, dimensions) points → (n,) log likelihood of the style there."""

BATCHES: Final = 32

DEFENCE: Final = 0.1
"""Share of the prior in the mixture."""

_BITS: Final = 30


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """A mixture of a fitted normal distribution and the prior; ``mean`` (k,), ``root`` (k, k) lower triangular."""

    mean: Floats
    root: Floats

    @classmethod
    def prior(cls, dimensions: int) -> Cloud:
        """The prior itself."""
        return cls(np.zeros(dimensions), np.eye(dimensions))

    @classmethod
    def fitted(cls, points: Floats, weights: Floats) -> Cloud:
        """To (n, k) points with (n,) normalised weights; a little of the prior keeps every spread above nought."""
        mean = weights @ points
        centred = points - mean
        covariance = (weights[:, None] * centred).T @ centred
        covariance = 1.15**2 * covariance + 1e-6 * np.eye(len(mean))  # tails that are too wide cost little
        return cls(mean, np.linalg.cholesky(covariance))

    def draw(self, batches: int, n: int, rng: np.random.Generator) -> Floats:
        """(batches, n, k) points; n is a power of two."""
        k = len(self.mean)
        shift = rng.integers(0, 1 << _BITS, size=(batches, 1, k + 1))
        below = rng.random((batches, n, k + 1))
        uniform = ((_net(k + 1, n) ^ shift) + below) / (1 << _BITS)
        normal = ndtri(uniform[..., 1:].clip(1e-15, 1 - 1e-15))
        found: Floats = np.where(uniform[..., :1] < DEFENCE, normal, self.mean + normal @ self.root.T)
        return found

    def points(self, n: int, rng: np.random.Generator) -> Floats:
        """(BATCHES, m, k) points, ``n`` of them or some more; one where there is nothing to vary."""
        if not len(self.mean):
            return np.zeros((1, 1, 0))
        return self.draw(BATCHES, 1 << max(0, int(np.ceil(np.log2(n / BATCHES)))), rng)

    def log_density(self, points: Floats) -> Floats:
        """(…) log density of (…, k) points."""
        fitted = (points - self.mean) @ np.linalg.inv(self.root).T
        own = -0.5 * (fitted**2).sum(axis=-1) - np.log(np.diag(self.root)).sum()
        own += np.log1p(-DEFENCE)
        found: Floats = np.logaddexp(own, np.log(DEFENCE) + _log_prior(points)) - self._constant
        return found

    def log_weight(self, points: Floats) -> Floats:
        """(…) log of prior / density."""
        found: Floats = _log_prior(points) - self._constant - self.log_density(points)
        return found

    @property
    def _constant(self) -> float:
        return 0.5 * len(self.mean) * float(np.log(2 * np.pi))


def fit_cloud(log_likelihood: LogDensity, dimensions: int, rng: np.random.Generator) -> Cloud:
    """The mixture for a posterior ∝ standard normal · likelihood."""
    cloud = best = Cloud.prior(dimensions)
    best_share, before = 0.0, 0.0
    for _ in range(8):
        points = cloud.draw(1, 128, rng)[0]
        log = log_likelihood(points) + cloud.log_weight(points)
        share = Weights(log).ess / len(points)
        if share > best_share:
            best, best_share = cloud, share
        if share >= 0.6 or (share >= 0.3 and share < 1.1 * before):
            break
        before = share
        cloud = Cloud.fitted(points, Weights(tempering(log, 24.0, halvings=12) * log).W)
    return best


def log_mean(batches: Floats) -> tuple[float, float]:
    """The logarithm of the mean over (B,) batches, and one standard error of it."""
    mean = float(batches.mean())
    return float(np.log(mean)), float(standard_error(batches / mean - 1.0))


def _log_prior(points: Floats) -> Floats:
    found: Floats = -0.5 * (points**2).sum(axis=-1)
    return found


@lru_cache(maxsize=16)
def _net(dimensions: int, n: int) -> NDArray[np.int64]:
    """(n, dimensions) the first points of Sobol's sequence as whole numbers."""
    net: NDArray[np.int64] = (qmc.Sobol(dimensions, scramble=False, bits=_BITS).random(n) * (1 << _BITS)).astype(
        np.int64
    )
    net.setflags(write=False)
    return net


@dataclass(frozen=True, eq=False)
class StyleQuestion:
    """A belief in style bidders, one seat whose style is not known, and what is known of that style beforehand.

    space:  the numbers of the style that are not known, and their prior
    calls:  for each call of the seat in this auction, what its options were and which it was
    others: all other soft evidence: calls of the other seats, who bid as the belief says, and cards weighed by a model
    design: the calls on record of the same player, ``None`` if there are none
    """

    belief: Belief
    seat: Seat
    space: StyleSpace
    calls: tuple[tuple[Options, int], ...]
    others: SoftEvidence
    design: Design | None

    @classmethod
    def of(cls, belief: Belief, seat: Seat | str, records: Sequence[CallRecord], prior: Prior) -> StyleQuestion:
        """Put the question; it needs a call of the seat, and records of one player."""
        caller, auction = Seat.of(seat), belief.auction
        if caller == belief.observer:
            raise BayesBridgeError(f"{caller.name} is the observer, who knows that hand: name another", seat=caller)
        calls = [] if auction is None else [(index, who) for index, (who, _) in enumerate(auction)]
        if auction is None or not any(who == caller for _, who in calls):
            raise BayesBridgeError(f"{caller.name} has not called: give the calls as evidence first", seat=caller)
        bidder = belief.bidder
        if not isinstance(bidder, StyleBidder):
            raise BayesBridgeError(
                f"the belief takes the others for {type(bidder).__name__}, which has no style to learn: "
                "ask about belief.with_bidder(bb.StyleBidder())",
                bidder=bidder,
            )
        turns = [Turn.of(auction, index) for index, who in calls if who == caller]
        players = sorted({record.player for record in records})
        if len(players) > 1:
            raise BayesBridgeError(
                f"records of {', '.join(players)}: give those of {caller.name} alone", players=players
            )
        return cls(
            belief,
            caller,
            StyleSpace.of(prior),
            tuple((Options.of(turn.before, bidder.vulnerable), turn.call.index) for turn in turns),
            SoftEvidence(tuple(one for one in belief.target.soft.terms if one.seat != caller or one.call is None)),
            Design.of(records, players) if records else None,
        )

    def log_records(self, styles: Floats) -> Floats:
        """(d,) log P(the calls on record) for (d, 4) styles."""
        total = np.zeros(len(styles))
        if self.design is not None:
            at = np.arange(len(self.design.call)), self.design.call
            for row, style in enumerate(styles):
                total[row] = np.log(self.design.probabilities(style[None, None])[0][at]).sum()
        return total

    def log_of_records(self, n: int, rng: np.random.Generator) -> tuple[float, float]:
        """log P(the calls on record) with the style summed out over ``n`` points or some more, and its error."""
        if self.design is None:
            return 0.0, 0.0
        cloud = self.cloud_of_records(rng)
        points = cloud.points(n, rng)
        log = cloud.log_weight(points) + self.log_records(self.space.styles(points).reshape(-1, 4)).reshape(
            points.shape[:2]
        )
        found, error = log_mean(np.exp(log - log.max()).mean(axis=1))
        return found + float(log.max()), error

    def cloud_of_records(self, rng: np.random.Generator) -> Cloud:
        """A mixture that covers what is known of the style before this auction."""
        if self.design is None:
            return Cloud.prior(len(self.space))
        return fit_cloud(lambda points: self.log_records(self.space.styles(points)), len(self.space), rng)

    def cells(self, masks: Masks) -> Cells:
        """(n, 5) cells of the seat's hands."""
        return cells(masks[:, self.seat])

    def style(self) -> list[Any]:
        """The style as variables of the PyMC model in context, the records already weighed in; each (1,)."""
        import pymc as pm

        variables = self.space.variables()
        if self.design is not None:
            pm.Potential("records", log_calls(self.design, variables).sum())
        return variables

    def unexplained(self) -> Contradiction:
        """The error for other evidence that no layout explains."""
        return Contradiction(
            f"no layout explains what the others called under {self.belief.bidder!r}: "
            "give the model a slip (slip=0.02), or take a call back",
            evidence=self.belief.evidence,
        )
