"""Results: what estimators say of a posterior, as a tree for ArviZ, as tables, and in words.

:func:`estimate` gives a :class:`Result`, an xarray DataTree. Groups: ``posterior`` (draws of every output),
``sample_stats`` (log weights and likelihoods), ``pmf`` (whole distributions of integer outputs, exact where the
attribute says so), ``marginals`` (where cards lie, suit lengths, points), ``observed_data`` (the evidence in order),
``constant_data`` (observer, hand, pair, contract), ``contract`` (chance and tricks of a requested contract). The tree
round-trips through netCDF and zarr; read back it is a plain tree, on which every function of the package works too.
ArviZ takes draws as equally likely: where there are log weights, give it :func:`equally_weighted` draws. Same seed,
same tree: no clock.

An output that counts tricks may be a mixture: the mass where it cannot count (T where the conditions of Algorithm 2
fail), and the number of tricks given that it can. :class:`Tricks` keeps both apart, and :func:`summary` shows both
before the mean that mixes them. A contract *makes* only by an output that estimates tricks at the table
(``TrickCount.at_table``); T is a number that is reached.

The standard error of every mean, plain or conditional, comes from one formula. A mean m = E[q x] / E[q] over draws
changes by u = q (x - m) / E[q] for a little more weight on a draw (its influence); the error is that of the mean of u.
Chains leave it to ArviZ, importance weights W give (Σ W² u²)½, other draws the spread of u over the square root of
their effective sample size. Where an event is rare, or never happens, that is too little: the square of one more draw
with the opposite outcome is added, and with importance weights, for any number, of one more like the draw farthest from
the mean. No error is stated where all draws agree on a number that is no event, nor of a mean given that the conditions
hold with few draws. Weights that are averages over a bidding style add the error of these averages
(:mod:`~bayesbridge.engines.weights`).

Estimators that look at the same layouts err together: :func:`compare` takes their difference layout by layout, and its
error is mostly much smaller than two errors put together.
"""

from __future__ import annotations

import math
import platform
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from itertools import product
from math import hypot
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import xarray
from numpy.typing import NDArray

import bayesbridge
from bayesbridge import markup
from bayesbridge.belief.perspective import Perspective
from bayesbridge.belief.posterior import Posterior, accuracy_document, accuracy_sentences, position_html
from bayesbridge.calls import Contract
from bayesbridge.cards import Strain, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.weights import Batches, Weights, standard_error
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.builtin import CaptureEstimator
from bayesbridge.estimators.evaluate import Evaluation, Progress, Sums, ask, counted, evaluate
from bayesbridge.estimators.odds import ContractOdds, contract_odds, contract_question, estimators_for
from bayesbridge.estimators.protocol import Estimator, Question, TrickCount
from bayesbridge.markup import Table
from bayesbridge.random64 import Seed, generator
from bayesbridge.tricks import Trick
from bayesbridge.words import CAPTURES, RARE, SEATS, STRAINS, WITHOUT_TRUMPS, number, percent

if TYPE_CHECKING:
    import pandas


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
        whole = distribution(result, name)
        pmf = whole.sel(where)
        if pmf.ndim != 1:
            dims = ", ".join(str(dim) for dim in pmf.dims[:-1])
            raise BayesBridgeError(f"{name!r} has several numbers: pick one by {dims}", name=name)
        attrs = whole.attrs
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
            said.append(f"{count.failing.capitalize()} in every layout: {self.name} = {count.fails_at} there.")
        else:
            held = f"if {count.holding}, {self.name} is {mean:.2f} on average."
            said.append(f"{count.failing.capitalize()} with {percent(self.fails)}; {held}")
        return Table(self.title, ["", "P", ""], rows, [*said, *self.notes], bars=True)

    @property
    def _counting(self) -> NDArray[np.bool_]:
        everywhere = np.ones(len(self.values), dtype=np.bool_)
        return everywhere if self.count.fails_at is None else self.values != self.count.fails_at


def _not_tricks(name: str) -> BayesBridgeError:
    return BayesBridgeError(f"{name!r} does not count tricks: declare its output with tricks=TrickCount()", name=name)


def capture_tricks(
    posterior: Posterior, pair: str | tuple[Seat | str, Seat | str] | None = None, rng: Seed = 0
) -> Tricks:
    """T of the pair: counted where it can be, else over the layouts of the posterior."""
    question, capture = ask(posterior, pair), CaptureEstimator()
    exact = {} if posterior.exact else counted(posterior, capture, question)
    sums = exact.get("T") or evaluate(posterior, [capture], question, rng=rng).sums["capture", "T"]
    return Tricks.of_sums(sums, Asked.of(posterior.belief, question))


GROUPS: Final = ("posterior", "sample_stats", "pmf", "observed_data", "constant_data")
"""What every result has."""


class Result(xarray.DataTree):  # type: ignore[no-untyped-call]
    """What ``bb.estimate`` gives: an xarray DataTree that a notebook shows as hands, honours and tricks.

    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> isinstance(result, xarray.DataTree), result.to_dataframe().columns.tolist()
    (True, ['quantity', 'value', 'probability', 'exact'])
    """

    __slots__ = ()

    @classmethod
    def of(cls, tree: xarray.DataTree) -> Self:
        """A tree that was read from a file, as a result; a result passes through."""
        if isinstance(tree, cls):
            return tree
        if missing := [name for name in GROUPS if name not in tree.children]:
            raise BayesBridgeError(
                f"the tree has no group {missing[0]!r}: give one that bb.estimate made, read back from its file"
            )
        return cls.from_dict(tree.to_dict())

    def to_dataframe(self, group: str = "pmf") -> pandas.DataFrame:
        """The result as one pandas table.

        ``pmf``: every distribution, one row for each value of each number, with its probability and whether that is
        exact; numbers have the names of the summary, such as ``delta[C]``. ``posterior``: one row for each draw, a
        column for each number and the ``weight``, which adds up to one; of a distribution for each layout its mean.
        """
        if group not in ("pmf", "posterior"):
            raise BayesBridgeError(f"group {group!r}: name 'pmf' or 'posterior'", group=group)
        return _distributions(self) if group == "pmf" else _draws(self)

    def summary(self, names: str | Sequence[str] | None = None, *, probability: float = 0.89) -> pandas.DataFrame:
        """One row for each quantity, tricks first; the index names them as ArviZ does, such as ``delta[C]``.

        Columns: ``mean``, ``sd``, the ends of the shortest interval that holds ``probability`` (for integers its mass
        may be larger), then ``mcse``, ``ess`` and ``exact``, whether the figure is. All are numbers but
        the last, which is true or false: an exact figure has ``mcse`` 0, and ``nan`` stands where a number has no
        meaning. ``names`` picks outputs. The attributes of the table are those of the
        result.

        >>> import bayesbridge as bb
        >>> table = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).summary("T")
        >>> row = table.loc["T if they hold"]
        >>> f"{row['mean']:.2f}, exact: {row['exact']}"
        '10.23, exact: True'
        >>> len(table[table["exact"] | (table["ess"] > 400)]) == len(table)
        True
        """
        import pandas

        if not 0.0 < probability < 1.0:
            raise BayesBridgeError(f"an interval of probability {probability!r}: give a number between 0 and 1")
        known = [str(name) for name in self["posterior"].data_vars]
        wanted = known if names is None else [names] if isinstance(names, str) else list(names)
        if unknown := [name for name in wanted if name not in known]:
            have = ", ".join(known)
            raise BayesBridgeError(f"the result has no output {unknown[0]!r}: it has {have}", name=unknown[0])
        draws = ResultDraws.of(self)
        ends = [f"hdi{100 * probability:g}_{end}" for end in ("lb", "ub")]
        rows: dict[str, list[Any]] = {}
        for name in sorted(wanted, key=lambda name: not counts_tricks(self, name)):
            for quantity in _quantities(self, name):
                interval = shortest_interval(quantity.values, quantity.chances, probability)
                rows[quantity.label] = [
                    quantity.mean,
                    quantity.sd,
                    *((np.nan, np.nan) if quantity.event else interval),
                    *draws.errors(quantity),
                    quantity.exact,
                ]
        columns = ["mean", "sd", *ends, "mcse", "ess", "exact"]
        table = pandas.DataFrame.from_dict(rows, orient="index", columns=columns)
        table.index.name = "quantity"
        table.attrs = dict(self.attrs)
        return table

    def at_least(self, name: str = "T") -> xarray.DataArray:
        """P(at least so many) for 7 to 13 ``tricks``, of an output that counts tricks; other dimensions stay.

        What stands for failing, as T = 0 where the conditions fail, reaches no number. Of T these are captures by the
        paper's rule; they are chances of contracts only for an output that estimates tricks at the table.

        >>> import bayesbridge as bb
        >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
        >>> round(result.at_least().sel(tricks=9).item(), 3)
        0.713
        """
        pmf = distribution(self, name)
        dims = [str(dim) for dim in pmf.dims[:-1]]
        shares = np.empty((*pmf.shape[:-1], len(GOALS)))
        for cell in np.ndindex(pmf.shape[:-1]):
            where = {dim: pmf[dim].values[place] for dim, place in zip(dims, cell, strict=True)}
            shares[cell] = list(Tricks.of(self, name, **where).goals.values())
        coords: dict[str, Any] = {dim: pmf[dim].values for dim in dims}
        return xarray.DataArray(shares, coords={**coords, "tricks": list(GOALS)}, dims=[*dims, "tricks"], name=name)

    def tricks(self, name: str = "T", **where: Any) -> Tricks:
        """The distribution of an output that counts tricks; ``where`` picks one of several, such as ``strain="NT"``."""
        return Tricks.of(self, name, **where)

    def equally_weighted(self, draws: int = 20_000, rng: Seed = 0) -> Self:
        """The result with its weighted draws resampled to equally likely ones, for functions that know no weights.

        A result without weights passes through. Where it has them ArviZ's own summary would be silently wrong.

        >>> from bayesbridge import Belief, Called
        >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("W", "Pass"))
        >>> result = estimate(belief.infer("weights", draws=1000, rng=1))
        >>> "log_weight" in result["sample_stats"], "log_weight" in result.equally_weighted(500)["sample_stats"]
        (True, False)
        """
        if "log_weight" not in self["sample_stats"]:
            return self
        weights = Weights(self["sample_stats"].to_dataset()["log_weight"].values[0])
        chosen = weights.resample(draws, rng, "multinomial")
        tree = self.copy()
        for name in ("posterior", "sample_stats"):
            group = self[name].to_dataset().drop_vars("log_weight", errors="ignore")
            tree[name] = type(self)(group.isel(draw=chosen).assign_coords(draw=np.arange(draws)))
        return tree

    def _repr_html_(self) -> str:
        if all(name in self.children for name in (*GROUPS, "marginals")):
            return self._shown()
        return str(super()._repr_html_())  # type: ignore[no-untyped-call]

    def _shown(self) -> str:
        """Hands, honours, every distribution, and how exact they are."""
        kept, marginals = self["constant_data"].to_dataset(), self["marginals"].to_dataset()
        dummy, observer, contract = (str(kept[name].values) for name in ("dummy", "observer", "contract"))
        roles = {**({dummy: "dummy"} if dummy else {}), observer: "observer"}
        sampled = ["cards and lengths"] if not marginals["card_probabilities"].attrs["exact"] else []
        sampled += ["points"] if not marginals["point_probabilities"].attrs["exact"] else []
        sampled += [name for name in shown_outputs(self) if not self["posterior"][name].attrs["exact"]]
        exact = {**self.attrs, "exact": not sampled}
        said = [*accuracy_sentences(exact), f"Sampled: {', '.join(sampled)}." if sampled else ""]
        return markup.piece(
            position_html(dict(marginals.data_vars), roles, markup.call(contract)),
            *(table.html() for table in output_tables(self)),
            markup.sentence(" ".join(said)),
            markup.sentence(f"A tree for ArviZ with the groups {', '.join(sorted(self.children))}."),
        )


MOST_ROWS: Final = 20
"""Rows shown of an output that has labels: all strains with all declarers. How many are left out is said."""

MOST_BARS: Final = 40
"""Rows of a distribution; where it has more values, neighbours share one."""

MOST_COLUMNS: Final = 15
"""Values that get a column each beside the labels of an output."""

STRAINS_SHOWN: Final = ("NT", "S", "H", "D", "C")


def reported(result: xarray.DataTree, estimator: str) -> dict[str, str]:
    """Output → its variable; under hard evidence, where some could be counted, the sampled ones are left out."""
    own = {
        str(found.attrs["output"]): str(name)
        for name, found in result["posterior"].data_vars.items()
        if found.attrs["estimator"] == estimator
    }
    counted = {output: name for output, name in own.items() if result["posterior"][name].attrs["exact"]}
    return counted or own if result.attrs["method"] == "convolution" else own


def shown_outputs(result: xarray.DataTree) -> list[str]:
    """The variables that people are shown: of the capture algorithm T alone, of other estimators all."""
    shown: list[str] = []
    for estimator in result.attrs["estimators"].split(", "):
        outputs = reported(result, estimator)
        shown += [outputs["T"]] if estimator == "capture" and "T" in outputs else outputs.values()
    return shown


def output_tables(result: xarray.DataTree) -> list[Table]:
    """Every output that is shown: whole numbers with their distribution, others with mean and spread."""
    draws, pmfs, names = result["posterior"].to_dataset(), result["pmf"].to_dataset(), shown_outputs(result)
    asked = Asked.of_result(result)
    tables = []
    for name in names:
        if [dim for dim in draws[name].dims[2:] if dim != f"{name}_value"]:
            tables.append(_labelled_table(name, draws[name], pmfs.get(name), asked))
        elif counts_tricks(result, name):
            tables.append(Tricks.of(result, name).table(smooth=draws[name].ndim > 2))
        elif name in pmfs:
            tables.append(_number_table(name, draws[name], pmfs[name], asked))
    plain = [name for name in names if name not in pmfs and draws[name].ndim == 2]
    if plain:
        rows = [[name, f"{draws[name].attrs['mean']:.3f}", f"{draws[name].attrs['sd']:.3f}"] for name in plain]
        notes = [f"{name}: {draws[name].attrs['long_name']}" for name in plain]
        tables.append(Table(f"Other numbers, for {asked.names}", ["", "mean", "sd"], rows, notes))
    return tables


def _number_table(name: str, draws: xarray.DataArray, pmf: xarray.DataArray, asked: Asked) -> Table:
    """A whole number that does not count tricks."""
    values, shares = _occurring(pmf)
    step = -(-len(values) // MOST_BARS)
    rows: list[list[str | float]] = []
    for begin in range(0, len(values), step):
        ends = values[begin : begin + step]
        label = f"{name} = {ends[0]}" + (f" … {ends[-1]}" if len(ends) > 1 else "")
        rows.append([label, float(shares[begin : begin + step].sum())])
    note = f"{name} is {draws.attrs['mean']:.2f} on average, with a standard deviation of {draws.attrs['sd']:.2f}."
    return Table(f"{name}, for {asked.names}: {pmf.attrs['long_name']}", ["", "P"], rows, [note], bars=True)


def _labelled_table(name: str, draws: xarray.DataArray, pmf: xarray.DataArray | None, asked: Asked) -> Table:
    """A row for each label: strains from no trumps down, the pair's seats first; of many others those with the most."""
    dims = [str(dim) for dim in draws.dims[2:] if dim != f"{name}_value"]
    labels = [tuple(map(str, cell)) for cell in product(*(draws[dim].values for dim in dims))]
    means, spreads = np.ravel(draws.attrs["mean"]), np.ravel(draws.attrs["sd"])
    fixed = {"strain": STRAINS_SHOWN, "seat": [*(seat.name for seat in asked.pair), "N", "E", "S", "W"]}

    def place(cell: int) -> tuple[float, ...]:
        ranks = [
            fixed[dim].index(label) if label in fixed.get(dim, ()) else 0
            for dim, label in zip(dims, labels[cell], strict=True)
        ]
        return (*ranks, -float(means[cell]) if len(labels) > MOST_ROWS else 0.0)

    told = [cell for cell in range(len(labels)) if means[cell] or spreads[cell]] or list(range(len(labels)))
    ranked = sorted(told, key=place)
    values, shares = np.zeros(0, dtype=np.int64), np.zeros((len(labels), 0))
    if pmf is not None and draws.dtype != np.bool_:
        table = pmf.values.reshape(len(labels), -1)
        met = np.flatnonzero((table[ranked[:MOST_ROWS]] > 0).any(axis=0))
        if len(met) and met[-1] - met[0] < MOST_COLUMNS:
            kept = slice(met[0], met[-1] + 1)
            values, shares = pmf[f"{name}_value"].values[kept], table[:, kept]
    rows = [
        [" ".join(labels[cell]), f"{means[cell]:.3f}", f"{spreads[cell]:.3f}", *(float(p) or "" for p in shares[cell])]
        for cell in ranked[:MOST_ROWS]
    ]
    said = ["The columns after sd are P(that value)."] if len(values) else []
    if len(ranked) > MOST_ROWS:
        said.append(f"… and {number(len(ranked) - MOST_ROWS)} more rows of {name}, which --json prints.")
    columns = [", ".join(dims), "mean", "sd", *map(str, values)]
    return Table(f"{name}: {draws.attrs['long_name']}", columns, rows, said)


def _occurring(pmf: xarray.DataArray) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Values with their shares, from the first to the last that occurs."""
    met = np.flatnonzero(pmf.values > 0)
    kept = slice(met[0], met[-1] + 1) if len(met) else slice(None)
    return pmf[pmf.dims[-1]].values[kept], pmf.values[kept]


def _distributions(result: Result) -> pandas.DataFrame:
    import pandas

    rows: dict[str, list[Any]] = {"quantity": [], "value": [], "probability": [], "exact": []}
    for name, pmf in result["pmf"].to_dataset().data_vars.items():
        values = pmf[f"{name}_value"].values
        for label, cell in _cells(str(name), pmf):
            rows["quantity"] += [label] * len(values)
            rows["value"] += values.tolist()
            rows["probability"] += pmf.values[cell].tolist()
            rows["exact"] += [bool(pmf.attrs["exact"])] * len(values)
    return pandas.DataFrame(rows)


def _draws(result: Result) -> pandas.DataFrame:
    import pandas

    group, stats = result["posterior"].to_dataset(), result["sample_stats"].to_dataset()
    chains, draws = group.sizes["chain"], group.sizes["draw"]
    logs = stats["log_weight"].values.ravel() if "log_weight" in stats else np.zeros(chains * draws)
    weights = np.exp(logs - logs.max())
    columns: dict[str, Any] = {
        "chain": np.repeat(group["chain"].values, draws),
        "draw": np.tile(group["draw"].values, chains),
        "weight": weights / weights.sum(),
    }
    for name, found in group.data_vars.items():
        values = found.values.reshape(chains * draws, *found.shape[2:])
        if f"{name}_value" in found.dims:
            values = (values * found[f"{name}_value"].values).sum(axis=-1)
        for label, cell in _cells(str(name), found.isel(chain=0, draw=0)):
            columns[label] = values[(slice(None), *cell)]
    return pandas.DataFrame(columns)


def _cells(name: str, found: xarray.DataArray) -> list[tuple[str, tuple[Any, ...]]]:
    """Every number of an output: its label in the summary, such as ``delta[C]``, and its index."""
    labels = [found[dim].values for dim in found.dims if dim != f"{name}_value"]
    cells: list[tuple[str, tuple[Any, ...]]] = []
    for cell in np.ndindex(*(len(names) for names in labels)):
        where = ", ".join(str(names[i]) for names, i in zip(labels, cell, strict=True))
        cells.append((f"{name}[{where}]" if where else name, cell))
    return cells


def estimate(
    posterior: Posterior,
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    contract: Contract | str | None = None,
    by: Seat | str | None = None,
    solve: int | None = None,
    actual: bool = False,
    seconds: float | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Result:
    """Run estimators, by name or as objects, over a posterior; ``capture`` unless others are named.

    A ``contract`` such as ``"4SX"``, played ``by`` a declarer, asks whether it makes: the result then has a group
    ``contract``, from ``tricks`` and, where ``solved`` is installed, corrected by ``solve`` layouts. It is about double
    dummy; ``actual`` passes it through what real declarers took beside that. ``seconds`` on one core are the most for
    that, and for estimators that take long: they get fewer layouts.

    ``pair`` are the two seats that play together, the observer and the dummy by default. An estimator that
    fails is left out with a warning that names it, unless none is left. A name that is not built in imports all
    installed plugins.

    >>> from bayesbridge import Belief
    >>> result = estimate(Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1), "capture", pair="S:N")
    >>> result.attrs["method"], round(result["pmf"]["T"].sel(T_value=10).item(), 4)
    ('convolution', 0.2977)
    """
    asked = contract_question(posterior.belief, contract, by, pair, trump, solve, seconds, actual)
    chosen, solver = estimators_for(estimators, asked)
    question = ask(posterior, pair, trump, trick) if asked is None else ask(posterior, asked.pair, asked.strain, trick)
    random = generator(rng)
    found = evaluate(posterior, chosen, question, rng=random, progress=progress, seconds=seconds)
    found, odds = contract_odds(found, asked, solver, rng=random, progress=progress)
    for name, failure in found.failures.items():
        if not found.estimators:
            raise failure
        warnings.warn(f"left out {name!r}: {failure}", stacklevel=2)
    return to_datatree(found, odds=odds)


def to_datatree(found: Evaluation, *, marginals: bool = True, odds: ContractOdds | None = None) -> Result:
    """Everything an evaluation holds, with names on every axis; without ``marginals`` the outputs alone."""
    posterior, belief = found.posterior, found.posterior.belief
    outputs = [output for _, output in found.sums]
    draws: dict[str, Any] = {}
    pmfs: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    supports: dict[str, Any] = {}
    for key, sums in found.sums.items():
        output = sums.output
        # Two estimators may share the name of an output.
        name = output.name if outputs.count(output.name) == 1 else "_".join(key)
        coords |= {dim: list(output.labels(dim)) for dim in output.dims}
        values = found.draws[key]
        attrs = {"long_name": output.doc, "estimator": key[0], "output": key[1], "exact": int(sums.exact)}
        moments = {"mean": sums.mean, "sd": sums.sd.ravel()}
        attrs |= {moment: float(cells[0]) if len(cells) == 1 else cells for moment, cells in moments.items()}
        axes_of = output.dims if output.support is None else (*output.dims, f"{name}_value")
        draws[name] = (("chain", "draw", *axes_of), values[None], attrs)
        if sums.pmf is not None:
            supports[f"{name}_value"] = sums.lowest + np.arange(sums.pmf.shape[-1])
            about = {"long_name": output.doc, "exact": int(sums.exact)}
            if (count := output.tricks) is not None:
                about |= {"counts_tricks": 1, "at_table": int(count.at_table)}
                about |= {"failing": count.failing, "holding": count.holding}
                about |= {} if count.fails_at is None else {"fails_at": count.fails_at}
            pmfs[name] = ((*output.dims, f"{name}_value"), sums.pmf, about)
    n = len(next(iter(found.draws.values())))
    axes = {"chain": np.arange(1), "draw": np.arange(n)}
    pmf_group = xarray.Dataset(pmfs, supports)
    pmf_group = pmf_group.assign_coords({dim: labels for dim, labels in coords.items() if dim in pmf_group.dims})
    groups = {
        "/": xarray.Dataset(attrs=_attributes(found)),
        "posterior": xarray.Dataset(draws, coords=axes | coords),
        "sample_stats": xarray.Dataset(
            _statistics(found, n), coords=axes, attrs={"engine": posterior.method, "ess": float(posterior.ess)}
        ),
        "pmf": pmf_group,
        "observed_data": _evidence(belief),
        "constant_data": _position(belief, found.question),
    }
    if odds is not None:
        groups["contract"] = odds.dataset()
    if marginals:
        groups["marginals"] = _marginals(posterior)
    return Result.from_dict(groups)


def _statistics(found: Evaluation, n: int) -> dict[str, Any]:
    """What is known of each draw that was kept; nothing where all count the same."""
    posterior = found.posterior
    values = {"log_weight": found.log_weights}
    if n == len(posterior):
        values["log_likelihood"] = posterior.draws.log_likelihood
    docs = {
        "log_weight": "Log weight of the draw, not normalised.",
        "log_likelihood": "log P(calls | layout) under the bidder model.",
    }
    kept = {
        name: (("chain", "draw"), array[None], {"long_name": docs[name]})
        for name, array in values.items()
        if array is not None
    }
    batches = posterior.draws.batches
    if batches is None or n != len(posterior):
        return kept
    row = "Row of batch_weight: layouts whose weights vary together."
    weight = {"long_name": "Weight by each batch of styles alone, relative to the mean.", "drawn": int(batches.drawn)}
    return kept | {
        "batch_row": (("chain", "draw"), batches.row[None], {"long_name": row}),
        "batch_weight": (("batch", "row"), batches.relative, weight),
    }


def _marginals(posterior: Posterior) -> xarray.Dataset:
    """Where each card lies, how long the suits are, how many points each seat has."""
    exact = {"exact": int(posterior.counts_cards)}
    cards, lengths = posterior.card_probabilities(), posterior.length_probabilities()
    group = xarray.Dataset(
        {
            "card_probabilities": cards.assign_attrs(exact, long_name="P(seat holds card)"),
            "length_probabilities": lengths.assign_attrs(exact, long_name="P(seat has so many cards of the suit)"),
            "point_probabilities": posterior.point_probabilities().assign_attrs(
                exact=int(posterior.counts_points), long_name="P(seat has so many high-card points)"
            ),
        }
    )
    names = [str(name) for name in group["card"].values]
    return group.assign_coords(
        card_suit=("card", [name[0] for name in names]), rank=("card", [name[1] for name in names])
    )


def _evidence(belief: Perspective) -> xarray.Dataset:
    """Every piece in order: in Python, as a sentence, and whether it excludes (hard) or weighs (soft) layouts."""

    def texts(words: list[str]) -> tuple[str, NDArray[np.str_]]:
        return "piece", np.array(words, dtype=np.str_)

    pieces = belief.evidence
    return xarray.Dataset(
        {
            "evidence": texts([repr(piece) for piece in pieces]),
            "sentence": texts([str(piece) for piece in pieces]),
            "kind": texts([belief.effect(piece) for piece in pieces]),
        }
    )


def _position(belief: Perspective, question: Question) -> xarray.Dataset:
    """What was known from the start, and what was asked."""
    contract = None if belief.auction is None else belief.auction.contract
    return xarray.Dataset(
        {
            "observer": belief.observer.name,
            "hand": belief.hand.pbn,
            "dummy": "" if belief.dummy is None else belief.dummy.name,
            "pair": ("side", [seat.name for seat in question.pair]),
            "trump": "NT" if question.trump is None else question.trump.name,
            "contract": "" if contract is None else str(contract),
            "bidder": repr(belief.bidder),
            "player": "" if belief.player is None else repr(belief.player),
        }
    )


@cache
def _versions() -> str:
    """Python and the packages that shape results; looked up once, since it takes as long as a small result."""
    packages = (f"{name} {version(name)}" for name in ("numpy", "numba", "scipy", "xarray", "arviz"))
    return ", ".join([f"python {platform.python_version()}", *packages])


def _attributes(found: Evaluation) -> dict[str, Any]:
    """What a reader must know about the run, in types that every file format takes."""
    posterior = found.posterior
    exact = all(sums.exact for sums in found.sums.values())
    told = accuracy_document(posterior, _method(found), exact)
    return {
        "creation_library": "bayesbridge",
        "creation_library_version": bayesbridge.__version__,
        "versions": _versions(),
        "method": told["method"],
        "why": told["why"],
        "warning": told["warning"] or "",
        "exact": int(exact),
        "sampled": ", ".join(output for (_, output), sums in found.sums.items() if not sums.exact),
        "layouts": str(posterior.count()),
        "draws": len(posterior),
        "seed": "" if posterior.seed is None else str(posterior.seed),
        "ess": float(posterior.ess),
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
        "estimators": ", ".join(estimator.name for estimator in found.estimators),
        "failures": "; ".join(map(str, found.failures.values())),
    }


def _method(found: Evaluation) -> str:
    """The engine behind the numbers: ``convolution`` where draws were not needed after all."""
    counted = any(sums.exact for sums in found.sums.values()) and not found.posterior.draws.target.soft
    return "convolution" if counted and not found.posterior.exact else found.posterior.method


Floats = NDArray[np.float64]


def distribution(result: xarray.DataTree, name: str) -> xarray.DataArray:
    """The distribution of an integer output over ``name_value``."""
    pmfs = result["pmf"].to_dataset()
    if name not in pmfs:
        raise BayesBridgeError(
            f"the result has no distribution of {name!r}: it has {', '.join(map(str, pmfs)) or 'none'}", name=name
        )
    return pmfs[name]


def counts_tricks(result: xarray.DataTree, name: str) -> bool:
    """Whether an output is one number that counts tricks."""
    pmfs = result["pmf"].to_dataset()
    return name in pmfs and pmfs[name].ndim == 1 and bool(pmfs[name].attrs.get("counts_tricks"))


def shortest_interval(values: NDArray[Any], chances: Floats, probability: float) -> tuple[float, float]:
    """The shortest [a, b] from value to value that holds the probability; of equally short ones the likeliest.

    ``chances`` (n,) belong to ``values`` (n,) and add up to one.

    >>> shortest_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (9.0, 10.0)
    """
    places, which = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    mass = np.bincount(which, chances)
    before = np.concatenate([[0.0], np.cumsum(mass)])
    # Rounding must not ask for one value more than the mass itself does.
    last = np.searchsorted(before[1:], before[:-1] + probability - 1e-12)
    first = np.flatnonzero(last < len(places))
    last = last[first]
    width = places[last] - places[first]
    held = before[last + 1] - before[first]
    best = int(np.lexsort((-held, width))[0])
    return float(places[first[best]]), float(places[last[best]])


@dataclass(frozen=True, slots=True, eq=False)
class _Quantity:
    """One number: its distribution, and the draws behind it unless it is exact."""

    label: str
    values: NDArray[Any]
    chances: Floats
    mean: float
    sd: float
    exact: bool
    draws: Floats
    """(chain, draw) values."""
    given: NDArray[np.bool_] | None = None
    """(chain, draw) the draws that count; ``None`` for all."""
    event: bool = False
    """Whether it is 0 or 1, so that an interval says nothing."""


def _quantities(result: xarray.DataTree, name: str) -> Iterator[_Quantity]:
    """Every number of one output; for tricks also the conditions and every goal."""
    draws = result["posterior"].to_dataset()[name]
    exact = bool(draws.attrs["exact"])
    pmf = distribution(result, name) if name in result["pmf"].data_vars else None
    if counts_tricks(result, name):
        yield from _tricks(Tricks.of(result, name), draws.values)
    shape = tuple(draws.sizes[dim] for dim in draws.dims[2:] if dim != f"{name}_value")
    means, spreads = (np.reshape(draws.attrs[key], shape) for key in ("mean", "sd"))
    weights = ResultDraws.of(result).weights.ravel() if pmf is None else np.empty(0)
    for label, cell in _cells(name, draws.isel(chain=0, draw=0)):
        own = draws.values[(slice(None), slice(None), *cell)]
        if own.ndim == 3:  # a distribution for each layout
            own = (own * result["pmf"][f"{name}_value"].values).sum(axis=-1)
        if pmf is None:
            yield _Quantity(label, own.ravel(), weights, float(means[cell]), float(spreads[cell]), exact, own)
        else:
            values, chances = pmf[f"{name}_value"].values, pmf.values[cell]
            yield _Quantity(label, values, chances, *_moments(values, chances), exact, own)


def _moments(values: NDArray[Any], chances: Floats) -> tuple[float, float]:
    """Mean and standard deviation; a number that never changes has none, whatever the rounding of its weight."""
    mean = float(chances @ values)
    spread = float(chances @ ((values - mean) ** 2)) ** 0.5
    return mean, spread if spread > 1e-9 else 0.0


def _tricks(tricks: Tricks, draws: NDArray[Any]) -> Iterator[_Quantity]:
    """The quantities of tricks, from (chain, draw) numbers or (chain, draw, values) distributions."""
    name, spread = tricks.name, draws.ndim == 3
    failed = np.zeros(draws.shape[:2], dtype=np.bool_) if spread else draws == tricks.count.fails_at

    def reached(number: int) -> NDArray[Any]:
        return draws[..., tricks.values >= number].sum(axis=-1) if spread else ~failed & (draws >= number)

    def event(label: str, share: float, happens: NDArray[Any]) -> _Quantity:
        ends, both, values = np.array([0, 1]), np.array([1.0 - share, share]), happens.astype(np.float64)
        return _Quantity(label, ends, both, share, (share * (1 - share)) ** 0.5, tricks.exact, values, event=True)

    if tricks.count.fails_at is not None:
        yield event(tricks.count.failing if name == "T" else f"{name}: {tricks.count.failing}", tricks.fails, failed)
        if tricks.holds:
            given = np.where(tricks.values == tricks.count.fails_at, 0.0, tricks.shares) / tricks.holds
            label = f"{name} if {tricks.count.holding}"
            yield _Quantity(label, tricks.values, given, *_moments(tricks.values, given), tricks.exact, draws, ~failed)
    for goal, share in tricks.goals.items():
        plain = f"{name} ≥ {goal}"
        yield event(f"{plain}, {tricks.goal(goal)}" if tricks.judges else plain, share, reached(goal))


@dataclass(frozen=True, slots=True, eq=False)
class ResultDraws:
    """The weights of the draws of a result, for standard errors."""

    weights: Floats
    """(chain, draw) adding up to one."""
    weighed: bool
    """Whether they are independent draws with importance weights."""
    ess: float
    batches: Batches | None
    """How the weights vary where they are estimates themselves."""

    @classmethod
    def of(cls, result: xarray.DataTree) -> ResultDraws:
        shape = (result["posterior"].sizes["chain"], result["posterior"].sizes["draw"])
        stats = result["sample_stats"].to_dataset()
        batches = None
        if "batch_weight" in stats:
            table = stats["batch_weight"]
            batches = Batches(table.values, stats["batch_row"].values.ravel(), bool(table.attrs["drawn"]))
        if "log_weight" not in stats:
            return cls(np.full(shape, 1.0 / np.prod(shape)), False, float(stats.attrs["ess"]), batches)
        logs = stats["log_weight"].values
        weights = np.exp(logs - logs.max())
        weighed = stats.attrs["engine"] in ("weights", "tilted")
        return cls(weights / weights.sum(), weighed, float(stats.attrs["ess"]), batches)

    def errors(self, quantity: _Quantity) -> tuple[float, float]:
        """Monte Carlo standard error of the mean and effective sample size; ``nan`` where they mean nothing."""
        none = (0.0 if quantity.exact else np.nan), np.nan
        if quantity.exact:
            return none
        counts = np.ones(self.weights.shape) if quantity.given is None else quantity.given.astype(np.float64)
        share = float((self.weights * counts).sum())
        if not share or (quantity.given is not None and self._effective(counts) < 10.0):
            return none
        u = counts * (quantity.draws - quantity.mean) / share
        error = self.error_of(u)
        if quantity.event or self.weighed:
            far = max(quantity.mean, 1.0 - quantity.mean) if quantity.event else share * float(np.abs(u).max())
            error = float(np.hypot(error, far / self._effective(counts)))
        if not error:
            return none
        return float(f"{error:.2g}"), float(round((quantity.sd / error) ** 2)) if quantity.sd else np.nan

    def _effective(self, counts: Floats) -> float:
        """Effective draws among those that count."""
        some = self.weights * counts
        if self.weighed:
            return float(some.sum() ** 2 / (some**2).sum())
        return self.ess * float(some.sum())

    def error_of(self, u: Floats) -> float:
        """Standard error of the mean of u."""
        variance = float((self.weights * u**2).sum())
        if u.min() == u.max():
            return 0.0
        # Rare events may have been met at light draws only: no better than if all draws counted the same.
        own = max(float((self.weights**2 * u**2).sum()), variance / u.size)
        if self.batches is not None:
            moved = standard_error(self.batches.moved(u.ravel(), self.weights.ravel()))
            return math.sqrt(float(moved) ** 2 + own * self.batches.drawn)
        if self.weighed:
            # An engine that knows its weights to deceive states a smaller ESS than they have.
            deceit = max(1.0, 1.0 / float((self.weights**2).sum()) / self.ess)
            return math.sqrt(deceit * own)
        return math.sqrt(variance / self.ess)


class _Column(NamedTuple):
    """One estimate: a number for each draw."""

    name: str
    values: Floats
    """(chain, draw)."""
    counts: NDArray[np.bool_]
    """(chain, draw) where it gives a number: T does not where its conditions fail."""
    draws: ResultDraws
    exact: bool
    """Whether the draws are all layouts, with their weights."""

    def mean(self, values: Floats, counts: NDArray[np.bool_]) -> tuple[float, float]:
        """Mean of ``values`` over the draws that count, and its standard error; ``nan`` where none does."""
        share = float(self.draws.weights[counts].sum())
        if not share:
            return float("nan"), float("nan")
        mean = float(self.draws.weights[counts] @ values[counts]) / share
        return mean, 0.0 if self.exact else self.draws.error_of(np.where(counts, values - mean, 0.0) / share)


def compare(
    estimates: xarray.DataTree | Mapping[str, xarray.DataTree],
    names: str | Sequence[str] | None = None,
    *,
    paired: bool = True,
) -> xarray.Dataset:
    """How estimates of one posterior differ: one result with several outputs, or several results by name.

    ``names`` picks outputs; by default those that count tricks, and where there is none, all with one number for each
    layout. ``paired`` takes differences layout by layout, over layouts where both give a number; results must then come
    from the same posterior, drawn with the same ``rng``. Without it the two errors are put together as if independent.

    Variables: ``mean`` and ``mean_error`` by ``estimate``; ``difference`` (``estimate`` less ``other``), ``error``,
    ``share`` (of the layouts compared) and, paired, ``correlation``.

    >>> import bayesbridge as bb
    >>> posterior = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(draws=500, rng=1)
    >>> found = compare(bb.estimate(posterior, ["capture", "tricks"]))
    >>> found["estimate"].values.tolist(), bool(found["difference"].sel(estimate="T", other="tricks") > 1)
    (['T', 'tricks'], True)
    """
    chosen = None if names is None else [names] if isinstance(names, str) else list(names)
    results = {"": estimates} if hasattr(estimates, "groups") else estimates
    columns = [column for label, result in results.items() for column in _columns(str(label), result, chosen)]
    if len(columns) < 2:
        have = columns[0].name if columns else "none"
        raise BayesBridgeError(f"nothing to compare with {have}: give two estimates or more")
    first = columns[0]
    for one in columns[1:] if paired else ():
        if first.values.shape != one.values.shape or not np.array_equal(first.draws.weights, one.draws.weights):
            raise BayesBridgeError(
                f"{first.name!r} and {one.name!r} are not of the same layouts: estimate both from one posterior with "
                "the same rng, or give paired=False",
                names=(first.name, one.name),
            )
    means = [one.mean(one.values, one.counts) for one in columns]
    size = len(columns)
    difference, error, share, correlation = np.zeros((4, size, size))
    for i, j in np.ndindex(size, size):
        one, other = columns[i], columns[j]
        if paired:
            both = one.counts & other.counts
            difference[i, j], error[i, j] = one.mean(one.values - other.values, both)
            share[i, j] = one.draws.weights[both].sum()
            correlation[i, j] = _correlation(one.values[both], other.values[both], one.draws.weights[both])
        else:
            difference[i, j] = means[i][0] - means[j][0]
            error[i, j] = hypot(means[i][1], means[j][1]) if i != j else 0.0
            share[i, j] = min(float(each.draws.weights[each.counts].sum()) for each in (one, other))
    tables = {"difference": difference, "error": error, "share": share} | (
        {"correlation": correlation} if paired else {}
    )
    labels = [one.name for one in columns]
    return xarray.Dataset(
        {
            "mean": (["estimate"], [mean for mean, _ in means]),
            "mean_error": (["estimate"], [error for _, error in means]),
            **{name: (["estimate", "other"], table) for name, table in tables.items()},
        },
        {"estimate": labels, "other": labels},
        {"paired": int(paired)},
    )


def _columns(label: str, result: Any, names: Sequence[str] | None) -> list[_Column]:
    """The outputs of one result that are compared; named after the result where it gives but one."""
    if not hasattr(result, "groups"):
        raise BayesBridgeError(f"estimate {label!r} is no result: give what bb.estimate answers", label=label)
    posterior, pmfs = result["posterior"].to_dataset(), result["pmf"].to_dataset()
    single = [str(name) for name in posterior.data_vars if set(posterior[name].dims[2:]) <= {f"{name}_value"}]
    chosen = [name for name in single if name in pmfs and pmfs[name].attrs.get("counts_tricks")] or single
    if names is not None:
        chosen = list(names)
        if unknown := [name for name in chosen if name not in single]:
            raise BayesBridgeError(
                f"no single number {unknown[0]!r} in the result{f' {label!r}' if label else ''}: it has "
                f"{', '.join(single) or 'none'}",
                name=unknown[0],
            )
    draws = ResultDraws.of(result)
    engine = result["sample_stats"].attrs["engine"]
    exact = engine == "enumerate" and str(draws.weights.size) == str(result.attrs["layouts"])
    columns = []
    for name in chosen:
        values = posterior[name].values.astype(np.float64)
        if values.ndim == 3:  # a distribution for each layout: its mean
            values = (values * pmfs[f"{name}_value"].values).sum(axis=-1)
        fails = pmfs[name].attrs.get("fails_at") if name in pmfs else None
        counts = np.ones(values.shape, np.bool_) if fails is None else values != fails
        title = name if not label else label if len(chosen) == 1 else f"{label}: {name}"
        columns.append(_Column(title, values, counts, draws, exact))
    return columns


def _correlation(first: Floats, second: Floats, weights: Floats) -> float:
    """Weighted correlation; ``nan`` where one of them never changes."""
    share = weights / weights.sum() if len(weights) else weights
    one, two = (values - share @ values for values in (first, second))
    spread = float((share @ one**2) * (share @ two**2)) ** 0.5
    return float(share @ (one * two)) / spread if spread > 1e-12 else float("nan")
