"""A throw-in: python examples/throw_in.py

East has the king of hearts, and West the last diamond. South needs two tricks from SA
SQ H4 opposite S3 S2 H5: the finesse works half the time, a heart always, since East
must then lead a spade.
"""

from pathlib import Path

import bayesbridge as bb

TRICKS = (
    "W:C8 CT C6 C9 | N:CQ C2 CJ C5 | N:S6 S5 S4 S7 | W:D9 D8 D4 DK | S:HJ H8 H9 HT | "
    "S:D7 D6 DA DQ | N:C7 CK C4 C3 | E:DT D5 D3 DJ | N:CA H6 HQ ST | N:H3 H7 HA H2"
)


def rank_cards():
    """Every card that South may lead, searched to the last trick over all layouts."""
    south = bb.Belief("S", "432.AQJ5.K75.J94", dummy=None)
    south = south.given(bb.Reveal("N", "AQ6.943.AJ8.AQT7"))
    south = south.given(*map(bb.Trick.of, TRICKS.split(" | ")))
    south = south.given(bb.Holds("E", "HK"), bb.Holds("W", "D2"))
    return bb.play(south.infer(), "4NT by S")


if __name__ == "__main__":
    choices = rank_cards()
    print(choices)
    Path("demo").mkdir(exist_ok=True)
    bb.plots.play(choices).figure.savefig("demo/throw_in.png")
