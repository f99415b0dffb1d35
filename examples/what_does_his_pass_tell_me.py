"""What a pass tells: python examples/what_does_his_pass_tell_me.py

West passes as dealer. Where are the missing honours now? It depends on who West is.
"""

from pathlib import Path

from matplotlib.figure import Figure

import bayesbridge as bb

HAND, CARDS = "AKQ2.KJ3.A54.Q32", ("SJ", "HA", "HQ", "DK", "CA", "CK")
BIDDERS = {
    "paper's Algorithm 1": bb.IterativeBidder(),
    "... with suits": bb.IterativeBidder(suits=True),
    "a sober player": bb.StyleBidder(),
    "an aggressive one": bb.StyleBidder(aggressiveness=1.5),
}
found = {"before": bb.Belief("S", HAND).infer(rng=1)}
for name, bidder in BIDDERS.items():
    found[name] = (
        bb.Belief("S", HAND, bidder=bidder).given(bb.Called("W", "pass")).infer(rng=1)
    )

print("P(West holds the card) before and after West's pass")
print(f"{'card':20}", *(f"{card:>6}" for card in CARDS), "  points")
ax = Figure((6.4, 3.4), layout="constrained").subplots()
for name, posterior in found.items():
    cards = [
        float(posterior.card_probabilities().sel(seat="W", card=card)) for card in CARDS
    ]
    points = posterior.point_probabilities().sel(seat="W")
    print(
        f"{name:20}",
        *(f"{chance:6.3f}" for chance in cards),
        f"{float((points * points.points).sum()):8.2f}",
    )
    ax.plot(
        CARDS,
        cards,
        marker="o",
        linestyle="none" if name != "before" else "--",
        label=name,
    )
ax.set(title="P(West holds the card)", ylim=(0, 0.4))
ax.legend(frameon=False, loc="lower left", ncols=2)
Path("demo").mkdir(exist_ok=True)
ax.figure.savefig("demo/what_does_his_pass_tell_me.png", dpi=200)
