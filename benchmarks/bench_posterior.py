"""How fast the posterior is: exact counting, walking and sampling beside rejection, both sides in one run.

    python benchmarks/bench_posterior.py [--json]

South holds AKQ52.J3.A94.K83. *Plain*: nothing else is known. *B*: West is void in spades and East has five hearts or
more, 1 deal in 256. *C*: West is void in hearts and East has six spades or more, 1 deal in 102 000. All on one core and
per second of processor time, so other work on the machine disturbs little. No speed is asserted: read the ratios. The
`endplay` package is measured too if it is installed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.capture.kernels import tricks
from bayesbridge.cli.printing import number, print_table
from bayesbridge.evidence import Evidence, Length, Reveal, Void
from bayesbridge.posterior import swaps
from bayesbridge.posterior.convolution import capture_counts
from bayesbridge.posterior.enumeration import BLOCK, Enumeration
from bayesbridge.posterior.layouts import Masks
from bayesbridge.posterior.marginals import Marginals
from bayesbridge.posterior.moves import Moves
from bayesbridge.posterior.sampling import Sampler

HAND = "AKQ52.J3.A94.K83"
SOUTH = Belief("S", HAND)
QUESTIONS: dict[str, tuple[Evidence, ...]] = {
    "plain": (),
    "B": (Void("W", "S"), Length("E", "H", 5)),
    "C": (Void("W", "H"), Length("E", "S", 6)),
}
UNSEEN = [1 << card for card in range(52) if not SOUTH.hand.mask >> card & 1]
HEARTS, SPADES = 0x1FFF << 26, 0x1FFF << 39


class Timed(NamedTuple):
    """How long one thing takes, warmed up."""

    name: str
    seconds: float
    wanted: str


class Rate(NamedTuple):
    """Accepted deals a second for one question, and what that is based on."""

    system: str
    plain: float | None
    B: float | None
    C: float | None
    note: str


def spent(work: Callable[[], object], times: int = 3) -> float:
    """The least processor time of several runs; the first one, which compiles, is not counted."""
    work()
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def rate(work: Callable[[int], int], size: int, least: float = 1.0) -> float:
    """What ``work`` returns, a second of processor time: whole batches until ``least`` seconds are spent."""
    work(min(size, 100))
    done, started = 0, time.process_time()
    while (passed := time.process_time() - started) < least:
        done += work(size)
    return done / passed


def walk_everything() -> None:
    """A defender's view: every layout, T of declarer and dummy, where each card lies."""
    belief = SOUTH.given(Reveal("N", "643.AQ2.K87.A764"))
    layouts = Enumeration.of(belief.constraints)
    weights = np.full(BLOCK, 1.0 / len(layouts))
    sums, T = Marginals.empty(), np.zeros(14, dtype=np.int64)
    for block in layouts.blocks():
        T += np.bincount(tricks(np.ascontiguousarray(block[:, 1]), np.ascontiguousarray(block[:, 0])), minlength=14)
        sums.add(block, weights[: len(block)])
    assert T.sum() == len(layouts) == 10_400_600
    assert abs(sums.cards().sum() - 52) < 1e-9


def convolve() -> None:
    """T over all 8 122 425 444 partner hands, with exact integers."""
    assert capture_counts(SOUTH.constraints, 2, 0).total == 8_122_425_444 * 10_400_600


def first_count() -> float:
    """The first count of a fresh process, after its imports."""
    script = (
        "import time; from bayesbridge.belief.belief import Belief; "
        f"t = time.process_time(); Belief('S', '{HAND}').count(); print(time.process_time() - t)"
    )
    answer = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(answer.stdout)


def once() -> list[Timed]:
    """What is asked for as a time."""
    rare = SOUTH.given(*QUESTIONS["C"])
    return [
        Timed("all 10 400 600 layouts of an open dummy, T and card marginals", spent(walk_everything), "below 1 s"),
        Timed("T over all 8 122 425 444 partner hands, exact integers", spent(convolve), "below 0.3 s"),
        Timed("the first count of a fresh process", min(first_count() for _ in range(3)), "below 0.05 s"),
        Timed("count under C", spent(rare.count), ""),
        Timed("sampler tables, plain", spent(lambda: Sampler.of(SOUTH.constraints)), ""),
        Timed("sampler tables, C", spent(lambda: Sampler.of(rare.constraints)), ""),
    ]


def exact_sampling() -> Rate:
    """Unranking the counting tables."""
    found = []
    for evidence in QUESTIONS.values():
        sampler = Sampler.of(SOUTH.given(*evidence).constraints)
        found.append(rate(lambda n, sampler=sampler: len(sampler.draw(n, 1)), 200_000))
    return Rate("bayesbridge, exact sampling", *found, "no rejection")


def accept(west: int, east: int, name: str) -> bool:
    """The questions, in plain Python."""
    if name == "B":
        return not west & SPADES and (east & HEARTS).bit_count() >= 5
    return name == "plain" or (not west & HEARTS and (east & SPADES).bit_count() >= 6)


def python_rejection() -> Rate:
    """Shuffle, share out, look."""

    def deals(n: int, name: str) -> int:
        kept = 0
        for _ in range(n):
            random.shuffle(UNSEEN)
            kept += accept(sum(UNSEEN[:13]), sum(UNSEEN[13:26]), name)
        return kept

    return _rejection("plain Python, rejection", lambda name: rate(lambda n: deals(n, name), 1000))


def numpy_rejection() -> Rate:
    """The same, thousands at a time."""
    generator = np.random.default_rng(1)
    unseen = np.array(UNSEEN, dtype=np.uint64)

    def deals(n: int, name: str) -> int:
        order = np.argsort(generator.random((n, 39), dtype=np.float32), axis=1)
        hands = unseen[order].reshape(n, 3, 13).sum(axis=2)
        west, east = hands[:, 0], hands[:, 1]
        if name == "plain":
            return n
        void, long, least = (SPADES, HEARTS, 5) if name == "B" else (HEARTS, SPADES, 6)
        fits = (west & np.uint64(void) == 0) & (np.bitwise_count(east & np.uint64(long)) >= least)
        return int(fits.sum())

    return _rejection("NumPy, rejection", lambda name: rate(lambda n: deals(n, name), 10_000))


def _rejection(system: str, measure: Callable[[str], float]) -> Rate:
    """B is rare enough to be measured; C is not met in a second, so the plain rate times its exact chance stands in."""
    plain = measure("plain")
    chance = SOUTH.given(*QUESTIONS["C"]).count() / SOUTH.count()
    return Rate(system, plain, measure("B"), plain * chance, "C: plain rate times its exact chance")


def endplay() -> Rate:
    """The deal generator of endplay, if it is there."""
    try:
        from endplay.dealer import generate_deals
        from endplay.types import Deal
    except ImportError:
        return Rate("endplay", None, None, None, "not installed")
    conditions = {"plain": [], "B": ["spades(west)==0 && hearts(east)>=5"]}

    def deals(n: int, name: str) -> int:
        predeal = Deal(f"S:{HAND} ... ... ...")
        return sum(1 for _ in generate_deals(*conditions[name], predeal=predeal, produce=n, max_attempts=10**9))

    return _rejection("endplay", lambda name: rate(lambda n: deals(n, name), 1000 if name == "plain" else 5))


def swapping() -> list[Timed]:
    """Seconds for ten million proposals of the swap chain, under plain hard evidence and under C."""
    rows = []
    for name, evidence in QUESTIONS.items():
        constraints = SOUTH.given(*evidence).constraints
        moves, layouts = Moves.of(constraints), Sampler.of(constraints).draw(1000, 1)
        seconds = spent(lambda moves=moves, layouts=layouts: moves.shuffle(layouts, 10_000, 1))
        rows.append(Timed(f"10 million swap proposals, {name}", seconds, "below 1 s"))
    return [*rows, Timed("10 000 Metropolis steps of 16 swaps (50 chains), a call as evidence", metropolis(), "")]


def metropolis() -> float:
    """Every step is weighed by the paper's bidder."""
    model, auction, constraints = IterativeBidder(), Auction.of("W:1NT", dummy="N"), SOUTH.constraints

    def likelihood(layouts: Masks) -> NDArray[np.float64]:
        return model.log_likelihood(np.ascontiguousarray(layouts[:, 3]), auction, 0)

    kernel = swaps.Kernel.of(likelihood, constraints, Sampler.of(constraints))
    state = swaps.init(kernel, 50, 1)

    def steps() -> None:
        here, rng = state, np.random.default_rng(1)
        for _ in range(200):
            here, _ = swaps.step(here, kernel, rng)

    return spent(steps)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The posterior beside rejection sampling.")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    args = parser.parse_args()
    timed = [*once(), *swapping()]
    rates = [exact_sampling(), numpy_rejection(), python_rejection(), endplay()]
    if args.json:
        print(json.dumps({"seconds": [t._asdict() for t in timed], "deals_per_second": [r._asdict() for r in rates]}))
        return
    print_table(
        "One core, warmed up, seconds of processor time",
        ["", "wanted", "seconds"],
        [[row.name, row.wanted, number(row.seconds, 4)] for row in timed],
        left=2,
    )
    print_table(
        "Three hidden hands: deals a second that fit the evidence",
        ["", "", "plain", "B: 1 in 256", "C: 1 in 102 000"],
        [[row.system, row.note, *(_rate(value) for value in row[1:4])] for row in rates],
        left=2,
    )


def _rate(value: float | None) -> str:
    return number(value if value is None else round(value) if value >= 10 else value, 2)


if __name__ == "__main__":
    main()
