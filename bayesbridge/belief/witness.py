"""From a table on record to what one seat saw of it."""

from __future__ import annotations

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import LearnedPlayer
from bayesbridge.cards import Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.notation.record import Record, Vulnerability


def seen_by(record: Record, observer: Seat | str, cards: int | None) -> tuple[Seat, Hand, list[Piece]]:
    """The seat, its 13 cards, and what it saw of the auction and of the first ``cards`` cards played."""
    seat = Seat.of(observer)
    hand = record.hands[seat]
    if hand is None or len(hand) != 13:
        raise NotationError(
            f"{record.place}: the record does not tell {seat.name}'s 13 cards: choose another observer", seat=seat
        )
    seen: list[Piece] = [Called(caller, call) for caller, call in record.auction or ()]
    dummy = None if record.contract is None else record.contract.declarer.partner
    for number, (player, card) in enumerate(record.plays[:cards]):
        seen.append(Play(player, card))
        open_hand = None if dummy is None or dummy == seat else record.hands[dummy]
        if number == 0 and dummy is not None and open_hand is not None:
            seen.append(Reveal(dummy, open_hand))
    return seat, hand, seen


def bidder_at(record: Record) -> BidderModel:
    """The usual bidders at a table of four: experts, at its vulnerability."""
    return LearnedBidder(record.vulnerable or Vulnerability.NONE)


def player_at() -> PlayerModel:
    """The usual players at a table of four: experts."""
    return LearnedPlayer()
