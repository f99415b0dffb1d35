"""Bidding systems: what the calls of a pair show, place by place and family by family.

docs/bidders.md has the language of systems.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce
from typing import Final, NamedTuple

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

    Examples
    --------
    >>> System.of("strong-notrump")
    System.of('strong-notrump')
    >>> print(System.of("weak-twos"))
    opening 2D shows 5-10 points, D6; opening 2H shows 5-10 points, H6; opening 2S shows 5-10 points, S6
    """

    name: str
    places: Mapping[Place, Meanings] = field(hash=False)
    about: str = field(default="", compare=False)
    leads: tuple[str, ...] = ()
    """Agreements on the card of the opening lead."""
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
        """Read a system by its name or its file, or several united.

        Files are named ``….toml``, several systems ``strong-notrump+weak-twos``.
        """
        if isinstance(text, System):
            return text
        names = [text.strip()]
        if not os.path.isfile(names[0]):
            names = [name.strip() for name in text.split("+")]
        return reduce(System.__add__, map(_system_of_name, names))

    @classmethod
    def _of_file(cls, name: str, file: SystemFile) -> System:
        """The system of a file, and of the system that it is like.

        The places of both are taken together. At the places of the file itself
        (``own_places``) nothing holds of the system that it is like.
        """
        like = None
        own_places = None
        places: dict[Place, Meanings] = {}
        leads = file.leads
        if file.like is not None:
            like = _system_of_package(file.like)
            own_places = frozenset(file.places)
            places |= like.places
            if leads is None:
                leads = like.leads
        places |= file.places
        places = {place: meanings for place, meanings in places.items() if meanings}
        if not places and not leads and not file.families:
            raise NotationError(
                f"{file.path}: it says nothing of any call: write "
                f'1NT = "15-17 points" below [{OPENING}]'
            )
        return cls(
            name,
            places,
            about=file.about,
            leads=leads or (),
            families=tuple(file.families),
            like=like,
            own_places=own_places,
            is_convention=file.is_convention,
        )

    def __add__(self, other: System) -> System:
        """Both systems at once; an error where they contradict each other.

        The sum has the places of both. It keeps the two as ``parts``, which are asked
        for what else they say, by rules for many places.
        """
        if not self.name:
            return other
        if self.leads and other.leads and self.leads != other.leads:
            raise self._contradiction(other, self.leads_text, other.leads_text)
        places: dict[Place, Meanings] = {**self.places}
        for place, others_meanings in other.places.items():
            places[place] = self._join(
                other, place, self.meanings_at(place), others_meanings
            )
        names = (*self.name.split("+"), *other.name.split("+"))
        about = "; ".join(system.about for system in (self, other) if system.about)
        return System(
            "+".join(dict.fromkeys(names)),
            places,
            about=about,
            leads=self.leads or other.leads,
            parts=(self, other),
        )

    def _join(
        self,
        other: System,
        place: Place,
        meanings: Meanings,
        others_meanings: Meanings,
    ) -> Meanings:
        """What is shown at a place where both systems are played.

        ``meanings`` and ``others_meanings`` are what calls show there by each of them.
        Where both speak of a call they must agree, but the other system comes first if
        it is a convention.
        """
        joined = {**meanings}
        for call, statements in others_meanings.items():
            own_statements = joined.get(call, statements)
            if own_statements != statements and not other.is_convention:
                raise self._contradiction(
                    other,
                    call_shown(place, call, own_statements),
                    call_shown(place, call, statements),
                )
            joined[call] = statements
        return joined

    def _contradiction(
        self, other: System, text: str, other_text: str
    ) -> NotationError:
        """The error of two systems that say different things."""
        return NotationError(
            f"systems {self.name} and {other.name} contradict each other: {text}, and "
            f"{other_text}: leave one out, or give each a share"
        )

    def meanings(self, before: Auction) -> Meanings | None:
        """What calls show after those of an auction; ``None`` where it says nothing."""
        calls = place_of(before)
        passes_at_first = len(before.calls) - len(calls)
        # The place of the player in turn around the table, 0 for the dealer.
        place_of_player = len(before.calls) % PLAYERS
        has_passed = bool(calls) and place_of_player < passes_at_first
        return self._meanings_after(calls, has_passed)

    @lru_cache(maxsize=4096)  # noqa: B019 (systems are few)
    def _meanings_after(
        self, calls: Calls, has_passed: bool = False
    ) -> Meanings | None:
        """What calls show after these, an agreed suit included."""
        meanings = self.meanings_at(calls, has_passed)
        if not meanings and calls[-1:] == (PASS,):
            suit = self.agreed(calls)
            if suit is not None:
                meanings = self.meanings_at(AskingCall(calls[-2], suit))
        return meanings or None

    @lru_cache(maxsize=4096)  # noqa: B019
    def meanings_at(self, place: Place, has_passed: bool = False) -> Meanings:
        """What calls show at a place; key cards of an agreed suit are left aside.

        ``has_passed``: by a player who has passed before the opening.

        Several parts of a system may speak of a call; of these the later holds:

        1. the system that this one is like, if this one has no section for the place;
        2. families, which are rules for many places, as for all of opener's reverses;
           a family without calls also takes back what the first part says;
        3. the section for the place;
        4. families for players who have passed.
        """
        if self.parts:
            first, second = self.parts
            return first._join(
                second,
                place,
                first.meanings_at(place, has_passed),
                second.meanings_at(place, has_passed),
            )
        section = self.places.get(place, {})
        if isinstance(place, AskingCall):
            return section
        families = self._meanings_by_families(place, has_passed)
        like_meanings: Meanings = {}
        if self.like is not None and place not in (self.own_places or ()):
            section = {}  # the one found is the other system's, and comes with it
            if not families.silence_like:
                like_meanings = self.like.meanings_at(place, has_passed)
        return {
            **like_meanings,
            **families.of_all_hands,
            **section,
            **families.of_passed_hands,
        }

    def _meanings_by_families(self, calls: Calls, has_passed: bool) -> _FamilyMeanings:
        """What the system's own families say after these calls.

        A family is a rule for many places. One without calls takes back what families
        before it say there, and what the system says that this one is like.
        """
        of_all_hands: dict[Call, tuple[Statement, ...]] = {}
        of_passed_hands: dict[Call, tuple[Statement, ...]] = {}
        silence_like = False
        for family in self.families:
            if family.silences(calls):
                of_all_hands = {}
                silence_like = True
            elif not family.passed_hand:
                of_all_hands |= family.meanings(calls)
            elif has_passed:
                of_passed_hands |= family.meanings(calls)
        return _FamilyMeanings(of_all_hands, of_passed_hands, silence_like)

    def agreed(self, calls: Calls) -> Suit | None:
        """The suit that the last call but one asks about; ``None`` where it asks nothing.

        docs/bidders.md has the rule.
        """
        pair = self._suits_of_pair(calls, calls[:-2])
        if pair.agreed is not None:
            return pair.agreed
        return None if pair.answerer_bid_notrump else pair.last

    def agreed_by_both(self, calls: Calls) -> Suit | None:
        """The first suit that both partners of the player in turn have shown."""
        return self._suits_of_pair(calls, calls).agreed

    def _suits_of_pair(self, calls: Calls, first_calls: Calls) -> _SuitsOfPair:
        """What the pair of the player in turn after ``calls`` shows by the first ones.

        The reading stops at a suit that both have shown. Partner is the player who asks
        about it, if anybody does.
        """
        pair = _SuitsOfPair()
        opponents_suits: set[Suit] = set()
        for index, call in enumerate(first_calls):
            calls_ago = len(calls) - index
            is_by_pair = calls_ago % SIDES == 0
            is_by_player_in_turn = calls_ago % PLAYERS == 0
            if not is_by_pair:
                opponents_suits |= _suits_named(call)
                continue
            statements = self.meanings_at(calls[:index]).get(call)
            pair.add_call(
                call,
                statements,
                opponents_suits,
                by_asker=not is_by_player_in_turn,
            )
            if pair.agreed is not None:
                break
        return pair

    def __str__(self) -> str:
        # Answers to a call that asks are the same sentence for every agreed suit: the
        # keys of a dictionary keep each once, in order.
        sentences: dict[str, None] = {}
        for place, meanings in self.places.items():
            for call, statements in meanings.items():
                sentences[call_shown(place, call, statements)] = None
        texts = [*sentences]
        if len(sentences) > MOST_CALLS_SHOWN:
            texts = [self.about or self.name, f"{len(sentences)} calls"]
        families = sum(len(family.calls) for family in self._all_families)
        if families:
            texts.append(f"{families} families of calls")
        return "; ".join(filter(None, (*texts, self.leads_text)))

    @property
    def _all_families(self) -> tuple[Family, ...]:
        """Its own, and those of systems that it is like or made of."""
        systems = self.parts if self.like is None else (self.like,)
        families: list[Family] = []
        for system in systems:
            families += system._all_families
        return (*families, *self.families)

    @property
    def leads_text(self) -> str:
        """The agreements on leads as words."""
        return f"leads {', '.join(self.leads)}" if self.leads else ""

    def __repr__(self) -> str:
        return f"System.of({self.name!r})"


class _FamilyMeanings(NamedTuple):
    """What families of calls say at one place."""

    of_all_hands: Meanings
    of_passed_hands: Meanings
    silence_like: bool
    """Whether they take back what the system that this one is like says there."""


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
        self._last_was_natural = True
        """Whether the pair's last call showed the suit that it named."""

    def add_call(
        self,
        call: Call,
        statements: tuple[Statement, ...] | None,
        opponents_suits: set[Suit],
        by_asker: bool,
    ) -> None:
        """Take in a call of the pair.

        It shows what the system says of it, ``statements``. Where the system says
        nothing a bid shows its suit, unless an opponent has bid that, or the pair's
        last call was artificial, so that this one may be an answer to it.

        ``by_asker``: by the player who is going to ask about the agreed suit. No
        more is needed once a suit is agreed.
        """
        named_suits = _suits_named(call)
        partners_suits = self._shown[not by_asker]
        suits: set[Suit] = set()
        if statements:
            suits = _suits_shown(statements)
        elif self._last_was_natural:
            suits = named_suits - opponents_suits
        common_suits = suits & partners_suits
        if common_suits:
            self.agreed = max(common_suits)
            return
        self._shown[by_asker] |= suits
        if suits:
            self.last = max(suits) if len(suits) == 1 else None
        # Artificial is a bid of a suit that neither it nor partner has shown.
        artificial_suits = named_suits - suits - partners_suits
        self._last_was_natural = not statements or not artificial_suits
        if not by_asker and call.strain is Strain.NT:
            self.answerer_bid_notrump = True


def _suits_shown(statements: tuple[Statement, ...]) -> set[Suit]:
    """The suits that are long in every hand that a call shows."""
    return set.intersection(*(set(statement.long_suits) for statement in statements))


def _suits_named(call: Call) -> set[Suit]:
    """The suit of a bid; none of no trumps and of other calls."""
    suit = None if call.strain is None else call.strain.trump
    return set() if suit is None else {suit}


NOTHING: Final = System("", {})
"""A system that says nothing."""


def place_of(before: Auction) -> Calls:
    """The calls from the first bid on."""
    for number, call in enumerate(before.calls):
        if call.is_bid:
            return before.calls[number:]
    return ()


@cache
def _system_of_package(name: str) -> System:
    """A system that comes with the package."""
    return System._of_file(name, SystemFile.read(path_of_package(name)))


def _system_of_name(name: str) -> System:
    """A system by the name of its file, or of the package."""
    if name.endswith(SUFFIX):
        return System._of_file(name, SystemFile.read(name))
    return _system_of_package(name)
