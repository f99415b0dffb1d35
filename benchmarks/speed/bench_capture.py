"""How fast capturing is: tables and kernels beside the literal Python.

    python benchmarks/speed/bench_capture.py [--json | --write]

Both sides are measured in one run. Rates on one core are per second of processor time,
so other work on the machine disturbs them little. Nothing is asserted: read the ratios,
not the seconds.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from page import Cell, Table, run
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


GIVEN_DEALS = 5_000
REPEATS = 40
"""How often the kernels meet the same deals."""


def ratios() -> Table:
    """One core: both ways over the same kind of deals.

    Over the same deals where dealing is not part of it.
    """
    pairs = [deal_two_hands() for _ in range(GIVEN_DEALS)]
    first_masks = [first.mask for first, _ in pairs]
    second_masks = [second.mask for _, second in pairs]
    first = np.array(first_masks * REPEATS, dtype=np.uint64)
    second = np.array(second_masks * REPEATS, dtype=np.uint64)
    seed = np.random.SeedSequence(1)

    def capture_literally(deals: int) -> None:
        """Algorithm 2 by the literal Python."""
        for pair in pairs[:deals]:
            literal.capture(*pair)

    def capture_by_kernel(deals: int) -> None:
        """Algorithm 2 by the kernel."""
        kernels.captures(first[:deals], second[:deals])

    def bid_literally(hands: int) -> None:
        """Algorithm 1 by the literal Python."""
        for hand, _ in pairs[:hands]:
            literal.bid(hand)

    def bid_by_kernel(hands: int) -> None:
        """Algorithm 1 by the kernel."""
        kernels.bids(first[:hands])

    rows = [
        row_of(
            "Algorithm 2 with dealing, `bayesbridge study captures`",
            rate(partial(captures.count, seed), 1 << 19),
            rate(deal_and_capture, 2_000),
        ),
        row_of(
            "Algorithm 2 on given deals, all quantities, `kernels.captures`",
            rate(capture_by_kernel, len(first)),
            rate(capture_literally, len(pairs)),
        ),
        row_of(
            "Algorithm 1 on given hands, `kernels.bids`",
            rate(bid_by_kernel, len(first)),
            rate(bid_literally, len(pairs)),
        ),
    ]
    return Table(
        "capture",
        "Captures and bids a second of processor time, one core",
        ("a second", "fast", "literal Python", "ratio"),
        rows,
    )


def row_of(name: str, fast: float, slow: float) -> tuple[Cell, ...]:
    """Both rates, and how many times the one is the other."""
    return (name, fast, slow, fast / slow)


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

        def start(when: str, *words: str) -> tuple[Cell, ...]:
            """A row: the command, its cache, and the seconds that it takes."""
            command = [sys.executable, "-m", "bayesbridge", *words]
            spent, _ = of_command(command, environment=environment)
            shown = f"`bayesbridge {' '.join(words)}`".replace(" ".join(HANDS), "…")
            return (shown, when, spent)

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
