"""What stands once in a position: options of the command line and keys of a position file, read and written alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bayesbridge.cards import Hand, Strain
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError

if TYPE_CHECKING:
    from bayesbridge.bidders.agreements import Agreement
    from bayesbridge.notation.record import Vulnerability


PLAYERS: Final = ("learned", "none")
"""Names of player models: experts on record, and nothing said of how cards are chosen."""


class Setting(NamedTuple):
    """One setting: how its text is read and written, and what the help text says."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]
    metavar: str
    help: str
    many: bool = False
    """Whether it may be given several times; its value is a tuple then."""


def _hand(text: str) -> Hand:
    return Hand.from_pbn(text.strip()).verify_full("hand")


def _players(text: str) -> int:
    if text.strip() not in ("3", "4"):
        raise NotationError(f"{text!r} players: write 3 or 4", text=text)
    return int(text)


def read_probability(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        raise NotationError(f"{text!r} is not a number: write one from 0 to 1, such as 0.02", text=text) from None
    if not 0.0 <= value <= 1.0:
        raise NotationError(f"{text!r} is no probability: write a number from 0 to 1, such as 0.02", text=text)
    return value


def _vulnerability(text: str) -> Vulnerability:
    from bayesbridge.notation.record import Vulnerability

    return Vulnerability.of(text)


def _agreement(text: str) -> Agreement:
    from bayesbridge.bidders.agreements import Agreement

    return Agreement.of(text)


def _player(text: str) -> str:
    name = text.strip().lower()
    if name not in PLAYERS:
        raise NotationError(f"unknown player {text!r}: write {' or '.join(PLAYERS)}", text=text)
    return name


def _name(value: Seat | Strain) -> str:
    return value.name


SETTINGS: Final = {
    "observer": Setting(Seat.of, _name, "S", "the seat that looks"),
    "hand": Setting(_hand, lambda hand: hand.pbn, "PBN", "its 13 cards: spades.hearts.diamonds.clubs"),
    "dummy": Setting(Seat.of, _name, "N", "the seat that does not bid (default: N)"),
    "players": Setting(_players, str, "N", "3, or 4 for the usual game where every seat bids (default: 3)"),
    "trump": Setting(
        Strain.of, _name, "H", "the strain of the contract, C D H S or NT, where the calls do not tell it"
    ),
    "bidder": Setting(
        str,
        str,
        "NAME",
        "how the others bid (default: iterative, with four players learned; see 'plugins')",
    ),
    "slip": Setting(
        read_probability, str, "P", "share of calls made at random, from 0 to 1 (default: the bidder's own)"
    ),
    "vulnerable": Setting(
        _vulnerability, lambda side: side.value, "NS", "None, NS, EW or All, for bidders who care (default: None)"
    ),
    "system": Setting(
        _agreement,
        lambda agreement: agreement.text,
        "NAME",
        "what their calls show, with four players: strong-notrump, NS:weak-twos (one side), weak-notrump=0.3 (not "
        "certain), a file (.toml); repeatable",
        many=True,
    ),
    "player": Setting(
        _player,
        str,
        "NAME",
        "how the others choose cards, with four players: learned, or none, where cards say only who held them "
        "(default: learned)",
    ),
}
"""Every setting by name."""
