"""Duplicate scores of undoubled contracts, and their differences in international match points."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.duplicate import IMP_STEPS

type Ints = NDArray[np.int64]

_MOST: Final = np.array(IMP_STEPS) - 10
"""The most that is worth 0, 1, … 23 points: the laws name multiples of ten, and those below the next step end here."""


@lru_cache(maxsize=128)
def payoff(vulnerable: bool, level: int, strain: int) -> Ints:
    """(14,) what declarer scores with 0 to 13 tricks; ``strain`` C D H S NT = 0 … 4.

    >>> payoff(True, 3, 4)[[7, 9, 10]].tolist()
    [-200, 600, 630]
    """
    each = 20 if strain < 2 else 30
    tricks = each * level + (10 if strain == 4 else 0)
    game = (500 if vulnerable else 300) if tricks >= 100 else 50
    slam = {6: 750 if vulnerable else 500, 7: 1500 if vulnerable else 1000}.get(level, 0)
    made = tricks + game + slam
    over = np.arange(14) - (level + 6)
    return np.where(over >= 0, made + each * over, over * (100 if vulnerable else 50)).astype(np.int64)


def imps(difference: Any) -> Any:
    """Points for a difference of scores, with its sign; one between two multiples of ten counts as the larger.

    >>> imps(np.array([-600, 10, 11, 20])).tolist()
    [-12, 0, 1, 1]
    """
    return np.sign(difference) * np.searchsorted(_MOST, np.abs(difference), side="left")
