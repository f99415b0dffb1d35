"""Random positions in which some seats may well bid, and all their layouts by brute force."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.constraints import Constraints
from tests.engines.positions import _tightened, as_mask, brute_force, random_deal

type Weights = dict[int, list[Fraction]]


def strong_deal(rng: np.random.Generator, callers: list[int]) -> list[int]:
    """Four masks of 13; the callers get most high cards, and now and then at least one of them would bid."""
    deal = random_deal(rng)
    for _ in range(200):
        bias = rng.uniform(0.5, 2.5)
        order = np.argsort(rng.random(52) * 12 - bias * (np.arange(52) % 13))
        top = rng.permutation(order[: 13 * len(callers)])
        rest = rng.permutation(order[13 * len(callers) :])
        others = [seat for seat in range(4) if seat not in callers]
        for seat, cards in zip(callers + others, np.split(np.concatenate([top, rest]), 4), strict=True):
            deal[seat] = as_mask(cards)
        level = bids(np.array([deal[seat] for seat in callers], dtype=np.uint64)).level
        if (level > rng.integers(0, 2, len(callers))).all() or rng.random() < 0.01:
            break
    return deal


def strong_position(rng: np.random.Generator, callers: list[int]) -> tuple[Constraints, NDArray[np.uint64]]:
    """Evidence of all kinds that leaves few cards unknown, and every layout that fits it: 2 … 3000."""
    while True:
        deal = strong_deal(rng, callers)
        known = Constraints.free()
        hidden = list(dict.fromkeys([*callers, *rng.permutation(4).tolist()]))[: rng.integers(2, 5)]
        unknown = {2: 6, 3: 3, 4: 2}[len(hidden)]
        for seat in range(4):
            cards = [card for card in range(52) if deal[seat] >> card & 1]
            order = rng.permutation(cards) if rng.random() < 0.5 else sorted(cards, key=lambda card: card % 13)
            known = known.hold(seat, as_mask(list(order[: 13 - unknown] if seat in hidden else order)))
        evidence = known
        for _ in range(rng.integers(0, 4)):
            evidence = _tightened(evidence, deal, rng, honest=True)
        layouts = brute_force(known, evidence)
        if 2 <= len(layouts) <= 3000:
            return evidence, layouts


def levels_of(layouts: NDArray[np.uint64], seat: int) -> NDArray[np.int8]:
    """(n,) the level of a seat's hand in each layout, by Algorithm 1 on whole hands."""
    return bids(np.ascontiguousarray(layouts[:, seat])).level


def random_weights(rng: np.random.Generator) -> list[Fraction]:
    """P(calls ∣ level): a bid, a pass, a pass over a bid, a bid and a pass, or anything; with and without slips."""
    slip = Fraction(int(rng.integers(0, 2)), 50)
    sure = 1 - slip + slip / 36
    level = int(rng.integers(0, 8)) if rng.random() < 0.4 else int(rng.integers(0, 3))
    match rng.integers(4):
        case 0:
            fits = [n == level for n in range(8)]
        case 1:
            fits = [n <= level for n in range(8)]
        case 2:
            return [Fraction(int(rng.integers(0, 5)), 7) for _ in range(8)]
        case _:
            fits = [1 <= n <= 1 + level for n in range(8)]
    return [sure if fit else slip / 36 for fit in fits]


def questions(seed: int, wanted: int) -> Iterator[tuple[Constraints, NDArray[np.uint64], Weights]]:
    """Evidence, its layouts and the callers' weights; one, two or three callers."""
    rng = np.random.default_rng(seed)
    for number in range(wanted):
        callers = rng.permutation(4)[: (1, 2, 1, 2, 3)[number % 5]].tolist()
        evidence, layouts = strong_position(rng, callers[:2])
        yield evidence, layouts, {seat: random_weights(rng) for seat in callers}
