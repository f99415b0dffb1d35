"""What does his pass tell me? West passes as dealer: where are the missing honours now?"""

import bayesbridge as bb
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.style import StyleBidder

before = bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)
print("P(West holds the card) before and after West's pass")
print(f"{'card':20}", *(f"{card:>6}" for card in ("SJ", "HA", "HQ", "DK", "CA", "CK")), "  points")


def show(name, posterior):
    """One row of the table."""
    cards = posterior.card_probabilities().sel(seat="W")
    points = posterior.point_probabilities().sel(seat="W")
    mean = float((points * points.points).sum())
    print(
        f"{name:20}",
        *(f"{float(cards.sel(card=c)):6.3f}" for c in ("SJ", "HA", "HQ", "DK", "CA", "CK")),
        f"{mean:8.2f}",
    )


show("before", before)
for name, bidder in (
    ("paper's Algorithm 1", IterativeBidder()),
    ("... with suits", IterativeBidder(suits=True)),
    ("a sober player", StyleBidder()),
    ("an aggressive one", StyleBidder(aggressiveness=1.5)),
):
    passed = bb.Belief("S", "AKQ2.KJ3.A54.Q32", bidder=bidder).given(bb.Called("W", "pass"))
    show(name, passed.infer(rng=1))
