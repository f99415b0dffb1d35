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
from page import Table, run
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
    rows: list[tuple[str | float | None, ...]] = []
    uniform_seconds, uniform_ess = timed_worth(beliefs, uniform_worth)
    draw_seconds, draw_ess = timed_worth(beliefs, inferred_worth)
    uniform_rate = np.mean(uniform_ess) / uniform_seconds
    for name, seconds, ess in (
        ("`bayesbridge score`, all of it", seconds_of_score(records), draw_ess),
        ("its draws alone, `auto`", draw_seconds, draw_ess),
        ("uniform draws, weighed", uniform_seconds, uniform_ess),
    ):
        rate = np.mean(ess) / seconds
        rows.append(
            (
                name,
                seconds,
                float(np.median(ess)),
                float(np.quantile(ess, 0.1)),
                rate,
                rate / uniform_rate,
            )
        )
    rows.append(
        (
            f"P(calls ∣ hands) of {DRAWS} layouts",
            seconds_of_calls(beliefs),
            None,
            None,
            None,
            None,
        )
    )
    return Table(
        "boards",
        f"{BOARDS} boards, {DRAWS} draws each; effective draws on the middle board, and on the worst but a tenth",
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


if __name__ == "__main__":
    run(__doc__, boards_of_a_leader)
