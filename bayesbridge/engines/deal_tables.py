"""All deals that meet a condition, counted exactly and drawn without rejection.

The condition is taken apart by seat (:mod:`~bayesbridge.engines.slots`), the deck into
blocks (:mod:`~bayesbridge.engines.blocks`). The values of a seat's slots are its
*profile* (:mod:`~bayesbridge.engines.seat_profiles`); the skeleton of the condition
says which combinations of profiles meet it. Two blocks make a half of the deck, and two
halves the deal (:mod:`~bayesbridge.engines.halves`); each choice on the way is drawn
with its exact number of ways: two words, as totals pass 2^63.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from bayesbridge.engines.blocks import Block, Holders, deck_blocks
from bayesbridge.engines.classes import verify_size
from bayesbridge.engines.halves import BlockGroups, Drawing, Half, Join
from bayesbridge.engines.seat_profiles import SeatProfiles
from bayesbridge.engines.slots import SlottedExpressions, measures_of, with_slots
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    Leaf,
    Leaves,
    Slot,
    evaluate,
)
from bayesbridge.game.layouts import Bools, Ints, Masks

if TYPE_CHECKING:
    from bayesbridge.runtime.random64 import Seed, State

MOST_COMBINATIONS: Final = 2_000_000
"""Combinations of profiles beyond which tables are refused."""

WORD_BITS: Final = 64  # of a word of a number of ways
WORD: Final = (1 << WORD_BITS) - 1  # the bits of a word


@dataclass(frozen=True, eq=False)
class DealTable:
    """All deals that fit the known cards and meet a condition."""

    known: Constraints
    """Normalised; of it only the certain and the possible cards are read."""
    slotted: SlottedExpressions
    """The condition, then the expressions that are watched."""
    seats: tuple[int, ...]
    """The seats that have a slot, or may not hold every card."""
    profiles: tuple[Ints, ...]
    """For each of them, (profiles, slots) the values of its slots."""
    low: Half
    high: Half
    blocks: tuple[BlockGroups, BlockGroups, BlockGroups, BlockGroups]
    join: Join

    @classmethod
    def of(
        cls, known: Constraints, condition: Expression = TRUE, *watched: Expression
    ) -> Self:
        """The table of a condition on deals that fit the known cards.

        :meth:`counts` tells the values of ``watched`` apart. Raises ``TablesTooLarge``,
        early, if tables would be.
        """
        slotted = with_slots(condition, *watched)
        seats = _seats_apart(known, slotted)
        blocks, all_profiles = _blocks_and_profiles(known, slotted, seats)
        profiles, accept = _accepted(slotted, seats, all_profiles)
        groups = []
        for number, block in enumerate(blocks):
            row_classes = [seat_profiles.rows[number] for seat_profiles in profiles]
            groups.append(BlockGroups.of(block, row_classes))
        low = Half.of(groups[0], groups[1], profiles, 0)
        high = Half.of(groups[2], groups[3], profiles, 1)
        return cls(
            known,
            slotted,
            seats,
            tuple(seat_profiles.profiles for seat_profiles in profiles),
            low,
            high,
            (groups[0], groups[1], groups[2], groups[3]),
            Join.of(low, high, profiles, accept),
        )

    @cached_property
    def total(self) -> int:
        """How many deals meet the condition, exactly; 0 if none does."""
        return self._ways_before[-1] * self._pool_ways

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent uniform deals, (n, 4) masks; a state is advanced.

        There must be a deal.
        """
        from bayesbridge.engines.deal_draws import draw_deals
        from bayesbridge.runtime.random64 import seed_state

        deals = np.empty((n, 4), dtype=np.uint64)
        draw_deals(self._drawing, seed_state(rng), deals)
        return deals

    def counts(self) -> dict[tuple[int, ...], int]:
        """In how many deals the watched expressions have each tuple of values, exactly."""
        from bayesbridge.engines.deal_draws import tally

        leaves = _slot_leaves(self.slotted, self.seats, self.profiles)
        shape = [len(profiles) for profiles in self.profiles]
        watched_values = []
        for skeleton in self.slotted.skeletons[1:]:
            values = np.broadcast_to(evaluate(skeleton, leaves), shape)
            watched_values.append(values.ravel(order="F"))
        high_word, low_word = tally(self.low, self.high, self.join)
        deals: dict[tuple[int, ...], int] = {}
        for combination in np.flatnonzero(high_word | low_word).tolist():
            key = tuple(int(values[combination]) for values in watched_values)
            ways = int(high_word[combination]) << WORD_BITS | int(low_word[combination])
            deals[key] = deals.get(key, 0) + ways * self._pool_ways
        return deals

    @cached_property
    def _completions(self) -> Ints:
        """(low keys,) in how many ways the high half completes each."""
        return self.join.completions(self.low, self.high)

    @cached_property
    def _ways_before(self) -> list[int]:
        """Ways before each low key; the last is that of all, the pool aside."""
        low_ways = self.low.ways.tolist()
        high_ways = self._completions.tolist()
        ways = (low * high for low, high in zip(low_ways, high_ways, strict=True))
        return list(accumulate(ways, initial=0))

    @cached_property
    def _drawing(self) -> Drawing:
        high_words = [ways >> WORD_BITS for ways in self._ways_before]
        low_words = [ways & WORD for ways in self._ways_before]
        return Drawing(
            self.low,
            self.high,
            self.blocks,
            self.join,
            self._completions,
            np.array(high_words, dtype=np.uint64),
            np.array(low_words, dtype=np.uint64),
            np.array([*self.seats, 4], dtype=np.int64),
            np.array(self._pool_rooms, dtype=np.int64),
            np.array([*self.known.must, 0], dtype=np.uint64),
        )

    @cached_property
    def _pool_rooms(self) -> list[int]:
        """How many cards each seat takes from the pool."""
        return [0 if seat in self.seats else self.known.room(seat) for seat in range(4)]

    @cached_property
    def _pool_ways(self) -> int:
        """In how many ways the seats of the pool share what is left."""
        orders = math.prod(map(math.factorial, self._pool_rooms))
        return math.factorial(sum(self._pool_rooms)) // orders


def _seats_apart(
    constraints: Constraints, slotted: SlottedExpressions
) -> tuple[int, ...]:
    """The seats that do not share the pool.

    They have a slot, or may not hold every card.
    """
    apart = slotted.seats
    for seat in range(4):
        excluded_cards = constraints.unknown_mask & ~constraints.may[seat]
        if constraints.room(seat) and excluded_cards:
            apart.add(seat)
    return tuple(sorted(apart))


def _blocks_and_profiles(
    constraints: Constraints, slotted: SlottedExpressions, seats: Sequence[int]
) -> tuple[list[Block], list[SeatProfiles]]:
    """The blocks of the deck, and the profiles of each of the seats."""
    measures = {seat: measures_of(slotted.expressions_of(seat)) for seat in seats}
    blocks = deck_blocks(
        Holders(constraints, tuple(seats)), list(chain(*measures.values()))
    )
    profiles = []
    for place, seat in enumerate(seats):
        vectors = [
            block.vectors(place, constraints.must[seat], measures[seat])
            for block in blocks
        ]
        profiles.append(SeatProfiles.of(vectors, slotted.expressions_of(seat)))
    return blocks, profiles


def _accepted(
    slotted: SlottedExpressions,
    seats: tuple[int, ...],
    profiles: Sequence[SeatProfiles],
) -> tuple[list[SeatProfiles], Bools]:
    """The profiles that some deal which meets the condition may have.

    Also which of their combinations meet it, with an axis for each seat.
    """
    leaves = _slot_leaves(slotted, seats, [seat.profiles for seat in profiles])
    shape = [len(seat.profiles) for seat in profiles]
    verify_size(math.prod(shape), MOST_COMBINATIONS, "combinations")
    accept = np.broadcast_to(evaluate(slotted.skeletons[0], leaves) != 0, shape)
    if not seats:
        return [], accept
    axes = range(len(seats))
    useful: list[Bools] = []
    useful_profiles = []
    for axis, seat_profiles in enumerate(profiles):
        accepted = np.asarray(accept.any(axis=(*axes[:axis], *axes[axis + 1 :])))
        useful.append(accepted)
        useful_profiles.append(seat_profiles.accepting(accepted))
    return useful_profiles, accept[np.ix_(*useful)]


def _slot_leaves(
    slotted: SlottedExpressions, seats: Sequence[int], profiles: Sequence[Ints]
) -> Leaves:
    """The values of slots over all combinations of profiles.

    Each seat has an axis of its own.
    """

    def value(leaf: Leaf) -> Ints:
        """The values of a slot by the profile of its seat."""
        assert isinstance(leaf, Slot)
        seat = slotted.slots[leaf.index][0]
        axis = seats.index(seat)
        column = profiles[axis][:, slotted.numbers_of(seat).index(leaf.index)]
        shape = [1] * len(seats)
        shape[axis] = len(column)
        return column.reshape(shape)

    return value
