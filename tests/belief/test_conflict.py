"""Contradictions name the smallest set of pieces, checked by trying every subset."""

from functools import reduce
from itertools import combinations
from operator import and_

import numpy as np
import pytest

from bayesbridge import Belief, IterativeBidder, Seat, Trick
from bayesbridge.engines.conditions import count
from bayesbridge.errors import Contradiction, TooFewDraws
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import (
    Called,
    HighCards,
    Holds,
    Length,
    Play,
    Reveal,
    Void,
)
from tests.deals import random_deal, true_piece

SOUTH = Belief("S", "AKQ2.KJ3.A54.Q32", dummy="N")


def named(belief, *evidence):
    """What the contradiction names."""
    with pytest.raises(Contradiction) as error:
        belief.given(*evidence).count()
    message = str(error.value)
    assert "\n" not in message
    assert all(str(piece) in message for piece in error.value.data["evidence"])
    return tuple(error.value.data["evidence"])


def fits(belief, evidence):
    try:
        return belief.given(*evidence).count() > 0
    except Contradiction:
        return False


@pytest.mark.parametrize("seed", range(12))
def test_no_smaller_set_is_in_conflict(seed):
    rng = np.random.default_rng([7, seed])
    while True:
        belief = Belief("S", random_deal(rng)[Seat.S])
        # each piece is true of one of the two, so that they often clash
        deals = (
            random_deal(rng),
            random_deal(rng),
        )
        evidence = [
            true_piece(deals[rng.integers(2)], [Seat.N, Seat.E, Seat.W], rng)
            for _ in range(7)
        ]
        if not fits(belief, evidence):
            break
    culprits = named(belief, *evidence)
    own = Reveal("S", belief.hand)
    pieces = [piece for piece in culprits if piece != own]
    assert set(pieces) <= set(evidence)
    assert not fits(belief, pieces)
    for subset in combinations(evidence, len(pieces) - 1):
        assert fits(belief, subset), f"{subset} is a smaller conflict than {culprits}"
    # The own hand is left out only where nobody could hold these pieces, whatever the
    # hand.
    if own not in culprits:
        constraints = [piece.constrain(Constraints.free()) for piece in pieces]
        assert count(reduce(and_, constraints)) == 0


def test_a_small_conflict_is_found_behind_a_large_one():
    """Four pieces clash first in order, two others clash too: the two are named."""
    four = [Length("W", suit, 0, 3) for suit in "CDHS"]
    two = [Length("E", "H", 6), Length("N", "H", 5)]
    assert named(SOUTH, *four, *two) == (Reveal("S", SOUTH.hand), *two)
    assert named(SOUTH, *four) == tuple(four)


CASES = [
    (
        [Holds("E", "SA")],
        "these cannot hold together: S shows AKQ2.KJ3.A54.Q32; E holds SA. Take one of them back.",
    ),
    (
        [Holds("E", "HA"), Holds("W", "HA")],
        "these cannot hold together: E holds HA; W holds HA. ",
    ),
    (
        [Holds("E", "HA HQ HT H9 H8 H7 H6"), Holds("E", "DK DQ DJ DT D9 D8 D7")],
        "E holds HA .*; E holds DK",
    ),
    (
        [HighCards("W", 38)],
        "this cannot be: W has 38 to 40 high-card points. Take it back.",
    ),
    (
        [HighCards("W", 15, 17), HighCards("E", 7, 9)],
        "S shows .*; W has 15 to 17 .*; E has 7 to 9 high-card points",
    ),
    (
        [Length("W", "S", 7), Length("W", "H", 7)],
        "together: W has 7 to 13 cards in S; W has 7 to 13 cards in H. ",
    ),
    (
        [Length("W", "S", 5), Length("E", "S", 5)],
        "S shows .*; W has 5 to 13 cards in S; E has 5 to 13 cards in S",
    ),
    ([Void("E", "H"), Play("E", "H2")], "together: E is void in H; E plays H2. "),
    (
        [Trick.of("W:H2 H4 D2 HK"), Holds("E", "HA")],
        "together: W plays H2; E plays D2; E holds HA. ",
    ),
]


@pytest.mark.parametrize(("evidence", "says"), CASES)
def test_what_it_says(evidence, says):
    with pytest.raises(Contradiction, match=says) as error:
        SOUTH.given(*evidence).count()
    assert "\n" not in str(error.value)


def test_a_hidden_contradiction_waits_for_the_count():
    """Nothing plain to see: given() is quick and accepts, counting tells."""
    belief = SOUTH.given(
        HighCards("W", 12, 14), HighCards("E", 7, 9), HighCards("N", 3, 4)
    )
    with pytest.raises(
        Contradiction, match=r"W has 12 to 14 .*; E has 7 to 9 .*; N has 3 to 4"
    ):
        belief.count()
    with pytest.raises(Contradiction):
        belief.infer()


@pytest.mark.parametrize(
    "method", ["auto", "likelihood-weighting", "resample-move", "importance"]
)
def test_calls_that_no_layout_explains_offer_the_slip(method):
    """A sharp bidder never bids 7C; with a slip he may."""
    sharp = Belief("S", SOUTH.hand, bidder=IterativeBidder(slip=0.0)).given(
        Called("W", "7C")
    )
    with pytest.raises(Contradiction, match=r"W calls 7C.*slip") as error:
        sharp.infer(method, draws=200, rng=1)
    assert error.value.data["evidence"] == (Called("W", "7C"),)
    assert sharp.count() == SOUTH.count(), "a call is soft: it removes no layout"
    slipping = Belief("S", SOUTH.hand, bidder=IterativeBidder(slip=0.02)).given(
        Called("W", "7C")
    )
    if method == "likelihood-weighting":  # which cannot know that no other hand bids so
        with pytest.raises(TooFewDraws, match="200 uniform draws may miss the layouts"):
            slipping.infer(method, draws=200, rng=1)
    else:
        assert len(slipping.infer(method, draws=200, rng=1)) > 0
