"""The protocols of models that turn calls and the choice of cards into evidence, and
what asking them costs.
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

    >>> from bayesbridge import IterativeBidder
    >>> from bayesbridge.plugins import BidderModel
    >>> isinstance(IterativeBidder(), BidderModel)
    True
    """

    def log_likelihood(
        self, hands: NDArray[np.uint64], auction: Auction, index: int
    ) -> NDArray[np.float64]:
        """log P(call number ``index`` of the auction ∣ hand, calls before it) for (n,)
        masks of the caller's hand.
        """


@runtime_checkable
class PairModel(BidderModel, Protocol):
    """A bidder whose calls are also read in the light of partner's hand: partners know
    what their calls mean.

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
        """The same, given also (n,) masks of partner's hand; without them as if it were
        hidden.
        """


def reads_partners_hand(model: BidderModel) -> bool:
    """Whether a bidder wants partner's hand."""
    return isinstance(model, PairModel) and model.reads_partner


def guide_of(model: BidderModel) -> BidderModel:
    """The model that proposals are fitted to: a bidder may name a quicker one in an
    attribute ``guide``.
    """
    guide = getattr(model, "guide", model)
    return guide if isinstance(guide, BidderModel) else model


def with_settings(model: BidderModel, settings: Mapping[str, Any]) -> BidderModel:
    """The model with other values of its fields; raises :class:`TypeError` where it has
    no such field.
    """
    anything: Any = model
    changed: BidderModel = getattr(model, "__replace__", partial(replace, anything))(
        **settings
    )
    return changed


@runtime_checkable
class PlayerModel(Protocol):
    """How a player chooses cards: the likelihood that makes the choice of a card
    evidence, beyond what it shows.

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
        """Σ log P(card ∣ hand, what was seen before it) over the cards of a seat, for
        (n,) masks of its 13 cards.

        dummy: the 13 cards of dummy, which all saw after the lead; ``None`` where they
        are not known.
        """


@runtime_checkable
class LevelModel(Protocol):
    """A bidder whose calls depend on a hand only through its bid by Algorithm 1: its
    calls are counted exactly.
    """

    @property
    def suits(self) -> bool:
        """Whether a hand bids in every strain (its highest bid counts) or in no trumps
        only (its level counts).
        """

    def bid_likelihood(self, auction: Auction, index: int) -> NDArray[np.float64]:
        """(38,) P(call number ``index`` of the auction ∣ highest bid of the hand);
        entry 0 is for a hand with none.
        """


@dataclass(frozen=True, slots=True)
class Cost:
    """What an engine may ask of a model; a slow bidder model says less in an attribute
    ``cost``.

    >>> Cost(most_layouts=50_000)
    Cost(most_layouts=50000, moves=60, draws=20000)
    """

    most_layouts: int = 20_000_000
    """Layouts up to which ``auto`` asks the model about every one; a tenth of it is
    drawn and weighted at most.
    """
    moves: int = 60  #: Metropolis steps of each particle.
    draws: int = 20_000  #: Draws where nobody chooses a number.


QUICK: Final = Cost()


def cost_of(model: object) -> Cost:
    """What the model says of its cost; a quick model says nothing."""
    cost = getattr(model, "cost", QUICK)
    return cost if isinstance(cost, Cost) else QUICK
