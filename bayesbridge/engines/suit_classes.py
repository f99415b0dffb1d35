"""Quantities of a layout that are found suit by suit, and the fewest classes that tell their values apart.

A *quantity* is found suit by suit if each row of a suit has a code, two neighbouring suits have a code that follows
from their codes, and the value follows from the codes of both halves (clubs with diamonds, hearts with spades). The
level of Algorithm 1 is one. Codes that no other suits of the position tell apart are one *class*: two codes of a half
are, if they give the same value with every code of the other half, and two codes of a suit are, if they give the same
class with every code of its neighbour. A strong hand in view leaves few classes, often a tenth of the codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.suit_rows import Ints
from bayesbridge.errors import TablesTooLarge

type Fields = NDArray[np.uint16]
"""(r, 4) the cards of one suit in r rows, column = seat."""


MOST_CODES: Final = 1 << 27
"""Pairs of codes of two halves beyond which tables are refused; so many bytes are needed for a second or two."""


class Quantity(Protocol):
    """What can be found suit by suit: codes are int64, values 0 … ``size`` − 1."""

    @property
    def size(self) -> int:
        """The number of values."""

    def codes(self, suit: int, fields: Fields) -> Ints:
        """(r,) codes of r rows of a suit."""

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of two suits from (n,) codes of the first and (m,) codes of the next one."""

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) values of layouts with (n,) codes in clubs and diamonds and (m,) codes in hearts and spades."""


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of one quantity over the rows of one position."""

    size: int
    rows: tuple[Ints, ...]
    """For C D H S, (r,) the class of each row."""
    low: Ints
    """(classes of clubs, classes of diamonds) the class of the pair."""
    high: Ints
    """(classes of hearts, classes of spades) the class of the pair."""
    values: Ints
    """(classes of the low pair, classes of the high pair) the value."""
    high_codes: Ints
    """(classes of the high pair,) a code of each."""

    @classmethod
    def of(cls, quantity: Quantity, suits: list[Fields]) -> Self:
        """The fewest classes; ``suits``: the rows of C D H S, certain cards included."""
        codes, places = [], []
        for suit, fields in enumerate(suits):
            distinct, place = np.unique(quantity.codes(suit, fields), return_inverse=True)
            codes.append(distinct)
            places.append(place)
        low_codes, low = _distinct(quantity.composed(codes[0], codes[1]))
        high_codes, high = _distinct(quantity.composed(codes[2], codes[3]))
        if len(low_codes) * len(high_codes) > MOST_CODES:
            raise TablesTooLarge(
                f"{len(low_codes)} codes of two suits meet {len(high_codes)} of the others and tables stop at "
                f"{MOST_CODES} meetings: use another method, or make a hand known",
                needed=len(low_codes) * len(high_codes),
            )
        values = quantity.values(low_codes, high_codes)
        low_kept, low_class = distinct_rows(values)
        high_kept, high_class = distinct_rows(values[low_kept].T)
        values = values[np.ix_(low_kept, high_kept)]
        merged = []
        for pair, classes in ((low, low_class), (high, high_class)):
            pair = classes[pair]
            first_kept, first_class = distinct_rows(pair)
            second_kept, second_class = distinct_rows(pair.T)
            merged.append((pair[np.ix_(first_kept, second_kept)], first_class, second_class))
        (low, clubs, diamonds), (high, hearts, spades) = merged
        rows = tuple(by_code[place] for by_code, place in zip((clubs, diamonds, hearts, spades), places, strict=True))
        return cls(quantity.size, rows, low, high, values.astype(np.int64), high_codes[high_kept])

    def without_first(self) -> Self:
        """The classes of the layouts whose value is not 0: the others move down by one. What cannot lead to them is −1.

        A class of a half is left out if it has the value 0 with all classes of the other half, a class of a suit if it
        makes such a class with all classes of its neighbour.
        """
        fits = self.values > 0
        low, high = (
            np.where(alive[pair], pair, -1) for alive, pair in ((fits.any(1), self.low), (fits.any(0), self.high))
        )
        alive = [(pair >= 0).any(axis) for pair in (low, high) for axis in (1, 0)]
        rows = tuple(np.where(kept[row], row, -1) for kept, row in zip(alive, self.rows, strict=True))
        return type(self)(self.size - 1, rows, low, high, self.values - 1, self.high_codes)


def _distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes of a matrix, ascending, and the place of each entry among them."""
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, place.reshape(codes.shape)


def distinct_rows(matrix: NDArray[Any]) -> tuple[Ints, Ints]:
    """One row of each kind of a matrix, and the kind of each row."""
    kinds: dict[bytes, int] = {}
    rows = np.ascontiguousarray(matrix)
    kind = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in rows], dtype=np.int64)
    return np.unique(kind, return_index=True)[1], kind
