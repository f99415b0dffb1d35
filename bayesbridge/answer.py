"""Answers: what estimators say of a posterior, as numbers and as the parts that every screen and page shows.

An :class:`Answer` holds its numbers once, in NumPy; tables (:attr:`Answer.tables`) and plain data
(:meth:`Answer.document`) are made from them here, and the terminal, ``--json``, pages, notebooks and the explorer
render these. :mod:`bayesbridge.results` gives the same numbers as a tree for ArviZ.

An output that counts tricks may be a mixture: the mass where it cannot count (T where the conditions of Algorithm 2
fail), and the number of tricks given that it can. :class:`Tricks` keeps both apart. A contract *makes* only by an
output that estimates tricks at the table (``TrickCount.at_table``); T is a number that is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import CONVOLUTION, Posterior
from bayesbridge.calls import Contract
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.evaluate import Evaluation, OutputAccumulator, ask, counted, evaluate
from bayesbridge.estimators.protocol import Question, TrickCount
from bayesbridge.markup import Table
from bayesbridge.random64 import Seed
from bayesbridge.words import CAPTURES, RARE, SEATS, STRAINS, SYMBOLS, WITHOUT_TRUMPS, percent
from bayesbridge.words import number as counting

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]

GOALS: Final = range(7, 14)
"""Numbers of tricks that contracts need: 6 more than their level."""


@dataclass(frozen=True, slots=True)
class TrickContext:
    """Whose tricks were asked for, and in which strain."""

    pair: tuple[Seat, Seat]
    strain: Strain = Strain.NT
    contract: Contract | None = None
    """That of the auction once it is over."""
    dummy: Seat | None = None
    """The seat that does not bid; ``None`` in the four-player game."""

    @classmethod
    def of(cls, belief: Belief, question: Question) -> TrickContext:
        """From what is believed and what was asked."""
        contract = None if belief.auction is None else belief.auction.contract
        strain = Strain.NT if question.trump is None else Strain(question.trump)
        return cls(question.pair, strain, contract, belief.dummy)

    def picked(self, where: Mapping[str, Any]) -> TrickContext:
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
class OutputSummary:
    """One output of one estimator over a posterior: its moments, its distribution, and what it means."""

    name: str
    """Its name in results: two estimators may share the name of an output."""
    estimator: str
    output: str
    doc: str
    labels: Mapping[str, Sequence[str]]
    """Labels of its dimensions; none for a single number."""
    mean: Floats
    """(cells,), as ``sd``: the cells are the products of the labels."""
    sd: Floats
    exact: bool
    values: NDArray[np.int64] | None = None
    """Whole numbers with the probabilities ``pmf`` (cells, values); ``None`` for other numbers."""
    pmf: Floats | None = None
    count: TrickCount | None = None
    """Set where it counts tricks."""
    smooth: bool = False
    """Whether every layout gets a distribution, which gives every number some chance."""
    binary: bool = False
    """Whether it is true or false."""

    @classmethod
    def of(cls, sums: OutputAccumulator, estimator: str = "", name: str = "") -> Self:
        """From what was added up over a posterior."""
        output, table = sums.output, sums.table
        return cls(
            name or output.name,
            estimator,
            output.name,
            output.doc,
            {dim: tuple(map(str, output.labels(dim))) for dim in output.dims},
            sums.mean,
            sums.sd.ravel(),
            sums.exact,
            None if table is None else sums.lowest + np.arange(table.shape[1]),
            table,
            output.tricks,
            output.support is not None,
            np.dtype(output.dtype) == np.bool_,
        )

    @classmethod
    def of_tree(cls, draws: xarray.DataArray, pmf: xarray.DataArray | None) -> Self:
        """From the variables of a result."""
        name, attrs = str(draws.name), draws.attrs
        dims = [str(dim) for dim in draws.dims[2:] if dim != f"{name}_value"]
        values = shares = count = None
        if pmf is not None:
            values, shares = pmf[f"{name}_value"].values, pmf.values.reshape(-1, pmf.shape[-1])
            if pmf.attrs.get("counts_tricks"):
                about = pmf.attrs
                undefined_value = int(about["undefined_value"]) if "undefined_value" in about else None
                count = TrickCount(
                    undefined_value, str(about["failing"]), str(about["holding"]), bool(about["at_table"])
                )
        return cls(
            name,
            str(attrs["estimator"]),
            str(attrs["output"]),
            str(attrs["long_name"]),
            {dim: tuple(map(str, draws[dim].values)) for dim in dims},
            np.ravel(attrs["mean"]),
            np.ravel(attrs["sd"]),
            bool(attrs["exact"]),
            values,
            shares,
            count,
            f"{name}_value" in draws.dims,
            draws.dtype == np.bool_,
        )

    @property
    def cells(self) -> list[tuple[str, ...]]:
        """The labels of every cell."""
        return list(product(*self.labels.values()))

    @property
    def names(self) -> list[str]:
        """The name of every cell, such as ``delta[C]``."""
        return [f"{self.name}[{', '.join(cell)}]" if cell else self.name for cell in self.cells]

    @property
    def counts_tricks(self) -> bool:
        """Whether it is one number that counts tricks."""
        return self.count is not None and not self.labels

    def places(self, **where: Any) -> list[int]:
        """The places of the cells with these labels."""
        if unknown := [dim for dim in where if dim not in self.labels]:
            raise BayesBridgeError(f"{self.name!r} has no dimension {unknown[0]!r}: leave it out", name=self.name)
        named = [dict(zip(self.labels, cell, strict=True)) for cell in self.cells]
        return [i for i, cell in enumerate(named) if all(cell[dim] == str(label) for dim, label in where.items())]

    def place(self, **where: Any) -> int:
        """The place of the one cell with these labels."""
        if len(met := self.places(**where)) != 1:
            dims = ", ".join(dim for dim in self.labels if dim not in where) or "labels that it has"
            raise BayesBridgeError(f"{self.name!r} has several numbers: pick one by {dims}", name=self.name)
        return met[0]

    @property
    def document(self) -> dict[str, Any]:
        """Mean, spread and distribution, nested by the labels."""
        said: dict[str, Any] = {}
        for place, cell in enumerate(self.cells):
            inner = said
            for label in cell:
                inner = inner.setdefault(label, {})
            inner |= {"mean": float(self.mean[place]), "sd": float(self.sd[place])}
            if self.values is not None and self.pmf is not None:
                shares = self.pmf[place].clip(max=1.0)
                inner["pmf"] = {str(value): float(p) for value, p in zip(self.values, shares, strict=True)}
        return said

    def table(self, asked: TrickContext) -> Table:
        """How it is shown: tricks and other whole numbers by their distribution, several numbers by a row for each."""
        if self.labels:
            return _labelled_table(self, asked)
        if self.count is not None:
            return Tricks.of(self, asked).table(self.smooth)
        return _number_table(self, asked)


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
    asked: TrickContext | None = None

    @classmethod
    def of(cls, number: OutputSummary, asked: TrickContext | None = None, **where: Any) -> Self:
        """From an output that counts tricks; ``where`` picks one of several numbers, such as ``strain="NT"``."""
        place = number.place(**where)
        if number.count is None or number.values is None or number.pmf is None:
            raise BayesBridgeError(
                f"{number.name!r} does not count tricks: declare its output with tricks=TrickCount()", name=number.name
            )
        whose = None if asked is None else asked.picked(where)
        return cls(number.name, number.values, number.pmf[place], number.count, number.exact, number.doc, whose)

    @property
    def fails(self) -> float:
        """P(it cannot count), 0 for an output that always counts."""
        return (
            0.0
            if self.count.undefined_value is None
            else float(self.shares[self.values == self.count.undefined_value].sum())
        )

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
        >>> bb.estimate(posterior).tricks().goal(9), bb.estimate(posterior, "tricks").tricks("tricks").goal(9)
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
                words = self.doc[:1].lower() + self.doc[1:].removesuffix(".")
                return f"{self.name} of {self.asked.names}, in {strain}: {words}"
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
        sentences = [CAPTURES if self.name == "T" and not self.count.at_table else f"{self.name}: {self.doc}"]
        if sentences[0] != CAPTURES and not self.count.at_table:
            sentences.append(f"{self.name} is not the number of tricks at the table, which the estimator tricks gives.")
        if self.asked is not None and self.asked.strain != Strain.NT and sentences[0] == CAPTURES:
            sentences.append(WITHOUT_TRUMPS)
        if self.asked is not None and not self.asked.declares:
            names, other = self.asked.names, f"this is not declarer's contract, {self.asked.contract}"
            declared = f"tricks that {names} would take if {self.asked.pair[0].name} declared"
            sentences.append(f"These are the {declared if self.count.at_table else f'captures of {names}'}; {other}.")
        return sentences

    def table(self, smooth: bool) -> Table:
        """How many, with P(at least so many) beside it.

        ``smooth`` distributions give every number some chance: ends with less than ``RARE`` together are left out, and
        that is said.
        """
        every = [value for value in self.occurring if self.holds]
        shown = [v for v in every if self.at_least(v) >= RARE and 1 - self.at_least(v + 1) >= RARE] if smooth else every
        rows: list[list[str | float]] = [[self.count.failing, self.fails, ""]] if self.fails else []
        for value in shown:
            colon = "" if self.judges and value > 6 else ":"
            least = f"{self.goal(value)}{colon} {percent(self.at_least(value))}"
            rows.append([f"{self.name} = {value}", self.share(value), least])
        said, mean, count = [], self.mean_if_held, self.count
        if len(shown) < len(every):
            said.append(f"Numbers not shown: {percent(1 - self.fails - sum(map(self.share, shown)))} together.")
        if mean is not None and not self.fails:
            said.append(f"{self.name} is {mean:.2f} on average.")
        elif mean is None:
            said.append(f"{count.failing.capitalize()} in every layout: {self.name} = {count.undefined_value} there.")
        else:
            held = f"if {count.holding}, {self.name} is {mean:.2f} on average."
            said.append(f"{count.failing.capitalize()} with {percent(self.fails)}; {held}")
        return Table(self.title, ["", "P", ""], rows, [*said, *self.notes], bars=True)

    @property
    def document(self) -> dict[str, Any]:
        """P(at least so many); contracts that make are named only by tricks at the table."""
        said = {"at_table": self.count.at_table, "at_least": {str(goal): share for goal, share in self.goals.items()}}
        makes = {self.goal(goal).removesuffix(" makes"): share for goal, share in self.goals.items()}
        return said | {"makes": makes} if self.judges else said

    @property
    def _counting(self) -> NDArray[np.bool_]:
        everywhere = np.ones(len(self.values), dtype=np.bool_)
        return everywhere if self.count.undefined_value is None else self.values != self.count.undefined_value


def capture_tricks(
    posterior: Posterior, pair: str | tuple[Seat | str, Seat | str] | None = None, rng: Seed = 0
) -> Tricks:
    """T of the pair: counted where it can be, else over the layouts of the posterior."""
    question, capture = ask(posterior, pair), CaptureEstimator()
    exact = {} if posterior.exact else counted(posterior, capture, question)
    sums = exact.get("T") or evaluate(posterior, [capture], question, rng=rng).sums["capture", "T"]
    return Tricks.of(OutputSummary.of(sums), TrickContext.of(posterior.belief, question))


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What estimators say of a posterior: the numbers, and the parts that screens, pages and programs are given."""

    numbers: dict[str, OutputSummary]
    """By their names in results."""
    asked: TrickContext
    method: str
    """The engine behind the numbers: ``convolution`` where some were counted under hard evidence without a walk."""

    @classmethod
    def of(cls, found: Evaluation) -> Self:
        """From an evaluation."""
        outputs = [output for _, output in found.sums]
        numbers = {}
        for (estimator, output), sums in found.sums.items():
            name = output if outputs.count(output) == 1 else f"{estimator}_{output}"
            numbers[name] = OutputSummary.of(sums, estimator, name)
        posterior = found.posterior
        method = posterior.method_of(counted=any(sums.exact for sums in found.sums.values()))
        return cls(numbers, TrickContext.of(posterior.belief, found.question), method)

    @classmethod
    def of_tree(cls, tree: xarray.DataTree) -> Self:
        """From a result, also one that was read from a file."""
        draws, pmfs, kept = (tree[group].to_dataset() for group in ("posterior", "pmf", "constant_data"))
        numbers = {str(name): OutputSummary.of_tree(found, pmfs.get(name)) for name, found in draws.data_vars.items()}
        first, second = (Seat.of(str(name)) for name in kept["pair"].values)
        contract, dummy = (str(kept[name].values) for name in ("contract", "dummy"))
        asked = TrickContext(
            (first, second),
            Strain.of(str(kept["trump"].values)),
            Contract.of(contract) if contract else None,
            Seat.of(dummy) if dummy else None,
        )
        return cls(numbers, asked, str(tree.attrs["method"]))

    def number(self, name: str) -> OutputSummary:
        """By its name in the result."""
        if name not in self.numbers:
            raise BayesBridgeError(f"the result has no output {name!r}: it has {', '.join(self.numbers)}", name=name)
        return self.numbers[name]

    def tricks(self, name: str = "T", **where: Any) -> Tricks:
        """The distribution of an output that counts tricks; ``where`` picks one of several numbers."""
        return Tricks.of(self.number(name), self.asked, **where)

    def reported(self, estimator: str) -> dict[str, OutputSummary]:
        """By output; under hard evidence, where some could be counted, the sampled ones are left out."""
        own = {number.output: number for number in self.numbers.values() if number.estimator == estimator}
        counted = {output: number for output, number in own.items() if number.exact}
        return counted or own if self.method == CONVOLUTION else own

    @property
    def estimators(self) -> list[str]:
        """Those that answered."""
        return list(dict.fromkeys(number.estimator for number in self.numbers.values()))

    @property
    def exact(self) -> bool:
        """Whether every number that is reported is exact."""
        return all(number.exact for one in self.estimators for number in self.reported(one).values())

    @property
    def shown(self) -> list[OutputSummary]:
        """The numbers that people are shown: of the capture algorithm T alone, of other estimators all."""
        shown: list[OutputSummary] = []
        for estimator in self.estimators:
            outputs = self.reported(estimator)
            shown += [outputs["T"]] if estimator == "capture" and "T" in outputs else outputs.values()
        return shown

    @property
    def tables(self) -> list[Table]:
        """Every number that is shown: whole numbers with their distribution, others with mean and spread."""
        plain = [number for number in self.shown if number.pmf is None and not number.labels]
        tables = [number.table(self.asked) for number in self.shown if number not in plain]
        if plain:
            rows = [[number.name, f"{number.mean[0]:.3f}", f"{number.sd[0]:.3f}"] for number in plain]
            notes = [f"{number.name}: {number.doc}" for number in plain]
            tables.append(Table(f"Other numbers, for {self.asked.names}", ["", "mean", "sd"], rows, notes))
        return tables

    def document(self, estimator: str) -> dict[str, Any]:
        """What one estimator says, output by output; of tricks and captures also every goal."""
        outputs = self.reported(estimator)
        said: dict[str, Any] = {output: number.document for output, number in outputs.items()}
        for output, number in outputs.items():
            if not number.counts_tricks:
                continue
            tricks = Tricks.of(number, self.asked)
            if output == "T" and "condition" in outputs:  # what T means: the conditions, and T given that they hold
                shares = said["condition"]["pmf"]
                said["T"]["mean_qualified"] = tricks.mean_if_held
                said["T"]["pmf"] = {str(value): tricks.share(value) for value in range(14)}
                said["qualified"] = tricks.holds
                conditions = enumerate(("neither", "only A", "both"))
                said["condition"] = {name: shares.get(str(value), 0.0) for value, name in conditions}
            said[output] |= tricks.document
        own = [number for number in self.numbers.values() if number.estimator == estimator]
        left_out = [number.output for number in own if number.output not in outputs]
        exact = [output for output, number in outputs.items() if number.exact]
        return said | {"exact": len(exact) == len(outputs), "exact_outputs": exact, "left_out": left_out}


MOST_ROWS: Final = 20
"""Rows shown of an output that has labels: all strains with all declarers. How many are left out is said."""

MOST_BARS: Final = 40
"""Rows of a distribution; where it has more values, neighbours share one."""

MOST_COLUMNS: Final = 15
"""Values that get a column each beside the labels of an output."""


def _number_table(number: OutputSummary, asked: TrickContext) -> Table:
    """A whole number that does not count tricks."""
    values, shares = occurring(number, 0)
    step = -(-len(values) // MOST_BARS)
    rows: list[list[str | float]] = []
    for begin in range(0, len(values), step):
        ends = values[begin : begin + step]
        label = f"{number.name} = {ends[0]}" + (f" … {ends[-1]}" if len(ends) > 1 else "")
        rows.append([label, float(shares[begin : begin + step].sum())])
    mean, sd = number.mean[0], number.sd[0]
    note = f"{number.name} is {mean:.2f} on average, with a standard deviation of {sd:.2f}."
    return Table(f"{number.name}, for {asked.names}: {number.doc}", ["", "P"], rows, [note], bars=True)


def _labelled_table(number: OutputSummary, asked: TrickContext) -> Table:
    """A row for each label: strains from no trumps down, the pair's seats first; of many others those with the most."""
    labels, means, spreads = number.cells, number.mean, number.sd
    fixed = {
        "strain": tuple(STRAINS),
        "suit": tuple(SYMBOLS),
        "seat": [*(seat.name for seat in asked.pair), "N", "E", "S", "W"],
    }

    def place(cell: int) -> tuple[float, ...]:
        ranks = [
            fixed[dim].index(label) if label in fixed.get(dim, ()) else 0
            for dim, label in zip(number.labels, labels[cell], strict=True)
        ]
        return (*ranks, -float(means[cell]) if len(labels) > MOST_ROWS else 0.0)

    told = [cell for cell in range(len(labels)) if means[cell] or spreads[cell]] or list(range(len(labels)))
    ranked = sorted(told, key=place)
    values, shares = np.zeros(0, dtype=np.int64), np.zeros((len(labels), 0))
    if number.values is not None and number.pmf is not None and not number.binary:
        met = np.flatnonzero((number.pmf[ranked[:MOST_ROWS]] > 0).any(axis=0))
        if len(met) and met[-1] - met[0] < MOST_COLUMNS:
            kept = slice(met[0], met[-1] + 1)
            values, shares = number.values[kept], number.pmf[:, kept]
    rows = [
        [" ".join(labels[cell]), f"{means[cell]:.3f}", f"{spreads[cell]:.3f}", *(float(p) or "" for p in shares[cell])]
        for cell in ranked[:MOST_ROWS]
    ]
    said = ["The columns after sd are P(that value)."] if len(values) else []
    if len(ranked) > MOST_ROWS:
        said.append(f"… and {counting(len(ranked) - MOST_ROWS)} more rows of {number.name}, which --json prints.")
    columns = [", ".join(number.labels), "mean", "sd", *map(str, values)]
    return Table(f"{number.name}: {number.doc}", columns, rows, said)


def occurring(number: OutputSummary, place: int) -> tuple[NDArray[np.int64], Floats]:
    """Values with their shares in one cell, from the first to the last that occurs."""
    assert number.values is not None
    assert number.pmf is not None
    met = np.flatnonzero(number.pmf[place] > 0)
    kept = slice(met[0], met[-1] + 1) if len(met) else slice(None)
    return number.values[kept], number.pmf[place, kept]
