"""Opponent modelling: what the calls of the others tell the bidder about the contract.

For each contract of the headline study the chance of making it is the share of DRAWS
layouts in which the play-out makes it, drawn without and with the calls, and with the
dummy closed and open. A bid tells the level and a pass bounds it: layouts that would
have been called otherwise are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod, sqrt
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.study import Comparison, Study, cells

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


type Ranges = tuple[
    NDArray[np.int8], NDArray[np.int8]
]  # (m, 2) least and greatest levels of two players

DRAWS: Final = 64
PATIENCE: Final = (
    4096  # redraws of a layout until it fits the calls, before the contract is left out
)
STAGES: Final = ("closed dummy", "open dummy")
SHAPES: Final = {"deals": (3,), "joint": (2, DRAWS + 1, DRAWS + 1, 2), "points": (2, 3)}
"""Deals, contracts, contracts left out; contracts by stage, winning layouts without
calls, winning layouts with calls and whether made; by stage net points without calls,
with calls, and the squared gain.
"""


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """What ``SHAPES`` lists, flat."""
    import numpy as np

    from bayesbridge.game.scoring import NEW
    from bayesbridge.runtime.random64 import seed_state
    from bayesbridge.studies.deals import deal_blocks, find_contracts
    from bayesbridge.studies.headline import net_points

    counts = np.zeros(sum(map(prod, SHAPES.values())), dtype=np.int64)
    views = cells(counts, SHAPES)
    dealing, guessing = seed.spawn(2)
    state = seed_state(guessing)
    # (8, 14) net points by level bid (0: pass) and tricks taken, by the new scheme.
    net = np.array(
        [
            [0] * 14,
            *(
                [int(net_points(NEW, level, t)) for t in range(14)]
                for level in range(1, 8)
            ),
        ]
    )
    for found in map(find_contracts, deal_blocks(deals, dealing)):
        actual = found.tricks()
        made = actual >= found.target
        levels = heard(found.levels, found.bidder)
        tricks = [predict(state, found.table, levels, stage) for stage in range(2)]
        good = (tricks[0] >= 0).all(axis=(1, 2)) & (tricks[1] >= 0).all(axis=(1, 2))
        views["deals"] += (0, len(good), len(good) - int(good.sum()))
        for stage in range(2):
            wins = (tricks[stage] >= found.target[:, None, None]).sum(axis=2)[good]
            np.add.at(
                views["joint"][stage],
                (wins[:, 0], wins[:, 1], made[good].astype(int)),
                1,
            )
            # (m, 2) the level that earns most over the layouts, without and with calls; the lowest on ties.
            bid = net[:, np.clip(tricks[stage], 0, 13)].sum(axis=3).argmax(axis=0)
            points = net[bid, actual[:, None]][good]
            gain = points[:, 1] - points[:, 0]
            views["points"][stage] += (*points.sum(axis=0), (gain**2).sum())
    counts[0] = deals
    return counts


def heard(levels: NDArray[np.int8], bidder: NDArray[np.int8]) -> Ranges:
    """What the calls tell of the two other players, in the order of the table;
    ``levels``: (m, 3) as they speak.
    """
    import numpy as np

    highest = np.zeros(len(levels), dtype=np.int8)
    low, high = np.zeros_like(levels), np.zeros_like(levels)
    for player in range(3):
        bids = levels[:, player] > highest
        low[:, player] = np.where(bids, levels[:, player], 0)
        highest = np.where(bids, levels[:, player], highest)
        high[:, player] = highest
    others = (bidder[:, None] + np.array([1, 2])) % 3
    return np.take_along_axis(low, others, axis=1), np.take_along_axis(
        high, others, axis=1
    )


def predict(
    state: NDArray[np.uint64],
    table: NDArray[np.uint64],
    levels: Ranges,
    stage: int,
    draws: int = DRAWS,
) -> NDArray[np.int8]:
    """(m, 2, draws) tricks of the bidder's side in layouts without and with the calls,
    −1 where none fits in time.
    """
    import numpy as np

    from bayesbridge.capture.kernels import bids
    from bayesbridge.capture.playout import NO_TRUMP, play_out
    from bayesbridge.studies.deals import redeal

    hidden = np.array([1, 3] if stage else [1, 2, 3])
    layouts = np.repeat(table, draws, axis=0)
    least, most = (np.repeat(end, draws, axis=0) for end in levels)
    redeal(state, layouts, hidden)
    tricks = np.empty((2, len(layouts)), dtype=np.int8)
    tricks[0] = play_out(layouts, NO_TRUMP, 0, 0)

    def unfit(some: NDArray[np.intp]) -> NDArray[np.intp]:
        own = np.stack(
            [bids(layouts[some, 1]).level, bids(layouts[some, 3]).level], axis=1
        )
        return some[((own < least[some]) | (own > most[some])).any(axis=1)]

    wrong = unfit(np.arange(len(layouts)))
    for _ in range(PATIENCE):
        if not len(wrong):
            break
        again = layouts[wrong]
        redeal(state, again, hidden)
        layouts[wrong] = again
        wrong = unfit(wrong)
    tricks[1] = play_out(layouts, NO_TRUMP, 0, 0)
    tricks[1, wrong] = -1
    return np.moveaxis(tricks.reshape(2, len(table), draws), 0, 1)


def fields(done: Run) -> dict[str, Any]:
    """How good the predictions of a run are; a tenth of the deals have a contract."""
    views = cells(done.counts, SHAPES)
    n = int(views["joint"][0].sum())
    losses = _losses()
    stages, falls = (
        {},
        losses[:, None] - losses,
    )  # by winning layouts without and with the calls, in nats a contract
    for name, joint, (without, total, squares) in zip(
        STAGES, views["joint"], views["points"].tolist(), strict=True
    ):
        if not n:
            break
        gain = (total - without) / n
        fall = float((falls * joint).sum() / n)
        stages[name] = {
            "without calls": _quality(joint.sum(axis=1)) | {"points": without / n},
            "with calls": _quality(joint.sum(axis=0)) | {"points": total / n},
            "log_loss_gain": {
                "mean": fall,
                "standard_error": sqrt(((falls - fall) ** 2 * joint).sum()) / n,
            },
            "points_gain": {
                "mean": gain,
                "standard_error": sqrt(max(0.0, squares / n - gain**2) / n),
            },
        }
    title = "Opponent modelling: the chance of making the contract, without and with the calls"
    return {
        "title": title,
        "unit": "means per contract",
        "answers": {"draws": DRAWS, "stages": stages},
    }


def _named(counts: Counts) -> dict[str, int]:
    views = cells(counts, SHAPES)
    named = dict(
        zip(("deals", "contracts", "left_out"), views["deals"].tolist(), strict=True)
    )
    named["made"] = int(views["joint"][0, ..., 1].sum())
    for name, points in zip(("closed", "open"), views["points"].tolist(), strict=True):
        named |= {
            f"{name}_points_without_calls": points[0],
            f"{name}_points_with_calls": points[1],
        }
    return named


def _losses() -> NDArray[np.float64]:
    """(DRAWS + 1, 2) −log P of not making and of making; P(make) from w of DRAWS
    layouts is never 0 or 1 (Jeffreys).
    """
    import numpy as np

    chance = (np.arange(DRAWS + 1) + 0.5) / (DRAWS + 1)
    return -np.log(np.stack([1 - chance, chance], axis=1))


def _quality(table: NDArray[np.int64]) -> dict[str, Any]:
    """How good predictions are: (DRAWS + 1, 2) contracts by winning layouts and whether
    they were made.
    """
    import numpy as np

    from bayesbridge.studies.benchmark import calibration_error, curve

    losses = _losses()
    n, chance, told = table.sum(), np.exp(-losses[:, 1]), table.sum(axis=1)
    place = np.minimum(9, 10 * np.arange(DRAWS + 1) // DRAWS)
    bins = curve(
        *(np.bincount(place, sums, 10) for sums in (told, told * chance, table[:, 1]))
    )
    return {
        "log_loss": float((table * losses).sum() / n),
        "brier": float(
            (table * np.stack([chance**2, (1 - chance) ** 2], axis=1)).sum() / n
        ),
        "calibration_error": calibration_error(bins),
        "calibration": [[one.cards, one.predicted, one.observed] for one in bins],
    }


def tables(found: Comparison) -> Iterator[Table]:
    rows = []
    for stage, answer in found.answers["stages"].items():
        for which in ("without calls", "with calls"):
            quality = answer[which]
            figures = (
                quality["log_loss"],
                quality["brier"],
                quality["calibration_error"],
            )
            rows.append(
                [
                    f"{stage}, {which}",
                    *(number(value, 4) for value in figures),
                    number(quality["points"], 2),
                ]
            )
        gains = [
            f"{gain['mean']:+.4f} ± {gain['standard_error']:.4f}"
            for gain in (answer["log_loss_gain"], answer["points_gain"])
        ]
        rows.append([f"{stage}, gain by the calls", gains[0], "", "", gains[1]])
    yield Table(
        f"{found.title}, {found.unit}",
        ["", "log loss (nats)", "Brier score", "calibration error", "points"],
        rows,
    )


STUDY: Final = Study(
    Job("opponents", count, chunk=1 << 12, parameters={"draws": DRAWS}),
    "what the calls of the others tell",
    50_000,
    _named,
    fields,
    tables=tables,
)
simulate: Final = STUDY.simulate
