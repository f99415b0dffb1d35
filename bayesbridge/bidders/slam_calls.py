"""Calls on the way to a slam: which suit 4NT asks about, and what a control bid shows."""

from __future__ import annotations

from typing import Final

from bayesbridge.bidders.auctions import seat_to_call
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.system_files import AskingCall
from bayesbridge.bidders.systems import System, place_of
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Suit

ASKING: Final = Call.of("4NT")
CONTROL_LEVEL: Final = 4
"""Level from which on a new suit shows a control, once a suit is agreed."""

USUAL_SYSTEM: Final = "sayc"
"""By this suits are agreed where nobody has said what is played."""


def asked_trump(bidder: BidderModel, before: Auction) -> Suit | None:
    """The suit whose key cards partner's 4NT asks the player in turn for.

    ``None`` where it is no such question.
    """
    calls = place_of(before)
    if calls[-2:-1] != (ASKING,) or calls[-1].is_bid:
        return None
    return _system_in_turn(bidder, before).agreed(calls)


def controlled_suit(bidder: BidderModel, before: Auction, call: Call) -> Suit | None:
    """The suit that a control bid shows a control of; ``None`` for other calls."""
    suit = None if call.strain is None else call.strain.trump
    calls = place_of(before)
    if suit is None or not calls or calls[-2:-1] == (ASKING,):
        return None
    system = _system_in_turn(bidder, before)
    statements = (system.meanings(before) or {}).get(call)
    if statements is not None:
        is_stated = any(suit in statement.controls for statement in statements)
        return suit if is_stated else None
    agreed = system.agreed_by_both(calls)
    is_new_suit = agreed is not None and suit != agreed
    is_at_level = CONTROL_LEVEL <= call.level <= CONTROL_LEVEL + 1
    is_control_bid = is_new_suit and is_at_level and before.last_bid != ASKING
    return suit if is_control_bid else None


def _system_in_turn(bidder: BidderModel, before: Auction) -> System:
    """What the pair of the player in turn plays, as far as slams are concerned."""
    if isinstance(bidder, SystemBidder):
        system = bidder.likeliest_system(seat_to_call(before))
        if any(system.meanings_at(AskingCall(ASKING, suit)) for suit in Suit):
            return system
    return System.of(USUAL_SYSTEM)
