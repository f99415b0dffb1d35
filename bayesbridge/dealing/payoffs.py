"""Duplicate scores of undoubled contracts, and their differences in international match points."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

type Ints = NDArray[np.int64]

_IMP_STEPS: Final = np.array(
    (
        *(20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600),
        *(750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000),
    ),
    dtype=np.int64,
)
"""The least difference that is worth 1, 2, … 24 points."""


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
    """Points for a difference of scores, with its sign.

    >>> imps(np.array([-600, 10, 20])).tolist()
    [-12, 0, 1]
    """
    return np.sign(difference) * np.searchsorted(_IMP_STEPS, np.abs(difference), side="right")
