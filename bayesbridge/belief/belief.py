"""Belief: what one observer knows, and how he comes to a posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from numbers import Integral
from operator import index
from secrets import randbits
from typing import TYPE_CHECKING, Final

from bayesbridge.auction import Auction
from bayesbridge.belief.conflict import contradiction
from bayesbridge.belief.facts import Fact, hard_facts, tricks_of
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.cards import Hand, Strain, Suit
from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.engines.counting import count
from bayesbridge.errors import BayesBridgeError, Contradiction, DealError
from bayesbridge.evidence import BidderModel, Called, Evidence, PlayerModel, Reveal, pieces
from bayesbridge.tricks import Trick

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.random64 import Seed

UNSEEN: Final = 84_478_098_072_866_400
"""Layouts of the 39 cards that a player does not see before anything happens: 39! / 13!³."""


@dataclass(frozen=True, slots=True, init=False)
class Belief:
    """An observer's 13 cards and all he has seen since. Immutable: :meth:`given` returns a new one.

    >>> belief = Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> belief.count()
    84478098072866400
    >>> belief.given(Reveal("N", "J54.AQ2.KQ76.A54")).count()
    10400600
    """

    observer: Seat
    hand: Hand
    dummy: Seat | None
    """The seat that does not bid; ``None`` in the four-player game."""
    strain: Strain | None
    """The strain of the contract if told; the auction tells it too."""
    bidder: BidderModel
    """How the others are taken to bid: by Algorithm 1 with slips; where all four bid, as experts do on record."""
    player: PlayerModel | None
    """How the others are taken to choose cards; ``None`` if their cards say no more than where they lie."""
    evidence: tuple[Evidence, ...]

    def __init__(
        self,
        observer: Seat | str,
        hand: Hand | str,
        *,
        dummy: Seat | str | None = "N",
        trump: Suit | Strain | str | None = None,
        bidder: BidderModel | None = None,
        player: PlayerModel | None = None,
    ) -> None:
        own, other = Seat.of(observer), None if dummy is None else Seat.of(dummy)
        if own == other:
            raise DealError(
                f"{own.name} is the dummy's seat, whose cards nobody holds: name another observer or another dummy",
                seat=own,
            )
        model = _usual_bidder(other) if bidder is None else bidder
        if not isinstance(model, BidderModel):
            raise BayesBridgeError(f"bidder {model!r} has no log_likelihood: give a bidder model", bidder=model)
        if player is not None and not isinstance(player, PlayerModel):
            raise BayesBridgeError(f"player {player!r} has no log_likelihood: give a player model", player=player)
        values = {
            "observer": own,
            "hand": Hand.of(hand).verify_full(f"{own.name}'s hand"),
            "dummy": other,
            "strain": None if trump is None else Strain.of(trump),
            "bidder": model,
            "player": player,
            "evidence": (),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def given(self, *evidence: Evidence | Trick | Auction) -> Belief:
        """The belief after more evidence, in the order it was seen; tricks and auctions count as their parts.

        Calls and plays that no auction or play can contain are refused at once; whether the evidence holds together is
        known when layouts are counted.
        """
        belief = replace_evidence(self, (*self.evidence, *pieces(*evidence)))
        _ = belief.auction, belief.tricks
        if belief.constraints.normalised().impossible:
            raise belief._contradiction()
        return belief

    @property
    def auction(self) -> Auction | None:
        """The calls as an auction, players left out between two calls having passed; ``None`` without calls."""
        auction: Auction | None = None
        for piece in self.evidence:
            if isinstance(piece, Called):
                auction = (auction or Auction(piece.seat, (), self.dummy)).fill(piece.seat, piece.call)[0]
        return auction

    @property
    def assumed_passes(self) -> tuple[Seat, ...]:
        """The seats taken to have passed because a later call leaves them out, in order."""
        auction: Auction | None = None
        passed: tuple[Seat, ...] = ()
        for piece in self.evidence:
            if isinstance(piece, Called):
                auction, more = (auction or Auction(piece.seat, (), self.dummy)).fill(piece.seat, piece.call)
                passed += more
        return passed

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The plays as tricks, the last one perhaps incomplete."""
        return tricks_of(self._everything, self.contract_strain)

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """The observer with the dummy, or with his partner where all four bid."""
        return self.observer, self.observer.partner if self.dummy is None else self.dummy

    @property
    def constraints(self) -> Constraints:
        """All hard evidence, the observer's own hand included."""
        return reduce(lambda known, fact: known & fact.constraints, self._facts, Constraints.free())

    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly; raises :class:`Contradiction` if none does."""
        layouts = count(self.constraints)
        if layouts == 0:
            raise self._contradiction()
        return layouts

    def infer(self, method: str = "auto", draws: int = 20_000, rng: Seed = None) -> Posterior:
        """The posterior over layouts.

        ``method``: ``auto`` takes the most exact engine that fits and says which and why; ``enumerate``, ``sample``,
        ``weights``, ``smc`` and ``mcmc`` insist on one. ``draws`` is how many layouts a sampling engine returns.
        """
        from bayesbridge.belief.engines import infer

        try:
            wanted = index(draws)
        except TypeError:
            raise BayesBridgeError(f"{draws!r} draws: give a whole number", draws=draws) from None
        start = randbits(128) if rng is None else rng  # so that a run without a seed can be repeated too
        seed = int(start) if isinstance(start, Integral) else None
        return replace(infer(self, method, wanted, start), seed=seed, asked=(method, wanted))

    def history(self) -> Iterator[Belief]:
        """The belief before any evidence, then after each piece."""
        for n in range(len(self.evidence) + 1):
            yield replace_evidence(self, self.evidence[:n])

    @property
    def contract_strain(self) -> Strain | None:
        """The strain of the contract: as told, or of the auction once it is over; ``None`` while nobody knows."""
        if self.strain is not None:
            return self.strain
        auction = self.auction
        contract = None if auction is None else auction.contract
        return None if contract is None else contract.strain

    @property
    def _everything(self) -> tuple[Evidence, ...]:
        return (Reveal(self.observer, self.hand), *self.evidence)

    def _contradiction(self) -> Contradiction:
        own, *others = self._facts
        return contradiction(own, others)

    @property
    def _facts(self) -> tuple[Fact, ...]:
        return hard_facts(self._everything, self.contract_strain)


def _usual_bidder(dummy: Seat | None) -> BidderModel:
    """The paper's bidder in the three-player game, experts learned from records where all four bid."""
    if dummy is not None:
        return IterativeBidder()
    from bayesbridge.bidders.learned import LearnedBidder

    return LearnedBidder()


def replace_evidence(belief: Belief, evidence: tuple[Evidence, ...]) -> Belief:
    """The same observer with other evidence."""
    other = Belief(
        belief.observer,
        belief.hand,
        dummy=belief.dummy,
        trump=belief.strain,
        bidder=belief.bidder,
        player=belief.player,
    )
    object.__setattr__(other, "evidence", evidence)
    return other
