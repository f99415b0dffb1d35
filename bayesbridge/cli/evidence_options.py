"""The EVIDENCE options: what was seen, and how the others bid and play."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, Final

from bayesbridge.cli.parser import HelpFormatter, OptionGroup, argument_type
from bayesbridge.cli.readers import given_hand, whole
from bayesbridge.cli.records import read_observer
from bayesbridge.evidence.kinds import KINDS, Piece
from bayesbridge.game.deal import Seat
from bayesbridge.position import SETTINGS, AuctionText, Sourced

BIDS: Final = ("players", "bidder", "slip", "vulnerable", "system")
"""Settings that say who bids."""

MODELS: Final = "bidder slip vulnerable system style player"
"""Settings that say how the others bid and choose cards."""

INDENT: Final = 4
"""Columns of a help that its margins take."""

NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class EvidenceOptions:
    """The options of a command that say what was seen."""

    about: str
    declare: Callable[[OptionGroup], list[argparse.Action]]
    """Adds the options to a group."""

    def add_explained(self, parser: argparse.ArgumentParser) -> list[argparse.Action]:
        """Add the options as a group of the help with a text for each."""
        return self.declare(parser.add_argument_group("evidence", self.about))

    def add_named(self, parser: argparse.ArgumentParser) -> None:
        """Add the options as a group of which the help only gives the names.

        Their texts would not fit a screen: ``--help-evidence`` prints them.
        """
        group = parser.add_argument_group("evidence")
        group.add_argument("--help-evidence", action=EvidenceHelp, evidence=self)
        actions = self.declare(group)
        for action in actions:
            action.help = argparse.SUPPRESS
        first_line = f"{self.about} --help-evidence explains each."
        group.description = "\n".join([first_line, *named_in_lines(actions)])

    def help(self) -> str:
        """The help of these options alone."""
        parser = argparse.ArgumentParser(
            usage=argparse.SUPPRESS, add_help=False, formatter_class=HelpFormatter
        )
        self.add_explained(parser)
        return parser.format_help().lstrip("\n")


class EvidenceHelp(argparse.Action):
    """Prints the help of the EVIDENCE options, and ends."""

    def __init__(
        self, option_strings: Sequence[str], evidence: EvidenceOptions, **_: Any
    ) -> None:
        super().__init__(
            option_strings, argparse.SUPPRESS, nargs=0, help=argparse.SUPPRESS
        )
        self.evidence = evidence

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the help and end."""
        sys.stdout.write(self.evidence.help())
        parser.exit()


def named_in_lines(actions: Iterable[argparse.Action]) -> list[str]:
    """The options with their metavars, as many on a line as the terminal has room for."""
    names = []
    for action in actions:
        name = f"{action.option_strings[0]} {action.metavar or ''}".rstrip()
        names.append(name.replace(" ", NO_BREAK_SPACE))
    lines = wrap(
        ", ".join(names),
        get_terminal_size().columns - INDENT,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(NO_BREAK_SPACE, " ") for line in lines]


def add_setting(
    group: OptionGroup,
    name: str,
    read: Callable[[str], Any] | None = None,
    about: str = "",
) -> argparse.Action:
    """Add the option of a setting.

    ``read`` and ``about`` take the place of its reader and its help.
    """
    setting = SETTINGS[name]
    names = [f"--{name}"]
    if name == "vulnerable":
        names.append("--vul")
    return group.add_argument(
        *names,
        type=argument_type(read or setting.read),
        action="append" if setting.many else "store",
        metavar=setting.metavar,
        help=about or setting.help,
    )


def add_settings(
    group: OptionGroup, about_settings: Mapping[str, str]
) -> list[argparse.Action]:
    """Add an option for each setting, with its help."""
    return [
        add_setting(group, name, about=about) for name, about in about_settings.items()
    ]


def add_kinds(group: OptionGroup, names: Iterable[str]) -> list[argparse.Action]:
    """Add an option for each kind of evidence.

    ``evidence`` keeps the pieces in order, each with the option that it comes from.
    """
    return [
        group.add_argument(
            f"--{name}",
            type=argument_type(partial(read_piece, name)),
            action="append",
            dest="evidence",
            default=[],
            metavar=KINDS[name].example,
            help=KINDS[name].help,
        )
        for name in names
    ]


def read_piece(name: str, text: str) -> Sourced[Piece]:
    """A piece of evidence of the kind with this name, with the option as its source."""
    return Sourced(KINDS[name].of(text), f"argument --{name}")


def read_auction(text: str) -> Sourced[AuctionText]:
    """An auction in one text, with the option as its source."""
    return Sourced(AuctionText(text), "argument --auction")


def seen_options(
    group: OptionGroup, add_player: Callable[[OptionGroup], argparse.Action]
) -> list[argparse.Action]:
    """Add all options of what a seat saw.

    ``add_player`` adds ``--player``, which means more in some commands: there it may
    also be the name of a person.
    """
    about_observer = "the seat that looks; of a --record also a player's name"
    actions = [add_setting(group, "observer", read_observer, about_observer)]
    for name in SETTINGS:
        if name not in ("observer", "player"):
            actions.append(add_setting(group, name))
    actions.append(add_player(group))
    actions += add_kinds(group, KINDS)
    actions += auction_options(group)
    actions += record_options(group)
    actions.append(
        group.add_argument(
            "--position",
            metavar="FILE",
            help="a TOML file that says all this; options are added to it, and "
            "settings given as options replace its own",
        )
    )
    return actions


def auction_options(group: OptionGroup) -> list[argparse.Action]:
    """Add the options of an auction in one text."""
    return [
        group.add_argument(
            "--auction",
            metavar="CALLS",
            type=argument_type(read_auction),
            action="append",
            dest="evidence",
            help='all calls so far in one text, as "1NT p 3NT" or "1H (2S)"; S: before '
            "them, or --dealer, says who began",
        ),
        group.add_argument(
            "--dealer",
            metavar="S",
            type=argument_type(Seat.of),
            help="who began --auction (default: so that the observer calls next, or "
            "leads)",
        ),
    ]


def record_options(group: OptionGroup) -> list[argparse.Action]:
    """Add the options of a table on record."""
    return [
        group.add_argument(
            "--record",
            metavar="FILE",
            help="a PBN or LIN file, or a viewer's link: what --observer (default: S) "
            "saw of a table, with the hand; other evidence is added",
        ),
        group.add_argument(
            "--board",
            metavar="N",
            help="the board (default: the first that can be replayed)",
        ),
        group.add_argument(
            "--room", metavar="NAME", help="the room, where a board was played twice"
        ),
        group.add_argument(
            "--alerts",
            action="store_true",
            help="of a record: take alerts that can be read, such as 'limit raise' or "
            "'5+ spades', for what the calls show",
        ),
        group.add_argument(
            "--after-trick",
            metavar="N",
            type=whole(0, 13),
            help="of a record so many tricks, 0 for the auction alone (default: all)",
        ),
        group.add_argument(
            "--after-card",
            metavar="N",
            type=whole(0, 3),
            help="and so many cards of the next trick",
        ),
    ]


def add_player_model(group: OptionGroup) -> argparse.Action:
    """Add the option of how the others choose cards."""
    return add_setting(group, "player")


def add_player_or_name(group: OptionGroup) -> argparse.Action:
    """Add ``--player`` of ``play``: a model, or in a review a player by name."""
    about = (
        f"{SETTINGS['player'].help}; of a --review a player by name, whose cards alone "
        "are judged"
    )
    return add_setting(group, "player", str, about)


DEAL_SETTINGS: Final[Mapping[str, str]] = {
    "bidder": "how all four bid (default: learned)",
    "slip": SETTINGS["slip"].help,
    "vulnerable": "None, NS, EW or All on every board, also for bidders who care "
    "(default: in turn, and bidders take it for None)",
    "system": "what the calls of all four show; strong-notrump, NS:weak-twos (one "
    "side), weak-notrump=0.3 (not certain), a file (.toml); repeatable",
    "style": SETTINGS["style"].help.replace(", with four players", ""),
}
"""How the players of ``deal`` bid, with the help of each."""


def dealt_options(group: OptionGroup) -> list[argparse.Action]:
    """Add the options of what is asked of deals."""
    given = group.add_argument(
        "--given",
        metavar="S:AKQ..J2.",
        type=given_hand,
        action="append",
        default=[],
        help="cards of a seat, a whole hand or a part of one: "
        "spades.hearts.diamonds.clubs",
    )
    kinds = [name for name in KINDS if name != "play"]
    return [given, *add_kinds(group, kinds), *add_settings(group, DEAL_SETTINGS)]


SEEN: Final = EvidenceOptions(
    "Repeatable where they say what was seen; their order is kept.",
    partial(seen_options, add_player=add_player_model),
)
"""What a seat saw, and how the others bid and play."""

SEEN_OR_REVIEWED: Final = EvidenceOptions(
    SEEN.about, partial(seen_options, add_player=add_player_or_name)
)
"""The same for ``play``, which also reviews the cards of a player."""

DEALT: Final = EvidenceOptions("Repeatable; on any seats.", dealt_options)
"""What is asked of the deals of ``deal``."""
