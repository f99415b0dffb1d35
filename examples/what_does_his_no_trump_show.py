"""What a 1NT opening shows: python examples/what_does_his_no_trump_show.py

West opens 1NT. South's belief of the points depends on what East and West are known to
play.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb

SYSTEMS = {
    "as experts on average": bb.LearnedBidder(),
    "15 to 17": bb.SystemBidder("strong-notrump"),
    "12 to 14": bb.SystemBidder("weak-notrump"),
    "one or the other": bb.SystemBidder(["weak-notrump=0.5", "strong-notrump=0.5"]),
}
mine = bb.Hand.of("A432.K43.J54.Q32")
others = np.array([card for card in range(52) if not mine.mask >> card & 1], np.uint64)
order = np.random.default_rng(1).random((20_000, 39)).argsort(axis=1)[:, :13]
hands = np.bitwise_or.reduce(
    np.uint64(1) << others[order], axis=1
)  # West's, before the call
points = bb.plugins.high_card_points(hands)

ax = Figure((6, 3), layout="constrained").subplots()
print("they play                P(12-14)        P(15-17)")
for name, bidder in SYSTEMS.items():
    weights = bidder.probabilities(hands, bb.Auction.four("W"))[
        :, bb.Call.of("1NT").index
    ]
    cells = []
    for low in (12, 15):
        inside = (points >= low) & (points <= low + 2)
        mean = weights @ inside / weights.sum()
        error = np.sqrt(weights**2 @ (inside - mean) ** 2) / weights.sum()
        cells.append(f"{mean:.3f} ± {error:.3f}")
    print(f"{name:22}", "  ".join(cells))
    ax.plot(
        np.bincount(points, weights, minlength=38)[8:22] / weights.sum(),
        marker="o",
        label=name,
    )
ax.set(xticks=range(14), xticklabels=range(8, 22), xlabel="West's points", ylabel="P")
ax.legend(frameon=False)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/what_does_his_no_trump_show.png", dpi=200)
