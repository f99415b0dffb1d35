"""Does one plan play better than double dummy? Tricks of declarer on real boards.

    python benchmarks/evaluation/horizon.py test.pbn -o horizon.jsonl --boards 300

Needs plugins/bayesbridge-double-dummy. Boards are those of the test list
(``bayesbridge.studies.benchmark``), on which nothing was fitted. After the first
tricks, as on record, declarer chooses by what the calls and cards tell: the card with
most tricks on average over ``--layouts`` layouts, by double dummy
(:func:`bayesbridge.play` with ``horizon=0``) or by one plan over the same layouts;
where one plan cannot tell double dummy's card from its own best (``close``), that card
is played. Defenders see the real deal and play it double dummy, of equal cards the
lowest. As long as both ways choose the same card there is one play; where they part,
each goes on alone. Tricks are paired.

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
from dataclasses import dataclass, field, replace
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from judge_play import boards, boards_done

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior, subsample
from bayesbridge.decisions.play import CardChoices, believed, card_solver, play, turn_of
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.layouts import Layouts
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import Trick
from bayesbridge.notation import Record

AFTER = 4
"""Tricks that are played as on record."""

DRAWS = 500
"""Draws of each posterior, from which the layouts come."""

SECONDS = 4.0
"""Of a choice, at most."""

TIMED_AFTER = 6
"""Tricks before the choices whose times are kept: seven are left."""

DOUBLE_DUMMY = "double dummy"
ONE_PLAN = "one plan"
WAYS = {DOUBLE_DUMMY: 0, ONE_PLAN: 13}
"""The horizon of each."""


@dataclass(frozen=True, slots=True)
class Declarer:
    """How declarer's cards are chosen, by either way."""

    layouts: int
    seed: int
    spent: list[float] = field(default_factory=list)
    """Seconds of the choices by one plan with seven tricks left."""

    def cards(self, record: Record, ways: Sequence[str]) -> dict[str, Card]:
        """Declarer's card after the plays of a record, by each of the ways."""
        contract = record.contract
        assert contract is not None
        belief = Belief.of_record(record, contract.declarer, cards=len(record.plays))
        turn = turn_of(belief, contract)
        if len(turn.legal) == 1:
            return dict.fromkeys(ways, next(iter(turn.legal)))
        seed = self.seed + len(record.plays)
        posterior = believed(belief, DRAWS, seed)
        if len(posterior) > self.layouts:
            posterior = subsample(posterior, self.layouts, seed, "the same for both")
        double_dummy = self._ranking(posterior, contract, DOUBLE_DUMMY)
        usual = best_card(double_dummy)
        cards = {}
        for way in ways:
            ranking = double_dummy
            if way == ONE_PLAN:
                began = time.process_time()
                ranking = self._ranking(posterior, contract, way)
                if turn.tricks == TIMED_AFTER:
                    self.spent.append(time.process_time() - began)
            cards[way] = usual if ranking.of(usual).close else best_card(ranking)
        return cards

    def _ranking(
        self, posterior: Posterior, contract: Contract, way: str
    ) -> CardChoices:
        """The cards by their tricks on average."""
        return play(
            posterior,
            contract,
            goal="tricks",
            horizon=WAYS[way],
            rng=self.seed,
            solve=self.layouts,
            seconds=SECONDS,
        )

    def finish(self, record: Record, ways: Sequence[str]) -> dict[str, Record]:
        """The whole play by each of the ways, from the plays of a record on."""
        assert record.contract is not None
        declarer = record.contract.declarer
        table = record.table()
        while not table.over:
            assert table.turn is not None
            if (table.turn - declarer) % 2:
                card = defended(record, table)
            else:
                cards = self.cards(record, ways)
                if len(set(cards.values())) > 1:
                    return self._finish_apart(record, table, cards)
                card = cards[ways[0]]
            record = played(record, table, card)
            table = record.table()
        return dict.fromkeys(ways, record)

    def _finish_apart(
        self, record: Record, table: Table, cards: dict[str, Card]
    ) -> dict[str, Record]:
        """Each way goes on alone after its own card."""
        ends: dict[str, Record] = {}
        for way, card in cards.items():
            ends |= self.finish(played(record, table, card), (way,))
        return ends


def best_card(ranking: CardChoices) -> Card:
    """Of the best cards, which are equal, the lowest."""
    return ranking.choices[0].cards[-1]


def defended(record: Record, table: Table) -> Card:
    """The defender's card, double dummy on the real deal."""
    deal = record.deal
    contract = record.contract
    assert deal is not None
    assert contract is not None
    assert table.turn is not None
    hand = Hand(deal[table.turn].mask & ~table.played)
    trick = table.trick or Trick(table.turn, contract.trump)
    pair = (contract.declarer, contract.declarer.partner)
    question = Question(pair, contract.trump, trick, table.played)
    tricks = run(card_solver(), Layouts.of([deal]), question)["lead_tricks"][0]
    return max(trick.legal(hand), key=lambda card: (tricks[card.index], -card.rank))


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
    began = time.process_time()
    declarer = Declarer(layouts, seed)
    start = replace(record, plays=record.plays[: 4 * AFTER], result=None, claimed=False)
    ends = declarer.finish(start, tuple(WAYS))
    board: dict[str, Any] = {
        "deal": str(record.deal),
        "contract": str(record.contract),
        "spent": declarer.spent,
        "parted": len({end.plays for end in ends.values()}) > 1,
    }
    for way, end in ends.items():
        board[way] = taken(end)
    board["cpu"] = time.process_time() - began
    return board


def main(argv: list[str] | None = None) -> int:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--layouts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    done = boards_done(args.output)
    deals_done = {board["deal"] for board in done}
    with args.output.open("a") as output:
        for record in islice(boards(args.records), args.boards):
            if str(record.deal) in deals_done or len(record.plays) < 4 * AFTER:
                continue
            try:
                board = judged(record, args.layouts, args.seed)
            except BayesBridgeError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            done.append(board)
            output.write(json.dumps(board) + "\n")
            output.flush()
    print(figures(done))
    return 0


def figures(done: list[dict[str, Any]]) -> str:
    """Tricks of one plan less those of double dummy.

    On all boards, and on those on which the two chose different cards.
    """
    gains = np.array([board[ONE_PLAN] - board[DOUBLE_DUMMY] for board in done], float)
    is_parted = np.array([board["parted"] for board in done], bool)
    parts = {
        "all": gains,
        "other cards": gains[is_parted],
        "other tricks": gains[gains != 0],
    }
    lines = ["| boards | | one plan − double dummy, tricks |", "|---|---|---|"]
    for name, part in parts.items():
        if len(part) > 1:
            error = part.std(ddof=1) / sqrt(len(part))
            lines.append(f"| {name} | {len(part)} | {part.mean():+.3f} ± {error:.3f} |")
    spent: list[float] = []
    for board in done:
        spent += board["spent"]
    seconds = np.array(spent or [0.0])
    times = f"{np.median(seconds):.1f} s in the middle, {seconds.max():.1f} s at most"
    lines.append("")
    lines.append(
        f"A choice with seven tricks left takes {times} ({len(seconds)} choices)."
    )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
