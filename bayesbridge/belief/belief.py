"""Belief: what one observer knows, seen at the table or on record, and how they come to a posterior."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log2
from numbers import Integral
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Final, Literal

from bayesbridge import markup
from bayesbridge.auction import Auction
from bayesbridge.belief.perspective import Perspective
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.calls import Vulnerability
from bayesbridge.cards import Hand, Strain, Suit
from bayesbridge.deal import Seat, around_table
from bayesbridge.engines.target import MOST_DRAWS
from bayesbridge.errors import BayesBridgeError, BayesBridgeWarning, DealError, NotationError, whole
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal, pieces
from bayesbridge.evidence.models import BidderModel, PlayerModel
from bayesbridge.notation.record import Record
from bayesbridge.tricks import Trick
from bayesbridge.words import number

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.bidders.learned import PairStyle
    from bayesbridge.random64 import Seed


_PACKAGE: Final = str(Path(__file__).parents[1])


def seen_by(record: Record, observer: Seat | str, cards: int | None) -> tuple[Seat, Hand, list[Piece]]:
    """The seat, its 13 cards, and what it saw of the auction and of the first ``cards`` cards played."""
    seat = Seat.of(observer)
    hand = record.hands[seat]
    if hand is None or len(hand) != 13:
        raise NotationError(
            f"{record.place}: the record does not tell {seat.name}'s 13 cards: choose another observer", seat=seat
        )
    seen: list[Piece] = [Called(caller, call) for caller, call in record.auction or ()]
    dummy = None if record.contract is None else record.contract.declarer.partner
    for place, (player, card) in enumerate(record.plays[:cards]):
        seen.append(Play(player, card))
        open_hand = None if dummy is None or dummy == seat else record.hands[dummy]
        if place == 0 and dummy is not None and open_hand is not None:
            seen.append(Reveal(dummy, open_hand))
    return seat, hand, seen


def bidder_at(record: Record) -> BidderModel:
    """The usual bidders at a table of four: experts, at its vulnerability."""
    from bayesbridge.bidders.learned import LearnedBidder

    return LearnedBidder(record.vulnerable or Vulnerability.NONE)


def _usual_player() -> PlayerModel:
    from bayesbridge.bidders.play import LearnedPlayer

    return LearnedPlayer()


@dataclass(frozen=True, init=False)
class Belief(Perspective):
    """An observer's 13 cards and all they have seen since. Immutable: :meth:`given` returns a new one.

    >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> belief.count()
    84478098072866400
    >>> from bayesbridge import Reveal
    >>> belief.given(Reveal("N", "J54.AQ2.KQ76.A54")).count()
    10400600
    """

    def __init__(
        self,
        observer: Seat | str,
        hand: Hand | str,
        *,
        dummy: Seat | str | None = "N",
        trump: Suit | Strain | str | None = None,
        bidder: BidderModel | None = None,
        player: PlayerModel | Literal["usual"] | None = "usual",
        style: PairStyle | Mapping[str, PairStyle] | None = None,
    ) -> None:
        own, other = Seat.of(observer), None if dummy is None else Seat.of(dummy)
        if own == other:
            raise DealError(
                f"{own.name} is the dummy's seat, whose cards nobody holds: name another observer or another dummy",
                seat=own,
            )
        if bidder is not None:
            model = bidder
        elif other is not None:
            model = IterativeBidder()
        else:
            from bayesbridge.bidders.learned import LearnedBidder

            model = LearnedBidder(style=style)
        if style is not None and (bidder is not None or other is not None):
            raise BayesBridgeError("a style is for four players and the learned bidder: dummy=None, and no bidder")
        if not isinstance(model, BidderModel):
            raise BayesBridgeError(f"bidder {model!r} has no log_likelihood: give a bidder model", bidder=model)
        if player == "usual":
            player = None if other is not None else _usual_player()
        if player is not None and not isinstance(player, PlayerModel):
            raise BayesBridgeError(f"player {player!r} has no log_likelihood: give a player model", player=player)
        super().__init__(
            own,
            Hand.of(hand).verify_full(f"{own.name}'s hand"),
            other,
            None if trump is None else Strain.of(trump),
            model,
            player,
            (),
        )

    @classmethod
    def of_record(
        cls,
        record: Record,
        observer: Seat | str,
        *,
        cards: int | None = None,
        bidder: BidderModel | None = None,
        player: PlayerModel | Literal["usual"] | None = "usual",
    ) -> Belief:
        """What a seat believes at a table on record, after the auction and the first ``cards`` cards (default: all).

        The dummy opens after the lead. The others are taken to be experts of the four-player game, learned from
        records; ``bidder`` and ``player`` put other models in their place, and ``player=None`` none.
        """
        seat, hand, seen = seen_by(record, observer, cards)
        belief = cls(seat, hand, dummy=None, bidder=bidder or bidder_at(record), player=player)
        return belief.given(*seen)

    def given(self, *evidence: Piece | Trick | Auction) -> Belief:
        """The belief after more evidence, in the order it was seen; tricks and auctions count as their parts.

        Calls and plays that no auction or play can contain are refused at once; whether the evidence holds together is
        known when layouts are counted.
        """
        belief = self._with((*self.evidence, *pieces(*evidence)))
        if belief.constraints.impossible:
            belief.verify()  # names the pieces in conflict
        return belief

    def infer(
        self, method: str = "auto", draws: int | None = None, rng: Seed = None, before: Posterior | None = None
    ) -> Posterior:
        """The posterior over layouts.

        ``method``: ``auto`` takes the most exact engine that fits and says which and why; the other names of
        ``bayesbridge.engines.infer.ENGINES`` insist on one. ``draws`` is how many layouts a sampling engine returns; by
        default as many as the bidder model says (:class:`~bayesbridge.evidence.models.Cost`). What deceives is warned
        of (:class:`BayesBridgeWarning`, :attr:`Posterior.warning`).
        ``before`` is the posterior one step earlier: where draws are fitted to the calls, the fit starts from there.
        """
        from bayesbridge.belief.posterior import Posterior
        from bayesbridge.engines.infer import infer
        from bayesbridge.random64 import generator

        n = self.target.cost.draws if draws is None else whole(draws, "draws")
        if n > MOST_DRAWS:
            raise BayesBridgeError(f"{n} draws: take at most {MOST_DRAWS}", draws=n)
        self.verify()
        earlier = None if before is None else before.draws.proposal
        start = randbits(128) if rng is None else rng  # so that a run without a seed can be repeated too
        generator(start)
        seed = int(start) if isinstance(start, Integral) else None
        posterior = Posterior(self, infer(self.target, method, n, start, earlier), seed, (method, draws))
        if posterior.warning:
            warnings.warn(posterior.warning, BayesBridgeWarning, skip_file_prefixes=(_PACKAGE,))
        return posterior

    def with_bidder(self, bidder: BidderModel) -> Belief:
        """The same evidence, the others taken to bid in another way."""
        belief = Belief(self.observer, self.hand, dummy=self.dummy, trump=self.trump, bidder=bidder, player=self.player)
        return belief._with(self.evidence)

    def history(self) -> Iterator[Belief]:
        """The belief before any evidence, then after each piece."""
        for n in range(len(self.evidence) + 1):
            yield self._with(self.evidence[:n])

    def _repr_html_(self) -> str:
        """Known cards, the auction, everything else that was seen, and how many layouts fit or why none does."""
        known = self.constraints
        try:
            layouts = self.count()
            said = "1 layout fits." if layouts == 1 else f"{number(layouts)} layouts fit: {log2(layouts):.1f} bits."
        except BayesBridgeError as error:
            said = str(error)
        return markup.piece(
            around_table(known.must, known.may, self.roles, self.middle_html),
            "" if self.auction is None else self.auction.html(),
            markup.listed(str(piece) for piece in self.evidence if not isinstance(piece, Called)),
            markup.sentence(said),
        )

    def _with(self, evidence: tuple[Piece, ...]) -> Belief:
        """The same observer with other evidence."""
        other = object.__new__(Belief)
        Perspective.__init__(
            other, self.observer, self.hand, self.dummy, self.trump, self.bidder, self.player, evidence
        )
        return other
