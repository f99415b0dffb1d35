"""A bidder who follows a system: another model, reweighed where the system says what a call shows.

Let p(c) be what the base model gives the legal calls of a hand. Where the system says something of the next call:

1. A call whose statements the hand does not fit is 1 − f times as likely, and all are made to add up to one again.
2. If the hand fits statements that hold *always*, their calls together have at least the probability f, divided among
   them as the base model does; the other calls share the rest in the same way.

f is ``faith``. Elsewhere the base model speaks alone. With several systems, each with its share, a seat follows one of
them throughout: its calls tell which, hand by hand, as with :class:`~bayesbridge.bidders.mixture.MixtureBidder`.
A model is asked about one hand at a time, so what the partner's calls tell of the pair's system is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.bidders.agreements import Agreement, Component, components
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.simulate import call_probabilities
from bayesbridge.bidders.systems import Meanings, System
from bayesbridge.bidders.turn import Turn, seat_to_call
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, one_row
from bayesbridge.evidence.models import BidderModel, Cost, cost_of

type Floats = NDArray[np.float64]
type Said = str | System | Agreement


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SystemBidder:
    """Players of the four-player game whose system is known, or one of several.

    >>> from bayesbridge.calls import CALLS
    >>> from bayesbridge.cards import Hand
    >>> weak = np.array([Hand.of("AQ5.KJ3.Q954.973").mask], np.uint64)
    >>> for bidder in (LearnedBidder(), SystemBidder("weak-notrump"), SystemBidder("EW:weak-notrump")):
    ...     print(CALLS[bidder.probabilities(weak, Auction.four("N"))[0].argmax()])
    1D
    1NT
    1D
    """

    systems: tuple[Agreement, ...]
    base: BidderModel
    """Who decides where the systems say nothing; experts on record if not given."""
    faith: float
    """f, how surely players keep to their system."""
    _sides: tuple[tuple[Component, ...], ...] = field(compare=False)

    def __init__(self, systems: Said | Sequence[Said], base: BidderModel | None = None, faith: float = 0.9) -> None:
        if not 0.0 <= faith < 1.0:
            raise BayesBridgeError(f"faith {faith}: it is a probability, from 0 to below 1", faith=faith)
        said = [systems] if isinstance(systems, str | System | Agreement) else systems
        agreements = tuple(Agreement.of(one) for one in said)
        if not agreements:
            raise BayesBridgeError("no system: give at least one, such as 'strong-notrump'", systems=())
        object.__setattr__(self, "systems", agreements)
        object.__setattr__(self, "base", LearnedBidder() if base is None else base)
        object.__setattr__(self, "faith", faith)
        object.__setattr__(self, "_sides", tuple(components(agreements, seat) for seat in (Seat.N, Seat.E)))

    def __repr__(self) -> str:
        texts = [one.text for one in self.systems]
        return f"SystemBidder({texts!r}, base={self.base!r}, faith={self.faith})"

    def __str__(self) -> str:
        return "; ".join(str(one) for one in self.systems)

    def __replace__(self, **changes: Any) -> Self:
        """With other values of its fields, or of those of the base model: its slip, its vulnerability."""
        own = {name: changes.pop(name, getattr(self, name)) for name in ("systems", "base", "faith")}
        if changes:
            base: Any = own["base"]
            remake = getattr(base, "__replace__", None)
            own["base"] = remake(**changes) if remake is not None else replace(base, **changes)
        return type(self)(**own)

    @property
    def cost(self) -> Cost:
        """What the base model says of its cost."""
        return cost_of(self.base)

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        ways = self._ways(auction, turn.seat)
        if not _covered(ways, turn.before):
            return self.base.log_likelihood(hands, auction, index)
        total: Floats = np.logaddexp.reduce(
            self._log_weights(hands, turn.before, turn.seat, ways) + self._log_chances(hands, turn, ways), axis=0
        )
        return total

    def probabilities(self, hands: NDArray[np.uint64], auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is illegal."""
        one_row("hands", hands)
        seat = seat_to_call(auction)
        ways = self._ways(auction, seat)
        plain = call_probabilities(self.base, hands, auction)
        if not _covered(ways, auction):
            return plain
        weights = np.exp(self._log_weights(hands, auction, seat, ways))
        total = np.zeros_like(plain)
        for weight, chances in zip(weights, self._chances(hands, plain, auction, ways), strict=True):
            total += weight[:, None] * chances
        return total

    def _ways(self, auction: Auction, seat: Seat) -> tuple[Component, ...]:
        if auction.dummy is not None:
            raise BayesBridgeError(
                f"auction '{auction}' of three players: systems are of the four-player game only; leave the system out",
                auction=auction,
            )
        return self._sides[seat % 2]

    def _log_weights(
        self, hands: NDArray[np.uint64], before: Auction, seat: Seat, ways: tuple[Component, ...]
    ) -> Floats:
        """(ways, n) log P(way ∣ hand, the calls that the seat has made); where the ways agree, a call tells nothing."""
        prior = np.log([way.share for way in ways])[:, None]
        weights = np.repeat(prior, len(hands), axis=1)
        if len(ways) == 1:
            return weights
        for index, (caller, _) in enumerate(before):
            if caller == seat and _covered(ways, (turn := Turn.of(before, index)).before):
                weights += self._log_chances(hands, turn, ways)
        total = np.logaddexp.reduce(weights, axis=0)
        # A call that is impossible with a hand whatever the system tells nothing of the system.
        return np.where(np.isneginf(total), prior, weights - np.where(np.isneginf(total), 0.0, total))

    def _log_chances(self, hands: NDArray[np.uint64], turn: Turn, ways: tuple[Component, ...]) -> Floats:
        """(ways, n) log P(call ∣ hand, way)."""
        plain = call_probabilities(self.base, hands, turn.before)
        with np.errstate(divide="ignore"):
            return np.log([chances[:, turn.call.index] for chances in self._chances(hands, plain, turn.before, ways)])

    def _chances(
        self, hands: NDArray[np.uint64], plain: Floats, before: Auction, ways: tuple[Component, ...]
    ) -> Iterator[Floats]:
        """(n, 38) P(call ∣ hand, way) for each way."""
        for way in ways:
            said = way.system.meanings(before)
            yield plain if said is None else reweighed(plain, hands, said, self.faith)


def reweighed(plain: Floats, hands: NDArray[np.uint64], said: Meanings, faith: float) -> Floats:
    """(n, 38) chances of calls under a system, from those of the base model."""
    chances = plain.copy()
    always = np.zeros(plain.shape, np.bool_)
    for call, statements in said.items():
        fits = [statement.fits(hands) for statement in statements]
        chances[~np.logical_or.reduce(fits), call.index] *= 1.0 - faith
        for one, statement in zip(fits, statements, strict=True):
            always[:, call.index] |= one & statement.always
    chances /= chances.sum(axis=1, keepdims=True)
    few = np.flatnonzero(always.any(axis=1) & (np.where(always, chances, 0.0).sum(axis=1) < faith))
    wanted = always[few]
    # The least number keeps the division possible where the base model gives all the wanted calls no chance at all.
    asked = np.where(wanted, np.maximum(chances[few], np.finfo(np.float64).tiny), 0.0)
    others = np.where(wanted, 0.0, chances[few])
    asked *= faith / asked.sum(axis=1, keepdims=True)
    others *= (1.0 - faith) / others.sum(axis=1, keepdims=True)
    chances[few] = asked + others
    return chances


def _covered(ways: tuple[Component, ...], before: Auction) -> bool:
    """Whether one of the systems says something of the next call."""
    return any(way.system.meanings(before) is not None for way in ways)
