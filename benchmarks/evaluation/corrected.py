"""Corrected figures beside the truth: how often two stated errors hold, and `contracts`
beside rejection sampling.

    python benchmarks/evaluation/corrected.py FOLDER [--positions N]

Needs the plugin bayesbridge-double-dummy and about half an hour of one core. What is
solved goes into FOLDER, a file for each position, so that an interrupted run goes on
where it was.

*Coverage.* Of each position 2 000 layouts are solved: they are the truth. 300 times,
100 of them are drawn and weighted by the network's predictions as
:mod:`bayesbridge.estimators.trick_estimates` does, for every contract of the strain from those
that nearly never make to those that nearly always do, and for the leads against one. A
share within two stated errors of 95 of a hundred is right; half the error is the
control.

*Contracts.* `bb.contracts` with 1 000 solved layouts beside 1 000 layouts that were
dealt at random, kept if they fit (written down here by itself, without the package) and
solved: z of every row.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

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

TRUTH, SOME, REPETITIONS = 2000, 100, 300
NEAR = 0.1
"""A chance below this is near 0, above one less this near 1."""


def kept(path: Path, make: Callable[[], Arrays]) -> Arrays:
    """Arrays from a file, made and put there if it is not there yet."""
    if not path.exists():
        part = path.with_suffix(".part.npz")
        np.savez(part, **make())
        part.rename(path)
    with np.load(path) as found:
        return dict(found)


def hand_of(rng: np.random.Generator) -> bb.Hand:
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
    found = load().estimators
    tricks = found["solved"].estimate(layouts, question)["solved"]
    return {
        "tricks": np.asarray(tricks),
        "guesses": found["tricks"].estimate(layouts, question)["tricks"],
    }


def solved_leads(number: int) -> Arrays:
    """Tricks of the defence against 3NT by South after every lead of West in one
    position.
    """
    rng = np.random.default_rng([30, number])
    hand = hand_of(rng)
    belief = bb.Belief("W", hand, dummy=None).given(
        bb.HighCards("S", 15, 17), bb.HighCards("N", 7, 12)
    )
    layouts = belief.infer("direct", TRUTH, rng).layouts
    question = Question.of("S:N", trump=None)
    found = load().estimators
    taken = found["double_dummy_leads"].estimate(layouts, question)["lead_tricks"]
    cards = [card.index for card in hand]
    return {
        "taken": taken[:, cards],
        "guesses": found["tricks"].estimate(layouts, question)["tricks"],
    }


def figures(folder: Path, positions: int) -> list[tuple[str, Floats, Floats]]:
    """What a figure is, its truth in each layout, and the network's chances of it."""
    rows = []
    for number in range(positions):
        found = kept(
            folder / f"contract-{number}.npz", partial(solved_contract, number)
        )
        for needed in range(4, 14):
            made, said = (
                found["tricks"] >= needed,
                np.asarray(found["guesses"], np.float64)[:, needed:].sum(axis=1),
            )
            rows.append(("P(make)", made.astype(np.float64), said))
    for number in range(positions // 2):
        found = kept(folder / f"leads-{number}.npz", partial(solved_leads, number))
        said = np.asarray(found["guesses"], np.float64)
        for beats in range(2, 9):
            for card in range(0, 13, 4):
                beaten = (found["taken"][:, card] >= beats).astype(np.float64)
                rows.append(("P(beaten)", beaten, said[:, : 14 - beats].sum(axis=1)))
    return [row for row in rows if 0.0 < row[1].mean() < 1.0]


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
            rows = rng.integers(TRUTH, size=SOME)
            sample = CalibratedSample.of(
                np.full(SOME, 1 / SOME), chances[rows, None], chances.mean()[None]
            )
            share, error = sample.share(values[rows])
            within_two += abs(share - truth) <= 2 * error
            within_one += abs(share - truth) <= error
            shares.append(share)
        plain_variance = truth * (1 - truth) / SOME
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
    print(shares_within("all", [row for rows in groups.values() for row in rows]))


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
    """``n`` layouts with this hand for South, dealt at random until they fit; cards are
    0 … 51, clubs first.
    """
    own = {card.index for card in hand}
    rest = np.array([card for card in range(52) if card not in own])
    masks = []
    while len(masks) < n:
        north, east, west = (
            part.tolist() for part in np.split(rng.permutation(rest), 3)
        )
        if fits([north, east, west]):
            hands = (north, east, list(own), west)
            masks.append([sum(1 << card for card in cards) for cards in hands])
    return Layouts(np.array(masks, np.uint64))


def points(cards: list[int]) -> int:
    return sum(max(0, card % 13 - 8) for card in cards)


class Position(NamedTuple):
    """South's hand; North has 5 consecutive numbers of points from ``low`` on, East 2
    to 4 cards of ``suit``.
    """

    number: int
    hand: bb.Hand
    low: int
    suit: int

    @classmethod
    def of(cls, number: int) -> Position:
        rng = np.random.default_rng([31, number])
        return cls(number, hand_of(rng), int(rng.integers(6, 12)), int(rng.integers(4)))

    @property
    def contracts(self) -> list[bb.Contract]:
        """All levels of one strain."""
        trump = strain_of(self.hand)
        return [
            bb.Contract.of(f"{level}{'NT' if trump is None else trump.name}", "S")
            for level in range(1, 8)
        ]

    def fits(self, hands: list[list[int]]) -> bool:
        """Whether North's and East's cards are as told."""
        held = sum(card // 13 == self.suit for card in hands[1])
        return self.low <= points(hands[0]) <= self.low + 4 and 2 <= held <= 4

    def ours(self) -> Arrays:
        """By the package: (7, 6) make, tricks and score with their errors for each
        level.
        """
        evidence = (
            bb.HighCards("N", self.low, self.low + 4),
            bb.Length("E", bb.Suit(self.suit), 2, 4),
        )
        posterior = (
            bb.Belief("S", self.hand, dummy=None)
            .given(*evidence)
            .infer(rng=self.number)
        )
        rows = plain_rows(
            bb.contracts(posterior, self.contracts, solve=1000, rng=self.number)
        )
        keys = ("make", "make_error", "tricks", "tricks_error", "score", "score_error")
        table = {row["contract"]: [row[key] for key in keys] for row in rows}
        return {"rows": np.array([table[str(one)] for one in self.contracts])}

    def plain(self) -> Arrays:
        """By rejection: (1000,) tricks."""
        layouts = rejected(
            self.hand, self.fits, 1000, np.random.default_rng([32, self.number])
        )
        question = Question.of("S:N", trump=strain_of(self.hand))
        return {
            "tricks": np.asarray(
                load().estimators["solved"].estimate(layouts, question)["solved"]
            )
        }


def against_rejection(folder: Path) -> None:
    z: list[float] = []
    of_tricks: list[float] = []
    for position in map(Position.of, range(10)):
        rows = kept(folder / f"ours-{position.number}.npz", position.ours)[
            "rows"
        ].astype(np.float64)
        tricks = kept(folder / f"plain-{position.number}.npz", position.plain)[
            "tricks"
        ].astype(np.int64)
        for row, contract in zip(rows, position.contracts, strict=True):
            made = (tricks >= contract.tricks_needed).astype(np.float64)
            scores = np.array(
                [float(Duplicate().score(contract, int(one))) for one in tricks]
            )
            columns = [
                (0, made),
                (4, scores),
                *([(2, tricks)] if contract.level == 1 else []),
            ]
            for place, values in columns:
                error = np.hypot(
                    row[place + 1], values.std(ddof=1) / np.sqrt(len(values))
                )
                z.append(float((row[place] - values.mean()) / error))
                of_tricks += z[-1:] if place == 2 else []
    found = np.array(z)
    print(
        f"contracts beside rejection: {len(found)} figures, largest |z| {np.abs(found).max():.2f}, "
        f"rms {np.sqrt((found**2).mean()):.2f}; figures of one position go together, so by position: "
        f"tricks above in {sum(one > 0 for one in of_tricks)} of 10, mean z {np.mean(of_tricks):+.2f}"
    )


def main() -> None:
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
