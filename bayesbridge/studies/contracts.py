"""The auction of the paper's big study: three players evaluate their own hand by Algorithm 1, the highest level wins.

The earliest seat wins ties, and the fourth hand is the dummy. This is what a real auction comes to when each player in
turn bids their level if it outranks the last bid and passes otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import NO_TRUMP, play_out
from bayesbridge.random64 import Seed
from bayesbridge.studies.dealing import Masks, deal_blocks

Small = NDArray[np.int8]


class Contracts(NamedTuple):
    """The deals of a block that somebody bids, m of them."""

    table: Masks
    """(m, 4) bidder, the next player, dummy, the player after: partners sit opposite."""
    bidder: Small
    """(m,) which of the three players bids, in the order of speaking."""
    levels: Small
    """(m, 3) of the players in the order of speaking, 0 for a hand that cannot bid."""
    level: Small
    """(m,) of the contract."""
    dummy_level: Small
    """(m,) what the dummy could bid, 0 for nothing."""

    @property
    def target(self) -> Small:
        """(m,) tricks needed."""
        return np.asarray(self.level + np.int8(6))

    def tricks(self, ours: int = 0, theirs: int = 0) -> Small:
        """(m,) tricks of bidder and dummy when the bidder leads, by the play-out policies of the two sides."""
        out = np.empty(len(self.table), dtype=np.int8)
        play_out(self.table, np.zeros(len(self.table), dtype=np.int8), NO_TRUMP, ours, theirs, out)
        return out


def draw_contracts(deals: int, rng: Seed) -> Iterator[Contracts]:
    """Random deals, block by block; columns 0, 1 and 2 are the players, 3 is the dummy."""
    return map(find_contracts, deal_blocks(deals, rng))


def find_contracts(masks: Masks) -> Contracts:
    """The deals that somebody bids, out of (n, 4) masks."""
    levels = np.stack([bids(np.ascontiguousarray(masks[:, player])).level for player in range(3)], axis=1)
    bid = np.flatnonzero(levels.any(axis=1))
    masks, levels = masks[bid], levels[bid]
    rows = np.arange(len(bid))
    bidder = levels.argmax(axis=1)  # the first of the highest
    table = np.stack(
        [masks[rows, bidder], masks[rows, (bidder + 1) % 3], masks[:, 3], masks[rows, (bidder + 2) % 3]], axis=1
    )
    return Contracts(table, bidder.astype(np.int8), levels, levels[rows, bidder], bids(table[:, 2].copy()).level)
