"""Readers of the reading benchmark: where they say that the hidden cards lie.

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
    count: int  # of layouts

    @classmethod
    def of(cls, target: Target) -> Hard:
        """What the constraints of a target say."""
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
    # how the pairs bid at earlier tables, by side
    styles: Mapping[str, PairStyle] = field(default_factory=dict)

    @classmethod
    def of(
        cls, record: Record, observer: Seat, cards: int, board: int = 0
    ) -> PlayerView:
        """What a seat saw of a record with a complete auction, after so many cards.

        ``board`` is the number of the record in its file.
        """
        seat, hand, pieces = seen_by(record, observer, cards)
        assert record.auction is not None
        # No hand but dummy's is ever laid open.
        open_hands = [piece.hand for piece in pieces if isinstance(piece, Reveal)]
        return cls(
            observer=seat,
            hand=hand,
            vulnerable=record.vulnerable or Vulnerability.NONE,
            auction=record.auction,
            plays=tuple(record.plays[:cards]),
            dummy=open_hands[0] if open_hands else None,
            evidence=tuple(pieces),
            board=board,
        )

    def belief(self, bidder: BidderModel, player: PlayerModel | None = None) -> Belief:
        """What the seat believes under these models.

        Parameters
        ----------
        bidder : BidderModel
            How the others call.
        player : PlayerModel, optional
            How they choose cards; without it cards say only where they lie.

        Returns
        -------
        Belief
        """
        own_cards = Belief(
            self.observer, self.hand, dummy=None, bidder=bidder, player=player
        )
        return own_cards.given(*self.evidence)

    @cached_property
    def hard(self) -> Hard:
        """What is known without any model, from the evidence that excludes layouts.

        These are cards played and laid open. Calls exclude none, and are left out.
        """
        # Who wins a trick depends on the strain, which the calls do not tell here.
        contract = self.auction.contract
        own_cards = Belief(
            self.observer,
            self.hand,
            dummy=None,  # bridge, where all four seats bid
            trump=None if contract is None else contract.strain,
            bidder=IterativeBidder(),  # never asked, since there are no calls
        )
        excluding = [piece for piece in self.evidence if piece.excludes]
        return Hard.of(Target(own_cards.given(*excluding).constraints))


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
    if record.contract is None:
        return "passed out: nobody leads"
    return None


def seat_of(chair: str, declarer: Seat) -> Seat:
    """The seat of one of ``ROLES``."""
    if chair not in ROLES:
        raise BayesBridgeError(
            f"unknown chair {chair!r}: choose {', '.join(ROLES)}", chair=chair
        )
    seats_after_declarer, _ = ROLES[chair]
    return declarer.next(seats_after_declarer)


def smoothed_marginals(posterior: Posterior) -> Reading:
    """What a posterior says of cards and lengths.

    Draws are mixed with what the hard evidence alone says, which counts as ``PSEUDO``
    draws, so that nothing possible gets the probability 0.
    """
    hard = Hard.of(posterior.target)
    if posterior.log_likelihood is None:
        return Reading(hard.cards, hard.lengths, hard=hard)
    if posterior.exact:
        hard_share = 0.0
    else:
        hard_share = PSEUDO / (PSEUDO + len(posterior))
    cards = posterior.marginals.card_marginals()
    lengths = posterior.marginals.length_distributions()
    return Reading(
        cards=(1 - hard_share) * cards + hard_share * hard.cards,
        lengths=(1 - hard_share) * lengths + hard_share * hard.lengths,
        hard=hard,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Reading(FrozenArrays):
    """What a reader says at one moment.

    Parameters
    ----------
    cards : array, shape (52, 4)
        P(seat holds card); rows sum to one.
    lengths : array, shape (4, 4, 14), optional
        P(seat has so many cards of a suit), by seat and suit. Without it cards lie one
        by one.
    log_layout : callable, optional
        log P of (n, 4) masks of layouts. Without it the probability of a layout is
        proportional to the product over its cards.
    hard : Hard, optional
        What the hard evidence says, where the reader has counted it already.
    """

    cards: Floats
    lengths: Floats | None = None
    log_layout: Callable[[Masks], Floats] | None = field(default=None, repr=False)
    hard: Hard | None = None


@runtime_checkable
class Reader(Protocol):
    """Anything that says where cards lie.

    It may be a posterior, or a program that predicts cards directly.
    """

    def read(self, view: PlayerView, /) -> Reading | None:
        """What it says of a table at a moment.

        Parameters
        ----------
        view : PlayerView
            All that the reader may know.

        Returns
        -------
        Reading or None
            ``None`` where it says nothing, which is counted.
        """
        ...


class CountingReader:
    """Takes every layout that the hard evidence leaves for as likely as any other."""

    def read(self, view: PlayerView, /) -> Reading:
        """The counted marginals."""
        hard = view.hard

        def log_layout(masks: Masks) -> Floats:
            return np.full(len(masks), -log(hard.count))

        return Reading(hard.cards, hard.lengths, log_layout, hard)


@dataclass(frozen=True)
class ModelReader:
    """The posterior under models of how the others call and choose cards.

    Parameters
    ----------
    bidder : BidderModel
        How the others call.
    player : PlayerModel, optional
        How they choose cards; without it cards say only where they lie.
    draws : int
        Draws of the posterior, where it is not exact.
    seed : int
        Where random numbers start.
    """

    bidder: BidderModel
    player: PlayerModel | None = None
    draws: int = DRAWS
    seed: int = 1

    def read(self, view: PlayerView, /) -> Reading:
        """The marginals of the posterior, and its probability of any layout.

        All layouts that fit the hard evidence are equally likely before the calls and
        the choice of cards, so by Bayes P(layout ∣ view) is the likelihood of these over
        the number of layouts times their mean likelihood: no layout need be drawn.
        """
        belief = view.belief(self._bidder_at(view), self.player)
        posterior = belief.infer("auto", self.draws, self.seed)
        soft_evidence = posterior.target.soft
        log_sum_of_likelihoods = posterior.log_marginal + log(posterior.count())

        def log_layout(masks: Masks) -> Floats:
            """(n,) log P(layout ∣ view) of (n, 4) masks."""
            return soft_evidence.of_layouts(masks) - log_sum_of_likelihoods

        return replace(smoothed_marginals(posterior), log_layout=log_layout)

    def _bidder_at(self, view: PlayerView) -> BidderModel:
        """The bidder with the settings of the table, as far as it has such settings."""
        settings: dict[str, Any] = {"vulnerable": view.vulnerable}
        if view.styles:
            settings["style"] = view.styles
        bidder = self.bidder
        for name, value in settings.items():
            with suppress(TypeError):  # a bidder may have no such setting
                bidder = with_settings(bidder, {name: value})
        return bidder


LEARNED_PLAYER: Final = "bayesbridge.bidders.play:LearnedPlayer"


def reader_of(text: str, draws: int = DRAWS, seed: int = 1) -> Reader:
    """The reader of a name.

    Parameters
    ----------
    text : str
        ``counting``; ``BIDDER``; ``BIDDER+PLAYER`` such as ``learned+learned``; each of
        these two, or a reader of your own, also as ``module:name``.
    draws : int
        Draws of a posterior.
    seed : int
        Where random numbers start.

    Returns
    -------
    Reader

    Raises
    ------
    BayesBridgeError
        If nothing has this name, or it is neither a reader nor a model.
    """
    if text == "counting":
        return CountingReader()
    bidder_name, plus, player_name = text.partition("+")
    if ":" in bidder_name:
        bidder = _imported(bidder_name)
    else:
        registry = offered("bidders", [bidder_name])  # with plugins, if it needs them
        bidder = registry.bidder(bidder_name)
    has_player = bool(plus)
    if not has_player:
        if isinstance(bidder, Reader):
            return bidder
        _verify_model(bidder_name, bidder)
        return ModelReader(bidder, player=None, draws=draws, seed=seed)
    path = LEARNED_PLAYER if player_name == "learned" else player_name
    player = _imported(path)
    _verify_model(bidder_name, bidder)
    _verify_model(player_name, player)
    return ModelReader(bidder, player, draws, seed)


def _verify_model(name: str, model: Any) -> None:
    """Refuse what is no model of calls or cards."""
    if not callable(getattr(model, "log_likelihood", None)):
        raise BayesBridgeError(
            f"{name!r} has neither read nor log_likelihood: name a reader or a model",
            name=name,
        )


def _imported(path: str) -> Any:
    """What ``module:name`` is; a class is made without arguments."""
    module, _, name = path.partition(":")
    try:
        value: Any = importlib.import_module(module)
        for attribute in name.split("."):
            value = getattr(value, attribute)
        return value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BayesBridgeError(
            f"cannot load {path!r} ({reason}): write module:name of an installed module"
        ) from None
