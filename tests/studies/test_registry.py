"""A study is its own module and a line in the registry: a new one is found at the command line, with all it brings."""

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import studies
from bayesbridge.cli import build_parser, main
from bayesbridge.cli.completion import _complete_files
from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies import STUDIES, Comparison, Job, Option, Study, Table, engine

ROOT = Path(__file__).parents[2]


def count(seed, deals):
    """(2,) deals, and those that a fair coin calls heads."""
    return np.array([deals, np.random.default_rng(seed).integers(2, size=deals).sum()])


def named(counts):
    return {"deals": int(counts[0]), "heads": int(counts[1])}


def simulate(deals, seed, workers=None, runs=1, how=None, *, stake=1, rules=()):
    done = engine.run(Job("coins", count), deals, seed, runs, how)
    won = stake * int(done.counts[1])
    return Comparison.of_run(
        done, named, title="Coins", unit="heads", answers={"won": won, "rules": list(rules)}, source=done
    )


def read_stake(text):
    if not text.isdecimal():
        raise BayesBridgeError(f"{text!r} is not a stake: write a whole number")
    return int(text)


COINS = Study(
    "coins",
    "how often a coin shows heads",
    300,
    simulate,
    options=(
        Option("--stake", "stake", "N", "points for each head", read_stake),
        Option("--rule", "rules", "FILE", "a TOML file", lambda table: table["name"], files=True),
    ),
    tables=lambda found: [Table("Coins won", ["", "points"], [["all", str(found.answers["won"])]])],
)


@pytest.fixture
def coins(monkeypatch):
    monkeypatch.setitem(STUDIES, "coins", COINS)


def test_a_new_study_is_found_at_the_command_line(coins, capsys, tmp_path):
    assert main(["study", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "coins: how often a coin shows heads" in shown
    assert "coins: points for each head" in shown
    assert "coins 300" in shown
    rule = tmp_path / "rule.toml"
    rule.write_text('name = "fair"')
    words = ["study", "coins", "--stake", "5", "--rule", str(rule), "--rule", str(rule), "--runs", "2"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["counts"]["deals"], found["paper"]) == ("600", "600", None)
    assert found["won"] == 5 * int(found["counts"]["heads"])
    assert found["rules"] == ["fair", "fair"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "Coins won" in shown
    assert str(found["won"]) in shown
    assert "600 deals, seed 1, " in shown


def test_its_mistakes_are_one_line(coins, capsys):
    for words, what in (
        (["coins", "--stake", "much"], "argument --stake: 'much' is not a stake: write a whole number"),
        (["captures", "--stake", "5"], "study 'captures' takes no --stake: it goes with coins"),
        (["coins", "--exact"], "study 'coins' has no exact count"),
    ):
        assert main(["study", *words]) == 2
        assert capsys.readouterr().err.startswith(f"bayesbridge: {what}")


def test_its_options_are_completed(coins):
    parser = build_parser()
    _complete_files(parser, "files")
    study = parser._subparsers._group_actions[0].choices["study"]
    completed = {action.dest for action in study._actions if getattr(action, "complete", None) == "files"}
    assert completed == {"scoring", "rule", "resume"}


def test_every_study_module_is_registered():
    """A module of the package with a STUDY that nobody lists would never be found."""
    package = Path(studies.__file__).parent
    declared = []
    for path in package.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "STUDY":
                room = ".".join(path.relative_to(package.parent.parent).with_suffix("").parts)
                declared.append(importlib.import_module(room).STUDY)
    assert {study.name: study for study in declared} == STUDIES
    assert [name for name, study in STUDIES.items() if study.name != name] == []


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_options_are_arguments_of_simulate(study):
    taken = inspect.signature(study.simulate).parameters
    assert all(option.keyword in taken and option.flag.startswith("--") for option in study.options)


PICTURES = {
    "conditions": ["plot_runs"],
    "captures": ["plot_runs"],
    "comparative": ["plot_algorithms", "plot_second_hand"],
    "headline": ["plot_headline"],
    "claims": [],
    "strategies": [],
    "opponents": [],
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_draws_its_pictures(name):
    study = STUDIES[name]
    found = study.count_exactly() if study.count_exactly else study.simulate(20_000, 1)
    drawn = study.draw(found)
    assert list(drawn) == PICTURES[name]
    assert all(np.ravel(axes)[0].figure is not None for axes in drawn.values())


def test_declarations_are_light():
    code = (
        "import sys; from bayesbridge.cli import build_parser; build_parser();"
        "assert 'bayesbridge.studies' not in sys.modules;"
        "from bayesbridge.studies import STUDIES; list(STUDIES.values());"
        "print({'numpy', 'numba', 'scipy', 'matplotlib'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "set()\n"


def test_every_public_name_is_documented():
    reference = (ROOT / "docs" / "api.md").read_text("utf-8")
    for name in set(studies.__all__) - {"STUDIES"}:
        assert f":: bayesbridge.studies.{name}\n" in reference, name
        if name.startswith("plot_"):
            assert ">>> " in getattr(studies, name).__doc__
