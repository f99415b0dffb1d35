"""Posteriors of the positions asked about last: a click adds one piece to a position whose posterior is known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior

KEPT: Final = 100
"""Posteriors kept; under calls each has a few thousand draws of 32 bytes and their weights."""

WALKED: Final = 200_000
"""Layouts up to which calls are asked about every one; beyond it tables or draws answer sooner."""

FIRST: Final = 300
"""Draws of the first answer under calls."""

MORE: Final = 8_000
"""Draws of the second."""

type Key = tuple[str, ...]


class Known(NamedTuple):
    """A posterior, and where its cards lie: (52, 4), spades and aces first."""

    posterior: Posterior
    cards: NDArray[np.float64]


class Memory:
    """Posteriors by position and number of draws, the oldest forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Key, bool], Known] = OrderedDict()

    def known(self, belief: Belief, seed: int, more: bool = False) -> Known:
        """The posterior of a belief, from memory or computed from that of one piece less; ``more`` draws if wanted."""
        key = _key(belief, seed), more
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        before = self._kept.get((_key(belief, seed, 1), more)) if belief.evidence else None
        earlier = None if before is None else before.posterior
        posterior = None if earlier is None else earlier.carried_to(belief)
        posterior = posterior or infer(belief, MORE if more else FIRST, seed, earlier)
        found = Known(posterior, posterior.card_probabilities().values)
        self._kept[key] = found
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def history(self, belief: Belief, seed: int) -> Iterator[Known]:
        """The posteriors before any evidence and after each piece."""
        for step in belief.history():
            yield self.known(step, seed)


def infer(belief: Belief, draws: int, seed: int, before: Posterior | None = None) -> Posterior:
    """The most exact posterior that is there in a moment: tables before a walk over millions of layouts."""
    target = belief.target
    belief.count()
    if not target.soft or target.count <= WALKED:
        return belief.infer("auto", draws, seed)
    if target.count > target.cost.most_layouts:
        return belief.infer("auto", draws, seed, before)  # which does not walk them
    from bayesbridge.engines.levels import exact_tables

    method = "tilted" if exact_tables(target) is None else "exact"
    return belief.infer(method, draws, seed, before)


def _key(belief: Belief, seed: int, less: int = 0) -> Key:
    pieces = belief.evidence[: len(belief.evidence) - less]
    models = repr(belief.bidder), repr(belief.player)
    head = (belief.observer.name, belief.hand.pbn, str(belief.dummy), str(belief.trump), *models, str(seed))
    return (*head, *(f"{piece.option}={piece.text}" for piece in pieces))
