"""Small positions that tests of results, pictures and reports share."""

import bayesbridge as bb

EAST = "T963.9864.JT8.J7"
NORTH = "J54.AQ2.KQ76.A54"
SOUTH = "AKQ2.KJ3.A54.Q32"
LIN = (
    "qx|o1|md|3SAKQ2HKJ3DA54CQ32,SJ54HAQ2DKQ76CA54,ST963H9864DJT8CJ7,|sv|n|"
    "mb|1N|mb|p|mb|p|mb|p|\n"
)


def quiet():
    """8568 layouts, all equally likely.

    East sees the dummy and knows eight of South's cards.
    """
    return bb.Belief("E", EAST).given(
        bb.Reveal("N", NORTH), bb.Holds("S", "SA SK S2 HK H3 DA CQ C2")
    )


def called():
    """The same after South has opened: the layouts differ in weight."""
    return bb.Belief("E", EAST).given(
        bb.Called("S", "1NT"),
        bb.Reveal("N", NORTH),
        bb.Holds("S", "SA SK S2 HK H3 DA CQ C2"),
    )


def wide():
    """South before anything happened: far too many layouts to walk."""
    return bb.Belief("S", SOUTH)


def bid():
    """South after West's bid: too many layouts, and weighted."""
    return wide().given(bb.Called("W", "1NT"), bb.Void("E", "H"))


def passed():
    """South after West's pass: too many layouts, and weights that differ little."""
    return wide().given(bb.Called("W", "Pass"), bb.Void("E", "H"))


def moved(draws):
    """A posterior of particles: unweighted draws, worth fewer than there are."""
    return bid().infer("resample-move", draws=draws, rng=1)
