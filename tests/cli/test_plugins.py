"""``plugins`` lists what is offered and broken; ``plugins new`` makes a package."""

import json
import re
import tomllib
import zipfile

import pytest

from bayesbridge import __version__
from bayesbridge.cli import main
from bayesbridge.estimators import evaluate, registry
from bayesbridge.estimators.hookspecs import CONTRACT
from tests.estimators.test_registry import GOOD as SOURCE
from tests.test_guides import run

GOOD = SOURCE.format(name="ones")

OWN_CONFIGURATION = ("--rootdir", ".", "-c", "pyproject.toml")
"""Words for pytest: files of folders above, as /tmp/pyproject.toml, do not count."""


def test_built_ins_are_listed_with_their_origin_and_outputs(document):
    listing = document("plugins")
    assert listing.keys() == {"estimators", "bidders", "failures", "empty"}
    loaded = registry.load()
    assert listing["estimators"].keys() == loaded.estimators.keys()
    assert listing["bidders"].keys() == loaded.bidders.keys()
    capture = listing["estimators"]["capture"]
    assert (capture["plugin"], capture["distribution"], capture["version"]) == (
        "bayesbridge",
        "bayesbridge-hands",
        __version__,
    )
    assert (
        capture["outputs"]["T"]
        == "Captures by the paper's rule (Algorithm 2), 0 where a condition fails."
    )
    assert capture["doc"] == "Algorithm 2 for the pair; T is 0 where a condition fails."
    assert listing["bidders"]["iterative"]["doc"].startswith(
        "Bids as high as Algorithm 1 goes"
    )


BROKEN = (
    "from bayesbridge.plugins import hookimpl\n"
    "@hookimpl\n"
    "def bayesbridge_estimator(): return []"
)


def test_a_broken_plugin_is_named_and_the_others_stay(install, document, answer):
    install("mine", BROKEN)
    listing = document("plugins")
    assert "capture" in listing["estimators"]
    assert listing["failures"]["mine"]["distribution"] == "mine"
    assert "bayesbridge_estimator" in listing["failures"]["mine"]["failure"]
    assert "Plugin 'mine' of mine 1.2 is broken: " in answer("plugins")


def test_a_plugin_that_offers_nothing_is_named_too(install, document, answer):
    install(
        "mine",
        "from bayesbridge.plugins import hookimpl\n@hookimpl\ndef bayesbridge_bidders(): return {}",
    )
    assert document("plugins")["empty"]["mine"] == {
        "plugin": "mine",
        "distribution": "mine",
        "version": "1.2",
    }
    assert "Plugin 'mine' of mine 1.2 offers nothing as it is set up" in answer(
        "plugins"
    )


WORDS = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--call", "W:1NT"]


def test_a_bidder_of_a_plugin_that_fails_is_named_and_is_no_fault_of_the_users(
    install, capsys
):
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


def test_an_estimator_of_a_plugin_that_fails_is_named_and_the_others_are_printed(
    install, capsys
):
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
    assert (
        main(
            [
                "estimate",
                *WORDS,
                "--estimator",
                "wild",
                "--estimator",
                "bid",
                "--draws",
                "50",
                "--json",
            ]
        )
        == 1
    )
    out, err = capsys.readouterr()
    assert list(json.loads(out)["estimators"]) == ["bid"]
    assert err.startswith(
        "bayesbridge: left out: estimator 'wild' raised ZeroDivisionError on "
    )
    assert err.endswith("mine.py:6)\n")
    assert err.count("\n") == 1


def test_a_package_is_made(document, tmp_path):
    description = document("plugins", "new", "my-count", "--at", str(tmp_path))
    project = tmp_path / "bayesbridge-my-count"
    assert description == {
        "folder": str(project),
        "files": [
            "LICENSE",
            "README.md",
            "bayesbridge_my_count/__init__.py",
            "bayesbridge_my_count/py.typed",
            "pyproject.toml",
            "test_my_count.py",
        ],
        "distribution": "bayesbridge-my-count",
        "module": "bayesbridge_my_count",
        "name": "my_count",
        "kind": "estimator",
    }
    written = {
        path.relative_to(project).as_posix(): path
        for path in project.rglob("*")
        if path.is_file()
    }
    assert sorted(written) == description["files"]
    assert "$" not in "".join(path.read_text("utf-8") for path in written.values())
    project_table = tomllib.loads(written["pyproject.toml"].read_text("utf-8"))[
        "project"
    ]
    assert f"{registry.DISTRIBUTION}>={__version__}" in project_table["dependencies"]
    assert f"\nBAYESBRIDGE_CONTRACT = {CONTRACT}\n" in written[
        "bayesbridge_my_count/__init__.py"
    ].read_text("utf-8")


def test_a_bidder_passes_its_own_tests(document, tmp_path):
    """``make package`` installs what is made, and the guide's tests a bidder."""
    assert (
        document(
            "plugins", "new", "our-club", "--kind", "bidder", "--at", str(tmp_path)
        )["name"]
        == "our_club"
    )
    project = tmp_path / "bayesbridge-our-club"
    assert "3 passed" in run(
        project,
        "-W",
        "error",
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        *OWN_CONFIGURATION,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["estimator", "bidder"])
def test_what_is_made_is_typed_and_can_be_published(document, tmp_path, kind):
    document("plugins", "new", "mine", "--kind", kind, "--at", str(tmp_path))
    project = tmp_path / "bayesbridge-mine"
    run(project, "-m", "ruff", "check", "--no-cache")
    run(project, "-m", "ruff", "format", "--check", "--no-cache")
    assert "no issues found in 2 source files" in run(
        project, "-m", "mypy", "--strict", "."
    )
    assert "3 passed" in run(
        project, "-m", "pytest", "-p", "no:cacheprovider", *OWN_CONFIGURATION
    )
    run(project, "-m", "build", "--no-isolation")
    (wheel,) = project.glob("dist/*.whl")
    packed = {
        name.partition("dist-info/")[2] or name
        for name in zipfile.ZipFile(wheel).namelist()
    }
    assert {
        "bayesbridge_mine/__init__.py",
        "bayesbridge_mine/py.typed",
        "licenses/LICENSE",
    } <= packed
    assert not any("test" in name for name in packed)


def test_a_plugin_of_a_newer_contract_is_told_in_one_line(install, answer, complaint):
    install("mine", f"BAYESBRIDGE_CONTRACT = {CONTRACT + 1}\n{GOOD}")
    newer = f"BAYESBRIDGE_CONTRACT {CONTRACT + 1} is newer than bayesbridge"
    line = f"{newer} {__version__}, which keeps {CONTRACT}: install a newer "
    assert f"Plugin 'mine' of mine 1.2 is broken: PluginError: {line}" in " ".join(
        answer("plugins").split()
    )
    assert line in complaint("estimate", *WORDS, "--estimator", "ones")


def test_what_a_plugin_in_use_may_not_offer_is_told(install, capsys):
    install(
        "mine",
        GOOD.replace(
            "[Ones()]", "[Ones(), type('Capture', (Ones,), {'name': 'capture'})()]"
        ),
    )
    assert (
        main(["estimate", *WORDS, "--estimator", "ones", "--draws", "50", "--json"])
        == 0
    )
    line = "estimator 'capture' is offered by both 'bayesbridge' and 'mine': rename one"
    assert (
        capsys.readouterr().err == f"bayesbridge: left out of plugin 'mine': {line}\n"
    )


def test_a_slow_estimator_is_told_to_say_so_and_a_quick_one_is_not(
    install, capsys, monkeypatch
):
    install("mine", GOOD)
    words = ["estimate", *WORDS, "--estimator", "ones", "--draws", "50", "--json"]
    assert main(words) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(evaluate, "SLOW_RUN", 0.0)
    monkeypatch.setattr(evaluate, "SLOW_LAYOUT", 0.0)
    assert main(words) == 0
    assert re.fullmatch(
        r"bayesbridge: estimator 'ones' took \d+ s for \d+ layouts: if it declares "
        r"seconds = \S+, the time of one, "
        r"it gets as many as the time allows\n",
        capsys.readouterr().err,
    )


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
    assert "(File exists): choose another NAME" in complaint(
        "plugins", "new", "mine", "--at", str(tmp_path)
    )
    assert list((tmp_path / "bayesbridge-mine").iterdir()) == []
    assert "No such file" in complaint(
        "plugins", "new", "mine", "--at", str(tmp_path / "none")
    )


def test_a_folder_that_cannot_be_made_leaves_nothing(capsys, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    assert main(["plugins", "new", "mine", "--at", str(tmp_path)]) == 1
    assert (
        "(No space left on device): make room, or name another file"
        in capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []
