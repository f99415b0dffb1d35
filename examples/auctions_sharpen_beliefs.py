"""Auctions sharpen beliefs: log-loss of where honours lie and how long suits are, before and after each call."""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.simulate import simulate_auction

DEALS, CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 12, 5
rng, bidder = np.random.default_rng(3), bb.IterativeBidder(slip=0.02, suits=True)
losses = np.empty((DEALS, CALLS + 1, 2))
for row in losses:
    hands = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands))
    auction = list(simulate_auction(deal, bidder, first="W", rng=rng))
    belief = bb.Belief("S", deal["S"], bidder=bidder)
    for calls in range(CALLS + 1):  # a short auction stays as it ended
        if 0 < calls <= len(auction):
            belief = belief.given(bb.Called(*auction[calls - 1]))
        if calls <= len(auction):
            posterior = belief.infer(draws=10_000, rng=1)  # the same draws each time
            cards, lengths = posterior.card_probabilities(), posterior.length_probabilities()
        hidden = [card for card in map(bb.Card, range(52)) if card.points and card not in deal["S"]]
        honours = [float(cards.sel(card=str(card), seat=deal.holder(card).name)) for card in hidden]
        suits = [float(lengths.sel(seat=s, suit=t.name, length=deal[s].length(t))) for s in "NEW" for t in bb.Suit]
        row[calls] = [-np.mean(np.log(np.maximum(chances, 1e-3))) for chances in (honours, suits)]

mean, error = losses.mean(axis=0), (losses - losses[:, :1]).std(axis=0) / DEALS**0.5
figure = Figure(layout="constrained")
axes = figure.subplots(1, 2)
for which, name in enumerate(("seat of an honour", "length of a suit")):
    print(f"log-loss, {name}:", *(f"{value:.3f}" for value in mean[:, which]), f"(change ± {error[-1, which]:.3f})")
    axes[which].errorbar(range(CALLS + 1), mean[:, which], error[:, which], marker="o", capsize=3)
    axes[which].set(title=name, xlabel="calls seen", ylabel="log-loss, nats")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/auctions_sharpen_beliefs.png")
