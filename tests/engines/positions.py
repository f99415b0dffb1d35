"""Random positions with few unknown cards, all their layouts by brute force, and tests
of draws from them.
"""

import functools
import itertools
from fractions import Fraction

import numpy as np
from scipy import stats

from bayesbridge.capture.kernels import bids
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import DECK_MASK, Hand
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.deals import random_deal


def as_mask(cards):
    return sum(1 << int(card) for card in cards)


def random_position(rng):
    """Known cards alone, and the same with a random mixture of further evidence, which
    may contradict itself.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    hidden = rng.permutation(4)[: rng.integers(2, 5)]
    unknown_each = {2: 5, 3: 3, 4: 2}[len(hidden)]
    known = evidence = _partly_seen(deal, hidden, unknown_each, rng)
    for _ in range(rng.integers(0, 6)):
        evidence = _tightened(evidence, deal, rng)
    return known, evidence


def _partly_seen(deal, hidden, unknown, rng):
    """The cards of a deal but for so many of each hidden seat."""
    known = Constraints.free()
    for seat in range(4):
        cards = [card for card in range(52) if deal[seat] >> card & 1]
        # Unknown cards bunch in the honours half the time, so that points ranges bite.
        order = (
            rng.permutation(cards)
            if rng.random() < 0.5
            else sorted(cards, key=lambda card: card % 13)
        )
        known = known.hold(
            seat, as_mask(order[: 13 - unknown] if seat in hidden else order)
        )
    return known


def _tightened(evidence, deal, rng, honest=False):
    """One more piece of evidence: true of the deal, unless it is not honest and the die
    says so.
    """
    seat, suit = int(rng.integers(4)), int(rng.integers(4))
    if not honest and rng.random() < 0.2:
        deal = [hand.mask for hand in random_deal(rng)]
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
            return evidence.length(
                seat, suit, length - slack, length + int(rng.integers(0, 3))
            )
        case 4:
            own = tuple((hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4))
            others = [
                tuple(int(n) for n in rng.permutation(own))
                for _ in range(rng.integers(0, 8))
            ]
            return evidence.shape(seat, frozenset([own, *others]))
        case _:
            points = sum(
                (0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4)[card % 13]
                for card in range(52)
                if hand >> card & 1
            )
            return evidence.points(
                seat, points - slack, points + int(rng.integers(0, 4))
            )


def allows(known, masks):
    """Which of (n, 4) layouts fit, by the definitions alone; nothing is deduced."""
    lengths, points = suit_lengths(masks), high_card_points(masks)
    must, may = (
        np.array(known.must, dtype=np.uint64),
        np.array(known.may, dtype=np.uint64),
    )
    fits = (np.bitwise_count(masks) == 13).all(1) & (
        np.bitwise_or.reduce(masks, axis=1) == np.uint64(DECK_MASK)
    )
    fits &= (
        ((masks & must) == must).all(1)
        & ((masks & ~may) == 0).all(1)
        & known.meets(masks)
    )
    fits &= (
        (lengths >= np.array(known.shortest)) & (lengths <= np.array(known.longest))
    ).all((1, 2))
    fits &= (
        (points >= np.array(known.points_low)) & (points <= np.array(known.points_high))
    ).all(1)
    for seat, shapes in enumerate(known.shapes):
        fits &= [
            shapes is None or tuple(row) in shapes for row in lengths[:, seat].tolist()
        ]
    return fits


def brute_force(known, evidence):
    """Every deal that extends the known cards, kept if the evidence allows it;
    ascending.
    """
    deals = np.array(sorted(_extensions(known.must)), dtype=np.uint64).reshape(-1, 4)
    return deals[allows(evidence, deals)]


def _extensions(held):
    partial = [(held, DECK_MASK & ~(held[0] | held[1] | held[2] | held[3]))]
    for seat in range(4):
        partial = [
            ((*hands[:seat], hands[seat] | chosen, *hands[seat + 1 :]), left ^ chosen)
            for hands, left in partial
            for chosen in _subsets(left, 13 - hands[seat].bit_count())
        ]
    return (hands for hands, _ in partial)


@functools.cache
def _subsets(mask, size):
    return [
        sum(bits)
        for bits in itertools.combinations(
            [1 << i for i in range(52) if mask >> i & 1], size
        )
    ]


def in_order(masks):
    """Rows sorted, to compare two sets of layouts."""
    return masks[np.lexsort(masks.T[::-1])]


def random_view(rng):
    """A player's view at full size: one hand or two are known, with evidence that is
    true of a random deal.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    view = Constraints.free()
    for seat in rng.permutation(4)[: rng.integers(1, 3)]:
        view = view.hold(int(seat), deal[seat])
    for _ in range(rng.integers(0, 6)):
        view = _tightened(view, deal, rng, honest=True)
    return view


HANDS = (
    "AKQ2.KJ3.A54.Q32",
    "T976.T95.J76.KJ8",
    "J54.AQ2.KQ32.A54",
    "83.8764.T98.T976",
)  # N E S W of one deal


def closed(*rooms):
    """Every seat lacks so many of the highest cards of its hand in that deal."""
    constraints = Constraints.free()
    for seat, (hand, room) in enumerate(zip(map(Hand.of, HANDS), rooms, strict=True)):
        lowest = sorted(hand, key=lambda card: card.rank)[: 13 - room]
        constraints = constraints.hold(seat, sum(card.mask for card in lowest))
    return constraints


def all_layouts(constraints):
    """(n, 4) every layout that fits, in rising order of North, East, South."""
    return brute_force(constraints, constraints)


def tally(layouts, listed):
    """How often each listed layout occurs; a layout that is not listed is an error."""
    places = {row.tobytes(): index for index, row in enumerate(listed)}
    return np.bincount(
        [places[row.tobytes()] for row in np.ascontiguousarray(layouts)],
        minlength=len(listed),
    )


def p_value(observed, probability):
    """χ² against exact probabilities, the rare layouts thrown together; 0 if an
    impossible one occurred.
    """
    if observed[probability == 0].any():
        return 0.0
    expected = observed.sum() * probability
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 5:
            observed[-2], expected[-2] = (
                observed[-2] + observed[-1],
                expected[-2] + expected[-1],
            )
            observed, expected = observed[:-1], expected[:-1]
    return float(stats.chisquare(observed, expected).pvalue)


def strong_deal(rng, callers):
    """Four masks of 13; the callers get most high cards, and now and then at least one
    of them would bid.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    for _ in range(200):
        bias = rng.uniform(0.5, 2.5)
        order = np.argsort(rng.random(52) * 12 - bias * (np.arange(52) % 13))
        top = rng.permutation(order[: 13 * len(callers)])
        rest = rng.permutation(order[13 * len(callers) :])
        others = [seat for seat in range(4) if seat not in callers]
        for seat, cards in zip(
            callers + others, np.split(np.concatenate([top, rest]), 4), strict=True
        ):
            deal[seat] = as_mask(cards)
        level = bids(np.array([deal[seat] for seat in callers], dtype=np.uint64)).level
        if (level > rng.integers(0, 2, len(callers))).all() or rng.random() < 0.01:
            break
    return deal


def strong_position(rng, callers):
    """Evidence of all kinds that leaves few cards unknown, and every layout that fits
    it: 2 … 3000.
    """
    while True:
        deal = strong_deal(rng, callers)
        hidden = list(dict.fromkeys([*callers, *rng.permutation(4).tolist()]))[
            : rng.integers(2, 5)
        ]
        known = evidence = _partly_seen(
            deal, hidden, {2: 6, 3: 3, 4: 2}[len(hidden)], rng
        )
        for _ in range(rng.integers(0, 4)):
            evidence = _tightened(evidence, deal, rng, honest=True)
        layouts = brute_force(known, evidence)
        if 2 <= len(layouts) <= 3000:
            return evidence, layouts


def levels_of(layouts, seat):
    """(n,) the level of a seat's hand in each layout, by Algorithm 1 on whole hands."""
    return bids(np.ascontiguousarray(layouts[:, seat])).level


def random_weights(rng):
    """P(calls ∣ level): a bid, a pass, a pass over a bid, a bid and a pass, or
    anything; with and without slips.
    """
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


def questions(seed, wanted):
    """Evidence, its layouts and the callers' weights; one, two or three callers."""
    rng = np.random.default_rng(seed)
    for number in range(wanted):
        callers = rng.permutation(4)[: (1, 2, 1, 2, 3)[number % 5]].tolist()
        evidence, layouts = strong_position(rng, callers[:2])
        yield evidence, layouts, {seat: random_weights(rng) for seat in callers}
