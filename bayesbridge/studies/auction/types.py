"""Hands grouped into types, by which alone the players of the auction game bid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.equilibrium import StrengthTypes, features
from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.layouts import Floats, FrozenArrays
from bayesbridge.runtime.jit import one_thread
from bayesbridge.studies.auction.deals import GameDeals
from bayesbridge.studies.auction.strategies import Types

FITTED_HANDS: Final = 20_000  # hands by which the types are found
RESULTS: Final = range(7, 14)  # the T whose chances tell types apart
STEPS: Final = 30  # of Lloyd's algorithm
SLICE: Final = 1 << 14  # hands whose distances are worked out together


class Grouping(Protocol):
    """A way to group hands."""

    @property
    def number(self) -> int:
        """How many types there are."""

    def types(self, deals: GameDeals) -> Types:
        """(deals, 4) the type of each hand."""


@dataclass(frozen=True, slots=True)
class LevelTypes:
    """Hands by what Algorithm 1 bids: type 0 passes."""

    number: int = 8

    def types(self, deals: GameDeals) -> Types:
        """(deals, 4) the type of each hand: the level."""
        return deals.levels


@dataclass(frozen=True, slots=True, eq=False)
class CaptureTypes(FrozenArrays):
    """Hands by the nearest of some vectors P(T ≥ 7), …, P(T ≥ 13).

    Near in the distance of Hellinger, between square roots of P(T < 7), P(T = 7), …,
    P(T = 13). Types are sorted by P(T ≥ 7): type 0 is the weakest.
    """

    centres: Floats  # (types, 8)

    @property
    def number(self) -> int:
        """How many types there are."""
        return len(self.centres)

    @classmethod
    def fit(cls, deals: GameDeals, number: int) -> Self:
        """Types of hands that are near each other, fitted to these deals.

        By Lloyd's algorithm (k-means) on (hands, 8) square roots of P(T < 7), P(T = 7),
        …, P(T = 13), whose distance is that of Hellinger. It starts from hands evenly
        spaced by P(T ≥ 7), so that the same deals give the same types.
        """
        if number < 1:
            raise BayesBridgeError(
                f"{number} types: a game needs at least 1", types=number
            )
        chances_of_hands = deals.chances().reshape(-1, len(RESULTS))
        roots = _roots(chances_of_hands[:FITTED_HANDS])
        distinct = np.unique(roots, axis=0)
        if number > len(distinct):
            raise BayesBridgeError(
                f"{number} types: no hand would have some of them, since these deals "
                f"have {len(distinct)} different hands: ask for fewer types, or give "
                "more deals",
                types=number,
            )
        # The first coordinate falls as P(T ≥ 7) rises.
        by_strength = distinct[np.argsort(-distinct[:, 0], kind="stable")]
        places = ((np.arange(number) + 0.5) * len(distinct) / number).astype(int)
        centres = by_strength[places]
        with one_thread():
            for _ in range(STEPS):
                centres = _mean_of_nearest(centres, roots)
        return cls(centres[np.argsort(-centres[:, 0], kind="stable")])

    def types(self, deals: GameDeals) -> Types:
        """(deals, 4) the type of each hand: that of the nearest vector."""
        roots = _roots(deals.chances().reshape(-1, len(RESULTS)))
        with one_thread():
            return _nearest(self.centres, roots).reshape(-1, 4)


@dataclass(frozen=True, slots=True, eq=False)
class TrickTypes:
    """Hands by the tricks that the play-out should give them, a sum over their suits.

    Unlike the captures of :class:`CaptureTypes` this is fitted to the play-out itself.
    """

    strength: StrengthTypes

    @property
    def number(self) -> int:
        """How many types there are."""
        return self.strength.number

    @classmethod
    def fit(cls, deals: GameDeals, number: int) -> Self:
        """Parts of equal size of the hands of these deals, by predicted tricks."""
        hands = deals.hands.ravel()
        columns = features(hands)
        tricks = deals.declared_tricks().ravel()
        with one_thread():
            weights = np.linalg.lstsq(columns, tricks, rcond=None)[0]
            strength = columns @ weights
        cuts = np.quantile(strength, np.arange(1, number) / number)
        return cls(StrengthTypes(weights, cuts))

    def types(self, deals: GameDeals) -> Types:
        """(deals, 4) the type of each hand, by its predicted tricks."""
        return self.strength.of(deals.hands.ravel()).reshape(-1, 4)


def _roots(chances: Floats) -> Floats:
    """(n, 8) square roots of P(T < 7), P(T = 7), …, from (n, 7) P(T ≥ 7), …"""
    ones = np.ones((len(chances), 1))
    zeros = np.zeros((len(chances), 1))
    falling = np.hstack([ones, chances, zeros])
    return np.asarray(np.sqrt(np.maximum(0.0, -np.diff(falling, axis=1))))


def _nearest(centres: Floats, roots: Floats) -> NDArray[np.int16]:
    """(n,) number of the nearest centre of each row; the first on ties."""
    squares = (centres**2).sum(axis=1)
    nearest = np.empty(len(roots), dtype=np.int16)
    for start in range(0, len(roots), SLICE):
        batch = roots[start : start + SLICE]
        # Squared distances, less what is the same for all centres.
        distances = squares - 2 * batch @ centres.T
        nearest[start : start + SLICE] = distances.argmin(axis=1)
    return nearest


def _mean_of_nearest(centres: Floats, roots: Floats) -> Floats:
    """The means of the rows nearest to each centre; one that has none stays."""
    nearest = _nearest(centres, roots)
    sums = np.zeros_like(centres)
    np.add.at(sums, nearest, roots)
    rows = np.bincount(nearest, minlength=len(centres))
    means = sums / np.maximum(rows, 1)[:, None]
    return np.asarray(np.where(rows[:, None] > 0, means, centres))


FITTED_TO: Final[Mapping[str, Callable[[GameDeals, int], Grouping]]] = {
    "captures": CaptureTypes.fit,
    "tricks": TrickTypes.fit,
}
"""What hands are grouped by, and how."""
