"""The studies' experiments in plain Python, one deal at a time.

By the literal algorithms; tricks by the rules of play.
"""

from functools import cache

import numpy as np

from bayesbridge import Deal, Hand, Seat
from bayesbridge.capture import literal
from bayesbridge.studies.deals import deal_blocks
from tests.capture.test_playout import tricks_by_hand

DEALS = 1_500


def hands_of(masks):
    """Four hands of a row of masks."""
    return [Hand(int(mask)) for mask in masks]


def auction(hands):
    """(player, level) of the highest of three bids, the first on ties.

    ``None`` if all pass.
    """
    levels = [literal.bid(hand).level for hand in hands[:3]]
    return (levels.index(max(levels)), max(levels)) if any(levels) else None


def around_the_table(hands, player):
    """Bidder, next player, dummy, the player after."""
    return [hands[player], hands[(player + 1) % 3], hands[3], hands[(player + 2) % 3]]


def play(table, trump=None, own_policy="general", their_policy="general"):
    """Tricks of seats 0 and 2 when seat 0 leads."""
    return tricks_by_hand(Deal(tuple(table)), Seat(0), trump, own_policy, their_policy)[
        0
    ]


@cache
def contracts():
    """(level, dummy level, table) of each deal that somebody bids.

    The deals are those of the headline study.
    """
    bid_deals = []
    for masks in deal_blocks(DEALS, np.random.SeedSequence(8)):
        for hands in map(hands_of, masks):
            bid = auction(hands)
            if bid is not None:
                player, level = bid
                bid_deals.append(
                    (
                        level,
                        literal.bid(hands[3]).level,
                        around_the_table(hands, player),
                    )
                )
    return bid_deals
