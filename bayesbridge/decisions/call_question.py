"""Which calls are compared, by whom, and on which layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.learned import SIDES
from bayesbridge.engines.weights import Estimate
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.trick_estimates import layouts_for_decision
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call, Vulnerability
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks
from bayesbridge.runtime.random64 import Seed

type Bidders = (
    BidderModel | Mapping[str, BidderModel] | Mapping[Seat, BidderModel] | None
)
type Calls = str | Sequence[str | Call] | None

LEAST_CHANCE: Final = 0.02
"""P(call) from which a call is compared without being named."""

MOST_CALLS: Final = 5
"""Calls that are compared without being named."""

MOST_EXACT: Final = 2000
"""Layouts up to which an exact posterior is taken whole."""


@dataclass(frozen=True, slots=True, eq=False)
class CallQuestion(FrozenArrays):
    """The calls of a seat that are compared."""

    auction: Auction
    seat: Seat
    #: P(call) by index of all 38 calls, for the hand of the seat.
    chances: Floats
    #: Those that are compared; first the likeliest, which the others are compared with.
    calls: tuple[Call, ...]
    bidders: Mapping[Seat, BidderModel]

    @classmethod
    def of(cls, belief: Belief, calls: Calls, bidders: Bidders) -> CallQuestion:
        """Read the question of the observer, whose turn it must be."""
        auction = auction_to_call(belief)
        models = bidders_by_seat(belief, auction, bidders)
        hand = np.array([belief.hand.mask], np.uint64)
        chances = call_probabilities(models[belief.observer], hand, auction)[0]
        compared = calls_compared(auction, chances, calls)
        return cls(auction, belief.observer, chances, compared, models)


def auction_to_call(belief: Belief) -> Auction:
    """Return the auction, which must be at the observer's turn."""
    auction = belief.auction or Auction(belief.observer, (), belief.dummy)
    seat = belief.observer.name
    if auction.is_over:
        raise BayesBridgeError(
            f"the auction '{auction}' is over: nobody calls any more; take its last "
            "calls back",
            auction=auction,
        )
    if auction.turn is not None and auction.turn != belief.observer:
        raise BayesBridgeError(
            f"after '{auction}' it is {auction.turn.name}'s turn and not {seat}'s: "
            f"write the calls up to {seat}'s turn",
            auction=auction,
            seat=belief.observer,
        )
    return auction


def bidders_by_seat(
    belief: Belief, auction: Auction, bidders: Bidders
) -> dict[Seat, BidderModel]:
    """Return how each seat calls.

    It calls as it is named for the seat or its side, else as the belief takes the
    others to bid.
    """
    if bidders is None:
        return dict.fromkeys(auction.bidders, belief.bidder)
    if not isinstance(bidders, Mapping):
        return dict.fromkeys(auction.bidders, bidders)
    models = dict.fromkeys(auction.bidders, belief.bidder)
    for name, model in bidders.items():
        models |= {seat: model for seat in seats_named(name) if seat in models}
    return models


def seats_named(name: str | Seat) -> list[Seat]:
    """Return the seat of a name, or the two seats of a side."""
    side = str(name).upper()
    if not isinstance(name, Seat) and side in SIDES:
        return [Seat.of(letter) for letter in side]
    return [Seat.of(name)]


def calls_compared(auction: Auction, chances: Floats, named: Calls) -> tuple[Call, ...]:
    """Return the calls that are likely enough or named, the likeliest first.

    ``chances`` (38,) are those of all calls. ``named`` is a text such as ``"X,Pass"``
    or a sequence; ``None`` names none.
    """
    names: Sequence[str | Call]
    if named is None:
        names = ()
    elif isinstance(named, str):
        names = named.replace(",", " ").split()
    else:
        names = named
    if named is not None and not len(names):
        raise BayesBridgeError("no call named: give one or more, such as X,Pass")
    likeliest_first = sorted(
        auction.legal_calls(), key=lambda call: (-chances[call.index], call)
    )
    likely_calls = [
        call for call in likeliest_first if chances[call.index] >= LEAST_CHANCE
    ]
    compared = {auction.verify(name) for name in names}
    compared |= {likeliest_first[0], *likely_calls[:MOST_CALLS]}
    return tuple(call for call in likeliest_first if call in compared)


def usual_vulnerability(belief: Belief) -> Vulnerability:
    """Return who is vulnerable as the bidder of a belief has it, else nobody."""
    model = getattr(belief.bidder, "base", belief.bidder)
    vulnerable = getattr(model, "vulnerable", Vulnerability.NONE)
    return Vulnerability.of(vulnerable)


@dataclass(frozen=True, slots=True, eq=False)
class ComparedLayouts(FrozenArrays):
    """The layouts on which calls are compared: each once, with its weight."""

    #: (n, 4)
    masks: Masks
    #: (n,) adding up to one.
    weights: Floats
    #: How many were drawn, with those drawn again; infinite where all were taken.
    drawn: float
    #: Effective size of what they were drawn from; infinite where that is exact.
    source_ess: float
    #: Whether they are all layouts that fit, with their chances.
    exact: bool

    @classmethod
    def of(cls, posterior: Posterior, most: int, rng: Seed) -> ComparedLayouts:
        """Take all layouts of a small exact posterior, else draw ``most`` of them.

        Layouts that were drawn several times come once, with their weights added up.
        """
        sample = layouts_for_decision(
            posterior, rng, most, exact_up_to=max(most, MOST_EXACT)
        )
        masks, first_draw, layout_of_draw = np.unique(
            sample.layouts.masks, axis=0, return_index=True, return_inverse=True
        )
        weights = np.bincount(layout_of_draw.reshape(-1), weights=sample.weights)
        # In the order in which they were drawn any beginning is a sample too.
        order = np.argsort(first_draw)
        all_were_taken = sample is posterior
        return cls(
            masks[order],
            weights[order],
            drawn=np.inf if all_were_taken else float(len(sample)),
            source_ess=np.inf if posterior.exact else max(1.0, posterior.ess),
            exact=sample.exact,
        )

    def __len__(self) -> int:
        return len(self.masks)

    def beginning(self, n: int) -> ComparedLayouts:
        """Return the first n of them, as a smaller sample of the same posterior."""
        if n >= len(self):
            return self
        share = self.weights[:n].sum()
        # Of all draws this share were of these layouts; of layouts that were not drawn
        # each is one.
        draws_of_these = min(self.drawn * share, n)
        return ComparedLayouts(
            self.masks[:n],
            self.weights[:n] / share,
            drawn=draws_of_these,
            source_ess=self.source_ess,
            exact=False,
        )

    def mean(self, values: Floats, *, certain: bool) -> Estimate[float]:
        """Return the mean of (n,) values with its standard error.

        It has no error where the values are ``certain`` and these are all layouts that
        fit. A layout that was drawn several times is one cluster: its weight counts
        squared. That is too little where the posterior's own draws resemble each other,
        as neighbours in a chain do: so the variance is at least that of so many
        independent draws, of the posterior and then from it.
        """
        mean = float(self.weights @ values)
        if self.exact and certain:
            return Estimate(mean, 0.0)
        squares = (values - mean) ** 2
        clusters = 1.0 / float(self.weights @ self.weights)  # effective number
        cluster_sum = float(self.weights**2 @ squares)
        variance_by_clusters = cluster_sum * clusters / max(clusters - 1.0, 1.0)
        # Drawing the posterior and drawing from it are two errors, which add up.
        share_of_variance = 1.0 / self.drawn + 1.0 / self.source_ess
        least_variance = float(self.weights @ squares) * share_of_variance
        variance = max(variance_by_clusters, least_variance)
        return Estimate(mean, float(np.sqrt(variance)))
