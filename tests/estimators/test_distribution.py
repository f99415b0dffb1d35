"""Distributions have one accumulator, however the values come.

Tricks may not be countable.
"""

import numpy as np
import pytest

from bayesbridge import BayesBridgeError, Seat
from bayesbridge.estimators.distribution import Accumulator, ExactCounts, TrickContext
from bayesbridge.estimators.protocol import Output, TrickCount

ASKED = TrickContext((Seat.S, Seat.N))
RNG = np.random.default_rng(1)
TRICKS = RNG.integers(-1, 14, (400, 2))
WEIGHTS = RNG.dirichlet(np.ones(400))
OUTPUT = Output(
    "t",
    "Tricks.",
    ("side",),
    "int8",
    {"side": ("a", "b")},
    tricks=TrickCount(-1, "gives up", "it goes on"),
)


def added(blocks):
    sums = Accumulator(OUTPUT, "toy")
    for block in np.array_split(np.arange(400), blocks):
        sums.add(TRICKS[block].astype(np.int8), WEIGHTS[block])
    return sums.distribution(False, "t", ASKED)


@pytest.mark.parametrize("blocks", [1, 7, 400])
def test_moments_and_shares_are_those_of_the_weighted_values(blocks):
    distribution = added(blocks)
    np.testing.assert_allclose(distribution.mean, WEIGHTS @ TRICKS)
    np.testing.assert_allclose(
        distribution.sd, np.sqrt(WEIGHTS @ TRICKS**2 - (WEIGHTS @ TRICKS) ** 2)
    )
    for place, side in enumerate("ab"):
        tricks = distribution.tricks(side=side)
        values = TRICKS[:, place]
        assert tricks.fails == pytest.approx(WEIGHTS[values == -1].sum())
        assert tricks.holds == pytest.approx(1 - tricks.fails)
        assert tricks.mean_if_held == pytest.approx(
            WEIGHTS[values >= 0] @ values[values >= 0] / tricks.holds
        )
        assert tricks.at_least(9) == pytest.approx(WEIGHTS[values >= 9].sum())
        assert distribution.document[side]["pmf"]["9"] == pytest.approx(tricks.share(9))


def test_counts_take_the_place_of_draws():
    sums = Accumulator(Output("x", "A number.", dtype="int8"), "toy")
    sums.add(np.array([1, 2], np.int8), np.array([0.5, 0.5]))
    sums.count(ExactCounts(3, np.array([0, 2, 6, 0], object), total=8))
    distribution = sums.distribution(True, "x", ASKED)
    assert distribution.exact
    assert dict(
        zip(distribution.values.tolist(), distribution.shares.tolist(), strict=True)
    ) == {
        4: 0.25,
        5: 0.75,
    }
    assert (distribution.mean[0], distribution.sd[0]) == pytest.approx(
        (4.75, np.sqrt(0.1875))
    )


def test_one_of_several_must_be_picked():
    with pytest.raises(BayesBridgeError, match="several numbers: pick one by side"):
        added(1).tricks()
    with pytest.raises(BayesBridgeError, match="has no dimension 'suit'"):
        added(1).at(suit="S")
