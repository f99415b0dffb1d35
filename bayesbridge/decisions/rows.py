"""Answers of this package as plain objects: for JSON, pages and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesbridge.errors import BayesBridgeError

if TYPE_CHECKING:
    import xarray


def best_rows(rows: list[dict[str, Any]], most: int, passed: str) -> list[dict[str, Any]]:
    """The first ``most`` contracts, and after them the one that a pass leaves, wherever it stands.

    >>> best_rows([{"contract": "3NT by S"}, {"contract": "4C by S"}, {"contract": "2S by W"}], 1, "2S by W")
    [{'contract': '3NT by S'}, {'contract': '2S by W'}]
    """
    return [*rows[:most], *(row for row in rows[most:] if row["contract"] == passed)]


def plain_rows(found: xarray.Dataset) -> list[dict[str, Any]]:
    """A dictionary for each row of an answer that has one dimension, that of its labels first.

    >>> import xarray
    >>> plain_rows(xarray.Dataset({"score": (["contract"], [420.0])}, {"contract": ["4S by S"]}))
    [{'contract': '4S by S', 'score': 420.0}]
    """
    if len(found.sizes) != 1:
        raise BayesBridgeError(f"found has dimensions {tuple(found.sizes)}: give an answer with one", found=found)
    (axis,) = found.sizes
    names = [str(name) for name in found.data_vars]
    return [
        {str(axis): str(found[axis].values[row]), **{name: found[name].values[row].item() for name in names}}
        for row in range(found.sizes[axis])
    ]
