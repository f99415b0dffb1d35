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

PLACES: Final = 48
"""Places in an auction that are told apart; later calls count as the last of them."""

STARTS: Final = np.cumsum((0, 39, 36, 3, 5, 4, PLACES))
"""Where the rows of each part of a token begin: the call before, the last bid (0: none), how it is doubled, whose it is
(relative seat, 4: nobody's), who is vulnerable (2 · the caller's side + the other side), the place in the auction."""

SUIT_WIDTH: Final = 47
"""Features of a holding in one suit."""


class Steps(NamedTuple):
    """An auction of n calls, each with what its caller knew of the auction before making it.

    tokens: (n, 6) rows of the reader's table, one for each part (:data:`STARTS`)
    legal:  (n, 38) which calls were legal
    """

    tokens: NDArray[np.intp]
    legal: NDArray[np.bool_]


def encode(calls: Sequence[int], dealer_vulnerable: bool, others_vulnerable: bool) -> Steps:
    """The steps of a four-player auction given as call indices, which must be legal.

    >>> steps = encode([0, 3, 1], dealer_vulnerable=True, others_vulnerable=False)
    >>> (steps.tokens - STARTS[:-1]).tolist()  # after 1C, which is the right-hand opponent's, a double
    [[38, 0, 0, 4, 2, 0], [0, 0, 0, 4, 1, 1], [3, 1, 0, 3, 2, 2]]
    >>> steps.legal[2, :5].tolist()
    [True, True, False, False, True]
    """
    n = len(calls)
    tokens = np.zeros((n, len(STARTS) - 1), np.intp)
    legal = np.zeros((n, 38), np.bool_)
    legal[:, 0] = True
    last, bidder, doubled = 2, None, 0
    for i, call in enumerate(calls):
        legal[i, last + 1 :] = True
        owner = 4
        if bidder is not None:
            owner = (bidder - i) % 4
            legal[i, 1] = doubled == 0 and owner % 2 == 1
            legal[i, 2] = doubled == 1 and owner % 2 == 0
        ours, theirs = (dealer_vulnerable, others_vulnerable)[:: 1 if i % 2 == 0 else -1]
        previous = calls[i - 1] if i else OPENING
        tokens[i] = previous, last - 2, doubled, owner, 2 * ours + theirs, min(i, PLACES - 1)
        if call > 2:
            last, bidder, doubled = call, i, 0
        elif call:
            doubled += 1
    return Steps(tokens + STARTS[:-1], legal)


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
