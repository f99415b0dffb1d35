"""The paper's bidder: Algorithm 1 with slips, in no trumps or in every strain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, legal_indices, seat_to_call
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS
from bayesbridge.game.layouts import Floats, Hands


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
        """log P(call ∣ hand, calls before it), for many hands at once.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the caller may hold.
        auction : Auction
            All calls so far.
        index : int
            Which of its calls is in question, from 0.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms; ``-inf`` where the hand never makes the call.
        """
        chances = self.bid_likelihood(auction, index)
        with np.errstate(divide="ignore"):
            return np.log(chances)[self.highest_bids(hands)]

    def bid_likelihood(self, auction: Auction, index: int) -> Floats:
        """P(call ∣ highest bid of the hand): all that the model looks at.

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
        return self._by_bid(turn.before)[:, turn.call.index]

    def probabilities(self, hands: Hands, auction: Auction) -> Floats:
        """P(call ∣ hand, auction so far) of the seat in turn, for every call.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the seat in turn may hold.
        auction : Auction
            The calls so far.

        Returns
        -------
        array of float64, shape (n, 38)
            By the index of the call; 0 for what is illegal.
        """
        seat_to_call(auction)
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

            levels = strain_levels(hands)
            strains_less_2 = np.arange(-2, 3, dtype=np.int8)
            bids_by_strain = np.where(
                levels > 0, 5 * levels + strains_less_2, np.int8(0)
            )
            return bids_by_strain.max(axis=1)
        from bayesbridge.capture.kernels import bids

        level = bids(np.ascontiguousarray(hands)).level
        return np.where(level > 0, 5 * level + np.int8(2), np.int8(0))

    def _by_bid(self, before: Auction) -> Floats:
        """(38, 38) P(call ∣ highest bid of the hand), rows by the index of that bid."""
        is_legal = np.zeros(len(CALLS), dtype=np.bool_)
        is_legal[list(legal_indices(before))] = True
        slips = self.slip / is_legal.sum() * is_legal
        chances = np.tile(slips, (len(CALLS), 1))
        highest_bid = np.arange(len(CALLS))
        intended_call = np.where(is_legal, highest_bid, PASS.index)
        chances[highest_bid, intended_call] += 1.0 - self.slip
        return chances
