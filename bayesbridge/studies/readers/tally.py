"""Judged boards added up: means with standard errors, in memory that does not grow with the boards.

Tables of one deal are no independent witnesses. Deals are put into BUCKETS by the hash of their cards, and the errors
are those between buckets: all tables of a deal are in one, and while there are fewer deals than buckets, nearly every
deal has one for itself. With N boards, sums S_b over n_b boards and the mean m, the variance of m is
G / (G − 1) · Σ_b (S_b − n_b m)² / N² over the G buckets in use. For the calibration error, which is no mean, buckets
are left out one by one (the jackknife).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import Final, NamedTuple

import numpy as np

from bayesbridge.deal import Deal
from bayesbridge.studies.deal_split import digest_of_masks
from bayesbridge.studies.readers.judge import MEASURES, Floats, Judged
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve

BUCKETS: Final = 1000

BINS: Final = 10
"""Of the calibration curve."""


class Measured(NamedTuple):
    """A figure and one standard error of it; both ``nan`` where no board tells it."""

    value: float
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What a reader was worth on some boards; losses in nats."""

    boards: int
    honours: Measured
    """−log P(true seat) of the hidden A K Q J T."""
    cards: Measured
    """The same of all hidden cards."""
    lengths: Measured
    """−log P(true length) of each suit in each hidden hand."""
    points: Measured
    """Root of the mean squared error of a hidden hand's expected high-card points."""
    log_true: Measured
    """log P(true layout ∣ seen)."""
    log_tssr: Measured
    """log of P(true layout ∣ seen) × number of layouts, the true-state sampling ratio; 0 knows nothing."""
    brier: Measured
    """Of the honours: Σ over seats of (P − what came)²."""
    top1: Measured
    """How often the likeliest seat of an honour is the true one."""
    calibration_error: Measured
    """Mean gap between predicted and observed places of honours, over bins weighted by their cards."""
    calibration: tuple[Bin, ...]
    noise: tuple[float, float]
    """How much of the losses of honours and lengths is due to the number of draws."""
    hard: tuple[float, float]
    """The losses of honours and lengths by the hard evidence alone."""
    seconds: float
    """For a board."""
    ways: dict[str, int]
    """How log P(true layout) was found, and on how many boards."""


def bucket_of(deal: Deal) -> int:
    """Where the tables of a deal are added up."""
    return int(digest_of_masks(hand.mask for hand in deal.hands)[8:16], 16) % BUCKETS


class Tally:
    """Running sums over boards."""

    def __init__(self) -> None:
        self.boards, self.seconds = 0, 0.0
        self.ways: dict[str, int] = {}
        self.told = np.zeros((BUCKETS, len(MEASURES)))
        self.sums = np.zeros((BUCKETS, len(MEASURES)))
        self.bins = np.zeros((BUCKETS, 3, BINS))
        self.others, self.others_told = np.zeros(4), np.zeros(4)

    def add(self, one: Judged, bucket: int) -> None:
        """Take a board in."""
        self.seconds += one.seconds
        self.take(one.values, np.concatenate([one.noise, one.hard]), binned(one), one.way, bucket)

    def take(self, values: Floats, others: Floats, bins: Floats, way: str, bucket: int) -> None:
        """The same from its parts: (8,) values, (4,) noise and hard, (3, BINS) as :func:`binned` gives them."""
        self.boards += 1
        self.ways[way] = self.ways.get(way, 0) + 1
        self.told[bucket] += ~np.isnan(values)
        self.sums[bucket] += np.nan_to_num(values)
        self.others_told += ~np.isnan(others)
        self.others += np.nan_to_num(others)
        self.bins[bucket] += bins

    def summary(self) -> Summary:
        """Means and errors."""
        measured = dict(zip(MEASURES, map(mean_of, self.told.T, self.sums.T), strict=True))
        mean, error = measured["points"]
        root = sqrt(mean) if mean >= 0 else nan
        measured["points"] = Measured(root, error / (2 * root) if root else 0.0)
        others = np.divide(self.others, self.others_told, where=self.others_told > 0, out=np.zeros(4)).tolist()
        return Summary(
            self.boards,
            **measured,
            calibration_error=jackknife(self.bins),
            calibration=curve(*self.bins.sum(axis=0)),
            noise=(others[0], others[1]),
            hard=(others[2], others[3]),
            seconds=self.seconds / self.boards if self.boards else nan,
            ways=self.ways,
        )


def binned(one: Judged) -> Floats:
    """(3, BINS) sums over the places of honours in each bin: how many, their probabilities, those that came true."""
    predicted = one.honours.ravel()
    came = (np.arange(one.honours.shape[1]) == one.truth[:, None]).ravel()
    place = bin_of(predicted, BINS)
    return np.array([np.bincount(place, weight, BINS) for weight in (np.ones(len(place)), predicted, came)])


def mean_of(told: Floats, sums: Floats) -> Measured:
    """The mean over boards and its error from sums by bucket; the error of a single bucket is 0."""
    n = told.sum()
    if not n:
        return Measured(nan, nan)
    mean = float(sums.sum() / n)
    used = np.count_nonzero(told)
    if used < 2:
        return Measured(mean, 0.0)
    squares = float(np.square(sums - told * mean).sum())
    return Measured(mean, sqrt(used / (used - 1) * squares) / float(n))


def jackknife(bins: Floats) -> Measured:
    """The calibration error of (buckets, 3, BINS) sums, and its error."""
    total = bins.sum(axis=0)
    used = bins[bins[:, 0].sum(axis=1) > 0]
    if not len(used):
        return Measured(nan, nan)
    value = calibration_error(curve(*total))
    if len(used) < 2:
        return Measured(value, 0.0)
    left = total - used
    gaps = np.abs(left[:, 1] - left[:, 2]).sum(axis=1) / left[:, 0].sum(axis=1)
    return Measured(value, sqrt((len(gaps) - 1) * float(np.var(gaps))))
