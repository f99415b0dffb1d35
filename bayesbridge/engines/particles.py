"""The engine ``resample-move``: particles, moved by Metropolis steps.

Particles are importance draws of too small an effective sample size, resampled. A swap
takes two hidden cards in different hands and exchanges them if the hard evidence still
holds. The places are chosen without looking at the cards in them, so any number of
swaps leaves the uniform distribution invariant. A Metropolis step is a few swaps,
accepted by the likelihood ratio; only the terms of hands that changed are computed
anew. Copies drift apart; the stated effective sample size ignores that, and counts the
distinct ancestors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from bayesbridge.engines.draws import Draws
from bayesbridge.engines.target import SoftEvidence
from bayesbridge.engines.weights import Weights
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import HIGH_CARD_POINTS
from bayesbridge.game.layouts import (
    Bools,
    Floats,
    Hands,
    Ints,
    Masks,
    high_card_points,
    suit_lengths,
)
from bayesbridge.game.shapes import shape_table, shapes_within
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, next64, seed_state

MOST_PARTICLES: Final = 4000  # each is moved by itself, which takes long
SWAPS: Final = (1, 1, 2, 3)  # of a Metropolis step, one of these


class Moves(NamedTuple):
    """Hard evidence as the kernel reads it."""

    cards: Ints  #: (m,) the cards whose place is not certain.
    suits: Ints  #: (m,) their suits and their points.
    points: Ints
    allowed: Ints  #: (m,) bit s is set if seat s may hold the card.
    start: Ints  #: (5,) seat s has the places ``start[s] … start[s + 1] - 1`` of the m.
    seat_of: Ints  #: (m,) the seat that has each place.
    certain: Hands  #: (4,) masks of the cards that each seat certainly holds.
    lengths: Ints  #: (4, 4) by seat and suit, how many these are.
    scores: Ints  #: (4,) their points.
    points_low: Ints
    points_high: Ints
    shapes: Bools  #: (4, 14, 14, 14) whether a seat may have these lengths of C D H.

    @classmethod
    def of(cls, constraints: Constraints) -> Moves:
        """From constraints, whose conditions are left out."""
        normal = constraints.normalised()
        unknown = [card for card in range(52) if normal.unknown_mask >> card & 1]
        cards = np.array(unknown, dtype=np.int64)
        certain = np.array(normal.must, dtype=np.uint64)
        allowed = np.zeros_like(cards)
        for seat, may in enumerate(normal.may):
            allowed |= (np.int64(may) >> cards & 1) << seat
        rooms = [normal.room(seat) for seat in range(4)]
        return cls(
            cards=cards,
            suits=cards // 13,
            points=np.array(HIGH_CARD_POINTS, dtype=np.int64)[cards % 13],
            allowed=allowed,
            start=np.cumsum([0, *rooms]).astype(np.int64),
            seat_of=np.repeat(np.arange(4), rooms),
            certain=certain,
            lengths=suit_lengths(certain).astype(np.int64),
            scores=high_card_points(certain).astype(np.int64),
            points_low=np.array(normal.points_low, dtype=np.int64),
            points_high=np.array(normal.points_high, dtype=np.int64),
            shapes=np.stack([_allowed_shapes(normal, seat) for seat in range(4)]),
        )

    def shuffle(self, layouts: Masks, swaps: int | Ints, rng: Seed) -> Masks:
        """Propose ``swaps`` swaps in each of (n, 4) layouts; uniform stays uniform.

        ``swaps``: a number, or (n,) one for each layout.
        """
        shuffled = np.array(layouts, dtype=np.uint64)
        counts = np.broadcast_to(np.asarray(swaps, dtype=np.int64), len(shuffled))
        if np.count_nonzero(np.diff(self.start)) > 1:  # else there is nothing to swap
            _shuffle(shuffled, counts.copy(), self, seed_state(rng))
        return shuffled


def _allowed_shapes(constraints: Constraints, seat: int) -> Bools:
    """(14, 14, 14) whether a seat may have these lengths of C D H."""
    shapes = shapes_within(constraints.shortest[seat], constraints.longest[seat])
    restricted = constraints.shapes[seat]
    if restricted is not None:
        shapes = shapes & restricted
    return shape_table(shapes)


# Kernels. m cards are in doubt and go by their index into ``cards``: x and y are two of
# them, i and j their places, a and b the seats of these, s and t their suits. All swaps
# are one loop: a function called for each would count references to all of ``Moves``.


@njit
def _shuffle(layouts: Masks, swaps: Ints, moves: Moves, state: State) -> None:
    """Try (n,) swaps in each of (n, 4) layouts; those are made that keep the evidence."""
    start = moves.start
    seat_of = moves.seat_of
    allowed = moves.allowed
    card_points = moves.points
    suits = moves.suits
    shapes = moves.shapes
    low = moves.points_low
    high = moves.points_high
    places = np.empty(len(seat_of), dtype=np.int64)  # the card at each place
    lengths = np.empty((4, 4), dtype=np.int64)
    points = np.empty(4, dtype=np.int64)
    for row in range(len(layouts)):
        _read_layout(layouts[row], moves, places, lengths, points)
        for _ in range(swaps[row]):
            i, j = _two_places(next64(state), start, seat_of)
            a = seat_of[i]
            b = seat_of[j]
            x = places[i]
            y = places[j]
            if (allowed[x] >> b & allowed[y] >> a & 1) == 0:
                continue
            gain = card_points[y] - card_points[x]
            if gain != 0:
                if not low[a] <= points[a] + gain <= high[a]:
                    continue
                if not low[b] <= points[b] - gain <= high[b]:
                    continue
            if not _exchange_suits(lengths, shapes, a, b, suits[x], suits[y]):
                continue
            points[a] += gain
            points[b] -= gain
            places[i] = y
            places[j] = x
        _write_layout(layouts[row], moves, places)


@njit
def _two_places(
    bits: np.uint64, start: Ints, seat_of: Ints
) -> tuple[np.int64, np.int64]:
    """Two places in different hands, by 64 random bits.

    The choice is uneven by less than m / 2³², but it is the same whatever cards lie
    there, so the proposal stays exactly symmetric. ``start``, ``seat_of``: see
    :class:`Moves`.
    """
    m = len(seat_of)
    half = np.uint64(32)
    low_bits = bits & np.uint64(0xFFFFFFFF)
    i = np.int64((bits >> half) * np.uint64(m) >> half)
    a = seat_of[i]
    own = start[a + 1] - start[a]
    j = np.int64(low_bits * np.uint64(m - own) >> half)
    if j >= start[a]:
        j += own
    return i, j


@njit
def _read_layout(
    layout: Hands, moves: Moves, places: Ints, lengths: Ints, points: Ints
) -> None:
    """Fill (m,) the card at each place, (4, 4) lengths and (4,) points of a layout."""
    cards = moves.cards
    suits = moves.suits
    card_points = moves.points
    for seat in range(4):
        points[seat] = moves.scores[seat]
        for suit in range(4):
            lengths[seat, suit] = moves.lengths[seat, suit]
        place = moves.start[seat]
        for x in range(len(cards)):
            if layout[seat] >> np.uint64(cards[x]) & np.uint64(1):
                places[place] = x
                place += 1
                lengths[seat, suits[x]] += 1
                points[seat] += card_points[x]


@njit
def _exchange_suits(
    lengths: Ints, shapes: Bools, a: int, b: int, s: int, t: int
) -> bool:
    """Exchange a card of suit s in seat a's hand for one of suit t in seat b's.

    The (4, 4) lengths stay as they are if a shape does not allow it; returns whether
    both do.
    """
    if s == t:
        return True
    lengths[a, s] -= 1
    lengths[a, t] += 1
    lengths[b, t] -= 1
    lengths[b, s] += 1
    first_fits = shapes[a, lengths[a, 0], lengths[a, 1], lengths[a, 2]]
    if first_fits and shapes[b, lengths[b, 0], lengths[b, 1], lengths[b, 2]]:
        return True
    lengths[a, s] += 1
    lengths[a, t] -= 1
    lengths[b, t] += 1
    lengths[b, s] -= 1
    return False


@njit
def _write_layout(layout: Hands, moves: Moves, places: Ints) -> None:
    """Fill a (4,) layout from the card at each place."""
    cards = moves.cards
    start = moves.start
    for seat in range(4):
        layout[seat] = moves.certain[seat]
        for place in range(start[seat], start[seat + 1]):
            layout[seat] |= np.uint64(1) << np.uint64(cards[places[place]])


def moved(drawn: Draws, draws: int, rng: np.random.Generator) -> Draws:
    """Weighted draws as particles of equal weight, moved by a few Metropolis steps."""
    target = drawn.target
    n = max(2, min(draws, MOST_PARTICLES))
    weights = drawn.importance or Weights(np.zeros(len(drawn)))
    ancestors = weights.resample(n, rng)
    layouts = drawn.stretch(0, len(drawn))[ancestors]
    terms = target.soft.by_term(layouts)
    moves = Moves.of(target.constraints)
    for _ in range(target.cost.moves):
        proposed = moves.shuffle(layouts, rng.choice(SWAPS, n), rng)
        proposed_terms = _updated_terms(target.soft, terms, layouts, proposed)
        log_ratio = proposed_terms.sum(axis=1) - terms.sum(axis=1)
        accepted = rng.random(n) < np.exp(np.minimum(log_ratio, 0.0))
        accepted &= target.constraints.meets(proposed)
        layouts = np.where(accepted[:, None], proposed, layouts)
        terms = np.where(accepted[:, None], proposed_terms, terms)
    families = np.unique(ancestors, return_counts=True)[1] / n
    lineages = min(1.0 / float(families @ families), drawn.ess, float(n))
    descent = f"{n} particles moved from there descend from {lineages:.0f} draws"
    return replace(
        drawn,
        method="resample-move",
        reasons=(*drawn.reasons, descent),
        source=layouts,
        importance=None,
        proposed=drawn.proposed or drawn.importance,
        likelihood=terms.sum(axis=1),
        ess=lineages,
    )


def _updated_terms(
    soft: SoftEvidence, terms: Floats, layouts: Masks, proposed: Masks
) -> Floats:
    """(n, terms) log likelihoods of proposed layouts.

    Only hands that changed are evaluated again.
    """
    updated = terms.copy()
    changed = proposed != layouts
    for column, term in enumerate(soft.terms):
        rows = np.flatnonzero(changed[:, list(term.seats)].any(axis=1))
        hands = (np.ascontiguousarray(proposed[rows, seat]) for seat in term.seats)
        updated[rows, column] = term.likelihood(*hands)
    return updated
