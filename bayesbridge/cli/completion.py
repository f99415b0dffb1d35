"""``bayesbridge completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _SubParsersAction
from typing import Any

from bayesbridge.cli.options import Parser, Subparsers, add_command
from bayesbridge.cli.screens import print_json, print_script


def add(commands: Subparsers) -> None:
    """Put the command on the command line."""
    parser = add_command(
        commands,
        "completion",
        "a completion script for a shell",
        run,
        'eval "$(bayesbridge completion bash)"',
    )
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(args: Namespace) -> int:
    """Print the script."""
    import shtab

    from bayesbridge.cli import build_parser

    parser = build_parser()
    _complete_files(parser, shtab.FILE)
    script = shtab.complete(parser, args.shell)
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print_script(script)
    return 0


def _complete_files(parser: ArgumentParser, how: Any) -> None:
    """Let what a shell completes for each FILE or FOLDER be names of files."""
    if isinstance(parser, Parser):
        parser.add_now()
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                _complete_files(command, how)
        elif isinstance(action.metavar, str) and action.metavar.startswith(("FILE", "FOLDER")):
            action.complete = how  # type: ignore[attr-defined]
