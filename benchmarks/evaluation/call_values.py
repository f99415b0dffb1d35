"""Does choosing calls by what they are worth gain what it promises?

    python benchmarks/evaluation/call_values.py --boards 300 --layouts 512 --resume kept

Random deals, each bid at three tables: everybody makes the likeliest call; North and
South choose by value; East and West do. A side's gain is IMPs a board over the first
table, double dummy (plugins/bayesbridge-double-dummy) or by the network (--network). A
promised gain is what the calls that were chosen by value said of themselves, added up.
Errors are those of boards. ``--guard 0`` chooses the best mean without a guard.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

import numpy as np
from instrument import Floats, options, setting, show, start

from bayesbridge.decisions.call_answer import GUARD
from bayesbridge.decisions.call_values import LAYOUTS
from bayesbridge.decisions.entrants import BidTable, Entrant
from bayesbridge.display.markup import Table
from bayesbridge.engines.weights import Estimate, with_errors
from bayesbridge.estimators.trick_estimates import layout_solver
from bayesbridge.studies.jobs import Job, rows
from bayesbridge.studies.match import (
    MatchBoard,
    bid_at,
    drawn_boards,
    gain_of_north_south,
    match_boards,
    mean_of_boards,
)

COLUMNS = (
    "gain of North and South",
    "gain of East and West",
    "promised to North and South",
    "promised to East and West",
    "choices",
    "departures",
)
GAINS = slice(0, 2)
PROMISES = slice(2, 4)
CHOICES = 4
DEPARTURES = 5


def judge_board(seed: np.random.SeedSequence, board: MatchBoard) -> list[float]:
    """One deal at three tables, by ``COLUMNS``."""
    expert, chooser = board.entrants
    seeds = seed.generate_state(2, np.uint64).tolist()
    usual = bid_at(board, (expert, expert), 0)
    north_south = bid_at(board, (chooser, expert), seeds[0])
    east_west = bid_at(board, (expert, chooser), seeds[1])
    gain = partial(gain_of_tables, board)
    choices = [*north_south.compared(0), *east_west.compared(1)]
    return [
        gain(north_south, usual),
        gain(usual, east_west),
        sum(choice.promised for choice in north_south.compared(0)),
        sum(choice.promised for choice in east_west.compared(1)),
        len(choices),
        sum(choice.departs for choice in choices),
    ]


def gain_of_tables(board: MatchBoard, table: BidTable, rival: BidTable) -> float:
    """IMPs that North and South of one table win over those of another."""
    return gain_of_north_south(board, table.auction.contract, rival.auction.contract)


def summary(values: Floats) -> dict[str, Estimate[float]]:
    """Gains of a side, of both together, and what was promised."""
    gains = values[:, GAINS]
    promises = values[:, PROMISES]
    return {
        "gain of a side": mean_of_boards(gains.mean(axis=1)),
        "promised to a side": mean_of_boards(promises.mean(axis=1)),
        "gain of North and South": mean_of_boards(gains[:, 0]),
        "gain of East and West": mean_of_boards(gains[:, 1]),
        "gain of both sides": mean_of_boards(gains.sum(axis=1)),
    }


def summary_table(values: Floats, title: str) -> Table:
    """A row for each gain, and how often another call than the likeliest was made."""
    lines = [
        [name, f"{estimate.mean:+.2f} ± {estimate.error:.2f}"]
        for name, estimate in summary(values).items()
    ]
    choices = int(values[:, CHOICES].sum())
    departures = int(values[:, DEPARTURES].sum())
    note = f"In {departures} of {choices} choices another call than the likeliest."
    return Table(title, ["", "IMPs a board"], lines, [note])


def parser() -> ArgumentParser:
    """What the instrument takes."""
    arguments = options(__doc__)
    arguments.add_argument("--boards", type=int, default=300)
    arguments.add_argument("--layouts", type=int, default=LAYOUTS)
    arguments.add_argument("--guard", type=float, default=GUARD, help="standard errors")
    arguments.add_argument("--network", action="store_true")
    return arguments


def judged(args: Namespace) -> Floats:
    """(boards, columns) of a run."""
    expert = Entrant.of("learned")
    chooser = Entrant("learned:value", expert.bidder, True, args.guard)
    solved = not args.network and layout_solver() is not None
    deals = drawn_boards(args.boards, np.random.SeedSequence(args.seed))
    boards = list(match_boards(deals, (expert, chooser), args.layouts, solved))
    job = Job.over(boards, judge_board, name="call values")
    return rows(job, len(boards), args.seed, setting(args))


def main() -> None:
    """Bid the boards, and print what choosing by value gains."""
    args = parser().parse_args()
    values = judged(args)
    title = (
        f"{len(values)} boards, {args.layouts} layouts, guard of {args.guard:g} errors"
    )
    document = {
        "boards": len(values),
        "layouts": args.layouts,
        "guard": args.guard,
        **with_errors(summary(values)),
    }
    show(args, document, [summary_table(values, title)])


if __name__ == "__main__":
    start(main)
