"""Cards in the order played: legal or not, and out of the columns in which PBN writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bayesbridge.calls import Contract
from bayesbridge.cards import DECK_MASK, SUIT_MASK, Card, Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalPlay
from bayesbridge.tricks import replay

type Hands = tuple[Hand | None, Hand | None, Hand | None, Hand | None]
"""The hands that are known, in the order N E S W."""

type Plays = tuple[tuple[Seat, Card], ...]
"""Cards with their seats, in the order played."""

UNKNOWN_HANDS: Final[Hands] = (None, None, None, None)

PLAYS: Final = tuple(tuple((seat, Card(index)) for index in range(52)) for seat in Seat)
"""``PLAYS[seat][index]`` is the pair (seat, card), one object for all records."""


def from_columns(rows: Iterable[tuple[int, ...]], leader: Seat, trump: Suit | None) -> Plays:
    """The plays of PBN's table: a row a trick, a column a seat from the opening leader, -1 where no card lies.

    The order within a row follows from the winner of the row before. Nothing is judged here.

    >>> from_columns([(51, 38, 37, 36), (-1, 40, -1, -1)], Seat.W, Suit.H)[3:]
    ((<Seat.S: 2>, Card.of('HQ')), (<Seat.N: 0>, Card.of('S3')))
    """
    plays: list[tuple[Seat, Card]] = []
    turn = 0
    for row in rows:
        cards = row[turn:] + row[:turn]
        seat = leader + turn
        for index in cards:
            if index >= 0:
                plays.append(PLAYS[seat % 4][index])
            seat += 1
        turn = (turn + winning_place(cards, trump)) % 4
    return tuple(plays)


def from_sequence(indices: Iterable[int], leader: Seat, trump: Suit | None) -> Plays:
    """The plays when only the cards are told, in the order played."""
    plays: list[tuple[Seat, Card]] = []
    turn, trick = int(leader), list[int]()
    for index in indices:
        plays.append(PLAYS[(turn + len(trick)) % 4][index])
        trick.append(index)
        if len(trick) == 4:
            turn = (turn + winning_place(trick, trump)) % 4
            trick.clear()
    return tuple(plays)


def winning_place(indices: list[int] | tuple[int, ...], trump: Suit | None) -> int:
    """Which card of a trick wins, as its place in the order played."""
    best, place = indices[0], 0
    for i, index in enumerate(indices):
        suit = index // 13
        if index > best if suit == best // 13 else suit == trump:
            best, place = index, i
    return place


def declarer_tricks(plays: Plays, contract: Contract | None, hands: Hands) -> int | None:
    """Declarer's tricks when all 52 cards are played, ``None`` before; raises when a play is illegal.

    :func:`~bayesbridge.tricks.replay` is the judge and writes the message; the integers here only spare it the
    plays in which nothing is wrong.
    """
    if not plays:
        return None
    if contract is None:
        raise IllegalPlay("cards are played but no contract says which suit is trumps and who leads", plays=plays)
    leader = contract.declarer.next()
    if plays[0][0] is not leader:
        raise IllegalPlay(
            f"{plays[0][0].name} leads to trick 1, but it is {leader.name}'s turn: "
            f"the seat after declarer leads to {contract}",
            seat=plays[0][0],
            tricks=(1,),
        )
    tricks = _tricks_if_legal(plays, contract, hands)
    if tricks is None:
        known = {seat: hand for seat, hand in zip(Seat, hands, strict=True) if hand is not None}
        replay(plays, contract.trump, known)
        # The one thing that replay does not look at: who has an unknown hand plays what a known hand was dealt.
        number, seat, card, holder = next(
            (i // 4 + 1, seat, card, holder)
            for i, (seat, card) in enumerate(plays)
            for holder, hand in known.items()
            if holder is not seat and card in hand
        )
        raise IllegalPlay(
            f"{seat.name} plays {card} in trick {number}, but {holder.name} was dealt it: fix the deal or the play",
            seat=seat,
            card=card,
            tricks=(number,),
        )
    return tricks if len(plays) == 52 else None


def legal_part(plays: Plays, error: IllegalPlay) -> tuple[Plays, str]:
    """The tricks before that of the illegal card, and what of the play is left out, in words."""
    number = error.data["tricks"][-1]
    return plays[: 4 * (number - 1)], "play" if number == 1 else f"play from trick {number} on"


def _tricks_if_legal(plays: Plays, contract: Contract, hands: Hands) -> int | None:
    """Tricks that declarer's side has won, ``None`` if a play is illegal."""
    trump = -1 if contract.trump is None else int(contract.trump)
    dealt = 0
    for hand in hands:
        dealt |= 0 if hand is None else hand.mask
    # What a seat may still hold: its hand, or for an unknown hand everything that nobody else was dealt.
    left = [DECK_MASK & ~dealt if hand is None else hand.mask for hand in hands]
    unknown = [hand is None for hand in hands]
    turn, side, won, played = int(plays[0][0]), contract.declarer % 2, 0, 0
    led = best = winner = -1
    for i, (seat, card) in enumerate(plays):
        index = card.index
        suit, bit = index // 13, 1 << index
        if seat != turn or not left[seat] & bit or played & bit:
            return None
        if i % 4 == 0:
            led, best, winner = suit, index, turn
        elif suit == led:
            if best // 13 == led and index > best:
                best, winner = index, turn
        else:
            following = SUIT_MASK << 13 * led
            if unknown[seat]:
                left[seat] &= ~following
            elif left[seat] & following:
                return None
            if suit == trump and (best // 13 != trump or index > best):
                best, winner = index, turn
        played |= bit
        left[seat] &= ~bit
        if i % 4 == 3:
            turn = winner
            won += winner % 2 == side
        else:
            turn = (turn + 1) % 4
    return won
