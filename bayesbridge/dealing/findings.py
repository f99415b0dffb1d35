"""What averages, frequencies and contracts of a script came to: lines for people, plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.deal import Seat
from bayesbridge.dealing.script import Average, EvalContract, Frequency
from bayesbridge.dealing.statistics import Counts, Mean, binned
from bayesbridge.duplicate import scores_by_tricks
from bayesbridge.words import number

type Finding = FoundAverage | FoundFrequency | FoundContract


@dataclass(frozen=True, slots=True)
class FoundAverage:
    """A mean over all deals that fit, or over those that were drawn."""

    action: Average
    counts: Counts
    exact: bool

    def lines(self) -> Iterator[str]:
        """One line."""
        mean = Mean.of(self.counts, exact=self.exact)
        title = f"{self.action.title}: " if self.action.title else ""
        yield f"{title}{float(mean.value):.6g} ({'exact' if mean.error is None else f'± {mean.error:.2g}'})"

    def document(self) -> dict[str, Any]:
        """``value`` with ``fraction`` where it is exact, else with ``error`` and ``n``; null if no deal was found."""
        mean = Mean.of(self.counts, exact=self.exact)
        value = None if isnan(mean.value) else float(mean.value)
        head = {"name": self.action.title, "kind": "average", "exact": self.exact, "value": value}
        if self.exact:
            return {**head, "fraction": str(mean.value)}
        return {**head, "error": mean.error, "n": sum(self.counts.values())}


@dataclass(frozen=True, slots=True)
class FoundFrequency:
    """How often each value, or pair of values, comes."""

    action: Frequency
    counts: Counts
    exact: bool

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The lowest and highest value of each expression that is told by itself."""
        action = self.action
        first = (action.low, action.high)
        return (first,) if action.other is None else (first, (action.other_low, action.other_high))

    def lines(self) -> Iterator[str]:
        """Counts of deals drawn, or exact percentages: a list, or a table of two."""
        total = sum(self.counts.values())
        yield f"Frequency {self.action.title}: ({'exact, in percent' if self.exact else f'of {number(total)} deals'})"
        bins = binned(self.counts, self.ranges)
        names = [["Low", *map(str, range(low, high + 1)), "High"] for low, high in self.ranges]

        def shown(ways: int) -> str:
            return f"{float(Fraction(100 * ways, max(total, 1))):.4f}" if self.exact else str(ways)

        if len(names) == 1:
            for place, name in enumerate(names[0]):
                ways = bins.get((place,), 0)
                if ways or name not in ("Low", "High"):
                    yield f"{name:>5} {shown(ways):>12}"
            return
        table = np.zeros((len(names[0]), len(names[1])), dtype=object)
        for pair, ways in bins.items():
            table[pair] = ways
        rows = [[name, *map(shown, [*row, sum(row)])] for name, row in zip(names[0], table.tolist(), strict=True)]
        rows.append(["Sum", *map(shown, [*(sum(column) for column in table.T.tolist()), total])])
        for row in [["", *names[1], "Sum"], *rows]:
            yield f"{row[0]:>5}" + "".join(f"{cell:>9}" for cell in row[1:])

    def document(self) -> dict[str, Any]:
        """``values``: each value that comes, a list of two in a table, with its share of the deals.

        Values outside the range are ``"below"`` and ``"above"``. An exact share comes with ``deals_that_fit``, one of
        deals drawn with ``deals`` and one standard ``error``.
        """
        total = sum(self.counts.values())
        bins = sorted(binned(self.counts, self.ranges).items())
        values = [{"value": self._value(places), **self._share(ways, total)} for places, ways in bins]
        drawn: dict[str, Any] = {} if self.exact else {"n": total}
        ranges = [list(pair) for pair in self.ranges]
        head = {"name": self.action.title, "kind": "frequency", "exact": self.exact, **drawn, "ranges": ranges}
        return {**head, "values": values}

    def _value(self, places: tuple[int, ...]) -> Any:
        found = [
            "below" if place == 0 else "above" if place > high - low + 1 else low + place - 1
            for place, (low, high) in zip(places, self.ranges, strict=True)
        ]
        return found if len(found) > 1 else found[0]

    def _share(self, ways: int, total: int) -> dict[str, Any]:
        share = float(Fraction(ways, total))
        if self.exact:
            return {"share": share, "deals_that_fit": str(ways)}
        return {"share": share, "error": sqrt(share * (1 - share) / total), "deals": ways}


@dataclass(frozen=True, slots=True, eq=False)
class FoundContract:
    """What a contract came to on the deals drawn, double dummy; ``taken``: (n,) declarer's tricks."""

    action: EvalContract
    taken: NDArray[np.int64]

    def lines(self) -> Iterator[str]:
        """One line."""
        action = self.action
        title = f"{action.title}: " if action.title else ""
        if not len(self.taken):
            yield f"{title}{self._contract}: no deal was found"
            return
        made, error, mean, spread = self._figures
        told = f"makes {100 * made:.1f} % ± {100 * error:.1f}, scores {mean:.0f} ± {spread:.0f} on average"
        yield f"{title}{self._contract} {told}"

    def document(self) -> dict[str, Any]:
        """``made`` and ``score`` with their standard errors; null if no deal was found."""
        action, n = self.action, len(self.taken)
        made, error, mean, spread = self._figures if n else (None, None, None, None)
        return {
            "name": action.title,
            "kind": "contract",
            "contract": self._contract,
            "declarer": Seat(action.seat).name,
            "vulnerable": action.vulnerable,
            "exact": False,
            "n": n,
            "made": {"share": made, "error": error},
            "score": {"value": mean, "error": spread},
        }

    @property
    def _contract(self) -> str:
        return f"{self.action.level}{'CDHSN'[self.action.strain]}"

    @property
    def _figures(self) -> tuple[float, float, float, float]:
        """The share that makes, its error, the mean score, its error."""
        action, n = self.action, len(self.taken)
        paid = scores_by_tricks(action.level, action.strain, action.vulnerable)[self.taken]
        made = float((self.taken >= action.level + 6).mean())
        return made, sqrt(made * (1 - made) / n), float(paid.mean()), float(paid.std()) / sqrt(n)
