"""One call of an auction and what its caller knew of the auction before it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from bayesbridge.auction import Auction
from bayesbridge.calls import Call
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalCall


class Turn(NamedTuple):
    """A call in its place."""

    before: Auction
    """The auction up to the call."""
    seat: Seat
    """Whose call it is."""
    call: Call

    @classmethod
    def of(cls, auction: Auction, index: int) -> Turn:
        """Call number ``index`` of an auction, counted from 0.

        >>> Turn.of(Auction.of("S:1NT Pass", dummy="N"), 1).seat
        <Seat.W: 3>
        """
        calls = len(auction.calls)
        if not 0 <= index < calls:
            have = f"its calls are numbered 0 to {calls - 1}" if calls else "nobody has called yet"
            raise IllegalCall(f"call number {index} of '{auction}': {have}", auction=auction, index=index)
        return _turn(auction, index)


@lru_cache(maxsize=256)
def _turn(auction: Auction, index: int) -> Turn:
    """Kept, as a model is asked about the same call for one batch of hands after the other."""
    before = Auction(auction.first, auction.calls[:index], auction.dummy)
    return Turn(before, auction.bidders[index % len(auction.bidders)], auction.calls[index])


def seat_to_call(auction: Auction) -> Seat:
    """Whose turn it is; raises when the auction is over."""
    if (seat := auction.turn) is None:
        raise IllegalCall(f"the auction '{auction}' is over: nobody calls any more", auction=auction)
    return seat


@lru_cache(maxsize=256)
def legal_indices(before: Auction) -> tuple[int, ...]:
    """Indices of the legal calls, rising; the rules are asked once for each auction."""
    return tuple(call.index for call in before.legal_calls())
