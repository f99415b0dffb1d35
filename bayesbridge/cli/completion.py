"""Completion scripts for shells, from the arguments of all commands."""

from __future__ import annotations

from argparse import Action, ArgumentParser
from collections.abc import Iterable
from typing import Any

import shtab

from bayesbridge.cli import arguments
from bayesbridge.cli.command import Command


class CompletionParser(ArgumentParser):
    """A plain parser whose arguments that name a file are completed as files."""

    def add_argument(self, *names: Any, **settings: Any) -> Action:
        """Add an argument, completed as a file where it names one."""
        return completed(super().add_argument(*names, **settings))


def completed(action: Action) -> Action:
    """The action, completed by names of files where its metavar names one."""
    if str(action.metavar).startswith(("FILE", "FOLDER")):
        setattr(action, "complete", shtab.FILE)  # noqa: B010
    return action


def completion_script(shell: str, commands: Iterable[Command]) -> str:
    """The completion script for bash, zsh or fish."""
    parser = CompletionParser(prog="bayesbridge")
    parser.add_argument("--version", action="version", version="")
    parser.add_argument(
        "--completion",
        choices=("bash", "zsh", "fish"),
        help="print a completion script, and end",
    )
    listed = list(commands)
    # By the command that words follow: "plugins" has "new"; "" stands for the program.
    subparsers = {"": parser.add_subparsers(title="commands", metavar="COMMAND")}
    for command in listed:
        parent, _, name = command.name.rpartition(" ")
        subparser = subparsers[parent].add_parser(name, help=command.summary)
        add_all(subparser, command)
        beginning = f"{command.name} "
        if any(longer.name.startswith(beginning) for longer in listed):
            subparsers[command.name] = subparser.add_subparsers(metavar="COMMAND")
    return shtab.complete(parser, shell)


def add_all(parser: CompletionParser, command: Command) -> None:
    """Add all arguments of a command, those of the evidence with their help."""
    arguments.add_common(parser)
    command.add_arguments(parser)
    if command.evidence is not None:
        for action in command.evidence.add_explained(parser):
            completed(action)
