"""Does a search in OpenSpiel play better with beliefs? IS-MCTS in the play of real
boards, by three kinds of layouts.

    python benchmarks/evaluation/openspiel_search.py auctions.pbn.gz -o search.jsonl --boards 100

Needs plugins/bayesbridge-openspiel and plugins/bayesbridge-double-dummy. Boards are
those of the test list (``bayesbridge.studies.benchmark``), on which nothing was fitted.
After tricks 1, 2, 3, 4, 6 and 8 the seat on lead (for dummy, declarer) chooses by
OpenSpiel's IS-MCTS in Python, random playouts and the same number of simulations each
time, with layouts from OpenSpiel's own resampling, from hard evidence (voids and cards
seen), and from the learned bidder and player. The cost of a card is what it loses
double dummy on the real deal; choices without a difference are left out. One line per
board is kept; a run that was interrupted continues where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from bayesbridge_openspiel import ACTIONS, CARDS, FIRST_CALL, Resampler, own_resampler
from judge_play import boards
from matplotlib.figure import Figure
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

import bayesbridge as bb
from bayesbridge.decisions.play import card_solver
from bayesbridge.estimators.protocol import Estimator, Question, run
from bayesbridge.notation import Record
from bayesbridge.plots import BLUE, DPI, PALE, SKY, bare

AFTER = (1, 2, 3, 4, 6, 8)
"""Tricks after which a choice is looked at."""

EXPLORE = 200.0
"""Of the search: the constant of UCT, in points of the score."""

KINDS = {
    "OpenSpiel's own": lambda seed: own_resampler(seed),
    "hard evidence": lambda seed: Resampler(calls=False, draws=200, rng=seed),
    "calls and cards": lambda seed: Resampler(
        card_player=bb.LearnedPlayer(), draws=200, rng=seed
    ),
}


def history_of(record: Record, cards: int) -> tuple[str, list[int]]:
    """The game and the actions that bring OpenSpiel to a moment of the record, turned
    so that North deals.
    """
    assert record.deal is not None
    assert record.auction is not None
    first = record.auction.first
    seats = [first.next(step) for step in range(4)]
    deal = [0] * 52
    for player, seat in enumerate(seats):
        deal[player::4] = [int(ACTIONS[card.index]) for card in record.deal.hands[seat]]
    calls = [FIRST_CALL + call.index for call in record.auction.calls]
    plays = [int(ACTIONS[card.index]) for _, card in record.plays[:cards]]
    sides = [
        record.vulnerable is not None and seat in record.vulnerable
        for seat in seats[:2]
    ]
    ours, theirs = (str(side).lower() for side in sides)
    game = f"bridge(use_double_dummy_result=false,dealer_vul={ours},non_dealer_vul={theirs})"
    return game, [*deal, *calls, *plays]


def costs(record: Record, tricks: int, solver: Estimator) -> dict[int, int]:
    """What each card of the seat on lead costs double dummy, by the index of the card."""
    contract = record.contract
    assert contract is not None
    played = sum(card.mask for _, card in record.plays[: 4 * tricks])
    trick = bb.Trick(record.plays[4 * tricks][0], contract.strain.trump)
    pair = contract.declarer, contract.declarer.partner
    question = Question.of(
        pair, trump=contract.strain.trump, trick=trick, played=played
    )
    found = run(solver, bb.Layouts.of([record.deal]), question)["lead_tricks"][
        0
    ].astype(int)
    return {
        int(card): int(found.max() - found[card]) for card in np.flatnonzero(found >= 0)
    }


def judged(
    record: Record, solver: Estimator, simulations: int, seed: int
) -> dict[str, Any]:
    """The costs of all choices on one board."""
    found: dict[str, Any] = {
        "deal": str(record.deal),
        "contract": str(record.contract),
        "choices": [],
    }
    for tricks in AFTER:
        if len(record.plays) <= 4 * tricks:
            break
        price = costs(record, tricks, solver)
        if max(price.values()) == min(price.values()):
            continue
        name, actions = history_of(record, 4 * tricks)
        game = pyspiel.load_game(name)
        state = game.deserialize_state("\n".join(map(str, actions)) + "\n")
        one: dict[str, Any] = {
            "after": tricks,
            "declarer": state.current_player() % 2
            == (record.contract.declarer - record.auction.first) % 2,
            "record": price[record.plays[4 * tricks][1].index],
            "random": float(np.mean(list(price.values()))),
            "seconds": {},
        }
        for kind, make in KINDS.items():
            random = np.random.RandomState(seed)
            bot = ISMCTSBot(
                game,
                RandomRolloutEvaluator(1, random),
                EXPLORE,
                simulations,
                random_state=random,
            )
            bot.set_resampler(make(seed))
            began = time.process_time()
            one[kind] = price[int(CARDS[bot.step(state)])]
            one["seconds"][kind] = time.process_time() - began
        found["choices"].append(one)
    return found


def table(done: list[dict[str, Any]]) -> str:
    """Tricks lost a choice, with paired differences; boards are independent, choices of
    a board are not.
    """
    rows = [
        "| layouts by | all | declarer | defenders | all − OpenSpiel's own | seconds a move |",
        "|---|---|---|---|---|---|",
    ]
    for kind in ("random", *KINDS, "record"):
        cells = [
            "{:.3f} ± {:.3f}".format(*_mean(done, kind, side))
            for side in (None, True, False)
        ]
        own = kind == "OpenSpiel's own"
        difference = (
            "–"
            if own
            else "{:+.3f} ± {:.3f}".format(*_mean(done, kind, None, "OpenSpiel's own"))
        )
        times = [
            one["seconds"][kind]
            for board in done
            for one in board["choices"]
            if kind in KINDS
        ]
        rows.append(
            f"| {kind} | {' | '.join(cells)} | {difference} | {f'{np.mean(times):.2f}' if times else '–'} |"
        )
    count = sum(len(board["choices"]) for board in done)
    return "\n".join([*rows, "", f"{count} choices on {len(done)} boards."])


def draw(done: list[dict[str, Any]], target: Path) -> None:
    """Tricks lost a choice, as bars with two standard errors."""
    names = {
        "random": "a random card",
        **{kind: kind for kind in KINDS},
        "record": "the card on record",
    }
    values, errors = np.array([_mean(done, kind, None) for kind in names]).T
    ax = Figure((6.4, 2.6), layout="constrained").subplots()
    colours = [PALE, SKY, SKY, BLUE, PALE]
    ax.barh(
        [*names.values()],
        values,
        0.6,
        xerr=2 * errors,
        capsize=3,
        color=colours,
        edgecolor="black",
        linewidth=0.6,
    )
    ax.set(
        xlabel="double-dummy tricks lost a choice (lines: two standard errors)",
        xlim=(0, None),
    )
    ax.invert_yaxis()
    bare(ax)
    ax.figure.savefig(target, dpi=DPI)


def _mean(
    done: list[dict[str, Any]], kind: str, side: bool | None, less: str | None = None
) -> tuple[float, float]:
    """The mean of all choices and its standard error."""
    sums = []
    for board in done:
        part = [
            one for one in board["choices"] if side is None or one["declarer"] == side
        ]
        sums.append(
            (
                sum(one[kind] - (0 if less is None else one[less]) for one in part),
                len(part),
            )
        )
    total, count = np.array(sums, float).T
    mean = total.sum() / max(count.sum(), 1.0)
    error = sqrt(((total - mean * count) ** 2).sum()) / max(count.sum(), 1.0)
    return mean, error


def main(argv: list[str] | None = None) -> int:
    """Judge, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, help="draw it here")
    args = parser.parse_args(argv)
    done = (
        [json.loads(line) for line in args.output.read_text().splitlines()]
        if args.output.exists()
        else []
    )
    known = {one["deal"] for one in done}
    if len(done) < args.boards:
        solver = card_solver()
        with args.output.open("a") as kept:
            for record in boards(args.records):
                if len(done) >= args.boards:
                    break
                if str(record.deal) in known or len(record.plays) < 20:
                    continue
                try:
                    done.append(judged(record, solver, args.simulations, args.seed))
                except bb.BayesBridgeError as error:
                    print(f"left out: {error}", file=sys.stderr)
                    continue
                kept.write(json.dumps(done[-1]) + "\n")
                kept.flush()
    print(table(done))
    if args.picture:
        draw(done, args.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
