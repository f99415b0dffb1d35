"""Estimators from plain functions: slow but easy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.deal import Deal
from bayesbridge.estimators.protocol import Estimator, Output, Question
from bayesbridge.layouts import Layouts

type OfOneDeal = Callable[[Deal, Question], float]

SHOWN_FROM = 10_000
"""Layouts from which a progress line is shown on a terminal."""


def estimator(name: str, *, doc: str | None = None, dtype: str = "float64") -> Callable[[OfOneDeal], Estimator]:
    """Make an estimator of a function that takes one deal and the question and returns a number.

    >>> @estimator("aces", dtype="int8")
    ... def aces(deal, question):
    ...     "Aces of the pair."
    ...     return sum(card.rank == 12 for seat in question.pair for card in deal[seat])
    >>> aces.outputs[0].doc
    'Aces of the pair.'
    """

    def wrap(function: OfOneDeal) -> Estimator:
        sentence = (doc or function.__doc__ or f"{name}.").strip().splitlines()[0]
        output = Output(name, sentence if sentence.endswith(".") else f"{sentence}.", dtype=dtype)
        return PlainEstimator(name, (output,), function)

    return wrap


@dataclass(frozen=True, slots=True)
class PlainEstimator:
    """Calls a function of one deal for every layout, with a progress line for long batches on a terminal."""

    name: str
    outputs: tuple[Output, ...]
    function: OfOneDeal

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """One call a layout."""
        values = np.empty(len(layouts), dtype=self.outputs[0].dtype)
        shown = len(layouts) >= SHOWN_FROM and sys.stderr.isatty()
        for i, deal in enumerate(layouts):
            values[i] = self.function(deal, question)
            if shown and i % 1000 == 999:
                print(f"\r{self.name}: {i + 1:,} of {len(layouts):,} layouts", end="", file=sys.stderr, flush=True)
        if shown:
            print(file=sys.stderr)
        return {self.name: values}
