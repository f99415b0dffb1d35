"""How fast capturing is: tables and kernels beside the literal Python, both sides in one run.

    python benchmarks/bench_capture.py [--json]

Rates on one core are per second of processor time, so other work on the machine disturbs them little. Nothing is
asserted: read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bayesbridge.capture import exact, halves, kernels, literal, tables
from bayesbridge.cards import Hand
from bayesbridge.cli.printing import number, print_table
from bayesbridge.studies import captures

DECK = [1 << index for index in range(52)]
HANDS = ("AKQ2.KJ3.A54.Q32", "J54.AQ2.KQ32.A54")


class Ratio(NamedTuple):
    """Deals (or hands) a second of processor time, the fast way and the literal way."""

    name: str
    fast: float
    literal: float


class Seconds(NamedTuple):
    """How long one thing took."""

    name: str
    seconds: float
    note: str


def rate(work: Callable[[int], object], size: int, least: float = 1.0) -> float:
    """Items a second of processor time: whole batches until ``least`` seconds are spent, the first one not counted."""
    work(min(size, 1000))
    done, started = 0, time.process_time()
    while (spent := time.process_time() - started) < least:
        work(size)
        done += size
    return done / spent


def deal_two_hands() -> tuple[Hand, Hand]:
    """Plain Python dealing: 26 of 52 cards, in random order."""
    cards = random.sample(DECK, 26)
    return Hand(sum(cards[:13])), Hand(sum(cards[13:]))


def deal_and_capture(deals: int) -> None:
    """The literal way, from the deck to T."""
    for _ in range(deals):
        literal.capture(*deal_two_hands())


def ratios() -> list[Ratio]:
    """One core: both ways over the same kind of deals, and over the same deals where dealing is not part of it."""
    pairs = [deal_two_hands() for _ in range(5_000)]
    first, second = (np.array([pair[i].mask for pair in pairs] * 40, dtype=np.uint64) for i in (0, 1))

    def capture_literally(deals: int) -> None:
        for pair in pairs[:deals]:
            literal.capture(*pair)

    def bid_literally(hands: int) -> None:
        for pair in pairs[:hands]:
            literal.bid(pair[0])

    return [
        Ratio(
            "Algorithm 2 with dealing (halves.draw_tricks)",
            rate(lambda deals: halves.draw_tricks(deals, 1), 1 << 21),
            rate(deal_and_capture, 2_000),
        ),
        Ratio(
            "Algorithm 2 on given deals, all quantities (kernels.captures)",
            rate(lambda deals: kernels.captures(first[:deals], second[:deals]), len(first)),
            rate(capture_literally, len(pairs)),
        ),
        Ratio(
            "Algorithm 1 on given hands (kernels.bids)",
            rate(lambda hands: kernels.bids(first[:hands]), len(first)),
            rate(bid_literally, len(pairs)),
        ),
    ]


def whole_space() -> Seconds:
    """The exact distribution of every outcome, from nothing but compiled kernels."""
    tables._all_rows(10)
    started = time.process_time()
    tables._all_rows(tables.ROWS)
    counts = exact._count_outcomes()
    spent = time.process_time() - started
    assert sum(counts.values()) == exact.DEALS
    return Seconds("all 5.16e21 deals exactly, one core", spent, "processor time, tables built anew")


def ten_million() -> Seconds:
    """The paper's largest study, on two cores."""
    captures.simulate(1_000_000, 1, 2)
    started = time.perf_counter()
    captures.simulate(10_000_000, 1, 2)
    return Seconds("10 million random deals, two workers", time.perf_counter() - started, "wall time")


def starts() -> list[Seconds]:
    """Whole processes, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "BAYESBRIDGE_CACHE": cache}
        environment.pop("NUMBA_CACHE_DIR", None)

        def start(when: str, *words: str) -> Seconds:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "bayesbridge", *words], env=environment, check=True, stdout=subprocess.DEVNULL
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            return Seconds(f"bayesbridge {' '.join(words)}".replace(" ".join(HANDS), "…"), spent, when)

        first, later = "processor time, first start: nothing compiled", "processor time, later start"
        return [
            start(first, "study", "captures"),
            start(later, "study", "captures"),
            start("processor time, first start of --exact", "study", "captures", "--exact"),
            start(later, "study", "captures", "--exact"),
            start(later, "capture", *HANDS),
            start(later, "--help"),
        ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Capturing beside the literal Python.")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    args = parser.parse_args()
    compared = ratios()
    timed = [whole_space(), ten_million(), *starts()]
    if args.json:
        document = {
            "ratios": [{**row._asdict(), "ratio": row.fast / row.literal} for row in compared],
            "seconds": [row._asdict() for row in timed],
        }
        print(json.dumps(document))
        return
    print_table(
        "One core, per second of processor time",
        ["", "fast", "literal Python", "ratio"],
        [
            [row.name, number(round(row.fast)), number(round(row.literal)), number(round(row.fast / row.literal))]
            for row in compared
        ],
    )
    print_table("Once", ["", "", "seconds"], [[row.name, row.note, number(row.seconds, 2)] for row in timed], left=2)


if __name__ == "__main__":
    main()
