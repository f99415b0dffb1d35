"""A squeeze: python examples/squeeze.py

West bid spades and must hold king and queen. South needs three tricks from SA SJ H3
opposite S2 HT CA. The last club wins if West has the jack of hearts too: whatever West
throws away, dummy throws the other.
"""

from pathlib import Path

import bayesbridge as bb

TRICKS = (
    "W:C6 C4 CQ CK | S:S3 ST S4 S6 | W:D6 DJ D9 HQ | N:D5 DK CJ DT | E:H8 H5 HK H9 | "
    "W:S8 S9 S7 S5 | N:H4 H6 H7 H2 | S:C9 C3 DA C8 | S:C2 DQ D7 C5 | E:C7 CT HA D8"
)


def rank_cards():
    """Every card that South may lead, searched to the last trick over all layouts."""
    south = bb.Belief("S", "532.QT75..AKJT92", dummy=None)
    south = south.given(bb.Reveal("N", "AJ94.943.AJ875.4"))
    south = south.given(*map(bb.Trick.of, TRICKS.split(" | ")))
    south = south.given(bb.Holds("W", "SK SQ"))
    return bb.play(south.infer(), "3NT by S")


if __name__ == "__main__":
    choices = rank_cards()
    print(choices)
    Path("demo").mkdir(exist_ok=True)
    bb.plots.play(choices).figure.savefig("demo/squeeze.png")
