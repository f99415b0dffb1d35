"""Proposals against lists of all layouts, with negative controls."""

import math

import numpy as np
import pytest

from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.proposal import Proposal, Tilt
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.engines.tilt_fit import FEATURES
from bayesbridge.errors import Contradiction
from tests.engines.positions import allows, closed, p_value, random_position, tally


def random_proposal(constraints, rng, flat=()):
    """A proposal of random tilts and order; ``flat``: seats whose tilt is 1."""
    tilts = []
    for seat in range(4):
        holding = rng.normal(size=(4, 14, 16))
        points = rng.normal(size=41)
        tilt = Tilt(holding, points, np.zeros(FEATURES))
        tilts.append(Tilt.none() if seat in flat else tilt)
    normal = constraints.normalised()
    order = tuple(rng.permutation(normal.hidden).tolist())
    return Proposal(normal, LayoutIndex.of(constraints), order, tuple(tilts))


def every(constraints):
    """All layouts that fit."""
    return Enumeration.of(constraints).stretch(0, 10**7)


@pytest.mark.parametrize(
    "rooms", [(0, 5, 4, 4), (0, 0, 8, 8), (4, 0, 4, 4), (2, 2, 3, 2)]
)
@pytest.mark.parametrize("flat", [(), (3,), (1, 2)])
def test_densities_sum_to_one(rooms, flat):
    proposal = random_proposal(
        closed(*rooms), np.random.default_rng(len(flat)), flat=flat
    )
    log_tilted = proposal.log_tilted(every(proposal.known))
    for log_density in (log_tilted, proposal.mixed(log_tilted)):
        assert math.fsum(np.exp(log_density)) == pytest.approx(1.0, abs=1e-12)


def test_draws_follow_the_density_and_tell_it():
    rng = np.random.default_rng(5)
    proposal = random_proposal(closed(0, 4, 3, 3), rng)
    layouts = every(proposal.known)
    drawn, log_q = proposal.draw(60_000, rng=1)
    observed = tally(drawn, layouts)
    density = np.exp(proposal.mixed(proposal.log_tilted(layouts)))
    assert p_value(observed, density) > 1e-3
    np.testing.assert_allclose(
        log_q, proposal.mixed(proposal.log_tilted(drawn)), rtol=0, atol=1e-10
    )
    # Negative controls: neither the uniform distribution nor the tilted part alone
    # passes
    # for the mixture.
    assert p_value(observed, np.full(len(layouts), 1 / len(layouts))) < 1e-6
    assert p_value(observed, np.exp(proposal.log_tilted(layouts))) < 1e-6


@pytest.mark.parametrize("seed", range(40))
def test_hard_evidence_is_kept_and_dead_draws_are_what_is_missing(seed):
    """Densities of what fits and the share of dead draws sum to one.

    The evidence is lengths, points and cards of all kinds.
    """
    rng = np.random.default_rng([11, seed])
    _, evidence = random_position(rng)
    try:
        proposal = random_proposal(evidence, rng)
    except Contradiction:
        return
    if len(proposal.order) < 2:
        return
    layouts = every(evidence)
    alive = math.fsum(np.exp(proposal.log_tilted(layouts)))
    assert alive <= 1.0 + 1e-12
    n = 4000
    drawn, log_q = proposal.draw(n, rng=seed)
    dead = log_q == -np.inf
    assert allows(evidence, drawn[~dead]).all()
    assert not drawn[dead].any()
    expected = (1.0 - proposal.spread) * max(1.0 - alive, 0.0)
    error = math.sqrt(expected * (1.0 - expected) / n)
    assert abs(dead.mean() - expected) <= 5.0 * error + 1e-12


def test_evidence_about_the_last_seat_kills_draws():
    """The test above must meet dead draws somewhere.

    Here the last seat can take six cards only.
    """
    constraints = closed(0, 4, 4, 4)
    unknown_mask = constraints.normalised().unknown_mask
    unknown = [1 << card for card in range(52) if unknown_mask >> card & 1]
    constraints = constraints.lack(3, sum(unknown[::2]))
    proposal = random_proposal(constraints, np.random.default_rng(2))
    proposal = Proposal(
        proposal.known, proposal.sampler, (1, 2, 3), proposal.tilts, 0.05
    )
    alive = math.fsum(np.exp(proposal.log_tilted(every(constraints))))
    _, log_q = proposal.draw(4000, rng=3)
    expected = 0.95 * (1.0 - alive)
    assert expected > 0.01, "no draw dies here, so the test shows nothing"
    assert abs((log_q == -np.inf).mean() - expected) < 5.0 * math.sqrt(expected / 4000)
