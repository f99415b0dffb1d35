"""Opponent modelling: what calls say against real auctions.

And posteriors against the belief engine.
"""

from functools import cache

import numpy as np
import pytest

from bayesbridge import Belief, Called, Deal, Hand, IterativeBidder, Reveal, Seat
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import NO_TRUMP, play_out
from bayesbridge.runtime.random64 import seed_state
from bayesbridge.studies import opponents
from bayesbridge.studies.deals import deal_blocks, find_contracts
from tests.deals import deal_masks

SHARP = IterativeBidder(slip=0.0)
# of the table: bidder, next player, dummy, the player after
SEATS = (
    Seat.S,
    Seat.W,
    Seat.N,
    Seat.E,
)
# Deals among which some defender bids before the contract, a rare thing, whatever the
# seed
MANY = 100_000


def deal_of(table):
    return Deal.of(
        {seat: Hand(int(mask)) for seat, mask in zip(SEATS, table, strict=True)}
    )


def auction_of(contracts, i):
    """The real auction of a contract, the bidder in the south.

    The first to speak is that of the study.
    """
    first_seat = SEATS[{0: 0, 1: 3, 2: 1}[int(contracts.bidder[i])]]
    return simulate_auction(
        deal_of(contracts.table[i]), SHARP, first=first_seat, dummy="N", rng=1
    )


@cache
def some_contracts():
    blocks = list(map(find_contracts, deal_blocks(MANY, 5)))
    return type(blocks[0])(*map(np.concatenate, zip(*blocks, strict=True)))


def test_calls_bound_levels_as_the_bidder_model_does():
    """A hand of level n could have made the call unless its likelihood is nought.

    And only then.
    """
    hands = deal_masks(750, 1).ravel()
    levels = bids(hands).level
    assert set(levels) >= {0, 1}
    contracts = some_contracts()
    low, high = opponents.heard(contracts.levels, contracts.bidder)
    bid_first = np.flatnonzero(low.any(axis=1))
    assert len(bid_first) > 0
    for i in [*range(0, len(contracts.table), 600), *bid_first[:3]]:
        auction = auction_of(contracts, i)
        for k, seat in enumerate((Seat.W, Seat.E)):
            possible = np.ones(len(hands), dtype=bool)
            for index, (caller, _) in enumerate(auction):
                if caller == seat:
                    possible &= np.isfinite(SHARP.log_likelihood(hands, auction, index))
            assert np.array_equal(
                possible, (levels >= low[i, k]) & (levels <= high[i, k])
            )


def tricks(masks):
    return play_out(
        np.ascontiguousarray(masks[:, [int(seat) for seat in SEATS]]), NO_TRUMP, 0, 0
    )


def belief_about(contract, open_dummy):
    """What the bidder, in the south, knows of its deal."""
    deal = deal_of(contract.table[0])
    belief = Belief("S", deal["S"], bidder=SHARP)
    return belief.given(Reveal("N", deal["N"])) if open_dummy else belief


@pytest.mark.parametrize("stage", [0, 1])
def test_predictions_agree_with_the_belief_engine(stage):
    contracts = some_contracts()
    low, _ = opponents.heard(contracts.levels, contracts.bidder)
    for i in (0, int(np.flatnonzero(low.any(axis=1))[0])):
        contract = type(contracts)(*(column[i : i + 1] for column in contracts))
        levels = opponents.heard(contract.levels, contract.bidder)
        drawn = opponents.predict(
            seed_state(3), contract.table, levels, stage, draws=20_000
        )[0]
        belief = belief_about(contract, open_dummy=stage == 1)
        calls = [Called(seat, call) for seat, call in auction_of(contract, 0)]
        for which, evidence in enumerate((belief, belief.given(*calls))):
            layouts = evidence.infer(
                "levels" if which else "direct", draws=20_000, rng=2
            )
            expected = (
                layouts.resample(20_000, rng=4).masks
                if which
                else layouts.layouts.masks
            )
            predicted = drawn[which]
            by_belief = tricks(expected[:20_000])
            error = np.sqrt(
                predicted.var() / len(predicted)
                + by_belief.var() * (1 / len(by_belief) + which / layouts.ess)
            )
            assert abs(predicted.mean() - by_belief.mean()) < 5 * error


def test_what_is_reported_follows_from_the_counts():
    result = opponents.simulate(12_000, 4, 2, runs=2)
    n = result.counts["contracts"] - result.counts["left_out"]
    stages = result.answers["stages"]
    assert result.counts["deals"] == result.total == 24_000
    for name, key in (("closed dummy", "closed"), ("open dummy", "open")):
        for which in ("without calls", "with calls"):
            quality = stages[name][which]
            rows = np.array(quality["calibration"])
            assert rows[:, 0].sum() == n
            assert (rows[:, 0] * rows[:, 2]).sum() == pytest.approx(
                result.counts["made"]
            )
            assert (
                quality["points"]
                == result.counts[f"{key}_points_{which.replace(' ', '_')}"] / n
            )
            assert 0 < quality["brier"] < 0.25
        gain = stages[name]["log_loss_gain"]
        losses = [
            stages[name][which]["log_loss"] for which in ("without calls", "with calls")
        ]
        assert gain["mean"] == pytest.approx(losses[0] - losses[1])
        assert gain["standard_error"] > 0
    # Seeing the dummy is worth far more than any call.
    assert (
        stages["open dummy"]["with calls"]["log_loss"]
        < stages["closed dummy"]["with calls"]["log_loss"] - 0.1
    )
