"""What every posterior answers, whichever engine made it."""

import math
from functools import cache

import numpy as np
import pytest

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.evidence import Called, Holds, Reveal

SOUTH = Belief("S", "T9742.J3.964.T83", bidder=IterativeBidder(slip=0.1))
HARD = SOUTH.given(Reveal("N", "65.Q42.T87.J7652"), Holds("W", "SA HA HK DA CA"), Holds("E", "SK DK CK"))
SOFT = HARD.given(Called("W", "1NT"))
BELIEFS = {"hard enumerate": HARD, "hard sample": HARD} | {
    f"soft {method}": SOFT for method in ("enumerate", "weights", "smc", "tilted")
}


@cache
def made(name: str) -> Posterior:
    return BELIEFS[name].infer(name.split()[1], draws=3000, rng=1)


@pytest.fixture(params=BELIEFS)
def posterior(request: pytest.FixtureRequest) -> Posterior:
    return made(request.param)


def test_fields(posterior: Posterior) -> None:
    assert posterior.why.startswith(f"{posterior.method}: ")
    assert posterior.count() == posterior.belief.count() == 43758
    assert posterior.exact == (posterior.method == "enumerate")
    assert len(posterior) == len(posterior.layouts) == len(posterior.weights)
    assert 1 <= posterior.ess <= len(posterior)
    assert posterior.weights.sum() == pytest.approx(1.0)
    assert (posterior.weights >= 0).all()
    assert posterior.belief.constraints.allows(posterior.layouts.masks).all()
    assert not posterior.layouts.masks.flags.writeable
    assert posterior.method in repr(posterior)
    assert (posterior.log_evidence_error == 0.0) == (posterior.exact or posterior.method == "sample")


def test_probabilities_are_labelled_and_add_up(posterior: Posterior) -> None:
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
    assert mean.sel(suit="S", seat="W").item() == pytest.approx(cards.sel(seat="W").values[:13].sum())
    points = posterior.point_probabilities()
    assert points.dims == ("seat", "points")
    np.testing.assert_allclose(points.sum("points"), 1.0)
    assert float((points * points.points).sum()) == pytest.approx(40.0)


def test_expect_is_the_weighted_mean(posterior: Posterior) -> None:
    masks, weights = posterior.layouts.masks, posterior.weights
    king = posterior.expect(lambda layouts: layouts.holds("HQ")[:, Seat.W])
    direct = weights[(masks[:, Seat.W] & np.uint64(Card.of("HQ").mask)) != 0].sum()
    assert king == pytest.approx(direct, abs=1e-12)
    points = posterior.expect(lambda layouts: layouts.points)
    assert np.shape(points) == (4,)
    np.testing.assert_allclose(points, weights @ posterior.layouts.points)
    lengths = posterior.expect(lambda layouts: layouts.lengths)
    assert np.shape(lengths) == (4, 4)


def test_blocks_are_the_layouts_in_order(posterior: Posterior) -> None:
    blocks = list(posterior.blocks(1000))
    np.testing.assert_array_equal(np.concatenate([masks for masks, _ in blocks]), posterior.layouts.masks)
    np.testing.assert_allclose(np.concatenate([weights for _, weights in blocks]), posterior.weights)
    assert all(len(masks) == 1000 for masks, _ in blocks[:-1])


def test_resampling_gives_layouts_that_count_the_same(posterior: Posterior) -> None:
    drawn = posterior.resample(20_000, rng=2)
    assert len(drawn) == 20_000
    assert posterior.belief.constraints.allows(drawn.masks).all()
    expected = posterior.expect(lambda layouts: layouts.points)
    # Draws of a posterior stand for its layouts; hard evidence alone is drawn afresh, observed both sides stray.
    afresh = 1 / len(posterior) if posterior.method == "sample" else 0.0
    error = drawn.points.std(0) * math.sqrt(1 / 20_000 + afresh) + 1e-12
    assert (np.abs(drawn.points.mean(0) - expected) < 5 * error).all()
    np.testing.assert_array_equal(drawn.masks, posterior.resample(20_000, rng=2).masks)


def test_entropy_and_evidence_of_hard_evidence_are_counted() -> None:
    for hard in (made("hard enumerate"), made("hard sample")):
        assert hard.entropy_bits == math.log2(43758)
        assert hard.log_evidence == pytest.approx(math.log(43758 / 84_478_098_072_866_400), abs=1e-12)
    assert SOUTH.infer(draws=2).log_evidence == 0.0
