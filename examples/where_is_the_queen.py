"""Where is the queen? python examples/where_is_the_queen.py

South plays 3NT. The chances move with every card seen, exactly: all layouts that fit
are counted, none is guessed.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

EVIDENCE = (
    bb.Reveal("N", "KT62.A43.K72.A54"),
    bb.Trick.of("W:HQ H3 H7 HK"),
    bb.Trick.of("S:HJ H9 HA H8"),
    bb.Trick.of("N:H4 D3 H2 H5"),  # East throws a diamond: West began with five hearts
    bb.HighCards("W", 3, 5),
)


def main() -> None:
    """A line after each piece of evidence."""
    belief = bb.Belief("S", "AJ93.KJ2.AQ5.KQ3", trump="NT").given(*EVIDENCE)
    history = bb.card_history(belief, "SQ", by_card=True)
    for row in history.itertuples():
        print(f"{row.event:32} SQ with East {row.E:6.2%}    with West {row.W:6.2%}")
    ax = Figure((7, 4), layout="constrained").subplots()
    for seat, name in (("E", "East"), ("W", "West")):
        ax.plot(history[seat], range(len(history)), marker="o", label=name)
    ax.set(
        yticks=range(len(history)),
        yticklabels=history["event"],
        xlabel="P(holds the queen of spades)",
        xlim=(0, 1),
    )
    ax.invert_yaxis()
    ax.legend(frameon=False)
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/where_is_the_queen.png", dpi=200)


if __name__ == "__main__":
    main()
