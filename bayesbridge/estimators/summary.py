"""The summary of an answer: every quantity with its interval and its error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import Answer
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.draw_errors import EstimatedNumber
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


def quantities(number: Distribution, weights: Floats) -> Iterator[EstimatedNumber]:
    """The rows of the summary for one output, whose draws have these weights.

    One for each cell (number) of the output. A count of tricks has more: P(it cannot
    count), the tricks given that it can, and P(at least 7 … 13).
    """
    if number.counts_tricks:
        yield from _trick_quantities(number)
    for cell, label in enumerate(number.names):
        draws = number.drawn[:, cell]
        is_whole_number = len(number.values) > 0
        if is_whole_number:
            yield EstimatedNumber(
                label,
                values=number.values,
                chances=number.pmf[cell],
                exact=number.exact,
                draws=draws,
            )
        else:
            # A floating-point number has no other distribution than its draws.
            yield EstimatedNumber(
                label,
                values=draws,
                chances=weights,
                exact=number.exact,
                draws=draws,
                moments=(float(number.mean[cell]), float(number.sd[cell])),
            )


def _trick_quantities(number: Distribution) -> Iterator[EstimatedNumber]:
    """The rows that only a number of tricks has.

    Where a value stands for "cannot be counted" (as T = 0 where the conditions of
    Algorithm 2 fail): P(that), and the tricks given that they can be counted. Then
    P(at least so many tricks) for 7 to 13.
    """
    can_count = _draws_that_count(number)
    if number.count.undefined_value is not None:
        yield _event(
            label=_failing_label(number),
            chance=number.fails,
            happens=~can_count,
            exact=number.exact,
        )
        if number.holds:
            yield _tricks_if_counted(number, can_count)
    for goal, chance in number.goals.items():
        label = f"{number.name} ≥ {goal}"
        if number.is_contract_chance:
            label += f", {number.goal(goal)}"
        yield _event(
            label=label,
            chance=chance,
            happens=_share_reaching(number, goal, can_count),
            exact=number.exact,
        )


def _failing_label(number: Distribution) -> str:
    """What it is called when tricks cannot be counted, such as ``conditions fail``."""
    if number.output.title:
        return number.count.failing
    return f"{number.name}: {number.count.failing}"


def _tricks_if_counted(
    number: Distribution, can_count: NDArray[np.bool_]
) -> EstimatedNumber:
    """The number of tricks given that they can be counted, in the (n,) draws where so.

    Its distribution is that of all values, 0 for the one that stands for failing, over
    the probability that they can be counted.
    """
    chances = np.where(number.counted, number.shares, 0.0) / number.holds
    return EstimatedNumber(
        label=f"{number.name} if {number.count.holding}",
        values=number.values,
        chances=chances,
        exact=number.exact,
        draws=number.draws,
        given=can_count,
    )


def _draws_that_count(number: Distribution) -> NDArray[np.bool_]:
    """(n,) whether tricks can be counted in a layout.

    Always where each layout has a distribution.
    """
    if number.output.support is not None:
        return np.ones(len(number.draws), np.bool_)
    return np.asarray(number.draws != number.count.undefined_value)


def _share_reaching(
    number: Distribution, goal: int, can_count: NDArray[np.bool_]
) -> NDArray[Any]:
    """(n,) P(at least so many tricks) in each layout; 0 or 1 where it has one number."""
    if number.output.support is not None:
        return np.asarray(number.draws[:, number.values >= goal].sum(axis=-1))
    return np.asarray(can_count & (number.draws >= goal))


def _event(
    label: str, chance: float, happens: NDArray[Any], exact: bool
) -> EstimatedNumber:
    """A quantity that is 1 with this chance, else 0.

    ``happens`` (n,) says whether it is 1 in each draw, or how likely that is.
    """
    return EstimatedNumber(
        label,
        values=np.array([0, 1]),
        chances=np.array([1.0 - chance, chance]),
        exact=exact,
        draws=happens.astype(np.float64),
        event=True,
    )
