"""Half deals: merged ones against combinations walked by hand."""

from collections import Counter
from itertools import product

import numpy as np

from bayesbridge.capture import literal
from bayesbridge.capture.tables import row_table
from scripts.count_shifts import Tally, join


def test_merging_by_halves_equals_walking_small_decks():
    """Four suits of a few chosen rows each: every combination through the literal algorithm, counted by hand."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        suits = [rng.choice(3**13, 7, replace=False) for _ in range(4)]
        digits = {int(row): [int(row) // 3**rank % 3 for rank in range(12, -1, -1)] for rows in suits for row in rows}
        direct = Counter()
        for rows in product(*suits):
            found = literal.capture_matrix([digits[int(row)] for row in rows])
            lengths = 14 * sum(found.c1) + sum(found.c2)
            if sum(found.c1) <= 13 and sum(found.c2) <= 13:
                code = literal.CONDITIONS.index(found.condition)
                direct[lengths, 512 * found.Delta + 32 * found.T + found.chi if code == 2 else code] += 1
        tallies = []
        for rows in suits:
            lengths = np.array([14 * digits[int(row)].count(1) + digits[int(row)].count(2) for row in rows])
            tallies.append(Tally.of(lengths, row_table()[rows].astype(np.int64), np.ones(len(rows), dtype=np.int64)))
        lower, upper = tallies[0].merged(tallies[1]), tallies[2].merged(tallies[3])
        merged = Counter()
        for total in {lengths for lengths, _ in direct}:
            for code, count in join(lower, upper, total).items():
                merged[total, code] += count
        assert merged == direct
