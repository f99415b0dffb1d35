"""Where a call gains and where it loses.

This is told by the one statement about a hidden hand that parts its gains best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbridge.display.words import SEATS, percent
from bayesbridge.engines.weights import Estimate
from bayesbridge.game.cards import Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import (
    Bools,
    Floats,
    Masks,
    high_card_points,
    suit_lengths,
)

LEAST_SHARE: Final = 0.15
"""Share of the layouts on either side of a split."""

LEAST_ERRORS: Final = 4.0
"""Standard errors between the two sides: so many, since the best of many is chosen."""

LEAST_GAP: Final = 0.5
"""Standard deviations of the gains between the two sides."""

MOST_POINTS: Final = 20
"""The largest number of points that a statement names."""

ROUNDING: Final = 1e-9
"""Relative difference by which a statement must be better than an earlier one."""

SUIT_WORDS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven")


@dataclass(frozen=True, slots=True)
class GainSplit:
    """A statement about one hidden hand, and the gains where it holds and does not."""

    #: Such as ``North has four or more spades``.
    statement: str
    #: Share of the layouts where it holds.
    share: float
    #: Mean gain where it holds.
    inside: Estimate[float]
    #: Mean gain where it does not.
    outside: Estimate[float]

    @property
    def errors_apart(self) -> float:
        """How many standard errors lie between the two means."""
        error = np.hypot(self.inside.error, self.outside.error)
        return float(abs(self.inside.mean - self.outside.mean) / max(error, 1e-12))


@dataclass(frozen=True, slots=True)
class HandStatement:
    """Words about a hand, and (n,) whether they hold in each layout."""

    words: str
    holds: Bools


def best_split(
    masks: Masks, weights: Floats, gains: Floats, seats: Sequence[Seat]
) -> GainSplit | None:
    """Return the split by the statement about one of the seats that parts gains best.

    That is the statement that explains most of the variance of the (n,) ``gains`` on
    (n, 4) layouts with ``weights``. It is ``None`` where no statement says much.
    """
    mean = float(weights @ gains)
    variance = float(weights @ (gains - mean) ** 2)
    best: HandStatement | None = None
    most_explained = 0.0
    for statement in statements(masks, seats):
        share = float(weights[statement.holds].sum())
        if not LEAST_SHARE <= share <= 1.0 - LEAST_SHARE:
            continue
        mean_inside = float(weights[statement.holds] @ gains[statement.holds]) / share
        explained = share / (1.0 - share) * (mean_inside - mean) ** 2
        if explained > most_explained * (1.0 + ROUNDING):
            best = statement
            most_explained = explained
    if best is None:
        return None
    split = split_by(best, weights, gains)
    gap = abs(split.inside.mean - split.outside.mean)
    is_wide = gap >= LEAST_GAP * np.sqrt(variance)
    if split.errors_apart >= LEAST_ERRORS and is_wide:
        return split
    return None


def statements(masks: Masks, seats: Sequence[Seat]) -> Iterator[HandStatement]:
    """Yield that a suit of a hand has so many cards or more, or the hand such points."""
    for seat in seats:
        name = SEATS[seat.name]
        lengths = suit_lengths(masks[:, seat])
        for suit in reversed(Suit):
            for least in range(1, len(NUMBERS)):
                words = f"{name} has {length_words(least, suit)}"
                yield HandStatement(words, lengths[:, suit] >= least)
        points = high_card_points(masks[:, seat])
        for least in range(1, MOST_POINTS + 1):
            yield HandStatement(f"{name} has {least} or more points", points >= least)


def length_words(least: int, suit: Suit) -> str:
    """Say that a suit has so many cards or more."""
    suit_word = SUIT_WORDS[suit.name]
    if least == 1:
        return f"a {suit_word.removesuffix('s')} or more"
    return f"{NUMBERS[least]} or more {suit_word}"


def split_by(statement: HandStatement, weights: Floats, gains: Floats) -> GainSplit:
    """Return the mean gains on either side of a statement."""
    holds = statement.holds
    return GainSplit(
        statement.words,
        float(weights[holds].sum()),
        mean_of(weights[holds], gains[holds]),
        mean_of(weights[~holds], gains[~holds]),
    )


def mean_of(weights: Floats, values: Floats) -> Estimate[float]:
    """Return the weighted mean of (n,) values with its standard error."""
    shares = weights / weights.sum()
    mean = float(shares @ values)
    variance = float(shares**2 @ (values - mean) ** 2)
    return Estimate(mean, float(np.sqrt(variance)))


def split_sentence(head: str, split: GainSplit, figure: Callable[[float], str]) -> str:
    """Tell a split in words, which begin with ``head``; ``figure`` writes a gain."""
    inside = figure(split.inside.mean)
    outside = figure(split.outside.mean)
    share = percent(split.share, 0)
    return f"{head} where {split.statement} ({share}): {inside}; else {outside}."
