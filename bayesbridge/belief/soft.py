"""Soft evidence: what calls, and cards chosen to play, say about the hand of each seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.evidence import BidderModel, Play, PlayerModel
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float64]
ROUNDING: Final = 1e-6
"""A probability may exceed one by so much: models compute in single precision too."""

type HandLikelihood = Callable[[NDArray[np.uint64]], Floats]


@dataclass(frozen=True, slots=True)
class SoftEvidence:
    """log P(what a seat called and played ∣ its hand), for every seat but the observer's that did either."""

    terms: dict[Seat, tuple[HandLikelihood, ...]]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats it speaks of."""
        return tuple(self.terms)

    def of_seat(self, seat: int, hands: NDArray[np.uint64]) -> Floats:
        """(n,) log likelihood of (n,) hands of one seat."""
        total = np.zeros(len(hands))
        for term in self.terms[Seat(seat)]:
            total += term(hands)
        return total

    def of_layouts(self, masks: Masks) -> Floats:
        """(n,) log likelihood of (n, 4) layouts; a hand that is the same in all of them is asked for once."""
        total = np.zeros(len(masks))
        for seat in self.terms:
            hands = np.ascontiguousarray(masks[:, seat])
            same = len(hands) > 1 and bool((hands == hands[0]).all())
            total += self.of_seat(seat, hands[:1])[0] if same else self.of_seat(seat, hands)
        return total

    def __bool__(self) -> bool:
        return bool(self.terms)


def soft_evidence(belief: Belief) -> SoftEvidence:
    """All calls of others under the belief's bidder model, and their cards under its player model if it has one."""
    terms: dict[Seat, list[HandLikelihood]] = {}
    for seat, term in (*_calls(belief), *_plays(belief)):
        terms.setdefault(seat, []).append(term)
    return SoftEvidence({seat: tuple(own) for seat, own in terms.items()})


def _calls(belief: Belief) -> list[tuple[Seat, HandLikelihood]]:
    auction, bidder = belief.auction, belief.bidder
    if auction is None:
        return []

    def of_call(index: int) -> HandLikelihood:
        return lambda hands: asked(bidder, hands, auction, index)

    return [(seat, of_call(index)) for index, (seat, _) in enumerate(auction) if seat != belief.observer]


def _plays(belief: Belief) -> list[tuple[Seat, HandLikelihood]]:
    auction, player = belief.auction, belief.player
    contract = None if auction is None else auction.contract
    plays = tuple((piece.seat, piece.card) for piece in belief.evidence if isinstance(piece, Play))
    if player is None or contract is None or not plays:
        return []

    def of_seat(seat: Seat) -> HandLikelihood:
        return lambda hands: asked(player, hands, contract, plays, seat, auction)

    # Dummy's cards are declarer's choice; in the three-player game dummy need not sit opposite.
    dummy = contract.declarer.partner if belief.dummy is None else belief.dummy
    told = {seat for seat, _ in plays} - {belief.observer, dummy}
    return [(seat, of_seat(seat)) for seat in sorted(told)]


def asked(model: BidderModel | PlayerModel, hands: NDArray[np.uint64], *rest: Any) -> Floats:
    """(n,) ``model.log_likelihood(hands, …)``, checked; a model that fails or answers nonsense is named."""
    try:
        found = np.asarray(model.log_likelihood(hands, *rest), dtype=np.float64)
    except BayesBridgeError:  # a model that knows better than to be asked this says so itself
        raise
    except (Exception, SystemExit) as error:
        what = " ".join(str(error).split())
        raise _broken(model, f"raised {type(error).__name__} on {len(hands)} hands: {what}") from error
    except KeyboardInterrupt:
        if (name := _name(model)).startswith("bayesbridge."):
            raise
        raise KeyboardInterrupt(f"interrupted while model {name} weighed {len(hands)} hands") from None
    if found.shape != (len(hands),):
        raise _broken(model, f"gave log likelihoods of shape {found.shape} for {len(hands)} hands: return one a hand")
    wrong = np.flatnonzero(~(found <= ROUNDING))
    if len(wrong):
        value = found[wrong[0]]
        raise _broken(model, f"gave the log likelihood {value:g}: return a number up to 0, or -inf, for every hand")
    return found


def _name(model: BidderModel | PlayerModel) -> str:
    return f"{type(model).__module__}.{type(model).__qualname__}"


def _broken(model: BidderModel | PlayerModel, what: str) -> PluginError:
    name = _name(model)
    return PluginError(f"model {name} {what}", plugin=name, got=what)
