"""The table: what everybody there has seen, and what the rules say of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from bayesbridge.errors import IllegalPlay
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import (
    DECK_CARDS,
    DECK_MASK,
    SUIT_CARDS,
    SUIT_MASK,
    Card,
    Hand,
    Strain,
    Suit,
)
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick, replay


@dataclass(frozen=True)
class Table:
    """A moment of a deal, as it lies before everybody.

    With the hands that one observer sees.
    """

    auction: Auction | None = None
    plays: tuple[tuple[Seat, Card], ...] = ()
    shown: Mapping[Seat, Hand] = field(default_factory=dict, hash=False)
    """The original 13 cards of hands seen."""
    silent: Seat | None = None
    """The seat that does not bid; ``None`` in the four-player game."""
    trump: Strain | None = None
    """The strain of the contract if told; the auction tells it too."""
    named: Contract | None = None
    """A contract that is played in place of the auction's."""

    @property
    def contract(self) -> Contract | None:
        """What is played, ``None`` while nobody knows or where all passed."""
        if self.named is not None or self.auction is None:
            return self.named
        return self.auction.contract

    @property
    def strain(self) -> Strain | None:
        """The strain of the contract, as told or of the contract.

        ``None`` while nobody knows.
        """
        if self.trump is not None or self.contract is None:
            return self.trump
        return self.contract.strain

    @property
    def dummy(self) -> Seat | None:
        """Whose hand lies open after the lead.

        In the three-player game it need not sit opposite declarer.
        """
        if self.silent is not None or self.contract is None:
            return self.silent
        return self.contract.declarer.partner

    @property
    def leader(self) -> Seat | None:
        """Who leads first.

        By the contract the next hand after declarer's that is not dummy's, else by the
        cards.
        """
        if self.contract is None:
            if not self.plays:
                return None
            leader, _card = self.plays[0]
            return leader
        left_hand = self.contract.declarer.next()
        if left_hand == self.dummy:
            return left_hand.next()
        return left_hand

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """The plays as tricks.

        Raises :class:`IllegalPlay` if no strain that may be trumps explains them.
        """
        if self.strain is not None:
            return replay(self.plays, self.strain, self.shown)
        try:
            return replay(self.plays, Strain.NT, self.shown)
        except IllegalPlay:
            for trump in reversed(Suit):
                with suppress(IllegalPlay):
                    return replay(self.plays, trump, self.shown)
            raise

    @property
    def legal(self) -> Table:
        """The same with as many of the cards played as can be."""
        for count in range(len(self.plays), 0, -1):
            table = replace(self, plays=self.plays[:count])
            with suppress(IllegalPlay):
                if table.tricks:
                    return table
        return replace(self, plays=())

    @property
    def over(self) -> bool:
        """Whether all cards are played."""
        return len(self.plays) == DECK_CARDS

    @property
    def trick(self) -> Trick | None:
        """The trick so far, empty where its leader is in turn.

        ``None`` after the last, and while nobody is to lead.
        """
        leader = self.leader
        if self.tricks:
            latest = self.tricks[-1]
            if not latest.complete:
                return latest
            leader = latest.winner
        if leader is None or self.over:
            return None
        trump = None if self.strain is None else self.strain.trump
        return Trick(leader, trump)

    @property
    def turn(self) -> Seat | None:
        """Whose hand is to play the next card."""
        return None if self.trick is None else self.trick.turn

    @property
    def chooser(self) -> Seat | None:
        """Who chooses the card: declarer for dummy."""
        if self.contract is not None and self.turn == self.dummy:
            return self.contract.declarer
        return self.turn

    @property
    def played(self) -> int:
        """Mask of the cards that have left their hands."""
        return sum(card.mask for _, card in self.plays)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who won each complete trick."""
        return tuple(
            trick.winner
            for trick in self.tricks
            if trick.complete and trick.winner is not None
        )

    @property
    def voids(self) -> tuple[tuple[Seat, Suit], ...]:
        """Each seat that did not follow, with the suit it has no more of."""
        return tuple(chain.from_iterable(trick.voids for trick in self.tricks))

    def legal_cards(self, seat: Seat) -> Hand:
        """What a seat may play, as far as the table knows.

        A hidden hand may hold any card not seen elsewhere.
        """
        unplayed = DECK_MASK & ~self.played
        if seat in self.shown:
            hand = Hand(unplayed & self.shown[seat].mask)
            trick = self.trick or Trick(seat)
            return trick.legal(hand)
        possible = unplayed
        for hand in self.shown.values():
            possible &= ~hand.mask
        for player, suit in self.voids:
            if player == seat:
                possible &= ~(SUIT_MASK << SUIT_CARDS * suit)
        return Hand(possible)
