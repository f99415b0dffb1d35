"""Tricks: the distribution of an output that counts tricks, with everything that is said of it.

An output may be a mixture: the mass where it cannot count (T where the conditions of Algorithm 2 fail), and the number
of tricks given that it can. Both are kept apart; a mean that mixes them is marked as such. The summary, the history,
the JSON document, the screen, the page and the pictures all read this one value, and the words for it: a contract
*makes* only by an output that estimates tricks at the table (``TrickCount.at_table``); T is a number that is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.calls import Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import TrickCount
from bayesbridge.words import CAPTURES, SEATS, STRAINS, WITHOUT_TRUMPS

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.estimators.evaluate import Sums
    from bayesbridge.estimators.protocol import Question

GOALS: Final = range(7, 14)
"""Numbers of tricks that contracts need: 6 more than their level."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose tricks were asked for, and in which strain."""

    pair: tuple[Seat, Seat]
    strain: Strain = Strain.NT
    contract: Contract | None = None
    """That of the auction once it is over."""
    dummy: Seat | None = None
    """The seat that does not bid; ``None`` in the four-player game."""

    @classmethod
    def of(cls, belief: Perspective, question: Question) -> Asked:
        """From what is believed and what was asked."""
        contract = None if belief.auction is None else belief.auction.contract
        strain = Strain.NT if question.trump is None else Strain(question.trump)
        return cls(question.pair, strain, contract, belief.dummy)

    @classmethod
    def of_result(cls, result: xarray.DataTree) -> Asked:
        """From what a result keeps of it."""
        kept = result["constant_data"].to_dataset()
        first, second = (Seat.of(str(name)) for name in kept["pair"].values)
        contract, dummy = (str(kept[name].values) for name in ("contract", "dummy"))
        return cls(
            (first, second),
            Strain.of(str(kept["trump"].values)),
            Contract.of(contract) if contract else None,
            Seat.of(dummy) if dummy else None,
        )

    def picked(self, where: Mapping[str, Any]) -> Asked:
        """The same, for one ``strain`` or one ``seat`` as declarer of an output that has several."""
        strain = Strain.of(where["strain"]) if "strain" in where else self.strain
        if "seat" not in where:
            return replace(self, strain=strain)
        first = Seat.of(where["seat"])
        second = first.partner if self.dummy in (None, first) else self.dummy
        return replace(self, strain=strain, pair=(first, second))

    @property
    def declares(self) -> bool:
        """Whether the contract, if there is one, is the pair's."""
        return self.contract is None or self.contract.declarer in self.pair

    @property
    def names(self) -> str:
        """The pair, and that it defends."""
        defends = not self.declares and self.dummy not in self.pair
        return f"{'the defenders ' if defends else ''}{self.pair[0].name} and {self.pair[1].name}"


@dataclass(frozen=True, slots=True, eq=False)
class Tricks:
    """P(number of tricks): ``values`` (n,) rising with their ``shares`` (n,), which add up to one."""

    name: str
    values: NDArray[np.int64]
    shares: NDArray[np.float64]
    count: TrickCount
    exact: bool
    doc: str = ""
    """What the output is, in a sentence."""
    asked: Asked | None = None

    @classmethod
    def of_sums(cls, sums: Sums, asked: Asked | None = None) -> Self:
        """From what was added up over a posterior."""
        counted, pmf = sums.output.tricks, sums.pmf
        if counted is None or pmf is None or pmf.ndim != 1:
            raise _not_tricks(sums.output.name)
        values = sums.lowest + np.arange(len(pmf))
        return cls(sums.output.name, values, pmf, counted, sums.exact, sums.output.doc, asked)

    @classmethod
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
        counted = TrickCount(fails_at, str(attrs["failing"]), str(attrs["holding"]), bool(attrs.get("at_table", 0)))
        asked, doc = Asked.of_result(result).picked(where), str(attrs["long_name"])
        return cls(name, pmf[f"{name}_value"].values, pmf.values, counted, bool(attrs["exact"]), doc, asked)

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
        return float(self.shares @ self.values)

    @property
    def mean_if_held(self) -> float | None:
        """Mean given that it can count; ``None`` where it never can."""
        counting = self._counting
        return float(self.shares[counting] @ self.values[counting]) / self.holds if self.holds else None

    def at_least(self, tricks: int) -> float:
        """P(at least so many tricks)."""
        return min(1.0, float(self.shares[self._counting & (self.values >= tricks)].sum()))

    def share(self, tricks: int) -> float:
        """P(exactly so many)."""
        return float(self.shares[self.values == tricks].sum())

    @property
    def occurring(self) -> range:
        """The numbers of tricks from the first to the last that occurs; 7 to 13 where none does."""
        met = self.values[self._counting & (self.shares > 0)]
        return range(int(met[0]), int(met[-1]) + 1) if len(met) else range(7, 14)

    @property
    def goals(self) -> dict[int, float]:
        """P(at least so many) for 7 to 13 tricks."""
        return {goal: self.at_least(goal) for goal in GOALS}

    @property
    def judges(self) -> bool:
        """Whether contracts make by it: it estimates tricks at the table, of the side that declares."""
        return self.count.at_table and self.asked is not None and self.asked.declares

    def goal(self, tricks: int) -> str:
        """What "at least so many" is called: a contract that makes, or only a number that is reached.

        >>> import bayesbridge as bb
        >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(draws=100, rng=1)
        >>> Tricks.of(bb.estimate(posterior)).goal(9), Tricks.of(bb.estimate(posterior, "tricks"), "tricks").goal(9)
        ('T ≥ 9', '3NT makes')
        """
        if self.judges and self.asked is not None and tricks in GOALS:
            return f"{tricks - 6}{self.asked.strain.name} makes"
        return f"{self.name} ≥ {tricks}"

    @property
    def title(self) -> str:
        """What is counted and for whom: strain, declarer and dummy of tricks at the table."""
        if self.asked is None:
            return self.axis
        if not self.count.at_table:
            strain = STRAINS[self.asked.strain.name]
            if self.name != "T":
                said = self.doc[:1].lower() + self.doc[1:].removesuffix(".")
                return f"{self.name} of {self.asked.names}, in {strain}: {said}"
            plain = "" if self.asked.strain == Strain.NT else ", without trumps"
            return f"T of {self.asked.names}: captures by the paper's rule{plain}"
        first, second = (SEATS[seat.name] for seat in self.asked.pair)
        return f"Tricks of {first}, dummy {second}, in {STRAINS[self.asked.strain.name]}"

    @property
    def axis(self) -> str:
        """What the numbers are, in a few words."""
        if self.name == "T":
            return "T, captures by the paper's rule"
        if not self.count.at_table:
            return self.name
        return "tricks at the table" if self.name == "tricks" else f"{self.name}, tricks at the table"

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader needs: what the number is, and what it does not answer."""
        said = [CAPTURES if self.name == "T" and not self.count.at_table else f"{self.name}: {self.doc}"]
        if said[0] != CAPTURES and not self.count.at_table:
            said.append(f"{self.name} is not the number of tricks at the table, which the estimator tricks gives.")
        if self.asked is not None and self.asked.strain != Strain.NT and said[0] == CAPTURES:
            said.append(WITHOUT_TRUMPS)
        if self.asked is not None and not self.asked.declares:
            names, other = self.asked.names, f"this is not declarer's contract, {self.asked.contract}"
            declared = f"tricks that {names} would take if {self.asked.pair[0].name} declared"
            said.append(f"These are the {declared if self.count.at_table else f'captures of {names}'}; {other}.")
        return said

    @property
    def _counting(self) -> NDArray[np.bool_]:
        everywhere = np.ones(len(self.values), dtype=np.bool_)
        return everywhere if self.count.fails_at is None else self.values != self.count.fails_at


def trick_attributes(count: TrickCount | None) -> dict[str, Any]:
    """What a result keeps beside a distribution, for :meth:`Tricks.of`."""
    if count is None:
        return {}
    told = {"counts_tricks": 1, "at_table": int(count.at_table), "failing": count.failing, "holding": count.holding}
    return told if count.fails_at is None else {**told, "fails_at": count.fails_at}


def _not_tricks(name: str) -> BayesBridgeError:
    return BayesBridgeError(f"{name!r} does not count tricks: declare its output with tricks=TrickCount()", name=name)
