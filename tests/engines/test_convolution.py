"""Suit convolution against walking every layout, and against closed forms at full size."""

from collections import Counter
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


def by_walking(layouts, *pair):
    """Counts of every quantity, by Algorithm 2 on each layout, for a pair of seats."""
    captured = captures(*(np.ascontiguousarray(layouts[:, seat]) for seat in pair))
    counts = {}
    for name in ("c1", "c2", "c0", "delta", "M"):
        of_suits = getattr(captured, name).T
        counts[name] = [np.bincount(row, minlength=14).tolist() for row in of_suits]
    for name, size in {"Delta": 53, "condition": 3, "T": 14, "chi": 53}.items():
        values = getattr(captured, name)
        counts[name] = np.bincount(values, minlength=size).tolist()
    Z = captured.Z.astype(np.int64) - LOWEST_Z
    counts["Z"] = np.bincount(Z, minlength=59).tolist()
    return counts


def as_lists(counts):
    """The same counts as lists, to compare all at once."""
    return {name: ways.tolist() for name, ways in counts.items()}


def test_small_positions_whichever_hands_are_known():
    """Every pair of seats: both known, one known, neither known.

    There are two and three hidden hands.
    """
    rng = np.random.default_rng(51)
    kinds = [(2, 0), (2, 1), (2, 2), (3, 1), (3, 2)]  # hidden hands, and of the pair
    occurrences = Counter()
    pairs = list(permutations(range(4), 2))
    while min(occurrences[kind] for kind in kinds) < 6:
        cards_alone, evidence = random_position(rng)
        layouts = brute_force(cards_alone, evidence)
        if not factors(evidence) or not 2 <= len(layouts) <= 2000:
            continue
        hidden = set(evidence.normalised().hidden)
        for pair in pairs[:: int(rng.integers(1, 4))]:
            counts = capture_counts(evidence, *pair)
            assert as_lists(counts) == by_walking(layouts, *pair)
            occurrences[len(hidden), len(hidden & set(pair))] += 1


def test_high_cards_at_the_top_do_capture():
    """T varies in these positions.

    Small random ones seldom meet the conditions.
    """
    strong = DUMMY.hold(E, Hand.of("JT9.K.QJT.QJT").mask).length(W, 2, 4, 13)
    layouts = np.concatenate(list(Enumeration.of(strong).blocks()))
    assert as_lists(capture_counts(strong, S, N)) == by_walking(layouts, S, N)
    open_suits = SOUTH.hold(N, Hand.of("64.AKQ.K8.A").mask)
    open_suits = open_suits.hold(E, Hand.of("JT98.T9876..").mask)
    open_suits = open_suits.hold(W, Hand.of("73..T6.QJT9").mask)
    layouts = np.concatenate(list(Enumeration.of(open_suits).blocks()))
    counts = capture_counts(open_suits, S, N)
    assert as_lists(counts) == by_walking(layouts, S, N)
    assert np.count_nonzero(counts["T"]) >= 3


@pytest.mark.parametrize("pair", [(S, N), (N, S), (E, W)])
def test_three_hidden_hands_at_full_size(pair):
    """c1 and c2 against closed forms, T against draws.

    There are 8 122 425 444 hands of partner, each with 10 400 600 ways to deal on.
    """
    counts = capture_counts(SOUTH, *pair)
    total = count(SOUTH)
    for name in ("Delta", "Z", "condition", "T", "chi"):
        assert counts[name].sum() == total
    for name in ("c1", "c2", "c0", "delta", "M"):
        assert (counts[name].sum(1) == total).all()
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
    n = 200_000
    drawn = np.array(by_walking(LayoutIndex.of(SOUTH).draw(n, rng=1), *pair)["T"])
    p = counts["T"] / total
    z = (drawn - n * p) / np.sqrt(n * p * (1 - p) + 1)
    assert np.abs(z).max() < 5.5
    # The control: another pair's distribution is told apart at once.
    another_pair = (E, W) if S in pair else (S, N)
    expected = n * (capture_counts(SOUTH, *another_pair)["T"] / total)
    assert np.abs((drawn - expected) / np.sqrt(expected + 1)).max() > 20


def test_what_does_not_factor():
    assert not factors(SOUTH.points(E, 12, 14))
    assert not factors(Constraints.free())
    assert factors(SOUTH.points(S, 0, 40)), "a range that excludes nothing ties nothing"
