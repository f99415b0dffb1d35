"""``plugins``: what is offered, where it comes from, and what is broken."""

import bayesbridge as bb
from bayesbridge import __version__
from bayesbridge.estimators import registry


def test_built_ins_are_listed_with_their_origin_and_outputs(document):
    said = document("plugins")
    assert said.keys() == {"estimators", "bidders", "failures"}
    loaded = registry.load()
    assert said["estimators"].keys() == loaded.estimators.keys()
    assert said["bidders"].keys() == loaded.bidders.keys()
    capture = said["estimators"]["capture"]
    assert (capture["plugin"], capture["distribution"], capture["version"]) == (
        "bayesbridge",
        "bayesbridge",
        __version__,
    )
    assert capture["outputs"]["T"] == "Total captures, 0 where a condition fails."
    assert capture["doc"] == "Algorithm 2 for the pair; T is 0 where a condition fails."
    assert said["bidders"]["iterative"]["doc"].startswith("Bids as high as Algorithm 1 goes")


def test_people_see_a_table(answer):
    text = answer("plugins")
    assert "Estimators (--estimator NAME)" in text
    assert any(line.split()[:3] == ["iterative", "bayesbridge", __version__] for line in text.splitlines())


def test_a_broken_plugin_is_named_and_the_others_stay(document, answer, monkeypatch):
    class Misspelt:
        @bb.hookimpl
        def bayesbridge_estimator(self):
            return []

    load = registry.load
    monkeypatch.setattr(registry, "load", lambda: load([("mine", Misspelt())]))
    said = document("plugins")
    assert "capture" in said["estimators"]
    assert said["failures"]["mine"]["distribution"] == "given by the caller"
    assert "bayesbridge_estimator" in said["failures"]["mine"]["failure"]
    assert "Plugin 'mine' of given by the caller" in answer("plugins")
