"""Bidder models in turn: one call and the auction before it, calls and auctions that
models make, mixtures of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayesbridge.errors import BayesBridgeError, IllegalCall, naming
from bayesbridge.evidence.models import BidderModel, reads_partners_hand
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import Hand
from bayesbridge.game.deal import Deal, Seat
from bayesbridge.game.layouts import Floats, Hands

if TYPE_CHECKING:
    from bayesbridge.runtime.random64 import Seed


class Turn(NamedTuple):
    """A call in its place: the auction up to it, and whose call it is."""

    before: Auction
    seat: Seat
    call: Call

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, auction: Auction, index: int) -> Turn:
        """Call number ``index`` of an auction, counted from 0.

        >>> Turn.of(Auction.of("S:1NT Pass", dummy="N"), 1).seat
        <Seat.W: 3>
        """
        calls = len(auction.calls)
        if not 0 <= index < calls:
            have = (
                f"its calls are numbered 0 to {calls - 1}"
                if calls
                else "nobody has called yet"
            )
            raise IllegalCall(
                f"call number {index} of '{auction}': {have}",
                auction=auction,
                index=index,
            )
        before = Auction(auction.first, auction.calls[:index], auction.dummy)
        return cls(
            before, auction.bidders[index % len(auction.bidders)], auction.calls[index]
        )


def seat_to_call(auction: Auction) -> Seat:
    """Whose turn it is; raises when the auction is over."""
    if (seat := auction.turn) is None:
        raise IllegalCall(
            f"the auction '{auction}' is over: nobody calls any more", auction=auction
        )
    return seat


@lru_cache(maxsize=256)
def legal_indices(before: Auction) -> tuple[int, ...]:
    return tuple(call.index for call in before.legal_calls())


def call_probabilities(
    bidder: BidderModel, hands: Hands, auction: Auction, partners: Hands | None = None
) -> Floats:
    """(n, 38) P(call ∣ hand, auction so far) of the seat in turn under any model; 0 for
    what is illegal.

    ``partners``: the hands of their partners, for a model that reads them. A model with
    a ``probabilities`` method of its own is asked once, any other once for each legal
    call.
    """
    seat_to_call(auction)
    shown = (
        {"partners": partners}
        if partners is not None and reads_partners_hand(bidder)
        else {}
    )
    with naming(f"model {type(bidder).__module__}.{type(bidder).__name__}"):
        if (own := getattr(bidder, "probabilities", None)) is not None:
            return np.asarray(own(hands, auction, **shown))
        chances = np.zeros((len(hands), 38))
        for call in auction.legal_calls():
            log = bidder.log_likelihood(
                hands, auction.after(call), len(auction.calls), **shown
            )
            chances[:, call.index] = np.exp(log)
    return chances


def sample_call(
    bidder: BidderModel,
    hand: Hand | str,
    auction: Auction,
    rng: Seed = None,
    partner: Hand | str | None = None,
) -> Call:
    """A call that the seat in turn might make with this hand, opposite ``partner`` for
    a model that reads it.

    >>> from bayesbridge.bidders.iterative import IterativeBidder
    >>> sample_call(IterativeBidder(slip=0.0), "AKQ2.AKJ.AK4.A32", Auction.three("S"))
    Call.of('3NT')
    """
    from bayesbridge.runtime.random64 import generator

    full = Hand.of(hand).verify_full(f"{seat_to_call(auction).name}'s hand")
    shown = (
        None if partner is None else np.array([Hand.of(partner).mask], dtype=np.uint64)
    )
    chances = call_probabilities(
        bidder, np.array([full.mask], dtype=np.uint64), auction, shown
    )[0]
    # The uniform number lies below 1, so a sum of chances that rounding leaves at 0.999… still finds a call.
    drawn = np.searchsorted(
        chances.cumsum(), generator(rng).random() * chances.sum(), side="right"
    )
    return Call(int(drawn))


def simulate_auction(
    deal: Deal | str,
    bidders: BidderModel | Mapping[Seat, BidderModel],
    first: Seat | str = "S",
    dummy: Seat | str | None = "N",
    rng: Seed = None,
    *,
    auction: Auction | None = None,
) -> Auction:
    """A whole auction of a deal as models bid it, from the start or from the calls of
    an ``auction`` on.

    Parameters
    ----------
    deal : Deal or str
        The four hands.
    bidders : BidderModel or mapping of Seat to BidderModel
        One model for all seats, or one for each that bids.
    first : Seat or str
        Who calls first in a new auction.
    dummy : Seat, str or None
        The seat that does not bid in a new auction; ``None`` where all four do.
    rng : seed
        Where random numbers start.
    auction : Auction, optional
        Calls that were made already; ``first`` and ``dummy`` are then its own. One that
        is over comes back as it is.

    Returns
    -------
    Auction
        The auction at its end.

    Examples
    --------
    >>> from bayesbridge.bidders.iterative import IterativeBidder
    >>> deal = "N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -"
    >>> begun = Auction.of("W:1NT Pass", dummy="N")
    >>> simulate_auction(deal, IterativeBidder(slip=0.0), auction=begun)
    Auction.of('W:1NT Pass Pass', dummy='N')
    """
    from bayesbridge.runtime.random64 import generator

    if auction is None:
        auction = Auction(Seat.of(first), (), None if dummy is None else Seat.of(dummy))
    hands = Deal.of(deal)
    numbers = generator(rng)
    models = bidders
    if not isinstance(models, Mapping):
        models = dict.fromkeys(auction.bidders, models)
    silent = [seat.name for seat in auction.bidders if seat not in models]
    if silent:
        raise BayesBridgeError(
            f"no bidder for {' and '.join(silent)}: name one for each seat that bids",
            seats=silent,
        )
    while (seat := auction.turn) is not None:
        call = sample_call(
            models[seat], hands[seat], auction, numbers, hands[seat.partner]
        )
        auction = auction.after(call)
    return auction


@dataclass(frozen=True, slots=True)
class MixtureBidder:
    """One of several models calls, the same one throughout an auction; all are equally
    likely at first.

    The likelihood of the next call weighs the models by how well they explain the
    player's calls so far. Multiplied over an auction this is exactly P(calls ∣ hand)
    with the model summed out.
    """

    bidders: tuple[BidderModel, ...]

    def __post_init__(self) -> None:
        if not self.bidders:
            raise BayesBridgeError(
                "a mixture of no bidders: give at least one", bidders=()
            )

    def log_likelihood(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks."""
        Turn.of(auction, index)
        chances = np.array(
            [bidder.log_likelihood(hands, auction, index) for bidder in self.bidders]
        )
        return np.asarray(
            np.logaddexp.reduce(
                self._log_weights(hands, auction, index) + chances, axis=0
            )
        )

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn; 0 for what is
        illegal.
        """
        seat_to_call(auction)
        weights = np.exp(self._log_weights(hands, auction, len(auction.calls)))
        total = np.zeros((len(hands), 38))
        for bidder, weight in zip(self.bidders, weights, strict=True):
            total += weight[:, None] * call_probabilities(bidder, hands, auction)
        return total

    def _log_weights(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """(models, n) log P(model ∣ hand, the caller's calls before number ``index``)."""
        weights = np.full((len(self.bidders), len(hands)), -np.log(len(self.bidders)))
        for earlier in range(index % len(auction.bidders), index, len(auction.bidders)):
            weights += np.array(
                [
                    bidder.log_likelihood(hands, auction, earlier)
                    for bidder in self.bidders
                ]
            )
        return np.asarray(weights - np.logaddexp.reduce(weights, axis=0))
