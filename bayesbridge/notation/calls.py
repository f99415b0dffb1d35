"""Auctions as records have them: mostly sound, some with a pass too many at the end."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from bayesbridge.auction import Auction
from bayesbridge.calls import PASS, Call, Contract
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalCall


@lru_cache(maxsize=4096)
def final_contract(auction: Auction) -> Contract | None:
    """The contract of an auction that is over; cached, since a reader and its record both ask."""
    return auction.contract


def without_surplus(first: Seat, calls: Iterable[Call]) -> tuple[Auction, int]:
    """The auction, and how many passes were told after its end.

    >>> without_surplus(Seat.N, map(Call.of, "1C Pass Pass Pass Pass".split()))
    (Auction.of('N:1C Pass Pass Pass'), 1)
    """
    told = tuple(calls)
    try:
        return Auction(first, told), 0
    except IllegalCall as error:
        auction: Auction = error.data["auction"]
        surplus = told[len(auction.calls) :]
        if auction.is_over and all(call == PASS for call in surplus):
            return auction, len(surplus)
        raise
