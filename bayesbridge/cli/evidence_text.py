"""Evidence as people write it, ``W:S:5-13``: one kind for each option, and the same kinds in position files.

Nothing here imports the evidence before a piece is read, so that ``--help`` stays quick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from bayesbridge.errors import NotationError

if TYPE_CHECKING:
    from bayesbridge.evidence import Evidence


class Kind(NamedTuple):
    """One kind of evidence."""

    read: Callable[[str], Evidence]
    metavar: str
    help: str


def _reveal(text: str) -> Evidence:
    from bayesbridge.evidence import Reveal

    return Reveal(*_parts(text, "seat and hand", "N:J54.AQ2.KQ32.A54"))


def _play(text: str) -> Evidence:
    from bayesbridge.evidence import Play

    return Play(*_parts(text, "seat and card", "E:HK"))


def _void(text: str) -> Evidence:
    from bayesbridge.evidence import Void

    return Void(*_parts(text, "seat and suit", "E:H"))


def _length(text: str) -> Evidence:
    from bayesbridge.evidence import Length

    seat, suit, bounds = _parts(text, "seat, suit and length", "W:S:5-13")
    return Length(seat, suit, *_bounds(bounds, 13))


def _points(text: str) -> Evidence:
    from bayesbridge.evidence import HighCards

    seat, bounds = _parts(text, "seat and points", "W:12-14")
    return HighCards(seat, *_bounds(bounds, 40))


def _holds(text: str) -> Evidence:
    from bayesbridge.evidence import Holds

    return Holds(*_parts(text, "seat and cards", "E:SA,SK"))


def _lacks(text: str) -> Evidence:
    from bayesbridge.evidence import Lacks

    return Lacks(*_parts(text, "seat and cards", "E:SA,SK"))


def _call(text: str) -> Evidence:
    from bayesbridge.evidence import Called

    return Called(*_parts(text, "seat and call", "W:1NT"))


KINDS = {
    "reveal": Kind(_reveal, "N:PBN", "a seat shows its 13 cards, as an open dummy does"),
    "play": Kind(_play, "E:HK", "a seat plays a card; give all cards in the order of play, voids follow from them"),
    "void": Kind(_void, "E:H", "a seat has no more cards of a suit than it has played before"),
    "length": Kind(_length, "W:S:5-13", "a seat was dealt so many cards of a suit; also 5, 5+ (or 5-) and -3"),
    "hcp": Kind(_points, "W:12-14", "a seat was dealt so many high-card points; also 12, 12+ and -14"),
    "holds": Kind(_holds, "E:SA", "a seat was dealt a card, or several: E:SA,HK"),
    "lacks": Kind(_lacks, "E:SA", "a seat was dealt none of these cards"),
    "call": Kind(_call, "W:1NT", "a seat bids or passes; give calls in order, seats left out between have passed"),
}
"""By the name of the option and of the key in a position file."""


def _parts(text: str, what: str, example: str) -> list[str]:
    """The parts between colons, as many as the example has, none of them empty."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) != example.count(":") + 1 or not all(parts):
        raise NotationError(f"{text!r}: write {what}, such as {example}", text=text)
    return parts


def _bounds(text: str, most: int) -> tuple[int, int]:
    """Lowest and highest of ``5-13``, ``5``, ``5+``, ``5-`` or ``-3``."""
    low, dash, high = text.removesuffix("+").partition("-")
    open_above = text.endswith("+") or (bool(dash) and not high)
    words = [word.strip() for word in (low, high) if word.strip()]
    if not words or not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
        raise NotationError(f"{text!r} is no range: write 5-{most}, 5, 5+ or -5", text=text)
    if text.endswith("+") and dash:
        raise NotationError(f"{text!r} is no range: write {low}+ or {low}-{most}, not both", text=text)
    first = int(low) if low.strip() else 0
    return first, most if open_above else int(words[-1])
