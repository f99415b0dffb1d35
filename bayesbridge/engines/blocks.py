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
from bayesbridge.game.cards import DECK_CARDS, SUIT_CARDS, SUIT_MASK
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
        """All ways to share out the cards of a block that overfill no holder.

        A holder is a seat or the pool of seats that share what is left. A kind is cards
        that may lie in the same hands and that no measure of ``measures`` tells apart.
        The rows of the result say how many cards of each kind each holder gets; they
        are built kind after kind. ``number``: the block's number, 0 to 3.
        """
        kinds = _kinds(cards, holders, measures)
        rooms = np.array(holders.rooms)  # how many cards each holder takes
        counts = np.zeros((1, 0, len(rooms)), dtype=np.uint8)  # (rows, kinds, holders)
        totals = np.zeros((1, len(rooms)), dtype=np.int64)  # the same over all kinds
        row_ways = np.ones(1, dtype=np.int64)
        for kind_cards in kinds:
            allowed = holders.of_card(kind_cards[0])  # as for every card of the kind
            shares, share_ways = compositions(len(kind_cards), allowed, len(rooms))
            # A new row is an old one and a share: the cards of this kind by holder.
            row_index, share_index = _fitting_pairs(totals, shares, rooms)
            added = shares[share_index]
            added_kind = added.astype(np.uint8)[:, np.newaxis, :]
            counts = np.concatenate([counts[row_index], added_kind], axis=1)
            totals = totals[row_index] + added
            row_ways = row_ways[row_index] * share_ways[share_index]
        return cls(number=number, kinds=kinds, counts=counts, weights=row_ways)

    def vectors(
        self, place: int, certain: int, measures: Sequence[SuitMeasure]
    ) -> Ints:
        """(rows, 1 + measures) one holder's length and measures in each row.

        A row says how many of the block's unknown cards of each kind the holder gets.
        ``place``: its number among the holders, seats and the pool of others;
        ``measures``: pairs of a measure, a number such as points, and the suit in which
        it is taken or ``None``. ``certain``: the mask of the cards that the holder has
        anyway. An additive measure counts these in block 0, once; any other is taken of
        whole suits, in the block that the suit is.
        """
        counts_of_kinds = self.counts[:, :, place].astype(np.int64)  # (rows, kinds)
        columns = []
        for measure, suit in ((LENGTH, None), *measures):
            if measure.weights is None:
                column = self._measure_suit(counts_of_kinds, certain, measure, suit)
            else:
                card_weights = _card_weights(measure.weights, suit)
                column = self._add_up(counts_of_kinds, certain, card_weights)
            columns.append(column)
        return np.stack(columns, axis=1)

    def _add_up(self, counts: Ints, certain: int, card_weights: list[int]) -> Ints:
        """(rows,) an additive measure of a holder's cards.

        ``counts``: (rows, kinds) how many cards of each kind it gets; ``card_weights``:
        what each card of the deck counts. ``certain`` cards are counted in block 0.
        """
        of_certain = 0
        if self.number == 0:
            held = [card for card in range(DECK_CARDS) if certain >> card & 1]
            of_certain = sum(card_weights[card] for card in held)
        kind_weights = [card_weights[cards[0]] for cards in self.kinds]
        return np.asarray(of_certain + counts @ np.array(kind_weights, dtype=np.int64))

    def _measure_suit(
        self, counts: Ints, certain: int, measure: Measure, suit: int | None
    ) -> Ints:
        """(rows,) a measure of the whole holding in a suit, as losers are.

        The block is a suit, number ``self.number``. The measure is 0 where it is of
        another ``suit``; ``None`` is every suit, each in its own block. ``counts``:
        (rows, kinds) how many cards of each kind the holder gets; ``certain``: the mask
        of those that it has anyway.
        """
        if suit not in (None, self.number):
            return np.zeros(len(counts), dtype=np.int64)
        certain_field = certain >> (SUIT_CARDS * self.number) & SUIT_MASK
        fields = np.full(len(counts), certain_field, dtype=np.int64)
        for kind, cards in enumerate(self.kinds):
            # Which cards of a kind they are does not matter: the first stand for all.
            bits = [1 << (card % SUIT_CARDS) for card in cards]
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
    """All pairs of a row and a share that overfill no holder, by their indices.

    A row says how many cards each holder, a seat or the pool of others, has so far:
    ``totals`` (rows, holders). A share says how many cards of one more kind each gets:
    ``shares`` (n, holders). ``rooms``: (holders,) how many cards each takes.
    """
    verify_size(len(totals) * len(shares), MOST_ROWS_TRIED, "rows")
    row_index = np.repeat(np.arange(len(totals)), len(shares))
    share_index = np.tile(np.arange(len(shares)), len(totals))
    fits = (totals[row_index] + shares[share_index] <= rooms).all(1)
    fitting_rows = row_index[fits]
    verify_size(len(fitting_rows), MOST_ROWS, "rows")
    return fitting_rows, share_index[fits]


def _measured_as(card: int, measures: Sequence[SuitMeasure]) -> tuple[int, ...]:
    """Equal for cards of a block that may be exchanged without a change of any measure."""
    return tuple(
        alike(measure)[card % SUIT_CARDS]
        for measure, suit in measures
        if suit is None or suit == card // SUIT_CARDS
    )


def _card_weights(rank_weights: Sequence[int], suit: int | None) -> list[int]:
    """(52,) what each card counts in a measure of one suit, or of all with ``None``."""
    weights = []
    for card in range(DECK_CARDS):
        counts = suit is None or suit == card // SUIT_CARDS
        weights.append(rank_weights[card % SUIT_CARDS] if counts else 0)
    return weights


def deck_blocks(holders: Holders, measures: Sequence[SuitMeasure]) -> list[Block]:
    """The unknown cards in four blocks, with all ways to share out each.

    ``measures`` are pairs: a number that a hand has, such as points or losers, and the
    suit in which it is taken, ``None`` for all suits. Where all of them add up over the
    cards of the whole hand, as points do, a block is the cards of some ranks, so long as
    the ways to share it out are not too many for a table; else a block is a suit.
    """
    unknown_mask = holders.known.unknown_mask
    unknown = [card for card in range(DECK_CARDS) if unknown_mask >> card & 1]
    rank_weights = _weights_by_rank(measures)
    if rank_weights is not None:
        by_rank = _by_rank(unknown, rank_weights, len(holders.rooms))
        try:
            return _blocks_of(by_rank, holders, measures)
        except TablesTooLarge:
            pass  # blocks that are suits may be small enough
    return _blocks_of(_by_suit(unknown), holders, measures)


def _weights_by_rank(measures: Sequence[SuitMeasure]) -> list[Sequence[int]] | None:
    """For each measure, what a card of each rank adds to it, whatever its suit.

    ``None`` if that is not so of every measure: one is taken in a single suit only, or
    is not a sum over cards, as losers are not.
    """
    weights: list[Sequence[int]] = []
    for measure, suit in measures:
        if suit is not None or measure.weights is None:
            return None
        weights.append(measure.weights)
    return weights


def _by_suit(cards: Iterable[int]) -> list[list[int]]:
    """The cards of each suit, clubs first."""
    by_suit: list[list[int]] = [[], [], [], []]
    for card in cards:
        by_suit[card // SUIT_CARDS].append(card)
    return by_suit


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
    """The unknown cards in four blocks, by rank: high and low ones that count, others.

    A card counts where a measure gives its rank a weight: ``weights`` has one list by
    rank for each measure. The first two blocks are one half of the deck in later
    tables, the last two the other. Where the ways to share out a half among so many
    ``holders`` could be too large a number, halves are made of 26 cards at most.
    """
    counting_ranks = set(np.flatnonzero(np.any(weights, axis=0)).tolist())
    counting = [card for card in unknown if card % SUIT_CARDS in counting_ranks]
    plain = [card for card in unknown if card % SUIT_CARDS not in counting_ranks]
    ranks = sorted({card % SUIT_CARDS for card in counting}, reverse=True)
    high_ranks = ranks[: (len(ranks) + 1) // 2]
    high = [card for card in counting if card % SUIT_CARDS in high_ranks]
    low = [card for card in counting if card % SUIT_CARDS not in high_ranks]
    if max(len(counting), len(plain)) * math.log2(holders) < WAYS_BITS:
        return [high, low, plain, []]
    plain_with_high = max(26 - len(high), 0)
    return [high, plain[:plain_with_high], low, plain[plain_with_high:]]
