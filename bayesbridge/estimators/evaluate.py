"""Runs estimators over a posterior, block by block, and adds up what they say.

Integer outputs become distributions, floating-point ones a mean and a spread; memory stays flat however many layouts
there are. Where the evidence is hard and an estimator can count, its distributions are exact without walking
anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.errors import PluginError
from bayesbridge.estimators.protocol import (
    Estimator,
    Output,
    Question,
    run,
    run_exact,
    verify_declaration,
)
from bayesbridge.jit import njit
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed

KEPT: Final = 20_000
"""Draws kept of a posterior with more layouts than MOST_KEPT, resampled to equal weights."""

MOST_KEPT: Final = 1_000_000
"""Layouts up to which every one is kept with its weight."""

WIDEST: Final = 4096
"""Range of an integer output beyond which no distribution is kept."""

type Progress = Callable[[int, int], None]
"""Called with the layouts done and all layouts."""


@dataclass(slots=True)
class Sums:
    """Running sums of one output: a distribution of integers, moments of any numbers."""

    output: Output
    lowest: int = 0
    table: NDArray[np.float64] | None = None
    """(cells, values) weight of each value from ``lowest`` on; ``None`` for floating-point outputs."""
    mean: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    square: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    exact: bool = False

    @classmethod
    def of(cls, output: Output) -> Sums:
        """Sums before the first layout."""
        cells = int(np.prod(output.shape))
        sums = cls(output, mean=np.zeros(cells), square=np.zeros(cells))
        if np.dtype(output.dtype).kind in "biu":
            sums.table = np.zeros((cells, 1))
        return sums

    @classmethod
    def counted(cls, output: Output, lowest: int, counts: NDArray[Any], total: int) -> Sums:
        """Exact sums from counts of layouts by value, from ``lowest`` on."""
        shares = np.array(counts, dtype=np.float64).reshape(-1, np.shape(counts)[-1]) / total
        used = np.flatnonzero(shares.any(axis=0))
        shares, first = shares[:, used[0] : used[-1] + 1], lowest + int(used[0])
        values = first + np.arange(shares.shape[1])
        return cls(output, first, shares, shares @ values, shares @ values**2, True)

    def add(self, values: NDArray[Any], weights: NDArray[np.float64]) -> None:
        """Add (n, …) values with (n,) weights."""
        flat = values.reshape(len(values), -1)
        if self.table is None:
            with np.errstate(over="ignore", invalid="ignore"):  # `finish` reports what grew too large
                self.mean += weights @ flat
                self.square += weights @ (flat.astype(np.float64) ** 2)
            return
        if flat.dtype == np.bool_:
            flat = flat.view(np.int8)
        low, high = (int(flat.min()), int(flat.max())) if len(flat) else (self.lowest, self.lowest)
        self._widen(low, high)
        _tally(np.ascontiguousarray(flat), weights, self.lowest, self.table)

    def _widen(self, low: int, high: int) -> None:
        assert self.table is not None
        low, high = min(low, self.lowest), max(high, self.lowest + self.table.shape[1] - 1)
        if high - low >= WIDEST:
            raise PluginError(
                f"output {self.output.name!r} ranges from {low} to {high}: declare a floating-point dtype for values "
                f"spread over more than {WIDEST} integers",
                output=self.output.name,
            )
        before, after = self.lowest - low, high - self.lowest - self.table.shape[1] + 1
        if before or after:
            self.table = np.pad(self.table, ((0, 0), (before, after)))
            self.lowest = low

    def finish(self) -> None:
        """Moments of integer outputs, from their distribution; refuses numbers too large to have any."""
        if self.table is not None and not self.exact:
            self.table /= self.table.sum(axis=1, keepdims=True)  # ten million weights miss one by rounding
            values = self.lowest + np.arange(self.table.shape[1])
            self.mean, self.square = self.table @ values, self.table @ values**2
        if not np.isfinite(self.square).all():
            raise PluginError(
                f"output {self.output.name!r} has numbers whose squares pass {np.finfo(np.float64).max:.0e}: scale it",
                output=self.output.name,
            )

    @property
    def sd(self) -> NDArray[np.float64]:
        """Standard deviation, in the shape of the output."""
        return np.sqrt(np.maximum(self.square - self.mean**2, 0.0)).reshape(self.output.shape)

    @property
    def pmf(self) -> NDArray[np.float64] | None:
        """Probability of each value from ``lowest`` on: the shape of the output, then the values."""
        return None if self.table is None else self.table.reshape(*self.output.shape, -1)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What estimators say about a posterior."""

    posterior: Posterior
    question: Question
    estimators: tuple[Estimator, ...]
    """Those that answered."""
    sums: dict[tuple[str, str], Sums]
    """By estimator and output."""
    draws: dict[tuple[str, str], NDArray[Any]]
    """Outputs of the layouts kept, by estimator and output: (n, …)."""
    log_weights: NDArray[np.float64] | None
    """Of the layouts kept; ``None`` where they count the same."""
    failures: dict[str, PluginError]
    """What went wrong, by estimator."""


def evaluate(
    posterior: Posterior,
    estimators: Sequence[Estimator],
    question: Question,
    *,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Run every estimator over every layout; one that fails is left out and reported, the others go on."""
    whole = len(posterior) <= MOST_KEPT
    sums: dict[tuple[str, str], Sums] = {}
    draws: dict[tuple[str, str], list[NDArray[Any]]] = {}
    failures: dict[str, PluginError] = {}

    @contextmanager
    def trying(estimator: Estimator) -> Iterator[None]:
        try:
            yield
        except PluginError as error:
            failures[estimator.name] = _naming(estimator, error)

    def working() -> list[Estimator]:
        return [estimator for estimator in estimators if estimator.name not in failures]

    for estimator in estimators:
        with trying(estimator):
            verify_declaration(estimator)
            for output in estimator.outputs:
                sums[estimator.name, output.name] = Sums.of(output)
                draws[estimator.name, output.name] = []
    done = 0
    for masks, weights in posterior.blocks():
        if not working():
            break
        layouts = Layouts.adopt(masks)
        for estimator in working():
            with trying(estimator):
                for name, values in run(estimator, layouts, question).items():
                    sums[estimator.name, name].add(values, weights)
                    if whole:
                        draws[estimator.name, name].append(values)
        done += len(masks)
        if progress is not None:
            progress(done, len(posterior))
    some = None if whole else posterior.resample(KEPT, rng)
    for estimator in working():
        with trying(estimator):
            for name, values in run(estimator, some, question).items() if some is not None else ():
                draws[estimator.name, name].append(values)
            _count(posterior, estimator, question, sums)
            for output in estimator.outputs:
                sums[estimator.name, output.name].finish()
    return Evaluation(
        posterior,
        question,
        tuple(working()),
        {key: total for key, total in sums.items() if key[0] not in failures},
        {key: np.concatenate(parts) for key, parts in draws.items() if key[0] not in failures},
        posterior.weighting.log if whole and posterior.weighting is not None else None,
        failures,
    )


def _naming(estimator: Estimator, error: PluginError) -> PluginError:
    """The error, with the estimator's name in front unless it is there already."""
    if error.data.get("plugin") == estimator.name:
        return error
    return PluginError(f"estimator {estimator.name!r}: {error}", **{**error.data, "plugin": estimator.name})


def _count(posterior: Posterior, estimator: Estimator, question: Question, sums: dict[tuple[str, str], Sums]) -> None:
    """Put exact distributions in place of sampled ones, where the estimator can count them; mark what is exact."""
    if posterior.method == "sample":
        counted = run_exact(estimator, posterior.belief.constraints, question, posterior.count)
        for name, (lowest, counts) in counted.items():
            old = sums[estimator.name, name]
            sums[estimator.name, name] = Sums.counted(old.output, lowest, counts, posterior.count)
    if posterior.exact:
        for output in estimator.outputs:
            sums[estimator.name, output.name].finish()
            sums[estimator.name, output.name].exact = True


@njit
def _tally(values: NDArray[Any], weights: NDArray[np.float64], lowest: int, table: NDArray[np.float64]) -> None:
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
