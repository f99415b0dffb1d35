"""Do contracts make as often as is said? Chances told, beside what the solver finds.

    python benchmarks/evaluation/odds.py boards.pbn --held-out --boards 2000 --resume odds
    python benchmarks/evaluation/odds.py boards.pbn --simulated --correct 0
    python benchmarks/evaluation/odds.py own.pbn --held-out --level 6 --correct 0

The last is of slams alone.

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
from argparse import ArgumentParser
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
from bayesbridge.belief.posterior import Posterior
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
from bayesbridge.game.layouts import Layouts, Masks
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
"""What is told of a board.

Which of ``CONTRACT_KINDS``; chances and their errors; the share of the solved layouts
in which the contract makes; the level.
"""
WIDTH: Final = 2 + len(COLUMNS)
"""Numbers of a board: whether it makes and is corrected, 0 or 1; then the columns."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which boards are judged, and how."""

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
        """The same plan, for no more boards than the file has."""
        if self.chair not in ROLES:
            raise BayesBridgeError(
                f"unknown chair {self.chair!r}: choose {', '.join(ROLES)}",
                chair=self.chair,
            )
        deals = len(self.records)
        if not deals:
            condition = " that was held out" if self.held_out else ""
            raise BayesBridgeError(
                f"{self.path!r} holds no board{condition} with four hands and a contract",
                path=self.path,
            )
        return replace(self, deals=deals, correct=min(self.correct, deals))

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
    boards = _different_deals(path, held_out)
    if simulated:
        bid_boards = map(called_by_the_bidder, boards)
        boards = (record for record in bid_boards if usable(record) is None)
    high_contracts = (
        record
        for record in boards
        if record.contract is not None and record.contract.level >= level
    )
    return tuple(islice(high_contracts, deals))


def _different_deals(path: str, held_out: bool) -> Iterator[Record]:
    """The first usable board of each deal; of held-out deals alone if asked for."""
    earlier_deals: set[tuple[int, ...]] = set()
    for record in iter_records(path):
        if not isinstance(record, Record) or record.deal is None:
            continue
        if usable(record) is not None:
            continue
        masks = tuple(hand.mask for hand in record.deal.hands)
        if masks in earlier_deals:
            continue
        if held_out and part_of_masks(masks) is not DealSplit.TEST:
            continue
        earlier_deals.add(masks)
        yield record


def called_by_the_bidder(record: Record) -> Record:
    """The same deal, the learned bidder calling in every seat.

    It has no plays: the cards on record belong to another contract.
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
    estimator = load().estimators.get(SOLVER)
    if estimator is None:
        raise BayesBridgeError(
            "this study solves deals: install the plugin bayesbridge-double-dummy"
        )
    return estimator


def board(plan: Plan, number: int, rng: np.random.Generator) -> Floats:
    """(WIDTH,) what is said of one board, and what is true."""
    record = plan.records[number]
    contract = record.contract
    assert record.deal is not None
    assert contract is not None
    declarer = contract.declarer
    needed = contract.tricks_needed
    question = Question.of((declarer, declarer.partner), trump=contract.strain.trump)
    belief = Belief.of_record(record, seat_of(plan.chair, declarer), cards=0)
    posterior = belief.infer("auto", plan.draws, rng)
    sample = posterior.resample(plan.solve if number < plan.correct else 0, rng)

    # The deal itself is solved first, then the layouts of the sample.
    solved_masks = np.concatenate([Layouts.of([record.deal]).masks, sample.masks])
    is_made = _solved_tricks(solved_masks, question) >= needed
    trick_chances = _network_tricks(
        np.concatenate([solved_masks, posterior.layouts.masks]), question
    )
    make_chances = trick_chances[:, needed:].sum(axis=1)
    drawn = slice(len(solved_masks), None)

    corrected_chance = (0.0, 0.0, 0.0)
    if len(sample):
        mean_tricks = np.asarray(posterior.weights @ trick_chances[drawn], np.float64)
        sample_chances = make_chances[1 : len(solved_masks)]
        corrected_chance = _corrected_chance(
            posterior, mean_tricks[needed:].sum(), sample_chances, is_made[1:]
        )
    columns = (
        CONTRACT_KINDS.index(contract.kind),
        *_network_chance(posterior, make_chances[drawn]),
        float(make_chances[0]),
        *corrected_chance,
        contract.level,
    )
    return np.array([is_made[0], len(sample) > 0, *columns], np.float64)


def _solved_tricks(masks: Masks, question: Question) -> NDArray[np.int64]:
    """(n,) tricks of declarer double dummy on (n, 4) layouts."""
    tricks = solver().estimate(Layouts(masks), question)[SOLVER]
    return np.asarray(tricks, np.int64)


def _network_tricks(masks: Masks, question: Question) -> Floats:
    """(n, 14) P(tricks of declarer) by the network on (n, 4) layouts."""
    table = np.ascontiguousarray(masks[:, list(question.table)])
    return np.asarray(table_tricks(table, question.trump), np.float64)


def _network_chance(posterior: Posterior, chances: Floats) -> tuple[float, float]:
    """Mean of (draws,) chances over the posterior, and its error by the draws."""
    share = float(posterior.weights @ chances)
    spread = float(posterior.weights @ ((chances - share) ** 2))
    error = 0.0 if posterior.exact else float(np.sqrt(spread / posterior.ess))
    return share, error


def _corrected_chance(
    posterior: Posterior,
    predicted: np.float64,
    chances: Floats,
    is_made: NDArray[np.bool_],
) -> tuple[float, float, float]:
    """The chance corrected by solved layouts, its error, and the share that make.

    ``predicted`` is the network's chance over the posterior; ``chances`` (n,) are what
    it says of the solved layouts, ``is_made`` (n,) what the solver finds.
    """
    n = len(chances)
    draws_worth = np.inf if posterior.exact else posterior.ess
    sample = CalibratedSample.of(
        np.full(n, 1 / n), chances[:, None], predicted[None], draws_worth
    )
    share, error = sample.share(is_made.astype(np.float64))
    return share, error, float(is_made.mean())


def count(plan: Plan, seed: np.random.SeedSequence, boards: int) -> Floats:
    """(boards, WIDTH) the boards of one chunk."""
    first = CHUNK * seed.spawn_key[0]
    rows = []
    for place, child in enumerate(seed.spawn(boards), first):
        rows.append(board(plan, place, np.random.default_rng(child)))
    return np.stack(rows)


BINS: Final = 10
SMALL_SLAM: Final = 6
GRAND_SLAM: Final = 7

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
        """Those of ten bins that have forecasts."""
        place = bin_of(self.told, BINS)
        counts = np.bincount(place, np.ones(len(place)), BINS)
        told = np.bincount(place, self.told, BINS)
        made = np.bincount(place, self.made, BINS)
        return curve(counts, told, made)

    @property
    def error(self) -> float:
        """Calibration error: mean gap of told and observed, by bins.

        Bins are weighed by their forecasts.
        """
        return calibration_error(self.bins)

    @property
    def by_chance(self) -> float:
        """The calibration error by chance alone, if every chance told were right."""
        variances = self.told * (1.0 - self.told)
        bin_variances = np.bincount(bin_of(self.told, BINS), variances, BINS)
        bin_errors = float(np.sqrt(bin_variances).sum())
        # The mean absolute value of a normal variable is √(2 / π) of its deviation.
        return sqrt(2 / pi / self.trials) * bin_errors / max(1, len(self.told))

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
    def of(cls, plan: Plan, rows: Floats) -> Odds:
        """From (boards, WIDTH) rows."""
        is_made = rows[:, 0]
        is_corrected = rows[:, 1] > 0
        columns = dict(zip(COLUMNS, rows[:, 2:].T, strict=True))

        def forecast(name: str, column: str, boards: NDArray[np.bool_]) -> Forecast:
            """What a column says of some of the boards."""
            chances = np.clip(columns[column][boards], 0.0, 1.0)
            return Forecast(name, chances, is_made[boards])

        all_boards = np.ones(len(is_made), dtype=np.bool_)
        forecasts = [
            forecast(NETWORK, "network", all_boards),
            forecast(AT_TRUTH, "at_truth", all_boards),
        ]
        kinds = [
            (kind, columns["kind"] == place)
            for place, kind in enumerate(CONTRACT_KINDS)
        ]
        kinds.append(("small slam", columns["level"] == SMALL_SLAM))
        kinds.append(("grand slam", columns["level"] == GRAND_SLAM))
        for kind, boards in kinds:
            if boards.any():
                forecasts.append(forecast(f"{NETWORK}: {kind}", "network", boards))
        if is_corrected.any():
            network = forecast(SAME, "network", is_corrected)
            solved = columns["solved"][is_corrected]
            forecasts.append(forecast(CORRECTED, "corrected", is_corrected))
            forecasts.append(network)
            forecasts.append(Forecast(BESIDE_SOLVER, network.told, solved, plan.solve))
        return cls(plan, tuple(forecasts))


MARKS: Final = {NETWORK: (BLUE, "o"), CORRECTED: (ORANGE, "s"), AT_TRUTH: (SKY, "^")}

FEWEST: Final = 10
"""Boards that a mark stands for at least."""


def plot_odds(odds: Odds, *, ax: Axes | None = None) -> Axes:
    """Share of contracts that make, against the chance told.

    The diagonal is where all is right. Bars are two standard errors of the share, by
    the chances told; a mark stands for ten boards at least.
    """
    ax = new_axes(5.2, 4.8) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    for forecast in odds.forecasts:
        if forecast.name in MARKS:
            _draw_forecast(ax, forecast)
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


def _draw_forecast(ax: Axes, forecast: Forecast) -> None:
    """Marks and bars of one way to tell the chance."""
    colour, mark = MARKS[forecast.name]
    bins = [cell for cell in forecast.bins if cell.cards >= FEWEST]
    told, observed, counts = np.array(bins, float).reshape(-1, 3).T
    errors = 2 * np.sqrt(told * (1 - told) / counts)
    boards = len(forecast.told)
    points = 100 * forecast.error
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
        label=f"{forecast.name}: {boards} boards, error {points:.1f} points",
    )


def measure(plan: Plan, seed: int = 1, how: RunOptions | None = None) -> Odds:
    """All boards of a plan, told apart by a hash of their deals and contracts."""
    text = "\n".join(f"{record.deal} {record.auction}" for record in plan.records)
    key = {
        "boards": hashlib.sha256(text.encode()).hexdigest()[:16],
        "chair": plan.chair,
        "draws": plan.draws,
        "solve": plan.solve,
        "correct": plan.correct,
    }
    job = Job("odds", partial(count, plan), CHUNK, key)
    return Odds.of(plan, rows(job, plan.deals, seed, how))


def document(odds: Odds) -> dict[str, Any]:
    """The forecasts and what they were asked with, as plain data."""
    return {
        "chair": odds.plan.chair,
        "draws": odds.plan.draws,
        "solve": odds.plan.solve,
        "held_out": odds.plan.held_out,
        "forecasts": {
            forecast.name: _document(forecast) for forecast in odds.forecasts
        },
    }


def _document(forecast: Forecast) -> dict[str, Any]:
    """One forecast as plain data."""
    bias, error = forecast.bias
    return {
        "boards": len(forecast.told),
        "told": float(forecast.told.mean()),
        "made": float(forecast.made.mean()),
        "bias": bias,
        "bias_error": error,
        "calibration_error": forecast.error,
        "calibration_error_by_chance": forecast.by_chance,
        "brier": forecast.brier,
        "bins": [
            {"told": cell.predicted, "made": cell.observed, "boards": cell.cards}
            for cell in forecast.bins
        ],
    }


def _table_row(forecast: Forecast) -> list[str]:
    """The cells of one way to tell the chance."""
    bias, bias_error = forecast.bias
    return [
        forecast.name,
        number(len(forecast.told)),
        percent(float(forecast.told.mean())),
        percent(float(forecast.made.mean())),
        f"{100 * bias:+.1f} ± {100 * bias_error:.1f}",
        f"{100 * forecast.error:.1f}",
        f"{100 * forecast.by_chance:.1f}",
        f"{forecast.brier:.4f}",
    ]


def tables(odds: Odds) -> Iterator[Table]:
    """A row for each way to tell the chance, then the bins."""
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
        [_table_row(forecast) for forecast in odds.forecasts],
    )
    for forecast in odds.forecasts:
        cells = [
            [percent(cell.predicted), percent(cell.observed), number(cell.cards)]
            for cell in forecast.bins
        ]
        yield Table(forecast.name, ["told", "make", "boards"], cells)


def parser() -> ArgumentParser:
    """What the instrument takes."""
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
    return parser


def main() -> None:
    """Compare the chances of contracts with the solver."""
    args = parser().parse_args()
    plan = Plan(
        path=args.records,
        deals=args.boards,
        chair=args.chair,
        draws=args.draws,
        solve=args.solve,
        correct=args.correct,
        held_out=args.held_out,
        simulated=args.simulated,
        level=args.level,
    )
    odds = measure(plan.verify(), args.seed, setting(args))
    if args.picture:
        plot_odds(odds).figure.savefig(args.picture)
    show(args, document(odds), tables(odds))


if __name__ == "__main__":
    start(main)
