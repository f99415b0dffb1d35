"""Soft evidence: what calls, and cards chosen to play, say about the hand of each seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import Play
from bayesbridge.posterior.layouts import Masks

type Floats = NDArray[np.float64]
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
            total += _verified(term(hands), len(hands))
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
        return lambda hands: bidder.log_likelihood(hands, auction, index)

    return [(seat, of_call(index)) for index, (seat, _) in enumerate(auction) if seat != belief.observer]


def _plays(belief: Belief) -> list[tuple[Seat, HandLikelihood]]:
    auction, player = belief.auction, belief.player
    contract = None if auction is None else auction.contract
    plays = tuple((piece.seat, piece.card) for piece in belief.evidence if isinstance(piece, Play))
    if player is None or contract is None or not plays:
        return []

    def of_seat(seat: Seat) -> HandLikelihood:
        return lambda hands: player.log_likelihood(hands, contract, plays, seat, auction)

    # Dummy's cards are declarer's choice; in the three-player game dummy need not sit opposite.
    dummy = contract.declarer.partner if belief.dummy is None else belief.dummy
    told = {seat for seat, _ in plays} - {belief.observer, dummy}
    return [(seat, of_seat(seat)) for seat in sorted(told)]


def _verified(values: Floats, n: int) -> Floats:
    found = np.asarray(values, dtype=np.float64)
    if found.shape != (n,) or np.isnan(found).any() or (found == np.inf).any():
        raise BayesBridgeError(
            f"a model gave log likelihoods of shape {found.shape} for {n} hands, or nan or inf: "
            "return a number or -inf for every hand",
            shape=found.shape,
        )
    return found
