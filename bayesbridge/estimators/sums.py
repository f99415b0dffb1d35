"""Sums: what one output adds up to over the layouts of a posterior."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import PluginError
from bayesbridge.estimators.protocol import Output
from bayesbridge.jit import njit

WIDEST: Final = 4096
"""Range of an integer output beyond which no distribution is kept."""


@dataclass(slots=True)
class Sums:
    """Running sums of one output: a distribution of integers, moments of any numbers."""

    output: Output
    lowest: int = 0
    table: NDArray[np.float64] | None = None
    """(cells, values) weight of each value from ``lowest`` on; ``None`` for floating-point numbers."""
    mean: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    square: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    exact: bool = False

    @classmethod
    def of(cls, output: Output) -> Sums:
        """Sums before the first layout."""
        cells = int(np.prod(output.shape))
        sums = cls(output, mean=np.zeros(cells), square=np.zeros(cells))
        if output.support is not None:
            sums.lowest, sums.table = output.support.start, np.zeros((cells, len(output.support)))
        elif np.dtype(output.dtype).kind in "biu":
            sums.table = np.zeros((cells, 1))
        return sums

    @classmethod
    def counted(cls, output: Output, lowest: int, counts: NDArray[Any], total: int) -> Sums:
        """Exact sums from counts of layouts by value, from ``lowest`` on, or from probabilities with a total of 1."""
        shares = np.array(counts, dtype=np.float64).reshape(-1, np.shape(counts)[-1]) / total
        used = np.flatnonzero(shares.any(axis=0))
        shares, first = shares[:, used[0] : used[-1] + 1], lowest + int(used[0])
        values = first + np.arange(shares.shape[1])
        return cls(output, first, shares, shares @ values, shares @ (values**2), True)

    def add(self, values: NDArray[Any], weights: NDArray[np.float64]) -> None:
        """Add (n, …) values with (n,) weights."""
        flat = values.reshape(len(values), -1)
        if self.output.support is not None:
            assert self.table is not None
            self.table += (weights @ flat).reshape(self.table.shape)
            return
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
            self.mean, self.square = self.table @ values, self.table @ (values**2)
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


@njit
def _tally(values: NDArray[Any], weights: NDArray[np.float64], lowest: int, table: NDArray[np.float64]) -> None:
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
