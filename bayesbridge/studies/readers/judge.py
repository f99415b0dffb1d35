"""One reading beside the truth: the losses of one board at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, nan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import HIGH_CARD_POINTS
from bayesbridge.deal import Deal
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import high_card_points, suit_lengths
from bayesbridge.studies.inference import HONOURS
from bayesbridge.studies.readers.reading import LEAST, SURE, Reading, lengths_of_cards, log_product
from bayesbridge.studies.readers.seen import Seen

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]
type Masks = NDArray[np.uint64]

MEASURES: Final = ("honours", "cards", "lengths", "points", "log_true", "log_tssr", "brier", "top1")
"""In the order of :attr:`Judged.values`; the first three are −log P at the truth, means over what is in doubt."""

_POINTS: Final = np.tile(np.array(HIGH_CARD_POINTS, dtype=np.float64), 4)
_HONOUR: Final = np.isin(np.arange(52), HONOURS)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a reading was worth.

    values:  (8,) as MEASURES names them; ``nan`` where nothing is in doubt. ``points`` is the mean squared error
    honours: (h, k) what was said of each honour in doubt, by hidden seat
    truth:   (h,) the column of the true seat
    noise:   (2,) Monte Carlo part of the losses of honours and lengths, 0 where exact
    hard:    (2,) the same losses by the hard evidence alone
    way:     how log P(true layout) was found
    """

    values: Floats
    honours: Floats
    truth: Ints
    noise: Floats
    hard: Floats
    way: str
    seconds: float = nan


def judge(reading: Reading, seen: Seen, deal: Deal, seconds: float = nan) -> Judged:
    """The reading of one board beside its deal; cards whose place the hard evidence tells are not asked about."""
    hard = reading.hard or seen.hard
    masks = np.array([hand.mask for hand in deal.hands], dtype=np.uint64)
    doubt = np.flatnonzero(hard.cards.max(axis=1) < SURE)
    if not len(doubt):
        values = np.full(len(MEASURES), nan)
        values[[2, 4, 5]] = 0.0
        nobody = np.empty(0, dtype=np.int64)
        return Judged(values, np.empty((0, 1)), nobody, np.zeros(2), np.zeros(2), reading.way, seconds)
    seats = np.flatnonzero(hard.cards[doubt].any(axis=0))
    holder = (masks[None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)).argmax(axis=1)
    truth = np.searchsorted(seats, holder[doubt])
    honour = _HONOUR[doubt]
    lengths = lengths_of_cards(reading.cards) if reading.lengths is None else reading.lengths
    told = np.clip(reading.cards[np.ix_(doubt, seats)], LEAST, 1.0)
    loss = -np.log(told[np.arange(len(doubt)), truth])
    said, right = told[honour], truth[honour]
    came = np.arange(len(seats)) == right[:, None]
    log_true = log_product(told, truth)
    if reading.log_layout is not None:
        log_true = float(reading.log_layout(masks[None, :])[0])
    values = np.array(
        [
            _mean(loss[honour]),
            loss.mean(),
            -np.log(np.maximum(_true_lengths(lengths, masks, seats), LEAST)).mean(),
            _squared_points(reading.cards, masks, seats),
            log_true,
            log_true + log(hard.count),
            _mean(((said - came) ** 2).sum(axis=1)),
            _mean((said.argmax(axis=1) == right).astype(np.float64)),
        ]
    )
    at = doubt[honour], holder[doubt][honour]
    noise = np.zeros(2)
    if reading.noise is not None:
        noise = np.array([_mean(reading.noise[0][at]), _true_lengths(reading.noise[1], masks, seats).mean()])
    by_hard = np.array([_mean(-np.log(hard.cards[at])), -np.log(_true_lengths(hard.lengths, masks, seats)).mean()])
    return Judged(values, said, right, noise, by_hard, reading.way, seconds)


def _mean(values: Floats) -> float:
    """``nan`` for the mean of nothing."""
    return float(values.mean()) if len(values) else nan


def _true_lengths(lengths: Floats, masks: Masks, seats: Ints) -> Floats:
    """(seats × 4,) what stands at the true length of each suit in each of the seats."""
    true = suit_lengths(masks[seats]).astype(np.intp)
    found: Floats = lengths[seats[:, None], np.arange(4), true]
    return found.ravel()


def _squared_points(cards: Floats, masks: Masks, seats: Ints) -> float:
    """Mean over the seats of (expected − true high-card points)²; the expectation needs the cards one by one only."""
    expected = (cards.T @ _POINTS)[seats]
    return float(((expected - high_card_points(masks[seats])) ** 2).mean())


def verify(reading: Reading, who: str) -> None:
    """Raise unless a reading of somebody else's code is made of probabilities."""
    cards, lengths = np.asarray(reading.cards), reading.lengths
    if cards.shape != (52, 4) or (lengths is not None and np.shape(lengths) != (4, 4, 14)):
        shapes = f"{cards.shape} and {None if lengths is None else np.shape(lengths)}"
        raise BayesBridgeError(f"{who} gave cards and lengths of shapes {shapes}: give (52, 4) and (4, 4, 14) or None")
    for what, chances in (("card", cards), ("length", lengths)):
        if chances is not None and not (np.all(chances >= 0) and np.allclose(chances.sum(axis=-1), 1.0, atol=1e-6)):
            raise BayesBridgeError(f"{who} gave chances of a {what} that do not add up to one: let each row sum to 1")
