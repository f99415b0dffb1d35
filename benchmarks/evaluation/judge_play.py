"""Does better inference play better? What cards cost that are chosen by more evidence.

    python benchmarks/evaluation/judge_play.py auctions.pbn.gz -o play.jsonl --boards 300

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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial
from itertools import islice, product
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from bayesbridge.belief.belief import Belief, seen_by
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.decisions.play import (
    CardChoices,
    PlayTurn,
    believed,
    card_solver,
    play,
    turn_of,
)
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import run
from bayesbridge.evidence.kinds import Called
from bayesbridge.game.deal import Deal
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
    """The first table of each deal of the test list that can be judged.

    Its contract, its auction and its lead are on record.
    """
    earlier_deals = set()
    for record in iter_records(records):
        if not isinstance(record, Record) or not record.plays:
            continue
        if record.contract is None or record.auction is None:
            continue
        deal = record.deal
        if deal is not None and str(deal) not in earlier_deals and is_test(deal):
            earlier_deals.add(str(deal))
            yield record


def boards_done(output: Path) -> list[dict[str, Any]]:
    """The boards that were judged before, one in each line of a file."""
    if not output.exists():
        return []
    return [json.loads(line) for line in output.read_text().splitlines()]


def belief_of(kind: str, record: Record, chooser: Any, cards: int) -> Belief:
    """What the chooser believes after so many cards, by a kind of evidence."""
    if kind == "and player":
        return Belief.of_record(record, chooser, cards=cards)
    assert record.contract is not None
    if kind == "and calls":
        return Belief.of_record(record, chooser, cards=cards, player=None)
    seat, hand, evidence = seen_by(record, chooser, cards)
    belief = Belief(seat, hand, dummy=None, trump=record.contract.strain, player=None)
    return belief.given(*(piece for piece in evidence if not isinstance(piece, Called)))


def preference(record: Record, cards: int, choices: CardChoices) -> dict[str, float]:
    """P(card) by the learned player, for the seat in turn.

    It is the same for all cards of dummy, which dummy does not choose.
    """
    contract = record.contract
    seat = choices.turn.seat
    hand = record.hands[seat]
    assert contract is not None
    assert hand is not None
    masks = np.array([hand.mask], np.uint64)
    dummy = record.hands[contract.declarer.partner] if cards else None
    player = LearnedPlayer()

    def log_likelihood(plays: Sequence[tuple[Any, Any]]) -> Any:
        """(1,) log P(plays ∣ hand) of the seat in turn."""
        return player.log_likelihood(
            masks, contract, plays, seat, record.auction, dummy
        )

    earlier_plays = list(record.plays[:cards])
    chances = {}
    for card in choices.turn.legal:
        with_card = log_likelihood([*earlier_plays, (seat, card)])
        log_chance = with_card - log_likelihood(earlier_plays)
        chances[str(card)] = exp(float(log_chance[0]))
    return chances


def means(choices: CardChoices) -> dict[str, tuple[float, ...]]:
    """What is known of each card, the best first.

    Its tricks on average, how far it is behind, that error, and 1 where it is close.
    """
    figures = {}
    for choice in choices.choices:
        for card in choice.cards[::-1]:
            figures[str(card)] = (choice.tricks[0], *choice.behind, int(choice.close))
    return figures


def judged(
    record: Record, after: tuple[int, ...], layouts: int, seed: int
) -> dict[str, Any]:
    """The costs of all choices on one board."""
    began = time.process_time()
    board: dict[str, Any] = {
        "deal": str(record.deal),
        "contract": str(record.contract),
        "after": list(after),
        "choices": [],
    }
    has_moments = len(after) > 1
    places = range(4 if has_moments else 1)
    for tricks, place in product(after, places):
        cards = 4 * tricks + place
        if cards >= len(record.plays):
            break
        # Nobody has played a card before the lead, so the learned player adds nothing
        # to its layouts.
        kinds = KINDS
        if cards == 0:
            kinds = KINDS[:2] if has_moments else KINDS[1:2]
        choice = judged_choice(record, cards, kinds, layouts, seed + cards)
        if choice is not None:
            board["choices"].append(choice)
    return board | {"cpu": time.process_time() - began}


def judged_choice(
    record: Record, cards: int, kinds: Sequence[str], layouts: int, seed: int
) -> dict[str, Any] | None:
    """The costs of one choice after so many cards.

    ``None`` where no card can lose anything, but for the opening lead.
    """
    contract = record.contract
    deal = record.deal
    assert contract is not None
    assert deal is not None
    seat, card_on_record = record.plays[cards]
    chooser = contract.declarer if seat == contract.declarer.partner else seat
    turn = turn_of(belief_of("and player", record, chooser, cards), contract)
    price = prices(deal, turn)
    if cards and not any(price.values()):
        return None
    choice: dict[str, Any] = {
        "cards": cards,
        "declarer": not turn.defends,
        "record": price[str(card_on_record)],
        "price": price,
        "random": float(np.mean(list(price.values()))),
        "seconds": {},
    }
    for kind in kinds:
        start = time.process_time()
        posterior = believed(belief_of(kind, record, chooser, cards), DRAWS, seed)
        ranking = play(posterior, contract, goal="tricks", solve=layouts, rng=seed)
        choice[kind] = price[str(ranking.choices[0].cards[-1])]
        choice["seconds"][kind] = time.process_time() - start
    choice.setdefault("and player", choice["and calls"])
    # Enough to try other rules of choice without solving again.
    choice["means"] = means(ranking)
    choice["liked"] = {
        name: round(chance, 5)
        for name, chance in preference(record, cards, ranking).items()
    }
    return choice


def prices(deal: Deal, turn: PlayTurn) -> dict[str, int]:
    """What each legal card costs double dummy, in tricks."""
    answers = run(card_solver(), Layouts.of([deal]), turn.question)
    tricks = answers["lead_tricks"][0].astype(int)
    most = max(tricks[card.index] for card in turn.legal)
    return {str(card): int(most - tricks[card.index]) for card in turn.legal}


def boards_to_judge(
    args: argparse.Namespace, done: list[dict[str, Any]]
) -> Iterator[tuple[Record, tuple[int, ...]]]:
    """The boards that are still to be judged, with the moments to look at."""
    moments = {board["deal"]: len(board["after"]) for board in done}
    for number, record in enumerate(boards(args.records)):
        if number >= max(args.boards, args.leads):
            return
        after = AFTER if number < args.boards else AFTER[:1]
        if moments.get(str(record.deal), 0) < len(after):
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
    done = boards_done(args.output)
    with args.output.open("a") as output:
        for board in judged_boards(args, done):
            done.append(board)
            output.write(json.dumps(board) + "\n")
            output.flush()
    print(tables(done))
    return 0


def judged_boards(
    args: argparse.Namespace, done: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Boards as worker processes finish them; those with an error are left out."""
    tasks = boards_to_judge(args, done)
    running: dict[Future[dict[str, Any]], None] = {}
    with ProcessPoolExecutor(args.workers) as pool:
        while True:
            for task in islice(tasks, 2 * args.workers - len(running)):
                running[pool.submit(judged, *task, args.layouts, args.seed)] = None
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                del running[future]
                try:
                    board = future.result()
                except BayesBridgeError as error:
                    print(f"left out: {error}", file=sys.stderr)
                    continue
                yield board


def pick(choice: dict[str, Any]) -> int:
    """The cost of the close lead that the learned player likes best.

    After the lead, the cost of the best card.
    """
    if choice["cards"]:
        return int(choice["and player"])
    close = [card for card, (*_, is_close) in choice["means"].items() if is_close]
    return int(choice["price"][max(close, key=lambda card: choice["liked"][card])])


type Picked = Callable[[dict[str, Any]], bool]


def is_any(_choice: dict[str, Any]) -> bool:
    """Every choice."""
    return True


def is_declarers(choice: dict[str, Any]) -> bool:
    """Whether declarer chooses."""
    return bool(choice["declarer"])


def is_defenders(choice: dict[str, Any]) -> bool:
    """Whether a defender chooses."""
    return not choice["declarer"]


def is_leaders(choice: dict[str, Any]) -> bool:
    """Whether the card is the first of its trick."""
    return bool(choice["cards"] % 4 == 0)


def is_followers(choice: dict[str, Any]) -> bool:
    """Whether the card is not the first of its trick."""
    return bool(choice["cards"] % 4 > 0)


def is_after_trick(tricks: int, choice: dict[str, Any]) -> bool:
    """Whether a choice is made after so many tricks."""
    return bool(choice["cards"] // 4 == tricks)


PARTS: dict[str, Picked] = {
    "all": is_any,
    "declarer": is_declarers,
    "defenders": is_defenders,
    "leader to the trick": is_leaders,
    "the other three": is_followers,
    **{f"after trick {tricks}": partial(is_after_trick, tricks) for tricks in AFTER},
}
"""Which choices stand in each column of the table."""


def is_decided(choice: dict[str, Any]) -> bool:
    """Whether some card costs a trick."""
    return any(choice["price"].values())


def tables(done: list[dict[str, Any]]) -> str:
    """The costs by chooser and part, and the leads that cost nothing, in Markdown."""
    for board in done:
        for choice in board["choices"]:
            choice["pick"] = pick(choice)
    # Of a board that was judged twice the later line counts.
    distinct = list({board["deal"]: board for board in done}.values())
    whole_boards = [board for board in distinct if len(board["after"]) > 1]
    return "\n".join([*_costs(whole_boards), *_leads(distinct)])


def _costs(boards: list[dict[str, Any]]) -> Iterator[str]:
    """The table of costs, of boards that were judged at all moments."""
    choices = []
    for board in boards:
        choices += filter(is_decided, board["choices"])
    heads = [f"{name} ({sum(map(picked, choices))})" for name, picked in PARTS.items()]
    yield f"| tricks lost by | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for kind, words in CHOOSERS.items():
        cells = [_mean(boards, picked, kind) for picked in PARTS.values()]
        yield f"| {words} | {' | '.join(cells)} |"
    for kind in ("hard evidence", "and calls", "and player", "pick"):
        cells = [_mean(boards, picked, kind, "record") for picked in PARTS.values()]
        yield f"| {CHOOSERS[kind]} − record | {' | '.join(cells)} |"
    cpu = [board["cpu"] for board in boards]
    seconds = np.mean(cpu or [0.0])
    yield ""
    yield f"{len(choices)} choices on {len(boards)} boards, {seconds:.0f} s a board."
    yield ""


def _mean(
    boards: list[dict[str, Any]],
    picked: Picked,
    kind: str,
    baseline: str | None = None,
) -> str:
    """The mean cost over choices with one standard error over boards.

    With a ``baseline``, the mean difference from another chooser.
    """
    sums = []
    for board in boards:
        choices = filter(picked, filter(is_decided, board["choices"]))
        costs = [
            choice[kind] - (0 if baseline is None else choice[baseline])
            for choice in choices
        ]
        sums.append((sum(costs), len(costs)))
    total, count = np.array(sums or [(0, 0)], float).T
    choice_count = max(count.sum(), 1.0)
    mean = total.sum() / choice_count
    error = sqrt(((total - mean * count) ** 2).sum()) / choice_count
    return f"{mean:+.3f} ± {error:.3f}" if baseline else f"{mean:.3f} ± {error:.3f}"


def _leads(boards: list[dict[str, Any]]) -> Iterator[str]:
    """DDOLAR and ADDOLAR with one standard error."""
    # Nobody has played a card: the calls are all evidence. Boards of which the lead
    # alone is judged have nothing else.
    heads = [
        *(CHOOSERS[kind] for kind in LEAD_CHOOSERS),
        *(f"{CHOOSERS[kind]} − record" for kind in BESIDE_RECORD),
    ]
    yield f"| opening leads | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for name, no_trumps in (("in a suit", False), ("at no trumps", True)):
        leads = [
            board["choices"][0]
            for board in boards
            if ("NT" in board["contract"]) is no_trumps and _has_lead(board)
        ]
        decided = list(filter(is_decided, leads))
        for measure, choices in (("DDOLAR", leads), ("ADDOLAR", decided)):
            if len(choices) >= 2:
                cells = map(_share, _shares_without_cost(choices))
                yield f"| {name}, {measure} ({len(choices)}) | {' | '.join(cells)} |"


LEAD_CHOOSERS = ("random", "and calls", "pick", "record")
BESIDE_RECORD = ("and calls", "pick")
"""Choosers that are compared with the lead on record."""


def _has_lead(board: dict[str, Any]) -> bool:
    """Whether the opening lead was judged, which is the first choice."""
    choices = board["choices"]
    return bool(choices) and choices[0]["cards"] == 0


def _shares_without_cost(leads: list[dict[str, Any]]) -> list[Any]:
    """For each column (leads,) how often the chooser's lead costs nothing."""
    shares = {}
    for kind in LEAD_CHOOSERS:
        shares[kind] = np.array([float(lead[kind] == 0) for lead in leads])
    random_shares = []
    for lead in leads:
        prices = np.array(list(lead["price"].values()))
        random_shares.append(np.mean(prices == 0))
    shares["random"] = np.array(random_shares)
    differences = [shares[kind] - shares["record"] for kind in BESIDE_RECORD]
    return [*shares.values(), *differences]


def _share(values: Any) -> str:
    """The mean in percent with one standard error."""
    error = values.std(ddof=1) / sqrt(len(values))
    return f"{100 * values.mean():.1f} ± {100 * error:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
