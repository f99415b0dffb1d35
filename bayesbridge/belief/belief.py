"""Belief: what one observer knows, seen at the table or on record, and how they come to
a posterior.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from math import log2
from numbers import Integral
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from bayesbridge.belief.conflict import Fact, contradiction
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.display import markup
from bayesbridge.display.words import SYMBOLS, model_words, number
from bayesbridge.engines.budget import MOST_DRAWS
from bayesbridge.engines.target import (
    LikelihoodTerm,
    PlayLikelihood,
    SoftEvidence,
    Target,
    calls_evidence,
)
from bayesbridge.errors import (
    BayesBridgeError,
    BayesBridgeWarning,
    DealError,
    NotationError,
    TablesTooLarge,
    whole,
)
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.expression_text import short_text
from bayesbridge.evidence.game import (
    PAPER_DUMMY,
    bids_at_bridge,
    is_of_bridge,
    names_suit,
)
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal, Void, pieces
from bayesbridge.evidence.models import BidderModel, PlayerModel, cost_of
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.cards import Hand, Strain, Suit
from bayesbridge.game.deal import Seat, around_table
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import Trick
from bayesbridge.notation.record import Record

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.bidders.learned import PairStyle
    from bayesbridge.runtime.random64 import Seed

_PACKAGE: Final = str(Path(__file__).parents[1])

PAPER_GAME: Final = (
    "suits are bid, but this is the paper's game of three, where North is dummy and does "
    "not bid: give dummy=None for bridge, or dummy='N' to say so"
)


def seen_by(
    record: Record, observer: Seat | str, cards: int | None
) -> tuple[Seat, Hand, list[Piece]]:
    """The seat, its 13 cards, and what it saw of the auction and of the first ``cards``
    cards played.
    """
    seat = Seat.of(observer)
    hand = record.hands[seat]
    if hand is None or len(hand) != 13:
        raise NotationError(
            f"{record.place}: the record does not tell {seat.name}'s 13 cards: choose another observer",
            seat=seat,
        )
    plays: list[Piece] = [Play(player, card) for player, card in record.plays[:cards]]
    dummy = seat if record.contract is None else record.contract.declarer.partner
    if plays and dummy != seat and (open_hand := record.hands[dummy]) is not None:
        plays.insert(1, Reveal(dummy, open_hand))
    return (
        seat,
        hand,
        [*(Called(caller, call) for caller, call in record.auction or ()), *plays],
    )


@dataclass(frozen=True, init=False)
class Belief:
    """An observer's 13 cards and all they have seen since. Immutable: :meth:`given`
    returns a new one.

    >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> belief.count()
    84478098072866400
    >>> from bayesbridge import Reveal
    >>> belief.given(Reveal("N", "J54.AQ2.KQ76.A54")).count()
    10400600
    """

    observer: Seat
    hand: Hand
    dummy: Seat | None  #: The seat that does not bid; ``None`` in bridge.
    #: The strain of the contract if told; the auction tells it too.
    trump: Strain | None
    bidder: BidderModel
    """How the others are taken to bid: by Algorithm 1 with slips; where all four bid,
    as experts do on record.
    """
    player: PlayerModel | None
    """How the others are taken to choose cards; ``None`` if their cards say no more
    than where they lie.
    """
    evidence: tuple[Piece, ...]
    _implied_models: Mapping[str, Any] | None = field(repr=False, compare=False)
    """The models given, where no game was named, so that evidence may tell it."""

    def __init__(
        self,
        observer: Seat | str,
        hand: Hand | str,
        *,
        dummy: Seat | str | Literal["implied"] | None = "implied",
        trump: Suit | Strain | str | None = None,
        bidder: BidderModel | None = None,
        player: PlayerModel | Literal["usual"] | None = "usual",
        style: PairStyle | Mapping[str, PairStyle] | None = None,
    ) -> None:
        """What an observer knows before any evidence.

        Parameters
        ----------
        observer : Seat or str
            The seat that looks.
        hand : Hand or str
            Its 13 cards.
        dummy : Seat, str or None
            The seat that does not bid in the paper's game, ``None`` in bridge, where all
            four do. Where it is not given, the game is bridge if the evidence or a model
            belongs to bridge alone: an :class:`Auction` of four seats, a call by North,
            a double, a style, :class:`LearnedBidder`, :class:`SystemBidder` or
            :class:`LearnedPlayer`. Otherwise it is the paper's, where North is dummy.
        trump : Suit, Strain or str, optional
            The strain of the contract, where the calls do not tell it.
        bidder : BidderModel, optional
            How the others bid: by default experts in bridge, else Algorithm 1.
        player : PlayerModel, "usual" or None
            How the others choose cards in bridge; ``None`` weighs no choice of cards.
        style : PairStyle or mapping of side to PairStyle, optional
            How pairs bid, for the experts of bridge.

        Examples
        --------
        >>> Belief("S", "AKQ2.KJ3.A54.Q32").dummy
        <Seat.N: 0>
        >>> Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("N", "1H")).dummy is None
        True
        """
        models = {"bidder": bidder, "player": player, "style": style}
        implied = dummy == "implied"
        if implied:
            of_bridge = style is not None or any(map(bids_at_bridge, models.values()))
            dummy = None if of_bridge else PAPER_DUMMY
        own, other = Seat.of(observer), None if dummy is None else Seat.of(dummy)
        if own == other:
            raise DealError(
                f"{own.name} is the dummy's seat, whose cards nobody holds: name another observer or another dummy",
                seat=own,
            )
        if style is not None and (bidder is not None or other is not None):
            raise BayesBridgeError(
                "a style is for four players and the learned bidder: dummy=None, and no bidder"
            )
        if other is None:
            from bayesbridge.bidders.learned import LearnedBidder
            from bayesbridge.bidders.play import LearnedPlayer

            model = LearnedBidder(style=style) if bidder is None else bidder
            chooser = LearnedPlayer() if player == "usual" else player
        else:
            model = IterativeBidder() if bidder is None else bidder
            chooser = None if player == "usual" else player
        if not isinstance(model, BidderModel):
            raise BayesBridgeError(
                f"bidder {model!r} has no log_likelihood: give a bidder model",
                bidder=model,
            )
        if chooser is not None and not isinstance(chooser, PlayerModel):
            raise BayesBridgeError(
                f"player {chooser!r} has no log_likelihood: give a player model",
                player=chooser,
            )
        vars(self).update(
            observer=own,
            hand=Hand.of(hand).verify_full(f"{own.name}'s hand"),
            dummy=other,
            trump=None if trump is None else Strain.of(trump),
            bidder=model,
            player=chooser,
            evidence=(),
            _implied_models=models if implied else None,
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
        """What a seat believes at a table on record, after the auction and the first
        ``cards`` cards (default: all).

        The dummy opens after the lead. The others are taken to be experts of the
        four-player game; ``bidder`` and ``player`` put other models in their place, and
        ``player=None`` none.
        """
        from bayesbridge.bidders.learned import LearnedBidder

        seat, hand, seen = seen_by(record, observer, cards)
        model = bidder or LearnedBidder(record.vulnerable or Vulnerability.NONE)
        return cls(seat, hand, dummy=None, bidder=model, player=player).given(*seen)

    def given(self, *evidence: Piece | Trick | Auction) -> Belief:
        """The belief after more evidence, in the order it was seen; tricks and auctions
        count as their parts.

        Illegal calls and plays are refused at once; whether all holds together is known
        when layouts are counted.
        """
        game = self._in_game_of(evidence)
        belief = game._with((*self.evidence, *pieces(*evidence)))
        if belief.constraints.impossible:
            belief.verify()  # names the pieces in conflict
        return belief

    def infer(
        self,
        method: str = "auto",
        draws: int | None = None,
        rng: Seed = None,
        before: Posterior | None = None,
    ) -> Posterior:
        """The posterior over layouts.

        ``method``: ``auto`` takes the most exact engine that fits and says which and
        why; the other names of ``bayesbridge.engines.infer.ENGINES`` insist on one.
        ``draws`` is how many layouts a sampling engine returns, by default as many as
        the bidder model says. A fit to the calls starts from ``before``, an earlier
        posterior.
        """
        from bayesbridge.belief.posterior import Posterior
        from bayesbridge.engines.infer import infer
        from bayesbridge.runtime.random64 import generator

        n = self.target.cost.draws if draws is None else whole(draws, "draws")
        if n > MOST_DRAWS:
            raise BayesBridgeError(f"{n} draws: take at most {MOST_DRAWS}", draws=n)
        self.verify()
        if self._game_is_doubtful:
            warnings.warn(
                PAPER_GAME, BayesBridgeWarning, skip_file_prefixes=(_PACKAGE,)
            )
        earlier = None if before is None else before.proposal
        start = (
            randbits(128) if rng is None else rng
        )  # so that a run without a seed can be repeated too
        generator(start)
        seed = int(start) if isinstance(start, Integral) else None
        found = infer(self.target, method, n, start, earlier)
        posterior = Posterior.of(found, belief=self, seed=seed, asked=(method, draws))
        if posterior.warning:
            warnings.warn(
                posterior.warning, BayesBridgeWarning, skip_file_prefixes=(_PACKAGE,)
            )
        return posterior

    def with_bidder(self, bidder: BidderModel) -> Belief:
        """The same evidence, the others taken to bid in another way."""
        belief = Belief(
            self.observer,
            self.hand,
            dummy=self.dummy,
            trump=self.trump,
            bidder=bidder,
            player=self.player,
        )
        return belief._with(self.evidence)

    def _in_game_of(self, evidence: Sequence[object]) -> Belief:
        """The belief in the game that the evidence belongs to, where none was named."""
        if self._implied_models is None:
            return self
        if any(map(is_of_bridge, evidence)):
            dummy = None
        elif any(isinstance(piece, Auction) for piece in evidence):
            dummy = self.dummy
        else:
            return self
        belief = Belief(
            self.observer,
            self.hand,
            dummy=dummy,
            trump=self.trump,
            **self._implied_models,
        )
        return belief._with(self.evidence)

    @property
    def _game_is_doubtful(self) -> bool:
        """Whether suits are bid as in bridge, where neither the game nor a bidder was
        named and the paper's game is meant.
        """
        if self.dummy is None or self._implied_models is None:
            return False
        return self._implied_models["bidder"] is None and names_suit(self.evidence)

    def history(self) -> Iterator[Belief]:
        """The belief before any evidence, then after each piece."""
        for n in range(len(self.evidence) + 1):
            yield self._with(self.evidence[:n])

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """The observer with the dummy, or with their partner where all four bid."""
        return (
            self.observer,
            self.observer.partner if self.dummy is None else self.dummy,
        )

    @property
    def auction(self) -> Auction | None:
        """The calls as an auction, players left out between two calls having passed;
        ``None`` without calls.
        """
        return self._auction[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """What is said of the systems and styles that the players follow, in words."""
        models = self.bidder, getattr(self.bidder, "base", None)
        return tuple(
            str(said) for model in models for said in getattr(model, "systems", ())
        )

    @cached_property
    def chooses(self) -> PlayerModel | None:
        """The player, who knows what the bidder's systems say of opening leads."""
        leads = getattr(self.bidder, "leads", None)
        known = leads is not None and hasattr(self.player, "leads")
        return replace(cast(Any, self.player), leads=leads) if known else self.player

    @property
    def assumptions(self) -> tuple[str, ...]:
        """How the others are taken to bid and to choose cards, in sentences; nothing of
        what was not seen of them.
        """
        told = (
            []
            if self.auction is None
            else [f"The others are taken to bid as {model_words(self.bidder)}."]
        )
        told += [f"System: {said}." for said in self.systems]
        terms = [term for term in self.target.soft.terms if term.call is None]
        if terms and self.player is not None:
            told.append(
                f"They are taken to choose cards as {model_words(self.player)}."
            )
        elif any(
            isinstance(piece, Play) and piece.seat in self.constraints.hidden
            for piece in self.evidence
        ):
            why = (
                "no auction tells the contract"
                if self.player is not None
                else "no player model was given"
            )
            told.append(
                f"Which of several cards they chose to play was not weighted: {why}."
            )
        return tuple(told)

    @property
    def assumed_passes(self) -> tuple[Seat, ...]:
        """The seats taken to have passed because a later call leaves them out, in
        order.
        """
        return self._auction[1]

    @property
    def roles(self) -> dict[str, str]:
        """Seat → what it is to the observer."""
        return {
            **({} if self.dummy is None else {self.dummy.name: "dummy"}),
            self.observer.name: "observer",
        }

    @property
    def middle_html(self) -> str:
        """The contract or the trumps, for the middle of a table in HTML."""
        contract = None if self.auction is None else self.auction.contract
        if contract is not None:
            return markup.call(str(contract))
        if self.table.strain is None:
            return ""
        trump = self.table.strain.trump
        return (
            "no trumps"
            if trump is None
            else markup.text(f"trumps {SYMBOLS[trump.name]}")
        )

    @cached_property
    def table(self) -> Table:
        """What lies before everybody, with the hands that the observer sees."""
        plays = tuple(
            (piece.seat, piece.card)
            for piece in self.evidence
            if isinstance(piece, Play)
        )
        shown = {
            piece.seat: piece.hand
            for piece in self.evidence
            if isinstance(piece, Reveal)
        }
        return Table(
            self.auction,
            plays,
            {self.observer: self.hand} | shown,
            self.dummy,
            self.trump,
        )

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """All that the hard pieces say, the observer's hand first; a card that does not
        follow suit shows a void.
        """
        played: dict[Seat, int] = dict.fromkeys(Seat, 0)
        leads = (
            Play(trick.leader, trick.cards[0])
            for trick in self.table.tricks
            for _ in trick.cards
        )
        facts: list[Fact] = []
        for piece in (Reveal(self.observer, self.hand), *self.evidence):
            before = played[piece.seat]
            if isinstance(piece, Play):
                lead = next(leads)
                if piece.card.suit is not lead.card.suit:
                    void = Void(piece.seat, lead.card.suit).constrain(
                        Constraints.free(), before
                    )
                    facts.append(Fact((lead, piece), void))
                played[piece.seat] |= piece.card.mask
            if isinstance(piece, Void):
                facts.append(
                    Fact((piece,), piece.constrain(Constraints.free(), before))
                )
            elif piece.excludes:
                facts.append(Fact((piece,), piece.constrain(Constraints.free())))
        return tuple(facts)

    @cached_property
    def target(self) -> Target:
        """What engines are asked."""
        known = reduce(
            lambda known, fact: known & fact.constraints, self.facts, Constraints.free()
        )
        called = [piece for piece in self.evidence if isinstance(piece, Called)]
        calls = calls_evidence(self.bidder, self.auction, self.observer, called)
        soft = SoftEvidence((*calls, *self._plays()))
        return Target(known.normalised(), soft, cost_of(self.bidder))

    @property
    def constraints(self) -> Constraints:
        """All hard evidence, the observer's own hand included, normalised."""
        return self.target.constraints

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly; raises
        :class:`Contradiction` if none does.

        Raises :class:`TablesTooLarge` where a condition can only be tested on draws.
        """
        self.verify()
        if not self.target.fitting.exact:
            tested = "; ".join(map(short_text, self.target.plan.tested))
            raise TablesTooLarge(
                f"layouts that meet {tested} cannot be counted, only drawn: ask for an estimate, or show more cards",
                needed=self.target.support_size,
            )
        return self.target.count

    def verify(self) -> None:
        """Raise :class:`Contradiction` if no layout fits the hard evidence."""
        if not self.target.count:
            own, *others = self.facts
            raise contradiction(own, others)

    def effect(self, piece: Piece) -> str:
        """What a piece does here: ``hard`` excludes, ``soft`` weighs, ``hard and soft``
        both, ``none`` (own call).
        """
        soft = any(
            piece is one for term in self.target.soft.terms for one in term.pieces
        )
        return (
            "hard and soft"
            if piece.excludes and soft
            else "hard"
            if piece.excludes
            else "soft"
            if soft
            else "none"
        )

    def _repr_html_(self) -> str:
        known = self.constraints
        try:
            layouts = self.count()
            said = (
                "1 layout fits."
                if layouts == 1
                else f"{number(layouts)} layouts fit: {log2(layouts):.1f} bits."
            )
        except BayesBridgeError as error:
            said = str(error)
        return markup.piece(
            around_table(known.must, known.may, self.roles, self.middle_html),
            "" if self.auction is None else self.auction.html(),
            markup.listed(
                str(piece) for piece in self.evidence if not isinstance(piece, Called)
            ),
            markup.sentence(said),
        )

    def _with(self, evidence: tuple[Piece, ...]) -> Belief:
        other = object.__new__(Belief)
        vars(other).update(
            {part.name: getattr(self, part.name) for part in fields(self)},
            evidence=evidence,
        )
        return other

    @cached_property
    def _auction(self) -> tuple[Auction | None, tuple[Seat, ...]]:
        auction: Auction | None = None
        passed: tuple[Seat, ...] = ()
        for piece in self.evidence:
            if isinstance(piece, Called):
                auction, more = (auction or Auction(piece.seat, (), self.dummy)).fill(
                    piece.seat, piece.call
                )
                passed += more
        return auction, passed

    def _plays(self) -> Iterable[LikelihoodTerm]:
        table, plays = (
            self.table,
            [piece for piece in self.evidence if isinstance(piece, Play)],
        )
        contract, dummy = table.contract, table.dummy
        if self.chooses is None or contract is None or dummy is None:
            return
        # Dummy's cards are declarer's choice.
        for seat in sorted({piece.seat for piece in plays} - {self.observer, dummy}):
            own = [number for number, piece in enumerate(plays) if piece.seat == seat]
            # Later cards say nothing of earlier ones.
            cards, open_hand = table.plays[: own[-1] + 1], table.shown.get(dummy)
            choices = PlayLikelihood(
                self.chooses, contract, cards, seat, self.auction, open_hand
            )
            yield LikelihoodTerm(
                (seat,), tuple(plays[number] for number in own), choices, choices
            )
