"""A bidder who follows a system, known or one of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from bayesbridge.bidders.agreements import Agreement, Component, components
from bayesbridge.bidders.auctions import (
    Turn,
    call_probabilities,
    partners_keyword,
    seat_to_call,
)
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

type SystemText = str | System | Agreement
"""A system, or a text that :meth:`Agreement.of` reads."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SystemBidder:
    """Players of the four-player game whose system is known, or one of several.

    Parameters
    ----------
    systems : str, System, Agreement, or sequence of these
        ``"sayc"``, ``"EW:weak-notrump=0.3"``: the name of a system or a file, with the
        side that plays it and its share, if it is not for certain. Shares of a side that
        add up to less than one leave the rest to players without that system.
    base : BidderModel, optional
        Decides where the systems say nothing, and scales their calls:
        :class:`LearnedBidder`, experts on record, if not given.
    faith : float
        How surely they keep to what the calls show, from 0 to below 1.

    Raises
    ------
    BayesBridgeError
        If a system is unknown, systems contradict each other, shares pass 1, or
        ``faith`` is out of its range.

    Examples
    --------
    >>> from bayesbridge.game.calls import CALLS
    >>> from bayesbridge.game.cards import Hand
    >>> weak = np.array([Hand.of("AQ5.KJ3.Q954.973").mask], np.uint64)
    >>> by_all, by_opponents = SystemBidder("weak-notrump"), SystemBidder("EW:weak-notrump")
    >>> for bidder in (LearnedBidder(), by_all, by_opponents):
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
    """The systems that North and South, and East and West, may play, with shares."""

    def __init__(
        self,
        systems: SystemText | Sequence[SystemText],
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
        # What North and South may play, and what East and West, by one seat of each.
        sides = tuple(components(agreements, seat) for seat in (Seat.N, Seat.E))
        object.__setattr__(self, "_sides", sides)

    def __repr__(self) -> str:
        texts = [agreement.text for agreement in self.systems]
        return f"SystemBidder({texts!r}, base={self.base!r}, faith={self.faith})"

    def __str__(self) -> str:
        return "; ".join(map(str, self.systems))

    def __replace__(self, **changes: Any) -> Self:
        """``changes`` may also be of the base model: its slip, its vulnerability."""
        systems = changes.pop("systems", self.systems)
        base = changes.pop("base", self.base)
        faith = changes.pop("faith", self.faith)
        if changes:
            base = with_settings(base, changes)
        return type(self)(systems, base, faith)

    @property
    def cost(self) -> Cost:
        """That of the base model."""
        return cost_of(self.base)

    @property
    def reads_partner(self) -> bool:
        """Whether the base model reads partner's hand."""
        return reads_partners_hand(self.base)

    @property
    def leads(self) -> tuple[Leads, Leads]:
        """The agreements on leads of each side; none where no system has any."""
        north_south, east_west = map(self._leads_of, self._sides)
        return north_south, east_west

    def _leads_of(self, side: tuple[Component, ...]) -> Leads:
        """What a side may have agreed on leads; nothing where no system speaks of them."""
        if not any(component.system.leads for component in side):
            return ()
        return tuple(
            AgreedLeads(share, system.leads, self.faith) for share, system in side
        )

    def likeliest_system(self, seat: Seat) -> System:
        """The system that the side of a seat plays most probably."""
        components = self._sides[seat % 2]
        return max(components, key=lambda component: component.share).system

    @property
    def guide(self) -> SystemBidder:
        """The same systems with the quicker base model."""
        return SystemBidder(self.systems, guide_of(self.base), self.faith)

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> Floats:
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.PairModel`. A
        call is the base model's where no system says what calls show.
        """
        one_row("hands", hands)  # raises for hands in another shape
        turn = Turn.of(auction, index)
        if not self.speaks_at(turn.before):
            keywords = partners_keyword(self.base, partners)
            return self.base.log_likelihood(hands, auction, index, **keywords)
        chances = self.probabilities(hands, turn.before, partners)
        with np.errstate(divide="ignore"):
            return np.log(chances[:, turn.call.index])

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        It is the mean over the systems that the side may play, weighed by how well they
        explain the player's calls so far. ``partners`` are (n,) masks of partner's
        hand, hidden if not given. The columns are the calls by their index; what is
        illegal has 0.
        """
        one_row("hands", hands)  # raises for hands in another shape
        systems = self._speaking_side(auction)
        if not systems:
            return call_probabilities(self.base, hands, auction, partners)
        weights = np.exp(self._log_weights(hands, auction, systems))
        chances = self._chances_by_system(hands, auction, systems, partners)
        return np.asarray((weights[:, :, None] * chances).sum(axis=0))

    def speaks_at(self, before: Auction) -> bool:
        """Whether a system says anything of the next call; otherwise it is the base's."""
        return bool(self._speaking_side(before))

    def _speaking_side(self, before: Auction) -> tuple[Component, ...]:
        """What the side in turn may play; nothing where none of it speaks."""
        if before.dummy is not None:
            raise BayesBridgeError(
                f"auction '{before}' of three players: systems are of the four-player "
                "game only; leave the system out"
            )
        side = self._sides[seat_to_call(before) % 2]
        speaks = any(component.system.meanings(before) for component in side)
        return side if speaks else ()

    def _log_weights(
        self, hands: Hands, before: Auction, side: tuple[Component, ...]
    ) -> Floats:
        """(systems, n) log P(system ∣ hand, the calls that the seat has made).

        ``side`` has the systems that the seat may play, each with its share: the prior.
        Calls at places where no system says what calls show tell nothing.
        """
        log_prior = np.log([component.share for component in side])[:, None]
        log_weights = np.repeat(log_prior, len(hands), axis=1)
        if len(side) == 1:
            return log_weights
        for index in range(len(before.calls) % 4, len(before.calls), 4):
            turn = Turn.of(before, index)
            if self.speaks_at(turn.before):
                chances = self._chances_by_system(hands, turn.before, side)
                with np.errstate(divide="ignore"):
                    log_weights += np.log(chances[:, :, turn.call.index])
        log_total = np.logaddexp.reduce(log_weights, axis=0)
        # A call that a hand makes by no system tells nothing of the system.
        is_impossible = np.isneginf(log_total)
        log_scale = np.where(is_impossible, 0.0, log_total)
        return np.where(is_impossible, log_prior, log_weights - log_scale)

    def _chances_by_system(
        self,
        hands: Hands,
        before: Auction,
        side: tuple[Component, ...],
        partners: Hands | None = None,
    ) -> Floats:
        """(systems, n, 38) P(call ∣ hand, system)."""
        base_chances = call_probabilities(self.base, hands, before, partners)
        chances_by_system = []
        for _, system in side:
            chances = base_chances
            if system.meanings(before) is not None:
                scaling = scaling_at(self.base, system, self.faith, before)
                chances = scaling.chances(base_chances, hands)
            chances_by_system.append(chances)
        return np.stack(chances_by_system)
