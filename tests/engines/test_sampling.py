"""Draws against exact answers by χ² tests, each with a sampler that is wrong on purpose and must fail."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, chisquare

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.counting import count
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.tables import Sampler, sample
from bayesbridge.errors import Contradiction
from bayesbridge.layouts import high_card_points, suit_lengths
from tests.engines.positions import brute_force, random_position, random_view

N, E, S, W = range(4)
HEARTS, SPADES = 0x1FFF << 26, 0x1FFF << 39
SOUTH = Constraints.free().hold(S, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SOUTH.hold(N, Hand.of("643.AQ2.K87.A764").mask)
RARE = SOUTH.lack(W, HEARTS).length(E, 3, 6, 13)
STRONG = SOUTH.points(E, 12, 14).points(W, 5, 9).points(N, 3, 9).length(W, 2, 3, 6)


def p_value(observed: NDArray[np.int64], exact: NDArray[np.int64]) -> float:
    """χ² of counts against exact numbers of layouts, cells pooled until each expects ten or more."""
    assert observed[exact == 0].sum() == 0
    expected = exact / exact.sum() * observed.sum()
    order = np.argsort(expected)
    pool = np.concatenate([[0], np.cumsum(expected[order]) // 10])[:-1].astype(np.int64)
    pool[expected[order] >= 10] = np.arange((expected >= 10).sum()) + pool.max() + 1
    seen, hoped = np.bincount(pool, observed[order]), np.bincount(pool, expected[order])
    kept = hoped > 0
    return float(chisquare(seen[kept], hoped[kept]).pvalue)


def places(draws: NDArray[np.uint64], layouts: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Which of the layouts each draw is."""
    columns = np.array([1, 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
    names = layouts @ columns
    order = np.argsort(names)
    found: NDArray[np.int64] = order[np.searchsorted(names, draws @ columns, sorter=order).clip(max=len(order) - 1)]
    assert (layouts[found] == draws).all()
    return found


def tally(draws: NDArray[np.uint64], layouts: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How often each layout was drawn."""
    return np.bincount(places(draws, layouts), minlength=len(layouts))


def small_positions(seed: int, wanted: int) -> list[tuple[Constraints, NDArray[np.uint64]]]:
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < wanted:
        known, evidence = random_position(rng)
        layouts = brute_force(known, evidence)
        if 30 <= len(layouts) <= 800:
            found.append((evidence, layouts))
    return found


def test_every_layout_is_equally_likely() -> None:
    """Many positions, all kinds of evidence: the p-values themselves must look uniform."""
    values = []
    for i, (evidence, layouts) in enumerate(small_positions(41, 25)):
        seen = tally(sample(evidence, 40 * len(layouts), rng=i), layouts)
        values.append(p_value(seen, np.ones(len(layouts), dtype=np.int64)))
    assert min(values) > 1e-6 / len(values)
    assert abs(np.mean(values) - 0.5) < 4.5 / np.sqrt(12 * len(values))


def test_a_biased_sampler_fails_the_same_test() -> None:
    """Numbers that lean a little to one half of the layouts are caught."""
    caught = 0
    for i, (evidence, layouts) in enumerate(small_positions(41, 25)):
        rng = np.random.default_rng(i)
        unranking = Sampler.of(evidence)
        numbers = rng.integers(0, unranking.total, 1000 * len(layouts))
        lower = numbers < unranking.total // 2
        numbers = numbers[lower | (rng.random(len(numbers)) < 0.90)]
        caught += p_value(tally(unranking.layouts(numbers), layouts), np.ones(len(layouts), dtype=np.int64)) < 1e-6
    assert caught >= 24


def test_draws_do_not_depend_on_the_draw_before() -> None:
    evidence, layouts = small_positions(43, 1)[0]
    group = np.arange(len(layouts)) % 5
    size = np.bincount(group)
    exact = np.outer(size, size).ravel()

    def successions(drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(5 * group[drawn[:-1]] + group[drawn[1:]], minlength=25)

    drawn = places(sample(evidence, 50_000, rng=3), layouts)
    assert p_value(successions(drawn), exact) > 1e-6
    sticky = np.where(np.random.default_rng(3).random(len(drawn)) < 0.1, np.roll(drawn, 1), drawn)
    assert p_value(successions(sticky), exact) < 1e-9


@pytest.mark.parametrize("evidence", [SOUTH, RARE, STRONG, DUMMY], ids=["plain", "rare", "strong", "dummy"])
def test_lengths_points_and_cards_of_draws_follow_the_exact_distributions(evidence: Constraints) -> None:
    sampler = Sampler.of(evidence)
    n = 100_000
    draws = sampler.draw(n, rng=8)
    assert evidence.allows(draws).all()
    lengths, points = suit_lengths(draws), high_card_points(draws)
    exact_lengths, exact_points = sampler.length_distributions(), sampler.point_distributions()
    values = []
    for seat in range(4):
        values.append(p_value(np.bincount(points[:, seat], minlength=38), exact_points[seat]))
        for suit in range(4):
            values.append(p_value(np.bincount(lengths[:, seat, suit], minlength=14), exact_lengths[seat, suit]))
    uncertain = [value for value in values if not np.isnan(value)]
    assert min(uncertain) > 1e-6 / len(uncertain)
    bits = draws[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)
    p = sampler.card_marginals() / sampler.total
    unsure = (p > 0) & (p < 1)
    z = (bits.sum(0) - n * p)[unsure] / np.sqrt(n * p * (1 - p))[unsure]
    assert np.abs(z).max() < 5.5
    # The sum of z² strays as the cards hang together: a multiple of χ², with the mean and the variance that R gives.
    R = np.corrcoef(bits[:20_000, unsure].astype(np.float32), rowvar=False)
    scale = (R**2).sum() / len(z)
    assert 1e-6 < chi2.cdf((z**2).sum() / scale, len(z) / scale) < 1 - 1e-6


def test_the_wrong_target_fails() -> None:
    """Draws under slightly different evidence do not pass for draws under this one."""
    near = SOUTH.points(E, 12, 14)
    draws = sample(near.length(W, 3, 0, 4), 100_000, rng=8)
    spades = suit_lengths(draws)[:, E, 3]
    assert p_value(np.bincount(spades, minlength=14), Sampler.of(near).length_distributions()[E, 3]) < 1e-9


def test_marginals_equal_enumeration() -> None:
    """To the last layout, on small positions and on full views small enough to walk."""
    rng = np.random.default_rng(47)
    positions = [evidence for evidence, _ in small_positions(46, 40)]
    views = [random_view(rng) for _ in range(60)]
    few = [view for view in views if count(view) <= 60_000]
    assert len(few) >= 3
    for evidence in positions + few:
        layouts = np.concatenate(list(Enumeration.of(evidence).blocks()))
        bits = layouts[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)
        assert (Sampler.of(evidence).card_marginals() == bits.sum(0)).all()
        lengths, points = suit_lengths(layouts), high_card_points(layouts)
        exact_lengths, exact_points = (
            Sampler.of(evidence).length_distributions(),
            Sampler.of(evidence).point_distributions(),
        )
        for seat in range(4):
            assert (exact_points[seat] == np.bincount(points[:, seat], minlength=38)).all()
            for suit in range(4):
                assert (exact_lengths[seat, suit] == np.bincount(lengths[:, seat, suit], minlength=14)).all()


@pytest.mark.parametrize("evidence", [SOUTH, RARE, STRONG, DUMMY], ids=["plain", "rare", "strong", "dummy"])
def test_marginals_equal_counting(evidence: Constraints) -> None:
    """Each number is also the count of layouts with one more piece of evidence."""
    cards, lengths = Sampler.of(evidence).card_marginals(), Sampler.of(evidence).length_distributions()
    layouts = count(evidence)
    assert (cards.sum(1) == layouts).all()
    assert (cards.sum(0) == 13 * layouts).all()
    rng = np.random.default_rng(1)
    for card in rng.permutation(52)[:8].tolist():
        assert cards[card].tolist() == [count(evidence.hold(seat, 1 << card)) for seat in range(4)]
    for seat, suit in ((N, 0), (E, 3), (W, 2)):
        assert lengths[seat, suit].tolist() == [count(evidence.length(seat, suit, n, n)) for n in range(14)]


def test_one_seed_one_answer() -> None:
    sampler = Sampler.of(SOUTH)
    assert (sampler.draw(1000, rng=5) == sample(SOUTH, 1000, rng=5)).all()
    assert (sampler.draw(1000, rng=5)[:10] == sampler.draw(10, rng=5)).all()
    assert (sampler.draw(1000, rng=5) != sampler.draw(1000, rng=6)).any()
    rng = np.random.default_rng(5)
    assert (sampler.draw(1000, rng) != sampler.draw(1000, rng)).any()


def test_a_known_deal_is_drawn_again_and_again() -> None:
    everything = DUMMY.hold(E, Hand.of("JT98.K54.QJT2.Q2").mask)
    draws = sample(everything, 7, rng=0)
    assert (draws == draws[0]).all()
    assert everything.allows(draws).all()
    assert len(sample(SOUTH, 0, rng=0)) == 0


def test_nothing_can_be_drawn_from_a_contradiction() -> None:
    with pytest.raises(Contradiction, match="no layout fits the evidence"):
        sample(DUMMY.points(E, 0, 1).points(W, 0, 1), 10, rng=0)
