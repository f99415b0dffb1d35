"""The table: what everybody there has seen, and what the rules say of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from bayesbridge.errors import IllegalPlay
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import DECK_MASK, SUIT_MASK, Card, Hand, Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import Trick, replay


@dataclass(frozen=True)
class Table:
    """A moment of a deal, as it lies before everybody, with the hands that one observer
    sees.
    """

    auction: Auction | None = None
    plays: tuple[tuple[Seat, Card], ...] = ()
    shown: Mapping[Seat, Hand] = field(
        default_factory=dict, hash=False
    )  # the original 13 cards of hands seen
    silent: Seat | None = (
        None  # the seat that does not bid; None in the four-player game
    )
    trump: Strain | None = (
        None  # the strain of the contract if told; the auction tells it too
    )
    named: Contract | None = None  # a contract that is played in place of the auction's

    @property
    def contract(self) -> Contract | None:
        return (
            self.named
            if self.named is not None or self.auction is None
            else self.auction.contract
        )

    @property
    def strain(self) -> Strain | None:
        """The strain of the contract: as told, or of the contract; ``None`` while
        nobody knows.
        """
        return (
            self.trump
            if self.trump is not None or self.contract is None
            else self.contract.strain
        )

    @property
    def dummy(self) -> Seat | None:
        """Whose hand lies open after the lead; in the three-player game it need not sit
        opposite declarer.
        """
        if self.silent is not None or self.contract is None:
            return self.silent
        return self.contract.declarer.partner

    @property
    def leader(self) -> Seat | None:
        """Who leads first: by the contract the next hand after declarer's that is not
        dummy's, else by the cards.
        """
        if self.contract is None:
            return self.plays[0][0] if self.plays else None
        return next(
            seat
            for seat in map(self.contract.declarer.next, (1, 2))
            if seat != self.dummy
        )

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """The plays as tricks; raises :class:`IllegalPlay` if no strain that may be
        trumps explains them.
        """
        failures: list[IllegalPlay] = []
        for candidate in (
            (self.strain,) if self.strain is not None else reversed(Strain)
        ):
            try:
                return replay(self.plays, candidate, self.shown)
            except IllegalPlay as error:
                failures.append(error)
        raise failures[0]

    @property
    def legal(self) -> Table:
        """The same with as many of the cards played as can be."""
        for many in range(len(self.plays), 0, -1):
            table = replace(self, plays=self.plays[:many])
            with suppress(IllegalPlay):
                if table.tricks:
                    return table
        return replace(self, plays=())

    @property
    def over(self) -> bool:
        return len(self.plays) == 52

    @property
    def trick(self) -> Trick | None:
        """The trick so far, empty where its leader is in turn; ``None`` after the last,
        and while nobody is to lead.
        """
        last = self.tricks[-1] if self.tricks else None
        if last is not None and not last.complete:
            return last
        leader = self.leader if last is None else last.winner
        trump = None if self.strain is None else self.strain.trump
        return None if leader is None or self.over else Trick(leader, trump)

    @property
    def turn(self) -> Seat | None:
        return None if self.trick is None else self.trick.turn

    @property
    def chooser(self) -> Seat | None:
        """Who chooses the card: declarer for dummy."""
        return (
            self.contract.declarer
            if self.contract is not None and self.turn == self.dummy
            else self.turn
        )

    @property
    def played(self) -> int:
        """Mask of the cards that have left their hands."""
        return sum(card.mask for _, card in self.plays)

    @property
    def winners(self) -> tuple[Seat, ...]:
        return tuple(
            one.winner for one in self.tricks if one.complete and one.winner is not None
        )

    @property
    def voids(self) -> tuple[tuple[Seat, Suit], ...]:
        """Each seat that did not follow, with the suit it has no more of."""
        return tuple(void for one in self.tricks for void in one.voids)

    def legal_cards(self, seat: Seat) -> Hand:
        """What a seat may play, as far as the table knows: a hidden hand may hold any
        card not seen elsewhere.
        """
        left = DECK_MASK & ~self.played
        if seat in self.shown:
            return (self.trick or Trick(seat)).legal(Hand(left & self.shown[seat].mask))
        for hand in self.shown.values():
            left &= ~hand.mask
        for player, suit in self.voids:
            left &= ~(SUIT_MASK << 13 * suit) if player == seat else -1
        return Hand(left)
