"""Corrected figures beside the truth: coverage, and contracts by rejection sampling.

    python benchmarks/evaluation/corrected.py FOLDER [--positions N]

Needs the plugin bayesbridge-double-dummy and about half an hour of one core. What is
solved goes into FOLDER, a file for each position, so that an interrupted run goes on
where it was.

*Coverage.* Of each position 2 000 layouts are solved: they are the truth. 300 times,
100 of them are drawn and weighted by the network's predictions as
:mod:`bayesbridge.estimators.trick_estimates` does, for every contract of the strain
from those that nearly never make to those that nearly always do, and for the leads
against one. A share within two stated errors of 95 of a hundred is right; half the
error is the control.

*Contracts.* `bb.contracts` with 1 000 solved layouts beside 1 000 layouts that were
dealt at random, kept if they fit (written down here by itself, without the package) and
solved: z of every row.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bayesbridge as bb
from bayesbridge.estimators.answer_tables import plain_rows
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.protocol import Question
from bayesbridge.estimators.registry import load
from bayesbridge.game.layouts import Layouts
from bayesbridge.game.scoring import Duplicate

type Floats = NDArray[np.float64]
type Arrays = dict[str, NDArray[np.generic]]

TRUTH = 2000
SAMPLE = 100
REPETITIONS = 300
"""Layouts solved, those drawn of them for a sample, and samples."""

MOST_TRICKS = 13

REJECTION_POSITIONS = 10
"""Positions compared with rejection sampling."""

CONTRACT_COLUMNS = (
    "make",
    "make_error",
    "tricks",
    "tricks_error",
    "score",
    "score_error",
)
"""Each figure of a contract, its error after it."""

NEAR = 0.1
"""A chance below this is near 0, above one less this near 1."""


def kept(path: Path, make: Callable[[], Arrays]) -> Arrays:
    """Arrays from a file, made and put there if it is not there yet."""
    if not path.exists():
        part = path.with_suffix(".part.npz")
        np.savez(part, **make())
        part.rename(path)
    with np.load(path) as arrays:
        return dict(arrays)


def hand_of(rng: np.random.Generator) -> bb.Hand:
    """Thirteen cards at random."""
    return bb.Hand(sum(1 << int(card) for card in rng.permutation(52)[:13]))


def strain_of(hand: bb.Hand) -> bb.Suit | None:
    """The longest suit from five cards on, else no trumps."""
    longest = max(bb.Suit, key=lambda suit: (hand.length(suit), suit))
    return longest if hand.length(longest) >= 5 else None


def solved_contract(number: int) -> Arrays:
    """Tricks of South in one position, and what the network says of them."""
    rng = np.random.default_rng([29, number])
    hand = hand_of(rng)
    layouts = bb.Belief("S", hand, dummy=None).infer("direct", TRUTH, rng).layouts
    question = Question.of("S:N", trump=strain_of(hand))
    estimators = load().estimators
    return {
        "tricks": np.asarray(
            estimators["solved"].estimate(layouts, question)["solved"]
        ),
        "guesses": estimators["tricks"].estimate(layouts, question)["tricks"],
    }


def solved_leads(number: int) -> Arrays:
    """Tricks of the defence against 3NT by South after every lead of West.

    And what the network says of declarer's tricks, in one position.
    """
    rng = np.random.default_rng([30, number])
    hand = hand_of(rng)
    belief = bb.Belief("W", hand, dummy=None).given(
        bb.HighCards("S", 15, 17), bb.HighCards("N", 7, 12)
    )
    layouts = belief.infer("direct", TRUTH, rng).layouts
    question = Question.of("S:N", trump=None)
    estimators = load().estimators
    taken = estimators["double_dummy_leads"].estimate(layouts, question)["lead_tricks"]
    return {
        "taken": taken[:, [card.index for card in hand]],
        "guesses": estimators["tricks"].estimate(layouts, question)["tricks"],
    }


class Figure(NamedTuple):
    """A chance that samples of solved layouts estimate."""

    name: str
    values: Floats
    """(layouts,) 1 or 0: its truth in each layout."""
    chances: Floats
    """(layouts,) what the network says of it."""


def figures(folder: Path, positions: int) -> list[Figure]:
    """The figures of all positions, but for those that are certain."""
    every_figure: list[Figure] = []
    for number in range(positions):
        path = folder / f"contract-{number}.npz"
        every_figure += contract_figures(kept(path, partial(solved_contract, number)))
    for number in range(positions // 2):
        path = folder / f"leads-{number}.npz"
        every_figure += lead_figures(kept(path, partial(solved_leads, number)))
    return [figure for figure in every_figure if 0.0 < figure.values.mean() < 1.0]


def contract_figures(solved: Arrays) -> Iterator[Figure]:
    """P(make) of the contracts of a strain, by the tricks that they need."""
    guesses = np.asarray(solved["guesses"], np.float64)
    for needed in range(4, MOST_TRICKS + 1):
        made = solved["tricks"] >= needed
        chances = guesses[:, needed:].sum(axis=1)
        yield Figure("P(make)", made.astype(np.float64), chances)


def lead_figures(solved: Arrays) -> Iterator[Figure]:
    """P(beaten) after some leads, by the tricks that the defence needs."""
    guesses = np.asarray(solved["guesses"], np.float64)
    for beats in range(2, 9):
        most_of_declarer = MOST_TRICKS - beats
        for card in range(0, 13, 4):
            beaten = solved["taken"][:, card] >= beats
            chances = guesses[:, : most_of_declarer + 1].sum(axis=1)
            yield Figure("P(beaten)", beaten.astype(np.float64), chances)


class Coverage(NamedTuple):
    """How often samples of solved layouts come near the truth of one figure."""

    within_two: int
    """Samples whose share lies within two stated errors of the truth."""
    within_one: int
    """Those within one, as if the stated error were half as large."""
    variance: float
    """Of the corrected shares."""
    plain_variance: float
    """Of the share in as many solved layouts alone."""

    @classmethod
    def of(cls, values: Floats, chances: Floats, rng: np.random.Generator) -> Coverage:
        """From (layouts,) values of a figure, and the network's chances of it."""
        truth = values.mean()
        within_two = 0
        within_one = 0
        shares = []
        for _ in range(REPETITIONS):
            rows = rng.integers(TRUTH, size=SAMPLE)
            sample = CalibratedSample.of(
                np.full(SAMPLE, 1 / SAMPLE), chances[rows, None], chances.mean()[None]
            )
            share, error = sample.share(values[rows])
            within_two += abs(share - truth) <= 2 * error
            within_one += abs(share - truth) <= error
            shares.append(share)
        plain_variance = truth * (1 - truth) / SAMPLE
        return cls(within_two, within_one, float(np.var(shares)), plain_variance)


def region_of(truth: float) -> str:
    """Where a chance lies, in words of the table."""
    if truth < NEAR:
        return "near 0"
    return "near 1" if truth > 1 - NEAR else "between"


def coverage(folder: Path, positions: int) -> None:
    """Print how often stated errors hold, by figure and by where its chance lies."""
    rng = np.random.default_rng(1)
    groups: dict[str, list[Coverage]] = {}
    for figure, values, chances in figures(folder, positions):
        group = f"{figure} {region_of(values.mean())}"
        groups.setdefault(group, []).append(Coverage.of(values, chances, rng))
    print(
        f"{'':24}{'within two errors':>18}{'half the error':>16}"
        f"{'figures':>9}{'solves saved':>14}"
    )
    for group, rows in sorted(groups.items()):
        ratios = [row.plain_variance / row.variance for row in rows if row.variance > 0]
        saved = float(np.median(ratios))
        print(f"{shares_within(group, rows)}{len(rows):>9}{saved:>13.2f}×")
    all_rows = list(chain.from_iterable(groups.values()))
    print(shares_within("all", all_rows))


def shares_within(name: str, rows: list[Coverage]) -> str:
    """The name and the two shares of a line of the table."""
    samples = len(rows) * REPETITIONS
    within_two = sum(row.within_two for row in rows) / samples
    within_one = sum(row.within_one for row in rows) / samples
    return f"{name:24}{within_two:>18.1%}{within_one:>16.1%}"


def rejected(
    hand: bb.Hand,
    fits: Callable[[list[list[int]]], bool],
    n: int,
    rng: np.random.Generator,
) -> Layouts:
    """``n`` layouts with this hand for South, dealt at random until they fit.

    Cards are 0 … 51, clubs first.
    """
    own = [card.index for card in hand]
    hidden = np.array([card for card in range(52) if card not in own])
    masks = []
    while len(masks) < n:
        order = rng.permutation(hidden)
        north, east, west = (cards.tolist() for cards in np.split(order, 3))
        if fits([north, east, west]):
            masks.append([mask_of(cards) for cards in (north, east, own, west)])
    return Layouts(np.array(masks, np.uint64))


def mask_of(cards: list[int]) -> int:
    """The cards as bits."""
    return sum(1 << card for card in cards)


def points(cards: list[int]) -> int:
    """High-card points."""
    return sum(max(0, card % 13 - 8) for card in cards)


class Position(NamedTuple):
    """South's hand, and what is told of North and East.

    North has 5 consecutive numbers of points from ``low`` on, East 2 to 4 cards of
    ``suit``.
    """

    number: int
    hand: bb.Hand
    low: int
    suit: int

    @classmethod
    def of(cls, number: int) -> Position:
        """The position of a number, at random."""
        rng = np.random.default_rng([31, number])
        return cls(number, hand_of(rng), int(rng.integers(6, 12)), int(rng.integers(4)))

    @property
    def contracts(self) -> list[bb.Contract]:
        """All levels of one strain."""
        trump = strain_of(self.hand)
        strain = "NT" if trump is None else trump.name
        return [bb.Contract.of(f"{level}{strain}", "S") for level in range(1, 8)]

    def fits(self, hands: list[list[int]]) -> bool:
        """Whether North's and East's cards are as told."""
        north, east, _ = hands
        length = sum(card // 13 == self.suit for card in east)
        return self.low <= points(north) <= self.low + 4 and 2 <= length <= 4

    def by_package(self) -> Arrays:
        """(7, 6) make, tricks and score with their errors for each level."""
        belief = bb.Belief("S", self.hand, dummy=None).given(
            bb.HighCards("N", self.low, self.low + 4),
            bb.Length("E", bb.Suit(self.suit), 2, 4),
        )
        posterior = belief.infer(rng=self.number)
        ranked = bb.contracts(posterior, self.contracts, solve=1000, rng=self.number)
        by_contract = {row["contract"]: row for row in plain_rows(ranked)}
        rows = []
        for contract in self.contracts:
            row = by_contract[str(contract)]
            rows.append([row[column] for column in CONTRACT_COLUMNS])
        return {"rows": np.array(rows)}

    def by_rejection(self) -> Arrays:
        """(1000,) tricks."""
        rng = np.random.default_rng([32, self.number])
        layouts = rejected(self.hand, self.fits, 1000, rng)
        question = Question.of("S:N", trump=strain_of(self.hand))
        solver = load().estimators["solved"]
        return {"tricks": np.asarray(solver.estimate(layouts, question)["solved"])}


class Comparison(NamedTuple):
    """One figure by the package and by rejection."""

    column: str
    z: float


def compare_position(folder: Path, position: Position) -> Iterator[Comparison]:
    """Of every contract make and score; of one contract, tricks, which all share."""
    number = position.number
    ours = kept(folder / f"ours-{number}.npz", position.by_package)
    plain = kept(folder / f"plain-{number}.npz", position.by_rejection)
    rows = ours["rows"].astype(np.float64)
    tricks = plain["tricks"].astype(np.int64)
    for row, contract in zip(rows, position.contracts, strict=True):
        made = (tricks >= contract.tricks_needed).astype(np.float64)
        scores = [float(Duplicate().score(contract, int(taken))) for taken in tricks]
        yield Comparison("make", z_score(row, "make", made))
        yield Comparison("score", z_score(row, "score", np.array(scores)))
        if contract.level == 1:
            yield Comparison("tricks", z_score(row, "tricks", tricks))


def z_score(row: Floats, column: str, values: NDArray[Any]) -> float:
    """A figure of the package less the mean of (n,) values, in standard errors."""
    place = CONTRACT_COLUMNS.index(column)
    figure = row[place]
    stated_error = row[place + 1]
    error = np.hypot(stated_error, values.std(ddof=1) / np.sqrt(len(values)))
    return float((figure - values.mean()) / error)


def against_rejection(folder: Path) -> None:
    """Print how far the contracts of the package are from rejection sampling."""
    comparisons: list[Comparison] = []
    for number in range(REJECTION_POSITIONS):
        comparisons += compare_position(folder, Position.of(number))
    z = np.array([comparison.z for comparison in comparisons])
    z_of_tricks = [
        comparison.z for comparison in comparisons if comparison.column == "tricks"
    ]
    above = sum(score > 0 for score in z_of_tricks)
    print(
        f"contracts beside rejection: {len(z)} figures, "
        f"largest |z| {np.abs(z).max():.2f}, rms {np.sqrt((z**2).mean()):.2f}; "
        "figures of one position go together, so by position: "
        f"tricks above in {above} of {len(z_of_tricks)}, mean z {np.mean(z_of_tricks):+.2f}"
    )


def main() -> None:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where solved layouts are kept")
    parser.add_argument(
        "--positions", type=int, default=6, help="contracts; half as many leads"
    )
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    coverage(args.folder, args.positions)
    against_rejection(args.folder)


if __name__ == "__main__":
    main()
