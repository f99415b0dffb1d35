"""Does one plan play better than double dummy? Tricks that declarer takes on real
boards by either, paired.

    python benchmarks/evaluation/horizon.py test.pbn -o horizon.jsonl --boards 300

Needs plugins/bayesbridge-double-dummy. Boards are those of the test list
(``bayesbridge.studies.benchmark``), on which nothing was fitted. After the first
tricks, as on record, declarer chooses by what the calls and cards tell: the card with
most tricks on average over ``--layouts`` layouts, by double dummy
(:func:`bayesbridge.play` with ``horizon=0``) or by one plan over the same layouts;
where one plan cannot tell double dummy's card from its own best (``close``), that card
is played. Defenders see the real deal and play it double dummy, of equal cards the
lowest. As long as both ways choose the same card there is one play; where they part,
each goes on alone.

One line per board is kept; a run that was interrupted continues where it stopped. The
figures are printed at the end, and of what is there with ``--boards 0``. Errors are
those of boards, which are independent.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from judge_play import boards

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import subsample
from bayesbridge.decisions.play import CardChoices, believed, card_solver, play, turn_of
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.layouts import Layouts
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import Trick
from bayesbridge.notation import Record

AFTER = 4
"""Tricks that are played as on record."""

DOUBLE_DUMMY, ONE_PLAN = "double dummy", "one plan"
WAYS = {DOUBLE_DUMMY: 0, ONE_PLAN: 13}
"""The horizon of each."""


def chosen(
    record: Record, ways: Sequence[str], layouts: int, seed: int, spent: list[float]
) -> dict[str, Card]:
    """Declarer's card after the plays of a record, by each of the ways."""
    assert record.contract is not None
    cards = len(record.plays)
    belief = Belief.of_record(record, record.contract.declarer, cards=cards)
    turn = turn_of(belief, record.contract)
    if len(turn.legal) == 1:
        return dict.fromkeys(ways, next(iter(turn.legal)))
    posterior = believed(belief, 500, seed + cards)
    some = (
        posterior
        if len(posterior) <= layouts
        else subsample(posterior, layouts, seed + cards, "the same for both")
    )
    best: dict[str, CardChoices] = {}
    for way, horizon in WAYS.items():
        began = time.process_time()
        if way in ways or not horizon:
            limits = {"solve": layouts, "seconds": 4.0}
            best[way] = play(
                some,
                record.contract,
                goal="tricks",
                horizon=horizon,
                rng=seed,
                **limits,
            )
        if horizon and way in ways and turn.tricks == 6:
            spent.append(time.process_time() - began)
    usual = best[DOUBLE_DUMMY].choices[0].cards[-1]
    return {
        way: usual if best[way].of(usual).close else best[way].choices[0].cards[-1]
        for way in ways
    }


def defended(record: Record, table: Table) -> Card:
    """The defender's card, double dummy on the real deal."""
    deal, contract = record.deal, record.contract
    assert deal is not None
    assert contract is not None
    assert table.turn is not None
    left = Hand(deal[table.turn].mask & ~table.played)
    trick = table.trick or Trick(table.turn, contract.trump)
    question = Question(
        (contract.declarer, contract.declarer.partner),
        contract.trump,
        trick,
        table.played,
    )
    tricks = run(card_solver(), Layouts.of([deal]), question)["lead_tricks"][0]
    return max(trick.legal(left), key=lambda card: (tricks[card.index], -card.rank))


def finished(
    record: Record, ways: Sequence[str], layouts: int, seed: int, spent: list[float]
) -> dict[str, Record]:
    """The whole play by each of the ways, from the plays of a record on."""
    assert record.contract is not None
    while not (table := record.table()).over:
        assert table.turn is not None
        if (table.turn - record.contract.declarer) % 2:
            card = defended(record, table)
        else:
            cards = chosen(record, ways, layouts, seed, spent)
            card = cards[ways[0]]
            if len(set(cards.values())) > 1:
                return {
                    way: finished(
                        played(record, table, cards[way]), (way,), layouts, seed, spent
                    )[way]
                    for way in ways
                }
        record = played(record, table, card)
    return dict.fromkeys(ways, record)


def taken(record: Record) -> int:
    """Tricks of declarer."""
    assert record.contract is not None
    return sum(
        (winner - record.contract.declarer) % 2 == 0
        for winner in record.table().winners
    )


def played(record: Record, table: Table, card: Card) -> Record:
    """The record with one card more."""
    assert table.turn is not None
    return replace(record, plays=(*record.plays, (table.turn, card)))


def judged(record: Record, layouts: int, seed: int) -> dict[str, Any]:
    """One board, played both ways."""
    began, spent = time.process_time(), list[float]()
    start = replace(record, plays=record.plays[: 4 * AFTER], result=None, claimed=False)
    plays = finished(start, tuple(WAYS), layouts, seed, spent)
    parted = len({record.plays for record in plays.values()}) > 1
    board = {
        "deal": str(record.deal),
        "contract": str(record.contract),
        "spent": spent,
        "parted": parted,
    }
    return (
        board
        | {way: taken(record) for way, record in plays.items()}
        | {"cpu": time.process_time() - began}
    )


def main(argv: list[str] | None = None) -> int:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--layouts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    done = (
        [json.loads(line) for line in args.output.read_text().splitlines()]
        if args.output.exists()
        else []
    )
    known = {board["deal"] for board in done}
    with args.output.open("a") as kept:
        for record in islice(boards(args.records), args.boards):
            if str(record.deal) in known or len(record.plays) < 4 * AFTER:
                continue
            try:
                done.append(judged(record, args.layouts, args.seed))
            except BayesBridgeError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            kept.write(json.dumps(done[-1]) + "\n")
            kept.flush()
    print(figures(done))
    return 0


def figures(done: list[dict[str, Any]]) -> str:
    """Tricks of one plan less those of double dummy: all boards, and those on which the
    two chose different cards.
    """
    more = np.array([board[ONE_PLAN] - board[DOUBLE_DUMMY] for board in done], float)
    spent = np.array([seconds for board in done for seconds in board["spent"]] or [0.0])
    rows = ["| boards | | one plan − double dummy, tricks |", "|---|---|---|"]
    parted = np.array([board["parted"] for board in done], bool)
    for name, part in (
        ("all", more),
        ("other cards", more[parted]),
        ("other tricks", more[more != 0]),
    ):
        if len(part) > 1:
            rows.append(
                f"| {name} | {len(part)} | {part.mean():+.3f} ± {part.std(ddof=1) / sqrt(len(part)):.3f} |"
            )
    times = f"{np.median(spent):.1f} s in the middle, {spent.max():.1f} s at most"
    return "\n".join(
        [
            *rows,
            "",
            f"A choice with seven tricks left takes {times} ({len(spent)} choices).",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
