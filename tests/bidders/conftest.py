"""Random hands and deals for bidders."""

import numpy as np
import pytest

from bayesbridge.cards import Hand
from bayesbridge.deal import Deal


def deal_masks(n, rng):
    """(n, 4) masks of random deals."""
    order = np.argsort(np.random.default_rng(rng).random((n, 52)), axis=1).reshape(n, 4, 13)
    return np.bitwise_or.reduce(np.uint64(1) << order.astype(np.uint64), axis=2)


def random_deals(n, rng):
    """Random deals."""
    return [Deal(tuple(Hand(int(mask)) for mask in row)) for row in deal_masks(n, rng)]


@pytest.fixture(scope="session")
def random_hands():
    """(8000,) masks of random hands."""
    return deal_masks(2000, 1).ravel()
