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
"""Where calls have a meaning: after these calls, counted from the opening, or as
answers to a call that asks about an agreed suit.
"""

type Section = dict[Place, dict[Call, tuple[Statement, ...]]]
"""What calls show at each place of a section, by one of their statements."""


class _PlaceInAuction(NamedTuple):
    """A place, and an auction that leads to it."""

    place: Place
    before: Auction

    @property
    def trump(self) -> Suit | None:
        """The suit that is agreed there, if a call has asked about it."""
        return self.place.suit if isinstance(self.place, AskingCall) else None


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
        """Read a file; a statement that no hand fits is an error.

        A section whose name or calls have letters for suits, such as
        ``["after 1x Pass"]``, speaks of a family of places. Others name their places
        call by call. Keys above the sections are texts.
        """
        toml = Toml.read(path)
        file = cls(path)
        for key, value in toml.document.items():
            if not isinstance(value, dict):
                place_in_file, _ = toml.next(key)
                with located(place_in_file):
                    file._take_text(key, value)
                continue
            names = " ".join((key, *value))
            if key.startswith(AFTER) and has_letters(names):
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
    """What calls show at the places that a section names call by call.

    ``name`` is that of the section, such as ``after 1C/1D Pass``, which are two places;
    ``calls`` has its keys, which are calls, and what the file says of each. Errors name
    the line of the file.
    """
    with located(f"{toml.path}: [{name!r}]"):
        places = [*_places(name)]
    section: Section = {place: {} for place, _ in places}
    for key, value in calls.items():
        place_in_file, _ = toml.next(key)
        with located(place_in_file):
            texts = _texts(value)
            for there in places:
                statements = [Statement.of(text, there.trump) for text in texts]
                call = there.before.verify(Call.of(key))  # an error if it is illegal
                section[there.place][call] = tuple(statements)
    return section


def _places(name: str) -> Iterator[_PlaceInAuction]:
    """The places of which a section speaks, each with an auction that leads to it.

    A name is ``opening``, ``after`` and the calls from the first bid on, with slashes
    between alternatives, or ``answers to`` and a call that asks about the agreed suit,
    which may be any.
    """
    if name == OPENING:
        yield _PlaceInAuction((), Auction.four("N"))
    elif name.startswith(ANSWERS):
        yield from _places_of_answers(name.removeprefix(ANSWERS))
    else:
        yield from _places_after(name)


def _places_of_answers(call: str) -> Iterator[_PlaceInAuction]:
    """Where partner has asked by a call about a suit, for each suit."""
    asking = Call.of(call)
    before = Auction.four("N").after_all([asking, PASS])
    for suit in Suit:
        yield _PlaceInAuction(AskingCall(asking, suit), before)


def _places_after(name: str) -> Iterator[_PlaceInAuction]:
    """The places of ``after 1C/1D Pass``: one for each choice of alternatives."""
    words = call_words(name.removeprefix(AFTER))
    alternatives = (word.split("/") for word in words)
    for calls in product(*alternatives):
        before = Auction.four("N").after_all(calls)
        begins_with_bid = before.calls[:1] not in ((), (PASS,))
        if not name.startswith(AFTER) or not begins_with_bid or before.is_over:
            raise NotationError(
                f'write [{OPENING}], ["{AFTER}1C/1D Pass"], the calls from the first '
                f'bid on, or ["{ANSWERS}4NT"]'
            )
        yield _PlaceInAuction(before.calls, before)


def _family(toml: Toml, name: str, calls: Mapping[str, Any]) -> Family:
    """A section whose name has letters for suits; every call of it is tried once.

    ``calls`` has its keys, such as ``2z``, and what the file says of each. Errors name
    the line of the file.
    """
    family_name = name.removeprefix(AFTER)
    with located(f"{toml.path}: [{name!r}]"):
        Family.of(family_name)  # raises where the name cannot be read
    texts: dict[str, tuple[str, ...]] = {}
    for key, value in calls.items():
        place_in_file, _ = toml.next(key)
        with located(place_in_file):
            texts[key] = tuple(_texts(value))
            family_of_call = Family.of(family_name, {key: texts[key]})
            family_of_call.verify()
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
