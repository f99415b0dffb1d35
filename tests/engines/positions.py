"""Random positions with few unknown cards, and all their layouts by brute force."""

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
    """The mask of some cards, given by their numbers."""
    return sum(1 << int(card) for card in cards)


def random_position(rng):
    """Known cards alone, and the same with a random mixture of further evidence.

    The evidence may contradict itself.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    hidden = rng.permutation(4)[: rng.integers(2, 5)]
    unknown_each = {2: 5, 3: 3, 4: 2}[len(hidden)]
    cards_alone = _partly_seen(deal, hidden, unknown_each, rng)
    evidence = cards_alone
    for _ in range(rng.integers(0, 6)):
        evidence = _tightened(evidence, deal, rng)
    return cards_alone, evidence


def _partly_seen(deal, hidden, unknown, rng):
    """The cards of a deal but for so many of each hidden seat."""
    constraints = Constraints.free()
    for seat in range(4):
        cards = [card for card in range(52) if deal[seat] >> card & 1]
        # Unknown cards bunch in the honours half the time, so that points ranges bite.
        if rng.random() < 0.5:
            order = rng.permutation(cards)
        else:
            order = sorted(cards, key=lambda card: card % 13)
        if seat in hidden:
            order = order[: 13 - unknown]
        constraints = constraints.hold(seat, as_mask(order))
    return constraints


def _tightened(evidence, deal, rng, honest=False):
    """Evidence with one more piece of it.

    The piece is true of the deal, unless it is not honest and the die says so.
    """
    seat = int(rng.integers(4))
    suit = int(rng.integers(4))
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
            own_shape = tuple(
                (hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)
            )
            shapes = [own_shape]
            for _ in range(rng.integers(0, 8)):
                shapes.append(tuple(rng.permutation(own_shape).tolist()))
            return evidence.shape(seat, frozenset(shapes))
        case _:
            ranks = [card % 13 for card in range(52) if hand >> card & 1]
            points = sum(max(rank - 8, 0) for rank in ranks)  # jack 1 … ace 4
            most = points + int(rng.integers(0, 4))
            return evidence.points(seat, points - slack, most)


def allows(constraints, masks):
    """Which of (n, 4) layouts fit, by the definitions alone; nothing is deduced."""
    fits = (np.bitwise_count(masks) == 13).all(1)
    fits &= np.bitwise_or.reduce(masks, axis=1) == np.uint64(DECK_MASK)
    must = np.array(constraints.must, dtype=np.uint64)
    may = np.array(constraints.may, dtype=np.uint64)
    fits &= ((masks & must) == must).all(1)
    fits &= ((masks & ~may) == 0).all(1)
    fits &= constraints.meets(masks)
    lengths = suit_lengths(masks)
    fits &= (lengths >= np.array(constraints.shortest)).all((1, 2))
    fits &= (lengths <= np.array(constraints.longest)).all((1, 2))
    points = high_card_points(masks)
    fits &= (points >= np.array(constraints.points_low)).all(1)
    fits &= (points <= np.array(constraints.points_high)).all(1)
    for seat, shapes in enumerate(constraints.shapes):
        if shapes is not None:
            fits &= [tuple(shape) in shapes for shape in lengths[:, seat].tolist()]
    return fits


def brute_force(cards_alone, evidence):
    """Every deal that extends the known cards and that evidence allows, ascending."""
    extensions = sorted(_extensions(cards_alone.must))
    deals = np.array(extensions, dtype=np.uint64).reshape(-1, 4)
    return deals[allows(evidence, deals)]


def _extensions(hands):
    """All deals in which each seat holds what is in its hand."""
    deals = [hands]
    for seat in range(4):
        longer = []
        for deal in deals:
            unplaced = DECK_MASK & ~(deal[0] | deal[1] | deal[2] | deal[3])
            for cards in _subsets(unplaced, 13 - deal[seat].bit_count()):
                longer.append((*deal[:seat], deal[seat] | cards, *deal[seat + 1 :]))
        deals = longer
    return deals


@functools.cache
def _subsets(mask, size):
    """All masks of so many of the cards of a mask."""
    bits = [1 << card for card in range(52) if mask >> card & 1]
    return [sum(subset) for subset in itertools.combinations(bits, size)]


def in_order(masks):
    """Rows sorted, to compare two sets of layouts."""
    return masks[np.lexsort(masks.T[::-1])]


def random_view(rng):
    """A player's view at full size: one hand or two are known.

    The evidence is true of a random deal.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    view = Constraints.free()
    for seat in rng.permutation(4)[: rng.integers(1, 3)]:
        view = view.hold(int(seat), deal[seat])
    for _ in range(rng.integers(0, 6)):
        view = _tightened(view, deal, rng, honest=True)
    return view


# N E S W of one deal
HANDS = (
    "AKQ2.KJ3.A54.Q32",
    "T976.T95.J76.KJ8",
    "J54.AQ2.KQ32.A54",
    "83.8764.T98.T976",
)


def closed(*rooms):
    """Every seat lacks so many of the highest cards of its hand in that deal."""
    constraints = Constraints.free()
    for seat, room in enumerate(rooms):
        by_rank = sorted(Hand.of(HANDS[seat]), key=lambda card: card.rank)
        lowest = by_rank[: 13 - room]
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
    """χ² against exact probabilities, the rare layouts thrown together.

    It is 0 if an impossible one occurred.
    """
    if observed[probability == 0].any():
        return 0.0
    expected = observed.sum() * probability
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 5:
            observed[-2] += observed[-1]
            expected[-2] += expected[-1]
            observed = observed[:-1]
            expected = expected[:-1]
    return float(stats.chisquare(observed, expected).pvalue)


def strong_deal(rng, callers):
    """Four masks of 13; the callers get most high cards.

    Now and then at least one of them would bid.
    """
    deal = [hand.mask for hand in random_deal(rng)]
    seats = callers + [seat for seat in range(4) if seat not in callers]
    for _ in range(200):
        bias = rng.uniform(0.5, 2.5)
        order = np.argsort(rng.random(52) * 12 - bias * (np.arange(52) % 13))
        high = rng.permutation(order[: 13 * len(callers)])
        low = rng.permutation(order[13 * len(callers) :])
        hands = np.split(np.concatenate([high, low]), 4)
        for seat, cards in zip(seats, hands, strict=True):
            deal[seat] = as_mask(cards)
        level = bids(np.array([deal[seat] for seat in callers], dtype=np.uint64)).level
        if (level > rng.integers(0, 2, len(callers))).all() or rng.random() < 0.01:
            break
    return deal


def strong_position(rng, callers):
    """Evidence of all kinds that leaves few cards unknown, and all layouts that fit it.

    These are 2 … 3000.
    """
    while True:
        deal = strong_deal(rng, callers)
        seats = list(dict.fromkeys([*callers, *rng.permutation(4).tolist()]))
        hidden = seats[: rng.integers(2, 5)]
        unknown_each = {2: 6, 3: 3, 4: 2}[len(hidden)]
        cards_alone = _partly_seen(deal, hidden, unknown_each, rng)
        evidence = cards_alone
        for _ in range(rng.integers(0, 4)):
            evidence = _tightened(evidence, deal, rng, honest=True)
        layouts = brute_force(cards_alone, evidence)
        if 2 <= len(layouts) <= 3000:
            return evidence, layouts


def levels_of(layouts, seat):
    """(n,) the level of a seat's hand in each layout, by Algorithm 1 on whole hands."""
    return bids(np.ascontiguousarray(layouts[:, seat])).level


def random_weights(rng):
    """P(calls ∣ level) of some calls, or anything; with and without slips.

    The calls are a bid, a pass, a pass over a bid, or a bid and a pass.
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
