"""Other readings of the paper's two algorithms beside its tables.

    python benchmarks/evaluation/other_readings.py

A reading of Algorithm 2 changes what a single suit contributes, so each is counted over
every deal, exactly, by the merge of ``scripts/count_shifts.py``. Readings of Algorithm
1 are tried on random deals. Prints the two tables of docs/paper.md.
"""

import sys
from pathlib import Path

import numpy as np
from numba import njit
from scipy.stats import chisquare

from bayesbridge.capture.exact import DEALS
from bayesbridge.capture.tables import DELTA_SHIFT, END, FAILS_B, NO_GAPS, ROWS
from bayesbridge.studies.deals import deal_blocks
from bayesbridge.studies.headline import HEADLINE
from bayesbridge.studies.paper import CAPTURES

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from count_shifts import FULL, Tally, join

CAPTURE = (
    "ours",
    "no card left of the pointer is removed",
    "the pointer stays on its card",
    "nothing is removed",
    "the row budget pays the gap, not 1",
    "the row budget never ends",
)
"""Readings of Algorithm 2, by their numbers."""
NO_CARD_LEFT_OF_POINTER = 1
STAYING_POINTER = 2
NOTHING_REMOVED = 3
ROW_BUDGET_PAYS_GAP = 4
ENDLESS_ROW_BUDGET = 5

BID = (
    "ours",
    "a gap too large ends the whole walk",
    "smallest gaps first, as in Algorithm 2",
    "the budget is 13 − k, leading gaps are free",
    "the highest target met, even above one missed",
    "the count for 7 tricks is the bid",
)
"""Readings of Algorithm 1, by their numbers."""
GAP_ENDS_WALK = 1
SMALLEST_GAPS_FIRST = 2
FREE_LEADING_GAPS = 3
HIGHEST_TARGET = 4
COUNT_FOR_SEVEN = 5

NO_CARD = 99
"""A column beyond all gaps."""

BINS = range(6, 14)
DEALT = 3_000_000


@njit
def row_by(number, reading):
    """What one suit contributes, packed as in capture.tables, by one of ``CAPTURE``.

    ``number`` tells in base 3, from the two on, who holds each rank: 0 nobody, 1 or 2.
    """
    columns, held = _suit_of(number)
    delta = 0
    while delta < 13 and columns[delta] == 0:
        delta += 1
    if held[1] <= delta or held[2] <= delta:
        return FAILS_B | delta << DELTA_SHIFT | NO_GAPS
    row_budget = held[0]
    budget = 6 - delta
    chi = 4 + delta
    gaps = NO_GAPS
    column = delta
    pointer = 0
    captured = 1
    while True:
        _remove_last_card(columns, column, reading)
        place = column
        if reading != STAYING_POINTER:
            # The pointer is an index: it may now name another card.
            place = _column_of_card(columns, pointer)
        following = place + 1
        while following < 13 and columns[following] == 0:
            following += 1
        is_over = captured >= max(held[1], held[2]) or chi >= 13
        if place < 0 or following > 12 or is_over:
            return delta << DELTA_SHIFT | gaps
        gap = 0
        if row_budget > 0 or reading == ENDLESS_ROW_BUDGET:
            gap = following - place - 1
        if gap > budget:
            return delta << DELTA_SHIFT | gaps
        gaps ^= (END ^ gap) << 3 * (captured - 1)
        budget -= gap
        chi += 1 + gap
        row_budget -= gap if reading == ROW_BUDGET_PAYS_GAP else 1
        column = following
        pointer += 1
        captured += 1


@njit
def _suit_of(number):
    """(13,) who holds each column of a suit, the ace first, and (3,) their lengths."""
    columns = np.zeros(13, dtype=np.int64)
    held = np.zeros(3, dtype=np.int64)
    for rank in range(13):
        columns[12 - rank] = number // 3**rank % 3
        held[columns[12 - rank]] += 1
    return columns, held


@njit
def _remove_last_card(columns, column, reading):
    """The card at column ``column`` was captured: the other hand loses its last card."""
    other = 3 - columns[column]
    last = 12
    while last >= 0 and columns[last] != other:
        last -= 1
    if last < 0 or reading == NOTHING_REMOVED:
        return
    if reading != NO_CARD_LEFT_OF_POINTER or last > column:
        columns[last] = 0


@njit
def _column_of_card(columns, pointer):
    """The column of the card of this index among those left, −1 if there are fewer."""
    cards = -1
    for column in range(13):
        cards += columns[column] != 0
        if cards == pointer:
            return column
    return -1


@njit
def rows_by(reading):
    """(ROWS,) what every suit contributes by a reading."""
    return np.array([row_by(number, reading) for number in range(ROWS)])


def captures_by(reading):
    """(8,) deals of T ≤ 6, 7 … 13 that meet both conditions, per million.

    Every possible deal is counted.
    """
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    suit = Tally.of(lengths, rows_by(reading), np.ones(ROWS, dtype=np.int64))
    half = suit.merged(suit)
    deals = dict.fromkeys(BINS, 0)
    for code, count in join(half, half, FULL).items():
        T = code % 512 // 32
        if T:
            deals[max(6, T)] += count
    return np.array([count * 10**6 / DEALS for count in deals.values()])


def misfit(per_million):
    """χ² of the paper's pooled runs against a distribution, with 8 degrees of freedom.

    Deals that qualify for nothing are included.
    """
    printed = np.sum(CAPTURES.runs, axis=0)[:8].astype(float)
    trials = CAPTURES.trials * len(CAPTURES.runs)
    expected = per_million * trials / 10**6
    return chisquare(
        [*printed, trials - printed.sum()], [*expected, trials - expected.sum()]
    ).statistic


@njit
def _columns_of(hand):
    """(4, 14) columns of the cards of each suit, then ``NO_CARD``; (4,) lengths."""
    columns = np.full((4, 14), NO_CARD, dtype=np.int64)
    lengths = np.zeros(4, dtype=np.int64)
    for suit in range(4):
        for column in range(13):
            if hand >> np.uint64(13 * suit + 12 - column) & np.uint64(1):
                columns[suit, lengths[suit]] = column
                lengths[suit] += 1
    return columns, lengths


@njit
def count_by(hand, k, reading):
    """Algorithm 1's count for a target of k tricks, 0 where a condition fails."""
    columns, lengths = _columns_of(hand)
    leading = 0
    for suit in range(4):
        if lengths[suit] == 0 or lengths[suit] <= columns[suit, 0]:
            return 0
        leading += columns[suit, 0]
    if leading > 13 - k:
        return 0
    budget = 13 - k
    if reading != FREE_LEADING_GAPS:
        budget -= leading
    at = np.zeros(4, dtype=np.int64)  # the card reached in each suit
    count = 4
    suit = 0
    while suit < 4:
        if reading == SMALLEST_GAPS_FIRST:
            steps = [columns[s, at[s] + 1] - columns[s, at[s]] for s in range(4)]
            suit = np.array(steps).argmin()
        gap = columns[suit, at[suit] + 1] - columns[suit, at[suit]] - 1
        has_next_card = gap < 13
        if gap <= budget:
            budget -= gap
            at[suit] += 1
            count += 1
        elif reading == SMALLEST_GAPS_FIRST or (
            reading == GAP_ENDS_WALK and has_next_card
        ):
            break
        else:
            suit += 1
    return count


@njit
def level_by(hand, reading):
    """What a hand bids, 0 for a pass."""
    if reading == COUNT_FOR_SEVEN:
        return max(0, count_by(hand, 7, reading) - 6)
    level = 0
    for k in range(7, 14):
        if count_by(hand, k, reading) >= k:
            level = k - 6
        elif reading != HIGHEST_TARGET:
            break
    return level


@njit
def levels_by(masks, reading):
    """(n, 4) what the hands of (n, 4) masks bid."""
    levels = np.zeros(masks.shape, dtype=np.int64)
    for deal in range(len(masks)):
        for seat in range(4):
            levels[deal, seat] = level_by(masks[deal, seat], reading)
    return levels


def auctions_by(reading, deals=DEALT):
    """Deals with a valid bidder, and with an eligible dummy too, per ten million.

    Then the mean levels of both, where there are both.
    """
    valid = 0
    eligible = 0
    bidder_levels = 0
    dummy_levels = 0
    for masks in deal_blocks(deals, 1):
        levels = levels_by(masks, reading)
        highest = levels[:, :3].max(axis=1)
        dummy = levels[:, 3]
        has_both = (highest > 0) & (dummy > 0)
        valid += int((highest > 0).sum())
        eligible += int(has_both.sum())
        bidder_levels += int(highest[has_both].sum())
        dummy_levels += int(dummy[has_both].sum())
    return (
        valid * 10**7 / deals,
        eligible * 10**7 / deals,
        bidder_levels / eligible,
        dummy_levels / eligible,
    )


def table(header, rows):
    """Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def grouped(value, digits=0):
    """A number with blanks between thousands."""
    return f"{value:,.{digits}f}".replace(",", " ")


def capture_table():
    """Algorithm 2, exactly."""
    rows = [["the paper", *map(grouped, np.mean(CAPTURES.runs, axis=0)[:8]), ""]]
    for reading, name in enumerate(CAPTURE):
        per_million = captures_by(reading)
        cells = map(grouped, per_million)
        rows.append([name, *cells, grouped(misfit(per_million), 1)])
    return table(["T, per million deals", "≤ 6", *map(str, range(7, 14)), "χ²"], rows)


def bid_table(deals=DEALT):
    """Algorithm 1, on random deals."""
    names = (
        "deals with a valid bidder",
        "both eligible",
        "average bidder level, both eligible",
        "average dummy level, both eligible",
    )
    figures = {"the paper": [sum(HEADLINE[name]) / 3 for name in names]}
    for reading, name in enumerate(BID):
        figures[name] = auctions_by(reading, deals)
    rows = []
    for name, (valid, eligible, *levels) in figures.items():
        level_cells = [f"{level:.3f}" for level in levels]
        rows.append([name, grouped(valid), grouped(eligible), *level_cells])
    header = [
        "per ten million deals",
        "valid bidder",
        "both eligible",
        "bidder's level",
        "dummy's level",
    ]
    return table(header, rows)


if __name__ == "__main__":
    print(capture_table(), bid_table(), sep="\n\n")
