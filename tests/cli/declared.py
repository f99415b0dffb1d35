"""The arguments of commands, as their declarations name them."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from bayesbridge.cli.arguments import add_common
from bayesbridge.cli.commands import COMMANDS


class Argument(NamedTuple):
    """What ``add_argument`` was told of an argument."""

    names: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def is_option(self):
        return self.names[0].startswith("-")

    @property
    def takes_a_value(self):
        return self.settings.get("action") != "store_true"


class Recorder:
    """Stands for a parser and all its groups, and keeps what is declared."""

    def __init__(self):
        self.arguments = []

    def add_argument(self, *names, **settings):
        self.arguments.append(Argument(names, settings))
        return SimpleNamespace(option_strings=names, **settings)

    def add_argument_group(self, *_):
        return self

    def add_mutually_exclusive_group(self):
        return self

    def set_defaults(self, **_):
        pass


def arguments_of(name):
    """All arguments of a command, those of the evidence too."""
    command = COMMANDS[name]
    recorder = Recorder()
    add_common(recorder)
    command.add_arguments(recorder)
    if command.evidence is not None:
        command.evidence.add_explained(recorder)
    return recorder.arguments


def options_of(name):
    """The options of a command, by their first names without dashes."""
    return [
        argument.names[0].lstrip("-")
        for argument in arguments_of(name)
        if argument.is_option
    ]
