"""What calls show, with a system and without.

    python benchmarks/evaluation/what_calls_show.py [--draws 4000] [--hands 200000]

These are the two tables of docs/bidders.md that need no records.
"""

import argparse
from functools import partial

import numpy as np

import bayesbridge as bb
from bayesbridge.evidence.expressions import LayoutValues
from bayesbridge.evidence.parser import parse_expression

DEALERS = {
    "as experts on average (`learned`)": bb.LearnedBidder(),
    "by the [system](#systems) `strong-notrump`": bb.SystemBidder("strong-notrump"),
    "by `weak-notrump`": bb.SystemBidder("weak-notrump"),
    "by one of them, `weak-notrump=0.3`, `strong-notrump=0.6`": bb.SystemBidder(
        ["weak-notrump=0.3", "strong-notrump=0.6"]
    ),
}
MAJORS = "(spades({0}) >= 6 || hearts({0}) >= 6)"
SHOWN = (
    ("2C", "20 points or more", "hcp({0}) >= 20"),
    ("1S 4C", "at most one club", "clubs({0}) <= 1"),
    ("1NT 4C", "a six-card major", MAJORS),
    ("1NT 4C 4H", "one ace", "aces({0}) == 1"),
    ("1NT 2NT 3NT", "16 points or more", "hcp({0}) >= 16"),
    ("1S 2NT 3S 4NT 5H", "two key cards", "aces({0}) + hascard({0}, KS) == 2"),
)
"""Calls of West and East while the others pass, and a feature of the last caller."""


def of_one_notrump(hands):
    """A dealer's points after 1NT: random hands weighted by P(1NT ∣ hand)."""
    masks = random_hands(hands)
    points = bb.plugins.high_card_points(masks)
    opening = bb.Call.of("1NT").index
    print("| the dealer bids | P(15–17) | P(12–14) | opens 1NT |\n|---|---|---|---|")
    for name, bidder in DEALERS.items():
        weights = bidder.probabilities(masks, bb.Auction.four("W"))[:, opening]
        cells = []
        for low in (15, 12):
            inside = (points >= low) & (points <= low + 2)
            share, error = weighted_share(weights, inside)
            cells.append(f"{share:.3f} ± {error:.3f}")
        print(f"| {name} | {cells[0]} | {cells[1]} | {100 * weights.mean():.1f} % |")


def random_hands(number):
    """(number,) masks of hands."""
    order = np.random.default_rng(1).random((number, 52)).argpartition(13, axis=1)
    cards = order[:, :13].astype(np.uint64)
    return np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)


def weighted_share(weights, inside):
    """The share of the weight inside, and its standard error."""
    share = weights @ inside / weights.sum()
    error = np.sqrt(weights**2 @ (inside - share) ** 2) / weights.sum()
    return share, error


def of_conventions(draws):
    """What South believes of the player who made the last call.

    Without a system and with one.
    """
    print(
        "| calls of West and East | feature | no system | `sayc` |\n|---|---|---:|---:|"
    )
    for calls, feature, condition in SHOWN:
        caller = "west" if len(calls.split()) % 2 else "east"
        expression = parse_expression(condition.format(caller))
        auction = bb.Auction.of(f"W:{calls.replace(' ', ' Pass ')}")
        cells = []
        for bidder in (bb.LearnedBidder(), bb.SystemBidder("sayc")):
            south = bb.Belief("S", "QJ4.KJ3.9542.J32", dummy=None, bidder=bidder)
            posterior = south.given(auction).infer(draws=draws, rng=1)
            chance = posterior.expect(partial(has_feature, expression))
            error = np.sqrt(chance * (1 - chance) / posterior.ess)
            cells.append(f"{100 * chance:.1f} ± {100 * error:.1f} %")
        print(f"| {calls.replace(' ', '–')} | {feature} | {cells[0]} | {cells[1]} |")


def has_feature(expression, layouts):
    """(n,) whether the expression is true of each layout."""
    return LayoutValues(layouts.masks).of(expression) != 0


def main():
    """Both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=200_000)
    parser.add_argument("--draws", type=int, default=4000)
    options = parser.parse_args()
    of_one_notrump(options.hands)
    print()
    of_conventions(options.draws)


if __name__ == "__main__":
    main()
