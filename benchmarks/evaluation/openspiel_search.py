"""Does a search in OpenSpiel play better with beliefs? By three kinds of layouts.

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
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from bayesbridge_openspiel import ACTIONS, CARDS, FIRST_CALL, Resampler, own_resampler
from judge_play import boards, boards_done
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

OWN = "OpenSpiel's own"


def from_hard_evidence(seed: int) -> Resampler:
    """Layouts by voids and cards seen."""
    return Resampler(calls=False, draws=200, rng=seed)


def from_calls_and_cards(seed: int) -> Resampler:
    """Layouts by the learned bidder and the learned player."""
    return Resampler(card_player=bb.LearnedPlayer(), draws=200, rng=seed)


KINDS: dict[str, Callable[[int], Any]] = {
    OWN: own_resampler,
    "hard evidence": from_hard_evidence,
    "calls and cards": from_calls_and_cards,
}
"""What draws the layouts of a search, from a seed."""


FEWEST_PLAYS = 20
"""Cards that a board needs on record."""


def game_of(record: Record) -> str:
    """OpenSpiel's name of the game, with the vulnerability of dealer's side first."""
    assert record.auction is not None
    dealer = record.auction.first
    vulnerable = []
    for seat in (dealer, dealer.next()):
        is_vulnerable = record.vulnerable is not None and seat in record.vulnerable
        vulnerable.append(str(is_vulnerable).lower())
    dealer_side, other_side = vulnerable
    return (
        "bridge(use_double_dummy_result=false,"
        f"dealer_vul={dealer_side},non_dealer_vul={other_side})"
    )


def actions_of(record: Record, cards: int) -> list[int]:
    """The actions that bring OpenSpiel to a moment of the record.

    They are turned so that North deals: the deal, the calls, so many cards.
    """
    assert record.deal is not None
    assert record.auction is not None
    deal = [0] * 52
    for player in range(4):
        hand = record.deal.hands[record.auction.first.next(player)]
        deal[player::4] = [int(ACTIONS[card.index]) for card in hand]
    calls = [FIRST_CALL + call.index for call in record.auction.calls]
    plays = [int(ACTIONS[card.index]) for _, card in record.plays[:cards]]
    return [*deal, *calls, *plays]


def costs(record: Record, tricks: int, solver: Estimator) -> dict[int, int]:
    """What each card of the seat on lead costs double dummy, by its index."""
    contract = record.contract
    assert contract is not None
    played = sum(card.mask for _, card in record.plays[: 4 * tricks])
    trick = bb.Trick(record.plays[4 * tricks][0], contract.strain.trump)
    pair = (contract.declarer, contract.declarer.partner)
    question = Question.of(
        pair, trump=contract.strain.trump, trick=trick, played=played
    )
    answers = run(solver, bb.Layouts.of([record.deal]), question)
    taken = answers["lead_tricks"][0].astype(int)
    legal = np.flatnonzero(taken >= 0)
    return {int(card): int(taken.max() - taken[card]) for card in legal}


def judged(
    record: Record, solver: Estimator, simulations: int, seed: int
) -> dict[str, Any]:
    """The costs of all choices on one board."""
    choices = []
    for tricks in AFTER:
        if len(record.plays) <= 4 * tricks:
            break
        price = costs(record, tricks, solver)
        if any(price.values()):
            choices.append(judged_choice(record, tricks, price, simulations, seed))
    return {
        "deal": str(record.deal),
        "contract": str(record.contract),
        "choices": choices,
    }


def judged_choice(
    record: Record, tricks: int, price: dict[int, int], simulations: int, seed: int
) -> dict[str, Any]:
    """The costs of one choice, by each kind of layouts; ``price`` by card."""
    game = pyspiel.load_game(game_of(record))
    actions = actions_of(record, 4 * tricks)
    state = game.deserialize_state("\n".join(map(str, actions)) + "\n")
    declarer = (record.contract.declarer - record.auction.first) % 2
    choice: dict[str, Any] = {
        "after": tricks,
        "declarer": state.current_player() % 2 == declarer,
        "record": price[record.plays[4 * tricks][1].index],
        "random": float(np.mean(list(price.values()))),
        "seconds": {},
    }
    for kind, resampler_of in KINDS.items():
        bot = search_bot(game, simulations, seed)
        bot.set_resampler(resampler_of(seed))
        began = time.process_time()
        choice[kind] = price[int(CARDS[bot.step(state)])]
        choice["seconds"][kind] = time.process_time() - began
    return choice


def search_bot(game: Any, simulations: int, seed: int) -> ISMCTSBot:
    """IS-MCTS with random playouts."""
    random = np.random.RandomState(seed)
    return ISMCTSBot(
        game,
        RandomRolloutEvaluator(1, random),
        EXPLORE,
        simulations,
        random_state=random,
    )


def table(done: list[dict[str, Any]]) -> str:
    """Tricks lost a choice, with paired differences.

    Boards are independent, choices of a board are not.
    """
    choices = choices_of(done)
    lines = [
        f"| layouts by | all | declarer | defenders | all − {OWN} | seconds a move |",
        "|---|---|---|---|---|---|",
    ]
    for kind in ("random", *KINDS, "record"):
        cells = []
        for side in (None, True, False):
            mean, error = _mean(done, kind, side)
            cells.append(f"{mean:.3f} ± {error:.3f}")
        difference = "–"
        if kind != OWN:
            mean, error = _mean(done, kind, None, OWN)
            difference = f"{mean:+.3f} ± {error:.3f}"
        seconds = "–"
        if kind in KINDS and choices:
            times = [choice["seconds"][kind] for choice in choices]
            seconds = f"{np.mean(times):.2f}"
        lines.append(f"| {kind} | {' | '.join(cells)} | {difference} | {seconds} |")
    lines += ["", f"{len(choices)} choices on {len(done)} boards."]
    return "\n".join(lines)


def choices_of(done: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All choices of all boards."""
    choices = []
    for board in done:
        choices += board["choices"]
    return choices


def draw(done: list[dict[str, Any]], target: Path) -> None:
    """Tricks lost a choice, as bars with two standard errors."""
    names = ["a random card", *KINDS, "the card on record"]
    means = [_mean(done, kind, None) for kind in ("random", *KINDS, "record")]
    values, errors = np.array(means).T
    ax = Figure((6.4, 2.6), layout="constrained").subplots()
    ax.barh(
        names,
        values,
        0.6,
        xerr=2 * errors,
        capsize=3,
        color=[PALE, SKY, SKY, BLUE, PALE],
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
    done: list[dict[str, Any]],
    kind: str,
    side: bool | None,
    baseline: str | None = None,
) -> tuple[float, float]:
    """The mean cost of the choices of a side, and its standard error.

    ``side`` is declarer's, the defenders' (``False``) or both. With a ``baseline``, the
    mean difference from another kind of layouts.
    """
    sums = []
    for board in done:
        choices = board["choices"]
        if side is not None:
            choices = [choice for choice in choices if choice["declarer"] == side]
        cost = sum(choice[kind] for choice in choices)
        if baseline is not None:
            cost = sum(choice[kind] - choice[baseline] for choice in choices)
        sums.append((cost, len(choices)))
    total, count = np.array(sums, float).T
    choice_count = max(count.sum(), 1.0)
    mean = total.sum() / choice_count
    error = sqrt(((total - mean * count) ** 2).sum()) / choice_count
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
    done = boards_done(args.output)
    if len(done) < args.boards:
        with args.output.open("a") as output:
            for board in newly_judged(args, done):
                done.append(board)
                output.write(json.dumps(board) + "\n")
                output.flush()
    print(table(done))
    if args.picture:
        draw(done, args.picture)
    return 0


def newly_judged(
    args: argparse.Namespace, done: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Boards that are not yet among ``done``, until there are enough in it.

    Those with an error are left out.
    """
    solver = card_solver()
    deals_done = {board["deal"] for board in done}
    for record in boards(args.records):
        if len(done) >= args.boards:
            return
        if str(record.deal) in deals_done or len(record.plays) < FEWEST_PLAYS:
            continue
        try:
            board = judged(record, solver, args.simulations, args.seed)
        except bb.BayesBridgeError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        yield board


if __name__ == "__main__":
    sys.exit(main())
