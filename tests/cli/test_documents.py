"""The documents show what the commands really print."""

import re
import shlex
from pathlib import Path

import pytest

from bayesbridge.cli import main

ROOT = Path(__file__).parents[2]


def sessions():
    """Each ``$ bayesbridge …`` in a console block of a document, with the lines shown after it."""
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"^```console\n(.*?)^```", path.read_text("utf-8"), flags=re.M | re.S):
            for session in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, *shown = session.rstrip().splitlines()
                if command.startswith("bayesbridge "):
                    found.append(pytest.param(command, shown, id=f"{path.name}: {command}"))
    return found


def test_there_is_something_to_compare():
    assert len(sessions()) >= 3


@pytest.mark.parametrize(("command", "shown"), sessions())
def test_a_shown_answer_is_what_the_command_prints(capsys, command, shown):
    """A last line of … stands for the rest."""
    main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    printed = [line.rstrip() for line in (out + err).rstrip().splitlines()]
    if shown[-1] == "…":
        shown = shown[:-1]
        printed = printed[: len(shown)]
    assert printed == shown
