"""Readers of the reading benchmark: what one seat has seen of a table, and what a
reader says of the hidden cards.

Whoever gives P(card at seat) alone is taken to mean each card by itself: lengths are
sums of independent cards, and P(layout) is proportional to the product over the hidden
cards, among all layouts with hands of the right size.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from bayesbridge.belief.belief import Belief, seen_by
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.engines.target import Target
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.registry import offered
from bayesbridge.evidence.kinds import Piece, Reveal
from bayesbridge.evidence.models import BidderModel, PlayerModel, with_settings
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks
from bayesbridge.notation.record import Record

MOMENTS: Final = {
    "auction": 0,
    "lead": 1,
    "trick 1": 4,
    "trick 3": 12,
    "trick 6": 24,
    "trick 9": 36,
}
"""Cards played at each moment. At ``auction`` nobody has led; at ``lead`` dummy is
open.
"""


def moment_of(text: str) -> str:
    """The name of a moment; the number of a trick is enough."""
    word = " ".join(text.split())
    name = f"trick {word}" if word.isdecimal() else word
    if name not in MOMENTS:
        raise BayesBridgeError(
            f"unknown moment {text!r}: choose auction, lead, 1, 3, 6 or 9", moment=text
        )
    return name


@dataclass(frozen=True, slots=True, eq=False)
class Hard(FrozenArrays):
    """What the hard evidence says by itself, counted."""

    cards: Floats  # (52, 4) P(seat holds card)
    lengths: Floats  # (4, 4, 14) P(seat has so many cards of a suit)
    count: int

    @classmethod
    def of(cls, target: Target) -> Hard:
        return cls(
            target.sampler.card_marginals(),
            target.sampler.length_distributions(),
            target.count,
        )


@dataclass(frozen=True, eq=False)
class PlayerView:
    """All that one seat knows of a table; the hidden hands are not in it."""

    observer: Seat
    hand: Hand  # the observer's own 13 cards
    vulnerable: Vulnerability
    auction: Auction  # of four players, over
    plays: tuple[tuple[Seat, Card], ...]  # in the order played
    dummy: Hand | None  # its 13 cards, once they lie open to the observer
    evidence: tuple[Piece, ...]  # the same as pieces of evidence, in the order seen
    board: int = 0  # number of the record in its file, from 1; 0 where there is no file
    styles: Mapping[str, PairStyle] = field(
        default_factory=dict
    )  # how the pairs bid at earlier tables, by side

    @classmethod
    def of(
        cls, record: Record, observer: Seat, cards: int, board: int = 0
    ) -> PlayerView:
        """What a seat saw of a record with a complete auction, after the first
        ``cards`` cards.
        """
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
        """What the seat believes under these models; without a player, cards say only
        where they lie.
        """
        start = Belief(
            self.observer, self.hand, dummy=None, bidder=bidder, player=player
        )
        return start.given(*self.evidence)

    @cached_property
    def hard(self) -> Hard:
        """What is known without any model."""
        # The calls are left out, so this bidder is never asked; who wins a trick still depends on the strain.
        strain = None if self.auction.contract is None else self.auction.contract.strain
        start = Belief(
            self.observer, self.hand, dummy=None, trump=strain, bidder=IterativeBidder()
        )
        known = start.given(*(piece for piece in self.evidence if piece.excludes))
        return Hard.of(Target(known.constraints))


# Draws that the prior counts as, so that no place is ever called impossible by chance
PSEUDO: Final = 10.0
DRAWS: Final = 1000

ROLES: Final = {
    "leader": (1, "the opening leader"),
    "partner": (3, "the leader's partner"),
    "declarer": (0, "declarer"),
    "dummy": (2, "dummy"),
}
"""Whose posterior is scored: seats after declarer, and how it is called in a sentence.
"""


def usable(record: Record) -> str | None:
    """Why a record cannot be scored; ``None`` if it can."""
    if record.deal is None:
        return "not all four hands are on record"
    if record.auction is None or not record.auction.is_over:
        return "no complete auction is on record"
    return "passed out: nobody leads" if record.contract is None else None


def seat_of(chair: str, declarer: Seat) -> Seat:
    if chair not in ROLES:
        raise BayesBridgeError(
            f"unknown chair {chair!r}: choose {', '.join(ROLES)}", chair=chair
        )
    return declarer.next(ROLES[chair][0])


def smoothed_marginals(posterior: Posterior) -> Reading:
    """What a posterior says of cards and lengths; draws are mixed with what the hard
    evidence alone says.
    """
    hard = Hard.of(posterior.target)
    if posterior.log_likelihood is None:
        return Reading(hard.cards, hard.lengths, hard=hard)
    share, sums = (
        0.0 if posterior.exact else PSEUDO / (PSEUDO + len(posterior)),
        posterior.marginals,
    )
    cards, lengths = sums.card_marginals(), sums.length_distributions()
    return Reading(
        (1 - share) * cards + share * hard.cards,
        (1 - share) * lengths + share * hard.lengths,
        hard=hard,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Reading(FrozenArrays):
    """What a reader says at one moment."""

    cards: Floats  # (52, 4) P(seat holds card); rows sum to one
    lengths: Floats | None = (
        None  # (4, 4, 14) P(seat has so many cards of a suit); None: cards one by one
    )
    log_layout: Callable[[Masks], Floats] | None = field(
        default=None, repr=False
    )  # log P of (n, 4) layouts, or None
    hard: Hard | None = (
        None  # what the hard evidence says, where the reader has counted it already
    )


@runtime_checkable
class Reader(Protocol):
    """Anything that says where cards lie: a posterior, or a program that predicts cards
    directly.
    """

    def read(self, seen: PlayerView) -> Reading | None:
        """What it says of a table at a moment; ``None`` where it says nothing, which is
        counted.
        """
        ...


class CountingReader:
    """Knows where cards cannot lie, and takes every layout that is left for as likely
    as any other.
    """

    def read(self, seen: PlayerView) -> Reading:
        hard = seen.hard
        return Reading(
            hard.cards,
            hard.lengths,
            lambda masks: np.full(len(masks), -log(hard.count)),
            hard,
        )


@dataclass(frozen=True)
class ModelReader:
    """The posterior under models of how the others call and, if there is one, how they
    choose cards.
    """

    bidder: BidderModel
    player: PlayerModel | None = None
    draws: int = DRAWS
    seed: int = 1

    def read(self, seen: PlayerView) -> Reading:
        """P(layout ∣ seen) is likelihood over (number of layouts × evidence), so the
        true layout need not be drawn.
        """
        bidder = self.bidder
        for name, value in {
            "vulnerable": seen.vulnerable,
            **({"style": seen.styles} if seen.styles else {}),
        }.items():
            with suppress(TypeError):  # a bidder may have no such setting
                bidder = with_settings(bidder, {name: value})
        posterior = seen.belief(bidder, self.player).infer(
            "auto", self.draws, self.seed
        )
        soft, log_all = (
            posterior.target.soft,
            posterior.log_marginal + log(posterior.count()),
        )
        return replace(
            smoothed_marginals(posterior),
            log_layout=lambda masks: soft.of_layouts(masks) - log_all,
        )


def reader_of(text: str, draws: int = 1000, seed: int = 1) -> Reader:
    """The reader of a name: ``counting``, ``BIDDER``, ``BIDDER+PLAYER`` as
    ``learned+learned``, or ``module:name``.
    """
    if text == "counting":
        return CountingReader()
    who, plus, other = text.partition("+")
    found = _imported(who) if ":" in who else offered("bidders", [who]).bidder(who)
    if not plus and isinstance(found, Reader):
        return found
    learned = "bayesbridge.bidders.play:LearnedPlayer"
    player = _imported(learned if other == "learned" else other) if plus else None
    for name, model in ((who, found), (other, player)):
        if model is not None and not callable(getattr(model, "log_likelihood", None)):
            raise BayesBridgeError(
                f"{name!r} has neither read nor log_likelihood: name a reader or a model",
                name=name,
            )
    return ModelReader(found, player, draws, seed)


def _imported(path: str) -> Any:
    """What a module calls so; a class is made without arguments."""
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BayesBridgeError(
            f"cannot load {path!r} ({what}): write module:name of an installed module"
        ) from None
