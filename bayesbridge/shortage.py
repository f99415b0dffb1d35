"""Whether there is room for all that the calls show: cards of a suit, or points, beside
those in sight.

Each call is read by its caller's own calls and the cards in sight
(:mod:`bayesbridge.history`). Two such readings may promise together what one deal cannot
hold; the posterior then believes some of them less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.systems import SystemBidder
from bayesbridge.calls import PASS, Call
from bayesbridge.cards import Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.history import CallReading, Spread
from bayesbridge.words import SEATS, STRAINS

SUIT_CARDS: Final = 13
DECK_POINTS: Final = 40

LEAST_CARDS: Final = 3
"""Cards of a suit that nine callers in ten must have for a call to show the suit."""

LEAST_POINTS: Final = 6
"""The same of points for a call to show strength."""

NOTABLE_CARDS: Final = 1.0
"""Cards by which a reading and the posterior mean differ where it is said."""


@dataclass(frozen=True, slots=True)
class Shortage:
    """Calls that show as much of a suit, or as many points, as there is beside the
    cards in sight, so that nothing remains for another hidden hand.
    """

    suit: Suit | None  #: ``None`` for high-card points.
    calls: tuple[tuple[Seat, Call], ...]  #: The first call of each seat that shows it.
    shown: int  #: What the callers have together, nine in ten of each.
    in_sight: int  #: What the observer sees.
    meaning: str  #: What the callers play, such as ``sayc``.

    @property
    def sentence(self) -> str:
        """The shortage in words, such as *1S and 2NT need 9 spades, you see 4*."""
        calls = " and ".join(str(call) for _, call in self.calls)
        verb = "need" if len(self.calls) > 1 else "needs"
        unit = "points" if self.suit is None else STRAINS[self.suit.name]
        need = f"{calls} {verb} {self.shown} {unit}, you see {self.in_sight}"
        return f"The auction hardly fits {self.meaning}: {need}."

    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "suit": None if self.suit is None else self.suit.name,
            "calls": [f"{seat.name}:{call}" for seat, call in self.calls],
            "shown": self.shown,
            "in_sight": self.in_sight,
            "sentence": self.sentence,
        }


def shortages(belief: Belief, read: Sequence[CallReading]) -> list[Shortage]:
    """The suits, and the points, of which the calls show more than there can be.

    Parameters
    ----------
    belief : Belief
        What the observer knows.
    read : sequence of CallReading
        How the calls were read, by :func:`bayesbridge.history.readings`.

    Returns
    -------
    list of Shortage
        Empty where all that the calls show finds room.
    """
    quantities = (*reversed(Suit), None)
    possible = (_shortage(belief, read, suit) for suit in quantities)
    return [shortage for shortage in possible if shortage is not None]


def _shortage(
    belief: Belief, read: Sequence[CallReading], suit: Suit | None
) -> Shortage | None:
    """The shortage of a suit, or of points."""
    known = belief.constraints
    visible = [Hand(known.must[seat]) for seat in Seat if seat not in known.hidden]
    total = DECK_POINTS if suit is None else SUIT_CARDS
    least = LEAST_POINTS if suit is None else LEAST_CARDS
    in_sight = sum(_amount(hand, suit) for hand in visible)
    calls: list[tuple[Seat, Call]] = []
    shown = 0
    for seat in map(Seat, known.hidden):
        showing = _showing_call(_bids_of(read, seat), suit)
        if showing is not None and showing[1] >= least:
            calls.append((seat, showing[0]))
            shown += showing[1]
    room = total - in_sight
    others_have_none = shown == room and len(calls) < len(known.hidden)
    if not calls or not (shown > room or others_have_none):
        return None
    order = [(reading.seat, reading.call) for reading in read]
    calls.sort(key=order.index)
    return Shortage(suit, tuple(calls), shown, in_sight, _meaning(belief, calls))


def _amount(hand: Hand, suit: Suit | None) -> int:
    """A hand's cards of the suit, or its points."""
    return hand.points if suit is None else hand.length(suit)


def _bids_of(read: Sequence[CallReading], seat: Seat) -> list[CallReading]:
    """What the calls of a seat show that are no passes and not too rare to read."""
    return [
        reading
        for reading in read
        if reading.seat == seat and reading.call != PASS and reading.points is not None
    ]


def _showing_call(
    bids: Sequence[CallReading], suit: Suit | None
) -> tuple[Call, int] | None:
    """How much the bids of a seat show in the end, and the first that shows it."""
    lows = [_spread(reading, suit).low for reading in bids]
    if not lows:
        return None
    first = next(place for place, low in enumerate(lows) if low >= lows[-1])
    return bids[first].call, lows[-1]


def _spread(reading: CallReading, suit: Suit | None) -> Spread:
    spread = reading.points if suit is None else reading.lengths[suit]
    assert spread is not None
    return spread


def _meaning(belief: Belief, calls: Iterable[tuple[Seat, Call]]) -> str:
    """What the callers play, as far as it is known."""
    seats = {seat.name for seat, _ in calls}
    bidder = belief.bidder
    agreements = bidder.systems if isinstance(bidder, SystemBidder) else ()
    names = [
        agreement.system.name
        for agreement in agreements
        if agreement.side is None or seats & set(agreement.side)
    ]
    return " and ".join(names) or "what experts show by it"


def length_changes(posterior: Posterior, read: Sequence[CallReading]) -> list[str]:
    """Where the posterior mean of a suit is far from what the caller's own calls show,
    in sentences.

    Only suits that a call changed most count, which a table of readings shows.
    """
    means = posterior.length_table @ range(SUIT_CARDS + 1)
    sentences = []
    for seat in map(Seat, posterior.belief.constraints.hidden):
        bids = _bids_of(read, seat)
        told_suits = {suit for reading in bids for suit in reading.moved[:2]}
        for suit in sorted(told_suits, reverse=True):
            by_own_calls = _spread(bids[-1], suit).mean
            mean = float(means[seat, suit])
            if abs(mean - by_own_calls) >= NOTABLE_CARDS:
                sentences.append(
                    f"By all calls and cards together {SEATS[seat.name]} has "
                    f"{mean:.1f} {STRAINS[suit.name]}, not {by_own_calls:.1f}."
                )
    return sentences
