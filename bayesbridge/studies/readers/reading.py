"""A reading: what somebody says of the hidden cards, and how it is completed where they do not say all.

Whoever gives P(card at seat) alone is taken to mean each card by itself: lengths are then sums of independent cards,
and P(layout) is proportional to the product over the hidden cards, among all layouts with hands of the right size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.marginals import Marginals
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import Masks
from bayesbridge.studies.inference import PSEUDO
from bayesbridge.studies.readers.seen import Hard, Seen

type Floats = NDArray[np.float64]

LEAST: Final = 1e-12
"""Smaller probabilities count as this one: to be wrong and certain costs 27.6 nats."""

SURE: Final = 1.0 - 1e-12
"""From here on the hard evidence says where a card lies, and nobody is asked."""

POSTERIOR: Final = "posterior"
SAMPLES: Final = "samples"
PRODUCT: Final = "product of cards"
OWN: Final = "the reader itself"
WAYS: Final = (POSTERIOR, SAMPLES, PRODUCT, OWN)
"""The ways to log P(layout): by likelihood and evidence, by the share of samples, by the cards one by one, by whoever
gives ``log_layout``."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What a reader says at one moment."""

    cards: Floats
    """(52, 4) P(seat holds card); rows sum to one."""
    lengths: Floats | None = None
    """(4, 4, 14) P(seat has so many cards of a suit); ``None``: cards one by one."""
    log_layout: Callable[[Masks], Floats] | None = field(default=None, repr=False)
    """log P(layout ∣ seen) of (n, 4) layouts; ``None``: cards one by one."""
    way: str = ""
    """How log P(layout) is found, one of WAYS; left out, it follows from ``log_layout``."""
    noise: tuple[Floats, Floats] | None = None
    """By how much draws raise −log P of cards and of lengths on average; ``None`` where there are no draws."""
    hard: Hard | None = None
    """What the hard evidence says, where the reader has counted it already."""

    def __post_init__(self) -> None:
        way = self.way or (PRODUCT if self.log_layout is None else OWN)
        if way not in WAYS:
            raise BayesBridgeError(f"way {way!r}: choose {', '.join(WAYS)}, or leave it out", way=way)
        object.__setattr__(self, "way", way)


@runtime_checkable
class Reader(Protocol):
    """Anything that says where cards lie: a posterior, a network that predicts cards directly, a file of beliefs."""

    def read(self, seen: Seen) -> Reading | None:
        """What it says of a table at a moment; ``None`` where it says nothing, which is counted."""
        ...


def of_layouts(masks: Masks, weights: Floats, hard: Hard, cards: Floats | None = None) -> Reading:
    """A reading from (n, 4) sampled layouts and (n,) weights that add up to one; ``cards`` if they were given too.

    What the hard evidence says is mixed in with the weight of a few draws, so that no place is impossible by chance.
    P(layout) is the share of samples, mixed in the same way, where there are at least as many as layouts.
    """
    share = PSEUDO / (PSEUDO + len(masks))
    sums = Marginals.empty()
    sums.add(masks, weights)
    drawn = (1 - share) * sums.cards() + share * hard.cards
    lengths = (1 - share) * sums.lengths() + share * hard.lengths

    def log_layout(wanted: Masks) -> Floats:
        same = (masks[None, :, :] == wanted[:, None, :]).all(axis=2)
        shares: Floats = np.log((1 - share) * np.where(same, weights, 0.0).sum(axis=1) + share / hard.count)
        return shares

    enough = len(masks) >= hard.count
    return Reading(
        drawn if cards is None else cards,
        lengths,
        log_layout if enough else None,
        SAMPLES if enough else PRODUCT,
    )


def lengths_of_cards(cards: Floats) -> Floats:
    """(4, 4, 14) P(length) of each seat and suit if each card lay by itself; ``cards``: (52, 4)."""
    found = np.zeros((4, 4, 14))
    found[:, :, 0] = 1.0
    for suit in range(4):
        for chance in cards[13 * suit : 13 * suit + 13]:
            there = found[:, suit, :-1] * chance[:, None]
            found[:, suit] *= 1.0 - chance[:, None]
            found[:, suit, 1:] += there
    return found


def log_product(chances: Floats, truth: NDArray[np.int64]) -> float:
    """log of the product of the true places, over its sum among all places with the same number of cards for each seat.

    chances: (n, k) P(seat of each card), k = 2 or 3 hidden seats
    truth:   (n,) the column of the true seat
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
