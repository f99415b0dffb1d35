"""Opponent modelling: what the calls of the others tell the bidder about the contract.

For each contract of the headline study the chance of making it is the share of DRAWS
layouts in which the play-out makes it, drawn without and with the calls, and with the
dummy closed and open. A bid tells the level and a pass bounds it: layouts that would
have been called otherwise are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod, sqrt
from typing import TYPE_CHECKING, Any, Final

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
SHAPES: Final = {"deals": (3,), "joint": (2, DRAWS + 1, DRAWS + 1, 2), "points": (2, 3)}
"""Deals, contracts, contracts left out; contracts by stage, winning layouts without
calls, winning layouts with calls and whether made; by stage net points without calls,
with calls, and the squared gain.
"""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """What ``SHAPES`` lists, flat."""
    import numpy as np

    from bayesbridge.runtime.random64 import seed_state
    from bayesbridge.studies.deals import deal_blocks, find_contracts

    counts = np.zeros(sum(map(prod, SHAPES.values())), dtype=np.int64)
    views = cells(counts, SHAPES)
    dealing, guessing = seed.spawn(2)
    state = seed_state(guessing)
    net = _net_points()
    for block in deal_blocks(deals, dealing):
        contracts = find_contracts(block)
        levels = heard(contracts.levels, contracts.bidder)
        predicted = [
            predict(state, contracts.table, levels, stage)
            for stage in range(len(STAGES))
        ]
        fits = [(tricks >= 0).all(axis=(1, 2)) for tricks in predicted]
        kept = fits[0] & fits[1]
        left_out = len(kept) - int(kept.sum())
        views["deals"] += (0, len(kept), left_out)
        actual = contracts.tricks()[kept]
        target = contracts.target[kept]
        for stage, tricks in enumerate(predicted):
            _add_chances(views["joint"][stage], tricks[kept], actual, target)
            views["points"][stage] += _points(net, tricks[kept], actual)
    counts[0] = deals
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
    """Add contracts to ``joint`` (DRAWS + 1, DRAWS + 1, 2).

    By winning layouts without and with calls, and whether made; ``predicted`` (m, 2,
    DRAWS) tricks of layouts.
    """
    import numpy as np

    wins = (predicted >= target[:, None, None]).sum(axis=2)
    made = (actual >= target).astype(int)
    np.add.at(joint, (wins[:, 0], wins[:, 1], made), 1)


def _points(
    net: NDArray[np.int64], predicted: NDArray[np.int8], actual: NDArray[np.int8]
) -> tuple[int, int, int]:
    """Points without calls, with calls, and the squared gain.

    Of bidding the level that earns most over the layouts; the lowest on ties.
    """
    import numpy as np

    earned = net[:, np.clip(predicted, 0, 13)].sum(axis=3)  # (levels, m, 2)
    levels = earned.argmax(axis=0)
    points = net[levels, actual[:, None]]
    gain = points[:, 1] - points[:, 0]
    without, with_calls = points.sum(axis=0)
    return int(without), int(with_calls), int((gain**2).sum())


def heard(levels: NDArray[np.int8], bidder: NDArray[np.int8]) -> Ranges:
    """What the calls tell of the two other players, in the order of the table.

    ``levels`` (m, 3) of the players as they speak, ``bidder`` (m,) who of them bids.
    """
    import numpy as np

    highest = np.zeros(len(levels), dtype=np.int8)
    low = np.zeros_like(levels)
    high = np.zeros_like(levels)
    for player in range(3):
        bids = levels[:, player] > highest
        low[:, player] = np.where(bids, levels[:, player], 0)
        highest = np.where(bids, levels[:, player], highest)
        high[:, player] = highest
    other_speakers = (bidder[:, None] + np.array([1, 2])) % 3
    return (
        np.take_along_axis(low, other_speakers, axis=1),
        np.take_along_axis(high, other_speakers, axis=1),
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

    from bayesbridge.capture.kernels import bids
    from bayesbridge.capture.playout import NO_TRUMP, play_out
    from bayesbridge.studies.deals import redeal

    is_open = STAGES[stage] == "open dummy"
    hidden = np.array([1, 3] if is_open else [1, 2, 3])
    layouts = np.repeat(table, draws, axis=0)
    lowest, highest = [np.repeat(ends, draws, axis=0) for ends in levels]
    redeal(state, layouts, hidden)
    tricks = np.empty((2, len(layouts)), dtype=np.int8)
    tricks[0] = play_out(layouts, NO_TRUMP, 0, 0)

    def contradicting(places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of the layouts that would have been called otherwise."""
        next_level = bids(layouts[places, 1]).level
        last_level = bids(layouts[places, 3]).level
        own = np.stack([next_level, last_level], axis=1)
        outside = (own < lowest[places]) | (own > highest[places])
        return places[outside.any(axis=1)]

    wrong = contradicting(np.arange(len(layouts)))
    for _ in range(PATIENCE):
        if not len(wrong):
            break
        redealt = layouts[wrong]
        redeal(state, redealt, hidden)
        layouts[wrong] = redealt
        wrong = contradicting(wrong)
    tricks[1] = play_out(layouts, NO_TRUMP, 0, 0)
    tricks[1, wrong] = -1
    return np.moveaxis(tricks.reshape(2, len(table), draws), 0, 1)


def fields(done: Run) -> dict[str, Any]:
    """How good the predictions of a run are; a tenth of the deals have a contract."""
    views = cells(done.counts, SHAPES)
    stages = {}
    if views["joint"][0].any():
        for stage, name in enumerate(STAGES):
            points = views["points"][stage].tolist()
            stages[name] = _stage(views["joint"][stage], points)
    return {
        "title": "Opponent modelling: the chance of making the contract, without and "
        "with the calls",
        "unit": "means per contract",
        "answers": {"draws": DRAWS, "stages": stages},
    }


def _stage(joint: NDArray[np.int64], points: Sequence[int]) -> dict[str, Any]:
    """Predictions without and with the calls, and what the calls gain.

    ``points`` as ``SHAPES`` has them.
    """
    contracts = int(joint.sum())
    without, with_calls, squares = points
    quality_without = _quality(joint.sum(axis=1))
    quality_with = _quality(joint.sum(axis=0))
    # In nats a contract, by winning layouts without and with the calls, and by made.
    losses = _losses()
    falls = losses[:, None] - losses
    fall = float((falls * joint).sum() / contracts)
    fall_error = sqrt(((falls - fall) ** 2 * joint).sum()) / contracts
    gain = (with_calls - without) / contracts
    gain_variance = max(0.0, squares / contracts - gain**2)
    return {
        "without calls": quality_without | {"points": without / contracts},
        "with calls": quality_with | {"points": with_calls / contracts},
        "log_loss_gain": {"mean": fall, "standard_error": fall_error},
        "points_gain": {
            "mean": gain,
            "standard_error": sqrt(gain_variance / contracts),
        },
    }


def _named(counts: Counts) -> dict[str, int]:
    """The counts by the keys of the document."""
    views = cells(counts, SHAPES)
    deals, contracts, left_out = views["deals"].tolist()
    named = {
        "deals": deals,
        "contracts": contracts,
        "left_out": left_out,
        "made": int(views["joint"][0, ..., 1].sum()),
    }
    for stage, name in enumerate(("closed", "open")):
        without, with_calls, _ = views["points"][stage].tolist()
        named[f"{name}_points_without_calls"] = without
        named[f"{name}_points_with_calls"] = with_calls
    return named


def _losses() -> NDArray[np.float64]:
    """(DRAWS + 1, 2) −log P of not making and of making.

    P(make) from w of DRAWS layouts is never 0 or 1 (Jeffreys).
    """
    import numpy as np

    chance = (np.arange(DRAWS + 1) + 0.5) / (DRAWS + 1)
    return -np.log(np.stack([1 - chance, chance], axis=1))


def _quality(contracts: NDArray[np.int64]) -> dict[str, Any]:
    """How good predictions are.

    (DRAWS + 1, 2) contracts by winning layouts and whether they were made.
    """
    import numpy as np

    from bayesbridge.studies.benchmark import calibration_error, curve

    losses = _losses()
    chance = np.exp(-losses[:, 1])
    squares = np.stack([chance**2, (1 - chance) ** 2], axis=1)
    total = contracts.sum()
    predicted = contracts.sum(axis=1)
    tenth = np.minimum(9, 10 * np.arange(DRAWS + 1) // DRAWS)
    bins = curve(
        np.bincount(tenth, predicted, 10),
        np.bincount(tenth, predicted * chance, 10),
        np.bincount(tenth, contracts[:, 1], 10),
    )
    return {
        "log_loss": float((contracts * losses).sum() / total),
        "brier": float((contracts * squares).sum() / total),
        "calibration_error": calibration_error(bins),
        "calibration": [[part.cards, part.predicted, part.observed] for part in bins],
    }


def tables(comparison: Comparison) -> Iterator[Table]:
    """One table: how good predictions are, and what the calls gain."""
    rows = []
    for stage, answer in comparison.answers["stages"].items():
        for which in ("without calls", "with calls"):
            rows.append([f"{stage}, {which}", *_quality_cells(answer[which])])
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
