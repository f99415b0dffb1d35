"""Whether there is room for all that the calls show.

Cards of a suit, or points, beside those in sight.

Each call is read by its caller's own calls and the cards in sight
(:mod:`bayesbridge.decisions.history`). Two such readings may promise together what one
deal cannot hold; the posterior then believes some of them less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.decisions.history import CallReading, Spread
from bayesbridge.display.words import SEATS, STRAINS
from bayesbridge.game.calls import PASS, Call
from bayesbridge.game.cards import Hand, Suit
from bayesbridge.game.deal import Seat

SUITS_IN_READINGS: Final = 2
"""Suits that the table of readings shows for a call."""

NOTABLE_CARDS: Final = 1.0
"""Cards by which a reading and the posterior mean differ where it is said."""


class DeckQuantity(Protocol):
    """Something that calls show and of which a deck has a fixed amount."""

    @property
    def unit(self) -> str:
        """Its plural, such as ``spades``."""

    @property
    def total(self) -> int:
        """What the deck has."""

    @property
    def least(self) -> int:
        """What nine callers in ten must have for a call to show it."""

    def of_hand(self, hand: Hand) -> int:
        """What a hand has."""

    def of_reading(self, reading: CallReading) -> Spread:
        """What a caller has, by the reading of a call."""


@dataclass(frozen=True, slots=True)
class SuitCards:
    """The cards of a suit."""

    suit: Suit
    total: int = 13
    least: int = 3

    @property
    def unit(self) -> str:
        """The suit, such as ``spades``."""
        return STRAINS[self.suit.name]

    def of_hand(self, hand: Hand) -> int:
        """The length of the suit in a hand."""
        return hand.length(self.suit)

    def of_reading(self, reading: CallReading) -> Spread:
        """The length that a caller has, by the reading of a call."""
        return reading.lengths[self.suit]


@dataclass(frozen=True, slots=True)
class DeckPoints:
    """High-card points."""

    unit: str = "points"
    total: int = 40
    least: int = 6

    def of_hand(self, hand: Hand) -> int:
        """The points of a hand."""
        return hand.points

    def of_reading(self, reading: CallReading) -> Spread:
        """The points that a caller has, by the reading of a call."""
        assert reading.points is not None
        return reading.points


QUANTITIES: Final[tuple[DeckQuantity, ...]] = (
    *map(SuitCards, reversed(Suit)),
    DeckPoints(),
)


@dataclass(frozen=True, slots=True)
class Shortage:
    """Calls that leave nothing of a suit, or no points, for another hidden hand.

    They show as much as there is beside the cards in sight, or more.
    """

    quantity: DeckQuantity  #: Cards of a suit, or points.
    calls: tuple[tuple[Seat, Call], ...]  #: The first call of each seat that shows it.
    shown: int  #: What the callers have together, nine in ten of each.
    in_sight: int  #: What the observer sees.
    meaning: str  #: What the callers play, such as ``sayc``.

    @property
    def sentence(self) -> str:
        """The shortage in words, such as *1S and 2NT need 9 spades, you see 4*."""
        calls = " and ".join(str(call) for _, call in self.calls)
        verb = "need" if len(self.calls) > 1 else "needs"
        need = f"{calls} {verb} {self.shown} {self.quantity.unit}"
        fault = f"{need}, you see {self.in_sight}"
        return f"The auction hardly fits {self.meaning}: {fault}."

    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "quantity": self.quantity.unit,
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
        How the calls were read, by :func:`bayesbridge.decisions.history.readings`.

    Returns
    -------
    list of Shortage
        Empty where all that the calls show finds room.
    """
    possible = (_shortage(belief, read, quantity) for quantity in QUANTITIES)
    return [shortage for shortage in possible if shortage is not None]


def _shortage(
    belief: Belief, readings: Sequence[CallReading], quantity: DeckQuantity
) -> Shortage | None:
    """The shortage of a suit, or of points; ``None`` where there is room.

    Callers show more than the room that the cards in sight leave, or exactly as much
    while some other hidden hand is then left without any.
    """
    hidden = belief.constraints.hidden
    known_cards = belief.constraints.must
    in_sight = sum(
        quantity.of_hand(Hand(known_cards[seat])) for seat in Seat if seat not in hidden
    )
    shown = 0
    showing: list[CallReading] = []
    for seat in map(Seat, hidden):
        bids = _bids_of(readings, seat)
        if not bids:
            continue
        last_bid = bids[-1]  # read from all the seat's calls up to it
        amount = quantity.of_reading(last_bid).low
        if amount >= quantity.least:
            showing.append(_first_showing(bids, quantity, amount))
            shown += amount
    room = quantity.total - in_sight
    leaves_others_none = shown == room and len(showing) < len(hidden)
    is_short = shown > room or leaves_others_none
    if not showing or not is_short:
        return None
    showing.sort(key=readings.index)
    calls = tuple((reading.seat, reading.call) for reading in showing)
    return Shortage(
        quantity=quantity,
        calls=calls,
        shown=shown,
        in_sight=in_sight,
        meaning=_meaning(belief, calls),
    )


def _bids_of(readings: Sequence[CallReading], seat: Seat) -> list[CallReading]:
    """The readings of a seat's calls that are no passes and not too rare to read."""
    return [
        reading
        for reading in readings
        if reading.seat == seat and reading.call != PASS and reading.points is not None
    ]


def _first_showing(
    bids: Sequence[CallReading], quantity: DeckQuantity, amount: int
) -> CallReading:
    """The first bid of a seat that shows so much."""
    return next(bid for bid in bids if quantity.of_reading(bid).low >= amount)


def _meaning(belief: Belief, calls: Iterable[tuple[Seat, Call]]) -> str:
    """What the callers play, as far as it is known."""
    if not isinstance(belief.bidder, SystemBidder):
        return "what experts show by it"
    seats = {seat.name for seat, _ in calls}
    names = [
        agreement.system.name
        for agreement in belief.bidder.systems
        if agreement.side is None or seats & set(agreement.side)
    ]
    return " and ".join(names) or "what experts show by it"


def length_changes(posterior: Posterior, read: Sequence[CallReading]) -> list[str]:
    """Where the mean length of a suit is far from what its caller showed, in sentences.

    Looked at are the suits that the table of readings shows: of each call those whose
    mean length it changed most (``moved``). What a caller showed is read from all its
    calls up to the last one.
    """
    mean_lengths = posterior.length_table @ range(14)
    sentences = []
    for seat in map(Seat, posterior.belief.constraints.hidden):
        readings_of_bids = _bids_of(read, seat)
        suits_in_table: set[Suit] = set()
        for reading in readings_of_bids:
            suits_in_table.update(reading.moved[:SUITS_IN_READINGS])
        for suit in sorted(suits_in_table, reverse=True):
            mean_shown = readings_of_bids[-1].lengths[suit].mean
            mean_believed = float(mean_lengths[seat, suit])
            if abs(mean_believed - mean_shown) >= NOTABLE_CARDS:
                strain = STRAINS[suit.name]
                lengths = f"{mean_believed:.1f} {strain}, not {mean_shown:.1f}"
                hand = f"By all calls and cards together {SEATS[seat.name]}"
                sentences.append(f"{hand} has {lengths}.")
    return sentences
