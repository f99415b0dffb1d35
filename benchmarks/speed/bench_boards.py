"""What `bayesbridge score` takes for a board, and what its draws are worth.

    python benchmarks/speed/bench_boards.py [--json | --write]

Uniform draws that are weighed stand beside it. Boards are dealt at random and bid by
the learned bidder, so anybody can repeat it; those that are passed out are left out.
The opening leader looks at them after the auction. One core, warmed up, processor time;
no speed is asserted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from page import Cell, Table, run
from timing import once

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Deal
from bayesbridge.notation.record import Record
from bayesbridge.studies.benchmark import score_reader, view_of_chair
from bayesbridge.studies.deals import deal_blocks
from bayesbridge.studies.readers import DRAWS, reader_of, usable

BOARDS = 40


def boards() -> list[Record]:
    """Boards that somebody leads to."""
    records: list[Record] = []
    for number, masks in enumerate(next(deal_blocks(2 * BOARDS, 1)).tolist()):
        north, east, south, west = map(Hand, masks)
        deal = Deal((north, east, south, west))
        auction = simulate_auction(deal, LearnedBidder(), "N", None, rng=number)
        record = Record(hands=deal.hands, auction=auction)
        if usable(record) is None:
            records.append(record)
    return records[:BOARDS]


def timed_worth(
    beliefs: list[Belief], worth_of: Callable[[Belief], float]
) -> tuple[float, list[float]]:
    """Seconds a board that finding the worth of draws takes, and the worth of each."""
    worth_of(beliefs[0].given())  # warms up
    worth: list[float] = []
    seconds = once(lambda: worth.extend(worth_of(belief.given()) for belief in beliefs))
    return seconds / len(beliefs), worth


def uniform_worth(belief: Belief) -> float:
    """The effective number of uniform draws, weighed.

    The engine ``likelihood-weighting`` refuses the boards where it is too small.
    """
    logs = belief.target.soft.of_layouts(belief.target.sampler.draw(DRAWS, 1))
    weights = np.exp(logs - logs.max())
    return float(weights.sum() ** 2 / np.square(weights).sum())


def inferred_worth(belief: Belief) -> float:
    """The effective number of draws of ``auto``."""
    return belief.infer("auto", DRAWS, 1).ess


def seconds_of_score(records: list[Record]) -> float:
    """Seconds a board that the whole of ``bayesbridge score`` takes."""
    reader = reader_of("learned+learned")
    score_reader(reader, records[0], view_of_chair(records[0], "leader", 0))
    seconds = once(
        lambda: [
            score_reader(reader, record, view_of_chair(record, "leader", 0))
            for record in records
        ]
    )
    return seconds / len(records)


def seconds_of_calls(beliefs: list[Belief]) -> float:
    """Seconds a board that P(calls | hands) of so many layouts takes."""
    drawn = [belief.target.sampler.draw(DRAWS, 2) for belief in beliefs]
    seconds = once(
        lambda: [
            belief.target.soft.of_layouts(layouts)
            for belief, layouts in zip(beliefs, drawn, strict=True)
        ]
    )
    return seconds / len(beliefs)


def boards_of_a_leader() -> Table:
    """Time and worth of the whole score, of its draws, and of uniform draws.

    Then the time of P(calls | hands) of as many layouts.
    """
    records = boards()
    beliefs = [
        Belief.of_record(record, record.leader, cards=0)
        for record in records
        if record.leader
    ]
    uniform_seconds, uniform_ess = timed_worth(beliefs, uniform_worth)
    draw_seconds, draw_ess = timed_worth(beliefs, inferred_worth)
    score_seconds = seconds_of_score(records)
    uniform_rate = float(np.mean(uniform_ess)) / uniform_seconds
    rows: list[tuple[Cell, ...]] = [
        row_of("`bayesbridge score`, all of it", score_seconds, draw_ess, uniform_rate),
        row_of("its draws alone, `auto`", draw_seconds, draw_ess, uniform_rate),
        row_of("uniform draws, weighed", uniform_seconds, uniform_ess, uniform_rate),
    ]
    calls = f"P(calls ∣ hands) of {DRAWS} layouts"
    rows.append((calls, seconds_of_calls(beliefs), None, None, None, None))
    return Table(
        "boards",
        f"{BOARDS} boards, {DRAWS} draws each; effective draws on the middle board, "
        "and on the worst but a tenth",
        (
            "a board",
            "seconds",
            "effective draws",
            "of the worst tenth",
            "effective draws a second",
            "ratio",
        ),
        rows,
    )


def row_of(
    name: str, seconds: float, ess: list[float], uniform_rate: float
) -> tuple[Cell, ...]:
    """A way to draw: its seconds a board, and what its draws are worth."""
    rate = float(np.mean(ess)) / seconds
    middle = float(np.median(ess))
    worst_tenth = float(np.quantile(ess, 0.1))
    return (name, seconds, middle, worst_tenth, rate, rate / uniform_rate)


if __name__ == "__main__":
    run(__doc__, boards_of_a_leader)
