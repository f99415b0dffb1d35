"""Auctions sharpen beliefs: python examples/auctions_sharpen_beliefs.py [DEALS]

Four experts, learned from records, bid random deals: where do honours lie, how long are
suits, call by call?
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction

CALLS_SEEN = range(0, 11, 2)
SMALLEST_CHANCE = 1e-3  # what draws never met is not impossible


def random_deal(rng):
    """Four hands from one shuffled deck."""
    cards = rng.permutation(52).reshape(4, 13)
    masks = (1 << cards).sum(axis=1)
    return bb.Deal(tuple(map(bb.Hand, masks.tolist())))


def log_loss(chances):
    """Mean of −log P(what is true)."""
    return -np.mean(np.log(np.maximum(chances, SMALLEST_CHANCE)))


def losses_of(posterior, deal):
    """Log-loss of where South's missing honours lie, and of the hidden lengths."""
    cards = posterior.card_probabilities()
    lengths = posterior.length_probabilities()
    honours = []
    for card in map(bb.Card, range(52)):
        if card.points and card not in deal["S"]:
            holder = deal.holder(card).name
            honours.append(float(cards.sel(card=str(card), seat=holder)))
    suits = []
    for seat, suit in product("NEW", bb.Suit):
        length = deal[seat].length(suit)
        suits.append(float(lengths.sel(seat=seat, suit=suit.name, length=length)))
    return log_loss(honours), log_loss(suits)


number_of_deals = int(sys.argv[1]) if len(sys.argv) > 1 else 4
rng = np.random.default_rng(3)
bidder = bb.LearnedBidder()
losses = np.empty((number_of_deals, len(CALLS_SEEN), 2))
for deal_losses in losses:
    deal = random_deal(rng)
    south = bb.Belief("S", deal["S"], dummy=None)
    auction = simulate_auction(deal, bidder, dummy=None, rng=rng)
    stages = list(south.given(auction).history())
    posterior = None
    for row, calls in enumerate(CALLS_SEEN):
        if calls <= len(stages):  # a short auction stays as it ended
            stage = stages[min(calls, len(stages) - 1)]
            posterior = stage.infer(draws=1000, rng=1, before=posterior)
        deal_losses[row] = losses_of(posterior, deal)

mean = losses.mean(axis=0)
change = losses - losses[:, :1]
error = change.std(axis=0) / number_of_deals**0.5
figure = Figure((7, 3), layout="constrained")
names = ("seat of an honour", "length of a suit")
for column, (name, ax) in enumerate(zip(names, figure.subplots(1, 2), strict=True)):
    values = " ".join(f"{value:.3f}" for value in mean[:, column])
    print(f"log-loss, {name}: {values} (change ± {error[-1, column]:.3f})")
    ax.errorbar(CALLS_SEEN, mean[:, column], error[:, column], marker="o", capsize=3)
    ax.set(title=name, xlabel="calls seen", ylabel="log-loss, nats")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/auctions_sharpen_beliefs.png", dpi=150)
