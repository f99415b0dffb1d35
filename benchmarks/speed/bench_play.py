"""What `bayesbridge play` takes for a card, and for a whole ending.

    python benchmarks/speed/bench_play.py [RECORDS] [--json | --write]

For a card: the posterior and 100 solved layouts; four last tricks are searched whole.
Boards are those of RECORDS, a PBN or LIN file with the cards played, or of
examples/boards.pbn, which learned models bid and played. Whoever leads to the next
trick chooses. One core for the posterior, all for the solver, processor time of all
together; no speed is asserted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from page import Table, run
from timing import once

from bayesbridge.belief.belief import Belief
from bayesbridge.decisions.play import believed, play, turn_of
from bayesbridge.engines.budget import USUAL
from bayesbridge.notation import Record, iter_records

BOARDS, ENDINGS, DRAWS = 25, 50, USUAL["play"].draws or 0
GIVEN = len(sys.argv) > 1 and not sys.argv[1].startswith("-")
RECORDS = (
    Path(sys.argv.pop(1))
    if GIVEN
    else Path(__file__).parents[2] / "examples" / "boards.pbn"
)


def moments(tricks: int) -> Iterator[Belief]:
    """What the leader to the next trick believes, declarer for dummy, after so many
    tricks of each board.
    """
    for record in iter_records(RECORDS):
        if (
            isinstance(record, Record)
            and record.contract
            and record.auction
            and len(record.plays) > 4 * tricks
        ):
            seat, declarer = record.plays[4 * tricks][0], record.contract.declarer
            yield Belief.of_record(
                record, declarer if seat == declarer.partner else seat, cards=4 * tricks
            )


def one_card() -> Table:
    """The posterior and all cards, from a belief that nothing was asked of."""
    rows: list[tuple[str | float | None, ...]] = []
    for tricks in (1, 2, 4, 6):
        spent = []
        for belief, _ in zip(moments(tricks), range(BOARDS + 1), strict=False):
            spent.append(
                once(
                    lambda belief=belief: play(
                        believed(belief, DRAWS, rng=1), solve=100, rng=1
                    )
                )
            )
        spent = spent[1:]  # the first one warms up
        rows.append(
            (f"after trick {tricks}", len(spent), float(np.median(spent)), max(spent))
        )
    spent = []
    for belief in moments(9):
        if not turn_of(belief).defends and len(spent) <= ENDINGS:
            posterior = believed(belief, DRAWS, rng=1)
            spent.append(once(lambda posterior=posterior: play(posterior, rng=1)))
    rows.append(
        (
            "four tricks of declarer, searched whole",
            len(spent[1:]),
            float(np.median(spent[1:])),
            max(spent[1:]),
        )
    )
    return Table(
        "play",
        "What to play: posterior, 100 layouts, all cards; and the last four tricks of declarer",
        ("moment", "boards", "seconds, median", "worst"),
        rows,
    )


if __name__ == "__main__":
    run(__doc__, one_card)
