"""Shapes of hands: four suit lengths C D H S that add up to 13.

And the ways in which players name sets of them.

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
from bayesbridge.game.cards import HAND_CARDS, Suit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

type Shape4 = tuple[int, int, int, int]
type Shapes = frozenset[Shape4]

EXAMPLES: Final = "balanced, 5-4-2-2, any 5-5 or S5+ H4-5"

_SUIT_LENGTH: Final = re.compile(r"[cdhs](\d{1,2}\+?|\d{1,2}-\d{1,2}|-\d{1,2})")
_FOUR_LENGTHS: Final = re.compile(r"\d{1,2}(-\d{1,2}){3}")
_LONGEST_SUITS: Final = re.compile(r"any\s+(\d{1,2}(?:-\d{1,2}){0,3})")
_BALANCED: Final = ((4, 3, 3, 3), (4, 4, 3, 2), (5, 3, 3, 2))


@lru_cache(maxsize=64)
def shapes_within(low: Shape4, high: Shape4) -> Shapes:
    """All shapes whose lengths lie in ranges, both ends included."""
    clubs, diamonds, hearts, spades = (
        range(shortest, longest + 1)
        for shortest, longest in zip(low, high, strict=True)
    )
    shapes: list[Shape4] = []
    for c, d, h in product(clubs, diamonds, hearts):
        s = HAND_CARDS - c - d - h
        if s in spades:
            shapes.append((c, d, h, s))
    return frozenset(shapes)


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
    shapes: Shapes = frozenset()
    for alternative in re.split(r"\bor\b", text.strip().lower()):
        shapes |= _read_alternative(alternative.strip(), text)
    if not shapes:
        raise NotationError(
            f"no hand of 13 cards has the shape {text!r}: write lengths that fit, such "
            f"as {EXAMPLES}"
        )
    return shapes


def normal_text(text: str) -> str:
    """The text of a shape as it is shown and read again.

    ``s5+ h4-5`` becomes ``S5+ H4-5``.
    """
    words = text.strip().lower().split()
    return " ".join(
        word.upper() if _SUIT_LENGTH.fullmatch(word) else word for word in words
    )


def _read_alternative(words: str, text: str) -> Shapes:
    """The shapes that words without ``or`` name; ``text`` is the whole, for errors.

    Balanced shapes are known by their lengths alone, in falling order.
    """
    if words == "balanced":
        return frozenset(shape for shape in ALL if _falling(shape) in _BALANCED)
    if _FOUR_LENGTHS.fullmatch(words):
        return _read_four_lengths(words, text)
    longest_suits = _LONGEST_SUITS.fullmatch(words)
    if longest_suits is not None:
        return _read_longest_suits(longest_suits[1])
    ranges = words.split()
    if not ranges or not all(map(_SUIT_LENGTH.fullmatch, ranges)):
        raise NotationError(f"{text!r} is no shape: write {EXAMPLES}", text=text)
    return _read_suit_ranges(ranges, text)


def _read_four_lengths(words: str, text: str) -> Shapes:
    """``5-4-2-2``, in any order of suits."""
    lengths = tuple(sorted(map(int, words.split("-")), reverse=True))
    if sum(lengths) != HAND_CARDS:
        raise NotationError(
            f"shape {text!r}: {words} has {sum(lengths)} cards, a hand has 13",
            text=text,
        )
    return frozenset(shape for shape in ALL if _falling(shape) == lengths)


def _read_longest_suits(words: str) -> Shapes:
    """``5-5``, the fewest cards in the longest suits."""
    fewest = sorted(map(int, words.split("-")), reverse=True)
    return frozenset(shape for shape in ALL if _reaches(shape, fewest))


def _reaches(shape: Shape4, fewest: list[int]) -> bool:
    """Whether the longest suits of a shape have so many cards at least."""
    lengths = _falling(shape)
    return all(length >= least for length, least in zip(lengths, fewest, strict=False))


def _read_suit_ranges(words: list[str], text: str) -> Shapes:
    """``S5+``, ``H4-5``, ``D-2``: all of these at once."""
    shortest = [0, 0, 0, 0]
    longest = [HAND_CARDS] * 4
    for word in words:
        suit = Suit.of(word[0])
        low, high = _length_range(word[1:])
        shortest[suit] = max(shortest[suit], low)
        longest[suit] = min(longest[suit], high)
        if shortest[suit] > longest[suit]:
            raise NotationError(
                f"shape {text!r}: no length of {suit.name} fits {word.upper()}",
                text=text,
            )
    return shapes_within(tuple(shortest), tuple(longest))


def _length_range(bounds: str) -> tuple[int, int]:
    """Fewest and most cards of ``5``, ``5+``, ``4-5`` or ``-2``."""
    if bounds.endswith("+"):
        return int(bounds[:-1]), HAND_CARDS
    low, dash, high = bounds.partition("-")
    if not dash:
        return int(low), int(low)
    return int(low or 0), int(high)


def _falling(shape: Shape4) -> tuple[int, ...]:
    """The lengths of a shape from the longest suit to the shortest."""
    return tuple(sorted(shape, reverse=True))
