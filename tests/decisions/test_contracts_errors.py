"""A row of `contracts` has an error that counts all it rests on: against every layout solved."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.decisions.contracts import contracts
from bayesbridge.layouts import Layouts

pytest.importorskip("bayesbridge_double_dummy")


def position(seed):
    """A position of at most 200 layouts after three passes of 3H: North is open, and most cards of the others known."""
    rng = np.random.default_rng(seed)
    (deal,) = Layouts(bb.deals(1, rng=rng).masks)
    some = {seat: rng.permutation([str(card) for card in deal[seat]])[:10] for seat in "EW"}
    seen = [bb.Holds(seat, " ".join(cards)) for seat, cards in some.items()]
    south = bb.Belief("S", deal["S"], dummy=None, player=None)
    return south.given(bb.Reveal("N", deal["N"]), *seen, bb.Auction.of("W:3H P P")).infer()


def off(seed):
    """By row and column, how many errors the answer is from that of all layouts solved, and which rows were solved."""
    posterior = position(seed)
    assert posterior.exact
    assert len(posterior) <= 200
    rows = "3NT by S,4S by S,3H by W,3HX by W"
    usual, exact = (
        contracts(posterior, named, vulnerable="Both", against="Pass", solve=solve, rng=1)
        for named, solve in ((None, 12), (rows, len(posterior)))
    )
    assert set(exact["basis"].values) == {"all solved"}
    names = [name for name in exact["contract"].values if name in usual["contract"].values]
    one, other = usual.sel(contract=names), exact.sel(contract=names)
    found = []
    for name in ("make", "tricks", "score", "difference"):
        error = np.hypot(one[f"{name}_error"].values, other[f"{name}_error"].values)
        apart = np.abs(one[name].values - other[name].values)
        found.append(np.divide(apart, error, out=np.where(apart > 1e-9, np.inf, 0.0), where=error > 0))
    return np.array(found), usual


@pytest.mark.parametrize("seed", [1, pytest.param(range(2, 21), marks=pytest.mark.slow)])
def test_rows_are_as_near_to_the_solved_ones_as_their_errors_say(seed):
    for one in seed if isinstance(seed, range) else [seed]:
        apart, usual = off(one)
        assert apart.max() < 6  # the error of the network has long tails
        stands = usual["basis"].sel(contract=[name for name in usual["contract"].values if name.endswith("by W")])
        assert (stands == "corrected").all()
        network = usual["basis"] == "network"
        assert (usual["tricks_error"].where(network, 1) > 0.05).all()
