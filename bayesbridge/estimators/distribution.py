"""What an output is over a posterior.

One frozen :class:`Distribution`, and the sums that it is made of.

An output that counts tricks may be a mixture: the mass where it cannot count (T where
the conditions of Algorithm 2 fail), and the number of tricks given that it can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

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
from bayesbridge.estimators.protocol import (
    WHOLE_NUMBERS,
    Output,
    Question,
    TrickCount,
)
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, read_only
from bayesbridge.runtime.jit import njit

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief

TRICKS_BEFORE_LEVEL: Final = 6
"""Tricks that a contract needs beside those of its level."""

GOALS: Final = range(7, 14)
"""Numbers of tricks that contracts need."""

MOST_ROWS: Final = 20
"""Rows shown of an output that has labels: all strains with all declarers."""

MOST_BARS: Final = 40
"""Rows of a distribution; where it has more values, neighbours share one."""

MOST_COLUMNS: Final = 15
"""Values that get a column each beside the labels of an output."""

MOST_VALUES: Final = 4096
"""Integers that a distribution may spread over."""


class ExactCounts(NamedTuple):
    """How many layouts have each value of an output, counted without drawing any."""

    lowest: int  #: The value that the first count is of.
    #: (…, values) for each number of the output the counts of ``lowest``, ``lowest + 1``
    #: and so on; Python integers where they pass 2⁶³, or probabilities.
    counts: NDArray[Any]
    total: int  #: All layouts, which the counts add up to; 1 for probabilities.


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
        """The one number with these labels, as an output without labels."""
        places = self.places(**where)
        if len(places) != 1:
            open_dims = [dim for dim in self.labels if dim not in where]
            dims = ", ".join(open_dims) or "labels that it has"
            raise BayesBridgeError(
                f"{self.name!r} has several numbers: pick one by {dims}", name=self.name
            )
        (place,) = places
        # Where each layout has a distribution, the draws have a last axis of probabilities.
        label_axes = len(self.output.dims)
        shape_of_draw = self.draws.shape[1 + label_axes :]
        draws_by_cell = self.draws.reshape(
            len(self.draws), len(self.mean), *shape_of_draw
        )
        return replace(
            self,
            output=replace(self.output, dims=(), coords={}),
            draws=draws_by_cell[:, place],
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
        """From the first to the last value that occurs in one of these cells.

        ``places`` are indices into :attr:`cells`, the slice goes into :attr:`values`.
        """
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
            return f"{self._contract_name(tricks)} makes"
        return f"{self.name} ≥ {tricks}"

    @property
    def title(self) -> str:
        """What is counted and for whom: the heading of its table.

        Of tricks at the table it names strain, declarer and dummy, of other counts of
        tricks the pair.
        """
        output = self.output
        pair_names = self.asked.names
        strain = STRAINS[self.asked.strain.name]
        if output.tricks is None:
            return f"{self.name}, for {pair_names}: {output.doc}"
        if output.tricks.at_table:
            declarer, dummy = self.asked.pair
            return f"Tricks of {SEATS[declarer.name]}, dummy {SEATS[dummy.name]}, in {strain}"
        if output.title:
            title = f"{self.name} of {pair_names}: {output.title}"
            if self._ignores_trumps:
                title += ", without trumps"
            return title
        doc = f"{output.doc[:1].lower()}{output.doc[1:].removesuffix('.')}"
        return f"{self.name} of {pair_names}, in {strain}: {doc}"

    @property
    def _ignores_trumps(self) -> bool:
        """Whether trumps are asked about, and a number that has a note ignores them."""
        return bool(self.output.note) and self.asked.strain != Strain.NT

    @property
    def notes(self) -> list[str]:
        """Sentences below the table of a number of tricks.

        What the number is, and what it does not answer. Where the output has a ``note`` for
        readers, that stands in place of the sentence it was declared with.
        """
        output = self.output
        at_table = self.count.at_table
        sentences = [output.note or f"{self.name}: {output.doc}"]
        if not output.note and not at_table:
            sentences.append(
                f"{self.name} is not the number of tricks at the table, which the "
                "estimator tricks gives."
            )
        if self._ignores_trumps:
            sentences.append(WITHOUT_TRUMPS)
        if not self.asked.declares:
            sentences.append(self._defence_sentence())
        return sentences

    def _defence_sentence(self) -> str:
        """That the contract is the other side's, so that these tricks are not declarer's."""
        pair_names = self.asked.names
        subject = f"captures of {pair_names}"
        if self.count.at_table:
            declarer = self.asked.pair[0].name
            subject = f"tricks that {pair_names} would take if {declarer} declared"
        return (
            f"These are the {subject}; this is not declarer's contract, "
            f"{self.asked.contract}."
        )

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
        """The table of a number of tricks: P(each), with P(at least so many) beside it.

        The first row is P(the estimator cannot count), as where the conditions of
        Algorithm 2 fail, if that ever happens. Where each layout has a distribution, every
        number has a small probability: then both ends rarer than ``RARE`` are left out, and
        a note tells their probability.
        """
        possible = list(self.occurring) if self.holds else []
        shown = possible
        if self.output.support is not None:
            shown = [tricks for tricks in possible if self._is_inside(tricks)]
        rows: list[list[str | float]] = []
        if self.fails:
            rows.append([self.count.failing, self.fails, ""])
        for tricks in shown:
            label = f"{self.name} = {tricks}"
            rows.append([label, self.share(tricks), self._at_least_words(tricks)])
        notes = []
        if len(shown) < len(possible):
            left_out = percent(1 - self.fails - sum(map(self.share, shown)))
            notes.append(f"Numbers not shown: {left_out} together.")
        notes.append(self._mean_sentence())
        return Table(self.title, ["", "P", ""], rows, [*notes, *self.notes], bars=True)

    def _is_inside(self, tricks: int) -> bool:
        """Whether so many tricks lie between the rare ends."""
        fewer_or_equal = 1 - self.at_least(tricks + 1)
        return self.at_least(tricks) >= RARE and fewer_or_equal >= RARE

    def _at_least_words(self, tricks: int) -> str:
        """P(at least so many), as ``3NT makes 61 %`` or ``T ≥ 9: 61 %``."""
        colon = ":"
        if self.is_contract_chance and tricks in GOALS:
            colon = ""
        return f"{self.goal(tricks)}{colon} {percent(self.at_least(tricks))}"

    def _mean_sentence(self) -> str:
        """How many tricks on average, and how often they cannot be counted.

        The output declares in words what failing and not failing is called
        (``conditions fail``, ``they hold``), and a value that stands for failing.
        """
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
        """The table of one whole number that counts no tricks: P(each value).

        The values go from the first to the last that occurs; where these are more than
        ``MOST_BARS``, each row has a stretch of neighbours.
        """
        occurring = self.met(0)  # a number without labels has one cell
        values = self.values[occurring]
        shares = self.shares[occurring]
        values_a_row = -(-len(values) // MOST_BARS)  # rounded up
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
        """The table of an output with labels: a row for each cell (number) with its mean.

        Of many cells the ``MOST_ROWS`` with the largest means are shown. The columns after
        the spread are P(each value), where the values are few.
        """
        ranked_cells = self._ranked_cells()
        shown_cells = ranked_cells[:MOST_ROWS]
        columns = self._value_columns(shown_cells)
        row_names = [" ".join(cell.values()) for cell in self.cells]
        rows = []
        for cell in shown_cells:
            mean = f"{self.mean[cell]:.3f}"
            sd = f"{self.sd[cell]:.3f}"
            shares = map(_positive_or_blank, self.pmf[cell, columns])
            rows.append([row_names[cell], mean, sd, *shares])
        values = self.values[columns]
        notes = []
        if len(values):
            notes.append("The columns after sd are P(that value).")
        if len(ranked_cells) > MOST_ROWS:
            not_shown = counting(len(ranked_cells) - MOST_ROWS)
            notes.append(
                f"… and {not_shown} more rows of {self.name}, which --json prints."
            )
        heads = [", ".join(self.output.dims), "mean", "sd", *map(str, values)]
        return Table(f"{self.name}: {self.output.doc}", heads, rows, notes)

    def _value_columns(self, cells: list[int]) -> slice:
        """Which of :attr:`values` get a column each: those that occur in the cells.

        None for what is true or false, whose mean says it all, nor where they are many.
        """
        occurring = self.met(*cells)
        is_boolean = self.output.dtype == "bool"
        if is_boolean or len(self.values[occurring]) > MOST_COLUMNS:
            return slice(0, 0)
        return occurring

    def _ranked_cells(self) -> list[int]:
        """The cells (numbers of an output with labels) in the order of the table's rows.

        Cells whose mean and spread are 0 say nothing and are left out, unless all are so.
        Strains go from no trumps down, the pair's seats come first; labels without such an
        order stay as declared. Among more cells than rows, the largest means come first
        within equal labels.
        """
        cells = self.cells
        seats = [*(seat.name for seat in self.asked.pair), *SEATS]
        label_orders = {"strain": [*STRAINS], "suit": [*SYMBOLS], "seat": seats}

        def sort_key(cell: int) -> tuple[float, ...]:
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
        return sorted(informative or range(len(cells)), key=sort_key)

    @property
    def document(self) -> dict[str, Any]:
        """Mean, spread and distribution, as ``--json`` prints them.

        An output with labels has a dictionary in a dictionary for each of them:
        ``document["S"]["N"]`` is the cell with the labels S and N. A count of tricks has
        P(at least 7 … 13) too.
        """
        document: dict[str, Any] = {}
        for place, labels in enumerate(self.cells):
            cell_document = document
            for label in labels.values():
                cell_document = cell_document.setdefault(label, {})
            cell_document.update(self._cell_document(place))
        if self.counts_tricks:
            document.update(self._goals_document())
        return document

    def _goals_document(self) -> dict[str, Any]:
        """P(at least 7 … 13 tricks), and by the names of contracts where these make by it."""
        shares = self.goals
        document: dict[str, Any] = {
            "at_table": self.count.at_table,
            "at_least": {str(tricks): share for tricks, share in shares.items()},
        }
        if self.is_contract_chance:
            document["makes"] = {
                self._contract_name(tricks): share for tricks, share in shares.items()
            }
        return document

    def _contract_name(self, tricks: int) -> str:
        """The contract that needs so many tricks, 7 to 13, such as ``3NT``."""
        return f"{tricks - TRICKS_BEFORE_LEVEL}{self.asked.strain.name}"

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


def _positive_or_blank(share: float) -> float | str:
    """A probability as a table shows it: blank where it is 0."""
    return float(share) or ""


class Accumulator:
    """Running sums of one output over layouts, a block at a time.

    An output has a number for each of its cells, the combinations of its labels: one for
    each suit, or just one. The layouts add their weights to a table of values for whole
    numbers, and to weighted sums of values and squares for floating-point numbers.
    """

    def __init__(self, output: Output, estimator: str) -> None:
        self.output = output
        self.estimator = estimator
        self.exact = False
        """Whether exact counts took the place of the sums."""
        self.kept: list[NDArray[Any]] = []
        """Values of the layouts that are kept, block by block."""
        cells = int(np.prod(output.shape))
        self.sum_of_values = np.zeros(cells)
        self.sum_of_squares = np.zeros(cells)
        self.lowest = 0
        """The value that the first column of the table is of."""
        self.table: Floats | None = None
        """(cells, values) weight of each value from ``lowest`` on; ``None`` for
        floating-point numbers.
        """
        if output.listed is not None:
            self.lowest = output.listed.start
            self.table = np.zeros((cells, len(output.listed)))
        elif np.dtype(output.dtype).kind in WHOLE_NUMBERS:
            self.table = np.zeros((cells, 1))  # widened as values come

    def add(self, values: NDArray[Any], weights: Floats) -> None:
        """Add a block of layouts: their (n, …) values, with (n,) weights."""
        rows = values.reshape(len(values), -1)
        if self.table is None:
            self._add_floats(rows, weights)
        elif self.output.support is not None:
            # Each layout has a distribution: their weighted sum is that of the mixture.
            self.table += (weights @ rows).reshape(self.table.shape)
        else:
            self.table = self._add_integers(rows, weights, self.table)

    def _add_floats(self, rows: NDArray[Any], weights: Floats) -> None:
        """Add (n, cells) floating-point numbers to the sums."""
        # `distribution` reports what grew too large.
        with np.errstate(over="ignore", invalid="ignore"):
            self.sum_of_values += weights @ rows
            self.sum_of_squares += weights @ (rows.astype(np.float64) ** 2)

    def _add_integers(
        self, rows: NDArray[Any], weights: Floats, table: Floats
    ) -> Floats:
        """The table with the weights of (n, cells) integers or booleans added."""
        integers = rows.view(np.int8) if rows.dtype == np.bool_ else rows
        widened = self._widened(table, integers)
        _tally(np.ascontiguousarray(integers), weights, self.lowest, widened)
        return widened

    def _widened(self, table: Floats, values: NDArray[Any]) -> Floats:
        """The (cells, values) table, with columns added at both ends for these values.

        Sets ``lowest`` anew. Refuses values outside the domain that was declared, and
        those spread over more integers than ``MOST_VALUES``.
        """
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
        columns_before = self.lowest - low
        columns_after = high - self.lowest - width + 1
        if not columns_before and not columns_after:
            return table
        self.lowest = low
        return np.pad(table, ((0, 0), (columns_before, columns_after)))

    def count(self, exact: ExactCounts) -> None:
        """Put exact counts of all layouts in place of what was added.

        The table gets a column for each value that the output lists (all values it may have,
        where it declares them), else for those from the first to the last that occurs.
        """
        counts = np.array(exact.counts, dtype=np.float64)
        shares = counts.reshape(-1, counts.shape[-1]) / exact.total
        occurring = np.flatnonzero(shares.any(axis=0))
        first = int(occurring[0])
        last = int(occurring[-1])
        low = exact.lowest + first
        high = exact.lowest + last
        listed = self.output.listed or range(low, high + 1)
        if low < listed.start or high >= listed.stop:
            raise self._outside(low, high)
        self.lowest = listed.start
        self.table = np.zeros((len(shares), len(listed)))
        self.table[:, low - listed.start : high + 1 - listed.start] = shares[
            :, first : last + 1
        ]
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
        """The distribution of what was added up, with the mean and spread of every cell.

        ``name`` is that of the output in results. ``exact`` says whether the layouts added
        are all that fit, with exact weights; exact counts make it exact anyway. Refuses
        numbers too large to have moments.
        """
        values, pmf = self._values_and_shares()
        if self.table is None:
            mean = self.sum_of_values
            mean_square = self.sum_of_squares
        else:
            mean = pmf @ values
            mean_square = pmf @ (values**2)
        if not np.isfinite(mean_square).all():
            raise self._broken(
                f"has numbers whose squares pass {np.finfo(np.float64).max:.0e}: scale it"
            )
        # The empty block gives shape and type where no layout was kept.
        no_draws = np.empty((0, *self.output.returned), self.output.dtype)
        return Distribution(
            output=self.output,
            draws=read_only(np.concatenate([no_draws, *self.kept])),
            mean=mean,
            sd=np.sqrt(np.maximum(mean_square - mean**2, 0.0)),
            exact=exact or self.exact,
            values=values,
            pmf=pmf,
            estimator=self.estimator,
            name=name,
            asked=asked,
        )

    def _values_and_shares(self) -> tuple[NDArray[np.int64], Floats]:
        """The whole numbers of the table, and their probabilities (cells, values).

        Both are empty for floating-point numbers, which have no table.
        """
        if self.table is None:
            return np.zeros(0, np.int64), np.zeros((len(self.sum_of_values), 0))
        # The weights add up to one, but ten million of them miss it by rounding.
        shares = self.table / self.table.sum(axis=1, keepdims=True)
        return self.lowest + np.arange(self.table.shape[1]), shares


@njit
def _tally(
    values: NDArray[Any],
    weights: NDArray[np.float64],
    lowest: int,
    table: NDArray[np.float64],
) -> None:
    """Add (n,) weights of (n, cells) values to the (cells, values) table.

    The first column of the table is of the value ``lowest``.
    """
    for i in range(len(values)):
        weight = weights[i]
        for cell in range(values.shape[1]):
            table[cell, values[i, cell] - lowest] += weight
