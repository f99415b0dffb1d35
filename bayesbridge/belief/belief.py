"""Belief: what one observer knows, and how they come to a posterior."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from math import log2
from numbers import Integral
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any, Final, Literal

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
from bayesbridge.game.cards import HAND_CARDS, Hand, Strain, Suit
from bayesbridge.game.deal import Seat, around_table
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import Trick
from bayesbridge.notation.record import Record

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.bidders.learned import PairStyle
    from bayesbridge.runtime.random64 import Seed

_PACKAGE: Final = str(Path(__file__).parents[1])

SEED_BITS: Final = 128
"""Of the seed that a run gets which names none, so that it can be repeated too."""

PAPER_GAME: Final = (
    "suits are bid, but this is the paper's game of three, where North is dummy and does "
    "not bid: give dummy=None for bridge, or dummy='N' to say so"
)


def seen_by(
    record: Record, observer: Seat | str, cards: int | None
) -> tuple[Seat, Hand, list[Piece]]:
    """What a seat saw at a table on record: the seat, its 13 cards, and the evidence.

    That is the auction, the first ``cards`` cards played (all if ``None``), and dummy's
    hand, which is opened after the lead.
    """
    seat = Seat.of(observer)
    hand = record.hands[seat]
    if hand is None or len(hand) != HAND_CARDS:
        raise NotationError(
            f"{record.place}: the record does not tell {seat.name}'s 13 cards: choose "
            "another observer",
            seat=seat,
        )
    calls: list[Piece] = [Called(caller, call) for caller, call in record.auction or ()]
    plays: list[Piece] = [Play(player, card) for player, card in record.plays[:cards]]
    if plays and record.contract is not None:
        dummy = record.contract.declarer.partner
        open_hand = record.hands[dummy]
        if dummy != seat and open_hand is not None:
            plays.insert(1, Reveal(dummy, open_hand))
    return seat, hand, [*calls, *plays]


@dataclass(frozen=True, init=False)
class Belief:
    """An observer's 13 cards and all they have seen since.

    Immutable: :meth:`given` returns a new belief.

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

    Raises
    ------
    DealError
        If the hand has not 13 cards, or the observer is the dummy.
    BayesBridgeError
        If a model is none, or a style comes with another bidder or with a dummy.

    Examples
    --------
    >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> belief.count()
    84478098072866400
    >>> from bayesbridge import Reveal
    >>> belief.given(Reveal("N", "J54.AQ2.KQ76.A54")).count()
    10400600
    >>> belief.dummy
    <Seat.N: 0>
    >>> belief.given(Called("N", "1H")).dummy is None
    True
    """

    observer: Seat
    hand: Hand
    #: The seat that does not bid; ``None`` in bridge.
    dummy: Seat | None
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
    """Bidder, player and style as they were given, where no game was named: once evidence
    tells the game, its usual models are chosen anew. ``None`` where a game was named.
    """

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
        seat = Seat.of(observer)
        implied_models = None
        if dummy == "implied":
            implied_models = {"bidder": bidder, "player": player, "style": style}
            dummy = _implied_dummy(implied_models)
        dummy_seat = None if dummy is None else Seat.of(dummy)
        if seat == dummy_seat:
            raise DealError(
                f"{seat.name} is the dummy's seat, whose cards nobody holds: name "
                "another observer or another dummy",
                seat=seat,
            )
        if style is not None and (bidder is not None or dummy_seat is not None):
            raise BayesBridgeError(
                "a style is for four players and the learned bidder: dummy=None, and no bidder"
            )
        if dummy_seat is None:
            bidder_model, player_model = _models_of_bridge(bidder, player, style)
        else:
            bidder_model, player_model = _models_of_paper(bidder, player)
        _verify_models(bidder_model, player_model)
        vars(self).update(
            observer=seat,
            hand=Hand.of(hand).verify_full(f"{seat.name}'s hand"),
            dummy=dummy_seat,
            trump=None if trump is None else Strain.of(trump),
            bidder=bidder_model,
            player=player_model,
            evidence=(),
            _implied_models=implied_models,
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
        """What a seat believes at a table on record.

        Parameters
        ----------
        record : Record
            The table; it must tell the observer's 13 cards.
        observer : Seat or str
            The seat that looks.
        cards : int, optional
            How many cards were played by then; all by default. The dummy opens after
            the lead.
        bidder : BidderModel, optional
            How the others bid: by default experts, as vulnerable as the record says.
        player : PlayerModel, "usual" or None
            How the others choose cards; ``None`` weighs no choice of cards.

        Returns
        -------
        Belief

        Raises
        ------
        NotationError
            If the record does not tell the observer's 13 cards.
        """
        from bayesbridge.bidders.learned import LearnedBidder

        seat, hand, evidence = seen_by(record, observer, cards)
        if bidder is None:
            bidder = LearnedBidder(record.vulnerable or Vulnerability.NONE)
        belief = cls(seat, hand, dummy=None, bidder=bidder, player=player)
        return belief.given(*evidence)

    def given(self, *evidence: Piece | Trick | Auction) -> Belief:
        """The belief after more evidence.

        Parameters
        ----------
        *evidence : Piece, Trick or Auction
            Pieces such as :class:`Called`, :class:`Play` or :class:`Void`, in the order
            they were seen; tricks and auctions count as their parts.

        Returns
        -------
        Belief

        Raises
        ------
        IllegalCall, IllegalPlay
            At once, where a call or a play breaks the rules.
        Contradiction
            If the evidence excludes every layout, where that is plain; else when
            layouts are counted.
        """
        in_game = self._in_game_named_by(evidence)
        belief = in_game._with((*self.evidence, *pieces(*evidence)))
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

        Parameters
        ----------
        method : str
            ``auto`` takes the most exact engine that fits and says which and why; the
            other names of ``bayesbridge.engines.infer.ENGINES`` insist on one.
        draws : int, optional
            How many layouts a sampling engine returns; by default as many as the bidder
            model says, 20 000 where it says nothing.
        rng : int, Generator or None
            What random numbers start from; ``None`` for another run each time, whose
            seed is ``Posterior.seed``.
        before : Posterior, optional
            An earlier posterior, from which a fit to the calls starts.

        Returns
        -------
        Posterior

        Raises
        ------
        Contradiction
            If no layout fits the hard evidence.
        BayesBridgeError
            If the method is unknown or cannot be used here.
        """
        from bayesbridge.belief.posterior import Posterior
        from bayesbridge.engines.infer import infer
        from bayesbridge.runtime.random64 import generator

        n = self.target.cost.draws if draws is None else whole(draws, "draws")
        if n > MOST_DRAWS:
            raise BayesBridgeError(f"{n} draws: take at most {MOST_DRAWS}", draws=n)
        self.verify()
        if self._game_is_doubtful:
            _warn(PAPER_GAME)
        proposal = None if before is None else before.proposal
        start = randbits(SEED_BITS) if rng is None else rng
        # Refuses what is no seed.
        generator(start)
        drawn = infer(self.target, method, n, start, proposal)
        posterior = Posterior.of(
            drawn,
            belief=self,
            seed=int(start) if isinstance(start, Integral) else None,
            asked=(method, draws),
        )
        if posterior.warning:
            _warn(posterior.warning)
        return posterior

    def with_bidder(self, bidder: BidderModel) -> Belief:
        """The same evidence, the others taken to bid in another way.

        Parameters
        ----------
        bidder : BidderModel
            How they bid.

        Returns
        -------
        Belief
        """
        belief = Belief(
            self.observer,
            self.hand,
            dummy=self.dummy,
            trump=self.trump,
            bidder=bidder,
            player=self.player,
        )
        return belief._with(self.evidence)

    def _in_game_named_by(self, evidence: Sequence[object]) -> Belief:
        """The same belief, in bridge or the paper's game if further evidence names it.

        ``_implied_models`` are the models that were given while no game was named, and
        ``None`` once one is: then nothing changes any more. A belief made anew with a
        ``dummy`` has its game named, and the usual models of that game.
        """
        if self._implied_models is None:
            return self
        if any(map(is_of_bridge, evidence)):
            dummy = None  # bridge: all four seats bid
        elif any(isinstance(piece, Auction) for piece in evidence):
            dummy = self.dummy  # an auction of three seats: the game assumed so far
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
        """Whether suits are bid as in bridge though the paper's game is assumed.

        Neither the game nor a bidder was named then.
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
        if self.dummy is None:
            return self.observer, self.observer.partner
        return self.observer, self.dummy

    @property
    def auction(self) -> Auction | None:
        """The calls as an auction, ``None`` without calls.

        Players left out between two calls have passed.
        """
        return self._auction[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """What is said of the systems and styles that the players follow, in words."""
        base = getattr(self.bidder, "base", None)
        of_bidder = getattr(self.bidder, "systems", ())
        of_base = getattr(base, "systems", ())
        return tuple(map(str, (*of_bidder, *of_base)))

    @cached_property
    def chooses(self) -> PlayerModel | None:
        """The player, who knows what the bidder's systems say of opening leads."""
        leads = getattr(self.bidder, "leads", None)
        player: Any = self.player
        if leads is None or not hasattr(player, "leads"):
            return self.player
        with_leads: PlayerModel = replace(player, leads=leads)
        return with_leads

    @property
    def assumptions(self) -> tuple[str, ...]:
        """How the others are assumed to bid and to choose cards, in sentences.

        Nothing is said of what was not seen of them.
        """
        sentences = []
        if self.auction is not None:
            sentences.append(f"Assumed bidders: {model_words(self.bidder)}.")
        sentences += [f"Assumed to play: {system}." for system in self.systems]
        # A likelihood of soft evidence is that of a call, or of the cards of a seat.
        weighs_plays = any(term.call is None for term in self.target.soft.terms)
        if weighs_plays and self.player is not None:
            sentences.append(f"Assumed card players: {model_words(self.player)}.")
        elif self._hidden_hands_played:
            why = "no auction tells the contract"
            if self.player is None:
                why = "no player model was given"
            sentences.append(
                f"Which of several cards they chose to play was not weighted: {why}."
            )
        return tuple(sentences)

    @property
    def _hidden_hands_played(self) -> bool:
        """Whether cards were played from hands that the observer does not see."""
        hidden = self.constraints.hidden
        return any(play.seat in hidden for play in self._played)

    @cached_property
    def _played(self) -> tuple[Play, ...]:
        """The cards played, in order."""
        return tuple(piece for piece in self.evidence if isinstance(piece, Play))

    @property
    def assumed_passes(self) -> tuple[Seat, ...]:
        """The seats taken to have passed since a later call leaves them out, in order."""
        return self._auction[1]

    @property
    def roles(self) -> dict[str, str]:
        """Seat → what it is to the observer."""
        roles: dict[str, str] = {}
        if self.dummy is not None:
            roles[self.dummy.name] = "dummy"
        roles[self.observer.name] = "observer"
        return roles

    @property
    def middle_html(self) -> str:
        """The contract or the trumps, for the middle of a table in HTML."""
        contract = None if self.auction is None else self.auction.contract
        if contract is not None:
            return markup.call(str(contract))
        if self.table.strain is None:
            return ""
        trump = self.table.strain.trump
        if trump is None:
            return "no trumps"
        return markup.text(f"trumps {SYMBOLS[trump.name]}")

    @cached_property
    def table(self) -> Table:
        """What lies before everybody, with the hands that the observer sees."""
        plays = tuple((play.seat, play.card) for play in self._played)
        hands = {self.observer: self.hand}
        for piece in self.evidence:
            if isinstance(piece, Reveal):
                hands[piece.seat] = piece.hand
        return Table(self.auction, plays, hands, self.dummy, self.trump)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What every piece that excludes layouts says, the observer's hand first.

        A card that does not follow suit shows a void: of the cards that are left, since
        those played before may have been of the suit. So of all constraints that of a
        void alone depends on the cards that the seat has played.
        """
        # A lead for each card played: that of its trick.
        lead_of_each_play = iter(self._leads())
        played_masks: dict[Seat, int] = dict.fromkeys(Seat, 0)
        facts: list[Fact] = []
        for piece in (Reveal(self.observer, self.hand), *self.evidence):
            played_before = played_masks[piece.seat]
            if isinstance(piece, Play):
                lead = next(lead_of_each_play)
                if piece.card.suit is not lead.card.suit:
                    void = Void(piece.seat, lead.card.suit)
                    constraints = void.constrain(Constraints.free(), played_before)
                    facts.append(Fact((lead, piece), constraints))
                played_masks[piece.seat] |= piece.card.mask
            if isinstance(piece, Void):
                constraints = piece.constrain(Constraints.free(), played_before)
                facts.append(Fact((piece,), constraints))
            elif piece.excludes:
                facts.append(Fact((piece,), piece.constrain(Constraints.free())))
        return tuple(facts)

    def _leads(self) -> list[Play]:
        """For each card played, the lead to its trick."""
        leads: list[Play] = []
        for trick in self.table.tricks:
            lead = Play(trick.leader, trick.cards[0])
            leads += [lead] * len(trick.cards)
        return leads

    @cached_property
    def target(self) -> Target:
        """What engines are asked."""
        constraints = Constraints.free()
        for fact in self.facts:
            constraints &= fact.constraints
        called = [piece for piece in self.evidence if isinstance(piece, Called)]
        calls = calls_evidence(self.bidder, self.auction, self.observer, called)
        soft = SoftEvidence((*calls, *self._plays_evidence()))
        return Target(constraints.normalised(), soft, cost_of(self.bidder))

    @property
    def constraints(self) -> Constraints:
        """All hard evidence, the observer's own hand included, normalised."""
        return self.target.constraints

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly.

        Returns
        -------
        int

        Raises
        ------
        Contradiction
            If no layout fits.
        TablesTooLarge
            If a condition can only be tested on draws.
        """
        self.verify()
        if not self.target.fitting.exact:
            tested = "; ".join(map(short_text, self.target.plan.tested))
            raise TablesTooLarge(
                f"layouts that meet {tested} cannot be counted, only drawn: ask for an "
                "estimate, or show more cards",
                needed=self.target.support_size,
            )
        return self.target.count

    def verify(self) -> None:
        """Raise :class:`Contradiction` if no layout fits the hard evidence."""
        if not self.target.count:
            own_hand, *other_facts = self.facts
            raise contradiction(own_hand, other_facts)

    def effect(self, piece: Piece) -> str:
        """What a piece of the evidence does here.

        Parameters
        ----------
        piece : Piece
            One of ``evidence``.

        Returns
        -------
        str
            ``hard`` if it excludes layouts, ``soft`` if it weighs them, ``hard and
            soft``, or ``none``, as one's own call.
        """
        weighed = chain.from_iterable(term.pieces for term in self.target.soft.terms)
        weighs = any(piece is weighed_piece for weighed_piece in weighed)
        if piece.excludes and weighs:
            return "hard and soft"
        if piece.excludes:
            return "hard"
        if weighs:
            return "soft"
        return "none"

    def _repr_html_(self) -> str:
        hands = around_table(
            self.constraints.must, self.constraints.may, self.roles, self.middle_html
        )
        auction = ""
        if self.auction is not None:
            auction = self.auction.html()
        pieces_but_calls = [
            str(piece) for piece in self.evidence if not isinstance(piece, Called)
        ]
        return markup.piece(
            hands,
            auction,
            markup.listed(pieces_but_calls),
            markup.sentence(self._count_sentence()),
        )

    def _count_sentence(self) -> str:
        """How many layouts fit, in words; or why they were not counted."""
        try:
            layouts = self.count()
        except BayesBridgeError as error:
            return str(error)
        if layouts == 1:
            return "1 layout fits."
        return f"{number(layouts)} layouts fit: {log2(layouts):.1f} bits."

    def _with(self, evidence: tuple[Piece, ...]) -> Belief:
        """The same observer with other evidence; nothing cached goes along."""
        belief = object.__new__(Belief)
        own_fields = {field.name: getattr(self, field.name) for field in fields(self)}
        vars(belief).update(own_fields, evidence=evidence)
        return belief

    @cached_property
    def _auction(self) -> tuple[Auction | None, tuple[Seat, ...]]:
        """The auction, and the seats that were taken to pass in it."""
        auction: Auction | None = None
        assumed_passes: tuple[Seat, ...] = ()
        for piece in self.evidence:
            if isinstance(piece, Called):
                before = auction or Auction(piece.seat, (), self.dummy)
                auction, left_out = before.fill(piece.seat, piece.call)
                assumed_passes += left_out
        return auction, assumed_passes

    def _plays_evidence(self) -> Iterator[LikelihoodTerm]:
        """What the choice of cards says of the hands that the observer does not see.

        A term for each seat that chose cards. There is none without a model of how
        cards are chosen or without a contract.
        """
        contract = self.table.contract
        dummy = self.table.dummy
        player_model = self.chooses
        if player_model is None or contract is None or dummy is None:
            return
        plays = self._played
        # Dummy's cards are declarer's choice.
        choosing_seats = {play.seat for play in plays} - {self.observer, dummy}
        for seat in sorted(choosing_seats):
            own_places = [n for n, play in enumerate(plays) if play.seat == seat]
            # Cards after its last choice say nothing of what it chose.
            plays_until_last_choice = self.table.plays[: own_places[-1] + 1]
            likelihood = PlayLikelihood(
                model=player_model,
                contract=contract,
                plays=plays_until_last_choice,
                seat=seat,
                auction=self.auction,
                dummy=self.table.shown.get(dummy),
            )
            yield LikelihoodTerm(
                seats=(seat,),
                pieces=tuple(plays[place] for place in own_places),
                likelihood=likelihood,
                guide=likelihood,  # no quicker model to fit proposals to
            )


def _implied_dummy(models: Mapping[str, Any]) -> Seat | str | None:
    """The dummy of the game that models belong to, where no game was named.

    It is ``None``, bridge, if there is a style or a model bids as in bridge; else that
    of the paper's game.
    """
    if models["style"] is not None or any(map(bids_at_bridge, models.values())):
        return None
    return PAPER_DUMMY


def _models_of_paper(
    bidder: BidderModel | None, player: PlayerModel | Literal["usual"] | None
) -> tuple[BidderModel, PlayerModel | None]:
    """The models of the paper's game: Algorithm 1, where no other bidder is given.

    No choice of cards is weighed there, unless a player is given.
    """
    if bidder is None:
        bidder = IterativeBidder()
    if player == "usual":
        player = None
    return bidder, player


def _verify_models(bidder: object, player: object) -> None:
    """Refuse what is no bidder model or no player model; ``None`` is no player."""
    if not isinstance(bidder, BidderModel):
        raise BayesBridgeError(
            f"bidder {bidder!r} has no log_likelihood: give a bidder model",
            bidder=bidder,
        )
    if player is not None and not isinstance(player, PlayerModel):
        raise BayesBridgeError(
            f"player {player!r} has no log_likelihood: give a player model",
            player=player,
        )


def _models_of_bridge(
    bidder: BidderModel | None,
    player: PlayerModel | Literal["usual"] | None,
    style: PairStyle | Mapping[str, PairStyle] | None,
) -> tuple[BidderModel, PlayerModel | None]:
    """The models of the game of four: experts, where no others are given."""
    from bayesbridge.bidders.learned import LearnedBidder
    from bayesbridge.bidders.play import LearnedPlayer

    if bidder is None:
        bidder = LearnedBidder(style=style)
    if player == "usual":
        player = LearnedPlayer()
    return bidder, player


def _warn(words: str) -> None:
    """Warn at the line of the caller outside the package."""
    warnings.warn(words, BayesBridgeWarning, skip_file_prefixes=(_PACKAGE,))
