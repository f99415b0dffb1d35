"""Auctions sharpen beliefs: python examples/auctions_sharpen_beliefs.py [DEALS]

Four experts, learned from records, bid random deals: where do honours lie, how long are
suits, call by call?
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction

DEALS, SEEN = int(sys.argv[1]) if len(sys.argv) > 1 else 4, range(0, 11, 2)
rng, bidder = np.random.default_rng(3), bb.LearnedBidder()
losses = np.empty((DEALS, len(SEEN), 2))
for row in losses:
    hands = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(
        tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in hands)
    )
    south = bb.Belief("S", deal["S"], dummy=None)
    stages = list(
        south.given(simulate_auction(deal, bidder, dummy=None, rng=rng)).history()
    )
    hidden = [
        card
        for card in map(bb.Card, range(52))
        if card.points and card not in deal["S"]
    ]
    posterior = None
    for place, calls in enumerate(SEEN):
        if calls <= len(stages):  # a short auction stays as it ended
            posterior = stages[min(calls, len(stages) - 1)].infer(
                draws=1000, rng=1, before=posterior
            )
            cards, lengths = (
                posterior.card_probabilities(),
                posterior.length_probabilities(),
            )
        honours = [
            float(cards.sel(card=str(card), seat=deal.holder(card).name))
            for card in hidden
        ]
        suits = [
            float(lengths.sel(seat=s, suit=t.name, length=deal[s].length(t)))
            for s in "NEW"
            for t in bb.Suit
        ]
        row[place] = [
            -np.mean(np.log(np.maximum(chances, 1e-3))) for chances in (honours, suits)
        ]

mean, error = losses.mean(axis=0), (losses - losses[:, :1]).std(axis=0) / DEALS**0.5
axes = (figure := Figure((7, 3), layout="constrained")).subplots(1, 2)
for which, name in enumerate(("seat of an honour", "length of a suit")):
    print(
        f"log-loss, {name}:",
        *(f"{value:.3f}" for value in mean[:, which]),
        f"(change ± {error[-1, which]:.3f})",
    )
    axes[which].errorbar(SEEN, mean[:, which], error[:, which], marker="o", capsize=3)
    axes[which].set(title=name, xlabel="calls seen", ylabel="log-loss, nats")
Path("demo").mkdir(exist_ok=True)
figure.savefig("demo/auctions_sharpen_beliefs.png", dpi=150)
