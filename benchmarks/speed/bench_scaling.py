"""How cost grows with size, engine by engine: draws, hidden cards, evidence, workers.

    python benchmarks/speed/bench_scaling.py [--json | --write]

One core and processor time, but for the workers, who are timed by the clock: on a busy
machine they look slower than they are. South's hand is that of questions.py; the others
bid in all five strains by Algorithm 1 with slips.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from curves import Guide, Panel, Point, grow, table
from page import Table, run
from questions import DUMMY, HAND, SOUTH

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.errors import TooFewDraws
from bayesbridge.evidence.kinds import Called, HighCards, Holds, Length, Piece, Reveal
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import Hand
from bayesbridge.studies import headline
from bayesbridge.studies.jobs import RunOptions
from bayesbridge.studies.jobs import run as run_study

DEAL = {"N": DUMMY, "E": "987.KT98.QJT.QJT", "W": "JT.7654.6532.952"}
"""What the others hold, where the truth is wanted."""
AUCTION = (
    "W:1C Pass 1D 1S Pass 1NT 2C Pass 2D 2S Pass 2NT 3C Pass 3D 3S Pass 3NT 4C Pass"
)
"""Two calls of West and East in each round, one of South, who knows his own reasons."""
SECONDS = "seconds of one core"

BIDDING = Belief("S", HAND, bidder=IterativeBidder(suits=True))


type Task = Callable[[], object]
"""What is timed."""


def infer(belief: Belief, method: str, n: int = 2000) -> Task:
    """What is timed of an engine that answers by itself.

    The belief is a fresh one, since tables are kept with one. Plain weights may refuse
    once they have drawn and weighed.
    """

    def timed() -> object:
        with suppress(TooFewDraws):
            return belief.given().infer(method, n, 1).layouts
        return None

    return timed


def count(belief: Belief) -> Task:
    """What is timed of counting, by a fresh belief."""
    return lambda: belief.given().count()


def convolve(belief: Belief) -> Task:
    """What is timed of the convolution of T."""
    return partial(capture_counts, belief.constraints, 2, 0)


def curve(
    task_of: Callable[[Belief], Task], beliefs: Mapping[int, Belief], most: float = 8.0
) -> list[Point]:
    """The points of a task that is done with beliefs by their size."""

    def work(size: int) -> Task:
        return task_of(beliefs[size])

    return grow(work, list(beliefs), most)


DIRECT = partial(infer, method="direct", n=20_000)
WEIGHTING = partial(infer, method="likelihood-weighting", n=20_000)
IMPORTANCE = partial(infer, method="importance", n=20_000)
RESAMPLE_MOVE = partial(infer, method="resample-move")
ENUMERATE = partial(infer, method="enumerate")


MOST_WALKED = 2e7
"""Layouts that are enumerated at most."""


def draws() -> Table:
    """One call of West, more and more draws."""
    sizes = [100, 1_000, 10_000, 100_000, 1_000_000]
    called = BIDDING.given(Called("W", "1H"))
    curves = {"direct, no call": grow(partial(infer, SOUTH, "direct"), sizes)}
    for method in ("likelihood-weighting", "importance", "resample-move"):
        curves[method] = grow(partial(infer, called, method), sizes)
    panel = Panel(
        "Draws: three hidden hands, West has bid 1H",
        "draws",
        SECONDS,
        curves,
        Guide((10_000, 0.05), 1e6),
    )
    return table("scaling-draws", "Seconds against draws, one call as evidence", panel)


def hidden(n: int) -> Belief:
    """All but ``n`` cards of each of three hands are seen, and West has bid."""
    evidence: list[Piece] = []
    if n < 13:
        for seat, hand in DEAL.items():
            cards = list(Hand.from_pbn(hand))
            evidence.append(Holds(seat, Hand.of(cards[: 13 - n])))
    return BIDDING.given(*evidence, Called("W", "1H"))


def layouts() -> Table:
    """3 to 39 hidden cards in three hands: six layouts to 8 · 10¹⁶."""
    beliefs = [hidden(n) for n in (1, 3, 4, 5, 6, 7, 9, 11, 13)]
    by_layouts = {belief.count(): belief for belief in beliefs}
    uncalled = {size: without_calls(belief) for size, belief in by_layouts.items()}
    walked = {size: belief for size, belief in by_layouts.items() if size < MOST_WALKED}
    curves = {
        "counting": curve(count, by_layouts),
        "convolution of T": curve(convolve, by_layouts),
        "direct, 20 000 draws": curve(DIRECT, uncalled),
        "likelihood-weighting, 20 000 draws": curve(WEIGHTING, by_layouts),
        "resample-move, 2 000 draws": curve(RESAMPLE_MOVE, by_layouts),
        "importance, 20 000 draws": curve(IMPORTANCE, by_layouts),
        "enumerate": curve(ENUMERATE, walked),
    }
    panel = Panel(
        "Layouts: 3 to 39 hidden cards in three hands, West has bid 1H",
        "layouts that fit",
        SECONDS,
        curves,
        Guide((1e5, 0.005), 1e8),
    )
    return table(
        "scaling-layouts", "Seconds against layouts, 3 to 39 hidden cards", panel
    )


def without_calls(belief: Belief) -> Belief:
    """The hard evidence of a belief alone."""
    hard = [piece for piece in belief.evidence if not isinstance(piece, Called)]
    return SOUTH.given(*hard)


def known_lengths() -> list[Length]:
    """Twelve suit lengths of the hidden hands, each known within one card."""
    facts = []
    for place, suit in enumerate("SHDC"):
        for seat, hand in DEAL.items():
            length = len(hand.split(".")[place])
            facts.append(Length(seat, suit, max(0, length - 1), length + 1))
    return facts


def facts() -> Table:
    """More and more suit lengths known within one card; points likewise."""
    lengths = known_lengths()
    points = [HighCards(seat, 5, 12) for seat in ("N", "E", "W")]
    sizes = (1, 2, 3, 4, 6, 8, 10, 12)
    by_lengths = {n: SOUTH.given(*lengths[:n]) for n in sizes}
    by_points = {n: SOUTH.given(*points[:n]) for n in (1, 2, 3)}
    curves = {
        "counting": curve(count, by_lengths),
        "counting, points in a range": curve(count, by_points),
        "convolution of T": curve(convolve, by_lengths),
        "direct, 20 000 draws": curve(DIRECT, by_lengths),
    }
    panel = Panel(
        "Hard evidence: suit lengths within one card",
        "pieces of evidence",
        SECONDS,
        curves,
    )
    return table("scaling-facts", "Seconds against pieces of hard evidence", panel)


def calls() -> Table:
    """A longer and longer auction; two thirds of its calls are the others'."""
    words = AUCTION.split()
    by_calls = {}
    for n in (1, 2, 5, 8, 11, 14, 17, 20):
        auction = Auction.of(" ".join(words[:n]), dummy="N")
        by_calls[n] = BIDDING.given(auction)
    open_dummy = Reveal("N", DUMMY)
    by_calls_open = {n: belief.given(open_dummy) for n, belief in by_calls.items()}
    curves = {
        "enumerate, dummy open": curve(ENUMERATE, by_calls_open, most=20),
        "likelihood-weighting, 20 000 draws": curve(WEIGHTING, by_calls),
        "resample-move, 2 000 draws": curve(RESAMPLE_MOVE, by_calls),
        "importance, 20 000 draws": curve(IMPORTANCE, by_calls),
    }
    panel = Panel(
        "Soft evidence: calls of an auction",
        "calls heard",
        SECONDS,
        curves,
        Guide((2, 0.06), 20),
    )
    return table("scaling-calls", "Seconds against calls", panel)


def workers() -> Table:
    """The headline study with its play-outs, on more and more workers.

    They are up to twice as many as there are cores.
    """
    cores = os.cpu_count() or 1
    job = headline.STUDY.job
    curves: dict[str, list[Point]] = {}
    for scheduler in ("threads", "processes"):
        curves[scheduler] = []
        for workers in sorted({1, 2, cores, 2 * cores}):
            how = RunOptions(workers, scheduler)
            done = run_study(job, 32 * job.chunk, 1, how=how)
            curves[scheduler].append((workers, done.deals / done.seconds))
    panel = Panel(
        f"Workers on {cores} cores: the headline study, 17 million deals",
        "workers",
        "deals a second by the clock",
        curves,
        Guide(curves["threads"][0], cores),
    )
    return table(
        "scaling-workers", "Deals a second by the clock against workers", panel
    )


if __name__ == "__main__":
    run(__doc__, draws, layouts, facts, calls, workers)
