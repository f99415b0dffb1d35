"""Integer tables by suit rows: numbers, walks, marginals and draws.

Every sampler test has a sampler that is wrong on purpose and must fail. Counting shares
no code with these tables.
"""

import numpy as np
import pytest
from scipy.stats import chi2

from bayesbridge.engines.conditions import count
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.tables import HAS_LENGTH, HOLDS_RANK, LayoutIndex
from bayesbridge.engines.target import Target
from bayesbridge.errors import Contradiction, TooManyLayouts
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import Hand
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.engines.positions import (
    allows,
    brute_force,
    in_order,
    p_value,
    random_position,
    random_view,
)

N, E, S, W = range(4)
HEARTS = 0x1FFF << 26
SOUTH = Constraints.free().hold(S, Hand.of("AKQ52.J3.A94.K83").mask)
DUMMY = SOUTH.hold(N, Hand.of("643.AQ2.K87.A764").mask)
RARE = SOUTH.lack(W, HEARTS).length(E, 3, 6, 13)
STRONG = SOUTH.points(E, 12, 14).points(W, 5, 9).points(N, 3, 9).length(W, 2, 3, 6)
FULL_SIZE = {"plain": SOUTH, "rare": RARE, "strong": STRONG, "dummy": DUMMY}


@pytest.mark.parametrize("seed", range(4))
def test_every_layout_has_one_number_and_is_walked_once(seed):
    rng = np.random.default_rng([21, seed])
    feasible = 0
    for _ in range(30):
        cards_alone, evidence = random_position(rng)
        layouts = brute_force(cards_alone, evidence)
        if len(layouts) == 0:
            with pytest.raises(Contradiction, match="no layout fits"):
                LayoutIndex.of(evidence)
            continue
        feasible += 1
        sampler = LayoutIndex.of(evidence)
        assert sampler.total == len(layouts)
        numbered = sampler.layouts(np.arange(sampler.total))
        assert (in_order(numbered) == layouts).all()
        size = int(rng.integers(1, 200))
        blocks = list(Enumeration.of(evidence).blocks(size))
        assert all(len(block) == size for block in blocks[:-1])
        assert (np.concatenate(blocks) == numbered).all()
    assert feasible > 10


@pytest.mark.parametrize("seed", range(4))
def test_tables_and_counting_agree_on_whole_views(seed):
    rng = np.random.default_rng([22, seed])
    for _ in range(20):
        view = random_view(rng)
        sampler = LayoutIndex.of(view)
        assert sampler.total == count(view) > 0
        for rows, completions in zip(sampler.suits, sampler.completions(), strict=True):
            assert int((rows.ways * completions).sum()) == sampler.total


def test_what_no_table_can_hold_is_refused():
    unplaced = Constraints.free()
    for seat in range(4):
        unplaced = unplaced.hold(seat, 0b111 << 13 * seat)
    with pytest.raises(TooManyLayouts, match=r"2\^63. Make one hand known") as refusal:
        LayoutIndex.of(unplaced)
    assert refusal.value.data["layouts"] == count(unplaced) > 1 << 63
    with pytest.raises(TooManyLayouts) as refusal:
        Enumeration.of(SOUTH)
    assert str(refusal.value) == (
        "84478098072866400 layouts fit; enumeration stops at 20000000. "
        'Use method="direct", or add evidence.'
    )


def test_an_open_dummy_leaves_10400600_layouts():
    east = np.sort(
        np.concatenate([block[:, 1].copy() for block in Enumeration.of(DUMMY).blocks()])
    )
    assert len(east) == 10_400_600
    assert (np.diff(east) > 0).all()
    assert (np.bitwise_count(east) == 13).all()
    assert int(np.bitwise_or.reduce(east)) == DUMMY.normalised().unknown_mask


def test_draws_do_not_depend_on_the_draw_before():
    def p_of_successions(points):
        share = np.bincount(points, minlength=5)
        successions = np.bincount(5 * points[:-1] + points[1:], minlength=25)
        return p_value(successions, np.outer(share, share).ravel() / share.sum() ** 2)

    east = LayoutIndex.of(DUMMY).draw(50_000, rng=3)[:, E]
    points = high_card_points(east).astype(np.int64) % 5
    assert p_of_successions(points) > 1e-6
    repeats = np.random.default_rng(3).random(len(points)) < 0.1
    sticky = np.where(repeats, np.roll(points, 1), points)
    assert p_of_successions(sticky) < 1e-9


def cdf_of_sum_of_squares(z, samples):
    """P(a sum of z² no greater than this), for z of correlated ``samples`` (n, len(z)).

    The sum strays as the cards hang together: a multiple of χ², with the mean and the
    variance that R gives.
    """
    R = np.corrcoef(samples.astype(np.float32), rowvar=False)
    scale = (R**2).sum() / len(z)
    return chi2.cdf((z**2).sum() / scale, len(z) / scale)


@pytest.mark.parametrize("evidence", FULL_SIZE.values(), ids=FULL_SIZE)
def test_lengths_points_and_cards_of_draws_follow_the_exact_distributions(evidence):
    sampler = LayoutIndex.of(evidence)
    n = 100_000
    draws = sampler.draw(n, rng=8)
    assert allows(evidence, draws).all()
    lengths = suit_lengths(draws)
    points = high_card_points(draws)
    exact_lengths = sampler.length_distributions()
    exact_points = Target(evidence.normalised()).point_distributions()
    values = []
    for seat in range(4):
        by_points = np.bincount(points[:, seat], minlength=38)
        values.append(p_value(by_points, exact_points[seat]))
        for suit in range(4):
            by_length = np.bincount(lengths[:, seat, suit], minlength=14)
            values.append(p_value(by_length, exact_lengths[seat, suit]))
    uncertain = [value for value in values if not np.isnan(value)]
    assert min(uncertain) > 1e-6 / len(uncertain)
    bits = draws[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)
    p = sampler.card_marginals()
    unsure = (p > 0) & (p < 1)
    z = (bits.sum(0) - n * p)[unsure] / np.sqrt(n * p * (1 - p))[unsure]
    assert np.abs(z).max() < 5.5
    assert 1e-6 < cdf_of_sum_of_squares(z, bits[:20_000, unsure]) < 1 - 1e-6


def test_the_wrong_target_fails():
    """Draws under slightly different evidence do not pass for draws under this one."""
    near = SOUTH.points(E, 12, 14)
    draws = LayoutIndex.of(near.length(W, 3, 0, 4)).draw(100_000, rng=8)
    spades = np.bincount(suit_lengths(draws)[:, E, 3], minlength=14)
    exact = LayoutIndex.of(near).length_distributions()[E, 3]
    assert p_value(spades, exact) < 1e-9


@pytest.mark.parametrize("evidence", FULL_SIZE.values(), ids=FULL_SIZE)
def test_marginals_equal_counting(evidence):
    """Each number is also the count of layouts with one more piece of evidence."""
    sampler = LayoutIndex.of(evidence)
    layouts = count(evidence)
    cards = np.concatenate([(fields @ HOLDS_RANK).T for fields in sampler.fields])
    lengths = np.stack([fields @ HAS_LENGTH for fields in sampler.fields], axis=1)
    np.testing.assert_array_equal(sampler.card_marginals(), cards / layouts)
    np.testing.assert_array_equal(sampler.length_distributions(), lengths / layouts)
    assert (cards.sum(1) == layouts).all()
    assert (cards.sum(0) == 13 * layouts).all()
    for card in np.random.default_rng(1).permutation(52)[:4].tolist():
        assert cards[card].tolist() == [
            count(evidence.hold(seat, 1 << card)) for seat in range(4)
        ]
    for seat, suit in ((N, 0), (E, 3)):
        assert lengths[seat, suit].tolist() == [
            count(evidence.length(seat, suit, n, n)) for n in range(14)
        ]
