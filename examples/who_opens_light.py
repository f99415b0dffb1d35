"""Who opens light? python examples/who_opens_light.py

All pairs of PBN or LIN files in one hierarchical model; by default simulated.
"""

import argparse
from collections import Counter
from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.fit import bid_rates, fit_styles, records_of_tables

PARTNERS = {"NS": ("North", "South"), "EW": ("East", "West")}
SUIT_SPREAD = 1.0  # of the simulated styles, as examples/simulate_pairs.py has them
SLIP = 0.02


def true_styles(tables):
    """The style of each pair, where simulated tables have it in their tags."""
    styles = {}
    for table in tables:
        for side, seats in PARTNERS.items():
            numbers = table.tag(f"Style{side}")
            if numbers:
                pair = " & ".join(sorted(table.tag(seat) for seat in seats))
                aggressiveness, suit_preference = map(float, numbers.split())
                styles[pair] = [aggressiveness, suit_preference, SUIT_SPREAD, SLIP]
    return styles


def is_light_opening(record):
    """Whether nobody has bid, and the hand has 8 to 11 points."""
    return record.before.last_bid is None and 8 <= record.hand.points <= 11


def is_overcall(record):
    """Whether an opponent has bid, and the own side has not."""
    own_calls = record.before.calls[-2::-2]
    own_side_bid = any(call.is_bid for call in own_calls)
    return record.before.last_bid is not None and not own_side_bid


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", default=[Path(__file__).with_name("pairs.pbn")])
parser.add_argument("--draws", type=int, default=100)
options = parser.parse_args()

tables = []
for file in options.files:
    tables += bb.open_records(file).records
records = records_of_tables(tables, by="pair")
styles = fit_styles(
    records, draws=options.draws, tune=150, chains=2, predictive=False, rng=1
)
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub", "r_hat"]].round(2))

turns = {
    "opens with 8 to 11 points": list(filter(is_light_opening, records)),
    "overcalls": list(filter(is_overcall, records)),
}
height = 1.7 + 0.42 * len(styles.players)
figure = Figure((11, height), layout="constrained")
axes = figure.subplots(1, 2)
for ax, (title, decisions) in zip(axes, turns.items(), strict=True):
    chances = Counter(decision.player for decision in decisions)
    bids = Counter(decision.player for decision in decisions if decision.call.is_bid)
    counts = {pair: (bids[pair], chances[pair]) for pair in styles.players}
    truth = {
        pair: bid_rates(decisions, [style])[0]
        for pair, style in true_styles(tables).items()
    }
    fitted = styles.bid_rates(decisions)
    bb.plots.shrinkage(fitted, counts, truth, ax=ax).set_title(title)
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/who_opens_light.png", dpi=200)
