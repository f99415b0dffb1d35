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
        can_open = bb.plugins.high_card_points(hands) >= 12
        fits_call = can_open if auction.calls[index].is_bid else ~can_open
        return np.log(np.where(fits_call, 0.98, 0.02))


belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=PointCounter())
belief = belief.given(bb.Called("W", "1C"))
posterior = belief.infer(rng=1)
print(posterior)
for seat in "NEW":
    chances = posterior.point_probabilities().sel(seat=seat)
    mean = float((chances * chances.points).sum())
    print(f"{seat}: {mean:4.1f} points on average")
ax = bb.plots.points(posterior)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/my_own_bidder_model.png")
