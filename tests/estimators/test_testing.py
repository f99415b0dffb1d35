"""The conformance kit passes what keeps the contract and fails on each way to break it."""

import numpy as np
import pytest

from bayesbridge.cards import Suit
from bayesbridge.deal import Seat
from bayesbridge.estimators import registry
from bayesbridge.estimators.builtin import bayesbridge_estimators
from bayesbridge.estimators.protocol import Output, PluginError, Question, estimator
from bayesbridge.layouts import Layouts
from bayesbridge.plugins import check_estimator
from bayesbridge.tricks import Trick


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


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (Random, "the second run differs from the first"),
        (Writes, "raised ValueError.*read-only"),
        (ForcesItsWay, "changed the layouts it was given: copy before you write"),
    ],
)
def test_each_broken_promise_is_found(broken, says):
    with pytest.raises(PluginError, match=says) as caught:
        check_estimator(broken())
    assert "estimator 'points'" in str(caught.value)
    assert "\n" not in str(caught.value)


class ByPlace(Points):
    """Right for one layout alone and for the usual order; only another order tells."""

    def points(self, layouts, question):
        points = super().points(layouts, question)
        falling = len(layouts) > 1 and layouts.masks[0, Seat.S] < layouts.masks[-1, Seat.S]
        return points + falling


def test_the_order_of_layouts_is_tried():
    with pytest.raises(PluginError, match="the order of layouts matters"):
        check_estimator(ByPlace())


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ((), "declares no output"),
        ((Output("points", "One."), Output("points", "Two.")), "'points' is taken"),
        ((Output("points", "no full stop"),), "needs a sentence"),
    ],
)
def test_a_bad_declaration_is_found(outputs, says):
    broken = Points()
    broken.outputs = outputs
    with pytest.raises(PluginError, match=says):
        check_estimator(broken)


def test_what_is_no_estimator_is_said():
    with pytest.raises(PluginError, match="7 is no estimator"):
        check_estimator(7)
    nameless = Points()
    nameless.name = ""
    with pytest.raises(PluginError, match="is no estimator"):
        check_estimator(nameless)


QUESTIONS = [
    Question.of("S:N"),
    Question.of("E:N", trump=Suit.H),
    Question.of("S:N", trump=Suit.C, trick=Trick.of("W:S5", trump="C"), played=1 << 42),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=["NT", "hearts", "trick"])
@pytest.mark.parametrize("one", bayesbridge_estimators(), ids=lambda one: one.name)
def test_every_built_in_conforms(one, question):
    check_estimator(one, question)


def test_every_installed_plugin_conforms():
    found = registry.load()
    assert [plugin.name for plugin in found.plugins if plugin.failure] == []
    assert {"fit", "solved", "double_dummy", "double_dummy_leads"} <= set(found.estimators)
    for plugin in found.plugins:
        if plugin.name != registry.BUILTIN:
            for name in plugin.estimators:
                check_estimator(found.estimator(name), layouts=2)


def test_a_plain_function_conforms_and_equals_the_batch():
    @estimator("points", dtype="int16")
    def points(deal, question):
        """High-card points of the pair."""
        return sum(deal[seat].points for seat in question.pair)

    check_estimator(points, layouts=6)
    batch = Layouts.of(["N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 T74.AQ876.632.76"] * 2)
    assert points.estimate(batch, QUESTIONS[0])["points"].tolist() == [24, 24]
    assert points.outputs == (Output("points", "High-card points of the pair.", dtype="int16"),)
