"""Chances of calls by a base model, scaled until what the calls show is true of them.

docs/bidders.md says what is computed. The factors make P(fits ∣ call) ≥ faith over
random hands, given the player's own earlier calls: a model of a player answers for one
hand at a time, and the observer brings in the other players' calls and the own cards by
Bayes' rule.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, call_probabilities
from bayesbridge.bidders.statements import Meanings, points_and_shapes
from bayesbridge.bidders.systems import System
from bayesbridge.game.auction import Auction
from bayesbridge.game.cards import DECK_CARDS, HAND_CARDS
from bayesbridge.game.layouts import Bools, Floats, Hands, high_card_points

LEAST: Final = 1e-3
"""P(call) of a hand that fits is taken to be so much where the base model gives it
less.
"""

DENIED: Final = 0.25
"""A statement whose hands the player's earlier calls have made so much rarer is not
meant: a passed hand's two over one does not show an opening.
"""

PLAYERS: Final = 4
SMALLEST_FACTOR: Final = 1e-6
TINY: Final = np.finfo(np.float64).tiny
MOST_ROUNDS: Final = 30
SETTLED: Final = 0.02
"""Iterative scaling ends where no factor changes by more, as a logarithm."""

RANDOM_HANDS: Final = 8192
RARE_POINTS: Final = 26.0
POINTS_PER_E: Final = 5.0
"""Hands are kept with a chance that rises by e every so many points, up to 1."""

LEAST_KEPT: Final = 0.035
LIKELY_SHARE: Final = 0.995
"""Share of the probability whose hands are followed from one call to the next."""


class Fits(NamedTuple):
    """Which of n hands fit the k calls that have statements."""

    columns: NDArray[np.intp]
    """(k,) the calls"""
    fitting: NDArray[np.bool_]
    """(n, k) whether the hand fits a statement of the call"""
    always: NDArray[np.bool_]
    """(n, k) whether it fits one that holds always"""

    @classmethod
    def of(cls, hands: Hands, meanings: Meanings) -> Self:
        """Try all statements on (n,) masks."""
        fitting = np.zeros((len(hands), len(meanings)), np.bool_)
        always = np.zeros_like(fitting)
        points, shapes = points_and_shapes(hands)
        for column, statements in enumerate(meanings.values()):
            for statement in statements:
                fits = statement.fits(hands, points, shapes)
                fitting[:, column] |= fits
                if statement.always:
                    always[:, column] |= fits
        columns = np.array([call.index for call in meanings], np.intp)
        return cls(columns, fitting, always)


class Scaling(NamedTuple):
    """How a base model's chances of calls become those of a system."""

    meanings: Meanings
    """What calls show, without what the player's earlier calls have denied."""
    factors: Floats
    """(2, k) how much more often hands that fit make a call than by the base model, how
    much less often others do"""
    faith: float

    def chances(self, plain: Floats, hands: Hands) -> Floats:
        """(n, 38) chances of all calls, from those of the base model."""
        fits = Fits.of(hands, self.meanings)
        return all_chances(plain, fits, self.faith, self.factors)


def all_chances(plain: Floats, fits: Fits, faith: float, factors: Floats) -> Floats:
    """(n, 38) chances of calls; those without statements keep their proportions.

    ``plain`` are those of the base model, ``factors`` as :class:`Scaling` has them.
    """
    stated = plain[:, fits.columns]
    unstated_share = _unstated(plain, stated)
    scaled = _scaled(stated, unstated_share, fits, faith, factors)
    remaining = np.maximum(1.0 - scaled.sum(axis=1), 0.0)
    unstated_factor = remaining / np.maximum(unstated_share, TINY)
    chances = plain * unstated_factor[:, None]
    chances[:, fits.columns] = scaled
    return chances


def _unstated(plain: Floats, stated: Floats) -> Floats:
    """(n,) the chance of all calls without statements."""
    return np.asarray(np.maximum(plain.sum(axis=1) - stated.sum(axis=1), 0.0))


def _scaled(
    stated: Floats, unstated_share: Floats, fits: Fits, faith: float, factors: Floats
) -> Floats:
    """(n, k) chances of the calls that have statements.

    ``stated`` are those of the base model, ``unstated_share`` (n,) that of all other
    calls.
    """
    raising, lowering = factors
    raised = np.maximum(stated, LEAST) * raising
    lowered = stated * lowering
    chances: Floats = np.where(fits.fitting, raised, lowered)
    chances /= (chances.sum(axis=1) + unstated_share)[:, None]
    return chances * _always_factors(chances, fits.always, faith)


def _always_factors(chances: Floats, always: Bools, faith: float) -> Floats:
    """(n, k) factors by which the calls that always hold get the share ``faith``.

    They are 1 where these calls have it already.
    """
    share = np.where(always, chances, 0.0).sum(axis=1)
    too_low = always.any(axis=1) & (share < faith)
    up = np.where(too_low, faith / np.where(too_low, share, 1.0), 1.0)
    other_share = np.where(too_low, 1.0 - share, 1.0)
    down = np.where(too_low, (1.0 - faith) / other_share, 1.0)
    return np.where(always, up[:, None], down[:, None])


class _Place(NamedTuple):
    """What a player of one system may hold in turn."""

    hands: Hands
    weights: Floats
    """(n,) P(hand ∣ the calls that the player has made)"""
    chances: NDArray[np.float32]
    """(n, 38) P(call ∣ hand)"""
    scaling: Scaling


def scaling_at(base: Any, system: System, faith: float, before: Auction) -> Scaling:
    """How the seat in turn calls after these calls, if it plays the system."""
    return _place(base, system, faith, before).scaling


@lru_cache(maxsize=96)
def _place(base: Any, system: System, faith: float, before: Auction) -> _Place:
    """What the seat in turn may hold, and the factors that make its statements true."""
    hands, weights = _random_hands()
    meanings = system.meanings(before) or {}
    if len(before.calls) >= PLAYERS:
        share_at_random = weights @ Fits.of(hands, meanings).fitting
        hands, weights = _hands_after_last_call(base, system, faith, before)
        share = weights @ Fits.of(hands, meanings).fitting
        is_denied = dict(zip(meanings, share < DENIED * share_at_random, strict=True))
        meanings = {
            call: statements
            for call, statements in meanings.items()
            if not is_denied[call]
        }
    plain = call_probabilities(base, hands, before)
    fits = Fits.of(hands, meanings)
    factors = _factors(plain, weights, fits, faith)
    chances = all_chances(plain, fits, faith, factors).astype(np.float32)
    return _Place(hands, weights, chances, Scaling(meanings, factors, faith))


def _hands_after_last_call(
    base: Any, system: System, faith: float, before: Auction
) -> tuple[Hands, Floats]:
    """The hands that the seat in turn may hold by its last call, and how probably."""
    turn = Turn.of(before, len(before.calls) - PLAYERS)
    last = _place(base, system, faith, turn.before)
    joint = last.weights * last.chances[:, turn.call.index]
    if not joint.any():  # a call that no hand makes tells nothing
        return last.hands, last.weights
    order = np.argsort(-joint)
    cumulative = joint[order].cumsum()
    likely_hands = 1 + int(np.searchsorted(cumulative, LIKELY_SHARE * joint.sum()))
    likely = order[:likely_hands]
    return last.hands[likely], joint[likely] / joint[likely].sum()


@cache
def _random_hands() -> tuple[NDArray[np.uint64], Floats]:
    """Some 2000 random hands and the probability of each.

    They are rich in strong hands, which make the rarer calls.
    """
    generator = np.random.default_rng(52)
    deck_order = generator.random((RANDOM_HANDS, DECK_CARDS)).argsort(axis=1)
    cards = deck_order.reshape(-1, HAND_CARDS).astype(np.uint64)
    hands = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
    strength = (high_card_points(hands) - RARE_POINTS) / POINTS_PER_E
    chance_to_keep = np.clip(np.exp(strength), LEAST_KEPT, 1.0)
    is_kept = generator.random(len(hands)) < chance_to_keep
    weights = 1.0 / chance_to_keep[is_kept]
    return hands[is_kept], weights / weights.sum()


def _factors(plain: Floats, weights: Floats, fits: Fits, faith: float) -> Floats:
    """(2, k) the factors of a scaling, by iterative scaling.

    In its second half P(fits ∣ call) alone is mended. ``plain`` are (n, 38) chances of
    the base model, ``weights`` (n,) probabilities of the hands.
    """
    stated = plain[:, fits.columns]
    unstated_share = _unstated(plain, stated)
    least_share = faith * np.minimum(weights @ stated, weights @ fits.fitting)
    factors: Floats = np.repeat([[1.0], [1.0 - faith]], len(fits.columns), axis=1)
    raising, lowering = factors
    for number in range(MOST_ROUNDS):
        scaled = _scaled(stated, unstated_share, fits, faith, factors)
        chances = weights[:, None] * scaled
        fitting = np.where(fits.fitting, chances, 0.0).sum(axis=0)
        unfitting = chances.sum(axis=0) - fitting
        steps = _lowering_steps(lowering, fitting, unfitting, faith)
        lowering *= steps
        if number < MOST_ROUNDS // 2:
            raised = raising * least_share / np.maximum(fitting, TINY)
            raising_steps = np.clip(raised, 1.0, 1.0 / SMALLEST_FACTOR) / raising
            raising *= raising_steps
            steps = np.concatenate([steps, raising_steps])
        if np.abs(np.log(steps)).max(initial=0.0) < SETTLED:
            break
    return factors


def _lowering_steps(
    lowering: Floats, fitting: Floats, unfitting: Floats, faith: float
) -> Floats:
    """(k,) by which the factors of hands that do not fit change.

    Then of the hands that make the call the share ``faith`` fits. ``fitting`` and
    ``unfitting`` are (k,) chances that a hand makes the call and fits, or does not.
    """
    allowed = (1.0 - faith) * fitting
    lowered = lowering * allowed / np.maximum(faith * unfitting, TINY)
    return np.asarray(np.clip(lowered, SMALLEST_FACTOR, 1.0) / lowering)
