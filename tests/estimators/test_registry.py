"""Plugins are found by entry point.

A broken one is reported by name, and the others stay.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.estimators import registry
from bayesbridge.estimators.hookspecs import hookimpl
from bayesbridge.estimators.protocol import Output, PluginError

pytestmark = pytest.mark.quick

BUILT_IN = ("capture", "bid", "play_out", "tricks")
ONES = (Output("ones", "One for each layout."),)


class Ones:
    def __init__(self, name="ones", outputs=ONES):
        self.name = name
        self.outputs = outputs

    def estimate(self, layouts, question):
        return {"ones": np.ones(len(layouts))}


def offering(estimators=None, bidders=None):
    """A plugin object; a callable is called, to raise when the hook is."""

    def get(value):
        return value() if callable(value) else value

    @hookimpl
    def bayesbridge_estimators():
        return get(estimators)

    @hookimpl
    def bayesbridge_bidders():
        return get(bidders)

    return SimpleNamespace(
        bayesbridge_estimators=bayesbridge_estimators,
        bayesbridge_bidders=bayesbridge_bidders,
    )


def plugin(plugins, name):
    (named,) = (plugin for plugin in plugins.plugins if plugin.name == name)
    return named


GOOD = """
from bayesbridge.plugins import Output, hookimpl
from bayesbridge.bidders.iterative import IterativeBidder

class Ones:
    name = "{name}"
    outputs = (Output("ones", "One for each layout."),)

    def estimate(self, layouts, question):
        return {{"ones": [1.0] * len(layouts)}}

@hookimpl
def bayesbridge_estimators():
    return [Ones()]

@hookimpl
def bayesbridge_bidders():
    return {{"{name}": IterativeBidder()}}
"""

BROKEN = {
    "import-error": (
        "import no_such_module_anywhere",
        "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
    ),
    "leaves": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "wrong-signature": (
        "from bayesbridge.plugins import hookimpl\n"
        "@hookimpl\ndef bayesbridge_estimators(layouts): return []",
        "layouts",
    ),
    "misspelt-hook": (
        "from bayesbridge.plugins import hookimpl\n"
        "@hookimpl\ndef bayesbridge_estimator(): return []",
        "PluginError: unknown hook 'bayesbridge_estimator': "
        "did you mean 'bayesbridge_estimators'? choose bayesbridge_",
    ),
    **{
        f"contract-{place}": (
            f"BAYESBRIDGE_CONTRACT = {version}\n{GOOD.format(name='mine')}",
            f"PluginError: BAYESBRIDGE_CONTRACT {version} {problem}",
        )
        for place, (version, problem) in enumerate(
            {
                "0": "is no contract: they are numbered from 1 to 1",
                "'1'": "is no whole number: write 1, or leave it out",
                "None": "is no whole number: write 1, or leave it out",
                "True": "is no whole number",
                "2": "is newer than bayesbridge",
            }.items()
        )
    },
    "unmarked": ("def bayesbridge_estimators(): return []", "implements no hook"),
    "raises": (
        "from bayesbridge.plugins import hookimpl\n"
        "@hookimpl\ndef bayesbridge_estimators(): return 1 / 0",
        "ZeroDivisionError: division by zero (at ",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_installed_plugin_is_reported_and_the_others_stay(install, name):
    source, reason = BROKEN[name]
    install("aaa-good", GOOD.format(name="first"))
    install(name, source)
    install("zzz-good", GOOD.format(name="last"))
    plugins = registry.load()
    failed = plugin(plugins, name)
    assert reason in failed.failure
    assert "\n" not in failed.failure
    assert (failed.distribution, failed.version) == (name, "1.2")
    assert (failed.estimators, failed.bidders) == ({}, {})
    assert {"first", "last", *BUILT_IN} <= set(plugins.estimators)
    assert {"first", "last", "iterative"} <= set(plugins.bidders)
    with pytest.raises(PluginError, match=f"plugin '{name}' failed: "):
        plugins.estimator("no such")


@pytest.mark.parametrize(
    ("estimators", "bidders", "reason"),
    [
        (7, None, "TypeError: 'int' object is not iterable"),
        ([7], None, "7 is no estimator: it needs name, outputs and estimate"),
        ([Ones(), Ones()], None, "estimator 'ones' is offered twice: rename one"),
        (
            [Ones(outputs=(7,))],
            None,
            "estimator 'ones' declares 7: an output must be an Output",
        ),
        (
            [Ones(outputs=(Output("x", "One.", ("k",)),))],
            None,
            "estimator 'ones': output 'x' has no labels",
        ),
        (
            [Ones(outputs=(Output("x", "One.", ("suit", "suit")),))],
            None,
            "dimensions ('suit', 'suit'): give each another",
        ),
        (
            [Ones(outputs=(Output("x", "One.", ("draw",)),))],
            None,
            "dimensions ('draw',): give each another name",
        ),
        (None, [IterativeBidder()], "TypeError"),
        (None, {"b": 7}, "'b': 7 is no bidder model: it needs log_likelihood"),
    ],
)
def test_garbage_offers_are_reported_and_the_others_stay(estimators, bidders, reason):
    plugins = registry.load(
        [("bad", offering(estimators, bidders)), ("good", offering([Ones("kept")]))]
    )
    assert reason in plugin(plugins, "bad").failure
    assert plugin(plugins, "bad").distribution == "given by the caller"
    assert list(plugin(plugins, "good").estimators) == ["kept"]
    assert {"kept", *BUILT_IN} <= set(plugins.estimators)
    assert "ones" not in plugins.estimators


@pytest.mark.parametrize(
    ("kind", "offers"),
    [
        ("estimator", {"estimators": [Ones("same")]}),
        ("bidder model", {"bidders": {"same": IterativeBidder()}}),
    ],
)
def test_a_name_offered_twice_belongs_to_nobody_and_names_both_plugins(kind, offers):
    second_plugin = offering(
        [*offers.get("estimators", []), Ones("kept")], offers.get("bidders")
    )
    plugins = registry.load([("one", offering(**offers)), ("two", second_plugin)])
    says = f"{kind} 'same' is offered by both 'one' and 'two': rename one"
    with pytest.raises(PluginError, match=f"^{says}$"):
        (plugins.estimator if kind == "estimator" else plugins.bidder)("same")
    assert plugin(plugins, "one").failure == plugin(plugins, "two").failure == says
    assert list(plugin(plugins, "two").estimators) == ["kept"]
    assert plugins.estimator("kept").name == "kept"


def test_a_built_in_name_stays_the_built_ins():
    plugins = registry.load([("mine", offering([Ones("capture"), Ones("kept")]))])
    assert (
        "estimator 'capture' is offered by both 'bayesbridge' and 'mine'"
        in plugin(plugins, "mine").failure
    )
    assert plugin(plugins, "bayesbridge").failure is None
    assert plugins.estimator("capture").outputs != ONES
    assert plugins.estimator("kept").name == "kept"


def test_an_unknown_name_lists_the_known_ones():
    plugins = registry.load()
    with pytest.raises(
        PluginError,
        match=r"unknown estimator 'captur': did you mean 'capture'\? choose .*play_out",
    ):
        plugins.estimator("captur")
    with pytest.raises(
        PluginError, match=r"unknown bidder model 'x': choose .*iterative"
    ):
        plugins.bidder("x")


def test_what_fails_at_import_is_told_with_the_plugins_own_line(install, tmp_path):
    install("mine", "import json\n\ndef read():\n    return json.loads('{')\n\nread()")
    assert plugin(registry.load(), "mine").failure.endswith(
        f"(at {tmp_path / 'mine.py'}:4)"
    )


def test_plugins_are_imported_when_a_name_is_not_built_in(install):
    install("mine", GOOD.format(name="mine"))
    assert "mine" not in registry.offered("estimators", ["bid"]).estimators
    assert "mine" not in sys.modules
    assert (
        registry.offered("estimators", ["bid", "mine"]).estimator("mine").name == "mine"
    )
