"""Results: an answer as an ArviZ tree, with its summary and Monte Carlo errors;
docs/results.md names the groups.

The standard error of every mean, plain or conditional, comes from one formula. A mean m
= E[q x] / E[q] over draws changes by u = q (x - m) / E[q] for a little more weight on a
draw (its influence); the error is that of the mean of u. Importance weights W give (Σ
W² u²)½, other draws the spread of u over the square root of their effective sample
size. Where an event is rare, or never happens, the square of one more draw with the
opposite outcome is added, and with importance weights, for any number, of one more like
the draw farthest from the mean. No error is stated where all draws agree on a number
that is no event, nor of a mean given that the conditions hold with few draws. Weights
that are averages over a bidding style add the error of these averages
(:mod:`~bayesbridge.engines.weights`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Self, Unpack

import numpy as np
import pandas
import xarray
from numpy.typing import NDArray

from bayesbridge.belief.posterior import (
    Posterior,
    accuracy_sentences,
    position_html,
)
from bayesbridge.display import markup
from bayesbridge.engines.budget import Budget, ErrorLimits
from bayesbridge.engines.weights import Batches, Weights, standard_error
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import (
    SHOWN,
    Answer,
    answers_table,
    contracts_table,
    kept_draws,
    plain_rows,
)
from bayesbridge.estimators.contract_question import contract_question
from bayesbridge.estimators.distribution import GOALS, Distribution
from bayesbridge.estimators.evaluate import Evaluation, ask, evaluate
from bayesbridge.estimators.odds import estimators_for, with_odds
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.trees import tree_groups
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.random64 import Seed, generator

GROUPS: Final = (
    "posterior",
    "sample_stats",
    "pmf",
    "observed_data",
    "constant_data",
)  # what every result has


CONCATENATED: Final[dict[str, dict[str, Any]]] = {
    "posterior": {"join": "inner"},
    "pmf": {"join": "outer", "fill_value": 0.0},
    "observed_data": {"join": "outer", "fill_value": ""},
    "constant_data": {"join": "exact"},
    "marginals": {"join": "exact"},
    "contract": {"join": "exact"},
}
"""Groups of several results that make one, and what becomes of labels that some lack."""


class Result(xarray.DataTree):  # type: ignore[no-untyped-call]
    """What ``bb.estimate`` gives: an xarray DataTree that a notebook shows as hands,
    honours and tricks.

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
            words = "give one that bb.estimate made, read back from its file"
            raise BayesBridgeError(f"the tree has no group {missing[0]!r}: {words}")
        if "arviz" not in tree.attrs:
            made_by = tree.attrs.get("creation_library_version", "unknown")
            raise BayesBridgeError(
                f"the tree was kept by an earlier bayesbridge ({made_by}), with weighted "
                "draws in its posterior: make it anew with bb.estimate"
            )
        return cls.from_dict(tree.to_dict())

    def to_dataframe(self) -> pandas.DataFrame:
        """Every distribution as one pandas table: a row for each value of each number,
        as the summary names it.
        """
        rows = [
            (name, value, probability, number.exact)
            for number in Answer.of_tree(self).numbers.values()
            for name, shares in zip(number.names, number.pmf, strict=True)
            for value, probability in zip(
                number.values.tolist(), shares.tolist(), strict=True
            )
        ]
        return pandas.DataFrame(
            rows, columns=["quantity", "value", "probability", "exact"]
        )

    def summary(
        self,
        names: str | Sequence[str] | None = None,
        *,
        probability: float = 0.89,
        kind: str = "eti",
    ) -> pandas.DataFrame:
        """One row for each quantity, tricks first; the index names them as ArviZ does,
        such as ``delta[C]``.

        Columns: ``mean``, ``sd``, the ends of an interval that holds ``probability``
        (for integers its mass may be larger), then ``mcse``, ``ess`` and ``exact``,
        whether the figure is: then ``mcse`` is 0. The interval is of the ``kind`` that
        its columns are named for, as ArviZ names them: ``eti``, with equal tails, or
        ``hdi``, the shortest. ``nan`` stands where a number has no meaning. ``names``
        picks outputs. The table has the attributes of the result.

        >>> import bayesbridge as bb
        >>> table = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).summary("T")
        >>> row = table.loc["T if they hold"]
        >>> f"{row['mean']:.2f}, exact: {row['exact']}"
        '10.23, exact: True'
        """
        if not 0.0 < probability < 1.0:
            raise BayesBridgeError(
                f"an interval of probability {probability!r}: give a number between 0 and 1"
            )
        if kind not in INTERVALS:
            raise BayesBridgeError(
                f"an interval of kind {kind!r}: choose {' or '.join(INTERVALS)}",
                kind=kind,
            )
        answer = Answer.of_tree(self)
        draws = ResultDraws.of(self)
        wanted = (
            list(answer.numbers)
            if names is None
            else [names]
            if isinstance(names, str)
            else list(names)
        )
        ends = [f"{kind}{100 * probability:g}_{end}" for end in ("lb", "ub")]
        rows: dict[str, list[Any]] = {}
        for name in sorted(
            wanted, key=lambda name: not answer.number(name).counts_tricks
        ):
            for quantity in _quantities(answer.number(name), draws.weights):
                interval = (np.nan, np.nan)
                if not quantity.event:
                    interval = INTERVALS[kind](
                        quantity.values, quantity.chances, probability
                    )
                figures = quantity.mean, quantity.sd, *interval, *draws.errors(quantity)
                rows[quantity.label] = [*figures, quantity.exact]
        columns = ["mean", "sd", *ends, "mcse", "ess", "exact"]
        table = pandas.DataFrame.from_dict(rows, orient="index", columns=columns)
        table.index.name = "quantity"
        table.attrs = dict(self.attrs)
        return table

    def at_least(self, name: str = "T") -> xarray.DataArray:
        """P(at least so many) for 7 to 13 ``tricks``, of an output that counts tricks;
        other dimensions stay.

        What stands for failing, as T = 0 where the conditions fail, reaches no number.
        These are chances of contracts only for an output that estimates tricks at the
        table.

        >>> import bayesbridge as bb
        >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
        >>> round(result.at_least().sel(tricks=9).item(), 3)
        0.713
        """
        number = Answer.of_tree(self).number(name)
        shares = np.array(
            [list(number.tricks(**where).goals.values()) for where in number.cells]
        )
        coords: dict[str, Any] = {**number.labels, "tricks": list(GOALS)}
        shape = [len(labels) for labels in coords.values()]
        return xarray.DataArray(shares.reshape(shape), coords, list(coords), name=name)

    def tricks(self, name: str = "T", **where: Any) -> Distribution:
        """The distribution of an output that counts tricks; ``where`` picks one of
        several, such as ``strain="NT"``.
        """
        return Answer.of_tree(self).number(name).tricks(**where)

    def _repr_html_(self) -> str:
        """Hands, honours, every distribution, and how exact they are; of a part of a
        result the tree.
        """
        if any(name not in self.children for name in (*GROUPS, "marginals")):
            return str(super()._repr_html_())  # type: ignore[no-untyped-call]
        kept, marginals = (
            self["constant_data"].to_dataset(),
            self["marginals"].to_dataset(),
        )
        dummy, observer, contract = (
            str(kept[name].values) for name in ("dummy", "observer", "contract")
        )
        roles = {**({dummy: "dummy"} if dummy else {}), observer: "observer"}
        answer, known = (
            Answer.of_tree(self),
            {"card": "cards and lengths", "point": "points"},
        )
        sampled = [
            words
            for name, words in known.items()
            if not marginals[f"{name}_probabilities"].attrs["exact"]
        ]
        sampled += [number.name for number in answer.shown if not number.exact]
        exact = {**self.attrs, "exact": not sampled}
        said = [
            *accuracy_sentences(exact),
            f"Sampled: {', '.join(sampled)}." if sampled else "",
        ]
        return markup.piece(
            position_html(dict(marginals.data_vars), roles, markup.call(contract)),
            *(table.html() for table in answer.tables),
            markup.sentence(" ".join(said)),
            markup.sentence(
                f"A tree for ArviZ with the groups {', '.join(sorted(self.children))}."
            ),
        )


class Rows(markup.Displayable, xarray.Dataset):  # type: ignore[no-untyped-call]
    """What :func:`bayesbridge.contracts` and :func:`bayesbridge.value_of_information`
    give.

    A part of it that lacks what the table needs is shown as any other Dataset.
    """

    __slots__ = ()

    @property
    def tables(self) -> list[markup.Table]:
        """The best contracts, or the most valuable answers."""
        rows = plain_rows(self)
        return [
            answers_table(rows, self.attrs)
            if "bits" in self
            else contracts_table(rows, self.attrs, SHOWN)
        ]

    def _repr_html_(self) -> str:
        try:
            return super()._repr_html_()
        except (KeyError, IndexError):
            return str(xarray.Dataset._repr_html_(self))

    def __str__(self) -> str:
        try:
            return super().__str__()
        except (KeyError, IndexError):
            return repr(self)


def estimate(
    posterior: Posterior,
    estimators: str | Estimator | Sequence[str | Estimator] | None = None,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    trump: Suit | Strain | str | None = None,
    trick: Trick | None = None,
    contract: Contract | str | None = None,
    by: Seat | str | None = None,
    actual: bool = False,
    rng: Seed = 0,
    **limits: Unpack[ErrorLimits],
) -> Result:
    """Run estimators, by name or as objects, over a posterior; ``capture`` unless
    others are named.

    A ``contract`` such as ``"4SX"``, played ``by`` a declarer, asks whether it makes:
    the result then has a group ``contract``, from ``tricks`` and, where ``solved`` is
    installed, corrected by solved layouts. It is about double dummy; ``actual`` passes
    it through what real declarers took beside that. ``limits``: ``solve`` layouts are
    solved, or until P(make) has an ``error`` of 0.02; ``seconds`` on one core are the
    most for that, 10 by default, and for estimators that take long: they get fewer
    layouts.

    ``pair`` are the two seats that play together, the observer and the dummy by
    default. An estimator that fails is left out with a warning that names it, unless
    none is left. A name that is not built in imports all installed plugins.

    >>> from bayesbridge import Belief
    >>> result = estimate(Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1), "capture", pair="S:N")
    >>> result.attrs["method"], round(result["pmf"]["T"].sel(T_value=10).item(), 4)
    ('convolution', 0.2977)
    """
    budget = Budget(posterior.asked[1], **limits)
    asked = contract_question(
        posterior.belief,
        contract,
        by,
        actual,
        pair=pair,
        trump=trump,
        solve=budget.solve,
    )
    chosen = estimators_for(estimators, asked)
    if asked is not None:
        pair, trump = asked.group.pair, asked.group.strain
    random, question = generator(rng), ask(posterior, pair, trump, trick)
    found = with_odds(
        evaluate(posterior, chosen, question, rng=random, budget=budget),
        asked,
        budget,
        random,
    )
    for name, failure in found.failures.items():
        if not found.numbers:
            raise failure
        warnings.warn(f"left out {name!r}: {failure}", stacklevel=2)
    return to_datatree(found, random)


def to_datatree(
    evaluation: Evaluation, rng: Seed = 0, *, marginals: bool = True
) -> Result:
    """An evaluation as a result; ``rng`` resamples weighted draws. Without
    ``marginals`` it has the outputs alone.
    """
    return Result.from_dict(tree_groups(evaluation, rng, marginals=marginals))


def concat(
    results: Mapping[str, xarray.DataTree], dim: str = "position"
) -> xarray.DataTree:
    """Results of several positions as one tree, with a dimension of their labels.

    ``posterior`` holds as many draws of each as the result with the fewest has, so that
    ArviZ takes it. A value that an output never had in a result has probability 0
    there. Attributes in which the results differ are left out; weights, statistics of
    draws and log likelihoods stay with each result.

    Parameters
    ----------
    results : mapping of str to DataTree
        Results of ``bb.estimate`` by their labels, of the same estimators.
    dim : str
        Name of the new dimension.

    Returns
    -------
    xarray.DataTree
        The groups ``posterior``, ``pmf``, ``observed_data``, ``constant_data``, and
        ``marginals`` and ``contract`` where all results have them.

    Raises
    ------
    BayesBridgeError
        If there is no result, or the results have different outputs.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> study = bb.concat(
    ...     {
    ...         "before": bb.estimate(belief.infer(draws=400, rng=1)),
    ...         "after": bb.estimate(belief.given(bb.Void("E", "H")).infer(draws=400, rng=1)),
    ...     }
    ... )
    >>> study["pmf"]["T"].sel(T_value=9).round(3).values.tolist()
    [0.216, 0.204]
    """
    trees = list(results.values())
    if not trees:
        raise BayesBridgeError("no results to put together: give at least one")
    first = set(trees[0]["posterior"].data_vars)
    for label, tree in results.items():
        different = first ^ set(tree["posterior"].data_vars)
        if different:
            raise BayesBridgeError(
                f"result {label!r} has other outputs than the first: "
                f"{', '.join(sorted(map(str, different)))} is in one of them alone"
            )
    labels = pandas.Index(list(results), name=dim)
    groups = {}
    for name, how in CONCATENATED.items():
        if all(name in tree.children for tree in trees):
            groups[name] = xarray.concat(
                [tree[name].to_dataset() for tree in trees],
                dim=labels,
                data_vars="all",
                combine_attrs="drop_conflicts",
                **how,
            )
    groups["posterior"] = groups["posterior"].transpose("chain", "draw", ...)
    return xarray.DataTree.from_dict(groups)


def shortest_interval(
    values: NDArray[Any], chances: Floats, probability: float
) -> tuple[float, float]:
    """The shortest [a, b] from value to value that holds the probability; of equally
    short ones the likeliest.

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
    best = np.lexsort((before[first] - before[last + 1], places[last] - places[first]))[
        0
    ]
    return float(places[first[best]]), float(places[last[best]])


def equal_tailed_interval(
    values: NDArray[Any], chances: Floats, probability: float
) -> tuple[float, float]:
    """The interval between two quantiles that leave out equally much, at most.

    >>> equal_tailed_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (0.0, 10.0)
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(chances[order])
    tail = (1.0 - probability) / 2
    # Rounding must not ask for one value more than the mass itself does.
    first = int(np.searchsorted(below, tail + ROUNDING, side="right"))
    last = int(np.searchsorted(below, 1.0 - tail - ROUNDING))
    last = min(last, len(order) - 1)
    return float(values[order[first]]), float(values[order[last]])


ROUNDING: Final = 1e-12

INTERVALS: Final = {"eti": equal_tailed_interval, "hdi": shortest_interval}
"""Kinds of intervals, by ArviZ's names for them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Quantity:
    """One number: its distribution, and the draws behind it unless it is exact."""

    label: str
    values: NDArray[Any]
    chances: Floats
    exact: bool
    draws: NDArray[Any]  #: (n,) values.
    given: NDArray[np.bool_] | None = (
        None  #: (n,) the draws that count; ``None`` for all.
    )
    event: bool = False  #: Whether it is 0 or 1, so that an interval says nothing.
    moments: Sequence[float] = ()
    """Mean and spread where the posterior has more layouts than draws were kept; else
    they follow from these.
    """

    @property
    def mean(self) -> float:
        return self.moments[0] if self.moments else float(self.chances @ self.values)

    @property
    def sd(self) -> float:
        """Of the distribution; 0 for a number that never changes, whatever the rounding
        of its weight.
        """
        spread = (
            self.moments[1]
            if self.moments
            else float(self.chances @ ((self.values - self.mean) ** 2)) ** 0.5
        )
        return spread if spread > 1e-9 else 0.0


def _quantities(number: Distribution, weights: Floats) -> Iterator[_Quantity]:
    """Every number of one output, whose draws have these weights; for tricks also the
    conditions and every goal.
    """
    if number.counts_tricks:
        yield from _tricks(number)
    for place, (label, own) in enumerate(
        zip(number.names, number.drawn.T, strict=True)
    ):
        if len(number.values):
            yield _Quantity(label, number.values, number.pmf[place], number.exact, own)
        else:
            moments = float(number.mean[place]), float(number.sd[place])
            yield _Quantity(label, own, weights, number.exact, own, moments=moments)


def _tricks(number: Distribution) -> Iterator[_Quantity]:
    """The quantities of tricks, where each draw has a number or a distribution."""
    name, count, draws, spread = (
        number.name,
        number.count,
        number.draws,
        number.output.support is not None,
    )
    failed = (
        np.zeros(len(draws), np.bool_) if spread else draws == count.undefined_value
    )

    def event(label: str, share: float, happens: NDArray[Any]) -> _Quantity:
        ends, both = np.array([0, 1]), np.array([1.0 - share, share])
        return _Quantity(
            label, ends, both, number.exact, happens.astype(np.float64), event=True
        )

    if count.undefined_value is not None:
        yield event(
            count.failing if number.output.title else f"{name}: {count.failing}",
            number.fails,
            failed,
        )
        if number.holds:
            given = np.where(number.counted, number.shares, 0.0) / number.holds
            yield _Quantity(
                f"{name} if {count.holding}",
                number.values,
                given,
                number.exact,
                draws,
                ~failed,
            )
    for goal, share in number.goals.items():
        reached = (
            draws[:, number.values >= goal].sum(axis=-1)
            if spread
            else ~failed & (draws >= goal)
        )
        makes = f", {number.goal(goal)}" if number.is_contract_chance else ""
        yield event(f"{name} ≥ {goal}{makes}", share, reached)


@dataclass(frozen=True, slots=True, eq=False)
class ResultDraws:
    """The weights of the draws of a result, for standard errors."""

    weights: Floats  #: (n,) adding up to one.
    weighted: bool  #: Whether they are independent draws with importance weights.
    ess: float
    batches: Batches | None

    @classmethod
    def of(cls, result: xarray.DataTree) -> ResultDraws:
        engine = result["sample_stats"].attrs
        kept = kept_draws(result)
        log_weights = np.zeros(kept.sizes["draw"] * kept.sizes.get("chain", 1))
        if "log_weight" in kept:
            log_weights = kept["log_weight"].values
        batches = None
        if "batch_weight" in kept:
            table = kept["batch_weight"]
            drawn = bool(table.attrs["drawn"])
            batches = Batches(table.values, kept["batch_row"].values, drawn)
        # Weights of an exact posterior are no draws; those by batches are estimates themselves.
        weighted = "log_weight" in kept and not engine["exact"] and batches is None
        return cls(Weights(log_weights).W, weighted, float(engine["ess"]), batches)

    def errors(self, quantity: _Quantity) -> tuple[float, float]:
        """Monte Carlo standard error of the mean and effective sample size; ``nan``
        where they mean nothing.
        """
        if quantity.exact:
            return 0.0, np.nan
        counts = (
            np.ones(self.weights.shape)
            if quantity.given is None
            else quantity.given.astype(np.float64)
        )
        share = float((self.weights * counts).sum())
        if not share or (quantity.given is not None and self._effective(counts) < 10.0):
            return np.nan, np.nan
        u = counts * (quantity.draws - quantity.mean) / share
        error = self._error(u)
        if quantity.event or self.weighted:
            far = (
                max(quantity.mean, 1.0 - quantity.mean)
                if quantity.event
                else share * float(np.abs(u).max())
            )
            error = float(np.hypot(error, far / self._effective(counts)))
        if not error:
            return np.nan, np.nan
        return float(f"{error:.2g}"), float(
            round((quantity.sd / error) ** 2)
        ) if quantity.sd else np.nan

    def _effective(self, counts: Floats) -> float:
        some = self.weights * counts
        return (
            float(some.sum() ** 2 / (some**2).sum())
            if self.weighted
            else self.ess * float(some.sum())
        )

    def _error(self, u: Floats) -> float:
        """Standard error of the mean of u."""
        if u.min() == u.max():
            return 0.0
        variance = float((self.weights * u**2).sum())
        # Rare events may have been met at light draws only: no better than if all draws counted the same.
        own = max(float((self.weights**2 * u**2).sum()), variance / u.size)
        if self.batches is not None:
            moved = standard_error(self.batches.moved(u, self.weights))
            return sqrt(moved**2 + own * self.batches.drawn)
        if self.weighted:
            # An engine that knows its weights to deceive states a smaller ESS than they have.
            deceit = max(1.0, 1.0 / float((self.weights**2).sum()) / self.ess)
            return sqrt(deceit * own)
        return sqrt(variance / self.ess)
