"""Finesse or drop? python examples/finesse_or_drop.py

Nine cards without the queen: the tables say play for the drop. Then West turns out to
have six hearts.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

DUMMY = "AJT32.A42.K76.54"
DECLARER = "K954.K3.A542.AK2"


def main() -> None:
    """The best plan by the tables, and by what South knows."""
    south = bb.Belief("S", DECLARER, trump="S").given(bb.Reveal("N", DUMMY))
    hearts = south.given(bb.Length("W", "H", 6, 6))
    strong = hearts.given(bb.HighCards("W", 10, 40))
    beliefs = {
        "nothing else is known": south,
        "West has six hearts": hearts,
        "and 10 points or more": strong,
    }
    axes = Figure((11, 3.4), layout="constrained").subplots(1, 3)
    for ax, (news, belief) in zip(axes, beliefs.items(), strict=True):
        play = bb.suit_play("AJT32", "K954", belief.infer())
        goal = play.goals[-1]
        print(
            f"{news}: {goal.goal} tricks with {goal.chance:.1%}, {play.best.tricks:.2f} on average"
        )
        for line in goal.text():
            print(f"    {line}")
        bb.plots.suit_play(play, ax=ax).set_title(news)
    Path("demo").mkdir(exist_ok=True)
    axes[0].figure.savefig("demo/finesse_or_drop.png", dpi=200)


if __name__ == "__main__":
    main()
