"""Two callers by a mixture of tables: against enumeration, against common tables and against weighed draws."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from bayesbridge import Belief, Called
from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.strains import strain_levels
from bayesbridge.cards import Card, Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines import classes, levels, tilt
from bayesbridge.engines.classes import Tricks
from bayesbridge.engines.infer import infer
from bayesbridge.engines.levels import NO_TRUMP, Caller, LevelMixture, LevelTables, exact_tables
from bayesbridge.engines.tables import Sampler
from bayesbridge.errors import Contradiction, TablesTooLarge
from tests.engines.positions import in_order
from tests.engines.strong_positions import Weights, levels_of, questions
from tests.engines.test_level_tables import STRONG, E, N, W, _p_value, called, check_marginals, weights_of

WEST_AND_EAST = Constraints.free().hold(2, Hand.of("8532.J32.9854.Q3").mask)


def callers(weights: Weights | dict[int, list[float]], strain: int = NO_TRUMP) -> list[Caller]:
    """Callers in no trumps; fractions stay fractions."""
    return [Caller(seat, strain, np.array(by_level, dtype=object), exact=True) for seat, by_level in weights.items()]


def check_against_enumeration(seed: int, wanted: int) -> Counter[str]:
    """Counts as integers, P(calls) as a fraction, the layouts themselves, marginals to 1e-12."""
    seen: Counter[str] = Counter()
    for evidence, layouts, weights in questions(seed, wanted):
        if len(weights) != 2 or evidence.normalised().shaped:
            continue
        by_layout = weights_of(layouts, weights)
        mass = sum(by_layout)
        if not mass:
            with pytest.raises(Contradiction, match="no layout that fits the evidence explains the calls"):
                LevelMixture.of(evidence, callers(weights))
            seen["impossible"] += 1
            continue
        mixture = LevelMixture.of(evidence, callers(weights))
        assert mixture.total == len(layouts)
        counted: Counter[Fraction] = Counter()
        for row, counts in zip(mixture.weights, mixture.counts, strict=True):
            for weight, count in zip(row, counts, strict=True):
                counted[Fraction(weight)] += count
        assert +counted == Counter(by_layout)
        assert mixture.mean == mass / len(layouts)
        share = np.array([float(weight / mass) for weight in by_layout])
        logs = np.log(np.array(by_layout, dtype=np.float64), where=share > 0, out=np.zeros(len(share)))
        assert mixture.mean_log == pytest.approx(share @ logs, abs=1e-9)
        check_numbers(mixture, layouts, list(weights))
        check_marginals(mixture, layouts, share)
        seen["checked"] += 1
        seen["both bid"] += sum(mixture.both.counts) > 0
        seen["several values"] += len(mixture.both.counts) > 1
    return seen


def check_numbers(mixture: LevelMixture, layouts: NDArray[np.uint64], seats: list[int]) -> None:
    """The numbers of each pair of values that is not 0 lead to the layouts with these values, each once."""
    one, two = (np.array(level.by_level)[levels_of(layouts, s)] for level, s in zip(mixture.levels, seats, strict=True))
    for value, count in enumerate(mixture.both.counts):
        j, i = divmod(value, mixture.levels[0].size - 1)
        number = np.random.default_rng(1).permutation(count)
        found = mixture.both.tables.layouts(mixture.both.low_rest, np.full(count, value), number)
        assert (in_order(found) == in_order(layouts[(one == i + 1) & (two == j + 1)])).all()


def test_enumeration_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "MOST_TRIES", math.inf)
    seen = check_against_enumeration(71, 25)
    assert seen["checked"] >= 5
    assert seen["both bid"] >= 3
    assert seen["several values"] >= 2


@pytest.mark.slow
def test_enumeration_says_the_same_of_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "MOST_TRIES", math.inf)
    seen = check_against_enumeration(72, 250)
    assert seen["impossible"] >= 1
    assert seen["both bid"] >= 30


def test_draws_have_the_exact_probabilities() -> None:
    """χ² over layouts on small positions; draws for other weights are told apart."""
    values, controls = [], []
    for number, (evidence, layouts, weights) in enumerate(questions(73, 40)):
        if len(weights) != 2 or evidence.normalised().shaped or len(layouts) > 1000:
            continue
        share = np.array(list(map(float, weights_of(layouts, weights))))
        if share.sum() == 0 or len(set(share)) == 1:
            continue
        try:
            mixture = LevelMixture.of(evidence, callers(weights))
        except TablesTooLarge:
            continue
        values.append(_p_value(mixture.draw(50 * len(layouts), rng=number), layouts, share))
        controls.append(_p_value(mixture.free.draw(50 * len(layouts), rng=number), layouts, share))
    assert len(values) >= 3
    assert min(values) > 1e-4
    assert np.median(controls) < 1e-6


@pytest.mark.parametrize("strain", range(4))
def test_levels_with_trumps(strain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "MOST_TRIES", math.inf)
    by_level, both = list(map(Fraction, range(1, 9))), 0
    for evidence, layouts, weights in questions(74 + strain, 8):
        if len(weights) == 2 and not evidence.normalised().shaped:
            mixture = LevelMixture.of(evidence, callers(dict.fromkeys(weights, by_level), strain))
            one, two = (strain_levels(layouts[:, seat])[:, strain] + 1 for seat in weights)
            assert mixture.mean == Fraction(int((one.astype(int) * two).sum()), len(layouts))
            assert evidence.allows(mixture.draw(100, rng=1)).all()
            both += sum(mixture.both.counts)
    assert both


def test_common_tables_say_the_same() -> None:
    """Under a strong hand both ways are open: the same fractions, marginals of cards, lengths, points and T."""
    slip = Fraction(1, 1800)
    weights = {W: [slip, 1 - slip, *[slip] * 6], E: [1 - slip, 1 - slip, *[slip] * 6]}
    for evidence in (STRONG, STRONG.length(N, 3, 0, 4).length(W, 0, 2, 3)):
        tables, mixture = LevelTables.of(evidence, weights), LevelMixture.of(evidence, callers(weights))
        assert mixture.mean == tables.mean
        assert mixture.mean_log == pytest.approx(tables.mean_log, rel=1e-12)
        np.testing.assert_allclose(mixture.card_marginals(), tables.card_marginals(), atol=1e-12)
        np.testing.assert_allclose(mixture.length_distributions(), tables.length_distributions(), atol=1e-12)
        np.testing.assert_allclose(mixture.point_distributions(), tables.point_distributions(), atol=1e-12)
        np.testing.assert_allclose(mixture.distribution(Tricks(2, N)), tables.distribution(Tricks(2, N)), atol=1e-12)


def check_two_bids(hand: str, level: int) -> Posterior:
    """West bids, and East one level more: draws follow the exact marginals, and their levels the exact shares."""
    belief = Belief("S", hand).given(Called("W", f"{level}NT"), Called("E", f"{level + 1}NT"))
    posterior = belief.infer(rng=1)
    mixture = exact_tables(belief.target)
    assert isinstance(mixture, LevelMixture)
    assert posterior.method == "exact"
    assert mixture.tries < 1.01
    masks, n, p = posterior.layouts.masks, len(posterior), mixture.card_marginals()
    held = (masks[:, None, :] >> np.arange(52, dtype=np.uint64)[:, None] & np.uint64(1)).sum(0)
    hidden = (p > 0) & (p < 1)
    z = (held - n * p)[hidden] / np.sqrt(n * p * (1 - p))[hidden]
    assert np.abs(z).max() < 5.5
    control = (held - n / 3)[hidden] / np.sqrt(n * p * (1 - p))[hidden]
    assert np.abs(control).max() > 20
    west, east = levels_of(masks, W) == level, levels_of(masks, E) == level + 1
    seen = [(~west & ~east).sum(), (~west & east).sum(), (west & ~east).sum(), (west & east).sum()]
    expected = n * mixture.shares.ravel()
    assert chisquare(seen, expected * n / expected.sum()).pvalue > 1e-6
    return posterior


def test_two_bids_over_a_closed_dummy() -> None:
    check_two_bids("A532.K32.9854.Q3", 1)


@pytest.mark.slow
def test_two_bids_against_a_weak_hand() -> None:
    """The same with three points in view, where no other engine is exact."""
    posterior = check_two_bids("8532.J32.9854.Q3", 2)
    assert posterior.log_soft == pytest.approx(-10.170828, abs=1e-6)
    assert not posterior.counts_points, "tables of points beside two levels are too large"
    np.testing.assert_allclose(posterior.point_probabilities().values, posterior.marginals.points[:, :38])


def test_points_are_drawn_where_their_tables_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = Belief("S", "AKQ2.KJ3.A54.Q32").given(Called("W", "1NT")).infer(rng=1)
    counted = posterior.point_probabilities().values
    assert posterior.counts_points
    monkeypatch.setattr(classes, "MOST_CLASSES", 100)
    drawn = replace(posterior)
    drawn.draws.tables.kept.clear()
    assert not drawn.counts_points
    open_points = (counted > 1e-3) & (counted < 1)
    error = np.sqrt(counted * (1 - counted) / len(drawn))[open_points]
    z = (drawn.point_probabilities().values - counted)[open_points] / error
    assert 0 < np.abs(z).max() < 5.5


def check_uniform_draws(evidence: Constraints, wanted: int) -> None:
    """P(calls), P(both bid) and either with a card: within 5.5 standard errors of weighed uniform draws."""
    weights = {W: called(1), E: called(1)}
    mixture = LevelMixture.of(evidence, callers(weights))
    cards = [Card.of(name).index for name in ("CA", "DK", "HQ", "SK")]
    sampler, sums, squares = Sampler.of(evidence), np.zeros((2, 5)), np.zeros((2, 5))
    for begin in range(0, wanted, 10**6):
        draws = sampler.draw(min(wanted, 10**6), rng=begin)
        west, east = levels_of(draws, W), levels_of(draws, E)
        held = (draws[:, W, None] >> np.array(cards, dtype=np.uint64) & np.uint64(1)).astype(float)
        both = (west == 1) & (east == 1)
        for row, weight in enumerate((np.array(weights[W])[west] * np.array(weights[E])[east], both.astype(float))):
            sums[row] += [weight.sum(), *(weight @ held)]
            squares[row] += [(weight**2).sum(), *(weight**2 @ held)]
    mean, share = float(mixture.mean), sum(mixture.both.counts) / mixture.total
    cards_of = mixture.card_marginals()[cards, W], mixture.both.card_marginals()[cards, W]
    exact = np.array([[mean, *(mean * cards_of[0])], [share, *(share * cards_of[1])]])
    error = np.sqrt((squares / wanted - exact**2) / wanted)
    assert np.abs((sums / wanted - exact) / error).max() < 5.5
    ones, twos = (float(tables.mean) for tables in mixture.single)
    assert abs(sums[0, 0] / wanted - ones * twos) > 10 * error[0, 0], "the control: the two hands are not independent"


def test_weighed_uniform_draws_agree_at_full_size() -> None:
    north = sum(Card.of(name).mask for name in ("CA", "CK", "DK", "HK", "SK"))
    check_uniform_draws(Constraints.free().hold(2, Hand.of("A532.A32.A54.Q32").mask).lack(N, north), 10**6)


@pytest.mark.slow
def test_ten_million_weighed_uniform_draws_agree() -> None:
    check_uniform_draws(WEST_AND_EAST, 10**7)


def rms_of_weighed_draws(belief: Belief, exact: float, seeds: int) -> float:
    """Root mean square of (estimate − exact) / stated error of log P(calls), where draws by one caller are weighed."""
    z = []
    for seed in range(seeds):
        found = infer(belief.target, "tilted", 1000, [23, seed])
        assert found.ess >= 100
        z.append((found.log_soft - exact) / found.log_soft_error)
    return math.sqrt(float(np.mean(np.square(z))))


def test_what_auto_leaves_to_weighed_draws_can_be_insisted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draws state errors that are true of the exact answer."""
    monkeypatch.setattr(classes, "MOST_JOINT_PRODUCTS", 10)
    monkeypatch.setattr(tilt, "MORE", 10_000)
    belief = Belief("S", "A532.K32.9854.Q3").given(Called("W", "1NT"), Called("E", "2NT"))
    exact = belief.infer("exact", 100, rng=1)
    assert exact.method == "exact"
    assert exact_tables(belief.target) is None
    assert belief.infer(draws=1000, rng=1).method == "tilted"
    # χ² of 12 lies between 2.2 and 34.8 but for one case in a thousand each way.
    assert math.sqrt(2.2 / 12) < rms_of_weighed_draws(belief, exact.log_soft, 12) < math.sqrt(34.8 / 12)


@pytest.mark.slow
def test_two_bids_against_a_hand_without_honours() -> None:
    """The largest tables there are: a minute, and 1.5 GiB; and what takes their place unless they are insisted on."""
    belief = Belief("S", "5432.5432.543.32").given(Called("W", "1NT"), Called("E", "2NT"))
    assert exact_tables(belief.target) is None
    exact = belief.infer("exact", 20_000, rng=1)
    assert exact.log_soft == pytest.approx(-6.378403145106347, abs=1e-12)
    assert 0.8 < rms_of_weighed_draws(belief, exact.log_soft, 100) < 1.2
    uniform = Sampler.of(belief.target.constraints).draw(10**7, rng=1)
    weights = np.exp(belief.target.soft.of_layouts(uniform))
    names = ["CA", "DK", "HQ", "SK"]
    cards = [Card.of(name).index for name in names]
    held = (uniform[:, W, None] >> np.array(cards, dtype=np.uint64) & np.uint64(1)).astype(float)
    share = exact.card_probabilities().sel(card=names, seat="W").values
    off = weights[:, None] * (held - share)
    assert np.abs(off.sum(0) / np.sqrt((off**2).sum(0))).max() < 5.5
    mean, error = weights.mean(), weights.std() / math.sqrt(len(weights))
    assert abs(mean - math.exp(exact.log_soft)) < 5.5 * error


def test_what_cannot_be_is_proved_and_what_is_too_large_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bids = callers({W: called(1), E: called(1)})
    with pytest.raises(Contradiction, match="explains the calls"):
        LevelMixture.if_affordable(STRONG, callers({W: called(5, slip=0), E: called(5, slip=0)}))
    assert LevelMixture.if_affordable(STRONG, bids) is not None
    assert LevelMixture.if_affordable(STRONG, bids[:1]) is None
    monkeypatch.setattr(levels, "MOST_TRIES", 1.0)
    with pytest.raises(TablesTooLarge, match="would be drawn for one that is kept"):
        LevelMixture.of(STRONG, bids)
    monkeypatch.setattr(classes, "MOST_JOINT_PRODUCTS", 10)
    with pytest.raises(TablesTooLarge, match="tables stop at 10"):
        LevelMixture.of(STRONG, bids)
