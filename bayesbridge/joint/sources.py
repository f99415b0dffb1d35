"""Layouts summed out: the marginal likelihood of a style.

The style model reads nothing of a hand but its five cells, so layouts with the same cells are one *row* with a weight:
how many there are, each weighed by the likelihood of the other evidence. With every layout enumerated the sum over rows
is exact, however many layouts there are; with layouts drawn from a density q it is an importance sampling estimate,
each draw with weight 1 / q. ::

    m(θ) = Σ_rows weight · P(their calls ∣ cells, θ)

is all that NUTS, or any other sampler of at most four numbers, needs. Draws come from the tilted engine; its target has
the style summed out over a few points of its prior given the records, so the proposal is fitted to P(calls ∣ layout).

A cell enters the utility of the options in its strain alone, so utilities are computed once for each cell that occurs
and looked up for the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.style import CELLS, LEANING, Cells, Options, Terms, cells
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.target import SoftEvidence, Term
from bayesbridge.engines.tilt import tilted_draws
from bayesbridge.engines.weights import Weights
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]


class Strain(NamedTuple):
    """The options of one strain: which they are, their terms by cell that occurs, and the cell of each row."""

    call: NDArray[np.int64]
    terms: Terms
    where: NDArray[np.intp]


class SeatChances(NamedTuple):
    """Everything about rows of cells and the calls of a seat but for the style.

    calls: for each call, its number, how many calls were legal, and the options by strain
    rows:  how many rows there are
    """

    calls: tuple[tuple[int, int, tuple[Strain, ...]], ...]
    rows: int

    @classmethod
    def of(cls, cell: Cells, made: Sequence[tuple[Options, int]]) -> SeatChances:
        """For (k, 5) cells of rows and the calls with their options."""
        unique = [np.unique(cell[:, strain], return_inverse=True) for strain in range(5)]
        calls = []
        for options, call in made:
            strains = []
            for strain, (used, where) in enumerate(unique):
                mine = options.strain == strain
                if mine.any():
                    here = Options(*(column[mine] for column in options))
                    strains.append(Strain(here.call, Terms.of(used[:, None], here), where))
            calls.append((call, 1 + len(options.call), tuple(strains)))
        return cls(tuple(calls), len(cell))

    def stretches(self, styles: int) -> list[slice]:
        """Slices of so many styles, each small enough for :meth:`of_styles`."""
        size = max(1, min(64, (1 << 20) // max(1, self.rows)))  # 8 MB of styles × rows
        return [slice(begin, min(begin + size, styles)) for begin in range(0, styles, size)]

    def of_styles(self, styles: Floats) -> Floats:
        """(d, k) probability of all calls, for (d, 4) styles."""
        found = np.ones((len(styles), self.rows))
        slip = styles[:, 3, None]
        for call, legal, strains in self.calls:
            total = np.ones((len(styles), self.rows))
            chosen: Floats | float = 1.0
            for calls, terms, where in strains:
                added = (styles[:, :1] + styles[:, 1:2] * LEANING[calls])[:, None]
                odds = np.exp(terms.utility(added) / styles[:, 2, None, None])
                total += odds.sum(axis=-1)[:, where]
                if call in calls:
                    chosen = odds[:, :, int(np.searchsorted(calls, call))][:, where]
            found *= slip / legal + (1.0 - slip) * chosen / total
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Layouts with a density.

    layouts:     all of them, or (n, 4) draws
    log_density: (n,) or one number for all: Σ f / density over the layouts estimates the mean of f over all that fit
    weights:     (n,) normalised weights for the likelihood that draws were fitted to; none where all are walked
    log_error:   one standard error of log P(soft evidence) that comes from the draws; 0 where all layouts are walked
    how:         in words
    warning:     of the engine behind the draws
    """

    layouts: Enumeration | Masks
    log_density: Floats | float
    weights: Floats
    log_error: float
    how: str
    warning: str = ""

    @classmethod
    def walked(cls, question: StyleQuestion) -> Source:
        """Every layout."""
        target = question.belief.target
        return cls(target.walk, float(np.log(float(target.count))), np.empty(0), 0.0, "all walked")

    @classmethod
    def drawn(cls, question: StyleQuestion, n: int, rng: np.random.Generator) -> Source:
        """About ``n`` draws of the tilted engine."""
        target = question.belief.target
        cloud = question.cloud_of_records(rng)
        points = cloud.draw(1, 64, rng)[0]
        styles = question.space.styles(points)
        style_weights = Weights(cloud.log_weight(points) + question.log_records(styles)).W

        def log_likelihood(hands: NDArray[np.uint64]) -> Floats:
            chances = SeatChances.of(cells(hands), question.calls)
            total = np.zeros(len(hands))
            for part in chances.stretches(len(styles)):
                total += style_weights[part] @ chances.of_styles(styles[part])
            with np.errstate(divide="ignore"):
                return np.minimum(np.log(total), 0.0)

        pieces = tuple(piece for one in target.soft.terms if one.seat == question.seat for piece in one.pieces)
        soft = SoftEvidence((*question.others.terms, Term(int(question.seat), pieces, log_likelihood)))
        found = tilted_draws(replace(target, soft=soft), n, rng, "they are too many to walk")
        likelihood, weights = found.log_likelihood, found.weights
        assert likelihood is not None
        used = weights > 0
        masks = found.stretch(0, len(found))[used]
        masks.setflags(write=False)
        density = likelihood[used] - np.log(weights[used]) - found.log_soft
        return cls(masks, density, weights[used], found.log_soft_error, f"{len(masks)} drawn", found.warning)

    @property
    def exact(self) -> bool:
        """Whether these are all layouts."""
        return isinstance(self.layouts, Enumeration)

    def blocks(self) -> Iterator[Masks]:
        """The layouts, some at a time."""
        return self.layouts.blocks(BLOCK) if isinstance(self.layouts, Enumeration) else iter([self.layouts])


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The layouts by what the style model sees of them.

    cell:   (k, 5) cells of each row
    log:    (k,) log weight of each row; the weights of all rows add up to P(the other evidence)
    row:    (n,) the row of each layout
    base:   (n,) log weight of each layout: log P(other evidence ∣ layout) − log density; sums up as the rows do
    others: (n,) log P(other evidence ∣ layout)
    """

    cell: Cells
    log: Floats
    row: NDArray[np.int64]
    base: Floats
    others: Floats

    @classmethod
    def of(cls, question: StyleQuestion, source: Source) -> Rows:
        """Sort layouts into rows."""
        codes, others = [], []
        for masks in source.blocks():
            codes.append(question.cells(masks).astype(np.int64) @ CELLS ** np.arange(5))
            others.append(question.others.of_layouts(masks))
        log = np.concatenate(others)
        base = log - source.log_density
        if (most := base.max()) == -np.inf:
            raise question.unexplained()
        found, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(base - most))
        used = weights > 0
        row = np.where(used, np.cumsum(used) - 1, 0)[row]
        cell = (found[used, None] // CELLS ** np.arange(5) % CELLS).astype(np.int16)
        return cls(cell, np.log(weights[used]) + most, row, base, log)

    def __len__(self) -> int:
        return len(self.cell)


def log_marginal(question: StyleQuestion, rows: Rows, style: Sequence[Any]) -> Any:
    """log m(θ) as an expression in the style variables; see :meth:`StyleBidder.log_chances`."""
    import pytensor.tensor as pt

    aggressiveness, preference, temperature, slip = (parameter[0] for parameter in style)
    log_likelihood = pt.as_tensor(rows.log)
    for options, call in question.calls:
        total, chosen = pt.ones(len(rows)), pt.ones(len(rows))
        for strain in np.unique(options.strain).tolist():
            here = Options(*(column[options.strain == strain] for column in options))
            used, where = np.unique(rows.cell[:, strain], return_inverse=True)
            added = aggressiveness + preference * LEANING[here.call]
            odds = pt.exp(Terms.of(used[:, None], here).utility(added) / temperature)
            total = total + odds.sum(axis=1)[where]
            if call in here.call:
                chosen = odds[:, int(np.searchsorted(here.call, call))][where]
        log_likelihood = log_likelihood + pt.log(slip / (1 + len(options.call)) + (1.0 - slip) * chosen / total)
    return pt.logsumexp(log_likelihood)
