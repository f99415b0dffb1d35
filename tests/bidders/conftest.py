"""Random hands for bidders; two players on record, and their styles as fitted."""

import numpy as np
import pytest

from bayesbridge import Seat, StyleBidder
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.bidders.fit import fit_styles, records_of
from tests.deals import deal_masks, random_deal


def density_of(model):
    """The log density of a PyMC model, evaluated without compiling."""
    # as late as PyMC, which not every process of tests needs
    from pytensor.compile.mode import (
        Mode,
    )

    return model.compile_logp(mode=Mode(linker="py", optimizer=None))


@pytest.fixture(scope="session")
def random_hands():
    """(8000,) masks of random hands."""
    return deal_masks(2000, 1).ravel()


def play(bidders, names, deals, rng):
    """Records of simulated three-player auctions."""
    generator = np.random.default_rng(rng)
    records = []
    for deal in (random_deal(generator) for _ in range(deals)):
        auction = simulate_auction(
            deal, bidders, first="SWE"[generator.integers(3)], rng=generator
        )
        records += records_of(deal, auction, names)
    return records


@pytest.fixture(scope="session")
def table():
    """Two players, one bold and one cautious, and a known third."""
    bidders = {
        Seat.S: StyleBidder(),
        Seat.W: StyleBidder(1.2, 0.3, 0.7, 0.01),
        Seat.E: StyleBidder(-0.8, 0.3, 0.9),
    }
    return bidders, play(bidders, {Seat.W: "bold", Seat.E: "cautious"}, 40, 1)


@pytest.fixture(scope="session")
def fitted(table):
    """Their styles, each learned alone."""
    return fit_styles(table[1], pooling="none", draws=100, tune=200, chains=2, rng=1)
