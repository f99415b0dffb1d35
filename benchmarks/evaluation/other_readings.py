"""Other readings of the paper's two algorithms beside its tables: python
benchmarks/evaluation/other_readings.py

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
BID = (
    "ours",
    "a gap too large ends the whole walk",
    "smallest gaps first, as in Algorithm 2",
    "the budget is 13 − k, leading gaps are free",
    "the highest target met, even above one missed",
    "the count for 7 tricks is the bid",
)
BINS = range(6, 14)
DEALT = 3_000_000


@njit
def row_by(number, reading):
    """What one suit contributes, packed as in capture.tables, by one of the readings of
    ``CAPTURE``.
    """
    columns = np.zeros(13, dtype=np.int64)
    held = np.zeros(3, dtype=np.int64)
    for rank in range(13):
        columns[12 - rank] = number // 3**rank % 3
        held[columns[12 - rank]] += 1
    delta = 0
    while delta < 13 and columns[delta] == 0:
        delta += 1
    if held[1] <= delta or held[2] <= delta:
        return FAILS_B | delta << DELTA_SHIFT | NO_GAPS
    row_budget, budget, chi, gaps = held[0], 6 - delta, 4 + delta, NO_GAPS
    here, pointer, captured = delta, 0, 1
    while True:
        # The card at column ``here`` has just been captured: the other hand loses its last card.
        other = 3 - columns[here]
        last = 12
        while last >= 0 and columns[last] != other:
            last -= 1
        if last >= 0 and reading != 3 and (reading != 1 or last > here):
            columns[last] = 0
        place, seen = here, pointer
        if reading != 2:  # the pointer is an index: it may now name another card
            place, seen = -1, -1
            while seen < pointer and place < 12:
                place += 1
                seen += columns[place] != 0
        following = place + 1
        while following < 13 and columns[following] == 0:
            following += 1
        if (
            seen < pointer
            or following > 12
            or captured >= max(held[1], held[2])
            or chi >= 13
        ):
            return delta << DELTA_SHIFT | gaps
        gap = following - place - 1 if row_budget > 0 or reading == 5 else 0
        if gap > budget:
            return delta << DELTA_SHIFT | gaps
        gaps ^= (END ^ gap) << 3 * (captured - 1)
        budget -= gap
        chi += 1 + gap
        row_budget -= gap if reading == 4 else 1
        here, pointer, captured = following, pointer + 1, captured + 1


@njit
def rows_by(reading):
    return np.array([row_by(number, reading) for number in range(ROWS)])


def captures_by(reading):
    """(8,) deals of T ≤ 6, 7 … 13 that meet both conditions, per million, over every
    possible deal.
    """
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    suit = Tally.of(lengths, rows_by(reading), np.ones(ROWS, dtype=np.int64))
    half = suit.merged(suit)
    found = dict.fromkeys(BINS, 0)
    for code, count in join(half, half, FULL).items():
        if T := code % 512 // 32:
            found[max(6, T)] += count
    return np.array([count * 10**6 / DEALS for count in found.values()])


def misfit(per_million):
    """χ² of the paper's pooled runs against a distribution, deals that qualify for
    nothing included; 8 degrees.
    """
    printed = np.sum(CAPTURES.runs, axis=0)[:8].astype(float)
    trials = CAPTURES.trials * len(CAPTURES.runs)
    expected = per_million * trials / 10**6
    return chisquare(
        [*printed, trials - printed.sum()], [*expected, trials - expected.sum()]
    ).statistic


@njit
def count_by(hand, k, reading):
    """Algorithm 1's count for a target of k tricks, 0 where a condition fails."""
    columns = np.full((4, 14), 99, dtype=np.int64)
    lengths = np.zeros(4, dtype=np.int64)
    leading = 0
    for suit in range(4):
        for column in range(13):
            if hand >> np.uint64(13 * suit + 12 - column) & np.uint64(1):
                columns[suit, lengths[suit]] = column
                lengths[suit] += 1
        if lengths[suit] == 0 or lengths[suit] <= columns[suit, 0]:
            return 0
        leading += columns[suit, 0]
    if leading > 13 - k:
        return 0
    budget = 13 - k if reading == 3 else 13 - k - leading
    at = np.zeros(4, dtype=np.int64)
    count, suit = 4, 0
    while suit < 4:
        if reading == 2:
            heads = np.array(
                [columns[s, at[s] + 1] - columns[s, at[s]] for s in range(4)]
            )
            suit = heads.argmin()
        gap = columns[suit, at[suit] + 1] - columns[suit, at[suit]] - 1
        if gap <= budget:
            budget -= gap
            at[suit] += 1
            count += 1
        elif reading == 2 or (reading == 1 and gap < 50):
            break
        else:
            suit += 1
    return count


@njit
def level_by(hand, reading):
    """What a hand bids, 0 for a pass."""
    if reading == 5:
        return max(0, count_by(hand, 7, reading) - 6)
    level = 0
    for k in range(7, 14):
        if count_by(hand, k, reading) >= k:
            level = k - 6
        elif reading != 4:
            break
    return level


@njit
def levels_by(masks, reading):
    out = np.zeros(masks.shape, dtype=np.int64)
    for i in range(len(masks)):
        for seat in range(4):
            out[i, seat] = level_by(masks[i, seat], reading)
    return out


def auctions_by(reading, deals=DEALT):
    """Deals with a valid bidder and with an eligible dummy too, per ten million; the
    mean levels of those.
    """
    valid = both = bidders = dummies = 0
    for masks in deal_blocks(deals, 1):
        levels = levels_by(masks, reading)
        highest, dummy = levels[:, :3].max(axis=1), levels[:, 3]
        eligible = (highest > 0) & (dummy > 0)
        valid += int((highest > 0).sum())
        both += int(eligible.sum())
        bidders += int(highest[eligible].sum())
        dummies += int(dummy[eligible].sum())
    return valid * 10**7 / deals, both * 10**7 / deals, bidders / both, dummies / both


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
        found = captures_by(reading)
        rows.append([name, *map(grouped, found), grouped(misfit(found), 1)])
    return table(["T, per million deals", "≤ 6", *map(str, range(7, 14)), "χ²"], rows)


def bid_table(deals=DEALT):
    """Algorithm 1, on random deals."""
    names = (
        "deals with a valid bidder",
        "both eligible",
        "average bidder level, both eligible",
        "average dummy level, both eligible",
    )
    found = {"the paper": [sum(HEADLINE[name]) / 3 for name in names]}
    found |= {name: auctions_by(reading, deals) for reading, name in enumerate(BID)}
    rows = [
        [name, *map(grouped, row[:2]), *(f"{level:.3f}" for level in row[2:])]
        for name, row in found.items()
    ]
    return table(
        [
            "per ten million deals",
            "valid bidder",
            "both eligible",
            "bidder's level",
            "dummy's level",
        ],
        rows,
    )


if __name__ == "__main__":
    print(capture_table(), bid_table(), sep="\n\n")
