"""What an output is over a posterior: one frozen :class:`Distribution`, and the sums
that it is made of.

An output that counts tricks may be a mixture: the mass where it cannot count (T where
the conditions of Algorithm 2 fail), and the number of tricks given that it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.display.markup import Displayable, Table
from bayesbridge.display.words import (
    RARE,
    SEATS,
    STRAINS,
    SYMBOLS,
    WITHOUT_TRUMPS,
    percent,
)
from bayesbridge.display.words import number as counting
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators.protocol import Output, Question, TrickCount
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, read_only
from bayesbridge.runtime.jit import njit

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief

GOALS: Final = range(
    7, 14
)  # numbers of tricks that contracts need: 6 more than their level
MOST_ROWS: Final = (
    20  # rows shown of an output that has labels: all strains with all declarers
)
MOST_BARS: Final = (
    40  # rows of a distribution; where it has more values, neighbours share one
)
MOST_COLUMNS: Final = 15  # values that get a column each beside the labels of an output


@dataclass(frozen=True, slots=True)
class TrickContext:
    """Whose tricks were asked for, and in which strain."""

    pair: tuple[Seat, Seat]
    strain: Strain = Strain.NT
    contract: Contract | None = None  #: That of the auction once it is over.
    dummy: Seat | None = (
        None  #: The seat that does not bid; ``None`` in the four-player game.
    )

    @classmethod
    def of(cls, belief: Belief, question: Question) -> TrickContext:
        contract = None if belief.auction is None else belief.auction.contract
        return cls(question.pair, question.strain, contract, belief.dummy)

    def picked(self, where: Mapping[str, Any]) -> TrickContext:
        """The same, for one ``strain`` or one ``seat`` as declarer of an output that
        has several.
        """
        first, second = self.pair
        if "seat" in where:
            first = Seat.of(where["seat"])
            second = (
                first.partner
                if self.dummy is None or self.dummy == first
                else self.dummy
            )
        return replace(
            self,
            strain=Strain.of(where.get("strain", self.strain)),
            pair=(first, second),
        )

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
class Distribution(FrozenArrays, Displayable):
    """One output of one estimator over a posterior.

    What is said of tricks (:attr:`fails` to :meth:`goal`) is of a single number, which
    :meth:`tricks` picks.
    """

    output: Output
    draws: NDArray[Any]  #: (n, …) what it is in the layouts that were kept.
    mean: Floats  #: (cells,), as ``sd``: the cells are the products of the labels.
    sd: Floats
    exact: bool
    values: NDArray[
        np.int64
    ]  #: Whole numbers with the probabilities ``pmf`` (cells, values); none for other numbers.
    pmf: Floats
    estimator: str
    name: str  #: Its name in results: two estimators may share the name of an output.
    asked: TrickContext

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """Labels of its dimensions; none for a single number."""
        return {
            dim: tuple(map(str, self.output.labels(dim))) for dim in self.output.dims
        }

    @property
    def cells(self) -> list[dict[str, str]]:
        """The labels of every cell, by dimension."""
        return [
            dict(zip(self.output.dims, cell, strict=True))
            for cell in product(*self.labels.values())
        ]

    @property
    def names(self) -> list[str]:
        """The name of every cell, such as ``delta[C]``."""
        return [
            f"{self.name}[{', '.join(cell.values())}]" if cell else self.name
            for cell in self.cells
        ]

    @property
    def counts_tricks(self) -> bool:
        """Whether it is one number that counts tricks."""
        return self.output.tricks is not None and not self.output.dims

    def places(self, **where: Any) -> list[int]:
        """The places of the cells with these labels."""
        if unknown := [dim for dim in where if dim not in self.output.dims]:
            raise BayesBridgeError(
                f"{self.name!r} has no dimension {unknown[0]!r}: leave it out",
                name=self.name,
            )
        return [
            i
            for i, cell in enumerate(self.cells)
            if all(cell[dim] == str(label) for dim, label in where.items())
        ]

    def at(self, **where: Any) -> Self:
        """The one number with these labels, without them."""
        if len(met := self.places(**where)) != 1:
            dims = (
                ", ".join(dim for dim in self.labels if dim not in where)
                or "labels that it has"
            )
            raise BayesBridgeError(
                f"{self.name!r} has several numbers: pick one by {dims}", name=self.name
            )
        kept, output = self.draws, replace(self.output, dims=(), coords={})
        kept = kept.reshape(
            len(kept), len(self.mean), *kept.shape[1 + len(self.output.dims) :]
        )[:, met[0]]
        mean, sd, pmf = (cells[met] for cells in (self.mean, self.sd, self.pmf))
        return replace(
            self,
            output=output,
            draws=kept,
            mean=mean,
            sd=sd,
            pmf=pmf,
            asked=self.asked.picked(where),
        )

    def tricks(self, **where: Any) -> Self:
        """The number of tricks; ``where`` picks one of several numbers, such as
        ``strain="NT"``.
        """
        one = self.at(**where)
        if self.output.tricks is None:
            words = f"{self.name!r} does not count tricks: declare its output with tricks=TrickCount()"
            raise BayesBridgeError(words, name=self.name)
        return one

    def met(self, *places: int) -> slice:
        """From the first to the last value that occurs in one of the cells."""
        found = np.flatnonzero((self.pmf[list(places)] > 0).any(axis=0))
        return slice(found[0], found[-1] + 1) if len(found) else slice(None)

    @property
    def count(self) -> TrickCount:
        """What it does where it cannot count tricks."""
        return self.output.tricks or TrickCount()

    @property
    def drawn(self) -> NDArray[Any]:
        """(n, cells) what each layout that was kept has; of a distribution for each
        layout its mean.
        """
        each = (
            self.draws
            if self.output.support is None
            else (self.draws * self.values).sum(axis=-1)
        )
        return read_only(each.reshape(len(each), len(self.mean)))

    @property
    def shares(self) -> Floats:
        """(n,) P(each of :attr:`values`), of a single number."""
        return read_only(self.pmf[0])

    @property
    def counted(self) -> NDArray[np.bool_]:
        """(n,) the whole numbers that count: all but what stands for failing."""
        undefined = self.count.undefined_value
        if undefined is None:
            return read_only(np.ones(len(self.values), np.bool_))
        return read_only(self.values != undefined)

    @property
    def fails(self) -> float:
        """P(it cannot count), 0 for an output that always counts."""
        return float(self.shares[~self.counted].sum())

    @property
    def holds(self) -> float:
        """P(it can count)."""
        return float(self.shares[self.counted].sum())

    @property
    def mean_if_held(self) -> float | None:
        """Mean given that it can count; ``None`` where it never can."""
        counting = self.counted
        return (
            float(self.shares[counting] @ self.values[counting]) / self.holds
            if self.holds
            else None
        )

    def at_least(self, tricks: int) -> float:
        """P(at least so many tricks)."""
        return min(
            1.0, float(self.shares[self.counted & (self.values >= tricks)].sum())
        )

    def share(self, tricks: int) -> float:
        """P(exactly so many)."""
        return float(self.shares[self.values == tricks].sum())

    @property
    def occurring(self) -> range:
        """The numbers of tricks from the first to the last that occurs; 7 to 13 where
        none does.
        """
        met = self.values[self.counted & (self.shares > 0)]
        return range(int(met[0]), int(met[-1]) + 1) if len(met) else GOALS

    @property
    def goals(self) -> dict[int, float]:
        """P(at least so many) for 7 to 13 tricks."""
        return {goal: self.at_least(goal) for goal in GOALS}

    @property
    def is_contract_chance(self) -> bool:
        """Whether contracts make by it: it estimates tricks at the table, of the side
        that declares.
        """
        return self.count.at_table and self.asked.declares

    def goal(self, tricks: int) -> str:
        """What "at least so many" is called: ``3NT makes``, or only ``T ≥ 9`` where no
        contract makes by it.
        """
        makes = self.is_contract_chance and tricks in GOALS
        return (
            f"{tricks - 6}{self.asked.strain.name} makes"
            if makes
            else f"{self.name} ≥ {tricks}"
        )

    @property
    def title(self) -> str:
        """What is counted and for whom: strain, declarer and dummy of tricks at the
        table.
        """
        asked, output = self.asked, self.output
        strain = STRAINS[asked.strain.name]
        if output.tricks is None:
            return f"{self.name}, for {asked.names}: {output.doc}"
        if output.tricks.at_table:
            return f"Tricks of {SEATS[asked.pair[0].name]}, dummy {SEATS[asked.pair[1].name]}, in {strain}"
        if output.title:
            without = (
                ", without trumps" if output.note and asked.strain != Strain.NT else ""
            )
            return f"{self.name} of {asked.names}: {output.title}{without}"
        return f"{self.name} of {asked.names}, in {strain}: {output.doc[:1].lower()}{output.doc[1:].removesuffix('.')}"

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader needs: what the number of tricks is, and what it does
        not answer.
        """
        asked, at_table = self.asked, self.count.at_table
        sentences = [self.output.note or f"{self.name}: {self.output.doc}"]
        if not self.output.note and not at_table:
            sentences.append(
                f"{self.name} is not the number of tricks at the table, which the estimator tricks gives."
            )
        sentences += (
            [WITHOUT_TRUMPS] if self.output.note and asked.strain != Strain.NT else []
        )
        if not asked.declares:
            declared = (
                f"tricks that {asked.names} would take if {asked.pair[0].name} declared"
            )
            whose = declared if at_table else f"captures of {asked.names}"
            sentences.append(
                f"These are the {whose}; this is not declarer's contract, {asked.contract}."
            )
        return sentences

    @property
    def tables(self) -> list[Table]:
        """Tricks and other whole numbers by their distribution, several numbers by a
        row for each.
        """
        if self.output.dims:
            return [self._labelled_table()]
        return [
            self._number_table() if self.output.tricks is None else self._tricks_table()
        ]

    def _tricks_table(self) -> Table:
        """How many, with P(at least so many) beside it; ends rarer than ``RARE`` are
        left out, and that is said.
        """
        count, mean, fails = self.count, self.mean_if_held, self.fails
        every = [value for value in self.occurring if self.holds]
        shown = every
        if self.output.support is not None:
            shown = [
                v
                for v in every
                if self.at_least(v) >= RARE and 1 - self.at_least(v + 1) >= RARE
            ]
        rows: list[list[str | float]] = [[count.failing, fails, ""]] if fails else []
        for value in shown:
            colon = "" if self.is_contract_chance and value > 6 else ":"
            least = f"{self.goal(value)}{colon} {percent(self.at_least(value))}"
            rows.append([f"{self.name} = {value}", self.share(value), least])
        said = []
        if len(shown) < len(every):
            said.append(
                f"Numbers not shown: {percent(1 - fails - sum(map(self.share, shown)))} together."
            )
        if mean is None:
            said.append(
                f"{count.failing.capitalize()} in every layout: {self.name} = {count.undefined_value} there."
            )
        elif fails:
            held = f"if {count.holding}, {self.name} is {mean:.2f} on average."
            said.append(f"{count.failing.capitalize()} with {percent(fails)}; {held}")
        else:
            said.append(f"{self.name} is {mean:.2f} on average.")
        return Table(self.title, ["", "P", ""], rows, [*said, *self.notes], bars=True)

    def _number_table(self) -> Table:
        """A whole number that does not count tricks."""
        kept = self.met(0)
        values, shares = self.values[kept], self.shares[kept]
        step = -(-len(values) // MOST_BARS)
        rows: list[list[str | float]] = []
        for begin in range(0, len(values), step):
            ends = values[begin : begin + step]
            label = f"{self.name} = {ends[0]}" + (
                f" … {ends[-1]}" if len(ends) > 1 else ""
            )
            rows.append([label, float(shares[begin : begin + step].sum())])
        note = f"{self.name} is {self.mean[0]:.2f} on average, with a standard deviation of {self.sd[0]:.2f}."
        return Table(self.title, ["", "P"], rows, [note], bars=True)

    def _labelled_table(self) -> Table:
        """A row for each label: strains from no trumps down, the pair's seats first; of
        many those with the most.
        """
        cells, means, spreads = self.cells, self.mean, self.sd
        seats = [*(seat.name for seat in self.asked.pair), *SEATS]
        fixed = {"strain": [*STRAINS], "suit": [*SYMBOLS], "seat": seats}

        def place(cell: int) -> tuple[float, ...]:
            ranks = [
                fixed[dim].index(label) if label in fixed.get(dim, ()) else 0
                for dim, label in cells[cell].items()
            ]
            return (*ranks, -float(means[cell]) if len(cells) > MOST_ROWS else 0.0)

        told = [
            cell for cell in range(len(cells)) if means[cell] or spreads[cell]
        ] or list(range(len(cells)))
        ranked = sorted(told, key=place)
        kept = self.met(*ranked[:MOST_ROWS])
        if self.output.dtype == "bool" or len(self.values[kept]) > MOST_COLUMNS:
            kept = slice(0)
        heads, shares = self.values[kept], self.pmf[:, kept]
        rows = []
        for cell in ranked[:MOST_ROWS]:
            found = (float(p) or "" for p in shares[cell])
            rows.append(
                [
                    " ".join(cells[cell].values()),
                    f"{means[cell]:.3f}",
                    f"{spreads[cell]:.3f}",
                    *found,
                ]
            )
        said = ["The columns after sd are P(that value)."] if len(heads) else []
        if len(ranked) > MOST_ROWS:
            said.append(
                f"… and {counting(len(ranked) - MOST_ROWS)} more rows of {self.name}, which --json prints."
            )
        columns = [", ".join(self.output.dims), "mean", "sd", *map(str, heads)]
        return Table(f"{self.name}: {self.output.doc}", columns, rows, said)

    @property
    def document(self) -> dict[str, Any]:
        """Mean, spread and distribution, nested by the labels; of tricks also P(at
        least so many).
        """
        said: dict[str, Any] = {}
        for place, cell in enumerate(self.cells):
            inner = said
            for label in cell.values():
                inner = inner.setdefault(label, {})
            inner |= {"mean": float(self.mean[place]), "sd": float(self.sd[place])}
            if len(self.values):
                shares = self.pmf[place].clip(max=1.0)
                inner["pmf"] = {
                    str(value): float(p)
                    for value, p in zip(self.values, shares, strict=True)
                }
        if self.counts_tricks:
            said |= {
                "at_table": self.count.at_table,
                "at_least": {str(goal): p for goal, p in self.goals.items()},
            }
            if self.is_contract_chance:
                said["makes"] = {
                    self.goal(goal).removesuffix(" makes"): p
                    for goal, p in self.goals.items()
                }
        return said


class Accumulator:
    """Running sums of one output: a distribution of integers, moments of any numbers."""

    def __init__(self, output: Output, estimator: str) -> None:
        self.output, self.estimator, self.lowest, self.exact = (
            output,
            estimator,
            0,
            False,
        )
        self.kept: list[NDArray[Any]] = []
        """Values of the layouts that are kept."""
        cells = int(np.prod(output.shape))
        self.mean, self.square = np.zeros(cells), np.zeros(cells)
        self.table: Floats | None = None
        """(cells, values) weight of each value from ``lowest`` on; ``None`` for
        floating-point numbers.
        """
        if output.listed is not None:
            self.lowest = output.listed.start
            self.table = np.zeros((cells, len(output.listed)))
        elif np.dtype(output.dtype).kind in "biu":
            self.table = np.zeros((cells, 1))

    def add(self, values: NDArray[Any], weights: Floats) -> None:
        """Add (n, …) values with (n,) weights."""
        flat = values.reshape(len(values), -1)
        if self.table is None:
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # `moments` reports what grew too large
                self.mean += weights @ flat
                self.square += weights @ (flat.astype(np.float64) ** 2)
            return
        if self.output.support is not None:
            self.table += (weights @ flat).reshape(self.table.shape)
            return
        if flat.dtype == np.bool_:
            flat = flat.view(np.int8)
        low, high = (
            (int(flat.min()), int(flat.max()))
            if len(flat)
            else (self.lowest, self.lowest)
        )
        low, high = (
            min(low, self.lowest),
            max(high, self.lowest + self.table.shape[1] - 1),
        )
        domain = self.output.domain
        if domain is not None and (low < domain.start or high >= domain.stop):
            raise self._outside(low, high)
        if high - low >= 4096:
            more = "declare a floating-point dtype for values spread over more than 4096 integers"
            raise self._broken(f"ranges from {low} to {high}: {more}")
        before, after = self.lowest - low, high - self.lowest - self.table.shape[1] + 1
        if before or after:
            self.table = np.pad(self.table, ((0, 0), (before, after)))
            self.lowest = low
        _tally(np.ascontiguousarray(flat), weights, self.lowest, self.table)

    def count(self, lowest: int, counts: NDArray[Any], total: int) -> None:
        """Exact counts of layouts by value from ``lowest`` on, or probabilities with a
        total of 1, for all that was.
        """
        counts = np.array(counts, dtype=np.float64).reshape(-1, np.shape(counts)[-1])
        shares = counts / total
        occurring = np.flatnonzero(shares.any(axis=0))
        first = int(occurring[0])
        last = int(occurring[-1])
        listed = self.output.listed or range(lowest + first, lowest + last + 1)
        if lowest + first < listed.start or lowest + last >= listed.stop:
            raise self._outside(lowest + first, lowest + last)
        self.lowest = listed.start
        self.table = np.zeros((len(shares), len(listed)))
        place = lowest + first - listed.start
        self.table[:, place : place + last - first + 1] = shares[:, first : last + 1]
        self.exact = True

    def _outside(self, low: int, high: int) -> PluginError:
        """The error for values that the domain declared does not hold."""
        return self._broken(
            f"ranges from {low} to {high}, outside its domain {self.output.domain}"
        )

    def _broken(self, why: str) -> PluginError:
        where = f"estimator {self.estimator!r}: output {self.output.name!r}"
        return PluginError(
            f"{where} {why}", plugin=self.estimator, output=self.output.name
        )

    def distribution(self, exact: bool, name: str, asked: TrickContext) -> Distribution:
        """What was added up; refuses numbers too large to have moments."""
        values, pmf = np.zeros(0, np.int64), np.zeros((len(self.mean), 0))
        if self.table is not None:
            self.table /= self.table.sum(
                axis=1, keepdims=True
            )  # ten million weights miss one by rounding
            values, pmf = self.lowest + np.arange(self.table.shape[1]), self.table
            self.mean, self.square = self.table @ values, self.table @ (values**2)
        if not np.isfinite(self.square).all():
            raise self._broken(
                f"has numbers whose squares pass {np.finfo(np.float64).max:.0e}: scale it"
            )
        sd = np.sqrt(np.maximum(self.square - self.mean**2, 0.0))
        kept = np.concatenate(
            [np.empty((0, *self.output.returned), self.output.dtype), *self.kept]
        )
        exact = exact or self.exact
        return Distribution(
            self.output,
            read_only(kept),
            self.mean,
            sd,
            exact,
            values,
            pmf,
            self.estimator,
            name,
            asked,
        )


@njit
def _tally(
    values: NDArray[Any],
    weights: NDArray[np.float64],
    lowest: int,
    table: NDArray[np.float64],
) -> None:
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
