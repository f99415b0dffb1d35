"""What do these opponents play? python examples/what_do_these_opponents_play.py

Learned from thirty tables of theirs; then what their 1C opening shows, beside that of a
pair nobody knows.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import bayesbridge as bb
from bayesbridge.bidders.pairs import habits
from bayesbridge.plots import BLUE, GREY

FORMATS = {"share": "{:.0%}", "points": "{:.1f}"}


def label(habit):
    """A habit and its value, in its own unit."""
    return f"{habit.what}: {FORMATS[habit.unit].format(habit.value)}"


def points_of_opener(style):
    """P(points of West) after 1C – 1D, given what is known of the pair."""
    south = bb.Belief("S", "QJ4.KJ3.9542.J32", dummy=None, style=style)
    posterior = south.given(bb.Auction.of("W:1C Pass 1D Pass")).infer(draws=2000, rng=1)
    return posterior.point_probabilities().sel(seat="W")


def draw_habits(ax, pair_habits):
    """How far each habit lies from the average expert."""
    rows = range(len(pair_habits))
    distances = [(habit.value - habit.average) / habit.error for habit in pair_habits]
    ax.errorbar(distances, rows, xerr=1, fmt="o", color=BLUE)
    ax.axvline(0, color=GREY)
    ax.set_yticks(rows, [label(habit) for habit in pair_habits])
    ax.set(xlabel="standard errors from the average expert", title="Birch and Oak")
    ax.invert_yaxis()


def draw_points(ax, name, chances, color):
    """One distribution of West's points."""
    ax.step(chances["points"], chances, where="mid", color=color, label=name)
    ax.set(xlim=(5, 25), ylim=(0, 0.25), yticks=[])
    ax.set(xlabel="points of West", title="after 1C – 1D")


records = bb.open_records(Path(__file__).with_name("opponents.pbn")).records
style = bb.learn_style(records, "Birch+Oak", tables=30)
pair_habits = habits(style)
for habit in pair_habits:
    print(
        f"{habit.what:42} {habit.value:6.2f} ± {habit.error:.2f}"
        f"   average {habit.average:6.2f}"
    )

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.4), layout="constrained", width_ratios=(3, 2)
)
draw_habits(left, pair_habits)
for name, known_style, color in (
    ("nothing known", None, GREY),
    ("thirty tables", {"EW": style}, BLUE),
):
    chances = points_of_opener(known_style)
    strong = float(chances.sel(points=slice(16, None)).sum())
    print(f"after 1C – 1D West has 16 points or more: {strong:.0%}, {name}")
    draw_points(right, name, chances, color)
right.legend(frameon=False, loc="upper left")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/what_do_these_opponents_play.png", dpi=150)
