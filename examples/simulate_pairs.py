"""Sixty simulated boards: python examples/simulate_pairs.py > examples/pairs.pbn

Six pairs with known styles bid; who_opens_light.py reads the file.
"""

import itertools
import sys

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.notation import Record, Tag, Vulnerability, write_pbn

# North and South, or East and West: aggressiveness in tricks, suit preference in tricks
PAIRS = {
    ("Ash", "Alder"): (0.9, 0.3),
    ("Beech", "Birch"): (0.5, -0.3),
    ("Cedar", "Cypress"): (0.2, 0.0),
    ("Elm", "Elder"): (0.0, 0.4),
    ("Fir", "Fig"): (-0.5, 0.0),
    ("Hazel", "Holly"): (-0.2, -0.4),
}
BOARDS = (
    9,
    8,
    7,
    6,
    5,
    5,
    4,
    4,
    3,
    3,
    2,
    2,
    1,
    1,
    0,
)  # of each two pairs: some are seen often, some rarely

rng = np.random.default_rng(17)
records = []
for (one, other), boards in zip(itertools.combinations(PAIRS, 2), BOARDS, strict=True):
    for _ in range(boards):
        hands = rng.permutation(52).reshape(4, 13)
        deal = bb.Deal(
            tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands)
        )
        board = len(records)
        sides = {
            seat: PAIRS[one if seat in (bb.Seat.N, bb.Seat.S) else other]
            for seat in bb.Seat
        }
        vulnerable = tuple(Vulnerability)[(board + board // 4) % 4]
        bidders = {
            seat: bb.StyleBidder(*style, vulnerable=vulnerable)
            for seat, style in sides.items()
        }
        auction = simulate_auction(
            deal, bidders, bb.Seat(board % 4), dummy=None, rng=rng
        )
        names = {"North": one[0], "East": other[0], "South": one[1], "West": other[1]}
        truth = {
            f"Style{side}": "{} {}".format(*PAIRS[pair])
            for side, pair in (("NS", one), ("EW", other))
        }
        tags, number = (
            tuple(Tag(*tag) for tag in (names | truth).items()),
            str(board + 1),
        )
        records.append(
            Record(
                board=number,
                vulnerable=vulnerable,
                hands=deal.hands,
                auction=auction,
                tags=tags,
            )
        )
write_pbn(records, sys.stdout)
