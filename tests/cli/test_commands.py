"""Help, examples, version and completion of every command."""

import re
import shlex

import pytest

from bayesbridge import __version__
from bayesbridge.cli.commands import COMMANDS, parse_arguments


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen_and_gives_an_example_that_parses(
    answer, monkeypatch, command
):
    monkeypatch.setenv("COLUMNS", "100")
    text = answer(*command.split(), "--help")
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 100
    assert "--json" in text
    assert "--seed" in text
    for example in text.partition("example:\n")[2].strip().splitlines():
        program, *words = shlex.split(example)
        assert program == "bayesbridge"
        assert parse_arguments(words).command in (
            command,
            "plugins new",
            "study match",
        )


def test_evidence_is_explained_by_an_option_of_its_own(answer):
    text = answer("estimate", "--help-evidence")
    for name in ("observer", "reveal", "auction", "position"):
        assert re.search(rf"^  --{name} .+\S", text, re.M)
        assert f"--{name} " in answer("estimate", "--help")


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_the_front_page_has_every_command_and_examples_that_parse(answer, words):
    text = answer(*words)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 40
    for name, command in COMMANDS.items():
        assert not command.task or re.search(
            rf"^  {name} +{command.purpose}$", text, re.M
        )
    examples = re.findall(r"^  \$ bayesbridge (.*)", text, re.M)
    assert len(examples) == len({command.task for command in COMMANDS.values()} - {""})
    for example in examples:
        parse_arguments(shlex.split(example))


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
