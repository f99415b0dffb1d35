"""Calls and auctions under bidder models, and models that are made of others.

One call and the auction before it, simulated calls and auctions, a model for each call,
mixtures of models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesbridge.errors import BayesBridgeError, IllegalCall, naming
from bayesbridge.evidence.models import BidderModel, reads_partners_hand
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Call
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
        """One call of an auction.

        Parameters
        ----------
        auction : Auction
        index : int
            Which of its calls, counted from 0.

        Returns
        -------
        Turn

        Raises
        ------
        IllegalCall
            If there is no such call.

        Examples
        --------
        >>> Turn.of(Auction.of("S:1NT Pass", dummy="N"), 1).seat
        <Seat.W: 3>
        """
        calls = len(auction.calls)
        if not 0 <= index < calls:
            reason = "nobody has called yet"
            if calls:
                reason = f"its calls are numbered 0 to {calls - 1}"
            raise IllegalCall(
                f"call number {index} of '{auction}': {reason}",
                auction=auction,
                index=index,
            )
        before = Auction(auction.first, auction.calls[:index], auction.dummy)
        seat = auction.bidders[index % len(auction.bidders)]
        return cls(before, seat, auction.calls[index])


def seat_to_call(auction: Auction) -> Seat:
    """Whose turn it is; raises when the auction is over."""
    seat = auction.turn
    if seat is None:
        raise IllegalCall(
            f"the auction '{auction}' is over: nobody calls any more", auction=auction
        )
    return seat


@lru_cache(maxsize=256)
def legal_indices(before: Auction) -> tuple[int, ...]:
    """The indices of the calls that the seat in turn may make, rising."""
    return tuple(call.index for call in before.legal_calls())


def call_probabilities(
    bidder: BidderModel, hands: Hands, auction: Auction, partners: Hands | None = None
) -> Floats:
    """P(call ∣ hand, auction so far) of the seat in turn, under any model.

    A model with a ``probabilities`` method of its own is asked once, any other once for
    each legal call.

    Parameters
    ----------
    bidder : BidderModel
    hands : array of uint64, shape (n,)
        Masks of hands that the seat in turn may hold.
    auction : Auction
        The calls so far.
    partners : array of uint64, shape (n,), optional
        Masks of partner's hand, one for each, for a model that reads them.

    Returns
    -------
    array of float64, shape (n, 38)
        By the index of the call; 0 for what is illegal.
    """
    seat_to_call(auction)  # raises where the auction is over
    keywords = partners_keyword(bidder, partners)
    with naming(f"model {type(bidder).__module__}.{type(bidder).__name__}"):
        ask_once = getattr(bidder, "probabilities", None)
        if ask_once is not None:
            return np.asarray(ask_once(hands, auction, **keywords))
        index = len(auction.calls)
        chances = np.zeros((len(hands), len(CALLS)))
        for call in auction.legal_calls():
            longer = auction.after(call)
            log_chances = bidder.log_likelihood(hands, longer, index, **keywords)
            chances[:, call.index] = np.exp(log_chances)
    return chances


def partners_keyword(bidder: BidderModel, partners: Hands | None) -> dict[str, Any]:
    """Partners' hands as the argument of a model that reads them; nothing for others."""
    if partners is None or not reads_partners_hand(bidder):
        return {}
    return {"partners": partners}


def sample_call(
    bidder: BidderModel,
    hand: Hand | str,
    auction: Auction,
    rng: Seed = None,
    partner: Hand | str | None = None,
) -> Call:
    """A call that the seat in turn might make with a hand, drawn at random.

    Parameters
    ----------
    bidder : BidderModel
    hand : Hand or str
        The 13 cards of the seat in turn.
    auction : Auction
        The calls so far.
    rng : seed or generator, optional
        Random numbers.
    partner : Hand or str, optional
        Partner's hand, for a model that reads it.

    Returns
    -------
    Call

    Examples
    --------
    >>> from bayesbridge.bidders.iterative import IterativeBidder
    >>> sample_call(IterativeBidder(slip=0.0), "AKQ2.AKJ.AK4.A32", Auction.three("S"))
    Call.of('3NT')
    """
    from bayesbridge.runtime.random64 import generator

    own = Hand.of(hand).verify_full(f"{seat_to_call(auction).name}'s hand")
    hands = np.array([own.mask], dtype=np.uint64)
    partners = None
    if partner is not None:
        partners = np.array([Hand.of(partner).mask], dtype=np.uint64)
    chances = call_probabilities(bidder, hands, auction, partners)[0]
    # The uniform number lies below 1, so a sum of chances that rounding leaves at
    # 0.999… still finds a call.
    threshold = generator(rng).random() * chances.sum()
    return Call(int(np.searchsorted(chances.cumsum(), threshold, side="right")))


def simulate_auction(
    deal: Deal | str,
    bidders: BidderModel | Mapping[Seat, BidderModel],
    first: Seat | str = "S",
    dummy: Seat | str | None = "N",
    rng: Seed = None,
    *,
    auction: Auction | None = None,
) -> Auction:
    """A whole auction of a deal as models bid it.

    It goes on from the calls of ``auction``, or begins anew.

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
    while not auction.is_over:
        seat = seat_to_call(auction)
        partner = hands[seat.partner]
        call = sample_call(models[seat], hands[seat], auction, numbers, partner)
        auction = auction.after(call)
    return auction


@dataclass(frozen=True, slots=True)
class MixtureBidder:
    """One of several models calls, the same one throughout an auction.

    All are equally likely at first. The likelihood of the next call weighs the models
    by how well they explain the player's calls so far. Multiplied over an auction this
    is exactly P(calls ∣ hand) with the model summed out.

    Parameters
    ----------
    bidders : tuple of BidderModel
        At least one.
    """

    bidders: tuple[BidderModel, ...]

    def __post_init__(self) -> None:
        if not self.bidders:
            raise BayesBridgeError(
                "a mixture of no bidders: give at least one", bidders=()
            )

    def log_likelihood(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.BidderModel`.
        """
        Turn.of(auction, index)  # raises where there is no such call
        log_weights = self._log_weights(hands, auction, index)
        log_chances = np.array(
            [model.log_likelihood(hands, auction, index) for model in self.bidders]
        )
        return np.asarray(np.logaddexp.reduce(log_weights + log_chances, axis=0))

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        It is the mean over the models, weighed by how well they explain the player's
        calls so far. The columns are the calls by their index; what is illegal has 0.
        """
        seat_to_call(auction)  # raises where the auction is over
        weights = np.exp(self._log_weights(hands, auction, len(auction.calls)))
        mean_chances = np.zeros((len(hands), len(CALLS)))
        for model, weight in zip(self.bidders, weights, strict=True):
            mean_chances += weight[:, None] * call_probabilities(model, hands, auction)
        return mean_chances

    def _log_weights(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """(models, n) log P(model ∣ hand, the caller's calls before number ``index``).

        By Bayes' rule, from equal priors.
        """
        models = len(self.bidders)
        players = len(auction.bidders)
        log_weights = np.full((models, len(hands)), -np.log(models))
        for earlier in range(index % players, index, players):
            log_weights += np.array(
                [
                    model.log_likelihood(hands, auction, earlier)
                    for model in self.bidders
                ]
            )
        log_total = np.logaddexp.reduce(log_weights, axis=0)
        return np.asarray(log_weights - log_total)
