"""The reading benchmark: which boards are its test, and how a reading is scored beside
the truth.

The rule of the split looks at the cards alone, so anybody rebuilds the test list
(docs/reading-benchmark.md has it). Tables of one deal are no independent witnesses:
deals are put into BUCKETS by the hash of their cards, and the errors are those between
buckets. With N boards, sums S_b over n_b boards and the mean m, the variance of m is G
/ (G − 1) · Σ_b (S_b − n_b m)² / N² over the G buckets in use. The calibration error, no
mean, has a jackknife.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from itertools import batched, chain
from math import log, nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bayesbridge.bidders.learned import PairStyle
from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import BayesBridgeError, naming
from bayesbridge.game.cards import HIGH_CARD_POINTS
from bayesbridge.game.deal import Deal
from bayesbridge.game.layouts import Floats, Ints, high_card_points, suit_lengths
from bayesbridge.notation.record import Record
from bayesbridge.studies.jobs import Job, RunOptions, in_order
from bayesbridge.studies.readers import (
    CountingReader,
    PlayerView,
    Reader,
    Reading,
    reader_of,
    seat_of,
)
from bayesbridge.studies.study import finite


class DealSplit(IntEnum):
    """What a deal is used for."""

    TRAIN = 0
    VALIDATE = 1
    TEST = 2


def digest_of_masks(masks: Iterable[int]) -> str:
    """SHA-256 of a deal in hexadecimal digits, given the masks of the hands N E S W."""
    return hashlib.sha256(repr(tuple(int(mask) for mask in masks)).encode()).hexdigest()


def part_of_masks(masks: Iterable[int]) -> DealSplit:
    """The part of a deal, given the masks of the hands N E S W: nine in ten train, one
    in twenty each of the others.
    """
    share = int(digest_of_masks(masks)[:8], 16) % 100
    return (
        DealSplit.TRAIN
        if share < 90
        else DealSplit.VALIDATE
        if share < 95
        else DealSplit.TEST
    )


def is_test(deal: Deal) -> bool:
    """Whether a deal is on the test list, on which nothing may be fitted or chosen.

    >>> is_test(Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"))
    True
    """
    return part_of_masks(hand.mask for hand in deal.hands) is DealSplit.TEST


class Bin(NamedTuple):
    """Forecasts of about the same probability: its mean, the share that came true, how
    many.
    """

    predicted: float
    observed: float
    cards: int


def bin_of(predicted: ArrayLike, bins: int) -> Ints:
    """The number of the bin of each probability, 0 … bins − 1; a rounding error below
    an edge is corrected.

    >>> bin_of([0.0, 0.3 - 1e-12, 0.5, 1.0], 10).tolist()
    [0, 3, 5, 9]
    """
    return np.clip((np.asarray(predicted) * bins + 1e-9).astype(np.int64), 0, bins - 1)


def curve(
    cards: ArrayLike, predicted: ArrayLike, observed: ArrayLike
) -> tuple[Bin, ...]:
    """The bins that have forecasts, from sums over each bin: forecasts, their
    probabilities, those that came true.
    """
    sums: Any = zip(
        *(np.asarray(column).tolist() for column in (cards, predicted, observed)),
        strict=True,
    )
    return tuple(Bin(p / n, k / n, int(n)) for n, p, k in sums if n)


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """Mean gap between predicted and observed, bins weighted by their number of
    forecasts; 0 without any.
    """
    return sum(abs(one.predicted - one.observed) * one.cards for one in bins) / max(
        1, sum(one.cards for one in bins)
    )


class Metric(NamedTuple):
    """How a figure is called: its key in a document (``…_error`` for its standard
    error), its column, its digits.
    """

    key: str
    column: str
    digits: int = 4


MEASURES: Final = {
    "honours": Metric("honour_log_loss", "honours"),
    "cards": Metric("card_log_loss", "all cards"),
    "lengths": Metric("length_log_loss", "lengths"),
    "points": Metric("points_rmse", "points", 3),
    "log_true": Metric("log_true", "log P(true)", 2),
    "log_tssr": Metric("log_tssr", "log TSSR", 2),
    "brier": Metric("brier", "Brier"),
    "top1": Metric("top1", ""),
    "calibration_error": Metric("calibration_error", "calibration"),
}
"""In the order of :attr:`ReadingScores.values`, and last the calibration error. Losses
are −log P at the truth, means over what is in doubt; log TSSR, the true-state sampling
ratio, is 0 for who knows nothing; the Brier score is Σ over seats of (P − what came)²;
the calibration error is the mean gap between predicted and observed places of honours.
"""

MEANS: Final = len(MEASURES) - 1  # figures that are means over boards
HONOURS: Final = tuple(
    13 * suit + rank for suit in range(4) for rank in range(8, 13)
)  # T J Q K A of each suit
# Smaller probabilities count as this one: to be wrong and certain costs 27.6 nats
LEAST: Final = 1e-12
# from here on the hard evidence says where a card lies, and nobody is asked
SURE: Final = 1.0 - 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ReadingScores:
    """The scores of a reading."""

    # (8,) as MEASURES names them, nan where nothing is in doubt; points: the mean
    # squared error
    values: Floats
    honours: Floats  # (h, k) forecast of each honour in doubt, by hidden seat
    truth: Ints  # (h,) the column of the true seat
    seconds: float = nan
    answered: bool = True  # if not, somebody who knows nothing was judged


def judge(reading: Reading, seen: PlayerView, deal: Deal) -> ReadingScores:
    """The reading of one board beside its deal; cards whose place the hard evidence
    tells are not asked about.
    """
    hard = reading.hard or seen.hard
    masks = np.array([hand.mask for hand in deal.hands], dtype=np.uint64)
    doubt = np.flatnonzero(hard.cards.max(axis=1) < SURE)
    if not len(doubt):
        values = np.full(MEANS, nan)
        values[[2, 4, 5]] = 0.0
        return ReadingScores(values, np.empty((0, 1)), np.empty(0, dtype=np.int64))
    seats = np.flatnonzero(hard.cards[doubt].any(axis=0))
    holder = (
        masks[None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)
    ).argmax(axis=1)
    truth = np.searchsorted(seats, holder[doubt])
    honour = np.isin(doubt, HONOURS)
    lengths = (
        lengths_of_cards(reading.cards) if reading.lengths is None else reading.lengths
    )
    chances = np.clip(reading.cards[np.ix_(doubt, seats)], LEAST, 1.0)
    loss = -np.log(chances[np.arange(len(doubt)), truth])
    forecast, right = chances[honour], truth[honour]
    expected = (reading.cards.T @ np.tile(np.array(HIGH_CARD_POINTS, np.float64), 4))[
        seats
    ]
    came = np.arange(len(seats)) == right[:, None]
    true_lengths = suit_lengths(masks[seats]).astype(np.intp)
    log_true = log_product(chances, truth)
    if reading.log_layout is not None:
        log_true = float(reading.log_layout(masks[None, :])[0])
    values = np.array(
        [
            _mean(loss[honour]),
            loss.mean(),
            -np.log(
                np.maximum(lengths[seats[:, None], np.arange(4), true_lengths], LEAST)
            ).mean(),
            ((expected - high_card_points(masks[seats])) ** 2).mean(),
            log_true,
            log_true + log(hard.count),
            _mean(((forecast - came) ** 2).sum(axis=1)),
            _mean((forecast.argmax(axis=1) == right).astype(np.float64)),
        ]
    )
    return ReadingScores(values, forecast, right)


def _mean(values: Floats) -> float:
    """``nan`` for the mean of nothing."""
    return float(values.mean()) if len(values) else nan


def lengths_of_cards(cards: Floats) -> Floats:
    """(4, 4, 14) P(length) of each seat and suit if each card lay by itself; ``cards``:
    (52, 4).
    """
    found = np.zeros((4, 4, 14))
    found[:, :, 0] = 1.0
    for suit in range(4):
        for chance in cards[13 * suit : 13 * suit + 13]:
            there = found[:, suit, :-1] * chance[:, None]
            found[:, suit] *= 1.0 - chance[:, None]
            found[:, suit, 1:] += there
    return found


def log_product(chances: Floats, truth: Ints) -> float:
    """log of the product of (n, k) chances at the true places, over its sum among all
    places with as many for each.
    """
    p = np.maximum(chances, LEAST)
    sizes = np.bincount(truth, minlength=p.shape[1])
    # ways[a, b]: the sum over places of the cards so far with a in the first seat and b in the second.
    ways = np.zeros((sizes[0] + 1, sizes[1] + 1))
    ways[0, 0] = 1.0
    log_scale = 0.0
    for row in p:
        after = ways * (row[2] if len(row) > 2 else 0.0)
        after[1:] += ways[:-1] * row[0]
        after[:, 1:] += ways[:, :-1] * row[1]
        top = after.max()
        log_scale += float(np.log(top))
        ways = after / top
    true = float(np.log(p[np.arange(len(truth)), truth]).sum())
    return true - log_scale - float(np.log(ways[-1, -1]))


def verify(reading: Reading, who: str) -> None:
    """Raise unless a reading of somebody else's code is made of probabilities."""
    for what, chances, shape in (
        ("cards", reading.cards, (52, 4)),
        ("lengths", reading.lengths, (4, 4, 14)),
    ):
        if chances is None and what == "lengths":
            continue
        rows = np.asarray(chances)
        if rows.shape != shape or not (
            np.all(rows >= 0) and np.allclose(rows.sum(axis=-1), 1.0, atol=1e-6)
        ):
            raise BayesBridgeError(
                f"{who} gave {what} of shape {rows.shape}: give {shape}, each row of chances that add up to 1"
            )


BUCKETS: Final = 1000
BINS: Final = 10


def bucket_of(deal: Deal) -> int:
    """Where the tables of a deal are added up."""
    return int(digest_of_masks(hand.mask for hand in deal.hands)[8:16], 16) % BUCKETS


class ScoreSums:
    """What a reader is worth on some boards: their rows of :func:`row_of`, added up by
    bucket.
    """

    def __init__(self, rows: Iterable[Floats] = ()) -> None:
        self.boards, self.unanswered, self.seconds = 0, 0, 0.0
        self.counts, self.sums = np.zeros((2, BUCKETS, MEANS))
        self.bins = np.zeros((BUCKETS, 3, BINS))
        for row in rows:
            self.take(row)

    def take(self, row: Floats) -> None:
        bucket, answered, seconds, values = (
            int(row[0]),
            row[1],
            row[2],
            row[3 : 3 + MEANS],
        )
        self.boards += 1
        self.unanswered += not answered
        self.seconds += seconds
        self.counts[bucket] += ~np.isnan(values)
        self.sums[bucket] += np.nan_to_num(values)
        self.bins[bucket] += row[3 + MEANS :].reshape(3, BINS)

    @property
    def figures(self) -> dict[str, Estimate[float]]:
        figures = dict(
            zip(MEASURES, map(mean_of, self.counts.T, self.sums.T), strict=False)
        )
        mean, error = figures["points"]
        root = sqrt(mean) if mean >= 0 else nan
        figures["points"] = Estimate(root, error / (2 * root) if root else 0.0)
        return figures | {"calibration_error": jackknife(self.bins)}

    def document(self) -> dict[str, Any]:
        """All figures as plain data; ``None`` for what no board tells."""
        found: dict[str, Any] = {"boards": self.boards}
        for name, (value, error) in self.figures.items():
            found |= {
                MEASURES[name].key: finite(value),
                f"{MEASURES[name].key}_error": finite(error),
            }
        seconds = self.seconds / self.boards if self.boards else None
        found |= {"seconds_per_board": seconds, "unanswered": self.unanswered}
        return found | {
            "calibration": [one._asdict() for one in curve(*self.bins.sum(axis=0))]
        }

    def less(self, other: ScoreSums) -> dict[str, Any]:
        """The figures less another reader's, as a document; of two roots the difference
        is Σ (x / 2a − y / 2b) / n.
        """
        mine, theirs = self.figures, other.figures
        found: dict[str, Any] = {"boards": self.boards}
        for column, (name, measure) in enumerate(MEASURES.items()):
            if name == "calibration_error":
                error = jackknife(self.bins, other.bins).error
            else:
                a, b = (
                    (mine[name].mean, theirs[name].mean)
                    if name == "points"
                    else (0.5, 0.5)
                )
                sums = self.sums[:, column] / (2 * a or 1.0) - other.sums[:, column] / (
                    2 * b or 1.0
                )
                error = mean_of(self.counts[:, column], sums).error
            value = mine[name].mean - theirs[name].mean
            found |= {measure.key: finite(value), f"{measure.key}_error": finite(error)}
        return found


def mean_of(counts: Floats, sums: Floats) -> Estimate[float]:
    """The mean over boards and its error from sums by bucket; the error of a single
    bucket is 0.
    """
    n = counts.sum()
    if not n:
        return Estimate(nan, nan)
    mean = float(sums.sum() / n)
    used = np.count_nonzero(counts)
    if used < 2:
        return Estimate(mean, 0.0)
    squares = float(np.square(sums - counts * mean).sum())
    return Estimate(mean, sqrt(used / (used - 1) * squares) / float(n))


def jackknife(*bins: Floats) -> Estimate[float]:
    """The calibration error of (buckets, 3, BINS) sums, and its error; of two, the
    first less the second.
    """
    used = bins[0][:, 0].sum(axis=1) > 0
    if not used.any():
        return Estimate(nan, nan)
    value, gaps = 0.0, np.zeros(np.count_nonzero(used))
    for sign, each in zip((1, -1), bins, strict=False):
        total = each.sum(axis=0)
        value += sign * calibration_error(curve(*total))
        if len(gaps) > 1:
            left = total - each[used]
            gaps += (
                sign
                * np.abs(left[:, 1] - left[:, 2]).sum(axis=1)
                / left[:, 0].sum(axis=1)
            )
    return Estimate(value, sqrt((len(gaps) - 1) * float(np.var(gaps))))


UNITS: Final = (
    "losses in nats; points: root mean squared error; "
    "± one standard error, tables of one deal taken together"
)


def summary_table(
    title: str,
    first: str,
    rows: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    signed: bool = False,
) -> Table:
    """A row for each moment or reader, from documents; a dash for a figure that no
    board tells.
    """
    measures = [one for one in MEASURES.values() if one.column]
    cells = []
    for name, one in rows:
        row = [name, number(one["boards"])]
        for key, _, digits in measures:
            told = one[key] is not None
            sign = "+" if signed and told and one[key] > 0 else ""
            row.append(
                f"{sign}{number(one[key], digits)} ± {number(one[f'{key}_error'], digits)}"
                if told
                else "–"
            )
        cells.append(row)
    return Table(
        f"{title}; {UNITS}", [first, "boards", *(one.column for one in measures)], cells
    )


class Board(NamedTuple):
    """A table that can be scored, and its number in its file, from 1."""

    number: int
    record: Record
    styles: Mapping[
        str, PairStyle
    ] = {}  # of the pairs whose earlier tables are known, by side


def call_figures(rows: ArrayLike, name: str) -> dict[str, Any]:
    """How well calls were foretold, as a document, from (n, 3) sums: calls, losses by
    style and without.
    """
    counts, known, average = np.asarray(rows).reshape(-1, 3).T
    found: dict[str, Any] = {}
    for key, values in {
        "": known,
        "_average": average,
        "_difference": known - average,
    }.items():
        value, error = mean_of(counts, values)
        found |= {f"{name}{key}": finite(value), f"{name}{key}_error": finite(error)}
    return found


def see(record: Record, chair: str, cards: int, board: int = 0) -> PlayerView:
    """What a chair saw of a record that can be scored; dummy has no cards to play and
    is asked before the lead.
    """
    if chair == "dummy" and cards:
        raise BayesBridgeError(
            f"dummy after {cards} cards: dummy looks on from the lead on, take cards=0",
            cards=cards,
        )
    assert record.contract is not None
    return PlayerView.of(record, seat_of(chair, record.contract.declarer), cards, board)


def look(reader: Reader, record: Record, seen: PlayerView) -> ReadingScores:
    """Ask the reader and judge what it says; the seconds are the reader's own."""
    assert record.deal is not None
    started = time.perf_counter()
    with naming(f"reader {type(reader).__name__}, board {seen.board},"):
        answer = reader.read(seen)
    seconds = time.perf_counter() - started
    reading = CountingReader().read(seen) if answer is None else answer
    verify(reading, f"reader {type(reader).__name__}")
    return replace(
        judge(reading, seen, record.deal), seconds=seconds, answered=answer is not None
    )


def row_of(one: ReadingScores, bucket: int) -> Floats:
    """(WIDTH,) a board: bucket, whether answered, seconds, the measures; by bin
    honours, their chances, those true.
    """
    predicted = one.honours.ravel()
    came = (np.arange(one.honours.shape[1]) == one.truth[:, None]).ravel()
    place = bin_of(predicted, BINS)
    bins = [
        np.bincount(place, weight, BINS)
        for weight in (np.ones(len(place)), predicted, came)
    ]
    return np.concatenate([[bucket, one.answered, one.seconds], one.values, *bins])


WIDTH: Final = 3 + MEANS + 3 * BINS
CHUNK: Final = (
    2  # boards: a second of work or some, so that an interrupt is obeyed soon
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of every board."""

    readers: tuple[str, ...]
    moments: Mapping[str, int]  # cards played, by the name of the moment
    chair: str
    draws: int
    seed: int


def tally_boards(
    plan: Plan, boards: int, walk: Iterable[Board], how: RunOptions, digest: str
) -> dict[str, dict[str, ScoreSums]]:
    """The sums of each reader at each moment over boards that can be scored; ``digest``
    is a hash of their files.
    """
    chunks = enumerate(batched(walk, CHUNK))

    def given(number: int) -> tuple[Board, ...]:
        return next(chunk for i, chunk in chunks if i == number)

    moments = " ".join(f"{name}:{cards}" for name, cards in plan.moments.items())
    asked: dict[str, int | str] = {
        "file": digest,
        "readers": " ".join(plan.readers),
        "moments": moments,
    }
    asked |= {"chair": plan.chair, "draws": plan.draws}
    tallies = {
        reader: {moment: ScoreSums() for moment in plan.moments}
        for reader in plan.readers
    }
    every = [tally for named in tallies.values() for tally in named.values()]
    job = Job("score", partial(read_boards, plan), CHUNK, asked, given, "boards")
    for board in chain.from_iterable(in_order(job, boards, plan.seed, how)):
        for tally, row in zip(every, board.reshape(-1, WIDTH), strict=True):
            if not np.isnan(row[0]):
                tally.take(row)
    return tallies


def read_boards(
    plan: Plan, _seed: np.random.SeedSequence, boards: int, given: Iterable[Board]
) -> Floats:
    """(boards, readers, moments, WIDTH) rows of one chunk; ``nan`` where the play is
    shorter.
    """
    rows = np.full((boards, len(plan.readers), len(plan.moments), WIDTH), nan)
    with _ONE_AT_A_TIME:
        for table, (board, record, styles) in zip(rows, given, strict=True):
            assert record.deal is not None
            bucket = bucket_of(record.deal)
            for column, cards in enumerate(plan.moments.values()):
                if len(record.plays) < cards:
                    continue
                plain = see(record, plan.chair, cards, board)
                for row, reader in enumerate(plan.readers):
                    name = reader.removesuffix(WITHOUT)
                    seen = plain if name != reader else replace(plain, styles=styles)
                    key = name, plan.draws, plan.seed
                    if key not in _READERS:
                        _READERS[key] = reader_of(*key)
                        look(
                            _READERS[key], record, seen
                        )  # compiles before the clock starts
                    table[row, column] = row_of(
                        look(_READERS[key], record, seen), bucket
                    )
    return rows


# After the name of a reader that is not told what earlier tables say
WITHOUT: Final = " without styles"
_READERS: Final[dict[tuple[str, int, int], Reader]] = {}
# models remember hands, and threads would share that memory
_ONE_AT_A_TIME: Final = threading.Lock()
