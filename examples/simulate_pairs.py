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
STYLES = {
    ("Ash", "Alder"): (0.9, 0.3),
    ("Beech", "Birch"): (0.5, -0.3),
    ("Cedar", "Cypress"): (0.2, 0.0),
    ("Elm", "Elder"): (0.0, 0.4),
    ("Fir", "Fig"): (-0.5, 0.0),
    ("Hazel", "Holly"): (-0.2, -0.4),
}
MATCHES = list(itertools.combinations(STYLES, 2))
# Boards of each match: pairs are seen often or rarely.
BOARDS = (9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0)


def random_deal(rng):
    """Four hands from one shuffled deck."""
    cards = rng.permutation(52).reshape(4, 13)
    masks = (1 << cards).sum(axis=1)
    return bb.Deal(tuple(map(bb.Hand, masks.tolist())))


def record_of_board(board, north_south, east_west, rng):
    """One board of two pairs, with the truth about their styles in its tags."""
    deal = random_deal(rng)
    dealer = bb.Seat(board % 4)
    vulnerable = tuple(Vulnerability)[(board + board // 4) % 4]
    styles = {"NS": STYLES[north_south], "EW": STYLES[east_west]}
    bidders = {}
    for side, style in styles.items():
        for seat in side:
            bidder = bb.StyleBidder(*style, vulnerable=vulnerable)
            bidders[bb.Seat.of(seat)] = bidder
    tags = {
        "North": north_south[0],
        "East": east_west[0],
        "South": north_south[1],
        "West": east_west[1],
        "StyleNS": "{} {}".format(*styles["NS"]),
        "StyleEW": "{} {}".format(*styles["EW"]),
    }
    return Record(
        board=str(board + 1),
        vulnerable=vulnerable,
        hands=deal.hands,
        auction=simulate_auction(deal, bidders, dealer, dummy=None, rng=rng),
        tags=tuple(Tag(name, value) for name, value in tags.items()),
    )


rng = np.random.default_rng(17)
records = []
for (north_south, east_west), boards in zip(MATCHES, BOARDS, strict=True):
    for _ in range(boards):
        records.append(record_of_board(len(records), north_south, east_west, rng))
write_pbn(records, sys.stdout)
