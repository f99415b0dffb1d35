"""What P(make) of a contract costs to ± 3 and ± 1 points: plain DDS, `tricks` corrected
by DDS, `tricks` alone.

    python benchmarks/speed/bench_contracts.py [--json | --write]

Twenty positions of random deals, South declarer: ten with the dummy open, ten with
South's own hand alone. The contract is the one whose chance is nearest to one half, in
the suit with the most cards or at no trumps. Of each position 200 draws are solved,
which takes some minutes of processor time. They say how much of the variance the
network leaves (solves that an error takes) and how far the network alone is off. How
often stated errors hold is another question: ``benchmarks/evaluation/corrected.py``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from page import Table, run
from timing import once

from bayesbridge.belief.belief import Belief
from bayesbridge.estimators import registry
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.estimators.protocol import run as judge
from bayesbridge.evidence.kinds import Reveal
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Layouts
from bayesbridge.studies.deals import deal_blocks

EACH = 10
"""Positions of each kind."""
SOLVED = 200
DRAWS = 20_000
"""Draws that `tricks` judges, as many as a posterior has by default."""
DOUBT = 0.3
"""The chance of the contract is from 20 to 80 percent, by the network."""
KINDS = {"dummy open": True, "own hand alone": False}


class Case(NamedTuple):
    """One position.

    guesses: (SOLVED, 14) predicted    tricks: (SOLVED,) solved    needed: tricks of the
    contract network, solver: seconds of processor time for a layout
    """

    kind: str
    guesses: NDArray[np.float64]
    tricks: NDArray[np.int64]
    needed: int
    network: float
    solver: float

    @property
    def made(self) -> NDArray[np.float64]:
        """(SOLVED,) 1 where the contract makes."""
        return (self.tricks >= self.needed).astype(np.float64)

    @property
    def said(self) -> NDArray[np.float64]:
        """(SOLVED,) P(it makes) by the network."""
        return self.guesses[:, self.needed :].sum(axis=1)

    @property
    def unexplained(self) -> float:
        """Share of the variance that a line through the network's predictions leaves,
        less what fitting it took.
        """
        explained = np.corrcoef(self.made, self.said)[0, 1] ** 2
        return float((1 - explained) * (SOLVED - 1) / (SOLVED - 2))

    def solves(self, error: float, corrected: bool) -> float:
        """How many solved layouts an error takes; the draws that the network judges
        have an error of their own.
        """
        own = self.made.var(ddof=1)
        return (
            own * self.unexplained / (error**2 - own / DRAWS)
            if corrected
            else own / error**2
        )


def fit_of(masks: list[int]) -> Suit | None:
    """The suit in which hands have most cards: eight of two hands, six of one; else no
    trumps.
    """
    lengths = [
        sum((mask >> 13 * suit & 0x1FFF).bit_count() for mask in masks)
        for suit in range(4)
    ]
    longest = max(range(4), key=lambda suit: (lengths[suit], suit))
    return Suit(longest) if lengths[longest] >= (8 if len(masks) == 2 else 6) else None


@cache
def cases() -> tuple[Case, ...]:
    """All positions, solved: those of the first deals where some contract's chance is
    in doubt.
    """
    found = registry.load().estimators
    (deals,) = deal_blocks(20 * EACH, rng=16)
    cases: list[Case] = []
    for number, deal in enumerate(deals):
        if len(cases) == 2 * EACH:
            break
        kind = list(KINDS)[len(cases) // EACH]
        known = [int(deal[Seat.S]), *([int(deal[Seat.N])] if KINDS[kind] else [])]
        belief = Belief("S", Hand(known[0]), dummy=None).given(
            *(Reveal("N", Hand(mask)) for mask in known[1:])
        )
        question = Question.of("S:N", trump=fit_of(known))
        posterior = belief.infer("direct", 2048, number)
        judge(found["tricks"], posterior.layouts[:1], question)  # compiles
        chances, network = timed(found["tricks"], posterior.layouts, question)
        reached = chances[:, ::-1].cumsum(axis=1)[:, ::-1].mean(axis=0)
        needed = 7 + int(np.abs(reached[7:] - 0.5).argmin())
        if abs(reached[needed] - 0.5) < DOUBT:
            layouts = posterior.resample(SOLVED, number)
            tricks, solver = timed(found["solved"], layouts, question)
            guesses = judge(found["tricks"], layouts, question)["tricks"].astype(
                np.float64
            )
            cases.append(
                Case(kind, guesses, tricks.astype(np.int64), needed, network, solver)
            )
    return tuple(cases)


def timed(
    estimator: Estimator, layouts: Layouts, question: Question
) -> tuple[NDArray[Any], float]:
    """The first output, and seconds of processor time for a layout."""
    told: list[NDArray[Any]] = []
    seconds = once(lambda: told.extend(judge(estimator, layouts, question).values()))
    return told[0], seconds / len(layouts)


def costs() -> Table:
    """Solves and seconds by way and kind of position, medians over the positions."""
    title = "What P(make) costs, median of ten positions: solved layouts and seconds of one core"
    header = (
        "known, way",
        "solves ± 3",
        "seconds ± 3",
        "solves ± 1",
        "seconds ± 1",
        "off by (rms, points)",
    )
    if "solved" not in registry.load().estimators:
        return Table("contracts", title, header, [("not installed", *[None] * 5)])
    rows: list[tuple[str | float | None, ...]] = []
    for kind in KINDS:
        mine = [case for case in cases() if case.kind == kind]
        solve, judged = (
            float(np.median([getattr(case, name) for case in mine]))
            for name in ("solver", "network")
        )
        for way, corrected in (("plain DDS", False), ("`tricks` corrected", True)):
            first, second = (
                float(np.median([case.solves(e, corrected) for case in mine]))
                for e in (0.03, 0.01)
            )
            more = judged * DRAWS if corrected else 0.0
            rows.append(
                (
                    f"{kind}, {way}",
                    first,
                    first * solve + more,
                    second,
                    second * solve + more,
                    0,
                )
            )
        # What the network errs: the mean square of the gaps, less the part that the number of solved layouts makes.
        gaps = [case.made - case.said for case in mine]
        square = np.mean([gap.mean() ** 2 - gap.var(ddof=1) / SOLVED for gap in gaps])
        off = 100 * float(np.sqrt(max(0.0, square)))
        rows.append(
            (f"{kind}, `tricks` alone", 0, judged * DRAWS, 0, judged * DRAWS, off)
        )
    return Table("contracts", title, header, rows)


if __name__ == "__main__":
    run(__doc__, costs)
