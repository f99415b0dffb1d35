"""Algorithm 1 for every hand of the deal: what each seat would bid on its own cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bayesbridge.estimators.protocol import Output, Question
from bayesbridge.layouts import Layouts


@dataclass(frozen=True, slots=True)
class BidEstimator:
    """The iterative bid of each seat, whoever it belongs to."""

    name: str = "bid"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Levels and counts by seat."""
        targets = {"target": tuple(range(7, 14))}
        return (
            Output("level", "Level of the no-trump bid by Algorithm 1, 0 for a pass.", ("seat",), "int8"),
            Output("counts", "Captures counted for each target.", ("seat", "target"), "int8", targets),
        )

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:  # noqa: ARG002
        """One row a layout, by the batch kernel; the question does not matter."""
        from bayesbridge.capture.kernels import bids

        found = bids(layouts.masks.reshape(-1))
        return {"level": found.level.reshape(-1, 4), "counts": found.counts.reshape(-1, 4, 7)}
