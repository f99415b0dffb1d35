"""DealTable: all deals that meet a condition, counted exactly and drawn without
rejection.

**Slots.** The largest parts of the condition that look at one seat only become slots.
The values of a seat's slots are its *profile*; the skeleton that is left says which
combinations of profiles make the condition true.

**Blocks.** A block is a suit, or, where no condition depends on a suit, some ranks. Its
cards that no condition tells apart and that may lie in the same hands are of one
*kind*; a row says how many of each kind each *holder* gets: a seat with a condition, or
the pool, for the seats without one share what the others leave.

**Classes.** Each holding of a seat in a block has a vector of values, one for each
measure of its condition; vectors of blocks add up. Those that lead to the same profiles
whatever the rest of the hand is are one class, and those that lead to no accepted
profile are dropped. Rows with the same classes for all seats are a group.

**Draws.** Two blocks make a half of the deck: its keys are the tuples of half classes.
A deal is a key of the low half, a key of the high half that fills the hands and meets
the condition, a pair of groups of each key, a row of each group, and places for the
like cards of each kind, each drawn with its exact number of ways: two words, as totals
pass 2^63.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.classes import Lookup, digits, merged, running, verify_size
from bayesbridge.errors import TablesTooLarge
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expressions import (
    TRUE,
    Expression,
    Held,
    Leaf,
    Leaves,
    Number,
    Operation,
    ShapeIn,
    Slot,
    evaluate,
    seats_of,
    walk,
)
from bayesbridge.evidence.measures import LENGTH, Measure, alike, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Bools, Ints, Masks

if TYPE_CHECKING:
    from bayesbridge.engines.deal_draws import Drawing
    from bayesbridge.runtime.random64 import Seed, State

type Words = NDArray[np.uint64]
type Measures = Sequence[tuple[Measure, int | None]]
"""Each of one suit or of the whole hand."""

MOST_ROWS: Final = 400_000
MOST_VECTORS: Final = 3_000_000
MOST_CELLS: Final = 6_000_000
MOST_GROUP_PAIRS: Final = 60_000_000
MOST_PAIRS: Final = 8_000_000
MOST_JOINS: Final = 300_000_000
MOST_COMBINATIONS: Final = 2_000_000
"""Sizes beyond which tables are refused: each keeps a table within a second or two and
some hundred megabytes.
"""

CHUNK: Final = 1 << 18  # cells of a table that are looked up at once

_TRUTHS: Final = frozenset(("and", "or", "not", "==", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Split:
    """``skeletons`` refer to ``slots`` by number; each is a seat and an expression over
    its hand.
    """

    skeletons: tuple[Expression, ...]
    slots: tuple[tuple[int, Expression], ...]

    def of_seat(self, seat: int) -> tuple[int, ...]:
        return tuple(
            number for number, (other, _) in enumerate(self.slots) if other == seat
        )


def split(*expressions: Expression) -> Split:
    """Take out of each expression the largest parts that look at one seat.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> found = split(parse_expression("hcp(north) > 11 && spades(north) > 4 && hcp(north) + hcp(south) > 24"))
    >>> [seat for seat, _ in found.slots]
    [0, 0, 2]
    """
    slots: dict[tuple[int, Expression], int] = {}
    skeletons = tuple(
        _take(expression, slots, truth=False) for expression in expressions
    )
    return Split(skeletons, tuple(slots))


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Parts that must all be true; what is denied is turned round as far as that gives
    more of them.

    >>> from bayesbridge.evidence.parser import parse_expression
    >>> len(conjuncts(parse_expression("hcp(north) > 11 && !(spades(north) > 4 || hearts(north) > 4)")))
    3
    """
    match expression:
        case Operation("and", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case Operation("not", (Operation("or", operands),)):
            return tuple(
                part
                for operand in operands
                for part in conjuncts(Operation("not", (operand,)))
            )
        case Operation("not", (Operation("not", (inner,)),)):
            return conjuncts(inner)
    return (expression,)


def _take(
    expression: Expression, slots: dict[tuple[int, Expression], int], *, truth: bool
) -> Expression:
    seats = seats_of(expression)
    if not seats:
        return expression
    if len(seats) == 1:
        is_truth = isinstance(expression, Operation) and expression.operator in _TRUTHS
        part = (
            expression
            if is_truth or not truth
            else Operation("!=", (expression, Number(0)))
        )
        return Slot(slots.setdefault((min(seats), part), len(slots)))
    match expression:
        case Operation("and" | "or" as operator, operands):
            groups: dict[frozenset[int], list[Expression]] = {}
            for operand in operands:
                groups.setdefault(seats_of(operand), []).append(operand)
            alone = [group for members, group in groups.items() if len(members) < 2]
            parts = [
                group[0] if len(group) == 1 else Operation(operator, tuple(group))
                for group in alone
            ]
            parts += [
                part
                for members, group in groups.items()
                if len(members) > 1
                for part in group
            ]
            return Operation(
                operator, tuple(_take(part, slots, truth=True) for part in parts)
            )
        case Operation(operator, operands):
            return Operation(
                operator,
                tuple(_take(part, slots, truth=operator == "not") for part in operands),
            )
    raise AssertionError(expression)


def compositions(size: int, allowed: Sequence[int], holders: int) -> tuple[Ints, Ints]:
    """(n, holders) how many like cards each of the allowed holders may get, and (n,) in
    how many ways.

    >>> shares, ways = compositions(2, (0, 2), 3)
    >>> shares.tolist(), ways.tolist()
    ([[0, 0, 2], [1, 0, 1], [2, 0, 0]], [1, 2, 1])
    """
    bars = list(combinations(range(size + len(allowed) - 1), len(allowed) - 1))
    ends = np.array(
        [(-1, *bar, size + len(allowed) - 1) for bar in bars], dtype=np.int64
    ).reshape(len(bars), -1)
    found = np.zeros((len(bars), holders), dtype=np.int64)
    found[:, list(allowed)] = np.diff(ends) - 1
    ways = [
        math.factorial(size) // math.prod(map(math.factorial, share))
        for share in found.tolist()
    ]
    return found, np.array(ways, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A part of the deck: ``kinds`` are the cards of each kind, a row says how many of
    each kind a holder gets.
    """

    number: int
    kinds: tuple[tuple[int, ...], ...]
    counts: NDArray[np.uint8]  #: (rows, kinds, holders)
    weights: Ints  #: In how many ways the cards of each row can be chosen.

    @classmethod
    def of(
        cls,
        number: int,
        cards: Iterable[int],
        allowed: Callable[[int], tuple[int, ...]],
        alike: Callable[[int], Hashable],
        rooms: Sequence[int],
    ) -> Self:
        """All rows that fit into the rooms of the holders: ``allowed`` are those of a
        card, ``alike`` is its kind.
        """
        kinds: dict[Hashable, list[int]] = {}
        for card in cards:
            kinds.setdefault((allowed(card), alike(card)), []).append(card)
        holders = len(rooms)
        counts, weights = (
            np.zeros((1, 0, holders), dtype=np.uint8),
            np.ones(1, dtype=np.int64),
        )
        totals = np.zeros((1, holders), dtype=np.int64)
        for members in kinds.values():
            shares, ways = compositions(len(members), allowed(members[0]), holders)
            verify_size(len(counts) * len(shares), 16 * MOST_ROWS, "rows")
            old, new = (
                index.ravel() for index in np.indices((len(counts), len(shares)))
            )
            fits = (totals[old] + shares[new] <= np.array(rooms)).all(1)
            old, new = old[fits], new[fits]
            verify_size(len(old), MOST_ROWS, "rows")
            counts = np.concatenate(
                [counts[old], shares[new][:, None].astype(np.uint8)], axis=1
            )
            totals, weights = totals[old] + shares[new], weights[old] * ways[new]
        return cls(number, tuple(map(tuple, kinds.values())), counts, weights)

    def vectors(self, place: int, certain: int, measures: Measures) -> Ints:
        """(rows, 1 + measures) what a holder gets; certain cards count in block 0, or
        in their suit if not additive.
        """
        counts = self.counts[:, :, place].astype(np.int64)
        found = []
        for measure, suit in ((LENGTH, None), *measures):
            if measure.weights is not None:
                weights = [
                    measure.weights[card % 13] if suit in (None, card // 13) else 0
                    for card in range(52)
                ]
                own = (
                    sum(weights[card] for card in range(52) if certain >> card & 1)
                    if self.number == 0
                    else 0
                )
                found.append(
                    own
                    + counts
                    @ np.array(
                        [weights[cards[0]] for cards in self.kinds], dtype=np.int64
                    )
                )
                continue
            fields = np.full(
                len(counts), certain >> (13 * self.number) & SUIT_MASK, dtype=np.int64
            )
            for kind, cards in enumerate(self.kinds):
                # Which cards of a kind they are does not matter: the lowest places stand for all.
                fields |= np.cumsum([0, *(1 << (card % 13) for card in cards)])[
                    counts[:, kind]
                ]
            found.append(table(measure)[fields] * (suit in (None, self.number)))
        return np.stack(found, axis=1)


def leaves_of(
    expressions: Sequence[Expression],
) -> tuple[tuple[Measure, int | None], ...]:
    """The measures that expressions over one seat use, each with its suit; a shape uses
    four lengths.
    """
    found: dict[tuple[Measure, int | None], None] = {}
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Held):
                found[node.measure, node.suit] = None
            elif isinstance(node, ShapeIn):
                found.update({(LENGTH, suit): None for suit in range(4)})
    return tuple(found)


def deck_blocks(
    known: Constraints, seats: Sequence[int], measures: Sequence[Measures]
) -> list[Block]:
    """The unknown cards in four blocks: by rank where no measure is of a suit and
    tables stay small, else by suit.
    """
    unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
    pool = [seat for seat in range(4) if seat not in seats]
    rooms = [known.room(seat) for seat in seats] + (
        [sum(map(known.room, pool))] if pool else []
    )
    every = [leaf for leaves in measures for leaf in leaves]

    def allowed(card: int) -> tuple[int, ...]:
        mine = tuple(i for i, seat in enumerate(seats) if known.may[seat] >> card & 1)
        return (*mine, len(seats)) if pool else mine

    def kind(card: int) -> Hashable:
        return tuple(
            alike(measure)[card % 13]
            for measure, suit in every
            if suit is None or suit == card // 13
        )

    if all(suit is None and measure.weights is not None for measure, suit in every):
        try:
            weights = [
                measure.weights for measure, _ in every if measure.weights is not None
            ]
            parts = _by_rank(unknown, weights, len(rooms))
            return [
                Block.of(number, part, allowed, kind, rooms)
                for number, part in enumerate(parts)
            ]
        except TablesTooLarge:
            pass
    suits = [[card for card in unknown if card // 13 == suit] for suit in range(4)]
    return [
        Block.of(number, part, allowed, kind, rooms)
        for number, part in enumerate(suits)
    ]


def _by_rank(
    unknown: list[int], weights: Sequence[Sequence[int]], holders: int
) -> list[list[int]]:
    """Cards that count something in two blocks, the others in one; by 26 where ways of
    a half could pass 62 bits.
    """
    counting = [card for card in unknown if any(each[card % 13] for each in weights)]
    ranks = sorted({card % 13 for card in counting}, reverse=True)
    high = set(ranks[: (len(ranks) + 1) // 2])
    first = [card for card in counting if card % 13 in high]
    second = [card for card in counting if card % 13 not in high]
    rest = [card for card in unknown if card not in counting]
    if max(len(counting), len(rest)) * math.log2(holders) < 62:
        return [first, second, rest, []]
    room = max(26 - len(first), 0)
    return [first, rest[:room], second, rest[room:]]


@dataclass(frozen=True, slots=True, eq=False)
class SeatGrid:
    """The vectors of a seat, or their classes, and the profile of every pair of halves
    that makes 13 cards.
    """

    rows: tuple[Ints, ...]
    """For each of the four blocks, the number of the vector or class of each row; -1
    where it leads nowhere.
    """
    pairs: tuple[Ints, Ints]
    """For each half, by the numbers of two blocks, the number of the half; -1 where a
    hand would overflow.
    """
    lengths: tuple[Ints, Ints]  #: For each half, how many cards.
    cells: NDArray[np.int32]
    """By the low and the high half the profile, -1 without 13 cards; ``profiles``: by
    slot the values of each.
    """
    profiles: Ints

    @classmethod
    def of(cls, vectors: Sequence[Ints], slots: Sequence[Expression]) -> Self:
        """From the (rows, 1 + leaves) vectors of each block; the first entry is the
        number of cards.
        """
        rows, distinct = zip(*(_numbered(block) for block in vectors), strict=True)
        pairs, halves = zip(
            *(_added(distinct[b], distinct[b + 1]) for b in (0, 2)), strict=True
        )
        low, high = halves
        verify_size(len(low) * len(high), 8 * MOST_CELLS, "cells")
        groups = [
            (np.flatnonzero(low[:, 0] == n), np.flatnonzero(high[:, 0] == 13 - n))
            for n in range(14)
        ]
        verify_size(
            sum(len(ones) * len(twos) for ones, twos in groups), MOST_CELLS, "cells"
        )
        a = np.concatenate([np.repeat(ones, len(twos)) for ones, twos in groups])
        b = np.concatenate([np.tile(twos, len(ones)) for ones, twos in groups])
        places = {leaf: place for place, leaf in enumerate(leaves_of(slots), 1)}

        def value(leaf: Leaf) -> Ints:
            assert isinstance(leaf, Held)
            place = places[leaf.measure, leaf.suit]
            return np.asarray(low[a, place] + high[b, place])

        values = np.zeros((len(a), len(slots)), dtype=np.int64)
        for column, slot in enumerate(slots):
            values[:, column] = evaluate(slot, value)
        cells = np.full((len(low), len(high)), -1, dtype=np.int32)
        cells[a, b], profiles = _numbered(values)
        return cls(rows, pairs, (low[:, 0], high[:, 0]), cells, profiles)

    def accepting(self, accepted: Bools) -> SeatGrid:
        """Keep the accepted profiles, numbered as they come, and merge what they do not
        tell apart.
        """
        renumbered = np.append(
            np.where(accepted, np.cumsum(accepted) - 1, -1), -1
        ).astype(np.int32)
        classes, pairs, cells, (low, high) = merged(self.pairs, renumbered[self.cells])
        rows = tuple(
            of_vector[own] for of_vector, own in zip(classes, self.rows, strict=True)
        )
        lengths = self.lengths[0][low], self.lengths[1][high]
        return SeatGrid(rows, pairs, lengths, cells, self.profiles[accepted])


def _numbered(vectors: Ints) -> tuple[Ints, Ints]:
    """The number of each row's vector, and the distinct vectors."""
    low = vectors.min(axis=0, initial=0)
    radices = [int(n) for n in vectors.max(axis=0, initial=0) - low + 1]
    if math.prod(radices) >= 1 << 62:
        distinct, numbers = np.unique(vectors, axis=0, return_inverse=True)
        return numbers, distinct
    keys = np.zeros(len(vectors), dtype=np.int64)
    for column, radix in enumerate(radices):
        keys = keys * radix + (vectors[:, column] - low[column])
    _, places, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers, vectors[places]


def _added(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The half vector of each pair of vectors, -1 with more than 13 cards, and the
    distinct half vectors.
    """
    verify_size(len(first) * len(second), MOST_VECTORS, "pairs of holdings")
    together = (first[:, None] + second).reshape(-1, first.shape[1])
    fits = together[:, 0] <= 13
    pairs = np.full(len(together), -1, dtype=np.int64)
    pairs[fits], distinct = _numbered(together[fits])
    return pairs.reshape(len(first), len(second)), distinct


class Dealing(NamedTuple):
    """What a block needs for draws: rows by group (``before``: ways of the earlier
    ones), the cards of each kind.
    """

    group_start: Ints
    before: Ints
    group_ways: Ints
    counts: NDArray[np.uint8]
    cards: Ints  #: (kinds, most of a kind) padded with -1.
    sizes: Ints
    classes: Ints  #: (groups, seats)

    @classmethod
    def of(cls, block: Block, classes: Sequence[Ints]) -> Self:
        """The rows that every seat can use; ``classes``: by seat."""
        own = np.stack([np.zeros(len(block.weights), dtype=np.int64), *classes], axis=1)
        kept = np.flatnonzero((own >= 0).all(1))
        numbers, distinct = _numbered(own[kept])
        order = np.argsort(numbers, kind="stable")
        before, ways, start = _runs(
            block.weights[kept][order], np.bincount(numbers, minlength=len(distinct))
        )
        sizes = np.array([len(cards) for cards in block.kinds], dtype=np.int64)
        cards = np.full((len(sizes), sizes.max(initial=0)), -1)
        for kind, members in enumerate(block.kinds):
            cards[kind, : len(members)] = members
        counts = np.ascontiguousarray(block.counts[kept][order])
        return cls(
            start,
            before,
            ways,
            counts,
            cards,
            sizes,
            np.ascontiguousarray(distinct[:, 1:]),
        )


class Half(NamedTuple):
    """Two blocks together: pairs of groups, sorted by key; keys are sorted by how many
    cards each seat gets.
    """

    key_start: Ints
    first: Ints
    second: Ints
    before: Ints  #: Ways of the earlier pairs of the same key; ``ways``: of each key.
    ways: Ints
    classes: Ints  #: (keys, seats)
    lengths: Ints  #: The cards of each seat in one number, by key.

    @classmethod
    def of(
        cls, one: Dealing, two: Dealing, grids: Sequence[SeatGrid], half: int
    ) -> Self:
        """Half 0 or 1; in half 1 the lengths are those that are missing to 13."""
        verify_size(
            len(one.classes) * len(two.classes), MOST_GROUP_PAIRS, "pairs of groups"
        )
        sizes = [int(grid.pairs[half].max(initial=0)) + 1 for grid in grids]
        place = Lookup.of([grid.pairs[half] for grid in grids], sizes, 1 << 60)
        key, first, second = _fitting_pairs(one.classes, two.classes, place)
        distinct, numbers = np.unique(key, return_inverse=True)
        classes = digits(distinct, sizes)
        lengths = np.zeros(len(distinct), dtype=np.int64)
        for grid, own in zip(grids, classes.T, strict=True):
            lengths = lengths * 14 + np.abs(13 * half - grid.lengths[half][own])
        rank = np.argsort(lengths, kind="stable")
        numbers = np.argsort(rank)[numbers]
        order = np.argsort(numbers, kind="stable")
        ways = one.group_ways[first] * two.group_ways[second]
        before, total, start = _runs(
            ways[order], np.bincount(numbers, minlength=len(distinct))
        )
        return cls(
            start,
            first[order],
            second[order],
            before,
            total,
            np.ascontiguousarray(classes[rank]),
            lengths[rank],
        )


class Join(NamedTuple):
    """How keys of the two halves are joined: a key of the low half with those of the
    high half that fill the hands.
    """

    begin: Ints  #: The first and last such keys of the high half, by low key.
    end: Ints
    profiles: Lookup
    """The number of the combination of profiles, from the classes of both halves;
    ``accept``: whether it is met.
    """
    accept: Bools


def _runs(weights: Ints, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """For weights in runs of these sizes: the sum before each in its run, the sum of
    each run, where runs begin.
    """
    start, sums = running(sizes), running(weights)
    return sums[:-1] - np.repeat(sums[start[:-1]], sizes), np.diff(sums[start]), start


@dataclass(frozen=True, eq=False)
class DealTable:
    """All deals that fit the known cards and meet a condition."""

    #: Normalised; of it only the certain and the possible cards are read.
    known: Constraints
    parts: Split  #: The condition, then the expressions that are watched.
    seats: tuple[
        int, ...
    ]  #: The seats that have a part in these, or may not hold every card.
    profiles: tuple[
        Ints, ...
    ]  #: For each of them, (profiles, slots) the values of its slots.
    low: Half
    high: Half
    blocks: tuple[Dealing, Dealing, Dealing, Dealing]
    join: Join

    @classmethod
    def of(
        cls, known: Constraints, condition: Expression = TRUE, *watched: Expression
    ) -> Self:
        """Raises ``TablesTooLarge``, early, if they would be; :meth:`counts` tells the
        values of ``watched`` apart.
        """
        parts = split(condition, *watched)
        asked = {seat for seat, _ in parts.slots}
        asked |= {
            seat
            for seat in range(4)
            if known.room(seat) and known.unknown_mask & ~known.may[seat]
        }
        seats = tuple(sorted(asked))
        own = [
            [parts.slots[number][1] for number in parts.of_seat(seat)] for seat in seats
        ]
        measures = [leaves_of(slots) for slots in own]
        cut = deck_blocks(known, seats, measures)
        grids = [
            SeatGrid.of(
                [
                    block.vectors(place, known.must[seat], measures[place])
                    for block in cut
                ],
                own[place],
            )
            for place, seat in enumerate(seats)
        ]
        leaves = _slot_leaves(parts, seats, [grid.profiles for grid in grids])
        shape = [len(grid.profiles) for grid in grids]
        verify_size(math.prod(shape), MOST_COMBINATIONS, "combinations")
        accept = np.broadcast_to(evaluate(parts.skeletons[0], leaves) != 0, shape)
        others = [
            tuple(other for other in range(len(seats)) if other != place)
            for place in range(len(seats))
        ]
        accepted = [accept.any(axis=axes) for axes in others]
        grids = [
            grid.accepting(keep) for grid, keep in zip(grids, accepted, strict=True)
        ]
        one, two, three, four = (
            Dealing.of(block, [grid.rows[b] for grid in grids])
            for b, block in enumerate(cut)
        )
        low, high = Half.of(one, two, grids, 0), Half.of(three, four, grids, 1)
        begin, end = (
            np.searchsorted(high.lengths, low.lengths, side=side)
            for side in ("left", "right")
        )
        verify_size(int((end - begin).sum()), MOST_JOINS, "joins of keys")
        kept = accept[np.ix_(*accepted)] if seats else accept
        profiles = Lookup.of([grid.cells for grid in grids], kept.shape, 1 << 60)
        join = Join(begin, end, profiles, kept.ravel(order="F"))
        return cls(
            known,
            parts,
            seats,
            tuple(grid.profiles for grid in grids),
            low,
            high,
            (one, two, three, four),
            join,
        )

    @cached_property
    def total(self) -> int:
        """How many deals meet the condition, exactly; 0 if none does."""
        return self._ways[-1] * self._shared

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent uniform deals, (n, 4) masks; a state is advanced. There
        must be a deal.
        """
        out = np.empty((n, 4), dtype=np.uint64)
        from bayesbridge.engines.deal_draws import draw_deals
        from bayesbridge.runtime.random64 import seed_state

        draw_deals(self._drawing, seed_state(rng), out)
        return out

    def counts(self) -> dict[tuple[int, ...], int]:
        """In how many deals the expressions that are watched have each tuple of values,
        exactly.
        """
        leaves = _slot_leaves(self.parts, self.seats, self.profiles)
        shape = [len(profiles) for profiles in self.profiles]
        values = (
            np.broadcast_to(evaluate(one, leaves), shape)
            for one in self.parts.skeletons[1:]
        )
        watched = [of_all.ravel(order="F") for of_all in values]
        from bayesbridge.engines.deal_draws import tally

        upper, lower = tally(self.low, self.high, self.join)
        found: dict[tuple[int, ...], int] = {}
        for place in np.flatnonzero(upper | lower).tolist():
            key = tuple(int(values[place]) for values in watched)
            found[key] = (
                found.get(key, 0)
                + (int(upper[place]) << 64 | int(lower[place])) * self._shared
            )
        return found

    @cached_property
    def _rest(self) -> Ints:
        """(low keys,) in how many ways the high half completes each."""
        join, found = self.join, np.zeros(len(self.low.ways), dtype=np.int64)
        a = 0
        while a < len(found):
            begin, end = join.begin[a], join.end[a]
            same = np.searchsorted(self.low.lengths, self.low.lengths[a], side="right")
            until = min(int(same), a + 1 + CHUNK // (1 + int(end - begin)))
            numbers = join.profiles.between(
                self.low.classes[a:until], self.high.classes[begin:end]
            )
            found[a:until] = (
                (numbers >= 0) & join.accept[np.maximum(numbers, 0)]
            ) @ self.high.ways[begin:end]
            a = until
        return found

    @cached_property
    def _ways(self) -> list[int]:
        """Ways up to each low key; the last is that of all, the pool aside."""
        own = self.low.ways.tolist(), self._rest.tolist()
        return list(
            accumulate(
                (mine * rest for mine, rest in zip(*own, strict=True)), initial=0
            )
        )

    @cached_property
    def _drawing(self) -> Drawing:
        from bayesbridge.engines.deal_draws import Drawing

        upper = np.array([ways >> 64 for ways in self._ways], dtype=np.uint64)
        lower = np.array(
            [ways & ((1 << 64) - 1) for ways in self._ways], dtype=np.uint64
        )
        seats, rooms = (
            np.array([*self.seats, 4], dtype=np.int64),
            np.array(self._rooms, dtype=np.int64),
        )
        base = np.array([*self.known.must, 0], dtype=np.uint64)
        return Drawing(
            self.low,
            self.high,
            self.blocks,
            self.join,
            self._rest,
            upper,
            lower,
            seats,
            rooms,
            base,
        )

    @cached_property
    def _rooms(self) -> list[int]:
        """How many cards each seat takes from the pool."""
        return [0 if seat in self.seats else self.known.room(seat) for seat in range(4)]

    @cached_property
    def _shared(self) -> int:
        """In how many ways the seats of the pool share what is left."""
        return math.factorial(sum(self._rooms)) // math.prod(
            map(math.factorial, self._rooms)
        )


def _fitting_pairs(first: Ints, second: Ints, place: Lookup) -> Ints:
    """(3, pairs) keys and groups of pairs that every seat can use; ``first``,
    ``second``: (groups, seats) classes.
    """
    found, chunk = [np.empty((3, 0), dtype=np.int64)], 1 + CHUNK // (1 + len(second))
    for begin in range(0, len(first), chunk):
        keys = place.between(first[begin : begin + chunk], second)
        a, b = np.nonzero(keys >= 0)
        found.append(np.stack([keys[a, b], begin + a, b]))
        verify_size(sum(some.shape[1] for some in found), MOST_PAIRS, "pairs of groups")
    return np.concatenate(found, axis=1)


def _slot_leaves(
    parts: Split, seats: Sequence[int], profiles: Sequence[Ints]
) -> Leaves:
    """The values of slots over all combinations of profiles: each seat has an axis of
    its own.
    """

    def value(leaf: Leaf) -> Ints:
        assert isinstance(leaf, Slot)
        seat = parts.slots[leaf.index][0]
        axis = seats.index(seat)
        column = profiles[axis][:, parts.of_seat(seat).index(leaf.index)]
        return column.reshape(
            [-1 if place == axis else 1 for place in range(len(seats))]
        )

    return value
