"""Every hook is documented with its exact arguments, and has a test of its own here."""

import importlib.util
import inspect
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pluggy
import pytest

from bayesbridge import Belief, Called
from bayesbridge.auction import Auction
from bayesbridge.estimators import hookspecs, registry
from bayesbridge.estimators.hookspecs import hookimpl
from bayesbridge.estimators.protocol import Output, Question, run
from tests.estimators.deals import random_layouts

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parent.parent
HOOKS = {name: hook for name, hook in vars(hookspecs).items() if hasattr(hook, "bayesbridge_spec")}


def headings(page):
    return [line.removeprefix("### ").strip("`") for line in page.splitlines() if line.startswith("### `")]


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_documented_with_its_exact_arguments(name):
    page = (ROOT / "docs" / "write-a-plugin.md").read_text("utf-8")
    documented = [heading for heading in headings(page) if name in heading]
    hook = HOOKS[name]
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    parameters = list(inspect.signature(hook).parameters)
    assert list(getattr(manager.hook, name).spec.argnames) == parameters
    assert documented == [f"{name}{inspect.signature(hook)}".replace("'", "")]
    assert len(inspect.getdoc(hook)) > 80
    assert inspect.signature(hook).return_annotation is not inspect.Signature.empty


def test_the_page_is_what_the_script_writes():
    loader = SourceFileLoader("hook_reference", str(ROOT / "scripts" / "hook-reference"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("hook_reference", loader))
    loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.page(), "run scripts/hook-reference"


def test_bayesbridge_estimators_offers_what_can_then_be_run():
    class Points:
        name = "points"
        outputs = (Output("points", "High-card points by seat.", ("seat",), "int8"),)

        def estimate(self, layouts, question):
            return {"points": layouts.points}

    @hookimpl
    def bayesbridge_estimators():
        yield Points()

    plugin = SimpleNamespace(bayesbridge_estimators=bayesbridge_estimators)
    found = registry.load([("mine", plugin)]).estimator("points")
    batch = random_layouts(10, 1)
    assert (run(found, batch, Question.of("S:N"))["points"].sum(axis=1) == 40).all()


def test_bayesbridge_bidders_offers_what_can_then_weigh_layouts():
    class Never:
        """Never bids with a void in spades, else always alike."""

        def log_likelihood(self, hands, auction, index):
            return np.where(hands >> np.uint64(39) == 0, -np.inf, 0.0)

    @hookimpl
    def bayesbridge_bidders():
        return {"never": Never()}

    plugin = SimpleNamespace(bayesbridge_bidders=bayesbridge_bidders)
    found = registry.load([("mine", plugin)]).bidder("never")
    hands = np.array([1 << 51, 1], dtype=np.uint64)
    assert found.log_likelihood(hands, Auction.of("W:1NT", dummy="N"), 0).tolist() == [0.0, -np.inf]
    belief = Belief("S", "KQJT98765432..A.", bidder=found).given(Called("W", "1NT"))
    assert float(belief.infer(rng=1).card_probabilities().sel(card="SA", seat="W")) == pytest.approx(1.0)
