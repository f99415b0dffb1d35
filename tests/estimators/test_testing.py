"""The conformance kit passes what keeps the contract and fails on each way to break it."""

import numpy as np
import pytest

from bayesbridge import LearnedBidder, Seat, Suit, Trick
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import registry
from bayesbridge.estimators.builtin import bayesbridge_estimators
from bayesbridge.estimators.protocol import Output, Question, estimator
from bayesbridge.game.layouts import Layouts, high_card_points
from bayesbridge.plugins import check_bidder, check_estimator


class Points:
    """Keeps every promise; its children break one each."""

    name = "points"
    outputs = (Output("points", "High-card points of the pair.", dtype="int16"),)

    def estimate(self, layouts, question):
        return {"points": self.points(layouts, question)}

    def points(self, layouts, question):
        return layouts.points[:, list(question.pair)].sum(axis=1).astype(np.int16)


def test_a_good_estimator_passes():
    check_estimator(Points())


class Random(Points):
    generator = np.random.default_rng(1)

    def points(self, layouts, question):
        return self.generator.integers(0, 9, len(layouts))


class Writes(Points):
    def points(self, layouts, question):
        layouts.masks[:, 0] = 0
        return super().points(layouts, question)


class ForcesItsWay(Points):
    """Sorting is idempotent: only a copy made before the first run tells."""

    def points(self, layouts, question):
        if len(layouts):
            owner = layouts.masks if layouts.masks.base is None else layouts.masks.base
            owner.flags.writeable = True
            masks = layouts.masks
            masks.flags.writeable = True
            masks.sort(axis=1)
            masks.flags.writeable = owner.flags.writeable = False
        return np.zeros(len(layouts), dtype=np.int16)


class ByPlace(Points):
    """Right for one layout alone and for the usual order; only another order tells."""

    def points(self, layouts, question):
        points = super().points(layouts, question)
        falling = (
            len(layouts) > 1 and layouts.masks[0, Seat.S] < layouts.masks[-1, Seat.S]
        )
        return points + falling


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Random, "the second run differs from the first"),
        (Writes, "raised ValueError.*read-only"),
        (ForcesItsWay, "changed the layouts it was given: copy before you write"),
        (ByPlace, "the order of layouts matters"),
    ],
)
def test_each_broken_promise_is_found(broken, says):
    with pytest.raises(PluginError, match=says) as caught:
        check_estimator(broken())
    assert "estimator 'points'" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("attribute", "value", "says"),
    [
        ("outputs", (), "declares no output"),
        (
            "outputs",
            (Output("points", "One."), Output("points", "Two.")),
            "'points' is taken",
        ),
        ("outputs", (Output("points", "no full stop"),), "needs a sentence"),
        (
            "outputs",
            (Output("draw", "One."),),
            "output 'draw' has the name of a dimension of results",
        ),
        (
            "outputs",
            (Output("suit", "One."),),
            "output 'suit' has the name of a dimension of results",
        ),
        (
            "outputs",
            (Output("points", "One.", domain=range(3)),),
            "give the range of an integer output",
        ),
        ("name", "", "is no estimator"),
        (
            "name",
            "capture",
            "estimator 'capture' has the name of a built-in, which stays: rename yours",
        ),
    ],
)
def test_a_bad_declaration_is_found(attribute, value, says):
    broken = Points()
    setattr(broken, attribute, value)
    with pytest.raises(PluginError, match=says):
        check_estimator(broken)


QUESTIONS = [
    Question.of("S:N"),
    Question.of("E:N", trump=Suit.H),
    Question.of("S:N", trump=Suit.C, trick=Trick.of("W:S5", trump="C"), played=1 << 42),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=["NT", "hearts", "trick"])
@pytest.mark.parametrize(
    "estimator", bayesbridge_estimators(), ids=lambda estimator: estimator.name
)
def test_every_built_in_conforms(estimator, question):
    check_estimator(estimator, question)


def test_every_installed_plugin_is_found():
    """That they conform is tested beside them."""
    plugins = registry.load()
    assert [plugin.name for plugin in plugins.plugins if plugin.failure] == []
    assert {"fit", "solved", "double_dummy", "double_dummy_leads"} <= set(
        plugins.estimators
    )


def test_a_plain_function_conforms_and_equals_the_batch():
    @estimator("points", dtype="int16")
    def points(deal, question):
        """High-card points of the pair."""
        return sum(deal[seat].points for seat in question.pair)

    check_estimator(points, layouts=6)
    batch = Layouts.of(
        ["N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 T74.AQ876.632.76"] * 2
    )
    assert points.estimate(batch, QUESTIONS[0])["points"].tolist() == [24, 24]
    assert points.outputs == (
        Output("points", "High-card points of the pair.", dtype="int16"),
    )


class PointCounter:
    """Opens 1NT from twelve points on and passes otherwise, but for a slip.

    It keeps every promise.
    """

    slip = 0.02

    def log_likelihood(self, hands, auction, index):
        return np.log(self.chances(hands, auction, index))

    def chances(self, hands, auction, index):
        legal = type(auction)(
            auction.first, auction.calls[:index], auction.dummy
        ).legal_calls()
        notrump = next((call for call in legal if str(call) == "1NT"), legal[0])
        bids = high_card_points(hands) >= 12
        meant = np.where(bids, notrump.index, 0) == auction.calls[index].index
        return self.slip / len(legal) + (1 - self.slip) * meant


@pytest.mark.parametrize("players", [3, 4])
def test_a_good_bidder_passes(players):
    check_bidder(PointCounter(), players=players)


class AddsUpToMore(PointCounter):
    def chances(self, hands, auction, index):
        return np.minimum(1.0, 1.5 * super().chances(hands, auction, index))


class LooksAhead(PointCounter):
    def log_likelihood(self, hands, auction, index):
        return super().log_likelihood(hands, auction, len(auction.calls) - 1)


class RandomBidder(PointCounter):
    generator = np.random.default_rng(1)

    def chances(self, hands, auction, index):
        return (
            super().chances(hands, auction, index)
            * self.generator.uniform(0.9999, 1.0, len(hands)) ** 10
        )


class WritingBidder(PointCounter):
    def log_likelihood(self, hands, auction, index):
        logs = super().log_likelihood(hands, auction, index)
        hands.sort()
        return logs


class NotANumber(PointCounter):
    def chances(self, hands, auction, index):
        return np.where(
            hands == hands.max(initial=0),
            np.nan,
            super().chances(hands, auction, index),
        )


class Raises(PointCounter):
    def chances(self, hands, auction, index):
        raise KeyError("7NT")


class SaysTwoThings(PointCounter):
    def probabilities(self, hands, auction):
        chances = np.zeros((len(hands), 38))
        chances[:, 0] = 1.0
        return chances


class BetterHalf(PointCounter):
    """Opens with the better half of the hands it is given.

    So a hand alone always opens.
    """

    def chances(self, hands, auction, index):
        passes = np.argsort(np.argsort(hands)) < len(hands) // 2
        legal = type(auction)(
            auction.first, auction.calls[:index], auction.dummy
        ).legal_calls()
        return (
            np.where(
                passes,
                legal[0] == auction.calls[index],
                legal[-1] == auction.calls[index],
            )
            + 1e-300
        )


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (AddsUpToMore, "the chances of the 36 legal calls add up to 1.0"),
        (LooksAhead, "a later call changes the answer"),
        (RandomBidder, "the second run differs from the first"),
        (WritingBidder, "it changed the hands it was given: copy before you write"),
        (NotANumber, "a log likelihood of nan"),
        (Raises, "KeyError on 60 hands: '7NT'"),
        (SaysTwoThings, "probabilities and log_likelihood say different things"),
        (BetterHalf, "a batch differs from its hands one by one"),
    ],
)
def test_each_broken_promise_of_a_bidder_is_found(broken, says):
    with pytest.raises(PluginError, match=says) as caught:
        check_bidder(broken())
    assert f"bidder {__name__}.{broken.__name__}, auction 'S:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_plugin_and_no_game_is_said():
    with pytest.raises(PluginError, match="7 is no estimator"):
        check_estimator(7)
    with pytest.raises(PluginError, match="7 is no bidder model"):
        check_bidder(7)
    with pytest.raises(PluginError, match="is no bidder model"):
        check_bidder(PointCounter)
    with pytest.raises(BayesBridgeError, match="5 players: the game has 3 or 4"):
        check_bidder(PointCounter(), players=5)


def test_every_bidder_offered_conforms():
    """Experts know the game of four alone."""
    for name, bidder in (
        *registry.load().bidders.items(),
        ("learned", LearnedBidder("All")),
    ):
        check_bidder(bidder, players=4 if name == "learned" else 3, hands=4)
    with pytest.raises(PluginError, match="auction 'S:': BayesBridgeError on 4 hands"):
        check_bidder(LearnedBidder(), hands=4)
