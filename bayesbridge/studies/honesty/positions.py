"""Forty positions, fixed before any answer is looked at: from no call to a whole auction and twelve cards played.

A position comes from a deal drawn at random and an auction by the bidders that the observer assumes, cut after so many
calls; somebody hidden has called, and bid in positions of an odd number. In a few positions cards of the hidden hands
are shown until all layouts can be walked, so that the truth is known for models that cannot be counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.calls import PASS
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel, Called, Holds
from bayesbridge.studies.calibration.scenarios import Scenario

KINDS: Final = {
    "none": "nobody calls: cards and lengths are seen",
    "no trumps": "three bidders by Algorithm 1 in no trumps",
    "suits": "three bidders by Algorithm 1 in all strains",
    "style": "three bidders with a style",
    "learned": "four experts learned from records",
    "played": "the same, with cards chosen by the learned player",
}
"""Who calls, by the name of the kind."""

BIDDERS: Final[dict[str, BidderModel]] = {
    "no trumps": IterativeBidder(),
    "suits": IterativeBidder(suits=True),
    "style": StyleBidder(),
    "learned": LearnedBidder(),
    "played": LearnedBidder(),
}

TRIES: Final = 10_000
"""Deals drawn for a position until an auction is long enough."""


@dataclass(frozen=True, slots=True)
class Position:
    """What an observer knows, made from a seed.

    >>> POSITIONS[0].name, POSITIONS[0].belief().count()
    ('none 1', 84478098072866400)
    """

    kind: str
    number: int
    calls: int = 0
    """Calls heard; all of them in a kind whose cards are played."""
    shown: int = 0
    """Cards of each hidden hand that are shown."""
    cards: int = 0
    """Cards played."""
    told: str = ""
    """Calls that are given, such as ``W:2NT E:3NT``, with the hand before them, instead of those of a random deal."""

    @property
    def name(self) -> str:
        """The kind and the number in it."""
        return f"{self.kind} {self.number}"

    def belief(self) -> Belief:
        """What is known; compiled once for the positions that were asked for last."""
        return _belief(self)


def _rng(*numbers: int) -> np.random.Generator:
    return np.random.default_rng(numbers)


@lru_cache(maxsize=8)
def _belief(position: Position) -> Belief:
    if position.told:
        hand, *calls = position.told.split()
        return Belief("S", hand, bidder=BIDDERS[position.kind]).given(*(Called(*call.split(":")) for call in calls))
    place = list(KINDS).index(position.kind)
    if position.kind == "none":
        told = position.number % 2 == 0
        return Scenario("sample", shown=position.shown, told_lengths=told).draw(_rng(place, position.number)).belief
    four = position.kind in ("learned", "played")
    scenario = Scenario(
        "auto",
        BIDDERS[position.kind],
        dummy=None if four else Scenario("auto").dummy,
        player=LearnedPlayer() if position.cards else None,
        cards=position.cards,
        open_dummy=position.cards > 0,
        shown=position.shown,
    )
    for attempt in range(TRIES):
        belief = scenario.draw(_rng(place, position.number, attempt)).belief
        heard = [piece for piece in belief.evidence if isinstance(piece, Called)]
        if len(heard) < position.calls:
            continue
        if position.cards:
            return belief
        del heard[position.calls :]
        hidden = [piece.call for piece in heard if piece.seat != belief.observer]
        if not hidden or (position.number % 2 and all(call == PASS for call in hidden)):
            continue
        seen = [piece for piece in belief.evidence if isinstance(piece, Holds)]
        own = Belief(belief.observer, belief.hand, dummy=belief.dummy, bidder=belief.bidder, player=belief.player)
        return own.given(*heard, *seen)
    raise BayesBridgeError(f"no auction of {position.calls} calls in {TRIES} deals", position=position.name)


POSITIONS: Final = (
    *(Position("none", number, shown=shown) for number, shown in enumerate((0, 0, 1, 2), 1)),
    Position("no trumps", 1, 2, told="8532.J32.9854.Q3 W:2NT E:3NT"),
    *(Position("no trumps", number, calls) for number, calls in enumerate((1, 1, 2, 2, 3, 4, 5, 6), 2)),
    *(Position("suits", number, calls) for number, calls in enumerate((1, 1, 2, 3, 4, 5, 6), 1)),
    Position("suits", 8, 3, shown=9),
    *(Position("style", number, calls) for number, calls in enumerate((1, 2, 3, 4, 5, 6), 1)),
    Position("style", 7, 2, shown=9),
    Position("style", 8, 5, shown=9),
    *(Position("learned", number, calls) for number, calls in enumerate((1, 2, 3, 4, 6), 1)),
    Position("learned", 6, 5, shown=9),
    *(Position("played", number, 4, cards=cards) for number, cards in enumerate((1, 2, 5, 8), 1)),
    Position("played", 5, 4, cards=12, shown=6),
)
"""All positions."""


def some_positions(many: int) -> tuple[Position, ...]:
    """``many`` of the positions, spread over the kinds.

    >>> [position.name for position in some_positions(6)]
    ['none 1', 'no trumps 1', 'suits 1', 'style 1', 'learned 1', 'played 1']
    """
    if not 1 <= many <= len(POSITIONS):
        raise BayesBridgeError(f"{many} positions: take 1 to {len(POSITIONS)}", positions=many)
    order = sorted(POSITIONS, key=lambda position: position.number)
    chosen = set(order[:many])
    return tuple(position for position in POSITIONS if position in chosen)
