"""``bayesbridge completion``: a script that lets a shell complete commands and options."""

from __future__ import annotations

from argparse import Namespace

from bayesbridge.cli.parsing import Subparsers, add_command
from bayesbridge.cli.printing import print_json


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

    script = shtab.complete(build_parser(), args.shell)
    if args.json:
        print_json({"shell": args.shell, "script": script})
    else:
        print(script)
    return 0
