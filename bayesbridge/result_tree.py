"""Result: the tree that ``estimate`` gives, which shows itself in a notebook and becomes a table in one call.

It is an xarray DataTree in everything else: ArviZ takes it, and files keep it. What is read back from a file is a plain
tree, on which every function of the package works too; :meth:`Result.of` makes it a result again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import xarray

from bayesbridge.errors import BayesBridgeError

if TYPE_CHECKING:
    import pandas

GROUPS: Final = ("posterior", "sample_stats", "pmf", "observed_data", "constant_data")
"""What every result has."""


class Result(xarray.DataTree):  # type: ignore[no-untyped-call]
    """What ``bb.estimate`` gives: an xarray DataTree that a notebook shows as hands, honours and tricks.

    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> isinstance(result, xarray.DataTree), result.to_dataframe().columns.tolist()
    (True, ['quantity', 'value', 'probability', 'exact'])
    """

    __slots__ = ()

    @classmethod
    def of(cls, tree: xarray.DataTree) -> Self:
        """A tree that was read from a file, as a result; a result passes through."""
        if isinstance(tree, cls):
            return tree
        if missing := [name for name in GROUPS if name not in tree.children]:
            raise BayesBridgeError(
                f"the tree has no group {missing[0]!r}: give one that bb.estimate made, read back from its file"
            )
        return cls.from_dict(tree.to_dict())

    def to_dataframe(self, group: str = "pmf") -> pandas.DataFrame:
        """The result as one pandas table.

        ``pmf``: every distribution, one row for each value of each number, with its probability and whether that is
        exact; numbers have the names of the summary, such as ``delta[C]``. ``posterior``: one row for each draw, a
        column for each number and the ``weight``, which adds up to one; of a distribution for each layout its mean.
        """
        if group not in ("pmf", "posterior"):
            raise BayesBridgeError(f"group {group!r}: name 'pmf' or 'posterior'", group=group)
        return _distributions(self) if group == "pmf" else _draws(self)

    def _repr_html_(self) -> str:
        if all(name in self.children for name in (*GROUPS, "marginals")):
            return str(import_module("bayesbridge.notebook.values").html(self))
        return str(super()._repr_html_())  # type: ignore[no-untyped-call]


def _distributions(result: Result) -> pandas.DataFrame:
    import pandas

    rows: dict[str, list[Any]] = {"quantity": [], "value": [], "probability": [], "exact": []}
    for name, pmf in result["pmf"].to_dataset().data_vars.items():
        values = pmf[f"{name}_value"].values
        for label, shares in _numbers(str(name), pmf, pmf.values):
            rows["quantity"] += [label] * len(values)
            rows["value"] += values.tolist()
            rows["probability"] += shares.tolist()
            rows["exact"] += [bool(pmf.attrs["exact"])] * len(values)
    return pandas.DataFrame(rows)


def _draws(result: Result) -> pandas.DataFrame:
    import pandas

    group, stats = result["posterior"].to_dataset(), result["sample_stats"].to_dataset()
    chains, draws = group.sizes["chain"], group.sizes["draw"]
    logs = stats["log_weight"].values.ravel() if "log_weight" in stats else np.zeros(chains * draws)
    weights = np.exp(logs - logs.max())
    columns: dict[str, Any] = {
        "chain": np.repeat(group["chain"].values, draws),
        "draw": np.tile(group["draw"].values, chains),
        "weight": weights / weights.sum(),
    }
    for name, found in group.data_vars.items():
        values = found.values.reshape(chains * draws, *found.shape[2:])
        if f"{name}_value" in found.dims:
            values = (values * found[f"{name}_value"].values).sum(axis=-1)
        numbers = found.isel(chain=0, draw=0)
        columns |= dict(_numbers(str(name), numbers, np.moveaxis(values, 0, -1)))
    return pandas.DataFrame(columns)


def _numbers(name: str, found: xarray.DataArray, values: Any) -> list[tuple[str, Any]]:
    """Every number of an output with its label, as the summary names them: ``values`` (…, n) by the other axes."""
    dims = [dim for dim in found.dims if dim != f"{name}_value"]
    labels = [found[dim].values for dim in dims]
    told = []
    for cell in np.ndindex(*(len(names) for names in labels)):
        where = ", ".join(str(names[place]) for names, place in zip(labels, cell, strict=True))
        told.append((f"{name}[{where}]" if where else name, values[cell]))
    return told
