"""The proposal of ``importance``: a distribution over the layouts that fit, tilted
towards the soft evidence.

``q = (1 - spread) · Π_seats tilt(hand) / normaliser + spread · uniform``: seats take
their cards one after the other, each by a weighted split of what is left, the last two
in one split; so the first component is drawn without rejection and its density is known
for every layout. The uniform component bounds the importance weights, whatever the
tilts.

A split gives a seat its 13 cards out of those that are left; the *rest* is another
seat, or several that split again. Its weight is the product of both sides' tilts,
``tilt(hand) = Π_suits holding[suit, length, honours] · points[points]`` with the A K Q
J of the suit as honours. The sum over all splits is exact, by convolution: a suit is a
table by (points, length), two suits combine to one of the same form, and the two pairs
are joined where 13 cards are reached. The same sums, walked backwards, draw a split
with probability weight / sum.

Splits use the hard evidence only of the seats that they deal to, so evidence about the
others may leave a first hand without any completion. Such a draw is *dead*: it is not
repeated, and counts as a layout of weight 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.measures import LENGTH, table
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Floats, Hands, Ints, Masks
from bayesbridge.runtime.jit import ANY_ORDER, njit
from bayesbridge.runtime.random64 import Seed, State, next64, seed_state

if TYPE_CHECKING:
    from bayesbridge.engines.deal_tables import DealTable
    from bayesbridge.engines.tables import LayoutIndex

HONOUR_POINTS: Final = (np.arange(16)[:, None] >> np.arange(4) & 1) @ np.arange(1, 5)
"""(16,) points of a set of honours, jack at bit 0."""

COUNT: Final = table(LENGTH)
_WAYS: Final = np.array(
    [
        [float(np.prod([(n - i) / (i + 1) for i in range(k)])) for k in range(14)]
        for n in range(14)
    ]
)
"""(14, 14) binomial coefficients."""

_SUITS: Final = np.arange(0, 52, 13)
WIDTH: Final = (
    28  # columns by length in the table of two suits, which may hold 26 cards
)


class Side(NamedTuple):
    """One side of a split: what it must and may hold, and its tilt."""

    must: Ints  #: (4,) fields of 13 bits, then shortest and longest lengths, by suit.
    may: Ints
    low: Ints
    high: Ints
    bounds: Ints  #: Fewest and most points.
    holding: Floats  #: (4, 14, 16) by suit, length and honours.
    points: Floats


class Work(NamedTuple):
    """What is known of one set of cards while it is split; filled anew for each. Points
    are those in doubt.
    """

    one: Side
    rest: Side
    suit: Ints
    """(4, 8) by suit: what the first side certainly gets; honours and small cards in
    doubt, as fields; the number of those small cards; cards altogether; shortest and
    longest length of the first side; what the rest certainly gets.
    """
    #: (4, 11, 14) weighted ways by suit, points and length of the first side.
    ways: Floats
    some: Floats
    """(4, 154) those of a suit that are not 0, their places and how many they are.

    A place is 28 · points + length, in hearts and spades 28 · points + 13 − length: so
    what completes 13 cards is read in the same direction in both pairs.
    """
    place: Ints
    number: Ints
    #: (2, 616) weighted ways of two suits, by pair, at the sum of the places of both
    #: suits.
    table: Floats
    #: (41,) the tilt of both sides by the points of the first, 0 out of bounds.
    tilt: Floats
    most: Ints  #: Points in each pair.
    #: (21, 21) the sum of weights by the points of both pairs; ``row``: by those of the
    #: first pair.
    cell: Floats
    row: Floats


@njit
def add_up(work: Work, cards: np.int64) -> float:
    """Fill all tables for a set of cards; the sum of the weights of its splits."""
    certain, doubt, everything = _count_suits(work, cards)
    if certain < 0:
        return 0.0
    one, rest = work.one, work.rest
    suits, some, place, table, most, tilt = (
        work.suit,
        work.some,
        work.place,
        work.table,
        work.most,
        work.tilt,
    )
    for k in range(2):
        most[k] = HONOUR_POINTS[suits[2 * k, 1]] + HONOUR_POINTS[suits[2 * k + 1, 1]]
        table[k, : WIDTH * (most[k] + 1)] = 0.0
        for i in range(work.number[2 * k]):
            share, start = some[2 * k, i], place[2 * k, i]
            for j in range(work.number[2 * k + 1]):
                table[k, start + place[2 * k + 1, j]] += share * some[2 * k + 1, j]
    fewest = max(one.bounds[0], everything - rest.bounds[1], certain)
    tilt[:] = 0.0
    for points in range(
        fewest, min(one.bounds[1], everything - rest.bounds[0], certain + doubt) + 1
    ):
        tilt[points - certain] = one.points[points] * rest.points[everything - points]
    return _join(work)


@njit
def _count_suits(work: Work, cards: np.int64) -> tuple[int, int, int]:
    """Fill the tables of suits; points of the first side certain (-1: a card has no
    place), in doubt, of both sides.
    """
    one, rest, suits, ways = work.one, work.rest, work.suit, work.ways
    one_must, one_may, one_low, one_high = one.must, one.may, one.low, one.high
    rest_must, rest_may, rest_low, rest_high = rest.must, rest.may, rest.low, rest.high
    one_holding, rest_holding = one.holding, rest.holding
    certain, doubtful, everything = 0, 0, 0
    for suit in range(4):
        left = (cards >> (13 * suit)) & 0x1FFF
        if left & ~one_may[suit] & ~rest_may[suit]:
            return -1, 0, 0
        mine = one_must[suit] | (left & ~rest_may[suit])
        theirs = rest_must[suit] | (left & ~one_may[suit])
        doubt = left & one_may[suit] & rest_may[suit]
        honours, small = doubt >> 9, COUNT[doubt & 0x1FF]
        certain += HONOUR_POINTS[mine >> 9]
        doubtful += HONOUR_POINTS[honours]
        everything += HONOUR_POINTS[(mine | theirs | doubt) >> 9]
        fewest, all_cards = COUNT[mine], COUNT[mine] + COUNT[theirs] + COUNT[doubt]
        shortest = max(fewest, one_low[suit], all_cards - rest_high[suit])
        longest = min(fewest + COUNT[doubt], one_high[suit], all_cards - rest_low[suit])
        suits[suit, 0], suits[suit, 1], suits[suit, 2], suits[suit, 3] = (
            mine,
            honours,
            doubt & 0x1FF,
            small,
        )
        suits[suit, 4], suits[suit, 5], suits[suit, 6], suits[suit, 7] = (
            all_cards,
            shortest,
            longest,
            theirs,
        )
        ways[suit, : HONOUR_POINTS[honours] + 1] = 0.0
        given = honours
        while True:  # every subset of the honours in doubt
            mine_here, theirs_here = (
                (mine >> 9) | given,
                (theirs >> 9) | (honours & ~given),
            )
            at_least, points = fewest + COUNT[given], HONOUR_POINTS[given]
            for length in range(
                max(shortest, at_least), min(longest, at_least + small) + 1
            ):
                ways[suit, points, length] += (
                    _WAYS[small, length - at_least]
                    * one_holding[suit, length, mine_here]
                    * rest_holding[suit, all_cards - length, theirs_here]
                )
            if given == 0:
                break
            given = (given - 1) & honours
        many = 0
        for points in range(HONOUR_POINTS[honours] + 1):
            for length in range(shortest, longest + 1):
                if ways[suit, points, length] > 0.0:
                    work.some[suit, many] = ways[suit, points, length]
                    work.place[suit, many] = WIDTH * points + (
                        length if suit < 2 else 13 - length
                    )
                    many += 1
        work.number[suit] = many
    return certain, doubtful, everything


@njit(fastmath=ANY_ORDER)
def _join(work: Work) -> float:
    """The weight of every pair of points, and of all."""
    table, tilt, most, cell, row = work.table, work.tilt, work.most, work.cell, work.row
    whole = 0.0
    for p in range(most[0] + 1):
        so_far = 0.0
        for q in range(most[1] + 1):
            part = 0.0
            if tilt[p + q] > 0.0:
                for length in range(14):
                    part += (
                        table[0, WIDTH * p + length] * table[1, WIDTH * q + 13 + length]
                    )
                part *= tilt[p + q]
            cell[p, q] = part
            so_far += part
        row[p] = so_far
        whole += so_far
    return whole


@njit
def _uniform(state: State) -> float:
    return float(next64(state) >> np.uint64(11)) * 2.0**-53


@njit
def _find(limit: float, work: Work) -> tuple[int, int, int]:
    """Where the running sum passes a limit: the first pair's length, both pairs'
    points; the last takes rounding.
    """
    table, cell, row, most = work.table, work.cell, work.row, work.most
    p, q, length, before = -1, -1, -1, 0.0
    for here in range(most[0] + 1):
        if row[here] > 0.0 and before <= limit:
            p = here
            before += row[here]
    limit -= before - row[p]
    before = 0.0
    for here in range(most[1] + 1):
        if cell[p, here] > 0.0 and before <= limit:
            q = here
            before += cell[p, here]
    limit = (limit - (before - cell[p, q])) / work.tilt[p + q]
    before = 0.0
    for here in range(14):
        part = table[0, WIDTH * p + here] * table[1, WIDTH * q + 13 + here]
        if part > 0.0 and before <= limit:
            length = here
            before += part
    return length, p, q


@njit
def _pick(work: Work, suit: int, length: int, points: int, state: State) -> int:
    """The first side's cards of one suit, given their number and points in doubt; as 13
    bits.
    """
    suits = work.suit
    mine, honours, doubt, small = (
        suits[suit, 0],
        suits[suit, 1],
        suits[suit, 2],
        suits[suit, 3],
    )
    all_cards, one_holding, rest_holding = (
        suits[suit, 4],
        work.one.holding,
        work.rest.holding,
    )
    theirs = suits[suit, 7] >> 9
    limit = _uniform(state) * work.ways[suit, points, length]
    total, chosen, needed = 0.0, 0, 0
    given = honours
    while True:
        few = length - COUNT[mine] - COUNT[given]
        if HONOUR_POINTS[given] == points and 0 <= few <= small and total <= limit:
            part = (
                _WAYS[small, few]
                * one_holding[suit, length, (mine >> 9) | given]
                * rest_holding[suit, all_cards - length, theirs | (honours & ~given)]
            )
            if part > 0.0:
                chosen, needed = given, few
                total += part
        if given == 0:
            break
        given = (given - 1) & honours
    field = mine | (chosen << 9)
    left = small
    for rank in range(9):
        if (doubt >> rank) & 1:
            if _uniform(state) * left < needed:
                field |= 1 << rank
                needed -= 1
            left -= 1
    return int(field)


@njit
def _pick_pair(work: Work, k: int, length: int, points: int, state: State) -> int:
    """The first side's cards of two suits, given their number and points in doubt."""
    suits, ways, suit = work.suit, work.ways, 2 * k
    limit = (
        _uniform(state)
        * work.table[k, WIDTH * points + (length if k == 0 else 26 - length)]
    )
    total, mine, worth = 0.0, length, points
    for p in range(min(points, HONOUR_POINTS[suits[suit, 1]]) + 1):
        if points - p <= HONOUR_POINTS[suits[suit + 1, 1]]:
            for here in range(
                max(suits[suit, 5], length - suits[suit + 1, 6]),
                min(suits[suit, 6], length) + 1,
            ):
                part = ways[suit, p, here] * ways[suit + 1, points - p, length - here]
                if part > 0.0 and total <= limit:
                    mine, worth = here, p
                    total += part
    hand = _pick(work, suit, mine, worth, state) << (13 * suit)
    return hand | _pick(work, suit + 1, length - mine, points - worth, state) << (
        13 * suit + 13
    )


class Splits(NamedTuple):
    """(n,) hands of the first side, and the logarithm of the sum of weights of each
    split.
    """

    hands: Hands
    log_sums: Floats


@njit
def fill_splits(
    one: Side, rest: Side, cards: Hands, state: State, found: Splits
) -> None:
    """See :func:`split`; no hand is drawn with an empty state."""
    hands, logs = found.hands, found.log_sums
    work = Work(
        one,
        rest,
        np.zeros((4, 8), np.int64),
        np.zeros((4, 11, 14)),
        np.zeros((4, 154)),
        np.zeros((4, 154), np.int64),
        np.zeros(4, np.int64),
        np.zeros((2, 22 * WIDTH)),
        np.zeros(41),
        np.zeros(2, np.int64),
        np.zeros((21, 21)),
        np.zeros(21),
    )
    whole = 0.0
    for i in range(len(cards)):
        if i == 0 or cards[i] != cards[i - 1]:
            whole = add_up(work, np.int64(cards[i]))
        logs[i] = np.log(whole) if whole > 0.0 else -np.inf
        if len(state) > 0 and whole > 0.0:
            length, p, q = _find(_uniform(state) * whole, work)
            hand = 0
            for k in range(2):
                hand |= _pick_pair(
                    work, k, 13 - length if k else length, q if k else p, state
                )
            hands[i] = np.uint64(hand)


class Tilt(NamedTuple):
    """The logarithm of a seat's tilt, in two tables; see the module's text."""

    holding: Floats
    points: Floats
    coefficients: Floats | None
    """What the tables were made of, for a later fit to start from; ``None`` if the tilt
    is 1 for every hand.
    """

    @classmethod
    def none(cls) -> Self:
        return cls(np.zeros((4, 14, 16)), np.zeros(41), None)

    def log(self, hands: Hands) -> Floats:
        if self.coefficients is None:
            return np.zeros(len(hands))
        fields = (hands[:, None] >> _SUITS.astype(np.uint64)).astype(
            np.int64
        ) & SUIT_MASK
        holding = self.holding[np.arange(4), COUNT[fields], fields >> 9].sum(axis=1)
        return np.asarray(holding + self.points[HONOUR_POINTS[fields >> 9].sum(axis=1)])


def side(known: Constraints, seats: tuple[int, ...], tilt: Tilt) -> Side:
    """The side of some seats under normalised constraints."""
    must, may = (
        reduce(or_, map(masks.__getitem__, seats)) >> _SUITS & SUIT_MASK
        for masks in (known.must, known.may)
    )
    low, high = (
        np.array([ranges[seat] for seat in seats]).sum(axis=0)
        for ranges in (known.shortest, known.longest)
    )
    bounds = [
        min(sum(points[seat] for seat in seats), 40)
        for points in (known.points_low, known.points_high)
    ]
    high, holding, points = (
        np.minimum(high, 13),
        np.exp(tilt.holding),
        np.exp(tilt.points),
    )
    return Side(must, may, low, high, np.array(bounds), holding, points)


def split(one: Side, rest: Side, cards: Hands, state: State | None) -> Splits:
    """For each (n,) set of cards to split: the hand of ``one`` (with what it must
    hold), and the log sum of weights.

    Without a state of random bits no hand is drawn. Sets that cannot be split have the
    sum -inf and an empty hand. Equal sets next to each other share their tables.
    """
    found = Splits(np.zeros(len(cards), np.uint64), np.empty(len(cards)))
    fill_splits(
        one, rest, cards, np.empty(0, np.uint64) if state is None else state, found
    )
    return found


SPREAD: Final = 0.05  # share of the uniform distribution

type Uniform = LayoutIndex | DealTable
"""Exact uniform draws over the layouts that fit."""


class Proposed(NamedTuple):
    """(n, 4) draws, and (n,) the logarithm of their density."""

    layouts: Masks
    log_q: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A tilted distribution over the layouts that constraints allow; hidden seats take
    their cards in ``order``.
    """

    known: Constraints
    sampler: Uniform
    order: tuple[int, ...]
    tilts: tuple[Tilt, ...]
    spread: float = SPREAD

    @property
    def splits(self) -> list[tuple[Side, Side]]:
        """Who takes cards from whom, one split after the other."""
        sides = []
        for step, seat in enumerate(self.order[:-1]):
            others = self.order[step + 1 :]
            tilt = self.tilts[others[0]] if len(others) == 1 else Tilt.none()
            sides.append(
                (
                    side(self.known, (seat,), self.tilts[seat]),
                    side(self.known, others, tilt),
                )
            )
        return sides

    def draw(self, n: int, rng: Seed = None) -> Proposed:
        """``n`` independent layouts (n, 4) with log density (n,); a dead draw is a row
        of zeros of log density -inf.
        """
        generator = np.random.default_rng(rng)
        if self.uniform:
            layouts = self.sampler.draw(n, generator)
            log_q = np.full(n, -math.log(self.sampler.total))
        else:
            from_tilts = generator.random(n) >= self.spread
            many = int(from_tilts.sum())
            layouts, log_q = np.empty((n, 4), dtype=np.uint64), np.empty(n)
            plain = self.sampler.draw(n - many, generator)
            layouts[~from_tilts], log_q[~from_tilts] = plain, self.log_tilted(plain)
            layouts[from_tilts], log_q[from_tilts] = self._draw_tilted(many, generator)
            log_q = self.mixed(log_q)
        if self.known.conditions:  # draws that do not meet them are dead too
            log_q = np.where(self.known.meets(layouts), log_q, -np.inf)
        return Proposed(layouts, log_q)

    def _draw_tilted(self, n: int, generator: np.random.Generator) -> Proposed:
        layouts = np.tile(np.array(self.known.must, dtype=np.uint64), (n, 1))
        left = np.full(n, self.known.unknown_mask, dtype=np.uint64)
        log_q = np.zeros(n)
        for seat, (one, rest) in zip(self.order, self.splits, strict=False):
            layouts[:, seat], log_sum = split(one, rest, left, seed_state(generator))
            log_q += self.tilts[seat].log(layouts[:, seat]) - log_sum
            left &= ~layouts[:, seat]
        layouts[:, self.order[-1]] |= left
        log_q += self.tilts[self.order[-1]].log(layouts[:, self.order[-1]])
        dead = (layouts == 0).any(axis=1)
        layouts[dead], log_q[dead] = 0, -np.inf
        return Proposed(layouts, log_q)

    @property
    def uniform(self) -> bool:
        """Whether all layouts are equally likely."""
        return self.spread >= 1.0 or len(self.order) < 2

    def mixed(self, log_tilted: Floats) -> Floats:
        """The log density of both parts together; the density of a dead draw stays 0."""
        plain = math.log(self.spread / self.sampler.total)
        return np.where(
            log_tilted == -np.inf,
            -np.inf,
            np.logaddexp(math.log1p(-self.spread) + log_tilted, plain),
        )

    def log_tilted(self, layouts: Masks) -> Floats:
        """(n,) log density of the tilted part."""
        total = np.zeros(len(layouts))
        for seat in self.order:
            total += self.tilts[seat].log(layouts[:, seat])
        for step, (one, rest) in enumerate(self.splits):
            total -= split(one, rest, self.left(layouts, step), None).log_sums
        return total

    def left(self, layouts: Masks, step: int) -> Hands:
        """(n,) the unknown cards that are left for split number ``step``."""
        left = np.full(len(layouts), self.known.unknown_mask, dtype=np.uint64)
        for seat in self.order[:step]:
            left &= ~layouts[:, seat]
        return left
