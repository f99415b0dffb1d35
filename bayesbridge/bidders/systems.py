"""Bidding systems: what the calls of a pair show, place by place and family by family.

docs/bidders.md has the language of systems.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce
from typing import Final

from bayesbridge.bidders.families import Calls, Family
from bayesbridge.bidders.statements import Meanings, Statement
from bayesbridge.bidders.system_files import (
    OPENING,
    SUFFIX,
    AskingCall,
    Place,
    SystemFile,
    call_shown,
    path_of_package,
)
from bayesbridge.errors import NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS, Call
from bayesbridge.game.cards import Strain, Suit

MOST_CALLS_SHOWN: Final = 16
"""A system of more calls is shown by what it says about itself."""

SIDES: Final = 2
PLAYERS: Final = 4


@dataclass(frozen=True, slots=True, repr=False)
class System:
    """What the calls of a pair show.

    >>> System.of("strong-notrump")
    System.of('strong-notrump')
    >>> print(System.of("weak-twos"))
    opening 2D shows 5-10 points, D6; opening 2H shows 5-10 points, H6; opening 2S shows 5-10 points, S6
    """

    name: str
    places: Mapping[Place, Meanings] = field(hash=False)
    about: str = field(default="", compare=False)
    leads: tuple[str, ...] = ()  #: Agreements on the card of the opening lead.
    families: tuple[Family, ...] = field(default=(), hash=False)
    like: System | None = None
    """What holds where neither places nor families say anything else."""
    own_places: frozenset[Place] | None = field(default=None, hash=False)
    """The places at which nothing of ``like`` holds; ``None`` where there is none."""
    parts: tuple[System, ...] = ()
    """Systems that are played together."""
    is_convention: bool = False
    """Whether its calls take the place of those of a system that it is added to."""

    @classmethod
    def of(cls, text: System | str) -> System:
        """A system by its name, from a file (``….toml``), or several of them united:
        ``strong-notrump+weak-twos``.
        """
        if isinstance(text, System):
            return text
        names = [text.strip()]
        if not os.path.isfile(names[0]):
            names = [name.strip() for name in text.split("+")]
        return reduce(System.__add__, map(_system_of_name, names))

    @classmethod
    def _of_file(cls, name: str, file: SystemFile) -> System:
        """The system of a file, and of the system that it is like."""
        like = None if file.like is None else _system_of_package(file.like)
        leads = file.leads
        if leads is None:
            leads = () if like is None else like.leads
        places: dict[Place, Meanings] = {} if like is None else {**like.places}
        places |= file.places
        places = {place: meanings for place, meanings in places.items() if meanings}
        if not places and not leads and not file.families:
            raise NotationError(
                f"{file.path}: it says nothing of any call: write "
                f'1NT = "15-17 points" below [{OPENING}]'
            )
        families = tuple(file.families)
        own_places = None if like is None else frozenset(file.places)
        return cls(
            name,
            places,
            file.about,
            leads,
            families,
            like,
            own_places,
            is_convention=file.is_convention,
        )

    def __add__(self, other: System) -> System:
        if not self.name:
            return other
        if self.leads and other.leads and self.leads != other.leads:
            self._contradict(other, self.leads_text, other.leads_text)
        places: dict[Place, Meanings] = {**self.places}
        for place, meanings in other.places.items():
            places[place] = self._united(other, place, meanings)
        names = (*self.name.split("+"), *other.name.split("+"))
        about = "; ".join(system.about for system in (self, other) if system.about)
        return System(
            "+".join(dict.fromkeys(names)),
            places,
            about,
            self.leads or other.leads,
            parts=(self, other),
        )

    def _united(self, other: System, place: Place, meanings: Meanings) -> Meanings:
        """What both systems show at a place of the other one."""
        return self._with(other, {**self.meanings_at(place)}, place, meanings)

    def _with(
        self,
        other: System,
        united: dict[Call, tuple[Statement, ...]],
        place: Place,
        meanings: Meanings,
    ) -> Meanings:
        """What is shown at a place together with meanings of the other system."""
        if other.is_convention:
            return united | {**meanings}
        for call, statements in meanings.items():
            if united.setdefault(call, statements) != statements:
                self._contradict(
                    other,
                    call_shown(place, call, united[call]),
                    call_shown(place, call, statements),
                )
        return united

    def _contradict(self, other: System, text: str, other_text: str) -> None:
        raise NotationError(
            f"systems {self.name} and {other.name} contradict each other: {text}, and "
            f"{other_text}: leave one out, or give each a share"
        )

    def meanings(self, before: Auction) -> Meanings | None:
        """What calls show after those of an auction; ``None`` where it says nothing."""
        calls = place_of(before)
        passes_at_first = len(before.calls) - len(calls)
        has_passed = len(before.calls) % PLAYERS < passes_at_first
        return self._meanings_after(calls, has_passed and bool(calls))

    @lru_cache(maxsize=4096)  # noqa: B019 (systems are few)
    def _meanings_after(
        self, calls: Calls, has_passed: bool = False
    ) -> Meanings | None:
        meanings = self.meanings_at(calls, has_passed)
        if not meanings and calls[-1:] == (PASS,):
            suit = self.agreed(calls)
            if suit is not None:
                meanings = self.meanings_at(AskingCall(calls[-2], suit))
        return meanings or None

    @lru_cache(maxsize=4096)  # noqa: B019
    def meanings_at(self, place: Place, has_passed: bool = False) -> Meanings:
        """What calls show at a place, an agreed suit left aside; ``has_passed``: by a
        player who has passed before the opening.
        """
        if self.parts:
            first, second = self.parts
            united = {**first.meanings_at(place, has_passed)}
            meanings = second.meanings_at(place, has_passed)
            return first._with(second, united, place, meanings)
        own = self.places.get(place, {})
        if isinstance(place, AskingCall):
            return own
        in_families: dict[Call, tuple[Statement, ...]] = {}
        of_passed_hands: dict[Call, tuple[Statement, ...]] = {}
        replaces = self.own_places is not None and place in self.own_places
        silenced = replaces
        for family in self.families:
            if family.silences(place):
                in_families = {}
                silenced = True
            elif not family.passed_hand:
                in_families |= family.meanings(place)
            elif has_passed:
                of_passed_hands |= family.meanings(place)
        if self.like is None:
            return {**in_families, **own, **of_passed_hands}
        lower = {} if silenced else self.like.meanings_at(place, has_passed)
        exact = own if replaces else {}
        return {**lower, **in_families, **exact, **of_passed_hands}

    def agreed(self, calls: Calls) -> Suit | None:
        """The suit that the last call but one asks about, as docs/bidders.md has it;
        ``None`` where it asks nothing.
        """
        pair = self._pair(calls, calls[:-2])
        if pair.agreed is not None:
            return pair.agreed
        return None if pair.answerer_bid_notrump else pair.last

    def agreed_by_both(self, calls: Calls) -> Suit | None:
        """The first suit that both partners of the player in turn have shown."""
        return self._pair(calls, calls).agreed

    def _pair(self, calls: Calls, heard: Calls) -> _SuitsOfPair:
        """What the pair of the player in turn after ``calls`` has shown by the first of
        them.
        """
        pair = _SuitsOfPair()
        theirs: set[Suit] = set()
        for index, call in enumerate(heard):
            distance = len(calls) - index
            if distance % SIDES:
                theirs |= _suits_named(call)
                continue
            statements = self.meanings_at(calls[:index]).get(call)
            pair.hear(call, statements, theirs, by_asker=distance % PLAYERS != 0)
            if pair.agreed is not None:
                break
        return pair

    def __str__(self) -> str:
        shown = {
            call_shown(place, call, statements): None
            for place, meanings in self.places.items()
            for call, statements in meanings.items()
        }
        texts = [*shown]
        if len(texts) > MOST_CALLS_SHOWN:
            texts = [self.about or self.name, f"{len(shown)} calls"]
        families = sum(len(family.calls) for family in self._all_families)
        if families:
            texts.append(f"{families} families of calls")
        return "; ".join(filter(None, (*texts, self.leads_text)))

    @property
    def _all_families(self) -> tuple[Family, ...]:
        """Its own, and those of systems that it is like or made of."""
        lower = self.parts if self.like is None else (self.like,)
        families = (family for system in lower for family in system._all_families)
        return (*families, *self.families)

    @property
    def leads_text(self) -> str:
        """The agreements on leads as words."""
        return f"leads {', '.join(self.leads)}" if self.leads else ""

    def __repr__(self) -> str:
        return f"System.of({self.name!r})"


class _SuitsOfPair:
    """The suits that two partners have shown, call by call."""

    def __init__(self) -> None:
        self.agreed: Suit | None = None
        """The first suit that both have shown."""
        self.last: Suit | None = None
        """The last suit that one of them has shown; ``None`` if it were several."""
        self.answerer_bid_notrump = False
        self._shown: dict[bool, set[Suit]] = {True: set(), False: set()}
        """By whether it is the player who asks."""
        self._natural = True
        """Whether the last bid showed the suit that it named."""

    def hear(
        self,
        call: Call,
        statements: tuple[Statement, ...] | None,
        theirs: set[Suit],
        by_asker: bool,
    ) -> None:
        """Take in a call of the pair, and what it shows where a system says it."""
        named = _suits_named(call)
        shown = self._shown[by_asker]
        partners = self._shown[not by_asker]
        if statements:
            suits = set.intersection(
                *(set(statement.long_suits) for statement in statements)
            )
        else:
            suits = named - theirs if self._natural else set[Suit]()
        common = suits & partners
        if common:
            self.agreed = max(common)
            return
        shown |= suits
        if suits:
            self.last = max(suits) if len(suits) == 1 else None
        self._natural = not statements or not named - suits - partners
        if not by_asker and call.strain is Strain.NT:
            self.answerer_bid_notrump = True


def _suits_named(call: Call) -> set[Suit]:
    suit = None if call.strain is None else call.strain.trump
    return set() if suit is None else {suit}


NOTHING: Final = System("", {})


def place_of(before: Auction) -> Calls:
    """The calls from the first bid on."""
    for number, call in enumerate(before.calls):
        if call.is_bid:
            return before.calls[number:]
    return ()


@cache
def _system_of_package(name: str) -> System:
    return System._of_file(name, SystemFile.read(path_of_package(name)))


def _system_of_name(name: str) -> System:
    if name.endswith(SUFFIX):
        return System._of_file(name, SystemFile.read(name))
    return _system_of_package(name)
