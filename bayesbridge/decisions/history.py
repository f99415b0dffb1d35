"""How a belief sharpens, event by event, and how each call was read (:func:`readings`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.slam_calls import asked_trump, controlled_suit
from bayesbridge.bidders.statements import controls, key_card_mask
from bayesbridge.engines.conditions import ConditionTables
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.target import CallLikelihood, Likelihood, LikelihoodTerm
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import capture_tricks
from bayesbridge.estimators.outlook import outlook
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import Play
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.calls import Call, Contract
from bayesbridge.game.cards import HAND_CARDS, Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import (
    Floats,
    Hands,
    Masks,
    high_card_points,
    suit_lengths,
)
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed

if TYPE_CHECKING:
    import pandas


ALL_POINTS: Final = range(38)
"""High-card points that 13 cards may have."""

CARDS_IN_TRICK: Final = 4

LAYOUTS_TRIED: Final = (8_000, 60_000, 400_000)
"""Layouts drawn to read calls, one number after the other until they are enough."""

THINNED: Final = 4000
"""Hands, about, whose likelihood is evaluated for a reading."""

ENOUGH: Final = 100
"""Effective sample size that a reading needs."""

SMALLEST_LOG: Final = -700.0
"""Logarithm near the smallest float."""

KEY_CARDS: Final = 5

MOVED: Final = 0.5
"""Cards by which a call changes the mean length of a suit where that is told."""

WEIGHT_OF_SHORTENING: Final = 0.6
"""How much a card less in a suit counts beside a card more.

A two-suiter is told by its suits, not by what it is short of.
"""

TAILS: Final = (0.1, 0.9)
"""Chances below the two ends of a spread."""

ROUNDING: Final = 1e-9

ACES: Final = sum(Card.of(f"{suit.name}A").mask for suit in Suit)


def sharpening(
    belief: Belief,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    contract: Contract | str | None = None,
    level: int | None = None,
    **steps: Unpack[StepOptions],
) -> pandas.DataFrame:
    """Tell how a belief sharpens: a row before any evidence, then after each piece.

    Cards come a trick at a time, unless ``by_card``.

    Parameters
    ----------
    belief : Belief
        The observer, and the evidence in the order in which it came.
    pair : str or pair of seats, optional
        Whose tricks are meant; by default those of the observer's pair.
    contract : str or Contract, optional
        The contract whose chance is followed, such as ``"3NT by S"``; by default that
        of the auction, once it is over.
    level : int, optional
        Level from 1 to 7 of the column ``T_at_least``; by default that of the contract,
        else 1.
    **steps
        ``by_card`` gives every card its own row; ``draws``, as for
        :meth:`bayesbridge.Belief.infer`; ``rng``, where random numbers start (0).

    Returns
    -------
    pandas.DataFrame
        A row for each ``event``, with these columns:

        ``layouts``
            How many layouts fit, exactly, as Python ints.
        ``method``, ``exact``
            How the posterior was computed, and whether that is exact.
        ``entropy_bits``
            Entropy of the posterior.
        ``qualified``
            P(both conditions hold).
        ``T_mean``, ``T_mean_qualified``
            Mean of T, counted 0 where the conditions fail, and given that they hold.
        ``T_at_least``
            P(T ≥ 6 + level).
        ``points_N``, ``points_E``, ``points_S``, ``points_W``
            Mean high-card points of the hands.
        ``made``, ``made_error``
            P(the contract makes) with one standard error; ``nan`` without a contract.
        ``made_basis``
            ``network``: double dummy from the deal, by the network ``tricks``;
            ``solved``: from that moment on over all layouts, where few are left and the
            plugin bayesbridge-double-dummy is installed; ``settled`` by the tricks
            taken.

    Raises
    ------
    BayesBridgeError
        If the level is not from 1 to 7.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> belief = belief.given(bb.Reveal("N", "J54.AQ2.KQ76.A54"))
    >>> for row in bb.sharpening(belief, level=5).itertuples():
    ...     print(f"{row.event}: {row.entropy_bits:.1f} bits, {row.T_at_least:.0%}")
    S's hand: 56.2 bits, 28%
    N shows J54.AQ2.KQ76.A54: 23.3 bits, 100%
    """
    import pandas

    if contract is None:
        goal = belief.table.contract
    else:
        goal = Contract.of(contract)
    if level is None:
        level = 1 if goal is None else goal.level
    if level not in range(1, 8):
        raise BayesBridgeError(
            f"level {level!r}: a contract is at level 1 to 7", level=level
        )
    rng = steps.get("rng", 0)
    rows: list[dict[str, Any]] = []
    figures: dict[str, Any] = {}
    for moment in moments(belief, **steps):
        if moment.news:
            figures = _posterior_columns(moment.posterior, pair, level, rng)
        chance_columns = _made_columns(moment.posterior, goal, rng)
        rows.append({"event": moment.event, **figures, **chance_columns})
    table = pandas.DataFrame(rows)
    table.attrs = {
        "level": level,
        "contract": "" if goal is None else str(goal),
        "players": 3 + (belief.dummy is None),
    }
    return table


def _posterior_columns(
    posterior: Posterior,
    pair: str | tuple[Seat | str, Seat | str] | None,
    level: int,
    rng: Seed,
) -> dict[str, Any]:
    """What is believed at a moment, for a row of :func:`sharpening`.

    Capture tricks T can be counted only where the two conditions of the paper's rule
    hold: ``qualified`` is how likely that is, ``T_mean_qualified`` the mean of T given
    that. Elsewhere T counts as 0.
    """
    capture_count = capture_tricks(posterior, pair, rng)
    mean_points = posterior.point_table @ ALL_POINTS
    mean_if_qualified = capture_count.mean_if_held
    columns = {
        "layouts": posterior.count(),
        "method": posterior.method_of(counted=capture_count.exact),
        "exact": capture_count.exact and posterior.log_marginal_error == 0.0,
        "entropy_bits": posterior.entropy_bits,
        "qualified": capture_count.holds,
        "T_mean": float(capture_count.mean[0]),
        "T_mean_qualified": nan if mean_if_qualified is None else mean_if_qualified,
        "T_at_least": capture_count.at_least(6 + level),
    }
    for seat in Seat:
        columns[f"points_{seat.name}"] = float(mean_points[seat])
    return columns


def _made_columns(
    posterior: Posterior, contract: Contract | None, rng: Seed
) -> dict[str, Any]:
    """P(the contract makes) at a moment, for a row of :func:`sharpening`."""
    if contract is None:
        return {"made": nan, "made_error": nan, "made_basis": ""}
    chance = outlook(posterior, contract, rng)
    return {
        "made": chance.made.mean,
        "made_error": chance.made.error,
        "made_basis": str(chance.basis),
    }


def card_history(
    belief: Belief,
    card: Card | str,
    *,
    last: Posterior | None = None,
    **steps: Unpack[StepOptions],
) -> pandas.DataFrame:
    """Tell where a card lies: a row before any evidence, then after each piece.

    Parameters
    ----------
    belief : Belief
        The observer, and the evidence in the order in which it came.
    card : str or Card
        A card that the observer does not hold, such as ``"SQ"``.
    last : Posterior, optional
        The posterior of the whole belief, where it has been inferred already.
    **steps
        ``by_card`` gives every card its own row, else they come a trick at a time;
        ``draws``, as for :meth:`bayesbridge.Belief.infer`; ``rng``, where random
        numbers start (0).

    Returns
    -------
    pandas.DataFrame
        A row for each ``event``: ``N``, ``E``, ``S`` and ``W``, P(the seat holds the
        card); ``error``, about the largest standard error of these, 0 where they are
        ``exact``; and the ``method`` of the posterior.

    Raises
    ------
    BayesBridgeError
        If the card is in the observer's own hand.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKJ2.KJ3.A54.Q32").given(bb.Length("W", "S", 5, 6))
    >>> for row in bb.card_history(belief, "SQ").itertuples():
    ...     print(f"{row.event}: W {row.W:.1%}, E {row.E:.1%}")
    S's hand: W 33.3%, E 33.3%
    W has 5 to 6 cards in S: W 57.6%, E 21.2%
    """
    import pandas

    searched = Card.of(card)
    if searched in belief.hand:
        raise BayesBridgeError(
            f"{searched} is in {belief.observer.name}'s own hand: name another card",
            card=searched,
        )
    events = _events(belief, steps.get("by_card", False))
    walk = moments(belief, **steps)
    rows: list[dict[str, Any]] = []
    for number, (_, event) in enumerate(events, 1):
        if last is not None and number == len(events):
            posterior = last
        else:
            posterior = next(walk).posterior
        rows.append({"event": event, **_card_columns(posterior, searched)})
    return pandas.DataFrame(rows)


def _card_columns(posterior: Posterior, card: Card) -> dict[str, Any]:
    """Where a card lies at a moment, for a row of :func:`card_history`.

    That is exact where the posterior counts cards over all layouts, and where the card
    is in sight.
    """
    table = posterior.card_probabilities().sel(card=str(card))
    shares = {seat.name: min(1.0, float(table.sel(seat=seat.name))) for seat in Seat}
    is_known = not posterior.belief.constraints.unknown_mask & card.mask
    exact = posterior.counts_cards or is_known
    error = 0.0
    if not exact:
        largest_variance = max(share * (1.0 - share) for share in shares.values())
        # Where all draws agree, one in 3 / n draws may differ (the rule of three): two
        # standard errors.
        error = sqrt(largest_variance / posterior.ess) or 1.5 / posterior.ess
    return {**shares, "error": error, "exact": exact, "method": posterior.method}


class Spread(NamedTuple):
    """A whole number with chances: its mean, and where the middle of it lies.

    One case in ten lies below ``low``, one in ten above ``high``.
    """

    mean: float
    low: int
    high: int


class CallReading(NamedTuple):
    """What one call says of its caller's hand.

    It rests on the caller's own calls up to it and on the cards in sight. Where the
    call is so rare that too few layouts tell, ``points`` is ``None`` and all that
    follows is empty.
    """

    seat: Seat
    call: Call
    points: Spread | None
    lengths: Mapping[Suit, Spread] = MappingProxyType({})
    moved: tuple[Suit, ...] = ()
    """The suits whose mean length the call changed by half a card or more, first the
    most, long suits before short.
    """
    features: Mapping[str, float] = MappingProxyType({})
    """Shares of the hands that are balanced, have a suit of at most one card, or four
    cards in hearts, in spades or in either, or that control the suit of a control bid;
    mean number of aces, and after partner's 4NT of key cards of the agreed suit.
    """
    key_cards: tuple[float, ...] = ()
    """Chances of 0 to 5 key cards, where partner's 4NT asked for them."""

    @property
    def suit(self) -> Suit | None:
        """The suit that the call names."""
        strain = self.call.strain
        return None if strain is None else strain.trump

    @property
    def length(self) -> Spread | None:
        """The length of the suit that the call names."""
        return None if self.suit is None else self.lengths.get(self.suit)


def readings(belief: Belief, rng: Seed = 0) -> list[CallReading]:
    """Read every call of a hidden seat by the bidder model of a belief.

    Only auctions of four players are read.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "A432.K43.J54.Q32", dummy=None)
    >>> (reading,) = readings(belief.given(bb.Called("W", "1H")), 1)
    >>> reading.points.low, reading.points.high, reading.length.low
    (11, 16, 5)
    """
    if belief.dummy is not None:
        return []
    target = belief.target
    return read_calls(
        target.soft.terms, target.constraints, target.cost.most_layouts, rng
    )


class HiddenCall(NamedTuple):
    """A call of a hidden seat.

    ``likelihood`` and ``guide`` map hands of the seat to log P(call ∣ hand); the guide
    is a quicker approximation, or the same.
    """

    seat: int
    likelihood: CallLikelihood
    guide: Likelihood


def read_calls(
    terms: Iterable[LikelihoodTerm],
    known: Constraints,
    most: int = 400_000,
    rng: Seed = 0,
) -> list[CallReading]:
    """Read the calls of hidden seats among the terms of an evidence.

    Layouts that fit the hard evidence are drawn: 8 000, and up to ``most`` while some
    call is too rare to be read on them. ``Constraints.free()`` reads the calls for
    whoever sees no card.
    """
    calls = [
        HiddenCall(term.seats[0], term.call, term.guide)
        for term in terms
        if term.call is not None and term.seats[0] in known.hidden
    ]
    if not calls:
        return []
    generator = np.random.default_rng(rng)
    call_readings: list[CallReading] = []
    numbers_of_layouts = dict.fromkeys(min(n, most) for n in LAYOUTS_TRIED)
    for n in numbers_of_layouts:
        layouts = _draw_layouts(known, n, rng)
        call_readings = _read_on_layouts(calls, layouts, generator)
        all_are_read = all(reading.points is not None for reading in call_readings)
        if all_are_read:
            break
    return call_readings


def _draw_layouts(known: Constraints, n: int, rng: Seed) -> Masks:
    """(n, 4) uniform draws of the layouts that fit the hard evidence."""
    if len(known.hidden) == len(Seat):
        return ConditionTables.of(known).table.draw(n, rng)
    return LayoutIndex.of(known).draw(n, rng)


def _read_on_layouts(
    calls: Sequence[HiddenCall], layouts: Masks, generator: np.random.Generator
) -> list[CallReading]:
    """Read the calls in order on (n, 4) layouts.

    A model takes long, so layouts are thinned first: each stays with a chance in
    proportion to the *guide*, a quick approximation of P(the seat's calls so far ∣
    hand). Those that stay are weighted by the true P(these calls ∣ hand) over that
    chance.
    """
    guide_logs = np.zeros((len(layouts), len(Seat)))
    call_readings: list[CallReading] = []
    for number, call in enumerate(calls):
        seat = call.seat
        guide_logs[:, seat] += call.guide(layouts[:, seat])
        chance_to_stay = _chances_to_stay(guide_logs[:, seat])
        stays = np.flatnonzero(generator.random(len(layouts)) < chance_to_stay)
        hands = layouts[stays, seat]
        log_likelihood = np.zeros(len(hands))
        for call_so_far in calls[: number + 1]:
            if call_so_far.seat == seat:
                log_likelihood += call_so_far.likelihood(hands)
        log_weights = log_likelihood - np.log(chance_to_stay[stays])
        lengths_before = _mean_lengths_before(call_readings, seat, layouts)
        reading = _read_call(call.likelihood, hands, log_weights, lengths_before)
        call_readings.append(reading)
    return call_readings


def _chances_to_stay(guide_logs: Floats) -> Floats:
    """(n,) chances in proportion to the guide by which about ``THINNED`` hands stay."""
    weights = _relative_weights(guide_logs)
    return np.minimum(1.0, THINNED * weights / weights.sum())


def _relative_weights(log_weights: Floats) -> Floats:
    """(n,) weights of which the largest is 1, unless it is too small for a float."""
    largest = float(log_weights.max(initial=SMALLEST_LOG))
    return np.exp(log_weights - largest)


def _mean_lengths_before(
    call_readings: Sequence[CallReading], seat: int, layouts: Masks
) -> Sequence[float] | Floats:
    """Mean lengths of the suits by the latest reading of the seat that tells them.

    Without one they are those of all layouts.
    """
    for reading in reversed(call_readings):
        if reading.seat == seat and reading.lengths:
            return [reading.lengths[suit].mean for suit in Suit]
    return np.asarray(suit_lengths(layouts[:, seat]).mean(axis=0))


def _read_call(
    call: CallLikelihood,
    hands: Hands,
    log_weights: Floats,
    lengths_before: Sequence[float] | Floats,
) -> CallReading:
    """Read a call from (n,) hands with log weights.

    ``lengths_before`` are the mean lengths of the suits before the call. Only the seat
    and the call are told where the hands weigh too unevenly.
    """
    turn = Turn.of(call.auction, call.index)
    weights = _enough_weights(log_weights)
    if weights is None:
        return CallReading(turn.seat, turn.call, points=None)
    points = high_card_points(hands)
    lengths = suit_lengths(hands)  # (n, 4)
    length_spreads = {
        suit: _weighted_spread(lengths[:, suit], weights, HAND_CARDS) for suit in Suit
    }
    features = _features(hands, lengths) | _slam_features(call.model, turn, hands)
    key_card_chances: tuple[float, ...] = ()
    if "key_cards" in features:
        chances = np.bincount(features["key_cards"], weights, KEY_CARDS + 1)
        key_card_chances = tuple(chances.tolist())
    return CallReading(
        turn.seat,
        turn.call,
        points=_weighted_spread(points, weights, ALL_POINTS[-1]),
        lengths=length_spreads,
        moved=_moved_suits(length_spreads, lengths_before),
        features={name: float(weights @ column) for name, column in features.items()},
        key_cards=key_card_chances,
    )


def _slam_features(
    model: BidderModel, turn: Turn, hands: Hands
) -> dict[str, NDArray[Any]]:
    """(n,) arrays of what the call tells if it answers 4NT or is a control bid."""
    features: dict[str, NDArray[Any]] = {}
    trump = asked_trump(model, turn.before)
    if trump is not None:
        features["key_cards"] = np.bitwise_count(
            hands & np.uint64(key_card_mask(trump))
        )
    control_suit = controlled_suit(model, turn.before, turn.call)
    if control_suit is not None:
        features["control"] = controls(hands, control_suit)
    return features


def _weighted_spread(numbers: NDArray[Any], weights: Floats, most: int) -> Spread:
    """The spread of (n,) whole numbers from 0 to ``most`` with (n,) weights."""
    chances = np.bincount(numbers, weights, minlength=most + 1)
    return strength(chances)


def _enough_weights(log_weights: Floats) -> Floats | None:
    """(n,) weights adding up to one; ``None`` where their effective size is too small."""
    weights = _relative_weights(log_weights)
    total = float(weights.sum())
    if not total or total * total / float(weights @ weights) < ENOUGH:
        return None
    return weights / total


def _features(hands: Hands, lengths: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """(n,) arrays of what (n,) hands with (n, 4) suit lengths have."""
    doubletons = (lengths == 2).sum(axis=1)
    return {
        "balanced": (lengths.min(axis=1) > 1) & (doubletons < 2),
        "shortness": lengths.min(axis=1) < 2,
        "hearts_4": lengths[:, Suit.H] >= 4,
        "spades_4": lengths[:, Suit.S] >= 4,
        "major_4": lengths[:, [Suit.H, Suit.S]].max(axis=1) >= 4,
        "aces": np.bitwise_count(hands & np.uint64(ACES)),
    }


def _moved_suits(
    length_spreads: Mapping[Suit, Spread], lengths_before: Sequence[float] | Floats
) -> tuple[Suit, ...]:
    """The suits whose mean length changed, first the most, long suits before short."""
    change = {suit: length_spreads[suit].mean - lengths_before[suit] for suit in Suit}
    importance = {
        suit: max(change[suit], -WEIGHT_OF_SHORTENING * change[suit]) for suit in Suit
    }
    falling = sorted(Suit, key=lambda suit: -importance[suit])
    return tuple(suit for suit in falling if abs(change[suit]) >= MOVED)


def strength(shares: Sequence[float] | Floats) -> Spread:
    """Return the spread of a whole number with these chances of 0, 1, 2 and so on.

    >>> strength([0.25, 0.5, 0.25])
    Spread(mean=1.0, low=0, high=2)
    """
    chances = np.asarray(shares, np.float64)
    numbers = np.arange(len(chances))
    quantiles = np.searchsorted(np.cumsum(chances), np.array(TAILS) - ROUNDING)
    low, high = quantiles.clip(max=len(chances) - 1).tolist()
    return Spread(float(chances @ numbers), low, high)


class Moment(NamedTuple):
    """What is believed after an event."""

    event: str
    pieces: int
    """Pieces of evidence that are seen by then."""
    posterior: Posterior
    news: bool
    """Whether the event changed the posterior."""


class StepOptions(TypedDict, total=False):
    """How a belief is followed event by event."""

    by_card: bool
    draws: int | None
    rng: Seed


def moments(
    belief: Belief, *, by_card: bool = False, draws: int | None = None, rng: Seed = 0
) -> Iterator[Moment]:
    """Yield the posterior before any evidence, then after each event.

    An event is a piece of evidence; cards come a trick at a time unless ``by_card``.
    """
    events = _events(belief, by_card)
    # By how many pieces of evidence are seen: the belief then.
    beliefs = list(belief.history())
    posterior: Posterior | None = None
    for pieces_seen, event in with_progress("steps", events):
        belief_now = beliefs[pieces_seen]
        unchanged = None
        if posterior is not None:
            # The same posterior of the new belief, where the event tells nothing new.
            unchanged = posterior.rebind(belief_now)
        if unchanged is None:
            posterior = belief_now.infer(draws=draws, rng=rng, before=posterior)
        else:
            posterior = unchanged
        yield Moment(
            event, pieces=pieces_seen, posterior=posterior, news=unchanged is None
        )


def _events(belief: Belief, by_card: bool) -> list[tuple[int, str]]:
    """How many pieces are seen after each event, and what it is called.

    The first event is the hand. Of cards an event is a whole trick, or the last card
    before other evidence.
    """
    evidence = belief.evidence
    events = [(0, f"{belief.observer.name}'s hand")]
    cards_played = 0
    for number, piece in enumerate(evidence, 1):
        if by_card or not isinstance(piece, Play):
            events.append((number, str(piece)))
            continue
        cards_played += 1
        tricks, cards_in_trick = divmod(cards_played, CARDS_IN_TRICK)
        card_follows = number < len(evidence) and isinstance(evidence[number], Play)
        if cards_in_trick == 0:
            trick = belief.table.tricks[tricks - 1]
            events.append((number, f"trick {tricks}: {trick}"))
        elif not card_follows:
            events.append((number, str(piece)))
    return events
