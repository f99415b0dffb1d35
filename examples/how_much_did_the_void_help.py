"""How much does it help to know a void? python examples/how_much_did_the_void_help.py

South does not see North yet. That West has no heart leaves one layout in 217 and moves hearts to North: what that
does to T, the captures of South and North together, is counted over all layouts, not sampled.
"""

import numpy as np

import bayesbridge as bb


def describe(name: str, belief: bb.Belief) -> None:
    """One line about a belief."""
    posterior = belief.infer(rng=1)
    T = bb.estimate(posterior, "capture", pair="S:N")["pmf"]["T"]
    chances, values = T.values, T["T_value"].values
    qualified = chances[values > 0].sum()
    mean = np.dot(values, chances) / qualified
    hearts = posterior.length_probabilities().sel(seat="N", suit="H")
    print(
        f"{name:22}{belief.count():24,} layouts {posterior.entropy_bits:6.2f} bits"
        f"   hearts in North {float(hearts @ hearts.length):.2f}   P(A and B) {qualified:.4f}   T then {mean:.3f}"
    )


def main() -> None:
    """Before and after."""
    south = bb.Belief("S", "AKQ52.J3.A94.K83")
    void = south.given(bb.Void("W", "H"))
    describe("nothing known", south)
    describe("West is void in hearts", void)
    print(f"P(West is void in hearts) = {void.count() / south.count():.6f}")


if __name__ == "__main__":
    main()
