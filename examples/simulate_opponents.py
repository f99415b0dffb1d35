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

styles = {"NS": PairStyle.of_text("standard"), "EW": PairStyle.of_text("strong-club")}
rng = np.random.default_rng(18)
records = []
for board in range(int(sys.argv[1]) if len(sys.argv) > 1 else 8):
    hands = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(
        tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands)
    )
    vulnerable = tuple(Vulnerability)[(board + board // 4) % 4]
    bidder = bb.LearnedBidder(vulnerable, style=styles)
    auction = simulate_auction(deal, bidder, bb.Seat(board % 4), dummy=None, rng=rng)
    seated = zip(
        ("North", "East", "South", "West"), ("Ash", "Birch", "Elm", "Oak"), strict=True
    )
    tags = tuple(Tag(seat, name) for seat, name in seated)
    records.append(
        Record(
            board=str(board + 1),
            vulnerable=vulnerable,
            hands=deal.hands,
            auction=auction,
            tags=tags,
        )
    )
write_pbn(records, sys.stdout)
