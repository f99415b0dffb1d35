"""Contracts of the headline study in plain Python."""

import numpy as np
import pytest

from bayesbridge.capture import literal as paper
from bayesbridge.studies.deals import deal_blocks
from tests.studies import literal


@pytest.fixture(scope="session")
def contracts():
    """(level, dummy level, table) of each deal that somebody bids, in plain Python."""
    found = []
    for masks in deal_blocks(literal.DEALS, np.random.SeedSequence(8)):
        for row in masks:
            hands = literal.hands_of(row)
            if (bid := literal.auction(hands)) is not None:
                player, level, _ = bid
                found.append((level, paper.bid(hands[3]).level, literal.around_the_table(hands, player)))
    return found
