"""What `bayesbridge score` takes for a board, and what its draws are worth, beside
uniform draws that are weighed.

    python benchmarks/speed/bench_boards.py [--json | --write]

Boards are dealt at random and bid by the learned bidder, so anybody can repeat it;
those that are passed out are left out. The opening leader looks at them after the
auction. One core, warmed up, processor time; no speed is asserted.
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
    found: list[Record] = []
    for number, masks in enumerate(next(deal_blocks(2 * BOARDS, 1)).tolist()):
        north, east, south, west = map(Hand, masks)
        deal = Deal((north, east, south, west))
        auction = simulate_auction(deal, LearnedBidder(), "N", None, rng=number)
        record = Record(hands=deal.hands, auction=auction)
        if usable(record) is None:
            found.append(record)
    return found[:BOARDS]


def boards_of_a_leader() -> Table:
    """The whole score of each board; its draws alone; uniform draws; and P(calls |
    hand) of as many layouts.
    """
    records = boards()
    beliefs = [
        Belief.of_record(record, record.leader, cards=0)
        for record in records
        if record.leader
    ]

    def drawn(worth_of: Callable[[Belief], float]) -> tuple[float, list[float]]:
        worth_of(beliefs[0].given())
        worth: list[float] = []
        spent = once(
            lambda: worth.extend(worth_of(belief.given()) for belief in beliefs)
        )
        return spent / len(beliefs), worth

    def uniform(belief: Belief) -> float:
        """The worth of uniform draws; the engine ``likelihood-weighting`` refuses the
        boards where it is too small.
        """
        logs = belief.target.soft.of_layouts(belief.target.sampler.draw(DRAWS, 1))
        weights = np.exp(logs - logs.max())
        return float(weights.sum() ** 2 / np.square(weights).sum())

    rows: list[tuple[str | float | None, ...]] = []
    plain, few = drawn(uniform)
    tilted, worth = drawn(lambda belief: belief.infer("auto", DRAWS, 1).ess)
    reader = reader_of("learned+learned")
    score_reader(reader, records[0], view_of_chair(records[0], "leader", 0))
    whole = once(
        lambda: [
            score_reader(reader, record, view_of_chair(record, "leader", 0))
            for record in records
        ]
    ) / len(records)
    for name, seconds, ess in (
        ("`bayesbridge score`, all of it", whole, worth),
        ("its draws alone, `auto`", tilted, worth),
        ("uniform draws, weighed", plain, few),
    ):
        rate = np.mean(ess) / seconds
        rows.append(
            (
                name,
                seconds,
                float(np.median(ess)),
                float(np.quantile(ess, 0.1)),
                rate,
                rate * plain / np.mean(few),
            )
        )
    layouts = [belief.target.sampler.draw(DRAWS, 2) for belief in beliefs]
    asked = once(
        lambda: [
            belief.target.soft.of_layouts(some)
            for belief, some in zip(beliefs, layouts, strict=True)
        ]
    )
    rows.append(
        (
            f"P(calls ∣ hands) of {DRAWS} layouts",
            asked / len(beliefs),
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
