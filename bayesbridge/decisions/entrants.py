"""Who sits at the table of a match: a bidder, who makes its likeliest call, or chooses
by value.
"""

from __future__ import annotations

from collections.abc import Mapping
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

type EntrantLike = str | BidderModel | "Entrant"


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
        """Read ``learned``, a system, a plugin's bidder, each also with ``:value``; a
        model stands for itself.
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
        """The same on a board, where the bidder cares who is vulnerable."""
        try:
            bidder = with_settings(self.bidder, {"vulnerable": vulnerable})
        except TypeError:
            return self
        return replace(self, bidder=bidder)


def bidder_named(name: str) -> BidderModel:
    """A bidder model that is offered, or the players of a system."""
    registry = offered("bidders", [name])
    if name in registry.bidders:
        return registry.bidder(name)
    try:
        return SystemBidder(name)
    except BayesBridgeError as error:
        known = ", ".join(sorted(registry.bidders))
        raise BayesBridgeError(f"no bidder {name!r} ({known}), and {error}") from None


class Choice(NamedTuple):
    """A call in an auction, and why it was chosen."""

    call: Call
    #: What was compared; ``None`` where there was nothing to choose.
    values: CallValues | None

    @property
    def promised(self) -> float:
        """The gain over the likeliest call, 0 for that itself."""
        gain = None if self.values is None else self.values.of(self.call).gain
        return 0.0 if gain is None else gain.mean

    @property
    def departs(self) -> bool:
        """Whether another call than the likeliest was chosen."""
        return self.values is not None and self.call != self.values.reference.call


class BidTable(NamedTuple):
    """One table: the auction, and what those who bid by value chose."""

    auction: Auction
    choices: tuple[tuple[Seat, Choice], ...]

    def compared(self, side: int) -> list[Choice]:
        """The choices of a side, 0 for North and South, where calls were compared."""
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
    """The auction of a deal, where North and South are the first of the entrants and
    East and West the second.
    """
    ns, ew = (entrant.at(vulnerable) for entrant in entrants)
    table = {seat: ew if seat % 2 else ns for seat in Seat}
    reading = table_bidder(ns.bidder, ew.bidder)
    numbers = generator(rng)
    auction = Auction(dealer)
    choices = []
    while (seat := auction.turn) is not None:
        seed = int(numbers.integers(1 << 62))
        choice = chosen_call(deal[seat], auction, table, reading, layouts, seed)
        choices.append((seat, choice))
        auction = auction.after(choice.call)
    return BidTable(auction, tuple(choices))


def chosen_call(
    hand: Hand,
    auction: Auction,
    table: Mapping[Seat, Entrant],
    reading: BidderModel,
    layouts: int | None,
    seed: int,
) -> Choice:
    """The call of the seat in turn, which sees its own hand alone."""
    seat = auction.turn
    assert seat is not None
    entrant = table[seat]
    hands = np.array([hand.mask], np.uint64)
    chances = call_probabilities(entrant.bidder, hands, auction)[0]
    likeliest = CALLS[int(chances.argmax())]
    if not entrant.by_value or (chances >= LEAST_CHANCE).sum() <= 1:
        return Choice(likeliest, None)
    belief = Belief(seat, hand, dummy=None, bidder=reading, player=None)
    belief = belief.given(auction) if auction.calls else belief
    bidders = {seat: table[seat].bidder for seat in Seat}
    vulnerable = getattr(entrant.bidder, "vulnerable", None)
    values = call_values(
        belief, vulnerable=vulnerable, bidders=bidders, layouts=layouts, rng=seed
    )
    return Choice(values.chosen(entrant.guard).call, values)
