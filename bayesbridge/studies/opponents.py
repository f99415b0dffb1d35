"""Opponent modelling: what the calls of the others tell the bidder about the contract.

For each contract of the headline study the chance of making it is the share of DRAWS
layouts in which the play-out makes it, drawn without and with the calls, and with the
dummy closed and open. A bid tells the level and a pass bounds it: layouts that would
have been called otherwise are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.study import Comparison, Study, cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


type Ranges = tuple[NDArray[np.int8], NDArray[np.int8]]
"""(m, 2) least and greatest levels of two players."""

DRAWS: Final = 64
PATIENCE: Final = 4096
"""Redraws of a layout until it fits the calls, before the contract is left out."""
STAGES: Final = ("closed dummy", "open dummy")
"""When the bidder's side predicts: before dummy lays its cards open, and after."""

SHAPES: Final = {
    # random deals; contracts on them; contracts left out, for which no layout that
    # fits the calls was drawn in time
    "deals": (1,),
    "contracts": (1,),
    "left_out": (1,),
    # contracts by stage, by how many of DRAWS layouts make them without knowing the
    # calls, by the same knowing them, and by whether they were made
    "joint": (len(STAGES), DRAWS + 1, DRAWS + 1, 2),
    # by stage the sums of :class:`PointSums`
    "points": (len(STAGES), 3),
}
"""What :func:`count` counts: tables by name, one after the other in a flat array."""


class PointSums(NamedTuple):
    """Net points of bidding by predictions, summed over contracts."""

    without_calls: int
    with_calls: int
    squared_gain: int  # of the squares of what the calls gain


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count how predictions of contracts come true: the tables of ``SHAPES``, flat.

    A contract is a deal that one of three players bids. Its tricks are predicted on
    random layouts, in each of the two stages, without and with what the calls tell.
    """
    import numpy as np

    from bayesbridge.runtime.random64 import seed_state
    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(sum(map(prod, SHAPES.values())), dtype=np.int64)
    # Arrays that share the memory of ``counts``, by the names of ``SHAPES``.
    views = cells(counts, SHAPES)
    views["deals"] += deals
    dealing_seed, guessing_seed = seed.spawn(2)
    state = seed_state(guessing_seed)
    net_points = _net_points()
    for block in deal_blocks(deals, dealing_seed):
        contracts = find_contracts(block)
        levels_heard = heard(contracts.levels, contracts.bidder)
        predicted_by_stage = [
            predict(state, contracts.table, levels_heard, stage)
            for stage in range(len(STAGES))
        ]
        # Negative tricks: no layout that fits the calls was drawn in time.
        is_predicted = np.ones(len(contracts.table), dtype=bool)
        for predicted in predicted_by_stage:
            is_predicted &= (predicted >= 0).all(axis=(1, 2))
        views["contracts"] += len(is_predicted)
        views["left_out"] += np.count_nonzero(~is_predicted)
        actual = contracts.tricks()[is_predicted]
        target = contracts.target[is_predicted]
        for stage, predicted in enumerate(predicted_by_stage):
            kept = predicted[is_predicted]
            _add_chances(views["joint"][stage], kept, actual, target)
            views["points"][stage] += _sum_points(net_points, kept, actual)
    return counts


def _net_points() -> NDArray[np.int64]:
    """(8, 14) net points by level bid (0: pass) and tricks taken, by the new scheme."""
    import numpy as np

    from bayesbridge.game.scoring import NEW
    from bayesbridge.studies.headline import net_points

    net = np.zeros((8, 14), dtype=np.int64)
    for level in range(1, 8):
        net[level] = [int(net_points(NEW, level, tricks)) for tricks in range(14)]
    return net


def _add_chances(
    joint: NDArray[np.int64],
    predicted: NDArray[np.int8],
    actual: NDArray[np.int8],
    target: NDArray[np.int8],
) -> None:
    """Add m contracts to ``joint``, (DRAWS + 1, DRAWS + 1, 2).

    Its axes are how many layouts make the contract without knowing the calls, how many
    knowing them, and whether it was made. ``predicted`` (m, 2, DRAWS) are the tricks on
    layouts without and with the calls; ``actual`` and ``target`` (m,) those that were
    taken and those needed.
    """
    import numpy as np

    winning_layouts = (predicted >= target[:, None, None]).sum(axis=2)
    without_calls = winning_layouts[:, 0]
    with_calls = winning_layouts[:, 1]
    made = (actual >= target).astype(int)
    np.add.at(joint, (without_calls, with_calls, made), 1)


def _sum_points(
    net_points: NDArray[np.int64], predicted: NDArray[np.int8], actual: NDArray[np.int8]
) -> PointSums:
    """Points on m contracts if the level were bid that earns most over the layouts.

    ``net_points`` (8, 14) are by level (0: pass) and tricks, ``predicted`` (m, 2,
    DRAWS) the tricks on layouts without and with the calls, ``actual`` (m,) those that
    were taken. On ties the lowest level is bid.
    """
    import numpy as np

    tricks = np.clip(predicted, 0, 13)
    points_over_layouts = net_points[:, tricks].sum(axis=3)  # (levels, m, 2)
    best_level = points_over_layouts.argmax(axis=0)  # (m, 2)
    points = net_points[best_level, actual[:, None]]
    without_calls = points[:, 0]
    with_calls = points[:, 1]
    squared_gain = (with_calls - without_calls) ** 2
    return PointSums(
        without_calls=int(without_calls.sum()),
        with_calls=int(with_calls.sum()),
        squared_gain=int(squared_gain.sum()),
    )


def heard(levels: NDArray[np.int8], bidder: NDArray[np.int8]) -> Ranges:
    """What the calls of m contracts tell of the levels of the two other players.

    A player bids their level if it outranks the last bid, which tells the level; a pass
    tells that it is no higher than the last bid.

    Parameters
    ----------
    levels : array, shape (m, 3)
        What each player could bid, in the order of speaking.
    bidder : array, shape (m,)
        Which of them bids the contract.

    Returns
    -------
    least, greatest : array, shape (m, 2)
        Bounds for the player after the bidder, and for the next one.
    """
    import numpy as np

    last_bid = np.zeros(len(levels), dtype=np.int8)
    least = np.zeros_like(levels)
    greatest = np.zeros_like(levels)
    for player in range(3):
        level = levels[:, player]
        outranks = level > last_bid
        least[:, player] = np.where(outranks, level, 0)
        last_bid = np.where(outranks, level, last_bid)
        greatest[:, player] = last_bid
    others = (bidder[:, None] + np.array([1, 2])) % 3
    return (
        np.take_along_axis(least, others, axis=1),
        np.take_along_axis(greatest, others, axis=1),
    )


def predict(
    state: NDArray[np.uint64],
    table: NDArray[np.uint64],
    levels: Ranges,
    stage: int,
    draws: int = DRAWS,
) -> NDArray[np.int8]:
    """Tricks of the bidder's side in layouts drawn without and with the calls.

    Parameters
    ----------
    state : array
        That of the random numbers.
    table : array, shape (m, 4)
        Masks of bidder, next player, dummy and the player after.
    levels : tuple of array, shape (m, 2)
        Least and greatest levels of the two other players, as :func:`heard` gives them.
    stage : int
        The place in ``STAGES``: whether dummy is open.
    draws : int
        Layouts of each contract.

    Returns
    -------
    array, shape (m, 2, draws)
        Without and with the calls; −1 where no layout fits them in time.
    """
    import numpy as np

    from bayesbridge.capture.playout import GENERAL, NO_TRUMP, play_out
    from bayesbridge.studies.deals import redeal

    is_open = STAGES[stage] == "open dummy"
    hidden = np.array([1, 3] if is_open else [1, 2, 3])
    layouts = np.repeat(table, draws, axis=0)  # (m · draws, 4)
    redeal(state, layouts, hidden)
    without_calls = play_out(layouts, NO_TRUMP, GENERAL, GENERAL)
    ranges = (np.repeat(levels[0], draws, axis=0), np.repeat(levels[1], draws, axis=0))
    misfits = _redeal_until_fitting(state, layouts, hidden, ranges)
    with_calls = play_out(layouts, NO_TRUMP, GENERAL, GENERAL)
    with_calls[misfits] = -1
    tricks = np.stack([without_calls, with_calls]).reshape(2, len(table), draws)
    return np.moveaxis(tricks, 0, 1)


def _redeal_until_fitting(
    state: NDArray[np.uint64],
    layouts: NDArray[np.uint64],
    hidden: NDArray[np.int64],
    ranges: Ranges,
) -> NDArray[np.intp]:
    """Deal hidden seats of layouts anew, in place, until the others' levels fit.

    ``layouts`` (n, 4) are bidder, next player, dummy and the player after; ``ranges``
    are (n, 2) least and greatest levels of those two players. The answer has the
    indices of the layouts that did not fit after ``PATIENCE`` attempts.
    """
    import numpy as np

    from bayesbridge.studies.deals import redeal

    misfits = _misfits(layouts, np.arange(len(layouts)), ranges)
    for _ in range(PATIENCE):
        if not len(misfits):
            break
        redealt = layouts[misfits]
        redeal(state, redealt, hidden)
        layouts[misfits] = redealt
        misfits = _misfits(layouts, misfits, ranges)
    return misfits


def _misfits(
    layouts: NDArray[np.uint64], indices: NDArray[np.intp], ranges: Ranges
) -> NDArray[np.intp]:
    """Those of the layouts with these indices that would have been called otherwise."""
    import numpy as np

    from bayesbridge.capture.kernels import bids

    next_level = bids(layouts[indices, 1]).level
    last_level = bids(layouts[indices, 3]).level
    levels = np.stack([next_level, last_level], axis=1)
    least, greatest = ranges
    is_outside = (levels < least[indices]) | (levels > greatest[indices])
    return indices[is_outside.any(axis=1)]


def fields(finished_run: Run) -> dict[str, Any]:
    """How good the predictions of a run are, by stage, if any deal had a contract."""
    views = cells(finished_run.counts, SHAPES)
    stages = {}
    # Every stage predicts the same contracts: the first tells whether there are any.
    if views["joint"][0].any():
        for stage, name in enumerate(STAGES):
            points = PointSums(*views["points"][stage].tolist())
            stages[name] = _judge_stage(views["joint"][stage], points)
    return {
        "title": "Opponent modelling: the chance of making the contract, without and "
        "with the calls",
        "unit": "means per contract",
        "answers": {"draws": DRAWS, "stages": stages},
    }


def _judge_stage(joint: NDArray[np.int64], points: PointSums) -> dict[str, Any]:
    """How good predictions are without and with the calls, and what the calls gain.

    ``joint`` (DRAWS + 1, DRAWS + 1, 2): contracts by how many layouts make them without
    knowing the calls, how many knowing them, and whether they were made.
    """
    contracts = int(joint.sum())
    quality_without_calls = _quality(joint.sum(axis=1))
    quality_with_calls = _quality(joint.sum(axis=0))
    # What the calls take off the log loss of a contract, by the axes of ``joint``.
    losses = _log_losses()
    loss_gains = losses[:, None, :] - losses[None, :, :]
    mean_loss_gain = float((loss_gains * joint).sum() / contracts)
    squared_deviations = ((loss_gains - mean_loss_gain) ** 2 * joint).sum()
    loss_gain_error = sqrt(squared_deviations) / contracts
    points_gain = (points.with_calls - points.without_calls) / contracts
    mean_squared_gain = points.squared_gain / contracts
    gain_variance = max(0.0, mean_squared_gain - points_gain**2)
    return {
        "without calls": quality_without_calls
        | {"points": points.without_calls / contracts},
        "with calls": quality_with_calls | {"points": points.with_calls / contracts},
        "log_loss_gain": {"mean": mean_loss_gain, "standard_error": loss_gain_error},
        "points_gain": {
            "mean": points_gain,
            "standard_error": sqrt(gain_variance / contracts),
        },
    }


def _named(counts: Counts) -> dict[str, int]:
    """The counts of a run by the keys of its document."""
    views = cells(counts, SHAPES)
    # Every stage has the same contracts. The last axis says whether they were made.
    contracts_of_a_stage = views["joint"][0]
    named = {
        "deals": int(views["deals"][0]),
        "contracts": int(views["contracts"][0]),
        "left_out": int(views["left_out"][0]),
        "made": int(contracts_of_a_stage[..., 1].sum()),
    }
    for stage, name in enumerate(("closed", "open")):
        points = PointSums(*views["points"][stage].tolist())
        named[f"{name}_points_without_calls"] = points.without_calls
        named[f"{name}_points_with_calls"] = points.with_calls
    return named


def _log_losses() -> NDArray[np.float64]:
    """(DRAWS + 1, 2) −log of the predicted P(not make) and of P(make).

    From w = 0, …, DRAWS layouts that make the contract P(make) = (w + ½) / (DRAWS + 1)
    is predicted: by the prior of Jeffreys, so that it is never 0 or 1.
    """
    import numpy as np

    chance = (np.arange(DRAWS + 1) + 0.5) / (DRAWS + 1)
    return -np.log(np.stack([1 - chance, chance], axis=1))


def _quality(contracts: NDArray[np.int64]) -> dict[str, Any]:
    """How good predicted chances of making contracts are: losses and calibration.

    ``contracts`` (DRAWS + 1, 2): how many there are by the number of layouts that make
    them, from which the chance is predicted, and by whether they were made.
    """
    import numpy as np

    from bayesbridge.studies.benchmark import calibration_error, curve

    log_losses = _log_losses()
    chance = np.exp(-log_losses[:, 1])
    squared_losses = np.stack([chance**2, (1 - chance) ** 2], axis=1)
    total = contracts.sum()
    forecasts = contracts.sum(axis=1)
    made = contracts[:, 1]
    # Forecasts are put into ten bins by their chance; 1 belongs to the last.
    bin_of_forecast = np.minimum(9, 10 * np.arange(DRAWS + 1) // DRAWS)
    bins = curve(
        np.bincount(bin_of_forecast, forecasts, 10),
        np.bincount(bin_of_forecast, forecasts * chance, 10),
        np.bincount(bin_of_forecast, made, 10),
    )
    return {
        "log_loss": float((contracts * log_losses).sum() / total),
        "brier": float((contracts * squared_losses).sum() / total),
        "calibration_error": calibration_error(bins),
        "calibration": [[part.cards, part.predicted, part.observed] for part in bins],
    }


def tables(comparison: Comparison) -> Iterator[Table]:
    """One table: how good predictions are, and what the calls gain.

    By the stage of the play: with a closed dummy, and with an open one.
    """
    rows = []
    for stage, answer in comparison.answers["stages"].items():
        for knowledge in ("without calls", "with calls"):
            quality = _quality_cells(answer[knowledge])
            rows.append([f"{stage}, {knowledge}", *quality])
        log_loss = _gain_cell(answer["log_loss_gain"])
        points = _gain_cell(answer["points_gain"])
        rows.append([f"{stage}, gain by the calls", log_loss, "", "", points])
    yield Table(
        f"{comparison.title}, {comparison.unit}",
        ["", "log loss (nats)", "Brier score", "calibration error", "points"],
        rows,
    )


def _quality_cells(quality: Mapping[str, float]) -> list[str]:
    measures = ("log_loss", "brier", "calibration_error")
    cells_of_measures = [number(quality[name], 4) for name in measures]
    return [*cells_of_measures, number(quality["points"], 2)]


def _gain_cell(gain: Mapping[str, float]) -> str:
    return f"{gain['mean']:+.4f} ± {gain['standard_error']:.4f}"


STUDY: Final = Study(
    Job("opponents", count, chunk=1 << 12, parameters={"draws": DRAWS}),
    "what the calls of the others tell",
    50_000,
    _named,
    fields,
    tables=tables,
)
simulate: Final = STUDY.simulate
