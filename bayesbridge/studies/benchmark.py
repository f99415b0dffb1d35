"""The reading benchmark: its test boards, and how a reading is scored.

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
from bayesbridge.game.layouts import (
    Bools,
    Floats,
    Ints,
    Masks,
    high_card_points,
    suit_lengths,
)
from bayesbridge.notation.record import Record
from bayesbridge.studies.jobs import Job, RunOptions, in_order
from bayesbridge.studies.readers import (
    CountingReader,
    Hard,
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


TRAIN_PERCENT: Final = 90
VALIDATE_PERCENT: Final = 5  # what is left is the test list


def part_of_masks(masks: Iterable[int]) -> DealSplit:
    """What a deal is used for, given the masks of the hands N E S W.

    Nine in ten deals train, one in twenty each of the others.
    """
    percentile = int(digest_of_masks(masks)[:8], 16) % 100
    if percentile < TRAIN_PERCENT:
        return DealSplit.TRAIN
    if percentile < TRAIN_PERCENT + VALIDATE_PERCENT:
        return DealSplit.VALIDATE
    return DealSplit.TEST


def is_test(deal: Deal) -> bool:
    """Whether a deal is on the test list, on which nothing may be fitted or chosen.

    >>> is_test(Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"))
    True
    """
    return part_of_masks(hand.mask for hand in deal.hands) is DealSplit.TEST


class Bin(NamedTuple):
    """Forecasts of about the same probability."""

    predicted: float
    """The mean probability."""
    observed: float
    """The share that came true."""
    cards: int
    """How many forecasts there are."""


EDGE_TOLERANCE: Final = 1e-9  # a probability so little below an edge is on it


def bin_of(predicted: ArrayLike, bins: int) -> Ints:
    """The bin of each probability, 0 … bins − 1; an edge belongs to the bin above it.

    >>> bin_of([0.0, 0.3 - 1e-12, 0.5, 1.0], 10).tolist()
    [0, 3, 5, 9]
    """
    places = (np.asarray(predicted) * bins + EDGE_TOLERANCE).astype(np.int64)
    return np.clip(places, 0, bins - 1)


def curve(
    cards: ArrayLike, predicted: ArrayLike, observed: ArrayLike
) -> tuple[Bin, ...]:
    """The bins that have forecasts, from three sums over each bin.

    Parameters
    ----------
    cards : array_like, shape (bins,)
        How many forecasts there are.
    predicted : array_like, shape (bins,)
        The sum of their probabilities.
    observed : array_like, shape (bins,)
        How many of them came true.

    Returns
    -------
    tuple of Bin
    """
    columns = [np.asarray(column).tolist() for column in (cards, predicted, observed)]
    bins = []
    for forecasts, probability, true in zip(*columns, strict=True):
        if forecasts:
            bins.append(Bin(probability / forecasts, true / forecasts, int(forecasts)))
    return tuple(bins)


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """Mean gap between predicted and observed, weighted by forecasts; 0 without any."""
    gaps = sum(abs(part.predicted - part.observed) * part.cards for part in bins)
    return gaps / max(1, sum(part.cards for part in bins))


class Metric(NamedTuple):
    """How a figure is called."""

    key: str
    """Its key in a document; its standard error has ``…_error``."""
    column: str
    """The head of its column; without one it is in no table."""
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

MEAN_NAMES: Final = tuple(name for name in MEASURES if name != "calibration_error")
MEANS: Final = len(MEAN_NAMES)  # figures that are means over boards
POINTS: Final = MEAN_NAMES.index("points")

RANKS: Final = 13
LEAST_HONOUR: Final = 8  # the rank of the ten
# T J Q K A of each suit
HONOURS: Final = tuple(card for card in range(52) if card % RANKS >= LEAST_HONOUR)
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


@dataclass(frozen=True, slots=True, eq=False)
class CardsInDoubt:
    """The cards of a deal whose place the hard evidence does not tell."""

    cards: Ints  # (d,) in rising order
    seats: Ints  # (k,) the seats that may hold one of them
    truth: Ints  # (d,) who holds each: its place in ``seats``

    @classmethod
    def of(cls, hard: Hard, masks: Masks) -> CardsInDoubt:
        """What is in doubt of a deal, given its four masks."""
        cards = np.flatnonzero(hard.cards.max(axis=1) < SURE)
        seats = np.flatnonzero(hard.cards[cards].any(axis=0))
        deck = np.arange(52, dtype=np.uint64)
        is_held = masks[None, :] >> deck[:, None] & np.uint64(1)  # (52, 4)
        holders = is_held.argmax(axis=1)
        return cls(cards, seats, np.searchsorted(seats, holders[cards]))


def judge(reading: Reading, view: PlayerView, deal: Deal) -> ReadingScores:
    """The scores of a reading of one board, by the deal as it was.

    A reading is P(seat holds card), with a few more answers. It is judged on the cards
    in doubt alone, whose place the hard evidence (cards seen, voids) does not tell. A
    loss is −log of the probability of what is true.
    """
    hard_evidence = reading.hard or view.hard
    true_masks = np.array([hand.mask for hand in deal.hands], dtype=np.uint64)
    doubt = CardsInDoubt.of(hard_evidence, true_masks)
    if not len(doubt.cards):
        return _scores_without_doubt()
    # (cards in doubt, hidden seats)
    chances = reading.cards[np.ix_(doubt.cards, doubt.seats)]
    chances = np.clip(chances, LEAST, 1.0)
    chances_of_true_seat = chances[np.arange(len(chances)), doubt.truth]
    card_losses = -np.log(chances_of_true_seat)
    is_honour = np.isin(doubt.cards, HONOURS)
    honour_chances = chances[is_honour]
    honour_truth = doubt.truth[is_honour]
    log_true_layout = _log_true(reading, true_masks, chances, doubt.truth)
    # Of a layout by who knows the hard evidence only: all are equally likely.
    log_counting = -log(hard_evidence.count)
    values = {
        "honours": _mean(card_losses[is_honour]),
        "cards": card_losses.mean(),
        "lengths": _length_loss(reading, true_masks, doubt.seats),
        "points": _squared_points_error(reading, true_masks, doubt.seats),
        "log_true": log_true_layout,
        "log_tssr": log_true_layout - log_counting,
        "brier": _brier_score(honour_chances, honour_truth),
        "top1": _share_guessed(honour_chances, honour_truth),
    }
    return ReadingScores(
        values=_values_array(values), honours=honour_chances, truth=honour_truth
    )


def _brier_score(chances: Floats, truth: Ints) -> float:
    """The mean over cards of Σ over seats of (P − what came)², what came being 0 or 1.

    ``chances`` (n, k): P(card lies with seat); ``truth`` (n,): the true column.
    """
    came_true = np.arange(chances.shape[1]) == truth[:, None]
    return _mean(((chances - came_true) ** 2).sum(axis=1))


def _share_guessed(chances: Floats, truth: Ints) -> float:
    """The share of cards whose likeliest seat, of (n, k) chances, is the true one."""
    is_right = chances.argmax(axis=1) == truth
    return _mean(is_right.astype(np.float64))


def _scores_without_doubt() -> ReadingScores:
    """The scores where every card lies open: nothing is asked, nothing is wrong."""
    values = dict.fromkeys(MEAN_NAMES, nan)
    values |= {"lengths": 0.0, "log_true": 0.0, "log_tssr": 0.0}
    no_forecasts = np.empty((0, 1))
    no_cards = np.empty(0, dtype=np.int64)
    return ReadingScores(_values_array(values), no_forecasts, no_cards)


def _values_array(values: Mapping[str, float]) -> Floats:
    """(MEANS,) in the order of ``MEASURES``."""
    return np.array([values[name] for name in MEAN_NAMES])


def _mean(values: Floats) -> float:
    """``nan`` for the mean of nothing."""
    if not len(values):
        return nan
    return float(values.mean())


def _length_loss(reading: Reading, masks: Masks, seats: Ints) -> float:
    """The mean −log P of the true lengths of these seats in the four suits."""
    lengths = reading.lengths
    if lengths is None:
        lengths = lengths_of_cards(reading.cards)
    true_lengths = suit_lengths(masks[seats]).astype(np.intp)
    chances = lengths[seats[:, None], np.arange(4), true_lengths]
    return float(-np.log(np.maximum(chances, LEAST)).mean())


def _squared_points_error(reading: Reading, masks: Masks, seats: Ints) -> float:
    """The mean squared error of the expected high-card points of these seats."""
    points_of_cards = np.tile(np.array(HIGH_CARD_POINTS, np.float64), 4)
    expected = (reading.cards.T @ points_of_cards)[seats]
    return float(((expected - high_card_points(masks[seats])) ** 2).mean())


def _log_true(reading: Reading, masks: Masks, chances: Floats, truth: Ints) -> float:
    """log P of the true layout, card by card where the reader gives no better."""
    if reading.log_layout is not None:
        return float(reading.log_layout(masks[None, :])[0])
    return log_product(chances, truth)


def lengths_of_cards(cards: Floats) -> Floats:
    """(4, 4, 14) P(length) of each seat and suit if each card lay by itself.

    ``cards`` (52, 4): P(seat holds card).
    """
    lengths = np.zeros((4, 4, RANKS + 1))
    lengths[:, :, 0] = 1.0
    for suit in range(4):
        for chances in cards[RANKS * suit : RANKS * (suit + 1)]:
            with_card = lengths[:, suit, :-1] * chances[:, None]
            lengths[:, suit] *= 1.0 - chances[:, None]
            lengths[:, suit, 1:] += with_card
    return lengths


def log_product(chances: Floats, truth: Ints) -> float:
    """log P of the true places, if P is proportional to the product of chances.

    Parameters
    ----------
    chances : array, shape (n, k)
        P(card lies with seat) of n cards and two or three seats.
    truth : array of int, shape (n,)
        The column of the seat that holds each card.

    Returns
    -------
    float
        The log of the product at the true places, over its sum among all places that
        give each seat as many cards.
    """
    chances = np.maximum(chances, LEAST)
    seats = chances.shape[1]
    sizes = np.bincount(truth, minlength=seats)
    # ways[a, b]: the sum over places of the cards so far with a in the first seat and b
    # in the second; scaled, so that it does not underflow.
    ways = np.zeros((sizes[0] + 1, sizes[1] + 1))
    ways[0, 0] = 1.0
    log_scale = 0.0
    for card in chances:
        third_chance = card[2] if seats > 2 else 0.0
        ways_with_card = ways * third_chance
        ways_with_card[1:] += ways[:-1] * card[0]
        ways_with_card[:, 1:] += ways[:, :-1] * card[1]
        scale = ways_with_card.max()
        log_scale += float(np.log(scale))
        ways = ways_with_card / scale
    true_chances = chances[np.arange(len(truth)), truth]
    log_true = float(np.log(true_chances).sum())
    return log_true - log_scale - float(np.log(ways[-1, -1]))


def verify(reading: Reading, who: str) -> None:
    """Raise unless a reading of somebody else's code is made of probabilities."""
    _verify_chances(who, "cards", reading.cards, (52, 4))
    if reading.lengths is not None:
        _verify_chances(who, "lengths", reading.lengths, (4, 4, RANKS + 1))


def _verify_chances(
    who: str, subject: str, chances: ArrayLike, shape: tuple[int, ...]
) -> None:
    """Raise unless an array has this shape, and its last axis is a distribution."""
    array = np.asarray(chances)
    if (
        array.shape == shape
        and np.all(array >= 0)
        and np.allclose(array.sum(axis=-1), 1.0, atol=1e-6)
    ):
        return
    raise BayesBridgeError(
        f"{who} gave {subject} of shape {array.shape}: give {shape}, each row of "
        "chances that add up to 1"
    )


BUCKETS: Final = 1000
BINS: Final = 10

# Columns of a row of figures: see :func:`row_of`.
BUCKET: Final = 0
ANSWERED: Final = 1
SECONDS: Final = 2
FIRST_VALUE: Final = 3
FIRST_BIN: Final = FIRST_VALUE + MEANS
WIDTH: Final = FIRST_BIN + 3 * BINS


def bucket_of(deal: Deal) -> int:
    """Where the tables of a deal are added up."""
    digest = digest_of_masks(hand.mask for hand in deal.hands)
    return int(digest[8:16], 16) % BUCKETS


class ScoreSums:
    """What a reader is worth on some boards: their rows added up by bucket.

    Parameters
    ----------
    rows : iterable of array, shape (WIDTH,)
        Boards, as :func:`row_of` gives them.
    """

    def __init__(self, rows: Iterable[Floats] = ()) -> None:
        self.boards = 0
        self.unanswered = 0
        self.seconds = 0.0
        self.counts = np.zeros((BUCKETS, MEANS))
        self.sums = np.zeros((BUCKETS, MEANS))
        self.bins = np.zeros((BUCKETS, 3, BINS))
        for row in rows:
            self.take(row)

    def take(self, row: Floats) -> None:
        """Add a board, as :func:`row_of` gives it."""
        bucket = int(row[BUCKET])
        values = row[FIRST_VALUE:FIRST_BIN]
        self.boards += 1
        self.unanswered += not row[ANSWERED]
        self.seconds += row[SECONDS]
        self.counts[bucket] += ~np.isnan(values)
        self.sums[bucket] += np.nan_to_num(values)
        self.bins[bucket] += row[FIRST_BIN:].reshape(3, BINS)

    @property
    def figures(self) -> dict[str, Estimate[float]]:
        """Each of ``MEASURES`` with its standard error; ``nan`` without boards."""
        figures = {}
        for column, name in enumerate(MEAN_NAMES):
            figures[name] = mean_of(self.counts[:, column], self.sums[:, column])
        figures["points"] = _root_of(figures["points"])
        figures["calibration_error"] = jackknife(self.bins)
        return figures

    def document(self) -> dict[str, Any]:
        """All figures as plain data; ``None`` for what no board tells."""
        bins = curve(*self.bins.sum(axis=0))
        seconds = self.seconds / self.boards if self.boards else None
        return {
            "boards": self.boards,
            **figures_document(self.figures),
            "seconds_per_board": seconds,
            "unanswered": self.unanswered,
            "calibration": [part._asdict() for part in bins],
        }

    def less(self, other: ScoreSums) -> dict[str, Any]:
        """The figures less those of another reader on the same boards, as a document.

        Errors are those of the differences board by board, since what is hard for one
        reader is hard for the other. To first order a figure is a mean over boards, so
        the difference of two has the error of a mean of differences.
        """
        own_figures = self.figures
        other_figures = other.figures
        own_sums = self._first_order_sums(own_figures)
        sums_of_differences = own_sums - other._first_order_sums(other_figures)
        differences = {}
        for column, name in enumerate(MEAN_NAMES):
            counts = self.counts[:, column]
            error = mean_of(counts, sums_of_differences[:, column]).error
            difference = own_figures[name].mean - other_figures[name].mean
            differences[name] = Estimate(difference, error)
        calibration_difference = (
            own_figures["calibration_error"].mean
            - other_figures["calibration_error"].mean
        )
        differences["calibration_error"] = Estimate(
            calibration_difference, jackknife(self.bins, other.bins).error
        )
        return {"boards": self.boards, **figures_document(differences)}

    def _first_order_sums(self, figures: Mapping[str, Estimate[float]]) -> Floats:
        """(BUCKETS, MEANS) sums by which the figures move when a bucket counts more.

        They are the sums themselves but for the points: where the mean square moves by
        x, its root a moves by x / 2a.
        """
        sums = self.sums.copy()
        sums[:, POINTS] /= 2 * figures["points"].mean or 1.0
        return sums


def _root_of(square: Estimate[float]) -> Estimate[float]:
    """The root of a mean square, and its error to first order."""
    root = sqrt(square.mean) if square.mean >= 0 else nan
    return Estimate(root, square.error / (2 * root) if root else 0.0)


def figures_document(figures: Mapping[str, Estimate[float]]) -> dict[str, Any]:
    """Figures and errors by their keys; ``None`` for what no board tells."""
    document: dict[str, Any] = {}
    for name, (value, error) in figures.items():
        key = MEASURES[name].key
        document[key] = finite(value)
        document[f"{key}_error"] = finite(error)
    return document


def mean_of(counts: Floats, sums: Floats) -> Estimate[float]:
    """The mean over boards and its error, from sums by bucket.

    Parameters
    ----------
    counts : array, shape (buckets,)
        Boards of each bucket.
    sums : array, shape (buckets,)
        The sum of their values.

    Returns
    -------
    Estimate
        ``nan`` without boards; the error of a single bucket is 0.
    """
    boards = counts.sum()
    if not boards:
        return Estimate(nan, nan)
    mean = float(sums.sum() / boards)
    used = np.count_nonzero(counts)
    if used < 2:
        return Estimate(mean, 0.0)
    squares = float(np.square(sums - counts * mean).sum())
    return Estimate(mean, sqrt(used / (used - 1) * squares) / float(boards))


def jackknife(bins: Floats, subtracted: Floats | None = None) -> Estimate[float]:
    """The calibration error and its standard error, by leaving out each bucket in turn.

    A bucket has all tables of a deal, and every thousandth deal.

    Parameters
    ----------
    bins : array, shape (buckets, 3, BINS)
        Of each bucket forecasts, their probabilities, and those that came true.
    subtracted : array, shape (buckets, 3, BINS), optional
        The sums of another reader of the same boards, whose calibration error is taken
        off.

    Returns
    -------
    Estimate
        ``nan`` without boards; the error of a single bucket is 0.
    """
    has_forecasts = bins[:, 0].sum(axis=1) > 0
    if not has_forecasts.any():
        return Estimate(nan, nan)
    value = calibration_error(curve(*bins.sum(axis=0)))
    if subtracted is not None:
        value -= calibration_error(curve(*subtracted.sum(axis=0)))
    buckets = np.count_nonzero(has_forecasts)
    if buckets == 1:
        return Estimate(value, 0.0)
    replicates = _errors_without(bins, has_forecasts)
    if subtracted is not None:
        replicates -= _errors_without(subtracted, has_forecasts)
    # The jackknife: the variance is (n − 1) / n times the sum of squared deviations.
    return Estimate(value, sqrt((buckets - 1) * float(np.var(replicates))))


def _errors_without(bins: Floats, left_out: Bools) -> Floats:
    """(n,) the calibration error if each of n buckets is left out in turn.

    ``bins`` (buckets, 3, BINS): forecasts, their probabilities, those that came true;
    ``left_out`` (buckets,): which of them.
    """
    remaining = bins.sum(axis=0) - bins[left_out]
    forecasts = remaining[:, 0].sum(axis=1)
    gaps = np.abs(remaining[:, 1] - remaining[:, 2]).sum(axis=1)
    return np.asarray(gaps / forecasts)


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
    """A row for each moment or reader, from documents.

    Parameters
    ----------
    title : str
        What the table is of; the units are added.
    first : str
        The head of the first column.
    rows : iterable of (str, mapping)
        The first cell of a row, and the document of :class:`ScoreSums` that it shows.
    signed : bool
        Whether gains have a plus sign, as in differences.

    Returns
    -------
    Table
        With a dash for a figure that no board tells.
    """
    metrics = [metric for metric in MEASURES.values() if metric.column]
    cells = []
    for name, document in rows:
        figures = [_figure_cell(document, metric, signed) for metric in metrics]
        cells.append([name, number(document["boards"]), *figures])
    header = [first, "boards", *(metric.column for metric in metrics)]
    return Table(f"{title}; {UNITS}", header, cells)


def _figure_cell(document: Mapping[str, Any], metric: Metric, signed: bool) -> str:
    value = document[metric.key]
    if value is None:
        return "–"
    sign = "+" if signed and value > 0 else ""
    error = number(document[f"{metric.key}_error"], metric.digits)
    return f"{sign}{number(value, metric.digits)} ± {error}"


class Board(NamedTuple):
    """A table that can be scored."""

    number: int
    """Its number in its file, from 1."""
    record: Record
    styles: Mapping[str, PairStyle] = {}
    """Of the pairs whose earlier tables are known, by side."""


def call_figures(rows: ArrayLike, name: str) -> dict[str, Any]:
    """How well calls were foretold, as a document.

    Parameters
    ----------
    rows : array_like, shape (n, 3)
        Sums over the calls of each of n deals, which are independent: how many, their
        losses with styles, and without.
    name : str
        The key of the loss with styles, and the start of the others.

    Returns
    -------
    dict of str to float or None
        The mean losses and their difference, each also with its ``…_error``.
    """
    counts, styled, average = np.asarray(rows).reshape(-1, 3).T
    sums_by_key = {
        name: styled,
        f"{name}_average": average,
        f"{name}_difference": styled - average,
    }
    document: dict[str, Any] = {}
    for key, sums in sums_by_key.items():
        value, error = mean_of(counts, sums)
        document[key] = finite(value)
        document[f"{key}_error"] = finite(error)
    return document


def view_of_chair(record: Record, chair: str, cards: int, board: int = 0) -> PlayerView:
    """What a chair saw of a record that can be scored, after the first ``cards`` cards.

    A chair is a role at the table such as ``leader``; dummy has no cards to play and is
    asked before the lead. ``board`` is the number of the record in its file.
    """
    if chair == "dummy" and cards:
        raise BayesBridgeError(
            f"dummy after {cards} cards: dummy looks on from the lead on, take cards=0",
            cards=cards,
        )
    assert record.contract is not None
    return PlayerView.of(record, seat_of(chair, record.contract.declarer), cards, board)


def score_reader(reader: Reader, record: Record, view: PlayerView) -> ReadingScores:
    """Ask the reader and judge its answer; the seconds are the reader's own."""
    assert record.deal is not None
    who = f"reader {type(reader).__name__}"
    started = time.perf_counter()
    with naming(f"{who}, board {view.board},"):
        answer = reader.read(view)
    seconds = time.perf_counter() - started
    reading = CountingReader().read(view) if answer is None else answer
    verify(reading, who)
    scores = judge(reading, view, record.deal)
    return replace(scores, seconds=seconds, answered=answer is not None)


def row_of(scores: ReadingScores, bucket: int) -> Floats:
    """(WIDTH,) a board as numbers: bucket, whether answered, seconds, the means.

    The means are those of ``MEASURES``. Then come three sums over bins of the
    forecasts that a seat holds an honour: how many, their chances, how many came true.
    """
    forecasts = scores.honours.ravel()
    seats = np.arange(scores.honours.shape[1])
    came_true = (seats == scores.truth[:, None]).ravel()
    bin_of_forecast = bin_of(forecasts, BINS)
    one_each = np.ones(len(forecasts))
    bins = [
        np.bincount(bin_of_forecast, summand, BINS)
        for summand in (one_each, forecasts, came_true)
    ]
    return np.concatenate(
        [[bucket, scores.answered, scores.seconds], scores.values, *bins]
    )


# Boards: a second of work or some, so that an interrupt is obeyed soon.
CHUNK: Final = 2

# After the name of a reader that is not told what earlier tables say.
WITHOUT: Final = " without styles"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of every board."""

    readers: tuple[str, ...]
    moments: Mapping[str, int]  # cards played, by the name of the moment
    chair: str
    draws: int
    seed: int

    def parameters(self) -> dict[str, int | str]:
        """What tells checkpoints of other plans apart; the seed does so by itself."""
        moments = [f"{name}:{cards}" for name, cards in self.moments.items()]
        return {
            "readers": " ".join(self.readers),
            "moments": " ".join(moments),
            "chair": self.chair,
            "draws": self.draws,
        }


def tally_boards(
    plan: Plan, boards: int, walk: Iterable[Board], how: RunOptions, digest: str
) -> dict[str, dict[str, ScoreSums]]:
    """The sums over boards of each reader at each moment.

    Parameters
    ----------
    plan : Plan
        What is asked.
    boards : int
        How many boards there are.
    walk : iterable of Board
        The boards, which can be scored; walked once.
    how : RunOptions
        Workers and a checkpoint.
    digest : str
        A hash of the files that the boards come from.

    Returns
    -------
    dict of str to dict of str to ScoreSums
        By reader and moment.
    """
    numbered_chunks = enumerate(batched(walk, CHUNK))

    def boards_of_chunk(wanted: int) -> tuple[Board, ...]:
        """The boards of a chunk, by its number, which rises from call to call.

        Chunks that a checkpoint has are walked past.
        """
        return next(chunk for number, chunk in numbered_chunks if number == wanted)

    job = Job(
        "score",
        count=partial(read_boards, plan),
        chunk=CHUNK,
        parameters={"file": digest, **plan.parameters()},
        given=boards_of_chunk,
        noun="boards",
    )
    tallies: dict[str, dict[str, ScoreSums]] = {}
    for reader in plan.readers:
        tallies[reader] = {moment: ScoreSums() for moment in plan.moments}
    chunks = in_order(job, boards, plan.seed, how)
    for board_rows in chain.from_iterable(chunks):
        # (readers, moments, WIDTH) of one board
        for reader, reader_rows in zip(plan.readers, board_rows, strict=True):
            for moment, row in zip(plan.moments, reader_rows, strict=True):
                play_ended_before = np.isnan(row[BUCKET])
                if not play_ended_before:
                    tallies[reader][moment].take(row)
    return tallies


def read_boards(
    plan: Plan, _seed: np.random.SeedSequence, size: int, boards: Iterable[Board]
) -> Floats:
    """The scores of every reader on the ``size`` boards of a chunk.

    They are (boards, readers, moments, WIDTH): for each moment, a number of cards
    played, a row of numbers as :func:`row_of` makes it; ``nan`` where the play is
    shorter.
    """
    rows = np.full((size, len(plan.readers), len(plan.moments), WIDTH), nan)
    with _ONE_AT_A_TIME:
        for board_rows, board in zip(rows, boards, strict=True):
            _fill_rows(board_rows, board, plan)
    return rows


def _fill_rows(rows: Floats, board: Board, plan: Plan) -> None:
    """Fill the rows of one board: (readers, moments, WIDTH), as :func:`row_of` makes them.

    A moment is a number of cards played; the rows of those after the end of the play
    stay as they are. A reader whose name ends in ``without styles`` is not told how the
    pairs bid at earlier tables.
    """
    record = board.record
    assert record.deal is not None
    bucket = bucket_of(record.deal)  # where all tables of this deal are added up
    for moment, cards in enumerate(plan.moments.values()):
        if len(record.plays) < cards:
            continue
        view_without_styles = view_of_chair(record, plan.chair, cards, board.number)
        view_with_styles = replace(view_without_styles, styles=board.styles)
        for number_of_reader, reader in enumerate(plan.readers):
            view = view_with_styles
            if reader.endswith(WITHOUT):
                view = view_without_styles
            key = (reader.removesuffix(WITHOUT), plan.draws, plan.seed)
            scores = _score_named_reader(key, record, view)
            rows[number_of_reader, moment] = row_of(scores, bucket)


type ReaderKey = tuple[str, int, int]
"""Name, draws and seed of a reader."""

_READERS: Final[dict[ReaderKey, Reader]] = {}
# models remember hands, and threads would share that memory
_ONE_AT_A_TIME: Final = threading.Lock()


def _score_named_reader(
    key: ReaderKey, record: Record, view: PlayerView
) -> ReadingScores:
    """The scores of a reader, which is made when it is first asked."""
    if key not in _READERS:
        _READERS[key] = reader_of(*key)
        # This answer is thrown away: it compiles before the clock starts.
        score_reader(_READERS[key], record, view)
    return score_reader(_READERS[key], record, view)
