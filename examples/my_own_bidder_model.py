"""My own bidder model: python examples/my_own_bidder_model.py

Any object that says how likely a call is for each of many hands.
"""

from pathlib import Path

import numpy as np

import bayesbridge as bb


class PointCounter:
    """Opens with twelve points or more, passes with fewer; one call in fifty is a slip."""

    def log_likelihood(self, hands, auction, index):
        """log P(call number ``index`` | hand), for (n,) masks of hands."""
        bids = bb.plugins.high_card_points(hands) >= 12
        meant = bids if auction.calls[index].is_bid else ~bids
        return np.log(np.where(meant, 0.98, 0.02))


belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=PointCounter()).given(
    bb.Called("W", "1C")
)
posterior = belief.infer(rng=1)
print(posterior)
for seat in "NEW":
    points = posterior.point_probabilities().sel(seat=seat)
    print(f"{seat}: {float((points * points.points).sum()):4.1f} points on average")
ax = bb.plots.points(posterior)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/my_own_bidder_model.png")
