"""Positions: who looks, at what, and what was seen in order.

Each setting and each piece of evidence knows where it was given; see docs/records.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import bayesbridge
from bayesbridge.display.words import game_with_choice
from bayesbridge.errors import (
    BayesBridgeError,
    Contradiction,
    IllegalCall,
    NotationError,
    did_you_mean,
    located,
)
from bayesbridge.evidence.game import PAPER_DUMMY, is_of_bridge
from bayesbridge.evidence.kinds import KINDS, Called, Piece, Play
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import LEVELS, Vulnerability, call_words, passes_filled
from bayesbridge.game.cards import Hand, Strain
from bayesbridge.game.deal import Seat
from bayesbridge.game.table import Table
from bayesbridge.notation.toml_text import Toml

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.bidders.agreements import Agreement
    from bayesbridge.bidders.learned import PairStyle
    from bayesbridge.evidence.models import BidderModel


class Setting(NamedTuple):
    """One setting: how its text is read and written, and what the help text says."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]
    metavar: str
    help: str
    many: bool = False
    """Whether it may be given several times; its value is a tuple then."""


def _probability(text: str) -> float:
    """Read a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise NotationError(
            f"{text!r} is no probability: write a number from 0 to 1, such as 0.02",
            text=text,
        )
    return value


def _one_of[T](noun: str, *choices: T) -> Callable[[str], T]:
    """Return a function that reads one of several values by its name."""
    by_name = {str(choice): choice for choice in choices}

    def read(text: str) -> T:
        name = text.strip().lower()
        if name not in by_name:
            hint = did_you_mean(text, by_name)
            raise NotationError(
                f"unknown {noun} {text!r}: {hint}write {' or '.join(by_name)}",
                text=text,
            )
        return by_name[name]

    return read


def _full_hand(text: str) -> Hand:
    """Read 13 cards."""
    return Hand.from_pbn(text.strip()).verify_full("hand")


def _agreement(text: str) -> Agreement:
    """Read a system, of one side or both."""
    from bayesbridge.bidders.agreements import Agreement

    return Agreement.of(text)


class SideStyle(NamedTuple):
    """The style of one side, and the text that gave it."""

    side: str
    style: PairStyle
    text: str


def _style(text: str) -> SideStyle:
    """Read a side with its style: a typical one, or that of a file."""
    from bayesbridge.bidders.learned import SIDES, TYPICAL, PairStyle

    side, colon, path = text.partition(":")
    if not colon or side.upper() not in SIDES:
        raise NotationError(
            f"style {text!r}: write the side and a file, as EW:style.json, or one of "
            f"{', '.join(TYPICAL)}",
            text=text,
        )
    style = PairStyle.of_text(path)
    if style is not None:
        return SideStyle(side.upper(), style, text)
    try:
        document = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotationError(
            f"style {text!r}: {path!r} cannot be read ({error}): check the name"
        ) from None
    return SideStyle(side.upper(), PairStyle.of(document, path), text)


CHOOSERS: Final = ("learned", "none")

SETTINGS: Final = {
    "observer": Setting(Seat.of, attrgetter("name"), "S", "the seat that looks"),
    "hand": Setting(
        _full_hand,
        attrgetter("pbn"),
        "PBN",
        "its 13 cards: spades.hearts.diamonds.clubs",
    ),
    "dummy": Setting(
        Seat.of,
        attrgetter("name"),
        "N",
        "with three players, the seat that does not bid (default: N)",
    ),
    "players": Setting(
        _one_of("number of players", 3, 4),
        str,
        "N",
        "3, the paper's game, or 4, bridge (default: 4 where the rest says so, as by "
        "--auction or a system)",
    ),
    "trump": Setting(
        Strain.of,
        attrgetter("name"),
        "H",
        "the strain of the contract, C D H S or NT, where the calls do not tell it",
    ),
    "bidder": Setting(
        str,
        str,
        "NAME",
        "how the others bid (default: iterative, with four players learned; see 'plugins')",
    ),
    "slip": Setting(
        _probability,
        str,
        "P",
        "share of calls made at random, from 0 to 1 (default: the bidder's own)",
    ),
    "vulnerable": Setting(
        Vulnerability.of,
        attrgetter("value"),
        "NS",
        "None, NS, EW or All, for bidders who care (default: None)",
    ),
    "system": Setting(
        _agreement,
        attrgetter("text"),
        "NAME",
        "what their calls show, with four players: strong-notrump, NS:weak-twos (one "
        "side), weak-notrump=0.3 (not certain), a file (.toml); repeatable",
        many=True,
    ),
    "style": Setting(
        _style,
        attrgetter("text"),
        "EW:FILE",
        "how a side bids, with four players: a file that 'bayesbridge style --out' "
        "wrote, or a typical style, such as EW:strong-club; repeatable",
        many=True,
    ),
    "player": Setting(
        _one_of("player", *CHOOSERS),
        str,
        "NAME",
        "how the others choose cards, with four players: learned, or none, where cards "
        "say only who held them (default: learned)",
    ),
}


class AuctionText(str):
    """The text as it was given: who calls first may follow from the other evidence."""

    __slots__ = ()


def calls_of(
    text: str,
    *,
    dealer: Seat | None,
    observer: Seat | None,
    dummy: Seat | None,
    evidence: Sequence[Any] = (),
) -> list[Called]:
    """Read the calls of a text, with their seats.

    Who calls first stands before the calls (``S:1NT p``), or is ``dealer``. Without
    either it is found: so that the observer calls next, or, where the auction is over,
    so that the opening lead is by the seat whose card is first in ``evidence``, else by
    the observer. Calls in brackets are those of the observer's opponents.

    With four players (``dummy`` is ``None``) the passes of the opponents may be left
    out, as in ``1H-3H``. Without a named dealer such calls are those of the observer's
    side, whose turn it is then.

    >>> calls_of("1NT p 3NT p p p", dealer=None, observer=Seat.W, dummy=None)[0]
    Called('S', '1NT')
    >>> calls_of("1H-3H", dealer=None, observer=Seat.S, dummy=None)[0]
    Called('S', '1H')
    """
    named_dealer, words = _named_dealer(text, dealer)
    is_bridge = dummy is None
    if is_bridge:
        observer_calls_next = named_dealer is None and observer is not None
        words = _with_passes(words, observer_calls_next=observer_calls_next)
    if named_dealer is not None:
        if not _sides_fit(named_dealer, words, observer):
            raise NotationError(
                f"auction {text!r}: calls in brackets are those of the observer's "
                "opponents",
                text=text,
            )
        return _called(_auction(named_dealer, words, dummy))
    auction = _auction_by_turn(words, observer, dummy, evidence)
    if auction is not None:
        return _called(auction)
    if is_bridge and observer is None:
        # Nobody looks: who calls first makes no difference, and South is taken.
        return _called(_auction(Seat.S, words, dummy))
    raise NotationError(
        f"auction {text!r} does not tell who began it: write S:{text}, or add "
        "--dealer S",
        text=text,
    )


def _auction_by_turn(
    words: str, observer: Seat | None, dummy: Seat | None, evidence: Sequence[Any]
) -> Auction | None:
    """The auction with the dealer that makes it somebody's turn, in the order of seats.

    While it goes on, the observer must be next to call. Once it is over, the opening
    leader must be who played the first card of ``evidence``, else the observer. It is
    ``None`` where no dealer fits.
    """
    leaders = (piece.seat for piece in evidence if isinstance(piece, Play))
    opening_leader = next(leaders, observer)
    for dealer in Seat:
        if dealer == dummy or not _sides_fit(dealer, words, observer):
            continue
        auction = _auction(dealer, words, dummy)
        observer_calls_next = auction.turn is not None and auction.turn == observer
        leader = Table(auction, silent=dummy).leader
        leader_fits = leader is not None and leader == opening_leader
        if observer_calls_next or leader_fits:
            return auction
    return None


def _named_dealer(text: str, dealer: Seat | None) -> tuple[Seat | None, str]:
    """Who calls first, if the text or ``dealer`` names it, and the calls."""
    seat_text, colon, words = text.partition(":")
    if not colon:
        return dealer, text
    seat = Seat.of(seat_text)
    if dealer is not None and dealer != seat:
        raise NotationError(
            f"auction {text!r} begins with {seat.name}: leave --dealer {dealer.name} out"
        )
    return seat, words


def _with_passes(words: str, *, observer_calls_next: bool) -> str:
    """The calls of one side with the other side's passes between them.

    Other calls stay as they are. Where the observer is next to call, an opponent has
    passed after a bid at the end too.
    """
    filled = passes_filled(words)
    if filled == words:
        return words
    last_call = call_words(words)[-1]
    is_bid = last_call[0] in LEVELS  # as the 3 of 3H
    if observer_calls_next and is_bid:
        return f"{filled} P"
    return filled


def _sides_fit(first: Seat, words: str, observer: Seat | None) -> bool:
    """Whether calls in brackets are the opponents' if this seat calls first."""
    if "(" not in words or observer is None:
        return True
    opponents_begin = (first - observer) % 2 == 1
    return opponents_begin == words.lstrip().startswith("(")


def _called(auction: Auction) -> list[Called]:
    """The calls of an auction as pieces of evidence."""
    return [Called(seat, call) for seat, call in auction]


def calls_told(text: str, calls: Sequence[Called]) -> list[Called]:
    """Return those of the calls that stand in the text that they were read from.

    A belief says itself that it takes others for passes.
    """
    words = text.rpartition(":")[2]
    if passes_filled(words) == words:
        return list(calls)
    last_bid = max(place for place, called in enumerate(calls) if called.call.is_bid)
    bids = [called for called in calls[:last_bid] if called.call.is_bid]
    return [*bids, *calls[last_bid:]]


def _auction(dealer: Seat, words: str, dummy: Seat | None) -> Auction:
    """The auction of some calls, which must be legal."""
    try:
        return Auction.of(dealer, words, dummy)
    except IllegalCall as error:
        raise NotationError(f"{error}{_three_players_note(dummy)}") from None


def _three_players_note(dummy: Seat | None) -> str:
    """What the error of a call says of the three-player game, where that is played."""
    if dummy is None:
        return ""
    return (
        f" (only three bid here, not {dummy.name}; for the usual game add --players 4)"
    )


def players_in(settings: Mapping[str, Sourced[Any]], evidence: Iterable[Any]) -> int:
    """Return how many players bid, 3 or 4: as a setting says, else by the evidence.

    There are 4 where no dummy's seat is named and a setting or a call is of bridge
    alone, as every auction in one text is.
    """
    if "players" in settings:
        return int(settings["players"].value)
    if "dummy" in settings:
        return 3
    if "bidder" in settings and settings["bidder"].value == "learned":
        return 4
    if settings.keys() & {*FOUR_PLAYER_SETTINGS} or any(map(_is_of_bridge, evidence)):
        return 4
    return 3


def _is_of_bridge(piece: object) -> bool:
    """The same as :func:`is_of_bridge`, also of the text of an auction."""
    return isinstance(piece, AuctionText) or is_of_bridge(piece)


FOUR_PLAYER_SETTINGS: Final = ("system", "style", "player")
"""Settings for four players only."""

EXAMPLES: Final = {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}
"""The settings that every position needs."""


class Sourced[T](NamedTuple):
    """A value and where it was given: an option, or a line and key of a file."""

    value: T
    where: str
    needed: bool = True
    """Whether a bidder model that has no such setting is refused."""
    implied: bool = False
    """Whether it follows from another thing that was given."""


class Position(NamedTuple):
    """What a position file or the options of a command say."""

    settings: Mapping[str, Sourced[Any]]
    pieces: tuple[Sourced[Piece], ...] = ()
    path: str | None = None

    @classmethod
    def read(cls, file: str | Toml) -> Self:
        """Read a file, by its name or opened.

        Whatever is wrong with it is said with its line and key.
        """
        if isinstance(file, str):
            file = Toml.read(file, "--position")
        settings: dict[str, Sourced[Any]] = {}
        pieces: list[Sourced[Piece]] = []
        for key, value in file.document.items():
            # The file hands out the places of keys one after the other.
            where, _places_of_texts = file.next(key)
            if key == "evidence":
                pieces += _evidence(where, value, file)
            elif key not in SETTINGS:
                raise _unknown(where, key, (*SETTINGS, "evidence"))
            else:
                settings[key] = Sourced(_setting(where, SETTINGS[key], value), where)
        return cls(settings, tuple(pieces), file.path)

    def with_more(
        self, settings: Mapping[str, Sourced[Any]], pieces: Sequence[Sourced[Piece]]
    ) -> Position:
        """Return a position with more settings and evidence.

        Settings replace those of the same name; evidence is added.
        """
        return Position(
            {**self.settings, **settings}, (*self.pieces, *pieces), self.path
        )

    @property
    def is_unseen(self) -> bool:
        """Whether there are calls of four players and nothing else.

        Nobody looks then, and no hand is known.
        """
        if not self.pieces or self.settings.keys() & {"observer", "hand"}:
            return False
        only_calls = all(isinstance(piece.value, Called) for piece in self.pieces)
        return only_calls and self.players == 4

    @property
    def auction(self) -> Auction:
        """The calls, those before the first of which are passes."""
        pieces = (piece.value for piece in self.pieces)
        calls = [piece for piece in pieces if isinstance(piece, Called)]
        auction = Auction.four(calls[0].seat)
        for called in calls:
            auction, _ = auction.fill(called.seat, called.call)
        return auction

    @property
    def game_in_doubt(self) -> str:
        """Which game is meant and how to ask for the other one.

        It is empty where an option or a record says it.
        """
        players = self.settings.get("players")
        is_named = players is not None and not players.implied
        if is_named or "dummy" in self.settings:
            return ""
        dummy_name = None if self.players == 4 else PAPER_DUMMY.name
        return game_with_choice(dummy_name)

    @property
    def players(self) -> int:
        """How many players bid, 3 or 4."""
        return players_in(self.settings, (piece.value for piece in self.pieces))

    def belief(self) -> Belief:
        """Return the belief; what is wrong with it is said with where it was given."""
        start = self._belief_without_evidence()
        with suppress(BayesBridgeError):
            return start.given(*(piece.value for piece in self.pieces))
        raise self._misfit(start)

    def _misfit(self, start: Belief) -> NotationError:
        """What is wrong with the first piece that does not fit those before it."""
        values: list[Piece] = []
        for piece in self.pieces:
            values.append(piece.value)
            try:
                start.given(*values)
            except Contradiction as error:
                return self._with_places(error)
            except BayesBridgeError as error:
                note = ""
                if isinstance(error, IllegalCall):
                    note = _three_players_note(start.dummy)
                return NotationError(f"{piece.where}: {error}{note}")
        raise AssertionError("evidence that fits piece by piece fits as a whole")

    @contextmanager
    def attributed(self) -> Iterator[None]:
        """Say of a contradiction that comes up inside where its pieces were given."""
        try:
            yield
        except Contradiction as error:
            raise self._with_places(error) from None

    def _with_places(self, error: Contradiction) -> NotationError:
        """A contradiction with the places where its pieces were given."""
        in_conflict = error.data["evidence"]
        places = {
            piece.where.removeprefix("argument "): None
            for piece in self.pieces
            if piece.value in in_conflict
        }
        if not places:
            return NotationError(str(error))
        return NotationError(f"{error} (given by {'; '.join(places)})")

    def texts(self) -> dict[str, Any]:
        """Return the texts from which the same position is read again.

        These are ``settings`` by name, lists of texts where an option may be given
        several times, and ``evidence`` as pairs of an option and its text.
        """
        setting_texts: dict[str, str | list[str]] = {}
        for name, setting in SETTINGS.items():
            if name not in self.settings:
                continue
            value = self.settings[name].value
            if setting.many:
                setting_texts[name] = [setting.write(item) for item in value]
            else:
                setting_texts[name] = setting.write(value)
        evidence = [[piece.value.option, piece.value.text] for piece in self.pieces]
        return {"settings": setting_texts, "evidence": evidence}

    def words(self) -> list[str]:
        """Return the words of a command line whose options give the same position."""
        texts = self.texts()
        options_with_texts: list[tuple[str, str]] = []
        for name, text_or_list in texts["settings"].items():
            values = [text_or_list] if isinstance(text_or_list, str) else text_or_list
            options_with_texts += [(name, value) for value in values]
        options_with_texts += texts["evidence"]
        words: list[str] = []
        for name, text in options_with_texts:
            words += [f"--{name}", text]
        return words

    def toml(self) -> str:
        """Return the text of a position file that gives the same position.

        Its strings are written as those of JSON.
        """
        texts = self.texts()
        quoted = partial(json.dumps, ensure_ascii=False)
        lines = [f"{name} = {quoted(text)}" for name, text in texts["settings"].items()]
        if texts["evidence"]:
            lines.append("evidence = [")
            lines += [
                f"  {{ {kind} = {quoted(text)} }}," for kind, text in texts["evidence"]
            ]
            lines.append("]")
        return "\n".join(lines) + "\n"

    def _verify_complete(self) -> None:
        """Refuse a position without the settings that every one needs."""
        missing = [name for name in EXAMPLES if name not in self.settings]
        if not missing:
            return
        options = " ".join(f"--{name} {EXAMPLES[name]}" for name in missing)
        keys = " and ".join(f"{name} = {EXAMPLES[name]!r}" for name in missing)
        in_file = ""
        if self.path:
            in_file = f", or {keys} in {self.path}"
        raise NotationError(f"no {' and no '.join(missing)}: give {options}{in_file}")

    def _belief_without_evidence(self) -> Belief:
        """The belief that the settings describe, before any evidence is added.

        A setting ``player`` (how cards are played) that is ``none`` leaves play without
        a model.
        """
        from bayesbridge.belief.belief import Belief

        self._verify_complete()
        is_bridge = self.players == 4  # else three bid, and the dummy's seat does not
        self._verify_settings_of_game(is_bridge)
        values = {name: setting.value for name, setting in self.settings.items()}
        dummy = None if is_bridge else values.get("dummy", "N")
        bidder = self.bidder(usual="learned" if is_bridge else "iterative")
        has_no_player = values.get("player") == "none"
        try:
            return Belief(
                values["observer"],
                values["hand"],
                dummy=dummy,
                trump=values.get("trump"),
                bidder=bidder,
                player=None if has_no_player else "usual",
            )
        # Settings are valid one by one: only an observer in the dummy's seat is left.
        except BayesBridgeError as error:
            observer_place = self.settings["observer"].where
            raise NotationError(
                f"{observer_place}: {error}, by --dummy; or give "
                "--players 4, where every seat bids"
            ) from None

    def _verify_settings_of_game(self, is_bridge: bool) -> None:
        """Refuse settings of the other game: of bridge, or that of three players.

        The message begins with ``where``: the option, or the line and key of a file.
        """
        if is_bridge and "dummy" in self.settings:
            raise NotationError(
                f"{self.settings['dummy'].where}: with four players every seat bids and "
                "none is the dummy's: leave it out (a hand laid open is --reveal N:PBN)"
            )
        if is_bridge:
            return
        for name in FOUR_PLAYER_SETTINGS:
            if name in self.settings:
                raise NotationError(
                    f"{self.settings[name].where}: it is for four players: give "
                    "--players 4 too"
                )

    def bidder(self, usual: str) -> BidderModel | None:
        """Return the bidder model that the settings name, with its own settings.

        It is ``None`` where no setting is about the bidder: a belief takes the usual
        one then. ``usual`` is the name of that one, to which settings without a name
        belong.
        """
        if not BIDDER_SETTINGS & self.settings.keys():
            return None
        from bayesbridge.estimators.registry import offered

        bidder_name = self.settings.get("bidder", Sourced(usual, "bidder"))
        name = bidder_name.value
        with located(bidder_name.where):
            registry = offered("bidders", [name])  # with plugins, if it needs them
            model = registry.bidder(name)
        for setting_name in ("slip", "vulnerable", "style"):
            if setting_name in self.settings:
                setting = self.settings[setting_name]
                model = _with_setting(model, setting_name, setting, name)
        if "system" not in self.settings:
            return model
        from bayesbridge.bidders.system_bidder import SystemBidder

        systems = self.settings["system"]
        with located(systems.where):
            return SystemBidder(systems.value, base=model)


BIDDER_SETTINGS: Final = frozenset(("bidder", "slip", "vulnerable", "system", "style"))
"""The settings that say how the others bid."""


def _with_setting(
    model: BidderModel, name: str, setting: Sourced[Any], bidder: str
) -> BidderModel:
    """The model of the name ``bidder`` with one more setting, called ``name``.

    A model without such a setting is refused, unless the setting is not ``needed``:
    then the model stays as it is.
    """
    from bayesbridge.evidence.models import with_settings

    value = setting.value
    if name == "style":
        value = _styles_by_side(setting)
    try:
        return with_settings(model, {name: value})
    except TypeError:
        if not setting.needed:
            return model
        fault = f"bidder {bidder!r} has no such setting: leave it out"
        raise NotationError(f"{setting.where}: {fault}") from None


def _styles_by_side(setting: Sourced[Sequence[SideStyle]]) -> dict[str, PairStyle]:
    """The styles of a setting by their side, of which each may have one."""
    styles = {side_style.side: side_style.style for side_style in setting.value}
    if len(styles) < len(setting.value):
        fault = "two styles for one side: give each side one"
        raise NotationError(f"{setting.where}: {fault}")
    return styles


def python_lines(belief: Belief) -> str:
    """Return Python that makes the belief again; ``bb`` is the package."""
    dummy = None if belief.dummy is None else belief.dummy.name
    arguments = [repr(belief.observer.name), repr(belief.hand.pbn), f"dummy={dummy!r}"]
    if belief.trump is not None:
        arguments.append(f"trump={belief.trump.name!r}")
    arguments.append(f"bidder={_python(belief.bidder)}")
    if belief.player is not None:
        arguments.append(f"player={_python(belief.player)}")
    belief_line = f"belief = bb.Belief({', '.join(arguments)})"
    if not belief.evidence:
        return f"{belief_line}\n"
    pieces = "".join(f"    {_python(piece)},\n" for piece in belief.evidence)
    return f"{belief_line}.given(\n{pieces})\n"


def _python(value: object) -> str:
    """Python that gives the value again, if its class is public; else its repr."""
    if getattr(bayesbridge, type(value).__name__, None) is not type(value):
        return repr(value)
    return re.sub(r"\b[A-Z]\w+(?=\()", _with_package, repr(value))


def _with_package(class_name: re.Match[str]) -> str:
    """The name of a class, after ``bb.`` if it is a public one."""
    if class_name[0] in bayesbridge.__all__:
        return f"bb.{class_name[0]}"
    return class_name[0]


def _evidence(where: str, items: Any, file: Toml) -> Iterator[Sourced[Piece]]:
    """The pieces of evidence of a file, each with its line and key.

    ``items`` should be a list of tables such as ``{ call = "W:1NT" }``, each with kinds
    of evidence and their texts; ``where`` is the place of the list in the file.
    """
    is_list_of_tables = isinstance(items, list) and all(map(_is_table, items))
    if not is_list_of_tables:
        raise NotationError(
            f'{where}: write a list of pieces in order, such as [{{ call = "W:1NT" }}]'
        )
    for kind, value in chain.from_iterable(item.items() for item in items):
        # The file hands out the places of keys one after the other: that of the next
        # key of this name, and those of the texts of its list, if they are known.
        place_of_kind, places_of_texts = file.next(kind)
        texts = value if isinstance(value, list) else [value]
        for number, text in enumerate(texts):
            place = place_of_kind
            if number < len(places_of_texts):
                place = places_of_texts[number]
            if kind not in KINDS:
                raise _unknown(place, kind, tuple(KINDS))
            yield Sourced(_read(place, KINDS[kind].of, text), place)


def _is_table(item: object) -> bool:
    """Whether an item of a file is a table that says something."""
    return isinstance(item, dict) and bool(item)


def _setting(where: str, setting: Setting, value: Any) -> Any:
    """The value of a setting in a file.

    One that may be given several times may be a list there.
    """
    if not setting.many:
        return _read(where, setting.read, value)
    texts = value if isinstance(value, list) and value else [value]
    return tuple(_read(where, setting.read, text) for text in texts)


def _unknown(where: str, key: str, keys: tuple[str, ...]) -> NotationError:
    """The error of a key that is none of ``keys``."""
    hint = did_you_mean(key, keys)
    return NotationError(
        f"{where}: unknown key {key!r}: {hint}keys here are {', '.join(keys)}"
    )


def _read(where: str, read: Callable[[str], Any], value: Any) -> Any:
    """A text or number of a file, read as the text that an option would have."""
    if isinstance(value, bool):
        raise _neither_text_nor_number(where, str(value).lower())
    if not isinstance(value, str | int | float):
        raise _neither_text_nor_number(where, repr(value))
    with located(where):
        return read(str(value))


def _neither_text_nor_number(where: str, value: str) -> NotationError:
    """The error of a value that no option could have."""
    return NotationError(
        f"{where}: {value} is neither text nor number: write it in quotes"
    )
