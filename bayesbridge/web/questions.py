"""Questions of the explorer's page: what it sends, as values, or why it is refused.

A question is a flat object: ``settings`` by name and ``evidence`` as pairs of kind and
text, both as in position files, then ``first`` (who calls first), ``contract`` (the
requested one) and ``number`` (of layouts to show). Nothing of it names a file, a plugin
or code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from bayesbridge.bidders.learned import TYPICAL, PairStyle
from bayesbridge.bidders.system_files import system_names
from bayesbridge.errors import NotationError, located
from bayesbridge.estimators.builtin import bayesbridge_bidders
from bayesbridge.evidence.kinds import KINDS, Piece
from bayesbridge.game.calls import Contract
from bayesbridge.game.deal import Seat
from bayesbridge.position import SETTINGS, Position, Sourced
from bayesbridge.web import fields

SYSTEM: Final = re.compile(
    r"(?:(?:NS|EW):)?([a-z-]+(?:\+[a-z-]+)*)(?:=[0-9.]+)?", re.IGNORECASE
)
"""Systems by their names, perhaps of one side, perhaps followed so far: ``NS:acol=0.8``."""

MOST_LAYOUTS: Final = 24
"""Layouts to show of one position."""

USUAL_LAYOUTS: Final = 6

LONGEST_STYLE: Final = 60
"""Characters of an unknown style that a message quotes."""


class Query(NamedTuple):
    """A question of the page: the position and what is asked about it."""

    position: Position
    first: Seat | None
    """Who calls first, where no call is there yet."""
    contract: Contract | None
    number: int
    """How many layouts are to be shown."""
    seed: int
    chips: tuple[tuple[str, str], ...]
    """Kind and text of every piece of evidence, as it was sent."""
    faults: Mapping[int, NotationError]
    """What is wrong with chips that cannot be read, by their number from 0."""

    def verify(self) -> Query:
        """The question itself; one with a chip that cannot be read is refused."""
        for fault in self.faults.values():
            raise fault
        return self

    @property
    def pieces(self) -> list[Piece]:
        """The evidence that could be read, in its order."""
        return [sourced.value for sourced in self.position.pieces]

    @property
    def start(self) -> Position:
        """The position before any evidence."""
        return self.position._replace(pieces=())


def read_question(document: dict[str, Any]) -> Query:
    """Read a question; what is wrong with it is said in one line.

    A chip that cannot be read refuses nothing by itself: the others still make a
    position, on which its place is marked.
    """
    settings = {
        name: read_setting(value, name)
        for name, value in fields.optional(document, "settings", dict, {}).items()
    }
    chips = tuple(fields.pairs_of_texts(document, "evidence"))
    pieces = []
    faults = {}
    for number, (kind, text) in enumerate(chips):
        where = f"chip {number + 1}"
        try:
            pieces.append(Sourced(read_piece(kind, text, where), where))
        except NotationError as fault:
            faults[number] = fault
    first = fields.optional(document, "first", str, None)
    contract = fields.optional(document, "contract", str, None)
    layouts = fields.optional(document, "number", int, USUAL_LAYOUTS)
    seed = fields.optional(document, "seed", int, 1)
    if not 0 <= seed < 2**64:
        raise NotationError(f"seed {seed!r}: give a whole number from 0 to 2 ** 64 - 1")
    return Query(
        position=Position(settings, tuple(pieces)),
        first=None if first is None else _read("first", Seat.of, first),
        contract=None if contract is None else _read("contract", Contract.of, contract),
        number=min(max(layouts, 1), MOST_LAYOUTS),
        seed=seed,
        chips=chips,
        faults=faults,
    )


def read_piece(kind: str, text: str, where: str = "") -> Piece:
    """One piece of evidence; what is wrong with it is said with where it was given."""
    if kind not in KINDS:
        message = f"unknown kind {kind!r}: kinds are {', '.join(KINDS)}"
        if where:
            message = f"{where}: {message}"
        raise NotationError(message)
    if not where:
        return KINDS[kind].of(text)
    return _read(where, KINDS[kind].of, text)


def read_setting(value: Any, name: str) -> Sourced[Any]:
    """One setting of a position, from a text, or from a list where it may be given often.

    Bidders, systems and styles are those that come with the package, by their names; a
    style may also be given by its numbers.
    """
    if name not in SETTINGS:
        raise NotationError(
            f"unknown setting {name!r}: settings are {', '.join(SETTINGS)}"
        )
    setting = SETTINGS[name]
    texts = value if setting.many and isinstance(value, list) else [value]
    for text in texts:
        fields.of_kind(text, name, str)
        if name in VERIFY:
            VERIFY[name](text)
    if setting.many:
        values = tuple(_read(name, setting.read, text) for text in texts)
        return Sourced(values, name)
    return Sourced(_read(name, setting.read, value), name)


def _verify_bidder(text: str) -> None:
    bidders = bayesbridge_bidders()
    if text not in bidders:
        raise NotationError(f"unknown bidder {text!r}: choose {', '.join(bidders)}")


def _verify_style(text: str) -> None:
    _side, _, style = text.partition(":")
    if PairStyle.of_text(style) is None:
        raise NotationError(
            f"unknown style {text[:LONGEST_STYLE]!r}: choose {', '.join(TYPICAL)}, or "
            "drop a style file here"
        )


def _verify_system(text: str) -> None:
    names = system_names()
    match = SYSTEM.fullmatch(text)
    if match is None or not set(match[1].lower().split("+")) <= set(names):
        raise NotationError(f"unknown system {text!r}: choose {', '.join(names)}")


VERIFY: Final[Mapping[str, Callable[[str], None]]] = {
    "bidder": _verify_bidder,
    "style": _verify_style,
    "system": _verify_system,
}
"""Settings whose texts may name files or plugins elsewhere: what refuses these here."""


def _read[T](where: str, read: Callable[[str], T], text: str) -> T:
    """A text as a value; what is wrong with it is said with where it was given."""
    with located(where):
        return read(text)
