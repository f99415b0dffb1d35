"""Answers read back from trees that were kept in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray

from bayesbridge.engines.weights import Batches
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.distribution import Distribution, TrickContext
from bayesbridge.estimators.draw_errors import KeptDraws
from bayesbridge.estimators.protocol import Output, TrickCount
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import read_only


def read_answer(tree: xarray.DataTree) -> Answer:
    """The answer that a tree was made of.

    Draws that weigh differently are in the group ``weighted_draws``, since
    ``posterior`` has them resampled for ArviZ; other trees have ``posterior`` alone.
    """
    draws_group = "posterior"
    if "weighted_draws" in tree.children:
        draws_group = "weighted_draws"
    draws = tree[draws_group].to_dataset()
    distributions = tree["pmf"].to_dataset()
    context = _context(tree["constant_data"].to_dataset())
    numbers = {
        str(name): _distribution(variable, distributions.get(name), context)
        for name, variable in draws.data_vars.items()
        if "estimator" in variable.attrs
    }
    return Answer(
        numbers=numbers,
        asked=context,
        method=str(tree.attrs["method"]),
        kept=_kept_draws(draws, tree["sample_stats"].attrs),
    )


def _context(constants: xarray.Dataset) -> TrickContext:
    """Whose tricks were asked for."""
    declarer, dummy_seat = (Seat.of(str(seat)) for seat in constants["pair"].values)
    strain = Strain.of(str(constants["trump"].values))
    contract = str(constants["contract"].values)
    dummy = str(constants["dummy"].values)
    return TrickContext(
        (declarer, dummy_seat),
        strain,
        Contract.of(contract) if contract else None,
        Seat.of(dummy) if dummy else None,
    )


def _distribution(
    draws: xarray.DataArray, pmf: xarray.DataArray | None, context: TrickContext
) -> Distribution:
    """One output, from its draws and P(each value), which floats do not have.

    Draws have axes of chain and draw, then those of the output's labels.
    """
    name = str(draws.name)
    attrs = draws.attrs
    mean = np.ravel(attrs["mean"])
    output = _output(draws, pmf)
    support = np.zeros(0, np.int64)
    shares = np.zeros((len(mean), 0))
    if pmf is not None:
        support = pmf[f"{name}_value"].values
        shares = pmf.values.reshape(len(mean), -1)
    shape_of_draw = output.returned
    return Distribution(
        output=output,
        draws=read_only(draws.values.reshape(-1, *shape_of_draw)),
        mean=mean,
        sd=np.ravel(attrs["sd"]),
        exact=bool(attrs["exact"]),
        values=support,
        pmf=shares,
        estimator=str(attrs["estimator"]),
        name=name,
        asked=context,
    )


def _output(draws: xarray.DataArray, pmf: xarray.DataArray | None) -> Output:
    """What was declared of an output."""
    attrs = draws.attrs
    axis = f"{draws.name}_value"
    own_dims = draws.dims[draws.dims.index("draw") + 1 :]
    dims = tuple(str(dim) for dim in own_dims if dim != axis)
    support = None
    if axis in own_dims:
        # Each layout has a distribution; a tree cut down by hand may lack its mean.
        values = draws[axis].values if pmf is None else pmf[axis].values
        support = range(int(values[0]), int(values[-1]) + 1)
    return Output(
        name=str(attrs["output"]),
        doc=str(attrs["long_name"]),
        dims=dims,
        dtype=str(draws.dtype),
        coords={dim: tuple(map(str, draws[dim].values)) for dim in dims},
        support=support,
        tricks=None if pmf is None else _trick_count(pmf.attrs),
        title=str(attrs.get("title", "")),
        note=str(attrs.get("note", "")),
    )


def _trick_count(attrs: Mapping[Any, Any]) -> TrickCount | None:
    """What an output that counts tricks does where it cannot; ``None`` for others."""
    if not attrs.get("counts_tricks"):
        return None
    undefined = attrs.get("undefined_value")
    return TrickCount(
        undefined_value=None if undefined is None else int(undefined),
        failing=str(attrs["failing"]),
        holding=str(attrs["holding"]),
        at_table=bool(attrs["at_table"]),
    )


def _kept_draws(layouts: xarray.Dataset, engine: Mapping[Any, Any]) -> KeptDraws:
    """The layouts of a tree, and what each is worth, for standard errors.

    Where their weights are averages over bidding styles, a batch is some of these
    styles: ``batch_weight`` (batches, rows) is what it alone gives each row of layouts,
    and ``batch_row`` tells the row of a layout. ``engine`` are the attributes that say
    how the layouts were drawn.
    """
    batches = None
    if "batch_weight" in layouts:
        table = layouts["batch_weight"]
        batches = Batches(
            relative=table.values,
            row=layouts["batch_row"].values,
            drawn=bool(table.attrs["drawn"]),
        )
    log_weights = None
    if "log_weight" in layouts:
        log_weights = layouts["log_weight"].values
    return KeptDraws(
        layouts=layouts.sizes["draw"] * layouts.sizes.get("chain", 1),
        log_weights=log_weights,
        ess=float(engine["ess"]),
        exact=bool(engine["exact"]),
        batches=batches,
    )
