"""The style of an opponent: python examples/style_of_an_opponent.py

Learned from twenty-five auctions whose hands are on record, with PyMC; ArviZ draws prior and posterior.
"""

from pathlib import Path

import arviz as az
import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.fit import fit_styles, records_of
from bayesbridge.bidders.style import StyleBidder

rng = np.random.default_rng(7)
truth = StyleBidder(aggressiveness=-0.6, suit_preference=-1.0, temperature=0.6)
table = {bb.Seat.S: StyleBidder(), bb.Seat.W: truth, bb.Seat.E: StyleBidder()}

records = []
for _ in range(25):
    hands = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands))
    auction = simulate_auction(deal, table, first="SWE"[rng.integers(3)], rng=rng)
    records += records_of(deal, auction, {bb.Seat.W: "West"})

styles = fit_styles(records, draws=300, tune=300, chains=2, rng=1)
print(f"{len(records)} calls on record; truth: {truth}")
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub", "r_hat"]].round(2))
simulated = (styles.tree["posterior_predictive"]["call"] == 0).mean()
seen = np.mean([record.call.index == 0 for record in records])
print(f"passes: {seen:.0%} of the calls on record, {float(simulated):.0%} of those simulated from the fit")
Path("demo").mkdir(exist_ok=True)
shown = az.plot_prior_posterior(styles.tree, var_names=styles.unknown, figure_kwargs={"figsize": (10, 3)})
shown.savefig("demo/style_of_an_opponent.png", dpi=150, bbox_inches="tight")
