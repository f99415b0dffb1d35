"""Every command: what it is for, its arguments, examples, and what runs it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Final

from bayesbridge import __version__
from bayesbridge.cli import arguments
from bayesbridge.cli.command import Command
from bayesbridge.cli.evidence_options import (
    DEALT,
    MODELS,
    SEEN,
    SEEN_OR_REVIEWED,
)
from bayesbridge.cli.modes import EXACT, Mode
from bayesbridge.cli.parser import CommandParser, choice_of
from bayesbridge.cli.usage import UsageError
from bayesbridge.errors import did_you_mean

UNWEIGHTED: Final = Mode(
    "how likely a call or a card is rules no layout out",
    f"{MODELS.replace('system style ', '')} seed",
)


CARDS: Final = "Where are the missing cards?"
DECISIONS: Final = "What should I bid, lead or play?"
DEALS: Final = "Deals and records"
RESEARCH: Final = "The paper, and estimators of your own"

SOUTH: Final = "--observer S --hand AKQ2.KJ3.A54.Q32"

LISTED: Final = (
    Command(
        "estimate",
        CARDS,
        "the hidden hands: points, lengths, cards; the tricks of a contract",
        "Where the hidden cards lie, and how many tricks or captures two hands have.",
        "estimate.run",
        arguments.add_estimate,
        (
            '--hand A742.KQ852.K3.J7 --auction "1H 3H" --system sayc',
            '--observer W --hand AJ6532.K742.Q.96 --auction "1NT p 3NT p p p"',
            f"{SOUTH} --void E:H --length W:S:5+",
        ),
        SEEN,
    ),
    Command(
        "report",
        CARDS,
        "the same as a web page; or a table on record, to step through",
        "The same as estimate, as an HTML page that needs no network; of a record, a "
        "page to step through.",
        "report.run",
        arguments.add_report,
        (
            '--observer W --hand AJ6532.K742.Q.96 --auction "1NT p 3NT p p p"',
            "match.lin --board 3 --observer W",
        ),
        SEEN,
        positional="[FILE]",
    ),
    Command(
        "serve",
        CARDS,
        "the explorer: set a position by clicking, see the beliefs change",
        "Open the explorer: a page to set hands, calls and cards on by clicking, and "
        "see the beliefs change.",
        "serve.run",
        arguments.add_serve,
        ("",),
    ),
    Command(
        "count",
        CARDS,
        "how many layouts fit what was seen",
        "How many layouts of the hidden cards fit what was seen.",
        "count.run",
        arguments.add_count,
        (f"{SOUTH} --void E:H --length W:S:5+",),
        SEEN,
        UNWEIGHTED,
    ),
    Command(
        "bid",
        DECISIONS,
        "what experts call with a hand, and what each call is worth",
        "What to call, and what each call is worth; or a bid by the paper's Algorithm 1.",
        "bid.run",
        arguments.add_bid,
        (
            'KQ84.75.KJ73.A98 --auction "(1H)"',
            'KQ5.A2.KJ642.Q73 --auction "1H" --vulnerable NS --goal matchpoints',
            "KQ5.A2.KJ642.Q73 --players 4",
            "AKQ2.AKJ.AK4.A32",
        ),
    ),
    Command(
        "contracts",
        DECISIONS,
        "which contract to bid: chance, tricks and expected score of each",
        "Which contract to bid: chance, tricks and expected score of each.",
        "contracts.run",
        arguments.add_contracts,
        (
            "--observer S --hand AQ942.K3.A54.Q32 --call N:1NT --against 3NT",
            f"{SOUTH} --call W:1NT --scheme duplicate",
        ),
        SEEN,
    ),
    Command(
        "play",
        DECISIONS,
        "what to lead or play, card by card; what each card on record cost",
        "What to play: every card from the opening lead to the last trick; of a "
        "record, what every card cost.",
        "play.run",
        arguments.add_play,
        (
            "--observer W --hand Q862.A93.J84.K75 --call S:1NT --call N:3NT "
            "--contract 3NT",
            "--record match.pbn --board 7 --after-trick 3",
            "--record match.pbn --board 7 --review",
            "--observer S --hand AKQ2.AJ3.A54.Q32 --reveal N:J54.Q72.KQ76.A85 "
            "--trick W:H5",
        ),
        SEEN_OR_REVIEWED,
    ),
    Command(
        "suit",
        DECISIONS,
        "the best plan for a suit, for each number of tricks",
        "How to play a suit: the best plan for each number of tricks.",
        "suit.run",
        arguments.add_suit,
        ("AJT32 K954",),
        SEEN,
        positional="[HOLDING]",
    ),
    Command(
        "deal",
        DEALS,
        "deals that meet a condition, evidence or a script",
        "Deals that meet a script of the dealer language, a condition or evidence.",
        "deal.run",
        arguments.add_deal,
        (
            "-n 4 --call S:1NT --call N:2D --system sayc",
            "-n 20 --call S:1NT --call N:2D --system sayc --out transfers.html",
            "-n 100 --shape N:balanced --hcp N:15-17 --hcp S:8+ --out deals.pbn",
        ),
        DEALT,
        positional="[SCRIPT]",
    ),
    Command(
        "style",
        DEALS,
        "how a pair bids compared with the average expert",
        "How a pair bids compared with the average expert, learned from its tables on "
        "record.",
        "style.run",
        arguments.add_style,
        ("match.pbn", "match.pbn --pair Ash+Elm --out ash-elm.json"),
        mode=EXACT,
    ),
    Command(
        "score",
        DEALS,
        "how well beliefs from calls and cards fit real boards",
        "Score a reader on real boards: where the honours lie, how long the suits are.",
        "score.run",
        arguments.add_score,
        (
            "match.pbn --boards 100 --chair declarer --cards 1",
            "test.pbn --reader counting --reader learned --moments auction,lead",
        ),
    ),
    Command(
        "convert",
        DEALS,
        "records from PBN to LIN or back",
        "Records from PBN to LIN or back, of several files in one, with what is lost.",
        "convert.run",
        arguments.add_convert,
        (
            "monday.lin monday.pbn",
            "--renumber first.lin second.lin session.pbn",
        ),
        mode=EXACT,
    ),
    Command(
        "study",
        RESEARCH,
        "the paper's experiments next to its figures",
        "An experiment of the paper, by Monte Carlo or exactly, next to the printed "
        "figures.",
        "study.run",
        arguments.add_study,
        (
            "captures --deals 1e7 --workers 2",
            "conditions --exact",
            "headline --deals 1e7 --runs 3 --resume headline",
        ),
    ),
    Command(
        "study match",
        "",
        "a duplicate match of two bidders",
        "A duplicate match of two bidders: the same deals at two tables, IMPs a board.",
        "match.run",
        arguments.add_match,
        (
            "learned sayc --boards 500",
            "learned:value learned --boards 100 --resume match",
            "learned our-club --file deals.pbn --picture match.png",
        ),
    ),
    Command(
        "capture",
        RESEARCH,
        "captures of two hands by the paper's rule",
        "Captures of two hands together, by the paper's rule (Algorithm 2).",
        "capture.run",
        arguments.add_capture,
        ("AKQ2.KJ3.A54.Q32 J54.AQ2.KQ32.A54",),
        mode=EXACT,
    ),
    Command(
        "plugins",
        RESEARCH,
        "estimators and bidder models; 'plugins new' begins one of your own",
        "Estimators and bidder models, and where each comes from; 'plugins new' begins "
        "one of your own.",
        "plugins.run",
        arguments.add_plugins,
        ("--json", "new aces", "new our-club --kind bidder"),
        mode=EXACT,
    ),
    Command(
        "plugins new",
        "",
        "an estimator or a bidder model of your own",
        "A package with an estimator or a bidder model of your own, ready to install, "
        "test and change.",
        "new_plugin.run",
        arguments.add_plugins_new,
        ("aces --at .", "our-club --kind bidder"),
        mode=EXACT,
    ),
)

COMMANDS: Final[Mapping[str, Command]] = {command.name: command for command in LISTED}

NAME_WIDTH: Final = max(len(command.name) for command in LISTED if command.task)


def named_command(words: Sequence[str]) -> Command:
    """The command that the words begin with."""
    two_words = " ".join(words[:2])
    if two_words in COMMANDS:
        return COMMANDS[two_words]
    if words[0] not in COMMANDS:
        names = [name for name in COMMANDS if " " not in name]
        hint = did_you_mean(words[0], names)
        raise UsageError(
            f"argument COMMAND: invalid choice: {words[0]!r}: {hint}choose "
            f"{', '.join(names)} (see 'bayesbridge --help')"
        )
    return COMMANDS[words[0]]


def parse_arguments(words: Sequence[str]) -> Namespace:
    """The arguments of a command line that begins with a command.

    ``command`` is the name of the command, ``words`` the command line, ``options`` the
    names of the options that it has.
    """
    command = named_command(words)
    namespace = Namespace(words=words, command=command.name)
    return command.parser().parse_words(words[len(command.words) :], namespace)


def run_without_command(words: Sequence[str]) -> int:
    """Answer a command line that names no command: help, version, completion."""
    parser = CommandParser(prog="bayesbridge", add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument(
        "--version", action="version", version=f"bayesbridge {__version__}"
    )
    parser.add_argument("--completion", **choice_of("bash", "zsh", "fish"))
    args = parser.parse_words(words, Namespace())
    if args.completion is None:
        text = front_page()
    else:
        from bayesbridge.cli.completion import completion_script

        text = completion_script(args.completion, LISTED)
    sys.stdout.write(f"{text}\n")
    return 0


def front_page() -> str:
    """The help of ``bayesbridge`` alone: the commands by task, with an example each."""
    lines = [
        "usage: bayesbridge COMMAND … [options]",
        "",
        "Where are the missing cards, and what should I bid, lead or play?",
        "Hands are written spades.hearts.diamonds.clubs; '-' or nothing is a void.",
    ]
    for task in dict.fromkeys(command.task for command in LISTED if command.task):
        commands = [command for command in LISTED if command.task == task]
        first = commands[0]
        lines += ["", task]
        for command in commands:
            lines.append(f"  {command.name:{NAME_WIDTH}}  {command.purpose}")
        lines.append(f"  $ bayesbridge {first.name} {first.examples[0]}")
    lines += [
        "",
        "More",
        "  bayesbridge COMMAND --help        the options of a command, with examples",
        "  bayesbridge --completion SHELL    a completion script for bash, zsh or fish",
        "  bayesbridge --version             the version",
    ]
    return "\n".join(lines)
