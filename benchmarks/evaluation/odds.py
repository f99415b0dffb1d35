"""Do contracts make as often as is said? Boards on record, the chance told beside what
the solver finds.

    python benchmarks/evaluation/odds.py boards.pbn --held-out --boards 2000 --resume odds
    python benchmarks/evaluation/odds.py boards.pbn --simulated --correct 0
    python benchmarks/evaluation/odds.py own.pbn --held-out --boards 2000 --level 6 --correct 0    # slams alone

The posterior is that of ``bayesbridge score``: the seat's own hand, and every call by
the learned bidder. Of its draws the network of ``tricks`` says how likely the contract
makes; on the first boards some layouts are solved too, which corrects it. The truth is
the double-dummy result of the deal itself. Beside it stands what the network says of
that deal: it tells errors of the network from errors of the posterior. ``--simulated``
is the control: the bidder itself calls on the same deals, so what is said must be right
but for chance. Needs plugins/bayesbridge-double-dummy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from math import pi, sqrt
from typing import Any, Final

import numpy as np
from instrument import options, setting, show, start
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.display.markup import Table
from bayesbridge.display.words import number, percent
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.calibrated_sample import CalibratedSample
from bayesbridge.estimators.network import table_tricks
from bayesbridge.estimators.protocol import Estimator, Question
from bayesbridge.estimators.registry import load
from bayesbridge.game.calls import CONTRACT_KINDS
from bayesbridge.game.layouts import Layouts
from bayesbridge.notation import Record, iter_records
from bayesbridge.plots import BLUE, GREY, ORANGE, SKY, bare, ink, new_axes, percent_axis
from bayesbridge.studies.benchmark import (
    Bin,
    DealSplit,
    bin_of,
    calibration_error,
    curve,
    part_of_masks,
)
from bayesbridge.studies.jobs import Job, RunOptions, rows
from bayesbridge.studies.readers import ROLES, seat_of, usable

type Floats = NDArray[np.float64]

CHUNK: Final = 5
"""Boards in a chunk."""

SOLVER: Final = "solved"
"""The estimator that solves, in the double-dummy plugin."""

COLUMNS: Final = (
    "kind",
    "network",
    "network_error",
    "at_truth",
    "corrected",
    "corrected_error",
    "solved",
    "level",
)
"""Which of ``CONTRACT_KINDS``; chances, their errors, the share of the solved layouts
in which it makes; the level.
"""
WIDTH: Final = 2 + len(COLUMNS)
"""Of a board: whether it makes and whether it is corrected, 0 or 1; then the columns.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked."""

    path: str
    """A PBN or LIN file."""
    deals: int
    """Boards, each of another deal: the first that can be scored."""
    chair: str = "leader"
    draws: int = 300
    solve: int = 40
    """Layouts to solve on a board that is corrected."""
    correct: int = 0
    """How many boards are corrected, the first."""
    held_out: bool = False
    """Take only deals that were held out when the learned bidder was fitted."""
    simulated: bool = False
    """The learned bidder calls, not the players on record."""
    level: int = 1
    """Of the contracts, at least."""

    def verify(self) -> Plan:
        """The same, for as many boards as the file has, up to ``deals``."""
        if self.chair not in ROLES:
            raise BayesBridgeError(
                f"unknown chair {self.chair!r}: choose {', '.join(ROLES)}",
                chair=self.chair,
            )
        found = len(self.records)
        if not found:
            kept = " that was held out" if self.held_out else ""
            raise BayesBridgeError(
                f"{self.path!r} holds no board{kept} with four hands and a contract",
                path=self.path,
            )
        return replace(self, deals=found, correct=min(self.correct, found))

    @property
    def records(self) -> tuple[Record, ...]:
        """The boards."""
        return _records(
            self.path, self.deals, self.held_out, self.simulated, self.level
        )


@cache
def _records(
    path: str, deals: int, held_out: bool, simulated: bool, level: int
) -> tuple[Record, ...]:
    """The first boards of different deals that can be scored."""
    met: set[tuple[int, ...]] = set()

    def fresh(record: object) -> bool:
        if (
            not isinstance(record, Record)
            or record.deal is None
            or usable(record) is not None
        ):
            return False
        masks = tuple(hand.mask for hand in record.deal.hands)
        if masks in met or (held_out and part_of_masks(masks) is not DealSplit.TEST):
            return False
        met.add(masks)
        return True

    boards: Iterator[Record] = (  # type: ignore[misc]
        record for record in iter_records(path) if fresh(record)
    )
    if simulated:
        boards = (
            record
            for record in map(called_by_the_bidder, boards)
            if usable(record) is None
        )
    high = (
        record
        for record in boards
        if record.contract is not None and record.contract.level >= level
    )
    return tuple(islice(high, deals))


def called_by_the_bidder(record: Record) -> Record:
    """The same deal, the learned bidder calling in every seat; the cards on record
    belong to another contract.
    """
    assert record.deal is not None
    assert record.auction is not None
    seed = np.random.default_rng([hand.mask for hand in record.deal.hands])
    bidder = LearnedBidder(record.vulnerable or "none")
    auction = simulate_auction(record.deal, bidder, record.auction.first, None, seed)
    return replace(
        record,
        auction=auction,
        contract=None,
        alerts=(),
        plays=(),
        result=None,
        claimed=False,
    )


@cache
def solver() -> Estimator:
    """The estimator ``solved``, or one line that says how to get it."""
    found = load().estimators.get(SOLVER)
    if found is None:
        raise BayesBridgeError(
            "this study solves deals: install the plugin bayesbridge-double-dummy"
        )
    return found


def board(what: Plan, number: int, rng: np.random.Generator) -> Floats:
    """(WIDTH,) what is said of one board, and what is true."""
    record = what.records[number]
    deal, contract = record.deal, record.contract
    assert deal is not None
    assert contract is not None
    question = Question.of(
        (contract.declarer, contract.declarer.partner), trump=contract.strain.trump
    )
    belief = Belief.of_record(record, seat_of(what.chair, contract.declarer), cards=0)
    posterior = belief.infer("auto", what.draws, rng)
    some = posterior.resample(what.solve if number < what.correct else 0, rng)
    truth = Layouts.of([deal])
    all_masks = np.concatenate([truth.masks, some.masks, posterior.layouts.masks])
    table = np.ascontiguousarray(all_masks[:, list(question.table)])
    chances = np.asarray(table_tricks(table, question.trump), np.float64)
    of_some, of_draws = chances[1 : 1 + len(some)], chances[1 + len(some) :]
    tricks = np.asarray(
        solver().estimate(Layouts(all_masks[: 1 + len(some)]), question)[SOLVER],
        np.int64,
    )
    needed = contract.tricks_needed
    made = of_draws[:, needed:].sum(axis=1)
    share = float(posterior.weights @ made)
    spread = float(posterior.weights @ ((made - share) ** 2))
    error = 0.0 if posterior.exact else float(np.sqrt(spread / posterior.ess))
    corrected, solved = (0.0, 0.0), 0.0
    if len(some):
        predicted = np.asarray(posterior.weights @ of_draws, np.float64)
        worth = np.inf if posterior.exact else posterior.ess
        control = of_some[:, needed:].sum(axis=1, keepdims=True)
        sample = CalibratedSample.of(
            np.full(len(some), 1 / len(some)),
            control,
            predicted[needed:].sum()[None],
            worth,
        )
        corrected = sample.share((tricks[1:] >= needed).astype(np.float64))
        solved = float((tricks[1:] >= needed).mean())
    kind = CONTRACT_KINDS.index(contract.kind)
    told = (
        kind,
        share,
        error,
        float(chances[0, needed:].sum()),
        *corrected,
        solved,
        contract.level,
    )
    return np.array([tricks[0] >= needed, len(some) > 0, *told], np.float64)


def count(what: Plan, seed: np.random.SeedSequence, boards: int) -> Floats:
    """(boards, WIDTH) the boards of one chunk."""
    first = CHUNK * seed.spawn_key[0]
    children = enumerate(seed.spawn(boards), first)
    return np.stack(
        [
            board(what, number, np.random.default_rng(child))
            for number, child in children
        ]
    )


BINS: Final = 10

NETWORK: Final = "tricks over the posterior"
CORRECTED: Final = "corrected by solved layouts"
SAME: Final = "tricks over the posterior, the boards corrected"
AT_TRUTH: Final = "tricks on the deal itself"
BESIDE_SOLVER: Final = "the same, beside the solved layouts"


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """Chances that were told, and whether the contracts make."""

    name: str
    told: Floats
    """(n,) from 0 to 1."""
    made: Floats
    """(n,) 1 or 0; of several ``trials``, the share that make."""
    trials: int = 1

    @property
    def bins(self) -> tuple[Bin, ...]:
        """Ten, those that have forecasts."""
        place = bin_of(self.told, BINS)
        return curve(
            *(
                np.bincount(place, weight, BINS)
                for weight in (np.ones(len(place)), self.told, self.made)
            )
        )

    @property
    def error(self) -> float:
        """Calibration error: mean gap between told and observed, over bins weighed by
        their forecasts.
        """
        return calibration_error(self.bins)

    @property
    def by_chance(self) -> float:
        """What the calibration error would be by chance alone, if every chance told
        were right.
        """
        spread = np.bincount(
            bin_of(self.told, BINS), self.told * (1.0 - self.told), BINS
        )
        return (
            sqrt(2 / pi / self.trials)
            * float(np.sqrt(spread).sum())
            / max(1, len(self.told))
        )

    @property
    def brier(self) -> float:
        """Mean square of told minus made."""
        return float(((self.told - self.made) ** 2).mean())

    @property
    def bias(self) -> tuple[float, float]:
        """Mean of told minus made, and its standard error."""
        gap = self.told - self.made
        return float(gap.mean()), float(gap.std() / sqrt(max(1, len(gap))))


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """All forecasts of a run."""

    plan: Plan
    forecasts: tuple[Forecast, ...]

    @classmethod
    def of(cls, what: Plan, rows: Floats) -> Odds:
        """From (boards, WIDTH) rows."""
        came, corrected = rows[:, 0], rows[:, 1] > 0
        told = dict(zip(COLUMNS, rows[:, 2:].T, strict=True))

        def forecast(name: str, column: str, rows: NDArray[np.bool_]) -> Forecast:
            return Forecast(name, np.clip(told[column][rows], 0.0, 1.0), came[rows])

        every = np.ones(len(came), dtype=np.bool_)
        found = [
            forecast(NETWORK, "network", every),
            forecast(AT_TRUTH, "at_truth", every),
        ]
        for place, kind in enumerate(CONTRACT_KINDS):
            if (those := told["kind"] == place).any():
                found.append(forecast(f"{NETWORK}: {kind}", "network", those))
        for level, kind in ((6, "small slam"), (7, "grand slam")):
            if (those := told["level"] == level).any():
                found.append(forecast(f"{NETWORK}: {kind}", "network", those))
        if corrected.any():
            found += [
                forecast(CORRECTED, "corrected", corrected),
                forecast(SAME, "network", corrected),
            ]
            found.append(
                Forecast(
                    BESIDE_SOLVER, found[-1].told, told["solved"][corrected], what.solve
                )
            )
        return cls(what, tuple(found))


MARKS: Final = {NETWORK: (BLUE, "o"), CORRECTED: (ORANGE, "s"), AT_TRUTH: (SKY, "^")}

FEWEST: Final = 10
"""Boards that a mark stands for at least."""


def plot_odds(found: Odds, *, ax: Axes | None = None) -> Axes:
    """Share of contracts that make, against the chance told: on the diagonal if all is
    right.

    Bars are two standard errors of the share, by the chances told; a mark stands for
    ten boards at least.
    """
    ax = new_axes(5.2, 4.8) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    for one in found.forecasts:
        if one.name not in MARKS:
            continue
        colour, mark = MARKS[one.name]
        told, observed, many = (
            np.array([bin_ for bin_ in one.bins if bin_.cards >= FEWEST], float)
            .reshape(-1, 3)
            .T
        )
        errors = 2 * np.sqrt(told * (1 - told) / many)
        label = (
            f"{one.name}: {len(one.told)} boards, error {100 * one.error:.1f} points"
        )
        ax.errorbar(
            told, observed, errors, fmt="none", ecolor=colour, elinewidth=0.8, capsize=2
        )
        ax.plot(
            told,
            observed,
            mark,
            color=colour,
            markeredgecolor=ink(),
            markeredgewidth=0.6,
            label=label,
        )
    for axis in (ax.xaxis, ax.yaxis):
        percent_axis(axis)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("told: the contract makes")
    ax.set_ylabel("share that make, double dummy")
    ax.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    bare(ax)
    return ax


def measure(what: Plan, seed: int = 1, how: RunOptions | None = None) -> Odds:
    """All boards of a plan, told apart by a hash of their deals and contracts."""
    text = "\n".join(f"{record.deal} {record.auction}" for record in what.records)
    asked = {
        "chair": what.chair,
        "draws": what.draws,
        "solve": what.solve,
        "correct": what.correct,
    }
    boards = hashlib.sha256(text.encode()).hexdigest()[:16]
    job = Job("odds", partial(count, what), CHUNK, {"boards": boards, **asked})
    return Odds.of(what, rows(job, what.deals, seed, how))


def document(found: Odds) -> dict[str, Any]:
    """What was found, as plain data."""
    what = found.plan
    asked = {
        "chair": what.chair,
        "draws": what.draws,
        "solve": what.solve,
        "held_out": what.held_out,
    }
    return {**asked, "forecasts": {one.name: _document(one) for one in found.forecasts}}


def _document(one: Forecast) -> dict[str, Any]:
    bias, error = one.bias
    return {
        "boards": len(one.told),
        "told": float(one.told.mean()),
        "made": float(one.made.mean()),
        "bias": bias,
        "bias_error": error,
        "calibration_error": one.error,
        "calibration_error_by_chance": one.by_chance,
        "brier": one.brier,
        "bins": [
            {"told": cell.predicted, "made": cell.observed, "boards": cell.cards}
            for cell in one.bins
        ],
    }


def tables(found: Odds) -> Iterator[Table]:
    """A row for each way to tell the chance, then the bins."""
    rows = [
        [
            one.name,
            number(len(one.told)),
            percent(float(one.told.mean())),
            percent(float(one.made.mean())),
            f"{100 * one.bias[0]:+.1f} ± {100 * one.bias[1]:.1f}",
            f"{100 * one.error:.1f}",
            f"{100 * one.by_chance:.1f}",
            f"{one.brier:.4f}",
        ]
        for one in found.forecasts
    ]
    header = [
        "",
        "boards",
        "told",
        "make",
        "bias",
        "calibration error",
        "by chance",
        "Brier score",
    ]
    yield Table(
        "Chances told beside what the solver finds; bias and errors in points",
        header,
        rows,
    )
    for one in found.forecasts:
        cells = [
            [percent(cell.predicted), percent(cell.observed), number(cell.cards)]
            for cell in one.bins
        ]
        yield Table(one.name, ["told", "make", "boards"], cells)


def main() -> None:
    """Compare the chances of contracts with the solver."""
    parser = options(__doc__)
    parser.add_argument("records", help="a PBN or LIN file")
    parser.add_argument("--boards", type=int, default=2000)
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="only deals held out when the learned bidder was fitted",
    )
    parser.add_argument(
        "--simulated", action="store_true", help="the learned bidder calls: a control"
    )
    parser.add_argument(
        "--level", type=int, default=1, help="of the contracts, at least: 6 for slams"
    )
    parser.add_argument(
        "--chair", choices=ROLES, default="leader", help="who asks, after the auction"
    )
    parser.add_argument("--draws", type=int, default=300, help="of each posterior")
    parser.add_argument(
        "--solve",
        type=int,
        default=40,
        help="layouts to solve on a board that is corrected",
    )
    parser.add_argument(
        "--correct", type=int, default=200, help="boards that are corrected, the first"
    )
    args = parser.parse_args()
    asked = (
        args.chair,
        args.draws,
        args.solve,
        args.correct,
        args.held_out,
        args.simulated,
        args.level,
    )
    found = measure(
        Plan(args.records, args.boards, *asked).verify(), args.seed, setting(args)
    )
    if args.picture:
        plot_odds(found).figure.savefig(args.picture)
    show(args, document(found), tables(found))


if __name__ == "__main__":
    start(main)
