"""A bidder who follows a system, known or one of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from bayesbridge.bidders.agreements import Agreement, Component, components
from bayesbridge.bidders.auctions import Turn, call_probabilities, seat_to_call
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.play import AgreedLeads, Leads
from bayesbridge.bidders.scaling import scaling_at
from bayesbridge.bidders.systems import System
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import (
    BidderModel,
    Cost,
    cost_of,
    guide_of,
    reads_partners_hand,
    with_settings,
)
from bayesbridge.game.auction import Auction
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands

type Given = str | System | Agreement


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SystemBidder:
    """Players of the four-player game whose system is known, or one of several, and how
    surely they keep to it.

    ``base`` decides where the systems say nothing: experts on record if not given.

    >>> from bayesbridge.game.calls import CALLS
    >>> from bayesbridge.game.cards import Hand
    >>> weak = np.array([Hand.of("AQ5.KJ3.Q954.973").mask], np.uint64)
    >>> for bidder in (LearnedBidder(), SystemBidder("weak-notrump"), SystemBidder("EW:weak-notrump")):
    ...     print(CALLS[bidder.probabilities(weak, Auction.four("N"))[0].argmax()])
    1D
    1NT
    1D
    """

    of_bridge: ClassVar[bool] = True

    systems: tuple[Agreement, ...]
    base: BidderModel
    faith: float
    _sides: tuple[tuple[Component, ...], ...] = field(compare=False)

    def __init__(
        self,
        systems: Given | Sequence[Given],
        base: BidderModel | None = None,
        faith: float = 0.9,
    ) -> None:
        if not 0.0 <= faith < 1.0:
            raise BayesBridgeError(
                f"faith {faith}: it is a probability, from 0 to below 1", faith=faith
            )
        if isinstance(systems, str | System | Agreement):
            systems = [systems]
        agreements = tuple(map(Agreement.of, systems))
        if not agreements:
            raise BayesBridgeError(
                "no system: give at least one, such as 'strong-notrump'", systems=()
            )
        object.__setattr__(self, "systems", agreements)
        object.__setattr__(self, "base", LearnedBidder() if base is None else base)
        if getattr(self.base, "__hash__", None) is None:
            raise BayesBridgeError(
                f"base model {base!r} has no hash: make it a frozen dataclass",
                base=base,
            )
        object.__setattr__(self, "faith", faith)
        object.__setattr__(
            self,
            "_sides",
            tuple(components(agreements, seat) for seat in (Seat.N, Seat.E)),
        )

    def __repr__(self) -> str:
        texts = [agreement.text for agreement in self.systems]
        return f"SystemBidder({texts!r}, base={self.base!r}, faith={self.faith})"

    def __str__(self) -> str:
        return "; ".join(map(str, self.systems))

    def __replace__(self, **changes: Any) -> Self:
        """``changes`` may also be of the base model: its slip, its vulnerability."""
        own = {
            name: changes.pop(name, getattr(self, name))
            for name in ("systems", "base", "faith")
        }
        own["base"] = with_settings(own["base"], changes) if changes else own["base"]
        return type(self)(**own)

    @property
    def cost(self) -> Cost:
        return cost_of(self.base)

    @property
    def reads_partner(self) -> bool:
        return reads_partners_hand(self.base)

    @property
    def leads(self) -> tuple[Leads, Leads]:
        """The agreements on leads of each side; none where no system has any."""
        north_south, east_west = map(self._leads_of, self._sides)
        return north_south, east_west

    def _leads_of(self, side: tuple[Component, ...]) -> Leads:
        leads = [AgreedLeads(way.share, way.system.leads, self.faith) for way in side]
        return tuple(leads) if any(way.agreed for way in leads) else ()

    def likeliest_system(self, seat: Seat) -> System:
        """The system that the side of a seat plays most probably."""
        ways = self._sides[seat % 2]
        return max(ways, key=lambda way: way.share).system

    @property
    def guide(self) -> SystemBidder:
        return SystemBidder(self.systems, guide_of(self.base), self.faith)

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks,
        partners' hands (n,) hidden or shown.
        """
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        if not self._ways(turn.before):
            shown = {} if partners is None else {"partners": partners}
            return self.base.log_likelihood(hands, auction, index, **shown)
        chances = self.probabilities(hands, turn.before, partners)
        with np.errstate(divide="ignore"):
            return np.log(chances[:, turn.call.index])

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, partners' hands
        hidden or shown; 0 if illegal.
        """
        one_row("hands", hands)
        ways = self._ways(auction)
        if not ways:
            return call_probabilities(self.base, hands, auction, partners)
        weights = np.exp(self._log_weights(hands, auction, ways))
        by_way = weights[:, :, None] * self._chances(hands, auction, ways, partners)
        return np.asarray(by_way.sum(axis=0))

    def speaks_at(self, before: Auction) -> bool:
        """Whether a system says anything of the next call; otherwise it is the base's."""
        return bool(self._ways(before))

    def _ways(self, before: Auction) -> tuple[Component, ...]:
        """What the side in turn may play; nothing where no system speaks."""
        if before.dummy is not None:
            raise BayesBridgeError(
                f"auction '{before}' of three players: systems are of the four-player "
                "game only; leave the system out"
            )
        ways = self._sides[seat_to_call(before) % 2]
        says_something = any(way.system.meanings(before) for way in ways)
        return ways if says_something else ()

    def _log_weights(
        self, hands: Hands, before: Auction, ways: tuple[Component, ...]
    ) -> Floats:
        """(ways, n) log P(way ∣ hand, the calls that the seat has made); where the ways
        agree, a call tells nothing.
        """
        prior = np.log([way.share for way in ways])[:, None]
        weights = np.repeat(prior, len(hands), axis=1)
        if len(ways) == 1:
            return weights
        for index in range(len(before.calls) % 4, len(before.calls), 4):
            turn = Turn.of(before, index)
            if self._ways(turn.before):
                chances = self._chances(hands, turn.before, ways)
                with np.errstate(divide="ignore"):
                    weights += np.log(chances[:, :, turn.call.index])
        total = np.logaddexp.reduce(weights, axis=0)
        # A call that a hand makes by no system tells nothing of the system.
        impossible = np.isneginf(total)
        return np.where(impossible, prior, weights - np.where(impossible, 0.0, total))

    def _chances(
        self,
        hands: Hands,
        before: Auction,
        ways: tuple[Component, ...],
        partners: Hands | None = None,
    ) -> Floats:
        """(ways, n, 38) P(call ∣ hand, way)."""
        plain = call_probabilities(self.base, hands, before, partners)
        by_way = []
        for _, system in ways:
            chances = plain
            if system.meanings(before) is not None:
                scaling = scaling_at(self.base, system, self.faith, before)
                chances = scaling.chances(plain, hands)
            by_way.append(chances)
        return np.stack(by_way)
