"""The blocks of a deck for certain conditions, and what each row of a block gives to a seat: its vector of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import Constraints
from bayesbridge.dealing.blocks import Block, Ints
from bayesbridge.dealing.holdings import LENGTH, Measure, alike, table
from bayesbridge.errors import TablesTooLarge

type Asked = Sequence[tuple[Measure, int | None]]
"""Measures, each of one suit or of the whole hand."""


@dataclass(frozen=True, slots=True, eq=False)
class DeckBlocks:
    """The unknown cards in four blocks, C D | H S or cut by rank."""

    known: Constraints
    seats: tuple[int, ...]
    asked: tuple[Asked, ...]
    """What the condition of each of these seats asks for."""
    by_suit: bool
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, known: Constraints, seats: Sequence[int], asked: Sequence[Asked]) -> Self:
        """Cut the deck by rank where no condition speaks of a suit and that gives smaller tables, else by suit."""
        unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
        pool = [seat for seat in range(4) if seat not in seats]
        rooms = [known.room(seat) for seat in seats] + ([sum(map(known.room, pool))] if pool else [])

        def allowed(card: int) -> tuple[int, ...]:
            mine = tuple(i for i, seat in enumerate(seats) if known.may[seat] >> card & 1)
            return (*mine, len(seats)) if pool else mine

        every = [leaf for leaves in asked for leaf in leaves]
        if all(suit is None and measure.weights is not None for measure, suit in every):
            weights = [measure.weights or () for measure in dict.fromkeys(measure for measure, _ in every)]

            def weight(card: int) -> tuple[int, ...]:
                return tuple(row[card % 13] for row in weights)

            try:
                parts = _by_rank(unknown, weight, len(rooms))
                blocks = tuple(Block.of(part, allowed, weight, rooms) for part in parts)
                return cls(known, tuple(seats), tuple(asked), False, blocks)
            except TablesTooLarge:
                pass

        def kind(card: int) -> Hashable:
            return tuple(alike(measure)[card % 13] for measure, suit in every if suit is None or suit == card // 13)

        suits = [[card for card in unknown if card // 13 == suit] for suit in range(4)]
        blocks = tuple(Block.of(part, allowed, kind, rooms) for part in suits)
        return cls(known, tuple(seats), tuple(asked), True, blocks)

    def vectors(self, place: int) -> list[Ints]:
        """For each block, (rows, 1 + measures) what it gives to the seat at a place: cards, then each measure."""
        own = self.blocks, range(4)
        return [self._vectors(block, number, place) for block, number in zip(*own, strict=True)]

    def _vectors(self, block: Block, number: int, place: int) -> Ints:
        counts = block.counts[:, :, place].astype(np.int64)
        certain = self.known.must[self.seats[place]]
        columns = [(LENGTH, None), *self.asked[place]]
        if self.by_suit:
            fields = np.full(len(counts), certain >> (13 * number) & SUIT_MASK, dtype=np.int64)
            for kind, cards in enumerate(block.kinds):
                # Which cards of a kind they are does not matter: the lowest places stand for all.
                firsts = np.cumsum([0, *(1 << (card % 13) for card in cards)])
                fields |= firsts[counts[:, kind]]
            found = [
                table(measure)[fields] if suit is None or suit == number else np.zeros(len(fields), dtype=np.int64)
                for measure, suit in columns
            ]
        else:
            found = []
            for measure, _ in columns:
                weights = measure.weights or ()
                own = sum(weights[card % 13] for card in range(52) if certain >> card & 1) if number == 0 else 0
                each = np.array([weights[cards[0] % 13] for cards in block.kinds], dtype=np.int64)
                found.append(own + (counts * each).sum(axis=1))
        return np.stack(found, axis=1)


def _by_rank(unknown: list[int], weight: Callable[[int], tuple[int, ...]], holders: int) -> list[list[int]]:
    """Cards that count something, from the ace down, in two blocks, and the others beside them or in the other half.

    The cards that count nothing make a half of their own, unless the ways of a half could then pass 62 bits: else each
    half gets some of them and has 26 cards at most.
    """
    counting = [card for card in unknown if any(weight(card))]
    ranks = sorted({card % 13 for card in counting}, reverse=True)
    high = set(ranks[: (len(ranks) + 1) // 2])
    first = [card for card in counting if card % 13 in high]
    second = [card for card in counting if card % 13 not in high]
    rest = [card for card in unknown if not any(weight(card))]
    if max(len(counting), len(rest)) * math.log2(holders) < 62:
        return [first, second, rest, []]
    room = max(26 - len(first), 0)
    return [first, rest[:room], second, rest[room:]]
