"""Where a call gains and where it loses: the one thing about a hidden hand that parts
its gains best.
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

LEAST_SHARE: Final = 0.15  # of the layouts, on either side of a split
LEAST_ERRORS: Final = 4.0  # between the two sides: the best of many is chosen
LEAST_GAP: Final = 0.5  # of the spread of the gains, between the two sides
SUIT_WORDS: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven")


@dataclass(frozen=True, slots=True)
class GainSplit:
    """A statement about one hidden hand, and the mean gains where it holds and where it
    does not.
    """

    statement: str  #: Such as ``North has four or more spades``.
    share: float  #: Of the layouts where it holds.
    inside: Estimate[float]
    outside: Estimate[float]

    @property
    def errors_apart(self) -> float:
        """How many standard errors lie between the two means."""
        error = np.hypot(self.inside.error, self.outside.error)
        return float(abs(self.inside.mean - self.outside.mean) / max(error, 1e-12))


@dataclass(frozen=True, slots=True)
class Statement:
    """Words about a hand, and where they hold."""

    words: str
    holds: Bools


def best_split(
    masks: Masks, weights: Floats, gains: Floats, seats: Sequence[Seat]
) -> GainSplit | None:
    """The statement about one of the hidden hands that parts (n,) gains best; ``None``
    where none says much.
    """
    mean = float(weights @ gains)
    spread = float(weights @ (gains - mean) ** 2)
    best: Statement | None = None
    most = 0.0
    for statement in statements(masks, seats):
        share = float(weights[statement.holds].sum())
        if not LEAST_SHARE <= share <= 1.0 - LEAST_SHARE:
            continue
        inside = float(weights[statement.holds] @ gains[statement.holds]) / share
        explained = share / (1.0 - share) * (inside - mean) ** 2
        if explained > most * (1.0 + 1e-9):
            best = statement
            most = explained
    if best is None:
        return None
    split = split_by(best, weights, gains)
    gap = abs(split.inside.mean - split.outside.mean)
    clear = split.errors_apart >= LEAST_ERRORS and gap >= LEAST_GAP * np.sqrt(spread)
    return split if clear else None


def statements(masks: Masks, seats: Sequence[Seat]) -> Iterator[Statement]:
    """Every suit has so many cards or more, every hand so many points or more."""
    for seat in seats:
        name = SEATS[seat.name]
        lengths = suit_lengths(masks[:, seat])
        for suit in reversed(Suit):
            for least in range(1, len(NUMBERS)):
                words = f"{name} has {length_words(least, suit)}"
                yield Statement(words, lengths[:, suit] >= least)
        points = high_card_points(masks[:, seat])
        for least in range(1, 21):
            yield Statement(f"{name} has {least} or more points", points >= least)


def length_words(least: int, suit: Suit) -> str:
    """That a suit has so many cards or more."""
    suit_word = SUIT_WORDS[suit.name]
    if least == 1:
        return f"a {suit_word.removesuffix('s')} or more"
    return f"{NUMBERS[least]} or more {suit_word}"


def split_by(statement: Statement, weights: Floats, gains: Floats) -> GainSplit:
    """The gains on either side of a statement."""
    holds = statement.holds
    return GainSplit(
        statement.words,
        float(weights[holds].sum()),
        mean_of(weights[holds], gains[holds]),
        mean_of(weights[~holds], gains[~holds]),
    )


def mean_of(weights: Floats, values: Floats) -> Estimate[float]:
    """Weighted mean with its standard error."""
    shares = weights / weights.sum()
    mean = float(shares @ values)
    variance = float(shares**2 @ (values - mean) ** 2)
    return Estimate(mean, float(np.sqrt(variance)))


def split_sentence(head: str, split: GainSplit, figure: Callable[[float], str]) -> str:
    """In words, which begin with ``head``; ``figure`` writes a gain."""
    inside = figure(split.inside.mean)
    outside = figure(split.outside.mean)
    share = percent(split.share, 0)
    return f"{head} where {split.statement} ({share}): {inside}; else {outside}."
