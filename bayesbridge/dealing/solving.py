"""Double-dummy tricks, from the plugin ``bayesbridge-double-dummy`` where it is installed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.estimators.registry import offered
from bayesbridge.layouts import Layouts, Masks

type Solver = Callable[[Masks, int, int], NDArray[np.int64]]
"""(n, 4) layouts, declarer, strain C D H S NT = 0 … 4 → (n,) tricks."""


def find_solver() -> Solver:
    """The solver; one line says what to install where there is none."""
    try:
        solved = offered("estimators", ["solved"]).estimator("solved")
    except BayesBridgeError:
        raise BayesBridgeError(
            "tricks need a double-dummy solver: install the plugin bayesbridge-double-dummy, or leave them out"
        ) from None

    def solve(masks: Masks, seat: int, strain: int) -> NDArray[np.int64]:
        pair = Seat(seat), Seat(seat).partner
        question = Question(pair, None if strain == 4 else Suit(strain))
        return run(solved, Layouts(masks), question)["solved"].astype(np.int64)

    return solve
