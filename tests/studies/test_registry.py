"""A study is its own module and a line in the registry.

A new one is found at the command line, with all it brings.
"""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bayesbridge import studies
from bayesbridge.display.markup import Table
from bayesbridge.studies import STUDIES, Job, Study

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]


def count(seed, deals):
    """(2,) deals, and those that a fair coin calls heads."""
    return np.array([deals, np.random.default_rng(seed).integers(2, size=deals).sum()])


COINS = Study(
    Job("coins", count),
    "how often a coin shows heads",
    300,
    lambda counts: {"deals": int(counts[0]), "heads": int(counts[1])},
    lambda done, schemes: {
        "title": "Coins",
        "unit": "heads",
        "answers": {"schemes": list(schemes)},
    },
    schemes=True,
    tables=lambda result: [
        Table("Coins", ["", "heads"], [["all", str(result.counts["heads"])]])
    ],
)


def test_the_reference_says_which_studies_count_exactly():
    page = (ROOT / "docs" / "api" / "studies.md").read_text("utf-8")
    listed, _, introduction_end = " ".join(page.split()).partition(") with `simulate(")
    counting = introduction_end.partition("`count_exactly()` of ")[2].partition(
        " counts every"
    )[0]
    names = re.compile(r"`(\w+)`")
    assert names.findall(listed.partition(" (")[2]) == list(STUDIES)
    assert names.findall(counting) == [
        name for name, study in STUDIES.items() if study.count_exactly is not None
    ]


@pytest.fixture
def coins(monkeypatch):
    monkeypatch.setitem(STUDIES, "coins", COINS)


def test_a_new_study_is_found_at_the_command_line(coins, answer, document):
    shown = " ".join(answer("study", "--help").split())
    assert "coins: how often a coin shows heads" in shown
    assert "headline, strategies, auction, coins: a file with a scoring scheme" in shown
    words = ["study", "coins", "--runs", "2"]
    answer_document = document(*words)
    assert (
        answer_document["total"],
        answer_document["counts"]["deals"],
        answer_document["paper"],
    ) == (
        "600",
        "600",
        None,
    )
    shown = answer(*words)
    assert answer_document["counts"]["heads"] in shown
    assert "600 deals, seed 1, " in shown


def test_every_study_module_is_registered():
    """A module of the package with a STUDY that nobody lists would never be found."""
    package = Path(studies.__file__).parent
    declared = []
    for path in package.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "STUDY":
                room = ".".join(
                    path.relative_to(package.parent.parent).with_suffix("").parts
                )
                declared.append(importlib.import_module(room).STUDY)
    assert {study.name: study for study in declared} == STUDIES


def test_declarations_are_light():
    code = (
        "import sys; from bayesbridge.cli.commands import parse_arguments;"
        "parse_arguments(['count']);"
        "assert 'bayesbridge.studies' not in sys.modules;"
        "from bayesbridge.studies import STUDIES; list(STUDIES.values());"
        "print({'numpy', 'numba', 'scipy', 'matplotlib'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == "set()\n"


def test_every_public_name_is_documented():
    reference = (ROOT / "docs" / "api" / "studies.md").read_text("utf-8")
    for name in set(studies.__all__) - {"STUDIES"}:
        assert f":: bayesbridge.studies.{name}\n" in reference, name
