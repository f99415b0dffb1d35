"""What every posterior answers, whichever engine made it.

Entropy, and calls that few hands explain.
"""

import math
from functools import cache

import numpy as np
import pytest

from bayesbridge import (
    Belief,
    Called,
    Card,
    Hand,
    Holds,
    IterativeBidder,
    Reveal,
    Seat,
    StyleBidder,
)
from bayesbridge.capture.kernels import bids
from bayesbridge.engines.infer import ENGINES
from bayesbridge.errors import Contradiction, TooFewDraws
from tests.engines.positions import allows

SOUTH = Belief("S", "T9742.J3.964.T83", bidder=IterativeBidder(slip=0.1))
HARD = SOUTH.given(
    Reveal("N", "65.Q42.T87.J7652"),
    Holds("W", "SA HA HK DA CA"),
    Holds("E", "SK DK CK"),
)
SOFT = HARD.given(Called("W", "1NT"))
BELIEFS = {"hard enumerate": HARD, "hard direct": HARD} | {
    f"soft {method}": SOFT
    for method in ("enumerate", "likelihood-weighting", "resample-move", "importance")
}


@cache
def made(name):
    return BELIEFS[name].infer(name.split()[1], draws=3000, rng=1)


@pytest.fixture(params=BELIEFS)
def posterior(request):
    return made(request.param)


def test_fields(posterior):
    assert posterior.why.startswith(f"{posterior.method}: ")
    assert posterior.count() == posterior.belief.count() == 43758
    assert posterior.exact == (posterior.method == "enumerate")
    assert len(posterior) == len(posterior.layouts) == len(posterior.weights)
    assert 1 <= posterior.ess <= len(posterior)
    assert posterior.weights.sum() == pytest.approx(1.0)
    assert (posterior.weights >= 0).all()
    assert allows(posterior.belief.constraints, posterior.layouts.masks).all()
    assert not posterior.layouts.masks.flags.writeable
    assert posterior.method in repr(posterior)
    assert (posterior.log_evidence_error == 0.0) == (
        posterior.exact or posterior.method == "direct"
    )


def test_probabilities_are_labelled_and_add_up(posterior):
    cards = posterior.card_probabilities()
    assert cards.dims == ("card", "seat")
    assert cards.sizes == {"card": 52, "seat": 4}
    assert cards.card.values[0] == "SA"
    np.testing.assert_allclose(cards.sum("seat"), 1.0)
    np.testing.assert_allclose(cards.sum("card"), 13.0)
    assert cards.sel(card="ST", seat="S").item() == pytest.approx(1.0, abs=1e-15)
    assert cards.sel(card="SA", seat="W").item() == pytest.approx(1.0, abs=1e-15)
    lengths = posterior.length_probabilities()
    assert lengths.dims == ("seat", "suit", "length")
    np.testing.assert_allclose(lengths.sum("length"), 1.0)
    mean = (lengths * lengths.length).sum("length")
    by_card = cards.sum("card")
    np.testing.assert_allclose(mean.sum("suit"), by_card)
    assert mean.sel(suit="S", seat="W").item() == pytest.approx(
        cards.sel(seat="W").values[:13].sum()
    )
    points = posterior.point_probabilities()
    assert points.dims == ("seat", "points")
    np.testing.assert_allclose(points.sum("points"), 1.0)
    assert float((points * points.points).sum()) == pytest.approx(40.0)


def test_expect_is_the_weighted_mean(posterior):
    masks = posterior.layouts.masks
    weights = posterior.weights
    king = posterior.expect(lambda layouts: layouts.holds("HQ")[:, Seat.W])
    direct = weights[(masks[:, Seat.W] & np.uint64(Card.of("HQ").mask)) != 0].sum()
    assert king == pytest.approx(direct, abs=1e-12)
    points = posterior.expect(lambda layouts: layouts.points)
    assert np.shape(points) == (4,)
    np.testing.assert_allclose(points, weights @ posterior.layouts.points)
    lengths = posterior.expect(lambda layouts: layouts.lengths)
    assert np.shape(lengths) == (4, 4)


def test_blocks_are_the_layouts_in_order(posterior):
    blocks = list(posterior.blocks(1000))
    np.testing.assert_array_equal(
        np.concatenate([masks for masks, _ in blocks]), posterior.layouts.masks
    )
    np.testing.assert_allclose(
        np.concatenate([weights for _, weights in blocks]), posterior.weights
    )
    assert all(len(masks) == 1000 for masks, _ in blocks[:-1])


def test_resampling_gives_layouts_that_count_the_same(posterior):
    drawn = posterior.resample(20_000, rng=2)
    assert len(drawn) == 20_000
    assert allows(posterior.belief.constraints, drawn.masks).all()
    expected = posterior.expect(lambda layouts: layouts.points)
    # Draws of a posterior stand for its layouts; hard evidence alone is drawn afresh,
    # observed both sides stray.
    afresh = 1 / len(posterior) if posterior.method == "direct" else 0.0
    error = drawn.points.std(0) * math.sqrt(1 / 20_000 + afresh) + 1e-12
    assert (np.abs(drawn.points.mean(0) - expected) < 5 * error).all()
    np.testing.assert_array_equal(drawn.masks, posterior.resample(20_000, rng=2).masks)


def test_entropy_and_evidence_of_hard_evidence_are_counted():
    for hard in (made("hard enumerate"), made("hard direct")):
        assert hard.entropy_bits == math.log2(43758)
        assert hard.log_evidence == pytest.approx(
            math.log(43758 / 84_478_098_072_866_400), abs=1e-12
        )
    assert SOUTH.infer(draws=2).log_evidence == 0.0


SLIPS = (1e-3, 0.1, 0.9, 1.0)
"""With 1 a call says nothing: then the entropy is all of log₂ of the count, and
rounding may go past it.
"""


def position(rng, slip, with_call):
    """South's hand, the dummy's and some cards of both others at random.

    With ``with_call`` West has called 1NT.
    """
    deck = [Card(int(card)) for card in rng.permutation(52)]
    north, east, west, south = deck[:13], deck[13:26], deck[26:39], deck[39:]
    shown_cards = int(rng.integers(4, 11))
    shown_hands = (
        Holds("N", north),
        Holds("E", east[:shown_cards]),
        Holds("W", west[:shown_cards]),
    )
    belief = Belief("S", Hand.of(south), bidder=IterativeBidder(slip=slip)).given(
        *shown_hands
    )
    return (
        belief.given(Called("W", "1NT"), Called("E", "Pass")) if with_call else belief
    )


def bits_below(method, seed):
    """How many bits a posterior has less than there can be."""
    rng = np.random.default_rng(seed)
    slip = SLIPS[seed % len(SLIPS)]
    draws = int(rng.choice([2, 5, 40, 400]))
    belief = position(rng, slip, with_call=method != "direct")
    try:
        posterior = belief.infer(method, draws=draws, rng=seed)
    except (Contradiction, TooFewDraws):
        # So few draws may all be impossible under the calls, or too few to weigh.
        return 0.0
    most = math.log2(belief.count())
    bits = posterior.entropy_bits
    assert 0.0 <= bits <= most, (method, seed)
    if slip == 1.0:
        assert bits == pytest.approx(most, abs=1e-9), (method, seed)
    return most - bits


@pytest.mark.parametrize("method", ENGINES)
def test_entropy_never_exceeds_the_layouts(method):
    below = [bits_below(method, seed) for seed in range(12)]
    assert method == "direct" or max(below) > 0.1, "the calls said something"


BELIEF = Belief("S", "AKQ2.J93.A54.Q32").given(Called("W", "2NT"))


def explained(posterior):
    """P(West's hand is worth just the two that he bid)."""
    total = 0.0
    for masks, weights in posterior.blocks():
        total += float(
            weights[bids(np.ascontiguousarray(masks[:, 3])).level == 2].sum()
        )
    return total


@pytest.fixture(scope="module")
def truth():
    """P(explained), and how many independent draws it is worth."""
    posterior = BELIEF.infer("likelihood-weighting", draws=400_000, rng=7)
    return explained(posterior), posterior.ess


@pytest.mark.parametrize("method", ["auto", "resample-move"])
def test_few_draws_still_find_the_hands_that_explain_it(method, truth):
    posterior = BELIEF.infer(method, draws=1000, rng=1)
    p, ess = truth
    assert p > 0.4
    assert len(posterior) == 1000
    assert posterior.ess > 100
    assert abs(explained(posterior) - p) < 5 * math.sqrt(
        p * (1 - p) * (1 / posterior.ess + 1 / ess)
    )


def strong(slip):
    """South sees 19 points, and West bids 3NT: one layout in 58 000 explains it."""
    return Belief("S", "AKQ2.KJ3.A54.Q32", bidder=IterativeBidder(slip=slip)).given(
        Called("W", "3NT")
    )


# P(West's hand is worth three), counted by exact tables (tests/engines/test_levels.py)
EXPLAIN = 1.7179e-5


@pytest.mark.parametrize("seed", [51, 52, 54])
def test_a_call_without_slips_is_counted_whatever_the_seed(seed):
    posterior = strong(0.0).infer(draws=500, rng=seed)
    assert posterior.log_marginal == pytest.approx(math.log(EXPLAIN), abs=1e-4)
    assert posterior.log_evidence_error == 0.0
    layouts = EXPLAIN * posterior.count()
    assert layouts == pytest.approx(1.45e12, rel=0.01)
    assert posterior.entropy_bits == pytest.approx(math.log2(layouts), abs=1e-3)
    assert (bids(np.ascontiguousarray(posterior.layouts.masks[:, 3])).level == 3).all()


def test_a_call_that_was_meant_or_a_slip():
    """P(the call was meant), in two ways.

    By Bayes' rule from the count above, and by the layouts drawn.
    """
    slip = 1e-4
    belief = strong(slip)
    posterior = belief.infer(draws=4000, rng=1)
    meant = EXPLAIN * (1.0 - slip) / math.exp(posterior.log_marginal)
    assert meant == pytest.approx(0.861, abs=5e-4)
    share = float(
        (bids(np.ascontiguousarray(posterior.layouts.masks[:, 3])).level == 3).mean()
    )
    assert abs(share - meant) < 5 * math.sqrt(meant * (1 - meant) / posterior.ess)
    assert posterior.entropy_bits < math.log2(posterior.count())


def test_engines_that_share_their_tables_say_so():
    for method in ("importance", "resample-move"):
        assert (
            "levels reads the same tables"
            in strong(0.02).infer(method, draws=100, rng=1).why
        )
    style = Belief("S", "AKQ2.KJ3.A54.Q32", bidder=StyleBidder()).given(
        Called("W", "1NT")
    )
    assert "tables" not in style.infer("importance", draws=100, rng=1).why
