"""All deals that meet a condition, counted exactly and drawn without rejection.

The condition is taken apart by seat (:mod:`~bayesbridge.engines.slots`), the deck into
blocks (:mod:`~bayesbridge.engines.blocks`). A *slot* is a part of the condition that
looks at one hand, the *skeleton* what combines the slots. The values of a seat's slots
are its *profile* (:mod:`~bayesbridge.engines.seat_profiles`); the skeleton says which
combinations of profiles meet the condition. Two blocks make a half of the deck, and two
halves the deal (:mod:`~bayesbridge.engines.halves`); each choice on the way is drawn
with its exact number of ways: two words, as totals pass 2^63.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from bayesbridge.engines.blocks import Block, Holders, deck_blocks
from bayesbridge.engines.classes import verify_size
from bayesbridge.engines.halves import (
    HIGH_HALF,
    LOW_HALF,
    POOL,
    BlockGroups,
    Drawing,
    Half,
    Join,
)
from bayesbridge.engines.seat_profiles import SeatProfiles
from bayesbridge.engines.slots import (
    SlottedExpressions,
    SuitMeasure,
    measures_of,
    with_slots,
)
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
        """The table of all deals that fit the known cards and meet a condition.

        ``known``: normalised constraints, of which only the cards count; ``watched``:
        expressions whose values :meth:`counts` tells apart.

        Conditions are taken apart by seat: the values of all their parts that look at a
        seat's hand are its profile. The deck is taken apart into four blocks, for
        instance suits; ways to deal a block that lead to the same profiles are one
        group. Two blocks make a half of the deck, and two halves are joined to deals.
        Raises ``TablesTooLarge``, early, if tables would be.
        """
        slotted = with_slots(condition, *watched)
        seats = _seats_apart(known, slotted)
        blocks = _blocks(known, slotted, seats)
        all_profiles = _seat_profiles(known, slotted, seats, blocks)
        accepted = _accepted_profiles(slotted, seats, all_profiles)
        groups = _block_groups(blocks, accepted.by_seat)
        first, second, third, fourth = groups
        low = Half.of(first, second, accepted.by_seat, half=LOW_HALF)
        high = Half.of(third, fourth, accepted.by_seat, half=HIGH_HALF)
        return cls(
            known=known,
            slotted=slotted,
            seats=seats,
            profiles=tuple(profiles.profiles for profiles in accepted.by_seat),
            low=low,
            high=high,
            blocks=(first, second, third, fourth),
            join=Join.of(low, high, accepted.by_seat, accepted.combinations),
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
        """In how many deals the watched expressions have each tuple of values, exactly.

        All that counts of a deal is its combination of profiles: for each seat the
        values of its slots, the parts of the expressions that look at its hand. Ways
        are counted by combination, and watched expressions evaluated for each.
        """
        from bayesbridge.engines.deal_draws import tally

        slot_values = _slot_leaves(self.slotted, self.seats, self.profiles)
        shape = [len(profiles) for profiles in self.profiles]
        _, *watched_skeletons = self.slotted.skeletons
        watched_values = []
        for skeleton in watched_skeletons:
            values = np.broadcast_to(evaluate(skeleton, slot_values), shape)
            # The profile of the first seat is the lowest digit of a combination.
            watched_values.append(values.ravel(order="F"))
        high_word, low_word = tally(self.low, self.high, self.join)
        deals: dict[tuple[int, ...], int] = {}
        for combination in np.flatnonzero(high_word | low_word).tolist():
            outcome = tuple(int(values[combination]) for values in watched_values)
            ways = int(high_word[combination]) << WORD_BITS | int(low_word[combination])
            deals[outcome] = deals.get(outcome, 0) + ways * self._pool_ways
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
        """The table as the kernels take it that draw from it.

        The pool, the cards that the other seats share, comes after all seats and is a
        hand of its own, of which no card is certain.
        """
        high_words = [ways >> WORD_BITS for ways in self._ways_before]
        low_words = [ways & WORD for ways in self._ways_before]
        no_cards = 0
        return Drawing(
            low=self.low,
            high=self.high,
            blocks=self.blocks,
            join=self.join,
            completions=self._completions,
            before_high_word=np.array(high_words, dtype=np.uint64),
            before_low_word=np.array(low_words, dtype=np.uint64),
            hands_of_holders=np.array([*self.seats, POOL], dtype=np.int64),
            pool_rooms=np.array(self._pool_rooms, dtype=np.int64),
            certain=np.array([*self.known.must, no_cards], dtype=np.uint64),
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
    """The seats that do not share the pool, in order.

    They have a slot, a part of the condition about their hand, or may not hold every
    card.
    """
    apart = set(slotted.seats)
    for seat in range(4):
        excluded_cards = constraints.unknown_mask & ~constraints.may[seat]
        if constraints.room(seat) and excluded_cards:
            apart.add(seat)
    return tuple(sorted(apart))


def _blocks(
    constraints: Constraints, slotted: SlottedExpressions, seats: tuple[int, ...]
) -> list[Block]:
    """The four blocks of the deck, with all ways to share out the cards of each.

    Cards are told apart only by the measures, such as points, that the seats' parts of
    the condition use.
    """
    measures: list[SuitMeasure] = []
    for seat in seats:
        measures += measures_of(slotted.expressions_of(seat))
    return deck_blocks(Holders(constraints, seats), measures)


def _seat_profiles(
    constraints: Constraints,
    slotted: SlottedExpressions,
    seats: Sequence[int],
    blocks: Sequence[Block],
) -> list[SeatProfiles]:
    """For each seat, which profile every hand that it can have gives it.

    A profile is the values of the seat's slots, the parts of the condition about its
    hand. They follow from measures, such as points, that add up over the blocks of the
    deck.
    """
    profiles = []
    for place, seat in enumerate(seats):
        slots = slotted.expressions_of(seat)
        certain_cards = constraints.must[seat]
        # (rows, 1 + measures) of each block: how many cards, and what they measure.
        vectors = [
            block.vectors(place, certain_cards, measures_of(slots)) for block in blocks
        ]
        profiles.append(SeatProfiles.of(vectors, slots))
    return profiles


def _block_groups(
    blocks: Sequence[Block], profiles: Sequence[SeatProfiles]
) -> list[BlockGroups]:
    """The rows of each block in groups that are the same for the profiles of all seats."""
    groups = []
    for block in blocks:
        row_classes = [seat_profiles.rows[block.number] for seat_profiles in profiles]
        groups.append(BlockGroups.of(block, row_classes))
    return groups


class AcceptedProfiles(NamedTuple):
    """The profiles that some deal which meets the condition may have."""

    by_seat: list[SeatProfiles]
    combinations: Bools
    """Which combinations meet the condition; an axis for the profiles of each seat."""


def _accepted_profiles(
    slotted: SlottedExpressions,
    seats: tuple[int, ...],
    profiles: Sequence[SeatProfiles],
) -> AcceptedProfiles:
    """Drop the profiles that meet the condition in no combination with others.

    ``profiles``: for each seat, in the order of ``seats``, its possible profiles, each
    the values of its slots (the parts of the condition about its hand). The skeleton of
    the condition combines slots; it is evaluated for all combinations of profiles.
    """
    values_by_seat = [seat_profiles.profiles for seat_profiles in profiles]
    shape = [len(values) for values in values_by_seat]
    verify_size(math.prod(shape), MOST_COMBINATIONS, "combinations")
    slot_values = _slot_leaves(slotted, seats, values_by_seat)
    condition = evaluate(slotted.skeletons[0], slot_values)
    accepted = np.broadcast_to(condition != 0, shape)
    if not seats:
        return AcceptedProfiles([], accepted)
    seat_accepts: list[Bools] = []
    accepted_by_seat = []
    for axis, seat_profiles in enumerate(profiles):
        axes_of_other_seats = tuple(n for n in range(len(seats)) if n != axis)
        has_accepted = np.asarray(accepted.any(axis=axes_of_other_seats))
        seat_accepts.append(has_accepted)
        accepted_by_seat.append(seat_profiles.accepting(has_accepted))
    return AcceptedProfiles(accepted_by_seat, accepted[np.ix_(*seat_accepts)])


def _slot_leaves(
    slotted: SlottedExpressions, seats: Sequence[int], profiles: Sequence[Ints]
) -> Leaves:
    """A function that gives :func:`evaluate` the values of a slot.

    A slot is a part of an expression that looks at the hand of one seat. ``profiles``:
    for each of ``seats``, (profiles, slots) the values of its slots. The values are an
    array with an axis for each seat, as long as there are profiles for the slot's own
    seat and of length 1 for others: so expressions broadcast to all combinations.
    """

    def slot_values(leaf: Leaf) -> Ints:
        """The values of a slot by the profile of its seat."""
        assert isinstance(leaf, Slot)
        seat, _ = slotted.slots[leaf.index]
        axis = seats.index(seat)
        column = slotted.numbers_of(seat).index(leaf.index)
        values = profiles[axis][:, column]
        shape = [1] * len(seats)
        shape[axis] = len(values)
        return values.reshape(shape)

    return slot_values
