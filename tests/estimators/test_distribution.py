"""Distributions: one accumulator, however the values come, and tricks that may not be
countable.
"""

import numpy as np
import pytest

from bayesbridge import BayesBridgeError, Seat
from bayesbridge.estimators.distribution import Accumulator, TrickContext
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


def added(parts):
    sums = Accumulator(OUTPUT, "toy")
    for part in np.array_split(np.arange(400), parts):
        sums.add(TRICKS[part].astype(np.int8), WEIGHTS[part])
    return sums.distribution(False, "t", ASKED)


@pytest.mark.parametrize("parts", [1, 7, 400])
def test_moments_and_shares_are_those_of_the_weighted_values(parts):
    found = added(parts)
    np.testing.assert_allclose(found.mean, WEIGHTS @ TRICKS)
    np.testing.assert_allclose(
        found.sd, np.sqrt(WEIGHTS @ TRICKS**2 - (WEIGHTS @ TRICKS) ** 2)
    )
    for place, side in enumerate("ab"):
        one, own = found.tricks(side=side), TRICKS[:, place]
        assert one.fails == pytest.approx(WEIGHTS[own == -1].sum())
        assert one.holds == pytest.approx(1 - one.fails)
        assert one.mean_if_held == pytest.approx(
            WEIGHTS[own >= 0] @ own[own >= 0] / one.holds
        )
        assert one.at_least(9) == pytest.approx(WEIGHTS[own >= 9].sum())
        assert found.document[side]["pmf"]["9"] == pytest.approx(one.share(9))


def test_counts_take_the_place_of_draws():
    sums = Accumulator(Output("x", "A number.", dtype="int8"), "toy")
    sums.add(np.array([1, 2], np.int8), np.array([0.5, 0.5]))
    sums.count(3, np.array([0, 2, 6, 0], object), 8)
    found = sums.distribution(True, "x", ASKED)
    assert found.exact
    assert dict(zip(found.values.tolist(), found.shares.tolist(), strict=True)) == {
        4: 0.25,
        5: 0.75,
    }
    assert (found.mean[0], found.sd[0]) == pytest.approx((4.75, np.sqrt(0.1875)))


def test_one_of_several_must_be_picked():
    with pytest.raises(BayesBridgeError, match="several numbers: pick one by side"):
        added(1).tricks()
    with pytest.raises(BayesBridgeError, match="has no dimension 'suit'"):
        added(1).at(suit="S")
