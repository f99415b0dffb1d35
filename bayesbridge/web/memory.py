"""Posteriors of the last positions.

A click adds one piece to a position, so the posterior before it is kept: the next one
is computed from it.
"""

from __future__ import annotations

from typing import Final

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.engines.budget import USUAL
from bayesbridge.engines.levels import exact_tables

MORE_DRAWS: Final = 8_000
"""Draws of the second, closer look at a position."""

MOST_KEPT: Final = 100
"""Posteriors that are kept: under calls each has a few thousand draws of 32 bytes."""

FEW_LAYOUTS: Final = 200_000
"""Layouts up to which the calls are evaluated for each."""


class Memory:
    """Posteriors by position and number of draws, the oldest forgotten first."""

    def __init__(self) -> None:
        self._posteriors: dict[tuple[Belief, int, bool], Posterior] = {}

    def known(self, belief: Belief, seed: int, more: bool = False) -> Posterior:
        """The posterior of a belief, from memory or from that of one piece less.

        ``more`` asks for more than the few draws of the first look.
        """
        key = belief, seed, more
        posterior = self._posteriors.pop(key, None)
        if posterior is None:
            posterior = self._compute(belief, seed, more)
            if len(self._posteriors) >= MOST_KEPT:
                oldest = next(iter(self._posteriors))
                del self._posteriors[oldest]
        # At the end now, as the youngest.
        self._posteriors[key] = posterior
        return posterior

    def _compute(self, belief: Belief, seed: int, more: bool) -> Posterior:
        """The posterior, carried over from that of one piece less where it can be.

        It can where the new piece tells nothing: then the old posterior is rebound to
        the new belief, else ``rebind`` gives ``None``.
        """
        draws = MORE_DRAWS if more else USUAL["explorer"].draws or 0
        history = list(belief.history())
        earlier = None
        if len(history) > 1:
            one_piece_less = history[-2]
            earlier = self._posteriors.get((one_piece_less, seed, more))
        if earlier is not None:
            carried = earlier.rebind(belief)
            if carried is not None:
                return carried
        return infer(belief, draws, seed, earlier)


def infer(
    belief: Belief, draws: int, seed: int, before: Posterior | None = None
) -> Posterior:
    """The most exact posterior that is there in a moment.

    Few layouts, and those without soft evidence, are counted at once. Where others
    would be walked, millions of them, tables of exact calls (the method ``levels``)
    answer sooner if there are any, else draws with importance weights. ``before`` is
    the posterior of one piece less, from which draws may be carried over.
    """
    target = belief.target
    belief.verify()
    if not target.soft or target.count <= FEW_LAYOUTS:
        return belief.infer("auto", draws, seed, None)
    method = "auto"
    auto_would_walk = target.count <= target.cost.most_layouts
    if auto_would_walk:
        method = "importance" if exact_tables(target) is None else "levels"
    return belief.infer(method, draws, seed, before)
