"""Who opens light, who overcalls? All pairs of PBN or LIN files in one hierarchical model; by default simulated."""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.fit import bid_rates, fit_styles, records_of_tables
from bayesbridge.plots import BLUE, GREY, VERMILION, bare, ink, percent_axis


def draw_rates(rates, counts, truth, ax):
    """Raw rates (open circles, larger for more turns), estimates and true rates, a row for each pair."""
    samples = rates.stack(sample=[dim for dim in rates.dims if dim != "player"]).transpose("player", "sample")
    means = samples.mean("sample").values
    edges = np.quantile(samples.values, [0.055, 0.945], axis=1)
    players = [str(name) for name in samples["player"].values]
    order = np.argsort(means)
    ax.axvline(means.mean(), color=GREY, linestyle="--", linewidth=1.0, label="mean of all")
    labels = {"raw": "raw rate", "estimate": "estimate, 89 % interval", "truth": "truth"}
    for row, which in enumerate(order):
        name = players[which]
        bids, turns = counts.get(name, (0, 0))
        ax.plot(edges[:, which], [row, row], color=BLUE, linewidth=2.2, solid_capstyle="round")
        ax.plot(means[which], row, "o", color=BLUE, markersize=6, label=labels.pop("estimate", None))
        if turns:
            raw, size = bids / turns, 4 + 1.6 * turns**0.5
            head = {"arrowstyle": "->", "color": ink(), "linewidth": 0.8, "shrinkA": size / 2, "shrinkB": 3}
            ax.annotate("", (means[which], row), (raw, row + 0.3), arrowprops=head)
            style = {"mfc": "none", "mec": ink(), "markersize": size, "linestyle": ""}
            ax.plot(raw, row + 0.3, marker="o", label=labels.pop("raw", None), **style)
        if name in truth:
            style = {"color": VERMILION, "markersize": 14, "markeredgewidth": 2.2, "linestyle": ""}
            ax.plot(truth[name], row, marker="|", label=labels.pop("truth", None), **style)
    texts = ["{} ({} of {})".format(players[which], *counts.get(players[which], (0, 0))) for which in order]
    ax.set_yticks(range(len(players)), texts)
    ax.set_ylim(-0.6, len(players) - 0.2)
    shares = [bids / turns for bids, turns in counts.values() if turns]
    most = max([float(edges.max()), *shares, *truth.values()])
    ax.set_xlim(-0.04 * most, 1.06 * most)
    percent_axis(ax.xaxis)
    bare(ax)
    ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.4, -0.1), ncols=2, labelspacing=0.9)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", default=[Path(__file__).with_name("pairs.pbn")])
parser.add_argument("--draws", type=int, default=1000)
options = parser.parse_args()

tables = [table for file in options.files for table in bb.open_records(file).records]
records = records_of_tables(tables, by="pair")
styles = fit_styles(records, draws=options.draws, tune=options.draws, target_accept=0.9, predictive=False, rng=1)
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub", "r_hat"]].round(2))
true_style = {}  # simulated tables tell it: aggressiveness and suit preference
for table in tables:
    for one, other, side in (("North", "South", "NS"), ("East", "West", "EW")):
        if told := table.tag(f"Style{side}"):
            true_style[" & ".join(sorted((table.tag(one), table.tag(other))))] = [*map(float, told.split()), 1.0, 0.02]

turns = {
    "opens with 8 to 11 points": [r for r in records if r.before.last_bid is None and 8 <= r.hand.points <= 11],
    "overcalls": [r for r in records if r.before.last_bid and not any(c.index for c in r.before.calls[-2::-2])],
}
axes = Figure((11, 1.7 + 0.42 * len(styles.players)), layout="constrained").subplots(1, 2)
for ax, (name, asked) in zip(axes, turns.items(), strict=True):
    made, seen = Counter(r.player for r in asked if r.call.is_bid), Counter(r.player for r in asked)
    counts = {pair: (made[pair], seen[pair]) for pair in styles.players}
    truth = {pair: bid_rates(asked, [style])[0] for pair, style in true_style.items()}
    draw_rates(styles.bid_rates(asked), counts, truth, ax)
    ax.set_title(name)
Path("demo").mkdir(exist_ok=True)
axes[0].figure.savefig("demo/who_opens_light.png", dpi=200)
