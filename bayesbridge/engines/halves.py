"""Halves of the deck, of two blocks each: their keys, and how two keys make deals.

A *row* of a block says how many cards of each kind each holder gets
(:mod:`~bayesbridge.engines.blocks`). The *class* of a seat stands for all rows that are
the same for its condition (:mod:`~bayesbridge.engines.seat_profiles`).

- A *group* is the rows of a block with the same classes for all seats.
- A *pairing* is a group of the first block of a half and one of the second.
- The *key* of a half is what the other half must know of it: the class of each seat in
  both blocks together. The pairings of a key make it up.

A deal is a key of the low half, a key of the high half that fills the hands and meets
the condition, a pairing of each key, a row of each group, and places for the like cards
of each kind.

An array ``x_start`` has one entry more than there are x: what belongs to x number i
lies from ``x_start[i]`` up to ``x_start[i + 1]``. ``ways`` are how many ways to deal
there are, ``before`` those of the earlier ones of the same group or key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.blocks import Block
from bayesbridge.engines.classes import (
    Lookup,
    digits,
    numbered_rows,
    running,
    verify_size,
)
from bayesbridge.engines.seat_profiles import SeatProfiles
from bayesbridge.game.cards import HAND_CARDS
from bayesbridge.game.layouts import Bools, Ints

type Words = NDArray[np.uint64]
"""Masks of cards, or parts of 64 bits of a longer number."""

# Sizes beyond which tables are refused: each keeps a table within a second or two and
# some hundred megabytes.
MOST_PAIRINGS_TRIED: Final = 60_000_000  # pairs of groups of two blocks
MOST_PAIRINGS: Final = 8_000_000  # of these, that every seat can use
MOST_JOINS: Final = 300_000_000  # pairs of keys of two halves

# The place of a half in the pairs of a seat's tables.
LOW_HALF: Final = 0
HIGH_HALF: Final = 1

POOL: Final = 4  # the place of the pool, after those of the four seats
HANDS_AND_POOL: Final = 5

CHUNK: Final = 1 << 18  # cells of a table that are looked up at once
ANY_SIZE: Final = 1 << 60  # for look-ups whose sums may be as large as they come


class Runs(NamedTuple):
    """Weights that lie in runs, one after the other, and their sums."""

    start: Ints  #: (runs + 1,) where each begins.
    before: Ints  #: (weights,) the sum of the earlier weights of the same run.
    total: Ints  #: (runs,) the sum of each.

    @classmethod
    def of(cls, weights: Ints, lengths: Ints) -> Self:
        """``weights``: of all runs; ``lengths``: (runs,) how many each has."""
        start = running(lengths)
        sums = running(weights)
        before_run = sums[start[:-1]]
        before = sums[:-1] - np.repeat(before_run, lengths)
        return cls(start, before, total=np.diff(sums[start]))


class BlockGroups(NamedTuple):
    """The rows of a block that every seat can use, sorted by group, and its cards."""

    group_start: Ints  #: (groups + 1,) where the rows of each begin.
    before: Ints  #: (rows,) ways of the earlier rows of the same group.
    group_ways: Ints  #: (groups,)
    counts: NDArray[np.uint8]  #: (rows, kinds, holders) cards of a kind for a holder.
    cards: Ints  #: (kinds, most of a kind) padded with -1.
    sizes: Ints  #: (kinds,) how many cards each has.
    classes: Ints  #: (groups, seats)

    @classmethod
    def of(cls, block: Block, row_classes: Sequence[Ints]) -> Self:
        """Sort the rows of a block into groups of the same classes.

        A row says how many of the block's cards of each kind (cards that no condition
        tells apart) each seat gets. ``row_classes``: for each seat, (rows,) the class
        of its cards there, which stands for all that are the same for the seat's
        condition; -1 where the seat cannot have them. Such rows are dropped.
        """
        classes = np.stack(row_classes, axis=1) if row_classes else _no_seats(block)
        usable_rows = np.flatnonzero((classes >= 0).all(axis=1))
        group_of_row, group_classes = numbered_rows(classes[usable_rows])
        by_group = np.argsort(group_of_row, kind="stable")
        sorted_rows = usable_rows[by_group]
        group_sizes = np.bincount(group_of_row, minlength=len(group_classes))
        # Where each group begins, and running sums of the ways of its rows.
        ways = Runs.of(block.weights[sorted_rows], lengths=group_sizes)
        kinds = block.kinds
        return cls(
            group_start=ways.start,
            before=ways.before,
            group_ways=ways.total,
            counts=np.ascontiguousarray(block.counts[sorted_rows]),
            cards=_cards_by_kind(kinds),
            sizes=np.array([len(cards) for cards in kinds], dtype=np.int64),
            classes=np.ascontiguousarray(group_classes),
        )


def _no_seats(block: Block) -> Ints:
    """(rows, 0) the classes of no seats, for each row of a block."""
    return np.empty((len(block.weights), 0), dtype=np.int64)


def _cards_by_kind(kinds: Sequence[Sequence[int]]) -> Ints:
    """(kinds, most cards of a kind) the cards of each kind, then -1 where it has fewer."""
    longest = max(map(len, kinds), default=0)
    table = np.full((len(kinds), longest), -1)
    for kind, cards in enumerate(kinds):
        table[kind, : len(cards)] = cards
    return table


class Half(NamedTuple):
    """Two blocks together: pairings sorted by key, keys by the cards of each seat.

    A pairing is a group of either block; a key is the class of each seat in both.
    """

    key_start: Ints  #: (keys + 1,) where the pairings of each begin.
    first_group: Ints  #: (pairings,) the group of the first block.
    second_group: Ints  #: (pairings,) that of the second block.
    before: Ints  #: (pairings,) ways of the earlier pairings of the same key.
    ways: Ints  #: (keys,)
    classes: Ints  #: (keys, seats)
    lengths: Ints  #: (keys,) the cards of each seat in one number.

    @classmethod
    def of(
        cls,
        first: BlockGroups,
        second: BlockGroups,
        profiles: Sequence[SeatProfiles],
        *,
        half: int,
    ) -> Self:
        """Combine the groups of two blocks to the keys of a half.

        A group is the rows of a block with the same class for every seat. ``profiles``
        say, for each seat, which class its classes in the two blocks make, or that they
        do not go together. Pairings (a group of either block) that make the same
        classes for all seats have one key.

        ``half``: ``LOW_HALF``, or ``HIGH_HALF``, where the lengths are those that are
        missing to 13 cards: so keys of the two halves that fill the hands have equal
        lengths.
        """
        class_matrices = [seat_profiles.pairs[half] for seat_profiles in profiles]
        sizes = [int(matrix.max(initial=0)) + 1 for matrix in class_matrices]
        class_of_pair = Lookup.of(class_matrices, sizes, most=ANY_SIZE)
        pairings = _pairings(first.classes, second.classes, class_of_pair)
        keys = _sorted_keys(pairings.combined_class, sizes, profiles, half)
        by_key = np.argsort(keys.of_pairing, kind="stable")
        first_group = pairings.first[by_key]
        second_group = pairings.second[by_key]
        pairing_ways = first.group_ways[first_group] * second.group_ways[second_group]
        key_sizes = np.bincount(keys.of_pairing, minlength=len(keys.lengths))
        ways = Runs.of(pairing_ways, key_sizes)
        return cls(
            key_start=ways.start,
            first_group=first_group,
            second_group=second_group,
            before=ways.before,
            ways=ways.total,
            classes=keys.classes,
            lengths=keys.lengths,
        )


class HalfKeys(NamedTuple):
    """The keys of a half, sorted by the cards of each seat."""

    of_pairing: Ints  #: (pairings,) the key of each.
    classes: Ints  #: (keys, seats)
    lengths: Ints  #: (keys,) see :func:`_lengths_number`.


def _sorted_keys(
    combined_classes: Ints,
    sizes: Sequence[int],
    profiles: Sequence[SeatProfiles],
    half: int,
) -> HalfKeys:
    """The keys of a half, sorted by the cards of each seat.

    ``combined_classes``: (pairings,) the classes of all seats as the digits of one
    number in mixed radix, whose radices are ``sizes``. Each distinct one is a key.
    """
    distinct, unsorted_key_of_pairing = np.unique(combined_classes, return_inverse=True)
    classes = digits(distinct, sizes)
    lengths = _lengths_number(classes, profiles, half)
    by_lengths = np.argsort(lengths, kind="stable")
    place_when_sorted = np.argsort(by_lengths)  # the inverse of the permutation
    return HalfKeys(
        of_pairing=place_when_sorted[unsorted_key_of_pairing],
        classes=np.ascontiguousarray(classes[by_lengths]),
        lengths=lengths[by_lengths],
    )


class Pairings(NamedTuple):
    """Groups of two blocks that every seat can have together, (pairings,) each."""

    combined_class: Ints  #: The classes of all seats as digits of one number.
    first: Ints  #: The index of the group of the first block.
    second: Ints  #: That of the second block.


def _pairings(
    first_classes: Ints, second_classes: Ints, class_of_pair: Lookup
) -> Pairings:
    """Find the pairs of groups of two blocks that every seat can have together.

    A block is a part of the deck. A group is the ways to share it out that are the same
    for the condition of every seat; a number says for each seat which those are, the
    seat's class. ``first_classes``, ``second_classes``: (groups, seats) of each block.
    ``class_of_pair`` combines the classes of a group of either block into one number,
    negative where some seat cannot have both.

    The matrix of all pairs may be large: only some of its rows are looked up at a time.
    """
    first_groups = len(first_classes)
    second_groups = len(second_classes)
    verify_size(first_groups * second_groups, MOST_PAIRINGS_TRIED, "pairs of groups")
    no_index = np.empty(0, dtype=np.int64)
    chunks = [Pairings(combined_class=no_index, first=no_index, second=no_index)]
    usable_pairs = 0
    # At least one; the divisor is not 0 where there are no second groups.
    rows_per_chunk = 1 + CHUNK // (1 + second_groups)
    for begin in range(0, first_groups, rows_per_chunk):
        chunk_classes = first_classes[begin : begin + rows_per_chunk]
        # By group of the first block (in this chunk) and group of the second block.
        class_matrix = class_of_pair.between(chunk_classes, second_classes)
        chunk_row, second_index = np.nonzero(class_matrix >= 0)
        chunk_pairings = Pairings(
            combined_class=class_matrix[chunk_row, second_index],
            first=begin + chunk_row,
            second=second_index,
        )
        chunks.append(chunk_pairings)
        usable_pairs += len(second_index)
        verify_size(usable_pairs, MOST_PAIRINGS, "pairs of groups")
    return Pairings(
        combined_class=np.concatenate([chunk.combined_class for chunk in chunks]),
        first=np.concatenate([chunk.first for chunk in chunks]),
        second=np.concatenate([chunk.second for chunk in chunks]),
    )


def _lengths_number(classes: Ints, profiles: Sequence[SeatProfiles], half: int) -> Ints:
    """(keys,) the cards of each seat as one number, a digit from 0 to 13 for each.

    In the high half it is the cards that are missing to 13. ``classes``: (keys, seats).
    """
    lengths = np.zeros(len(classes), dtype=np.int64)
    for seat_profiles, seat_classes in zip(profiles, classes.T, strict=True):
        cards = seat_profiles.lengths[half][seat_classes]
        digit = HAND_CARDS - cards if half == HIGH_HALF else cards
        lengths = lengths * (HAND_CARDS + 1) + digit
    return lengths


class Join(NamedTuple):
    """A key of the low half is joined with those of the high half that fill the hands."""

    high_begin: Ints  #: (low keys,) the first such key of the high half.
    high_end: Ints  #: (low keys,) the one after the last; they are sorted by lengths.
    combination_of: Lookup
    """The combination of profiles, one for each seat, as a number, from the classes of
    both halves.
    """
    accept: Bools  #: (combinations,) whether it meets the condition.

    @classmethod
    def of(
        cls, low: Half, high: Half, profiles: Sequence[SeatProfiles], accept: Bools
    ) -> Self:
        """Join the keys of two halves whose ``lengths`` are equal: they fill the hands.

        ``profiles``: for each seat, which profile (the values that decide its part of
        the condition) its classes in the two halves make; ``accept``: which
        combinations of profiles meet the condition, with an axis for each seat.
        """
        high_begin = np.searchsorted(high.lengths, low.lengths, side="left")
        high_end = np.searchsorted(high.lengths, low.lengths, side="right")
        verify_size(int((high_end - high_begin).sum()), MOST_JOINS, "joins of keys")
        cells = [seat_profiles.cells for seat_profiles in profiles]
        return cls(
            high_begin=high_begin,
            high_end=high_end,
            combination_of=Lookup.of(cells, accept.shape, most=ANY_SIZE),
            accept=accept.ravel(order="F"),
        )

    def completions(self, low: Half, high: Half) -> Ints:
        """(low keys,) in how many ways the high half completes each key of the low half.

        A key is the class of each seat in its half. With a high key that fills the
        hands it gives every seat a profile, by which its condition is decided: a
        combination of profiles, whose number is negative where a seat can have none,
        and which counts if ``accept`` says so. Low keys that are completed by the same
        high keys are taken together, but no more than bounds the memory.
        """
        completions = np.zeros(len(low.ways), dtype=np.int64)
        low_begin = 0
        while low_begin < len(completions):
            high_begin = self.high_begin[low_begin]
            high_end = self.high_end[low_begin]
            same_high_keys_end = np.searchsorted(
                low.lengths, low.lengths[low_begin], side="right"
            )
            keys_per_chunk = 1 + CHUNK // (1 + int(high_end - high_begin))
            low_end = min(int(same_high_keys_end), low_begin + keys_per_chunk)
            combinations = self.combination_of.between(
                low.classes[low_begin:low_end], high.classes[high_begin:high_end]
            )
            is_possible = combinations >= 0
            fits = is_possible & self.accept[np.where(is_possible, combinations, 0)]
            completions[low_begin:low_end] = fits @ high.ways[high_begin:high_end]
            low_begin = low_end
        return completions


class Drawing(NamedTuple):
    """What kernels need to draw deals; a *holder* is a seat of ``seats`` or the pool."""

    low: Half
    high: Half
    blocks: tuple[BlockGroups, BlockGroups, BlockGroups, BlockGroups]
    join: Join
    completions: Ints  #: (low keys,) ways of the high half that complete each.
    #: (low keys + 1,) ways up to each low key, in two words.
    before_high_word: Words
    before_low_word: Words
    hands_of_holders: Ints  #: (holders,) the seat of each, ``POOL`` for the pool.
    pool_rooms: Ints  #: (4,) cards that each seat takes from the pool.
    certain: Words  #: (5,) the cards that are certain, by seat; none in the pool.
