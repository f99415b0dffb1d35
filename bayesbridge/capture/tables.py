"""What one suit contributes to Algorithm 2, and how suits are merged.

The paper's letters: δ (0 … 13), the leading gap of a suit, cards above the highest one
of the two partners, and Δ, its sum over suits, of which condition A allows 6; condition
B, in every suit each partner has more than δ cards. T (4 … 13), the captures: one in
each suit is free, and each further one costs its gap, the cards that neither partner
holds between it and the capture before. χ = T + all gaps paid, the leading ones
included; it ends the algorithm at 13.

A table has all 3¹³ rows of the state matrix. Inside a suit the sequence of effective
gaps does not depend on the other suits, so it can be worked out once for each of the
3¹³ = 1 594 323 rows. A row is numbered in base 3 by rank, ``row = Σ D(rank) · 3**rank``
(the two is the lowest digit), so ``row = TERNARY[field of player 1] + 2 * TERNARY[field
of player 2]``.

A packed row holds, from the lowest bit: nine gaps of three bits each, first gap lowest,
7 after the last one; δ in four bits; one bit where condition B fails. The gaps are cut
where nothing can follow: where the row's own gaps exceed its own budget 6 − δ, and
where χ would reach 13 by this row alone, which nine captures always do. What is cut can
never be captured in any deal, because the other suits only lower the budget and raise
χ.

Step 6 of Algorithm 2, which captures where the next gap is the smallest, is a merge of
four sequences, smallest head first and the first suit on ties. Such a merge is
associative: clubs with diamonds, hearts with spades, then both halves. A *summary* is a
packed row read as an integer, of one suit or of a merge of suits. Two values stand for
what cannot recover: DEAD once Δ exceeds 6, and FAILS_B with Δ alone once condition B
has failed in any suit. The *outcome code* of a whole deal is 0 where condition A fails,
1 where only B fails, else ``512 · Δ + 32 · T + χ``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.runtime.cache import cached_arrays
from bayesbridge.runtime.jit import njit

type Ints = NDArray[np.int64]

ROWS: Final = 3**13  # how many states a row of the matrix has

GAP_BUDGET: Final = 6
"""Columns of gaps that two hands may pay for, leading ones included: A is Δ ≤ 6."""

FREE_CAPTURES: Final = 4  # the first card of each suit
MOST_CHI: Final = 13  # captures and gaps paid at which Algorithm 2 ends

SUIT_BITS: Final = 13  # of a hand's mask
FIELD: Final = (1 << SUIT_BITS) - 1  # all cards of one suit

GAP_BITS: Final = 3
END: Final = 7  # the three bits that stand after the last gap

# The outcome of a deal in one number: which condition fails, else
# DELTA_PLACE · Δ + T_PLACE · T + χ.
FAILED_A: Final = 0
FAILED_B: Final = 1
T_PLACE: Final = 32
DELTA_PLACE: Final = 512

NO_GAPS: Final = (1 << 27) - 1
"""Packed gaps when nothing follows the free capture: nine times END. Also the mask of
the gaps.
"""

DELTA_SHIFT: Final = 27
"""Where δ stands in a packed row."""

DELTA_MASK: Final = 15
"""Its four bits, once they are shifted down."""

FAILS_B: Final = 1 << 31
"""The bit of a packed row that fails condition B (c₁ ≤ δ or c₂ ≤ δ)."""

DEAD: Final = 7 << DELTA_SHIFT | NO_GAPS | FAILS_B
"""Summary of suits whose leading gaps already exceed the budget: condition A fails
whatever follows.
"""

SUMMARY_BITS: Final = 32
"""A summary is below 2 to this power."""

CODES: Final = 7 * DELTA_PLACE
"""Every outcome code is below this."""

HOLDS_RANK: Final = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
"""(8192, 13) which ranks a 13-bit field holds."""

TERNARY: Final[NDArray[np.int32]] = (HOLDS_RANK @ 3 ** np.arange(13)).astype(np.int32)
"""(8192,) a 13-bit field read as base-3 digits."""

LENGTH: Final[NDArray[np.int8]] = HOLDS_RANK.sum(axis=1).astype(np.int8)
"""(8192,) how many cards a 13-bit field holds."""

LEADING_GAP: Final[NDArray[np.int8]] = np.array(
    [13 - field.bit_length() for field in range(1 << 13)], dtype=np.int8
)
"""(8192,) δ of a 13-bit field: the columns before its highest card, 13 when it is
empty.
"""


@njit
def suit_field(mask: np.int64, suit: int) -> np.int64:
    """The 13 bits of a suit in a hand's mask of 52, the two lowest."""
    return (mask >> (SUIT_BITS * suit)) & FIELD


@njit
def leading_gap_of(packed: int | np.int64) -> int:
    """δ of a packed row, or Δ of a summary of several suits."""
    return int(packed >> DELTA_SHIFT & DELTA_MASK)


@njit
def _without_captures(delta: int) -> int:
    """The packed row or summary that fails condition B: its leading gap alone."""
    return FAILS_B | delta << DELTA_SHIFT | NO_GAPS


@njit
def packed_row(row: int) -> int:
    """What one suit of two partners contributes to Algorithm 2, packed in one integer.

    ``row`` says who holds which card: its digits in base 3, the two lowest, are 1 for
    player 1, 2 for player 2 and 0 for neither. Packed are δ, the leading gap, how many
    cards are above the highest of the two players'; FAILS_B if a player has no more
    than δ cards; and else the gaps that captures after the first have to pay.
    """
    players = np.zeros(13, dtype=np.int8)  # by column, from the ace down
    digits = row
    for rank in range(13):
        players[12 - rank] = digits % 3
        digits //= 3
    delta = 0
    while delta < 13 and players[delta] == 0:
        delta += 1
    cards_of_player = np.bincount(players, minlength=3)
    if cards_of_player[1] <= delta or cards_of_player[2] <= delta:
        return _without_captures(delta)
    most_captures = max(cards_of_player[1], cards_of_player[2])
    gaps = _gaps_of_suit(players, delta, most_captures, cards_of_player[0])
    return delta << DELTA_SHIFT | gaps


@njit
def _gaps_of_suit(
    players: NDArray[np.int8], delta: int, most_captures: int, row_budget: int
) -> int:
    """The gaps before all captures in one suit but the first, packed; uses up the suit.

    ``players`` (13,) says from the ace down who holds a card, 1 or 2, or 0 for neither;
    ``delta`` is the column of the first capture. After a capture the other player's
    lowest card is removed. Each further capture, up to ``most_captures`` in all, is of
    the next card down. It costs the gap between them, but only ``row_budget`` captures
    do, and the rest are free. The walk ends where the suit alone passes the budget of
    all suits, or reaches χ = 13 with the other suits' free captures.
    """
    gaps = NO_GAPS
    budget = GAP_BUDGET - delta
    chi = FREE_CAPTURES + delta
    captured = 1
    _remove_lowest(players, 3 - players[delta])
    while captured < most_captures and chi < MOST_CHI:
        last_capture, next_card = _neighbours(players, captured - 1)
        if next_card < 0:
            break
        gap = 0
        if row_budget > 0:
            gap = next_card - last_capture - 1
            row_budget -= 1
        if gap > budget:
            break
        gaps ^= (END ^ gap) << (GAP_BITS * (captured - 1))  # the gap in place of an END
        budget -= gap
        chi += 1 + gap
        captured += 1
        _remove_lowest(players, 3 - players[next_card])
    return gaps


@njit
def _neighbours(players: NDArray[np.int8], number: int) -> tuple[int, int]:
    """The columns of a suit's cards ``number`` and ``number + 1``, −1 for none.

    ``players`` (13,) is 0 where neither player holds the card of a column.
    """
    column_of_number = -1
    cards = 0
    for column in range(13):
        if players[column] != 0:
            if cards == number:
                column_of_number = column
            elif cards > number:
                return column_of_number, column
            cards += 1
    return column_of_number, -1


@njit
def _remove_lowest(players: NDArray[np.int8], player: int) -> None:
    """Remove the lowest card of a player, 1 or 2, from a suit, if there is any.

    ``players`` (13,) says from the ace down who holds each card.
    """
    for column in range(12, -1, -1):
        if players[column] == player:
            players[column] = 0
            return


@njit
def _all_rows(rows: int) -> NDArray[np.uint32]:
    """(rows,) every row, packed."""
    table = np.empty(rows, dtype=np.uint32)
    for row in range(rows):
        table[row] = packed_row(row)
    return table


@cache
def row_table() -> NDArray[np.uint32]:
    """(3¹³,) every row, packed; built once and kept in the user's cache directory."""
    return cached_arrays("rows", lambda: {"rows": _all_rows(ROWS)})["rows"]


@njit
def weigh(values: NDArray[np.integer], ways: Ints, out: Ints) -> None:
    """Add the ways of each row to its value: ``out[values[i]] += ways[i]``.

    Exact, unlike ``np.bincount``, and always quick, unlike ``np.add.at``.
    """
    for i in range(len(values)):
        out[values[i]] += ways[i]


def leading_gaps(summaries: Ints) -> Ints:
    """Δ of each of an array of summaries."""
    return summaries >> DELTA_SHIFT & DELTA_MASK


def simplified(summary: Ints) -> Ints:
    """Summaries in which what cannot recover is one value.

    That is DEAD, or FAILS_B with Δ and no gaps.
    """
    Delta = leading_gaps(summary)
    failed = FAILS_B | Delta << DELTA_SHIFT | NO_GAPS
    alive_or_failed = np.where(summary & FAILS_B, failed, summary)
    return np.where(Delta > GAP_BUDGET, DEAD, alive_or_failed)


@njit
def merge_pair(left: int, right: int) -> int:
    """The summary of two groups of suits together, from those of each group.

    A summary is what suits contribute to Algorithm 2: Δ, the sum of their leading gaps;
    whether condition B fails in one of them; and the gaps that captures after the free
    ones pay, in the order in which they are taken. What stands above its 32 bits
    belongs to the caller (``scripts/count_shifts.py``) and is added up.
    """
    Delta = leading_gap_of(left) + leading_gap_of(right)
    above = (left >> SUMMARY_BITS) + (right >> SUMMARY_BITS) << SUMMARY_BITS
    if Delta > GAP_BUDGET:
        return above | DEAD
    if (left | right) & FAILS_B:
        return above | _without_captures(Delta)
    gaps = _merged_gaps(left & NO_GAPS, right & NO_GAPS, Delta)
    return above | Delta << DELTA_SHIFT | gaps


@njit
def _merged_gaps(left: int, right: int, Delta: int) -> int:
    """The gaps of two groups of suits in the order in which they are paid, packed.

    Always the smaller of the two next gaps comes, on ties that of the left group, until
    the budget that the leading gaps Δ leave is too small, or χ, captures and gaps paid,
    reaches 13. ``left`` and ``right`` hold three bits for each gap, the next one
    lowest, and END after the last, which is larger than any gap.
    """
    gaps = NO_GAPS
    budget = GAP_BUDGET - Delta
    chi = FREE_CAPTURES + Delta
    shift = 0
    while chi < MOST_CHI:
        gap = left & END
        if gap <= right & END:
            left >>= GAP_BITS
        else:
            gap = right & END
            right >>= GAP_BITS
        if gap > budget:
            break
        gaps ^= (END ^ gap) << shift  # the gap in place of an END
        shift += GAP_BITS
        budget -= gap
        chi += 1 + gap
    return gaps


@njit
def outcome(summary: int) -> int:
    """What Algorithm 2 gives for a deal whose four suits have this summary, as a code.

    The code is FAILED_A where the leading gaps Δ exceed 6; FAILED_B where condition B
    fails; else Δ, T and χ, each at its place. T counts the free capture of each suit
    and one for each gap of the summary; χ adds the gaps, and ends both at 13.
    """
    Delta = leading_gap_of(summary)
    if Delta > GAP_BUDGET:
        return FAILED_A
    if summary & FAILS_B:
        return FAILED_B
    T = FREE_CAPTURES
    chi = FREE_CAPTURES + Delta
    gap = summary & END
    while chi < MOST_CHI and gap != END:
        T += 1
        chi += 1 + gap
        summary >>= GAP_BITS
        gap = summary & END
    return DELTA_PLACE * Delta + T_PLACE * T + chi


@njit
def merge_table(left: Ints, right: Ints) -> Ints:
    """(left, right) the summary of each pair of groups of suits, from their summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int64)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = merge_pair(left[i], right[j])
    return out


@njit
def outcome_table(left: Ints, right: Ints) -> NDArray[np.int16]:
    """(left, right) the outcome code of each pair of half deals, from their summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int16)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = outcome(merge_pair(left[i], right[j]))
    return out
