"""Captures with trumps: kernels and tables equal the step-by-step version, which is the paper's at no trumps."""

import numpy as np
import pytest

from bayesbridge.capture import kernels, literal, literal_trumps
from bayesbridge.capture.tables import ROWS
from bayesbridge.capture.trumps import NO_ENTRIES, captures_of, merge_rows, packed_rows, trump_captures
from bayesbridge.cards import Hand, Strain, Suit
from tests.capture.deals import random_deals, strange_deals


def check_deals(deals, suits=tuple(Suit)):
    """Every output of the kernel, deal by deal; the conditions that were met."""
    conditions = set()
    for trump in suits:
        batch = trump_captures(*deals, trump)
        for i, (first, second) in enumerate(zip(*(hands.tolist() for hands in deals), strict=True)):
            one = literal_trumps.capture_trumps(Hand(first), Hand(second), trump)
            for name in ("losers", "kappa"):
                assert tuple(getattr(batch, name)[i]) == getattr(one, name), (name, one)
            for name in ("Delta", "Z", "T", "chi"):
                assert getattr(batch, name)[i] == getattr(one, name), (name, one)
            assert literal.CONDITIONS[batch.condition[i]] == one.condition
            conditions.add(one.condition)
    return conditions


def test_random_and_strange_deals_in_every_suit():
    check_deals(random_deals(800, 1))
    assert check_deals(strange_deals(800, 2)) == set(literal.CONDITIONS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_deals_in_every_suit(seed):
    check_deals(random_deals(4000, 100 + seed))
    check_deals(strange_deals(4000, 200 + seed))


def test_at_no_trumps_it_is_the_papers_algorithm():
    """Step by step on ordinary and strange deals; a trump suit is told apart at once."""
    differs = 0
    for deals in (random_deals(600, 3), strange_deals(600, 4)):
        for first, second in zip(*(map(Hand, hands.tolist()) for hands in deals), strict=True):
            paper, ours = literal.capture(first, second), literal_trumps.capture_trumps(first, second, None)
            assert ours.losers == paper.delta
            for name in ("kappa", "Delta", "Z", "condition", "T", "chi"):
                assert getattr(ours, name) == getattr(paper, name)
            differs += literal_trumps.capture_trumps(first, second, "H").T != paper.T
    assert differs > 200


def test_all_strains_on_twenty_thousand_deals_by_two_ways_of_merging():
    """The kernel's loop over four rows, and the associative merge of halves that exact counts are made of."""
    ordinary, strange = random_deals(12_000, 5), strange_deals(8_000, 6)
    first, second = (np.concatenate(pair) for pair in zip(ordinary, strange, strict=True))
    fields = [[hands >> np.uint64(13 * s) & np.uint64(0x1FFF) for s in range(4)] for hands in (first, second)]
    for trump in Suit:
        rows = [packed_rows(fields[0][s], fields[1][s], s == trump).tolist() for s in range(4)]
        merged = [captures_of(merge_rows(merge_rows(c, d), merge_rows(h, s))) for c, d, h, s in zip(*rows, strict=True)]
        batch = trump_captures(first, second, trump)
        assert (np.maximum(merged, 0) == batch.T).all()
        assert (np.minimum(merged, 0) + 2 == batch.condition).all()


def test_what_trumps_change_by_hand():
    """Shortness stops losing: a singleton opposite small cards loses one trick, not the whole rule.

    Spades AKQJ54 opposite T32 are nine cards, so four are out and gone after two rounds: six captures, none paid.
    Hearts 3 opposite A762: one capture, then gaps. Diamonds A54 opposite K2, clubs Q32 opposite A654.
    """
    found = literal_trumps.capture_trumps("AKQJ54.3.A54.Q32", "T32.A762.K2.A654", "S")
    assert (found.losers, found.condition) == ((0, 0, 0, 0), "both")
    assert found.kappa[Suit.S] == 6
    weak = literal_trumps.capture_trumps("AKQJ54.32.A54.32", "T32.8765.K2.AK54", Suit.S)
    assert weak.losers == (0, 0, 2, 0)
    assert weak.kappa[Suit.H] == 0
    assert weak.condition == "both"
    assert literal.capture("AKQJ54.32.A54.32", "T32.8765.K2.AK54").condition == "only A"
    assert literal_trumps.capture_trumps("AKQJ54.32.A54.32", "T32.8765.K2.AK54", Strain.H).condition == "only A"


def test_a_long_trump_suit_wins_by_length():
    """AKQ54 opposite 876: five are out and gone after three rounds, so the 5 and the 4 capture without paying a gap.

    At no trumps the gap of six between the queen and the five takes the whole budget.
    """
    hands = "AKQ54.A32.A32.A2", "876.K54.K54.K543"
    spades, plain = (literal_trumps.capture_trumps(*hands, trump) for trump in ("S", None))
    assert (spades.kappa, spades.Z, spades.T) == ((2, 2, 2, 5), 6, 11)
    assert (plain.kappa, plain.Z, plain.T) == ((2, 2, 2, 4), 0, 10)


def test_rows_are_counted_once_for_each_role():
    fields = np.arange(1 << 13)
    none = np.zeros(1 << 13, dtype=np.int64)
    side = packed_rows(fields, none, False)
    assert (packed_rows(fields, none, True) >> 43 & 1).all(), "trumps in one hand alone fail condition B"
    assert (side >> 43 == 0).all()
    assert side[0] == NO_ENTRIES, "a suit that neither holds neither loses nor captures"
    assert ROWS == 3**13


def test_empty_batches_and_wrong_sizes():
    nothing = np.empty(0, dtype=np.uint64)
    assert trump_captures(nothing, nothing, Suit.S).losers.shape == (0, 4)
    assert kernels.captures(nothing, nothing).T.shape == (0,)
