"""A claim in words, its numbers with intervals, and the verdict that follows from them.

A claim has one or more parts. A part is a number of ours with an interval that covers it 99 times in 100 for all parts
of the claim together (exact numbers have an interval of no width), and two ranges: the claim fails if the interval of
any part lies outside what it allows, and holds if all intervals lie within what is close enough. In between there are
too few deals to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from typing import Any, Final

from bayesbridge.studies.study import Table
from bayesbridge.words import number

HOLDS: Final = "holds"
FAILS: Final = "does not hold"
UNDECIDED: Final = "too few deals to tell"
LEVEL: Final = 0.01
"""Probability that the intervals of a claim miss a number of ours."""

FEWEST: Final = 30
"""Deals below which a mean or a share has no interval."""


@dataclass(frozen=True, slots=True)
class Part:
    """One number of ours."""

    name: str
    own: float | None
    interval: tuple[float, float] | None
    """``None`` where there are too few deals for one."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says in words, beside our numbers."""

    name: str
    quote: str
    parts: tuple[Part, ...]
    allowed: tuple[float, float]
    """The claim fails if an interval has no point in here."""
    enough: tuple[float, float]
    """The claim holds if all intervals lie in here; contains ``allowed``."""
    why: str
    percent: bool = True
    """Whether the numbers are shares."""
    digits: int = 2

    @property
    def verdict(self) -> str:
        """What the intervals decide.

        >>> fair = Claim("even", "", (Part("share", 0.5, (0.48, 0.52)),), (0.5, 0.5), (0.45, 0.55), "")
        >>> fair.verdict
        'holds'
        """
        known = [part.interval for part in self.parts if part.interval is not None]
        if any(high < self.allowed[0] or low > self.allowed[1] for low, high in known):
            return FAILS
        inside = all(self.enough[0] <= low and high <= self.enough[1] for low, high in known)
        return HOLDS if inside and len(known) == len(self.parts) else UNDECIDED


def _z(parts: int) -> float:
    from scipy import stats

    return float(stats.norm.isf(LEVEL / (2 * parts)))


def mean_of(name: str, counts: Sequence[int], lowest: int, parts: int) -> Part:
    """Mean of whole numbers, ``counts`` of them from ``lowest`` on."""
    n = sum(counts)
    if n < FEWEST:
        return Part(name, None, None)
    mean = sum(value * k for value, k in enumerate(counts, lowest)) / n
    spread = sqrt(sum((value - mean) ** 2 * k for value, k in enumerate(counts, lowest)) / (n - 1) / n)
    return Part(name, mean, (mean - _z(parts) * spread, mean + _z(parts) * spread))


def share_of(name: str, hits: int, trials: int, parts: int) -> Part:
    """A share, with Wilson's interval."""
    from scipy import stats

    if trials < FEWEST:
        return Part(name, None, None)
    low, high = stats.binomtest(hits, trials).proportion_ci(1 - LEVEL / parts, method="wilson")
    return Part(name, hits / trials, (float(low), float(high)))


def between_shares(name: str, first: int, second: int, trials: int, parts: int) -> Part:
    """The difference of two shares of the same trials."""
    if trials < FEWEST:
        return Part(name, None, None)
    p, q = first / trials, second / trials
    half = _z(parts) * sqrt((p + q - (p - q) ** 2) / trials)
    return Part(name, p - q, (p - q - half, p - q + half))


def between_rates(name: str, first: tuple[int, int], second: tuple[int, int], parts: int) -> Part:
    """The difference of two independent shares, (hits, trials) each; Agresti and Caffo's interval."""
    if min(first[1], second[1]) < FEWEST:
        return Part(name, None, None)
    (p, n), (q, m) = (((hits + 1) / (trials + 2), trials + 2) for hits, trials in (first, second))
    half = _z(parts) * sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return Part(name, first[0] / first[1] - second[0] / second[1], (p - q - half, p - q + half))


def document(claim: Claim) -> dict[str, Any]:
    """As plain data; infinite ends of a range are ``None``."""

    def ends(pair: tuple[float, float]) -> list[float | None]:
        return [None if abs(end) == inf else end for end in pair]

    told = asdict(claim) | {"allowed": ends(claim.allowed), "enough": ends(claim.enough), "verdict": claim.verdict}
    return {key: value for key, value in told.items() if key != "digits"}


def claims_table(claims: Sequence[Claim], *, reasons: bool = False) -> Table:
    """A row for each part, the verdict in the first of its claim; with ``reasons`` what the paper says, and why."""
    header = ["", "ours", "99 % interval", "verdict"]
    rows = []
    for claim in claims:
        for place, part in enumerate(claim.parts):
            told = [
                claim.verdict if not place else "",
                *([f"“{claim.quote}” {claim.why}" if not place else ""] * reasons),
            ]
            rows.append([f"{claim.name}: {part.name}", *_figures(claim, part), *told])
    return Table("Claims of the paper in words", [*header, *(["the paper, and why"] * reasons)], rows)


def _figures(claim: Claim, part: Part) -> tuple[str, str]:
    scale, unit = (100.0, " %") if claim.percent else (1.0, "")
    own = "–" if part.own is None else f"{number(scale * part.own, claim.digits)}{unit}"
    if part.interval is None:
        return own, "–"
    low, high = (number(scale * end, claim.digits) for end in part.interval)
    return own, "exact" if part.interval[0] == part.interval[1] else f"{low} … {high}"
