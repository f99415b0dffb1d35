"""Boards of two pairs: python examples/simulate_opponents.py 60 >
examples/opponents.pbn

Ash and Elm bid standard, Birch and Oak open a strong club: typical styles, and the
learned bidder bids.
"""

import sys

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.notation import Record, Tag, Vulnerability, write_pbn

STYLES = {"NS": PairStyle.of_text("standard"), "EW": PairStyle.of_text("strong-club")}
PLAYERS = {"North": "Ash", "East": "Birch", "South": "Elm", "West": "Oak"}


def random_deal(rng):
    """Four hands from one shuffled deck."""
    cards = rng.permutation(52).reshape(4, 13)
    masks = (1 << cards).sum(axis=1)
    return bb.Deal(tuple(map(bb.Hand, masks.tolist())))


def record_of_board(board, rng):
    """One board as it is bid: dealer and vulnerability turn as at a club."""
    deal = random_deal(rng)
    dealer = bb.Seat(board % 4)
    vulnerable = tuple(Vulnerability)[(board + board // 4) % 4]
    bidder = bb.LearnedBidder(vulnerable, style=STYLES)
    return Record(
        board=str(board + 1),
        vulnerable=vulnerable,
        hands=deal.hands,
        auction=simulate_auction(deal, bidder, dealer, dummy=None, rng=rng),
        tags=tuple(Tag(seat, player) for seat, player in PLAYERS.items()),
    )


boards = int(sys.argv[1]) if len(sys.argv) > 1 else 8
rng = np.random.default_rng(18)
write_pbn([record_of_board(board, rng) for board in range(boards)], sys.stdout)
