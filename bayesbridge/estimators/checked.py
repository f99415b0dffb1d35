"""Estimators asked with care: what they declare and what they return is checked, and whatever goes wrong names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.errors import PluginError, raised_at
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Output, Question
from bayesbridge.layouts import Layouts


def verify_declaration(estimator: Estimator) -> None:
    """Raise :class:`PluginError` unless every output is declared so that its values can be checked and added up."""
    who = f"estimator {estimator.name!r}"
    if not isinstance(estimator.outputs, tuple | list) or not estimator.outputs:
        raise PluginError(f"{who} declares no output: give a tuple of Output", plugin=estimator.name)
    seconds = getattr(estimator, "seconds", 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0.0 <= seconds < float("inf"):
        raise PluginError(
            f"{who} declares seconds {seconds!r}: give the time for one layout, a number from 0 on",
            plugin=estimator.name,
        )
    seen: set[str] = set()
    for output in estimator.outputs:
        if not isinstance(output, Output):
            raise PluginError(f"{who} declares {output!r}: an output must be an Output", plugin=estimator.name)
        if not isinstance(output.name, str) or output.name in seen or not output.name.isidentifier():
            raise PluginError(f"{who}: output {output.name!r} is taken or no identifier", plugin=estimator.name)
        seen.add(output.name)
        try:
            numbers = np.dtype(output.dtype).kind in "biuf"
        except TypeError:
            numbers = False
        if not numbers:
            raise PluginError(
                f"{who}: output {output.name!r} has type {output.dtype!r}: it must hold numbers or booleans",
                plugin=estimator.name,
                output=output.name,
            )
        dims = tuple(output.dims)
        if not all(isinstance(dim, str) for dim in dims) or len({*dims, "chain", "draw"}) < len(dims) + 2:
            raise PluginError(
                f"{who}: output {output.name!r} has dimensions {dims}: give each another name, not 'chain' or 'draw'",
                plugin=estimator.name,
                output=output.name,
            )
        try:
            _ = output.shape
        except PluginError as error:
            raise PluginError(f"{who}: {error}", plugin=estimator.name, output=output.name) from None


def run(estimator: Estimator, layouts: Layouts, question: Question) -> dict[str, NDArray[Any]]:
    """The outputs of an estimator, checked against what it declares and cast to the declared types."""
    with blaming(estimator, f"{len(layouts)} layouts"):
        found = estimator.estimate(layouts, question)
    if not isinstance(found, Mapping):
        raise _broken(estimator, "result", "a mapping of arrays", type(found).__name__)
    declared = {output.name for output in estimator.outputs}
    if set(found) != declared:
        raise _broken(estimator, "result", f"outputs {sorted(declared)}", f"{sorted(map(str, found))}")
    return {output.name: _checked(estimator, output, found[output.name], len(layouts)) for output in estimator.outputs}


def run_exact(
    estimator: Estimator, constraints: Constraints, question: Question, total: int
) -> dict[str, tuple[int, NDArray[Any]]]:
    """The exact distributions that an estimator can count, checked: of declared outputs, ``total`` layouts in each.

    Nothing where it cannot count.
    """
    if not isinstance(estimator, ExactEstimator):
        return {}
    with blaming(estimator, "the distribution of all layouts"):
        found = estimator.distribution(constraints, question)
    if found is None:
        return {}
    whole = {output.name: output for output in estimator.outputs if np.dtype(output.dtype).kind in "biu"}
    if not isinstance(found, Mapping) or not set(found) <= set(whole):
        got = sorted(map(str, found)) if isinstance(found, Mapping) else type(found).__name__
        raise _broken(estimator, "distribution", f"some of the integer outputs {sorted(whole)}", str(got))
    return {name: _checked_counts(estimator, whole[name], pair, total) for name, pair in found.items()}


@contextmanager
def blaming(estimator: Estimator, work: str) -> Iterator[None]:
    """Name the estimator in whatever goes wrong inside, also when it tries to end the process."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if isinstance(error, PluginError) and error.data.get("plugin") == estimator.name:
            raise
        what = f"{' '.join(str(error).split())}{raised_at(error)}"
        raise PluginError(
            f"estimator {estimator.name!r} raised {type(error).__name__} on {work}: {what}",
            plugin=estimator.name,
            output="result",
            expected=f"outputs {[output.name for output in estimator.outputs]}",
            got=f"{type(error).__name__}: {error}",
        ) from error


def _checked_counts(estimator: Estimator, output: Output, pair: Any, total: int) -> tuple[int, NDArray[Any]]:
    """A lowest value and whole counts by value, which add up to all layouts in every cell."""
    expected = f"a lowest value and counts of shape {(*output.shape, 'values')} that add up to {total}"
    try:
        lowest, counts = index(pair[0]), np.asarray(pair[1])
        # Counts pass 2⁵³ and even 2⁶³: they are added up as Python integers.
        cells = counts.astype(object).reshape(-1, counts.shape[-1])
        sums = {sum(map(index, cell)) for cell in cells} if counts.shape[:-1] == output.shape else set()
        sound = sums == {total} and min(map(min, cells)) >= 0
    except (TypeError, ValueError, IndexError, KeyError):
        raise _broken(estimator, output.name, expected, type(pair).__name__) from None
    if not sound:
        raise _broken(estimator, output.name, expected, f"shape {counts.shape}, sums {sorted(sums)[:3]}")
    return lowest, counts


def _checked(estimator: Estimator, output: Output, values: Any, n: int) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise _broken(estimator, output.name, f"shape {(n, *output.returned)}", "rows of different lengths") from None
    if array.shape != (n, *output.returned):
        raise _broken(estimator, output.name, f"shape {(n, *output.returned)}", f"{array.shape}")
    wanted = np.dtype(output.dtype)
    if array.dtype == wanted:
        cast = array
    elif array.dtype.kind not in "biuf" or (wanted.kind in "biu" and array.dtype.kind == "f"):
        raise _broken(estimator, output.name, f"type {wanted}", f"{array.dtype}")
    else:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, and is reported as such
            cast = array.astype(wanted)
        if wanted.kind in "biu" and (cast != array).any():
            raise _broken(estimator, output.name, f"values within {wanted}", f"{array.min()} … {array.max()}")
    if cast.dtype.kind == "f" and not np.isfinite(cast).all():
        row = int(np.argwhere(~np.isfinite(cast))[0][0])
        raise _broken(estimator, output.name, "finite numbers", f"{cast[row]} for layout {row}")
    if output.support is not None:
        _verify_shares(estimator, output, cast)
    return cast


def _verify_shares(estimator: Estimator, output: Output, shares: NDArray[Any]) -> None:
    """Probabilities on the last axis: none below zero, and together one."""
    off = (np.abs(shares.sum(axis=-1, dtype=np.float64) - 1.0) > 1e-3) | (shares < 0).any(axis=-1)
    if off.any():
        row = int(np.argwhere(off)[0][0])
        raise _broken(estimator, output.name, "probabilities that add up to 1", f"{shares[row]} for layout {row}")


def _broken(estimator: Estimator, output: str, expected: str, got: str) -> PluginError:
    return PluginError(
        f"estimator {estimator.name!r}, {output}: expected {expected}, got {got}",
        plugin=estimator.name,
        output=output,
        expected=expected,
        got=got,
    )
