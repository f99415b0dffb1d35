"""What a 1NT opening shows: python examples/what_does_his_no_trump_show.py

West opens 1NT. South's belief of the points depends on what East and West are known to
play.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb

BIDDERS = {
    "as experts on average": bb.LearnedBidder(),
    "15 to 17": bb.SystemBidder("strong-notrump"),
    "12 to 14": bb.SystemBidder("weak-notrump"),
    "one or the other": bb.SystemBidder(["weak-notrump=0.5", "strong-notrump=0.5"]),
}
SOUTH = bb.Hand.of("A432.K43.J54.Q32")
DRAWS = 20_000


def hands_of_west(rng):
    """(DRAWS,) masks of hands that West may hold, before the call."""
    hidden = [card.index for card in map(bb.Card, range(52)) if card not in SOUTH]
    order = rng.random((DRAWS, len(hidden))).argsort(axis=1)
    cards = np.array(hidden, np.uint64)[order[:, :13]]
    return np.bitwise_or.reduce(np.uint64(1) << cards, axis=1)


def weighted_share(weights, inside):
    """The share of the weight inside, and its standard error."""
    share = weights @ inside / weights.sum()
    error = np.sqrt(weights**2 @ (inside - share) ** 2) / weights.sum()
    return share, error


hands = hands_of_west(np.random.default_rng(1))
points = bb.plugins.high_card_points(hands)
opening = bb.Call.of("1NT").index
ax = Figure((6, 3), layout="constrained").subplots()
print("they play                P(12-14)        P(15-17)")
for name, bidder in BIDDERS.items():
    weights = bidder.probabilities(hands, bb.Auction.four("W"))[:, opening]
    cells = []
    for low in (12, 15):
        inside = (points >= low) & (points <= low + 2)
        share, error = weighted_share(weights, inside)
        cells.append(f"{share:.3f} ± {error:.3f}")
    print(f"{name:22}", "  ".join(cells))
    distribution = np.bincount(points, weights, minlength=38) / weights.sum()
    ax.plot(distribution[8:22], marker="o", label=name)
ax.set(xticks=range(14), xticklabels=range(8, 22), xlabel="West's points", ylabel="P")
ax.legend(frameon=False)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/what_does_his_no_trump_show.png", dpi=200)
