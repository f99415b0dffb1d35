"""Judge the leads on real boards: how often does the card that is recommended cost no double-dummy trick?

    python benchmarks/evaluation/judge_leads.py auctions.pbn.gz -o leads.jsonl --suits 450 --no-trumps 450

Needs plugins/bayesbridge-double-dummy. Boards are those of the test list (``bayesbridge.studies.benchmark``), on which
nothing was fitted: the first table of each deal with its auction and its lead on record. The leader believes what they
believe after the auction; ``--layouts`` layouts of it are solved for every card, and the card with most tricks of the
defence on average is led. Then the real deal is solved for every card. A lead costs nothing if no other card takes more
tricks. Two shares are counted: DDOLAR, of all boards, and ADDOLAR, without the boards on which every lead ties. One
line per board is kept; a run that was interrupted continues where it stopped. The table is printed at the end, and of
what is there with ``--suits 0 --no-trumps 0``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.calls import Contract
from bayesbridge.decisions.leads import compare_leads, lead_question, lead_solver
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.protocol import Estimator, run, seconds_of
from bayesbridge.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.studies.benchmark import is_test

DRAWS = 2000
"""Draws of each posterior, from which the layouts come."""


def boards(records: Path) -> Iterator[Record]:
    """The first table of each deal of the test list, where the contract, the auction and the lead are on record."""
    seen = set()
    for record in iter_records(records):
        if not isinstance(record, Record) or record.contract is None or record.auction is None or not record.plays:
            continue
        deal = record.deal
        if deal is not None and str(deal) not in seen and is_test(deal):
            seen.add(str(deal))
            yield record


def judged(record: Record, solver: Estimator, layouts: int, seed: int) -> dict[str, Any]:
    """What our lead, the lead on record and a random card cost on one board, in double-dummy tricks."""
    contract, deal = record.contract, record.deal
    assert isinstance(contract, Contract)
    assert deal is not None
    leader, lead = record.plays[0]
    began = time.process_time()
    belief = Belief.of_record(record, leader, cards=0)
    posterior = belief.infer(draws=DRAWS, rng=seed)
    against, question = lead_question(belief, contract)
    found = compare_leads(posterior, against, question, solver, "tricks", layouts * seconds_of(solver), seed)
    tricks = run(solver, Layouts.of([deal]), question)["lead_tricks"][0].astype(int)
    costs = {card: int(tricks.max() - tricks[card.index]) for card in belief.hand}
    return {
        "deal": str(deal),
        "contract": str(contract),
        "ours": costs[found.choices[0].cards[0]],
        "record": costs[lead],
        "random": [costs[card] for card in belief.hand],
        "layouts": found.solved,
        "cpu": time.process_time() - began,
    }


def main(argv: list[str] | None = None) -> int:
    """Judge, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--suits", type=int, default=450, help="boards with a contract in a suit")
    parser.add_argument("--no-trumps", type=int, default=450, help="boards with a contract at no trumps")
    parser.add_argument("--layouts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    lines = args.output.read_text().splitlines() if args.output.exists() else []
    done = [json.loads(line) for line in lines]
    known = {one["deal"] for one in done}
    left = {False: args.suits, True: args.no_trumps}
    for one in done:
        left[is_no_trumps(one["contract"])] -= 1
    if max(left.values()) > 0:
        solver = lead_solver()
        with args.output.open("a") as kept:
            for record in boards(args.records):
                if max(left.values()) <= 0:
                    break
                kind = is_no_trumps(str(record.contract))
                if left[kind] <= 0 or str(record.deal) in known:
                    continue
                try:
                    done.append(judged(record, solver, args.layouts, args.seed))
                except BayesBridgeError as error:
                    print(f"left out: {error}", file=sys.stderr)
                    continue
                left[kind] -= 1
                kept.write(json.dumps(done[-1]) + "\n")
                kept.flush()
    print(table(done))
    return 0


def is_no_trumps(contract: str) -> bool:
    """Whether a contract, as the kept lines write it, is at no trumps."""
    return "NT" in contract


def table(done: list[dict[str, Any]]) -> str:
    """DDOLAR and ADDOLAR with one standard error, as a Markdown table."""
    rows = [
        "| contracts | measure | boards | ours | on record | random card | ours − record |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, wanted in (("in a suit", False), ("at no trumps", True)):
        part = [one for one in done if is_no_trumps(one["contract"]) is wanted]
        decided = [one for one in part if any(one["random"])]
        for measure, boards in (("DDOLAR", part), ("ADDOLAR", decided)):
            if len(boards) < 2:
                continue
            ours, record = (np.array([one[who] == 0 for one in boards], float) for who in ("ours", "record"))
            random = np.array([np.mean(np.array(one["random"]) == 0) for one in boards])
            cells = [_share(values) for values in (ours, record, random, ours - record)]
            rows.append(f"| {name} | {measure} | {len(boards)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _share(values: Any) -> str:
    return f"{100 * values.mean():.1f} ± {100 * values.std(ddof=1) / sqrt(len(values)):.1f} %"


if __name__ == "__main__":
    sys.exit(main())
