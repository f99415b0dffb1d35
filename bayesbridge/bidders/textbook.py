"""The textbook bidder: points and lengths by a few rules, as a baseline for models that learn from records.

Each legal call asks for a range of high-card points, a length of its suit, or a balanced hand. A hand lies at a
distance d from what a call asks: points outside the range, plus twice the cards that are missing in the suit (or too
many, for a weak jump), plus the cards by which another suit is longer, or twice the cards by which a hand is not
balanced. Then ::

    P(call ∣ hand, auction) = ε / legal calls + (1 − ε) · softmax(−d / SOFTNESS − log w)

where w is the number of points in the call's range: of two calls that fit, the more precise one is likelier.

What a call asks depends on what the partner has shown: a side needs so many points together at each level. The rules
are those of any book for beginners: five-card majors, 15–17 no-trump, weak twos. Only the softness and the slip were
chosen on records: the best of four pairs on 60 boards of the deals to choose by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.turn import Turn, legal_indices, seat_to_call
from bayesbridge.calls import CALLS, Call
from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import Cost
from bayesbridge.layouts import high_card_points, suit_lengths

type Floats = NDArray[np.float64]

SUIT_NEEDS: Final = (0, 18, 19, 22, 25, 28, 32, 36)
NO_TRUMP_NEEDS: Final = (0, 20, 23, 25, 28, 30, 33, 37)
"""High-card points of both hands that a bid at each level asks for, once the partner has shown some."""

SOFTNESS: Final = 2.0
"""Points by which a hand misses a call that make it e times less likely."""

BALANCED: Final = -1
ANY: Final = -2
"""In place of a suit: the call asks for a balanced hand, or for no shape."""


class Asked(NamedTuple):
    """What a call asks of a hand."""

    low: int
    high: int
    """High-card points."""
    suit: int = ANY
    length: int = 0
    """Fewest cards of the suit."""
    longest: int = 13
    """Most cards of the suit."""

    @property
    def width(self) -> int:
        """How many numbers of points it allows."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class TextbookBidder:
    """A beginner who counts points and cards; with probability ``slip`` they make any legal call.

    >>> from bayesbridge.cards import Hand
    >>> hands = np.array([Hand.of("AQ5.KJ3.A954.Q73").mask, Hand.of("Q52.J93.T954.J73").mask], np.uint64)
    >>> chances = TextbookBidder().probabilities(hands, Auction.four("N"))
    >>> [str(CALLS[i]) for i in chances.argmax(axis=1)]
    ['1NT', 'Pass']
    """

    slip: float = 0.1

    cost: ClassVar[Cost] = Cost(most_layouts=50_000, moves=15)

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(f"slip {self.slip}: it is a probability, from 0 to 1", slip=self.slip)

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        turn = Turn.of(auction, index)
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities(hands, turn.before)[:, turn.call.index])

    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is illegal."""
        one_row("hands", hands)
        seat_to_call(auction)
        legal = list(legal_indices(auction))
        points, lengths = high_card_points(hands).astype(np.float64), suit_lengths(hands).astype(np.float64)
        columns = [np.exp(-_distance(one, points, lengths) / SOFTNESS) / one.width for one in _asked(auction)]
        weights = np.stack(columns, axis=1)
        result = np.zeros((len(hands), 38))
        result[:, legal] = (1.0 - self.slip) * weights / weights.sum(axis=1, keepdims=True) + self.slip / len(legal)
        return result


def _distance(asked: Asked, points: Floats, lengths: Floats) -> Floats:
    """(n,) how far hands are from what is asked."""
    distance: Floats = np.maximum(asked.low - points, 0.0) + np.maximum(points - asked.high, 0.0)
    if asked.suit == BALANCED:
        # Balanced: 4-3-3-3, 4-4-3-2 and 5-3-3-2, so at most one doubleton and no suit shorter or longer.
        short = np.maximum(2.0 - lengths, 0.0).sum(axis=1) + np.maximum((lengths == 2.0).sum(axis=1) - 1.0, 0.0)
        distance += 2.0 * (short + np.maximum(lengths.max(axis=1) - 5.0, 0.0))
    elif asked.suit != ANY:
        own = lengths[:, asked.suit]
        missing = np.maximum(asked.length - own, 0.0) + np.maximum(own - asked.longest, 0.0)
        distance += 2.0 * missing + (lengths.max(axis=1) - own)
    return distance


@lru_cache(maxsize=256)
def _asked(before: Auction) -> tuple[Asked, ...]:
    """What each legal call asks, in rising order; the calls before tell what the partner has shown."""
    table = _Table()
    for seat, call in before:
        table.take(seat, call)
    seat = seat_to_call(before)
    calls = [CALLS[index] for index in legal_indices(before)]
    bids = {call: table.asks(seat, call) for call in calls if call.index}
    lowest = min((asked.low for call, asked in bids.items() if call.is_bid), default=40)
    most = lowest + 2 if table.own(seat) else 14 if table.bids else 11
    return tuple(Asked(0, most) if not call.index else bids[call] for call in calls)


class _Table:
    """What the calls so far have shown."""

    def __init__(self) -> None:
        self.bids: list[tuple[Seat, Call]] = []
        self.shown = dict.fromkeys(Seat, 0)
        """Fewest points of each seat by its calls."""

    def own(self, seat: Seat) -> list[tuple[Seat, Call]]:
        """The bids of a seat and its partner."""
        return [(other, call) for other, call in self.bids if (other - seat) % 2 == 0]

    def take(self, seat: Seat, call: Call) -> None:
        """The next call."""
        if call.index:
            self.shown[seat] = max(self.shown[seat], self.asks(seat, call).low)
        if call.is_bid:
            self.bids.append((seat, call))

    def asks(self, seat: Seat, call: Call) -> Asked:
        """What a bid, a double or a redouble asks of a seat."""
        strain = call.strain
        if strain is None:
            return Asked(10 if call.index == 2 or self.own(seat) else 12, 20)
        suit = BALANCED if strain is Strain.NT else int(strain)
        if not self.own(seat):
            return _overcall(call, suit, self.bids[-1][1]) if self.bids else _opening(call, suit)
        needs = NO_TRUMP_NEEDS if suit == BALANCED else SUIT_NEEDS
        low = max(0 if self.shown[seat] else 6, needs[call.level] - self.shown[seat.partner])
        bidders = {other for other, earlier in self.own(seat) if earlier.strain is strain}
        length = 0 if suit == BALANCED else 3 if seat.partner in bidders else 6 if seat in bidders else 4
        return Asked(low, low + 5, suit, length)


def _opening(call: Call, suit: int) -> Asked:
    """The first bid of all."""
    if suit == BALANCED:
        low, high = {1: (15, 17), 2: (20, 21)}.get(call.level, (25, 27))
        return Asked(low, high, BALANCED)
    if call.level == 1:
        return Asked(12, 21, suit, 5 if suit >= 2 else 3)
    if call.level == 2 and suit == 0:
        return Asked(22, 24)
    return _weak(call, suit)


def _weak(call: Call, suit: int) -> Asked:
    """A jump with a long suit and few points: six cards for level two, seven for three and so on."""
    return Asked(5, 10, suit, 4 + call.level, 4 + call.level)


def _overcall(call: Call, suit: int, last: Call) -> Asked:
    """The first bid of a side after the others have bid."""
    if suit == BALANCED:
        return Asked(15, 18, BALANCED) if call.level == 1 else Asked(18, 40, BALANCED)
    jump = call.index > last.index + 5
    return _weak(call, suit) if jump else Asked(7 + 2 * call.level, max(17, 12 + 2 * call.level), suit, 5)
