"""One plan for all layouts: python examples/one_plan.py

In ten positions (positions.toml) a guess can be put off; to double dummy the tempting
card looks as good.
"""

import tomllib
from pathlib import Path

import bayesbridge as bb
from bayesbridge.plots import BLUE, GREY, bare, new_grid, percent_axis

POSITIONS = tomllib.loads(
    Path(__file__).with_name("positions.toml").read_text("utf-8")
)["positions"]


def compared(one, horizon=2):
    """P(makes) of each card of declarer, or of dummy."""
    declarer = bb.Seat.of(one["contract"][-1])
    seen = [
        bb.Reveal(declarer.partner, one["dummy"]),
        *map(bb.Trick.of, one["tricks"].split(" | ")),
    ]
    seen += [bb.Holds(seat, cards) for seat, cards in one.get("holds", {}).items()]
    seen += [
        bb.HighCards(seat, *points) for seat, points in one.get("points", {}).items()
    ]
    posterior = bb.Belief(declarer, one["hand"], dummy=None).given(*seen).infer(rng=1)
    return bb.play(posterior, one["contract"], horizon=horizon, rng=1)


if __name__ == "__main__":
    axes = new_grid(9, 4, 1, 2, sharey=True)[0]
    for ax, way, horizon in zip(
        axes, ("double dummy", "one plan"), (0, 2), strict=True
    ):
        for row, one in enumerate(POSITIONS):
            found = compared(one, horizon)
            shares = {
                one[kind]: found.of(bb.Card.of(one[kind][:2])).chance[0]
                for kind in ("right", "tempting")
            }
            print(
                f"{one['name']:29} {way:13}",
                *(f"{card} {share:.0%}" for card, share in shares.items()),
            )
            ax.barh([row - 0.2, row + 0.2], shares.values(), 0.36, color=[BLUE, GREY])
        ax.set(
            title=f"P(makes) by {way}",
            xlabel="blue: the right card, grey: the tempting one",
        )
        ax.set_xticks([0.2, 0.4, 0.6, 0.8, 1.0])
        ax.set_yticks(range(10), [one["name"] for one in POSITIONS])
        percent_axis(ax.xaxis)
        bare(ax)
    ax.invert_yaxis()
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/one_plan.png")
