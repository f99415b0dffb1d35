"""Importance weights, their diagnostics, and the standard errors of what they estimate.

Draws weighted by ``w = P(soft evidence | layout)`` estimate any posterior mean by ``Σ W
f`` with ``W = w / Σ w``. Two diagnostics say how far to trust them: Kish's effective
sample size ``1 / Σ W²``, the number of unweighted draws with the same variance, and the
Pareto shape k̂ of the largest weights (Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto
smoothed importance sampling", 2024): whether heavier ones are still to be expected.

**Batches.** Where the weight of a layout is an average over draws of something else (a
bidding style), all layouts share those draws, in B batches. With r_b the weight by
batch b relative to the mean over batches, a posterior mean p = Σ W f moves by e_b = Σ W
r_b (f − p) if batch b alone is used, and its standard error is √(Σ e_b² / B (B − 3)):
with B − 1 in place of B − 3 it would be too small in the mean square, since the
variance of Student's t is (B − 1) / (B − 3). Where the layouts were drawn too, their
own share √(Σ W² (f − p)²) is added in squares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import Contradiction
from bayesbridge.game.layouts import Floats, read_only

if TYPE_CHECKING:
    from bayesbridge.runtime.random64 import Seed


class Estimate[Value](NamedTuple):
    """A mean, or another figure, and one standard error of it.

    They are numbers, or arrays of one shape.
    """

    mean: Value
    error: Value


def with_errors(figures: Mapping[str, Estimate[float]]) -> dict[str, float]:
    """As plain data: each figure by its name, its error as ``…_error``."""
    plain = {}
    for name, estimate in figures.items():
        plain[name] = estimate.mean
        plain[f"{name}_error"] = estimate.error
    return plain


EQUAL: Final = 1e-9  # log weights that differ by less are the same but for rounding
FEWEST_IN_TAIL: Final = 5  # largest weights that tell a Pareto shape

# PSIS fits the tail of the 3 √n largest weights of n, at most a fifth.
TAIL_ROOTS: Final = 3
TAIL_SHARE: Final = 5

WEIGHT_DECIMALS: Final = 4
"""Decimals of log weights that count. A model in single precision gives a hand slightly
different likelihoods, depending on which other hands it evaluates at the same time.
"""


@dataclass(frozen=True, eq=False)
class Weights:
    """Immutable log weights of n draws."""

    log: NDArray[np.float64]
    """(n,) log weights, not normalised; -inf for a layout that the evidence excludes."""

    def __post_init__(self) -> None:
        log = np.array(self.log, dtype=np.float64)
        if float(log.max(initial=-np.inf)) == -np.inf:
            raise Contradiction(
                "the soft evidence is impossible under the model: "
                f"its likelihood is 0 on all {len(log)} layouts drawn; "
                "give the model a slip probability (slip=0.01, say), or check the calls",
                evidence=(),
                draws=len(log),
            )
        object.__setattr__(self, "log", read_only(log))

    @cached_property
    def W(self) -> NDArray[np.float64]:
        """(n,) normalised weights, ≥ 0, sum to one."""
        relative = np.exp(self.log - self.log.max())
        return read_only(relative / relative.sum())

    @property
    def log_mean(self) -> float:
        """Log of the mean weight.

        It is log P(soft evidence ∣ hard evidence) when the draws are uniform.
        """
        largest = float(self.log.max())
        relative_sum = float(np.exp(self.log - largest).sum())
        return largest + math.log(relative_sum) - math.log(len(self))

    @property
    def ess(self) -> float:
        """Kish's effective sample size, 1 ≤ 1 / Σ W² ≤ n."""
        return min(float(len(self)), 1.0 / float(self.W @ self.W))

    def log_mean_error(self, drawn: int | None = None) -> float:
        """Standard error of :attr:`log_mean`.

        ``drawn``: how many draws were made, where those without weight are left out.
        """
        drawn = drawn or len(self)
        # Equal weights are no proof that heavier ones do not exist: they state the error
        # of one more draw.
        if drawn == len(self) and float(np.ptp(self.log)) < EQUAL:
            return 1.0 / drawn
        return math.sqrt(max(0.0, drawn / self.ess - 1.0) / max(1, drawn - 1))

    @cached_property
    def khat(self) -> float | None:
        """Pareto k̂ of the largest weights, as PSIS fits it.

        It says whether heavier weights are still to be expected: above 0.7 they are.
        ``None`` where all are equal, or fewer than 25. Layouts often share their weight,
        which the fit of a continuous distribution does not allow for: equal weights are
        spread evenly. A largest weight that was met five times ends the tail, and k̂ is
        at most 0.
        """
        positive = self.log[self.log > -np.inf]
        log_relative = np.round(positive - self.log.max(), WEIGHT_DECIMALS)
        weights = np.sort(np.exp(log_relative))
        longest_tail = min(len(self) // TAIL_SHARE, len(weights) - 1)
        tail = min(int(TAIL_ROOTS * math.sqrt(len(self))), longest_tail)
        equal = weights[-1] - weights[0] < EQUAL * weights[-1]
        if tail < FEWEST_IN_TAIL or equal:
            return None
        spread_weights = _spread_evenly(weights)
        threshold = spread_weights[-tail - 1]
        shape = pareto_shape(spread_weights[-tail:] - threshold)
        met_largest = np.count_nonzero(weights == weights[-1])
        if met_largest >= FEWEST_IN_TAIL:
            return min(shape, 0.0)
        return shape

    def resample(
        self,
        n: int,
        rng: Seed,
        method: Literal["systematic", "multinomial"] = "systematic",
    ) -> NDArray[np.int64]:
        """Indices of n draws that count the same.

        ``systematic``: each ⌊n W⌋ or ⌈n W⌉ times, in rising order.
        """
        from bayesbridge.runtime.random64 import generator

        numbers = generator(rng)
        if method == "systematic":
            points = (numbers.random() + np.arange(n)) / n
        else:
            points = numbers.random(n)
        cumulative = np.cumsum(self.W)
        # Rounding may leave the sum short of one, or lift a point onto it: the last
        # draw that has weight takes those.
        last_weighted = int(np.flatnonzero(self.W)[-1])
        draws: NDArray[np.int64] = np.searchsorted(
            cumulative, points * cumulative[-1], side="right"
        ).astype(np.int64)
        return np.minimum(draws, last_weighted)

    def __len__(self) -> int:
        return len(self.log)


def tempering(log_weights: Floats, ess: float, halvings: int) -> float:
    """The largest exponent φ ≤ 1 for which weights keep this effective sample size.

    It is found by bisection, in so many halvings.
    """
    if Weights(log_weights).ess >= ess:
        return 1.0
    low = 0.0
    high = 1.0
    for _ in range(halvings):
        middle = (low + high) / 2
        if Weights(middle * log_weights).ess >= ess:
            low = middle
        else:
            high = middle
    return low


def _spread_evenly(weights: Floats) -> Floats:
    """Rising weights of which equal ones are spread down to the next smaller weight.

    As if they had been rounded up: 1, 3, 3 become 1, 2, 3.
    """
    values, counts = np.unique(weights, return_counts=True)
    next_smaller = np.concatenate([[0.0], values[:-1]])
    steps = (values - next_smaller) / counts
    first_places = np.cumsum(counts) - counts  # of each value among the weights
    rank = np.arange(len(weights)) - np.repeat(first_places, counts) + 1
    return np.asarray(np.repeat(next_smaller, counts) + rank * np.repeat(steps, counts))


# The prior of the Pareto shape k, as PSIS has it: ten observations of 1/2.
PRIOR_SHAPE: Final = 0.5
PRIOR_OBSERVATIONS: Final = 10.0


def pareto_shape(excess: Floats) -> float:
    """The shape k of a generalised Pareto distribution fitted to numbers.

    ``excess``: (n,) rising positive numbers. The method is that of Zhang and Stephens
    (2009): the distribution has the parameters k and b = −k / scale. Given b, the
    likeliest k is the mean of log(1 − b x). b is averaged over a grid, by the profile
    likelihood; the grid follows from the largest number and the first quartile. k is
    drawn to 1/2 by the weak prior of PSIS. Importing ArviZ, which has the method, takes
    longer than answers.
    """
    n = len(excess)
    grid_size = 30 + int(math.sqrt(n))
    quartile = float(excess[int(n / 4 + 0.5) - 1])
    quantiles = 1.0 - np.sqrt(grid_size / (np.arange(1, grid_size + 1) - 0.5))
    b_grid = quantiles / (3.0 * quartile) + 1.0 / float(excess[-1])
    k_given_b = np.log1p(-b_grid[:, None] * excess).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # b may be 0
        profile = n * (np.log(-b_grid / k_given_b) - k_given_b - 1.0)
    log_likelihood = np.nan_to_num(profile, nan=-np.inf)
    weights = np.exp(log_likelihood - log_likelihood.max())
    mean_b = float(weights @ b_grid / weights.sum())
    shape = float(np.log1p(-mean_b * excess).mean())
    prior_sum = PRIOR_OBSERVATIONS * PRIOR_SHAPE
    return (n * shape + prior_sum) / (n + PRIOR_OBSERVATIONS)


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """How the weights of n layouts vary from batch to batch."""

    #: (B, k) weight of each row of layouts by each batch alone, the mean over batches
    #: being 1.
    relative: Floats
    row: NDArray[np.int64]
    """(n,) the row of each layout: layouts whose weights vary together share one."""
    drawn: bool  #: Whether the layouts were drawn; else they are all that there are.

    @classmethod
    def of(cls, table: Floats, row: NDArray[np.int64], drawn: bool) -> Batches:
        """From (B, k) weights of the rows on one scale."""
        mean = table.mean(axis=0)
        relative = np.divide(table, mean, out=np.ones_like(table), where=mean > 0)
        return cls(read_only(relative), read_only(row), drawn)

    def moved(self, u: Floats, weights: Floats) -> Floats:
        """(B, …) Σ W r_b u over layouts.

        ``u``: (n, …) values; ``weights``: (n,) normalised weights W.
        """
        relative = self.relative[:, self.row]
        moved = (relative * weights) @ u.reshape(len(u), -1)
        return np.asarray(moved.reshape(len(relative), *u.shape[1:]))


def standard_error(moved: Floats) -> Floats:
    """Standard error that comes from the batches.

    ``moved``: (B, …) by how much each batch alone moves an answer.
    """
    b = len(moved)
    if b < 2:
        return np.zeros(moved.shape[1:])
    return np.asarray(np.sqrt((moved**2).sum(axis=0) / (b * max(b - 3, 1))))


def stretches_of(chains: int, ess: float) -> int:
    """Into how many stretches to cut each chain.

    Each has an effective sample size of about eight; there are four in all at least.
    """
    return int(np.clip(ess / (8.0 * chains), -(-4 // chains), 16))
