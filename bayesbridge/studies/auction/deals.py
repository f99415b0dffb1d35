"""Deals for the auction game: hands, their bids, and the tricks of every contract.

A deal is bid 24 times: each of its hands is the dummy once with each order in which the
three others may speak. So no seat has better cards than another, and what a seat gains
by speaking first is told from what it gains by luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.dummies import CONTRACTS, DUMMIES, captures_with_dummies
from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import GENERAL, NO_TRUMP, play_out
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks
from bayesbridge.studies.auction.strategies import Auctions, Types
from bayesbridge.studies.deals import deal_blocks
from bayesbridge.studies.jobs import Job

TABLES: Final = tuple(permutations(range(4)))
"""The hands of a deal round the table: declarer, next player, dummy, player after."""


def _orders_with_dummy(dummy: int) -> list[tuple[int, ...]]:
    """The orders in which the three hands but this one can speak, and last this one."""
    speaking_hands = [hand for hand in range(4) if hand != dummy]
    return [(*speakers, dummy) for speakers in permutations(speaking_hands)]


ORDERS: Final = tuple(chain.from_iterable(map(_orders_with_dummy, range(4))))
"""The hands of a deal as they speak, and last the dummy: 24 auctions."""

SPEAKERS: Final = np.array(ORDERS)[:, :3]
"""(24, 3) hand of each speaker."""


def _tables_of_order(order: tuple[int, ...]) -> list[int]:
    """Which table of ``TABLES`` it is where each of the three speakers declares."""
    *speakers, dummy = order
    tables = []
    for seat, declarer in enumerate(speakers):
        next_player = speakers[(seat + 1) % 3]
        player_after = speakers[(seat + 2) % 3]
        tables.append(TABLES.index((declarer, next_player, dummy, player_after)))
    return tables


PLAYED: Final = np.array([_tables_of_order(order) for order in ORDERS])
"""(24, 3) which table of ``TABLES`` it is where a speaker declares."""

CHUNK: Final = 128  # deals that are worked out together: a second or two

COUNTED: Final = 14  # T = 0 … 13


@dataclass(frozen=True, slots=True, eq=False)
class GameDeals(FrozenArrays):
    """Deals with all that the game asks of them."""

    hands: Masks  # (deals, 4)
    captures: NDArray[np.int64]  # (deals, 4, 14) dummies by T of each hand
    levels: NDArray[np.int16]  # (deals, 4) what Algorithm 1 bids, 0 for a pass
    tricks: NDArray[np.int8]  # (deals, 24) tricks of the play-out, by ``TABLES``

    @classmethod
    def of(cls, hands: Masks, *, counted: bool = True) -> Self:
        """Work out all that the game asks of deals; ``hands`` (deals, 4) are masks.

        To count the dummies with which a hand captures T = 0 … 13 tricks takes
        milliseconds, and all else microseconds: if it is not ``counted``, ``captures``
        are nought.
        """
        deals = len(hands)
        all_hands = np.ascontiguousarray(hands.ravel())
        captures = np.zeros((deals, 4, COUNTED), dtype=np.int64)
        if counted:
            captures = captures_with_dummies(all_hands).reshape(captures.shape)
        levels = bids(all_hands).level.reshape(deals, 4).astype(np.int16)
        # Each way round the table, played out by the general policy on both sides.
        tricks = np.empty((deals, len(TABLES)), dtype=np.int8)
        for column, table in enumerate(TABLES):
            seated = np.ascontiguousarray(hands[:, table])
            tricks[:, column] = play_out(seated, NO_TRUMP, GENERAL, GENERAL)
        return cls(hands, captures, levels, tricks)

    @classmethod
    def of_rows(cls, rows: NDArray[np.int64]) -> Self:
        """From what :meth:`rows` gave."""
        edges = np.cumsum([4, 4 * COUNTED, 4])
        hands, captures, levels, tricks = np.split(rows, edges, axis=1)
        return cls(
            hands.astype(np.uint64),
            captures.reshape(-1, 4, COUNTED),
            levels.astype(np.int16),
            tricks.astype(np.int8),
        )

    def rows(self) -> NDArray[np.int64]:
        """(deals, 88) all of it as numbers, a row a deal."""
        columns = []
        for array in (self.hands, self.captures, self.levels, self.tricks):
            columns.append(array.reshape(len(self.hands), -1).astype(np.int64))
        return np.hstack(columns)

    def of_deals(self, start: int, stop: int) -> GameDeals:
        """Those from ``start`` to before ``stop``."""
        return GameDeals(
            self.hands[start:stop],
            self.captures[start:stop],
            self.levels[start:stop],
            self.tricks[start:stop],
        )

    def chances(self) -> Floats:
        """(deals, 4, 7) P(T ≥ 7), …, P(T ≥ 13) of each hand over every dummy."""
        at_least = self.captures[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        return np.asarray(at_least[:, :, CONTRACTS] / DUMMIES)

    def declared_tricks(self) -> Floats:
        """(deals, 4) mean tricks of each hand as declarer, over its six tables."""
        declarers = np.array(TABLES)[:, 0]
        by_hand = [self.tricks[:, declarers == hand].mean(axis=1) for hand in range(4)]
        return np.stack(by_hand, axis=1)

    def auctions(self, types: Sequence[Types]) -> Auctions:
        """Their auctions; ``types`` of each seat: (deals, 4) the type of each hand."""
        columns = [
            hand_types[:, SPEAKERS[:, seat]] for seat, hand_types in enumerate(types)
        ]
        return Auctions(np.stack(columns, axis=2), self.tricks[:, PLAYED])


def count(seed: np.random.SeedSequence, deals: int) -> NDArray[np.int64]:
    """Random deals as rows of :class:`GameDeals`."""
    blocks = [GameDeals.of(hands).rows() for hands in deal_blocks(deals, seed)]
    return np.concatenate(blocks)


JOB: Final = Job("auction", count, chunk=CHUNK)
