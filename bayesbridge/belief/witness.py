"""From a table on record to what one seat saw of it."""

from __future__ import annotations

from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.card_play import LearnedPlayer
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence import BidderModel, Called, Evidence, Play, PlayerModel, Reveal
from bayesbridge.notation.record import Record, Vulnerability


def witness(
    record: Record,
    observer: Seat | str,
    *,
    cards: int | None = None,
    bidder: BidderModel | None = None,
    player: PlayerModel | None = None,
) -> Belief:
    """The belief of a seat after the auction and the first ``cards`` cards played, all of them unless said otherwise.

    The dummy opens after the lead. The others are taken to be experts of the four-player game, learned from records;
    ``bidder`` and ``player`` put other models in their place.
    """
    seat = Seat.of(observer)
    hand = record.hands[seat]
    if hand is None or len(hand) != 13:
        raise NotationError(
            f"{record.place}: the record does not tell {seat.name}'s 13 cards: choose another observer", seat=seat
        )
    experts = LearnedBidder(record.vulnerable or Vulnerability.NONE)
    belief = Belief(seat, hand, dummy=None, bidder=bidder or experts, player=player or LearnedPlayer())
    return belief.given(*_seen(record, seat, cards))


def _seen(record: Record, observer: Seat, cards: int | None) -> list[Evidence]:
    seen: list[Evidence] = [Called(seat, call) for seat, call in record.auction or ()]
    dummy = None if record.contract is None else record.contract.declarer.partner
    for number, (seat, card) in enumerate(record.plays[:cards]):
        seen.append(Play(seat, card))
        hand = None if dummy is None or dummy == observer else record.hands[dummy]
        if number == 0 and dummy is not None and hand is not None:
            seen.append(Reveal(dummy, hand))
    return seen
