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
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from page import Cell, Table, run
from timing import once

from bayesbridge.belief.belief import Belief
from bayesbridge.decisions.play import believed, play, turn_of
from bayesbridge.engines.budget import USUAL
from bayesbridge.notation import Record, iter_records

BOARDS = 25
ENDINGS = 50
DRAWS = USUAL["play"].draws or 0
GIVEN = len(sys.argv) > 1 and not sys.argv[1].startswith("-")
RECORDS = (
    Path(sys.argv.pop(1))
    if GIVEN
    else Path(__file__).parents[2] / "examples" / "boards.pbn"
)


def moments(tricks: int) -> Iterator[Belief]:
    """What the leader to the next trick believes, after so many tricks of each board.

    Declarer chooses for dummy.
    """
    plays = 4 * tricks
    for record in iter_records(RECORDS):
        if not isinstance(record, Record) or len(record.plays) <= plays:
            continue
        if record.contract and record.auction:
            declarer = record.contract.declarer
            seat, _ = record.plays[plays]
            chooser = declarer if seat == declarer.partner else seat
            yield Belief.of_record(record, chooser, cards=plays)


def one_card() -> Table:
    """The posterior and all cards, from a belief that nothing was asked of."""
    rows = []
    for tricks in (1, 2, 4, 6):
        beliefs = islice(moments(tricks), BOARDS + 1)
        spent = [once(partial(infer_and_play, belief)) for belief in beliefs]
        rows.append(row_of(f"after trick {tricks}", spent))
    endings = (belief for belief in moments(9) if not turn_of(belief).defends)
    spent = []
    for belief in islice(endings, ENDINGS + 1):
        posterior = believed(belief, DRAWS, rng=1)
        spent.append(once(partial(play, posterior, rng=1)))
    rows.append(row_of("four tricks of declarer, searched whole", spent))
    return Table(
        "play",
        "What to play: posterior, 100 layouts, all cards; and the last four tricks of declarer",
        ("moment", "boards", "seconds, median", "worst"),
        rows,
    )


def infer_and_play(belief: Belief) -> None:
    """The posterior, and 100 solved layouts."""
    play(believed(belief, DRAWS, rng=1), solve=100, rng=1)


def row_of(moment: str, spent: list[float]) -> tuple[Cell, ...]:
    """The seconds of a moment; the first board warmed up."""
    seconds = spent[1:]
    return (moment, len(seconds), float(np.median(seconds)), max(seconds))


if __name__ == "__main__":
    run(__doc__, one_card)
