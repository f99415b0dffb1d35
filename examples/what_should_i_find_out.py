"""What should I find out? python examples/what_should_i_find_out.py [HAND]

Partner has shown a balanced hand of 15 to 17 points; South chooses between game and
slam, vulnerable. For each question that could be asked: how many bits its answer tells,
and how much more South scores on average who hears it first.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

QUESTIONS = [
    "points[N]",
    "length[N:S]",
    "card[SK]",
    "card[DK]",
    "call[N:4NT Pass]",
    "layout",
]


def main(hand: str = "AQJ42.KQ.AJ4.832") -> None:
    """Print one line per question, the most valuable first."""
    belief = bb.Belief("S", hand, dummy=None)
    belief = belief.given(bb.HighCards("N", 15, 17), bb.Shape("N", "balanced"))
    posterior = belief.infer(draws=2000, rng=1)
    values = bb.value_of_information(
        posterior, "3NT,4S,6S,6NT", QUESTIONS, vulnerable="NS", rng=1
    )
    contract = values.attrs["action"]
    score = values.attrs["score"]
    print(f"{hand}: without an answer {contract}, {score:.0f} points on average")
    for name in values["question"].values:
        row = values.sel(question=name)
        value = f"{row['value'].item():5.1f} ± {row['value_error'].item():.1f}"
        print(f"{name:18} {row['bits'].item():6.2f} bits   worth {value} points")
    ax = Figure((6, 3), layout="constrained").subplots()
    ax.barh(
        values["question"].values[::-1],
        values["value"][::-1],
        xerr=values["value_error"][::-1],
    )
    ax.set(
        title="What an answer is worth before South chooses",
        xlabel="points of the score",
    )
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/what_should_i_find_out.png", dpi=200)


if __name__ == "__main__":
    main(*sys.argv[1:2])
