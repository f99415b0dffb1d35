"""Posterior: layouts with weights, how they were found, and the questions every posterior answers.

Exact posteriors hold every layout that fits, or the counting tables themselves; the others hold draws, and say what
those are worth. Marginals under hard evidence alone are exact whatever the number of layouts, since counting tables
give them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log, log2
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import UNSEEN, Belief
from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.marginals import Marginals
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.weights import Weights
from bayesbridge.layouts import Layouts, Masks
from bayesbridge.random64 import Seed

if TYPE_CHECKING:
    import xarray

Floats = NDArray[np.float64]

CARDS = tuple(str(Card(index)) for index in range(51, -1, -1))
"""Names of the cards in the order of hands: spades first, high cards first."""


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """P(layout ∣ evidence) for one belief.

    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> posterior
    <Posterior: sample, 20000 of 84478098072866400 layouts, ESS 20000>
    >>> round(posterior.card_probabilities().sel(card="SJ", seat="N").item(), 4), round(posterior.entropy_bits, 2)
    (0.3333, 56.23)
    >>> round(posterior.expect(lambda layouts: layouts.points()[:, 0] >= 12), 2)
    0.1
    """

    belief: Belief
    method: str
    """The engine: enumerate, sample, weights, smc or mcmc."""
    why: str
    """Why that engine, and what its answer is worth, in words."""
    count: int
    """How many layouts fit the hard evidence, exactly."""
    exact: bool
    """Whether every answer is exact, not only the marginals."""
    source: Masks | Enumeration
    sampler: Sampler
    weighting: Weights | None = None
    """Weights of the layouts; ``None`` where all count the same."""
    log_likelihood: Floats | None = None
    """(n,) log P(soft evidence ∣ layout), ``None`` without soft evidence."""
    log_soft: float = 0.0
    """log P(soft evidence ∣ hard evidence); ``nan`` where the engine does not tell."""
    log_soft_error: float = 0.0
    """About one standard error of ``log_soft``, 0 where it is exact."""
    ess: float = 0.0
    """How many independent draws the layouts are worth; their number where exact."""
    chains: int = 1
    """How many chains the draws come from, one after the other."""
    seed: int | None = None
    """What random numbers started from, as ``rng=`` takes it; ``None`` for a generator already in use."""
    asked: tuple[str, int] = ("auto", 20_000)
    """The method and the draws that were asked for: with the seed they give the same posterior again."""

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def layouts(self) -> Layouts:
        """All layouts of the posterior; with an open dummy these can be ten million, 32 bytes each."""
        return Layouts.adopt(self.source.stretch(0, len(self)) if isinstance(self.source, Enumeration) else self.source)

    @cached_property
    def weights(self) -> Floats:
        """(n,) normalised weights of the layouts, they add up to one."""
        return np.full(len(self), 1.0 / len(self)) if self.weighting is None else self.weighting.W

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[Masks, Floats]]:
        """All layouts with their weights, ``size`` at a time: memory stays flat however many there are."""
        for begin in range(0, len(self), size):
            end = min(begin + size, len(self))
            masks = self.source.stretch(begin, end) if isinstance(self.source, Enumeration) else self.source[begin:end]
            weights = np.full(end - begin, 1.0 / len(self)) if self.weighting is None else self.weights[begin:end]
            yield masks, weights

    def card_probabilities(self) -> xarray.DataArray:
        """P(seat holds card), card × seat; exact from the counting tables where the evidence is hard."""
        cards = self.marginals.cards() if self._soft else self.sampler.card_marginals() / self.count
        return _labelled(cards[::-1], "probability", card=CARDS, seat=[seat.name for seat in Seat])

    def length_probabilities(self) -> xarray.DataArray:
        """P(seat has so many cards of a suit), seat × suit × length."""
        lengths = self.marginals.lengths() if self._soft else self.sampler.length_distributions() / self.count
        names = {"seat": [seat.name for seat in Seat], "suit": [suit.name for suit in Suit]}
        return _labelled(lengths, "probability", **names, length=range(14))

    def point_probabilities(self) -> xarray.DataArray:
        """P(seat has so many high-card points), seat × points."""
        points = self.marginals.points[:, :38] if self._soft else self.sampler.point_distributions() / self.count
        return _labelled(points, "probability", seat=[seat.name for seat in Seat], points=range(38))

    @cached_property
    def marginals(self) -> Marginals:
        """Weighted sums over the layouts held; the methods above take exact counts instead where there are any."""
        sums = Marginals.empty()
        for masks, weights in self.blocks():
            sums.add(masks, weights)
        return sums

    @property
    def khat(self) -> float | None:
        """Pareto k̂ of the weights (above 0.7 they deceive); ``None`` where there is none."""
        return None if self.exact or self.weighting is None else self.weighting.khat

    @property
    def entropy_bits(self) -> float:
        """Entropy of the posterior in bits, from log₂ of the number of layouts down to 0.

        With weights w and likelihood L it is log₂ of the count plus log₂ of the mean L minus the posterior mean of
        log₂ L; ``nan`` where the engine does not tell the mean L.
        """
        if self.log_likelihood is None:
            return log2(self.count)
        used = self.weights > 0
        mean = float(np.dot(self.weights[used], self.log_likelihood[used]))
        # In this order a ``nan`` stays one: an engine that does not tell P(soft evidence) knows no entropy.
        return max(log2(self.count) + (self.log_soft - mean) / log(2.0), 0.0)

    @property
    def log_evidence(self) -> float:
        """log P(all evidence ∣ the observer's own hand): counted for hard evidence, estimated for soft unless exact."""
        return log(self.count) - log(UNSEEN) + self.log_soft

    def expect(self, quantity: Callable[[Layouts], NDArray[Any]]) -> NDArray[np.float64] | float:
        """Posterior mean of any function of a batch of layouts: (n,) or (n, …) in, a number or an array out."""
        total: NDArray[np.float64] | float = 0.0
        for masks, weights in self.blocks():
            values = np.asarray(quantity(Layouts(masks)), dtype=np.float64)
            total = total + np.tensordot(weights, values, axes=1)
        return float(total) if np.ndim(total) == 0 else total

    def resample(self, n: int, rng: Seed = None) -> Layouts:
        """``n`` layouts that count the same."""
        generator = np.random.default_rng(rng)
        if isinstance(self.source, Enumeration) and self.weighting is None:
            return Layouts.adopt(self.sampler.draw(n, generator))
        chosen = (self.weighting or Weights.equal(len(self))).resample(n, generator, "multinomial")
        if isinstance(self.source, Enumeration):
            return Layouts.adopt(self.source.unranking.layouts(chosen))
        return Layouts.adopt(self.source[chosen])

    @property
    def _soft(self) -> bool:
        return self.log_likelihood is not None

    def __repr__(self) -> str:
        worth = "exact" if self.exact else f"ESS {self.ess:.0f}"
        return f"<Posterior: {self.method}, {len(self)} of {self.count} layouts, {worth}>"


def _labelled(values: NDArray[Any], name: str, **coords: Any) -> xarray.DataArray:
    import xarray

    return xarray.DataArray(
        values, coords={key: list(names) for key, names in coords.items()}, dims=list(coords), name=name
    )
