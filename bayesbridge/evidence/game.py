"""Which game is meant where nobody names it.

Bridge, where all four seats bid, or the paper's game of three.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bayesbridge.evidence.kinds import Called
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import DOUBLE, REDOUBLE
from bayesbridge.game.cards import Strain
from bayesbridge.game.deal import Seat

PAPER_DUMMY: Final = Seat.N
"""The seat that does not bid in the paper's game, unless another is named."""


def is_of_bridge(piece: object) -> bool:
    """Whether a piece of evidence belongs to bridge alone.

    An auction of four seats, a call by the paper's dummy, or a double.

    >>> is_of_bridge(Auction.of("W:1H")), is_of_bridge(Auction.three("W").after("1H"))
    (True, False)
    >>> is_of_bridge(Called("N", "1H")), is_of_bridge(Called("W", "1H"))
    (True, False)
    """
    if isinstance(piece, Auction):
        return piece.dummy is None
    if not isinstance(piece, Called):
        return False
    return piece.seat == PAPER_DUMMY or piece.call in (DOUBLE, REDOUBLE)


def bids_at_bridge(model: object) -> bool:
    """Whether a bidder or player model knows auctions of four seats only."""
    return bool(getattr(model, "of_bridge", False))


def names_suit(pieces: Iterable[object]) -> bool:
    """Whether a call among the pieces bids a suit.

    In bridge nearly every auction does.
    """
    strains = (piece.call.strain for piece in pieces if isinstance(piece, Called))
    return any(strain not in (None, Strain.NT) for strain in strains)
