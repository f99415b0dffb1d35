"""How cost grows with size, engine by engine: draws, hidden cards, evidence, workers.

    python benchmarks/speed/bench_scaling.py [--json | --write]

One core and processor time, but for the workers, who are timed by the clock: on a busy
machine they look slower than they are. South's hand is that of questions.py; the others
bid in all five strains by Algorithm 1 with slips.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice

from curves import Panel, Point, grow, table
from page import Table, run
from questions import DUMMY, HAND, SOUTH

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.engines.convolution import capture_counts
from bayesbridge.errors import TooFewDraws
from bayesbridge.evidence.kinds import Called, HighCards, Holds, Length, Reveal
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


def infer(belief: Belief, method: str, n: int = 2000) -> Callable[[], object]:
    """What is timed of an engine that answers by itself; plain weights may refuse once
    they have drawn and weighed.
    """

    def timed() -> object:
        with suppress(TooFewDraws):
            return (
                belief.given().infer(method, n, 1).layouts
            )  # a fresh belief: tables are kept with one
        return None

    return timed


def draws() -> Table:
    """One call of West, more and more draws."""
    sizes = [100, 1_000, 10_000, 100_000, 1_000_000]
    called = BIDDING.given(Called("W", "1H"))
    curves = {"direct, no call": grow(lambda n: infer(SOUTH, "direct", n), sizes)}
    for method in ("likelihood-weighting", "importance", "resample-move"):
        curves[method] = grow(lambda n, method=method: infer(called, method, n), sizes)
    panel = Panel(
        "Draws: three hidden hands, West has bid 1H",
        "draws",
        SECONDS,
        curves,
        ((10_000, 0.05), 1e6),
    )
    return table("scaling-draws", "Seconds against draws, one call as evidence", panel)


def hidden(n: int) -> Belief:
    """All but ``n`` cards of each of three hands are seen, and West has bid."""
    seen = [
        Holds(seat, Hand.of(list(islice(Hand.from_pbn(hand), 13 - n))))
        for seat, hand in DEAL.items()
        if n < 13
    ]
    return BIDDING.given(*seen, Called("W", "1H"))


def layouts() -> Table:
    """3 to 39 hidden cards in three hands: six layouts to 8 · 10¹⁶."""
    each = {hidden(n).count(): hidden(n) for n in (1, 3, 4, 5, 6, 7, 9, 11, 13)}
    sizes = list(each)
    curves = {
        "counting": grow(lambda size: lambda: each[size].given().count(), sizes),
        "convolution of T": grow(
            lambda size: partial(capture_counts, each[size].constraints, 2, 0), sizes
        ),
        "direct, 20 000 draws": grow(
            lambda size: infer(hard(each[size]), "direct", 20_000), sizes
        ),
        "likelihood-weighting, 20 000 draws": grow(
            lambda size: infer(each[size], "likelihood-weighting", 20_000), sizes
        ),
        "resample-move, 2 000 draws": grow(
            lambda size: infer(each[size], "resample-move"), sizes
        ),
        "importance, 20 000 draws": grow(
            lambda size: infer(each[size], "importance", 20_000), sizes
        ),
        "enumerate": grow(
            lambda size: infer(each[size], "enumerate"),
            [size for size in sizes if size < 2e7],
        ),
    }
    panel = Panel(
        "Layouts: 3 to 39 hidden cards in three hands, West has bid 1H",
        "layouts that fit",
        SECONDS,
        curves,
        ((1e5, 0.005), 1e8),
    )
    return table(
        "scaling-layouts", "Seconds against layouts, 3 to 39 hidden cards", panel
    )


def hard(belief: Belief) -> Belief:
    """The same without the calls."""
    return SOUTH.given(
        *(piece for piece in belief.evidence if not isinstance(piece, Called))
    )


def facts() -> Table:
    """Suit lengths known within one card, for more and more suits of the hidden hands;
    points likewise.
    """
    lengths = [
        Length(seat, suit, max(0, len(held) - 1), len(held) + 1)
        for i, suit in enumerate("SHDC")
        for seat, hand in DEAL.items()
        for held in [hand.split(".")[i]]
    ]
    points = [HighCards(seat, 5, 12) for seat in ("N", "E", "W")]
    sizes = [1, 2, 3, 4, 6, 8, 10, 12]
    known = [SOUTH.given(*lengths[:n]) for n in range(13)]
    curves = {
        "counting": grow(lambda n: lambda: known[n].given().count(), sizes),
        "counting, points in a range": grow(
            lambda n: lambda: SOUTH.given(*points[:n]).count(), [1, 2, 3]
        ),
        "convolution of T": grow(
            lambda n: partial(capture_counts, known[n].constraints, 2, 0), sizes
        ),
        "direct, 20 000 draws": grow(
            lambda n: infer(known[n], "direct", 20_000), sizes
        ),
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
    heard = [
        BIDDING.given(Auction.of(" ".join(words[:n]), dummy="N"))
        for n in range(1, len(words) + 1)
    ]
    sizes = [1, 2, 5, 8, 11, 14, 17, 20]
    curves = {
        "enumerate, dummy open": grow(
            lambda n: infer(heard[n - 1].given(Reveal("N", DUMMY)), "enumerate"),
            sizes,
            20,
        ),
        "likelihood-weighting, 20 000 draws": grow(
            lambda n: infer(heard[n - 1], "likelihood-weighting", 20_000), sizes
        ),
        "resample-move, 2 000 draws": grow(
            lambda n: infer(heard[n - 1], "resample-move"), sizes
        ),
        "importance, 20 000 draws": grow(
            lambda n: infer(heard[n - 1], "importance", 20_000), sizes
        ),
    }
    panel = Panel(
        "Soft evidence: calls of an auction",
        "calls heard",
        SECONDS,
        curves,
        ((2, 0.06), 20),
    )
    return table("scaling-calls", "Seconds against calls", panel)


def workers() -> Table:
    """The headline study with its play-outs, on up to twice as many workers as there
    are cores.
    """
    cores = os.cpu_count() or 1
    sizes = sorted({1, 2, cores, 2 * cores})
    curves: dict[str, list[Point]] = {}
    for scheduler in ("threads", "processes"):
        curves[scheduler] = []
        for n in sizes:
            done = run_study(
                headline.STUDY.job,
                32 * headline.STUDY.job.chunk,
                1,
                how=RunOptions(n, scheduler),
            )
            curves[scheduler].append((n, done.deals / done.seconds))
    panel = Panel(
        f"Workers on {cores} cores: the headline study, 17 million deals",
        "workers",
        "deals a second by the clock",
        curves,
        (curves["threads"][0], cores),
    )
    return table(
        "scaling-workers", "Deals a second by the clock against workers", panel
    )


if __name__ == "__main__":
    run(__doc__, draws, layouts, facts, calls, workers)
