"""Soft evidence: whose calls and cards are weighed, and what a model may return.

Terms about the hands of a pair, too.
"""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge import (
    Auction,
    BayesBridgeError,
    Belief,
    Called,
    LearnedBidder,
    Seat,
    Trick,
)
from bayesbridge.game.layouts import high_card_points

HAND = "AKQ2.KJ3.A54.Q32"


@dataclass
class Witness:
    """A model of calls and cards alike that notes what it is asked.

    Strong hands are likelier, up to 40 points.
    """

    questions: list[tuple[object, ...]] = field(default_factory=list)

    def log_likelihood(self, hands, *question):
        """The same for every call and card."""
        self.questions.append(question)
        return 0.1 * high_card_points(hands) - 4.0


def test_the_own_calls_say_nothing_and_the_others_add_up():
    bidder = Witness()
    belief = Belief("S", HAND, bidder=bidder).given(
        Called("S", "1NT"), Called("W", "Pass"), Called("E", "2H")
    )
    layouts = belief.target.sampler.draw(100, rng=1)
    log_likelihood = belief.target.soft.of_layouts(layouts)
    points = high_card_points(layouts).astype(np.float64)
    expected = 0.1 * (points[:, Seat.W] + points[:, Seat.E]) - 8.0
    np.testing.assert_allclose(log_likelihood, expected)
    assert {index for _, index in bidder.questions} == {1, 2}
    assert not Belief("S", HAND).target.soft


@pytest.mark.parametrize(
    ("dummy", "auction", "choosing"),
    [
        ("N", "S:1NT Pass Pass", {Seat.W, Seat.E}),
        ("N", "W:1NT Pass Pass", {Seat.W, Seat.E}),
        ("E", "W:1NT Pass Pass", {Seat.W, Seat.N}),
        (None, "W:1NT Pass Pass Pass", {Seat.W, Seat.N}),
    ],
)
def test_the_cards_of_observer_and_dummy_are_nobodys_choice(dummy, auction, choosing):
    """Wherever dummy sits: in the three-player game it need not be opposite declarer."""
    player = Witness()
    belief = Belief("S", HAND, dummy=dummy, player=player, bidder=Witness())
    belief = belief.given(Auction.of(auction, dummy=dummy), Trick.of("W:H2 H4 H5 HK"))
    belief.target.soft.of_layouts(belief.target.sampler.draw(10, rng=1))
    assert {question[2] for question in player.questions} == choosing


def test_cards_are_not_weighed_before_the_contract_is_known():
    belief = Belief("S", HAND, player=Witness()).given(Trick.of("W:H2 H4 H5 HK"))
    assert not belief.target.soft


class Broken:
    """A model that gives every hand the same log likelihood."""

    def __init__(self, value):
        self.value = value

    def log_likelihood(self, hands, auction, index):
        """The same for every hand."""
        return np.full(len(hands), self.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.5])
def test_a_model_that_gives_no_likelihood_is_named(value):
    belief = Belief("S", HAND, bidder=Broken(value)).given(Called("W", "Pass"))
    for method in ("auto", "likelihood-weighting", "resample-move", "importance"):
        with pytest.raises(
            BayesBridgeError,
            match=r"model .*Broken gave .*number up to 0, or -inf, for every hand",
        ):
            belief.infer(method, draws=100, rng=1)


def test_a_model_that_answers_for_too_few_is_caught():
    class Short:
        def log_likelihood(self, hands, auction, index):
            return np.zeros(3)

    with pytest.raises(BayesBridgeError, match=r"shape \(3,\) for 100 hands"):
        Belief("S", HAND, bidder=Short()).given(Called("W", "Pass")).infer(
            "likelihood-weighting", draws=100, rng=1
        )


AUCTION = bb.Auction.of("E:1C Pass 1D Pass 1NT Pass Pass Pass")
SIXTEEN = (
    bb.Holds("E", "SK HQ H5 DA DJ D6 CQ C5"),
    bb.Holds("W", "S4 HJ H8 H3 DK D3 C7 C4"),
)
OPEN = bb.Reveal("N", "T9853.T42.87.986")


def belief(*pieces, bidder=None):
    """South, who sees sixteen of the others' cards.

    With North's hand open 252 layouts are left.
    """
    south = bb.Belief("S", "QJ72.976.T952.J2", dummy=None, bidder=bidder)
    return south.given(AUCTION, *SIXTEEN, *pieces)


@pytest.fixture(scope="module")
def exact():
    """All layouts with North's hand open."""
    return belief(OPEN).infer("enumerate")


def test_the_likelihood_is_the_product_of_all_calls_given_both_hands(exact):
    masks = exact.layouts.masks
    assert len(masks) == 252
    log = sum(
        LearnedBidder().log_likelihood(
            masks[:, seat], AUCTION, index, masks[:, seat.partner]
        )
        for index, (seat, _) in enumerate(AUCTION)
    )
    np.testing.assert_allclose(
        exact.weights, np.exp(log) / np.exp(log).sum(), rtol=2e-4
    )
    alone = sum(
        LearnedBidder().log_likelihood(masks[:, seat], AUCTION, index)
        for index, (seat, _) in enumerate(AUCTION)
    )
    weights_alone = np.exp(alone) / np.exp(alone).sum()
    assert np.abs(exact.weights - weights_alone).sum() > 0.02, (
        "hands apart say something else"
    )


@pytest.mark.parametrize("method", ["importance", "resample-move"])
def test_samplers_find_the_exact_answer(exact, method):
    sampled = belief(OPEN).infer(method, draws=3000, rng=5)
    exact_points = points_of_east(exact)
    truth = exact.weights @ exact_points
    mean = sampled.weights @ points_of_east(sampled)
    spread = np.sqrt(exact.weights @ (exact_points - truth) ** 2)
    assert abs(mean - truth) < 5 * spread / np.sqrt(sampled.ess)
    log_difference = abs(sampled.log_marginal - exact.log_marginal)
    assert log_difference < 5 * sampled.log_marginal_error


def points_of_east(posterior):
    """(n,) of the layouts of a posterior."""
    return high_card_points(np.ascontiguousarray(posterior.layouts.masks[:, bb.Seat.E]))


def test_own_calls_speak_of_partners_hand_alone():
    """South's passes weigh North's hand by P(pass ∣ both hands), and no other hand."""
    south = bb.Belief("S", "QJ72.976.T952.J2", dummy=None)
    before = south.given(bb.Auction.of("E:1C"))
    after = south.given(bb.Auction.of("E:1C Pass"))
    masks = after.target.sampler.draw(50, 1)
    auction = bb.Auction.of("E:1C Pass")
    own = after.target.soft.of_layouts(masks) - before.target.soft.of_layouts(masks)
    expected = LearnedBidder().log_likelihood(
        masks[:, bb.Seat.S], auction, 1, masks[:, bb.Seat.N]
    )
    np.testing.assert_allclose(own, expected, atol=1e-5)
    assert after.effect(after.evidence[1]) == "soft"
    three = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Auction.three("S").after("1NT"))
    assert three.effect(three.evidence[0]) == "none"


class Apart:
    """A bidder without eyes for partner's hand, and a guide of its own."""

    def __init__(self, guide=None):
        self.calls = []
        self.guide = guide or self

    def log_likelihood(self, hands, auction, index):
        """Hands of about twelve points are likeliest, whatever the call."""
        self.calls.append(len(hands))
        points = high_card_points(hands).astype(float)
        return np.minimum(0.0, -0.2 * np.abs(points - 12.0))


def test_a_model_that_reads_one_hand_is_a_term_of_one_seat():
    soft = belief(bidder=Apart()).target.soft
    assert {term.seats for term in soft.terms} == {
        (bb.Seat.E,),
        (bb.Seat.W,),
        (bb.Seat.N,),
    }
    assert soft.separable


def test_a_guide_shapes_the_proposal_and_the_model_the_weights():
    guide = Apart()
    model = Apart(guide)
    guided = belief(bidder=model).infer("importance", draws=500, rng=1)
    plain = belief(bidder=Apart()).infer("importance", draws=500, rng=1)
    assert sum(model.calls) < sum(guide.calls) / 3
    error = np.hypot(4.0 / guided.ess**0.5, 4.0 / plain.ess**0.5)
    for seat in (bb.Seat.E, bb.Seat.W):
        guided_points = guided.point_table[seat] @ np.arange(38.0)
        plain_points = plain.point_table[seat] @ np.arange(38.0)
        assert abs(guided_points - plain_points) < 5 * error


def test_a_belief_with_calls_can_be_pickled():
    original = belief()
    copy = pickle.loads(pickle.dumps(original))
    masks = original.target.sampler.draw(20, 1)
    np.testing.assert_array_equal(
        copy.target.soft.of_layouts(masks), original.target.soft.of_layouts(masks)
    )
    posterior = original.infer(draws=200, rng=1)
    assert copy.infer(draws=200, rng=1).log_marginal == posterior.log_marginal
