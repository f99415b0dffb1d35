"""How sure is the bidder model? python examples/how_sure_is_the_bidder_model.py

South holds 19 points and hears West bid 2NT, for which few points are left: a slip, or
a hand that fits very well? The evidence itself says how much it speaks for each model
(the Bayes factor), and the answers say how much it matters.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb


def main() -> None:
    """A line for each share of random calls."""
    belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Called("W", "2NT"))
    models = {
        f"slips {slip:.1%}": bb.IterativeBidder(slip=slip)
        for slip in (0.005, 0.02, 0.1)
    }
    answers = bb.sensitivity(belief, models)
    for label in models:
        row = answers.sel(bidder=label)
        factor = float(row["log_bayes_factor"])
        nine = float(row["T_at_least"].sel(tricks=9))
        ace = float(row["card_probabilities"].sel(card="HA", seat="W"))
        print(
            f"{label:24} log Bayes factor {factor:6.3f}   P(T ≥ 9) {nine:.1%}"
            f"   P(West holds the ace of hearts) {ace:.1%}"
        )
    figure = Figure((6.4, 2.2), layout="constrained")
    ax = figure.subplots()
    ax.barh(list(models), answers["points"].sel(seat="W").values, color="#0072B2")
    ax.set(
        xlabel="mean points of West, who bid 2NT",
        title="The same call, read under three models",
    )
    ax.invert_yaxis()
    Path("demo").mkdir(exist_ok=True)
    figure.savefig("demo/how_sure_is_the_bidder_model.png", dpi=200)


if __name__ == "__main__":
    main()
