"""How a belief sharpens: entropy, captures, the chance of the contract and the place of a card, event by event.

Also how each call was read (:func:`readings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.answer import capture_tricks
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.calls import Call, Contract
from bayesbridge.cards import HIGH_CARD_POINTS, Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.tables import sample
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.evaluate import Progress
from bayesbridge.estimators.odds import network_odds
from bayesbridge.evidence import Play
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed

if TYPE_CHECKING:
    import pandas

type Floats = NDArray[np.float64]


def sharpening(
    belief: Belief,
    *,
    pair: str | tuple[Seat | str, Seat | str] | None = None,
    contract: Contract | str | None = None,
    level: int | None = None,
    by_card: bool = False,
    draws: int = 20_000,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> pandas.DataFrame:
    """A row for the belief before any evidence, then one after each piece; cards come a trick at a time.

    Where nothing was learned, as by a call of the observer, the row is the same again.

    Columns: ``event``; ``layouts`` (exact, as Python ints); ``method`` and ``exact``; ``entropy_bits`` of the
    posterior; ``qualified``, P(both conditions hold); ``T_mean``, with 0 where they fail; ``T_mean_qualified``, given
    that they hold; ``T_at_least``, P(T ≥ 6 + level); ``points_N`` … ``points_W``, mean high-card points of the hands;
    ``made`` with its ``made_error``, P(the contract makes) double dummy by the network ``tricks``, ``nan`` without a
    contract. The contract is that of the auction once it is over, unless ``contract`` names one, such as
    ``"3NT by S"``; the level is that of the contract, else 1. ``by_card`` gives
    every card its own row.

    >>> import bayesbridge as bb
    >>> table = sharpening(Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Reveal("N", "J54.AQ2.KQ76.A54")), level=5)
    >>> [f"{row.event}: {row.entropy_bits:.1f} bits, T ≥ 11 {row.T_at_least:.0%}" for row in table.itertuples()]
    ["S's hand: 56.2 bits, T ≥ 11 28%", 'N shows J54.AQ2.KQ76.A54: 23.3 bits, T ≥ 11 100%']
    """
    import pandas

    goal = None if belief.auction is None else belief.auction.contract
    goal = goal if contract is None else Contract.of(contract)
    level = (1 if goal is None else goal.level) if level is None else level
    if level not in range(1, 8):
        raise BayesBridgeError(f"level {level!r}: a contract is at level 1 to 7", level=level)
    rows: list[dict[str, Any]] = []
    for event, _, posterior, news in moments(belief, by_card=by_card, draws=draws, rng=rng, progress=progress):
        found = rows[-1] if rows else {}
        if news:
            made = (nan, nan) if goal is None else network_odds(posterior, goal, rng).make
            found = {**_believed(posterior, pair, level, rng), "made": made[0], "made_error": made[1]}
        rows.append({**found, "event": event})
    table = pandas.DataFrame(rows, columns=["event", *(name for name in rows[0] if name != "event")])
    table.attrs = {"level": level, "contract": "" if goal is None else str(goal), "players": 3 + (belief.dummy is None)}
    return table


def card_history(
    belief: Belief,
    card: Card | str,
    *,
    by_card: bool = False,
    draws: int = 20_000,
    rng: Seed = 0,
    progress: Progress | None = None,
    last: Posterior | None = None,
) -> pandas.DataFrame:
    """Where a card lies: a row for the belief before any evidence, then one after each piece.

    Columns: ``event``; ``N``, ``E``, ``S``, ``W``, P(the seat holds the card); ``error``, about the largest standard
    error of these, 0 where they are ``exact``; ``method``. Cards come a trick at a time unless ``by_card``. ``last`` is
    the posterior of the belief, where it has been inferred: the last row is taken from it.

    >>> import bayesbridge as bb
    >>> belief = Belief("S", "AKJ2.KJ3.A54.Q32").given(bb.Length("W", "S", 5, 6))
    >>> [f"{row.event}: W {row.W:.1%}, E {row.E:.1%}" for row in card_history(belief, "SQ").itertuples()]
    ["S's hand: W 33.3%, E 33.3%", 'W has 5 to 6 cards in S: W 57.6%, E 21.2%']
    """
    import pandas

    named = Card.of(card)
    if named in belief.hand:
        raise BayesBridgeError(f"{named} is in {belief.observer.name}'s own hand: name another card", card=named)
    rows: list[dict[str, Any]] = []
    names = [f"{belief.observer.name}'s hand", *(event for _, event in _events(belief, by_card))]
    steps = moments(belief, by_card=by_card, draws=draws, rng=rng, progress=progress)
    for event in names:
        posterior = last if last is not None and len(rows) == len(names) - 1 else next(steps).posterior
        places = posterior.card_probabilities().sel(card=str(named))
        shares = {seat.name: min(1.0, float(places.sel(seat=seat.name))) for seat in Seat}
        exact = posterior.counts_cards or not posterior.belief.constraints.unknown_mask & named.mask
        spread = max(share * (1.0 - share) for share in shares.values())
        error = 0.0 if exact else sqrt(spread / posterior.ess) or 1.5 / posterior.ess  # the rule of three
        rows.append({"event": event, **shares, "error": error, "exact": exact, "method": posterior.method})
    return pandas.DataFrame(rows)


class Spread(NamedTuple):
    """A whole number: its mean, and the numbers below and above which one case in ten lies each."""

    mean: float
    low: int
    high: int


class CallReading(NamedTuple):
    """What one call says of its caller's hand, by the caller's own calls up to it and the cards in sight."""

    seat: Seat
    call: Call
    points: Spread | None
    """High-card points; ``None`` where the call is so rare that too few layouts tell."""
    suit: Suit | None
    """The suit that the call names."""
    length: Spread | None
    """Its length."""


def readings(belief: Belief, rng: Seed = 0) -> list[CallReading]:
    """How every call of a hidden seat in an auction of four players was read by the bidder model.

    Layouts that fit the hard evidence are drawn and weighted by the likelihood of the seat's calls so far, first
    8 000 and, where these are worth fewer than ``ENOUGH``, 32 000; fewer where the model is slow.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "A432.K43.J54.Q32", dummy=None).given(bb.Called("W", "1H"))
    >>> [(one.points.low, one.points.high, one.length.low) for one in readings(belief, 1)]
    [(11, 16, 5)]
    """
    if belief.dummy is not None:
        return []
    known = belief.target.constraints
    terms = belief.target.soft.terms
    calls = [(term, term.call) for term in terms if term.call is not None and term.seats[0] in known.hidden]
    kept: list[CallReading] = []
    most = belief.target.cost.most_layouts
    for n in dict.fromkeys(min(n, most) for n in (8_000, 32_000)) if calls else ():
        layouts = sample(known, n, rng)
        logs = np.zeros((n, 4))
        kept = []
        for term, call in calls:
            seat = term.seats[0]
            logs[:, seat] += call(layouts[:, seat])
            kept.append(_reading(Seat(seat), call.auction.calls[call.index], layouts[:, seat], logs[:, seat]))
        if all(one.points is not None for one in kept):
            break
    return kept


ENOUGH: Final = 100
"""Independent layouts that a reading must be worth."""


def _reading(seat: Seat, call: Call, hands: Masks, logs: Floats) -> CallReading:
    suit = None if call.strain is None else call.strain.trump
    weights = np.exp(logs - max(float(logs.max()), -700.0))
    total = float(weights.sum())
    if not total or total * total / float(weights @ weights) < ENOUGH:
        return CallReading(seat, call, None, suit, None)
    bits = hands[:, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)

    def spread(cards: NDArray[np.int64], most: int) -> Spread:
        counts = (bits @ cards.astype(np.uint64)).astype(np.int64)
        return Spread(*strength((np.bincount(counts, weights, minlength=most + 1) / total).tolist()))

    points = np.tile(np.array(HIGH_CARD_POINTS), 4)
    length = None if suit is None else spread((np.arange(52) // 13 == suit).astype(np.int64), 13)
    return CallReading(seat, call, spread(points, 37), suit, length)


def strength(shares: Sequence[float]) -> tuple[float, int, int]:
    """Mean of a whole number, and the numbers below and above which one case in ten lies each.

    >>> strength([0.25, 0.5, 0.25])
    (1.0, 0, 2)
    """
    mean = sum(points * share for points, share in enumerate(shares))
    so_far = list(accumulate(shares))
    low, high = (
        next((n for n, total in enumerate(so_far) if total >= edge - 1e-9), len(so_far) - 1) for edge in (0.1, 0.9)
    )
    return mean, low, high


class Moment(NamedTuple):
    """One step of a history: what happened last, how many pieces were seen, and what is believed then.

    ``news``: whether anything was learned since the step before; without, the posterior has the same draws.
    """

    event: str
    pieces: int
    posterior: Posterior
    news: bool


def moments(
    belief: Belief, *, by_card: bool = False, draws: int = 20_000, rng: Seed = 0, progress: Progress | None = None
) -> Iterator[Moment]:
    """The posterior before any evidence, then after each piece; cards come a trick at a time unless ``by_card``.

    >>> import bayesbridge as bb
    >>> [moment.event for moment in moments(Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H")))]
    ["S's hand", 'E is void in H']
    """
    events = [(0, f"{belief.observer.name}'s hand"), *_events(belief, by_card)]
    history = list(belief.history())
    posterior: Posterior | None = None
    for number, (pieces, event) in enumerate(events, 1):
        same = None if posterior is None else posterior.rebind(history[pieces])
        posterior = history[pieces].infer(draws=draws, rng=rng, before=posterior) if same is None else same
        yield Moment(event, pieces, posterior, same is None)
        if progress is not None:
            progress(number, len(events))


def _events(belief: Belief, by_card: bool) -> Iterator[tuple[int, str]]:
    """How many pieces are seen after each event, and what it is called."""
    evidence = belief.evidence
    tricks = iter(belief.tricks)
    cards = 0
    for number, piece in enumerate(evidence, 1):
        if isinstance(piece, Play):
            cards += 1
            more = number < len(evidence) and isinstance(evidence[number], Play)
            if cards % 4 == 1:
                trick = next(tricks)
            if by_card:
                yield number, str(piece)
            elif cards % 4 == 0 or not more:
                yield number, f"trick {(cards + 3) // 4}: {trick}" if cards % 4 == 0 else str(piece)
        else:
            yield number, str(piece)


def _believed(
    posterior: Posterior, pair: str | tuple[Seat | str, Seat | str] | None, level: int, rng: Seed
) -> dict[str, Any]:
    tricks = capture_tricks(posterior, pair, rng)
    points = posterior.point_table @ range(38)
    return {
        "layouts": posterior.count(),
        "method": posterior.method_of(counted=tricks.exact),
        "exact": tricks.exact and posterior.draws.log_marginal_error == 0.0,
        "entropy_bits": posterior.entropy_bits,
        "qualified": tricks.holds,
        "T_mean": tricks.mean,
        "T_mean_qualified": nan if tricks.mean_if_held is None else tricks.mean_if_held,
        "T_at_least": tricks.at_least(6 + level),
        **{f"points_{seat.name}": float(points[seat]) for seat in Seat},
    }
