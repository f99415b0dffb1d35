"""The protocols of models that turn calls and the choice of cards into evidence.

And what asking these models costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Contract
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.deal import Seat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class BidderModel(Protocol):
    """How a player calls: the likelihood that turns a call into evidence.

    Examples
    --------
    >>> from bayesbridge import IterativeBidder
    >>> from bayesbridge.plugins import BidderModel
    >>> isinstance(IterativeBidder(), BidderModel)
    True
    """

    def log_likelihood(
        self, hands: NDArray[np.uint64], auction: Auction, index: int
    ) -> NDArray[np.float64]:
        """log P(call ∣ hand, calls before it), for many hands at once.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the caller may hold.
        auction : Auction
            All calls so far; those after the one in question are not looked at.
        index : int
            Which of its calls is in question.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms; ``-inf`` where the hand never makes the call.
        """


@runtime_checkable
class PairModel(BidderModel, Protocol):
    """A bidder whose calls are also read in the light of partner's hand.

    Partners know what their calls mean.

    Examples
    --------
    >>> from bayesbridge import LearnedBidder
    >>> isinstance(LearnedBidder(), PairModel)
    True
    """

    @property
    def reads_partner(self) -> bool:
        """Whether partner's hand is to be shown."""

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        auction: Auction,
        index: int,
        partners: NDArray[np.uint64] | None = None,
    ) -> NDArray[np.float64]:
        """log P(call ∣ hand, calls before it, partner's hand), for many layouts at once.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of hands that the caller may hold.
        auction : Auction
            All calls so far; those after the one in question are not looked at.
        index : int
            Which of its calls is in question.
        partners : array of uint64, shape (n,), optional
            Masks of partner's hand beside each; without them as if it were hidden.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms; ``-inf`` where the hand never makes the call.
        """


def reads_partners_hand(model: BidderModel) -> bool:
    """Whether a bidder wants partner's hand."""
    return isinstance(model, PairModel) and model.reads_partner


def guide_of(model: BidderModel) -> BidderModel:
    """The model that proposals are fitted to.

    A bidder may name a quicker one in an attribute ``guide``.
    """
    guide = getattr(model, "guide", model)
    return guide if isinstance(guide, BidderModel) else model


def with_settings(model: BidderModel, settings: Mapping[str, Any]) -> BidderModel:
    """The model with other values of its fields.

    Raises :class:`TypeError` where it has no such field.
    """
    frozen: Any = model
    replaced = getattr(model, "__replace__", partial(replace, frozen))
    changed: BidderModel = replaced(**settings)
    return changed


@runtime_checkable
class PlayerModel(Protocol):
    """How a player chooses cards.

    The likelihood makes the choice of a card evidence, beyond what the card itself
    shows.

    Examples
    --------
    >>> from bayesbridge import LearnedPlayer
    >>> from bayesbridge.plugins import PlayerModel
    >>> isinstance(LearnedPlayer(), PlayerModel)
    True
    """

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
        dummy: Hand | None = None,
    ) -> NDArray[np.float64]:
        """The log likelihood of the cards that a seat played, for many hands at once.

        Σ log P(card ∣ hand, what was seen before it) over the cards.

        Parameters
        ----------
        hands : array of uint64, shape (n,)
            Masks of 13 cards that the seat may have been dealt.
        contract : Contract
            What is played.
        plays : sequence of (Seat, Card)
            All cards so far, in order.
        seat : Seat
            Whose cards are in question.
        auction : Auction, optional
            The calls, where they are known.
        dummy : Hand, optional
            The 13 cards of dummy, which all saw after the lead; ``None`` where they are
            not known.

        Returns
        -------
        array of float64, shape (n,)
            Natural logarithms.
        """


@runtime_checkable
class LevelModel(Protocol):
    """A bidder whose calls depend on a hand only through its bid by Algorithm 1.

    Its calls are counted exactly.
    """

    @property
    def suits(self) -> bool:
        """Whether a hand bids in every strain or in no trumps only.

        In every strain its highest bid counts, in no trumps its level.
        """

    def bid_likelihood(self, auction: Auction, index: int) -> NDArray[np.float64]:
        """(38,) P(call number ``index`` of the auction ∣ highest bid of the hand).

        Entry 0 is for a hand with none.
        """


@dataclass(frozen=True, slots=True)
class Cost:
    """What an engine may ask of a model.

    A slow bidder model says less in an attribute ``cost``.

    Parameters
    ----------
    most_layouts : int, optional
        Layouts up to which ``auto`` asks the model about every one; a tenth of it is
        drawn and weighted at most.
    moves : int, optional
        Metropolis steps of each particle.
    draws : int, optional
        Draws where nobody chooses a number.

    Examples
    --------
    >>> Cost(most_layouts=50_000)
    Cost(most_layouts=50000, moves=60, draws=20000)
    """

    most_layouts: int = 20_000_000
    moves: int = 60
    draws: int = 20_000


QUICK: Final = Cost()


def cost_of(model: object) -> Cost:
    """What the model says of its cost; a quick model says nothing."""
    cost = getattr(model, "cost", QUICK)
    return cost if isinstance(cost, Cost) else QUICK
