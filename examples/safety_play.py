"""A safety play: python examples/safety_play.py

South needs all of SA SQ ST S2 opposite SK S9 S4 S3; four spades are out. Whoever has
them all can be finessed, if an honour of dummy is played first; if the king is, only
West can.
"""

from pathlib import Path

import bayesbridge as bb

TRICKS = (
    "W:C5 C4 C6 C8 | S:D9 D7 DK D6 | N:CJ C9 CK CT | S:H4 H7 HK HA | E:HJ H2 H3 H8 | "
    "E:H5 HT H6 HQ | N:D5 DT DJ DA | W:C3 C7 CQ CA | S:H9 S5 D8 DQ"
)


def rank_cards():
    """Every card that South may lead, searched to the last trick over all layouts."""
    south = bb.Belief("S", "K943.T942.J9.AK8", dummy=None)
    south = south.given(bb.Reveal("N", "AQT2.KQ8.K85.J74"))
    south = south.given(*map(bb.Trick.of, TRICKS.split(" | ")))
    return bb.play(south.infer(), "4NT by S")


if __name__ == "__main__":
    choices = rank_cards()
    print(choices)
    Path("demo").mkdir(exist_ok=True)
    bb.plots.play(choices).figure.savefig("demo/safety_play.png")
