"""The summary of an answer: every quantity with its interval and its error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.draw_errors import Quantity
from bayesbridge.estimators.intervals import INTERVALS
from bayesbridge.game.layouts import Floats

if TYPE_CHECKING:
    import pandas


def summary_table(
    answer: Answer,
    names: Sequence[str],
    probability: float,
    kind: str,
) -> pandas.DataFrame:
    """A row for each quantity of these outputs, tricks first."""
    import pandas

    if not 0.0 < probability < 1.0:
        raise BayesBridgeError(
            f"an interval of probability {probability!r}: give a number between 0 and 1"
        )
    if kind not in INTERVALS:
        raise BayesBridgeError(
            f"an interval of kind {kind!r}: choose {' or '.join(INTERVALS)}", kind=kind
        )
    numbers = [answer.number(name) for name in names]
    numbers.sort(key=lambda number: not number.counts_tricks)
    rows: dict[str, list[Any]] = {}
    for number in numbers:
        for quantity in quantities(number, answer.kept.weights):
            rows[quantity.label] = [
                quantity.mean,
                quantity.sd,
                *quantity.interval(kind, probability),
                *answer.kept.error(quantity),
                quantity.exact,
            ]
    share = f"{kind}{100 * probability:g}"
    columns = ["mean", "sd", f"{share}_lb", f"{share}_ub", "mcse", "ess", "exact"]
    table = pandas.DataFrame.from_dict(rows, orient="index", columns=columns)
    table.index.name = "quantity"
    return table


def quantities(number: Distribution, weights: Floats) -> Iterator[Quantity]:
    """Every number of one output, whose draws have these weights.

    For tricks also the conditions and every goal.
    """
    if number.counts_tricks:
        yield from _trick_quantities(number)
    for cell, label in enumerate(number.names):
        draws = number.drawn[:, cell]
        if len(number.values):
            chances = number.pmf[cell]
            yield Quantity(label, number.values, chances, number.exact, draws)
        else:
            moments = (float(number.mean[cell]), float(number.sd[cell]))
            yield Quantity(label, draws, weights, number.exact, draws, moments=moments)


def _trick_quantities(number: Distribution) -> Iterator[Quantity]:
    """The conditions and the goals of tricks."""
    name = number.name
    count = number.count
    counted = _draws_that_count(number)
    if count.undefined_value is not None:
        failing = count.failing if number.output.title else f"{name}: {count.failing}"
        yield _event(failing, number.fails, ~counted, number.exact)
        if number.holds:
            yield Quantity(
                f"{name} if {count.holding}",
                number.values,
                np.where(number.counted, number.shares, 0.0) / number.holds,
                number.exact,
                number.draws,
                given=counted,
            )
    for goal, share in number.goals.items():
        makes = f", {number.goal(goal)}" if number.is_contract_chance else ""
        reached = _share_reaching(number, goal, counted)
        yield _event(f"{name} ≥ {goal}{makes}", share, reached, number.exact)


def _draws_that_count(number: Distribution) -> NDArray[np.bool_]:
    """(n,) whether tricks can be counted in a layout.

    Always where each layout has a distribution.
    """
    if number.output.support is not None:
        return np.ones(len(number.draws), np.bool_)
    return np.asarray(number.draws != number.count.undefined_value)


def _share_reaching(
    number: Distribution, goal: int, counted: NDArray[np.bool_]
) -> NDArray[Any]:
    """(n,) P(at least so many tricks) in each layout; 0 or 1 where it has one number."""
    if number.output.support is not None:
        return np.asarray(number.draws[:, number.values >= goal].sum(axis=-1))
    return np.asarray(counted & (number.draws >= goal))


def _event(label: str, share: float, happens: NDArray[Any], exact: bool) -> Quantity:
    """A quantity that is 0 or 1, with P(1) = ``share``."""
    return Quantity(
        label,
        values=np.array([0, 1]),
        chances=np.array([1.0 - share, share]),
        exact=exact,
        draws=happens.astype(np.float64),
        event=True,
    )
