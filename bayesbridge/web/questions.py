"""What a page may ask, read and checked: nothing of it names a file, a plugin or code.

A question is a flat object: ``settings`` by name and ``evidence`` as pairs of kind and text, both as in position files,
then ``first`` (who calls first), ``contract`` (the one that is asked about) and ``number`` (of layouts to show).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from bayesbridge.bidders.systems import system_names
from bayesbridge.calls import Contract
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, NotationError
from bayesbridge.estimators.builtin import bayesbridge_bidders
from bayesbridge.evidence.kinds import KINDS, Piece
from bayesbridge.position import EXAMPLES, SETTINGS, Position, Sourced

MOST_PIECES: Final = 160
"""Of evidence: a long auction, 52 cards and an open hand are 120."""

LONGEST: Final = 120
"""Letters of one text."""

MOST_SYSTEMS: Final = 4

MOST_LAYOUTS: Final = 24
"""Layouts shown at a time."""

KEYS: Final = frozenset(("settings", "evidence", "first", "contract", "number", "seed"))

_SYSTEM: Final = re.compile(r"(?:(?:NS|EW):)?([a-z-]+(?:\+[a-z-]+)*)(?:=[0-9.]+)?", re.IGNORECASE)


class Asked(NamedTuple):
    """A position, and what is asked about it."""

    position: Position
    first: Seat | None
    """Who calls first, where no call is there yet."""
    contract: Contract | None
    number: int
    seed: int


def read_question(document: Any) -> Asked:
    """Read a question; what is wrong with it is said in one line."""
    said = _object(document, "the question")
    if strange := sorted(set(said) - KEYS):
        raise NotationError(f"unknown key {_short(strange[0])} in the question: keys are {', '.join(sorted(KEYS))}")
    settings = {name: _setting(name, text) for name, text in _object(said.get("settings", {}), "settings").items()}
    evidence = said.get("evidence", [])
    if not isinstance(evidence, list) or len(evidence) > MOST_PIECES:
        raise NotationError(f"evidence: give a list of at most {MOST_PIECES} pairs of kind and text")
    pieces = tuple(_piece(number, pair) for number, pair in enumerate(evidence, 1))
    first, contract = said.get("first"), said.get("contract")
    asked = Asked(
        Position(settings, pieces),
        None if first is None else _read("first", Seat.of, first),
        None if contract is None else _read("contract", Contract.of, contract),
        _whole(said, "number", 6, 1, MOST_LAYOUTS),
        _whole(said, "seed", 1, 0, 2**64 - 1),
    )
    for name, example in EXAMPLES.items():
        if name not in settings:
            raise NotationError(f"the position has no {name}: write one, such as {name} = {example!r}")
    return asked


def _setting(name: str, text: Any) -> Sourced[Any]:
    """One setting; systems and bidders by the names that come with the package alone."""
    if name not in SETTINGS:
        raise NotationError(f"unknown setting {_short(name)}: settings are {', '.join(SETTINGS)}")
    setting = SETTINGS[name]
    if name == "bidder" and text not in (known := bayesbridge_bidders()):
        raise NotationError(f"unknown bidder {_short(text)}: choose {', '.join(known)}")
    if not setting.many:
        return Sourced(_read(name, setting.read, text), name)
    texts = text if isinstance(text, list) else [text]
    if not 1 <= len(texts) <= MOST_SYSTEMS:
        raise NotationError(f"{name}: give from 1 to {MOST_SYSTEMS} texts")
    for one in texts:
        match = _SYSTEM.fullmatch(one) if isinstance(one, str) else None
        if match is None or not set(match[1].lower().split("+")) <= set(system_names()):
            raise NotationError(f"unknown system {_short(one)}: choose {', '.join(system_names())}")
    return Sourced(tuple(_read(name, setting.read, one) for one in texts), name)


def _piece(number: int, pair: Any) -> Sourced[Piece]:
    where = f"chip {number}"
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(word, str) for word in pair):
        raise NotationError(f'{where}: write kind and text, such as ["void", "E:H"]')
    kind, text = pair
    if kind not in KINDS:
        raise NotationError(f"{where}: unknown kind {_short(kind)}: kinds are {', '.join(KINDS)}")
    return Sourced(_read(where, KINDS[kind].of, text), where)


def _read[T](where: str, read: Callable[[str], T], text: Any) -> T:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise NotationError(f"{where}: {_short(text)} is no text of at most {LONGEST} letters")
    try:
        return read(text)
    except BayesBridgeError as error:
        raise NotationError(f"{where}: {error}") from None


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotationError(f"{name}: give an object, not {_short(value)}")
    return value


def _whole(said: dict[str, Any], name: str, usual: int, low: int, high: int) -> int:
    value = said.get(name, usual)
    if type(value) is not int or not low <= value <= high:
        raise NotationError(f"{name} {_short(value)}: give a whole number from {low} to {high}")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
