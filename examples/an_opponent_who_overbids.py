"""An opponent who overbids: python examples/an_opponent_who_overbids.py

How much better is his next hand guessed after twenty of his auctions are on record?
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.fit import fit_styles, records_of

rng = np.random.default_rng(11)
sober = bb.StyleBidder()
table = {bb.Seat.S: sober, bb.Seat.W: bb.StyleBidder(aggressiveness=1.5), bb.Seat.E: sober}
deals = bb.deals(120, rng=rng)
played = [(deal, simulate_auction(deal, table, first="SWE"[rng.integers(3)], rng=rng)) for deal in deals]

records = [record for board in played[:20] for record in records_of(*board, {bb.Seat.W: "West"})]
styles = fit_styles(records, draws=300, tune=300, chains=2, predictive=False, rng=1)
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub"]].round(2))

gains = []  # log P(true hand | his calls) under what was learned, minus the same under the default style
for deal, auction in played[20:]:
    drawn = bb.deals(1000, given={"S": deal["S"]}, rng=rng).masks[:, bb.Seat.W]
    hands = np.append(drawn, np.uint64(deal["W"].mask))  # the true hand last
    calls, loss = [i for i, (seat, _) in enumerate(auction) if seat == bb.Seat.W], []
    for bidder in (sober, styles.mixture("West", 8)):
        log = sum(bidder.log_likelihood(hands, auction, i) for i in calls)
        loss.append(np.log(np.mean(np.exp(log))) - log[-1])
    gains.append(loss[0] - loss[1])
gain = f"{np.mean(gains):.2f} ± {np.std(gains) / 10:.2f} nats a deal"
print(f"log-loss of his true hand falls by {gain} (100 new deals)")
ax = Figure((6, 3), layout="constrained").subplots()
ax.hist(gains, 24)
ax.set(title=f"His next hand is guessed better by\n{gain}", xlabel="nats", ylabel="deals")
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/an_opponent_who_overbids.png", dpi=200)
