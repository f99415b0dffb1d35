"""Halves of the deck, of two blocks each: their keys, and how two keys make deals.

Rows of a block with the same classes for all seats are a *group*. A *key* of a half is
what the other half must know of it: the class of each seat. A *pairing* is a group of
either block; the pairings of a key make it up. A deal is a key of the low half, a key
of the high half that fills the hands and meets the condition, a pairing of each key, a
row of each group, and places for the like cards of each kind.

An array ``x_start`` has one entry more than there are x: what belongs to x number i
lies from ``x_start[i]`` up to ``x_start[i + 1]``. ``before`` are the ways of the
earlier ones of the same x.
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
from bayesbridge.game.layouts import Bools, Ints

type Words = NDArray[np.uint64]
"""Masks of cards, or parts of 64 bits of a longer number."""

# Sizes beyond which tables are refused: each keeps a table within a second or two and
# some hundred megabytes.
MOST_PAIRINGS_TRIED: Final = 60_000_000  # pairs of groups of two blocks
MOST_PAIRINGS: Final = 8_000_000  # of these, that every seat can use
MOST_JOINS: Final = 300_000_000  # pairs of keys of two halves

CHUNK: Final = 1 << 18  # cells of a table that are looked up at once
ANY_SIZE: Final = 1 << 60  # for look-ups whose sums may be as large as they come


class BlockGroups(NamedTuple):
    """The rows of a block that every seat can use, sorted by group, and its cards."""

    group_start: Ints  #: (groups + 1,) where the rows of each begin.
    before: Ints  #: (rows,)
    group_ways: Ints  #: (groups,)
    counts: NDArray[np.uint8]  #: (rows, kinds, holders) cards of a kind for a holder.
    cards: Ints  #: (kinds, most of a kind) padded with -1.
    sizes: Ints  #: (kinds,) how many cards each has.
    classes: Ints  #: (groups, seats)

    @classmethod
    def of(cls, block: Block, row_classes: Sequence[Ints]) -> Self:
        """``row_classes``: of each seat (rows,), -1 for a row that it cannot use."""
        number = np.zeros(len(block.weights), dtype=np.int64)  # where no seat is asked
        classes = np.stack([number, *row_classes], axis=1)
        usable = np.flatnonzero((classes >= 0).all(1))
        groups, distinct = numbered_rows(classes[usable])
        rows = usable[np.argsort(groups, kind="stable")]
        group_sizes = np.bincount(groups, minlength=len(distinct))
        before, ways, start = _runs(block.weights[rows], group_sizes)
        sizes = np.array([len(cards) for cards in block.kinds], dtype=np.int64)
        cards = np.full((len(sizes), sizes.max(initial=0)), -1)
        for kind, members in enumerate(block.kinds):
            cards[kind, : len(members)] = members
        return cls(
            start,
            before,
            ways,
            np.ascontiguousarray(block.counts[rows]),
            cards,
            sizes,
            np.ascontiguousarray(distinct[:, 1:]),
        )


class Half(NamedTuple):
    """Two blocks together: pairings sorted by key, keys by the cards of each seat."""

    key_start: Ints  #: (keys + 1,) where the pairings of each begin.
    first: Ints  #: (pairings,) the group of the first block, and that of the second.
    second: Ints
    before: Ints  #: (pairings,)
    ways: Ints  #: (keys,)
    classes: Ints  #: (keys, seats)
    lengths: Ints  #: (keys,) the cards of each seat in one number.

    @classmethod
    def of(
        cls,
        first: BlockGroups,
        second: BlockGroups,
        profiles: Sequence[SeatProfiles],
        half: int,
    ) -> Self:
        """Half 0 or 1; in half 1 the lengths are those that are missing to 13."""
        pairs = [seat_profiles.pairs[half] for seat_profiles in profiles]
        sizes = [int(pair.max(initial=0)) + 1 for pair in pairs]
        lookup = Lookup.of(pairs, sizes, ANY_SIZE)
        pairings = _pairings(first.classes, second.classes, lookup)
        keys, classes, lengths = _sorted_keys(pairings[0], sizes, profiles, half)
        order = np.argsort(keys, kind="stable")
        pairing_first, pairing_second = np.take(pairings[1:], order, axis=1)
        ways = first.group_ways[pairing_first] * second.group_ways[pairing_second]
        key_sizes = np.bincount(keys, minlength=len(lengths))
        before, key_ways, start = _runs(ways, key_sizes)
        return cls(
            start, pairing_first, pairing_second, before, key_ways, classes, lengths
        )


def _sorted_keys(
    numbers: Ints, sizes: Sequence[int], profiles: Sequence[SeatProfiles], half: int
) -> tuple[Ints, Ints, Ints]:
    """The keys of a half, sorted by the cards of each seat.

    ``numbers``: (pairings,) the classes of all seats in one number, in mixed radix.
    Returns (pairings,) the key of each, (keys, seats) classes and (keys,) lengths.
    """
    distinct, unsorted_keys = np.unique(numbers, return_inverse=True)
    classes = digits(distinct, sizes)
    lengths = _lengths_number(classes, profiles, half)
    by_lengths = np.argsort(lengths, kind="stable")
    keys = np.argsort(by_lengths)[unsorted_keys]
    return keys, np.ascontiguousarray(classes[by_lengths]), lengths[by_lengths]


def _pairings(first_classes: Ints, second_classes: Ints, class_of_pair: Lookup) -> Ints:
    """(3, pairings) of groups that every seat can use: a number, then both groups.

    The number has the classes of all seats as digits. ``first_classes``,
    ``second_classes``: (groups, seats).
    """
    tried = len(first_classes) * len(second_classes)
    verify_size(tried, MOST_PAIRINGS_TRIED, "pairs of groups")
    chunks = [np.empty((3, 0), dtype=np.int64)]
    pairings = 0
    chunk_rows = 1 + CHUNK // (1 + len(second_classes))
    for begin in range(0, len(first_classes), chunk_rows):
        chunk = first_classes[begin : begin + chunk_rows]
        keys = class_of_pair.between(chunk, second_classes)
        row, column = np.nonzero(keys >= 0)
        chunks.append(np.stack([keys[row, column], begin + row, column]))
        pairings += len(row)
        verify_size(pairings, MOST_PAIRINGS, "pairs of groups")
    return np.concatenate(chunks, axis=1)


def _lengths_number(classes: Ints, profiles: Sequence[SeatProfiles], half: int) -> Ints:
    """(keys,) the cards of each seat, or in half 1 those missing to 13, as one number."""
    lengths = np.zeros(len(classes), dtype=np.int64)
    for seat, seat_classes in zip(profiles, classes.T, strict=True):
        cards = seat.lengths[half][seat_classes]
        lengths = lengths * 14 + np.abs(13 * half - cards)
    return lengths


def _runs(weights: Ints, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """Sums of weights that lie in runs of these sizes.

    Returns the sum before each weight in its run, the sum of each run, and where runs
    begin.
    """
    start = running(sizes)
    sums = running(weights)
    before_run = sums[start[:-1]]
    return sums[:-1] - np.repeat(before_run, sizes), np.diff(sums[start]), start


class Join(NamedTuple):
    """A key of the low half is joined with those of the high half that fill the hands."""

    begin: Ints  #: (low keys,) the first such key of the high half, and the end.
    end: Ints
    profiles: Lookup
    """The number of the combination of profiles, from the classes of both halves;
    ``accept``: whether it is met.
    """
    accept: Bools

    @classmethod
    def of(
        cls, low: Half, high: Half, profiles: Sequence[SeatProfiles], accept: Bools
    ) -> Self:
        """``accept``: with an axis for the profiles of each seat."""
        begin = np.searchsorted(high.lengths, low.lengths, side="left")
        end = np.searchsorted(high.lengths, low.lengths, side="right")
        verify_size(int((end - begin).sum()), MOST_JOINS, "joins of keys")
        lookup = Lookup.of([seat.cells for seat in profiles], accept.shape, ANY_SIZE)
        return cls(begin, end, lookup, accept.ravel(order="F"))

    def completions(self, low: Half, high: Half) -> Ints:
        """(low keys,) in how many ways the high half completes each."""
        completions = np.zeros(len(low.ways), dtype=np.int64)
        key = 0
        while key < len(completions):
            begin = self.begin[key]
            end = self.end[key]
            same_lengths = np.searchsorted(low.lengths, low.lengths[key], side="right")
            chunk_end = key + 1 + CHUNK // (1 + int(end - begin))
            key_end = min(int(same_lengths), chunk_end)
            numbers = self.profiles.between(
                low.classes[key:key_end], high.classes[begin:end]
            )
            fits = (numbers >= 0) & self.accept[np.maximum(numbers, 0)]
            completions[key:key_end] = fits @ high.ways[begin:end]
            key = key_end
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
    seats: Ints  #: (holders,) the seat of each, 4 for the pool.
    pool_rooms: Ints  #: (4,) cards that each seat takes from the pool.
    certain: Words  #: (5,) the cards that are certain, by seat; none in the pool.
