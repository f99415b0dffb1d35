"""The conformance kit: one call that tells whether an estimator keeps the contract.

For authors of plugins::

    from bayesbridge.plugins import check_estimator

    def test_conformance():
        check_estimator(MyEstimator())
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.tables import sample
from bayesbridge.errors import PluginError
from bayesbridge.estimators.protocol import Estimator, Question, run, verify_declaration
from bayesbridge.layouts import Layouts
from bayesbridge.random64 import Seed


def check_estimator(
    estimator: Estimator, question: Question | None = None, *, layouts: int = 40, rng: Seed = 1
) -> None:
    """Raise :class:`PluginError` with one clear line unless the estimator keeps every promise.

    Checked: the declaration; shapes, types and finite values; the same answer twice; the input left alone; a batch
    equals its layouts one by one, in any order; one layout; none.
    """
    if not isinstance(estimator, Estimator):
        raise PluginError(f"{estimator!r} is no estimator: it needs name, outputs and estimate(layouts, question)")
    asked = question or Question.of("S:N")
    _check_declaration(estimator)
    each = max(1, layouts // 2)
    batch = Layouts.adopt(np.concatenate([_deals(hand, each, rng) for hand in ("AKQJT98765432...", _FLAT)]))
    before = batch.masks.copy()
    whole = run(estimator, batch, asked)
    if (batch.masks != before).any():
        raise PluginError(f"estimator {estimator.name!r} changed the layouts it was given: copy before you write")
    _same(estimator, whole, run(estimator, batch, asked), "the second run differs from the first: it must not")
    singles = [run(estimator, batch[i : i + 1], asked) for i in range(len(batch))]
    joined = {name: np.concatenate([single[name] for single in singles]) for name in whole}
    _same(estimator, whole, joined, "a batch differs from its layouts one by one: each row must stand for itself")
    turned = run(estimator, batch[::-1], asked)
    _same(estimator, whole, {name: array[::-1] for name, array in turned.items()}, "the order of layouts matters")
    run(estimator, batch[:0], asked)


_FLAT = "AQT8.KJ9.Q86.J75"


def _deals(hand: str, n: int, rng: Seed) -> NDArray[np.uint64]:
    """Random deals in which South holds a hand; one kind has a void for everybody, the other none."""
    return sample(Constraints.free().hold(2, Hand.from_pbn(hand).mask), n, rng)


def _check_declaration(estimator: Estimator) -> None:
    if not estimator.name or not isinstance(estimator.name, str):
        raise PluginError(f"estimator {estimator!r} has no name")
    verify_declaration(estimator)
    for output in estimator.outputs:
        if not output.doc.strip().endswith("."):
            raise PluginError(f"estimator {estimator.name!r}: output {output.name!r} needs a sentence that ends in '.'")


def _same(estimator: Estimator, one: dict[str, NDArray[Any]], two: dict[str, NDArray[Any]], what: str) -> None:
    for name, values in one.items():
        if not np.array_equal(values, two[name]):
            row = int(np.argwhere(values != two[name])[0][0])
            raise PluginError(
                f"estimator {estimator.name!r}, {name}: {what} (layout {row}: {values[row]} and {two[name][row]})",
                plugin=estimator.name,
                output=name,
            )
