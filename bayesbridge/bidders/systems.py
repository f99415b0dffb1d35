"""Bidding systems: what calls show, position by position, read from a small TOML file or by name.

::

    about = "a 1NT opening of 15 to 17 points"

    [opening]                                   # the first bid of all, whoever has passed before
    1NT = "15-17 points, balanced, always"

    ["after 1NT Pass"]                          # the next call, once these calls have been made from the first bid on
    2C = ["8+ points, H4", "8+ points, S4"]     # a list: one of these

docs/systems.md tells what the words mean and what a system does to a posterior.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache, reduce
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from bayesbridge.auction import Auction
from bayesbridge.bidders.statements import Statement
from bayesbridge.calls import PASS, Call
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.notation.toml_text import key_lines, read_toml

type Place = tuple[Call, ...]
"""The calls from the first bid of an auction on; none before the opening."""
type Meanings = Mapping[Call, tuple[Statement, ...]]
"""What calls show at one place: a hand fits a call if it fits one of its statements."""

OPENING: Final = "opening"
AFTER: Final = "after "
SUFFIX: Final = ".toml"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class System:
    """What the calls of a pair show.

    >>> System.of("strong-notrump")
    System.of('strong-notrump')
    >>> print(System.of("weak-twos"))
    opening 2D shows 5-10 points, D6; opening 2H shows 5-10 points, H6; opening 2S shows 5-10 points, S6
    """

    name: str
    places: Mapping[Place, Meanings]

    @classmethod
    def of(cls, text: System | str) -> System:
        """A system by its name, from a file (``….toml``), or several of them united: ``strong-notrump+weak-twos``."""
        if isinstance(text, System):
            return text
        names = [text.strip()] if Path(text.strip()).is_file() else [name.strip() for name in text.split("+")]
        return reduce(System.__add__, map(_one, names))

    def __add__(self, other: System) -> System:
        """Both at once; an error where they say different things of one call."""
        places = {place: dict(meanings) for place, meanings in self.places.items()}
        for place, meanings in other.places.items():
            here = places.setdefault(place, {})
            for call, statements in meanings.items():
                if here.setdefault(call, statements) != statements:
                    raise NotationError(
                        f"systems {self.name} and {other.name} contradict each other: {_place_text(place)} {call} "
                        f"shows {_said(here[call])}, and {_said(statements)}: leave one out, or give each a share",
                        call=call,
                    )
        return System("+".join(dict.fromkeys([*self.name.split("+"), *other.name.split("+")])), places)

    def meanings(self, before: Auction) -> Meanings | None:
        """What the system says of the next call; ``None`` where it says nothing."""
        return self.places.get(place_of(before))

    def __str__(self) -> str:
        told = (
            f"{_place_text(place)} {call} shows {_said(statements)}"
            for place, meanings in self.places.items()
            for call, statements in meanings.items()
        )
        return "; ".join(told)

    def __repr__(self) -> str:
        return f"System.of({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, System) and (self.name, self.places) == (other.name, other.places)

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=1024)
def place_of(before: Auction) -> Place:
    """The calls from the first bid on."""
    first = next((number for number, call in enumerate(before.calls) if call.is_bid), len(before.calls))
    return before.calls[first:]


@cache
def system_names() -> tuple[str, ...]:
    """The systems that come with the package.

    >>> system_names()
    ('five-card-majors', 'precision', 'strong-notrump', 'weak-notrump', 'weak-twos')
    """
    folder = files("bayesbridge.bidders").joinpath("data/systems")
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX)))


def _one(name: str) -> System:
    """One system: one of the package's by name, or a file."""
    if name in system_names():
        return _built_in(name)
    if name.endswith(SUFFIX):
        return _Reader(name, name).system()
    near = get_close_matches(name, system_names(), 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise NotationError(
        f"unknown system {name!r}: {hint}write {', '.join(system_names())}, or a file whose name ends in {SUFFIX}",
        name=name,
    )


@cache
def _built_in(name: str) -> System:
    return _Reader(name, str(files("bayesbridge.bidders").joinpath(f"data/systems/{name}{SUFFIX}"))).system()


class _Reader:
    """Reads a file; what is wrong with it is said with its line and key."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path
        text, self.document = read_toml(path)
        self.lines = key_lines(text)
        self.seen: dict[str, int] = {}

    def system(self) -> System:
        places: dict[Place, Meanings] = {}
        for key, value in self.document.items():
            if not isinstance(value, dict):
                where = self.where(key)
                if key != "about" or not isinstance(value, str):
                    raise NotationError(f"{where}: unknown key: write 'about', a text, or calls under [{OPENING}]")
                continue
            before = self.before(key)
            places[place_of(before)] = dict(self.meanings(value, before))
        if not any(places.values()):
            raise NotationError(
                f'{self.path}: it says nothing of any call: write 1NT = "15-17 points" below [{OPENING}]'
            )
        return System(self.name, places)

    def before(self, section: str) -> Auction:
        """The auction that the name of a section tells, as if the opener were the dealer."""
        start = Auction.four("N")
        if section == OPENING:
            return start
        try:
            if not section.startswith(AFTER):
                raise NotationError(f'unknown section: write [{OPENING}] or ["{AFTER}1NT Pass"]')
            before = start.after_all(section.removeprefix(AFTER))
            if not before.calls or before.calls[0] == PASS or before.is_over:
                raise NotationError("write the calls from the first bid on, and no auction that is over")
        except BayesBridgeError as error:
            raise NotationError(f"{self.path}: [{section!r}]: {error}") from None
        return before

    def meanings(self, said: dict[str, Any], before: Auction) -> Iterator[tuple[Call, tuple[Statement, ...]]]:
        for key, value in said.items():
            where = self.where(key)
            try:
                call = before.verify(Call.of(key))
                texts = value if isinstance(value, list) else [value]
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise NotationError(f"{value!r} is no statement: write a text, such as '15-17 points, balanced'")
                yield call, tuple(Statement.of(text) for text in texts)
            except BayesBridgeError as error:
                raise NotationError(f"{where}: {error}") from None

    def where(self, key: str) -> str:
        """The file, the line and the key; TOML keeps the order of keys of one name."""
        number = self.seen[key] = self.seen.get(key, -1) + 1
        found = self.lines.get(key, [])
        return f"{self.path}:{found[number][0]}: {key}" if number < len(found) else f"{self.path}: {key}"


def _place_text(place: Place) -> str:
    return f"{AFTER}{' '.join(map(str, place))}," if place else OPENING


def _said(statements: tuple[Statement, ...]) -> str:
    """``15-17 points, balanced``, and whether such a hand always makes the call."""
    shown, made = ([one.hands for one in statements if one.always is always] for always in (False, True))
    told = " or ".join(shown or made)
    if not made:
        return told
    return f"{told} and is always made with {' or '.join(made) if shown else 'such a hand'}"
