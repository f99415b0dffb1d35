"""Two pairs at one table, each with a bidder of its own."""

from __future__ import annotations

from dataclasses import dataclass

from bayesbridge.bidders.auctions import (
    Turn,
    call_probabilities,
    partners_keyword,
    seat_to_call,
)
from bayesbridge.evidence.models import (
    BidderModel,
    Cost,
    cost_of,
    guide_of,
    reads_partners_hand,
)
from bayesbridge.game.auction import Auction
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands


@dataclass(frozen=True, slots=True)
class SidesBidder:
    """North and South bid as one model, East and West as another."""

    ns: BidderModel
    ew: BidderModel

    def of(self, seat: Seat) -> BidderModel:
        """The model of a seat."""
        return self.ew if seat % 2 else self.ns

    @property
    def cost(self) -> Cost:
        """That of the slower model."""
        return min(cost_of(self.ns), cost_of(self.ew), key=lambda cost: cost.draws)

    @property
    def reads_partner(self) -> bool:
        """Whether either pair's model does."""
        return reads_partners_hand(self.ns) or reads_partners_hand(self.ew)

    @property
    def guide(self) -> SidesBidder:
        """Their quicker models."""
        return SidesBidder(guide_of(self.ns), guide_of(self.ew))

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        model = self.of(Turn.of(auction, index).seat)
        keywords = partners_keyword(model, partners)
        return model.log_likelihood(hands, auction, index, **keywords)

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 if illegal."""
        model = self.of(seat_to_call(auction))
        return call_probabilities(model, hands, auction, partners)


def table_bidder(ns: BidderModel, ew: BidderModel) -> BidderModel:
    """How all four seats bid."""
    return ns if ns == ew else SidesBidder(ns, ew)
