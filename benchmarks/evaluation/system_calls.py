"""Do calls show what descriptions of a system say they promise? By family.

    python benchmarks/evaluation/system_calls.py
    python benchmarks/evaluation/system_calls.py --resume folder --json

``system_calls.toml`` has the sequences, in letters that stand for suits, with what the
last call promises and where it is described. Of each sequence in each suit: the share
of the caller's hands that keep the promise, by the caller's own calls, which are read
by ``SystemBidder``. Hands are random ones, strong ones oftener and weighted.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from instrument import Floats, options, setting, show, start

from bayesbridge.bidders.families import Family
from bayesbridge.bidders.statements import Statement, points_and_shapes
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.display.markup import Table
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.layouts import Hands, high_card_points
from bayesbridge.studies.jobs import Job, RunOptions, rows

ROWS_FILE: Final = Path(__file__).with_suffix(".toml")
CHUNK: Final = 10
"""Sequences in a chunk."""

WITHIN: Final = 0.85
"""Share of the hands that keep a promise where a call is read rightly."""

HALF: Final = 0.5

DEALT_HANDS: Final = 60_000
STRONG_POINTS: Final = 24.0
POINTS_PER_E: Final = 5.0
LEAST_KEPT: Final = 0.05
LIKELY: Final = 0.998
"""Share of the probability whose hands are followed from one call to the next."""


class Sequence(NamedTuple):
    """Calls of a system, and what the last of them promises."""

    system: str
    family: str
    auction: Auction
    promise: Statement


@cache
def sequences() -> tuple[Sequence, ...]:
    """The sequences of the file, in every suit."""
    document = tomllib.loads(ROWS_FILE.read_text(encoding="utf-8"))
    suit_sequences: list[Sequence] = []
    for family, promises in document["families"].items():
        for systems, calls, text in promises:
            for auction, promise in _in_suits(calls, text):
                for system in systems.split():
                    suit_sequences.append(Sequence(system, family, auction, promise))
    return tuple(suit_sequences)


def _in_suits(calls: str, text: str) -> Iterator[tuple[Auction, Statement]]:
    """Calls in letters, in all suits that they may stand for."""
    *earlier, promising = calls.split()
    family = Family.of(" ".join(earlier), {promising: (text,)})
    for place in family.places():
        for call, (promise,) in family.meanings(place).items():
            auction = Auction.four("N").after_all((*place, call))
            yield auction, promise


@cache
def dealt_hands(seed: int) -> tuple[Hands, Floats]:
    """Random hands, strong ones oftener, and the logarithms of their weights."""
    generator = np.random.default_rng(seed)
    order = generator.random((DEALT_HANDS, 52)).argsort(axis=1)[:, :13]
    cards = np.uint64(1) << order.astype(np.uint64)
    hands = np.bitwise_or.reduce(cards, axis=1)
    strength = (high_card_points(hands) - STRONG_POINTS) / POINTS_PER_E
    chance = np.clip(np.exp(strength), LEAST_KEPT, 1.0)
    is_kept = generator.random(len(hands)) < chance
    return hands[is_kept], -np.log(chance[is_kept])


def caller_hands(
    bidder: BidderModel, auction: Auction, seed: int
) -> tuple[Hands, Floats]:
    """(n,) hands that the last caller may hold by its own calls, and their weights."""
    hands, logs = dealt_hands(seed)
    last = len(auction.calls) - 1
    for index in range(last % 4, last + 1, 4):
        logs = logs + bidder.log_likelihood(hands, auction, index)
        weights = np.exp(logs - logs.max())
        order = np.argsort(-weights)
        cumulative = weights[order].cumsum()
        kept = 1 + int(np.searchsorted(cumulative, LIKELY * cumulative[-1]))
        hands = hands[order[:kept]]
        logs = logs[order[:kept]]
    weights = np.exp(logs - logs.max())
    return hands, weights / weights.sum()


def judge(sequence: Sequence, seed: int) -> tuple[float, float]:
    """The share of hands that keep the promise, and its standard error."""
    bidder = SystemBidder(sequence.system)
    hands, weights = caller_hands(bidder, sequence.auction, seed)
    keeps = sequence.promise.fits(hands, *points_and_shapes(hands))
    share = float(weights @ keeps)
    return share, float(np.sqrt(weights**2 @ (keeps - share) ** 2))


def count(seed: int, chunk: np.random.SeedSequence, many: int) -> Floats:
    """(many, 2) shares and errors of the sequences of one chunk."""
    first = CHUNK * chunk.spawn_key[0]
    judged = sequences()[first : first + many]
    return np.array([judge(sequence, seed) for sequence in judged])


def measure(seed: int, how: RunOptions | None = None) -> Floats:
    """(sequences, 2) shares and errors of all sequences."""
    what: dict[str, int | str] = {"hands": seed, "rows": ROWS_FILE.read_text()}
    job = Job("system_calls", partial(count, seed), CHUNK, what)
    return np.array([*rows(job, len(sequences()), seed, how)])


def family_table(shares: Floats) -> Table:
    """A row for each family: how many sequences are within, and the lowest."""
    by_family: dict[str, list[tuple[float, Sequence]]] = {}
    for sequence, share in zip(sequences(), shares[:, 0], strict=True):
        by_family.setdefault(sequence.family, []).append((float(share), sequence))
    cells: list[list[str | float]] = []
    for family, judged in by_family.items():
        within = sum(share >= WITHIN for share, _ in judged)
        lowest, sequence = min(judged, key=lambda pair: pair[0])
        mean = np.mean([share for share, _ in judged])
        cells.append(
            [
                family,
                str(len(judged)),
                str(within),
                f"{100 * mean:.0f} %",
                f"{100 * lowest:.0f} %: {_name(sequence)}",
            ]
        )
    header = ["family", "sequences", "within", "mean", "lowest"]
    return Table("Hands that keep what a call promises", header, cells)


def _name(sequence: Sequence) -> str:
    calls = " ".join(str(call) for call in sequence.auction.calls if call != Call(0))
    return f"{sequence.system} {calls}, {sequence.promise.text}"


def document(shares: Floats) -> dict[str, Any]:
    """All sequences, as plain data."""
    return {
        "sequences": [
            {
                "system": sequence.system,
                "family": sequence.family,
                "auction": str(sequence.auction),
                "promise": sequence.promise.text,
                "share": float(share),
                "error": float(error),
            }
            for sequence, (share, error) in zip(sequences(), shares, strict=True)
        ]
    }


def main() -> None:
    """Compare what calls promise with what is read from them."""
    args = options(__doc__).parse_args()
    shares = measure(args.seed, setting(args))
    total = len(shares)
    within = int((shares[:, 0] >= WITHIN).sum())
    low = int((shares[:, 0] < HALF).sum())
    line = (
        f"{within} of {total} sequences are kept by at least {100 * WITHIN:g} % of the "
        f"hands, {low} by less than half."
    )
    show(args, document(shares), [family_table(shares)], line)


if __name__ == "__main__":
    start(main)
