"""The list of all kinds of evidence: a new kind is its class and a line here."""

from __future__ import annotations

from typing import Final

from bayesbridge.auction import Auction
from bayesbridge.errors import NotationError
from bayesbridge.evidence.calls import Called
from bayesbridge.evidence.cards import Holds, Lacks, Reveal
from bayesbridge.evidence.piece import Piece
from bayesbridge.evidence.play import Play, Void
from bayesbridge.evidence.ranges import HighCards, Length
from bayesbridge.evidence.shape import Shape
from bayesbridge.tricks import Trick

KINDS: Final[dict[str, type[Piece]]] = {
    kind.option: kind for kind in (Reveal, Play, Void, Length, Shape, HighCards, Holds, Lacks, Called)
}
"""Every kind by the name of its option, in the order of the help text."""


def pieces(*given: Piece | Trick | Auction) -> tuple[Piece, ...]:
    """Single pieces in order; a trick becomes its plays, an auction its calls.

    >>> pieces(Trick.of("W:S5 SK"), Auction.of("S:1NT Pass", dummy="N"))
    (Play('W', 'S5'), Play('N', 'SK'), Called('S', '1NT'), Called('W', 'Pass'))
    """
    single: list[Piece] = []
    for piece in given:
        if isinstance(piece, Trick):
            single += [Play(seat, card) for seat, card in piece]
        elif isinstance(piece, Auction):
            single += [Called(seat, call) for seat, call in piece]
        elif isinstance(piece, Piece):
            single.append(piece)
        else:
            names = ", ".join(kind.__name__ for kind in KINDS.values())
            raise NotationError(f"{piece!r} is no evidence: give {names}, a Trick or an Auction", text=piece)
    return tuple(single)
