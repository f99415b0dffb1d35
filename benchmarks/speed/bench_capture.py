"""How fast capturing is: tables and kernels beside the literal Python.

    python benchmarks/speed/bench_capture.py [--json | --write]

Both sides are measured in one run. Rates on one core are per second of processor time, so other work on the machine
disturbs them little. Nothing is asserted: read the ratios, not the seconds.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from page import Table, run
from timing import of_command, once, rate

from bayesbridge.capture import exact, kernels, literal, tables
from bayesbridge.game.cards import Hand
from bayesbridge.studies import captures

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from count_shifts import FULL, half_deals, join  # type: ignore[import-not-found]

DECK = [1 << index for index in range(52)]
HANDS = ("AKQ2.KJ3.A54.Q32", "J54.AQ2.KQ32.A54")


def deal_two_hands() -> tuple[Hand, Hand]:
    """Plain Python dealing: 26 of 52 cards, in random order."""
    cards = random.sample(DECK, 26)
    return Hand(sum(cards[:13])), Hand(sum(cards[13:]))


def deal_and_capture(deals: int) -> None:
    """The literal way, from the deck to T."""
    for _ in range(deals):
        literal.capture(*deal_two_hands())


def ratios() -> Table:
    """One core: both ways over the same kind of deals, and over the same deals where
    dealing is not part of it.
    """
    pairs = [deal_two_hands() for _ in range(5_000)]
    first, second = (
        np.array([pair[i].mask for pair in pairs] * 40, dtype=np.uint64) for i in (0, 1)
    )

    def capture_literally(deals: int) -> None:
        for pair in pairs[:deals]:
            literal.capture(*pair)

    def bid_literally(hands: int) -> None:
        for pair in pairs[:hands]:
            literal.bid(pair[0])

    compared = [
        (
            "Algorithm 2 with dealing, `bayesbridge study captures`",
            rate(
                lambda deals: captures.count(np.random.SeedSequence(1), deals), 1 << 19
            ),
            rate(deal_and_capture, 2_000),
        ),
        (
            "Algorithm 2 on given deals, all quantities, `kernels.captures`",
            rate(
                lambda deals: kernels.captures(first[:deals], second[:deals]),
                len(first),
            ),
            rate(capture_literally, len(pairs)),
        ),
        (
            "Algorithm 1 on given hands, `kernels.bids`",
            rate(lambda hands: kernels.bids(first[:hands]), len(first)),
            rate(bid_literally, len(pairs)),
        ),
    ]
    return Table(
        "capture",
        "Captures and bids a second of processor time, one core",
        ("a second", "fast", "literal Python", "ratio"),
        [(name, fast, slow, fast / slow) for name, fast, slow in compared],
    )


def whole_space() -> float:
    """The exact distribution of every outcome, from nothing but compiled kernels."""
    counts = {}

    def work() -> None:
        tables._all_rows(tables.ROWS)
        half = half_deals()
        counts.update(join(half, half, FULL))

    work()  # loads the compiled kernels
    spent = once(work)
    assert sum(counts.values()) == exact.DEALS
    return spent


def ten_million() -> float:
    """The paper's largest study, on two cores."""
    captures.simulate(1_000_000, 1, 2)
    started = time.perf_counter()
    captures.simulate(10_000_000, 1, 2)
    return time.perf_counter() - started


def all_at_once() -> Table:
    """Every deal there is, and ten million of them."""
    return Table(
        "all-deals",
        "All deals, and ten million of them",
        ("deals", "measured", "seconds"),
        [
            (
                "all 5.16 · 10²¹ deals exactly, one core",
                "processor time, tables built anew",
                whole_space(),
            ),
            (
                "10 million random deals, two workers",
                "time on the clock",
                ten_million(),
            ),
        ],
        words=2,
    )


def starts() -> Table:
    """Whole processes, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "BAYESBRIDGE_CACHE": cache}
        environment.pop("NUMBA_CACHE_DIR", None)

        def start(when: str, *words: str) -> tuple[str, str, float]:
            spent, _ = of_command(
                [sys.executable, "-m", "bayesbridge", *words], environment=environment
            )
            return (
                f"`bayesbridge {' '.join(words)}`".replace(" ".join(HANDS), "…"),
                when,
                spent,
            )

        rows = [
            start("first: nothing compiled", "study", "captures"),
            start("later", "study", "captures"),
            start("first", "study", "captures", "--exact"),
            start("later", "study", "captures", "--exact"),
            start("later", "capture", *HANDS),
            start("later", "--help"),
        ]
    return Table(
        "starts",
        "Whole commands, processor time",
        ("command", "start", "seconds"),
        rows,
        words=2,
    )


if __name__ == "__main__":
    run(__doc__, ratios, all_at_once, starts)
