"""Files of bidding systems: sections of calls and what they show.

docs/bidders.md has the language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, Final, NamedTuple

from bayesbridge.bidders.families import Calls, Family, has_letters
from bayesbridge.bidders.play import LEADS, LOW_CARD_LEADS
from bayesbridge.bidders.statements import Statement
from bayesbridge.errors import NotationError, did_you_mean, located
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS, Call, call_words
from bayesbridge.game.cards import Suit
from bayesbridge.notation.toml_text import Toml

OPENING: Final = "opening"
AFTER: Final = "after "
ANSWERS: Final = "answers to "
SUFFIX: Final = ".toml"

ABOUT: Final = "about"
LIKE: Final = "like"
KIND: Final = "kind"
CONVENTION: Final = "convention"
LEADS_KEY: Final = "leads"


class AskingCall(NamedTuple):
    """A call that asks about an agreed suit."""

    call: Call
    suit: Suit


type Place = Calls | AskingCall
type Section = dict[Place, dict[Call, tuple[Statement, ...]]]


@dataclass(slots=True)
class SystemFile:
    """What a file says."""

    path: str
    about: str = ""
    like: str | None = None
    """A system of the package."""
    leads: tuple[str, ...] | None = None
    is_convention: bool = False
    """Whether its calls take the place of those of a system that it is added to."""
    places: Section = field(default_factory=dict)
    families: list[Family] = field(default_factory=list)

    @classmethod
    def read(cls, path: str) -> SystemFile:
        """Read a file; a statement that no hand fits is an error."""
        toml = Toml.read(path)
        file = cls(path)
        for key, value in toml.document.items():
            if not isinstance(value, dict):
                with located(toml.next(key)[0]):
                    file._take_text(key, value)
            elif key.startswith(AFTER) and has_letters(" ".join((key, *value))):
                file.families.append(_family(toml, key, value))
            else:
                file._take_section(_section(toml, key, value), key)
        return file

    def _take_text(self, key: str, value: Any) -> None:
        """Take in what stands above the sections."""
        take = _TEXT_KEYS.get(key)
        if take is None or not isinstance(value, str):
            raise NotationError(
                "unknown key: write 'about', 'like' or 'leads', a text, or calls under "
                f"[{OPENING}]"
            )
        take(self, value)

    def _take_about(self, text: str) -> None:
        self.about = text

    def _take_kind(self, text: str) -> None:
        if text != CONVENTION:
            raise NotationError(f"unknown kind {text!r}: write {CONVENTION!r}")
        self.is_convention = True

    def _take_like(self, text: str) -> None:
        path_of_package(text)
        self.like = text

    def _take_leads(self, text: str) -> None:
        self.leads = _read_leads(text)

    def _take_section(self, section: Section, key: str) -> None:
        """Take in a section; no other may speak of its places."""
        for place in section:
            if place in self.places:
                raise NotationError(
                    f"{self.path}: [{key!r}]: {place_name(place)} has a section "
                    "already: unite them"
                )
        self.places.update(section)


_TEXT_KEYS: Final[Mapping[str, Callable[[SystemFile, str], None]]] = {
    ABOUT: SystemFile._take_about,
    LIKE: SystemFile._take_like,
    KIND: SystemFile._take_kind,
    LEADS_KEY: SystemFile._take_leads,
}


def _read_leads(value: str) -> tuple[str, ...]:
    """Agreements on the opening lead, with commas between them."""
    leads = tuple(" ".join(part.lower().split()) for part in value.split(","))
    for agreement in leads:
        if agreement not in LEADS:
            hint = did_you_mean(agreement, LEADS)
            raise NotationError(
                f"unknown agreement {agreement!r}: {hint}write {', '.join(LEADS)}"
            )
    if {*leads} >= {*LOW_CARD_LEADS}:
        raise NotationError(
            f"{value!r} says two things of the same cards: leave one out"
        )
    return leads


def _section(toml: Toml, name: str, calls: Mapping[str, Any]) -> Section:
    """A section that names its places call by call."""
    with located(f"{toml.path}: [{name!r}]"):
        places = [*_places(name)]
    section: Section = {place: {} for place, _ in places}
    for key, value in calls.items():
        with located(toml.next(key)[0]):
            texts = _texts(value)
            for place, before in places:
                trump = place.suit if isinstance(place, AskingCall) else None
                statements = tuple(Statement.of(text, trump) for text in texts)
                section[place][before.verify(Call.of(key))] = statements
    return section


def _places(name: str) -> Iterator[tuple[Place, Auction]]:
    """The places that a section speaks of, each with an auction that leads to it."""
    start = Auction.four("N")
    if name.startswith(ANSWERS):
        asking = Call.of(name.removeprefix(ANSWERS))
        for suit in Suit:
            yield AskingCall(asking, suit), start.after_all([asking, PASS])
        return
    words = call_words("" if name == OPENING else name.removeprefix(AFTER))
    alternatives = (word.split("/") for word in words)
    for calls in product(*alternatives):
        before = start.after_all(calls)
        is_opened = before.calls[:1] not in ((), (PASS,))
        is_place = name.startswith(AFTER) and is_opened and not before.is_over
        if name != OPENING and not is_place:
            raise NotationError(
                f'write [{OPENING}], ["{AFTER}1C/1D Pass"], the calls from the first '
                f'bid on, or ["{ANSWERS}4NT"]'
            )
        yield before.calls, before


def _family(toml: Toml, name: str, calls: Mapping[str, Any]) -> Family:
    """A section whose name has letters; every call of it is tried once."""
    family_name = name.removeprefix(AFTER)
    with located(f"{toml.path}: [{name!r}]"):
        Family.of(family_name)
    texts: dict[str, tuple[str, ...]] = {}
    for key, value in calls.items():
        with located(toml.next(key)[0]):
            texts[key] = tuple(_texts(value))
            Family.of(family_name, {key: texts[key]}).verify()
    return Family.of(family_name, texts)


def _texts(value: Any) -> list[str]:
    """The statements of a call: one text or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise NotationError(
            f"{value!r} is no statement: write a text, such as '15-17 points, balanced'"
        )
    return texts


def place_name(place: Place) -> str:
    """A place as a section is named."""
    if isinstance(place, AskingCall):
        return f"{ANSWERS}{place.call}"
    if not place:
        return OPENING
    return f"{AFTER}{' '.join(map(str, place))}"


def call_shown(place: Place, call: Call, statements: tuple[Statement, ...]) -> str:
    """What a call shows, as a sentence."""
    texts = (
        f"({statement.text})" if statement.always else statement.text
        for statement in statements
    )
    comma = "," if place else ""
    return f"{place_name(place)}{comma} {call} shows {' or '.join(texts)}"


@cache
def system_names() -> tuple[str, ...]:
    """The systems that come with the package.

    Examples
    --------
    >>> system_names()[:4]
    ('acol', 'bergen', 'drury', 'five-card-majors')
    """
    folder = files("bayesbridge.bidders").joinpath("data/systems")
    files_there = (file.name for file in folder.iterdir())
    names = (name.removesuffix(SUFFIX) for name in files_there if name.endswith(SUFFIX))
    return tuple(sorted(names))


def path_of_package(name: str) -> str:
    """Where the file of a system lies that comes with the package."""
    if name not in system_names():
        hint = did_you_mean(name, system_names())
        raise NotationError(
            f"unknown system {name!r}: {hint}write {', '.join(system_names())}; "
            "--system and SystemBidder also take a file, whose name ends in "
            f"{SUFFIX}"
        )
    return str(files("bayesbridge.bidders").joinpath(f"data/systems/{name}{SUFFIX}"))
