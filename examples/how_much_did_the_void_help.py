"""What a void tells: python examples/how_much_did_the_void_help.py

South does not see North yet. That West has no heart leaves one layout in 217 and moves
hearts to North: what that does to T, the captures of South and North together, is
counted over all layouts, not sampled.
"""

from pathlib import Path

import numpy as np

import bayesbridge as bb


def describe(name: str, belief: bb.Belief) -> bb.Result:
    """Print one line about a belief, and return its captures."""
    posterior = belief.infer(rng=1)
    result = bb.estimate(posterior, "capture", pair="S:N")
    distribution = result["pmf"]["T"]
    chances = distribution.values
    values = distribution["T_value"].values
    # T is 0 where its conditions A and B fail.
    both_hold = chances[values > 0].sum()
    mean = np.dot(values, chances) / both_hold
    hearts = posterior.length_probabilities().sel(seat="N", suit="H")
    mean_hearts = float(hearts @ hearts.length)
    print(
        f"{name:22}{belief.count():24,} layouts {posterior.entropy_bits:6.2f} bits"
        f"   hearts in North {mean_hearts:.2f}"
        f"   P(A and B) {both_hold:.4f}   T then {mean:.3f}"
    )
    return result


south = bb.Belief("S", "AKQ52.J3.A94.K83")
void = south.given(bb.Void("W", "H"))
before = describe("nothing known", south)
after = describe("West is void in hearts", void)
chance = void.count() / south.count()
print(f"P(West is void in hearts) = {chance:.6f}")
ax = bb.plots.prior_posterior(before, after, "T")
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/how_much_did_the_void_help.png")
