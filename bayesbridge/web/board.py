"""The state of the table as a page shows it: hands known, auction with its legal calls, tricks with the legal cards.

It is worked out even where the evidence contradicts itself, so that a page can show everything and lose nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.calls import Contract
from bayesbridge.cards import DECK_MASK, SUIT_MASK, Card, Hand, Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal
from bayesbridge.tricks import Trick, replay
from bayesbridge.web.questions import Asked


def board_document(asked: Asked, start: Belief) -> dict[str, Any]:
    """All that the rules tell about the evidence in its order."""
    pieces = [piece.value for piece in asked.position.pieces]
    auction = _auction(pieces, start.dummy, asked.first)
    contract = auction.contract
    tricks = _tricks(pieces, start, auction)
    return {
        "observer": start.observer.name,
        "dummy": None if start.dummy is None else start.dummy.name,
        "open": {seat.name: hand.pbn for seat, hand in _shown(pieces, start).items()},
        "auction": _auction_document(auction),
        "contract": None if contract is None else str(contract),
        "play": _play_document(pieces, start, auction, tricks),
        "chips": [_chip(piece) for piece in pieces],
        "words": asked.position.words(),
        "toml": asked.position.toml(),
    }


def conflict_document(asked: Asked, start: Belief, error: BayesBridgeError) -> dict[str, Any]:
    """Which chips cannot hold together, by number from 0, and why: the smallest set, or the first that is refused."""
    pieces = [piece.value for piece in asked.position.pieces]
    for last in range(1, len(pieces) + 1):
        try:
            start.given(*pieces[:last]).count()
        except Contradiction as conflict:
            culprits = conflict.data.get("evidence", ())
            chips = [number for number, piece in enumerate(pieces[:last]) if piece in culprits]
            own = any(isinstance(piece, Reveal) and piece not in pieces for piece in culprits)
            return {"message": str(conflict), "chips": chips, "own": own}
        except BayesBridgeError as refused:
            return {"message": str(refused), "chips": [last - 1], "own": False}
    return {"message": str(error), "chips": [], "own": False}


def _chip(piece: Piece) -> dict[str, Any]:
    return {
        "kind": piece.option,
        "text": piece.text,
        "sentence": str(piece),
        "soft": piece.weighs and not piece.excludes,
    }


def _shown(pieces: Sequence[Piece], start: Belief) -> dict[Seat, Hand]:
    """The hands that lie open for the observer, their own among them."""
    return {start.observer: start.hand} | {piece.seat: piece.hand for piece in pieces if isinstance(piece, Reveal)}


def _auction(pieces: Sequence[Piece], dummy: Seat | None, first: Seat | None) -> Auction:
    """The auction as far as its calls are legal."""
    opener = first if first is not None and first != dummy else next(seat for seat in Seat if seat != dummy)
    auction: Auction | None = None
    for piece in pieces:
        if isinstance(piece, Called):
            try:
                auction, _ = (auction or Auction(piece.seat, (), dummy)).fill(piece.seat, piece.call)
            except BayesBridgeError:
                break
    return auction or Auction(opener, (), dummy)


def _auction_document(auction: Auction) -> dict[str, Any]:
    turn = auction.turn
    return {
        "first": auction.first.name,
        "bidders": [seat.name for seat in auction.bidders],
        "calls": [[seat.name, str(call)] for seat, call in auction],
        "turn": None if turn is None else turn.name,
        "legal": [str(call) for call in auction.legal_calls()],
        "over": auction.is_over,
    }


def _strain(start: Belief, auction: Auction) -> Strain | None:
    contract = auction.contract
    return start.trump if start.trump is not None or contract is None else contract.strain


def _tricks(pieces: Sequence[Piece], start: Belief, auction: Auction) -> tuple[Trick, ...]:
    """The tricks as far as the plays are legal."""
    plays = [(piece.seat, piece.card) for piece in pieces if isinstance(piece, Play)]
    shown, strain = _shown(pieces, start), _strain(start, auction)
    for many in range(len(plays), 0, -1):
        for candidate in (strain,) if strain is not None else reversed(Strain):
            try:
                return replay(plays[:many], candidate, shown)
            except BayesBridgeError:
                continue
    return ()


def _play_document(
    pieces: Sequence[Piece], start: Belief, auction: Auction, tricks: tuple[Trick, ...]
) -> dict[str, Any]:
    contract, strain = auction.contract, _strain(start, auction)
    trump = None if strain is None else strain.trump
    trick = tricks[-1] if tricks else None
    if trick is not None and trick.complete and trick.winner is not None:
        trick = Trick(trick.winner, trump)
    leader = _leader(contract, start.dummy)
    over = len(tricks) == 13 and tricks[-1].complete
    turn = None if over else leader if trick is None else trick.turn
    won = {"NS": 0, "EW": 0}
    for one in tricks:
        if one.complete and one.winner is not None:
            won["NS" if one.winner in (Seat.N, Seat.S) else "EW"] += 1
    return {
        "tricks": [
            {
                "cards": [[seat.name, str(card)] for seat, card in one],
                "winner": None if one.winner is None or not one.complete else one.winner.name,
            }
            for one in tricks
        ],
        "voids": sorted({f"{seat.name}:{suit.name}" for one in tricks for seat, suit in one.voids}),
        "won": won,
        "turn": None if turn is None else turn.name,
        "leader": None if leader is None else leader.name,
        "legal": {seat.name: _legal(seat, pieces, start, trick, tricks) for seat in Seat if turn in (None, seat)}
        if not over
        else {},
        "opens": _opens(contract, start, pieces, tricks),
        "over": over,
    }


def _leader(contract: Contract | None, dummy: Seat | None) -> Seat | None:
    """Who leads to the first trick: the next hand after declarer that is not the dummy's."""
    if contract is None:
        return None
    return next(seat for seat in map(contract.declarer.next, range(1, 4)) if seat != dummy)


def _legal(
    seat: Seat, pieces: Sequence[Piece], start: Belief, trick: Trick | None, tricks: tuple[Trick, ...]
) -> list[str]:
    """The cards that a seat may play, as far as the table knows: a hidden hand may hold any that is not elsewhere."""
    shown = _shown(pieces, start)
    played = sum(card.mask for one in tricks for card in one.cards)
    held = DECK_MASK & ~played
    if seat in shown:
        held &= shown[seat].mask
        return [str(card) for card in (trick or Trick(seat)).legal(Hand(held))]
    for other, hand in shown.items():
        held &= DECK_MASK if other == seat else ~hand.mask
    for one in tricks:
        for player, suit in one.voids:
            if player == seat:
                held &= ~(SUIT_MASK << 13 * suit)
    return [str(Card(index)) for index in range(51, -1, -1) if held >> index & 1]


def _opens(contract: Contract | None, start: Belief, pieces: Sequence[Piece], tricks: tuple[Trick, ...]) -> str | None:
    """The dummy's seat once the first card lies and its hand is not entered yet."""
    if contract is None or not tricks:
        return None
    dummy = contract.declarer.partner if start.dummy is None else start.dummy
    return None if dummy in _shown(pieces, start) else dummy.name
