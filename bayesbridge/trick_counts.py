"""Tricks: the distribution of an output that counts tricks, with everything that is said of it.

An output may be a mixture: the mass where it cannot count (T where the conditions of Algorithm 2 fail), and the number
of tricks given that it can. Both are kept apart; a mean that mixes them is marked as such. The summary, the history,
the JSON document, the screen, the page and the pictures all read this one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.arguments import checked
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import TrickCount
from bayesbridge.products import matrix_product

if TYPE_CHECKING:
    import xarray

    from bayesbridge.estimators.sums import Sums

LEVELS: Final = range(1, 8)
"""Levels of a contract; level n needs 6 + n tricks."""


@checked
@dataclass(frozen=True, slots=True, eq=False)
class Tricks:
    """P(number of tricks): ``values`` (n,) rising with their ``shares`` (n,), which add up to one."""

    name: str
    values: NDArray[np.int64]
    shares: NDArray[np.float64]
    count: TrickCount
    exact: bool

    @classmethod
    def of_sums(cls, sums: Sums) -> Self:
        """From what was added up over a posterior."""
        counted, pmf = sums.output.tricks, sums.pmf
        if counted is None or pmf is None or pmf.ndim != 1:
            raise _not_tricks(sums.output.name)
        return cls(sums.output.name, sums.lowest + np.arange(len(pmf)), pmf, counted, sums.exact)

    @classmethod
    @checked
    def of(cls, result: xarray.DataTree, name: str = "T", **where: Any) -> Self:
        """From a result; ``where`` picks one number of an output that has several, such as ``strain="NT"``.

        >>> import bayesbridge as bb
        >>> tricks = Tricks.of(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)))
        >>> round(tricks.fails, 3), round(tricks.mean_if_held, 2), round(tricks.at_least(9), 3)
        (0.269, 10.23, 0.713)
        """
        pmfs = result["pmf"].to_dataset()
        if name not in pmfs:
            raise BayesBridgeError(
                f"the result has no distribution of {name!r}: it has {', '.join(map(str, pmfs)) or 'none'}", name=name
            )
        pmf = pmfs[name].sel(where)
        if pmf.ndim != 1:
            dims = ", ".join(str(dim) for dim in pmf.dims[:-1])
            raise BayesBridgeError(f"{name!r} has several numbers: pick one by {dims}", name=name)
        attrs = pmfs[name].attrs
        if not attrs.get("counts_tricks"):
            raise _not_tricks(name)
        fails_at = int(attrs["fails_at"]) if "fails_at" in attrs else None
        counted = TrickCount(fails_at, str(attrs["failing"]), str(attrs["holding"]))
        return cls(name, pmf[f"{name}_value"].values, pmf.values, counted, bool(attrs["exact"]))

    @property
    def fails(self) -> float:
        """P(it cannot count), 0 for an output that always counts."""
        return 0.0 if self.count.fails_at is None else float(self.shares[self.values == self.count.fails_at].sum())

    @property
    def holds(self) -> float:
        """P(it can count)."""
        return float(self.shares[self._counting].sum())

    @property
    def mean(self) -> float:
        """Mean of the numbers as they stand, those that stand for failing among them."""
        return float(matrix_product(self.shares, self.values))

    @property
    def mean_if_held(self) -> float | None:
        """Mean given that it can count; ``None`` where it never can."""
        counting = self._counting
        return float(matrix_product(self.shares[counting], self.values[counting])) / self.holds if self.holds else None

    @checked
    def at_least(self, tricks: int) -> float:
        """P(at least so many tricks)."""
        return min(1.0, float(self.shares[self._counting & (self.values >= tricks)].sum()))

    @checked
    def share(self, tricks: int) -> float:
        """P(exactly so many)."""
        return float(self.shares[self.values == tricks].sum())

    @property
    def occurring(self) -> range:
        """The numbers of tricks from the first to the last that occurs; 7 to 13 where none does."""
        met = self.values[self._counting & (self.shares > 0)]
        return range(int(met[0]), int(met[-1]) + 1) if len(met) else range(7, 14)

    @property
    def by_level(self) -> dict[int, float]:
        """P(at least 6 + level tricks) by level of a contract."""
        return {level: self.at_least(6 + level) for level in LEVELS}

    @property
    def _counting(self) -> NDArray[np.bool_]:
        everywhere = np.ones(len(self.values), dtype=np.bool_)
        return everywhere if self.count.fails_at is None else self.values != self.count.fails_at


def trick_attributes(count: TrickCount | None) -> dict[str, Any]:
    """What a result keeps beside a distribution, for :meth:`Tricks.of`."""
    if count is None:
        return {}
    told = {"counts_tricks": 1, "failing": count.failing, "holding": count.holding}
    return told if count.fails_at is None else {**told, "fails_at": count.fails_at}


def _not_tricks(name: str) -> BayesBridgeError:
    return BayesBridgeError(f"{name!r} does not count tricks: declare its output with tricks=TrickCount()", name=name)
