"""No command echoes an over-long value whole, whichever option or argument it is for.

The options come from their declarations: a new one joins by itself.
"""

import pytest

from bayesbridge.cli import main
from bayesbridge.cli.commands import COMMANDS
from bayesbridge.errors import LONGEST_VALUE, BayesBridgeError, shorten
from tests.cli.declared import arguments_of

HAND = "AKQ2.KJ3.A54.Q32"
SOUTH = ["--observer", "S", "--hand", HAND]
WORDS = {
    "capture": [HAND],
    "contracts": SOUTH,
    "count": SOUTH,
    "estimate": SOUTH,
    "plugins new": ["aces"],
    "play": [*SOUTH, "--contract", "3NT"],
    "report": SOUTH,
    "score": ["examples/boards.pbn"],
    "study": ["captures"],
    "study match": ["learned", "sayc"],
    "style": ["examples/pairs.pbn"],
}
"""What each command needs besides the value."""

TAKES_ANY_TEXT = ("--title", "--out", "--token", "--resume", "--history", "--at")

VALUES = ("a" * 500, "AKQ." * 100, "9" * 500, f"W:{'1NT' * 100}", "it's " * 100)


def places():
    """Each command with each option and argument that takes a value."""
    for command in COMMANDS:
        for argument in arguments_of(command):
            name = argument.names[0]
            if argument.takes_a_value and name not in TAKES_ANY_TEXT:
                option = [name] if argument.is_option else []
                yield pytest.param(command, option, id=f"{command} {name}")


def words_needed(command, option):
    """What the command needs besides the value, less the option itself."""
    words = list(WORDS.get(command, []))
    if not option:
        return []
    if option[0] in words:
        place = words.index(option[0])
        del words[place : place + 2]
    return words


@pytest.mark.parametrize(("command", "option"), list(places()))
def test_a_value_that_is_too_long_is_cut(command, option, capsys):
    for value in VALUES:
        words = [*command.split(), *words_needed(command, option)]
        status = main([*words, *option, value])
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
