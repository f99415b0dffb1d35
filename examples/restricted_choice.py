"""Restricted choice: python examples/restricted_choice.py

South has AKT98 of spades opposite 7654. On the ace West drops the queen; dummy leads a
spade and East follows low. King or ten? Counting layouts favours the king. But West
with queen and jack could as well have dropped the jack.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import bayesbridge as bb
from bayesbridge.belief.wins import card_wins

HONOURS = bb.Hand.of("SQ SJ")


class EitherHonour:
    """A player who has both queen and jack drops either, as likely as not."""

    def log_likelihood(self, hands, _contract, plays, seat, _auction, _dummy):
        """log P(cards played ∣ hand).

        There is a choice only with both honours, and only if one of them was played.
        """
        own_cards = [card for player, card in plays if player == seat]
        has_dropped = any(card in HONOURS for card in own_cards)
        has_both = hands & np.uint64(HONOURS.mask) == HONOURS.mask
        return np.where(has_both & has_dropped, np.log(0.5), 0.0)


TRICKS = ("S:SA SQ S4 S2", "S:H3 H4 HA H5", "N:S5 S3")
PLAYERS = {"counting alone": None, "West chose": EitherHonour()}
axes = Figure((9, 4), layout="constrained").subplots(1, 2)
for ax, (name, player) in zip(axes, PLAYERS.items(), strict=True):
    belief = bb.Belief("S", "AKT98.K3.A54.K32", player=player)
    belief = belief.given(bb.Auction.of("S:4S Pass Pass", dummy="N"))
    belief = belief.given(bb.Reveal("N", "7654.A82.K87.A54"))
    belief = belief.given(*map(bb.Trick.of, TRICKS))
    posterior = belief.infer()
    # The ten wins if East has the jack.
    wins = card_wins(posterior, bb.Trick.of(TRICKS[-1], trump="S"))
    bb.plots.cards(posterior, ax=ax).set_title(name)
    ten = bb.Card.of("ST")
    print(f"{name:16} P(the ten wins) = {wins[ten]:.6f}")
print(f"by hand          10/21 = {10 / 21:.6f} and 20/31 = {20 / 31:.6f}")
Path("demo").mkdir(exist_ok=True)
axes[0].figure.savefig("demo/restricted_choice.png", dpi=200)
