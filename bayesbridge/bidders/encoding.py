"""What the learned bidder sees: an auction as arrays, and a suit holding as features.

Everything is told from the side of the seat whose turn it is, so that the same auction reads the same from every seat
of the table: relative seat 0 is the caller, 1 the left-hand opponent, 2 the partner, 3 the right-hand opponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

OPENING: Final = 38
"""Stands for the call before the first."""

STEP_WIDTH: Final = 79
"""Numbers that one call gives the recurrent layer: the call before it (39), what is legal (38), vulnerability (2)."""

MADE_WIDTH: Final = 152
"""Numbers that sum up the auction: how often each relative seat (4) has made each call (38)."""

SUIT_WIDTH: Final = 47
"""Features of a holding in one suit."""


class Steps(NamedTuple):
    """An auction of n calls, each with what its caller knew of the auction before making it.

    previous:   (n,) index of the call before, :data:`OPENING` at first
    legal:      (n, 38) which calls were legal
    vulnerable: (n, 2) the caller's side, the other side
    made:       (n, 4, 38) how often each relative seat had made each call
    """

    previous: NDArray[np.int8]
    legal: NDArray[np.bool_]
    vulnerable: NDArray[np.bool_]
    made: NDArray[np.uint8]


def encode(calls: Sequence[int], dealer_vulnerable: bool, others_vulnerable: bool) -> Steps:
    """The steps of a four-player auction given as call indices, which must be legal.

    >>> steps = encode([0, 3, 1], dealer_vulnerable=True, others_vulnerable=False)
    >>> steps.previous.tolist(), steps.legal[2, :5].tolist(), steps.vulnerable[1].tolist()
    ([38, 0, 3], [True, True, False, False, True], [False, True])
    >>> steps.made[2, 3].nonzero()[0].tolist(), steps.made[2, 2].nonzero()[0].tolist()
    ([3], [0])
    """
    n = len(calls)
    previous = np.array([OPENING, *calls[:-1]][:n], np.int8)
    legal = np.zeros((n, 38), np.bool_)
    legal[:, 0] = True
    vulnerable = np.zeros((n, 2), np.bool_)
    vulnerable[0::2] = dealer_vulnerable, others_vulnerable
    vulnerable[1::2] = others_vulnerable, dealer_vulnerable
    made = np.zeros((n, 4, 38), np.uint8)
    so_far = np.zeros((4, 38), np.uint8)
    last, bidder, doubled = 2, 0, 0
    for i, call in enumerate(calls):
        legal[i, last + 1 :] = True
        if last > 2:
            opposed = (i - bidder) % 2 == 1
            legal[i, 1] = doubled == 0 and opposed
            legal[i, 2] = doubled == 1 and not opposed
        made[i] = so_far[(i + np.arange(4)) % 4]
        so_far[i % 4, call] += 1
        if call > 2:
            last, bidder, doubled = call, i, 0
        elif call:
            doubled += 1
    return Steps(previous, legal, vulnerable, made)


def step_inputs(steps: Steps) -> NDArray[np.float32]:
    """(n, 79) what goes into the recurrent layer."""
    inputs = np.zeros((len(steps.previous), STEP_WIDTH), np.float32)
    inputs[np.arange(len(inputs)), steps.previous] = 1.0
    inputs[:, 39:77] = steps.legal
    inputs[:, 77:] = steps.vulnerable
    return inputs


def suit_features() -> NDArray[np.float32]:
    """(8192, 47) features of every holding in one suit, the two at bit 0, the ace at bit 12.

    The cards (13), the length (14, one of them 1), which of J Q K A (16, one of them 1), high-card points, the length
    as a number, controls (2 for the ace, 1 for the king), and suit quality (how many of A K Q J T, times the length).
    """
    holding = np.arange(1 << 13)
    cards = (holding[:, None] >> np.arange(13) & 1).astype(np.float32)
    length = cards.sum(axis=1)
    numbers = [
        cards[:, 9:] @ np.arange(1.0, 5.0) / 4,
        length / 4,
        2 * cards[:, 12] + cards[:, 11],
        cards[:, 8:].sum(axis=1) * length / 10,
    ]
    features = [cards, np.eye(14)[length.astype(int)], np.eye(16)[holding >> 9], np.stack(numbers, axis=1)]
    return np.concatenate(features, axis=1).astype(np.float32)
