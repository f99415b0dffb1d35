"""``plugins``: what is offered, where it comes from, what is broken; ``plugins new`` makes a package that works."""

import json

import pytest

from bayesbridge import __version__
from bayesbridge.cli import main
from bayesbridge.estimators import registry
from tests.test_guides import install, run


def test_built_ins_are_listed_with_their_origin_and_outputs(document):
    said = document("plugins")
    assert said.keys() == {"estimators", "bidders", "failures", "empty"}
    loaded = registry.load()
    assert said["estimators"].keys() == loaded.estimators.keys()
    assert said["bidders"].keys() == loaded.bidders.keys()
    capture = said["estimators"]["capture"]
    assert (capture["plugin"], capture["distribution"], capture["version"]) == (
        "bayesbridge",
        "bayesbridge-hands",
        __version__,
    )
    assert capture["outputs"]["T"] == "Captures by the paper's rule (Algorithm 2), 0 where a condition fails."
    assert capture["doc"] == "Algorithm 2 for the pair; T is 0 where a condition fails."
    assert said["bidders"]["iterative"]["doc"].startswith("Bids as high as Algorithm 1 goes")


BROKEN = "from bayesbridge.plugins import hookimpl\n@hookimpl\ndef bayesbridge_estimator(): return []"


def test_a_broken_plugin_is_named_and_the_others_stay(install, document, answer):
    install("mine", BROKEN)
    said = document("plugins")
    assert "capture" in said["estimators"]
    assert said["failures"]["mine"]["distribution"] == "mine"
    assert "bayesbridge_estimator" in said["failures"]["mine"]["failure"]
    assert "Plugin 'mine' of mine 1.2 is broken: " in answer("plugins")


def test_a_plugin_that_offers_nothing_is_named_too(install, document, answer):
    install("mine", "from bayesbridge.plugins import hookimpl\n@hookimpl\ndef bayesbridge_bidders(): return {}")
    assert document("plugins")["empty"]["mine"] == {"plugin": "mine", "distribution": "mine", "version": "1.2"}
    assert "Plugin 'mine' of mine 1.2 offers nothing as it is set up" in answer("plugins")


WORDS = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--call", "W:1NT"]


def test_a_bidder_of_a_plugin_that_fails_is_named_and_is_no_fault_of_the_users(install, capsys):
    install(
        "mine",
        """
from bayesbridge.plugins import hookimpl

class Wild:
    def log_likelihood(self, hands, auction, index):
        return 1 / 0

@hookimpl
def bayesbridge_bidders():
    return {"wild": Wild()}
""",
    )
    for words in (["estimate", *WORDS], ["bid", WORDS[3], "--auction", "1H"]):
        assert main([*words, "--bidder", "wild"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("bayesbridge: model mine.Wild raised ZeroDivisionError")
        assert err.endswith("mine.py:6)\n")
        assert err.count("\n") == 1


def test_an_estimator_of_a_plugin_that_fails_is_named_and_the_others_are_printed(install, capsys):
    install(
        "mine",
        """
from bayesbridge.plugins import estimator, hookimpl

@estimator("wild")
def wild(deal, question):
    return 1 / 0

@hookimpl
def bayesbridge_estimators():
    return [wild]
""",
    )
    assert main(["estimate", *WORDS, "--estimator", "wild", "--estimator", "bid", "--draws", "50", "--json"]) == 1
    out, err = capsys.readouterr()
    assert list(json.loads(out)["estimators"]) == ["bid"]
    assert err.startswith("bayesbridge: left out: estimator 'wild' raised ZeroDivisionError on ")
    assert err.endswith("mine.py:6)\n")
    assert err.count("\n") == 1


def test_a_package_is_made(document, tmp_path):
    said = document("plugins", "new", "my-count", "--at", str(tmp_path))
    project = tmp_path / "bayesbridge-my-count"
    assert said == {
        "folder": str(project),
        "files": ["README.md", "bayesbridge_my_count.py", "pyproject.toml", "test_my_count.py"],
        "distribution": "bayesbridge-my-count",
        "module": "bayesbridge_my_count",
        "name": "my_count",
        "kind": "estimator",
    }
    assert sorted(path.name for path in project.iterdir()) == said["files"]
    assert "$" not in "".join(path.read_text("utf-8") for path in project.iterdir())


def test_a_bidder_passes_its_own_tests_and_is_listed(document, tmp_path):
    assert document("plugins", "new", "our-club", "--kind", "bidder", "--at", str(tmp_path))["name"] == "our_club"
    project = tmp_path / "bayesbridge-our-club"
    assert "$" not in "".join(path.read_text("utf-8") for path in project.iterdir())
    assert "3 passed" in run(project, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".")
    install(project)
    listed = json.loads(run(project, "-m", "bayesbridge", "plugins", "--json"))
    assert listed["bidders"]["our_club"]["distribution"] == "bayesbridge-our-club"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("My Count", "'My Count' cannot be a name: write at most 40 small letters"),
        ("learned", "'learned' is taken by bayesbridge itself: choose another name"),
        ("capture", "'capture' is taken by bayesbridge itself: choose another name"),
    ],
)
def test_bad_names_are_refused_in_one_line(complaint, tmp_path, name, words):
    assert words in complaint("plugins", "new", name, "--at", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays(complaint, tmp_path):
    (tmp_path / "bayesbridge-mine").mkdir()
    assert "(File exists): choose another NAME" in complaint("plugins", "new", "mine", "--at", str(tmp_path))
    assert list((tmp_path / "bayesbridge-mine").iterdir()) == []
    assert "No such file" in complaint("plugins", "new", "mine", "--at", str(tmp_path / "none"))


def test_a_folder_that_cannot_be_made_leaves_nothing(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    assert main(["plugins", "new", "mine", "--at", str(tmp_path)]) == 1
    assert "(No space left on device): make room, or name another file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
