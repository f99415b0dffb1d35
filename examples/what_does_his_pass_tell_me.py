"""What a pass tells: python examples/what_does_his_pass_tell_me.py

West passes as dealer. Where are the missing honours now? It depends on who West is.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

HAND = "AKQ2.KJ3.A54.Q32"
CARDS = ("SJ", "HA", "HQ", "DK", "CA", "CK")
BIDDERS = {
    "paper's Algorithm 1": bb.IterativeBidder(),
    "... with suits": bb.IterativeBidder(suits=True),
    "a sober player": bb.StyleBidder(),
    "an aggressive one": bb.StyleBidder(aggressiveness=1.5),
}
posteriors = {"before": bb.Belief("S", HAND).infer(rng=1)}
for name, bidder in BIDDERS.items():
    belief = bb.Belief("S", HAND, bidder=bidder).given(bb.Called("W", "pass"))
    posteriors[name] = belief.infer(rng=1)

print("P(West holds the card) before and after West's pass")
print(f"{'card':20}", *(f"{card:>6}" for card in CARDS), "  points")
ax = Figure((6.4, 3.4), layout="constrained").subplots()
for name, posterior in posteriors.items():
    cards = posterior.card_probabilities().sel(seat="W")
    chances = [float(cards.sel(card=card)) for card in CARDS]
    point_chances = posterior.point_probabilities().sel(seat="W")
    mean_points = float((point_chances * point_chances.points).sum())
    cells = [f"{chance:6.3f}" for chance in chances]
    print(f"{name:20}", *cells, f"{mean_points:8.2f}")
    line = "--" if name == "before" else "none"
    ax.plot(CARDS, chances, marker="o", linestyle=line, label=name)
ax.set(title="P(West holds the card)", ylim=(0, 0.4))
ax.legend(frameon=False, loc="lower left", ncols=2)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/what_does_his_pass_tell_me.png", dpi=200)
