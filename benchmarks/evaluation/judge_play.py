"""Does better inference play better? What the cards cost that are chosen by more and
more evidence, on real boards.

    python benchmarks/evaluation/judge_play.py auctions.pbn.gz -o play.jsonl --boards 300 --leads 1000 --workers 2

Needs plugins/bayesbridge-double-dummy. Boards are those of the test list
(``bayesbridge.studies.benchmark``), on which nothing was fitted: the first table of
each deal with its auction and its cards on record. After tricks 0, 1, 3 and 6, for each
card of the next trick, ``--layouts`` layouts of what its player believes are solved for
all legal cards, and the card with most tricks on average is played
(:func:`bayesbridge.play`). The layouts are those that fit the hard evidence; then
weighed by the calls; then by the calls and the learned player. Beside them stand the
card on record, a random legal card; and another rule for the opening lead: of those
that the test cannot tell from the best the one that the learned player makes most
often. The cost of a card is what it loses double dummy on the real deal. Choices in
which no card can lose anything there are left out, but for the opening lead, of which
two shares are counted as well: DDOLAR, how often it costs nothing, and ADDOLAR, the
same without boards on which every lead ties.

One line per board is kept; a run that was interrupted continues where it stopped. The
first ``--boards`` boards are played at all moments, those after them up to ``--leads``
at the lead alone. The tables are printed at the end, and of what is there with
``--boards 0 --leads 0``. Errors are those of boards, which are independent.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from bayesbridge.belief.belief import Belief, seen_by
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.decisions.play import CardChoices, believed, card_solver, play, turn_of
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import run
from bayesbridge.evidence.kinds import Called
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import is_test

AFTER = (0, 1, 3, 6)
"""Tricks after which choices are looked at."""

DRAWS = 1000
"""Draws of each posterior, from which the layouts come."""

KINDS = ("hard evidence", "and calls", "and player")
"""Layouts by which cards are chosen."""

CHOOSERS = {
    "random": "a random legal card",
    "hard evidence": "hard evidence alone",
    "and calls": "and the calls",
    "and player": "and the learned player",
    "pick": "the same, close leads by the player's preference",
    "record": "the card on record",
}


def boards(records: Path) -> Iterator[Record]:
    """The first table of each deal of the test list, where the contract, the auction
    and the lead are on record.
    """
    seen = set()
    for record in iter_records(records):
        if (
            not isinstance(record, Record)
            or record.contract is None
            or record.auction is None
            or not record.plays
        ):
            continue
        deal = record.deal
        if deal is not None and str(deal) not in seen and is_test(deal):
            seen.add(str(deal))
            yield record


def belief_of(kind: str, record: Record, chooser: Any, cards: int) -> Belief:
    """What the chooser believes after so many cards, by a kind of evidence."""
    if kind == "and player":
        return Belief.of_record(record, chooser, cards=cards)
    assert record.contract is not None
    if kind == "and calls":
        return Belief.of_record(record, chooser, cards=cards, player=None)
    seat, hand, seen = seen_by(record, chooser, cards)
    plain = Belief(seat, hand, dummy=None, trump=record.contract.strain, player=None)
    return plain.given(*(piece for piece in seen if not isinstance(piece, Called)))


def preference(record: Record, cards: int, found: CardChoices) -> dict[str, float]:
    """P(card) by the learned player, for the seat in turn; all the same for dummy,
    whose cards it does not choose.
    """
    turn, contract = found.turn, record.contract
    assert contract is not None
    seat, hand = turn.seat, record.hands[turn.seat]
    assert hand is not None
    player, dummy = (
        LearnedPlayer(),
        record.hands[contract.declarer.partner] if cards else None,
    )
    chances = {}
    for card in turn.legal:
        plays = [*record.plays[:cards], (seat, card)]
        masks = np.array([hand.mask], np.uint64)
        whole, known = (
            player.log_likelihood(masks, contract, some, seat, record.auction, dummy)
            for some in (plays, plays[:cards])
        )
        log = whole - known
        chances[str(card)] = exp(float(log[0]))
    return chances


def means(found: CardChoices) -> dict[str, tuple[float, ...]]:
    """Each card, the best first: its tricks on average, how far it is behind, that
    error, and 1 where it is close.
    """
    return {
        str(card): (choice.tricks[0], *choice.behind, int(choice.close))
        for choice in found.choices
        for card in choice.cards[::-1]
    }


def judged(
    record: Record, after: tuple[int, ...], layouts: int, seed: int
) -> dict[str, Any]:
    """The costs of all choices on one board."""
    began = time.process_time()
    solver, contract, deal = card_solver(), record.contract, record.deal
    assert contract is not None
    assert deal is not None
    board: dict[str, Any] = {
        "deal": str(deal),
        "contract": str(contract),
        "after": list(after),
        "choices": [],
    }
    for cards in [
        4 * tricks + place
        for tricks in after
        for place in range(4 if len(after) > 1 else 1)
    ]:
        if cards >= len(record.plays):
            break
        seat, card = record.plays[cards]
        chooser = contract.declarer if seat == contract.declarer.partner else seat
        turn = turn_of(belief_of("and player", record, chooser, cards), contract)
        taken = run(solver, Layouts.of([deal]), turn.question)["lead_tricks"][0].astype(
            int
        )
        most = max(taken[one.index] for one in turn.legal)
        price = {str(one): int(most - taken[one.index]) for one in turn.legal}
        if cards and not any(price.values()):
            continue
        one: dict[str, Any] = {
            "cards": cards,
            "declarer": not turn.defends,
            "record": price[str(card)],
        }
        one |= {
            "price": price,
            "random": float(np.mean(list(price.values()))),
            "seconds": {},
        }
        # Nobody has played a card before the lead, so the learned player adds nothing to its layouts.
        for kind in KINDS if cards else KINDS[:2] if len(after) > 1 else KINDS[1:2]:
            start = time.process_time()
            posterior = believed(
                belief_of(kind, record, chooser, cards), DRAWS, seed + cards
            )
            found = play(
                posterior, contract, goal="tricks", solve=layouts, rng=seed + cards
            )
            one[kind] = price[str(found.choices[0].cards[-1])]
            one["seconds"][kind] = time.process_time() - start
        one.setdefault("and player", one["and calls"])
        # Enough to try other rules of choice without solving again.
        one["means"] = means(found)
        one["liked"] = {
            name: round(chance, 5)
            for name, chance in preference(record, cards, found).items()
        }
        board["choices"].append(one)
    return board | {"cpu": time.process_time() - began}


def left(
    args: argparse.Namespace, done: list[dict[str, Any]]
) -> Iterator[tuple[Record, tuple[int, ...]]]:
    """The boards that are still to be judged, with the moments to look at."""
    known = {one["deal"]: len(one["after"]) for one in done}
    for number, record in enumerate(boards(args.records)):
        if number >= max(args.boards, args.leads):
            return
        after = AFTER if number < args.boards else AFTER[:1]
        if known.get(str(record.deal), 0) < len(after):
            yield record, after


def main(argv: list[str] | None = None) -> int:
    """Judge, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument(
        "--boards", type=int, default=300, help="boards played at all moments"
    )
    parser.add_argument(
        "--leads",
        type=int,
        default=1000,
        help="boards on which the opening lead is judged",
    )
    parser.add_argument("--layouts", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    done = (
        [json.loads(line) for line in args.output.read_text().splitlines()]
        if args.output.exists()
        else []
    )
    with ProcessPoolExecutor(args.workers) as pool, args.output.open("a") as kept:
        waiting = left(args, done)
        running: dict[Future[dict[str, Any]], None] = {}
        while True:
            while (
                len(running) < 2 * args.workers
                and (task := next(waiting, None)) is not None
            ):
                running[pool.submit(judged, *task, args.layouts, args.seed)] = None
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                del running[future]
                try:
                    done.append(future.result())
                except BayesBridgeError as error:
                    print(f"left out: {error}", file=sys.stderr)
                    continue
                kept.write(json.dumps(done[-1]) + "\n")
                kept.flush()
    print(tables(done))
    return 0


def pick(one: dict[str, Any]) -> int:
    """What the card costs that the learned player likes best of the close leads, from
    what was kept; else the best.
    """
    if one["cards"]:
        return int(one["and player"])
    close = [card for card, (*_, near) in one["means"].items() if near]
    return int(one["price"][max(close, key=lambda card: one["liked"][card])])


type Picked = Callable[[dict[str, Any]], bool]


def tables(done: list[dict[str, Any]]) -> str:
    """The costs by chooser, for all choices and parts of them, and the leads that cost
    nothing, in Markdown.
    """
    for board in done:
        for one in board["choices"]:
            one["pick"] = pick(one)
    whole = [
        one
        for one in {one["deal"]: one for one in done}.values()
        if len(one["after"]) > 1
    ]
    parts: dict[str, Picked] = {
        "all": lambda _: True,
        "declarer": lambda one: one["declarer"],
        "defenders": lambda one: not one["declarer"],
        "leader to the trick": lambda one: one["cards"] % 4 == 0,
        "the other three": lambda one: one["cards"] % 4 > 0,
        **{
            f"after trick {tricks}": lambda one, tricks=tricks: (
                one["cards"] // 4 == tricks
            )
            for tricks in AFTER
        },
    }
    choices = [
        one for board in whole for one in board["choices"] if any(one["price"].values())
    ]
    counts = [sum(map(picked, choices)) for picked in parts.values()]
    rows = [
        f"| tricks lost by | {' | '.join(f'{name} ({n})' for name, n in zip(parts, counts, strict=True))} |"
    ]
    rows.append("|---" * (len(parts) + 1) + "|")
    for kind, words in CHOOSERS.items():
        rows.append(
            f"| {words} | {' | '.join(_mean(whole, picked, kind) for picked in parts.values())} |"
        )
    for kind in ("hard evidence", "and calls", "and player", "pick"):
        cells = [_mean(whole, picked, kind, "record") for picked in parts.values()]
        rows.append(f"| {CHOOSERS[kind]} − record | {' | '.join(cells)} |")
    cpu = [board["cpu"] for board in whole]
    rows += [
        "",
        f"{len(choices)} choices on {len(whole)} boards, {np.mean(cpu or [0.0]):.0f} s a board.",
        "",
    ]
    return "\n".join(
        [*rows, *_leads(list({one["deal"]: one for one in done}.values()))]
    )


def _mean(
    done: list[dict[str, Any]], picked: Picked, kind: str, less: str | None = None
) -> str:
    """The mean over choices with one standard error over boards."""
    sums = []
    for board in done:
        part = [
            one
            for one in board["choices"]
            if picked(one) and any(one["price"].values())
        ]
        sums.append(
            (
                sum(one[kind] - (0 if less is None else one[less]) for one in part),
                len(part),
            )
        )
    total, count = np.array(sums or [(0, 0)], float).T
    many = max(count.sum(), 1.0)
    mean = total.sum() / many
    error = sqrt(((total - mean * count) ** 2).sum()) / many
    return f"{mean:+.3f} ± {error:.3f}" if less else f"{mean:.3f} ± {error:.3f}"


def _leads(done: list[dict[str, Any]]) -> Iterator[str]:
    """DDOLAR and ADDOLAR with one standard error."""
    leads = [
        (one, board["contract"])
        for board in done
        for one in board["choices"][:1]
        if one["cards"] == 0
    ]
    # Nobody has played a card: the calls are all evidence. Boards of which the lead alone is judged have nothing else.
    kinds, less = ("random", "and calls", "pick", "record"), ("and calls", "pick")
    heads = [
        *(CHOOSERS[kind] for kind in kinds),
        *(f"{CHOOSERS[kind]} − record" for kind in less),
    ]
    yield f"| opening leads | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for name, no_trumps in (("in a suit", False), ("at no trumps", True)):
        part = [one for one, contract in leads if ("NT" in contract) is no_trumps]
        decided = [one for one in part if any(one["price"].values())]
        for measure, some in (("DDOLAR", part), ("ADDOLAR", decided)):
            if len(some) < 2:
                continue
            shares = {
                kind: np.array([float(one[kind] == 0) for one in some])
                for kind in kinds
            }
            shares["random"] = np.array(
                [np.mean([cost == 0 for cost in one["price"].values()]) for one in some]
            )
            differences = [shares[kind] - shares["record"] for kind in less]
            cells = [_share(values) for values in (*shares.values(), *differences)]
            yield f"| {name}, {measure} ({len(some)}) | {' | '.join(cells)} |"


def _share(values: Any) -> str:
    return f"{100 * values.mean():.1f} ± {100 * values.std(ddof=1) / sqrt(len(values)):.1f} %"


if __name__ == "__main__":
    sys.exit(main())
