"""One plan for all layouts: python examples/one_plan.py

In ten positions (positions.toml) a guess can be put off; to double dummy the tempting
card looks as good.
"""

import tomllib
from pathlib import Path

import bayesbridge as bb
from bayesbridge.plots import BLUE, GREY, bare, new_grid, percent_axis

FILE = Path(__file__).with_name("positions.toml")
POSITIONS = tomllib.loads(FILE.read_text("utf-8"))["positions"]
HORIZONS = {"double dummy": 0, "one plan": 2}  # tricks that are planned


def belief_of(position):
    """What declarer knows: both hands, the tricks played, and what the auction said."""
    declarer = bb.Seat.of(position["contract"][-1])
    belief = bb.Belief(declarer, position["hand"], dummy=None)
    belief = belief.given(bb.Reveal(declarer.partner, position["dummy"]))
    belief = belief.given(*map(bb.Trick.of, position["tricks"].split(" | ")))
    for seat, cards in position.get("holds", {}).items():
        belief = belief.given(bb.Holds(seat, cards))
    for seat, points in position.get("points", {}).items():
        belief = belief.given(bb.HighCards(seat, *points))
    return belief


def rank_cards(position, horizon=2):
    """P(makes) of each card of declarer, or of dummy."""
    posterior = belief_of(position).infer(rng=1)
    return bb.play(posterior, position["contract"], horizon=horizon, rng=1)


def chance_of(choices, card):
    """P(makes) of one card, such as "SA" or "SA first"."""
    return choices.of(bb.Card.of(card[:2])).chance[0]


def draw(ax, method, horizon):
    """A bar for the right card and one for the tempting card of every position."""
    for row, position in enumerate(POSITIONS):
        choices = rank_cards(position, horizon)
        right = chance_of(choices, position["right"])
        tempting = chance_of(choices, position["tempting"])
        print(
            f"{position['name']:29} {method:13}"
            f" {position['right']} {right:.0%} {position['tempting']} {tempting:.0%}"
        )
        ax.barh([row - 0.2, row + 0.2], [right, tempting], 0.36, color=[BLUE, GREY])
    ax.set_title(f"P(makes) by {method}")
    ax.set_xlabel("blue: the right card, grey: the tempting one")
    ax.set_xticks([0.2, 0.4, 0.6, 0.8, 1.0])
    ax.set_yticks(range(10), [position["name"] for position in POSITIONS])
    percent_axis(ax.xaxis)
    bare(ax)


if __name__ == "__main__":
    axes = new_grid(9, 4, 1, 2, sharey=True)[0]
    for ax, (method, horizon) in zip(axes, HORIZONS.items(), strict=True):
        draw(ax, method, horizon)
    ax.invert_yaxis()
    Path("demo").mkdir(exist_ok=True)
    ax.figure.savefig("demo/one_plan.png")
