"""A new engine and a new command take what CONTRIBUTING says, and nothing else.

Other kinds of additions have tests of their own, which its table names.
"""

import sys
from types import ModuleType

import pytest

import bayesbridge as bb
from bayesbridge.cli import commands, main
from bayesbridge.cli.arguments import add_capture
from bayesbridge.cli.command import Command
from bayesbridge.cli.modes import EXACT
from bayesbridge.engines.infer import ENGINES

HAND = "AKQ2.KJ3.A54.Q32"


@pytest.fixture
def toy_engine(monkeypatch):
    """An engine that draws as ``direct`` does, under a name of its own."""

    def draw(target, draws, rng, _why, start):
        return ENGINES["direct"](target, draws, rng, "as a toy", start)

    monkeypatch.setitem(ENGINES, "toy", draw)


@pytest.mark.usefixtures("toy_engine")
def test_a_new_engine_is_an_entry_of_engines():
    posterior = bb.Belief("S", HAND).infer("toy", draws=100, rng=1)
    direct = bb.Belief("S", HAND).infer("direct", draws=100, rng=1)
    assert posterior.reasons[0] == "as a toy"
    assert (posterior.layouts.masks == direct.layouts.masks).all()


@pytest.mark.usefixtures("toy_engine")
def test_the_command_line_takes_a_new_engine_and_names_it(capsys):
    evidence = ["--hand", HAND, "--draws", "100", "--estimator", "bid"]
    assert main(["estimate", *evidence, "--method", "toy", "--all"]) == 0
    assert "as a toy" in " ".join(capsys.readouterr().out.split())
    assert main(["estimate", *evidence, "--method", "joy"]) == 2
    assert "did you mean 'toy'?" in capsys.readouterr().err


def test_a_new_command_is_an_entry_of_listed_and_a_module_with_run(monkeypatch, capsys):
    toy = Command(
        "points",
        commands.CARDS,
        "the points of two hands",
        "Points of two hands together.",
        "points.run",
        add_capture,
        ("AKQ2.KJ3.A54.Q32 J54.AQ2.KQ32.A54",),
        mode=EXACT,
    )
    module = ModuleType("bayesbridge.cli.points")

    def run(args):
        print(args.first.points + args.second.points)
        return 0

    module.run = run
    listed = (*commands.LISTED, toy)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(commands, "LISTED", listed)
    monkeypatch.setattr(commands, "COMMANDS", {entry.name: entry for entry in listed})
    assert main(["points", HAND, "J54.AQ2.KQ32.A54"]) == 0
    assert capsys.readouterr().out == "35\n"
    assert main([]) == 0
    assert "points" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        commands.parse_arguments(["points", "--help"])
    assert "bayesbridge points AKQ2" in capsys.readouterr().out
