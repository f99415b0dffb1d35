"""The paper's bidder: Algorithm 1 with slips, in no trumps or in every strain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS
from bayesbridge.game.layouts import Floats, Hands

NO_BID: Final = np.int8(0)
"""The highest bid of a hand that bids nothing: the index of Pass."""


@dataclass(frozen=True, slots=True)
class IterativeBidder:
    """Bids as high as Algorithm 1 goes: the paper's bidder.

    It bids so as soon as that outranks the last bid, and passes otherwise.

    Parameters
    ----------
    slip : float
        ε, the share of calls made at random, any legal one; at 0 what the model cannot
        explain is impossible.
    suits : bool
        Whether suits are bid: the highest of the bids in all strains, by the extension
        that ``bayesbridge.capture.strains`` defines. Otherwise they bid no trumps only,
        as in the paper, and a suit bid is a slip and says nothing of the hand.

    Raises
    ------
    BayesBridgeError
        If ``slip`` is no probability.

    Examples
    --------
    >>> from bayesbridge.game.cards import Hand
    >>> strong, weak = Hand.of("AKQ2.AKJ.AK4.A32"), Hand.of("J54.Q72.9876.865")
    >>> hands = np.array([strong.mask, weak.mask], dtype=np.uint64)
    >>> auction = Auction.of("W:3NT", dummy="N")
    >>> np.exp(IterativeBidder().log_likelihood(hands, auction, 0)).round(4).tolist()
    [0.9806, 0.0006]
    """

    slip: float = 0.02
    suits: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.slip <= 1.0:
            raise BayesBridgeError(
                f"slip {self.slip!r}: it is a probability, from 0 to 1", slip=self.slip
            )

    def log_likelihood(self, hands: Hands, auction: Auction, index: int) -> Floats:
        """(n,) log P(call number ``index`` ∣ hand, calls before it) for (n,) masks.

        Parameters and result are those of :class:`~bayesbridge.plugins.BidderModel`.
        Hands of the same highest bid by Algorithm 1 call alike.
        """
        chance_by_bid = self.bid_likelihood(auction, index)
        with np.errstate(divide="ignore"):
            return np.log(chance_by_bid)[self.highest_bids(hands)]

    def bid_likelihood(self, auction: Auction, index: int) -> Floats:
        """P(call ∣ highest bid of the hand), the one thing that the model looks at.

        Parameters
        ----------
        auction : Auction
            All calls so far.
        index : int
            Which of its calls is in question, from 0.

        Returns
        -------
        array of float64, shape (38,)
            By the index of the highest bid, 0 where there is none.
        """
        turn = Turn.of(auction, index)
        chances = self._by_bid(turn.before)  # (highest bid, call)
        return chances[:, turn.call.index]

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, for (n,) masks.

        The columns are the calls by their index; what is illegal has 0.
        """
        seat_to_call(auction)  # raises where the auction is over
        return self._by_bid(auction)[self.highest_bids(hands)]

    def highest_bids(self, hands: Hands) -> NDArray[np.int8]:
        """The highest bid of each hand.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands.

        Returns
        -------
        array of int8, shape (n,)
            Index of the bid, 0 (Pass) where there is none; a bid nX is call 5n − 2 + X,
            with clubs as 0 and no trumps as 4.
        """
        if self.suits:
            from bayesbridge.capture.strains import strain_levels

            # (n, 5) the level that each hand reaches in C D H S NT, 0 for none
            levels = strain_levels(hands)
            strain_less_2 = np.arange(-2, 3, dtype=np.int8)
            bids_by_strain = np.where(levels > 0, 5 * levels + strain_less_2, NO_BID)
            return bids_by_strain.max(axis=1)
        from bayesbridge.capture.kernels import bids

        level = bids(np.ascontiguousarray(hands)).level
        notrump_less_2 = np.int8(2)
        return np.where(level > 0, 5 * level + notrump_less_2, NO_BID)

    def _by_bid(self, before: Auction) -> Floats:
        """(38, 38) P(call ∣ highest bid of the hand), rows by the index of that bid.

        The bid is made if it outranks the last bid, else the player passes.
        """
        is_legal = np.zeros(len(CALLS), dtype=np.bool_)
        is_legal[list(legal_indices(before))] = True
        slips = self.slip / is_legal.sum() * is_legal
        chances = np.tile(slips, (len(CALLS), 1))
        highest_bid = np.arange(len(CALLS))
        intended_call = np.where(is_legal, highest_bid, PASS.index)
        chances[highest_bid, intended_call] += 1.0 - self.slip
        return chances
