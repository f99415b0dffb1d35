"""The estimator ``tricks``: double-dummy tricks of a declarer in a strain, as a distribution for each layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.estimators.protocol import Output, Question, TrickCount
from bayesbridge.layouts import Layouts

AT_THE_TABLE: Final = TrickCount(at_table=True)
"""Tricks that a contract can be judged by."""


@dataclass(frozen=True, slots=True)
class TricksEstimator:
    """What a small network says the solver would say; the first of the pair declares, in the question's strain."""

    name: str = "tricks"
    seconds: float = 5e-5
    """For one layout on one core."""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Probabilities of 0 … 13 tricks."""
        doc = "Double-dummy tricks of the declaring side, as a network predicts them."
        return (Output("tricks", doc, dtype="float32", support=range(14), tricks=AT_THE_TABLE),)

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """(n, 14), one distribution per layout."""
        from bayesbridge.estimators.network import trick_probabilities

        table = np.ascontiguousarray(layouts.masks[:, list(question.table)])
        return {"tricks": trick_probabilities(table, question.trump)}
