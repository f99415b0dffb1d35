"""Auctions made up by bidder models: what calls they would make, and whole auctions of a deal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.turn import seat_to_call
from bayesbridge.calls import Call
from bayesbridge.cards import Hand
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel
from bayesbridge.random64 import Seed, generator


def call_probabilities(bidder: BidderModel, hands: NDArray[np.uint64], auction: Auction) -> NDArray[np.float64]:
    """(n, 38) P(call ∣ hand, auction so far) of the seat in turn under any model; 0 for what is illegal.

    A model with a ``probabilities`` method of its own is asked once, any other once for each legal call.
    """
    seat_to_call(auction)
    if (own := getattr(bidder, "probabilities", None)) is not None:
        return np.asarray(own(hands, auction))
    chances = np.zeros((len(hands), 38))
    for call in auction.legal_calls():
        chances[:, call.index] = np.exp(bidder.log_likelihood(hands, auction.after(call), len(auction.calls)))
    return chances


def sample_call(bidder: BidderModel, hand: Hand | str, auction: Auction, rng: Seed = None) -> Call:
    """A call that the seat in turn might make with this hand.

    >>> from bayesbridge.bidders.iterative import IterativeBidder
    >>> sample_call(IterativeBidder(slip=0.0), "AKQ2.AKJ.AK4.A32", Auction.three("S"))
    Call.of('3NT')
    """
    full = Hand.of(hand).verify_full(f"{seat_to_call(auction).name}'s hand")
    chances = call_probabilities(bidder, np.array([full.mask], dtype=np.uint64), auction)[0]
    # The uniform number lies below 1, so a sum of chances that rounding leaves at 0.999… still finds a call.
    drawn = np.searchsorted(chances.cumsum(), generator(rng).random() * chances.sum(), side="right")
    return Call(int(drawn))


def simulate_auction(
    deal: Deal | str,
    bidders: BidderModel | Mapping[Seat, BidderModel],
    first: Seat | str = "S",
    dummy: Seat | str | None = "N",
    rng: Seed = None,
) -> Auction:
    """A whole auction of a deal, by one model for all seats or by one for each; ``dummy=None``: four players."""
    dealt, numbers = Deal.of(deal), generator(rng)
    auction = Auction(Seat.of(first), (), None if dummy is None else Seat.of(dummy))
    if isinstance(bidders, Mapping) and (silent := [seat.name for seat in auction.bidders if seat not in bidders]):
        raise BayesBridgeError(f"no bidder for {' and '.join(silent)}: name one for each seat that bids", seats=silent)
    while (seat := auction.turn) is not None:
        bidder = bidders[seat] if isinstance(bidders, Mapping) else bidders
        auction = auction.after(sample_call(bidder, dealt[seat], auction, numbers))
    return auction
