"""No command echoes an over-long value whole, whichever option or argument it is for.

The options come from the parsers: a new one joins by itself.
"""

import argparse

import pytest

from bayesbridge.cli import build_parser, main
from bayesbridge.errors import LONGEST_VALUE, BayesBridgeError, shorten

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = ["--observer", "S", "--hand", HAND]
WORDS = {
    "capture": [HAND],
    "contracts": SOUTH,
    "count": SOUTH,
    "estimate": SOUTH,
    "play": [*SOUTH, "--contract", "3NT"],
    "report": SOUTH,
    "score": ["examples/boards.pbn"],
    "study": ["captures"],
    "style": ["examples/pairs.pbn"],
}
"""What each command needs beside the value."""

TAKES_ANY_TEXT = ("--title", "--out", "--token", "--resume", "--history", "--at")

VALUES = ("a" * 500, "AKQ." * 100, "9" * 500, f"W:{'1NT' * 100}", "it's " * 100)


def commands():
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices
    raise AssertionError


def places():
    """Each command with each option and argument that takes a value."""
    found = []
    for command, parser in commands().items():
        parser.add_now()
        for action in parser._actions:
            names = action.option_strings
            if action.nargs != 0 and names[:1] != ["--help-evidence"]:
                option = names[:1]
                if not set(names) & set(TAKES_ANY_TEXT):
                    place = option[0] if option else action.dest
                    found.append(pytest.param(command, option, id=f"{command} {place}"))
    return found


def words_of(command, option):
    """What is needed beside the value, less the option itself."""
    words = list(WORDS.get(command, []))
    if option and option[0] in words:
        place = words.index(option[0])
        del words[place : place + 2]
    return words if option else []


@pytest.mark.parametrize(("command", "option"), places())
def test_a_value_that_is_too_long_is_cut(command, option, capsys):
    for value in VALUES:
        status = main([command, *words_of(command, option), *option, value])
        complaint = capsys.readouterr().err
        assert status != 0, value[:9]
        assert value[: LONGEST_VALUE + 1] not in complaint


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("N" * 61, f"'{'N' * 57}…'"),
        ("N" * 58, f"'{'N' * 58}'"),
        ("it's " * 20, '"' + ("it's " * 20)[:57] + '…"'),
        (["S"] * 30, "['S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S', 'S'…"),
        (f"/tmp/{'N' * 99}.pbn", f"'/tmp/{'N' * 99}.pbn'"),
    ],
)
def test_one_function_cuts(value, shown):
    assert shorten(value) == shown
    if not isinstance(value, list):
        error = BayesBridgeError(
            f"unknown seat {value!r}: write N, E, S or W", text=value
        )
        assert str(error) == f"unknown seat {shown}: write N, E, S or W"
        assert error.data == {"text": value}
