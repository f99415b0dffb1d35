"""Calls on the way to a slam: which suit 4NT asks about, and what a control bid shows."""

from __future__ import annotations

from typing import Final

from bayesbridge.bidders.auctions import seat_to_call
from bayesbridge.bidders.families import Calls
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.system_files import AskingCall
from bayesbridge.bidders.systems import System, place_of
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Suit

ASKING: Final = Call.of("4NT")
CONTROL_LEVELS: Final = (4, 5)
"""Levels at which a new suit shows a control, once a suit is agreed."""

USUAL_SYSTEM: Final = "sayc"
"""By this suits are agreed where nobody has said what is played."""


def asked_trump(bidder: BidderModel, before: Auction) -> Suit | None:
    """The suit whose key cards partner's 4NT asks the player in turn for.

    ``None`` where it is no such question, or an opponent has bid over it.
    """
    calls = place_of(before)
    if not _has_just_asked(calls) or calls[-1].is_bid:
        return None
    return _system_in_turn(bidder, before).agreed(calls)


def _has_just_asked(calls: Calls) -> bool:
    """Whether partner's last call, the last but one of the auction, was 4NT."""
    return calls[-2:-1] == (ASKING,)


def controlled_suit(bidder: BidderModel, before: Auction, call: Call) -> Suit | None:
    """The suit that a control bid shows a control of; ``None`` for other calls.

    A control is the ace, the king, a singleton or a void. Where the system says what
    the call shows, that counts; else a new suit at a high level is a control bid once
    a suit is agreed.
    """
    suit = None if call.strain is None else call.strain.trump
    calls_from_opening = place_of(before)
    if suit is None or not calls_from_opening or _has_just_asked(calls_from_opening):
        return None
    system = _system_in_turn(bidder, before)
    statements = (system.meanings(before) or {}).get(call)
    if statements is not None:
        is_control_bid = any(suit in statement.controls for statement in statements)
    else:
        agreed_suit = system.agreed_by_both(calls_from_opening)
        is_control_bid = _is_usual_control_bid(call, suit, agreed_suit, before)
    return suit if is_control_bid else None


def _is_usual_control_bid(
    call: Call, suit: Suit, agreed_suit: Suit | None, before: Auction
) -> bool:
    """Whether a bid of a suit shows a control where no system says what it shows.

    It does at the four and five level, in another suit than the one agreed, unless it
    answers 4NT.
    """
    if agreed_suit is None or suit == agreed_suit:
        return False
    return call.level in CONTROL_LEVELS and before.last_bid != ASKING


def _system_in_turn(bidder: BidderModel, before: Auction) -> System:
    """What the pair of the player in turn plays, as far as slams are concerned."""
    if isinstance(bidder, SystemBidder):
        system = bidder.likeliest_system(seat_to_call(before))
        if any(system.meanings_at(AskingCall(ASKING, suit)) for suit in Suit):
            return system
    return System.of(USUAL_SYSTEM)
