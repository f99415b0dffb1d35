"""Random positions with few unknown cards, and all their layouts by brute force."""

import functools
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints

DECK = (1 << 52) - 1


def as_mask(cards: NDArray[np.int64] | list[int]) -> int:
    return sum(1 << int(card) for card in cards)


def random_deal(rng: np.random.Generator) -> list[int]:
    """Four masks of 13."""
    return [as_mask(part) for part in np.split(rng.permutation(52), 4)]


def random_position(rng: np.random.Generator) -> tuple[Constraints, Constraints]:
    """Known cards alone, and the same with a random mixture of further evidence, which may contradict itself."""
    deal = random_deal(rng)
    hidden = rng.permutation(4)[: rng.integers(2, 5)]
    unknown_each = {2: 5, 3: 3, 4: 2}[len(hidden)]
    known = Constraints.free()
    for seat in range(4):
        cards = [card for card in range(52) if deal[seat] >> card & 1]
        # Unknown cards bunch in the honours half the time, so that points ranges bite.
        order = rng.permutation(cards) if rng.random() < 0.5 else sorted(cards, key=lambda card: card % 13)
        kept = order[: 13 - unknown_each] if seat in hidden else order
        known = known.hold(seat, as_mask(list(kept)))
    evidence = known
    for _ in range(rng.integers(0, 6)):
        evidence = _tightened(evidence, deal, rng)
    return known, evidence


def _tightened(evidence: Constraints, deal: list[int], rng: np.random.Generator, honest: bool = False) -> Constraints:
    """One more piece of evidence: true of the deal, unless it is not honest and the die says so."""
    seat, suit = int(rng.integers(4)), int(rng.integers(4))
    if not honest and rng.random() < 0.2:
        deal = random_deal(rng)
    hand = deal[seat]
    slack = int(rng.integers(0, 3))
    match rng.integers(6):
        case 0:
            return evidence.hold(seat, hand & as_mask(rng.permutation(52)[:8]))
        case 1:
            return evidence.lack(seat, ~hand & as_mask(rng.permutation(52)[:20]))
        case 2:
            return evidence.lack(seat, ~hand & 0x1FFF << 13 * suit)
        case 3:
            length = (hand >> 13 * suit & 0x1FFF).bit_count()
            return evidence.length(seat, suit, length - slack, length + int(rng.integers(0, 3)))
        case 4:
            own = tuple((hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4))
            others = [tuple(int(n) for n in rng.permutation(own)) for _ in range(rng.integers(0, 8))]
            return evidence.shape(seat, frozenset([own, *others]))
        case _:
            points = sum((0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4)[card % 13] for card in range(52) if hand >> card & 1)
            return evidence.points(seat, points - slack, points + int(rng.integers(0, 4)))


def brute_force(known: Constraints, evidence: Constraints) -> NDArray[np.uint64]:
    """Every deal that extends the known cards, kept if the evidence allows it; ascending."""
    deals = np.array(sorted(_extensions(known.must)), dtype=np.uint64).reshape(-1, 4)
    return deals[evidence.allows(deals)]


def _extensions(held: tuple[int, int, int, int]) -> Iterator[tuple[int, ...]]:
    partial = [(held, DECK & ~(held[0] | held[1] | held[2] | held[3]))]
    for seat in range(4):
        partial = [
            ((*hands[:seat], hands[seat] | chosen, *hands[seat + 1 :]), left ^ chosen)
            for hands, left in partial
            for chosen in _subsets(left, 13 - hands[seat].bit_count())
        ]
    return (hands for hands, _ in partial)


@functools.cache
def _subsets(mask: int, size: int) -> list[int]:
    return [sum(bits) for bits in itertools.combinations([1 << i for i in range(52) if mask >> i & 1], size)]


def in_order(masks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Rows sorted, to compare two sets of layouts."""
    return masks[np.lexsort(masks.T[::-1])]


def random_view(rng: np.random.Generator) -> Constraints:
    """A player's view at full size: one hand or two are known, with evidence that is true of a random deal."""
    deal = random_deal(rng)
    view = Constraints.free()
    for seat in rng.permutation(4)[: rng.integers(1, 3)]:
        view = view.hold(int(seat), deal[seat])
    for _ in range(rng.integers(0, 6)):
        view = _tightened(view, deal, rng, honest=True)
    return view
