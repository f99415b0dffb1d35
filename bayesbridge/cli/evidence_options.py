"""The EVIDENCE options that several commands take, and the belief that they describe."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from bayesbridge.cli.evidence_text import KINDS
from bayesbridge.cli.parsing import Once, Parser, UsageError, reading
from bayesbridge.cli.position import SETTINGS, Position, Sourced, read_position
from bayesbridge.errors import BayesBridgeError, Contradiction

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.evidence import BidderModel, Evidence, PlayerModel

METAVARS = {
    "observer": "S",
    "hand": "PBN",
    "dummy": "N",
    "players": "N",
    "trump": "H",
    "bidder": "NAME",
    "slip": "P",
    "vulnerable": "NS",
}
HELP = {
    "observer": "the seat that looks",
    "hand": "its 13 cards: spades.hearts.diamonds.clubs",
    "dummy": "the seat that does not bid (default: N)",
    "players": "3, or 4 for the usual game where every seat bids (default: 3)",
    "trump": "the strain of the contract, C D H S or NT, where the calls do not tell it",
    "bidder": "how the others are taken to bid (default: iterative, with four players learned; see 'plugins')",
    "slip": "share of calls made at random, from 0 to 1 (default: the bidder's own)",
    "vulnerable": "None, NS, EW or All, for bidders who mind (default: None)",
}


def add_evidence(parser: Parser) -> None:
    """Put the EVIDENCE options on a command."""
    group = parser.add_argument_group("evidence", "Repeatable where they say what was seen; their order is kept.")
    for name, read in SETTINGS.items():
        group.add_argument(f"--{name}", type=read, action=Once, metavar=METAVARS[name], help=HELP[name])
    for name, kind in KINDS.items():
        group.add_argument(
            f"--{name}",
            type=_with_text(name),
            action="append",
            dest="evidence",
            default=[],
            metavar=kind.metavar,
            help=kind.help,
        )
    group.add_argument(
        "--position",
        action=Once,
        metavar="FILE",
        help="a TOML file that says all this; options are added to it, and settings given as options replace its own",
    )


def belief_of(args: argparse.Namespace) -> Believed:
    """What the options and the position file say."""
    position = read_position(args.position) if args.position else None
    settings = dict(position.settings) if position else {}
    settings |= {
        name: Sourced(value, f"argument --{name}") for name in SETTINGS if (value := getattr(args, name)) is not None
    }
    pieces = (*(position.pieces if position else ()), *args.evidence)
    start = _start(settings, position)
    try:
        return Believed(start.given(*(piece.value for piece in pieces)), pieces)
    except BayesBridgeError:
        raise _first_fault(start, pieces) from None


class Believed(NamedTuple):
    """A belief, with where each piece of its evidence was given."""

    belief: Belief
    pieces: tuple[Sourced[Evidence], ...]

    @contextmanager
    def blaming(self) -> Iterator[None]:
        """Say of a contradiction that comes up inside where its pieces were given."""
        try:
            yield
        except Contradiction as error:
            raise _blame(error, self.pieces) from None


def _with_text(name: str) -> Any:
    read = reading(KINDS[name].read)

    def read_piece(text: str) -> Sourced[Evidence]:
        return Sourced(read(text), f"argument --{name}")

    return read_piece


def _start(settings: dict[str, Sourced[Any]], position: Position | None) -> Belief:
    """The belief before any evidence."""
    from bayesbridge.belief.belief import Belief

    for name, example in (("observer", "S"), ("hand", "AKQ2.KJ3.A54.Q32")):
        if name not in settings:
            or_key = f", or {name} = {example!r} in {position.path}" if position else ""
            raise UsageError(f"no {name}: give --{name} {example}{or_key}")
    four = "players" in settings and settings["players"].value == 4
    if four and "dummy" in settings:
        raise UsageError(
            f"{settings['dummy'].where}: with four players every seat bids and none is the dummy's: leave it out "
            "(a hand laid open is --reveal N:PBN)"
        )
    values = {name: sourced.value for name, sourced in settings.items()}
    dummy = None if four else values.get("dummy", "N")
    bidder = _bidder(settings, "learned" if four else "iterative")
    try:
        return Belief(
            values["observer"],
            values["hand"],
            dummy=dummy,
            trump=values.get("trump"),
            bidder=bidder,
            player=_player() if four else None,
        )
    except BayesBridgeError as error:
        raise UsageError(f"{settings['observer'].where}: {error}, by --dummy") from None


def _player() -> PlayerModel:
    """How experts choose cards, once the calls have told the contract."""
    from bayesbridge.bidders.card_play import LearnedPlayer

    return LearnedPlayer()


def _bidder(settings: dict[str, Sourced[Any]], usual: str) -> BidderModel | None:
    """The bidder model named, with the settings given; ``None`` for the usual one as it is."""
    if not {"bidder", "slip", "vulnerable"} & set(settings):
        return None
    from bayesbridge.estimators.registry import load

    name = settings["bidder"].value if "bidder" in settings else usual
    try:
        model: Any = load().bidder(name)
    except BayesBridgeError as error:
        raise UsageError(f"{settings['bidder'].where}: {error}") from None
    for setting in ("slip", "vulnerable"):
        if setting in settings:
            try:
                model = dataclasses.replace(model, **{setting: settings[setting].value})
            except TypeError:
                where = settings[setting].where
                raise UsageError(f"{where}: bidder {name!r} has no such setting: leave it out") from None
    return cast("BidderModel", model)


def _first_fault(belief: Belief, pieces: Sequence[Sourced[Evidence]]) -> BayesBridgeError:
    """What is wrong with the first piece that does not fit those before it, and where that piece was given."""
    for number, piece in enumerate(pieces):
        try:
            belief.given(*(earlier.value for earlier in pieces[: number + 1]))
        except Contradiction as error:
            return _blame(error, pieces)
        except BayesBridgeError as error:
            return UsageError(f"{piece.where}: {error}")
    raise AssertionError("evidence that fits piece by piece fits as a whole")


def _blame(error: Contradiction, pieces: Sequence[Sourced[Evidence]]) -> UsageError:
    culprits = error.data["evidence"]
    places = dict.fromkeys(piece.where.removeprefix("argument ") for piece in pieces if piece.value in culprits)
    return UsageError(f"{error}{f' (given by {"; ".join(places)})' if places else ''}")
