"""Measures of a holding: card by card where cards add up, else those of dealer."""

import numpy as np
import pytest

from bayesbridge.evidence.measures import (
    COUNTS,
    FOUR_C,
    HOLDINGS,
    LENGTH,
    LOSERS,
    POINTS,
    QUALITY,
    SHORT,
    alike,
    table,
)
from bayesbridge.game.cards import holding

pytestmark = pytest.mark.quick


def values(measure, *holdings):
    return [int(table(measure)[holding(text)]) for text in holdings]


def test_cards_add_up_by_their_weights():
    assert values(POINTS, "AKQJ", "T98", "-") == [10, 0, 0]
    assert values(LENGTH, "AKQJ", "T98", "-") == [4, 3, 0]
    counts = [values(count, "AQT")[0] for count in COUNTS]
    assert counts == [1, 0, 1, 0, 1, 1, 2, 2, 3, 8]


def test_measures_of_whole_suits_count_them_as_dealer_does():
    assert values(LOSERS, "-", "2", "K", "K2", "AQ2", "J432") == [0, 1, 1, 1, 1, 3]
    assert values(SHORT, "-", "AK", "432") == [1, 1, 0]
    assert values(QUALITY, "AKQ72", "JT4", "A984", "Q") == [450, 60, 180, 20]
    assert values(FOUR_C, "AKQ72", "JT4", "A984", "Q") == [1050, 60, 480, 220]


def test_ranks_are_alike_where_no_holding_tells_them_apart():
    assert alike(LENGTH) == (0,) * 13
    assert alike(POINTS) == (*(0,) * 9, 9, 10, 11, 12)
    holdings = np.arange(HOLDINGS)
    for measure in (LOSERS, QUALITY, FOUR_C, SHORT):
        for rank, lowest in enumerate(alike(measure)):
            differ = (holdings >> rank ^ holdings >> lowest) & 1
            exchanged = holdings ^ (differ << rank) ^ (differ << lowest)
            if rank != lowest:
                assert (table(measure)[exchanged] == table(measure)).all()
