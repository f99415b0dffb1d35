"""How much work an answer may be: limits of every question, and the usual ones.

All limits hold together: what is reached first ends the work. How many layouts a time
allows follows from what estimators declare and not from a clock, so that the same seed
gives the same answer on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypedDict

from bayesbridge.errors import BayesBridgeError

MOST_DRAWS: Final = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory
of most machines.
"""

FEWEST_SOLVED: Final = 2  # layouts from which a standard error can be stated
LEAST_COST: Final = 1e-9  # seconds; nothing is free


class Limits(TypedDict, total=False):
    """The fields of a :class:`Budget` that questions take by name."""

    solve: int | None
    seconds: float | None


class DrawLimits(Limits, total=False):
    """The same, and how many layouts to draw."""

    draws: int | None


class ErrorLimits(Limits, total=False):
    """The same, and the standard error that is good enough."""

    error: float | None


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of the work for an answer; ``None`` leaves one to what is usual.

    >>> Budget(seconds=2.0).over(USUAL["estimate"])
    Budget(draws=20000, solve=None, seconds=2.0, error=None)
    """

    draws: int | None = None  #: Layouts drawn where there are too many to walk.
    solve: int | None = None  #: Layouts to solve double dummy, 0 for none.
    seconds: float | None = None  #: Time on one core for what takes long.
    #: Standard error of P(the contract makes) at which no more layouts are solved.
    error: float | None = None

    def __post_init__(self) -> None:
        self._verify_solve()
        self._verify_positive("seconds", self.seconds)
        self._verify_positive("error", self.error)

    def _verify_solve(self) -> None:
        """Refuse a number of layouts that is neither none nor enough for an error."""
        if self.solve is None or self.solve == 0:
            return
        if not FEWEST_SOLVED <= self.solve <= MOST_DRAWS:
            raise BayesBridgeError(
                f"solve {self.solve}: give 0 for none, or at least "
                f"{FEWEST_SOLVED} layouts, {MOST_DRAWS} at most",
                solve=self.solve,
            )

    @staticmethod
    def _verify_positive(name: str, value: float | None) -> None:
        if value is not None and not 0.0 < value < float("inf"):
            raise BayesBridgeError(
                f"{name} {value}: give a number above 0", **{name: value}
            )

    def over(self, usual: Budget) -> Budget:
        """These limits, and the usual ones where none was chosen.

        Layouts or a time take the place of an error.
        """
        draws = usual.draws if self.draws is None else self.draws
        seconds = usual.seconds if self.seconds is None else self.seconds
        if self.solve is not None or self.seconds is not None:
            return Budget(draws, self.solve, seconds, self.error)
        error = usual.error if self.error is None else self.error
        return Budget(draws, usual.solve, seconds, error)

    def layouts(self, cost: float, most: int) -> int:
        """How many layouts to solve at ``cost`` seconds each.

        As many as were named, else as the time allows, at most ``most``.
        """
        if self.solve is not None:
            return self.solve
        if self.seconds is None:
            return max(FEWEST_SOLVED, most)
        in_time = self.seconds / max(cost, LEAST_COST)
        return max(FEWEST_SOLVED, int(min(in_time, most)))


USUAL: Final[Mapping[str, Budget]] = {
    "estimate": Budget(20_000, seconds=10.0, error=0.02),
    "contracts": Budget(2000, seconds=4.0),
    "play": Budget(2000, seconds=12.0),
    "review": Budget(1000, solve=40, seconds=3.0),
    "record": Budget(2000),
    "explorer": Budget(300, seconds=3.0),
}
"""By the kind of question. Decisions need fewer layouts than a posterior, since they
are compared on the same ones.
"""
