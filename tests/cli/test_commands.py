"""Help, examples, version and completion of every command."""

import re

import pytest

from bayesbridge import __version__
from bayesbridge.cli import build_parser
from tests.cli.test_options import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen_and_gives_an_example_that_parses(
    answer, monkeypatch, command
):
    monkeypatch.setenv("COLUMNS", "100")
    text = answer(command, "--help")
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 100
    assert "--json" in text
    assert "--seed" in text
    for example in text.partition("example:\n")[2].strip().splitlines():
        words = example.split()
        assert words[0] == "bayesbridge"
        assert build_parser().parse_args(words[1:]).command == command


def test_evidence_is_explained_by_an_option_of_its_own(answer):
    text = answer("estimate", "--help-evidence")
    for name in ("observer", "reveal", "auction", "position"):
        assert re.search(rf"^  --{name} .+\S", text, re.M)
        assert f"--{name} " in answer("estimate", "--help")


def test_version(answer):
    assert answer("--version") == f"bayesbridge {__version__}\n"


def test_completion_scripts_know_the_commands(answer):
    script = answer("--completion", "bash")
    assert "_shtab_bayesbridge_count___position_COMPGEN=_shtab_compgen_files" in script
    for word in (
        "estimate",
        "capture",
        "bid",
        "study",
        "conditions",
        "workers",
        "void",
        "position",
    ):
        assert word in script
