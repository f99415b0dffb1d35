"""What do these opponents play? python examples/what_do_these_opponents_play.py

Learned from thirty tables of theirs; then what their 1C opening shows, beside that of a
pair nobody knows.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import bayesbridge as bb
from bayesbridge.bidders.pairs import habits
from bayesbridge.plots import BLUE, GREY

records = bb.open_records(Path(__file__).with_name("opponents.pbn")).records
style = bb.learn_style(records, "Birch+Oak", tables=30)
found = habits(style)
for one in found:
    print(
        f"{one.what:42} {one.value:6.2f} ± {one.error:.2f}   average {one.average:6.2f}"
    )

points = {}
for name, known in {"nothing known": None, "thirty tables": {"EW": style}}.items():
    belief = bb.Belief("S", "QJ4.KJ3.9542.J32", dummy=None, style=known).given(
        bb.Auction.of("W:1C Pass 1D Pass")
    )
    posterior = belief.infer(draws=2000, rng=1)
    points[name] = posterior.point_probabilities().sel(seat="W")
    print(
        f"after 1C – 1D West has 16 points or more: {points[name].sel(points=slice(16, None)).sum():.0%}, {name}"
    )

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.4), layout="constrained", width_ratios=(3, 2)
)
rows = range(len(found))
left.errorbar(
    [(one.value - one.average) / one.error for one in found],
    rows,
    xerr=1,
    fmt="o",
    color=BLUE,
)
left.axvline(0, color=GREY)
units = {"share": lambda x: f"{x:.0%}", "points": lambda x: f"{x:.1f}"}
left.set_yticks(rows, [f"{one.what}: {units[one.unit](one.value)}" for one in found])
left.set(xlabel="standard errors from the average expert", title="Birch and Oak")
left.invert_yaxis()
for (name, chances), color in zip(points.items(), (GREY, BLUE), strict=True):
    right.step(chances["points"], chances, where="mid", color=color, label=name)
right.set(
    xlim=(5, 25),
    ylim=(0, 0.25),
    yticks=[],
    xlabel="points of West",
    title="after 1C – 1D",
)
right.legend(frameon=False, loc="upper left")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/what_do_these_opponents_play.png", dpi=150)
