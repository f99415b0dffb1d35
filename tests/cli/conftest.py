"""Ways to run a command inside the test process."""

import json

import pytest

from bayesbridge.cli import main


@pytest.fixture
def answer(capsys):
    """Run a command that must succeed and say nothing on stderr; gives its stdout."""

    def run(*words):
        assert main(words) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def document(answer):
    """Run a command with --json; gives the one object on the one line it prints."""

    def run(*words):
        out = answer(*words, "--json")
        assert out.count("\n") == 1
        return json.loads(out)

    return run


@pytest.fixture
def complaint(capsys):
    """Run a command that must end with status 2 and one line on stderr; gives that line."""

    def run(*words):
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("bayesbridge: ")
        assert err.count("\n") == 1
        return err.removeprefix("bayesbridge: ").removesuffix("\n")

    return run
