"""What P(make) of a contract costs to ± 3 and ± 1 points.

    python benchmarks/speed/bench_contracts.py [--json | --write]

By plain DDS, by `tricks` corrected by DDS, and by `tricks` alone. Twenty positions of
random deals, South declarer: ten with the dummy open, ten with South's own hand alone.
The contract is the one whose chance is nearest to one half, in the suit with the most
cards or at no trumps. Of each position 200 draws are solved, which takes some minutes
of processor time. They say how much of the variance the network leaves (solves that an
error takes) and how far the network alone is off. How often stated errors hold is
another question: ``benchmarks/evaluation/corrected.py``.
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
"""Whether South sees North's hand."""

type Row = tuple[str | float | None, ...]


class Case(NamedTuple):
    """One position."""

    kind: str
    guesses: NDArray[np.float64]
    """(SOLVED, 14) P(tricks) by the network."""
    tricks: NDArray[np.int64]
    """(SOLVED,) by the solver."""
    needed: int
    """Tricks of the contract."""
    network: float
    """Seconds of processor time for a layout."""
    solver: float
    """The same of the solver."""

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
        """Share of the variance that a line through the network's predictions leaves.

        It is less what fitting the line took.
        """
        explained = np.corrcoef(self.made, self.said)[0, 1] ** 2
        return float((1 - explained) * (SOLVED - 1) / (SOLVED - 2))

    def solves(self, error: float, corrected: bool) -> float:
        """How many solved layouts an error takes.

        The draws that the network judges have an error of their own.
        """
        variance = self.made.var(ddof=1)
        if corrected:
            solved_variance = error**2 - variance / DRAWS
            return variance * self.unexplained / solved_variance
        return variance / error**2


def fit_of(masks: list[int]) -> Suit | None:
    """The suit in which hands have most cards, or ``None`` for no trumps.

    Two hands need eight cards, one needs six.
    """

    def length_of(suit: Suit) -> int:
        return sum(Hand(mask).length(suit) for mask in masks)

    longest = max(Suit, key=lambda suit: (length_of(suit), suit))
    least_length = 8 if len(masks) == 2 else 6
    return longest if length_of(longest) >= least_length else None


@cache
def cases() -> tuple[Case, ...]:
    """All positions, solved.

    They are those of the first deals where some contract's chance is in doubt.
    """
    (deals,) = deal_blocks(20 * EACH, rng=16)
    cases: list[Case] = []
    for number, deal in enumerate(deals):
        if len(cases) == 2 * EACH:
            break
        kind = list(KINDS)[len(cases) // EACH]
        case = case_of(kind, number, int(deal[Seat.S]), int(deal[Seat.N]))
        if case is not None:
            cases.append(case)
    return tuple(cases)


def case_of(kind: str, number: int, south: int, north: int) -> Case | None:
    """The position of a deal, solved; ``None`` where no contract is in doubt."""
    estimators = registry.load().estimators
    network = estimators["tricks"]
    belief = Belief("S", Hand(south), dummy=None).given()
    known_masks = [south]
    if KINDS[kind]:
        belief = belief.given(Reveal("N", Hand(north)))
        known_masks.append(north)
    question = Question.of("S:N", trump=fit_of(known_masks))
    posterior = belief.infer("direct", 2048, number)
    judge(network, posterior.layouts[:1], question)  # compiles
    chances, network_seconds = timed(network, posterior.layouts, question)
    needed = doubtful_tricks(chances)
    if needed is None:
        return None
    layouts = posterior.resample(SOLVED, number)
    tricks, solver_seconds = timed(estimators["solved"], layouts, question)
    guesses = judge(network, layouts, question)["tricks"].astype(np.float64)
    return Case(
        kind,
        guesses,
        tricks.astype(np.int64),
        needed,
        network_seconds,
        solver_seconds,
    )


def doubtful_tricks(chances: NDArray[Any]) -> int | None:
    """Tricks of the contract whose chance is nearest to one half, if in doubt.

    ``chances`` are (layouts, 14) P(tricks).
    """
    at_least = chances[:, ::-1].cumsum(axis=1)[:, ::-1].mean(axis=0)
    needed = 7 + int(np.abs(at_least[7:] - 0.5).argmin())
    return needed if abs(at_least[needed] - 0.5) < DOUBT else None


def timed(
    estimator: Estimator, layouts: Layouts, question: Question
) -> tuple[NDArray[Any], float]:
    """The first output, and seconds of processor time for a layout."""
    outputs: list[NDArray[Any]] = []
    seconds = once(lambda: outputs.extend(judge(estimator, layouts, question).values()))
    return outputs[0], seconds / len(layouts)


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
    rows: list[Row] = []
    for kind in KINDS:
        rows += rows_of_kind(kind, [case for case in cases() if case.kind == kind])
    return Table("contracts", title, header, rows)


def rows_of_kind(kind: str, cases: list[Case]) -> list[Row]:
    """A row for each way to find P(make), by the positions of one kind."""
    seconds_a_solve = float(np.median([case.solver for case in cases]))
    network_seconds = DRAWS * float(np.median([case.network for case in cases]))
    rows: list[Row] = []
    for way, corrected in (("plain DDS", False), ("`tricks` corrected", True)):
        extra_seconds = network_seconds if corrected else 0.0
        cells: list[float] = []
        for error in (0.03, 0.01):
            solves = [case.solves(error, corrected) for case in cases]
            median = float(np.median(solves))
            cells += [median, median * seconds_a_solve + extra_seconds]
        rows.append((f"{kind}, {way}", *cells, 0))
    alone = f"{kind}, `tricks` alone"
    points = 100 * network_error(cases)
    rows.append((alone, 0, network_seconds, 0, network_seconds, points))
    return rows


def network_error(cases: list[Case]) -> float:
    """The network's own error: root mean square of its gaps from the solver.

    The part that the number of solved layouts makes is left out.
    """
    gaps = [case.made - case.said for case in cases]
    square = np.mean([gap.mean() ** 2 - gap.var(ddof=1) / SOLVED for gap in gaps])
    return float(np.sqrt(max(0.0, square)))


if __name__ == "__main__":
    run(__doc__, costs)
