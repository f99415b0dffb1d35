"""DealTable: all deals that meet a condition, counted exactly and drawn without rejection.

**Slots.** The largest parts of the condition that look at one seat only become slots. The values of a seat's slots are
its *profile*; the skeleton that is left says which combinations of profiles make the condition true. Combinations are
disjoint, so that a disjunction over several hands counts nothing twice.

**Blocks.** Cards of a block that no condition tells apart and that may lie in the same hands are of one *kind*; how
many of a kind each holder gets is all that matters, and so many like cards can be shared out in multinomially many
ways. A *holder* is a seat with a condition, or the pool: the seats without one, which share what the others leave. That
multiplies the number of deals by a constant and takes no room in the tables. A block is a suit. Where no condition
depends on a suit (points of the whole hand and the like), the deck is cut by rank instead: honours in two blocks, and
all cards that count nothing in a third.

**Classes.** Each holding of a seat in a block has a vector of values, one for each measure of its condition; the
vectors of two blocks add up to the vector of a half of the deck, those of two halves to the values of the hand. Vectors
that lead to the same profiles whatever the rest of the hand is are one class, and those that lead to no accepted
profile are dropped. Rows with the same classes for all seats are a group.

**Draws.** Two blocks make a half of the deck: its keys are the tuples of half classes. A deal is a key of the low half,
a key of the high half that fills the hands and gives a combination of profiles that meets the condition, a pair of
groups of each key, a row of each group, and places for the like cards of each kind. Each of these is drawn with its
exact number of ways, so rare conditions cost no more than common ones. Totals pass 2^63 and are kept in two words of 64
bits. In the kernels, tables of several seats lie one after another in one flat array; a seat's part begins at its
``offset`` and has rows of its ``width``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import Constraints
from bayesbridge.dealing.language import (
    LENGTH,
    TRUE,
    Expression,
    Held,
    Imps,
    Leaf,
    Leaves,
    Measure,
    Number,
    Operation,
    Payoff,
    ShapeIn,
    Slot,
    alike,
    conjunction,
    evaluate,
    seats_of,
    table,
    walk,
)
from bayesbridge.engines.counting import row_classes
from bayesbridge.engines.tables import running
from bayesbridge.errors import TablesTooLarge
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import State, bounded, high_product, next64
from bayesbridge.shapes import shape_table

_JUNCTIONS: Final = ("and", "or")
_TRUTHS: Final = frozenset(("and", "or", "not", "==", "!=", "<", "<=", ">", ">="))


@dataclass(frozen=True, slots=True)
class Split:
    """``skeletons`` refer to ``slots`` by number; each is a seat and an expression over its hand."""

    skeletons: tuple[Expression, ...]
    slots: tuple[tuple[int, Expression], ...]

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that have a slot."""
        return tuple(sorted({seat for seat, _ in self.slots}))

    def of_seat(self, seat: int) -> tuple[int, ...]:
        """The numbers of a seat's slots."""
        return tuple(number for number, (other, _) in enumerate(self.slots) if other == seat)


def split(*expressions: Expression) -> Split:
    """Take out of each expression the largest parts that look at one seat.

    >>> from bayesbridge.dealing.language import parse_expression
    >>> found = split(parse_expression("hcp(north) > 11 && spades(north) > 4 && hcp(north) + hcp(south) > 24"))
    >>> [seat for seat, _ in found.slots]
    [0, 0, 2]
    """
    slots: dict[tuple[int, Expression], int] = {}
    skeletons = tuple(_take(expression, slots, truth=False) for expression in expressions)
    return Split(skeletons, tuple(slots))


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Parts that must all be true; what is denied is turned round as far as that gives more of them.

    >>> from bayesbridge.dealing.language import parse_expression
    >>> len(conjuncts(parse_expression("hcp(north) > 11 && !(spades(north) > 4 || hearts(north) > 4)")))
    3
    """
    match expression:
        case Operation("and", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case Operation("not", (Operation("or", operands),)):
            return tuple(part for operand in operands for part in conjuncts(Operation("not", (operand,))))
        case Operation("not", (Operation("not", (inner,)),)):
            return conjuncts(inner)
    return (expression,)


def by_seat(parts: Iterable[Expression]) -> tuple[dict[int, Expression], list[Expression]]:
    """The parts of each seat as one condition, and those that look at several seats or at none."""
    own: dict[int, list[Expression]] = {}
    others: list[Expression] = []
    for part in parts:
        seats = seats_of(part)
        if len(seats) == 1:
            own.setdefault(min(seats), []).append(part)
        else:
            others.append(part)
    return {seat: conjunction(tuple(own[seat])) for seat in sorted(own)}, others


def _take(expression: Expression, slots: dict[tuple[int, Expression], int], *, truth: bool) -> Expression:
    seats = seats_of(expression)
    if not seats:
        return expression
    if len(seats) == 1:
        is_truth = isinstance(expression, Operation) and expression.operator in _TRUTHS
        part = expression if is_truth or not truth else Operation("!=", (expression, Number(0)))
        return Slot(slots.setdefault((min(seats), part), len(slots)))
    match expression:
        case Operation(operator, operands) if operator in _JUNCTIONS:
            groups: dict[frozenset[int], list[Expression]] = {}
            for operand in operands:
                groups.setdefault(seats_of(operand), []).append(operand)
            alone = [group for members, group in groups.items() if len(members) < 2]
            parts = [group[0] if len(group) == 1 else Operation(operator, tuple(group)) for group in alone]
            parts += [part for members, group in groups.items() if len(members) > 1 for part in group]
            return Operation(operator, tuple(_take(part, slots, truth=True) for part in parts))
        case Operation(operator, operands):
            return Operation(operator, tuple(_take(part, slots, truth=operator == "not") for part in operands))
        case Payoff(vulnerable, level, strain, tricks):
            return Payoff(vulnerable, level, strain, _take(tricks, slots, truth=False))
        case Imps(difference):
            return Imps(_take(difference, slots, truth=False))
    raise AssertionError(expression)


type Ints = NDArray[np.int64]
type Counts = NDArray[np.uint8]

MOST_ROWS: Final = 400_000
"""Rows of a block beyond which tables are refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """``kinds``: the cards of each kind; ``counts``: (rows, kinds, holders); ``weights``: (rows,) ways of each row."""

    kinds: tuple[tuple[int, ...], ...]
    counts: Counts
    weights: Ints

    @classmethod
    def of(
        cls,
        cards: Iterable[int],
        allowed: Callable[[int], tuple[int, ...]],
        alike: Callable[[int], Hashable],
        rooms: Sequence[int],
    ) -> Self:
        """All rows that fit into the rooms of the holders.

        ``allowed`` gives the holders that may have a card, ``alike`` what tells its kind.
        """
        kinds: dict[Hashable, list[int]] = {}
        for card in cards:
            kinds.setdefault((allowed(card), alike(card)), []).append(card)
        holders = len(rooms)
        counts = np.zeros((1, 0, holders), dtype=np.uint8)
        totals = np.zeros((1, holders), dtype=np.int64)
        weights = np.ones(1, dtype=np.int64)
        for members in kinds.values():
            shares, ways = compositions(len(members), allowed(members[0]), holders)
            verify_size(len(counts) * len(shares), 16 * MOST_ROWS, "rows")
            old, new = (index.ravel() for index in np.indices((len(counts), len(shares))))
            fits = (totals[old] + shares[new] <= np.array(rooms)).all(1)
            old, new = old[fits], new[fits]
            verify_size(len(old), MOST_ROWS, "rows")
            counts = np.concatenate([counts[old], shares[new][:, None].astype(np.uint8)], axis=1)
            totals, weights = totals[old] + shares[new], weights[old] * ways[new]
        return cls(tuple(map(tuple, kinds.values())), counts, weights)


def compositions(size: int, allowed: Sequence[int], holders: int) -> tuple[Ints, Ints]:
    """(n, holders) all ways to share like cards among the allowed holders by number, and (n,) how many ways each is.

    >>> shares, ways = compositions(2, (0, 2), 3)
    >>> shares.tolist(), ways.tolist()
    ([[0, 0, 2], [1, 0, 1], [2, 0, 0]], [1, 2, 1])
    """
    found, ways = [], []
    for bars in combinations(range(size + len(allowed) - 1), len(allowed) - 1):
        ends = (-1, *bars, size + len(allowed) - 1)
        share = [after - before - 1 for before, after in pairwise(ends)]
        row = [0] * holders
        for holder, cards in zip(allowed, share, strict=True):
            row[holder] = cards
        found.append(row)
        ways.append(math.factorial(size) // math.prod(map(math.factorial, share)))
    return np.array(found, dtype=np.int64).reshape(-1, holders), np.array(ways, dtype=np.int64)


def verify_size(needed: int, most: int, what: str) -> None:
    """Refuse tables that would take too much memory or time."""
    if needed > most:
        raise TablesTooLarge(
            f"tables with {needed} {what} are needed and they stop at {most}: set conditions on fewer hands, "
            "or have some of them tested",
            needed=needed,
        )


type Bools = NDArray[np.bool_]

MOST_VECTORS: Final = 3_000_000
"""Pairs of vectors of two blocks, beyond which tables are refused."""
MOST_CELLS: Final = 6_000_000
"""Pairs of vectors of the two halves."""


def leaves_of(expressions: Sequence[Expression]) -> tuple[tuple[Measure, int | None], ...]:
    """The measures that expressions over one seat use, each with its suit; a shape uses four lengths."""
    found: dict[tuple[Measure, int | None], None] = {}
    for expression in expressions:
        for node in walk(expression):
            if isinstance(node, Held):
                found[node.measure, node.suit] = None
            elif isinstance(node, ShapeIn):
                found.update({(LENGTH, suit): None for suit in range(4)})
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class SeatGrid:
    """The vectors of a seat and the profile of every pair of half vectors that makes 13 cards."""

    rows: tuple[Ints, ...]
    """For each of the four blocks, (rows,) the number of the vector of each row."""
    pairs: tuple[Ints, Ints]
    """For each half, (vectors, vectors) the number of the half vector; -1 where a hand would overflow."""
    lengths: tuple[Ints, Ints]
    """For each half, (half vectors,) how many cards."""
    cells: tuple[Ints, ...]
    """For 0 … 13 cards in the first half, the profiles: (half vectors with so many, half vectors with the rest)."""
    profiles: Ints
    """(profiles, slots) the values of the slots."""

    @classmethod
    def of(cls, vectors: Sequence[Ints], slots: Sequence[Expression]) -> Self:
        """From the (rows, 1 + leaves) vectors of each block; the first entry is the number of cards."""
        rows, distinct = zip(*(_numbered(block) for block in vectors), strict=True)
        pairs, halves = zip(*(_added(distinct[b], distinct[b + 1]) for b in (0, 2)), strict=True)
        low, high = halves
        leaves = leaves_of(slots)
        values: list[Ints] = []
        shapes = []
        groups = [(np.flatnonzero(low[:, 0] == n), np.flatnonzero(high[:, 0] == 13 - n)) for n in range(14)]
        verify_size(sum(len(a) * len(b) for a, b in groups), MOST_CELLS, "cells")
        for first, second in groups:
            here, there = low[first][:, None], high[second][None]
            cell = [np.broadcast_to(v, (len(first), len(second))) for v in _slot_values(slots, leaves, here, there)]
            empty = np.zeros((len(first) * len(second), 0), dtype=np.int64)
            values.append(np.stack([part.ravel() for part in cell], axis=1) if cell else empty)
            shapes.append((len(first), len(second)))
        numbers, profiles = _numbered(np.concatenate(values))
        ends = np.cumsum([a * b for a, b in shapes])[:-1]
        cells = tuple(part.reshape(shape) for part, shape in zip(np.split(numbers, ends), shapes, strict=True))
        return cls(rows, pairs, (low[:, 0], high[:, 0]), cells, profiles)


@dataclass(frozen=True, slots=True, eq=False)
class SeatClasses:
    """The classes of a seat once it is known which profiles some combination accepts."""

    rows: tuple[Ints, ...]
    """For each block, (rows,) the class of each row; -1 where it leads to no accepted profile."""
    pairs: tuple[Ints, Ints]
    """For each half, (classes, classes) the class of the half; -1 as before."""
    lengths: tuple[Ints, Ints]
    """For each half, (half classes,) how many cards."""
    profiles: Ints
    """(half classes, half classes) the number of the profile, renumbered; -1 where it is not accepted."""

    @classmethod
    def of(cls, grid: SeatGrid, accepted: Bools) -> Self:
        """Keep the accepted profiles, numbered as they come, and merge what they do not tell apart."""
        renumbered = np.where(accepted, np.cumsum(accepted) - 1, -1)
        halves = [np.full(len(lengths), -1, dtype=np.int64) for lengths in grid.lengths]
        kept: list[tuple[int, Ints]] = []
        sizes = [0, 0]
        for cards, cell in enumerate(grid.cells):
            own = renumbered[cell]
            places = [np.flatnonzero(grid.lengths[0] == cards), np.flatnonzero(grid.lengths[1] == 13 - cards)]
            for half in (0, 1):
                classes, representatives = row_classes(own if half == 0 else own.T)
                halves[half][places[half]] = np.where(classes >= 0, classes + sizes[half], -1)
                sizes[half] += len(representatives)
                own = own[representatives] if half == 0 else own[:, representatives]
            kept.append((cards, own))
        profiles = np.full(sizes, -1, dtype=np.int64)
        lengths = np.zeros(sizes[0], dtype=np.int64), np.zeros(sizes[1], dtype=np.int64)
        row = column = 0
        for cards, own in kept:
            height, width = own.shape
            profiles[row : row + height, column : column + width] = own
            lengths[0][row : row + height], lengths[1][column : column + width] = cards, 13 - cards
            row, column = row + height, column + width
        rows, pairs = [], []
        for half in (0, 1):
            table = np.where(grid.pairs[half] >= 0, halves[half][grid.pairs[half]], -1)
            first, chosen = row_classes(table)
            second, columns = row_classes(table[chosen].T)
            rows += [first[grid.rows[2 * half]], second[grid.rows[2 * half + 1]]]
            pairs.append(np.ascontiguousarray(table[np.ix_(chosen, columns)]))
        return cls(tuple(rows), (pairs[0], pairs[1]), lengths, profiles)


def _slot_values(
    slots: Sequence[Expression], leaves: Sequence[tuple[Measure, int | None]], here: Ints, there: Ints
) -> list[Ints]:
    """The values of the slots for pairs of vectors of the two halves, (a, 1, entries) and (1, b, entries)."""
    places = {leaf: place for place, leaf in enumerate(leaves, 1)}

    def value(leaf: Leaf) -> Ints:
        if isinstance(leaf, ShapeIn):
            clubs, diamonds, hearts = (value(Held(LENGTH, leaf.seat, suit)) for suit in range(3))
            return shape_table(leaf.shapes)[clubs, diamonds, hearts].astype(np.int64)
        assert isinstance(leaf, Held)
        place = places[leaf.measure, leaf.suit]
        return here[..., place] + there[..., place]

    return [evaluate(slot, value) for slot in slots]


def _numbered(vectors: Ints) -> tuple[Ints, Ints]:
    """The number of each row's vector, and the distinct vectors."""
    _, places, numbers = np.unique(_keys(vectors), return_index=True, return_inverse=True)
    return numbers, vectors[places]


def _keys(vectors: Ints) -> NDArray[np.int64] | NDArray[np.void]:
    """One number for each vector, equal for equal vectors; byte strings where 63 bits are too few."""
    low = vectors.min(axis=0, initial=0)
    radices = [int(n) for n in vectors.max(axis=0, initial=0) - low + 1]
    if math.prod(radices) >= 1 << 62:
        whole = np.ascontiguousarray(vectors)
        return whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    keys = np.zeros(len(vectors), dtype=np.int64)
    for column, radix in enumerate(radices):
        keys = keys * radix + (vectors[:, column] - low[column])
    return keys


def _added(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The half vector of each pair of vectors, -1 with more than 13 cards, and the distinct half vectors."""
    verify_size(len(first) * len(second), MOST_VECTORS, "pairs of holdings")
    together = (first[:, None] + second).reshape(-1, first.shape[1])
    fits = together[:, 0] <= 13
    numbers, distinct = _numbered(together[fits])
    pairs = np.full(len(together), -1, dtype=np.int64)
    pairs[fits] = numbers
    return pairs.reshape(len(first), len(second)), distinct


type Measures = Sequence[tuple[Measure, int | None]]
"""Measures, each of one suit or of the whole hand."""


@dataclass(frozen=True, slots=True, eq=False)
class DeckBlocks:
    """The unknown cards in four blocks, C D | H S or cut by rank."""

    known: Constraints
    seats: tuple[int, ...]
    measures: tuple[Measures, ...]
    """The measures in the condition of each of these seats."""
    by_suit: bool
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, known: Constraints, seats: Sequence[int], measures: Sequence[Measures]) -> Self:
        """Cut the deck by rank where no condition speaks of a suit and that gives smaller tables, else by suit."""
        unknown = [card for card in range(52) if known.unknown_mask >> card & 1]
        pool = [seat for seat in range(4) if seat not in seats]
        rooms = [known.room(seat) for seat in seats] + ([sum(map(known.room, pool))] if pool else [])

        def allowed(card: int) -> tuple[int, ...]:
            mine = tuple(i for i, seat in enumerate(seats) if known.may[seat] >> card & 1)
            return (*mine, len(seats)) if pool else mine

        every = [leaf for leaves in measures for leaf in leaves]
        if all(suit is None and measure.weights is not None for measure, suit in every):
            weights = [measure.weights or () for measure in dict.fromkeys(measure for measure, _ in every)]

            def weight(card: int) -> tuple[int, ...]:
                return tuple(row[card % 13] for row in weights)

            try:
                parts = _by_rank(unknown, weight, len(rooms))
                blocks = tuple(Block.of(part, allowed, weight, rooms) for part in parts)
                return cls(known, tuple(seats), tuple(measures), False, blocks)
            except TablesTooLarge:
                pass

        def kind(card: int) -> Hashable:
            return tuple(alike(measure)[card % 13] for measure, suit in every if suit is None or suit == card // 13)

        suits = [[card for card in unknown if card // 13 == suit] for suit in range(4)]
        blocks = tuple(Block.of(part, allowed, kind, rooms) for part in suits)
        return cls(known, tuple(seats), tuple(measures), True, blocks)

    def vectors(self, place: int) -> list[Ints]:
        """For each block, (rows, 1 + measures) what it gives to the seat at a place: cards, then each measure."""
        return [self._vectors(block, number, place) for number, block in enumerate(self.blocks)]

    def _vectors(self, block: Block, number: int, place: int) -> Ints:
        counts = block.counts[:, :, place].astype(np.int64)
        certain = self.known.must[self.seats[place]]
        columns = [(LENGTH, None), *self.measures[place]]
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


type Small = NDArray[np.int32]
type Words = NDArray[np.uint64]


class Flat(NamedTuple):
    """One table for each seat, end to end."""

    values: Ints
    offset: Ints
    width: Ints


class Dealing(NamedTuple):
    """What a block needs for draws: its rows by group, and the cards of each kind."""

    group_start: Ints
    """(groups + 1,) where the rows of each group begin."""
    before: Ints
    """(rows,) ways of the earlier rows of the same group."""
    group_ways: Ints
    counts: NDArray[np.uint8]
    """(rows, kinds, holders)"""
    cards: Ints
    """(kinds, most of a kind) padded with -1."""
    sizes: Ints


class Half(NamedTuple):
    """Two blocks together: pairs of groups, sorted by key."""

    key_start: Ints
    """(keys + 1,) where the pairs of each key begin."""
    first: Small
    second: Small
    before: Ints
    """(pairs,) ways of the earlier pairs of the same key."""
    ways: Ints
    """(keys,) ways of each key."""
    classes: Ints
    """(keys, seats)"""


class Join(NamedTuple):
    """How keys of the two halves are joined: those of the high half lie together in buckets of equal lengths."""

    bucket: Ints
    """(low keys,) the bucket that completes each, or -1."""
    bucket_start: Ints
    stride: Ints
    """(seats,) how far one profile more moves the number of a combination."""
    accept: Bools
    """(combinations,) whether the condition is met."""


@njit
def list_pairs(
    first: Ints, second: Ints, first_ways: Ints, second_ways: Ints, tables: Flat, stride: Ints, most: int
) -> tuple[int, Ints, Small, Small, Ints]:
    """All pairs of groups that every seat can use: how many, key, both groups and ways; stops past ``most``.

    ``first``, ``second``: (groups, seats) classes.
    """
    values, offset, width = tables.values, tables.offset, tables.width
    seats = first.shape[1]
    room = 1024
    keys, ways = np.empty(room, np.int64), np.empty(room, np.int64)
    ones, twos = np.empty(room, np.int32), np.empty(room, np.int32)
    n = 0
    for a in range(len(first)):
        for b in range(len(second)):
            key = 0
            for s in range(seats):
                found = values[offset[s] + first[a, s] * width[s] + second[b, s]]
                if found < 0:
                    key = -1
                    break
                key += found * stride[s]
            if key < 0:
                continue
            if n == room:
                if n >= most:
                    return n + 1, keys, ones, twos, ways
                room = 2 * room
                more_keys, more_ways = np.empty(room, np.int64), np.empty(room, np.int64)
                more_ones, more_twos = np.empty(room, np.int32), np.empty(room, np.int32)
                more_keys[:n], more_ways[:n] = keys, ways
                more_ones[:n], more_twos[:n] = ones, twos
                keys, ways, ones, twos = more_keys, more_ways, more_ones, more_twos
            keys[n], ones[n], twos[n] = key, a, b
            ways[n] = first_ways[a] * second_ways[b]
            n += 1
    return n, keys[:n], ones[:n], twos[:n], ways[:n]


@njit
def combination(low: Ints, high: Ints, a: int, b: int, profiles: Flat, join: Join) -> int:
    """The number of the combination of profiles that two keys make, -1 where it is not accepted."""
    values, offset, width, stride = profiles.values, profiles.offset, profiles.width, join.stride
    number = 0
    for s in range(low.shape[1]):
        profile = values[offset[s] + low[a, s] * width[s] + high[b, s]]
        if profile < 0:
            return -1
        number += profile * stride[s]
    return number


@njit
def rests(low: Half, high: Half, profiles: Flat, join: Join) -> Ints:
    """(low keys,) in how many ways the high half completes each."""
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    mine, others, ways = low.classes, high.classes, high.ways
    found = np.zeros(len(bucket), np.int64)
    for a in range(len(bucket)):
        if bucket[a] >= 0:
            for b in range(start[bucket[a]], start[bucket[a] + 1]):
                number = combination(mine, others, a, b, profiles, join)
                if number >= 0 and accept[number]:
                    found[a] += ways[b]
    return found


@njit
def tally(low: Half, high: Half, profiles: Flat, join: Join) -> tuple[Words, Words]:
    """(combinations,) in how many ways each combination of profiles comes about: upper and lower 64 bits."""
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    mine, others, ways, own_ways = low.classes, high.classes, high.ways, low.ways
    upper, lower = np.zeros(len(accept), np.uint64), np.zeros(len(accept), np.uint64)
    for a in range(len(bucket)):
        if bucket[a] >= 0:
            own = np.uint64(own_ways[a])
            for b in range(start[bucket[a]], start[bucket[a] + 1]):
                number = combination(mine, others, a, b, profiles, join)
                if number >= 0 and accept[number]:
                    more = np.uint64(ways[b])
                    product = own * more
                    lower[number] += product
                    upper[number] += high_product(own, more) + np.uint64(lower[number] < product)
    return upper, lower


@njit
def find(before: Ints, begin: int, end: int, number: np.int64) -> int:
    """The last place from ``begin`` up to ``end`` whose entry is at most ``number``."""
    while end - begin > 1:
        middle = (begin + end) >> 1
        if before[middle] <= number:
            begin = middle
        else:
            end = middle
    return begin


@njit
def find_wide(upper: Words, lower: Words, high: np.uint64, low: np.uint64) -> int:
    """The same for numbers of two words, over the whole array."""
    begin, end = 0, len(upper)
    while end - begin > 1:
        middle = (begin + end) >> 1
        if upper[middle] < high or (upper[middle] == high and lower[middle] <= low):
            begin = middle
        else:
            end = middle
    return begin


@njit
def bounded_wide(state: State, upper: np.uint64, lower: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A uniform number below one of two words, which is at least 1: bits are drawn anew until they are small enough."""
    if upper == np.uint64(0):
        return np.uint64(0), bounded(state, lower)
    mask = np.uint64(1)
    while mask < upper:
        mask = (mask << np.uint64(1)) | np.uint64(1)
    while True:
        high, low = next64(state) & mask, next64(state)
        if high < upper or (high == upper and low < lower):
            return high, low


@njit
def add_group(block: Dealing, group: int, seats: Ints, state: State, hands: Words) -> None:
    """Deal a block by one of its groups: ``hands`` has a word for each seat and one for the pool, at place 4."""
    counts, cards, sizes = block.counts, block.cards, block.sizes
    number = np.int64(bounded(state, np.uint64(block.group_ways[group])))
    row = find(block.before, block.group_start[group], block.group_start[group + 1], number)
    left = np.empty(5, np.int64)
    for kind in range(len(sizes)):
        for holder in range(counts.shape[2]):
            left[holder] = counts[row, kind, holder]
        for i in range(sizes[kind]):
            at = np.int64(bounded(state, np.uint64(sizes[kind] - i)))
            holder = 0
            while at >= left[holder]:
                at -= left[holder]
                holder += 1
            left[holder] -= 1
            hands[seats[holder]] |= np.uint64(1) << np.uint64(cards[kind, i])


@njit
def share_pool(pool: np.uint64, rooms: Ints, state: State, hands: Words) -> None:
    """Share the cards of the pool among the seats that have room, every way alike."""
    left = rooms.copy()
    cards = 0
    for seat in range(4):
        cards += left[seat]
    for card in range(52):
        if (pool >> np.uint64(card)) & np.uint64(1):
            at = np.int64(bounded(state, np.uint64(cards)))
            seat = 0
            while at >= left[seat]:
                at -= left[seat]
                seat += 1
            left[seat] -= 1
            cards -= 1
            hands[seat] |= np.uint64(1) << np.uint64(card)


@njit
def draw_deals(
    low: Half,
    high: Half,
    blocks: tuple[Dealing, Dealing, Dealing, Dealing],
    profiles: Flat,
    join: Join,
    rest: Ints,
    upper: Words,
    lower: Words,
    seats: Ints,
    rooms: Ints,
    base: Words,
    state: State,
    out: Words,
) -> None:
    """Fill (n, 4) masks with independent uniform deals.

    ``rest``: (low keys,) of :func:`rests`; ``upper``, ``lower``: (low keys + 1,) ways up to each low key; ``seats``:
    the seat of each holder, 4 for the pool; ``rooms``: (4,) cards that each seat takes from the pool; ``base``: (5,)
    cards that are certain.
    """
    bucket, start, accept = join.bucket, join.bucket_start, join.accept
    hands = np.empty(5, np.uint64)
    keys = len(rest)
    for i in range(len(out)):
        some, more = bounded_wide(state, upper[keys], lower[keys])
        a = find_wide(upper[:keys], lower[:keys], some, more)
        number = np.int64(bounded(state, np.uint64(rest[a])))
        b = start[bucket[a]]
        while True:
            found = combination(low.classes, high.classes, a, b, profiles, join)
            if found >= 0 and accept[found]:
                if number < high.ways[b]:
                    break
                number -= high.ways[b]
            b += 1
        for seat in range(5):
            hands[seat] = base[seat]
        number = np.int64(bounded(state, np.uint64(low.ways[a])))
        pair = find(low.before, low.key_start[a], low.key_start[a + 1], number)
        add_group(blocks[0], low.first[pair], seats, state, hands)
        add_group(blocks[1], low.second[pair], seats, state, hands)
        number = np.int64(bounded(state, np.uint64(high.ways[b])))
        pair = find(high.before, high.key_start[b], high.key_start[b + 1], number)
        add_group(blocks[2], high.first[pair], seats, state, hands)
        add_group(blocks[3], high.second[pair], seats, state, hands)
        share_pool(hands[4], rooms, state, hands)
        for seat in range(4):
            out[i, seat] = hands[seat]


MOST_GROUP_PAIRS: Final = 60_000_000
MOST_PAIRS: Final = 8_000_000
MOST_JOINS: Final = 300_000_000
MOST_COMBINATIONS: Final = 2_000_000
"""Sizes beyond which tables are refused: each keeps a table within a second or two and some hundred megabytes."""


@dataclass(frozen=True, eq=False)
class DealTable:
    """All deals that fit the known cards and meet a condition.

    >>> DealTable.of(Constraints.free()).total
    53644737765488792839237440000
    """

    known: Constraints
    """Normalised; of it only the certain and the possible cards are read."""
    parts: Split
    """The condition, then the expressions that are watched."""
    seats: tuple[int, ...]
    """The seats that have a part in these, or may not hold every card."""
    profiles: tuple[Ints, ...]
    """For each of these seats, (profiles, slots of the seat) the values of its slots."""
    low: Half
    high: Half
    blocks: tuple[Dealing, Dealing, Dealing, Dealing]
    numbers: Flat
    """The profile of each pair of half classes, by seat."""
    join: Join

    @classmethod
    def of(cls, known: Constraints, condition: Expression = TRUE, *watched: Expression) -> Self:
        """Build the tables; raises ``TablesTooLarge``, early, if they would be.

        ``watched`` expressions restrict nothing, but :meth:`counts` distinguishes their values.
        """
        parts = split(condition, *watched)
        free = [known.may[seat] & known.unknown_mask == known.unknown_mask for seat in range(4)]
        seats = tuple(seat for seat in range(4) if seat in parts.seats or not (free[seat] or not known.room(seat)))
        own = [[parts.slots[number][1] for number in parts.of_seat(seat)] for seat in seats]
        deck = DeckBlocks.of(known, seats, [leaves_of(slots) for slots in own])
        grids = [SeatGrid.of(deck.vectors(place), slots) for place, slots in enumerate(own)]
        leaves = _slot_leaves(parts, seats, [grid.profiles for grid in grids])
        shape = [len(grid.profiles) for grid in grids]
        verify_size(math.prod(shape), MOST_COMBINATIONS, "combinations")
        accept = np.broadcast_to(evaluate(parts.skeletons[0], leaves) != 0, shape)
        others = [tuple(other for other in range(len(seats)) if other != place) for place in range(len(seats))]
        accepted = [accept.any(axis=axes) for axes in others]
        classes = [SeatClasses.of(grid, keep) for grid, keep in zip(grids, accepted, strict=True)]
        groups = [_grouped(block, [seat.rows[b] for seat in classes]) for b, block in enumerate(deck.blocks)]
        low, high = (_half(groups[2 * h : 2 * h + 2], [seat.pairs[h] for seat in classes]) for h in (0, 1))
        kept = accept[np.ix_(*accepted)] if seats else accept
        high, join = _joined(low, high, classes, kept)
        return cls(
            known,
            parts,
            seats,
            tuple(grid.profiles[keep] for grid, keep in zip(grids, accepted, strict=True)),
            low,
            high,
            (groups[0][0], groups[1][0], groups[2][0], groups[3][0]),
            _flat([seat.profiles for seat in classes]),
            join,
        )

    @cached_property
    def total(self) -> int:
        """How many deals meet the condition, exactly; 0 if none does."""
        return self._ways[-1] * self._shared

    def draw(self, n: int, state: State) -> Masks:
        """``n`` independent uniform deals, (n, 4) masks; the state is advanced. There must be a deal."""
        base = np.array([*self.known.must, 0], dtype=np.uint64)
        seats = np.array([*self.seats, 4], dtype=np.int64)
        rooms = np.array(self._rooms, dtype=np.int64)
        out = np.empty((n, 4), dtype=np.uint64)
        tables = (self.low, self.high, self.blocks, self.numbers, self.join, self._rest)
        draw_deals(*tables, *self._words, seats, rooms, base, state, out)
        return out

    def counts(self) -> dict[tuple[int, ...], int]:
        """In how many deals the expressions that are watched have each tuple of values, exactly."""
        leaves = _slot_leaves(self.parts, self.seats, self.profiles)
        shape = [len(profiles) for profiles in self.profiles]
        watched = [np.broadcast_to(evaluate(one, leaves), shape).ravel() for one in self.parts.skeletons[1:]]
        upper, lower = tally(self.low, self.high, self.numbers, self.join)
        found: dict[tuple[int, ...], int] = {}
        for place in np.flatnonzero(upper | lower).tolist():
            key = tuple(int(values[place]) for values in watched)
            found[key] = found.get(key, 0) + (int(upper[place]) << 64 | int(lower[place])) * self._shared
        return found

    @cached_property
    def _rest(self) -> Ints:
        return rests(self.low, self.high, self.numbers, self.join)

    @cached_property
    def _ways(self) -> list[int]:
        """Ways up to each low key; the last is that of all, the pool aside."""
        own = self.low.ways.tolist(), self._rest.tolist()
        return list(accumulate((mine * rest for mine, rest in zip(*own, strict=True)), initial=0))

    @cached_property
    def _words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The same in two words."""
        upper = np.array([ways >> 64 for ways in self._ways], dtype=np.uint64)
        return upper, np.array([ways & ((1 << 64) - 1) for ways in self._ways], dtype=np.uint64)

    @cached_property
    def _rooms(self) -> list[int]:
        """How many cards each seat takes from the pool."""
        return [0 if seat in self.seats else self.known.room(seat) for seat in range(4)]

    @cached_property
    def _shared(self) -> int:
        """In how many ways the seats of the pool share what is left."""
        return math.factorial(sum(self._rooms)) // math.prod(map(math.factorial, self._rooms))


def _slot_leaves(parts: Split, seats: Sequence[int], profiles: Sequence[Ints]) -> Leaves:
    """The values of slots over all combinations of profiles: each seat has an axis of its own."""
    own = {seat: parts.of_seat(seat) for seat in seats}

    def value(leaf: Leaf) -> Ints:
        assert isinstance(leaf, Slot)
        seat = parts.slots[leaf.index][0]
        axis = seats.index(seat)
        column = profiles[axis][:, own[seat].index(leaf.index)]
        return column.reshape([-1 if place == axis else 1 for place in range(len(seats))])

    return value


def _grouped(block: Block, classes: Sequence[Ints]) -> tuple[Dealing, Ints]:
    """The rows of a block that every seat can use, by group, and (groups, seats) the classes of each."""
    alive = np.ones(len(block.weights), dtype=np.bool_)
    for own in classes:
        alive &= own >= 0
    kept = np.flatnonzero(alive)
    key = np.zeros(len(kept), dtype=np.int64)
    for own in classes:
        key = key * (int(own.max(initial=0)) + 1) + own[kept]
    _, places, numbers = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    sizes = np.bincount(numbers, minlength=len(places))
    weights = block.weights[kept][order]
    before, ways, start = _running(weights, sizes)
    widest = max(map(len, block.kinds), default=0)
    cards = np.array([[*cards, *[-1] * (widest - len(cards))] for cards in block.kinds], dtype=np.int64)
    dealing = Dealing(
        start,
        before,
        ways,
        np.ascontiguousarray(block.counts[kept][order]),
        cards.reshape(len(block.kinds), widest),
        np.array([len(cards) for cards in block.kinds], dtype=np.int64),
    )
    members = [own[kept][places] for own in classes]
    return dealing, np.stack(members, axis=1) if members else np.zeros((len(places), 0), dtype=np.int64)


def _running(weights: Ints, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """For weights in runs of these sizes: the sum before each in its run, the sum of each run, where runs begin."""
    start = running(sizes)
    sums = running(weights)
    return sums[:-1] - np.repeat(sums[start[:-1]], sizes), np.diff(sums[start]), start


def _half(groups: Sequence[tuple[Dealing, Ints]], tables: Sequence[Ints]) -> Half:
    """Two blocks together."""
    (one, first), (two, second) = groups
    verify_size(len(first) * len(second), MOST_GROUP_PAIRS, "pairs of groups")
    sizes = [int(table.max(initial=0)) + 1 for table in tables]
    stride = np.array([math.prod(sizes[place + 1 :]) for place in range(len(sizes))], dtype=np.int64)
    verify_size(math.prod(sizes), 1 << 62, "keys")
    n, key, ones, twos, ways = list_pairs(
        first, second, one.group_ways, two.group_ways, _flat(tables), stride, MOST_PAIRS
    )
    verify_size(n, MOST_PAIRS, "pairs of groups")
    distinct, numbers = np.unique(key, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    before, total, start = _running(ways[order], np.bincount(numbers, minlength=len(distinct)))
    classes = [distinct // stride[place] % sizes[place] for place in range(len(sizes))]
    members = np.stack(classes, axis=1) if classes else np.zeros((len(distinct), 0), dtype=np.int64)
    return Half(start, ones[order], twos[order], before, total, members)


def _joined(low: Half, high: Half, classes: Sequence[SeatClasses], accept: Bools) -> tuple[Half, Join]:
    """The high half with its keys in buckets, and which bucket completes each key of the low half."""
    codes = []
    for half, own, full in ((0, low, 0), (1, high, 13)):
        code = np.zeros(len(own.ways), dtype=np.int64)
        for place, seat in enumerate(classes):
            code = code * 14 + np.abs(full - seat.lengths[half][own.classes[:, place]])
        codes.append(code)
    order = np.argsort(codes[1], kind="stable")
    buckets, sizes = np.unique(codes[1], return_counts=True)
    places = np.searchsorted(buckets, codes[0])
    there = np.isin(codes[0], buckets)
    bucket = np.where(there, places, -1)
    verify_size(int(sizes[bucket[there]].sum()), MOST_JOINS, "joins of keys")
    start = running(sizes)
    shape = accept.shape
    stride = np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], dtype=np.int64)
    return _reordered(high, order), Join(bucket, start, stride, np.ascontiguousarray(accept).ravel())


def _reordered(half: Half, order: Ints) -> Half:
    """The same with its keys in another order, and their pairs with them."""
    sizes = np.diff(half.key_start)[order]
    start = running(sizes)
    pairs = np.arange(len(half.first)) + np.repeat(half.key_start[:-1][order] - start[:-1], sizes)
    return Half(start, half.first[pairs], half.second[pairs], half.before[pairs], half.ways[order], half.classes[order])


def _flat(tables: Sequence[Ints]) -> Flat:
    """Tables end to end."""
    sizes = [table.size for table in tables]
    return Flat(
        np.concatenate([np.zeros(0, dtype=np.int64), *(table.ravel() for table in tables)]),
        np.array(list(accumulate(sizes, initial=0))[:-1], dtype=np.int64),
        np.array([table.shape[1] for table in tables], dtype=np.int64),
    )
