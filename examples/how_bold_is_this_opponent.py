"""How bold is this opponent? python examples/how_bold_is_this_opponent.py

Fourteen boards against the same West, of which South saw thirteen cards and heard the
calls. West is simulated: 0.8 tricks bolder than the hand is worth.
"""

from pathlib import Path

import arviz as az
import numpy as np
import pymc as pm

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction

rng = np.random.default_rng(5)
sober = bb.StyleBidder()
west = bb.StyleBidder(aggressiveness=0.8)
players = dict.fromkeys(bb.Seat, sober) | {bb.Seat.W: west}
boards = []
for number, deal in enumerate(bb.deals(14, rng=rng)):
    auction = simulate_auction(deal, players, bb.Seat(number % 4), dummy=None, rng=rng)
    south = bb.Belief("S", deal["S"], dummy=None, bidder=sober)
    boards.append(south.given(auction))

grid = {"aggressiveness": np.linspace(-3, 3, 13)}
table = bb.pymc.tabulate_calls(boards, bb.StyleBidder, grid, "W", rng=1)
with pm.Model():
    style = pm.Normal("style", 0, 1)
    bb.pymc.hidden_calls("calls", table, aggressiveness=style)
    tree = pm.sample(500, cores=1, random_seed=1, progressbar=False, quiet=True)
print(az.summary(tree, var_names=["style"], kind="stats"))
print(f"{bb.pymc.beyond_grid(tree):.1%} of the posterior lies beyond the grid.")
picture = az.plot_dist(tree, var_names=["style"])
Path("demo").mkdir(exist_ok=True)
picture.savefig("demo/how_bold_is_this_opponent.png")
