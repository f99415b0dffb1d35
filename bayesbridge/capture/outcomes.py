"""Outcome codes: what Algorithm 2 makes of a deal, in one number.

0 where condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``.
"""

from __future__ import annotations

from typing import Final

NEITHER: Final = 0
ONLY_A: Final = 1
CODES: Final = 7 * 512
"""Every code is below this."""


def met(code: int) -> bool:
    """Whether both conditions hold."""
    return code > ONLY_A


def tricks_of(code: int) -> int:
    """T, 0 where a condition fails."""
    return code % 512 // 32


def check_value_of(code: int) -> int:
    """χ, where both conditions hold."""
    return code % 32


def gap_of(code: int) -> int:
    """Δ, where both conditions hold."""
    return code // 512
