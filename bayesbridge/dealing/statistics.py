"""Statistics of deals: from the tables with no draw at all where they can tell, else from deals that were drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from bayesbridge.dealing.deal_tables import DealTable
from bayesbridge.dealing.expressions import Expression, conjunction, opaque
from bayesbridge.dealing.layout_values import LayoutValues
from bayesbridge.dealing.planning import Plan
from bayesbridge.errors import TablesTooLarge

type Counts = dict[tuple[int, ...], int]


def exact_counts(plan: Plan, *expressions: Expression) -> Counts | None:
    """In how many deals expressions have each tuple of values; ``None`` where tables cannot tell."""
    if plan.tested or any(map(opaque, expressions)):
        return None
    try:
        return DealTable.of(plan.known, conjunction(plan.exact), *expressions).counts()
    except TablesTooLarge:
        return None


def drawn_counts(values: LayoutValues, *expressions: Expression) -> Counts:
    """The same in deals that were drawn."""
    columns = [values.of(expression) for expression in expressions]
    return dict(Counter(zip(*(column.tolist() for column in columns), strict=True)))


@dataclass(frozen=True, slots=True)
class Mean:
    """An average; exact, or with one standard error."""

    value: Fraction | float
    error: float | None

    @classmethod
    def of(cls, counts: Counts, *, exact: bool) -> Mean:
        """The mean of the first value."""
        total = sum(counts.values())
        if not total:
            return cls(float("nan"), None)
        mean = Fraction(sum(value[0] * ways for value, ways in counts.items()), total)
        if exact:
            return cls(mean, None)
        spread = sum(ways * (value[0] - mean) ** 2 for value, ways in counts.items()) / total
        return cls(float(mean), sqrt(float(spread) / max(total - 1, 1)))


def binned(counts: Counts, bounds: tuple[tuple[int, int], ...]) -> dict[tuple[int, ...], int]:
    """Counts by bin: 0 for what is below a range, then its values, then one bin for what is above.

    >>> binned({(1,): 2, (5,): 1, (9,): 4}, ((4, 6),))
    {(0,): 2, (2,): 1, (4,): 4}
    """
    found: dict[tuple[int, ...], int] = {}
    for values, ways in counts.items():
        key = tuple(
            int(np.clip(value - low + 1, 0, high - low + 2)) for value, (low, high) in zip(values, bounds, strict=True)
        )
        found[key] = found.get(key, 0) + ways
    return found
