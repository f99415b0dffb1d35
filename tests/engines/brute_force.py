"""Small positions whose every layout can be listed by plain Python, and tests of samples against such lists."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.cards import DECK_MASK, Hand
from bayesbridge.constraints import Constraints
from bayesbridge.layouts import Masks
from tests.engines.positions import brute_force

HANDS = ("AKQ52.J3.A94.K83", "T9.AQ72.KQ65.A92", "J873.K84.832.QJ5", "64.T965.JT7.T764")
"""N E S W of one deal."""


def position(unknown: str, rooms: tuple[int, int, int, int]) -> Constraints:
    """The deal above with ``unknown`` cards taken out of their hands and ``rooms`` cards missing in each seat."""
    hidden = Hand.of(unknown).mask
    pool = [1 << card for card in range(52) if DECK_MASK & ~hidden & (1 << card)]
    certain = Constraints.free()
    for seat, text in enumerate(HANDS):
        mask = Hand.from_pbn(text).mask & ~hidden
        while mask.bit_count() > 13 - rooms[seat]:
            mask &= mask - 1
        certain = certain.hold(seat, mask)
        pool = [bit for bit in pool if not bit & mask]
    # What the rooms displaced goes to whoever is short of cards, so that only ``unknown`` stays in doubt.
    for seat in range(4):
        short = 13 - rooms[seat] - certain.must[seat].bit_count()
        certain, pool = certain.hold(seat, sum(pool[:short])), pool[short:]
    return certain


def all_layouts(constraints: Constraints) -> Masks:
    """(n, 4) every layout that fits, in rising order of North, East, South."""
    return brute_force(constraints, constraints)


def tally(layouts: Masks, listed: Masks) -> NDArray[np.int64]:
    """How often each listed layout occurs; a layout that is not listed is an error."""
    places = {row.tobytes(): index for index, row in enumerate(listed)}
    return np.bincount([places[row.tobytes()] for row in np.ascontiguousarray(layouts)], minlength=len(listed))


def p_value(observed: NDArray[np.int64], probability: NDArray[np.float64]) -> float:
    """χ² against exact probabilities, the rare layouts thrown together; 0 if an impossible one occurred."""
    if observed[probability == 0].any():
        return 0.0
    expected = observed.sum() * probability
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 5:
            observed[-2], expected[-2] = observed[-2] + observed[-1], expected[-2] + expected[-1]
            observed, expected = observed[:-1], expected[:-1]
    return float(stats.chisquare(observed, expected).pvalue)
