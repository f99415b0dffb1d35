"""The default estimator: the paper's Algorithm 2 on the 26 cards of the pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.engines.classes import Quantity
from bayesbridge.estimators.protocol import Output, Question, TrickCount
from bayesbridge.layouts import Layouts

SUIT = ("suit",)

CAPTURES: Final = "Captures by the paper's rule (Algorithm 2), 0 where a condition fails."

CONDITIONS: Final = TrickCount(0, "conditions fail", "they hold")
"""T is 0 where a condition of Algorithm 2 fails."""


@dataclass(frozen=True, slots=True)
class CaptureEstimator:
    """Algorithm 2 for the pair; T is 0 where a condition fails."""

    name: str = "capture"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The letters of the paper."""
        return (
            Output("c1", "Cards of the first seat in the suit.", SUIT, "int8"),
            Output("c2", "Cards of the second seat in the suit.", SUIT, "int8"),
            Output("c0", "Cards of the suit that neither holds.", SUIT, "int8"),
            Output("delta", "Leading gap of the suit: columns before the pair's highest card.", SUIT, "int8"),
            Output("M", "Most captures that the suit allows.", SUIT, "int8"),
            Output("kappa", "Captures in the suit, 0 where a condition fails.", SUIT, "int8"),
            Output("Delta", "Sum of the leading gaps.", dtype="int8"),
            Output("Z", "Zero budget left at the end.", dtype="int8"),
            Output("condition", "0 condition A fails, 1 only B fails, 2 both hold.", dtype="int8"),
            Output("T", CAPTURES, dtype="int8", tricks=CONDITIONS),
            Output("chi", "Check value T + (6 - Z).", dtype="int8"),
        )

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """One row a layout, by the batch kernel."""
        from bayesbridge.capture.kernels import captures

        first, second = question.pair
        return captures(
            np.ascontiguousarray(layouts.masks[:, first]), np.ascontiguousarray(layouts.masks[:, second])
        )._asdict()

    def quantities(self, question: Question) -> Mapping[str, Quantity]:
        """T, by merging the suits."""
        from bayesbridge.engines.classes import Tricks

        return {"T": Tricks(*question.pair)}

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """Exact counts by suit convolution, where the evidence ties the suits together by lengths alone."""
        from bayesbridge.engines.convolution import LOWEST_Z, capture_counts, factors

        if not factors(constraints):
            return None
        counts = capture_counts(constraints, *question.pair)
        from_zero = ("c1", "c2", "c0", "delta", "M", "Delta", "condition", "T", "chi")
        return {name: (0, getattr(counts, name)) for name in from_zero} | {"Z": (LOWEST_Z, counts.Z)}
