"""A finesse either way: python examples/two_way_finesse.py

The queen of spades can be finessed with SK ST S2 opposite SA SJ S3, on either side.
East has shown eleven cards of other suits: the ace first, and nothing is left to guess.
"""

from pathlib import Path

import bayesbridge as bb

TRICKS = (
    "W:H6 HT H4 H9 | N:CQ CT C6 CA | W:D7 D4 D8 DQ | S:DT DA D5 DK | W:D6 C9 DJ S4 | "
    "E:HQ H5 HA H7 | W:CJ C5 C8 CK | S:HK C3 C4 H3 | S:H8 C2 S6 H2 | S:HJ D9 C7 S5"
)


def rank_cards():
    """Every card that South may lead, searched to the last trick over all layouts."""
    south = bb.Belief("S", "AJ43.KJ985.QT.K6", dummy=None)
    south = south.given(bb.Reveal("N", "KT62.T7.54.Q9754"))
    south = south.given(*map(bb.Trick.of, TRICKS.split(" | ")))
    south = south.given(bb.Length("E", "S", 2, 2))
    return bb.play(south.infer(), "3NT by S")


if __name__ == "__main__":
    choices = rank_cards()
    print(choices)
    Path("demo").mkdir(exist_ok=True)
    bb.plots.play(choices).figure.savefig("demo/two_way_finesse.png")
