"""Models with a count of honours of their own: draws that are worth more, and the right answers whatever is counted."""

import math

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.cards import Hand
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.proposal import HONOUR_POINTS
from bayesbridge.engines.tables import Sampler
from bayesbridge.engines.tilt import tilted
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import Called, HighCards
from tests.engines.test_proposal import closed
from tests.engines.test_tilt import called, exactly, worst_z


class Controls:
    """Calls by controls alone: 1C with just three (ace two, king one), 1D with one or five, else Pass."""

    def log_likelihood(self, hands, auction, index):
        aces, kings = (np.bitwise_count(hands & np.uint64(Hand.of(f"C{r} D{r} H{r} S{r}").mask)) for r in "AK")
        meant = np.select([2 * aces + kings == 3, np.isin(2 * aces + kings, (1, 5))], [3, 4], 0)
        return np.log(np.where(meant == auction.calls[index].index, 0.98, 0.002))


class OwnCount(Controls):
    honour_values = (2, 1, 0, 0)


def shares(bidder, *evidence, draws=1000):
    """Effective shares of the draws before they are thinned, and what the engine counts."""
    found = []
    for seed in range(3):
        belief = Belief("S", "AKQ52.J3.A94.K83", bidder=bidder).given(*evidence)
        posterior = belief.infer("tilted", draws=draws, rng=[6, seed])
        found.append(posterior.draws.proposed.ess / len(posterior.draws.proposed))
    return np.median(found), posterior.draws.proposal.card_points


@pytest.mark.parametrize("calls", [("W:1C",), ("W:1D",), ("W:1D", "E:Pass")])
def test_a_count_of_its_own_makes_draws_worth_more(calls):
    evidence = [Called(*call.split(":")) for call in calls]
    without, _ = shares(Controls(), *evidence)
    own, card_points = shares(OwnCount(), *evidence)
    assert own > max(0.6, 1.5 * without)
    assert card_points[0b1100] == 9


def test_a_count_of_its_own_gives_way_to_hard_evidence_about_points():
    _, card_points = shares(OwnCount(), Called("W", "1C"), HighCards("W", 5, 20))
    assert (card_points == HONOUR_POINTS).all()
    _, card_points = shares(Controls(), Called("W", "1C"))
    assert (card_points == HONOUR_POINTS).all()


@pytest.mark.parametrize("values", [(2, 1, 0, 0), (0, 0, 1, 7), (0, 0, 0, 1), (5, 1, 2, 2)])
def test_answers_are_right_whatever_is_counted(values):
    constraints = closed(0, 5, 4, 4)
    likelihood, seats = called(Controls(), Auction.of("E:1C 1D Pass"))
    truth, log_soft, _ = exactly(constraints, likelihood, seats)
    card_points = np.array(
        [sum(v for v, rank in zip(values, (3, 2, 1, 0), strict=True) if held >> rank & 1) for held in range(16)]
    )
    found = tilted(constraints, Sampler.of(constraints), likelihood, seats, draws=4000, rng=1, card_points=card_points)
    assert worst_z(found, truth) < 4.5
    assert abs(found.log_soft - log_soft) < 4.5 * found.log_soft_error
    layouts = Enumeration.of(constraints).stretch(0, 10**7)
    assert math.fsum(np.exp(found.proposal.log_q(layouts))) == pytest.approx(1.0, abs=1e-9)
    assert worst_z(found, exactly(constraints, lambda seat, hands: np.zeros(len(hands)), seats)[0]) > 4.5


@pytest.mark.parametrize("values", [(2, 1), (9, 1, 1, 0), (0, 0, 0, 0), (1.0, 0, 0, 0), (-1, 2, 0, 0), "AKQJ", 7])
def test_a_count_that_makes_no_sense_is_refused(values):
    bidder = Controls()
    bidder.honour_values = values
    with pytest.raises(BayesBridgeError, match=r"^model Controls has honour_values .* that add up to 1 to 10$"):
        Belief("S", "AKQ52.J3.A94.K83", bidder=bidder).given(Called("W", "1C")).infer("tilted", draws=10, rng=1)
