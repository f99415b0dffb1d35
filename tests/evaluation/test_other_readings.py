"""The readings of docs/paper.md: ours is the package's.

The page shows what the script finds.
"""

from pathlib import Path

import numpy as np
import other_readings as readings
import pytest

from bayesbridge.capture import literal
from bayesbridge.capture.exact import DEALS, tricks
from bayesbridge.capture.tables import row_table
from bayesbridge.game.cards import Hand
from bayesbridge.studies.deals import deal_blocks

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow  # kernels of a script are compiled anew in every run


def test_our_reading_is_the_packages():
    assert np.array_equal(readings.rows_by(0), row_table())
    captures = dict(zip(readings.BINS, readings.captures_by(0), strict=True))
    counted = {t: count * 10**6 / DEALS for t, count in tricks().items() if t}
    assert captures.pop(6) == pytest.approx(
        sum(share for t, share in counted.items() if t <= 6)
    )
    assert captures == pytest.approx(
        {t: share for t, share in counted.items() if t > 6}
    )


def test_our_bids_are_the_papers_and_other_readings_differ():
    masks = next(deal_blocks(5_000, rng=2))
    levels = [
        readings.levels_by(masks, reading) for reading in range(len(readings.BID))
    ]
    assert levels[0][:500, 0].tolist() == [
        literal.bid(Hand(int(mask))).level for mask in masks[:500, 0]
    ]
    assert all((other_levels != levels[0]).any() for other_levels in levels[1:])


def test_the_page_shows_what_the_script_finds():
    page = (ROOT / "docs" / "paper.md").read_text("utf-8")
    table = readings.capture_table()
    assert table in page
    assert readings.bid_table() in page
    distance, *other_distances = (
        float(line.split("|")[-2].replace(" ", "")) for line in table.splitlines()[3:]
    )
    # 20.1 is one chance in a hundred for 8 degrees of freedom
    assert distance < 20.1 < 500 < min(other_distances)
