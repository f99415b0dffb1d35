"""How well a posterior finds the cards of real boards: log-loss, Brier score, top-1 and calibration.

The observer is the opening leader. After the auction, or a given number of cards, the posterior says where each hidden
honour lies (A K Q J T) and how long each suit is in each hidden hand; the record knows the truth.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel, PlayerModel
from bayesbridge.notation.record import Record
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve

type Floats = NDArray[np.float64]

HONOURS: Final = tuple(13 * suit + rank for suit in range(4) for rank in range(8, 13))
"""T J Q K A of each suit."""

PSEUDO: Final = 10.0
"""Draws that the prior is worth beside the particles', so that no place is ever called impossible by chance."""

DRAWS: Final = 1000

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


@dataclass(frozen=True, slots=True, eq=False)
class BoardScores:
    """Means over boards; losses in nats."""

    boards: int
    honour_log_loss: float
    honour_error: float
    """Standard error, boards taken as independent."""
    length_log_loss: float
    length_error: float
    brier: float
    top1: float
    calibration_error: float
    """Mean gap between predicted and observed, over bins weighted by their cards."""
    calibration: tuple[Bin, ...]
    seconds_per_board: float
    layouts_per_second: float


def usable(record: Record) -> str | None:
    """Why a record cannot be scored; ``None`` if it can."""
    if record.deal is None:
        return "not all four hands are on record"
    if record.auction is None or not record.auction.is_over:
        return "no complete auction is on record"
    return "passed out: nobody leads" if record.contract is None else None


def score_board(
    record: Record,
    *,
    cards: int = 0,
    bidder: BidderModel | None = None,
    player: PlayerModel | None = None,
    draws: int = DRAWS,
    seed: int = 1,
) -> BoardScore:
    """Score the leader's posterior on one board after the auction and ``cards`` cards."""
    deal, contract = record.deal, record.contract
    assert deal is not None
    assert contract is not None
    started = time.perf_counter()
    belief = Belief.of_record(record, contract.declarer.next(), cards=cards, bidder=bidder, player=player)
    posterior = belief.infer("auto", draws, seed)
    honours, lengths = smoothed_marginals(posterior)
    seconds = time.perf_counter() - started
    hidden = [seat for seat in Seat if belief.constraints.must[seat].bit_count() < 13]
    return _scored(honours, lengths, deal, hidden, seconds, len(posterior))


def smoothed_marginals(posterior: Posterior) -> tuple[Floats, Floats]:
    """P(card in seat) (52, 4) and P(length) (4, 4, 14), mixed with what the hard evidence alone says.

    The prior weighs as much as a few draws, so exact posteriors are left alone.
    """
    cards = posterior.draws.target.sampler.card_marginals() / posterior.count()
    lengths = posterior.draws.target.sampler.length_distributions() / posterior.count()
    if posterior.draws.log_likelihood is None:
        return cards, lengths
    share = 0.0 if posterior.exact else PSEUDO / (PSEUDO + len(posterior))
    sums = posterior.marginals
    return (1 - share) * sums.cards() + share * cards, (1 - share) * sums.lengths() + share * lengths


def _scored(cards: Floats, lengths: Floats, deal: Deal, hidden: list[Seat], seconds: float, layouts: int) -> BoardScore:
    if not hidden:  # all has been seen
        return BoardScore(np.empty((0, 3)), np.empty(0, dtype=np.int64), np.zeros(1), seconds, layouts)
    masks = [deal[seat].mask for seat in hidden]
    held = [card for card in HONOURS if any(mask >> card & 1 for mask in masks)]
    unsure = np.array([card for card in held if cards[card].max() < 1.0 - 1e-12], dtype=np.intp)
    truth = [next(i for i, mask in enumerate(masks) if mask >> card & 1) for card in unsure]
    chances = [
        lengths[seat, suit, (mask >> (13 * suit) & 0x1FFF).bit_count()]
        for seat, mask in zip(hidden, masks, strict=True)
        for suit in range(4)
    ]
    return BoardScore(
        np.clip(cards[np.ix_(unsure, np.array(hidden, dtype=np.intp))], 1e-12, 1.0),
        np.array(truth, dtype=np.int64),
        -np.log(np.maximum(chances, 1e-12)),
        seconds,
        layouts,
    )


def score_boards(
    records: Iterable[Record], *, cards: int = 0, draws: int = DRAWS, seed: int = 1
) -> Iterator[tuple[Record, BoardScore | str]]:
    """Each record with its score, or with the reason why it has none."""
    for record in records:
        yield record, usable(record) or score_board(record, cards=cards, draws=draws, seed=seed)


class Sums:
    """Running sums over boards, so that memory does not grow with their number."""

    def __init__(self) -> None:
        self.boards = self.honours = self.right = self.layouts = 0
        self.brier = self.seconds = 0.0
        self.honour_loss, self.length_loss = Moments(), Moments()
        self.bins = np.zeros((3, BINS))

    def add(self, one: BoardScore) -> None:
        """Take a board in."""
        self.boards += 1
        self.layouts += one.layouts
        self.seconds += one.seconds
        self.length_loss.add(float(one.length_loss.mean()))
        if not len(one.truth):
            return
        came = _indicator(one)
        self.honours += len(one.truth)
        self.right += int((one.honours.argmax(axis=1) == one.truth).sum())
        self.brier += float(((one.honours - came) ** 2).sum())
        self.honour_loss.add(float(_losses(one).mean()))
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
            length_log_loss=self.length_loss.mean,
            length_error=self.length_loss.error,
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


def _losses(one: BoardScore) -> Floats:
    losses: Floats = -np.log(one.honours[np.arange(len(one.truth)), one.truth])
    return losses


def _indicator(one: BoardScore) -> Floats:
    indicator: Floats = (np.arange(one.honours.shape[1]) == one.truth[:, None]).astype(np.float64)
    return indicator
