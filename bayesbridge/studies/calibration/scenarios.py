"""A scenario, from a deal to a posterior, as a value: who calls, what South sees of it, and which engine answers.

Everything that South is told comes about by a rule that the posterior knows, so that the posterior is right if the
engine is. Cards shown are chosen at random from a hand, points and lengths are told as the cell of a fixed partition:
neither says more than the hard evidence that it becomes. Calls and cards played follow the models that weigh them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.fit import Prior
from bayesbridge.bidders.play import simulate_play
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.turn import simulate_auction
from bayesbridge.cards import Hand, Suit
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel, HighCards, Holds, Length, Piece, Play, PlayerModel, Reveal, pieces

OBSERVER: Final = Seat.S
UNKNOWN: Final = Seat.W
"""Whose style is drawn where a scenario has a prior of styles."""

LENGTH_CELLS: Final = ((0, 1), (2, 3), (4, 5), (6, 13))
POINT_CELLS: Final = ((0, 4), (5, 9), (10, 14), (15, 40))


@dataclass(frozen=True, slots=True)
class Scenario:
    """From a random deal to a posterior.

    >>> scene = Scenario("enumerate", StyleBidder(), open_dummy=True, shown=6).draw(rng=1)
    >>> scene.belief.count(), scene.belief.auction
    (3432, Auction.of('W:1C 1NT Pass Pass', dummy='N'))
    """

    method: str
    """The engine; see :data:`~bayesbridge.studies.calibration.predictions.ENGINES`."""
    bidder: BidderModel | None = None
    """Who calls; ``None`` if nobody does."""
    believed: BidderModel | None = None
    """The model of the bidders that South assumes; ``None`` for the right one."""
    dummy: Seat | None = Seat.N
    """The seat that does not bid; ``None`` in the four-player game."""
    open_dummy: bool = False
    shown: int = 0
    """Cards of each hidden hand that South has seen."""
    told_lengths: bool = False
    """Whether South is told about how long one suit of the player on the right is."""
    told_points: bool = False
    """Whether South is told about how many points the player on the left has."""
    player: PlayerModel | None = None
    """Who plays, in the four-player game."""
    cards: int = 0
    """How many cards are played."""
    prior: Prior | None = None
    """Where West's style comes from, which South does not know; the others bid by ``bidder``."""
    draws: int = 4000
    """Layouts that a sampling engine returns."""

    def __post_init__(self) -> None:
        if not 0 <= self.shown <= 12:
            raise BayesBridgeError(f"{self.shown} cards shown: show 0 to 12 of a hand of 13", shown=self.shown)
        if self.bidder is None and (self.cards or self.prior is not None):
            raise BayesBridgeError("cards and styles follow calls: give the scenario a bidder", cards=self.cards)
        if self.cards and (self.player is None or self.dummy is not None):
            raise BayesBridgeError("cards are played by a player model, by four players: give player= and dummy=None")

    def draw(self, rng: np.random.Generator | int) -> Scene:
        """A deal, and what South believes after all that South has seen of it."""
        generator = np.random.default_rng(rng)
        order = generator.permutation(52).reshape(4, 13)
        layout = (np.uint64(1) << order.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
        north, east, south, west = (Hand(int(mask)) for mask in layout)
        deal = Deal((north, east, south, west))
        style = None if self.prior is None else self.prior.draw(generator)
        seen = self._seen(deal, style, generator)
        informed = Belief(OBSERVER, south, dummy=self.dummy, bidder=self.bidder, player=self.player).given(*seen)
        belief = informed
        if self.believed is not None:
            belief = Belief(OBSERVER, south, dummy=self.dummy, bidder=self.believed, player=self.player).given(*seen)
        return Scene(layout, belief, informed, style, self.prior)

    def _seen(self, deal: Deal, style: StyleBidder | None, rng: np.random.Generator) -> list[Piece]:
        seen: list[Piece] = []
        dummy = self.dummy
        if self.bidder is not None:
            auction = self._auction(deal, self.bidder, style, rng)
            seen += pieces(auction)
            if dummy is None and auction.contract is not None:
                dummy = auction.contract.declarer.partner
            if self.player is not None:
                seen += [Play(*play) for play in simulate_play(deal, auction, self.player, self.cards, rng)]
        opened = self.open_dummy and dummy is not None and dummy != OBSERVER
        if opened and dummy is not None:
            # The dummy opens after the lead.
            lead = next((i + 1 for i, piece in enumerate(seen) if isinstance(piece, Play)), len(seen))
            seen.insert(lead, Reveal(dummy, deal[dummy]))
        left, right = OBSERVER.next(), OBSERVER.next(3)
        if self.told_points:
            points = deal[left].points
            seen.append(HighCards(left, *next(cell for cell in POINT_CELLS if cell[0] <= points <= cell[1])))
        if self.told_lengths:
            suit = Suit(int(rng.integers(4)))
            length = (deal[right].mask >> 13 * suit & 0x1FFF).bit_count()
            seen.append(Length(right, suit, *next(cell for cell in LENGTH_CELLS if cell[0] <= length <= cell[1])))
        if self.shown:
            hidden = [seat for seat in Seat if seat != OBSERVER and not (opened and seat == dummy)]
            for seat in hidden:
                cards = list(deal[seat])
                seen.append(Holds(seat, [cards[i] for i in rng.choice(13, self.shown, replace=False)]))
        return seen

    def _auction(self, deal: Deal, bidder: BidderModel, style: StyleBidder | None, rng: np.random.Generator) -> Auction:
        seats = [seat for seat in Seat if seat != self.dummy]
        bidders = dict.fromkeys(seats, bidder)
        if style is not None:
            bidders[UNKNOWN] = style
        return simulate_auction(deal, bidders, seats[int(rng.integers(len(seats)))], self.dummy, rng)


class Scene(NamedTuple):
    """The truth, and what South believes."""

    layout: NDArray[np.uint64]
    """(4,) the true hands."""
    belief: Belief
    informed: Belief
    """The same evidence, with the right model of the bidders."""
    style: StyleBidder | None
    """West's true style, where South does not know it, and what it was drawn from."""
    prior: Prior | None
