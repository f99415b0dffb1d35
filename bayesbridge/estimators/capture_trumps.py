"""The estimator ``capture_trumps``: Algorithm 2 with trumps, an extension of this package and not of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.errors import TablesTooLarge
from bayesbridge.estimators.capture import CONDITIONS, SUIT
from bayesbridge.estimators.protocol import Output, Question
from bayesbridge.layouts import Layouts

if TYPE_CHECKING:
    from bayesbridge.engines.quantities import Condition, Tricks, TrumpCondition, TrumpTricks

DOC: Final = "Captures with trumps, by our extension of the paper's rule (0: a condition fails)."


@dataclass(frozen=True, slots=True)
class CaptureTrumpsEstimator:
    """Captures of the pair with the question's trumps (``capture.literal_trumps``); at no trumps the paper's own."""

    name: str = "capture_trumps"

    @property
    def outputs(self) -> tuple[Output, ...]:
        """T first."""
        return (
            Output("T_trumps", DOC, dtype="int8", tricks=CONDITIONS),
            Output("condition_trumps", "0 condition A fails, 1 only B fails, 2 both hold.", dtype="int8"),
            Output("losers", "Leading gap of the suit as far as it loses tricks.", SUIT, "int8"),
            Output("kappa_trumps", "Captures in the suit, 0 where a condition fails.", SUIT, "int8"),
        )

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """One row per layout, by the batch kernel."""
        from bayesbridge.capture.kernels import captures
        from bayesbridge.capture.trumps import trump_captures

        first, second = (np.ascontiguousarray(layouts.masks[:, seat]) for seat in question.pair)
        if question.trump is None:
            plain = captures(first, second)
            T, condition, losers, kappa = plain.T, plain.condition, plain.delta, plain.kappa
        else:
            found = trump_captures(first, second, question.trump)
            T, condition, losers, kappa = found.T, found.condition, found.losers, found.kappa
        return {"T_trumps": T, "condition_trumps": condition, "losers": losers, "kappa_trumps": kappa}

    def quantities(self, question: Question) -> Mapping[str, Tricks | Condition | TrumpTricks | TrumpCondition]:
        """T and the condition, by merging the suits."""
        from bayesbridge.engines.quantities import Condition, Tricks, TrumpCondition, TrumpTricks

        if question.trump is None:
            return {"T_trumps": Tricks(*question.pair), "condition_trumps": Condition(*question.pair)}
        trump = int(question.trump)
        return {
            "T_trumps": TrumpTricks(*question.pair, trump),
            "condition_trumps": TrumpCondition(*question.pair, trump),
        }

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """Exact counts suit by suit, points in a range included; ``None`` where the tables would be too large."""
        from bayesbridge.engines.level_tables import LevelTables

        try:
            tables = LevelTables.of(constraints, {})
            return {name: (0, tables.counted(one)) for name, one in self.quantities(question).items()}
        except TablesTooLarge:
            return None
