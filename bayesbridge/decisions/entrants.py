"""Who sits at the table of a match.

An entrant is a bidder that makes its likeliest call, or chooses calls by value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.sides import table_bidder
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.decisions.call_answer import GUARD, CallValues
from bayesbridge.decisions.call_question import LEAST_CHANCE
from bayesbridge.decisions.call_values import call_values
from bayesbridge.errors import BayesBridgeError, did_you_mean
from bayesbridge.estimators.registry import offered
from bayesbridge.evidence.models import BidderModel, with_settings
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Call, Vulnerability
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.runtime.random64 import Seed, generator

VALUE: Final = "value"
"""What stands after the name of an entrant that chooses calls by value."""

type EntrantLike = str | BidderModel | Entrant


@dataclass(frozen=True, slots=True)
class Entrant:
    """One of the two in a match."""

    name: str
    bidder: BidderModel
    by_value: bool = False
    """Whether calls are chosen by what they are worth."""
    guard: float = GUARD
    """Standard errors by which a call must be ahead of the likeliest to be chosen."""

    @classmethod
    def of(cls, entrant: EntrantLike) -> Entrant:
        """Read the name of an entrant; a model stands for itself.

        Names are ``learned``, a system, or a plugin's bidder, each also with
        ``:value``.
        """
        if isinstance(entrant, Entrant):
            return entrant
        if not isinstance(entrant, str):
            return cls(type(entrant).__name__, entrant)
        name, colon, way = entrant.rpartition(":")
        if not colon:
            return cls(entrant, bidder_named(entrant))
        if way != VALUE:
            hint = did_you_mean(way, [VALUE])
            raise BayesBridgeError(
                f"entrant {entrant!r}: {hint}write {name} or {name}:{VALUE}"
            )
        return cls(entrant, bidder_named(name), True)

    def at(self, vulnerable: Vulnerability) -> Entrant:
        """Return the entrant on a board, told who is vulnerable if the bidder cares."""
        try:
            bidder = with_settings(self.bidder, {"vulnerable": vulnerable})
        except TypeError:
            return self
        return replace(self, bidder=bidder)


def bidder_named(name: str) -> BidderModel:
    """Return a bidder model that is offered, or the players of a system."""
    registry = offered("bidders", [name])
    if name in registry.bidders:
        return registry.bidder(name)
    try:
        return SystemBidder(name)
    except BayesBridgeError as error:
        names = ", ".join(sorted(registry.bidders))
        raise BayesBridgeError(f"no bidder {name!r} ({names}), and {error}") from None


class Choice(NamedTuple):
    """A call in an auction, and why it was chosen."""

    call: Call
    #: What was compared; ``None`` where there was nothing to choose.
    values: CallValues | None

    @property
    def promised(self) -> float:
        """The gain over the likeliest call, 0 for that itself."""
        return 0.0 if self.values is None else self.values.of(self.call).mean_gain

    @property
    def departs(self) -> bool:
        """Whether another call than the likeliest was chosen."""
        return self.values is not None and self.call != self.values.reference.call


class BidTable(NamedTuple):
    """One table: the auction, and what those who bid by value chose."""

    auction: Auction
    choices: tuple[tuple[Seat, Choice], ...]

    def compared(self, side: int) -> list[Choice]:
        """Return the choices of a side, 0 for North and South, that compared calls."""
        return [
            choice
            for seat, choice in self.choices
            if seat % 2 == side and choice.values is not None
        ]


def bid_table(
    deal: Deal,
    dealer: Seat,
    vulnerable: Vulnerability,
    entrants: tuple[Entrant, Entrant],
    *,
    layouts: int | None = None,
    rng: Seed = 0,
) -> BidTable:
    """Bid a deal: North and South are the first of the entrants, the others the second.

    ``layouts`` are those on which calls are compared by who chooses by value.
    """
    north_south, east_west = (entrant.at(vulnerable) for entrant in entrants)
    model = table_bidder(north_south.bidder, east_west.bidder)
    bidders = Bidders(north_south, east_west, model, layouts)
    seeds = generator(rng)
    auction = Auction(dealer)
    choices = []
    while auction.turn is not None:
        seat = auction.turn
        seed = int(seeds.integers(1 << 62))
        choice = bidders.choose(seat, deal[seat], auction, seed)
        choices.append((seat, choice))
        auction = auction.after(choice.call)
    return BidTable(auction, tuple(choices))


@dataclass(frozen=True, slots=True)
class Bidders:
    """The entrants at one table."""

    north_south: Entrant
    east_west: Entrant
    model: BidderModel
    """How both bid, as every seat knows."""
    layouts: int | None
    """Layouts on which calls are compared."""

    def at(self, seat: Seat) -> Entrant:
        """Return who sits there."""
        return self.east_west if seat % 2 else self.north_south

    def choose(self, seat: Seat, hand: Hand, auction: Auction, seed: int) -> Choice:
        """Choose the call of the seat in turn, which sees its own hand alone.

        An entrant that bids by value compares calls only where several are usual with
        the hand. It makes another call than the likeliest if that is ahead by as many
        standard errors as its ``guard`` says.
        """
        entrant = self.at(seat)
        hands = np.array([hand.mask], np.uint64)
        chances = call_probabilities(entrant.bidder, hands, auction)[0]
        usual_calls = (chances >= LEAST_CHANCE).sum()
        if not entrant.by_value or usual_calls <= 1:
            likeliest = CALLS[int(chances.argmax())]
            return Choice(likeliest, values=None)
        belief = Belief(seat, hand, dummy=None, bidder=self.model, player=None)
        if auction.calls:
            belief = belief.given(auction)
        values = call_values(
            belief,
            vulnerable=getattr(entrant.bidder, "vulnerable", None),
            bidders={seat: self.at(seat).bidder for seat in Seat},
            layouts=self.layouts,
            rng=seed,
        )
        best = values.chosen(entrant.guard)
        return Choice(best.call, values)
