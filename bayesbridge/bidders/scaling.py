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
"""A statement is not meant where the player's earlier calls have made its hands rarer
by this factor: a passed hand's two over one does not show an opening.
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
    """Which of n hands fit the k calls of which a system states what they show."""

    calls: NDArray[np.intp]
    """(k,) the indices of the calls"""
    fitting: NDArray[np.bool_]
    """(n, k) whether the hand fits a statement of the call"""
    always: NDArray[np.bool_]
    """(n, k) whether it fits one that says that every such hand makes the call"""

    @classmethod
    def of(cls, hands: Hands, meanings: Meanings) -> Self:
        """Try the statements of k calls on (n,) masks.

        A hand fits a call if it fits one of its statements. A statement may say that
        every hand that fits makes the call: ``statement.always``.
        """
        fitting = np.zeros((len(hands), len(meanings)), np.bool_)
        always = np.zeros_like(fitting)
        points, shapes = points_and_shapes(hands)
        for column, statements in enumerate(meanings.values()):
            for statement in statements:
                is_fitting = statement.fits(hands, points, shapes)
                fitting[:, column] |= is_fitting
                if statement.always:
                    always[:, column] |= is_fitting
        calls = np.array([call.index for call in meanings], np.intp)
        return cls(calls, fitting, always)


class Factors(NamedTuple):
    """What the chances of the k calls with statements are multiplied by."""

    raising: Floats
    """(k,) for hands that fit the call, 1 or more"""
    lowering: Floats
    """(k,) for hands that do not, at most 1"""


class Scaling(NamedTuple):
    """How a base model's chances of calls become those of a system."""

    meanings: Meanings
    """What calls show, without what the player's earlier calls have denied."""
    factors: Factors
    faith: float
    """How surely a player keeps to what the calls show."""

    def chances(self, base_chances: Floats, hands: Hands) -> Floats:
        """(n, 38) chances of all calls, from those of the base model."""
        fits = Fits.of(hands, self.meanings)
        return all_chances(base_chances, fits, self.faith, self.factors)


def all_chances(
    base_chances: Floats, fits: Fits, faith: float, factors: Factors
) -> Floats:
    """(n, 38) chances of all calls under a system, from those of the base model.

    The calls of which the system states what they show are scaled by ``factors``; the
    others share what remains, in the proportions of the base model. ``fits`` says which
    of the n hands fit the statements, ``faith`` how surely the player keeps to them.
    """
    stated = base_chances[:, fits.calls]
    unstated_share = _unstated_share(base_chances, stated)
    scaled = _scaled(stated, unstated_share, fits, faith, factors)
    remaining_share = np.maximum(1.0 - scaled.sum(axis=1), 0.0)
    unstated_factor = remaining_share / np.maximum(unstated_share, TINY)
    chances = base_chances * unstated_factor[:, None]
    chances[:, fits.calls] = scaled
    return chances


def _unstated_share(base_chances: Floats, stated: Floats) -> Floats:
    """(n,) the chance of all calls without statements, by the base model.

    ``base_chances`` are (n, 38), ``stated`` those of the calls with statements.
    """
    share = base_chances.sum(axis=1) - stated.sum(axis=1)
    return np.asarray(np.maximum(share, 0.0))


def _scaled(
    stated: Floats, unstated_share: Floats, fits: Fits, faith: float, factors: Factors
) -> Floats:
    """(n, k) chances under a system of the k calls of which it says what they show.

    ``stated`` (n, k) are their chances by the base model, ``unstated_share`` (n,) is
    that of all other calls. Chances are raised for hands that fit a statement of the
    call, lowered for others, and all calls of a hand made to add up to 1. Then a hand
    that must always make a call does so with the probability ``faith`` at least.
    """
    raised = np.maximum(stated, LEAST) * factors.raising
    lowered = stated * factors.lowering
    chances: Floats = np.where(fits.fitting, raised, lowered)
    chances /= (chances.sum(axis=1) + unstated_share)[:, None]
    return chances * _always_factors(chances, fits.always, faith)


def _always_factors(chances: Floats, always: Bools, faith: float) -> Floats:
    """(n, k) factors of the chances of k calls, for hands that must make some of them.

    ``always`` is (n, k), whether a hand must always make a call. Its calls of this kind
    are raised together to the share ``faith`` of the hand's chances, and the others
    lowered to what remains; all factors are 1 where they have that share already.
    """
    share = np.where(always, chances, 0.0).sum(axis=1)
    is_too_low = always.any(axis=1) & (share < faith)
    # Divided by 1 where nothing is to be changed.
    share_or_1 = np.where(is_too_low, share, 1.0)
    other_share_or_1 = np.where(is_too_low, 1.0 - share, 1.0)
    up = np.where(is_too_low, faith / share_or_1, 1.0)
    down = np.where(is_too_low, (1.0 - faith) / other_share_or_1, 1.0)
    return np.where(always, up[:, None], down[:, None])


class _WeightedHands(NamedTuple):
    """Hands that a player may hold, and how probably."""

    hands: Hands
    """(n,) masks"""
    weights: Floats
    """(n,) probabilities, which add up to 1"""

    def share_of_fitting(self, meanings: Meanings) -> Floats:
        """(k,) the probability of the hands that fit each of k calls."""
        return np.asarray(self.weights @ Fits.of(self.hands, meanings).fitting)


class _Place(NamedTuple):
    """What a player of one system may hold in turn, and how they then call."""

    holdings: _WeightedHands
    """By the calls that the player has made."""
    chances: NDArray[np.float32]
    """(n, 38) P(call ∣ hand)"""
    scaling: Scaling


def scaling_at(base: Any, system: System, faith: float, before: Auction) -> Scaling:
    """How the seat in turn calls after these calls, if it plays the system."""
    return _place(base, system, faith, before).scaling


@lru_cache(maxsize=96)
def _place(base: Any, system: System, faith: float, before: Auction) -> _Place:
    """What the seat in turn may hold after these calls, and how it then calls.

    It plays ``system`` and keeps to what its calls show with the probability ``faith``;
    what the system leaves open is up to the model ``base``. Its chances of calls are
    scaled until what they show is true of such hands.
    """
    meanings = system.meanings(before) or {}
    holdings = _random_hands()
    has_called = len(before.calls) >= PLAYERS
    if has_called:
        holdings = _hands_after_last_call(base, system, faith, before)
        meanings = _without_denied(meanings, holdings)
    base_chances = call_probabilities(base, holdings.hands, before)
    fits = Fits.of(holdings.hands, meanings)
    factors = _factors(base_chances, holdings.weights, fits, faith)
    chances = all_chances(base_chances, fits, faith, factors).astype(np.float32)
    return _Place(holdings, chances, Scaling(meanings, factors, faith))


def _without_denied(meanings: Meanings, holdings: _WeightedHands) -> Meanings:
    """What calls show, without what the player's earlier calls have denied.

    ``holdings`` are what the player may hold by these calls. A statement whose hands
    are much rarer among them than at random was not made for a player who has called
    so: a passed hand's two over one shows no opening.
    """
    share_at_random = _random_hands().share_of_fitting(meanings)
    is_denied = holdings.share_of_fitting(meanings) < DENIED * share_at_random
    return {
        call: statements
        for (call, statements), denied in zip(meanings.items(), is_denied, strict=True)
        if not denied
    }


def _hands_after_last_call(
    base: Any, system: System, faith: float, before: Auction
) -> _WeightedHands:
    """The hands that the seat in turn may hold by its last call.

    By Bayes' rule, from what it may have held before that call; the unlikeliest hands
    are dropped. The arguments are those of :func:`scaling_at`.
    """
    turn = Turn.of(before, len(before.calls) - PLAYERS)
    last = _place(base, system, faith, turn.before)
    hands, weights = last.holdings
    joint = weights * last.chances[:, turn.call.index]
    if not joint.any():  # a call that no hand makes tells nothing
        return last.holdings
    likeliest_first = np.argsort(-joint)
    cumulative = joint[likeliest_first].cumsum()
    number = 1 + int(np.searchsorted(cumulative, LIKELY_SHARE * joint.sum()))
    likely = likeliest_first[:number]
    return _WeightedHands(hands[likely], joint[likely] / joint[likely].sum())


@cache
def _random_hands() -> _WeightedHands:
    """Some 2000 hands that stand for all hands.

    There are more strong ones among them than at random, as they make the rarer calls;
    the weights make up for it.
    """
    generator = np.random.default_rng(52)
    deck_order = generator.random((RANDOM_HANDS, DECK_CARDS)).argsort(axis=1)
    cards = deck_order.reshape(-1, HAND_CARDS).astype(np.uint64)
    hands = np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)
    strength = (high_card_points(hands) - RARE_POINTS) / POINTS_PER_E
    chance_to_keep = np.clip(np.exp(strength), LEAST_KEPT, 1.0)
    is_kept = generator.random(len(hands)) < chance_to_keep
    weights = 1.0 / chance_to_keep[is_kept]
    return _WeightedHands(hands[is_kept], weights / weights.sum())


def _factors(
    base_chances: Floats, weights: Floats, fits: Fits, faith: float
) -> Factors:
    """The factors that make what k calls show true of those who make them.

    ``base_chances`` are (n, 38) chances of calls of n hands by the base model,
    ``weights`` (n,) the probabilities of the hands, and ``fits`` says which hands fit
    what the calls show. Two things are wanted:

    - Of those who make the call, the share ``faith`` fits: hands that do not fit make
      it less often.
    - The call is not too rare: the probability that a hand fits and makes it is at least
      ``faith`` times that of the call by the base model, or that of a fitting hand, the
      smaller of both: hands that fit make it more often.

    Each depends on the factors of all calls, so they are mended in turn until they
    settle (iterative scaling). The second may have no solution; the later rounds mend
    the first alone.
    """
    calls = len(fits.calls)
    stated = base_chances[:, fits.calls]
    unstated_share = _unstated_share(base_chances, stated)
    least_share = faith * np.minimum(weights @ stated, weights @ fits.fitting)
    # Nearly right from the start: hands that do not fit call so with 1 − faith.
    factors = Factors(raising=np.ones(calls), lowering=np.full(calls, 1.0 - faith))
    for number in range(MOST_ROUNDS):
        scaled = _scaled(stated, unstated_share, fits, faith, factors)
        # (k,) the probability that a hand makes the call and fits, or does not fit
        joint = weights[:, None] * scaled
        fitting = np.where(fits.fitting, joint, 0.0).sum(axis=0)
        unfitting = joint.sum(axis=0) - fitting
        lowering_steps = _lowering_steps(factors.lowering, fitting, unfitting, faith)
        raising_steps = np.ones(calls)
        if number < MOST_ROUNDS // 2:
            raising_steps = _raising_steps(factors.raising, fitting, least_share)
        factors = Factors(
            raising=factors.raising * raising_steps,
            lowering=factors.lowering * lowering_steps,
        )
        changes = np.log(np.concatenate([lowering_steps, raising_steps]))
        if np.abs(changes).max(initial=0.0) < SETTLED:
            break
    return factors


def _lowering_steps(
    lowering: Floats, fitting: Floats, unfitting: Floats, faith: float
) -> Floats:
    """(k,) by which to multiply the factors of hands that do not fit.

    Of the hands that make the call the share ``faith`` then fits. ``fitting`` and
    ``unfitting`` are (k,) probabilities that a hand makes the call and fits what it
    shows, or does not.
    """
    # Wanted is that unfitting : fitting = 1 − faith : faith.
    allowed = (1.0 - faith) * fitting
    wanted = lowering * allowed / np.maximum(faith * unfitting, TINY)
    return np.asarray(np.clip(wanted, SMALLEST_FACTOR, 1.0) / lowering)


def _raising_steps(raising: Floats, fitting: Floats, least_share: Floats) -> Floats:
    """(k,) by which to multiply the factors of hands that fit.

    The probability that a hand makes the call and fits, ``fitting`` (k,), then is
    ``least_share`` (k,) at least.
    """
    wanted = raising * least_share / np.maximum(fitting, TINY)
    return np.asarray(np.clip(wanted, 1.0, 1.0 / SMALLEST_FACTOR) / raising)
