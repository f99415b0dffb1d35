"""Shapes of hands, four suit lengths C D H S that add up to 13, and the ways in which
players name sets of them.

``balanced`` is 4-3-3-3, 4-4-3-2 or 5-3-3-2, ``5-4-2-2`` these four lengths, in any
order; ``any 5-5`` has at least so many cards in its longest suits; ``S5+ H4-5 D-2`` has
at least 5 spades, 4 or 5 hearts and at most 2 diamonds. Several of these with ``or``
between them mean any one of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from bayesbridge.errors import NotationError
from bayesbridge.game.cards import Suit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

type Shape4 = tuple[int, int, int, int]
type Shapes = frozenset[Shape4]

EXAMPLES: Final = "balanced, 5-4-2-2, any 5-5 or S5+ H4-5"

_SUIT_LENGTH: Final = re.compile(r"[cdhs](\d{1,2}\+?|\d{1,2}-\d{1,2}|-\d{1,2})")
_BALANCED: Final = ((4, 3, 3, 3), (4, 4, 3, 2), (5, 3, 3, 2))


@lru_cache(maxsize=64)
def shapes_within(low: Shape4, high: Shape4) -> Shapes:
    """All shapes whose lengths lie in ranges, both ends included."""
    clubs, diamonds, hearts, spades = (
        range(first, last + 1) for first, last in zip(low, high, strict=True)
    )
    every = ((c, d, h, 13 - c - d - h) for c, d, h in product(clubs, diamonds, hearts))
    return frozenset(shape for shape in every if shape[3] in spades)


ALL: Final = shapes_within((0, 0, 0, 0), (13, 13, 13, 13))


@lru_cache(maxsize=256)
def shape_table(shapes: Shapes) -> NDArray[np.bool_]:
    """(14, 14, 14) whether a hand with these lengths of C D H has one of the shapes."""
    import numpy as np

    table = np.zeros((14, 14, 14), dtype=np.bool_)
    for c, d, h, _ in shapes:
        table[c, d, h] = True
    table.flags.writeable = False
    return table


@lru_cache(maxsize=256)
def read_shapes(text: str) -> Shapes:
    """The shapes that a text names.

    >>> len(read_shapes("balanced")), len(read_shapes("5-4-2-2")), len(read_shapes("any 5-5"))
    (28, 12, 120)
    >>> read_shapes("S5+ H5+ D-0") <= read_shapes("any 5-5")
    True
    """
    found: Shapes = frozenset()
    for part in re.split(r"\bor\b", text.strip().lower()):
        found |= _one(part.strip(), text)
    if not found:
        raise NotationError(
            f"no hand of 13 cards has the shape {text!r}: write lengths that fit, such as {EXAMPLES}"
        )
    return found


def normal_text(text: str) -> str:
    """The text of a shape as it is shown and read again: ``s5+  h4-5`` becomes ``S5+
    H4-5``.
    """
    words = text.strip().lower().split()
    return " ".join(
        word.upper() if _SUIT_LENGTH.fullmatch(word) else word for word in words
    )


def _one(part: str, text: str) -> Shapes:
    if part == "balanced":
        return frozenset(shape for shape in ALL if _falling(shape) in _BALANCED)
    if re.fullmatch(r"\d{1,2}(-\d{1,2}){3}", part):
        wanted = tuple(sorted(map(int, part.split("-")), reverse=True))
        if sum(wanted) != 13:
            raise NotationError(
                f"shape {text!r}: {part} has {sum(wanted)} cards, a hand has 13",
                text=text,
            )
        return frozenset(shape for shape in ALL if _falling(shape) == wanted)
    if match := re.fullmatch(r"any\s+(\d{1,2}(?:-\d{1,2}){0,3})", part):
        least = sorted(map(int, match[1].split("-")), reverse=True)
        return frozenset(
            shape for shape in ALL if all(map(int.__ge__, _falling(shape), least))
        )
    words = part.split()
    if not words or not all(map(_SUIT_LENGTH.fullmatch, words)):
        raise NotationError(f"{text!r} is no shape: write {EXAMPLES}", text=text)
    low, high = [0] * 4, [13] * 4
    for word in words:
        suit, bounds = Suit.of(word[0]), word[1:]
        first, dash, last = bounds.removesuffix("+").partition("-")
        low[suit] = max(low[suit], int(first or 0))
        high[suit] = min(
            high[suit],
            int(last) if dash else 13 if bounds.endswith("+") else int(first),
        )
        if low[suit] > high[suit]:
            raise NotationError(
                f"shape {text!r}: no length of {suit.name} fits {word.upper()}",
                text=text,
            )
    return shapes_within(tuple(low), tuple(high))


def _falling(shape: Shape4) -> tuple[int, ...]:
    return tuple(sorted(shape, reverse=True))
