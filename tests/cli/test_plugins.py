"""``plugins``: what is offered, where it comes from, and what is broken."""

import bayesbridge as bb
from bayesbridge import __version__
from bayesbridge.cli import main
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
        "bayesbridge-hands",
        __version__,
    )
    assert capture["outputs"]["T"] == "Total captures, 0 where a condition fails."
    assert capture["doc"] == "Algorithm 2 for the pair; T is 0 where a condition fails."
    assert said["bidders"]["iterative"]["doc"].startswith("Bids as high as Algorithm 1 goes")


def test_people_see_a_table(answer):
    text = answer("plugins")
    assert "Estimators (--estimator NAME)" in text
    assert any(line.split()[:3] == ["iterative", "bayesbridge-hands", __version__] for line in text.splitlines())


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


def test_an_interrupt_says_which_plugin_was_loading(monkeypatch, capsys):
    def hang():
        raise KeyboardInterrupt("interrupted while plugin 'x' (x 1.0) was loading: if it hangs, remove it")

    monkeypatch.setattr(registry, "load", hang)
    assert main(["plugins"]) == 130
    assert capsys.readouterr() == (
        "",
        "bayesbridge: interrupted while plugin 'x' (x 1.0) was loading: if it hangs, remove it\n",
    )


def test_a_bidder_of_a_plugin_that_fails_is_named_and_is_no_fault_of_the_users(monkeypatch, capsys):
    class Wild:
        def log_likelihood(self, hands, auction, index):
            return 1 / 0

    class Plugin:
        @bb.hookimpl
        def bayesbridge_bidders(self):
            return {"wild": Wild()}

    load = registry.load
    monkeypatch.setattr(registry, "load", lambda: load([("mine", Plugin())]))
    words = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--bidder", "wild", "--call", "W:1NT"]
    for command in ("estimate", "report"):
        assert main([command, *words]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"bayesbridge: model {__name__}.")
        assert "Wild raised ZeroDivisionError on " in err
        assert err.count("\n") == 1
