"""What one seat has seen of a table at a moment: all that a reader is told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.belief.witness import seen_by
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.engines.target import Target
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import BidderModel, PlayerModel, Reveal
from bayesbridge.evidence.kinds import Piece
from bayesbridge.notation.record import Record, Vulnerability

type Floats = NDArray[np.float64]

MOMENTS: Final = {"auction": 0, "lead": 1, "trick 1": 4, "trick 3": 12, "trick 6": 24, "trick 9": 36}
"""Cards played at each moment. At ``auction`` nobody has led; at ``lead`` dummy is open."""


def moment_of(text: str) -> str:
    """The name of a moment; the number of a trick is enough.

    >>> moment_of("3"), moment_of("lead")
    ('trick 3', 'lead')
    """
    word = " ".join(text.split())
    name = f"trick {word}" if word.isdecimal() else word
    if name not in MOMENTS:
        raise BayesBridgeError(f"unknown moment {text!r}: choose auction, lead, 1, 3, 6 or 9", moment=text)
    return name


@dataclass(frozen=True, slots=True, eq=False)
class Hard:
    """What the hard evidence says by itself, counted.

    cards:   (52, 4) P(seat holds card)
    lengths: (4, 4, 14) P(seat has so many cards of a suit)
    count:   layouts that fit
    """

    cards: Floats
    lengths: Floats
    count: int

    @classmethod
    def of_target(cls, target: Target) -> Hard:
        """From the counting tables of a target."""
        cards, lengths = target.shares
        return cls(cards, lengths, target.count)

    @classmethod
    def of_posterior(cls, posterior: Posterior) -> Hard:
        """From the tables that the posterior has built already."""
        return cls.of_target(posterior.draws.target)


@dataclass(frozen=True, eq=False)
class Seen:
    """All that one seat knows of a table; the hidden hands are not in it."""

    observer: Seat
    hand: Hand
    """The observer's own 13 cards."""
    vulnerable: Vulnerability
    auction: Auction
    """Of four players, over."""
    plays: tuple[tuple[Seat, Card], ...]
    """In the order played."""
    dummy: Hand | None
    """Dummy's 13 cards, once they lie open to the observer."""
    evidence: tuple[Piece, ...]
    """The same as pieces of evidence, in the order seen."""
    board: int = 0
    """Number of the record in its file, from 1; 0 where there is no file."""

    @classmethod
    def of(cls, record: Record, observer: Seat, cards: int, board: int = 0) -> Seen:
        """What a seat saw of a record with a complete auction, after the first ``cards`` cards."""
        seat, hand, pieces = seen_by(record, observer, cards)
        assert record.auction is not None
        shown = [piece.hand for piece in pieces if isinstance(piece, Reveal)]
        return cls(
            seat,
            hand,
            record.vulnerable or Vulnerability.NONE,
            record.auction,
            tuple(record.plays[:cards]),
            shown[0] if shown else None,
            tuple(pieces),
            board,
        )

    def belief(self, bidder: BidderModel, player: PlayerModel | None = None) -> Belief:
        """What the seat believes under these models; without a player, cards say only where they lie."""
        start = Belief(self.observer, self.hand, dummy=None, bidder=bidder, player=player)
        return start.given(*self.evidence)

    @cached_property
    def hard(self) -> Hard:
        """What is known without any model."""
        contract = self.auction.contract
        # The calls are left out, so this bidder is never asked; who wins a trick still depends on the strain.
        strain = None if contract is None else contract.strain
        start = Belief(self.observer, self.hand, dummy=None, trump=strain, bidder=IterativeBidder())
        known = start.given(*(piece for piece in self.evidence if piece.excludes))
        return Hard.of_target(Target(known.constraints))
