"""Estimates compared on the same layouts: differences with their errors, and how estimators go together.

Two estimators that look at the same layouts err together, so the error of their difference is that of the differences,
layout by layout, and mostly much smaller than two errors put together. How an answer depends on the bidder model is
another question, since the layouts are then not the same: :func:`~bayesbridge.sensitivity` answers it, with Bayes
factors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.results import ResultDraws

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]


class _Column(NamedTuple):
    """One estimate: a number for each draw."""

    name: str
    values: Floats
    """(chain, draw)."""
    counts: NDArray[np.bool_]
    """(chain, draw) where it gives a number: T does not where its conditions fail."""
    draws: ResultDraws
    exact: bool
    """Whether the draws are all layouts, with their weights."""


def compare(
    estimates: xarray.DataTree | Mapping[str, xarray.DataTree],
    names: str | Sequence[str] | None = None,
    *,
    paired: bool = True,
) -> xarray.Dataset:
    """How estimates of one posterior differ: one result with several outputs, or several results by name.

    ``names`` picks outputs; by default those that count tricks, and where there is none, all with one number for each
    layout. ``paired`` takes differences layout by layout, over layouts where both give a number; results must then come
    from the same posterior, drawn with the same ``rng``. Without it the two errors are put together as if independent.

    Variables: ``mean`` and ``mean_error`` by ``estimate``; ``difference`` (``estimate`` less ``other``), ``error``,
    ``share`` (of the layouts compared) and, paired, ``correlation``.

    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(draws=500, rng=1)
    >>> found = compare(bb.estimate(posterior, ["capture", "tricks"]))
    >>> found["estimate"].values.tolist(), bool(found["difference"].sel(estimate="T", other="tricks") > 1)
    (['T', 'tricks'], True)
    """
    columns = _columns(estimates, names)
    if len(columns) < 2:
        have = columns[0].name if columns else "none"
        raise BayesBridgeError(f"nothing to compare with {have}: give two estimates or more")
    if paired:
        _verify_same(columns)
    means = [_mean(one.values, one.counts, one) for one in columns]
    size = len(columns)
    tables = {name: np.zeros((size, size)) for name in ("difference", "error", "share", "correlation")}
    for i, first in enumerate(columns):
        for j, second in enumerate(columns):
            if not paired:
                tables["difference"][i, j] = means[i][0] - means[j][0]
                tables["error"][i, j] = hypot(means[i][1], means[j][1]) if i != j else 0.0
                tables["share"][i, j] = min(_share(first.counts, first), _share(second.counts, second))
                continue
            both = first.counts & second.counts
            found = _mean(first.values - second.values, both, first)
            tables["difference"][i, j], tables["error"][i, j] = found
            tables["share"][i, j] = _share(both, first)
            tables["correlation"][i, j] = _correlation(first.values, second.values, both, first.draws.weights)
    return _dataset([one.name for one in columns], means, tables, paired)


def _columns(
    estimates: xarray.DataTree | Mapping[str, xarray.DataTree], names: str | Sequence[str] | None
) -> list[_Column]:
    """Every estimate with a name of its own."""
    wanted = None if names is None else [names] if isinstance(names, str) else list(names)
    if hasattr(estimates, "groups"):
        return _of_result("", estimates, wanted)
    found: list[_Column] = []
    for label, result in estimates.items():
        if not hasattr(result, "groups"):
            raise BayesBridgeError(f"estimate {label!r} is no result: give what bb.estimate answers", label=label)
        found += _of_result(str(label), result, wanted)
    return found


def _of_result(label: str, result: Any, wanted: Sequence[str] | None) -> list[_Column]:
    """The outputs of one result that are compared; named after the result where it gives but one."""
    posterior, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    single = [str(name) for name in posterior.data_vars if set(posterior[name].dims[2:]) <= {f"{name}_value"}]
    if wanted is None:
        chosen = [name for name in single if name in pmfs and pmfs[name].attrs.get("counts_tricks")] or single
    else:
        chosen = list(wanted)
        for name in chosen:
            if name not in single:
                known = ", ".join(single) or "none"
                raise BayesBridgeError(
                    f"no single number {name!r} in the result{f' {label!r}' if label else ''}: it has {known}",
                    name=name,
                )
    draws = ResultDraws.of(result)
    engine = result["sample_stats"].attrs["engine"]
    exact = engine == "enumerate" and str(draws.weights.size) == str(result.attrs["layouts"])
    columns = []
    for name in chosen:
        values = posterior[name].values.astype(np.float64)
        if values.ndim == 3:  # a distribution for each layout: its mean
            values = (values * pmfs[f"{name}_value"].values).sum(axis=-1)
        fails = pmfs[name].attrs.get("fails_at") if name in pmfs else None
        counts = np.ones(values.shape, np.bool_) if fails is None else values != fails
        called = name if not label else label if len(chosen) == 1 else f"{label}: {name}"
        columns.append(_Column(called, values, counts, draws, exact))
    return columns


def _verify_same(columns: Sequence[_Column]) -> None:
    """Refuse estimates that are not of the same layouts, as far as a result tells."""
    first = columns[0]
    for other in columns[1:]:
        same = first.values.shape == other.values.shape
        if not same or not np.array_equal(first.draws.weights, other.draws.weights):
            raise BayesBridgeError(
                f"{first.name!r} and {other.name!r} are not of the same layouts: estimate both from one posterior with "
                "the same rng, or give paired=False",
                names=(first.name, other.name),
            )


def _share(counts: NDArray[np.bool_], column: _Column) -> float:
    return float((column.draws.weights * counts).sum())


def _mean(values: Floats, counts: NDArray[np.bool_], column: _Column) -> tuple[float, float]:
    """Mean over the draws that count, and its standard error; ``nan`` where none does."""
    share = _share(counts, column)
    if not share:
        return float("nan"), float("nan")
    weights = column.draws.weights * counts
    mean = float((weights * np.where(counts, values, 0.0)).sum() / share)
    if column.exact:
        return mean, 0.0
    return mean, column.draws.error_of(np.where(counts, values - mean, 0.0) / share)[0]


def _correlation(first: Floats, second: Floats, both: NDArray[np.bool_], weights: Floats) -> float:
    """Over the layouts where both count; ``nan`` where one of them never changes."""
    share = weights[both] / weights[both].sum() if both.any() else np.empty(0)
    one, two = (values[both] - (share * values[both]).sum() for values in (first, second))
    spread = float((share * one**2).sum() * (share * two**2).sum()) ** 0.5
    return float((share * one * two).sum()) / spread if spread > 1e-12 else float("nan")


def _dataset(
    labels: Sequence[str], means: Sequence[tuple[float, float]], tables: Mapping[str, Floats], paired: bool
) -> xarray.Dataset:
    import xarray

    variables: dict[str, Any] = {
        "mean": (["estimate"], [mean for mean, _ in means]),
        "mean_error": (["estimate"], [error for _, error in means]),
    }
    for name, table in tables.items():
        if paired or name != "correlation":
            variables[name] = (["estimate", "other"], table)
    return xarray.Dataset(variables, {"estimate": list(labels), "other": list(labels)}, {"paired": int(paired)})
