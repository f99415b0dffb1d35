"""Position: settings and evidence with where each was given, and the belief that they describe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from bayesbridge.errors import BayesBridgeError, Contradiction, NotationError
from bayesbridge.evidence.piece import Piece
from bayesbridge.positions.settings import SETTINGS, Setting

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.evidence.models import BidderModel

EXAMPLES = {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}
"""The settings that every position needs."""


class Sourced[T](NamedTuple):
    """A value and where it was given: an option, or a line and key of a file."""

    value: T
    where: str


class Position(NamedTuple):
    """What a position file or the options of a command say."""

    settings: Mapping[str, Sourced[Any]]
    pieces: tuple[Sourced[Piece], ...] = ()
    path: str | None = None
    """The file it comes from."""

    def with_more(self, settings: Mapping[str, Sourced[Any]], pieces: Sequence[Sourced[Piece]]) -> Position:
        """Settings given later replace those of the same name; evidence is added."""
        return Position({**self.settings, **settings}, (*self.pieces, *pieces), self.path)

    def belief(self) -> Belief:
        """The belief; what is wrong with it is said with where it was given."""
        start = self._start()
        try:
            return start.given(*(piece.value for piece in self.pieces))
        except BayesBridgeError:
            raise self._first_fault(start) from None

    @contextmanager
    def blaming(self) -> Iterator[None]:
        """Say of a contradiction that comes up inside where its pieces were given."""
        try:
            yield
        except Contradiction as error:
            raise self._blame(error) from None

    def words(self) -> list[str]:
        """The options of the command line that describe it again."""
        words: list[str] = []
        for name, setting in SETTINGS.items():
            if name in self.settings:
                value = self.settings[name].value
                for one in value if setting.many else [value]:
                    words += [f"--{name}", setting.write(one)]
        for piece in self.pieces:
            words += [f"--{piece.value.option}", piece.value.text]
        return words

    def toml(self) -> str:
        """The text of a position file that describes it again."""
        lines = [f"{name} = {_toml(SETTINGS[name], given.value)}" for name, given in self.settings.items()]
        listed = "".join(f"  {{ {piece.value.option} = {_quoted(piece.value.text)} }},\n" for piece in self.pieces)
        return "\n".join([*lines, *([f"evidence = [\n{listed}]"] if listed else [])]) + "\n"

    def _start(self) -> Belief:
        """The belief before any evidence."""
        from bayesbridge.belief.belief import Belief

        for name, example in EXAMPLES.items():
            if name not in self.settings:
                or_key = f", or {name} = {example!r} in {self.path}" if self.path else ""
                raise NotationError(f"no {name}: give --{name} {example}{or_key}")
        values = {name: given.value for name, given in self.settings.items()}
        four = values.get("players") == 4
        if four and "dummy" in values:
            raise NotationError(
                f"{self.settings['dummy'].where}: with four players every seat bids and none is the dummy's: leave it "
                "out (a hand laid open is --reveal N:PBN)"
            )
        if "system" in values and not four:
            raise NotationError(f"{self.settings['system'].where}: systems are of four players: give --players 4 too")
        if "player" in values and not four:
            raise NotationError(f"{self.settings['player'].where}: experts are four players: give --players 4 too")
        bidder = self._bidder("learned" if four else "iterative")
        try:
            return Belief(
                values["observer"],
                values["hand"],
                dummy=None if four else values.get("dummy", "N"),
                trump=values.get("trump"),
                bidder=bidder,
                player=_experts() if four and values.get("player") != "none" else None,
            )
        except BayesBridgeError as error:
            raise NotationError(f"{self.settings['observer'].where}: {error}, by --dummy") from None

    def _bidder(self, usual: str) -> BidderModel | None:
        """The bidder model named, with the settings given; ``None`` for the usual one as it is."""
        if not {"bidder", "slip", "vulnerable", "system"} & set(self.settings):
            return None
        from bayesbridge.estimators.registry import offered, with_settings

        name = self.settings["bidder"].value if "bidder" in self.settings else usual
        try:
            model = offered("bidders", [name]).bidder(name)
        except BayesBridgeError as error:
            raise NotationError(f"{self.settings['bidder'].where}: {error}") from None
        for setting in ("slip", "vulnerable"):
            if setting in self.settings:
                value, where = self.settings[setting]
                try:
                    model = with_settings(model, {setting: value})
                except TypeError:
                    raise NotationError(f"{where}: bidder {name!r} has no such setting: leave it out") from None
        return self._with_systems(model)

    def _with_systems(self, model: BidderModel) -> BidderModel:
        """The model where the calls of all systems are as it says."""
        if "system" not in self.settings:
            return model
        from bayesbridge.bidders.system_bidder import SystemBidder

        agreements, where = self.settings["system"]
        try:
            return SystemBidder(agreements, base=model)
        except BayesBridgeError as error:
            raise NotationError(f"{where}: {error}") from None

    def _first_fault(self, start: Belief) -> BayesBridgeError:
        """What is wrong with the first piece that does not fit those before it, and where that piece was given."""
        for number, piece in enumerate(self.pieces):
            try:
                start.given(*(earlier.value for earlier in self.pieces[: number + 1]))
            except Contradiction as error:
                return self._blame(error)
            except BayesBridgeError as error:
                return NotationError(f"{piece.where}: {error}")
        raise AssertionError("evidence that fits piece by piece fits as a whole")

    def _blame(self, error: Contradiction) -> BayesBridgeError:
        culprits = error.data["evidence"]
        given = [piece.where for piece in self.pieces if piece.value in culprits]
        places = dict.fromkeys(where.removeprefix("argument ") for where in given)
        return NotationError(f"{error}{f' (given by {"; ".join(places)})' if places else ''}")


def python_lines(belief: Perspective) -> str:
    """Python that makes the belief again; ``bb`` is the package."""
    told = {
        "dummy": repr(None if belief.dummy is None else belief.dummy.name),
        "trump": "" if belief.trump is None else repr(belief.trump.name),
        "bidder": _python(belief.bidder),
        "player": "" if belief.player is None else _python(belief.player),
    }
    words = "".join(f", {name}={text}" for name, text in told.items() if text)
    pieces = "".join(f"    {_python(piece)},\n" for piece in belief.evidence)
    given = f".given(\n{pieces})" if pieces else ""
    return f"belief = bb.Belief({belief.observer.name!r}, {belief.hand.pbn!r}{words}){given}\n"


def _python(value: object) -> str:
    """Text that gives the value again, if its class is one of the package's public ones; else its repr as it is."""
    import bayesbridge

    if getattr(bayesbridge, type(value).__name__, None) is not type(value):
        return repr(value)
    return re.sub(
        r"\b[A-Z]\w+(?=\()", lambda name: f"bb.{name[0]}" if name[0] in bayesbridge.__all__ else name[0], repr(value)
    )


def _experts() -> Any:
    """How experts choose cards, once the calls have told the contract."""
    from bayesbridge.bidders.card_play import LearnedPlayer

    return LearnedPlayer()


def _toml(setting: Setting, value: Any) -> str:
    if setting.many:
        return f"[{', '.join(_quoted(setting.write(one)) for one in value)}]"
    return _quoted(setting.write(value))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
