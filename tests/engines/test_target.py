"""Soft evidence: whose calls and whose cards are weighed, and what a model may return."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.engines.tables import sample
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import Called
from bayesbridge.layouts import high_card_points
from bayesbridge.tricks import Trick

HAND = "AKQ2.KJ3.A54.Q32"


@dataclass
class Witness:
    """A model of calls and cards alike that notes what it is asked; strong hands are likelier, up to 40 points."""

    asked: list[tuple[object, ...]] = field(default_factory=list)

    def log_likelihood(self, hands: NDArray[np.uint64], *about: object) -> NDArray[np.float64]:
        self.asked.append(about)
        return 0.1 * high_card_points(hands) - 4.0


class Cards:
    """Says who was asked about."""

    def __init__(self) -> None:
        self.seats: set[Seat] = set()

    def log_likelihood(
        self, hands: NDArray[np.uint64], contract: Contract, plays: object, seat: Seat, *_: object
    ) -> NDArray[np.float64]:
        self.seats.add(seat)
        return 0.1 * high_card_points(hands) - 4.0


def test_the_own_calls_say_nothing_and_the_others_add_up() -> None:
    bidder = Witness()
    belief = Belief("S", HAND, bidder=bidder).given(Called("S", "1NT"), Called("W", "Pass"), Called("E", "2H"))
    layouts = sample(belief.constraints, 100, rng=1)
    found = belief.target.soft.of_layouts(layouts)
    points = high_card_points(layouts).astype(np.float64)
    np.testing.assert_allclose(found, 0.1 * (points[:, Seat.W] + points[:, Seat.E]) - 8.0)
    assert {index for _, index in bidder.asked} == {1, 2}
    assert not Belief("S", HAND).target.soft


@pytest.mark.parametrize(
    ("dummy", "auction", "told"),
    [
        ("N", "S:1NT Pass Pass", {Seat.W, Seat.E}),
        ("N", "W:1NT Pass Pass", {Seat.W, Seat.E}),
        ("E", "W:1NT Pass Pass", {Seat.W, Seat.N}),
        (None, "W:1NT Pass Pass Pass", {Seat.W, Seat.N}),
    ],
)
def test_the_cards_of_observer_and_dummy_are_nobodys_choice(dummy: str | None, auction: str, told: set[Seat]) -> None:
    """Wherever dummy sits: in the three-player game it need not be opposite declarer."""
    player = Cards()
    belief = Belief("S", HAND, dummy=dummy, player=player, bidder=Witness())
    belief = belief.given(Auction.of(auction, dummy=dummy), Trick.of("W:H2 H4 H5 HK"))
    belief.target.soft.of_layouts(sample(belief.constraints, 10, rng=1))
    assert player.seats == told


def test_cards_are_not_weighed_before_the_contract_is_known() -> None:
    player = Cards()
    belief = Belief("S", HAND, player=player).given(Trick.of("W:H2 H4 H5 HK"))
    assert not belief.target.soft


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.5])
def test_a_model_that_gives_no_likelihood_is_named(value: float) -> None:
    class Broken:
        def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
            return np.full(len(hands), value)

    belief = Belief("S", HAND, bidder=Broken()).given(Called("W", "Pass"))
    for method in ("auto", "weights", "smc", "tilted"):
        with pytest.raises(BayesBridgeError, match=r"model .*Broken gave .*number up to 0, or -inf, for every hand"):
            belief.infer(method, draws=100, rng=1)


def test_a_model_that_answers_for_too_few_is_caught() -> None:
    class Short:
        def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
            return np.zeros(3)

    with pytest.raises(BayesBridgeError, match=r"shape \(3,\) for 100 hands"):
        Belief("S", HAND, bidder=Short()).given(Called("W", "Pass")).infer("weights", draws=100, rng=1)
