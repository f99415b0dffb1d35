"""The central test: on a question that two engines can answer, they agree.

Hard evidence first: enumeration, counting tables and suit convolution give the same
integers on sixty random positions, and exact draws pass a χ² test that a wrong target
fails. Then soft evidence: weights, SMC and MCMC agree with enumeration within the
errors they state themselves.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bayesbridge import Belief, IterativeBidder, Seat, Suit
from bayesbridge.capture.kernels import tricks
from bayesbridge.engines.convolution import capture_counts, factors
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.errors import TooFewDraws
from bayesbridge.evidence.kinds import Called, Holds, Reveal
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.deals import random_deal, random_play, true_piece
from tests.engines.positions import allows, p_value, tally


def random_belief(rng, most):
    """A position of the three-player game.

    There are an observer, an open dummy or three hidden hands, cards played, and more.
    """
    deal = random_deal(rng)
    dummy, observer = (Seat(int(seat)) for seat in rng.permutation(4)[:2])
    trump = [None, *Suit][rng.integers(5)]
    belief = Belief(
        observer, deal[observer], dummy=dummy, trump="NT" if trump is None else trump
    )
    hidden = [seat for seat in Seat if seat != observer]
    if rng.random() < 0.6:
        belief = belief.given(Reveal(dummy, deal[dummy]))
        hidden.remove(dummy)
    plays = random_play(deal, trump, rng, cards=int(rng.integers(0, 30)))
    belief = belief.given(*plays)
    while belief.count() > most or len(belief.evidence) < 3:
        belief = belief.given(true_piece(deal, hidden, rng))
    return belief, deal


def integers_agree(belief, deal, rng):
    """Assert that all exact engines give the same integers; returns the layouts."""
    constraints = belief.constraints
    walk = Enumeration.of(constraints)
    layouts = np.concatenate(list(walk.blocks(1000)))
    sampler = LayoutIndex.of(constraints)
    assert belief.count() == len(walk) == len(layouts) == sampler.total
    assert allows(constraints, layouts).all()
    assert len({row.tobytes() for row in layouts}) == len(layouts)
    assert tuple(hand.mask for hand in deal) in {tuple(row) for row in layouts.tolist()}
    card_bits = np.arange(52, dtype=np.uint64)
    holds = layouts[:, None, :] >> card_bits[:, None] & np.uint64(1)
    np.testing.assert_array_equal(holds.sum(0) / len(layouts), sampler.card_marginals())
    lengths = (suit_lengths(layouts)[..., None] == np.arange(14)).sum(0)
    np.testing.assert_array_equal(
        lengths / len(layouts), sampler.length_distributions()
    )
    points = (high_card_points(layouts)[..., None] == np.arange(38)).sum(0)
    np.testing.assert_array_equal(
        points / len(layouts), belief.target.point_distributions()
    )
    if factors(constraints):
        pair = rng.permutation(4)[:2].tolist()
        T = tricks(*(np.ascontiguousarray(layouts[:, seat]) for seat in pair))
        counts = capture_counts(constraints, *pair)
        assert counts["T"].sum() == len(layouts)
        np.testing.assert_array_equal(counts["T"], np.bincount(T, minlength=14))
    return layouts


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_exact_engines_agree_on_random_positions(seed):
    """2 × 18 positions."""
    positions = 18
    rng = np.random.default_rng([61, seed])
    right = []
    wrong = []
    convolved = 0
    for number in range(positions):
        belief, deal = random_belief(rng, most=5_000)
        layouts = integers_agree(belief, deal, rng)
        convolved += factors(belief.constraints)
        if 10 <= len(layouts) <= 3000:
            n = max(4000, 15 * len(layouts))
            posterior = belief.infer("direct", draws=n, rng=number)
            draws = tally(posterior.layouts.masks, layouts)
            right.append(p_value(draws, np.full(len(layouts), 1 / len(layouts))))
            # A wrong target: half of the layouts a third likelier than the other half.
            tilted = np.where(np.arange(len(layouts)) % 2, 4.0, 3.0)
            wrong.append(p_value(draws, tilted / tilted.sum()))
    assert convolved >= positions // 5
    assert len(right) >= positions // 5
    assert min(right) > 1e-6 / len(right)
    assert abs(np.mean(right) - 0.5) < 4.5 / math.sqrt(12 * len(right)), (
        "p-values of the truth are uniform"
    )
    assert np.mean(np.array(wrong) < 0.01) > 0.7, "and the wrong target is told apart"


@dataclass(frozen=True)
class SmoothBidder:
    """A made-up model: who is stronger, and longer in the suit, bids more often.

    A pass likes weakness.
    """

    sharpness: float

    def log_likelihood(self, hands, auction, index):
        """See :class:`bayesbridge.plugins.BidderModel`."""
        points = high_card_points(hands).astype(np.float64)
        strain = auction.calls[index].strain
        if strain is None:
            return -np.logaddexp(0.0, self.sharpness * (points - 16))
        length = 3.0
        if strain.trump is not None:
            length = suit_lengths(hands)[:, strain].astype(np.float64)
        return -np.logaddexp(0.0, -self.sharpness * (points - 18 + 2 * (length - 4)))


WEAK = "T9742.J3.964.T83"
SEEN = (
    Reveal("N", "65.Q42.T87.J7652"),
    Holds("W", "SA HA HK DA CA"),
    Holds("E", "SK DK CK"),
)
HIDDEN = (
    Holds("N", "65.Q42.T87.J76"),
    Holds("W", "A.AK9.A5.A9"),
    Holds("E", "KQ.87.K3.K"),
)
CALLS = (
    Called("W", "1H"),
    Called("E", "1S"),
    Called("S", "2NT"),
    Called("W", "Pass"),
    Called("E", "Pass"),
)


def questions():
    yield "paper", IterativeBidder(slip=0.1), (Called("W", "1NT"), Called("E", "Pass"))
    yield (
        "paper, three hands",
        IterativeBidder(slip=0.3),
        (Called("W", "Pass"), Called("E", "1NT")),
    )
    yield "mild", SmoothBidder(0.2), CALLS
    yield "keen", SmoothBidder(0.8), CALLS[:2]


QUESTIONS = {name: (model, calls) for name, model, calls in questions()}
DRAWS = 8000


def asked(name, calls=True):
    """One of the positions: two hidden hands, or three of which much is known."""
    model, made = QUESTIONS[name]
    cards = HIDDEN if "three" in name else SEEN
    belief = Belief("S", WEAK, bidder=model).given(*cards)
    if calls:
        belief = belief.given(*made)
    return belief


def deviations(sampled, exact):
    """The largest error of a card or length probability, in standard errors.

    These follow from the ESS that is stated.
    """
    worst = 0.0
    for estimate, truth in (
        (sampled.card_probabilities(), exact.card_probabilities()),
        (sampled.length_probabilities(), exact.length_probabilities()),
    ):
        p = np.clip(truth.values, 0.0, 1.0)
        # Rare events are no normal deviates: none is asked to be closer than a few
        # draws.
        error = np.sqrt(p * (1 - p) / sampled.ess) + 1.0 / sampled.ess
        worst = max(worst, float((np.abs(estimate.values - p) / error).max()))
    return worst


REFUSED = ("paper, three hands", "likelihood-weighting")
"""No hand of East is worth the bid: all layouts were walked to know it, and draws alone
cannot tell.
"""


@pytest.mark.parametrize(
    "method", ["likelihood-weighting", "resample-move", "importance"]
)
@pytest.mark.parametrize("name", QUESTIONS)
def test_samplers_agree_with_enumeration_under_soft_evidence(name, method):
    belief = asked(name)
    assert 10_000 < belief.count() < 100_000
    exact = belief.infer("enumerate")
    if (name, method) == REFUSED:
        with pytest.raises(TooFewDraws):
            belief.infer(method, draws=DRAWS, rng=3)
        return
    sampled = belief.infer(method, draws=DRAWS, rng=3)
    assert sampled.method == method
    assert not sampled.exact
    assert sampled.count() == exact.count()
    assert 100 < sampled.ess <= len(sampled)
    assert deviations(sampled, exact) < 5.5
    without_calls = asked(name, calls=False).infer("enumerate")
    assert deviations(sampled, without_calls) > 8.0, "blind to the calls it would fail"
    log_error = sampled.log_evidence_error
    assert abs(sampled.log_marginal - exact.log_marginal) < 5 * log_error + 1e-9
    assert 0.0 < log_error < 0.2
    assert sampled.log_evidence - sampled.log_marginal == pytest.approx(
        exact.log_evidence - exact.log_marginal, abs=1e-9
    )
    # Entropy: log₂ of the count, P(evidence) and the mean log likelihood; their errors
    # add up.
    assert exact.log_likelihood is not None
    mean = exact.weights @ exact.log_likelihood
    spread = math.sqrt(float(exact.weights @ (exact.log_likelihood - mean) ** 2))
    nats = 5 * log_error + 5 * spread / math.sqrt(sampled.ess)
    error = nats / math.log(2) + 1e-9
    assert abs(sampled.entropy_bits - exact.entropy_bits) < error
    gain = 0 if name == "mild" else 2 * error
    assert exact.entropy_bits < math.log2(exact.count()) - gain


def test_auto_agrees_where_it_must_sample():
    """Three hidden hands and a call about West's points alone.

    Counting by points gives the truth.
    """
    belief = Belief("S", "AKQ52.J3.A94.K83", bidder=SmoothBidder(0.5)).given(
        Called("W", "1NT")
    )
    ways = belief.target.point_distributions()[Seat.W]
    points = np.arange(38)
    likelihood = 1 / (1 + np.exp(-0.5 * (points - 20)))
    truth = ways * likelihood / (ways @ likelihood)
    sampled = belief.infer(draws=20_000, rng=1)
    assert not sampled.exact
    estimate = sampled.point_probabilities().sel(seat="W").values
    # Drawn, weighed and resampled: the variance of a ratio of weighted counts and that
    # of a count. Rare points are no normal deviates: none is asked to be closer than a
    # few draws.
    evidence = ways @ likelihood / ways.sum()
    ratio = likelihood / evidence
    drawn = sampled.ess * (truth @ ratio)
    kept = len(sampled)
    of_ratio = truth * ratio * (1 - 2 * truth) + truth**2 * (truth @ ratio)
    of_count = truth * (1 - truth)
    error = np.sqrt(of_ratio / drawn + of_count / kept) + ratio / drawn + 1 / kept
    assert (np.abs(estimate - truth) / error).max() < 5
    assert (np.abs(estimate - ways / ways.sum()) / error).max() > 8
    log_marginal_difference = abs(sampled.log_marginal - math.log(evidence))
    assert log_marginal_difference < 5 * sampled.log_evidence_error
