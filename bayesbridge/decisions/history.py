"""How a belief sharpens, event by event, and how each call was read (:func:`readings`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, Unpack

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import Turn
from bayesbridge.bidders.slam_calls import asked_trump, controlled_suit
from bayesbridge.bidders.statements import controls, key_card_mask
from bayesbridge.engines.conditions import ConditionTables
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.target import CallLikelihood, LikelihoodTerm
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer import capture_tricks
from bayesbridge.estimators.outlook import outlook
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import Play
from bayesbridge.game.calls import Call, Contract
from bayesbridge.game.cards import Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, high_card_points, suit_lengths
from bayesbridge.runtime.progress import with_progress
from bayesbridge.runtime.random64 import Seed

if TYPE_CHECKING:
    import pandas


def sharpening(
    belief: Belief,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    contract: Contract | str | None = None,
    level: int | None = None,
    **steps: Unpack[StepOptions],
) -> pandas.DataFrame:
    """A row for the belief before any evidence, then one after each piece; cards come a
    trick at a time.

    Columns: ``event``; ``layouts`` (exact, as Python ints); ``method`` and ``exact``;
    ``entropy_bits`` of the posterior; ``qualified``, P(both conditions hold);
    ``T_mean``, with 0 where they fail; ``T_mean_qualified``, given that they hold;
    ``T_at_least``, P(T ≥ 6 + level); ``points_N`` … ``points_W``, mean high-card points
    of the hands; ``made`` with its ``made_error``, P(the contract makes), ``nan``
    without a contract, and ``made_basis``: ``network``, double dummy from the deal by the
    network ``tricks``; ``solved``, from that moment on over all layouts, where few are
    left and the plugin bayesbridge-double-dummy is installed; ``settled`` by the tricks
    taken. The contract is that of the
    auction once it is over, unless ``contract`` names one, such as ``"3NT by S"``; the
    level is that of the contract, else 1. ``steps``: ``by_card`` gives every card its
    own row; ``draws`` (as for ``infer``), ``rng`` (0).

    >>> import bayesbridge as bb
    >>> table = sharpening(Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "J54.AQ2.KQ76.A54")), level=5)
    >>> [f"{row.event}: {row.entropy_bits:.1f} bits, T ≥ 11 {row.T_at_least:.0%}" for row in table.itertuples()]
    ["S's hand: 56.2 bits, T ≥ 11 28%", 'N shows J54.AQ2.KQ76.A54: 23.3 bits, T ≥ 11 100%']
    """
    import pandas

    goal = belief.table.contract if contract is None else Contract.of(contract)
    level = (1 if goal is None else goal.level) if level is None else level
    if level not in range(1, 8):
        raise BayesBridgeError(
            f"level {level!r}: a contract is at level 1 to 7", level=level
        )
    rows: list[dict[str, Any]] = []
    rng = steps.get("rng", 0)
    for event, _, posterior, news in moments(belief, **steps):
        found = rows[-1] if rows else {}
        if news:
            tricks, points = (
                capture_tricks(posterior, pair, rng),
                posterior.point_table @ range(38),
            )
            found = {
                "layouts": posterior.count(),
                "method": posterior.method_of(counted=tricks.exact),
                "exact": tricks.exact and posterior.log_marginal_error == 0.0,
                "entropy_bits": posterior.entropy_bits,
                "qualified": tricks.holds,
                "T_mean": float(tricks.mean[0]),
                "T_mean_qualified": nan
                if tricks.mean_if_held is None
                else tricks.mean_if_held,
                "T_at_least": tricks.at_least(6 + level),
                **{f"points_{seat.name}": float(points[seat]) for seat in Seat},
            }
        made = _made_columns(posterior, goal, rng)
        rows.append({**found, **made, "event": event})
    table = pandas.DataFrame(
        rows, columns=["event", *(name for name in rows[0] if name != "event")]
    )
    table.attrs = {
        "level": level,
        "contract": "" if goal is None else str(goal),
        "players": 3 + (belief.dummy is None),
    }
    return table


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
    """Where a card lies: a row for the belief before any evidence, then one after each
    piece.

    Columns: ``event``; ``N``, ``E``, ``S``, ``W``, P(the seat holds the card);
    ``error``, about the largest standard error of these, 0 where they are ``exact``;
    ``method``. ``last`` is the posterior of the belief, where it has been inferred.
    ``steps`` as in :func:`sharpening`.

    >>> import bayesbridge as bb
    >>> belief = Belief("S", "AKJ2.KJ3.A54.Q32").given(bb.Length("W", "S", 5, 6))
    >>> [f"{row.event}: W {row.W:.1%}, E {row.E:.1%}" for row in card_history(belief, "SQ").itertuples()]
    ["S's hand: W 33.3%, E 33.3%", 'W has 5 to 6 cards in S: W 57.6%, E 21.2%']
    """
    import pandas

    named = Card.of(card)
    if named in belief.hand:
        raise BayesBridgeError(
            f"{named} is in {belief.observer.name}'s own hand: name another card",
            card=named,
        )
    rows: list[dict[str, Any]] = []
    events, walk = (
        _events(belief, steps.get("by_card", False)),
        moments(belief, **steps),
    )
    for number, (_, event) in enumerate(events, 1):
        posterior = (
            last if last is not None and number == len(events) else next(walk).posterior
        )
        places = posterior.card_probabilities().sel(card=str(named))
        shares = {
            seat.name: min(1.0, float(places.sel(seat=seat.name))) for seat in Seat
        }
        exact = (
            posterior.counts_cards
            or not posterior.belief.constraints.unknown_mask & named.mask
        )
        spread = max(share * (1.0 - share) for share in shares.values())
        error = (
            0.0 if exact else sqrt(spread / posterior.ess) or 1.5 / posterior.ess
        )  # the rule of three
        rows.append(
            {
                "event": event,
                **shares,
                "error": error,
                "exact": exact,
                "method": posterior.method,
            }
        )
    return pandas.DataFrame(rows)


class Spread(NamedTuple):
    """A whole number: its mean, and the numbers below and above which one case in ten
    lies each.
    """

    mean: float
    low: int
    high: int


class CallReading(NamedTuple):
    """What one call says of its caller's hand, by the caller's own calls up to it and
    the cards in sight.

    Where the call is so rare that too few layouts tell, ``points`` is ``None`` and the
    rest is empty.
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
        return None if self.call.strain is None else self.call.strain.trump

    @property
    def length(self) -> Spread | None:
        return None if self.suit is None else self.lengths.get(self.suit)


def readings(belief: Belief, rng: Seed = 0) -> list[CallReading]:
    """How every call of a hidden seat in an auction of four players was read by the
    bidder model.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "A432.K43.J54.Q32", dummy=None).given(bb.Called("W", "1H"))
    >>> [(one.points.low, one.points.high, one.length.low) for one in readings(belief, 1)]
    [(11, 16, 5)]
    """
    if belief.dummy is not None:
        return []
    target = belief.target
    return read_calls(
        target.soft.terms, target.constraints, target.cost.most_layouts, rng
    )


def read_calls(
    terms: Iterable[LikelihoodTerm],
    known: Constraints,
    most: int = 400_000,
    rng: Seed = 0,
) -> list[CallReading]:
    """The same of the calls of hidden seats among some terms; ``Constraints.free()``:
    for whoever sees no card.

    Layouts that fit the hard evidence are drawn, thinned by what the guide says of the
    seat's calls so far, and weighted by the likelihood of these: 8 000, and up to
    ``most`` while some reading has too few effective ones.
    """
    calls = [
        (term, term.call)
        for term in terms
        if term.call is not None and term.seats[0] in known.hidden
    ]
    kept: list[CallReading] = []
    generator = np.random.default_rng(rng)
    for n in (
        dict.fromkeys(min(n, most) for n in (8_000, 60_000, 400_000)) if calls else ()
    ):
        layouts = (
            ConditionTables.of(known).table
            if len(known.hidden) == 4
            else LayoutIndex.of(known)
        ).draw(n, rng)
        logs, kept = np.zeros((n, 4)), []
        for number, (term, call) in enumerate(calls):
            seat = term.seats[0]
            logs[:, seat] += term.guide(layouts[:, seat])
            weights = np.exp(logs[:, seat] - max(float(logs[:, seat].max()), -700.0))
            share = np.minimum(1.0, THINNED * weights / weights.sum())
            some = np.flatnonzero(generator.random(n) < share)
            hands = layouts[some, seat]
            so_far = [one for of, one in calls[: number + 1] if of.seats[0] == seat]
            chances = sum(
                (one(hands) for one in so_far), np.zeros(len(hands))
            ) - np.log(share[some])
            before = next(
                (
                    one.lengths
                    for one in reversed(kept)
                    if one.seat == seat and one.lengths
                ),
                None,
            )
            means = (
                [before[suit].mean for suit in Suit]
                if before
                else suit_lengths(layouts[:, seat]).mean(axis=0)
            )
            kept.append(_reading(call, hands, chances, means))
        if all(one.points is not None for one in kept):
            break
    return kept


KEY_CARDS: Final = 5
THINNED, ENOUGH = 4000, 100
"""Hands, about, whose likelihood is evaluated for a reading, and the effective sample
size that it needs.
"""


def _reading(
    made: CallLikelihood, hands: Hands, logs: Floats, before: Sequence[float] | Floats
) -> CallReading:
    """What hands with these log weights show, and which suits have other mean lengths
    than ``before`` the call.
    """
    seat, call = made.auction.bidders[made.index % 4], made.auction.calls[made.index]
    weights = np.exp(logs - max(float(logs.max(initial=-700.0)), -700.0))
    total = float(weights.sum())
    if not total or total * total / float(weights @ weights) < ENOUGH:
        return CallReading(seat, call, None)
    weights = weights / total
    lengths = suit_lengths(hands)
    spreads = {
        suit: strength(np.bincount(lengths[:, suit], weights, 14)) for suit in Suit
    }
    change = {suit: spreads[suit].mean - before[suit] for suit in Suit}
    # A two-suiter is told by its suits, not by what it is short of.
    order = sorted(Suit, key=lambda one: -max(change[one], -0.6 * change[one]))
    moved = tuple(suit for suit in order if abs(change[suit]) >= 0.5)
    aces = sum(1 << 13 * suit + 12 for suit in Suit)
    features = {
        "balanced": (lengths.min(axis=1) > 1) & ((lengths == 2).sum(axis=1) < 2),
        "shortness": lengths.min(axis=1) < 2,
        "hearts_4": lengths[:, Suit.H] >= 4,
        "spades_4": lengths[:, Suit.S] >= 4,
        "major_4": lengths[:, [Suit.H, Suit.S]].max(axis=1) >= 4,
        "aces": np.bitwise_count(hands & np.uint64(aces)),
    }
    turn = Turn.of(made.auction, made.index)
    key_cards: tuple[float, ...] = ()
    trump = asked_trump(made.model, turn.before)
    if trump is not None:
        held = np.bitwise_count(hands & np.uint64(key_card_mask(trump)))
        features["key_cards"] = held
        key_cards = tuple(np.bincount(held, weights, KEY_CARDS + 1).tolist())
    controlled = controlled_suit(made.model, turn.before, turn.call)
    if controlled is not None:
        features["control"] = controls(hands, controlled)
    shares = {name: float(weights @ values) for name, values in features.items()}
    points = strength(np.bincount(high_card_points(hands), weights, 38))
    return CallReading(seat, call, points, spreads, moved, shares, key_cards)


def strength(shares: Sequence[float] | Floats) -> Spread:
    """Of a whole number with these chances of 0, 1, 2, …

    >>> strength([0.25, 0.5, 0.25])
    Spread(mean=1.0, low=0, high=2)
    """
    chances = np.asarray(shares, np.float64)
    low, high = (
        np.searchsorted(np.cumsum(chances), (0.1 - 1e-9, 0.9 - 1e-9))
        .clip(max=len(chances) - 1)
        .tolist()
    )
    return Spread(float(chances @ np.arange(len(chances))), low, high)


class Moment(NamedTuple):
    """What happened last, how many pieces were seen, what is believed then, and whether
    that is news.
    """

    event: str
    pieces: int
    posterior: Posterior
    news: bool


class StepOptions(TypedDict, total=False):
    by_card: bool
    draws: int | None
    rng: Seed


def moments(
    belief: Belief, *, by_card: bool = False, draws: int | None = None, rng: Seed = 0
) -> Iterator[Moment]:
    """The posterior before any evidence, then after each piece; cards come a trick at a
    time unless ``by_card``.
    """
    events, history = _events(belief, by_card), list(belief.history())
    posterior: Posterior | None = None
    for pieces, event in with_progress("steps", events):
        same = None if posterior is None else posterior.rebind(history[pieces])
        posterior = (
            history[pieces].infer(draws=draws, rng=rng, before=posterior)
            if same is None
            else same
        )
        yield Moment(event, pieces, posterior, same is None)


def _events(belief: Belief, by_card: bool) -> list[tuple[int, str]]:
    """How many pieces are seen after each event, the first of which is the hand, and
    what it is called.
    """
    found = [(0, f"{belief.observer.name}'s hand")]
    evidence, cards = belief.evidence, 0
    for number, piece in enumerate(evidence, 1):
        event = str(piece)
        if isinstance(piece, Play):
            cards += 1
            if not by_card and not cards % 4:
                event = f"trick {cards // 4}: {belief.table.tricks[cards // 4 - 1]}"
            elif (
                not by_card
                and number < len(evidence)
                and isinstance(evidence[number], Play)
            ):
                continue
        found.append((number, event))
    return found
