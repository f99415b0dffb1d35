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

HALF_WORD: Final = np.uint64(32)  # bits of half a random word
LOWER_HALF: Final = np.uint64(0xFFFFFFFF)


class Moves(NamedTuple):
    """Hard evidence as the kernel reads it.

    The m cards whose seat is not certain lie at m places, those of a seat side by side.
    """

    cards: Ints  #: (m,) the cards whose seat is not certain.
    suits: Ints  #: (m,) their suits and their points.
    points: Ints
    allowed: Ints  #: (m,) bit s is set if seat s may hold the card.
    start: Ints  #: (5,) seat s has the places ``start[s] … start[s + 1] - 1`` of the m.
    seat_of: Ints  #: (m,) the seat that has each place.
    certain: Hands  #: (4,) masks of the cards that each seat certainly holds.
    certain_lengths: Ints  #: (4, 4) by seat and suit, how many these are.
    certain_points: Ints  #: (4,) their points.
    points_low: Ints
    points_high: Ints
    shapes: Bools  #: (4, 14, 14, 14) whether a seat may have these lengths of C D H.

    @classmethod
    def of(cls, constraints: Constraints) -> Moves:
        """From constraints, whose conditions are left out.

        Normalised, they have for each seat masks of the cards that it must and may
        hold, its room for other cards than those, and bounds of its points and lengths.
        """
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
            certain_lengths=suit_lengths(certain).astype(np.int64),
            certain_points=high_card_points(certain).astype(np.int64),
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


# Kernels. A card is its number among the m cards in doubt, ``moves.cards``. All swaps
# are one loop: a function called for each would count references to all of ``Moves``.


@njit
def _shuffle(layouts: Masks, swaps: Ints, moves: Moves, state: State) -> None:
    """Try (n,) swaps in each of (n, 4) layouts; those are made that keep the evidence.

    A swap exchanges two cards of different seats, first and second. Each must be
    allowed at the other seat, and points and lengths of both seats must stay within
    bounds. ``moves`` is the hard evidence.
    """
    start = moves.start
    seat_of = moves.seat_of
    allowed = moves.allowed
    card_points = moves.points
    suits = moves.suits
    shapes = moves.shapes
    low = moves.points_low
    high = moves.points_high
    card_at = np.empty(len(seat_of), dtype=np.int64)  # by place
    lengths = np.empty((4, 4), dtype=np.int64)  # by seat and suit
    points = np.empty(4, dtype=np.int64)  # by seat
    for row in range(len(layouts)):
        _read_layout(layouts[row], moves, card_at, lengths, points)
        for _ in range(swaps[row]):
            first_place, second_place = _two_places(next64(state), start, seat_of)
            first_seat = seat_of[first_place]
            second_seat = seat_of[second_place]
            first_card = card_at[first_place]
            second_card = card_at[second_place]
            first_may_go = allowed[first_card] >> second_seat & 1
            second_may_go = allowed[second_card] >> first_seat & 1
            if first_may_go & second_may_go == 0:
                continue
            gain = card_points[second_card] - card_points[first_card]
            if gain != 0:
                if not low[first_seat] <= points[first_seat] + gain <= high[first_seat]:
                    continue
                if (
                    not low[second_seat]
                    <= points[second_seat] - gain
                    <= high[second_seat]
                ):
                    continue
            if not _exchange_suits(
                lengths,
                shapes,
                first_seat,
                second_seat,
                suits[first_card],
                suits[second_card],
            ):
                continue
            points[first_seat] += gain
            points[second_seat] -= gain
            card_at[first_place] = second_card
            card_at[second_place] = first_card
        _write_layout(layouts[row], moves, card_at)


@njit
def _scaled(bits: np.uint64, size: int) -> np.int64:
    """A number from 0 to ``size`` − 1 from 32 random bits: size · bits / 2³²."""
    return np.int64(bits * np.uint64(size) >> HALF_WORD)


@njit
def _two_places(
    bits: np.uint64, start: Ints, seat_of: Ints
) -> tuple[np.int64, np.int64]:
    """Two of the m places of cards, of different seats, by 64 random bits.

    The upper half of the bits chooses the first place, the lower half one of those of
    the other seats. The choice is uneven by less than m / 2³², but it is the same
    whatever cards lie there, so the proposal stays exactly symmetric. ``start`` (5,):
    the places of seat s begin at ``start[s]``; ``seat_of`` (m,): the seat of a place.
    """
    places = len(seat_of)
    upper_half = bits >> HALF_WORD
    lower_half = bits & LOWER_HALF
    first_place = _scaled(upper_half, places)
    seat = seat_of[first_place]
    places_of_seat = start[seat + 1] - start[seat]
    second_place = _scaled(lower_half, places - places_of_seat)
    if second_place >= start[seat]:
        second_place += places_of_seat  # those of the first seat are passed over
    return first_place, second_place


@njit
def _read_layout(
    layout: Hands, moves: Moves, card_at: Ints, lengths: Ints, points: Ints
) -> None:
    """Fill in where the cards of a (4,) layout lie, and what the seats have of them.

    ``card_at`` (m,): for each place the number of the card in doubt that lies there;
    ``lengths`` (4, 4) and ``points`` (4,) of the seats, of all their cards. Those that
    they certainly hold are counted in ``moves``.
    """
    cards = moves.cards
    suits = moves.suits
    card_points = moves.points
    for seat in range(4):
        points[seat] = moves.certain_points[seat]
        for suit in range(4):
            lengths[seat, suit] = moves.certain_lengths[seat, suit]
        place = moves.start[seat]
        for card in range(len(cards)):
            if layout[seat] >> np.uint64(cards[card]) & np.uint64(1):
                card_at[place] = card
                place += 1
                lengths[seat, suits[card]] += 1
                points[seat] += card_points[card]


@njit
def _exchange_suits(
    lengths: Ints,
    shapes: Bools,
    first_seat: int,
    second_seat: int,
    first_suit: int,
    second_suit: int,
) -> bool:
    """Exchange a card of the first seat for one of the second in their lengths.

    ``lengths`` (4, 4) are by seat and suit. ``shapes`` (4, 14, 14, 14) says which
    lengths of C D H a seat may have: if one of the two may not, the lengths stay as
    they were. Returns whether both may.
    """
    if first_suit == second_suit:
        return True
    lengths[first_seat, first_suit] -= 1
    lengths[first_seat, second_suit] += 1
    lengths[second_seat, second_suit] -= 1
    lengths[second_seat, first_suit] += 1
    first_allowed = shapes[
        first_seat,
        lengths[first_seat, 0],
        lengths[first_seat, 1],
        lengths[first_seat, 2],
    ]
    second_allowed = shapes[
        second_seat,
        lengths[second_seat, 0],
        lengths[second_seat, 1],
        lengths[second_seat, 2],
    ]
    if first_allowed and second_allowed:
        return True
    lengths[first_seat, first_suit] += 1
    lengths[first_seat, second_suit] -= 1
    lengths[second_seat, second_suit] += 1
    lengths[second_seat, first_suit] -= 1
    return False


@njit
def _write_layout(layout: Hands, moves: Moves, card_at: Ints) -> None:
    """Fill a (4,) layout from the card in doubt at each place, and those certain."""
    cards = moves.cards
    start = moves.start
    for seat in range(4):
        layout[seat] = moves.certain[seat]
        for place in range(start[seat], start[seat + 1]):
            layout[seat] |= np.uint64(1) << np.uint64(cards[card_at[place]])


def moved(drawn: Draws, draws: int, rng: np.random.Generator) -> Draws:
    """Weighted draws as particles of equal weight, moved by a few Metropolis steps.

    Draws are resampled by weight, so heavy ones become several copies. In each step
    every particle proposes to swap some cards, and takes the new layout with the chance
    of the ratio of likelihoods. The effective sample size that is stated, ``lineages``,
    ignores the moves: it is that of the numbers of copies of each draw.
    """
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
    _, copies = np.unique(ancestors, return_counts=True)
    family_shares = copies / n
    lineages = min(1.0 / float(family_shares @ family_shares), drawn.ess, float(n))
    descent = f"{n} particles moved from there descend from {lineages:.0f} draws"
    return replace(
        drawn,
        method="resample-move",
        reasons=(*drawn.reasons, descent),
        source=layouts,
        importance=None,
        proposed=drawn.proposed or drawn.importance,  # which tell a heavy tail
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
