"""A whole auction in one text, such as ``1NT p 3NT p p p``, as the calls of its seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayesbridge.auction import Auction
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalCall, NotationError
from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.piece import Piece
from bayesbridge.evidence.play import Play


class AuctionText(str):
    """The text as it was given: who calls first may follow from the other evidence."""

    __slots__ = ()


def calls_of(
    text: str, *, dealer: Seat | None, observer: Seat | None, dummy: Seat | None, evidence: Sequence[Any] = ()
) -> list[Piece]:
    """The calls with their seats.

    The dealer stands before the calls (``S:1NT p``), or is ``dealer``. Without either, the observer calls next; after
    the end of the auction the first card of ``evidence`` tells who led, else the observer leads.

    >>> calls_of("1NT p 3NT p p p", dealer=None, observer=Seat.W, dummy=None)[0]
    Called('S', '1NT')
    """
    words = text.replace(",", " ")
    first, colon, rest = words.partition(":")
    if colon:
        named = Seat.of(first)
        if dealer is not None and dealer != named:
            raise NotationError(f"auction {text!r} begins with {named.name}: leave --dealer {dealer.name} out")
        dealer, words = named, rest
    if dealer is None:
        dealer = _deduced(words, text, observer, dummy, evidence)
    return [Called(seat, call) for seat, call in _auction(dealer, words, dummy)]


def _auction(dealer: Seat, words: str, dummy: Seat | None) -> Auction:
    try:
        return Auction.of(dealer, words, dummy)
    except IllegalCall as error:
        hint = "" if dummy is None else f" (only three bid here, not {dummy.name}; for the usual game add --players 4)"
        raise NotationError(f"{error}{hint}") from None


def _deduced(words: str, text: str, observer: Seat | None, dummy: Seat | None, evidence: Sequence[Any]) -> Seat:
    led = next((piece.seat for piece in evidence if isinstance(piece, Play)), None)
    for dealer in Seat:
        if dealer == dummy:
            continue
        auction = _auction(dealer, words, dummy)
        contract = auction.contract
        if auction.turn is not None and auction.turn == observer:
            return dealer
        if contract is not None:
            after = (seat for seat in map(contract.declarer.next, range(1, 4)) if seat != dummy)
            if next(after) == (observer if led is None else led):
                return dealer
    raise NotationError(f"auction {text!r} does not tell who began it: write S:{text}, or add --dealer S", text=text)
