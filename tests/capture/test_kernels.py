"""Kernels equal the literal transcription: on every suit row, on random deals and on the strangest ones."""

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesbridge.capture import kernels, literal
from bayesbridge.capture.tables import DELTA_SHIFT, END, FAILS_B, NO_GAPS, ROWS, row_table
from bayesbridge.cards import Hand
from tests.capture.deals import random_deals, strange_deals


def unpack(packed: int) -> list[int]:
    gaps = []
    while len(gaps) < 9 and packed & END != END:
        gaps.append(packed & END)
        packed >>= 3
    return gaps


def literal_row(digits: list[int]) -> tuple[int, bool, list[int]]:
    """δ, whether condition B fails, and the gaps paid by one row alone, by a plain reading of steps 3 to 6."""
    row = list(digits)
    delta = next((r for r in range(13) if row[r]), 13)
    if row.count(1) <= delta or row.count(2) <= delta:
        return delta, True, []
    most, zeros = max(row.count(1), row.count(2)), row.count(0)
    gaps: list[int] = []
    pointer = 0
    while True:
        held = [r for r in range(13) if row[r]]
        theirs = [r for r in held if row[r] == 3 - row[held[pointer]]]
        if theirs:
            row[theirs[-1]] = 0
        held = [r for r in range(13) if row[r]]
        if len(gaps) + 1 >= most or pointer + 1 >= len(held):
            return delta, False, gaps
        gap = held[pointer + 1] - held[pointer] - 1 if zeros > 0 else 0
        if sum(gaps) + gap > 6 - delta or 4 + delta + len(gaps) + sum(gaps) >= 13:
            return delta, False, gaps
        gaps.append(gap)
        zeros -= zeros > 0
        pointer += 1


def check_rows(rows: NDArray[np.int64]) -> None:
    table = row_table()
    for row in rows:
        digits = [int(row) // 3**rank % 3 for rank in range(12, -1, -1)]
        packed = int(table[row])
        delta, fails, gaps = literal_row(digits)
        assert packed >> DELTA_SHIFT & 15 == delta
        assert bool(packed & FAILS_B) == fails
        assert unpack(packed & NO_GAPS) == gaps, digits


def test_a_sample_of_rows_equals_the_plain_reading() -> None:
    check_rows(np.random.default_rng(1).integers(0, ROWS, 20_000))


@pytest.mark.slow
def test_all_rows_equal_the_plain_reading() -> None:
    check_rows(np.arange(ROWS))


def check_deals(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> kernels.Captures:
    batch = kernels.captures(first, second)
    bids = kernels.bids(first)
    assert (kernels.tricks(first, second) == batch.T).all()
    for i in range(len(first)):
        one = literal.capture(Hand(int(first[i])), Hand(int(second[i])))
        for name in ("c1", "c2", "c0", "delta", "M", "kappa"):
            assert tuple(getattr(batch, name)[i]) == getattr(one, name), (name, one)
        for name in ("Delta", "Z", "T", "chi"):
            assert getattr(batch, name)[i] == getattr(one, name), (name, one)
        assert literal.CONDITIONS[batch.condition[i]] == one.condition
        bid = literal.bid(Hand(int(first[i])))
        assert (bids.level[i], tuple(bids.counts[i])) == (bid.level, bid.counts)
    return batch


def test_random_deals() -> None:
    check_deals(*random_deals(4000, 1))


def test_strange_deals_and_that_they_are_strange() -> None:
    batch = check_deals(*strange_deals(4000, 2))
    assert (batch.c0 == 0).any()
    assert (batch.c1 == 13).any()
    assert (batch.delta == 13).any()
    assert (batch.T == 13).any()
    assert (batch.Z == 0).any()
    assert len(set(batch.condition.tolist())) == 3


@pytest.mark.slow
def test_a_hundred_thousand_deals() -> None:
    check_deals(*random_deals(60_000, 100))
    check_deals(*strange_deals(40_000, 200))


def test_equal_suits_take_the_first_in_suit_order() -> None:
    """Four identical rows, AKQJ against T987, ties everywhere: nine captures go to clubs, diamonds and hearts.

    Hands of 16 cards, which no deal has, but the kernel only reads rows.
    """
    mine = sum(0b1111000000000 << 13 * suit for suit in range(4))
    theirs = sum(0b0000111100000 << 13 * suit for suit in range(4))
    matrix = [[(mine >> 12 - r & 1) + 2 * (theirs >> 12 - r & 1) for r in range(13)] for _ in range(4)]
    one = literal.capture_matrix(matrix)
    batch = kernels.captures(np.array([mine], dtype=np.uint64), np.array([theirs], dtype=np.uint64))
    assert tuple(batch.kappa[0]) == one.kappa
    assert (batch.T[0], batch.chi[0]) == (one.T, one.chi)
    assert one.kappa == (4, 4, 4, 1)


def test_the_empty_batch() -> None:
    nothing = np.empty(0, dtype=np.uint64)
    assert kernels.captures(nothing, nothing).c1.shape == (0, 4)
    assert kernels.tricks(nothing, nothing).shape == (0,)
    assert kernels.bids(nothing).counts.shape == (0, 7)
