"""Results: an answer as an ArviZ tree; docs/results.md names its groups."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self, Unpack

import numpy as np
import pandas
import xarray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.posterior_page import accuracy_sentences, position_html
from bayesbridge.display import markup
from bayesbridge.engines.budget import Budget, ErrorLimits
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.answer_tables import (
    SHOWN,
    answers_table,
    contracts_table,
    plain_rows,
)
from bayesbridge.estimators.contract_question import contract_question
from bayesbridge.estimators.distribution import GOALS, Distribution
from bayesbridge.estimators.evaluate import Evaluation
from bayesbridge.estimators.odds import answer_question, estimators_for
from bayesbridge.estimators.protocol import Estimator
from bayesbridge.estimators.read_tree import read_answer
from bayesbridge.estimators.summary import summary_table
from bayesbridge.estimators.trees import tree_groups
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick
from bayesbridge.runtime.random64 import Seed, generator

GROUPS: Final = (
    "posterior",
    "sample_stats",
    "pmf",
    "observed_data",
    "constant_data",
)
"""What every result has."""


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
    """What ``bb.estimate`` gives: an xarray DataTree of answers.

    A notebook shows it as hands, honours and tricks; ArviZ takes it as it is. Its groups
    are ``posterior``, draws of every output that count the same; ``sample_stats``;
    ``pmf``, the distributions; ``observed_data``, the evidence; ``constant_data``;
    ``marginals``; and, where there are such, ``weighted_draws``, ``log_likelihood`` and
    ``contract``.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> isinstance(result, xarray.DataTree), result.to_dataframe().columns.tolist()
    (True, ['quantity', 'value', 'probability', 'exact'])
    """

    __slots__ = ("_answer",)

    @classmethod
    def of(cls, tree: xarray.DataTree) -> Self:
        """A tree that was read from a file, as a result; a result passes through.

        Parameters
        ----------
        tree : xarray.DataTree
            What ``bb.estimate`` made.

        Returns
        -------
        Result

        Raises
        ------
        BayesBridgeError
            If groups are missing, or an earlier version kept the tree.
        """
        if isinstance(tree, cls):
            return tree
        for name in GROUPS:
            if name not in tree.children:
                raise BayesBridgeError(
                    f"the tree has no group {name!r}: give one that bb.estimate made, "
                    "read back from its file"
                )
        if "arviz" not in tree.attrs:
            made_by = tree.attrs.get("creation_library_version", "unknown")
            raise BayesBridgeError(
                f"the tree was kept by an earlier bayesbridge ({made_by}), with weighted "
                "draws in its posterior: make it anew with bb.estimate"
            )
        return cls.from_dict(tree.to_dict())

    @property
    def answer(self) -> Answer:
        """The numbers that the tree holds, each with its distribution."""
        if not hasattr(self, "_answer"):
            self._answer = read_answer(self)
        return self._answer

    def to_dataframe(self) -> pandas.DataFrame:
        """Every distribution as one pandas table, a row for each value of each number.

        Returns
        -------
        pandas.DataFrame
            Columns ``quantity``, named as in :meth:`summary`, ``value``,
            ``probability`` and ``exact``.
        """
        columns = ["quantity", "value", "probability", "exact"]
        rows = []
        for number in self.answer.numbers.values():
            values = number.values.tolist()
            for name, shares in zip(number.names, number.pmf.tolist(), strict=True):
                for value, share in zip(values, shares, strict=True):
                    rows.append((name, value, share, number.exact))
        return pandas.DataFrame(rows, columns=columns)

    def summary(
        self,
        names: str | Sequence[str] | None = None,
        *,
        probability: float = 0.89,
        kind: str = "eti",
    ) -> pandas.DataFrame:
        """A table with a row for each quantity, tricks first.

        Parameters
        ----------
        names : str or sequence of str, optional
            Outputs; by default all.
        probability : float
            What the interval holds; for integers its mass may be larger.
        kind : str
            Of the interval, as ArviZ names it: ``eti`` has equal tails, ``hdi`` is the
            shortest.

        Returns
        -------
        pandas.DataFrame
            The index names quantities as ArviZ does, such as ``delta[C]``. Columns:
            ``mean``, ``sd``, the ends of the interval, ``mcse``, ``ess`` and ``exact``,
            whether the figure is: then ``mcse`` is 0. ``nan`` stands where a number has
            no meaning. The table has the attributes of the result.

        Examples
        --------
        >>> import bayesbridge as bb
        >>> table = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).summary("T")
        >>> row = table.loc["T if they hold"]
        >>> f"{row['mean']:.2f}, exact: {row['exact']}"
        '10.23, exact: True'
        """
        answer = self.answer
        if names is None:
            names = list(answer.numbers)
        elif isinstance(names, str):
            names = [names]
        table = summary_table(answer, names, probability, kind)
        table.attrs = dict(self.attrs)
        return table

    def at_least(self, name: str = "T") -> xarray.DataArray:
        """P(at least so many) for 7 to 13 ``tricks``, of an output that counts tricks.

        What stands for failing, as T = 0 where the conditions fail, reaches no number.
        These are chances of contracts only for an output that estimates tricks at the
        table.

        Parameters
        ----------
        name : str
            The output.

        Returns
        -------
        xarray.DataArray
            With the dimension ``tricks`` after those of the output.

        Examples
        --------
        >>> import bayesbridge as bb
        >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
        >>> round(result.at_least().sel(tricks=9).item(), 3)
        0.713
        """
        number = self.answer.number(name)
        shares_by_cell = []
        for labels in number.cells:
            chance_by_tricks = number.tricks(**labels).goals
            shares_by_cell.append(list(chance_by_tricks.values()))
        shares = np.array(shares_by_cell)
        coords: dict[str, Any] = {**number.labels, "tricks": list(GOALS)}
        shape = [len(labels) for labels in coords.values()]
        return xarray.DataArray(shares.reshape(shape), coords, list(coords), name=name)

    def tricks(self, name: str = "T", **where: Any) -> Distribution:
        """The distribution of an output that counts tricks; others are refused.

        Parameters
        ----------
        name : str
            The output.
        **where
            Labels that pick one of several numbers, such as ``strain="NT"``.

        Returns
        -------
        Distribution
        """
        return self.answer.number(name).tricks(**where)

    def _repr_html_(self) -> str:
        """Hands, honours, every distribution, and how exact they are.

        Of a part of a result the tree.
        """
        if any(name not in self.children for name in (*GROUPS, "marginals")):
            return str(super()._repr_html_())  # type: ignore[no-untyped-call]
        constants = self["constant_data"].to_dataset()
        marginals = self["marginals"].to_dataset()
        dummy = str(constants["dummy"].values)
        roles = {dummy: "dummy"} if dummy else {}
        roles[str(constants["observer"].values)] = "observer"
        contract = markup.call(str(constants["contract"].values))
        groups = ", ".join(sorted(self.children))
        return markup.piece(
            position_html(dict(marginals.data_vars), roles, contract),
            *(table.html() for table in self.answer.tables),
            markup.sentence(" ".join(self._accuracy())),
            markup.sentence(f"A tree for ArviZ with the groups {groups}."),
        )

    def _accuracy(self) -> list[str]:
        """How exact the numbers are that are shown, in sentences."""
        marginals = self["marginals"].to_dataset()
        tables = {"card": "cards and lengths", "point": "points"}
        sampled = [
            words
            for name, words in tables.items()
            if not marginals[f"{name}_probabilities"].attrs["exact"]
        ]
        sampled += [number.name for number in self.answer.shown if not number.exact]
        sentences = accuracy_sentences({**self.attrs, "exact": not sampled})
        if sampled:
            sentences.append(f"Sampled: {', '.join(sampled)}.")
        return sentences


class Rows(markup.Displayable, xarray.Dataset):  # type: ignore[no-untyped-call]
    """Rows of an answer, which notebooks show as tables.

    What :func:`bayesbridge.contracts` and :func:`bayesbridge.value_of_information`
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
    """Run estimators over a posterior.

    An estimator that fails is left out with a warning that names it, unless none is
    left. A name that is not built in imports all installed plugins.

    Parameters
    ----------
    posterior : Posterior
        What an observer believes.
    estimators : str, Estimator or sequence of them, optional
        By name or as objects; by default ``capture``, beside a contract ``tricks``.
    pair : str or pair of Seat, optional
        The two seats that play together, such as ``"S:N"``; the observer and the dummy
        by default.
    trump : Suit, Strain or str, optional
        The strain; by default that of the auction.
    trick : Trick, optional
        The trick so far, for estimators that judge the next card.
    contract : Contract or str, optional
        Such as ``"4SX"``: asks whether it makes. The result then has a group
        ``contract``, from ``tricks`` and, where ``solved`` is installed, corrected by
        solved layouts. It tells the pair and the trumps.
    by : Seat or str, optional
        Who declares the contract.
    actual : bool
        Whether what real declarers take is asked for, in place of double dummy.
    rng : int, Generator or None
        What resampling and solving start from.
    **limits
        ``solve`` layouts are solved, or until P(make) has an ``error`` of 0.02;
        ``seconds`` on one core are the most for that, 10 by default, and for estimators
        that take long: they get fewer layouts.

    Returns
    -------
    Result

    Raises
    ------
    PluginError
        If a name is unknown, or every estimator fails.
    BayesBridgeError
        If arguments contradict each other.

    Examples
    --------
    >>> from bayesbridge import Belief
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
    >>> result = estimate(posterior, "capture", pair="S:N")
    >>> result.attrs["method"], round(result["pmf"]["T"].sel(T_value=10).item(), 4)
    ('convolution', 0.2977)
    """
    budget = Budget(posterior.asked[1], **limits)
    question = contract_question(
        posterior.belief,
        contract,
        by,
        actual,
        pair=pair,
        trump=trump,
        solve=budget.solve,
    )
    random = generator(rng)
    evaluation = answer_question(
        posterior,
        estimators_for(estimators, question),
        question,
        pair=pair,
        trump=trump,
        trick=trick,
        budget=budget,
        rng=random,
    )
    for name, failure in evaluation.failures.items():
        if not evaluation.numbers:
            raise failure
        warnings.warn(f"left out {name!r}: {failure}", stacklevel=2)
    return to_datatree(evaluation, random)


def to_datatree(
    evaluation: Evaluation, rng: Seed = 0, *, marginals: bool = True
) -> Result:
    """An evaluation as a result; ``rng`` resamples weighted draws.

    Without ``marginals`` it has the outputs alone.
    """
    groups = tree_groups(evaluation, rng, marginals=marginals)
    result = Result.from_dict(groups)
    result._answer = Answer.of(evaluation)
    return result


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
    [0.133, 0.092]
    """
    trees = list(results.values())
    if not trees:
        raise BayesBridgeError("no results to put together: give at least one")
    outputs_of_first = set(trees[0]["posterior"].data_vars)
    for label, tree in results.items():
        different = outputs_of_first ^ set(tree["posterior"].data_vars)
        if different:
            raise BayesBridgeError(
                f"result {label!r} has other outputs than the first: "
                f"{', '.join(sorted(map(str, different)))} is in one of them alone"
            )
    labels = pandas.Index(list(results), name=dim)
    groups = {}
    # Groups that all results have; the options say what becomes of missing labels.
    for name, joining in CONCATENATED.items():
        if all(name in tree.children for tree in trees):
            groups[name] = xarray.concat(
                [tree[name].to_dataset() for tree in trees],
                dim=labels,
                data_vars="all",
                combine_attrs="drop_conflicts",
                **joining,
            )
    groups["posterior"] = groups["posterior"].transpose("chain", "draw", ...)
    return xarray.DataTree.from_dict(groups)
