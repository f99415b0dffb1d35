"""Who opens light? python examples/who_opens_light.py

All pairs of PBN or LIN files in one hierarchical model; by default simulated.
"""

import argparse
from collections import Counter
from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.fit import bid_rates, fit_styles, records_of_tables

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", default=[Path(__file__).with_name("pairs.pbn")])
parser.add_argument("--draws", type=int, default=100)
options = parser.parse_args()
tables = [table for file in options.files for table in bb.open_records(file).records]
records = records_of_tables(tables, by="pair")
styles = fit_styles(
    records, draws=options.draws, tune=150, chains=2, predictive=False, rng=1
)
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub", "r_hat"]].round(2))
true_style = {}  # simulated tables tell it: aggressiveness and suit preference
for table in tables:
    for one, other, side in (("North", "South", "NS"), ("East", "West", "EW")):
        if told := table.tag(f"Style{side}"):
            true_style[" & ".join(sorted((table.tag(one), table.tag(other))))] = [
                *map(float, told.split()),
                1.0,
                0.02,
            ]

turns = {
    "opens with 8 to 11 points": [
        r for r in records if r.before.last_bid is None and 8 <= r.hand.points <= 11
    ],
    "overcalls": [
        r
        for r in records
        if r.before.last_bid and not any(c.index for c in r.before.calls[-2::-2])
    ],
}
axes = Figure((11, 1.7 + 0.42 * len(styles.players)), layout="constrained").subplots(
    1, 2
)
for ax, (name, asked) in zip(axes, turns.items(), strict=True):
    made, seen = (
        Counter(r.player for r in asked if r.call.is_bid),
        Counter(r.player for r in asked),
    )
    counts = {pair: (made[pair], seen[pair]) for pair in styles.players}
    truth = {pair: bid_rates(asked, [style])[0] for pair, style in true_style.items()}
    bb.plots.shrinkage(styles.bid_rates(asked), counts, truth, ax=ax).set_title(name)
Path("demo").mkdir(exist_ok=True)
axes[0].figure.savefig("demo/who_opens_light.png", dpi=200)
