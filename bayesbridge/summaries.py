"""A result as one table: every quantity with its mean, spread and interval, and how far to trust them.

T is a mixture: the mass where the conditions fail, and T given that they hold. The table shows both, before the mean
that mixes them. A column says which figures are exact: their error is 0, and they have no effective sample size.

The error of every mean, plain or conditional, comes from one formula. A mean m = E[q x] / E[q] over draws changes by
u = q (x - m) / E[q] for a little more weight on a draw; its standard error is that of the mean of u. Chains leave the
error of u to ArviZ, importance weights W give (Σ W² u²)½, and other draws the spread of u over the square root of what
they are worth. Draws in which an event is rare, or never happens, understate its error: to the square is added that of
one more draw that falls the other way, and with importance weights, for any number, of one more like the draw farthest
from the mean. Draws that all agree on another number say nothing of its error, nor do a few draws of a mean given that
the conditions hold, and none is stated.
Weights that are averages over a bidding style add the error of these averages (:mod:`~bayesbridge.engines.weights`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.weights import Batches, standard_error
from bayesbridge.errors import BayesBridgeError
from bayesbridge.trick_counts import GOALS, Tricks

if TYPE_CHECKING:
    import pandas
    import xarray

Floats = NDArray[np.float64]

FEWEST: Final = 10.0
"""Effective draws below which a conditional mean has no error that they could tell."""


def summary(
    result: xarray.DataTree, names: str | Sequence[str] | None = None, *, probability: float = 0.89
) -> pandas.DataFrame:
    """One row for each quantity, tricks first; the index names them as ArviZ does, such as ``delta[C]``.

    Columns: ``mean``, ``sd``, the ends of the shortest interval that holds ``probability`` (for integers its mass may
    be larger), then ``mcse``, ``ess`` and ``r_hat``, and ``exact``, whether the figure is. All are numbers but the
    last, which is true or false: an exact figure has ``mcse`` 0, and ``nan`` stands where a number has no meaning,
    such as the R-hat of one chain. ``names`` picks outputs. The attributes of the table are those of the result.

    >>> import bayesbridge as bb
    >>> table = summary(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)), "T")
    >>> row = table.loc["T if they hold"]
    >>> f"{row['mean']:.2f}, exact: {row['exact']}"
    '10.23, exact: True'
    >>> len(table[table["exact"] | (table["ess"] > 400)]) == len(table)
    True
    """
    import pandas

    if not 0.0 < probability < 1.0:
        raise BayesBridgeError(f"an interval of probability {probability!r}: give a number between 0 and 1")
    wanted = _wanted(result, names)
    draws = ResultDraws.of(result)
    ends = [f"hdi{100 * probability:g}_{end}" for end in ("lb", "ub")]
    rows: dict[str, list[Any]] = {}
    for name in sorted(wanted, key=lambda name: not counts_tricks(result, name)):
        for quantity in _quantities(result, name):
            interval = shortest_interval(quantity.values, quantity.chances, probability)
            rows[quantity.label] = [
                quantity.mean,
                quantity.sd,
                *((np.nan, np.nan) if quantity.event else interval),
                *draws.errors(quantity),
                quantity.exact,
            ]
    columns = ["mean", "sd", *ends, "mcse", "ess", "r_hat", "exact"]
    table = pandas.DataFrame.from_dict(rows, orient="index", columns=columns)
    table.index.name = "quantity"
    table.attrs = dict(result.attrs)
    return table


def at_least(result: xarray.DataTree, name: str = "T") -> xarray.DataArray:
    """P(at least so many) for 7 to 13 ``tricks``, of an output that counts tricks; other dimensions stay.

    What stands for failing, as T = 0 where the conditions fail, reaches no number. Of T these are captures by the
    paper's rule; they are chances of contracts only for an output that estimates tricks at the table.

    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> round(at_least(result).sel(tricks=9).item(), 3)
    0.713
    """
    import xarray

    pmf = distribution(result, name)
    dims = [str(dim) for dim in pmf.dims[:-1]]
    shares = np.empty((*pmf.shape[:-1], len(GOALS)))
    for cell in np.ndindex(pmf.shape[:-1]):
        where = {dim: pmf[dim].values[place] for dim, place in zip(dims, cell, strict=True)}
        shares[cell] = list(Tricks.of(result, name, **where).goals.values())
    coords: dict[str, Any] = {dim: pmf[dim].values for dim in dims}
    return xarray.DataArray(shares, coords={**coords, "tricks": list(GOALS)}, dims=[*dims, "tricks"], name=name)


def distribution(result: xarray.DataTree, name: str) -> xarray.DataArray:
    """The distribution of an integer output over ``name_value``."""
    pmfs = result["pmf"].to_dataset()
    if name not in pmfs:
        raise BayesBridgeError(
            f"the result has no distribution of {name!r}: it has {', '.join(map(str, pmfs)) or 'none'}", name=name
        )
    return pmfs[name]


def counts_tricks(result: xarray.DataTree, name: str) -> bool:
    """Whether an output is one number that counts tricks."""
    pmfs = result["pmf"].to_dataset()
    return name in pmfs and pmfs[name].ndim == 1 and bool(pmfs[name].attrs.get("counts_tricks"))


def shortest_interval(values: NDArray[Any], chances: Floats, probability: float) -> tuple[float, float]:
    """The shortest [a, b] from value to value that holds the probability; of equally short ones the likeliest.

    ``chances`` (n,) belong to ``values`` (n,) and add up to one.

    >>> shortest_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (9.0, 10.0)
    """
    places, which = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    mass = np.bincount(which, chances)
    before = np.concatenate([[0.0], np.cumsum(mass)])
    # Rounding must not ask for one value more than the mass itself does.
    last = np.searchsorted(before[1:], before[:-1] + probability - 1e-12)
    first = np.flatnonzero(last < len(places))
    last = last[first]
    width = places[last] - places[first]
    held = before[last + 1] - before[first]
    best = int(np.lexsort((-held, width))[0])
    return float(places[first[best]]), float(places[last[best]])


@dataclass(frozen=True, slots=True, eq=False)
class _Quantity:
    """One number: its distribution, and the draws behind it unless it is exact."""

    label: str
    values: NDArray[Any]
    chances: Floats
    mean: float
    sd: float
    exact: bool
    draws: Floats
    """(chain, draw) values."""
    given: NDArray[np.bool_] | None = None
    """(chain, draw) the draws that count; ``None`` for all."""
    event: bool = False
    """Whether it is 0 or 1, so that an interval says nothing."""


def _wanted(result: xarray.DataTree, names: str | Sequence[str] | None) -> list[str]:
    known = [str(name) for name in result["posterior"].data_vars]
    wanted = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise BayesBridgeError(f"the result has no output {name!r}: it has {', '.join(known)}", name=name)
    return wanted


def _quantities(result: xarray.DataTree, name: str) -> Iterator[_Quantity]:
    """Every number of one output; for tricks also the conditions and every goal."""
    draws = result["posterior"].to_dataset()[name]
    exact = bool(draws.attrs["exact"])
    pmf = distribution(result, name) if name in result["pmf"].data_vars else None
    if counts_tricks(result, name):
        yield from _tricks(Tricks.of(result, name), draws.values)
    dims = [dim for dim in draws.dims[2:] if dim != f"{name}_value"]
    shape = tuple(draws.sizes[dim] for dim in dims)
    labels = [draws[dim].values for dim in dims]
    means, spreads = (np.reshape(draws.attrs[key], shape) for key in ("mean", "sd"))
    weights = ResultDraws.of(result).weights.ravel() if pmf is None else np.empty(0)
    for cell in np.ndindex(*shape):
        where = ", ".join(str(names[place]) for names, place in zip(labels, cell, strict=True))
        label = f"{name}[{where}]" if where else name
        own = draws.values[(slice(None), slice(None), *cell)]
        if own.ndim == 3:  # a distribution for each layout
            own = (own * result["pmf"][f"{name}_value"].values).sum(axis=-1)
        if pmf is None:
            yield _Quantity(label, own.ravel(), weights, float(means[cell]), float(spreads[cell]), exact, own)
        else:
            values, chances = pmf[f"{name}_value"].values, pmf.values[cell]
            yield _Quantity(label, values, chances, *_moments(values, chances), exact, own)


def _moments(values: NDArray[Any], chances: Floats) -> tuple[float, float]:
    """Mean and standard deviation; a number that never changes has none, whatever the rounding of its weight."""
    mean = float(chances @ values)
    spread = float(chances @ ((values - mean) ** 2)) ** 0.5
    return mean, spread if spread > 1e-9 else 0.0


def _tricks(tricks: Tricks, draws: NDArray[Any]) -> Iterator[_Quantity]:
    """What is said of tricks, from (chain, draw) numbers or (chain, draw, values) distributions."""
    name, spread = tricks.name, draws.ndim == 3
    failed = np.zeros(draws.shape[:2], dtype=np.bool_) if spread else draws == tricks.count.fails_at

    def reached(number: int) -> NDArray[Any]:
        return draws[..., tricks.values >= number].sum(axis=-1) if spread else ~failed & (draws >= number)

    def event(label: str, share: float, happens: NDArray[Any]) -> _Quantity:
        ends, both, values = np.array([0, 1]), np.array([1.0 - share, share]), happens.astype(np.float64)
        return _Quantity(label, ends, both, share, (share * (1 - share)) ** 0.5, tricks.exact, values, event=True)

    if tricks.count.fails_at is not None:
        yield event(tricks.count.failing if name == "T" else f"{name}: {tricks.count.failing}", tricks.fails, failed)
        if tricks.holds:
            given = np.where(tricks.values == tricks.count.fails_at, 0.0, tricks.shares) / tricks.holds
            label = f"{name} if {tricks.count.holding}"
            yield _Quantity(label, tricks.values, given, *_moments(tricks.values, given), tricks.exact, draws, ~failed)
    for goal, share in tricks.goals.items():
        plain = f"{name} ≥ {goal}"
        yield event(f"{plain}, {tricks.goal(goal)}" if tricks.judges else plain, share, reached(goal))


@dataclass(frozen=True, slots=True, eq=False)
class ResultDraws:
    """What the draws of a result are worth."""

    weights: Floats
    """(chain, draw) adding up to one."""
    weighed: bool
    """Whether they are independent draws with importance weights."""
    ess: float
    batches: Batches | None
    """How the weights vary where they are estimates themselves."""

    @classmethod
    def of(cls, result: xarray.DataTree) -> ResultDraws:
        shape = (result["posterior"].sizes["chain"], result["posterior"].sizes["draw"])
        stats = result["sample_stats"].to_dataset()
        batches = None
        if "batch_weight" in stats:
            table = stats["batch_weight"]
            batches = Batches(table.values, stats["batch_row"].values.ravel(), bool(table.attrs["drawn"]))
        if "log_weight" not in stats:
            return cls(np.full(shape, 1.0 / np.prod(shape)), False, float(stats.attrs["ess"]), batches)
        logs = stats["log_weight"].values
        weights = np.exp(logs - logs.max())
        weighed = stats.attrs["engine"] in ("weights", "tilted")
        return cls(weights / weights.sum(), weighed, float(stats.attrs["ess"]), batches)

    def errors(self, quantity: _Quantity) -> tuple[float, float, float]:
        """Monte Carlo standard error of the mean, effective sample size, R-hat; ``nan`` where they mean nothing."""
        none = (0.0 if quantity.exact else np.nan), np.nan, np.nan
        if quantity.exact:
            return none
        counts = np.ones(self.weights.shape) if quantity.given is None else quantity.given.astype(np.float64)
        share = float((self.weights * counts).sum())
        if not share or (quantity.given is not None and self._worth(counts) < FEWEST):
            return none
        u = counts * (quantity.draws - quantity.mean) / share
        error, r_hat = self.error_of(u)
        if quantity.event or self.weighed:
            far = max(quantity.mean, 1.0 - quantity.mean) if quantity.event else share * float(np.abs(u).max())
            error = float(np.hypot(error, far / self._worth(counts)))
        if not error:
            return none
        return float(f"{error:.2g}"), float(round((quantity.sd / error) ** 2)) if quantity.sd else np.nan, r_hat

    def _worth(self, counts: Floats) -> float:
        """Effective draws among those that count."""
        some = self.weights * counts
        if self.weighed:
            return float(some.sum() ** 2 / (some**2).sum())
        return self.ess * float(some.sum())

    def error_of(self, u: Floats) -> tuple[float, float]:
        """Standard error of the mean of u, and R-hat where there are chains."""
        variance = float((self.weights * u**2).sum())
        if u.min() == u.max():
            return 0.0, np.nan
        if len(u) > 1:
            if (u == u[:, :1]).all():  # every chain stuck at its own value: ArviZ would divide by zero
                return variance**0.5, np.inf
            statistics: Any = import_module("arviz_stats.base").array_stats
            return float(statistics.mcse(u, method="mean")), round(float(statistics.rhat(u)), 3)
        # Rare events may have been met at light draws only: no better than if all draws counted the same.
        own = max(float((self.weights**2 * u**2).sum()), variance / u.size)
        if self.batches is not None:
            moved = standard_error(self.batches.moved(u.ravel(), self.weights.ravel()))
            return float(moved**2 + own * self.batches.drawn) ** 0.5, np.nan
        if self.weighed:
            # An engine that knows its weights to deceive says that they are worth less than they look.
            deceit = max(1.0, 1.0 / float((self.weights**2).sum()) / self.ess)
            return (deceit * own) ** 0.5, np.nan
        return (variance / self.ess) ** 0.5, np.nan
