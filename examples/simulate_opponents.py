"""Sixty boards of two pairs: python examples/simulate_opponents.py > examples/opponents.pbn

Ash and Elm have a weaker no-trump, Birch and Oak a strong club: typical styles, and the learned bidder bids.
"""

import sys

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.learned import AVERAGE, STYLE, PairStyle
from bayesbridge.bidders.pairs import typical_styles
from bayesbridge.bidders.turn import simulate_auction
from bayesbridge.notation import Record, Tag, Vulnerability, write_pbn

names = typical_styles()
club = next(i for i, words in enumerate(names) if "strong club" in words)
weak = next(i for i, words in enumerate(names) if words.startswith("1NT 12"))
styles = [
    PairStyle(pair, AVERAGE.points()[0][which][:STYLE].astype(float), 1e-6 * np.eye(STYLE))
    for pair, which in (("Ash+Elm", weak), ("Birch+Oak", club))
]
rng = np.random.default_rng(17)
records = []
for board in range(60):
    hands = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands))
    vulnerable = tuple(Vulnerability)[(board + board // 4) % 4]
    bidder = bb.LearnedBidder(vulnerable, style=dict(zip(("NS", "EW"), styles, strict=True)))
    auction = simulate_auction(deal, bidder, bb.Seat(board % 4), dummy=None, rng=rng)
    seated = zip(("North", "East", "South", "West"), ("Ash", "Birch", "Elm", "Oak"), strict=True)
    tags = tuple(Tag(seat, name) for seat, name in seated)
    records.append(Record(board=str(board + 1), vulnerable=vulnerable, hands=deal.hands, auction=auction, tags=tags))
write_pbn(records, sys.stdout)
