"""Names and numbers that need no compiler: outcome codes of Algorithm 2, and the policies of the play-out.

The code of a deal is 0 where condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``. What each policy
plays is said in :mod:`bayesbridge.capture.playout`.
"""

from __future__ import annotations

from typing import Final

ONLY_A: Final = 1
CODES: Final = 7 * 512
"""Every code is below this."""


def met(code: int) -> bool:
    """Whether both conditions hold."""
    return code > ONLY_A


def tricks_of(code: int) -> int:
    """T, 0 where a condition fails."""
    return code % 512 // 32


POLICIES: Final = ("general", "high", "low")
"""By code 0, 1, 2."""
