"""Hard evidence compiled piece by piece, so that a contradiction can be traced to the pieces that cause it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bayesbridge.cards import SUIT_MASK, Hand, Strain
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence import Called, Evidence, HighCards, Holds, Lacks, Length, Play, Reveal, Void
from bayesbridge.tricks import Trick, replay


class Fact(NamedTuple):
    """What pieces of evidence say: one by itself, or a lead and a discard together that their player is void."""

    pieces: tuple[Evidence, ...]
    constraints: Constraints


def hard_facts(evidence: Sequence[Evidence], strain: Strain | None) -> tuple[Fact, ...]:
    """All that the hard pieces say; a card that does not follow suit says that the seat is void.

    ``strain`` is the strain of the contract, ``None`` while nobody knows it. Calls say nothing here: they are soft.
    """
    played: dict[Seat, int] = dict.fromkeys(Seat, 0)
    leads = _leads(evidence, strain)
    facts: list[Fact] = []
    for number, piece in enumerate(evidence):
        known = Constraints.free()
        match piece:
            case Reveal(seat, hand):
                known = known.hold(seat, hand.mask)
            case Holds(seat, cards):
                known = known.hold(seat, cards.mask)
            case Lacks(seat, cards):
                known = known.lack(seat, cards.mask)
            case Length(seat, suit, low, high):
                known = known.length(seat, suit, low, high)
            case HighCards(seat, low, high):
                known = known.points(seat, low, high)
            case Void(seat, suit):
                known = known.lack(seat, _suit(suit) & ~played[seat])
            case Play(seat, card):
                known = known.hold(seat, card.mask)
                if number in leads:
                    void = Constraints.free().lack(seat, _suit(leads[number].card.suit) & ~played[seat])
                    facts.append(Fact((leads[number], piece), void))
                played[seat] |= card.mask
            case Called():
                continue
        facts.append(Fact((piece,), known))
    return tuple(facts)


def tricks_of(evidence: Sequence[Evidence], strain: Strain | None) -> tuple[Trick, ...]:
    """The tricks that the plays form; raises :class:`IllegalPlay` if no way of playing can give them.

    While the strain is unknown it is enough that some strain explains who leads to each trick.
    """
    plays = [(piece.seat, piece.card) for piece in evidence if isinstance(piece, Play)]
    hands: Mapping[Seat, Hand] = {piece.seat: piece.hand for piece in evidence if isinstance(piece, Reveal)}
    failures: list[IllegalPlay] = []
    for candidate in (strain,) if strain is not None else reversed(Strain):
        try:
            return replay(plays, candidate, hands)
        except IllegalPlay as error:
            failures.append(error)
    raise failures[0]


def _leads(evidence: Sequence[Evidence], strain: Strain | None) -> dict[int, Play]:
    """Number of each piece that is a play off the suit led → the lead."""
    plays = [(number, piece) for number, piece in enumerate(evidence) if isinstance(piece, Play)]
    leads = [Play(trick.leader, trick.cards[0]) for trick in tricks_of(evidence, strain) for _ in trick.cards]
    return {
        number: lead
        for (number, piece), lead in zip(plays, leads, strict=True)
        if piece.card.suit is not lead.card.suit
    }


def _suit(suit: int) -> int:
    return SUIT_MASK << (13 * suit)
