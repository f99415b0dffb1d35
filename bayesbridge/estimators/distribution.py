"""What an output is over a posterior.

One frozen :class:`Distribution`, and the sums that it is made of.

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

GOALS: Final = range(7, 14)
"""Numbers of tricks that contracts need: 6 more than their level."""

MOST_ROWS: Final = 20
"""Rows shown of an output that has labels: all strains with all declarers."""

MOST_BARS: Final = 40
"""Rows of a distribution; where it has more values, neighbours share one."""

MOST_COLUMNS: Final = 15
"""Values that get a column each beside the labels of an output."""

MOST_VALUES: Final = 4096
"""Integers that a distribution may spread over."""


@dataclass(frozen=True, slots=True)
class TrickContext:
    """Whose tricks were asked for, and in which strain."""

    pair: tuple[Seat, Seat]
    strain: Strain = Strain.NT
    contract: Contract | None = None  #: That of the auction once it is over.
    #: The seat that does not bid; ``None`` in the four-player game.
    dummy: Seat | None = None

    @classmethod
    def of(cls, belief: Belief, question: Question) -> TrickContext:
        """Of a question about a belief."""
        contract = None if belief.auction is None else belief.auction.contract
        return cls(question.pair, question.strain, contract, belief.dummy)

    def picked(self, where: Mapping[str, Any]) -> TrickContext:
        """The same, for one ``strain`` or one ``seat`` as declarer.

        ``where`` are labels of an output that has several numbers.
        """
        pair = self.pair
        if "seat" in where:
            pair = self._declared_by(Seat.of(where["seat"]))
        strain = Strain.of(where.get("strain", self.strain))
        return replace(self, strain=strain, pair=pair)

    def _declared_by(self, declarer: Seat) -> tuple[Seat, Seat]:
        """The declarer with the dummy, or with their partner."""
        if self.dummy is None or self.dummy == declarer:
            return declarer, declarer.partner
        return declarer, self.dummy

    @property
    def declares(self) -> bool:
        """Whether the contract, if there is one, is the pair's."""
        return self.contract is None or self.contract.declarer in self.pair

    @property
    def names(self) -> str:
        """The pair, and that it defends."""
        first, second = self.pair
        names = f"{first.name} and {second.name}"
        if not self.declares and self.dummy not in self.pair:
            return f"the defenders {names}"
        return names


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
    #: Whole numbers with the probabilities ``pmf`` (cells, values); none for others.
    values: NDArray[np.int64]
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
        for dim in where:
            if dim not in self.output.dims:
                raise BayesBridgeError(
                    f"{self.name!r} has no dimension {dim!r}: leave it out",
                    name=self.name,
                )
        wanted = {dim: str(label) for dim, label in where.items()}
        return [
            place
            for place, cell in enumerate(self.cells)
            if wanted.items() <= cell.items()
        ]

    def at(self, **where: Any) -> Self:
        """The one number with these labels, without them."""
        places = self.places(**where)
        if len(places) != 1:
            open_dims = [dim for dim in self.labels if dim not in where]
            dims = ", ".join(open_dims) or "labels that it has"
            raise BayesBridgeError(
                f"{self.name!r} has several numbers: pick one by {dims}", name=self.name
            )
        (place,) = places
        support_axis = self.draws.shape[1 + len(self.output.dims) :]
        by_cell = self.draws.reshape(len(self.draws), len(self.mean), *support_axis)
        return replace(
            self,
            output=replace(self.output, dims=(), coords={}),
            draws=by_cell[:, place],
            mean=self.mean[places],
            sd=self.sd[places],
            pmf=self.pmf[places],
            asked=self.asked.picked(where),
        )

    def tricks(self, **where: Any) -> Self:
        """The number of tricks; ``where`` picks one of several, as ``strain="NT"``."""
        number = self.at(**where)
        if self.output.tricks is None:
            raise BayesBridgeError(
                f"{self.name!r} does not count tricks: declare its output with tricks=TrickCount()",
                name=self.name,
            )
        return number

    def met(self, *places: int) -> slice:
        """From the first to the last value that occurs in one of the cells."""
        occurring = np.flatnonzero((self.pmf[list(places)] > 0).any(axis=0))
        if not len(occurring):
            return slice(None)
        return slice(occurring[0], occurring[-1] + 1)

    @property
    def count(self) -> TrickCount:
        """What it does where it cannot count tricks."""
        return self.output.tricks or TrickCount()

    @property
    def drawn(self) -> NDArray[Any]:
        """(n, cells) what each layout that was kept has.

        Of a distribution for each layout it is the mean.
        """
        numbers = self.draws
        if self.output.support is not None:
            numbers = (self.draws * self.values).sum(axis=-1)
        return read_only(numbers.reshape(len(numbers), len(self.mean)))

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
        if not self.holds:
            return None
        counted = self.counted
        total = float(self.shares[counted] @ self.values[counted])
        return total / self.holds

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
        """The numbers of tricks from the first to the last that occurs.

        From 7 to 13 where none does.
        """
        values = self.values[self.counted & (self.shares > 0)]
        if not len(values):
            return GOALS
        return range(int(values[0]), int(values[-1]) + 1)

    @property
    def goals(self) -> dict[int, float]:
        """P(at least so many) for 7 to 13 tricks."""
        return {goal: self.at_least(goal) for goal in GOALS}

    @property
    def is_contract_chance(self) -> bool:
        """Whether contracts make by it.

        They do if it estimates tricks at the table, of the side that declares.
        """
        return self.count.at_table and self.asked.declares

    def goal(self, tricks: int) -> str:
        """What "at least so many" is called.

        Such as ``3NT makes``, or only ``T ≥ 9`` where no contract makes by it.
        """
        if self.is_contract_chance and tricks in GOALS:
            return f"{tricks - 6}{self.asked.strain.name} makes"
        return f"{self.name} ≥ {tricks}"

    @property
    def title(self) -> str:
        """What is counted and for whom.

        Of tricks at the table with strain, declarer and dummy.
        """
        output = self.output
        names = self.asked.names
        strain = STRAINS[self.asked.strain.name]
        if output.tricks is None:
            return f"{self.name}, for {names}: {output.doc}"
        if output.tricks.at_table:
            declarer, dummy = self.asked.pair
            return f"Tricks of {SEATS[declarer.name]}, dummy {SEATS[dummy.name]}, in {strain}"
        if output.title:
            title = f"{self.name} of {names}: {output.title}"
            if self._ignores_trumps:
                title += ", without trumps"
            return title
        doc = f"{output.doc[:1].lower()}{output.doc[1:].removesuffix('.')}"
        return f"{self.name} of {names}, in {strain}: {doc}"

    @property
    def _ignores_trumps(self) -> bool:
        """Whether trumps are asked about, and a number that has a note ignores them."""
        return bool(self.output.note) and self.asked.strain != Strain.NT

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader needs.

        What the number of tricks is, and what it does not answer.
        """
        asked = self.asked
        at_table = self.count.at_table
        sentences = [self.output.note or f"{self.name}: {self.output.doc}"]
        if not self.output.note and not at_table:
            sentences.append(
                f"{self.name} is not the number of tricks at the table, which the "
                "estimator tricks gives."
            )
        if self._ignores_trumps:
            sentences.append(WITHOUT_TRUMPS)
        if not asked.declares:
            subject = f"captures of {asked.names}"
            if at_table:
                declarer = asked.pair[0].name
                subject = f"tricks that {asked.names} would take if {declarer} declared"
            sentences.append(
                f"These are the {subject}; this is not declarer's contract, "
                f"{asked.contract}."
            )
        return sentences

    @property
    def tables(self) -> list[Table]:
        """The tables that people are shown.

        Tricks and other whole numbers by their distribution, several numbers by a row
        for each.
        """
        if self.output.dims:
            return [self._labelled_table()]
        return [
            self._number_table() if self.output.tricks is None else self._tricks_table()
        ]

    def _tricks_table(self) -> Table:
        """How many, with P(at least so many) beside it.

        Ends rarer than ``RARE`` are left out, and that is said.
        """
        failing = self.count.failing
        fails = self.fails
        possible = list(self.occurring) if self.holds else []
        shown = possible
        if self.output.support is not None:
            shown = [tricks for tricks in possible if self._is_inside(tricks)]
        rows: list[list[str | float]] = []
        if fails:
            rows.append([failing, fails, ""])
        for tricks in shown:
            label = f"{self.name} = {tricks}"
            rows.append([label, self.share(tricks), self._goal_words(tricks)])
        notes = []
        if len(shown) < len(possible):
            left_out = percent(1 - fails - sum(map(self.share, shown)))
            notes.append(f"Numbers not shown: {left_out} together.")
        notes.append(self._mean_sentence())
        return Table(self.title, ["", "P", ""], rows, [*notes, *self.notes], bars=True)

    def _is_inside(self, tricks: int) -> bool:
        """Whether so many tricks lie between the rare ends."""
        fewer_or_equal = 1 - self.at_least(tricks + 1)
        return self.at_least(tricks) >= RARE and fewer_or_equal >= RARE

    def _goal_words(self, tricks: int) -> str:
        """P(at least so many), with what it is called."""
        colon = "" if self.is_contract_chance and tricks in GOALS else ":"
        return f"{self.goal(tricks)}{colon} {percent(self.at_least(tricks))}"

    def _mean_sentence(self) -> str:
        """How many tricks on average, and how often they cannot be counted."""
        failing = self.count.failing.capitalize()
        mean = self.mean_if_held
        if mean is None:
            return f"{failing} in every layout: {self.name} = {self.count.undefined_value} there."
        average = f"{self.name} is {mean:.2f} on average."
        if not self.fails:
            return average
        return (
            f"{failing} with {percent(self.fails)}; if {self.count.holding}, {average}"
        )

    def _number_table(self) -> Table:
        """A whole number that does not count tricks."""
        occurring = self.met(0)
        values = self.values[occurring]
        shares = self.shares[occurring]
        values_a_row = -(-len(values) // MOST_BARS)
        rows: list[list[str | float]] = []
        for begin in range(0, len(values), values_a_row):
            stretch = slice(begin, begin + values_a_row)
            row_values = values[stretch]
            label = f"{self.name} = {row_values[0]}"
            if len(row_values) > 1:
                label += f" … {row_values[-1]}"
            rows.append([label, float(shares[stretch].sum())])
        note = (
            f"{self.name} is {self.mean[0]:.2f} on average, with a standard deviation "
            f"of {self.sd[0]:.2f}."
        )
        return Table(self.title, ["", "P"], rows, [note], bars=True)

    def _labelled_table(self) -> Table:
        """A row for each label, of many those with the largest means."""
        ranked = self._ranked_cells()
        shown = ranked[:MOST_ROWS]
        columns = self.met(*shown)
        if self.output.dtype == "bool" or len(self.values[columns]) > MOST_COLUMNS:
            columns = slice(0)
        names = [" ".join(cell.values()) for cell in self.cells]
        rows = []
        for cell in shown:
            shares = [float(share) or "" for share in self.pmf[cell, columns]]
            mean = f"{self.mean[cell]:.3f}"
            sd = f"{self.sd[cell]:.3f}"
            rows.append([names[cell], mean, sd, *shares])
        values = self.values[columns]
        notes = []
        if len(values):
            notes.append("The columns after sd are P(that value).")
        if len(ranked) > MOST_ROWS:
            not_shown = counting(len(ranked) - MOST_ROWS)
            notes.append(
                f"… and {not_shown} more rows of {self.name}, which --json prints."
            )
        heads = [", ".join(self.output.dims), "mean", "sd", *map(str, values)]
        return Table(f"{self.name}: {self.output.doc}", heads, rows, notes)

    def _ranked_cells(self) -> list[int]:
        """The cells that say something, in the order they are shown.

        Strains go from no trumps down, the pair's seats come first; of many those with
        the largest means.
        """
        cells = self.cells
        seats = [*(seat.name for seat in self.asked.pair), *SEATS]
        label_orders = {"strain": [*STRAINS], "suit": [*SYMBOLS], "seat": seats}

        def rank(cell: int) -> tuple[float, ...]:
            ranks: list[float] = []
            for dim, label in cells[cell].items():
                order = label_orders.get(dim, [])
                ranks.append(order.index(label) if label in order else 0)
            if len(cells) > MOST_ROWS:
                ranks.append(-float(self.mean[cell]))
            return tuple(ranks)

        informative = [
            cell for cell in range(len(cells)) if self.mean[cell] or self.sd[cell]
        ]
        return sorted(informative or range(len(cells)), key=rank)

    @property
    def document(self) -> dict[str, Any]:
        """Mean, spread and distribution, nested by the labels.

        Of tricks also P(at least so many).
        """
        document: dict[str, Any] = {}
        for place, cell in enumerate(self.cells):
            nested = document
            for label in cell.values():
                nested = nested.setdefault(label, {})
            nested |= self._cell_document(place)
        if self.counts_tricks:
            goals = self.goals
            document["at_table"] = self.count.at_table
            document["at_least"] = {str(goal): share for goal, share in goals.items()}
            if self.is_contract_chance:
                document["makes"] = {
                    self.goal(goal).removesuffix(" makes"): share
                    for goal, share in goals.items()
                }
        return document

    def _cell_document(self, place: int) -> dict[str, Any]:
        """Mean, spread and distribution of one cell."""
        document: dict[str, Any] = {
            "mean": float(self.mean[place]),
            "sd": float(self.sd[place]),
        }
        if len(self.values):
            shares = self.pmf[place].clip(max=1.0)
            document["pmf"] = {
                str(value): float(share)
                for value, share in zip(self.values, shares, strict=True)
            }
        return document


class Accumulator:
    """Running sums of one output: a distribution of integers, moments of any numbers."""

    def __init__(self, output: Output, estimator: str) -> None:
        self.output = output
        self.estimator = estimator
        self.lowest = 0
        self.exact = False
        self.kept: list[NDArray[Any]] = []
        """Values of the layouts that are kept."""
        cells = int(np.prod(output.shape))
        self.mean = np.zeros(cells)
        self.square = np.zeros(cells)
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
            # `distribution` reports what grew too large.
            with np.errstate(over="ignore", invalid="ignore"):
                self.mean += weights @ flat
                self.square += weights @ (flat.astype(np.float64) ** 2)
            return
        if self.output.support is not None:
            self.table += (weights @ flat).reshape(self.table.shape)
            return
        if flat.dtype == np.bool_:
            flat = flat.view(np.int8)
        self.table = self._widened(self.table, flat)
        _tally(np.ascontiguousarray(flat), weights, self.lowest, self.table)

    def _widened(self, table: Floats, values: NDArray[Any]) -> Floats:
        """The table, with room for these values."""
        width = table.shape[1]
        low = self.lowest
        high = self.lowest + width - 1
        if len(values):
            low = min(low, int(values.min()))
            high = max(high, int(values.max()))
        domain = self.output.domain
        if domain is not None and (low < domain.start or high >= domain.stop):
            raise self._outside(low, high)
        if high - low >= MOST_VALUES:
            remedy = (
                "declare a floating-point dtype for values spread over more than "
                f"{MOST_VALUES} integers"
            )
            raise self._broken(f"ranges from {low} to {high}: {remedy}")
        before = self.lowest - low
        after = high - self.lowest - width + 1
        if not before and not after:
            return table
        self.lowest = low
        return np.pad(table, ((0, 0), (before, after)))

    def count(self, lowest: int, counts: NDArray[Any], total: int) -> None:
        """Add exact counts of layouts by value, for all that was to be added.

        The counts are of the values from ``lowest`` on; probabilities with a total of 1
        serve too.
        """
        counts = np.array(counts, dtype=np.float64).reshape(-1, np.shape(counts)[-1])
        shares = counts / total
        occurring = np.flatnonzero(shares.any(axis=0))
        # Values that never occur stand at neither end of the table.
        begin = int(occurring[0])
        end = int(occurring[-1]) + 1
        low = lowest + begin
        high = lowest + end - 1
        listed = self.output.listed or range(low, high + 1)
        if low < listed.start or high >= listed.stop:
            raise self._outside(low, high)
        self.lowest = listed.start
        self.table = np.zeros((len(shares), len(listed)))
        place = low - listed.start
        self.table[:, place : place + end - begin] = shares[:, begin:end]
        self.exact = True

    def _outside(self, low: int, high: int) -> PluginError:
        """The error for values that the domain declared does not hold."""
        return self._broken(
            f"ranges from {low} to {high}, outside its domain {self.output.domain}"
        )

    def _broken(self, why: str) -> PluginError:
        """The error for an output that cannot be added up."""
        where = f"estimator {self.estimator!r}: output {self.output.name!r}"
        return PluginError(
            f"{where} {why}", plugin=self.estimator, output=self.output.name
        )

    def distribution(self, exact: bool, name: str, asked: TrickContext) -> Distribution:
        """What was added up; refuses numbers too large to have moments."""
        values = np.zeros(0, np.int64)
        pmf = np.zeros((len(self.mean), 0))
        if self.table is not None:
            # Ten million weights miss one by rounding.
            self.table /= self.table.sum(axis=1, keepdims=True)
            values = self.lowest + np.arange(self.table.shape[1])
            pmf = self.table
            self.mean = pmf @ values
            self.square = pmf @ (values**2)
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
    """Add (n,) weights of (n, cells) values to the (cells, values) table."""
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
