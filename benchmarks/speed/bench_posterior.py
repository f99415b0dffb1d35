"""How fast the posterior is, and what an effective draw costs by each engine.

    python benchmarks/speed/bench_posterior.py [--json | --write]

Counting, walking, convolving and moving are timed. South's hand and the questions B and
C are those of questions.py. All on one core, warmed up, in processor time. No speed is
asserted.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
from page import Cell, Table, run
from questions import DUMMY, HAND, QUESTIONS, SOUTH
from timing import seconds

from bayesbridge import estimate
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.capture.kernels import tricks
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.engines.draws import Marginals
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.particles import Moves
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.kinds import Called, Reveal
from bayesbridge.game.auction import Auction
from bayesbridge.game.layouts import Floats, Layouts, Masks


def walk_everything() -> None:
    """A defender's view: every layout, T of declarer and dummy, where each card lies."""
    belief = SOUTH.given(Reveal("N", DUMMY))
    layouts = Enumeration.of(belief.constraints)
    weights = np.full(BLOCK, 1.0 / len(layouts))
    T = np.zeros(14, dtype=np.int64)

    def weighted() -> Iterator[tuple[Masks, Floats]]:
        nonlocal T
        for block in layouts.blocks():
            dummy = np.ascontiguousarray(block[:, 0])
            declarer = np.ascontiguousarray(block[:, 1])
            T += np.bincount(tricks(declarer, dummy), minlength=14)
            yield block, weights[: len(block)]

    sums = Marginals.of(weighted())
    assert T.sum() == len(layouts) == 10_400_600
    assert abs(sums.card_marginals().sum() - 52) < 1e-9


def estimate_everything() -> None:
    """The same view with a call of West's to weigh, as a user asks for it.

    A posterior, and every output of capture.
    """
    belief = SOUTH.given(Called("W", "1NT"), Reveal("N", DUMMY))
    estimate(belief.infer("enumerate"), "capture")


def convolve() -> None:
    """T over all 8 122 425 444 partner hands, with exact integers."""
    T = capture_counts(SOUTH.constraints, 2, 0)["T"]
    assert T.sum() == 8_122_425_444 * 10_400_600


def first_count() -> float:
    """The first count of a fresh process, after its imports."""
    script = (
        "import time; from bayesbridge.belief.belief import Belief; "
        f"t = time.process_time(); Belief('S', '{HAND}').count(); print(time.process_time() - t)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    return float(answer.stdout)


def shuffling(name: str) -> float:
    """Ten million proposals of the swap chain under the hard evidence of a question."""
    constraints = SOUTH.given(*QUESTIONS[name]).constraints
    moves = Moves.of(constraints)
    layouts = LayoutIndex.of(constraints).draw(1000, 1)
    return seconds(lambda: moves.shuffle(layouts, 10_000, 1))


WITH_SUITS = Belief("S", HAND, bidder=IterativeBidder(suits=True))
WITH_STYLE = Belief("S", HAND, bidder=StyleBidder())
FOUR_PLAYERS = Belief("S", HAND, dummy=None)

HEARD = {
    "paper's bidder, West bids 1NT": SOUTH.given(Called("W", "1NT")),
    "paper's bidder, West bids 3NT": SOUTH.given(Called("W", "3NT")),
    "with suits, West bids 1H": WITH_SUITS.given(Called("W", "1H")),
    "with suits, West bids 3S": WITH_SUITS.given(Called("W", "3S")),
    "style, West bids 1H": WITH_STYLE.given(Called("W", "1H")),
    "learned, 1NT – 3NT": FOUR_PLAYERS.given(
        Auction.of("N:1NT Pass 3NT Pass Pass Pass")
    ),
}
"""Beliefs that have heard calls."""


METHODS = ("likelihood-weighting", "importance", "resample-move", "levels")
DRAWS = 10_000


def engines() -> Table:
    """What each engine is made for."""
    rare = SOUTH.given(*QUESTIONS["C"])
    rows: list[tuple[Cell, ...]] = [
        (
            "enumeration: all 10 400 600 layouts of an open dummy, T and card marginals",
            seconds(walk_everything),
        ),
        (
            "enumeration: the same weighed by a call, `bb.estimate` from end to end",
            seconds(estimate_everything),
        ),
        (
            "convolution: T over all 8 122 425 444 partner hands, exact integers",
            seconds(convolve),
        ),
        (
            "counting: the first count of a fresh process",
            min(first_count() for _ in range(3)),
        ),
        ("counting under C", seconds(lambda: rare.given().count())),
        (
            "sampling: tables, plain",
            seconds(partial(LayoutIndex.of, SOUTH.constraints)),
        ),
        ("sampling: tables, C", seconds(partial(LayoutIndex.of, rare.constraints))),
    ]
    for name in QUESTIONS:
        rows.append((f"swaps: 10 million proposals, {name}", shuffling(name)))
    return Table(
        "engines",
        "Engines, one core, warmed up, processor time",
        ("engine", "seconds"),
        rows,
    )


def effective_draws() -> Table:
    """Questions with soft evidence by each engine that can answer them.

    Every engine gets 10 000 draws. Tables are kept with a belief: a fresh one is timed,
    tables included.
    """
    rows: list[tuple[Cell, ...]] = []
    for words, belief in HEARD.items():
        for method in METHODS:
            try:
                ess = belief.infer(method, DRAWS, 1).ess
            except BayesBridgeError:
                # Exact draws are for Algorithm 1 in no trumps, plain weights for common
                # calls.
                continue
            spent = seconds(partial(draw, belief, method), times=2)
            rows.append((words, f"`{method}`", spent, ess, ess / spent))
    return Table(
        "effective-draws",
        "Soft evidence: 10 000 draws, what they are worth by the engine's own account, "
        "and what that costs",
        (
            "evidence",
            "engine",
            "seconds",
            "effective draws",
            "effective draws a second",
        ),
        rows,
        words=2,
    )


def draw(belief: Belief, method: str) -> Layouts:
    """The draws of an engine, from a fresh belief."""
    return belief.given().infer(method, DRAWS, 1).layouts


if __name__ == "__main__":
    run(__doc__, engines, effective_draws)
