"""What a command is: its help, its arguments, and what runs it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bayesbridge.cli import arguments
from bayesbridge.cli.evidence_options import EvidenceOptions
from bayesbridge.cli.modes import Mode, refuse_options
from bayesbridge.cli.parser import CommandParser


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line."""

    name: str
    """One word, or two as ``plugins new``."""
    task: str
    """The heading of the front page that it is listed under; empty for none."""
    purpose: str
    """What it is for, in the few words of the front page."""
    summary: str
    """The first sentence of its help."""
    runner: str
    """The module of this package and its function that run it."""
    add_arguments: Callable[[ArgumentParser], None]
    examples: tuple[str, ...]
    evidence: EvidenceOptions | None = None
    mode: Mode | None = None
    """The mode that it is always asked in."""
    positional: str = ""
    """The positional arguments in the usage of a command that takes evidence."""

    @property
    def words(self) -> list[str]:
        """The words of its name."""
        return self.name.split()

    @property
    def help_settings(self) -> dict[str, Any]:
        """What a parser is to know of the help."""
        examples = [f"bayesbridge {self.name} {example}" for example in self.examples]
        settings = {
            "description": self.summary,
            "epilog": "\n  ".join(["example:", *examples]),
        }
        if self.evidence is not None:
            words = ("%(prog)s", self.positional, "EVIDENCE… [options]")
            settings["usage"] = " ".join(word for word in words if word)
        return settings

    def parser(self) -> CommandParser:
        """The parser of the words after the name."""
        parser = CommandParser(prog=f"bayesbridge {self.name}", **self.help_settings)
        self.add_arguments(parser)
        arguments.add_common(parser)
        if self.evidence is not None:
            self.evidence.add_named(parser)
        return parser

    def run(self, args: Namespace) -> int:
        """Run it with its arguments; gives the exit status."""
        refuse_options(args, self.mode)
        module, _, function = self.runner.partition(".")
        return int(getattr(import_module(f"bayesbridge.cli.{module}"), function)(args))
