"""Perspective: what one observer has seen, compiled once into the target that engines take.

Everything is worked out when it is first needed, and kept: the auction and the tricks that the evidence forms, what it
excludes and what it weighs. Hard evidence is compiled piece by piece, so that a contradiction can be traced to the
smallest set of pieces that cannot hold together. The observer's own hand is beyond doubt: it does not count in the size
of a conflict, and is named where it matters.

A *correction set* is what must be taken back so that the rest holds together and nothing more can be added to it. Every
conflict has a piece of each correction set, so a minimal hitting set of the correction sets known so far is the next
candidate: if it is in conflict there is no smaller one; if it is not, it is enlarged and gives one more correction set
(A. Ignatiev, A. Previti, M. Liffiton and J. Marques-Silva, "Smallest MUS extraction with minimal hitting set
dualization", 2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, Final, NamedTuple, cast

from bayesbridge import markup
from bayesbridge.auction import Auction
from bayesbridge.cards import Hand, Strain
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.engines.target import (
    PlayLikelihood,
    SoftEvidence,
    Target,
    Term,
    calls_evidence,
    layouts_that_fit,
)
from bayesbridge.errors import Contradiction, IllegalPlay, TablesTooLarge
from bayesbridge.evidence.kinds import Called, Piece, Play, Reveal, Void
from bayesbridge.evidence.models import BidderModel, PlayerModel, cost_of
from bayesbridge.expressions import short_text
from bayesbridge.tricks import Trick, replay
from bayesbridge.words import SYMBOLS, model_words


class Fact(NamedTuple):
    """What pieces of evidence exclude: one by itself, or a lead and a discard together that their player is void."""

    pieces: tuple[Piece, ...]
    constraints: Constraints


MOST_ROUNDS: Final = 40
"""Candidates tried; beyond it a conflict is named of which no piece can be spared, though a smaller one may exist."""


def contradiction(own: Fact, facts: Sequence[Fact]) -> Contradiction:
    """The error that names the smallest conflict among facts that leave no layout for the observer's ``own`` hand."""
    culprits = smallest_conflict(own, facts)
    together = _conjunction(facts, set(culprits))
    # Four hidden hands with bounded points take too long to count; there only what is plain speaks without the hand.
    without = together.normalised()
    if not without.impossible and (without.bounded or layouts_that_fit(without)[0]):
        culprits = (*own.pieces, *culprits)
    what, mend = ("this cannot be", "it") if len(culprits) == 1 else ("these cannot hold together", "one of them")
    return Contradiction(f"{what}: {'; '.join(map(str, culprits))}. Take {mend} back.", evidence=culprits)


def smallest_conflict(own: Fact, facts: Sequence[Fact]) -> tuple[Piece, ...]:
    """The fewest pieces that leave no layout for the observer's hand, in the order they were given."""
    pieces = tuple(dict.fromkeys(piece for fact in facts for piece in fact.pieces))

    def conflict(some: Set[Piece]) -> bool:
        return layouts_that_fit(own.constraints & _conjunction(facts, some))[0] == 0

    corrections: list[Set[Piece]] = []
    for _ in range(MOST_ROUNDS):
        candidate = _minimal_hitting_set(corrections)
        if conflict(candidate):
            return tuple(piece for piece in pieces if piece in candidate)
        kept = set(candidate)
        for piece in pieces:
            if piece not in kept and not conflict(kept | {piece}):
                kept.add(piece)
        corrections.append(set(pieces) - kept)
    irreducible = set(pieces)
    for piece in pieces:
        if conflict(irreducible - {piece}):
            irreducible.remove(piece)
    return tuple(piece for piece in pieces if piece in irreducible)


def _minimal_hitting_set(corrections: Sequence[Set[Piece]]) -> Set[Piece]:
    """A smallest set with a piece of every correction set: size by size, branching on one that is not hit yet."""
    partial: list[frozenset[Piece]] = [frozenset()]
    while True:
        larger: dict[frozenset[Piece], None] = {}
        for chosen in partial:
            missed = next((one for one in corrections if not one & chosen), None)
            if missed is None:
                return chosen
            larger.update(dict.fromkeys(chosen | {piece} for piece in missed))
        partial = list(larger)


def _conjunction(facts: Sequence[Fact], pieces: Set[Piece]) -> Constraints:
    """What some pieces say, by themselves and together."""
    every = (fact.constraints for fact in facts if pieces >= set(fact.pieces))
    return reduce(lambda known, fact: known & fact, every, Constraints.free())


@dataclass(frozen=True)
class Perspective:
    """An observer's 13 cards, the others as they are taken to be, and all that was seen since."""

    observer: Seat
    hand: Hand
    dummy: Seat | None
    """The seat that does not bid; ``None`` in the four-player game."""
    trump: Strain | None
    """The strain of the contract if told; the auction tells it too."""
    bidder: BidderModel
    """How the others are taken to bid: by Algorithm 1 with slips; where all four bid, as experts do on record."""
    player: PlayerModel | None
    """How the others are taken to choose cards; ``None`` if their cards say no more than where they lie."""
    evidence: tuple[Piece, ...]

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """The observer with the dummy, or with their partner where all four bid."""
        return self.observer, self.observer.partner if self.dummy is None else self.dummy

    @cached_property
    def auction(self) -> Auction | None:
        """The calls as an auction, players left out between two calls having passed; ``None`` without calls."""
        return self._auction[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """What is said of the systems and styles that the players follow, in words."""
        models = self.bidder, getattr(self.bidder, "base", None)
        return tuple(str(said) for model in models for said in getattr(model, "systems", ()))

    @cached_property
    def chooses(self) -> PlayerModel | None:
        """The player, who knows what the bidder's systems say of opening leads."""
        leads = getattr(self.bidder, "leads", None)
        known = leads is not None and hasattr(self.player, "leads")
        return replace(cast(Any, self.player), leads=leads) if known else self.player

    @property
    def assumptions(self) -> tuple[str, ...]:
        """How the others are taken to bid and to choose cards, in sentences; nothing of what was not seen of them."""
        told = [] if self.auction is None else [f"The others are taken to bid as {model_words(self.bidder)}."]
        told += [f"System: {said}." for said in self.systems]
        terms = [term for term in self.target.soft.terms if term.call is None]
        if terms and self.player is not None:
            told.append(f"They are taken to choose cards as {model_words(self.player)}.")
        elif any(isinstance(piece, Play) and piece.seat in self.constraints.hidden for piece in self.evidence):
            why = "no contract was given" if self.player is not None else "no player model was given"
            told.append(f"Which of several cards they chose to play was not weighted: {why}.")
        return tuple(told)

    @property
    def assumed_passes(self) -> tuple[Seat, ...]:
        """The seats taken to have passed because a later call leaves them out, in order."""
        return self._auction[1]

    @cached_property
    def contract_strain(self) -> Strain | None:
        """The strain of the contract: as told, or of the auction once it is over; ``None`` while nobody knows."""
        contract = None if self.auction is None else self.auction.contract
        return self.trump if self.trump is not None or contract is None else contract.strain

    @property
    def roles(self) -> dict[str, str]:
        """Seat → what it is to the observer."""
        return {**({} if self.dummy is None else {self.dummy.name: "dummy"}), self.observer.name: "observer"}

    @property
    def middle_html(self) -> str:
        """The contract or the trumps, for the middle of a table in HTML."""
        contract = None if self.auction is None else self.auction.contract
        if contract is not None:
            return markup.call(str(contract))
        if self.contract_strain is None:
            return ""
        trump = self.contract_strain.trump
        return "no trumps" if trump is None else markup.text(f"trumps {SYMBOLS[trump.name]}")

    @cached_property
    def tricks(self) -> tuple[Trick, ...]:
        """The plays as tricks; raises :class:`IllegalPlay` if no way of playing can give them.

        While the strain is unknown it is enough that some strain explains who leads to each trick.
        """
        plays = [(piece.seat, piece.card) for piece in self.evidence if isinstance(piece, Play)]
        shown = [piece for piece in self._everything if isinstance(piece, Reveal)]
        hands: Mapping[Seat, Hand] = {piece.seat: piece.hand for piece in shown}
        failures: list[IllegalPlay] = []
        for candidate in (self.contract_strain,) if self.contract_strain is not None else reversed(Strain):
            try:
                return replay(plays, candidate, hands)
            except IllegalPlay as error:
                failures.append(error)
        raise failures[0]

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """All that the hard pieces say, the observer's hand first; a card that does not follow suit shows a void."""
        played: dict[Seat, int] = dict.fromkeys(Seat, 0)
        facts: list[Fact] = []
        for piece, lead in zip(self._everything, (None, *self._leads()), strict=True):
            before = played[piece.seat]
            if lead is not None:
                void = Void(piece.seat, lead.card.suit).constrain(Constraints.free(), before)
                facts.append(Fact((lead, piece), void))
            if piece.excludes:
                facts.append(Fact((piece,), piece.constrain(Constraints.free(), before)))
            if isinstance(piece, Play):
                played[piece.seat] |= piece.card.mask
        return tuple(facts)

    @cached_property
    def target(self) -> Target:
        """What engines are asked."""
        known = reduce(lambda known, fact: known & fact.constraints, self.facts, Constraints.free())
        called = [piece for piece in self.evidence if isinstance(piece, Called)]
        calls = calls_evidence(self.bidder, self.auction, self.observer, called)
        soft = SoftEvidence((*calls, *self._plays()))
        return Target(known.normalised(), soft, cost_of(self.bidder))

    @property
    def constraints(self) -> Constraints:
        """All hard evidence, the observer's own hand included, normalised."""
        return self.target.constraints

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly; raises :class:`Contradiction` if none does.

        Raises :class:`TablesTooLarge` where a condition can only be tested on draws.
        """
        self.verify()
        if not self.target.counted:
            tested = "; ".join(map(short_text, self.target.plan.tested))
            raise TablesTooLarge(
                f"layouts that meet {tested} cannot be counted, only drawn: ask for an estimate, or show more cards",
                needed=self.target.walked,
            )
        return self.target.count

    def verify(self) -> None:
        """Raise :class:`Contradiction` if no layout fits the hard evidence."""
        if not self.target.count:
            own, *others = self.facts
            raise contradiction(own, others)

    def effect(self, piece: Piece) -> str:
        """What a piece does here: ``hard`` excludes, ``soft`` weighs, ``hard and soft`` both, ``none`` (own call)."""
        soft = self.target.soft.weighs(piece)
        return "hard and soft" if piece.excludes and soft else "hard" if piece.excludes else "soft" if soft else "none"

    @property
    def _everything(self) -> tuple[Piece, ...]:
        return Reveal(self.observer, self.hand), *self.evidence

    @cached_property
    def _auction(self) -> tuple[Auction | None, tuple[Seat, ...]]:
        auction: Auction | None = None
        passed: tuple[Seat, ...] = ()
        for piece in self.evidence:
            if isinstance(piece, Called):
                auction, more = (auction or Auction(piece.seat, (), self.dummy)).fill(piece.seat, piece.call)
                passed += more
        return auction, passed

    def _leads(self) -> Sequence[Play | None]:
        """For each piece that is a play off the suit led, the lead."""
        leads = iter([Play(trick.leader, trick.cards[0]) for trick in self.tricks for _ in trick.cards])
        found: list[Play | None] = []
        for piece in self.evidence:
            lead = next(leads) if isinstance(piece, Play) else None
            off = lead is not None and isinstance(piece, Play) and piece.card.suit is not lead.card.suit
            found.append(lead if off else None)
        return found

    def _plays(self) -> Iterable[Term]:
        """The choice of cards, one term for each seat that chose some."""
        contract = None if self.auction is None else self.auction.contract
        plays = [piece for piece in self.evidence if isinstance(piece, Play)]
        if self.chooses is None or contract is None:
            return
        # Dummy's cards are declarer's choice; in the three-player game dummy need not sit opposite.
        dummy = contract.declarer.partner if self.dummy is None else self.dummy
        cards = tuple((piece.seat, piece.card) for piece in plays)
        shown = (piece.hand for piece in self._everything if isinstance(piece, Reveal) and piece.seat == dummy)
        table = next(shown, None)
        for seat in sorted({piece.seat for piece in plays} - {self.observer, dummy}):
            own = [number for number, piece in enumerate(plays) if piece.seat == seat]
            # Later cards say nothing of earlier ones.
            choices = PlayLikelihood(self.chooses, contract, cards[: own[-1] + 1], seat, self.auction, table)
            yield Term((seat,), tuple(plays[number] for number in own), choices, choices)
