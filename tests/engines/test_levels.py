"""Calls under the paper's bidder: exact tables against enumeration and draws."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from bayesbridge.capture.kernels import tricks
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.quantities import CaptureTricks
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.errors import BayesBridgeError, Contradiction, TablesTooLarge
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.engines.positions import (
    allows,
    in_order,
    levels_of,
    p_value,
    questions,
    tally,
)

N, E, S, W = range(4)
CARDS = np.arange(52, dtype=np.uint64)
STRONG = Constraints.free().hold(S, Hand.of("AKQ2.KJ3.A54.Q32").mask)
WEAK = Constraints.free().hold(S, Hand.of("5432.5432.543.32").mask)


def called(level, slip=0.02, legal=36):
    """Weights of one bid at a level."""
    return [slip / legal + (1 - slip) * (n == level) for n in range(8)]


def weights_of(layouts, weights):
    """The weight of each layout, from the levels of whole hands."""
    by_layout = [Fraction(1)] * len(layouts)
    for seat, by_level in weights.items():
        for layout, level in enumerate(levels_of(layouts, seat).tolist()):
            by_layout[layout] *= by_level[level]
    return by_layout


def check_against_enumeration(seed, wanted):
    """Compare tables with all layouts, and count what was met on the way.

    Counts are integers, P(calls) is a fraction, marginals agree to 1e-12.
    """
    occurrences = Counter()
    for evidence, layouts, weights in questions(seed, wanted):
        by_layout = weights_of(layouts, weights)
        mass = sum(by_layout)
        occurrences[f"{len(weights)} callers"] += 1
        for seat in weights:
            for level in np.unique(levels_of(layouts, seat)):
                occurrences[f"level {level}"] += 1
        if not mass:
            with pytest.raises(
                Contradiction,
                match="no layout that fits the evidence explains the calls",
            ):
                LevelTables.of(evidence, weights)
            occurrences["impossible"] += 1
            continue
        tables = LevelTables.of(evidence, weights)
        assert tables.total == len(layouts)
        counted = Counter()
        for weight, count in zip(tables.weights, tables.counts, strict=True):
            counted[Fraction(weight)] += count
        assert +counted == Counter(by_layout)
        assert tables.mean == mass / len(layouts)
        assert tables.log_mean == pytest.approx(
            math.log(mass / len(layouts)), abs=1e-12
        )
        check_numbers(tables, layouts, by_layout)
        share = np.array([float(weight / mass) for weight in by_layout])
        check_marginals(tables, layouts, share)
        occurrences["several weights"] += len(set(by_layout)) > 1
    return occurrences


def check_numbers(tables, layouts, by_layout):
    """The numbers of each value lead to the layouts of that weight, each once."""
    for weight in set(by_layout):
        values = [v for v, w in enumerate(tables.weights) if w == weight]
        value = np.repeat(values, [tables.counts[v] for v in values])
        number = np.concatenate([np.arange(tables.counts[v]) for v in values])
        order = np.random.default_rng(1).permutation(len(number))
        unranked = tables.tables.layouts(value[order], number[order])
        expected = layouts[[w == weight for w in by_layout]]
        assert (in_order(unranked) == in_order(expected)).all()


def check_marginals(tables, layouts, share):
    """Marginals are weighted means over the layouts; ``share``: (n,) their weights."""

    def agree(marginals, indicators):
        """``indicators``: (n, …) whether it is so in each layout."""
        expected = np.tensordot(share, indicators.astype(float), 1)
        np.testing.assert_allclose(marginals, expected, atol=1e-12)

    holds_card = layouts[:, None, :] >> CARDS[:, None] & np.uint64(1)
    agree(tables.card_marginals(), holds_card)
    lengths = suit_lengths(layouts)[..., None] == np.arange(14)
    agree(tables.length_distributions(), lengths)
    points = high_card_points(layouts)[..., None] == np.arange(38)
    agree(tables.point_distributions(), points)
    T = tricks(layouts[:, W].copy(), layouts[:, N].copy())[:, None] == np.arange(14)
    agree(tables.distribution(CaptureTricks(W, N)), T)


def test_enumeration_says_the_same():
    occurrences = check_against_enumeration(61, 25)
    assert min(occurrences[f"{callers} callers"] for callers in (1, 2, 3)) >= 5
    assert occurrences["several weights"] >= 8
    assert occurrences["impossible"] >= 1


@pytest.mark.slow
def test_enumeration_says_the_same_of_many_positions():
    occurrences = check_against_enumeration(62, 160)
    assert all(occurrences[f"level {level}"] for level in range(8))


def test_draws_have_the_exact_probabilities():
    """χ² over layouts on small positions; draws for other weights are told apart."""
    values = []
    controls = []
    for number, (evidence, layouts, weights) in enumerate(questions(64, 30)):
        share = np.array(list(map(float, weights_of(layouts, weights))))
        if share.sum() == 0 or len(set(share)) == 1 or len(layouts) > 1000:
            continue
        draws = LevelTables.of(evidence, weights).draw(50 * len(layouts), rng=number)
        values.append(p_value(tally(draws, layouts), share / share.sum()))
        wrong = LevelTables.of(evidence, {}).draw(50 * len(layouts), rng=number)
        controls.append(p_value(tally(wrong, layouts), share / share.sum()))
    # A single layout with all the weight gives nan.
    values = np.array(values)[~np.isnan(values)]
    assert len(values) >= 8
    assert values.min() > 1e-6 / len(values)
    assert abs(values.mean() - 0.5) < 5 / math.sqrt(12 * len(values)), (
        "p-values of the truth are uniform"
    )
    assert np.nanmedian(controls) < 1e-6


def test_the_known_figures_of_a_closed_dummy():
    """South AKQ2.KJ3.A54.Q32, West's level: over 84 478 098 072 866 400 layouts."""
    tables = LevelTables.of(STRONG, {W: list(map(Fraction, range(8)))})
    assert tables.total == 84_478_098_072_866_400
    assert [round(count / tables.total, 9) for count in tables.counts[1:4]] == [
        0.002211942,
        0.000367437,
        1.7179e-5,
    ]
    six = LevelTables.of(WEAK, {W: called(6, slip=0.0001)})
    assert six.counts[1] / six.total * 4e7 == pytest.approx(210.07, abs=0.005)
    assert six.card_marginals()[Card.of("SA").index, W] == pytest.approx(
        0.72256, abs=1e-5
    )


def test_weighed_uniform_draws_agree_at_full_size():
    """P(calls) and cards of one and two callers, against weighed uniform draws."""
    n = 400_000
    evidence = WEAK.lack(E, 0x1FFF << 26).length(W, 3, 2, 5)
    cards = [Card.of(name).index for name in ("CA", "DK", "HQ", "SA")]
    west_calls = {W: called(1)}
    both_call = {W: called(1), E: [1.0, 1.0] + [0.02 / 36] * 6}
    draws = LayoutIndex.of(evidence).draw(n, rng=0)
    west = np.array(both_call[W])[levels_of(draws, W)]
    east = np.array(both_call[E])[levels_of(draws, E)]
    held = draws[:, W, None] >> np.array(cards, dtype=np.uint64) & np.uint64(1)
    for weights, weight in ((west_calls, west), (both_call, west * east)):
        tables = LevelTables.of(evidence, weights)
        mean = float(tables.mean)
        exact = np.array([mean, *(mean * tables.card_marginals()[cards, W])])
        means = np.array([weight.sum(), *(weight @ held)]) / n
        mean_squares = np.array([(weight**2).sum(), *(weight**2 @ held)]) / n
        error = np.sqrt((mean_squares - exact**2).clip(0) / n)
        z = (means - exact)[error > 0] / error[error > 0]
        assert np.abs(z).max() < 4.5
        another_call = LevelTables.of(evidence, weights | {W: called(2)})
        assert abs(means[0] - float(another_call.mean)) > 20 * error[0], (
            "the control: another call is told apart"
        )


def test_draws_at_full_size_follow_the_exact_marginals():
    evidence = STRONG.points(E, 4, 12).length(N, 3, 0, 4)
    tables = LevelTables.of(evidence, {W: called(1), N: [1.0] + [0.01] * 7})
    n = 40_000
    draws = tables.draw(n, rng=5)
    assert allows(evidence, draws).all()
    held = (draws[:, None, :] >> CARDS[:, None] & np.uint64(1)).sum(0)
    p = tables.card_marginals()
    unsure = (p > 1e-9) & (p < 1 - 1e-9)
    error = np.sqrt(n * p * (1 - p))[unsure]
    z = (held - n * p)[unsure] / error
    assert np.abs(z).max() < 4.5
    assert 0.6 < np.mean(z**2) < 1.5
    without_calls = LayoutIndex.of(evidence).card_marginals()
    control = (held - n * without_calls)[unsure] / error
    assert np.abs(control).max() > 20
    points = high_card_points(draws)
    exact = tables.point_distributions()
    for seat in (N, E, W):
        bins = np.where(n * exact[seat] >= 10, np.arange(1, 39), 0)  # 0: the rare ones
        expected = np.bincount(bins, n * exact[seat])
        by_points = np.bincount(points[:, seat], minlength=38)
        observed = np.bincount(bins, by_points, minlength=len(expected))
        possible = expected > 0
        assert chisquare(observed[possible], expected[possible]).pvalue > 1e-4


def test_what_cannot_be_is_proved():
    """South holds two aces, and no other hand bids 6NT.

    They are those of spades and diamonds. A slip makes the call possible again.
    """
    with pytest.raises(
        Contradiction,
        match="explains the calls: take a call away, or let the bidder slip",
    ):
        LevelTables.of(STRONG, {W: called(6, slip=0.0)})
    assert LevelTables.of(STRONG, {W: called(6)}).mean == pytest.approx(
        0.02 / 36, rel=1e-12
    )
    with pytest.raises(Contradiction, match="no layout fits the evidence"):
        LevelTables.of(
            STRONG.points(E, 0, 1).points(W, 0, 1).points(N, 0, 1), {W: called(1)}
        )


def test_weights_that_are_none_are_refused():
    for weights in (
        [1.0] * 7,
        [1.0] * 7 + [-0.1],
        [1.0] * 7 + [math.inf],
        [1.0] * 7 + [math.nan],
    ):
        with pytest.raises(
            BayesBridgeError, match="give eight, finite and not negative"
        ):
            LevelTables.of(STRONG, {W: weights})


def test_tables_beyond_patience_are_refused():
    with pytest.raises(BayesBridgeError, match="exact tables stop at 2"):
        LevelTables.of(Constraints.free().lack(W, 1), {W: called(1)})
    with pytest.raises(TablesTooLarge, match="are needed and tables stop at"):
        LevelTables.of(WEAK, {W: called(1), E: called(2)})
