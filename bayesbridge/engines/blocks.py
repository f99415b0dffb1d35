"""Blocks: parts of the deck, and all ways to share out how many cards of each kind.

A block is a suit, or, where no condition depends on a suit, some ranks. Its cards that
no condition tells apart and that may lie in the same hands are of one *kind*. A *row*
says how many of each kind each *holder* gets: a seat with a condition, or the pool, for
the seats without one share what the others leave.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.classes import verify_size
from bayesbridge.engines.slots import SuitMeasure
from bayesbridge.errors import TablesTooLarge
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.measures import LENGTH, Measure, alike, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Ints

MOST_ROWS: Final = 400_000
"""Rows of a block beyond which tables are refused: they take a second and some hundred
megabytes.
"""

# Before those that overfill a hand are dropped.
MOST_ROWS_TRIED: Final = 16 * MOST_ROWS

WAYS_BITS: Final = 62  # the ways of a half of the deck have no more bits


class Holders(NamedTuple):
    """Who gets the unknown cards: seats by themselves, then the pool of all others."""

    known: Constraints
    seats: tuple[int, ...]

    @property
    def rooms(self) -> list[int]:
        """How many cards each holder takes; the pool is left out where it is empty."""
        rooms = [self.known.room(seat) for seat in self.seats]
        pool = [seat for seat in range(4) if seat not in self.seats]
        if pool:
            rooms.append(sum(map(self.known.room, pool)))
        return rooms

    def of_card(self, card: int) -> tuple[int, ...]:
        """The places of the holders who may get a card."""
        places = [
            place
            for place, seat in enumerate(self.seats)
            if self.known.may[seat] >> card & 1
        ]
        if len(self.seats) < 4:
            places.append(len(self.seats))
        return tuple(places)


def compositions(size: int, allowed: Sequence[int], holders: int) -> tuple[Ints, Ints]:
    """All ways to share out ``size`` like cards among the allowed holders.

    Returns (n, holders) how many each gets, and (n,) in how many ways.

    >>> shares, ways = compositions(2, (0, 2), 3)
    >>> shares.tolist(), ways.tolist()
    ([[0, 0, 2], [1, 0, 1], [2, 0, 0]], [1, 2, 1])
    """
    # Cards and the bars between holders stand in a line: where bars stand, says it all.
    places = size + len(allowed) - 1
    bars = list(combinations(range(places), len(allowed) - 1))
    ends = np.array([(-1, *bar, places) for bar in bars], dtype=np.int64)
    shares = np.zeros((len(bars), holders), dtype=np.int64)
    shares[:, list(allowed)] = np.diff(ends.reshape(len(bars), -1)) - 1
    ways = [
        math.factorial(size) // math.prod(map(math.factorial, share))
        for share in shares.tolist()
    ]
    return shares, np.array(ways, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A part of the deck with all its rows."""

    number: int
    kinds: tuple[tuple[int, ...], ...]  #: The cards of each kind.
    counts: NDArray[np.uint8]  #: (rows, kinds, holders)
    weights: Ints  #: (rows,) in how many ways the cards of each row can be chosen.

    @classmethod
    def of(
        cls,
        number: int,
        cards: Iterable[int],
        holders: Holders,
        measures: Sequence[SuitMeasure],
    ) -> Block:
        """All rows that fit into the rooms of the holders.

        ``measures``: those that tell cards apart.
        """
        kinds = _kinds(cards, holders, measures)
        rooms = np.array(holders.rooms)
        counts = np.zeros((1, 0, len(rooms)), dtype=np.uint8)
        weights = np.ones(1, dtype=np.int64)
        totals = np.zeros((1, len(rooms)), dtype=np.int64)
        for kind in kinds:
            allowed = holders.of_card(kind[0])
            shares, ways = compositions(len(kind), allowed, len(rooms))
            row, share = _fitting_pairs(totals, shares, rooms)
            added = shares[share].astype(np.uint8)
            counts = np.concatenate([counts[row], added[:, None]], axis=1)
            totals = totals[row] + shares[share]
            weights = weights[row] * ways[share]
        return cls(number, kinds, counts, weights)

    def vectors(
        self, place: int, certain: int, measures: Sequence[SuitMeasure]
    ) -> Ints:
        """(rows, 1 + measures) how many cards a holder gets, and what they measure.

        ``place``: of the holder among all holders; ``certain``: the mask of the cards
        that it has anyway. They count in block 0, or in their suit where a measure is
        not additive.
        """
        counts = self.counts[:, :, place].astype(np.int64)
        columns = []
        for measure, suit in ((LENGTH, None), *measures):
            if measure.weights is None:
                columns.append(self._by_suit(counts, certain, measure, suit))
            else:
                weights = _card_weights(measure.weights, suit)
                columns.append(self._added_up(counts, certain, weights))
        return np.stack(columns, axis=1)

    def _added_up(self, counts: Ints, certain: int, weights: list[int]) -> Ints:
        """(rows,) an additive measure; ``weights``: by card."""
        own = 0
        if self.number == 0:
            own = sum(weights[card] for card in range(52) if certain >> card & 1)
        kind_weights = [weights[cards[0]] for cards in self.kinds]
        return np.asarray(own + counts @ np.array(kind_weights, dtype=np.int64))

    def _by_suit(
        self, counts: Ints, certain: int, measure: Measure, suit: int | None
    ) -> Ints:
        """(rows,) a measure of the whole holding in the suit that the block is."""
        if suit not in (None, self.number):
            return np.zeros(len(counts), dtype=np.int64)
        certain_field = certain >> (13 * self.number) & SUIT_MASK
        fields = np.full(len(counts), certain_field, dtype=np.int64)
        for kind, cards in enumerate(self.kinds):
            # Which cards of a kind they are does not matter: the first stand for all.
            bits = [1 << (card % 13) for card in cards]
            field_of_count = np.cumsum([0, *bits])
            fields |= field_of_count[counts[:, kind]]
        return table(measure)[fields]


def _kinds(
    cards: Iterable[int], holders: Holders, measures: Sequence[SuitMeasure]
) -> tuple[tuple[int, ...], ...]:
    """The cards of each kind: they may lie in the same hands and measure the same."""
    kinds: dict[Hashable, list[int]] = {}
    for card in cards:
        kind = holders.of_card(card), _measured_as(card, measures)
        kinds.setdefault(kind, []).append(card)
    return tuple(map(tuple, kinds.values()))


def _fitting_pairs(totals: Ints, shares: Ints, rooms: Ints) -> tuple[Ints, Ints]:
    """The numbers of rows so far and of shares that overfill no holder together.

    ``totals``: (rows, holders) cards that each holder has in a row so far; ``shares``:
    (n, holders) those of one more kind; ``rooms``: (holders,).
    """
    verify_size(len(totals) * len(shares), MOST_ROWS_TRIED, "rows")
    row = np.repeat(np.arange(len(totals)), len(shares))
    share = np.tile(np.arange(len(shares)), len(totals))
    fits = (totals[row] + shares[share] <= rooms).all(1)
    row = row[fits]
    verify_size(len(row), MOST_ROWS, "rows")
    return row, share[fits]


def _measured_as(card: int, measures: Sequence[SuitMeasure]) -> tuple[int, ...]:
    """Equal for cards of a block that may be exchanged without a change of any measure."""
    return tuple(
        alike(measure)[card % 13]
        for measure, suit in measures
        if suit is None or suit == card // 13
    )


def _card_weights(rank_weights: Sequence[int], suit: int | None) -> list[int]:
    """(52,) what each card counts in a measure of one suit, or of all with ``None``."""
    weights = []
    for card in range(52):
        counts = suit is None or suit == card // 13
        weights.append(rank_weights[card % 13] if counts else 0)
    return weights


def deck_blocks(holders: Holders, measures: Sequence[SuitMeasure]) -> list[Block]:
    """The unknown cards in four blocks.

    By rank where no measure is of a suit and tables stay small, else by suit.
    """
    unknown = [card for card in range(52) if holders.known.unknown_mask >> card & 1]
    weights = [measure.weights for measure, suit in measures if suit is None]
    additive = [rank_weights for rank_weights in weights if rank_weights is not None]
    if len(additive) == len(measures):
        try:
            by_rank = _by_rank(unknown, additive, len(holders.rooms))
            return _blocks_of(by_rank, holders, measures)
        except TablesTooLarge:
            pass
    by_suit: list[list[int]] = [[], [], [], []]
    for card in unknown:
        by_suit[card // 13].append(card)
    return _blocks_of(by_suit, holders, measures)


def _blocks_of(
    cards_of_blocks: Sequence[Sequence[int]],
    holders: Holders,
    measures: Sequence[SuitMeasure],
) -> list[Block]:
    return [
        Block.of(number, cards, holders, measures)
        for number, cards in enumerate(cards_of_blocks)
    ]


def _by_rank(
    unknown: list[int], weights: Sequence[Sequence[int]], holders: int
) -> list[list[int]]:
    """The cards of four blocks: those that count something in two, the others in one.

    They are in halves of 26 cards where ways of a half could pass ``WAYS_BITS``.
    ``weights``: by rank, for each measure.
    """
    counting_ranks = set(np.flatnonzero(np.any(weights, axis=0)).tolist())
    counting = [card for card in unknown if card % 13 in counting_ranks]
    plain = [card for card in unknown if card % 13 not in counting_ranks]
    ranks = sorted({card % 13 for card in counting}, reverse=True)
    high_ranks = ranks[: (len(ranks) + 1) // 2]
    high = [card for card in counting if card % 13 in high_ranks]
    low = [card for card in counting if card % 13 not in high_ranks]
    if max(len(counting), len(plain)) * math.log2(holders) < WAYS_BITS:
        return [high, low, plain, []]
    room = max(26 - len(high), 0)
    return [high, plain[:room], low, plain[room:]]
