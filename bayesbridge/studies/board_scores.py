"""Scores of boards, one by one and added up: what a posterior said of each, and the means over all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve

type Floats = NDArray[np.float64]

BINS: Final = 10
"""Of the calibration curve."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardScore:
    """One board: for each hidden honour P(seat) of the hidden seats and where it lies, and the losses of lengths."""

    honours: Floats
    """(h, 3) probabilities of the hidden seats, rows sum to one."""
    truth: NDArray[np.int64]
    """(h,) the column of the true seat."""
    length_loss: Floats
    """(hidden seats × 4,) −log P(true length)."""
    seconds: float
    layouts: int
    honour_noise: float = 0.0
    """Monte Carlo part of the mean loss of the honours; 0 where exact."""
    length_noise: float = 0.0
    honour_prior: float = nan
    """Mean loss of the honours by the hard evidence alone."""
    length_prior: float = nan


@dataclass(frozen=True, slots=True, eq=False)
class BoardScores:
    """Means over boards; losses in nats."""

    boards: int
    honour_log_loss: float
    honour_error: float
    """Standard error, boards taken as independent."""
    honour_monte_carlo: float
    """How much of the loss is due to the number of draws; more draws take it away."""
    honour_hard_loss: float
    """The loss without calls and chosen cards: what the hard evidence alone says."""
    length_log_loss: float
    length_error: float
    length_monte_carlo: float
    length_hard_loss: float
    brier: float
    top1: float
    calibration_error: float
    """Mean gap between predicted and observed, over bins weighted by their cards."""
    calibration: tuple[Bin, ...]
    seconds_per_board: float
    layouts_per_second: float


class Sums:
    """Running sums over boards, so that memory does not grow with their number."""

    def __init__(self) -> None:
        self.boards = self.honours = self.right = self.layouts = 0
        self.brier = self.seconds = 0.0
        self.honour_loss, self.length_loss = Moments(), Moments()
        self.noise, self.prior = (Moments(), Moments()), (Moments(), Moments())
        self.bins = np.zeros((3, BINS))

    def add(self, one: BoardScore) -> None:
        """Take a board in."""
        self.boards += 1
        self.layouts += one.layouts
        self.seconds += one.seconds
        self.length_loss.add(float(one.length_loss.mean()))
        self.noise[1].add(one.length_noise)
        self.prior[1].add(one.length_prior)
        if not len(one.truth):
            return
        came = indicator(one)
        self.honours += len(one.truth)
        self.right += int((one.honours.argmax(axis=1) == one.truth).sum())
        self.brier += float(((one.honours - came) ** 2).sum())
        self.honour_loss.add(float(losses_of(one).mean()))
        self.noise[0].add(one.honour_noise)
        self.prior[0].add(one.honour_prior)
        place = bin_of(one.honours.ravel(), BINS)
        for row, weight in zip(self.bins, (None, one.honours.ravel(), came.ravel()), strict=True):
            row += np.bincount(place, weight, BINS)

    def scores(self) -> BoardScores:
        """Means over the boards; raises where no honour was in doubt on any of them."""
        if not self.honours:
            raise BayesBridgeError(
                f"nothing is left to score: no honour is in doubt on any of {self.boards} boards; take fewer cards"
            )
        calibration = curve(*self.bins)
        return BoardScores(
            boards=self.boards,
            honour_log_loss=self.honour_loss.mean,
            honour_error=self.honour_loss.error,
            honour_monte_carlo=self.noise[0].mean,
            honour_hard_loss=self.prior[0].mean,
            length_log_loss=self.length_loss.mean,
            length_error=self.length_loss.error,
            length_monte_carlo=self.noise[1].mean,
            length_hard_loss=self.prior[1].mean,
            brier=self.brier / self.honours,
            top1=self.right / self.honours,
            calibration_error=calibration_error(calibration),
            calibration=calibration,
            seconds_per_board=self.seconds / self.boards,
            layouts_per_second=self.layouts / self.seconds,
        )


class Moments:
    """Mean and standard error of numbers that come one by one (B. P. Welford, 1962)."""

    def __init__(self) -> None:
        self.n, self.mean, self._squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        """Take a number in."""
        self.n += 1
        step = value - self.mean
        self.mean += step / self.n
        self._squares += step * (value - self.mean)

    @property
    def error(self) -> float:
        """One standard error of the mean, 0 for a single number."""
        return float(np.sqrt(self._squares) / self.n)


def total(scores: Iterable[BoardScore]) -> BoardScores:
    """Means over boards."""
    sums = Sums()
    for one in scores:
        sums.add(one)
    return sums.scores()


def losses_of(one: BoardScore) -> Floats:
    """(h,) −log P(true seat) of each honour."""
    losses: Floats = -np.log(at_truth(one))
    return losses


def at_truth(one: BoardScore) -> Floats:
    """(h,) what stands at the true seat of each honour."""
    picked: Floats = one.honours[np.arange(len(one.truth)), one.truth]
    return picked


def indicator(one: BoardScore) -> Floats:
    """(h, 3) 1 at the true seat of each honour."""
    there: Floats = (np.arange(one.honours.shape[1]) == one.truth[:, None]).astype(np.float64)
    return there
