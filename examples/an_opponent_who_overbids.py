"""An opponent who overbids: how much better is his next hand guessed after twenty of his auctions are on record?"""

import numpy as np

import bayesbridge as bb
from bayesbridge.bidders.fit import fit_styles, records_of
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.turn import simulate_auction
from bayesbridge.engines.tables import Sampler

rng = np.random.default_rng(11)
table = {bb.Seat.S: StyleBidder(), bb.Seat.W: StyleBidder(aggressiveness=1.5), bb.Seat.E: StyleBidder()}


def auctions(n):
    """Deals and their auctions."""
    for _ in range(n):
        hands = rng.permutation(52).reshape(4, 13)
        deal = bb.Deal(tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands))
        yield deal, simulate_auction(deal, table, first="SWE"[rng.integers(3)], rng=rng)


records = [record for played in auctions(20) for record in records_of(*played, {bb.Seat.W: "West"})]
styles = fit_styles(records, draws=300, tune=300, predictive=False, rng=1)
print(styles.summary()[["mean", "sd", "eti89_lb", "eti89_ub"]].round(2))

gains = []  # log P(true hand | his calls) under what was learned, minus the same under the default style
for deal, auction in auctions(100):
    drawn = Sampler.of(bb.Belief("S", deal["S"]).constraints).draw(1000, rng)[:, bb.Seat.W]
    hands = np.append(drawn, np.uint64(deal["W"].mask))  # the true hand last
    loss = []
    for bidder in (StyleBidder(), styles.mixture("West", 16)):
        calls = [i for i, (seat, _) in enumerate(auction) if seat == bb.Seat.W]
        log = sum(bidder.log_likelihood(hands, auction, i) for i in calls)
        loss.append(np.log(np.mean(np.exp(log))) - log[-1])
    gains.append(loss[0] - loss[1])
error = np.std(gains) / len(gains) ** 0.5
print(f"log-loss of his true hand falls by {np.mean(gains):.3f} ± {error:.3f} nats a deal ({len(gains)} new deals)")
