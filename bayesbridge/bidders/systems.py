"""Bidding systems: what calls show, position by position, and a bidder who follows
them.

docs/bidders.md has the language of systems and what they compute. The factors make
P(fits ∣ call) ≥ faith over random hands, given the player's own earlier calls: a model
of a player answers for one hand at a time, and the observer brings in the other
players' calls and the own cards by Bayes' rule.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, reduce
from importlib.resources import files
from itertools import product
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auctions import Turn, call_probabilities, seat_to_call
from bayesbridge.bidders.learned import SIDES, LearnedBidder
from bayesbridge.bidders.play import LEADS, AgreedLeads, Leads
from bayesbridge.errors import (
    BayesBridgeError,
    NotationError,
    did_you_mean,
    located,
    one_row,
)
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import HighCards, Piece, Shape
from bayesbridge.evidence.models import (
    BidderModel,
    Cost,
    cost_of,
    guide_of,
    reads_partners_hand,
    with_settings,
)
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS, Call, call_words
from bayesbridge.game.cards import Strain, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import (
    HONOURS,
    Floats,
    Hands,
    high_card_points,
    suit_lengths,
)
from bayesbridge.game.shapes import ALL, Shapes, shape_table
from bayesbridge.notation.toml_text import Toml

ALWAYS: Final = "always"
SEAT: Final = Seat.N  # pieces of evidence need one; a statement speaks of whoever calls
_FEWEST: Final = (*[0] * 10, 1, 3, 6, 10)
_MOST: Final = (0, 4, 7, 9, *[10] * 10)
"""High-card points of n cards of one suit; every number between can be held, so also
for a hand of given lengths.
"""

_POINTS: Final = re.compile(r"(?P<range>.*?)\s*points?", re.IGNORECASE)
_HONOURS: Final = re.compile(
    r"(?P<numbers>[0-5](?: or [0-5])*) (?:aces?|(?P<key>key cards?)(?: (?P<queen>with(?:out)?) the queen)?)"
)
_ACES: Final = dict(HONOURS)[4]


class Honours(NamedTuple):
    cards: int  # a mask
    numbers: tuple[int, ...]  # of these that a hand may have

    @classmethod
    def of(cls, text: str, trump: Suit | None) -> list[Self]:
        """Read ``0 or 4 aces`` or ``2 key cards with the queen``, of trumps as their
        king; none of anything else.
        """
        if (match := _HONOURS.fullmatch(text)) is None:
            return []
        if match["key"] and trump is None:
            raise NotationError(
                f'{text!r}: no suit is agreed here: write key cards below ["{ANSWERS}4NT"]',
                text=text,
            )
        king = 1 << 13 * trump + 11 if match["key"] and trump is not None else 0
        queen = (
            [cls(king >> 1, (int(match["queen"] == "with"),))] if match["queen"] else []
        )
        return [
            cls(_ACES | king, tuple(map(int, match["numbers"].split(" or ")))),
            *queen,
        ]


@dataclass(frozen=True, slots=True)
class Statement:
    """The hands that a call shows; ``always``: every one of them makes the call.

    >>> Statement.of("15-17 POINTS,balanced, always").text
    '15-17 points, balanced, always'
    """

    text: str
    low: int
    high: int
    shapes: Shapes
    honours: tuple[Honours, ...]
    always: bool

    @classmethod
    def of(cls, text: str, trump: Suit | None = None) -> Self:
        """Read the text; ``trump`` is the agreed suit."""
        known, honours, words, always = (
            Constraints.free(),
            list[Honours](),
            list[str](),
            False,
        )
        for part in (part.strip() for part in text.split(",")):
            word = " ".join(part.lower().split())
            if word == ALWAYS:
                always = True
                continue
            if some := Honours.of(word, trump):
                honours += some
                words.append(word)
                continue
            points = _POINTS.fullmatch(part)
            try:
                piece: Piece = (
                    HighCards.of(f"{SEAT.name}:{points['range']}")
                    if points
                    else Shape(SEAT, part)
                )
            except NotationError:
                raise NotationError(
                    f"{text!r}: {part!r} is neither points, such as 15-17 points, nor a shape, such as S5+ H4-5, nor "
                    "honours, such as 0 or 3 key cards, nor 'always'",
                    text=text,
                ) from None
            known = piece.constrain(known)
            words.append(
                piece.text.removeprefix(f"{SEAT.name}:") + " points" * bool(points)
            )
        low, high = known.points_low[SEAT], known.points_high[SEAT]
        shapes = ALL if (possible := known.shapes[SEAT]) is None else possible
        within = (
            sum(_FEWEST[n] for n in shape) <= high
            and low <= sum(_MOST[n] for n in shape)
            for shape in shapes
        )
        aces = [one.numbers for one in honours if one.cards & _ACES]
        able = all(
            4 * min(numbers) - 1 <= high and low <= 24 + 4 * max(numbers)
            for numbers in aces
        )
        if low > high or not any(within) or not able:
            raise NotationError(
                f"no hand of 13 cards fits {text!r}: write points, shape and honours that go together"
            )
        return cls(
            ", ".join([*words, *[ALWAYS] * always]),
            low,
            high,
            shapes,
            tuple(honours),
            always,
        )

    def fits(
        self, hands: Hands, points: NDArray[np.int64], shapes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """(n,) which of (n,) masks fit, given their points and shapes, the latter as
        places in a table of C D H.
        """
        found: NDArray[np.bool_] = (points >= self.low) & (points <= self.high)
        found &= shape_table(self.shapes).ravel()[shapes]
        for cards, numbers in self.honours:
            found &= np.isin(np.bitwise_count(hands & np.uint64(cards)), numbers)
        return found


def points_and_shapes(hands: Hands) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lengths = suit_lengths(hands).astype(np.int64)
    return high_card_points(hands).astype(np.int64), (
        lengths[:, 0] * 14 + lengths[:, 1]
    ) * 14 + lengths[:, 2]


type Calls = tuple[
    Call, ...
]  # the calls from the first bid of an auction on; none before the opening


class AskingCall(NamedTuple):
    call: Call
    suit: Suit


type Place = Calls | AskingCall
type Meanings = Mapping[
    Call, tuple[Statement, ...]
]  # what calls show at one place, by one of their statements

OPENING: Final = "opening"
AFTER: Final = "after "
ANSWERS: Final = "answers to "
SUFFIX: Final = ".toml"


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

    @classmethod
    def of(cls, text: System | str) -> System:
        """A system by its name, from a file (``….toml``), or several of them united:
        ``strong-notrump+weak-twos``.
        """
        if isinstance(text, System):
            return text
        names = (
            [text.strip()]
            if os.path.isfile(text.strip())
            else [name.strip() for name in text.split("+")]
        )
        systems = (
            _read_system(name, name) if name.endswith(SUFFIX) else _of_package(name)
            for name in names
        )
        return reduce(System.__add__, systems)

    def __add__(self, other: System) -> System:
        if not self.name:
            return other
        places = {place: dict(meanings) for place, meanings in self.places.items()}
        differing = (
            [(self._leads, other._leads)]
            if self.leads and other.leads and self.leads != other.leads
            else []
        )
        for place, meanings in other.places.items():
            here = places.setdefault(place, {})
            for call, statements in meanings.items():
                if here.setdefault(call, statements) != statements:
                    differing.append(
                        (
                            _shown(place, call, here[call]),
                            _shown(place, call, statements),
                        )
                    )
        if differing:
            raise NotationError(
                f"systems {self.name} and {other.name} contradict each other: {', and '.join(differing[0])}: leave one "
                "out, or give each a share"
            )
        names = (*self.name.split("+"), *other.name.split("+"))
        about = "; ".join(one.about for one in (self, other) if one.about)
        return System(
            "+".join(dict.fromkeys(names)), places, about, self.leads or other.leads
        )

    @lru_cache(maxsize=1024)  # noqa: B019 (systems are few)
    def meanings(self, before: Auction) -> Meanings | None:
        calls = place_of(before)
        if (found := self.places.get(calls)) is not None or calls[-1:] != (PASS,):
            return found
        suit = self.agreed(calls)
        return None if suit is None else self.places.get(AskingCall(calls[-2], suit))

    def agreed(self, calls: Calls) -> Suit | None:
        """The suit that the last call but one asks about, as docs/bidders.md has it;
        ``None`` where it asks nothing.
        """
        shown: tuple[set[Suit], set[Suit]] = set(), set()
        theirs = set[Suit | None]()
        last, natural, notrump = None, True, False
        for index, call in enumerate(calls[:-2]):
            suit = None if call.strain is None else call.strain.trump
            away = (
                len(calls) - index
            )  # 4, 8 …: a call of the player in turn; 2, 6 …: of partner
            if away % 2:
                theirs.add(suit)
                continue
            if said := self.places.get(calls[:index], {}).get(call):
                suits = {
                    one
                    for one in Suit
                    if all(shape[one] > 2 for each in said for shape in each.shapes)
                }
            else:
                suits = {
                    one for one in Suit if one is suit and one not in theirs and natural
                }
            own, partners = shown[:: 1 if away % 4 == 0 else -1]
            if suits & partners:
                return max(suits & partners)
            own |= suits
            if suits:
                last = max(suits) if len(suits) == 1 else None
            natural = not said or suit is None or suit in suits
            notrump |= away % 4 == 0 and call.strain is Strain.NT
        return None if notrump else last

    def __str__(self) -> str:
        places = self.places.items()
        calls = list(
            dict.fromkeys(
                _shown(place, *one)
                for place, meanings in places
                for one in meanings.items()
            )
        )
        told = (
            calls
            if len(calls) <= 16
            else [self.about or self.name, f"{len(calls)} calls"]
        )
        return "; ".join(filter(None, (*told, self._leads)))

    @property
    def _leads(self) -> str:
        return f"leads {', '.join(self.leads)}" if self.leads else ""

    def __repr__(self) -> str:
        return f"System.of({self.name!r})"


NOTHING: Final = System("", {})


def place_of(before: Auction) -> Calls:
    first = next(
        (number for number, call in enumerate(before.calls) if call.is_bid),
        len(before.calls),
    )
    return before.calls[first:]


@cache
def system_names() -> tuple[str, ...]:
    """The systems that come with the package.

    >>> system_names()
    ('acol', 'five-card-majors', 'precision', 'sayc', 'strong-notrump', 'two-over-one', 'weak-notrump', 'weak-twos')
    """
    folder = files("bayesbridge.bidders").joinpath("data/systems")
    return tuple(
        sorted(
            file.name.removesuffix(SUFFIX)
            for file in folder.iterdir()
            if file.name.endswith(SUFFIX)
        )
    )


@cache
def _of_package(name: str) -> System:
    if name not in system_names():
        hint = did_you_mean(name, system_names())
        raise NotationError(
            f"unknown system {name!r}: {hint}write {', '.join(system_names())}; --system and SystemBidder also take a "
            f"file, whose name ends in {SUFFIX}"
        )
    return _read_system(
        name, str(files("bayesbridge.bidders").joinpath(f"data/systems/{name}{SUFFIX}"))
    )


def _read_system(name: str, path: str) -> System:
    file = Toml.read(path)
    like, told, leads = NOTHING, dict[Place, Meanings](), None
    for key, value in file.document.items():
        if isinstance(value, dict):
            found = _section(file, key, value)
            if twice := told.keys() & found:
                raise NotationError(
                    f"{path}: [{key!r}]: {_where(next(iter(twice)))} has a section already: unite them"
                )
            told |= found
            continue
        with located(file.next(key)[0]):
            if key not in ("about", "like", "leads") or not isinstance(value, str):
                raise NotationError(
                    f"unknown key: write 'about', 'like' or 'leads', a text, or calls under [{OPENING}]"
                )
            if (
                key == "like"
            ):  # its sections hold where the file has none of the same name
                like = _of_package(value)
            elif key == "leads":
                leads = tuple(
                    " ".join(part.lower().split()) for part in value.split(",")
                )
                if wrong := [one for one in leads if one not in LEADS]:
                    hint = did_you_mean(wrong[0], LEADS)
                    raise NotationError(
                        f"unknown agreement {wrong[0]!r}: {hint}write {', '.join(LEADS)}"
                    )
                if {*LEADS[:2]} <= {*leads}:
                    raise NotationError(
                        f"{value!r} says two things of the same cards: leave one out"
                    )
    leads = like.leads if leads is None else leads
    places = {
        place: meanings
        for place, meanings in {**like.places, **told}.items()
        if meanings
    }
    if not places and not leads:
        raise NotationError(
            f'{path}: it says nothing of any call: write 1NT = "15-17 points" below [{OPENING}]'
        )
    return System(name, places, file.document.get("about", ""), leads)


def _section(
    file: Toml, name: str, section: dict[str, Any]
) -> dict[Place, dict[Call, tuple[Statement, ...]]]:
    start, places = Auction.four("N"), list[tuple[Place, Auction, Suit | None]]()
    with located(f"{file.path}: [{name!r}]"):
        if name.startswith(ANSWERS):
            asked = Call.of(name.removeprefix(ANSWERS))
            places = [
                (AskingCall(asked, suit), start.after_all([asked, PASS]), suit)
                for suit in Suit
            ]
        else:
            words = call_words("" if name == OPENING else name.removeprefix(AFTER))
            befores = [
                start.after_all(calls)
                for calls in product(*(word.split("/") for word in words))
            ]
            places = [(before.calls, before, None) for before in befores]
            wrong = any(
                before.calls[:1] in ((), (PASS,)) or before.is_over
                for before in befores
            )
            if name != OPENING and (wrong or not name.startswith(AFTER)):
                raise NotationError(
                    f'write [{OPENING}], ["{AFTER}1C/1D Pass"], the calls from the first bid on, or ["{ANSWERS}4NT"]'
                )
    found: dict[Place, dict[Call, tuple[Statement, ...]]] = {
        place: {} for place, _, _ in places
    }
    for key, value in section.items():
        with located(file.next(key)[0]):
            texts = value if isinstance(value, list) else [value]
            if not texts or not all(isinstance(text, str) for text in texts):
                raise NotationError(
                    f"{value!r} is no statement: write a text, such as '15-17 points, balanced'"
                )
            for place, before, trump in places:
                found[place][before.verify(Call.of(key))] = tuple(
                    Statement.of(text, trump) for text in texts
                )
    return found


def _where(place: Place) -> str:
    if isinstance(place, AskingCall):
        return f"{ANSWERS}{place.call}"
    return f"{AFTER}{' '.join(map(str, place))}" if place else OPENING


def _shown(place: Place, call: Call, statements: tuple[Statement, ...]) -> str:
    told = " or ".join(
        f"({one.text})" if one.always else one.text for one in statements
    )
    return f"{_where(place)}{',' if place else ''} {call} shows {told}"


# P(call) of a hand that fits is taken to be so much where the base model gives it less
LEAST: Final = 1e-3
DENIED: Final = 0.25
"""A statement whose hands the player's earlier calls have made so much rarer is not
meant: a passed hand's two over one does not show an opening.
"""
SMALLEST: Final = 1e-6
TINY: Final = np.finfo(np.float64).tiny
ROUNDS: Final = 30
_AGREEMENT: Final = re.compile(
    rf"(?:\s*(?P<side>{'|'.join(SIDES)})\s*:)?(?P<name>.*?)"
    r"(?:=\s*(?P<share>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*)?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """A system, the side that plays it (``None``: both) and its prior share (``None``:
    for certain).

    >>> Agreement.of("ns: weak-notrump+weak-twos = 0.3").text
    'NS:weak-notrump+weak-twos=0.3'
    """

    system: System
    side: str | None = None
    share: float | None = None

    @classmethod
    def of(cls, text: Agreement | System | str) -> Self | Agreement:
        """Read ``SIDE:SYSTEM=SHARE``, of which side and share may be left out."""
        if isinstance(text, Agreement):
            return text
        if isinstance(text, System):
            return cls(text)
        match = _AGREEMENT.fullmatch(text)
        assert match is not None
        side, name = match["side"], match["name"].strip()
        share = None if match["share"] is None else float(match["share"])
        if side is None and ":" in name and not name.endswith(SUFFIX):
            head = name.partition(":")[0].strip()
            raise NotationError(
                f"{text!r}: {head!r} is no side: write NS: or EW: before the system",
                text=text,
            )
        if share is not None and not 0.0 <= share <= 1.0:
            raise NotationError(
                f"{text!r}: the share {share:g} is no probability: write one from 0 to 1",
                text=text,
            )
        return cls(System.of(name), side and side.upper(), share)

    @property
    def text(self) -> str:
        side = f"{self.side}:" if self.side else ""
        return f"{side}{self.system.name}{'' if self.share is None else f'={self.share:g}'}"

    def __str__(self) -> str:
        who = "both sides play" if self.side is None else f"{self.side} play"
        share = "" if self.share is None else f" with probability {self.share:g}"
        return f"{who} {self.system.name}{share} ({self.system})"


class Component(NamedTuple):
    share: float
    system: System


def components(agreements: Sequence[Agreement], seat: Seat) -> tuple[Component, ...]:
    """What the side of a seat may play; the shares add up to one.

    What is certain is part of every component; what the shares leave over is played
    without any other system.
    """
    side = SIDES[seat % 2]
    mine = [one for one in agreements if one.side in (None, side)]
    certain = reduce(
        System.__add__, (one.system for one in mine if one.share is None), NOTHING
    )
    unsure = [one for one in mine if one.share is not None]
    total = sum(one.share or 0.0 for one in unsure)
    if total > 1.0 + 1e-9:
        raise NotationError(
            f"the shares of {' and '.join(one.text for one in unsure)} add up to {total:g}: they may not pass 1"
        )
    found = [Component(one.share, certain + one.system) for one in unsure if one.share]
    rest = 1.0 - total
    return (
        (*found, Component(rest, certain)) if rest > 1e-9 or not found else tuple(found)
    )


type Given = str | System | Agreement


@dataclass(frozen=True, slots=True, init=False, repr=False)
class SystemBidder:
    """Players of the four-player game whose system is known, or one of several, and how
    surely they keep to it.

    ``base`` decides where the systems say nothing: experts on record if not given.

    >>> from bayesbridge.game.calls import CALLS
    >>> from bayesbridge.game.cards import Hand
    >>> weak = np.array([Hand.of("AQ5.KJ3.Q954.973").mask], np.uint64)
    >>> for bidder in (LearnedBidder(), SystemBidder("weak-notrump"), SystemBidder("EW:weak-notrump")):
    ...     print(CALLS[bidder.probabilities(weak, Auction.four("N"))[0].argmax()])
    1D
    1NT
    1D
    """

    of_bridge: ClassVar[bool] = True

    systems: tuple[Agreement, ...]
    base: BidderModel
    faith: float
    _sides: tuple[tuple[Component, ...], ...] = field(compare=False)

    def __init__(
        self,
        systems: Given | Sequence[Given],
        base: BidderModel | None = None,
        faith: float = 0.9,
    ) -> None:
        if not 0.0 <= faith < 1.0:
            raise BayesBridgeError(
                f"faith {faith}: it is a probability, from 0 to below 1", faith=faith
            )
        given = [systems] if isinstance(systems, str | System | Agreement) else systems
        agreements = tuple(Agreement.of(one) for one in given)
        if not agreements:
            raise BayesBridgeError(
                "no system: give at least one, such as 'strong-notrump'", systems=()
            )
        object.__setattr__(self, "systems", agreements)
        object.__setattr__(self, "base", LearnedBidder() if base is None else base)
        if getattr(self.base, "__hash__", None) is None:
            raise BayesBridgeError(
                f"base model {base!r} has no hash: make it a frozen dataclass",
                base=base,
            )
        object.__setattr__(self, "faith", faith)
        object.__setattr__(
            self,
            "_sides",
            tuple(components(agreements, seat) for seat in (Seat.N, Seat.E)),
        )

    def __repr__(self) -> str:
        texts = [one.text for one in self.systems]
        return f"SystemBidder({texts!r}, base={self.base!r}, faith={self.faith})"

    def __str__(self) -> str:
        return "; ".join(str(one) for one in self.systems)

    def __replace__(self, **changes: Any) -> Self:
        """``changes`` may also be of the base model: its slip, its vulnerability."""
        own = {
            name: changes.pop(name, getattr(self, name))
            for name in ("systems", "base", "faith")
        }
        own["base"] = with_settings(own["base"], changes) if changes else own["base"]
        return type(self)(**own)

    @property
    def cost(self) -> Cost:
        return cost_of(self.base)

    @property
    def reads_partner(self) -> bool:
        return reads_partners_hand(self.base)

    @property
    def leads(self) -> tuple[Leads, Leads]:
        ways = (
            [AgreedLeads(way.share, way.system.leads, self.faith) for way in side]
            for side in self._sides
        )
        ns, ew = (
            tuple(side) if any(way.agreed for way in side) else () for side in ways
        )
        return ns, ew

    @property
    def guide(self) -> SystemBidder:
        return SystemBidder(self.systems, guide_of(self.base), self.faith)

    def log_likelihood(
        self, hands: Hands, auction: Auction, index: int, partners: Hands | None = None
    ) -> Floats:
        """log P(call number ``index`` ∣ hand, calls before it) for (n,) masks,
        partners' hands (n,) hidden or shown.
        """
        one_row("hands", hands)
        turn = Turn.of(auction, index)
        if not self._ways(turn.before):
            shown = {} if partners is None else {"partners": partners}
            return self.base.log_likelihood(hands, auction, index, **shown)
        with np.errstate(divide="ignore"):
            return np.log(
                self.probabilities(hands, turn.before, partners)[:, turn.call.index]
            )

    def probabilities(
        self, hands: Hands, auction: Auction, partners: Hands | None = None
    ) -> Floats:
        """(n, 38) P(call ∣ hand, auction so far) of the seat in turn, partners' hands
        hidden or shown; 0 if illegal.
        """
        one_row("hands", hands)
        if not (ways := self._ways(auction)):
            return call_probabilities(self.base, hands, auction, partners)
        weights = np.exp(self._log_weights(hands, auction, ways))
        return np.asarray(
            (weights[:, :, None] * self._chances(hands, auction, ways, partners)).sum(
                axis=0
            )
        )

    def _ways(self, before: Auction) -> tuple[Component, ...]:
        if before.dummy is not None:
            raise BayesBridgeError(
                f"auction '{before}' of three players: systems are of the four-player game only; leave the system out"
            )
        ways = self._sides[seat_to_call(before) % 2]
        return (
            ways if any(way.system.meanings(before) is not None for way in ways) else ()
        )

    def _log_weights(
        self, hands: Hands, before: Auction, ways: tuple[Component, ...]
    ) -> Floats:
        """(ways, n) log P(way ∣ hand, the calls that the seat has made); where the ways
        agree, a call tells nothing.
        """
        prior = np.log([way.share for way in ways])[:, None]
        weights = np.repeat(prior, len(hands), axis=1)
        if len(ways) == 1:
            return weights
        for index in range(len(before.calls) % 4, len(before.calls), 4):
            if self._ways((turn := Turn.of(before, index)).before):
                with np.errstate(divide="ignore"):
                    weights += np.log(
                        self._chances(hands, turn.before, ways)[:, :, turn.call.index]
                    )
        total = np.logaddexp.reduce(weights, axis=0)
        # A call that is impossible with a hand whatever the system tells nothing of the system.
        return np.where(
            np.isneginf(total),
            prior,
            weights - np.where(np.isneginf(total), 0.0, total),
        )

    def _chances(
        self,
        hands: Hands,
        before: Auction,
        ways: tuple[Component, ...],
        partners: Hands | None = None,
    ) -> Floats:
        """(ways, n, 38) P(call ∣ hand, way)."""
        base: Any = self.base
        plain, found = call_probabilities(base, hands, before, partners), []
        for _, system in ways:
            chances = plain
            if system.meanings(before) is not None:
                place = _place(base, system, self.faith, before)
                chances = _all_calls(
                    plain, _Fits.of(hands, place.meanings), self.faith, place.factors
                )
            found.append(chances)
        return np.stack(found)


class _Fits(NamedTuple):
    """Which of n hands fit the k calls that have statements."""

    columns: NDArray[np.intp]  # (k,) the calls
    some: NDArray[np.bool_]  # (n, k) whether the hand fits a statement of the call
    always: NDArray[np.bool_]  # (n, k) whether it fits one that holds always

    @classmethod
    def of(cls, hands: NDArray[np.uint64], meanings: Meanings) -> Self:
        some = np.zeros((len(hands), len(meanings)), np.bool_)
        always = some.copy()
        points, shapes = points_and_shapes(hands)
        for k, statements in enumerate(meanings.values()):
            for one in statements:
                found = one.fits(hands, points, shapes)
                some[:, k] |= found
                always[:, k] |= found & one.always
        return cls(np.array([call.index for call in meanings], np.intp), some, always)


def _stated(
    plain: Floats, rest: Floats, fits: _Fits, faith: float, factors: Floats
) -> Floats:
    """(n, k) chances of the calls that have statements, from those of the base model
    and (n,) that of all others.

    factors: (2, k) how much more often hands that fit make a call than by the base
    model, how much less often others do
    """
    more, less = factors
    chances: Floats = np.where(fits.some, np.maximum(plain, LEAST) * more, plain * less)
    chances /= (chances.sum(axis=1) + rest)[:, None]
    theirs = np.where(fits.always, chances, 0.0).sum(axis=1)
    few = fits.always.any(axis=1) & (theirs < faith)
    up = np.where(few, faith / np.where(few, theirs, 1.0), 1.0)
    down = np.where(few, (1.0 - faith) / np.where(few, 1.0 - theirs, 1.0), 1.0)
    return chances * np.where(fits.always, up[:, None], down[:, None])


def _all_calls(plain: Floats, fits: _Fits, faith: float, factors: Floats) -> Floats:
    """(n, 38) the same for all calls; those without statements keep their proportions."""
    mine = plain[:, fits.columns]
    rest = np.maximum(plain.sum(axis=1) - mine.sum(axis=1), 0.0)
    stated = _stated(mine, rest, fits, faith, factors)
    left = np.maximum(1.0 - stated.sum(axis=1), 0.0)
    chances = plain * (left / np.maximum(rest, TINY))[:, None]
    chances[:, fits.columns] = stated
    return chances


class _Place(NamedTuple):
    """What a player of one system may hold in turn."""

    hands: Hands
    weights: Floats  # (n,) P(hand ∣ the calls that the player has made)
    chances: NDArray[np.float32]  # (n, 38) P(call ∣ hand)
    meanings: Meanings  # those that the player's earlier calls have not denied
    factors: Floats


@cache
def _any_hands() -> tuple[NDArray[np.uint64], Floats]:
    """Some 2000 random hands, rich in strong ones, which make the rarer calls, and the
    probability of each.
    """
    generator = np.random.default_rng(52)
    order = (
        generator.random((8192, 52)).argsort(axis=1).reshape(-1, 13).astype(np.uint64)
    )
    hands = np.bitwise_or.reduce(np.uint64(1) << order, axis=1)
    chance = np.clip(np.exp((high_card_points(hands) - 26.0) / 5.0), 0.035, 1.0)
    kept = generator.random(len(hands)) < chance
    weights = 1.0 / chance[kept]
    return hands[kept], weights / weights.sum()


@lru_cache(maxsize=96)
def _place(base: Any, system: System, faith: float, before: Auction) -> _Place:
    """The hands that the seat in turn may hold, and the factors that make the
    statements true of them.
    """
    hands, weights = _any_hands()
    meanings = system.meanings(before) or {}
    if len(before.calls) >= 4:
        at_first = weights @ _Fits.of(hands, meanings).some
        turn = Turn.of(before, len(before.calls) - 4)
        last = _place(base, system, faith, turn.before)
        hands, weights = last.hands, last.weights
        after = weights * last.chances[:, turn.call.index]
        if after.any():  # a call that no hand makes tells nothing
            order = np.argsort(-after)
            order = order[
                : 1 + int(np.searchsorted(after[order].cumsum(), 0.995 * after.sum()))
            ]
            hands, weights = hands[order], after[order] / after[order].sum()
        denied = weights @ _Fits.of(hands, meanings).some < DENIED * at_first
        meanings = {
            call: meanings[call]
            for call, no in zip(meanings, denied, strict=True)
            if not no
        }
    plain = call_probabilities(base, hands, before)
    fits = _Fits.of(hands, meanings)
    factors = _factors(plain, weights, fits, faith)
    return _Place(
        hands,
        weights,
        _all_calls(plain, fits, faith, factors).astype(np.float32),
        meanings,
        factors,
    )


def _factors(plain: Floats, weights: Floats, fits: _Fits, faith: float) -> Floats:
    """The factors of the first step, by iterative scaling; in its second half P(fits ∣
    call) alone is mended.
    """
    mine = plain[:, fits.columns]
    rest = np.maximum(plain.sum(axis=1) - mine.sum(axis=1), 0.0)
    wanted = faith * np.minimum(weights @ mine, weights @ fits.some)
    factors: Floats = np.repeat([[1.0], [1.0 - faith]], len(fits.columns), axis=1)
    more, less = factors
    for number in range(ROUNDS):
        chances = weights[:, None] * _stated(mine, rest, fits, faith, factors)
        good = np.where(fits.some, chances, 0.0).sum(axis=0)
        bad = chances.sum(axis=0) - good
        steps = (
            np.clip(
                less * (1.0 - faith) * good / np.maximum(faith * bad, TINY),
                SMALLEST,
                1.0,
            )
            / less
        )
        less *= steps
        if number < ROUNDS // 2:
            raised = (
                np.clip(more * wanted / np.maximum(good, TINY), 1.0, 1.0 / SMALLEST)
                / more
            )
            more *= raised
            steps = np.concatenate([steps, raised])
        if np.abs(np.log(steps)).max(initial=0.0) < 0.02:
            break
    return factors
