"""Suit convolution against walking every layout, and against closed forms at full size."""

from itertools import permutations
from math import comb

import numpy as np
import pytest

from bayesbridge.capture.kernels import captures
from bayesbridge.engines.conditions import count
from bayesbridge.engines.convolution import LOWEST_Z, capture_counts, factors
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import Hand
from tests.engines.positions import brute_force, random_position

N, E, S, W = range(4)
SOUTH = Constraints.free().hold(S, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SOUTH.hold(N, Hand.of("643.AQ2.K87.A764").mask)


def by_walking(layouts, first, second):
    """Counts of every quantity, by Algorithm 2 on each layout."""
    found = captures(
        np.ascontiguousarray(layouts[:, first]),
        np.ascontiguousarray(layouts[:, second]),
    )
    by_suit = {
        name: [
            np.bincount(getattr(found, name)[:, suit], minlength=14).tolist()
            for suit in range(4)
        ]
        for name in ("c1", "c2", "c0", "delta", "M")
    }
    sizes = {"Delta": 53, "condition": 3, "T": 14, "chi": 53}
    whole = {
        name: np.bincount(getattr(found, name), minlength=size).tolist()
        for name, size in sizes.items()
    }
    return (
        by_suit
        | whole
        | {"Z": np.bincount(found.Z.astype(np.int64) - LOWEST_Z, minlength=59).tolist()}
    )


def as_lists(counts):
    return {name: ways.tolist() for name, ways in counts.items()}


def test_small_positions_whichever_hands_are_known():
    """Every pair of seats: both known, one known, neither known; two and three hidden
    hands.
    """
    rng = np.random.default_rng(51)
    seen = {}
    while min(seen.get(key, 0) for key in ((2, 0), (2, 1), (2, 2), (3, 1), (3, 2))) < 6:
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        if not factors(evidence) or not 2 <= len(layouts) <= 2000:
            continue
        hidden = evidence.normalised().hidden
        for first, second in list(permutations(range(4), 2))[
            :: int(rng.integers(1, 4))
        ]:
            counts = capture_counts(evidence, first, second)
            assert as_lists(counts) == by_walking(layouts, first, second)
            key = len(hidden), (first in hidden) + (second in hidden)
            seen[key] = seen.get(key, 0) + 1


def test_high_cards_at_the_top_do_capture():
    """Small random positions seldom meet the conditions; this one often does, so T
    varies.
    """
    strong = DUMMY.hold(E, Hand.of("JT9.K.QJT.QJT").mask).length(W, 2, 4, 13)
    layouts = np.concatenate(list(Enumeration.of(strong).blocks()))
    assert as_lists(capture_counts(strong, S, N)) == by_walking(layouts, S, N)
    open_suits = SOUTH.hold(N, Hand.of("64.AKQ.K8.A").mask).hold(
        E, Hand.of("JT98.T9876..").mask
    )
    open_suits = open_suits.hold(W, Hand.of("73..T6.QJT9").mask)
    layouts = np.concatenate(list(Enumeration.of(open_suits).blocks()))
    counts = capture_counts(open_suits, S, N)
    assert as_lists(counts) == by_walking(layouts, S, N)
    assert np.count_nonzero(counts["T"]) >= 3


@pytest.mark.parametrize("pair", [(S, N), (N, S), (E, W)])
def test_three_hidden_hands_at_full_size(pair):
    """8 122 425 444 partner hands, each with 10 400 600 ways for the rest; c1 and c2 by
    closed form, T by draws.
    """
    counts = capture_counts(SOUTH, *pair)
    total = count(SOUTH)
    assert counts["T"].sum() == total
    assert all(
        counts[name].sum() == total for name in ("Delta", "Z", "condition", "T", "chi")
    )
    assert all(
        (counts[name].sum(1) == total).all()
        for name in ("c1", "c2", "c0", "delta", "M")
    )
    assert counts["condition"][2] == total - counts["T"][0]
    for name, seat in zip(("c1", "c2"), pair, strict=True):
        lengths = counts[name]
        if seat == S:
            assert [int(row.argmax()) for row in lengths] == [3, 3, 2, 5]
            assert (lengths.max(1) == total).all()
            continue
        for suit, unseen in enumerate((10, 10, 11, 8)):
            ways = [
                comb(unseen, k) * comb(39 - unseen, 13 - k) * comb(26, 13)
                for k in range(14)
            ]
            assert lengths[suit].tolist() == ways
    drawn = np.array(by_walking(LayoutIndex.of(SOUTH).draw(200_000, rng=1), *pair)["T"])
    probability = counts["T"] / total
    z = (drawn - 200_000 * probability) / np.sqrt(
        200_000 * probability * (1 - probability) + 1
    )
    assert np.abs(z).max() < 5.5
    # The control: another pair's distribution is told apart at once.
    other = capture_counts(SOUTH, *((E, W) if S in pair else (S, N)))["T"] / total
    assert np.abs((drawn - 200_000 * other) / np.sqrt(200_000 * other + 1)).max() > 20


def test_what_does_not_factor():
    assert not factors(SOUTH.points(E, 12, 14))
    assert not factors(Constraints.free())
    assert factors(SOUTH.points(S, 0, 40)), "a range that excludes nothing ties nothing"
