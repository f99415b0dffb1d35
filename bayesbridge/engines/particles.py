"""Particles: importance draws of too small an effective sample size, resampled and
moved by Metropolis steps.

A swap takes two hidden cards in different hands and exchanges them if the hard evidence
still holds. The places are chosen without looking at the cards in them, so any number
of swaps leaves the uniform distribution invariant. A Metropolis step is a few swaps,
accepted by the likelihood ratio; only the terms of hands that changed are computed
anew. Copies drift apart; the stated effective sample size ignores that, and counts the
distinct ancestors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bayesbridge.engines.draws import Draws
from bayesbridge.engines.weights import Weights
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import HIGH_CARD_POINTS
from bayesbridge.game.layouts import (
    Bools,
    Hands,
    Ints,
    Masks,
    high_card_points,
    suit_lengths,
)
from bayesbridge.game.shapes import shape_table, shapes_within
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, next64, seed_state


class Moves(NamedTuple):
    """Hard evidence as the kernel reads it."""

    cards: (
        Ints  #: (m,) the cards whose place is not certain, with their suits and points.
    )
    suits: Ints
    points: Ints
    allowed: Ints  #: Bit s is set if seat s may hold the card.
    start: Ints  #: (5,) seat s has the places ``start[s] … start[s + 1] - 1`` of the m.
    #: (4,) masks of the cards each seat certainly holds, with their lengths (4, 4) and
    #: scores (4,).
    certain: Hands
    lengths: Ints
    scores: Ints
    points_low: Ints
    points_high: Ints
    shapes: Bools  #: (4, 14, 14, 14) whether a seat may have these lengths of C D H.

    @classmethod
    def of(cls, constraints: Constraints) -> Moves:
        known = constraints.normalised()
        cards = np.array(
            [card for card in range(52) if known.unknown_mask >> card & 1],
            dtype=np.int64,
        )
        certain = np.array(known.must, dtype=np.uint64)
        lengths = zip(
            map(shapes_within, known.shortest, known.longest), known.shapes, strict=True
        )
        return cls(
            cards=cards,
            suits=cards // 13,
            points=np.array(HIGH_CARD_POINTS, dtype=np.int64)[cards % 13],
            allowed=sum(
                (
                    (np.int64(may) >> cards & 1) << seat
                    for seat, may in enumerate(known.may)
                ),
                0 * cards,
            ),
            start=np.cumsum([0, *(known.room(seat) for seat in range(4))]).astype(
                np.int64
            ),
            certain=certain,
            lengths=suit_lengths(certain).astype(np.int64),
            scores=high_card_points(certain).astype(np.int64),
            points_low=np.array(known.points_low, dtype=np.int64),
            points_high=np.array(known.points_high, dtype=np.int64),
            shapes=np.stack(
                [
                    shape_table(within if some is None else within & some)
                    for within, some in lengths
                ]
            ),
        )

    def shuffle(self, layouts: Masks, swaps: int | Ints, rng: Seed) -> Masks:
        """Propose ``swaps`` swaps in every one of (n, 4) layouts; uniform stays
        uniform.
        """
        moved = np.array(layouts, dtype=np.uint64)
        counts = np.broadcast_to(np.asarray(swaps, dtype=np.int64), len(moved)).copy()
        if np.count_nonzero(np.diff(self.start)) > 1:  # else there is nothing to swap
            _shuffle(moved, counts, self, seed_state(rng))
        return moved


@njit
def _shuffle(layouts: Masks, swaps: Ints, moves: Moves, state: State) -> None:
    """Swap in place; cards in doubt go by their index into ``cards``."""
    cards, suit_of, card_points, allowed = (
        moves.cards,
        moves.suits,
        moves.points,
        moves.allowed,
    )
    start, certain, shapes = moves.start, moves.certain, moves.shapes
    points_low, points_high = moves.points_low, moves.points_high
    m = len(cards)
    one, half, low32 = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
    seat_of = np.empty(m, dtype=np.int64)
    for seat in range(4):
        seat_of[start[seat] : start[seat + 1]] = seat
    lengths = np.empty((4, 4), dtype=np.int64)
    points = np.empty(4, dtype=np.int64)
    filled = np.empty(4, dtype=np.int64)
    places = np.empty(m, dtype=np.int64)
    for row in range(len(layouts)):
        for seat in range(
            4
        ):  # one by one: to assign a slice takes numba three times as long to compile
            points[seat], filled[seat] = moves.scores[seat], start[seat]
            for suit in range(4):
                lengths[seat, suit] = moves.lengths[seat, suit]
        for index in range(m):
            for seat in range(4):
                if layouts[row, seat] >> np.uint64(cards[index]) & one:
                    places[filled[seat]] = index
                    filled[seat] += 1
                    lengths[seat, suit_of[index]] += 1
                    points[seat] += card_points[index]
        for _ in range(swaps[row]):
            # One draw chooses both places. The choice is uneven by less than m / 2³², but it is the same whatever
            # cards lie there, so the proposal stays exactly symmetric.
            bits = next64(state)
            i = np.int64((bits >> half) * np.uint64(m) >> half)
            a = seat_of[i]
            own = start[a + 1] - start[a]
            j = np.int64((bits & low32) * np.uint64(m - own) >> half)
            if j >= start[a]:
                j += own
            b = seat_of[j]
            x, y = places[i], places[j]
            if (allowed[x] >> b & allowed[y] >> a & 1) == 0:
                continue
            gain = card_points[y] - card_points[x]
            if gain != 0 and (
                points[a] + gain < points_low[a]
                or points[a] + gain > points_high[a]
                or points[b] - gain < points_low[b]
                or points[b] - gain > points_high[b]
            ):
                continue
            s, t = suit_of[x], suit_of[y]
            if s != t:
                lengths[a, s] -= 1
                lengths[a, t] += 1
                lengths[b, t] -= 1
                lengths[b, s] += 1
                if not (
                    shapes[a, lengths[a, 0], lengths[a, 1], lengths[a, 2]]
                    and shapes[b, lengths[b, 0], lengths[b, 1], lengths[b, 2]]
                ):
                    lengths[a, s] += 1
                    lengths[a, t] -= 1
                    lengths[b, t] += 1
                    lengths[b, s] -= 1
                    continue
            points[a] += gain
            points[b] -= gain
            places[i], places[j] = y, x
        for seat in range(4):
            layouts[row, seat] = certain[seat]
            for place in range(start[seat], start[seat + 1]):
                layouts[row, seat] |= one << np.uint64(cards[places[place]])


def moved(found: Draws, draws: int, rng: np.random.Generator) -> Draws:
    """Weighted draws as particles of equal weight, each moved by a few Metropolis
    steps.
    """
    target, soft, n = found.target, found.target.soft, max(2, min(draws, 4000))
    ancestors = (found.importance or Weights(np.zeros(len(found)))).resample(n, rng)
    layouts = found.stretch(0, len(found))[ancestors]
    terms = soft.by_term(layouts)
    shuffler = Moves.of(target.constraints)
    for _ in range(target.cost.moves):
        there = shuffler.shuffle(layouts, rng.choice((1, 1, 2, 3), n), rng)
        there_terms = terms.copy()
        changed = there != layouts
        for column, term in enumerate(
            soft.terms
        ):  # only hands that changed are evaluated again
            rows = np.flatnonzero(changed[:, list(term.seats)].any(axis=1))
            hands = (np.ascontiguousarray(there[rows, seat]) for seat in term.seats)
            there_terms[rows, column] = term.likelihood(*hands)
        ratio = there_terms.sum(axis=1) - terms.sum(axis=1)
        accepted = (
            rng.random(n) < np.exp(np.minimum(ratio, 0.0))
        ) & target.constraints.meets(there)
        layouts = np.where(accepted[:, None], there, layouts)
        terms = np.where(accepted[:, None], there_terms, terms)
    families = np.unique(ancestors, return_counts=True)[1] / n
    lineages = min(1.0 / float(families @ families), found.ess, float(n))
    return replace(
        found,
        method="resample-move",
        reasons=(
            *found.reasons,
            f"{n} particles moved from there descend from {lineages:.0f} draws",
        ),
        source=layouts,
        importance=None,
        proposed=found.proposed or found.importance,
        likelihood=terms.sum(axis=1),
        ess=lineages,
    )
